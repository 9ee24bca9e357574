"""The forms in which Sudokus are written for other programs: files, lines and links.

What is written is read again by `notation` and `recognition`. The formats are those of SudoCue's and Sudopedia's pages
(.sdk, .sdm, .ss), of HoDoKu's manual, of files that OpenSudoku exports, and of links of f-puzzles.com.

Shapes: B = boards, N = digits, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import as_text
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import BoardForm, Forms, State
from puzzlelab.puzzles.sudoku.candidate_board import CandidateSudoku, library_line
from puzzlelab.puzzles.sudoku.f_puzzles import facts_of
from puzzlelab.puzzles.sudoku.notation import WITH_POINTS, WITH_ZEROS, Board, write
from puzzlelab.puzzles.sudoku.rules import Sudoku
from puzzlelab.text.board_blocks import translated
from puzzlelab.text.documents import compressed

SUDOKUWIKI, F_PUZZLES = "https://www.sudokuwiki.org/sudoku.htm?bd=", "https://www.f-puzzles.com/?load="
FOLDER = """\
<?xml version="1.0" encoding="UTF-8"?>
<opensudoku version="2">
  <folder name="puzzlelab" created="0">
{}  </folder>
</opensudoku>
"""
LARGEST_OF_F_PUZZLES = 16
"""Rows."""
Notes = NDArray[np.int64]
"""`int64[N * N]`: the candidates of each blank cell as bits, of a board that lacks some that its clues leave."""
Writer = Callable[[Board, Board | None, Notes | None], str]
"""Writes the digits of one board, those of its solution if it is known, and its candidates if it lacks some."""


def forms(puzzle: Sudoku) -> Forms:
    """Return the view `Forms` of Sudoku, and of Sudoku with candidates."""
    is_usual = puzzle.name == "sudoku-9x9" or isinstance(puzzle, CandidateSudoku)
    usual = "" if is_usual else f"this form is for boards of sudoku-9x9, and these are of {puzzle.name}"
    small = f"f-puzzles has at most {LARGEST_OF_F_PUZZLES} rows, and {puzzle.name} {puzzle.size}"
    lines, each, one = partial(_in_lines, puzzle), partial(_each, puzzle), partial(_one, puzzle)
    return Forms(
        {
            "csv": BoardForm(
                "CSV: the puzzle and its solution", lines(WITH_POINTS, b","), ".csv", "puzzle,solution", True
            ),
            "pair": BoardForm("the puzzle and its solution on a line", lines(WITH_ZEROS, b"  "), ".txt", "", True),
            "numbers": BoardForm("rows of numbers with spaces, also above 9", each(_numbers), extent="lines"),
            "sdm": BoardForm(
                "SudoCue and OpenSudoku: a line of 81 digits a board", lines(WITH_ZEROS), ".sdm", refusal=usual
            ),
            "sdk": BoardForm(
                "SadMan and SudoCue: nine rows, one board", one(_sdk), ".sdk", "", True, "document", usual
            ),
            "ss": BoardForm(
                "Simple Sudoku: nine rows with bars, one board", one(_bars), ".ss", "", False, "document", usual
            ),
            "hodoku": BoardForm(
                "HoDoKu: a line of a library a board", each(_library, True), "", "", True, refusal=usual
            ),
            "opensudoku": BoardForm(
                "OpenSudoku: a folder of games as XML",
                partial(_folder, puzzle),
                ".opensudoku",
                "",
                True,
                "document",
                usual,
            ),
            "sudokuwiki": BoardForm("sudokuwiki.org: a link a board", each(_sudokuwiki), refusal=usual),
            "f-puzzles": BoardForm(
                "f-puzzles.com and what reads its links: a link a board",
                each(partial(_f_puzzles, puzzle), True),
                has_solutions=True,
                refusal=small if puzzle.size > LARGEST_OF_F_PUZZLES else "",
            ),
        }
    )


# --- boards with candidates ---


def _boards(puzzle: Sudoku, states: State) -> Board:
    """Return `uint8[B, N * N]`: the digits, 0 for blank."""
    return (puzzle.digits(states) + 1).astype(np.uint8) if isinstance(puzzle, CandidateSudoku) else states


def _notes(puzzle: Sudoku, state: State) -> Notes | None:
    """Return the candidates of a board that lacks some that its clues leave; None for other boards."""
    if not isinstance(puzzle, CandidateSudoku) or not puzzle.removed(state).any():
        return None
    return np.where(puzzle.digits(state) < 0, puzzle.notes(state), 0)


def _without_notes(puzzle: Sudoku, states: State) -> Board:
    """Return the digits `uint8[B, N * N]` of boards that lack no candidate; raises `Unsupported` for others."""
    if isinstance(puzzle, CandidateSudoku):
        for state in states:
            if (removed := np.argwhere(puzzle.removed(state))).size:
                cell, digit = removed[0].tolist()
                raise Unsupported(
                    f"{puzzle.write_cell(cell)} lacks the candidate {digit + 1}, and this form has no place for that: "
                    "take line, hodoku, opensudoku or f-puzzles"
                )
    return _boards(puzzle, states)


# --- boards one after the other ---


def _in_lines(puzzle: Sudoku, signs: bytes, between: bytes = b"") -> Callable[[State, State | None], str]:
    """Return what writes a line of N * N signs for each board, with its solution after `between`, if that is given."""

    def lines(states: State, solved: State | None) -> str:
        boards = translated(_without_notes(puzzle, states), signs)
        if solved is None or not between:
            return as_text(boards)
        parted = np.tile(np.frombuffer(between, np.uint8), (len(boards), 1))
        return as_text(np.concatenate([boards, parted, translated(_boards(puzzle, solved), WITH_POINTS)], axis=1))

    return lines


def _each(puzzle: Sudoku, writer: Writer, has_notes: bool = False) -> Callable[[State, State | None], str]:
    """Return what writes boards one after the other; `has_notes` says whether the form has a place for candidates."""

    def write_each(states: State, solved: State | None) -> str:
        return "".join(_texts(puzzle, writer, states, solved, has_notes))

    return write_each


def _texts(puzzle: Sudoku, writer: Writer, states: State, solved: State | None, has_notes: bool) -> Iterator[str]:
    boards = _boards(puzzle, states) if has_notes else _without_notes(puzzle, states)
    solutions: Any = [None] * len(boards) if solved is None else _boards(puzzle, solved)
    for state, board, solution in zip(states, boards, solutions, strict=True):
        yield writer(board, solution, _notes(puzzle, state) if has_notes else None)


def _one(puzzle: Sudoku, writer: Writer) -> Callable[[State, State | None], str]:
    """Return what writes a single board; it raises `Unsupported` for several."""

    def write_one(states: State, solved: State | None) -> str:
        if len(states) != 1:
            raise Unsupported(
                f"this form is for one board, not for {len(states):,}: take sdm, or a file for each board"
            )
        return "".join(_texts(puzzle, writer, states, solved, False))

    return write_one


def _rows(cells: str, size: int = 9) -> str:
    return "".join(f"{cells[start : start + size]}\n" for start in range(0, len(cells), size))


def _numbers(board: Board, solution: Board | None, notes: Notes | None) -> str:
    """Return rows of numbers, and an empty line."""
    size = round(len(board) ** 0.5)
    cells = [(str(digit) if digit else ".").rjust(len(str(size))) for digit in board.tolist()]
    return "".join(f"{' '.join(cells[start : start + size])}\n" for start in range(0, len(cells), size)) + "\n"


def _sdk(board: Board, solution: Board | None, notes: Notes | None) -> str:
    if solution is None:
        return _rows(write(board))
    return f"[Puzzle]\n{_rows(write(board))}[State]\n{_rows(write(solution))}"


def _bars(board: Board, solution: Board | None, notes: Notes | None) -> str:
    cells = write(board)
    rows = [
        f"|{cells[start : start + 3]}|{cells[start + 3 : start + 6]}|{cells[start + 6 : start + 9]}|\n"
        for start in range(0, 81, 9)
    ]
    bands = "|---+---+---|\n".join("".join(rows[first : first + 3]) for first in (0, 3, 6))
    return f"*-----------*\n{bands}*-----------*\n"


def _library(board: Board, solution: Board | None, notes: Notes | None) -> str:
    """Return a line of a library, in which a plus stands before digits that are no clues."""
    cells = write(board)
    if solution is not None:
        cells = "".join(clue if clue != "." else f"+{digit}" for clue, digit in zip(cells, solution, strict=True))
    removed = np.zeros((len(board), 9), bool) if notes is None else Sudoku().candidates(board) & ~_marks(notes)
    return f"{library_line(cells, removed)}\n"


def _marks(notes: Notes) -> NDArray[np.bool_]:
    """Return `bool[81, 9]`: the candidates of each cell."""
    marks: NDArray[np.bool_] = (notes[:, None] >> np.arange(9)) & 1 != 0
    return marks


def _some_left(board: Board, notes: Notes) -> Notes:
    """Return the candidates of blank cells; raises `Unsupported` for a cell without any, which would mean all."""
    if ((board == 0) & (notes == 0)).any():
        raise Unsupported("a cell has no candidate left, for which this form has no place: take line or hodoku")
    return notes


# --- OpenSudoku ---


def _folder(puzzle: Sudoku, states: State, solved: State | None) -> str:
    """Return a folder of games, as OpenSudoku exports one."""
    return FOLDER.format("".join(_texts(puzzle, _game, states, solved, True)))


def _game(board: Board, solution: Board | None, notes: Notes | None) -> str:
    """Return a game: its clues, or for each cell its digit, its notes as bits, and 1 if a player may fill it."""
    data = write(board, "0")
    if solution is not None or notes is not None:
        digits = board if solution is None else solution
        marks = np.zeros(len(board), np.int64) if notes is None or solution is not None else _some_left(board, notes)
        cells = zip(digits.tolist(), marks.tolist(), (board == 0).tolist(), strict=True)
        data = "version: 2\n" + "".join(f"{digit}|{mark}|{int(is_open)}|" for digit, mark, is_open in cells)
    return f'    <game created="0" state="0" time="0" last_played="0" data={quoteattr(data)} />\n'


# --- links ---


def _sudokuwiki(board: Board, solution: Board | None, notes: Notes | None) -> str:
    return f"{SUDOKUWIKI}{write(board, '0')}\n"


def _f_puzzles(puzzle: Sudoku, board: Board, solution: Board | None, notes: Notes | None) -> str:
    """Return a link with the puzzle as JSON, which is compressed."""
    marks = None if notes is None else _marks(_some_left(board, notes))
    return f"{F_PUZZLES}{quote(compressed(facts_of(puzzle, board, solution, marks)), safe='')}\n"
