"""Recipes that learn from games they play: runs of seconds that learn, end, and go on."""

import pytest

pytest.importorskip("torch")

from puzzlelab.core.errors import BadInput
from puzzlelab.nets import checkpoint
from puzzlelab.training import recipe

COMMON = {
    "puzzle": "tiles-2x3",
    "seed": 5,
    "games": 20,
    "max_moves": 12,
    "starts": {"scale": "uniform", "walks": 0.5, "first": 4, "last": 21, "grows": "won", "games": 20, "in_a_row": 1},
    "exploring": {"rule": "guesses", "first": 0.1},
    "memory": {"size": 500},
    "learning": {"steps": 40, "batch": 32, "warmup": 5, "precision": "float32", "save": 1000.0, "mean": 0.9},
    "exam": {"every": 10, "boards": 5, "games": 0, "scale": "uniform", "max_moves": 30},
}
HEADS = {"dqn": "q", "value_iteration": "remaining"}


@pytest.fixture
def settings_of():
    """`settings_of("dqn", "horizon=3", ...)`: the settings of a small run of a recipe, changed."""

    def make(name, *changes):
        network = {"kind": "dense", "width": 32, "depth": 2, "heads": [HEADS[name]], "canonical": True}
        values = recipe.with_changes({**COMMON, "network": network}, changes)
        if isinstance(values["network"]["heads"], str):
            values["network"]["heads"] = [values["network"]["heads"]]
        return recipe.settings_of(name, values)

    return make


NO_WALKS = ("starts.walks=0", "starts.first=0", "starts.last=0", "starts.grows=never")
VARIANTS = [
    ("dqn",),
    ("dqn", "horizon=3", "double=false", "network.duelling=true", "distance=squared", "warmup=5"),
    ("dqn", "memory.alpha=0.6", "slow.rule=hard", "slow.every=7", "every=3"),
    ("dqn", "memory.size=0", "slow.rule=none", "masked=false", "reward=goal", "discount=0.8", "blend=0.9"),
    ("dqn", "whole=true", "reward=potential:manhattan"),
    ("dqn", "reward=level", "discount=0.9", "exploring.rule=games", "exploring.last=0.05", *NO_WALKS),
    ("dqn", "puzzle=dust-4x3x3", "reward=cleared-squared", *NO_WALKS),
    ("dqn", "puzzle=sudoku-9x9", "starts.scale=", "exam.scale=", "games=4", "learning.batch=4", *NO_WALKS),
    ("value_iteration",),
    ("value_iteration", "memory.size=0", "every=4"),
    ("value_iteration", "memory.alpha=0.6", "bounded=false", "slow.rule=hard", "slow.every=7", "trust=0"),
    ("value_iteration", "puzzle=dust-4x3x3", *NO_WALKS),
]


@pytest.mark.parametrize("variant", VARIANTS, ids=" ".join)
def test_a_run_that_is_ended_three_times_goes_on_as_if_it_had_not_been(
    tmp_path, settings_of, train, told, stop_at, variant
) -> None:
    settings = settings_of(*variant)
    recipe.find(variant[0]).check(settings)
    whole = train(tmp_path / "whole", settings)
    for step in (7, 14, 9):
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "parts", settings, stop_at(step))
    parts = train(tmp_path / "parts", settings)
    assert [line["step"] for line in told(whole)] == [10, 20, 30, 40]
    assert told(parts) == told(whole)
    assert parts.champion.read_text() == whole.champion.read_text()


@pytest.mark.parametrize("name", HEADS)
def test_another_seed_is_another_run(tmp_path, settings_of, train, told, name) -> None:
    one, other = (train(tmp_path / str(seed), settings_of(name, f"seed={seed}")) for seed in (1, 2))
    assert told(one) != told(other)


@pytest.mark.parametrize(
    "variant",
    [
        ("dqn", "discount=0.95", "memory.size=5000", "memory.alpha=0.6", "slow.rate=0.02"),
        ("dqn", "discount=0.95", "memory.size=5000", "slow.rate=0.02", "whole=true", "network.duelling=true"),
        ("value_iteration", "memory.size=0", "every=1", "slow.rate=0.05"),
    ],
    ids=["made", "whole", "values"],
)
def test_it_learns_the_2x3_puzzle(tmp_path, settings_of, train, told, variant) -> None:
    size = ("games=100", "max_moves=30", "learning.batch=200", "learning.steps=1600", "network.width=128")
    pace = ("learning.rate=0.003", "learning.mean=0.99", "spread=5.0", "starts.first=10", "starts.last=12")
    exam = ("exam.every=400", "exam.boards=100", "starts.games=500")
    run = train(tmp_path / "run", settings_of(variant[0], *size, *pace, *exam, *variant[1:]))
    last = told(run)[-1]
    assert last["solved"] > 0.7
    assert last["excess"] < 1.0
    assert last["difficulty"] == 12
    model, card = checkpoint.load(run.nets / run.champion.read_text().strip())
    assert (card.recipe, model.heads) == (variant[0], (HEADS[variant[0]],))


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("dqn", ["reward=golds"], "reward for tiles-2x3 'golds'"),
        ("dqn", ["network.heads=moves"], "trains the head 'q'"),
        ("value_iteration", ["network.heads=q"], "trains the head 'remaining'"),
        ("dqn", ["puzzle=dust-4x3x3", "starts.scale=uniform"], "cannot be undone"),
        ("value_iteration", ["starts.scale=nowhere"], "scale of tiles-2x3 'nowhere'"),
        ("dqn", ["learning.device=gpu"], "no device"),
        ("value_iteration", ["network.above=nearly"], "estimate of tiles-2x3 'nearly'"),
    ],
)
def test_settings_that_cannot_be_trained_with_get_a_sentence(settings_of, name, changes, words) -> None:
    settings = settings_of(name, *changes)
    with pytest.raises(BadInput, match=words):
        recipe.find(name).check(settings)


def test_a_walk_needs_a_length(settings_of) -> None:
    with pytest.raises(BadInput, match="walks need a first difficulty"):
        settings_of("dqn", "starts.first=0", "starts.last=0", "starts.grows=never")
