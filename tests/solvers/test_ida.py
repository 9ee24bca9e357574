"""Iterative deepening A*: true distances, published lengths, node counts, and several threads."""

from dataclasses import replace

import numpy as np
import pytest
from tests.solvers.known import FARTHEST, FIFTEEN, TILES, board

from puzzlelab import Estimate, Limit, check_solver, solve, solve_many
from puzzlelab.core.views import Stronger
from puzzlelab.puzzles.tiles.estimates import TilesEstimates
from puzzlelab.solvers import ida as module
from puzzlelab.solvers.ida import Ida

KORF = {
    79: ("1 6 10 8 14 12 4 2 13 11 3 5 9 7 15 0", 42),
    12: ("1 3 5 6 0 13 14 9 11 4 8 12 10 7 15 2", 45),
    42: ("6 1 15 8 5 10 13 0 3 4 2 7 14 9 11 12", 42),
    55: ("5 10 14 4 6 12 11 1 9 0 15 7 13 2 8 3", 41),
    97: ("13 5 0 4 10 3 12 6 14 15 1 8 9 11 2 7", 44),
    9: ("0 1 15 6 9 10 4 3 14 8 12 11 5 7 2 13", 46),
    2: ("10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3", 55),
}
"""Boards of Korf (1985) by their number there, with the published length of a shortest solution."""


def slow(estimate):
    """A parameter for which the search is compiled anew."""
    return pytest.param(estimate, marks=pytest.mark.slow)


def manhattan(rows, columns):
    """[N, N]: steps of each tile in each cell from where it belongs (blank last), 0 for the blank."""
    cells = rows * columns
    table = np.zeros((cells, cells), int)
    for tile in range(1, cells):
        for cell in range(cells):
            there, here = divmod(tile - 1, columns), divmod(cell, columns)
            table[tile, cell] = abs(there[0] - here[0]) + abs(there[1] - here[1])
    return table


def nodes_below(start, bound):
    """Walks from the start, without steps straight back, whose every state has moves made + Manhattan <= bound.

    The start itself does not count. Returns the number of walks and the next bound: what a failed iteration must cost.
    """
    puzzle, table = start.puzzle, manhattan(start.puzzle.rows, start.puzzle.columns).tolist()
    neighbours = [[] for _ in range(puzzle.cells)]
    for cell in range(puzzle.cells):
        row, column = divmod(cell, puzzle.columns)
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < puzzle.rows and 0 <= c < puzzle.columns:
                neighbours[cell].append(r * puzzle.columns + c)
    tiles = start.state.tolist()
    blank = tiles.index(0)
    count, following = 0, 10**6
    value = sum(table[tile][cell] for cell, tile in enumerate(tiles))
    stack = [(blank, -1, 0, value, iter(neighbours[blank]))]
    while stack:
        blank, before, made, value, left = stack[-1]
        cell = next(left, None)
        if cell is None:
            stack.pop()
            if before >= 0:
                tiles[blank], tiles[before] = tiles[before], 0
        elif cell != before:
            tile = tiles[cell]
            after = value + table[tile][blank] - table[tile][cell]
            if made + 1 + after > bound:
                following = min(following, made + 1 + after)
            else:
                count += 1
                tiles[blank], tiles[cell] = tile, 0
                stack.append((cell, blank, made + 1, after, iter(neighbours[cell])))
    return count, following


@pytest.mark.parametrize("number", KORF)
def test_published_lengths_of_the_fifteen_puzzle(number):
    text, length = KORF[number]
    result = solve(FIFTEEN.read(text), Ida(estimate="manhattan"))
    assert (result.length, result.proof) == (length, "optimal")


@pytest.mark.slow
def test_a_pattern_database_proves_the_same_lengths(korf):
    found = [solve(board, Ida(estimate="pdb")) for board, *_ in korf]
    assert len(found) == 20
    assert [result.length for result in found] == [length for _, length, _ in korf]
    assert {result.proof for result in found} == {"optimal"}


