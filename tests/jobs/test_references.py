"""Solutions beside boards in a text, compared with the answers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from puzzlelab import Limit, load
from puzzlelab.core import registry
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards
from puzzlelab.engine.solving import solve_all
from puzzlelab.jobs.references import compared
from puzzlelab.text.board_blocks import read_blocks

BOARD, SOLVED = "12343412214343..", "1234341221434321"
WRONG = "1234341221434312"
OPEN = "1..............."
OTHER = "1243341221344321"
NINE = "003020600900305001001806400008102900700000008006708200002609500800203009005010300"
NINE_SOLVED = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
DIFFERENCE = "the file says r4c3=1, r4c4=2, and the solution has r4c3=2, r4c4=1"


def beside(text, name="sudoku-4x4"):
    """What is said of the solutions beside the boards of a text: place -> error, and which are solutions."""
    errors, holds = {}, []
    for boards in read_blocks(load(name), [text], "a file"):
        answers = Answers.of(boards, solve_all(registry.solver(None, load(name)), list(boards), Limit()))
        found = compared(boards, answers, answers.is_proven("unique"))
        errors |= {len(holds) + place: error for place, error in found.errors.items()}
        holds += found.holds.tolist()
    return errors, holds


FORMS = {
    "a line": f"{BOARD} {WRONG}\n",
    "CSV": f"id,puzzle,solution,rating\n7,{BOARD},{WRONG},1.5\n",
    "quoted CSV": f'"solution";"puzzle"\n"{WRONG}";"{BOARD}"\n',
    "JSON": json.dumps({"puzzle": BOARD, "solution": WRONG}) + "\n",
    "lists": json.dumps(
        {"puzzle": [[int(cell) for cell in BOARD.replace(".", "0")]], "solution": [list(map(int, WRONG))]}
    )
    + "\n",
    "many lines": f"{BOARD},{WRONG}\n" + 20 * f"{BOARD},{SOLVED}\n",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_a_wrong_solution_is_named_by_its_cells(text):
    errors, holds = beside(text)
    assert errors == {0: DIFFERENCE}
    assert holds == [False] + [True] * (len(holds) - 1)


def test_any_solution_is_right_beside_a_board_with_several():
    assert beside(f"{OPEN} {SOLVED}\n") == ({}, [True])
    assert beside(f"{OPEN} {OTHER}\n") == ({}, [True])
    errors, holds = beside(f"{OPEN} {WRONG}\n")
    assert (errors[0].startswith("the file has no solution: column 3 holds two 1s"), holds) == (True, [False])


def test_no_solution_is_right_beside_a_board_without_any():
    sentence = "the file has no solution: row 1 holds two 1s, in r1c1 and r1c2"
    assert beside("11.............. 1134341221432342\n") == ({0: sentence}, [False])


@pytest.mark.parametrize(
    ("more", "error"),
    [
        (f",{NINE_SOLVED[:80]}", "the solution beside the board has 80 cells, and not 81"),
        (f",{NINE_SOLVED}1", "the solution beside the board has 82 cells, and not 81"),
        (
            f",{NINE_SOLVED[:80]}.",
            "character 81 (row 9, column 9): the solution beside the board has a blank",
        ),
        (f" {NINE_SOLVED}", ""),
        (",4.5", ""),
        (",17,easy", ""),
        ("", ""),
    ],
)
def test_a_solution_that_is_not_whole(more, error):
    for count in (1, 9):
        errors, holds = beside(f"{NINE}{more}\n" * count, "sudoku-9x9")
        assert errors == (dict.fromkeys(range(count), error) if error else {})
        assert holds == [NINE_SOLVED in more and not error] * count


def test_a_board_without_a_text_has_nothing_beside_it():
    puzzle = load("sudoku-4x4")
    boards = Boards.of([puzzle.read(BOARD)])
    answers = Answers.of(boards, solve_all(registry.solver(None, puzzle), list(boards), Limit()))
    assert compared(boards, answers, np.ones(1, bool)).errors == {}
