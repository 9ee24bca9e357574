"""A run that takes seconds: small networks, a quick teacher, and generators in threads."""

import threading
from contextlib import contextmanager

import pytest
from run_lines import untimed

from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.training import recipe
from puzzlelab.training.runs import Run

SMALL = {
    "puzzle": "dust-4x3x3",
    "seed": 5,
    "network": {"kind": "exchangeable", "width": 8, "depth": 2, "pooled": 4},
    "teacher": {"solver": "beam", "solver_options": {"width": 3}, "branches": 1},
    "data": {"shard_games": 20, "buffer_size": 300, "replay_ratio": 2.0, "shards_ahead": 2},
    "learning": {"steps": 60, "batch_size": 20, "warmup": 5, "precision": "float32", "save_seconds": 1000.0},
    "evaluation": {"every": 10, "boards": 5, "teacher_games": 5},
}


@pytest.fixture
def settings_of():
    """`settings_of("data.buffer_size=100", ...)`: the settings of a small run of imitation, changed."""

    def make(*changes):
        pytest.importorskip("torch")
        return recipe.settings_of("imitation", SMALL, changes)

    return make


@contextmanager
def _generating(run, settings):
    """A generator in a thread, which ends when the run is done, or is said to be."""
    thread = threading.Thread(
        target=recipe.find("imitation").generate, args=(run, settings, lambda: None, ThisProcess())
    )
    thread.start()

    def alive() -> None:
        assert thread.is_alive()

    try:
        yield alive
    finally:
        before = run.done.exists()
        run.done.touch()
        thread.join()
        if not before:
            run.done.unlink()


class StopAt:
    """Raises Ctrl-C before a step."""

    def __init__(self, step) -> None:
        self.left = step

    def __call__(self) -> None:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1


@pytest.fixture
def stop_at():
    """`stop_at(step)`: to be given to `train` as what it calls before each step."""
    return StopAt


@pytest.fixture
def stop_after():
    """`stop_after(folder, evaluations)`: raises Ctrl-C after so many evaluations of the run in this folder."""

    def watch_for(folder, evaluations):
        path = folder / "metrics.jsonl"

        def watch() -> None:
            if path.exists() and path.read_text().count("\n") >= evaluations:
                raise KeyboardInterrupt

        return watch

    return watch_for


def _train(folder, settings, watch=lambda: None, executor=None):
    run, its_recipe = Run(folder), recipe.find(settings.recipe)
    settings = run.begin(settings)
    if its_recipe.generate is not None:
        with _generating(run, settings) as alive:
            its_recipe.learn(run, settings, lambda: (watch(), alive()), ThisProcess())
    else:
        its_recipe.learn(run, settings, watch, executor or ThisProcess())
    return run


@pytest.fixture
def train():
    """`train(folder, settings, watch, executor)`: all programs of a recipe on a folder; the run."""
    return _train


@pytest.fixture(scope="session")
def imitated(tmp_path_factory):
    """The small run of imitation from its beginning to its end, with its samples; to be read, or copied."""
    pytest.importorskip("torch")
    return _train(
        tmp_path_factory.mktemp("runs") / "imitated", recipe.settings_of("imitation", SMALL, ["data.keep_shards=true"])
    )


@pytest.fixture
def same_runs():
    """`same_runs(one, other)`: asserts that two runs have the same metrics and the same network."""

    def check(one, other) -> None:
        assert untimed(one.metrics) == untimed(other.metrics)
        assert one.champion.read_text() == other.champion.read_text()

    return check
