"""Many states at once: what the plain rules say of each."""

from itertools import pairwise

import numpy as np
import pytest

from puzzlelab.core import registry
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Reversible, is_legal
from puzzlelab.engine import kernels
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves, estimated, legal_moves, random_walks, successors


def visited(puzzle, start, count=30):
    """States `[B, S]` of games with random moves from a board; a game that is at its end begins again."""
    random, state, states = np.random.default_rng(7), start, []
    for _ in range(count):
        states.append(state)
        moves = np.flatnonzero(puzzle.legal(state))
        state = start if moves.size == 0 else puzzle.apply(state, int(random.choice(moves)))
    return np.array(states)


BOARDS = {
    "tiles-3x3": "8 6 7 2 5 4 3 0 1",
    "tiles-2x4": "1 2 3 4 5 6 7 0",
    "tiles-3x3:goal=1,2,3,8,0,4,7,6,5": "1 2 3 8 0 4 7 6 5",
    "dust-4x3x3": "331233122213",
    "dust-9x9x3": ("12231321133213" * 6)[:81],
    "sudoku-4x4": "1.......2.......",
    "sudoku-6x6": "." * 36,
}


class Without:
    """The plain rules of another puzzle, without its kernels."""

    def __init__(self, puzzle) -> None:
        self.puzzle = puzzle
        for name in ("name", "move_count", "legal", "apply", "solved"):
            setattr(self, name, getattr(puzzle, name))

    def view(self, kind):
        return self.puzzle.view(kind) if kind is Reversible else None


LARGE = pytest.param("dust-9x9x3", marks=pytest.mark.slow)
"""Boards of two words a plane, for which all is compiled anew."""


@pytest.fixture(params=[*(name for name in BOARDS if name != "dust-9x9x3"), LARGE, "corridor", "corridor with a wall"])
def boards(request, corridor):
    """A puzzle and `states[B, S]` of it; the corridors have plain rules alone."""
    if request.param in BOARDS:
        puzzle = registry.load(request.param)
        return puzzle, visited(puzzle, puzzle.read(BOARDS[request.param]).state, 12 if puzzle.move_count > 80 else 30)
    puzzle = corridor(5, wall=3 if "wall" in request.param else None)
    return puzzle, visited(puzzle, puzzle.read("2").state)


# --- moves ----------------------------------------------------------------------------------------------------------


def test_moves_that_are_alike_lead_to_the_same_state(boards) -> None:
    puzzle, states = boards
    for state, names in zip(states, canonical_moves(puzzle, states), strict=True):
        legal = puzzle.legal(state)
        assert all(is_legal(puzzle, state, move) == (names[move] >= 0) for move in range(puzzle.move_count))
        for move in np.flatnonzero(names >= 0):
            assert legal[names[move]]
            assert (puzzle.apply(state, int(move)) == puzzle.apply(state, int(names[move]))).all()


def test_every_move_makes_what_the_plain_rules_make(boards) -> None:
    puzzle, states = boards
    before, moves = np.repeat(states, puzzle.move_count, axis=0), np.tile(np.arange(puzzle.move_count), len(states))
    found = apply_moves(puzzle, before, moves)
    assert found.states.dtype == states.dtype
    for state, move, after, allowed, solved, cost in zip(before, moves.tolist(), *found, strict=True):
        assert cost == allowed
        assert allowed == is_legal(puzzle, state, move)
        assert np.array_equal(after, puzzle.apply(state, move) if allowed else state)
        assert solved == puzzle.solved(after)


def test_all_children_are_found_in_order(boards) -> None:
    puzzle, states = boards
    found = successors(puzzle, states)
    pairs = [(owner, move) for owner, state in enumerate(states) for move in np.flatnonzero(puzzle.legal(state))]
    assert list(zip(found.owner.tolist(), found.move.tolist(), strict=True)) == pairs
    assert found.states.dtype == states.dtype
    for after, (owner, move), solved in zip(found.states, pairs, found.solved, strict=True):
        assert np.array_equal(after, puzzle.apply(states[owner], int(move)))
        assert solved == puzzle.solved(after)


def test_states_that_are_given_stay_as_they_are(boards) -> None:
    puzzle, states = boards
    before = states.copy()
    lengths, moves = np.full(len(states), 3), np.zeros(len(states), np.int64)
    legal_moves(puzzle, states)
    successors(puzzle, states)
    random_walks(puzzle, states, lengths, np.random.default_rng(1))
    after = apply_moves(puzzle, states, moves).states
    after[:] = 0
    assert np.array_equal(states, before)