@pytest.mark.parametrize(
    "start",
    [*map(TILES.read, FARTHEST), board(26), pytest.param(FIFTEEN.read(KORF[55][0]), marks=pytest.mark.slow)],
    ids=["31 moves", "31 moves too", "26 moves", "Korf 55"],
)
def test_each_failed_bound_costs_exactly_the_states_below_it(start):
    bound = int(manhattan(start.puzzle.rows, start.puzzle.columns)[start.state, np.arange(start.state.size)].sum())
    answer = solve(start, Ida(estimate="manhattan"))
    spent = 0
    while bound < answer.length:
        count, following = nodes_below(start, bound)
        spent += count
        finished = solve(start, Ida(estimate="manhattan"), Limit(nodes=spent))
        assert (finished.expanded, finished.lower_bound, finished.stop) == (spent, bound, "nodes")
        beyond = solve(start, Ida(estimate="manhattan"), Limit(nodes=spent + 1))
        assert (beyond.expanded, beyond.lower_bound, beyond.stop) == (spent + 1, following, "nodes")
        bound = following
    assert bound == answer.length
    assert spent < answer.expanded <= spent + nodes_below(start, bound)[0]


def test_a_search_that_stops_early_keeps_its_lower_bound():
    text, length = KORF[2]
    bounds = []
    for nodes in (1, 1_000, 100_000, 1_000_000):
        result = solve(FIFTEEN.read(text), Ida(estimate="manhattan"), Limit(nodes=nodes))
        assert (result.moves, result.proof, result.stop) == (None, "none", "nodes")
        assert result.expanded == nodes
        bounds.append(result.lower_bound)
    assert bounds == sorted(bounds)
    least = manhattan(4, 4)[FIFTEEN.read(text).state, np.arange(16)].sum()
    assert least <= bounds[0] < bounds[-1] < length


def test_scores_from_outside_give_the_same_search_as_a_kernel():
    table, cells = manhattan(3, 3), np.arange(9)
    outside = Estimate("outside", admissible=True, scores=lambda states: table[states, cells].sum(axis=1))
    for distance in (0, 1, 10, 18):
        kernel = solve(board(distance), Ida(estimate="manhattan"))
        asked = solve(board(distance), Ida(estimate=outside))
        assert asked.moves == kernel.moves
        assert (asked.proof, asked.lower_bound, asked.expanded) == ("optimal", distance, kernel.expanded)
        assert asked.evaluations >= distance


@pytest.mark.parametrize("text", [*FARTHEST, "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 7 8 0"])
def test_two_threads_prove_the_same_as_one(text):
    one, two = (solve(TILES.read(text), Ida(estimate="manhattan", jobs=jobs)) for jobs in (1, 2))
    assert (two.length, two.proof, two.lower_bound) == (one.length, one.proof, one.lower_bound)


@pytest.mark.parametrize("number", [79, 2])
def test_two_threads_find_published_lengths(number):
    text, length = KORF[number]
    found = [solve(FIFTEEN.read(text), Ida(estimate="manhattan", jobs=2)) for _ in range(3)]
    assert {(result.length, result.proof, result.lower_bound) for result in found} == {(length, "optimal", length)}
    assert len({result.moves for result in found}) == 1


def test_threads_keep_the_promises_of_every_solver():
    check_solver(Ida(estimate="manhattan", jobs=2), [(board(distance), distance) for distance in (0, 1, 15, 24, 28)])


def test_threads_that_stop_early_prove_no_more_than_is_true():
    text, length = KORF[2]
    result = solve(FIFTEEN.read(text), Ida(estimate="manhattan", jobs=2), Limit(nodes=200_000))
    assert (result.moves, result.proof, result.stop) == (None, "none", "nodes")
    assert 43 <= result.lower_bound <= length
    assert 180_000 < result.expanded <= 200_000


# --- another solver, which gives upper bounds ---

TRANSPOSED = FIFTEEN.read("1 5 9 13 2 6 10 14 3 7 11 15 4 8 12 0")
"""It needs 72 moves, and four billion states by the usual database."""


