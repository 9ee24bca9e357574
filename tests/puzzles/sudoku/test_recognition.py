"""Sudokus in the forms of other programs are read as the board that was written, or refused."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab import generate
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.registry import load
from puzzlelab.text.reader import guess

SYMBOLS = "123456789ABCDEFGHIJKLMNOP"
SIZES = {
    "sudoku-4x4": (2, 2),
    "sudoku-6x6": (2, 3),
    "sudoku-6x6:boxes=3x2": (3, 2),
    "sudoku-9x9": (3, 3),
    "sudoku-12x12": (3, 4),
    "sudoku-16x16": (4, 4),
    "sudoku-25x25": (5, 5),
}
"""The boxes across and down, as Solo counts them."""


@st.composite
def boards(draw, names):
    """A puzzle and cells of it, whatever its rules say."""
    puzzle = load(draw(st.sampled_from(names)))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.02, 0.3, 0.8, 1.0]))
    digits = random.integers(1, puzzle.size + 1, puzzle.cells)
    return puzzle, np.where(random.random(puzzle.cells) < share, digits, 0).astype(np.uint8)


def runs(state):
    """The digits as numbers, and the lengths of runs of blanks as negative ones."""
    found = []
    for value in state.tolist():
        if value == 0 and found and found[-1] < 0:
            found[-1] -= 1
        else:
            found.append(value or -1)
    return found


def solo(puzzle, state):
    across, down = SIZES[puzzle.name]
    cells = []
    for run in runs(state):
        whole, rest = divmod(-run, 26) if run < 0 else (0, 0)
        cells += ["z" * whole + (chr(96 + rest) if rest else "")] if run < 0 else [str(run)]
    text = "".join(cells[:1])
    for before, cell in pairwise(cells):
        text += ("_" if before.isdigit() and cell.isdigit() else "") + cell
    return f"{across}x{down}:{text}"


def puzz_link(puzzle, state):
    cells = ""
    for run in runs(state):
        whole, rest = divmod(-run, 20) if run < 0 else (0, 0)
        if run < 0:
            cells += "z" * whole + (chr(ord("g") + rest - 1) if rest else "")
        else:
            cells += f"{run:x}" if run < 16 else f"-{run:02x}"
    return f"https://puzz.link/p?sudoku/{puzzle.size}/{puzzle.size}/{cells}"


@settings(max_examples=60)
@given(board=boards([*SIZES]))
def test_a_game_of_solo_is_its_board(board) -> None:
    puzzle, state = board
    assert puzzle.read(solo(puzzle, state)).state.tolist() == state.tolist()
    assert guess(solo(puzzle, state)) == puzzle


@settings(max_examples=60)
@given(board=boards(["sudoku-4x4", "sudoku-9x9", "sudoku-16x16", "sudoku-25x25"]))
def test_a_link_of_puzz_link_is_its_board(board) -> None:
    puzzle, state = board
    assert puzzle.read(puzz_link(puzzle, state)).state.tolist() == state.tolist()
    assert guess(puzz_link(puzzle, state)) == puzzle


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("sudoku-9x9", "3x3k:a80", "rules beside those of Sudoku"),
        ("sudoku-4x4", "2x2:o5", "has the digit 5; sudoku-4x4 has 1 to 4"),
        ("sudoku-4x4", "2x2:p1", "has 17 cells; sudoku-4x4 has 16"),
        ("sudoku-6x6", "3x2:zj", "this is a board of sudoku-6x6:boxes=3x2, not of sudoku-6x6"),
        ("sudoku-4x4", "http://puzz.link/p?sudoku/4/4/u-1f", "has the digit 31"),
        ("sudoku-4x4", "http://puzz.link/p?sudoku/4/4/u0", "'0' in this link is no digit"),
        ("sudoku-4x4", "http://puzz.link/p?sudoku/4/4/u", "has 15 cells"),
        ("sudoku-4x4", "http://puzz.link/p?sudoku/4/5/z", "does not say the boxes of its grid of 4x5"),
    ],
)
def test_what_is_no_board_of_a_form_is_named(name, text, words) -> None:
    with pytest.raises(BadBoard, match=re.escape(words)):
        load(name).read(text)


def with_candidates(puzzle, state, between):
    """The candidates that the clues leave in each blank cell."""
    candidates = puzzle.candidates(state)
    cells = [
        SYMBOLS[value - 1] if value else "".join(SYMBOLS[digit] for digit in np.flatnonzero(row))
        for value, row in zip(state.tolist(), candidates, strict=True)
    ]
    if between is None:
        return "".join("".join(digit if digit in cell else "." for digit in SYMBOLS[:9]) for cell in cells)
    rows = [cells[start : start + puzzle.size] for start in range(0, puzzle.cells, puzzle.size)]
    return "\n".join(between.join(row) for row in rows)


@pytest.mark.parametrize("between", [None, " ", " | ", "  "])
def test_candidates_are_their_board_or_refused(between) -> None:
    puzzle, random, boards_read, errors = load("sudoku-9x9"), np.random.default_rng(4), 0, []
    for board in generate(puzzle, 60, seed=3):
        state = np.where(random.random(81) < random.choice([0, 0.1, 0.5]), 0, board.state).astype(np.uint8)
        try:
            found = puzzle.read(with_candidates(puzzle, state, between)).state
        except BadBoard as error:
            errors.append(str(error))
        else:
            assert found.tolist() == state.tolist()
            boards_read += 1
    assert boards_read > 20
    assert set(errors) <= {"this is a board of sudoku-9x9:candidates, not of sudoku-9x9"}


def test_candidates_that_say_more_than_clues_are_refused() -> None:
    puzzle = load("sudoku-9x9")
    state = next(iter(generate(puzzle, 1, seed=3))).state.copy()
    state[state == 9] = 0
    text = with_candidates(puzzle, state, " ")
    cells = text.split()
    place = next(place for place, cell in enumerate(cells) if len(cell) > 3)
    cells[place] = cells[place][1:]
    with pytest.raises(BadBoard, match="a board of sudoku-9x9:candidates, not of sudoku-9x9"):
        puzzle.read(" ".join(cells))
    board = load("sudoku-9x9:candidates").read(" ".join(cells))
    shown = [set(np.flatnonzero(row) + 1) for row in board.puzzle.candidates(board.state)]
    assert shown[place] == set(map(int, cells[place]))