def test_of_no_states_there_is_nothing(boards) -> None:
    puzzle, states = boards
    none, rows = states[:0], np.zeros(0, np.int64)
    assert legal_moves(puzzle, none).shape == canonical_moves(puzzle, none).shape == (0, puzzle.move_count)
    for found in (apply_moves(puzzle, none, rows), successors(puzzle, none)):
        assert found.states.shape == none.shape
        assert found.states.dtype == states.dtype
        assert [len(column) for column in found] == [0] * len(found)
    assert random_walks(puzzle, none, rows, np.random.default_rng(1)).shape == none.shape


@pytest.mark.parametrize(("name", "board"), [("dust-4x3x3", "000000000000"), ("sudoku-4x4", "1234341221434321")])
def test_a_state_without_moves_has_no_children(name: str, board: str) -> None:
    puzzle = registry.load(name)
    ended = puzzle.read(board).state
    other = visited(puzzle, puzzle.read(BOARDS[name]).state, 2)
    assert successors(puzzle, np.array([ended])).owner.size == 0
    assert set(successors(puzzle, np.array([ended, other[0], ended, other[1], ended])).owner) == {1, 3}
    found = apply_moves(puzzle, np.array([ended, ended]), np.array([0, puzzle.move_count - 1]))
    assert (found.allowed.tolist(), found.solved.tolist()) == ([False, False], [True, True])


def test_any_cell_of_a_cluster_may_be_clicked() -> None:
    puzzle = registry.load("dust-4x3x3")
    state = puzzle.read("331233122213").state
    first = puzzle.clusters(state)
    cells = np.flatnonzero(first != np.arange(puzzle.cells))
    assert cells.size > 3
    assert not puzzle.legal(state)[cells].any()
    found = apply_moves(puzzle, np.repeat(state[None], cells.size, axis=0), cells)
    assert found.allowed.all()
    assert np.array_equal(found.states, [puzzle.apply(state, int(cell)) for cell in first[cells]])


# --- walks ----------------------------------------------------------------------------------------------------------


def walk(puzzle, start, length, seed):
    """The states `[length + 1, S]` on one walk: a shorter one from the same seed is its beginning."""
    return [
        random_walks(puzzle, start[None], np.array([moves]), np.random.default_rng(seed))[0]
        for moves in range(length + 1)
    ]


def between(puzzle, before, after):
    """The legal moves that lead from one state to another."""
    return [
        int(move) for move in np.flatnonzero(puzzle.legal(before)) if (puzzle.apply(before, int(move)) == after).all()
    ]


@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-2x4", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"])
def test_a_walk_makes_one_legal_move_after_the_other_and_undoes_none(name: str) -> None:
    puzzle = registry.load(name)
    path = walk(puzzle, puzzle.read(BOARDS[name]).state, 25, seed=3)
    assert np.array_equal(path[0], puzzle.read(BOARDS[name]).state)
    moves = [between(puzzle, before, after) for before, after in pairwise(path)]
    assert [len(found) for found in moves] == [1] * 25
    assert all(puzzle.inverse(first) != second for (first,), (second,) in pairwise(moves))


@pytest.mark.parametrize(
    ("name", "length"), [("dust-4x3x3", 5), pytest.param("dust-9x9x3", 12, marks=pytest.mark.slow), ("sudoku-4x4", 8)]
)
def test_a_walk_goes_on_where_no_move_can_be_undone(name: str, length: int) -> None:
    puzzle = registry.load(name)
    path = walk(puzzle, puzzle.read(BOARDS[name]).state, length, seed=3)
    assert all(between(puzzle, before, after) for before, after in pairwise(path))


def test_a_walk_ends_where_the_parity_of_its_length_says(eight) -> None:
    random = np.random.default_rng(5)
    starts = visited(eight, eight.goals()[0], 100)
    lengths = random.integers(0, 60, len(starts))
    ends = random_walks(eight, starts, lengths, random)
    assert not any(eight.objection(state) for state in ends)
    distance = eight.view(Estimates).estimate("manhattan")
    assert ((estimated(eight, distance, starts) + lengths - estimated(eight, distance, ends)) % 2 == 0).all()


@pytest.mark.parametrize("length", range(7))
def test_a_short_walk_from_the_goal_ends_as_far_away_as_it_is_long(eight, length: int) -> None:
    """No two ways from the goal meet before they have gone half round the shortest circle, which has 12 moves."""
    starts = np.repeat(eight.goals(), 50, axis=0)
    ends = random_walks(eight, starts, np.full(50, length), np.random.default_rng(length))
    assert estimated(eight, eight.view(Estimates).estimate("exact"), ends).tolist() == [length] * 50


