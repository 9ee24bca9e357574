"""9x9 Sudoku with candidates: a board that says of each blank cell which digits it may still hold.

A player has taken candidates away, or the clues are candidates themselves. A state is `uint16[81]`: bit d for the
candidate d + 1; a filled cell has its digit alone, and the bit FILLED.

A board is written as a line of a library of HoDoKu, `:0000:x:CELLS:REMOVED:::`. REMOVED are the candidates that its
digits leave and that it lacks, as `512` for the 5 in row 1, column 2. Without any it is written as in `sudoku-9x9`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadOption, shorten
from puzzlelab.core.logic import Logic
from puzzlelab.core.puzzle import Drawings, Forms, Notation, Presentation, View, Views, find_view, itself
from puzzlelab.core.views import Candidates, Legality
from puzzlelab.puzzles.sudoku import notation, presentation
from puzzlelab.puzzles.sudoku.rules import Sudoku
from puzzlelab.text.board_blocks import read_state

DIGITS = 9
ALL, FILLED = 0o777, 1 << DIGITS
BITS = (1 << np.arange(DIGITS)).astype(np.uint16)
PLAIN = Sudoku()
NAME = "candidates"
"""What stands behind the colon in the name of the puzzle."""
CELL = re.compile(r"\+?[0-9.]")
REMOVED = re.compile(r"[1-9]{3}")

State = NDArray[Any]
"""`uint16[81]`."""


@dataclass(frozen=True)
class CandidateSudoku(Sudoku):
    """9x9 Sudoku whose boards have candidates: `sudoku-9x9:candidates`. Moves are those of Sudoku.

    >>> board = puzzlelab.load("sudoku-9x9:candidates").read(":0000:x:" + "." * 81 + ":911 912:::")
    >>> board.state[:3].tolist()
    [255, 255, 511]
    """

    def __post_init__(self) -> None:
        if self.size != DIGITS or not self.is_plain:
            raise BadOption("boards with candidates are those of sudoku-9x9")

    @cached_property
    def name(self) -> str:
        return f"{PLAIN.name}:{NAME}"

    # --- rules ---

    def candidates(self, state: State) -> NDArray[np.bool_]:
        """Return `bool[81, 9]`: the digits that each blank cell may hold."""
        left: NDArray[np.bool_] = (np.where(state & FILLED, 0, state)[:, None] & BITS) != 0
        return left

    def is_legal(self, state: State, move: int) -> bool:
        """Tell whether `legal` names this move."""
        cell, digit = divmod(move, DIGITS)
        return bool(state[cell] & BITS[digit]) and not state[cell] & FILLED

    def apply(self, state: State, move: int) -> State:
        cell, digit = divmod(move, DIGITS)
        if state[cell] & FILLED:
            raise ValueError(f"{self.write_move(move)} writes in a cell that is filled")
        child = state.copy()
        peers = self.units.peers[cell]
        child[peers] &= np.where(child[peers] & FILLED, 0xFFFF, ~BITS[digit]).astype(np.uint16)
        child[cell] = BITS[digit] | FILLED
        return child

    def solved(self, state: State) -> bool:
        return PLAIN.solved(self.board(state))

    def board(self, state: State) -> NDArray[np.uint8]:
        """Return `uint8[81]`: the digits, 0 for blank."""
        return (self.digits(state) + 1).astype(np.uint8)

    def digits(self, state: State) -> NDArray[np.int64]:
        digit = np.argmax((state[..., None] & BITS) != 0, axis=-1)
        return np.where(state & FILLED, digit, -1)

    def notes(self, states: State) -> NDArray[np.int64]:
        return (states & ALL).astype(np.int64)

    def written(self, digits: NDArray[np.int64]) -> State:
        """Return `uint16[B, 81]` from `int64[B, 81]`, with all candidates that the digits leave."""
        boards = (digits + 1).astype(np.uint8)
        return np.stack([self.with_all_candidates(board) for board in boards])

    def with_all_candidates(self, board: NDArray[np.uint8]) -> State:
        """Return the state of these clues, with all candidates that they leave."""
        left = (PLAIN.candidates(board) * BITS).sum(axis=1).astype(np.uint16)
        return np.where(board, FILLED | BITS[board.astype(np.int64) - 1], left).astype(np.uint16)

    def with_notes(self, board: NDArray[np.uint8], notes: NDArray[np.int64]) -> State:
        """Return the state of these clues, whose blank cells have the candidates `notes: int64[81]`, as bits.

        A blank cell without notes has all that the clues leave.
        """
        state = self.with_all_candidates(board)
        return np.where((board == 0) & (notes > 0), state & notes, state).astype(np.uint16)

    def objection(self, state: State) -> str | None:
        """Name two equal digits in a unit, a cell without a candidate, or a digit without a place in a unit."""
        return PLAIN.objection_to(self.board(state), self.candidates(state))

    # --- notation ---

    def read(self, text: str) -> Instance:
        """Read a line of a library, a grid of candidates, 729 signs, or any board of `sudoku-9x9`."""
        return Instance(self, read_state(self, text))

    def write(self, state: State) -> str:
        cells, removed = PLAIN.write(self.board(state)), self.removed(state)
        return library_line(cells, removed) if removed.any() else cells

    def removed(self, state: State) -> NDArray[np.bool_]:
        """Return `bool[81, 9]`: the candidates that the digits leave and that the board lacks."""
        removed: NDArray[np.bool_] = PLAIN.candidates(self.board(state)) & ~self.candidates(state)
        return removed

    def draw(self, state: State, mark: int | None = None) -> str:
        """Return the grid with the candidates of each blank cell; a digit that stands there has an `=` before it.

        A full board has digits alone, and is drawn as in `sudoku-9x9`.
        """
        if (state & FILLED).all():
            return PLAIN.draw(self.board(state))
        texts = [
            f"={digit + 1}" if value & FILLED else "".join(str(each + 1) for each in range(DIGITS) if value >> each & 1)
            for value, digit in zip(state.tolist(), self.digits(state).tolist(), strict=True)
        ]
        return presentation.grid(PLAIN, texts)

    def view(self, kind: type[View]) -> View | None:
        return find_view(self, kind, VIEWS)


def library_line(cells: str, removed: NDArray[np.bool_]) -> str:
    """Return a line of a library with these cells, and candidates `removed: bool[81, 9]`."""
    names = (f"{digit + 1}{cell // 9 + 1}{cell % 9 + 1}" for digit, cell in np.argwhere(removed.T).tolist())
    return f":0000:x:{cells}:{' '.join(names)}:::"


def in_library_line(text: str) -> State:
    """Return the state of a line of a library; raises `BadBoard` with the place of what is wrong."""
    line = notation.LIBRARY.fullmatch(text.strip())
    if line is None:
        raise BadBoard(f"'{shorten(text.strip())}' is no board with candidates, such as :0000:x:CELLS:REMOVED:::")
    cells = CELL.findall(line[1])
    if strange := CELL.sub("", line[1]):
        raise BadBoard(f"'{shorten(strange[0])}' is no cell; a cell is a digit, a plus and a digit, or . for blank")
    if len(cells) != PLAIN.cells:
        raise BadBoard(f"the line has {len(cells)} cells; {PLAIN.name} has {PLAIN.cells}")
    if line[2] is None:
        raise BadBoard("the line is cut off behind its cells: no field says which candidates are removed")
    puzzle = CandidateSudoku()
    state = puzzle.with_all_candidates(np.array([int(cell[-1].replace(".", "0")) for cell in cells], np.uint8))
    for word in line[2].split():
        if not REMOVED.fullmatch(word):
            raise BadBoard(f"'{shorten(word)}' is no candidate; 512 is the 5 in row 1, column 2")
        digit, row, column = map(int, word)
        cell = 9 * row + column - 10
        if state[cell] == FILLED | BITS[digit - 1]:
            raise BadBoard(f"{word} removes the digit that stands there", PLAIN.write_cell(cell))
        state[cell] &= ~BITS[digit - 1]
    return state


def in_cells(cells: Sequence[str]) -> State:
    """Return the state of these candidates of each cell, such as '136'.

    A single candidate that no peer has is a digit that stands there. Raises `BadBoard` for a cell without any.
    """
    if "" in cells:
        raise BadBoard("no candidate is left in this cell", PLAIN.write_cell(list(cells).index("")))
    state = np.array([sum(1 << (int(digit) - 1) for digit in cell) for cell in cells], np.uint16)
    is_single = (state & (state - 1)) == 0
    peers = np.bitwise_or.reduce(state[PLAIN.units.peers], axis=1)
    return np.where(is_single & ((peers & state) == 0), state | FILLED, state).astype(np.uint16)


def read(text: str) -> State:
    """Read a board in the notation of this puzzle, or one of `sudoku-9x9`; raises `BadBoard`."""
    if text.lstrip().startswith(":"):
        return in_library_line(text)
    return CandidateSudoku().with_all_candidates(notation.read(text, DIGITS, PLAIN.name))


def notation_of(puzzle: CandidateSudoku) -> Notation:
    """Return the view `Notation`."""
    plain = notation.notation(PLAIN)
    return Notation(shape=plain.shape, signs=plain.signs, read=read)


def presentation_of(puzzle: CandidateSudoku) -> Presentation:
    """Return the presentation: that of Sudoku, with solvers that know candidates."""
    return Presentation(
        usual_solver=("backtracking", {}),
        provers=(("backtracking", {}), ("permutation", {})),
        move_note=presentation.presentation(PLAIN).move_note,
        answer_is_board=True,
        unique_expected=True,
    )


def svg(state: State) -> str:
    """Return the grid as SVG, with small digits for candidates."""
    puzzle = CandidateSudoku()
    return presentation.svg(puzzle, puzzle.board(state), candidates=puzzle.candidates(state), label=puzzle.write(state))


VIEWS: Views = {
    Candidates: itself,
    Drawings: lambda puzzle: Drawings(svg, grid=lambda texts: presentation.grid(PLAIN, texts)),
    Forms: "puzzlelab.puzzles.sudoku.forms:forms",
    Legality: lambda puzzle: Legality(puzzle.is_legal),
    Logic: "puzzlelab.puzzles.sudoku.logic.view:logic",
    Notation: notation_of,
    Presentation: presentation_of,
}
