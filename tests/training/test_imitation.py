"""Imitation from its first step to its network: it learns, one seed is one run, and what is ended goes on."""

import numpy as np
import pytest
from run_lines import untimed

pytest.importorskip("torch")

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, BadOption
from puzzlelab.core.views import scale_of
from puzzlelab.engine.batch_rules import canonical_moves, legal_moves
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.schema import packed
from puzzlelab.nets import checkpoint
from puzzlelab.training import recipe, run_files
from puzzlelab.training.evaluation import Evaluator
from puzzlelab.training.learner import new_learner
from puzzlelab.training.loop import Loop
from puzzlelab.training.policy_value import PolicyValueBatch
from puzzlelab.training.runs import Run


def test_a_run_leaves_a_network_with_its_card(tmp_path, settings_of, train) -> None:
    settings = settings_of("learning.steps=30", "evaluation.every=10", "learning.learning_rate=0.003")
    run = train(tmp_path / "run", settings)
    lines = untimed(run.metrics)
    assert [line["step"] for line in lines] == [10, 20, 30]
    assert lines[-1]["error"] >= 0
    assert lines[-1]["solved"] == 1.0  # dust is cleared by whatever is clicked
    assert lines[-1]["excess"] == pytest.approx(lines[-1]["moves"] - lines[-1]["least"])
    name = run.champion.read_text().strip()
    model, card = checkpoint.load(run.nets / name)
    assert (card.recipe, card.puzzle, card.steps, card.seed) == ("imitation", "dust-4x3x3", 30, 5)
    assert card.samples == 30 * 20
    assert card.settings["learning"]["learning_rate"] == 0.003
    assert model.heads == ("policy", "cost_to_go")


def test_one_seed_is_one_run(tmp_path, settings_of, train, imitated, same_runs) -> None:
    same_runs(train(tmp_path / "other", settings_of()), imitated)
    third = train(tmp_path / "third", settings_of("seed=6"))
    assert third.champion.read_text() != imitated.champion.read_text()


@pytest.mark.parametrize("order", ["random", pytest.param("fresh", marks=pytest.mark.slow)])
def test_a_run_that_is_ended_three_times_goes_on_as_if_it_had_not_been(
    tmp_path, settings_of, train, imitated, same_runs, stop_at, order
) -> None:
    settings = settings_of(f"data.order={order}")
    whole = imitated if order == "random" else train(tmp_path / "whole", settings)
    for step in (7, 20, 13):
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "parts", settings, stop_at(step))
    same_runs(train(tmp_path / "parts", settings), whole)


@pytest.mark.parametrize("step", [30, 60])
def test_an_evaluation_that_is_interrupted_is_made_when_the_run_goes_on(
    tmp_path, settings_of, train, imitated, same_runs, monkeypatch, step
) -> None:
    steps = []

    def evaluate(loop, watch) -> None:
        steps.append(loop.step)
        if loop.step == step:
            monkeypatch.setattr(Loop, "_evaluate", original)
            raise KeyboardInterrupt
        original(loop, watch)

    original = Loop._evaluate
    monkeypatch.setattr(Loop, "_evaluate", evaluate)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "parts", settings_of())
    assert run_files.saved_step(tmp_path / "parts") == steps[-1] == step
    same_runs(train(tmp_path / "parts", settings_of()), imitated)


@pytest.mark.parametrize("solver", ["greedy", "beam"], ids=["boards together", "one after the other"])
def test_an_evaluation_ends_where_it_is_watched(tmp_path, settings_of, solver) -> None:
    settings = settings_of("evaluation.prove_optimum=false", f"evaluation.solver={solver}")
    puzzle = registry.load(settings.puzzle)
    evaluator = Evaluator(puzzle, settings.evaluation, settings.seed, Run(tmp_path))
    model = new_learner(puzzle, settings.network, settings.learning, settings.seed).ema_model

    def watch() -> None:
        raise KeyboardInterrupt

    assert evaluator.evaluate(model)["solved"] == 1.0
    with pytest.raises(KeyboardInterrupt):
        evaluator.evaluate(model, watch=watch)


def test_what_was_written_after_the_last_save_is_written_anew(
    tmp_path, settings_of, train, imitated, same_runs, stop_at
) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "parts", settings_of(), stop_at(25))
    with (tmp_path / "parts" / "metrics.jsonl").open("a") as file:
        file.write('{"step": 30, "loss": 99}\n{"step": 4')  # a killed learner was further than its saved state
    same_runs(train(tmp_path / "parts", settings_of()), imitated)


def test_only_the_shards_that_the_ring_holds_are_kept(tmp_path, settings_of, train, imitated) -> None:
    run = train(tmp_path / "run", settings_of("learning.steps=100", "evaluation.every=100"))
    kept = sorted(int(path.stem[-5:]) for path in run.shards.glob("shard-*.parquet"))
    assert kept[0] > 0
    assert kept == list(range(kept[0], kept[-1] + 1))
    assert (imitated.shards / "shard-00000.parquet").exists()


