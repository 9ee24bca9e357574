"""Backtracking: hard boards, known counts, random boards against brute force, its story, limits."""

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab import Instance, Limit, check_solver, load, solve
from puzzlelab.core.result import NO_SOLUTION, SEVERAL
from puzzlelab.core.views import Units
from puzzlelab.engine.enumeration import Listing, count
from puzzlelab.puzzles.sudoku.rules import Sudoku
from puzzlelab.solvers.backtracking import Backtracking

NINE, FOUR, SIX = load("sudoku-9x9"), load("sudoku-4x4"), load("sudoku-6x6")
SOLVED = {
    "wikipedia": "987654321246173985351928746128537694634892157795461832519286473472319568863745219",
    "inkala": "812753649943682175675491283154237896369845721287169534521974368438526917796318452",
}
DOCUMENTED = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"
"""The board of the document's example output, which is also the one called wikipedia."""
DEAR = "......4..812.......6.8...71...98....324..5....9.....6..53....2.......5.....7.639."
"""No solution, which no single rule sees."""


@dataclass(frozen=True)
class Latin(Sudoku):
    """Latin squares: Sudoku without boxes."""

    @cached_property
    def units(self):
        rows, columns, _ = Sudoku().units.kinds.values() if self.size == 9 else load(self.name).units.kinds.values()
        return Units({"row": rows, "column": columns})


def board_after(start, moves):
    """The board with these moves made, by the plain rules."""
    state = start.state
    for move in moves:
        state = start.puzzle.apply(state, move)
    return start.puzzle.write(state)


def completions(digits, units):
    """How many ways there are to fill the blanks (-1), by trying everything."""
    if -1 not in digits:
        return 1
    cell = digits.index(-1)
    held = {digits[other] for unit in units if cell in unit for other in unit}
    free = set(range(len(units[0]))) - held
    return sum(completions([*digits[:cell], digit, *digits[cell + 1 :]], units) for digit in free)


@pytest.mark.parametrize("name", ["wikipedia", "inkala"])
def test_solves_the_boards_of_the_document_and_proves_them_unique(name):
    start = NINE.read(name)
    result = solve(start, Backtracking())
    assert board_after(start, result.moves) == SOLVED[name]
    assert (result.proof, result.stop, result.lower_bound) == ("unique", "done", len(result.moves))
    assert list(result.moves) == sorted(result.moves)


def test_a_board_that_the_rules_solve_needs_no_guess_and_a_hard_one_does():
    easy, hard = (solve(NINE.read(name), Backtracking()) for name in ("wikipedia", "inkala"))
    assert (easy.expanded, easy.generated) == (0, 64)
    assert hard.expanded > 10


def test_keeps_the_promises_of_every_solver():
    boards = [("sudoku-4x4", ".....1.....2.4.3", 12), ("sudoku-4x4", ".21.....4.....3.", None)]
    boards += [("sudoku-4x4", "." * 16, 16), ("sudoku-6x6", "..4.......3....3...6..4..5....6...12", 27)]
    boards += [("sudoku-9x9", "inkala", 60), ("sudoku-9x9", DEAR, None), ("sudoku-9x9", SOLVED["inkala"], 0)]
    check_solver(Backtracking(), [(load(name).read(text), blanks) for name, text, blanks in boards])


def test_a_dear_proof_that_there_is_no_solution():
    result = solve(NINE.read(DEAR), Backtracking())
    assert (result.moves, result.proof, result.reason) == (None, "unsolvable", NO_SOLUTION)
    assert result.expanded > 2


def test_several_solutions_are_said_to_be():
    result = solve(FOUR.read("." * 16), Backtracking())
    assert (result.proof, result.reason, result.length) == ("none", SEVERAL, 16)


