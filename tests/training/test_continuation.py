"""Runs that go on with other settings, that begin with a network, and that keep their best network and snapshots."""

import json
import shutil

import numpy as np
import pytest

pytest.importorskip("torch")

from run_lines import untimed
from safetensors.numpy import load_file
from small_runs import PLAYED

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.shard_leases import begin_folder
from puzzlelab.nets import checkpoint, model_zoo
from puzzlelab.storage import networks
from puzzlelab.training import metrics, recipe
from puzzlelab.training.recipes import imitation
from puzzlelab.training.runs import Run, read_toml

VALUES = {**PLAYED, "network": {"kind": "dense", "width": 8, "depth": 1, "heads": ["q"]}}
BASE = ("learning.schedule=constant", "learning.snapshots=20", "evaluation.prove_optimum=false")
CONTINUED = ("learning.steps=40", "learning.learning_rate=0.01", "curriculum.max_difficulty=30")


def settings_of(*changes):
    """The settings of a small run of deep Q-learning, changed."""
    return recipe.settings_of("dqn", VALUES, [*BASE, *changes])


def played(folder, settings, watch=lambda: None):
    """Begin the run in this folder, or go on with it; the run."""
    run = Run(folder)
    recipe.find("dqn").check(settings)
    settings = run.begin(settings)
    if not run.finished():
        recipe.find("dqn").learn(run, settings, watch, ThisProcess())
    return run


def copied(run, folder):
    """A copy of a run."""
    shutil.copytree(run.folder, folder)
    return Run(folder)


def ends(run):
    """The names of the last and of the best network, and the lines of metrics without times."""
    return run.champion.read_text(), run.best.read_text(), untimed(run.metrics)


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """A finished run of 20 steps; to be copied."""
    return played(tmp_path_factory.mktemp("runs") / "short", settings_of("learning.steps=20"))


@pytest.fixture(scope="module")
def continued(tmp_path_factory, short):
    """The run of 20 steps, continued with other settings to 40."""
    return played(copied(short, tmp_path_factory.mktemp("runs") / "continued").folder, settings_of(*CONTINUED))


# --- other settings ---


def test_a_run_with_more_steps_is_the_one_that_was_begun_with_them(tmp_path, short) -> None:
    longer = played(copied(short, tmp_path / "longer").folder, settings_of("learning.steps=40"))
    whole = played(tmp_path / "whole", settings_of("learning.steps=40"))
    assert longer.champion.read_text() == whole.champion.read_text() != short.champion.read_text()
    assert longer.finished()


def test_changes_are_kept_with_their_step_and_told_once(continued) -> None:
    changes = read_toml(continued.config)["changes"]
    assert [(change["step"], change["setting"], change["before"]) for change in changes] == [
        (20, "learning.steps", 20),
        (20, "learning.learning_rate", 0.001),
        (20, "curriculum.max_difficulty", 21),
    ]
    told = "learning.steps=40; learning.learning_rate=0.01; curriculum.max_difficulty=30"
    assert [line.get("changes") for line in metrics.lines(continued.metrics)] == [None, None, told, None]
    assert checkpoint.read_card(continued.trained()).settings["changes"] == changes


def test_one_list_of_changes_gives_one_network(tmp_path, continued) -> None:
    settings = recipe.settings_of("dqn", read_toml(continued.config))
    assert ends(played(tmp_path / "again", settings)) == ends(continued)


def test_a_setting_that_is_given_holds_from_the_first_step_on_in_a_new_run(continued) -> None:
    settings = recipe.settings_of("dqn", read_toml(continued.config), ["learning.learning_rate=0.02"])
    assert [change.setting for change in settings.changes] == ["learning.steps", "curriculum.max_difficulty"]
    assert not recipe.settings_of("dqn", read_toml(continued.config), {"learning": {}, "curriculum": {}}).changes


def test_a_change_holds_from_its_step_also_after_kills_and_from_the_state_before(tmp_path, continued, stop_at) -> None:
    run = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        played(run, settings_of("learning.steps=20"), stop_at(13))
    with pytest.raises(KeyboardInterrupt):
        played(run, settings_of("learning.steps=20", "learning.save_seconds=1e-9"), stop_at(6))
    played(run, settings_of("learning.steps=20"))
    with pytest.raises(KeyboardInterrupt):
        played(run, settings_of(*CONTINUED), stop_at(0))
    newest = Run(run).folder / "state-20.safetensors"
    newest.write_bytes(newest.read_bytes()[:-9])  # the run goes on from the state of an earlier step
    assert ends(played(run, settings_of(*CONTINUED))) == ends(continued)


def test_a_change_that_is_taken_back_at_once_leaves_no_trace(tmp_path, short) -> None:
    run = copied(short, tmp_path / "run")
    assert run.begin(settings_of("learning.steps=30")).changes
    assert run.begin(settings_of("learning.steps=20")) == settings_of("learning.steps=20")
    assert ends(played(run.folder, settings_of("learning.steps=20"))) == ends(short)


