import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.conformance import check_solver
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import load, usual_solver
from puzzlelab.core.verify import replay
from puzzlelab.core.views import Samples
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.puzzles.tiles.solvers.lines import Lines, placements


def board_of(puzzle: Tiles, seed: int) -> Instance:
    return Instance(puzzle, puzzle.view(Samples).scales["uniform"].sample(np.random.default_rng(seed), None, 1)[0])


@given(st.integers(2, 5), st.integers(2, 5), st.sampled_from(["single", "multi"]), st.integers(0, 2**32))
def test_every_board_of_every_goal_is_solved(rows: int, columns: int, moves: str, seed: int) -> None:
    goal = np.random.default_rng(seed).permutation(rows * columns)
    board = board_of(Tiles(rows, columns, tuple(goal.tolist()), moves), seed)
    result = solve(Lines(), board, Limit())
    assert replay(board, result.moves).holds
    assert (result.proof, result.stop) == ("none", "done")


@pytest.mark.parametrize("name", ["tiles-9x9", "tiles-12x12", "tiles-12x12:moves=multi", "tiles-12x2:blank-first"])
def test_the_largest_boards_are_solved(name: str) -> None:
    board = board_of(load(name), 1)
    assert replay(board, solve(Lines(), board, Limit()).moves).holds


@pytest.mark.parametrize(
    ("name", "solver", "first"),
    [
        ("tiles-7x7", "beam", None),
        ("tiles-8x8", "beam", "lines"),
        ("tiles-12x12", "beam", "lines"),
        ("tiles-9x9:moves=multi", "lines", None),
        (f"tiles-9x9:goal=1,0,{','.join(map(str, range(2, 81)))}", "lines", None),
    ],
)
def test_beams_begin_with_it_and_it_is_the_usual_solver_where_they_wander(
    name: str, solver: str, first: str | None
) -> None:
    usual, settings = usual_solver(load(name))
    assert (usual, settings.get("first")) == (solver, first)


@given(st.integers(2, 12), st.integers(2, 12), st.integers(0, 143))
def test_lines_are_placed_away_from_the_blank(rows: int, columns: int, home: int) -> None:
    home %= rows * columns
    placed = [cell for cells in placements(rows, columns, home) for cell in cells]
    assert len(placed) == len(set(placed)) == rows * columns - 2
    assert home not in placed


def test_a_search_that_is_cut_tells_the_moves_that_it_made() -> None:
    board = board_of(load("tiles-5x5"), 3)
    result = solve(Lines(), board, Limit(nodes=3000))
    assert (result.moves, result.stop) == (None, "nodes")
    assert result.tried


def test_a_board_with_an_odd_permutation_has_no_last_pair() -> None:
    board = load("tiles-3x3").read("2 1 3 4 5 6 7 8 0")
    *_, result = Lines().attempts(board, Limit())
    assert (result.moves, result.stop) == (None, "dead end")


def test_it_keeps_what_every_solver_promises() -> None:
    check_solver(Lines(), [(load("tiles-3x3").read("867254301"), 31), (load("tiles-3x3").read("213456780"), None)])


def test_other_puzzles_are_refused() -> None:
    with pytest.raises(Unsupported, match="lines cannot solve dust-4x3x3: it places sliding tiles"):
        solve(Lines(), load("dust-4x3x3").read("111222111222"), Limit())