@pytest.mark.parametrize(
    ("start", "number"),
    [
        (FOUR.read("." * 16), 288),
        (SIX.read("123456" + "." * 30), 28_200_960 // 720),
        (Latin(2, 2).read("." * 16), 576),
        (Latin(2, 3).read("123456" + "2" + "." * 29), 9408 * 120 // 5),
        (FOUR.read("13..2.......4..."), 6),
        (FOUR.read("1.....4..23....."), 0),
        (NINE.read(SOLVED["inkala"]), 1),
    ],
    ids=["4x4", "6x6", "Latin 4", "Latin 6", "some", "none", "full"],
)
def test_counts_are_the_known_ones(start, number):
    """28,200,960 grids of 6x6 Sudoku; 576 Latin squares of order 4, 9,408 reduced ones of order 6."""
    found = count(Backtracking(), start, Limit())
    assert (found.solutions, found.stop) == (number, "done")


def test_counting_ends_where_it_is_asked_to():
    found = count(Backtracking(), FOUR.read("." * 16), Limit(), most=100)
    assert (found.solutions, found.stop) == (100, "solutions")


def test_lists_every_solution_once():
    listing = Listing(Backtracking(), FOUR.read("." * 16), Limit())
    found = list(listing)
    assert (len(found), len(set(found)), listing.stop) == (288, 288, "done")
    assert list(islice(listing, 10)) == found[:10]


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 3)), max_size=9), st.booleans())
def test_counts_are_those_of_brute_force(clues, boxes):
    puzzle = FOUR if boxes else Latin(2, 2)
    state = puzzle.read("." * 16).state.copy()
    for cell, digit in clues:
        if puzzle.candidates(state)[cell, digit]:
            state[cell] = digit + 1
    expected = completions(puzzle.digits(state).tolist(), puzzle.units.all.tolist())
    assert count(Backtracking(), Instance(puzzle, state), Limit()).solutions == expected


def test_a_limit_ends_it_without_a_proof():
    result = solve(NINE.read("inkala"), Backtracking(), Limit(nodes=5))
    assert (result.moves, result.proof, result.stop, result.expanded) == (None, "none", "nodes", 5)
    found = count(Backtracking(), NINE.read("." * 81), Limit(nodes=1000))
    assert found.stop == "nodes"
    assert not found.complete
    timed = count(Backtracking(), NINE.read("." * 81), Limit(seconds=0.2))
    assert timed.stop == "time"
    assert timed.solutions > 0


def test_large_boards():
    result = solve(load("sudoku-25x25").read("." * 625), Backtracking(), Limit(nodes=5000))
    assert result.length == 625


# --- the story ------------------------------------------------------------------------------------------------------


def test_the_story_of_the_documents_example_is_as_it_is_printed_there():
    start = NINE.read(DOCUMENTED)
    told = list(Backtracking().explain(start))
    assert told[0] == "17 clues given."
    assert told[1] == NINE.draw(start.state)
    assert told[2].strip() == "Searching for singletons iteratively..."
    assert told[3:9] == [f"   {number} singleton(s) found!" for number in (5, 6, 3, 3, 1, 1)]
    after = "....5..21...173.85.51.2....1..5.7.....4...15..954.1...51....473..2.1.568....45219"
    assert told[9] == NINE.draw(NINE.read(after).state)
    assert told[10].strip() == "Searching the other 45 cells, the fewest candidates first..."
    assert told[11].startswith("No guess was needed")
    assert told[12] == NINE.draw(NINE.read(SOLVED["wikipedia"]).state)
    assert told[13].startswith("It is the only solution")


def test_the_story_tells_the_guesses_by_their_depth():
    told = list(Backtracking().explain(NINE.read("inkala")))
    assert not any("singleton(s)" in text for text in told)
    guesses = next(text for text in told if "guess(es) made" in text)
    number = int(guesses.split()[0])
    depths = [int(part.split()[0]) for part in guesses.partition(": ")[2].split(", ")]
    assert sum(depths) == number
    assert "at depth 1," in guesses
    assert told[-2] == NINE.draw(NINE.read(SOLVED["inkala"]).state)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (FOUR.read("1.3....4.2......"), "this is the only solution"),
        (FOUR.read(".21.....4.....3."), "There is no solution"),
        (NINE.read(DEAR), "There is no solution"),
        (FOUR.read("11" + "." * 14), "There is no solution: row 1 holds two 1s"),
        (FOUR.read("." * 16), "There are other solutions"),
    ],
    ids=["singletons alone", "a contradiction", "a dear contradiction", "an objection", "several"],
)
def test_the_story_says_how_it_ends(start, end):
    assert end in list(Backtracking().explain(start))[-1]


def test_the_story_says_that_a_limit_ended_it():
    assert "limit of nodes" in list(Backtracking().explain(NINE.read("inkala"), Limit(nodes=3)))[-1]


def test_rounds_write_only_what_is_in_every_solution():
    """A singleton is forced, so that each of the solutions of this board holds it."""
    start = FOUR.read("13..2.......4...")
    told = list(Backtracking().explain(start))
    assert any("singleton(s) found!" in text for text in told)
    drawn = [text for text in told if text.startswith("*")]
    after = FOUR.read(drawn[1]).state
    for moves in Listing(Backtracking(), start, Limit()):
        solution = FOUR.read(board_after(start, moves)).state
        assert np.array_equal(np.where(after > 0, solution, 0), after)
