"""Many states at once: what the plain rules say of each."""

import numpy as np
import pytest

from puzzlelab.core import registry
from puzzlelab.core.batches import alike, legal_moves


def wandered(puzzle, start, count=30):
    """States `[B, S]` on a random walk from a board."""
    random, state, states = np.random.default_rng(7), start, []
    for _ in range(count):
        states.append(state)
        moves = np.flatnonzero(puzzle.legal(state))
        state = start if moves.size == 0 else puzzle.apply(state, int(random.choice(moves)))
    return np.array(states)


BOARDS = {
    "tiles-3x3": "8 6 7 2 5 4 3 0 1",
    "tiles-2x4": "1 2 3 4 5 6 7 0",
    "dust-4x3x3": "331233122213",
    "dust-9x9x3": "123" * 27,
    "sudoku-4x4": "1.......2.......",
}


@pytest.mark.parametrize("name", BOARDS)
def test_legal_moves_are_those_of_the_plain_rules(name) -> None:
    puzzle = registry.load(name)
    states = wandered(puzzle, puzzle.read(BOARDS[name]).state)
    assert (legal_moves(puzzle, states) == [puzzle.legal(state) for state in states]).all()
    assert legal_moves(puzzle, states[:0]).shape == (0, puzzle.move_count)


def test_a_puzzle_with_plain_rules_alone_is_asked_one_by_one(corridor) -> None:
    puzzle = corridor(5)
    states = wandered(puzzle, puzzle.read("3").state)
    assert (legal_moves(puzzle, states) == [puzzle.legal(state) for state in states]).all()


@pytest.mark.parametrize("name", BOARDS)
def test_moves_that_are_alike_lead_to_the_same_state(name) -> None:
    puzzle = registry.load(name)
    states = wandered(puzzle, puzzle.read(BOARDS[name]).state)
    named = alike(puzzle, states)
    for state, names in zip(states, named, strict=True):
        legal = puzzle.legal(state)
        permitted = getattr(puzzle, "permits", lambda state, move: puzzle.legal(state)[move])
        assert all(bool(permitted(state, move)) == (names[move] >= 0) for move in range(puzzle.move_count))
        for move in np.flatnonzero(names >= 0):
            assert legal[names[move]]
            assert (puzzle.apply(state, int(move)) == puzzle.apply(state, int(names[move]))).all()
