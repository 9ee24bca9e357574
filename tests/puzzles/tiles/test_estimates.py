"""Every estimate against the true distance of every state, and every incremental one against itself from scratch."""

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.core.errors import UnknownName
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Rewards
from puzzlelab.engine.batch_rules import apply_moves
from puzzlelab.experience.rewards import make

ESTIMATES = (
    *("misplaced", "manhattan", "conflicts", "walking", "pdb", "exact"),
    *("pdb:1,2,3/4,5,6/7,8", "pdb:1,2,3,4/5,6,7,8", "pdb:1,3,5,7/2/4,6,8"),
)
PARITY = tuple(name for name in ESTIMATES if name != "misplaced")
FIFTEEN = "pdb:1,2,3,4,5/6,7,8,9,10/11,12,13,14,15"
WALKS = (
    *(("tiles-3x3", name) for name in ESTIMATES if name != "exact"),
    *(("tiles-3x3:blank-first", name) for name in ESTIMATES if name != "exact"),
    *(("tiles-3x3:goal=1,2,3,8,0,4,7,6,5", name) for name in ESTIMATES if name != "exact"),
    *(("tiles-3x3:goal=1,0,2,3,4,5,6,7,8", name) for name in ESTIMATES if name != "exact"),
    *(("tiles-2x2", name) for name in ("misplaced", "manhattan", "conflicts", "walking", "pdb", "pdb:1/2/3")),
    *(("tiles-4x4", name) for name in ("misplaced", "manhattan", "conflicts", "walking", FIFTEEN)),
    *(("tiles-4x4:goal=1,2,3,4,5,0,6,7,8,9,10,11,12,13,14,15", name) for name in ("conflicts", "walking", FIFTEEN)),
    *(("tiles-4x4:goal=1,2,3,4,0,5,6,7,8,9,10,11,12,13,14,15", name) for name in ("conflicts", "walking", FIFTEEN)),
    *(("tiles-2x4", name) for name in ("conflicts", "walking", "pdb:1,2,3/4,5,6/7")),
    *(("tiles-4x3", name) for name in ("conflicts", "walking", "pdb:1,2,3/4,5,6/7,8,9/10,11")),
    *(("tiles-2x7", name) for name in ("misplaced", "manhattan", "conflicts", "pdb:1,2,3,4/5,6,7,8/9,10,11/12,13")),
    *((size, "manhattan") for size in ("tiles-5x3", "tiles-5x5", "tiles-12x12", "tiles-2x8")),
    *((size, "conflicts") for size in ("tiles-5x3", "tiles-5x5", "tiles-12x12", "tiles-2x8")),
)


@pytest.mark.parametrize("name", ESTIMATES)
def test_no_estimate_exceeds_the_true_distance(every, harness, name: str) -> None:
    estimate = every.puzzle.view(Estimates).estimate(name)
    values = harness.estimated(every.puzzle, estimate, every.states)
    assert estimate.admissible
    assert np.flatnonzero(values > every.distance).size == 0
    assert ((values == 0) == (every.distance == 0)).all()


@pytest.mark.parametrize("name", PARITY)
def test_an_estimate_is_odd_where_the_distance_is(every, harness, name: str) -> None:
    values = harness.estimated(every.puzzle, every.puzzle.view(Estimates).estimate(name), every.states)
    assert ((values - every.distance) % 2 == 0).all()


@pytest.mark.parametrize(
    ("weak", "strong"),
    [
        ("misplaced", "manhattan"),
        ("manhattan", "conflicts"),
        ("manhattan", "walking"),
        ("manhattan", "pdb:1,2,3/4,5,6/7,8"),
        ("pdb:1,2,3/4,5,6/7,8", "pdb:1,2,3,4,5,6/7,8"),
    ],
)
def test_the_stronger_estimate_is_never_less(every, harness, weak: str, strong: str) -> None:
    low, high = (
        harness.estimated(every.puzzle, every.puzzle.view(Estimates).estimate(name), every.states)
        for name in (weak, strong)
    )
    assert (low <= high).all()
    assert (low < high).any()


