"""`bands`: known solutions and counts, boards without a solution, limits, lists, batches on threads."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab import check_solver, count, load, solutions, solve
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadBoard, BadOption, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Result
from puzzlelab.core.verify import verify
from puzzlelab.engine.enumeration import Listing, count_parts
from puzzlelab.engine.enumeration import count as counted
from puzzlelab.puzzles.sudoku.bands_kernels import NOT_COUNTED
from puzzlelab.puzzles.sudoku.generate import SudokuGenerator
from puzzlelab.puzzles.sudoku.solvers.bands import CHUNK, Bands, solve_batch

NINE = load("sudoku-9x9")
EMPTY = "." * 81
KNOWN_COUNTS = {
    "8.........95.......67..........2.485...4.3192......736...651947...732518...894263": 125,
    "8.........59.......76.........978245...653198...412736...591......836.1....724.8.": 601,
    "1...5.2.9..7.......6.......2...........5.1..2....2.39.3.4.9...15...1...3...8...4.": 0,
    "..3......4...8..37..8...1...4..6..73...9...1......2.....4.7..686....4...7.....5..": 0,
}
"""Boards from the tests of tdoku (T. Dillon, 2019) with the number of their solutions."""
IMPOSSIBLE = {
    "a row": "11" + "." * 79,
    "a row, far apart": "..5.....5" + "." * 72,
    "a column": "1" + "." * 71 + "1........",
    "a box": "1.........1" + "." * 70,
    "the last box": "." * 60 + "9" + "." * 19 + "9",
    "a cell without a candidate": "12345678.........9" + "." * 63,
    "the search": "1...5.2.9..7.......6.......2...........5.1..2....2.39.3.4.9...15...1...3...8...4.",
    "the search, another": "..3......4...8..37..8...1...4..6..73...9...1......2.....4.7..686....4...7.....5..",
}
"""Boards without a solution, by what shows it."""


def board(text):
    return np.array([int(sign) for sign in text.replace(".", "0")], np.uint8)


def filled(instance, moves):
    state = instance.state
    for move in moves:
        state = NINE.apply(state, move)
    return state.tolist()


# --- one board ---


def test_known_puzzles_have_their_known_solution_and_no_other(exchange) -> None:
    for known in exchange:
        instance = NINE.read(NINE.write(known.puzzle))
        result = solve(instance, "bands")
        assert (result.proof, result.stop, result.lower_bound) == ("unique", "done", len(result.moves))
        assert filled(instance, result.moves) == known.solution.tolist()
        assert list(result.moves) == sorted(result.moves)


def test_norvigs_impossible_puzzle_is_proven_to_be_so() -> None:
    text = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
    assert NINE.objection(NINE.read(text).state) is None
    assert solve(NINE.read(text), "bands").proof == "unsolvable"


def test_the_promises_of_every_solver_are_kept(exchange) -> None:
    boards = [known.puzzle for known in exchange[:3]] + [np.zeros(81, np.uint8), exchange[0].solution]
    sparse = exchange[0].puzzle.copy()
    sparse[np.flatnonzero(sparse)[::2]] = 0
    instances = [NINE.read(NINE.write(each)) for each in [*boards, sparse]]
    check_solver(Bands(), [(each, int((each.state == 0).sum())) for each in instances])
    impossible = [NINE.read(text) for text in IMPOSSIBLE.values()]
    check_solver(Bands(), [(each, None) for each in impossible])


def test_a_board_with_several_solutions_is_told_so() -> None:
    result = solve(NINE.read(EMPTY), "bands")
    assert (result.proof, result.stop, len(result.moves)) == ("several", "done", 81)


def test_a_full_board_is_its_own_solution(exchange) -> None:
    result = solve(NINE.read(NINE.write(exchange[0].solution)), "bands")
    assert (result.moves, result.proof) == ((), "unique")
    assert count(NINE.read(NINE.write(exchange[0].solution))).solutions == 1


@pytest.mark.parametrize("text", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_board_without_a_solution_is_proven_so(text, harness) -> None:
    assert len(harness.solutions_of(harness.candidates_of(board(text)))) == 0
    result = solve(NINE.read(text), "bands")
    assert (result.moves, result.proof, result.stop) == (None, "unsolvable", "done")
    assert result.reason
    own = list(Bands().attempts(NINE.read(text), Limit()))[-1]  # without the puzzle's objection
    assert (own.proof, own.reason) == ("unsolvable", "every possibility was tried, and none is a solution")
    assert count(NINE.read(text)).solutions == 0
    assert count(NINE.read(text)).stop == "done"
    assert list(solutions(NINE.read(text))) == []
    assert solve_batch(board(text)[None], 5).counts.tolist() == [0]
    assert not solve_batch(board(text)[None], 5).solutions.any()


@pytest.mark.parametrize("name", ["sudoku-6x6", "tiles-3x3"])
def test_other_puzzles_are_refused(name) -> None:
    puzzle = load(name)
    instance = puzzle.read("1 2 3 4 5 6 7 0 8" if name.startswith("tiles") else "." * puzzle.cells)
    with pytest.raises(Unsupported, match=f"bands cannot solve {name}(: it is made for sudoku-9x9|, which offers no)"):
        solve(instance, "bands")
    with pytest.raises(Unsupported, match="bands cannot solve"):
        Listing(Bands(), instance, Limit())


# --- counts and lists ---


@pytest.mark.parametrize(("text", "known"), KNOWN_COUNTS.items())
def test_published_counts(text, known, harness) -> None:
    assert len(harness.solutions_of(harness.candidates_of(board(text)), 2000)) == known
    found = count(NINE.read(text))
    assert (found.solutions, found.stop, found.complete) == (known, "done", True)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), clues=st.integers(20, 30))
def test_counts_are_those_of_a_plain_search(seed, clues, exchange, harness) -> None:
    random = np.random.default_rng(seed)
    grid = harness.shuffled(exchange[random.integers(len(exchange))].solution, random)
    puzzle = np.where(random.permutation(81) < clues, grid, 0).astype(np.uint8)
    true = harness.solutions_of(harness.candidates_of(puzzle), 3000)
    instance = NINE.read(NINE.write(puzzle))
    found = counted(Bands(), instance, Limit(), 3000)
    assert found.solutions == len(true)
    assert found.stop == ("solutions" if len(true) == 3000 else "done")
    assert solve_batch(puzzle[None], 3000, jobs=1).counts.tolist() == [len(true)]
    if len(true) < 300:
        listed = {tuple(filled(instance, moves)) for moves in Listing(Bands(), instance, Limit())}
        assert listed == {*map(tuple, true.tolist())}


def test_the_empty_board_is_counted_up_to_what_is_asked() -> None:
    found = count(NINE.read(EMPTY), most=1000)
    assert (found.solutions, found.stop, found.complete) == (1000, "solutions", False)
    assert found.expanded > 0
    assert solve_batch(np.zeros((1, 81), np.uint8), 1000).counts.tolist() == [1000]


@pytest.mark.parametrize("most", [1, 124, 125, 126, None])
def test_a_count_says_whether_there_are_more(most) -> None:
    instance = NINE.read(next(iter(KNOWN_COUNTS)))
    found = count(instance, most=most)
    assert found.solutions == min(125, most or 125)
    if most is None or most > 125:
        assert found.stop == "done"
    elif most < 125:
        assert found.stop == "solutions"
    listing = solutions(instance, most=most)
    assert len(list(listing)) == listing.count == min(125, most or 125)
    if most is None or most > 125:
        assert listing.stop == "done"
    elif most < 125:
        assert listing.stop == "solutions"


def test_a_list_has_each_solution_once_and_all_hold() -> None:
    instance = NINE.read(EMPTY)
    listing = solutions(instance, most=400)
    found = list(listing)
    assert len(set(found)) == len(found) == 400
    assert all(verify(instance, Result(moves)).holds for moves in found[::20])
    assert all(list(moves) == sorted(moves) for moves in found)
    assert (listing.count, listing.stop) == (400, "solutions")
    assert list(listing) == found
    assert list(islice(listing, 3)) == found[:3]
    assert (listing.count, listing.stop) == (3, "interrupted")


# --- limits ---


@pytest.mark.parametrize("nodes", [1, 7, 60, 1000])
def test_a_limit_of_nodes_is_kept(nodes) -> None:
    instance = NINE.read(EMPTY)
    found = count(instance, limit=Limit(nodes=nodes))
    assert (found.stop, found.expanded) == ("nodes", nodes)
    assert found.solutions < nodes
    listing = solutions(instance, limit=Limit(nodes=nodes))
    assert len(list(listing)) <= nodes
    assert listing.stop == "nodes"
    *_, last = Bands().solutions(instance, Limit(nodes=nodes))
    assert (last.moves, last.stop, last.expanded) == (None, "nodes", nodes)


def test_a_limit_before_any_solution_is_no_proof() -> None:
    result = solve(NINE.read(EMPTY), "bands", Limit(nodes=5))
    assert (result.moves, result.proof, result.stop) == (None, "none", "nodes")
    impossible = NINE.read(IMPOSSIBLE["the search, another"])
    whole = solve(impossible, "bands")
    assert whole.expanded > 1
    result = solve(impossible, "bands", Limit(nodes=whole.expanded - 1))
    assert (result.moves, result.proof, result.stop) == (None, "none", "nodes")


def test_a_limit_after_the_first_solution_keeps_it() -> None:
    instance = NINE.read(EMPTY)
    first = next(each for each in Bands().solutions(instance, Limit()) if isinstance(each, Result))
    result = solve(instance, "bands", Limit(nodes=first.expanded))
    assert (result.moves, result.proof, result.stop) == (first.moves, "none", "nodes")


def test_time_and_memory_end_a_count() -> None:
    assert count(NINE.read(EMPTY), limit=Limit(seconds=0.1)).stop == "time"
    assert count(NINE.read(EMPTY), limit=Limit(memory=1)).stop == "memory"
    listing = solutions(NINE.read(EMPTY), limit=Limit(seconds=0.05))
    assert all(True for _ in listing)
    assert listing.stop == "time"


def test_the_count_grows_while_it_counts() -> None:
    steps = [each.solutions for each in Bands().count(NINE.read(EMPTY), Limit(nodes=200_000), 2**62)]
    assert steps == sorted(steps)
    assert len(steps) > 2
    assert steps[-1] > 100_000


# --- batches ---


def test_a_batch_has_the_known_solutions(exchange) -> None:
    batch = solve_batch(np.array([known.puzzle for known in exchange]))
    assert batch.solutions.tolist() == [known.solution.tolist() for known in exchange]
    assert batch.counts.tolist() == [1] * len(exchange)
    assert batch.guesses.min() >= 0
    assert batch.guesses.max() > 0


def test_threads_and_pieces_change_nothing(exchange, harness) -> None:
    random = np.random.default_rng(3)
    count = 2 * CHUNK + 17
    puzzles = np.zeros((count, 81), np.uint8)
    for i in range(count):
        known = exchange[i % len(exchange)]
        puzzles[i] = np.where(random.random(81) < 0.45, known.solution, 0)
        if i % 100 == 7:
            puzzles[i, :2] = 1
    one, two = (solve_batch(puzzles, 3, jobs) for jobs in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a, b)
    for i in (*range(0, count, 400), CHUNK - 1, CHUNK, 7, count - 1):
        true = harness.solutions_of(harness.candidates_of(puzzles[i]), 3)
        assert one.counts[i] == len(true)
        assert one.solutions[i].tolist() == (solve_batch(puzzles[i : i + 1], 3).solutions[0].tolist())
        if len(true):
            assert NINE.solved(one.solutions[i])
            assert (one.solutions[i] == puzzles[i])[puzzles[i] != 0].all()
    assert set(one.counts.tolist()) == {0, 1, 2, 3}


def test_batches_of_any_kind_of_integer_and_of_none(exchange) -> None:
    puzzles = np.array([known.puzzle for known in exchange])
    for kind in (np.int8, np.int64, np.uint16):
        assert solve_batch(puzzles.astype(kind)).counts.tolist() == [1] * len(exchange)
    assert solve_batch(puzzles[::-2]).solutions.tolist() == [known.solution.tolist() for known in exchange[::-2]]
    assert solve_batch(np.asfortranarray(puzzles)).counts.sum() == len(exchange)
    before = puzzles.copy()
    puzzles.setflags(write=False)
    assert solve_batch(puzzles[:0]).solutions.shape == (0, 81)
    assert solve_batch(puzzles, 1).counts.tolist() == [1] * len(exchange)
    assert np.array_equal(puzzles, before)


@pytest.mark.parametrize("shape", [(81,), (1, 80), (1, 9, 9), (0,), (81, 1)])
def test_an_array_of_another_shape_is_refused(shape) -> None:
    with pytest.raises(BadOption, match=r"puzzles are an array of integers of shape \[B, 81\], not uint8\["):
        solve_batch(np.zeros(shape, np.uint8))


@pytest.mark.parametrize(("value", "kind"), [(10, np.uint8), (255, np.uint8), (-1, np.int8), (256, np.int64)])
def test_a_number_that_is_no_digit_is_told_its_place(value, kind) -> None:
    puzzles = np.zeros((5, 81), kind)
    puzzles[3, 44] = puzzles[4, 0] = value
    with pytest.raises(BadBoard, match=f"^puzzle 3, cell 44: {value} is no digit from 0 to 9$"):
        solve_batch(puzzles)


@pytest.mark.parametrize("most", [0, -1])
def test_less_than_one_solution_cannot_be_asked_for(most) -> None:
    with pytest.raises(BadOption, match=f"the number of solutions must be at least 1, not {most}"):
        solve_batch(np.zeros((1, 81), np.uint8), most)


def test_guesses_do_not_depend_on_the_batch(exchange) -> None:
    puzzles = np.array([known.puzzle for known in exchange])
    together = solve_batch(puzzles).guesses.tolist()
    assert together == [int(solve_batch(puzzle[None]).guesses[0]) for puzzle in puzzles]
    assert together == [solve(NINE.read(NINE.write(puzzle)), "bands").expanded for puzzle in puzzles]


def test_made_puzzles_are_solved_by_both(harness) -> None:
    puzzles, answers = next(SudokuGenerator().batches(300, seed=8))
    batch = solve_batch(puzzles)
    assert batch.counts.tolist() == [1] * 300
    assert np.array_equal(batch.solutions, answers)
    for puzzle, answer in zip(puzzles[:60], answers[:60], strict=True):
        assert harness.solutions_of(harness.candidates_of(puzzle)).tolist() == [answer.tolist()]


def test_lists_are_read_as_arrays_and_fractions_are_not_cut() -> None:
    rows = np.zeros((1, 81), int).tolist()
    assert solve_batch(rows, most=1).counts.tolist() == [1]
    with pytest.raises(BadOption, match="an array of integers"):
        solve_batch(np.full((1, 81), 1.5))


def test_there_is_at_least_one_job() -> None:
    with pytest.raises(BadOption, match="at least 1 job"):
        solve_batch(np.zeros((1, 81), np.uint8), jobs=-1)


# --- counts of many boards ---


def known_boards():
    return Boards.of([NINE.read(text) for text in [*KNOWN_COUNTS, *IMPOSSIBLE.values(), "easy", "inkala", EMPTY]])


@pytest.mark.parametrize("most", [1, 2, 125, 126, 1000, 1500])
@pytest.mark.parametrize("nodes", [None, 1, 2, 10, 700, 5000])
def test_boards_are_counted_together_as_alone(most, nodes) -> None:
    boards, limit = known_boards(), Limit(nodes=nodes)
    together = [(each.solutions, each.stop) for part in count_parts(Bands(), boards, limit, most) for each in part]
    alone = [counted(Bands(), board, limit, most) for board in boards]
    assert together == [(each.solutions, each.stop) for each in alone]


def test_counts_have_a_solution_and_what_takes_long_is_left_out() -> None:
    counts = Bands().count_batch(known_boards(), 10**9, Limit())
    assert counts.is_stopped_by("done").tolist() == [True] * (len(counts) - 1) + [False]
    assert counts[len(counts) - 1].stop == "interrupted"
    for count_of_board, first in list(zip(counts, counts.firsts, strict=True))[:-1]:
        assert (first.moves is not None) == (count_of_board.solutions > 0)
        assert (first.proof, first.reason) == ("none", "")
        assert verify(first.board, first).holds


@pytest.mark.parametrize("limit", [Limit(seconds=0.5), Limit(memory=2**40)])
def test_a_limit_that_needs_a_clock_is_not_for_a_batch(limit) -> None:
    counts = Bands().count_batch(known_boards(), 2, limit)
    assert counts.is_stopped_by("interrupted").all()
    assert len(counts) == len(known_boards())


def test_guesses_may_be_limited() -> None:
    boards = known_boards().states
    batch = solve_batch(boards, most=1000)
    limited = solve_batch(boards, most=1000, most_guesses=30)
    is_cut = limited.counts == NOT_COUNTED
    assert (is_cut == (batch.guesses > 30)).all()
    assert (limited.counts[~is_cut] == batch.counts[~is_cut]).all()