def test_a_run_that_is_killed_while_it_takes_other_settings_takes_them_next_time(tmp_path, short, monkeypatch) -> None:
    run = copied(short, tmp_path / "run")

    def killed(*given):
        raise KeyboardInterrupt

    for cut in ("_write_settings", "writing"):
        with monkeypatch.context() as patch:
            patch.setattr(Run, cut, killed)
            with pytest.raises(KeyboardInterrupt):
                run.begin(settings_of(*CONTINUED))
    assert len(run.begin(settings_of(*CONTINUED)).changes) == len(CONTINUED)
    assert not run.finished()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("network.width=9", "network.width is 8 there, not 9: the saved weights are of that architecture"),
        ("seed=6", "seed is 5 there, not 6: samples and steps so far were drawn by it"),
        ("learning.batch_size=33", "learning.batch_size is 32 there, not 33: what was learned so far depends on it"),
        ("learning.steps=19", "learning.steps cannot become 19: .* has done 20 steps"),
        ("init=net:tiles-2x3", "no network"),
    ],
)
def test_what_may_not_change_is_refused_with_the_reason(short, change, words) -> None:
    before = short.config.read_bytes()
    with pytest.raises(BadInput, match=words):
        short.begin(settings_of("learning.steps=20", change))
    assert (short.config.read_bytes(), short.done.exists()) == (before, True)


def test_a_run_at_work_is_not_changed(short) -> None:
    with short.exclusive("learner"), pytest.raises(BadInput, match="another program is at work on .* as its learner"):
        short.begin(settings_of("learning.steps=30"))
    assert short.done.exists()


def test_a_folder_without_a_saved_state_takes_any_settings(tmp_path) -> None:
    def samples(*changes):
        values = {"puzzle": "tiles-2x3", "network": VALUES["network"], "data": {"shard_games": 5}}
        return recipe.settings_of("imitation", values, changes)

    run = Run(tmp_path / "run")
    run.begin(samples())
    begin_folder(imitation.teacher_of(samples(), 0), run.shards, 5)
    mine, shard = run.shards / "notes.txt", run.shards / "shard-00000.parquet"
    mine.touch()
    shard.touch()
    run.begin(samples("learning.batch_size=7", "network.width=9", "evaluation.solver=beam"))
    assert (mine.exists(), shard.exists()) == (True, True)
    settings = run.begin(samples("teacher.walk_length=7"))
    assert (mine.exists(), shard.exists()) == (True, False)
    assert recipe.settings_of("imitation", run.saved_settings()) == settings == samples("teacher.walk_length=7")
    begin_folder(imitation.teacher_of(settings, 0), run.shards, 5)
    run.begin(settings_of())  # of another recipe


def test_a_finished_run_whose_states_were_removed_keeps_its_networks(tmp_path, short) -> None:
    run = copied(short, tmp_path / "run")
    for path in run.folder.glob("state*"):
        path.unlink()
    with pytest.raises(BadInput, match="has no saved state any more, from which it could go on"):
        run.begin(settings_of("learning.steps=20", "seed=6"))
    assert run.trained() is not None


# --- the best network, and snapshots ---


def test_the_best_network_is_kept_and_measured_on_other_boards(continued) -> None:
    lines = list(metrics.lines(continued.metrics))
    scores = [(line["solved"], -line.get("moves", 0)) for line in lines]
    best = lines[scores.index(max(scores))]
    assert lines[-1]["best_step"] == best["step"]
    assert lines[-1]["best"] == best["best"] == continued.best.read_text().strip()
    card = checkpoint.read_card(continued.nets / best["best"])
    assert card.steps == best["step"]
    boards = {checkpoint.read_card(path).other_boards.get("boards") for path in continued.nets.glob("*.json")}
    assert {5, None} >= boards >= {5}
    assert card.other_boards["boards"] == 5
    assert 0 <= card.other_boards["solved"] <= 1


def test_networks_of_a_run_have_names(tmp_path, short, continued, monkeypatch) -> None:
    puzzle, folder = registry.load("tiles-2x3"), continued.folder

    def name(text):
        return networks.find(puzzle, f"net:{folder}{text}").name

    last = continued.champion.read_text().strip()
    assert name("") == name(":last") == name(":40") == last
    assert name(":best") == name(":best:averaged") == continued.best.read_text().strip()
    assert name(":20") == short.champion.read_text().strip()
    assert set(networks.files(puzzle, f"net:{folder}:20")) == {".onnx", ".json"}
    for text, words in (("30", "has no network '30'"), ("first", "write best, last, or a number of steps")):
        with pytest.raises(BadInput, match=words):
            model_zoo.path_of_name(f"{folder}:{text}")
    shutil.copytree(short.folder, tmp_path / "run:best")
    monkeypatch.chdir(tmp_path)
    assert model_zoo.path_of_name("run:best").name == short.champion.read_text().strip()