def test_a_teacher_may_be_asked_for_so_many_shards_and_no_more(tmp_path, settings_of, train) -> None:
    run = train(tmp_path / "run", settings_of("data.shard_count=2"))
    assert len(list(run.shards.glob("shard-*.parquet"))) == 2
    assert untimed(run.metrics)[-1]["step"] == 60


def test_a_run_whose_shards_have_another_teacher_is_refused_before_anything_is_changed(
    tmp_path, settings_of, train, stop_after
) -> None:
    run, other = Run(tmp_path / "run"), settings_of("teacher.solver_options={'width': 4}".replace("'", '"'))
    with pytest.raises(KeyboardInterrupt):
        train(run.folder, settings_of(), stop_after(run.folder, 2))
    (tmp_path / "other").mkdir()
    Run(tmp_path / "other" / "run").begin(other)  # as of a version with another default
    run.config.write_bytes((tmp_path / "other" / "run" / "config.toml").read_bytes())
    before = {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    run.begin(other)
    for work in (recipe.find("imitation").generate, recipe.find("imitation").learn):
        with pytest.raises(BadFile, match="shards was begun with other settings: options is .*; give another folder"):
            work(run, other, lambda: None, ThisProcess())
    assert {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()} == before


def test_two_learners_do_not_share_a_folder(tmp_path, settings_of, train) -> None:
    run = Run(tmp_path / "run")
    run.begin(settings_of())
    with run.exclusive("learner"), pytest.raises(BadInput, match="another program is at work on"):
        train(tmp_path / "run", settings_of())


# --- batches ---


def batch_of(puzzle, count=8):
    """Random boards, each with one legal move as the teacher's."""
    sample = scale_of(puzzle)[1].sample
    states = np.concatenate([sample(np.random.default_rng(number), None, 1) for number in range(count)])
    masks = np.zeros((count, puzzle.move_count), bool)
    masks[np.arange(count), legal_moves(puzzle, states).argmax(axis=1)] = True
    return {"state": states, "moves": packed(masks), "remaining": np.arange(count, dtype=np.uint16)}


def test_the_target_of_a_batch_is_the_whole_cluster() -> None:
    puzzle = registry.load("dust-2x2x2")
    samples = {
        "state": puzzle.read("1112").state[None],
        "moves": packed(np.array([[True, False, False, False]])),
        "remaining": np.array([2], np.uint16),
    }
    batch = PolicyValueBatch.from_samples(puzzle, samples)
    assert batch.policy_target.tolist() == [[True, True, True, False]]
    assert batch.legal.all()


@pytest.mark.parametrize("name", ["dust-4x3x3", "tiles-3x3"])
def test_the_target_of_an_image_is_the_image_of_the_target(name) -> None:
    puzzle = registry.load(name)
    batch = PolicyValueBatch.from_samples(puzzle, batch_of(puzzle))
    changed = 0
    for seed in range(20):
        image = batch.augmented(puzzle, np.random.default_rng(seed), permute_symbols=True)
        assert (image.legal == (canonical_moves(puzzle, image.states) >= 0)).all()
        for index, state in enumerate(image.states):
            before = {_shape(puzzle, batch.states[index], move) for move in np.flatnonzero(batch.policy_target[index])}
            after = {_shape(puzzle, state, move) for move in np.flatnonzero(image.policy_target[index])}
            assert before == after
        changed += (image.states != batch.states).any()
    assert changed > 10


def _shape(puzzle, state, move):
    """What is the same of a child in all images: how many cells hold something, and how many moves it has."""
    child = puzzle.apply(state, int(move))
    return int((child > 0).sum()), int(puzzle.legal(child).sum())


def test_a_puzzle_with_too_many_states_is_refused_before_there_is_a_folder(tmp_path, settings_of, monkeypatch) -> None:
    monkeypatch.setattr("puzzlelab.experience.state_space.MAX_STATES", 100)
    settings = settings_of(
        "puzzle=tiles-2x3", "teacher.all_states=true", 'network={"kind": "dense", "width": 4, "depth": 1}'
    )
    with pytest.raises(BadInput, match="tiles-2x3 has too many states to take all of them: at most 100"):
        recipe.find("imitation").check(settings)


NEVER = (
    "puzzle=tiles-4x4",
    'network={"kind": "dense", "width": 4, "depth": 1}',
    'teacher={"solver": "beam", "solver_options": {"width": 1}, "nodes": 1}',
    "evaluation.boards=0",
    "evaluation.teacher_games=0",
)
"""A teacher that solves no board."""


@pytest.mark.parametrize(("changes", "boards"), [(["data.shard_count=4"], 80), (["data.buffer_size=5"], 100)])
def test_a_teacher_that_gives_no_sample_ends_the_training(tmp_path, settings_of, train, changes, boards, monkeypatch):
    monkeypatch.setattr("puzzlelab.training.shard_loader.MAX_EMPTY_GAMES", 100)
    with pytest.raises(BadOption, match=f"{boards} boards in a row gave no sample: either they are solved already, or"):
        train(tmp_path / "run", settings_of(*NEVER, *changes))
