"""Goals with the blank in each corner: the same puzzle as with the blank last, and the same tables."""

import numpy as np
import pytest

from puzzlelab.conformance import check_puzzle
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import load
from puzzlelab.core.verify import replay
from puzzlelab.core.views import Estimates, Isomorphism, Samples, isomorphism_of
from puzzlelab.engine.batch_rules import estimated
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles import pattern_database
from puzzlelab.puzzles.tiles.rules import Tiles, with_reversed_axes
from puzzlelab.solvers.ida import Ida

CORNERS = [
    (*size, corner, moves)
    for size in ((3, 3), (3, 4))
    for corner in ("first", "top right", "bottom left", "last")
    for moves in ("single", "multi")
]
"""Rows, columns, the corner of the blank, and the metric."""
GROUPS = {9: ((0, 1, 2), (3, 4, 5), (6, 7)), 12: ((0, 1, 4), (2, 3, 7), (5, 6), (8, 9, 10))}
"""For a number of cells, groups of cells of a board whose last cell has the blank."""


def with_corner(rows: int, columns: int, corner: str, moves: str = "single") -> Tiles:
    """The puzzle whose goal has the blank in this corner, and its tiles in no order."""
    cells = rows * columns
    place = {"first": 0, "top right": columns - 1, "bottom left": cells - columns, "last": cells - 1}[corner]
    tiles = (np.random.default_rng(cells).permutation(cells - 1) + 1).tolist()
    return Tiles(rows, columns, (*tiles[:place], 0, *tiles[place:]), moves)


def usual_of(puzzle: Tiles) -> Isomorphism:
    """The map to the puzzle with the blank last and the tiles in order."""
    found = isomorphism_of(puzzle)
    assert found.puzzle == Tiles(puzzle.rows, puzzle.columns, moves=puzzle.moves)
    return found


def uniform(puzzle: Tiles, count: int) -> np.ndarray:
    return puzzle.view(Samples).scales["uniform"].sample(np.random.default_rng(2), None, count)


def partition(puzzle: Tiles) -> str:
    """The name of a database of the groups of cells in `GROUPS`."""
    goal = with_reversed_axes(puzzle, np.array(puzzle.goal, np.uint8))
    return "pdb:" + "/".join(",".join(str(goal[cell]) for cell in group) for group in GROUPS[puzzle.cells])


@pytest.mark.parametrize("case", CORNERS)
def test_every_estimate_is_that_of_the_board_with_the_blank_last(case) -> None:
    puzzle = with_corner(*case)
    usual, boards = usual_of(puzzle), uniform(puzzle, 300)
    offered, images = puzzle.view(Estimates), usual.states_of(boards)
    named = [(name, name) for name in offered.estimates if name != "pdb"]
    for name, usual_name in [*named, (partition(puzzle), partition(usual.puzzle))]:
        values = estimated(puzzle, offered.estimate(name), boards)
        expected = estimated(usual.puzzle, usual.puzzle.view(Estimates).estimate(usual_name), images)
        assert (name, values.tolist()) == (name, expected.tolist())


@pytest.mark.parametrize("case", [case for case in CORNERS if case[1] == 3])
def test_no_bound_is_above_the_distance_in_any_corner(case) -> None:
    puzzle = with_corner(*case)
    boards, offered = uniform(puzzle, 2000), puzzle.view(Estimates)
    truth = estimated(puzzle, offered.estimate("exact"), boards)
    bounds = [offered.estimate(name) for name in (*offered.estimates, partition(puzzle))]
    for bound in bounds:
        assert not bound.admissible or (estimated(puzzle, bound, boards) <= truth).all()


@pytest.mark.parametrize("case", CORNERS)
def test_solutions_are_as_long_as_those_of_the_board_with_the_blank_last(case) -> None:
    puzzle = with_corner(*case)
    usual = usual_of(puzzle)
    for board in uniform(puzzle, 3):
        found = solve(Ida(estimate=partition(puzzle)), Instance(puzzle, board), Limit())
        image = solve(Ida(estimate=partition(usual.puzzle)), Instance(usual.puzzle, usual.states_of(board)), Limit())
        assert (found.length, found.proof) == (image.length, "optimal")
        assert replay(found.instance, found.moves).holds


@pytest.mark.parametrize("case", [case for case in CORNERS if case[2] != "last"])
def test_kernels_of_every_corner_agree_with_the_rules(case) -> None:
    puzzle = with_corner(*case)
    check_puzzle(puzzle, estimates=["manhattan", "walking", partition(puzzle)])


@pytest.mark.parametrize("moves", ["single", "multi"])
@pytest.mark.parametrize("corner", ["first", "top right", "bottom left"])
def test_all_corners_share_one_table(corner: str, moves: str) -> None:
    def table(puzzle: Tiles, name: str) -> str:
        return pattern_database.table_name(puzzle, pattern_database.named_groups(puzzle, name))

    for size, names in (((3, 4), ["pdb"]), ((4, 4), ["pdb", "pdb-78" if moves == "single" else "pdb-555"])):
        puzzle = with_corner(*size, corner, moves)
        assert [table(puzzle, name) for name in names] == [table(usual_of(puzzle).puzzle, name) for name in names]
    puzzle = with_corner(3, 4, corner, moves)
    assert table(puzzle, partition(puzzle)) == table(usual_of(puzzle).puzzle, partition(usual_of(puzzle).puzzle))


def test_tables_of_the_usual_goal_keep_their_names() -> None:
    """Users have them in their cache folders."""
    for size, name, table in (
        ("tiles-3x3", "pdb:1,2/3,4/5,6/7,8", "pdb-3x3-2222-d6b1c27014b9"),
        ("tiles-3x4", "pdb", "pdb-3x4-74-dfaed1df8cd5"),
        ("tiles-4x4", "pdb", "pdb-4x4-663-0e750b10e0ac"),
        ("tiles-4x4", "pdb-78", "pdb-4x4-78-3575424a164d"),
        ("tiles-4x4:moves=multi", "pdb-66", "pdb-4x4-66-3ffdbef39345"),
    ):
        puzzle = load(size)
        assert pattern_database.table_name(puzzle, pattern_database.named_groups(puzzle, name)) == table


@pytest.mark.parametrize("name", ["tiles-3x3:goal=1,2,3,8,0,4,7,6,5", "tiles-3x3:goal=1,0,2,3,4,5,6,7,8"])
def test_a_named_database_of_another_goal_is_refused_with_the_reason(name: str) -> None:
    words = "^pdb-44 needs a goal of distinct tiles whose blank is in a corner; for other goals there is pdb$"
    with pytest.raises(BadOption, match=words):
        load(name).view(Estimates).estimate("pdb-44")