@pytest.fixture
def short_turns(monkeypatch):
    """Turns of some thousand states."""
    monkeypatch.setattr(module, "FIRST_NODES", 2000)
    monkeypatch.setattr(module, "UPPER_NODES", 4000)


@pytest.mark.usefixtures("short_turns")
def test_a_search_ends_when_its_bound_reaches_the_upper_one():
    start = TILES.read(FARTHEST[0])
    upper = solve(start, "beam:width=128:estimate=manhattan")
    bound, below = int(manhattan(3, 3)[start.state, np.arange(9)].sum()), 0
    while bound < 31:
        count, bound = nodes_below(start, bound)
        below += count
    result = solve(start, Ida(estimate="manhattan", upper="beam:width=128"))
    assert result.moves == upper.moves
    assert (result.lower_bound, result.proof, result.stop) == (31, "optimal", "done")
    assert result.expanded == below + upper.expanded


@pytest.mark.usefixtures("short_turns")
def test_threads_have_upper_bounds_too():
    for start in map(TILES.read, FARTHEST):
        found = [solve(start, Ida(estimate="manhattan", jobs=2, upper="beam")) for _ in range(2)]
        assert {(each.lower_bound, each.proof, each.stop) for each in found} == {(31, "optimal", "done")}
        assert found[0].moves == found[1].moves


@pytest.mark.usefixtures("short_turns")
def test_boards_together_have_the_answers_of_each_alone():
    solver, boards = Ida(estimate="manhattan", upper="beam"), [board(moves) for moves in (0, 9, 20, 26, 28, 15)]
    for limit in (Limit(), Limit(nodes=3000)):
        alone = [solve(each, solver, limit) for each in boards]
        assert [replace(each, seconds=0) for each in solve_many(boards, solver, limit, jobs=1)] == [
            replace(each, seconds=0) for each in alone
        ]
        assert {each.length for each in alone} >= {0, 9, 15, 20}


def test_a_limit_leaves_the_best_solution_so_far():
    result = solve(TRANSPOSED, limit=Limit(nodes=100_000))
    assert (result.proof, result.stop, result.expanded) == ("none", "nodes", 100_000)
    assert 58 <= result.lower_bound < 72 <= result.length < 90
    assert solve(TRANSPOSED, Ida(), Limit(nodes=100_000)).moves is None


def test_an_estimate_that_proves_nothing_has_no_turns():
    high = Estimate("high", admissible=False, scores=lambda states: 3 * (states != [*range(1, 9), 0]).sum(axis=1))
    plain, other = (solve(board(15), Ida(estimate=high, upper=upper)) for upper in (None, "beam"))
    assert replace(plain, seconds=0) == replace(other, seconds=0)


class Weak(TilesEstimates):
    """Manhattan distance by default, beside which conflicts are stronger."""

    def __init__(self, puzzle, is_built):
        super().__init__(puzzle)
        object.__setattr__(self, "is_built", is_built)

    def estimate(self, name=None):
        stronger = Stronger("conflicts", "expands fewer states", lambda: self.is_built)
        return replace(super().estimate(name or "manhattan"), stronger=None if name else stronger)


@pytest.mark.usefixtures("short_turns")
@pytest.mark.parametrize("is_built", [True, False])
def test_a_long_search_begins_again_with_a_stronger_estimate(is_built, monkeypatch, caplog):
    monkeypatch.setattr(module, "STRONGER_NODES", 1000)
    monkeypatch.setattr(module, "NOTE_NODES", 1000)
    start = TILES.read(FARTHEST[0])
    monkeypatch.setattr(module, "chosen_estimate", lambda puzzle, name: Weak(puzzle, is_built).estimate(name))
    module._note_once.cache_clear()
    result = solve(start, Ida(upper="beam:width=10"))
    assert (result.length, result.proof) == (31, "optimal")
    assert (result.expanded < 14_000) == is_built
    said = "goes on with the estimate conflicts" if is_built else "--estimate conflicts expands fewer states"
    assert said in caplog.text
