import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import load, make_solver
from puzzlelab.core.views import KernelRules, Planes, isomorphism_of
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles import exact_distances_kernels
from puzzlelab.puzzles.tiles.exact_distances_kernels import rank_of
from puzzlelab.puzzles.tiles.rules import Tiles

MIRRORED = (
    *("tiles-2x2", "tiles-3x3", "tiles-4x4", "tiles-8x8", "tiles-3x3:blank-first", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"),
    *("tiles-3x3:goal=5,3,8,1,0,2,7,6,4", "tiles-3x3:goal=1,2,0,3,4,5,6,7,8"),
)
UNMIRRORED = ("tiles-2x3", "tiles-2x7", "tiles-8x2", "tiles-3x3:goal=1,0,2,3,4,5,6,7,8")


def boards(puzzle: Tiles, count: int = 50) -> np.ndarray:
    random = np.random.default_rng(6)
    return np.array([random.permutation(puzzle.cells) for _ in range(count)], np.uint8)


@pytest.mark.parametrize("name", [*MIRRORED, *UNMIRRORED])
def test_each_cell_says_which_tile_it_holds(name: str) -> None:
    puzzle = load(name)
    states = boards(puzzle)
    planes = puzzle.view(Planes).planes(states)
    assert (planes.shape, planes.dtype) == ((len(states), puzzle.view(Planes).input_size), np.float32)
    cells = planes.reshape(len(states), puzzle.cells, puzzle.cells - 1)
    assert set(np.unique(planes)) == {0.0, 1.0}
    assert np.array_equal(np.where(cells.any(axis=2), cells.argmax(axis=2) + 1, 0), states)
    assert (planes.sum(axis=1) == puzzle.cells - 1).all()


@pytest.mark.parametrize("name", MIRRORED)
def test_a_square_board_with_its_blank_on_a_diagonal_has_a_mirror(name: str) -> None:
    puzzle = load(name)
    states = boards(puzzle)
    (same, moves), (images, renamed) = puzzle.view(Planes).symmetries(states)
    assert np.array_equal(same, states)
    assert moves.tolist() == [0, 1, 2, 3]
    is_other_diagonal = puzzle.goal.index(0) in (puzzle.columns - 1, puzzle.cells - puzzle.columns)
    assert "".join(map(puzzle.write_move, renamed)) == ("RLDU" if is_other_diagonal else "LRUD")
    assert images.dtype == states.dtype
    assert not np.array_equal(images, states)
    assert np.array_equal(puzzle.view(Planes).symmetries(images)[1][0], states)
    assert puzzle.solved(puzzle.view(Planes).symmetries(puzzle.goals())[1][0][0])


@pytest.mark.parametrize("name", UNMIRRORED)
def test_other_boards_have_none(name: str) -> None:
    assert len(load(name).view(Planes).symmetries(boards(load(name)))) == 1


@pytest.mark.parametrize("name", [name for name in MIRRORED if load(name).cells <= 9])
def test_the_mirror_image_is_as_far_from_the_goal(name: str) -> None:
    puzzle = load(name)
    states = boards(puzzle, 300)
    images = puzzle.view(Planes).symmetries(states)[1][0]
    table = exact_distances_kernels.distances(puzzle).distance

    def far(several: np.ndarray) -> list[int]:
        return [int(table[rank_of(state)]) for state in puzzle.view(KernelRules).encode(several)]

    assert far(states) == far(images)


# --- the map to the puzzle with another goal ---

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
