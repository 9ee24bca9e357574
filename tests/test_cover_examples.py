"""The examples of exact covers: as good puzzles as those that are built in, with published numbers of solutions."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from puzzlelab import BadBoard, BadOption, Limit, check_puzzle, check_solver, solve
from puzzlelab.engine.enumeration import Listing, count
from puzzlelab.solvers.dancing_links import DancingLinks
from puzzlelab.solvers.integer import Integer
from puzzlelab.solvers.sat import Sat

EXAMPLES = Path(__file__).parents[1] / "examples"
SOLVERS = [DancingLinks(), Sat(), Integer()]
SLOWER = {"sat": 10, "integer": 7}
"""The size of boards that take such a solver seconds."""
QUEENS = [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200]
"""OEIS A000170: ways to place n queens, from n = 0."""
WAYS = {"5x12": 4 * 1010, "4x15": 4 * 368, "3x20": 4 * 2}
"""OEIS A018807 for 60 squares: pentominoes in rectangles, here with all turns and mirrors."""
FILLED = "UUXIIIIINNNFTWYYYYZV UXXXPPLNNFFFTWWYZZZV UUXPPPLLLLFTTTWWZVVV"


def module(name):
    """An example, loaded by its path."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


@pytest.fixture
def solver(request):
    """Each of the solvers whose library is installed."""
    if request.param.name == "sat":
        pytest.importorskip("pysat")
    return request.param


EACH = pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name, indirect=True)


@pytest.fixture(scope="module")
def queens():
    return module("queens").FAMILY.make


@pytest.fixture(scope="module")
def pentominoes():
    return module("pentominoes").FAMILY.make


@pytest.mark.parametrize("name", ["queens", "pentominoes"])
def test_examples_are_short(name):
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) < 120


# --- queens ---


def test_queens_are_a_puzzle(queens):
    puzzle = queens("6")
    check_puzzle(puzzle, [puzzle.read("." * 36), puzzle.read(".Q...." + "." * 30)])
    assert puzzle.cover() is puzzle.cover()


def test_queens_explain_what_cannot_be_read_or_solved(queens):
    with pytest.raises(BadBoard, match="16 of"):
        queens("4").read("Q..")
    with pytest.raises(BadBoard, match="no square"):
        queens("4").read_move("5,1")
    with pytest.raises(BadOption, match="queens-8"):
        queens("eight")
    result = solve(queens("4").read("Q....Q.........."), DancingLinks())
    assert (result.proof, result.reason) == ("unsolvable", "the queen on 1,1 is attacked")


@EACH
def test_queens_are_counted(queens, solver):
    for size in range(1, SLOWER.get(solver.name, 11)):
        counted = count(solver, queens(str(size)).read("." * size**2), Limit())
        assert (counted.solutions, counted.stop) == (QUEENS[size], "done"), size


@pytest.mark.parametrize("size", [11, 12])
def test_many_queens_are_counted(queens, size):
    assert count(DancingLinks(), queens(str(size)).read("." * size**2), Limit()).solutions == QUEENS[size]


@EACH
def test_every_solver_keeps_its_promises_on_queens(queens, solver):
    six, three = queens("6"), queens("3")
    begun = six.read("...Q.." + "." * 30)
    check_solver(solver, [(six.read("." * 36), 6), (begun, 5), (three.read("." * 9), None)])


@EACH
def test_a_queen_that_stands_is_part_of_every_solution(queens, solver):
    # of the ten ways to place five queens, two have one in the corner
    board = queens("5").read("Q" + "." * 24)
    solutions = list(Listing(solver, board, Limit()))
    assert len(set(solutions)) == 2
    assert all(len(moves) == 4 and 0 not in moves for moves in solutions)


# --- pentominoes ---


def test_pentominoes_are_a_puzzle(pentominoes):
    puzzle = pentominoes("3x20")
    check_puzzle(puzzle, [puzzle.read("." * 60), puzzle.read(FILLED.replace("F", "."))])
    assert puzzle.solved(puzzle.read(FILLED).state)


@pytest.mark.parametrize(("sides", "moves"), [("6x10", 2056), ("10x6", 2056), ("3x20", 1236)])
def test_the_ways_to_lay_a_piece(pentominoes, sides, moves):
    # Knuth gives 2,056 options for 6 x 10
    puzzle = pentominoes(sides)
    assert puzzle.move_count == moves
    assert np.unique(puzzle.laid, axis=0).shape == (moves, 60)
    assert ((puzzle.laid > 0).sum(axis=1) == 5).all()


def test_pentominoes_explain_what_cannot_be_read(pentominoes):
    with pytest.raises(BadBoard, match="60 of"):
        pentominoes("6x10").read("Q" * 60)
    with pytest.raises(BadBoard, match="other squares than its piece"):
        pentominoes("6x10").read("FFFFF" + "." * 55)
    with pytest.raises(BadBoard, match="no move"):
        pentominoes("6x10").read_move("X-1-2-3-4-5")
    with pytest.raises(BadOption, match="60 squares"):
        pentominoes("8x8")


def test_three_rows_are_filled_in_eight_ways(pentominoes):
    board = pentominoes("3x20").read("." * 60)
    solutions = set(Listing(DancingLinks(), board, Limit()))
    assert len(solutions) == WAYS["3x20"]
    assert tuple(board.puzzle.chosen(board.puzzle.read(FILLED).state).tolist()) in solutions


@EACH
def test_every_solver_finishes_what_was_begun(pentominoes, solver):
    puzzle = pentominoes("3x20")
    begun = puzzle.read("".join(piece if piece in "UXF" else "." for piece in "".join(FILLED.split())))
    result = solve(begun, solver)
    assert (result.proof, result.length) == ("unique", 9)
    crowded = puzzle.read("." * 8 + "X" + "." * 10 + ".." + "." * 6 + "XXX" + "." * 18 + "X" + "." * 11)
    assert solve(crowded, solver).proof == "unsolvable"


@pytest.mark.slow
@pytest.mark.parametrize("sides", ["5x12", "4x15"])
def test_rectangles_are_filled_in_as_many_ways_as_is_published(pentominoes, sides):
    counted = count(DancingLinks(), pentominoes(sides).read("." * 60), Limit())
    assert (counted.solutions, counted.stop) == (WAYS[sides], "done")
