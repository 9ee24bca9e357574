"""The short files that show how to extend the package: short indeed, and as good as what is built in."""

import importlib.util
import sys
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest

from puzzlelab import BadBoard, BadOption, Estimate, Limit, UnknownName, check_puzzle, check_solver, load, solve
from puzzlelab.core.views import Estimates
from puzzlelab.solvers.astar import Astar
from puzzlelab.solvers.beam import Beam
from puzzlelab.solvers.bfs import Bfs, count_by_depth
from puzzlelab.solvers.depth_first import DepthFirst
from puzzlelab.solvers.ida import Ida

EXAMPLES = Path(__file__).parents[1] / "examples"
SOLVERS = [
    Bfs(),
    Bfs(bidirectional=True),
    Astar(),
    Astar(order="breadth"),
    Ida(),
    Beam(),
    Beam(width=600),
    DepthFirst(depth=6),
]


def module(name):
    """An example, loaded by its path."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def lights():
    return module("lights_out")


def fewest_presses(lamps, size):
    """The least number of lamps to press: every set of presses is tried, because pressing twice does nothing."""
    near = [
        [abs(a // size - b // size) + abs(a % size - b % size) <= 1 for b in range(size * size)]
        for a in range(size * size)
    ]
    on = [lamp == "*" for lamp in lamps]
    return min(
        sum(presses)
        for presses in product((False, True), repeat=size * size)
        if [sum(p and n for p, n in zip(presses, row, strict=True)) % 2 for row in near] == on
    )


@pytest.mark.parametrize("name", ["lights_out", "first_fit", "film"])
def test_examples_are_short(name):
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) < 80


def test_lights_out_is_a_puzzle(lights):
    check_puzzle(lights.LightsOut(3), [lights.LightsOut(3).read("*.*.*.*.*")])
    check_puzzle(lights.FAMILY.make("5"), [lights.FAMILY.make("5").read("*.*.*" * 5)], steps=5)


def test_lights_out_explains_what_it_cannot_read(lights):
    with pytest.raises(BadBoard, match="9 of"):
        lights.LightsOut(3).read("*..")
    with pytest.raises(BadBoard, match="no lamp"):
        lights.LightsOut(3).read_move("4,1")
    with pytest.raises(UnknownName, match="lights-3"):
        lights.LightsOut(3).view(Estimates).estimate("lamp")


@pytest.mark.parametrize("lamps", ["*** *** ***", "*.. ... ...", "..* .*. *.*", ".*. *** .*.", "... ... ..."])
def test_lights_out_is_solved_optimally_by_every_solver(lights, lamps):
    board = lights.LightsOut(3).read(lamps)
    fewest = fewest_presses(lamps.replace(" ", ""), 3)
    for solver in SOLVERS:
        result = solve(board, solver)
        assert (result.length, result.proof) == (fewest, "optimal"), solver


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_solvers_keep_their_promises_on_lights_out(lights, solver):
    puzzle = lights.LightsOut(3)
    check_solver(solver, [(puzzle.read(".*. *** .*."), 1), (puzzle.read("*** *** ***"), 5)])


def test_lights_out_of_three_by_three_by_depth(lights):
    # every set of the 9 lamps is a different board, so that the depths are the binomial coefficients of 9
    counts = count_by_depth(lights.LightsOut(3).read("." * 9))
    assert counts == [1, 9, 36, 84, 126, 126, 84, 36, 9, 1]


def test_a_board_of_four_by_four_that_no_presses_solve(lights):
    # the 16 presses only reach 2^12 of the 2^16 boards of this size: OEIS A159257
    board = lights.LightsOut(4).read("*" + "." * 15)
    result = solve(board, Bfs())
    assert (result.moves, result.proof, result.expanded) == (None, "unsolvable", 2**12)


@pytest.fixture(scope="module")
def compiled_lights(lights):
    return module("lights_out_kernels")


def test_compiled_lights_out_is_a_puzzle(compiled_lights):
    puzzle = compiled_lights.FAMILY.make("3")
    check_puzzle(puzzle, [puzzle.read("*.*.*.*.*")])
    assert count_by_depth(puzzle.read("." * 9)) == [1, 9, 36, 84, 126, 126, 84, 36, 9, 1]
    with pytest.raises(BadOption, match="no 'fastlights-9'"):
        compiled_lights.FAMILY.make("9")


def test_compiled_lights_out_is_solved_as_the_plain_one(lights, compiled_lights):
    boards = ["*.*..**..*.*..**", "*...............", "****************"]
    found = [
        [solve(puzzle(4).read(board), Bfs()).length for board in boards]
        for puzzle in (lights.LightsOut, compiled_lights.CompiledLightsOut)
    ]
    assert found[0] == found[1]


def test_the_example_of_a_solver_keeps_its_promises():
    solver = module("first_fit").SOLVER()
    tiny = load("tiles-2x2")
    lengths = {"1 2 3 0": 0, "1 2 0 3": 1, "1 0 3 2": 1, "0 1 3 2": 2}
    check_solver(solver, [(tiny.read(text), length) for text, length in lengths.items()])
    assert solve(tiny.read("0 1 3 2"), solver).moves is not None
    assert solve(tiny.read("0 1 3 2"), solver, Limit(nodes=1)).stop == "nodes"


def test_the_film_of_the_readme_is_what_its_example_draws():
    film = module("film")
    drawn = film.film(film.PUZZLE, film.BOARD)
    root = ElementTree.fromstring(drawn)
    assert sum(child.tag.endswith("}svg") for child in root) == film.FRAMES
    assert (EXAMPLES.parent / "docs" / "film.svg").read_text(encoding="utf-8") == drawn


def test_an_estimate_of_ones_own_needs_no_more_than_a_function(lights):
    board = lights.LightsOut(3).read("*** *** ***")
    halved = Estimate("corners", admissible=True, scores=lambda states: states[:, [0, 2, 6, 8]].sum(axis=1) / 4)
    assert solve(board, Astar(estimate=halved)).length == 5
