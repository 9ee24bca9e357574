"""Small runs of self-competition, of seconds each."""

import pytest

from puzzlelab.training import recipe

SMALL = {
    "puzzle": "tiles-2x3",
    "seed": 5,
    "network": {"kind": "dense", "width": 16, "depth": 2, "heads": ["policy", "cost_to_go"]},
    "starts": {"walks": 1.0, "first": 3, "last": 9, "grows": "won", "games": 16, "in_a_row": 1, "by": 2},
    "playing": {"games": 16, "playouts": 6, "max_moves": 20},
    "samples": {"newest": 300, "round": 320, "reuse": 4.0},
    "match": {"games": 16, "portion": 8, "ladder": 8, "opponents": ["random", "greedy:estimate=manhattan"]},
    "learning": {"steps": 60, "batch": 32, "warmup": 5, "precision": "float32", "save": 1000.0, "mean": 0.9},
    "exam": {"every": 20, "boards": 5, "games": 0, "scale": "uniform", "max_moves": 30},
}


@pytest.fixture
def settings_of():
    """`settings_of("playing.playouts=9", ...)`: the settings of a small run, changed."""

    def make(*changes):
        return recipe.settings_of("selfplay", recipe.with_changes(SMALL, changes))

    return make


@pytest.fixture
def compete():
    """`compete(folder, settings, watch)`: begin or go on with a run whose programs take turns; the folder."""

    def work(folder, settings, watch=lambda: None):
        from puzzlelab.training.selfplay import supervisor
        from puzzlelab.training.selfplay.run_folder import SelfPlayRun

        recipe.find("selfplay").check(settings)
        league = SelfPlayRun(folder)
        league.begin(settings)
        supervisor.run_all(league, settings, watch, workers=0)
        return league

    return work


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A run that has made all its steps; to be read, or copied."""
    from puzzlelab.training.selfplay import supervisor
    from puzzlelab.training.selfplay.run_folder import SelfPlayRun

    settings = recipe.settings_of("selfplay", SMALL)
    league = SelfPlayRun(tmp_path_factory.mktemp("runs") / "small")
    league.begin(settings)
    supervisor.run_all(league, settings, lambda: None, workers=0)
    return league, settings
