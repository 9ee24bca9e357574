"""Small runs of self-play, of seconds each."""

import pytest

from puzzlelab.training import recipe

SMALL = {
    "puzzle": "tiles-2x3",
    "seed": 5,
    "network": {"kind": "dense", "width": 16, "depth": 2, "heads": ["policy", "cost_to_go"]},
    "curriculum": {
        "random_walk_share": 1.0,
        "initial_difficulty": 3,
        "max_difficulty": 9,
        "growth": "wins",
        "games_per_check": 16,
        "checks_in_a_row": 1,
        "increment": 2,
    },
    "self_play": {"parallel_games": 16, "playouts": 6, "max_moves": 20},
    "replay": {"capacity": 300, "samples_per_candidate": 320, "replay_ratio": 4.0},
    "match": {
        "max_boards": 16,
        "batch_size": 8,
        "opponent_boards": 8,
        "opponents": ["random", "greedy:estimate=manhattan"],
    },
    "learning": {
        "steps": 60,
        "batch_size": 32,
        "warmup": 5,
        "precision": "float32",
        "save_seconds": 1000.0,
        "ema": 0.9,
    },
    "evaluation": {"every": 20, "boards": 5, "teacher_games": 0, "scale": "uniform", "max_moves": 30},
}

TINY = (
    "self_play.parallel_games=8",
    "self_play.playouts=3",
    "replay.capacity=120",
    "replay.samples_per_candidate=160",
    "match.max_boards=8",
    "match.opponent_boards=4",
    "learning.steps=40",
    "learning.batch_size=16",
    "evaluation.every=10",
)
"""Changes that make the small run of these tests still smaller: 40 steps, a candidate every 10 steps."""


@pytest.fixture(scope="session")
def tiny():
    """The settings of a run that takes some seconds less."""
    return recipe.settings_of("selfplay", SMALL, TINY)


@pytest.fixture
def settings_of():
    """`settings_of("self_play.playouts=9", ...)`: the settings of a small run, changed."""

    def make(*changes):
        return recipe.settings_of("selfplay", SMALL, changes)

    return make


@pytest.fixture
def compete():
    """`compete(folder, settings, watch)`: begin or go on with a run whose programs take turns; the folder."""

    def work(folder, settings, watch=lambda: None):
        from puzzlelab.engine.parallel import ThisProcess
        from puzzlelab.training.runs import Run
        from puzzlelab.training.selfplay import programs

        recipe.find("selfplay").check(settings)
        run = Run(folder)
        settings = run.begin(settings)
        programs.run_all(run, settings, watch, ThisProcess(), workers=0)
        return run

    return work


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A run that has made all its steps; to be read, or copied."""
    from puzzlelab.engine.parallel import ThisProcess
    from puzzlelab.training.runs import Run
    from puzzlelab.training.selfplay import programs

    settings = recipe.settings_of("selfplay", SMALL)
    run = Run(tmp_path_factory.mktemp("runs") / "small")
    run.begin(settings)
    programs.run_all(run, settings, lambda: None, ThisProcess(), workers=0)
    return run, settings