def test_a_run_ends_when_its_patience_is_over_and_goes_on_with_more(tmp_path, short, listener) -> None:
    changes = ("learning.learning_rate=1e-12", "learning.steps=100")  # no network is better than the first
    run = played(tmp_path / "run", settings_of(*changes, "evaluation.patience=2"))
    end = "training ends at step 30: none of the last 2 evaluations found a better network than that of step 10"
    assert any(sentence.startswith(end) for sentence in listener.notes)
    assert [line["step"] for line in metrics.lines(run.metrics)] == [10, 20, 30]
    assert run.finished()
    whole = played(tmp_path / "whole", settings_of(*changes))
    played(run.folder, settings_of(*changes, "evaluation.patience=0"))
    assert [line["step"] for line in metrics.lines(run.metrics)] == list(range(10, 101, 10))
    assert ends(run)[:2] == ends(whole)[:2]


def test_the_best_network_is_measured_again_where_the_evaluation_changes(tmp_path, short) -> None:
    run, other = copied(short, tmp_path / "run"), ("evaluation.boards=9", "evaluation.max_moves=20")
    played(run.folder, settings_of("learning.steps=30", *other))
    best = json.loads((run.folder / "state.json").read_text())["best"]
    assert best["manner"]["boards"] == 9
    assert round(best["score"][0] * 9, 6).is_integer()


# --- a network to begin with ---


@pytest.mark.parametrize("ending", ["", ".safetensors", ".onnx"])
def test_training_begins_with_the_weights_of_a_network(tmp_path, short, ending) -> None:
    name = short.champion.read_text().strip()
    source = short.nets / f"{name}{ending or '.json'}"
    place = tmp_path / f"network{ending}" if ending else short.folder
    if ending:
        shutil.copy(source, place)
    settings = settings_of(f"init={place}", "learning.steps=1", "learning.learning_rate=1e-12")
    run = played(tmp_path / "run", settings)
    assert run.saved_settings()["init"] == name
    first, begun = load_file(short.nets / f"{name}.safetensors"), load_file(f"{run.trained()}.safetensors")
    assert all(np.allclose(begun[key], first[key], atol=1e-9) for key in first)


def test_a_run_keeps_the_network_that_it_began_with(tmp_path, short, stop_at) -> None:
    source = copied(short, tmp_path / "source")
    settings = settings_of(f"init=net:{source.folder}:last", "learning.steps=20")
    whole = played(tmp_path / "whole", settings)
    with pytest.raises(KeyboardInterrupt):
        played(tmp_path / "run", settings, stop_at(0))
    shutil.rmtree(source.folder)
    run = Run(tmp_path / "run")
    assert ends(played(run.folder, recipe.settings_of("dqn", run.saved_settings()))) == ends(whole)
    assert checkpoint.read_card(run.trained()).settings["init"] == short.champion.read_text().strip()
    run.begin(recipe.settings_of("dqn", run.saved_settings()), anew=True)
    assert {path.name for path in run.folder.iterdir()} == {"config.toml", "init.safetensors"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("network.width=9", "network.width is 8 there, not 9"),
        ('network={"kind": "residual", "width": 8, "heads": ["q"]}', "network.kind is 'dense' there, not 'residual'"),
        ("puzzle=tiles-2x2", "it is for tiles-2x3, not for tiles-2x2"),
    ],
)
def test_a_network_of_another_architecture_is_refused_before_the_folder_is_made(tmp_path, short, change, words) -> None:
    with pytest.raises(BadInput, match=f"training cannot begin with .*{words}"):
        Run(tmp_path / "run").begin(settings_of(f"init={short.folder}", change))
    assert not (tmp_path / "run").exists()


def test_weights_of_another_program_need_the_same_names_and_shapes(tmp_path, short) -> None:
    weights = checkpoint.read_weights(short.trained().with_suffix(".safetensors"))
    path = tmp_path / "other.safetensors"
    name = "layers.0.weight"
    for changed, words in (
        ({**weights, name: weights[name][:, :3].contiguous()}, f"'{name}' is 8 x 3 there, not 8 x "),
        ({other: weights[other] for other in weights if other != name}, f"it has no weights '{name}'"),
        ({**weights, name: weights[name] * float("nan")}, "holds infinite numbers"),
    ):
        checkpoint.replace_file(path, checkpoint.tensors_as_bytes(changed))
        with pytest.raises(BadInput, match=words):
            Run(tmp_path / "run").begin(settings_of(f"init={path}"))


def test_a_table_begins_with_no_network(short) -> None:
    values = {"puzzle": "tiles-2x3", "parallel_games": 5, "init": str(short.folder)}
    with pytest.raises(BadInput, match="begins with an equal value for all moves, not with a network"):
        recipe.find("tabular").check(recipe.settings_of("tabular", values))
