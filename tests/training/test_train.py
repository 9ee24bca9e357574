"""`puzzlelab.train`: the same run as on the command line, with functions that are called while the network learns."""

import json
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import pytest
import small_runs

import puzzlelab
from puzzlelab.core.errors import BadOption

pytest.importorskip("torch")

IMITATION = {**tomllib.loads(small_runs.IMITATION), "learning": {"steps": 30, "batch_size": 20, "precision": "float32"}}
TABULAR = {"puzzle": "tiles-2x2", "learning": {"steps": 20}, "evaluation": {"every": 5, "boards": 4}}


@pytest.fixture(scope="module")
def imitated(tmp_path_factory):
    """A run of two programs, with what its callbacks got, and its result."""
    steps, evaluations = [], []
    training = puzzlelab.train(
        "imitation",
        IMITATION,
        run=tmp_path_factory.mktemp("runs") / "imitated",
        on_step=lambda step, losses: steps.append((step, losses["loss"])),
        on_evaluation=lambda step, metrics: evaluations.append({"step": step, **metrics}),
    )
    return SimpleNamespace(training=training, steps=steps, evaluations=evaluations)


def test_the_callbacks_get_each_step_and_each_line_of_metrics(imitated):
    assert [step for step, _ in imitated.steps] == list(range(1, 31))
    lines = [json.loads(line) for line in (imitated.training.run / "metrics.jsonl").read_text().splitlines()]
    assert imitated.evaluations == [{name: line[name] for name in line if name != "best"} for line in lines]
    mean = sum(loss for step, loss in imitated.steps if step <= 10) / 10
    assert lines[0]["loss"] == pytest.approx(mean)


def test_the_result_names_the_network(imitated):
    training = imitated.training
    assert (training.steps, training.finished) == (30, True)
    assert training.network == (training.run / "champion").read_text().strip()
    assert {"step": 30, **training.metrics} == imitated.evaluations[-1]
    board = next(puzzlelab.generate("dust-4x3x3", 1))
    for option in (training.option, training.best_option):
        assert puzzlelab.solve(board, "greedy", estimate=option).moves is not None


def test_a_finished_run_is_not_trained_again(imitated):
    def called(step, values):
        raise AssertionError

    again = puzzlelab.train("imitation", run=str(imitated.training.run), on_step=called, on_evaluation=called)
    assert again == imitated.training


class Pruned(Exception):
    """Like `optuna.TrialPruned`."""


def test_a_run_that_callbacks_end_goes_on_to_the_same_network(tmp_path):
    """One ends by True after an evaluation, one by an error within a step at which an evaluation is due."""
    whole = puzzlelab.train("tabular", TABULAR, run=tmp_path / "whole")
    stopped = puzzlelab.train("tabular", TABULAR, run=tmp_path / "parts", on_evaluation=lambda step, _: step == 10)
    assert (stopped.steps, stopped.finished) == (10, False)

    def prune(step, losses):
        if step == 15:
            raise Pruned

    with pytest.raises(Pruned):
        puzzlelab.train("tabular", run=tmp_path / "parts", on_step=prune)
    steps = []
    parts = puzzlelab.train("tabular", run=tmp_path / "parts", on_evaluation=lambda step, _: steps.append(step))
    assert (parts.network, parts.finished, steps) == (whole.network, True, [15, 20])
    assert len((tmp_path / "parts" / "metrics.jsonl").read_text().splitlines()) == 4


def test_callbacks_cannot_change_the_run(tmp_path):
    whole = puzzlelab.train("tabular", TABULAR, run=tmp_path / "whole")

    def change(step, losses):
        with pytest.raises(TypeError):
            losses["loss"] = 0.0

    changed = puzzlelab.train(
        "tabular", TABULAR, run=tmp_path / "changed", on_step=change, on_evaluation=lambda _, metrics: metrics.clear()
    )
    assert changed.network == whole.network
    assert changed.metrics["solved"] == whole.metrics["solved"]


