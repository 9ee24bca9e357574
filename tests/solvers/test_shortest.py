"""All shortest solutions: their numbers and lists against breadth-first searches by the plain rules, and limits."""

from functools import cache

import numpy as np
import pytest
from tests.solvers.known import FARTHEST, TILES

from puzzlelab import BadOption, Estimate, Limit, Unsupported, count, load, solutions, solve
from puzzlelab.core.boards import Instance


def brute_force(start):
    """Return all shortest solutions of a board, layer by layer, by the plain rules."""
    puzzle, layer = start.puzzle, {start.state.tobytes(): (start.state, [()])}
    seen = set(layer)
    while layer:
        found = [way for state, ways in layer.values() if puzzle.solved(state) for way in ways]
        if found:
            return sorted(found)
        after = {}
        for state, ways in layer.values():
            for move in np.flatnonzero(puzzle.legal(state)).tolist():
                child = puzzle.apply(state, move)
                if (key := child.tobytes()) not in seen:
                    after.setdefault(key, (child, []))[1].extend((*way, move) for way in ways)
        seen |= set(after)
        layer = after
    return []


@cache
def numbers(name):
    """Return the number of shortest solutions of every board of a puzzle of tiles, from the goal on."""
    puzzle = load(name)
    goal = np.array(puzzle.goal, np.uint8)
    layer, totals = {goal.tobytes(): 1}, {goal.tobytes(): 1}
    while layer:
        after = {}
        for key, ways in layer.items():
            state = np.frombuffer(key, np.uint8)
            for move in np.flatnonzero(puzzle.legal(state)).tolist():
                child = puzzle.apply(state, move).tobytes()
                if child not in totals:
                    after[child] = after.get(child, 0) + ways
        totals |= after
        layer = after
    return totals


def test_a_board_of_the_5_puzzle_has_as_many_as_breadth_first_search_counts():
    puzzle, totals = load("tiles-2x3"), numbers("tiles-2x3")
    assert len(totals) == 360
    for key, total in list(totals.items())[::3]:
        board = Instance(puzzle, np.frombuffer(key, np.uint8))
        assert count(board, limit=Limit(nodes=100_000)).solutions == total


@pytest.mark.slow
def test_a_share_of_the_8_puzzle_has_as_many_as_breadth_first_search_counts():
    totals = numbers("tiles-3x3")
    assert len(totals) == 181_440
    for key, total in list(totals.items())[::997]:
        assert count(Instance(TILES, np.frombuffer(key, np.uint8))).solutions == total


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tiles-3x3", "1 2 3 4 5 6 7 8 0"),
        ("tiles-3x3", "1 2 3 4 5 6 0 7 8"),
        ("tiles-3x3", "2 3 0 4 1 6 5 7 8"),
        ("tiles-2x4:goal=0,1,2,3,4,5,6,7", "1 2 7 3 4 0 6 5"),
        ("dust-4x3x3", "112233112233"),
        ("dust-4x3x3", "123123312312"),
    ],
)
def test_every_shortest_solution_is_listed_once_in_the_order_of_the_moves(name, text):
    board = load(name).read(text)
    listing = solutions(board)
    found = list(listing)
    assert found == brute_force(board)
    assert (listing.stop, listing.count) == ("done", len(found))
    counted = count(board, optimal=True)
    assert (counted.solutions, counted.length, counted.complete) == (len(found), len(found[0]), True)


@pytest.mark.parametrize("text", FARTHEST)
def test_the_farthest_boards(text):
    found = set(solutions(TILES.read(text)))
    assert {len(moves) for moves in found} == {31}
    assert len(found) == count(TILES.read(text), estimate="walking").solutions


def test_an_estimate_of_ones_own_is_enough():
    board = load("tiles-2x3").read("5 4 3 2 1 0")
    wrong = Estimate("half", True, scores=lambda states: (states != np.array(board.puzzle.goal)).sum(axis=1) / 2)
    assert list(solutions(board, estimate=wrong)) == brute_force(board)


@pytest.mark.parametrize(("name", "text"), [("tiles-3x3", "2 3 0 4 1 6 5 7 8"), ("dust-4x3x3", "112233112233")])
@pytest.mark.parametrize("by", ["bfs", "astar:estimate={}"])
def test_another_solver_proves_the_optima(name, text, by):
    board = load(name).read(text)
    solver = by.format("manhattan" if name.startswith("tiles") else "colours")
    assert list(solutions(board, by=solver)) == brute_force(board)


def test_a_solver_that_proves_nothing_is_refused():
    with pytest.raises(Unsupported, match="^astar does not prove that a solution has the fewest moves$"):
        count(TILES.read(FARTHEST[0]), by="astar:weight=3")


def test_a_limit_leaves_a_number_that_may_be_too_small():
    board = TILES.read(FARTHEST[0])
    solved = solve(board, "shortest")
    assert (solved.length, solved.proof) == (31, "optimal")
    within = count(board, limit=Limit(nodes=solved.expanded + 1000))
    assert (within.solutions, within.stop, within.complete) == (1, "nodes", False)
    assert count(board, limit=Limit(nodes=10)).solutions == 0
    assert (count(board, most=7).solutions, count(board, most=7).stop) == (7, "solutions")
    within = count(board, by="bfs", limit=Limit(nodes=solve(board, "bfs").expanded + 10))
    assert (within.solutions, within.stop) == (1, "nodes")
    listing = solutions(board, limit=Limit(nodes=solved.expanded + 1000))
    assert (len(list(listing)), listing.stop) == (1, "nodes")


def test_a_board_without_a_solution_has_none():
    board = TILES.read("2 1 3 4 5 6 7 8 0")
    assert (count(board).solutions, count(board).complete, list(solutions(board))) == (0, True, [])


def test_what_is_refused():
    board = TILES.read(FARTHEST[0])
    with pytest.raises(BadOption, match="^shortest needs a lower bound on the moves, and 'fitted' is none$"):
        count(load("dust-4x3x3").read("112233112233"), "shortest", estimate="fitted")
    with pytest.raises(BadOption, match="^the solutions with the fewest moves are listed by shortest, not by ida$"):
        count(board, "ida", optimal=True)
    with pytest.raises(Unsupported, match="^ida looks for one solution"):
        count(board, "ida")
