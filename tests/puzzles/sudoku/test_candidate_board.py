"""Sudoku with candidates: what is read, written and solved, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from puzzlelab import load, solve
from puzzlelab.conformance import check_puzzle
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import Drawings, board_after
from puzzlelab.jobs.board_forms import form_named
from puzzlelab.text.reader import read_any, widened

PLAIN, PUZZLE = load("sudoku-9x9"), load("sudoku-9x9:candidates")
CLUES = "..4..3..65..........8..9....1..5..7.....2..3.7..6....4..2..8..........5.3..4..1.."
SEVERAL = ".2....984..5..4..7...7.9...............97..138..4..5..5.3.427.12....7.45...1...9."
"""A board with 254 solutions."""


def line(cells: str, removed: str = "") -> str:
    return f":0000:x:{cells}:{removed}:::"


def signs(board: Instance) -> str:
    """The 729 signs of a board: nine for each cell."""
    return "".join(
        "".join(str(digit + 1) if value >> digit & 1 else "." for digit in range(9)) for value in board.state.tolist()
    )


def test_removed_candidates_decide_between_solutions() -> None:
    states = [
        board_after(PLAIN, PLAIN.read(SEVERAL).state, moves) for moves in [solve(PLAIN.read(SEVERAL)).moves or ()]
    ]
    solution = states[0]
    removed = " ".join(
        f"{digit + 1}{cell // 9 + 1}{cell % 9 + 1}"
        for cell in range(81)
        for digit in range(9)
        if digit + 1 != solution[cell] and cell % 4 == 0 and PUZZLE.read(SEVERAL).state[cell] >> digit & 1
        if not PUZZLE.read(SEVERAL).state[cell] >> 9
    )
    board = PUZZLE.read(line(SEVERAL, removed))
    result = solve(board)
    last = board_after(PUZZLE, board.state, result.moves or ())
    assert [digit for cell, digit in enumerate(PUZZLE.digits(last).tolist()) if cell % 4 == 0] == [
        digit - 1 for cell, digit in enumerate(solution.tolist()) if cell % 4 == 0
    ]
    assert PUZZLE.solved(last)


def test_a_board_without_removed_candidates_is_written_as_plain_sudoku() -> None:
    board = PUZZLE.read(CLUES)
    assert PUZZLE.write(board.state) == CLUES
    assert PUZZLE.read(line(CLUES)) == board
    assert PUZZLE.candidates(board.state).tolist() == PLAIN.candidates(PLAIN.read(CLUES).state).tolist()


def test_what_is_written_is_read_again() -> None:
    board = PUZZLE.read(line(CLUES, "111 512 911"))
    assert PUZZLE.write(board.state) == line(CLUES, "111 911")  # a 5 in row 2 excludes none in row 1, but the box does
    assert PUZZLE.read(PUZZLE.write(board.state)) == board


def test_it_passes_the_checks_of_puzzles() -> None:
    check_puzzle(PUZZLE, [PUZZLE.read(line(CLUES, "111 911")), PUZZLE.read(CLUES)])


@pytest.mark.parametrize("between", ["", "\n"])
def test_729_signs_are_candidates(between: str) -> None:
    board = PUZZLE.read(line(CLUES, "111 911"))
    text = between.join(signs(board)[9 * cell : 9 * cell + 9] for cell in range(81))
    assert read_any(text) == [board]
    assert PUZZLE.read(text) == board


def test_a_single_candidate_that_no_peer_has_is_a_digit() -> None:
    board = PUZZLE.read(signs(PUZZLE.read(CLUES)))
    assert PUZZLE.digits(board.state).tolist() == PLAIN.digits(PLAIN.read(CLUES).state).tolist()
    naked = PUZZLE.read(line("." * 81, " ".join(f"{digit}11" for digit in range(2, 10))))
    assert PUZZLE.digits(PUZZLE.read(signs(naked)).state)[0] == -1, "its peers have the 1 too"


def test_a_board_that_says_more_makes_all_boards_of_its_text_such_boards() -> None:
    assert widened(PLAIN, f"{CLUES}\n{line(CLUES)}") is PLAIN
    both = f"{line(CLUES)}\n{line(CLUES, '111')}"
    assert widened(PLAIN, both) == PUZZLE
    assert read_any(both) == read_any(both, "sudoku-9x9") == [PUZZLE.read(CLUES), PUZZLE.read(line(CLUES, "111"))]
    with pytest.raises(BadBoard, match="a board of sudoku-9x9:candidates, not of sudoku-9x9"):
        PLAIN.read(line(CLUES, "111"))


def test_digits_of_a_player_are_clues_of_a_line_without_removed_candidates() -> None:
    assert PLAIN.read(line(CLUES.replace("4", "+4"))) == PLAIN.read(CLUES)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (line(CLUES)[:60], "the line has 52 cells; sudoku-9x9 has 81"),
        (f":0000:x:{CLUES}", "the line is cut off behind its cells"),
        (line(CLUES, "5123"), "'5123' is no candidate; 512 is the 5 in row 1, column 2"),
        (line(CLUES, "413"), "r1c3: 413 removes the digit that stands there"),
        (line(CLUES.replace("4", "a")), "'a' is no cell"),
        ("." * 9 + "123456789" * 80, "r1c1: no candidate is left in this cell"),
    ],
)
def test_what_is_no_board_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(BadBoard, match=sentence):
        PUZZLE.read(text)


def test_a_cell_without_candidates_is_an_objection() -> None:
    board = PUZZLE.read(line(CLUES, " ".join(f"{digit}11" for digit in range(1, 10))))
    assert PUZZLE.objection(board.state) == "r1c1 has no candidate left"
    assert solve(board).proof == "unsolvable"


def test_the_drawings_show_candidates() -> None:
    board = PUZZLE.read(line("1" + "." * 80, "212 312"))
    rows = PUZZLE.draw(board.state).splitlines()
    assert rows[0].split()[:2] == ["=1", "456789"]
    drawing = PUZZLE.view(Drawings)
    assert drawing is not None
    assert drawing.svg(board.state).count("<text") == 1 + int(PUZZLE.candidates(board.state).sum())
    solved = np.array([PUZZLE.read(CLUES).state])
    assert form_named(PUZZLE, "line").write(solved, None) == CLUES + "\n"