def test_the_simple_estimates_count_what_they_say(every, harness) -> None:
    puzzle, states = every.puzzle, every.states[::97]
    boards, goal = puzzle.view(KernelRules).decode(states), np.array(puzzle.goal)
    misplaced = ((boards != goal) & (boards != 0)).sum(axis=1)
    assert np.array_equal(harness.estimated(puzzle, puzzle.view(Estimates).estimate("misplaced"), states), misplaced)
    steps = [
        sum(
            abs(here // 3 - puzzle.goal.index(tile) // 3) + abs(here % 3 - puzzle.goal.index(tile) % 3)
            for here, tile in enumerate(board)
            if tile
        )
        for board in boards.tolist()
    ]
    assert harness.estimated(puzzle, puzzle.view(Estimates).estimate("manhattan"), states).tolist() == steps


@pytest.mark.parametrize("name", ["misplaced", "manhattan", "conflicts", "walking", FIFTEEN])
def test_no_estimate_exceeds_a_published_length(korf, deepcubea, harness, name: str) -> None:
    check_published(korf + deepcubea, harness, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pdb", "pdb-78"])
def test_no_large_database_exceeds_a_published_length(korf, deepcubea, harness, name: str) -> None:
    check_published(korf + deepcubea, harness, name)


def check_published(boards, harness, name: str) -> None:
    puzzle = boards[0].board.puzzle
    states = np.stack([known.board.state for known in boards])
    values = harness.estimated(puzzle, puzzle.view(Estimates).estimate(name), harness.working(puzzle, states))
    lengths = np.array([known.length for known in boards])
    assert (values <= lengths).all()
    assert ((lengths - values) % 2 == 0).all() or name == "misplaced"
    assert values.min() > 10


@pytest.mark.parametrize(("size", "name"), WALKS)
def test_an_incremental_estimate_says_what_it_says_from_scratch(harness, size: str, name: str) -> None:
    puzzle = load(size)
    estimate, random = puzzle.view(Estimates).estimate(name), np.random.default_rng(5)
    starts = [puzzle.goals()[0], *(random.permutation(puzzle.cells).astype(np.uint8) for _ in range(2))]
    for start in starts:
        step, told = harness.differs(puzzle, estimate, start, random.integers(0, 12, 500))
        assert (step, told) == (-1, [0, 0, 0])


# --- by name ---


def test_what_is_offered_goes_by_size() -> None:
    assert set(load("tiles-3x3").view(Estimates).estimates) == {
        "misplaced",
        "manhattan",
        "conflicts",
        "walking",
        "pdb",
        "exact",
    }
    assert set(load("tiles-4x4").view(Estimates).estimates) == {"misplaced", "manhattan", "conflicts", "walking", "pdb"}
    assert set(load("tiles-5x5").view(Estimates).estimates) == {"misplaced", "manhattan", "conflicts", "pdb", "pairs"}
    assert set(load("tiles-12x12").view(Estimates).estimates) == {"misplaced", "manhattan", "conflicts", "pairs"}


@pytest.mark.parametrize("size", ["tiles-3x3", "tiles-5x5", "tiles-12x12"])
def test_everything_offered_is_made_and_explained(size: str) -> None:
    puzzle = load(size)
    for name, about in puzzle.view(Estimates).estimates.items():
        assert isinstance(puzzle.view(Estimates).estimate(name), Estimate)
        assert puzzle.view(Estimates).estimate(name).name.startswith(name)
        assert about
    assert puzzle.view(Estimates).estimate().name == puzzle.view(Estimates).estimate(None).name
    assert any(puzzle.view(Estimates).estimate().name.startswith(name) for name in puzzle.view(Estimates).estimates)


@pytest.mark.parametrize(
    ("size", "name", "words"),
    [
        ("tiles-3x3", "manhatan", "there is no estimate of tiles-3x3 'manhatan'; did you mean 'manhattan'?"),
        ("tiles-3x3", "pdbs", "there is no estimate of tiles-3x3 'pdbs'; did you mean 'pdb'?"),
        ("tiles-3x3", "MANHATTAN", "there is no estimate of tiles-3x3 'MANHATTAN'; known are conflicts, exact, "),
        ("tiles-4x4", "exact", "there is no estimate of tiles-4x4 'exact'"),
        ("tiles-5x5", "walking", "there is no estimate of tiles-5x5 'walking'"),
        ("tiles-7x7", "pdb", "there is no estimate of tiles-7x7 'pdb'"),
        ("tiles-7x7", "pdb-663", "there is no estimate of tiles-7x7 'pdb-663'"),
    ],
)
def test_an_unknown_estimate_is_told_the_nearest(size: str, name: str, words: str) -> None:
    with pytest.raises(UnknownName) as caught:
        load(size).view(Estimates).estimate(name)
    assert str(caught.value).startswith(words)


# --- rewards ---


def arrived(puzzle, name, *boards):
    """What it is worth to come to these boards."""
    after = np.array([puzzle.read(board).state for board in boards])
    return puzzle.view(Rewards).reward(name, after, after).tolist()


def test_the_level_counts_steps_and_pairs_in_conflict(eight) -> None:
    assert arrived(eight, "level", "1 2 3 4 5 6 7 8 0", "1 2 3 4 5 6 7 0 8", "1 2 3 4 0 6 7 5 8") == [0, -1, -2]
    swapped, reversed_row, in_a_column = "2 1 3 4 5 6 7 8 0", "3 2 1 4 5 6 7 8 0", "4 2 3 1 5 6 7 8 0"
    assert arrived(eight, "level", swapped, reversed_row, in_a_column) == [-2 - 2, -4 - 6, -2 - 2]


def test_the_manhattan_distance_does_not_count_conflicts(eight) -> None:
    boards = "1 2 3 4 5 6 7 8 0", "1 2 3 4 0 6 7 5 8", "2 1 3 4 5 6 7 8 0", "3 2 1 4 5 6 7 8 0"
    assert arrived(eight, "manhattan", *boards) == [0, -2, -2, -4]


def test_the_cells_in_place_count_that_of_the_blank(eight) -> None:
    assert arrived(eight, "in-place", "1 2 3 4 5 6 7 8 0", "1 2 3 4 5 6 7 0 8", "1 2 3 4 0 6 7 5 8") == [0, -2, -3]
    assert arrived(eight, "in-place", "2 3 4 5 6 7 8 0 1") == [-9]


@pytest.mark.parametrize(
    ("name", "worths"),
    [("level", [-1 - 1, -2, 0, -2]), ("manhattan", [-1 - 1, -2, 0, -2]), ("in-place", [-2 - 1, -3, 0, -3])],
    ids=lambda value: str(value),
)
def test_each_move_is_worth_the_board_that_it_leads_to(eight, name: str, worths: list[float]) -> None:
    """U cannot be made: the board stays, and it costs one more."""
    states = np.repeat(eight.read("1 2 3 4 5 6 7 0 8").state[None], 4, axis=0)
    assert make(eight, name)(states, apply_moves(eight, states, np.arange(4))).tolist() == worths


@pytest.mark.parametrize("name", ["level", "manhattan", "in-place"])
@pytest.mark.parametrize("size", ["tiles-3x3:blank-first", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5", "tiles-2x5"])
def test_only_the_goal_that_was_asked_for_is_worth_most(size: str, name: str) -> None:
    puzzle = load(size)
    random = np.random.default_rng(3)
    others = np.array([random.permutation(puzzle.cells) for _ in range(50)], np.uint8)
    assert puzzle.view(Rewards).reward(name, puzzle.goals(), puzzle.goals()).tolist() == [0]
    assert (puzzle.view(Rewards).reward(name, others, others) < 0).all()
