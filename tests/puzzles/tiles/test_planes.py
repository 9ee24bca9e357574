import numpy as np
import pytest

from puzzlelab.core.registry import load
from puzzlelab.core.views import KernelRules, Planes
from puzzlelab.puzzles.tiles import exact_distances_kernels
from puzzlelab.puzzles.tiles.exact_distances_kernels import rank_of
from puzzlelab.puzzles.tiles.rules import Tiles

MIRRORED = (
    *("tiles-2x2", "tiles-3x3", "tiles-4x4", "tiles-8x8", "tiles-3x3:blank-first", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"),
    "tiles-3x3:goal=5,3,8,1,0,2,7,6,4",
)
UNMIRRORED = (
    *("tiles-2x3", "tiles-2x7", "tiles-8x2", "tiles-3x3:goal=1,0,2,3,4,5,6,7,8"),
    "tiles-3x3:goal=1,2,0,3,4,5,6,7,8",
)


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
def test_a_square_board_with_its_blank_on_the_diagonal_has_a_mirror(name: str) -> None:
    puzzle = load(name)
    states = boards(puzzle)
    (same, moves), (images, renamed) = puzzle.view(Planes).symmetries(states)
    assert np.array_equal(same, states)
    assert moves.tolist() == [0, 1, 2, 3]
    assert "".join(puzzle.write_move(move) for move in renamed) == "LRUD"
    assert images.dtype == states.dtype
    assert not np.array_equal(images, states)
    assert np.array_equal(puzzle.view(Planes).symmetries(images)[1][0], states)
    assert puzzle.solved(puzzle.view(Planes).symmetries(puzzle.goals())[1][0][0])


@pytest.mark.parametrize("name", UNMIRRORED)
def test_other_boards_have_none(name: str) -> None:
    assert len(load(name).view(Planes).symmetries(boards(load(name)))) == 1


@pytest.mark.parametrize("name", MIRRORED)
def test_a_move_in_the_mirror_leads_to_the_mirror_image(name: str) -> None:
    puzzle = load(name)
    for state in boards(puzzle, 20):
        image, renamed = (
            each[0] if each.ndim == 2 else each for each in puzzle.view(Planes).symmetries(state[None])[1]
        )
        for move in np.flatnonzero(puzzle.legal(state)).tolist():
            child = puzzle.view(Planes).symmetries(puzzle.apply(state, move)[None])[1][0][0]
            assert np.array_equal(puzzle.apply(image, int(renamed[move])), child)


@pytest.mark.parametrize("name", [name for name in MIRRORED if load(name).cells <= 9])
def test_the_mirror_image_is_as_far_from_the_goal(name: str) -> None:
    puzzle = load(name)
    states = boards(puzzle, 300)
    images = puzzle.view(Planes).symmetries(states)[1][0]
    table = exact_distances_kernels.distances(puzzle).distance

    def far(several: np.ndarray) -> list[int]:
        return [int(table[rank_of(state)]) for state in puzzle.view(KernelRules).encode(several)]

    assert far(states) == far(images)
