"""The examples of docs/python.md with trackers of experiments, run with stand-ins of the same interface."""

import sys
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from fenced_blocks import fenced_blocks

pytest.importorskip("torch")

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
EXAMPLES = {text.split()[1].partition(".")[0]: text for language, text in fenced_blocks(PAGE) if language == "py"}
"""Library -> the example that begins with its import."""
SETTINGS = {"puzzle": "tiles-2x2", "learning": {"steps": 20}, "evaluation": {"every": 5, "boards": 4}}
STEPS = [5, 10, 15, 20]


def run(library, monkeypatch, folder, **modules):
    """Run the example in a folder where these modules can be imported; the names that it has then."""
    monkeypatch.chdir(folder)
    for name, contents in modules.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name.replace("_", "."), module)
    import puzzlelab

    names = {"puzzlelab": puzzlelab, "settings": SETTINGS}
    exec(compile(EXAMPLES[library], str(PAGE), "exec"), names)
    return names


def test_weights_and_biases(monkeypatch, tmp_path):
    logged = []

    class Experiment:
        def log(self, data: dict, step: int | None = None) -> None:
            assert all(type(value) in (int, float) for value in data.values())
            logged.append((step, data["solved"]))

    @contextmanager
    def init(project: str, config: dict):
        yield Experiment()

    run("wandb", monkeypatch, tmp_path, wandb={"init": init})
    assert [step for step, _ in logged] == STEPS


def test_mlflow(monkeypatch, tmp_path):
    logged = []

    @contextmanager
    def start_run():
        yield

    def log_metrics(metrics: dict, step: int | None = None) -> object:
        logged.append(step)
        return SimpleNamespace()  # what asynchronous logging returns

    run("mlflow", monkeypatch, tmp_path, mlflow={"start_run": start_run, "log_metrics": log_metrics})
    assert logged == STEPS


def test_optuna(monkeypatch, tmp_path):
    class TrialPruned(Exception):
        pass

    class Trial:
        def __init__(self, number):
            self.number, self.reports = number, []

        def suggest_float(self, name, low, high):
            return low if self.number else high

        def report(self, value, step):
            self.reports.append(step)

        def should_prune(self):
            return self.number == 1 and len(self.reports) == 2

    class Study:
        def optimize(self, objective, n_trials):
            self.trials, self.values = [Trial(number) for number in range(min(n_trials, 2))], []
            for trial in self.trials:
                try:
                    self.values.append(objective(trial))
                except TrialPruned:
                    self.values.append(None)

    optuna = {"TrialPruned": TrialPruned, "create_study": lambda direction: Study()}
    study = run("optuna", monkeypatch, tmp_path, optuna=optuna)["study"]
    assert [trial.reports for trial in study.trials] == [STEPS, STEPS[:2]]
    assert study.values[0] > 0
    assert study.values[1] is None
    assert (tmp_path / "runs" / "trial-1" / "champion").exists()  # what a pruned trial has learned is kept


def test_notebooks(monkeypatch, tmp_path):
    shown = []

    class DataFrame:
        def __init__(self, rows):
            self.rows = list(rows)

        def plot(self, x, y):
            return SimpleNamespace(figure=[(row[x], row[y]) for row in self.rows])

    ipython = {"display": lambda figure, clear: shown.append(figure)}
    run("IPython", monkeypatch, tmp_path, IPython_display=ipython, IPython={}, pandas={"DataFrame": DataFrame})
    assert [[step for step, _ in figure] for figure in shown] == [STEPS[:count] for count in (1, 2, 3, 4)]
