"""Backtracking: hard boards, known counts, random boards against brute force, its story, limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.solvers.known import DEAR, FOUR, NINE, SOLUTION, SOLVED, WIKIPEDIA, Latin

from puzzlelab import Instance, Limit, load, solve
from puzzlelab.core.puzzle import board_after
from puzzlelab.core.result import NO_SOLUTION
from puzzlelab.engine.enumeration import Listing, count
from puzzlelab.solvers.backtracking import Backtracking


def completions(digits, units):
    """How many ways there are to fill the blanks (-1), by trying everything."""
    if -1 not in digits:
        return 1
    cell = digits.index(-1)
    held = {digits[other] for unit in units if cell in unit for other in unit}
    free = set(range(len(units[0]))) - held
    return sum(completions([*digits[:cell], digit, *digits[cell + 1 :]], units) for digit in free)


def test_a_board_that_the_rules_solve_needs_no_guess_and_a_hard_one_does():
    easy, hard = (solve(NINE.read(name), Backtracking()) for name in ("wikipedia", "inkala"))
    assert (easy.expanded, easy.generated) == (0, 64)
    assert hard.expanded > 10


def test_a_dear_proof_that_there_is_no_solution():
    result = solve(NINE.read(DEAR), Backtracking())
    assert (result.moves, result.proof, result.reason) == (None, "unsolvable", NO_SOLUTION)
    assert result.expanded > 2


@given(st.lists(st.tuples(st.integers(0, 15), st.integers(0, 3)), max_size=9), st.booleans())
def test_counts_are_those_of_brute_force(clues, boxes):
    puzzle = FOUR if boxes else Latin(2, 2)
    state = puzzle.read("." * 16).state.copy()
    for cell, digit in clues:
        if puzzle.candidates(state)[cell, digit]:
            state[cell] = digit + 1
    expected = completions(puzzle.digits(state).tolist(), puzzle.units.all.tolist())
    assert count(Backtracking(), Instance(puzzle, state), Limit()).solutions == expected


def test_large_boards():
    result = solve(load("sudoku-25x25").read("." * 625), Backtracking(), Limit(nodes=5000))
    assert result.length == 625


# --- the story ------------------------------------------------------------------------------------------------------


def test_the_story_of_the_documents_example_is_as_it_is_printed_there():
    start = NINE.read(WIKIPEDIA)
    told = list(Backtracking().explain(start))
    assert told[0] == "17 clues given."
    assert told[1] == NINE.draw(start.state)
    assert told[2].strip() == "Searching for singletons iteratively..."
    assert told[3:9] == [f"   {number} singleton(s) found!" for number in (5, 6, 3, 3, 1, 1)]
    after = "....5..21...173.85.51.2....1..5.7.....4...15..954.1...51....473..2.1.568....45219"
    assert told[9] == NINE.draw(NINE.read(after).state)
    assert told[10].strip() == "Searching the other 45 cells, the fewest candidates first..."
    assert told[11].startswith("No guess was needed")
    assert told[12] == NINE.draw(NINE.read(SOLVED[WIKIPEDIA]).state)
    assert told[13].startswith("It is the only solution")


def test_the_story_tells_the_guesses_by_their_depth():
    told = list(Backtracking().explain(NINE.read("inkala")))
    assert not any("singleton(s)" in text for text in told)
    guesses = next(text for text in told if "guess(es) made" in text)
    number = int(guesses.split()[0])
    depths = [int(part.split()[0]) for part in guesses.partition(": ")[2].split(", ")]
    assert sum(depths) == number
    assert "at depth 1," in guesses
    assert told[-2] == NINE.draw(NINE.read(SOLUTION).state)


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
        solution = board_after(FOUR, start.state, moves)
        assert np.array_equal(np.where(after > 0, solution, 0), after)