def test_a_walk_never_returns_at_once_and_ends_anywhere_else(eight) -> None:
    start = eight.read("1 2 3 4 0 5 6 7 8").state
    ends = random_walks(eight, np.repeat(start[None], 400, axis=0), np.full(400, 2), np.random.default_rng(2))
    first = successors(eight, start[None])
    second = successors(eight, first.states)
    kept = second.move != np.array([eight.inverse(move) for move in first.move.tolist()])[second.owner]
    wanted = {state.tobytes() for state in second.states[kept]}
    assert {state.tobytes() for state in ends} == wanted
    assert start.tobytes() not in wanted
    assert len(wanted) == 8


def test_a_walk_on_four_cells_goes_round_in_a_circle_of_twelve() -> None:
    puzzle = registry.load("tiles-2x2")
    starts = np.repeat(puzzle.read("1 2 3 0").state[None], 25, axis=0)
    ends = random_walks(puzzle, starts, np.arange(25), np.random.default_rng(1))
    assert np.flatnonzero((ends == starts).all(axis=1)).tolist() == [0, 12, 24]


def test_a_walk_ends_early_in_a_dead_end(corridor) -> None:
    puzzle = corridor(5)
    ends = random_walks(puzzle, np.full((60, 1), 3, np.int16), np.full(60, 50), np.random.default_rng(4))
    assert set(ends[:, 0].tolist()) == {0, 5}
    walled = corridor(2, wall=1)
    assert (
        random_walks(walled, np.zeros((3, 1), np.int16), np.full(3, 9), np.random.default_rng(4)).tolist() == [[0]] * 3
    )
    dust = registry.load("dust-4x3x3")
    states = visited(dust, dust.read(BOARDS["dust-4x3x3"]).state)
    assert not random_walks(dust, states, np.full(len(states), 12), np.random.default_rng(4)).any()


def test_a_walk_that_ended_early_leaves_the_next_one_its_moves(corridor) -> None:
    puzzle = corridor(9)
    starts, lengths = np.array([[1], [9], [4], [9]], np.int16), np.array([30, 4, 0, 2])
    ends = random_walks(puzzle, starts, lengths, np.random.default_rng(1))
    assert ends[1:].tolist() == [[5], [4], [7]]


def test_walks_do_not_touch_each_other(boards) -> None:
    puzzle, states = boards
    lengths, random = np.arange(len(states)) % 7, np.random.default_rng(8)
    alone = [
        random_walks(puzzle, state[None], length[None], random)[0]
        for state, length in zip(states, lengths, strict=True)
    ]
    assert np.array_equal(random_walks(puzzle, states, lengths, np.random.default_rng(8)), alone)


@pytest.mark.parametrize("name", ["tiles-3x3", "dust-4x3x3", "sudoku-4x4"])
def test_walks_of_kernels_are_those_of_plain_rules(name: str) -> None:
    puzzle = registry.load(name)
    plain, states = Without(puzzle), visited(puzzle, puzzle.read(BOARDS[name]).state)
    lengths = np.arange(len(states)) % 9
    one, other = (random_walks(rules, states, lengths, np.random.default_rng(6)) for rules in (puzzle, plain))
    assert np.array_equal(one, other)


# --- estimates ------------------------------------------------------------------------------------------------------


def alone(puzzle, estimate, state):
    """What the estimate's kernel, interpreted, says of one plain state, with a memo of its own."""
    working = puzzle.view(KernelRules).encode(state[None])[0]
    return int(kernels.evaluate(estimate.kernel(), working, np.zeros(estimate.memo, np.int64)))


@pytest.mark.parametrize(
    ("name", "estimate"),
    [
        *(("tiles-3x3", estimate) for estimate in ("misplaced", "manhattan", "conflicts")),
        pytest.param("tiles-3x3", "pdb:1,2,3/4,5,6/7,8", marks=pytest.mark.slow),
        ("tiles-3x3:goal=1,2,3,8,0,4,7,6,5", "conflicts"),
        ("tiles-2x4", "manhattan"),
    ],
)
def test_each_state_is_estimated_as_if_it_were_alone(name: str, estimate: str) -> None:
    puzzle = registry.load(name)
    states, chosen = visited(puzzle, puzzle.read(BOARDS[name]).state), puzzle.view(Estimates).estimate(estimate)
    found = estimated(puzzle, chosen, states)
    assert found.dtype == np.float64
    assert found.tolist() == [alone(puzzle, chosen, state) for state in states]
    assert len(set(found.tolist())) > 1
    assert estimated(puzzle, chosen, states[:0]).shape == (0,)


def test_an_estimate_from_outside_is_asked_for_all_states_at_once(corridor) -> None:
    asked = []

    def scores(states):
        asked.append(len(states))
        return states[:, 0].astype(np.float32) / 2

    found = estimated(corridor(5), Estimate("half", True, scores=scores), np.array([[4], [0], [3]], np.int16))
    assert (found.tolist(), found.dtype, asked) == ([2.0, 0.0, 1.5], np.float64, [3])
