"""Boards with the blank in a corner as boards of the usual goal: the maps commute with the rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import load, make_solver
from puzzlelab.core.views import isomorphism_of
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles.rules import Tiles

IN_A_CORNER = (
    *("tiles-2x2:blank-first", "tiles-3x3:blank-first", "tiles-4x4:blank-first", "tiles-2x5:blank-first"),
    *("tiles-3x3:goal=1,2,0,3,4,5,6,7,8", "tiles-3x3:goal=5,3,8,1,2,4,0,6,7", "tiles-3x2:goal=5,4,3,2,1,0"),
)


def image_of(puzzle: Tiles, state: np.ndarray) -> np.ndarray:
    return isomorphism_of(puzzle).states_of(state[None])[0]


@given(st.sampled_from(IN_A_CORNER), st.data())
def test_the_maps_commute_with_the_rules(name: str, data: st.DataObject) -> None:
    puzzle = load(name)
    isomorphism = isomorphism_of(puzzle)
    other, moves = isomorphism.puzzle, isomorphism.moves
    state = np.array(data.draw(st.permutations(range(puzzle.cells))), np.uint8)
    image = image_of(puzzle, state)
    assert image.dtype == np.uint8
    assert sorted(moves) == list(range(puzzle.move_count))
    assert other.legal(image)[moves].tolist() == puzzle.legal(state).tolist()
    assert (other.objection(image) is None) == (puzzle.objection(state) is None)
    assert other.solved(image) == puzzle.solved(state)
    for move in np.flatnonzero(puzzle.legal(state)).tolist():
        child = image_of(puzzle, puzzle.apply(state, move))
        assert other.apply(image, int(moves[move])).tolist() == child.tolist()


@pytest.mark.parametrize("name", IN_A_CORNER)
def test_the_goal_becomes_the_usual_goal(name: str) -> None:
    puzzle = load(name)
    isomorphism = isomorphism_of(puzzle)
    assert isomorphism.puzzle == Tiles(puzzle.rows, puzzle.columns)
    assert np.array_equal(isomorphism.states_of(puzzle.goals()), isomorphism.puzzle.goals())


def test_blank_first_is_a_rotation_and_n_becomes_its_complement() -> None:
    puzzle = load("tiles-3x3:blank-first")
    board = puzzle.read("346810752")
    assert isomorphism_of(puzzle).moves.tolist() == [1, 0, 3, 2]
    assert image_of(puzzle, board.state).tolist() == [(9 - tile) % 9 for tile in board.state[::-1].tolist()]


def test_the_image_has_the_same_optimum() -> None:
    puzzle = load("tiles-3x3:blank-first")
    board = puzzle.read("346810752")
    image = Instance(load("tiles-3x3"), image_of(puzzle, board.state))
    assert [solve(make_solver("ida", {}), each, Limit()).length for each in (board, image)] == [21, 21]


@pytest.mark.parametrize(
    "name", ["tiles-3x3", "tiles-2x7", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5", "tiles-3x3:goal=1,0,2,3,4,5,6,7,8"]
)
def test_the_usual_goal_and_a_blank_in_no_corner_have_no_map(name: str) -> None:
    assert isomorphism_of(load(name)) is None