def test_two_trainings_in_one_process_are_refused(tmp_path):
    """A callback of the first begins the second, as another thread would."""

    def begin_another(step, metrics):
        puzzlelab.train("tabular", TABULAR, run=tmp_path / "second")

    with pytest.raises(puzzlelab.BadInput, match="another training is at work in this process"):
        puzzlelab.train("tabular", TABULAR, run=tmp_path / "first", on_evaluation=begin_another)
    assert puzzlelab.train("tabular", TABULAR, run=tmp_path / "first").finished


def test_a_script_without_a_guard_gets_a_sentence(tmp_path):
    """The process that makes the samples imports the script, which would train, and remove the run, once more."""
    script = tmp_path / "script.py"
    script.write_text(
        f"import puzzlelab\nputs = {IMITATION!r}\npuzzlelab.train('imitation', puts, run='run', restart=True)\n"
    )
    command = [sys.executable, str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1
    assert "put what it does below the line `if __name__ == '__main__':`" in done.stderr.splitlines()[-1]
    assert done.stderr.count("Traceback") == 1


def test_only_true_ends_a_run(tmp_path):
    """Many functions return something that means nothing here, such as `write` the number of characters."""
    training = puzzlelab.train("tabular", TABULAR, run=tmp_path / "run", on_evaluation=lambda step, _: step)
    assert training.finished


def test_settings_are_a_file_a_name_a_mapping_or_a_value(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text('puzzle = "tiles-2x2"\n[learning]\nsteps = 20\n[evaluation]\nevery = 5\nboards = 4\n')
    one = puzzlelab.train("tabular", file, run=tmp_path / "file")
    changes = {"learning.steps": 20, "evaluation.every": 5, "evaluation.boards": 4}
    other = puzzlelab.train("tabular", {"puzzle": "tiles-2x2"}, run=tmp_path / "mapping", changes=changes)
    assert one.network == other.network
    begun = puzzlelab.train(
        "tabular", "tiles-3x3-tabular", run=tmp_path / "name", changes={"learning.steps": 1, "evaluation.boards": 0}
    )
    assert begun.steps == 1


@pytest.mark.parametrize(
    ("recipe", "settings", "options", "words"),
    [
        ("tabula", TABULAR, {}, "there is no recipe 'tabula'; did you mean 'tabular'?"),
        (3, TABULAR, {}, "the recipe must be a name such as 'imitation', not the number 3"),
        ("tabular", 3, {}, "the settings must be a mapping, a file, or the name of a configuration, not the number 3"),
        ("tabular", "tile-3x3", {}, "there is no configuration 'tile-3x3'; did you mean 'tiles-3x3'?"),
        ("tabular", TABULAR, {"executor": "local"}, "the recipe 'tabular' leaves nothing to an executor"),
        ("tabular", None, {}, "holds no run"),
        ("tabular", TABULAR, {"run": 3}, "the run must be a folder such as 'runs/eight', not the number 3"),
        ("tabular", TABULAR, {"changes": 3}, "the changes must be a mapping such as {'learning.steps': 2000}, not"),
        ("tabular", TABULAR, {"on_step": 3}, "`on_step` must be a function that is called with the number of the step"),
        (
            "selfplay",
            tomllib.loads(small_runs.SELFPLAY),
            {"on_step": print},
            "self-play learns in a process of its own, which cannot call functions of this one",
        ),
    ],
)
def test_wrong_arguments_get_a_sentence(tmp_path, recipe, settings, options, words):
    with pytest.raises(puzzlelab.BadInput, match=words.replace("?", "[?]")):
        puzzlelab.train(recipe, settings, **{"run": tmp_path / "run", **options})
    assert not (tmp_path / "run").exists()


def test_an_unknown_setting_is_refused_before_there_is_a_folder(tmp_path):
    with pytest.raises(BadOption, match="has no option 'step'; did you mean 'steps'"):
        puzzlelab.train("tabular", TABULAR, run=tmp_path / "run", changes={"learning.step": 3})
    assert not (tmp_path / "run").exists()
