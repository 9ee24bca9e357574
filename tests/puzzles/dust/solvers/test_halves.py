"""The exact solver against searches that try everything, its symmetries, and what it says when it is stopped early."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab import Instance, Limit, Result, Unsupported, check_solver, load, solve
from puzzlelab.core.boards import Boards
from puzzlelab.core.views import Planes
from puzzlelab.engine import driver, solving
from puzzlelab.engine.driver import drive
from puzzlelab.puzzles.dust.rules import Dust
from puzzlelab.puzzles.dust.solvers import halves
from puzzlelab.puzzles.dust.solvers.halves import Halves, HalvesMemory
from puzzlelab.runtime.memory import resident
from puzzlelab.solvers.bfs import Bfs

PLAIN = ((4, 3, 3, 60), (3, 3, 5, 40), (1, 1, 2, 4), (1, 9, 3, 40), (8, 1, 4, 40), (2, 5, 3, 30), (5, 2, 9, 20))
"""Sizes with how many boards of each the plain search of these tests solves in a few seconds."""
SIZES = ((5, 3, 4, 30), (6, 3, 3, 30), (4, 4, 4, 20), (6, 3, 4, 15), (5, 4, 5, 6))
ODD = ((1, 16, 4, 20), (1, 12, 9, 20), (7, 1, 3, 20), (3, 5, 4, 20), (7, 2, 5, 20), (3, 6, 2, 10))
WIDE = ((16, 1, 4, 40), (13, 1, 3, 40), (9, 2, 4, 40), (5, 9, 2, 20), (10, 2, 3, 40))
"""Boards whose planes take two words: the kernels are compiled again for them."""
MEDIUM = st.builds(Dust, st.integers(1, 6), st.integers(1, 4), st.integers(2, 5))
KNOWN = (
    ("524151313145421532131331252545142334342135135152", 14),
    ("313431341333544343413523315113211533511355531251", 10),
    ("213142153525525515322423344554343352111314531222", 11),
)
"""Boards of 8x6x5 with their proven optima."""


def boards(plainly, size: tuple[int, int, int, int]) -> list[Instance]:
    """Random boards, every third of them half played."""
    puzzle, count = Dust(*size[:3]), size[3]
    return [
        Instance(puzzle, plainly.board(puzzle, seed, puzzle.cells // 6 if seed % 3 == 2 else 0))
        for seed in range(count)
    ]


def proven(instance: Instance) -> int:
    """The optimum that the solver proves; its moves are replayed by `solve`."""
    result = solve(instance, Halves())
    assert (result.proof, result.stop, result.lower_bound) == ("optimal", "done", result.length)
    assert result.length is not None
    return result.length


@pytest.mark.parametrize("size", PLAIN)
def test_optima_are_those_of_a_plain_search(plainly, size: tuple[int, int, int, int]) -> None:
    for instance in boards(plainly, size):
        assert proven(instance) == plainly.optimum(instance.puzzle, instance.state), instance


@pytest.mark.parametrize("size", [*SIZES, *ODD])
def test_optima_are_those_of_breadth_first_search(plainly, size: tuple[int, int, int, int]) -> None:
    for instance in boards(plainly, size):
        assert proven(instance) == solve(instance, Bfs()).length, instance


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", [*SIZES, *ODD, *WIDE, (2, 8, 5, 0), (5, 5, 3, 0), (8, 3, 3, 0), (7, 3, 4, 0), (3, 7, 3, 0)]
)
def test_optima_of_many_boards(plainly, size: tuple[int, int, int, int]) -> None:
    for instance in boards(plainly, (*size[:3], 6 * size[3] or 20)):
        assert proven(instance) == solve(instance, Bfs()).length, instance


@pytest.mark.parametrize("size", [(4, 3, 3), (7, 6, 5), (1, 1, 2), (4, 16, 9)])
def test_an_empty_board_takes_no_moves(size: tuple[int, int, int]) -> None:
    puzzle = Dust(*size)
    result = solve(Instance(puzzle, np.zeros(puzzle.cells, np.uint8)), Halves())
    assert (result.moves, result.proof, result.lower_bound) == ((), "optimal", 0)


@pytest.mark.parametrize("size", [(1, 1, 2), (8, 6, 5), (3, 16, 9), (7, 1, 3)])
def test_one_cell_or_one_colour_takes_one_move(size: tuple[int, int, int]) -> None:
    puzzle = Dust(*size)
    cell = np.zeros(puzzle.cells, np.uint8)
    cell[puzzle.height * (puzzle.width // 2)] = puzzle.colours
    assert proven(Instance(puzzle, cell)) == 1
    assert proven(Instance(puzzle, np.full(puzzle.cells, 2, np.uint8))) == 1


@settings(max_examples=80)
@given(puzzle=MEDIUM, seed=st.integers(0, 2**32))
def test_colours_and_the_mirror_do_not_change_the_optimum(plainly, puzzle: Dust, seed: int) -> None:
    board = plainly.board(puzzle, seed)
    names = np.array([0, *(np.random.default_rng(seed).permutation(puzzle.colours) + 1)], np.uint8)
    images = [names[board], *(states[0] for states, _ in puzzle.view(Planes).symmetries(board[None])[1:])]
    optimum = proven(Instance(puzzle, board))
    assert [proven(Instance(puzzle, image)) for image in images] == [optimum] * len(images)


@settings(max_examples=60)
@given(puzzle=MEDIUM, seed=st.integers(0, 2**32))
def test_a_move_of_an_optimal_answer_leaves_one_less_and_no_move_more_than_one_less(
    plainly, puzzle: Dust, seed: int
) -> None:
    board = plainly.board(puzzle, seed)
    result = solve(Instance(puzzle, board), Halves())
    remaining = {
        move: proven(Instance(puzzle, puzzle.apply(board, move)))
        for move in np.flatnonzero(puzzle.legal(board)).tolist()
    }
    assert min(remaining.values()) == result.length - 1
    assert remaining[puzzle.clusters(board)[result.moves[0]]] == result.length - 1


def test_more_colours_than_the_board_has_do_not_change_the_optimum(plainly) -> None:
    for seed in range(20):
        board = plainly.board(Dust(5, 4, 3), seed)
        assert len({proven(Instance(Dust(5, 4, colours), board)) for colours in (3, 4, 7, 8, 9)}) == 1


def test_it_keeps_what_a_solver_promises(plainly) -> None:
    sizes = ((4, 3, 3, 3), (5, 3, 4, 3), (1, 9, 3, 3), (3, 3, 5, 3))
    given = [instance for size in sizes for instance in boards(plainly, size)]
    check_solver(Halves(), [(instance, plainly.optimum(instance.puzzle, instance.state)) for instance in given])


@pytest.mark.slow
@pytest.mark.parametrize("size", [(16, 16, 9), (10, 8, 5), (15, 9, 2)])
def test_large_boards(plainly, size: tuple[int, int, int]) -> None:
    """Nothing is proven soon of a large board in its beginning; near its end everything is."""
    puzzle = Dust(*size)
    empty, full = np.zeros(puzzle.cells, np.uint8), np.full(puzzle.cells, 2, np.uint8)
    assert solve(Instance(puzzle, empty), Halves()).moves == ()
    assert proven(Instance(puzzle, full)) == 1
    states = [plainly.board(puzzle, 2, played) for played in range(puzzle.cells // 6, puzzle.cells)]
    late = next(state for state in states if np.count_nonzero(state) <= 14)
    assert proven(Instance(puzzle, late)) == plainly.optimum(puzzle, late)
    result = solve(Instance(puzzle, states[0]), Halves(), Limit(nodes=3_000))
    assert result.proof != "none" or result.lower_bound <= (result.length or puzzle.cells)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "optimum"), KNOWN)
def test_known_boards(text: str, optimum: int) -> None:
    instance = load("dust-8x6x5").read(text)
    assert proven(instance) == optimum


# --- stopped early ---


@pytest.mark.parametrize(("text", "optimum", "nodes"), [(*KNOWN[0], 1), (*KNOWN[1], 100), (*KNOWN[2], 10_000)])
def test_a_limit_of_nodes_leaves_a_bound_and_an_answer_that_hold(text: str, optimum: int, nodes: int) -> None:
    result = solve(load("dust-8x6x5").read(text), Halves(), Limit(nodes=nodes))
    assert result.expanded <= nodes
    assert (result.proof, result.stop) == ("none", "nodes")
    assert result.lower_bound <= optimum
    assert result.length is None or result.length >= optimum


@pytest.mark.parametrize("seconds", [0.001, 0.1])
def test_a_limit_of_time_leaves_a_bound_that_holds(seconds: float) -> None:
    text, optimum = KNOWN[0]
    result = solve(load("dust-8x6x5").read(text), Halves(), Limit(seconds=seconds))
    assert result.lower_bound <= optimum
    assert result.length is None or result.length >= optimum
    assert (result.proof, result.stop) in {("none", "time"), ("optimal", "done")}


def test_a_limit_of_memory_is_kept(plainly) -> None:
    puzzle = Dust(8, 8, 9)
    solve(Instance(puzzle, plainly.board(puzzle, 1)), Halves(width=10), Limit(nodes=1))  # compiles
    most = resident() + 60 * 2**20
    result = solve(Instance(puzzle, plainly.board(puzzle, 1)), Halves(width=10), Limit(memory=most))
    assert (result.proof, result.stop) == ("none", "memory")
    assert resident() <= most
    assert result.lower_bound >= 9
    assert result.length >= result.lower_bound


def test_whoever_watches_may_end_the_search_and_keeps_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "SLICE_SECONDS", 1e-5)  # it looks up often enough on the fastest machine
    text, optimum = KNOWN[0]
    bounds: list[int] = []

    def enough(attempt) -> bool:
        bounds.append(attempt.lower_bound if isinstance(attempt, Result) else attempt.bound)
        return len(bounds) >= 5

    result = solve(load("dust-8x6x5").read(text), Halves(), watch=enough)
    assert result.stop == "interrupted"
    assert bounds == sorted(bounds)
    assert bounds[-1] <= result.lower_bound <= optimum


# --- many boards ---


def timeless(result: Result) -> Result:
    return replace(result, seconds=0.0)


@pytest.mark.parametrize("limit", [Limit(), Limit(nodes=60), Limit(nodes=2500), Limit(memory=4 * 2**30)], ids=str)
@pytest.mark.parametrize("size", [(6, 4, 4, 12)], ids=str)
def test_a_batch_has_the_results_of_its_boards_one_by_one(
    plainly, size: tuple[int, int, int, int], limit: Limit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(halves, "BRIEF_NODES", 100)  # some boards have a wide beam
    instances = boards(plainly, size)
    together = chain.from_iterable(Halves().solve_batch(Boards.of(instances), limit, lambda: False))
    alone = [solve(instance, Halves(), limit) for instance in instances]
    assert [timeless(result) for result in together] == [timeless(result) for result in alone]


def test_a_board_after_one_whose_tables_have_grown_has_the_same_result() -> None:
    instances = [load("dust-8x6x5").read(text) for text, _ in KNOWN]
    together = chain.from_iterable(Halves().solve_batch(Boards.of(instances), Limit(nodes=60_000), lambda: False))
    alone = [solve(instance, Halves(), Limit(nodes=60_000)) for instance in instances]
    assert [timeless(result) for result in together] == [timeless(result) for result in alone]


def test_a_long_search_holds_back_no_result_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "HOLD_SECONDS", -1.0)
    is_over = False
    texts = ("1" * 48, "2" * 48, KNOWN[0][0], "3" * 48)
    instances = Boards.of([load("dust-8x6x5").read(text) for text in texts])
    parts = Halves().solve_batch(instances, Limit(), lambda: is_over)
    assert [result.length for result in next(parts)] == [1]
    assert [result.length for result in next(parts)] == [1]
    is_over = True
    rest = [result for part in parts for result in part]
    assert [result.stop for result in rest] == ["interrupted", "interrupted"]
    assert [result.expanded > 0 for result in rest] == [True, False]


# --- settings ---


def test_other_puzzles_are_refused() -> None:
    with pytest.raises(Unsupported, match="halves cannot solve tiles-3x3"):
        solve(load("tiles-3x3").read("8 6 7 2 5 4 3 0 1"), Halves())


def test_a_memory_that_is_half_full_is_given_up_for_a_new_one() -> None:
    puzzle, memory, searches = Dust(6, 4, 4), HalvesMemory(), []
    for seed in range(60):
        state = np.random.default_rng(seed).integers(1, 5, puzzle.cells).astype(np.uint8)
        search = memory.recall(puzzle, Limit(memory=1))
        searches += [search] if search not in searches else []
        *_, result = drive(search.machine(state, None), Limit())
        assert isinstance(result, Result)
        assert (result.proof, result.length) == ("optimal", proven(Instance(puzzle, state)))
    assert len(searches) > 1
