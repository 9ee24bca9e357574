"""The cells that two rules force: one candidate is left in a cell, or a digit has one place left in a unit.

Each with the sentence and the cells by which a person sees it; of any puzzle with the view `Candidates`.

Shapes: N = cells, D = digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State, presentation_of
from puzzlelab.core.views import Boxes, Candidates

NEARLY_FULL = 3
"""Blank cells of a unit in which a person sees at a glance which digits are missing."""
FULL_HOUSE, HIDDEN_SINGLE_IN_BOX, EASY_NAKED_SINGLE, HIDDEN_SINGLE_IN_LINE, NAKED_SINGLE = range(5)
"""How soon a person sees it. Boxes come before lines, because one looks at a box as a whole, and digits before cells,
because one follows a digit across the grid; to see that a cell has one candidate, all others must be counted out."""


class Single(NamedTuple):
    """A cell that is forced; the least one is the one that a person sees first."""

    order: int
    blanks: int
    """Cells of the unit, or of the cell's fullest unit, that are blank: what must be looked at."""
    move: int
    why: str
    cells: tuple[int, ...]


def singles(puzzle: Puzzle, state: State) -> Iterator[Single]:
    """Every cell that one of the two rules forces on a state without a conflict; one cell may come several times."""
    yield from _places(puzzle, state)
    yield from _cells(puzzle, state)


def _places(puzzle: Puzzle, state: State) -> Iterator[Single]:
    """The digits with one place left in a unit."""
    view = view_of(puzzle)
    digits, candidates = view.digits(state), view.candidates(state)
    for kind, number, unit in _units(view):
        blanks = int(np.count_nonzero(digits[unit] < 0))
        for digit in np.flatnonzero(candidates[unit].sum(axis=0) == 1).tolist():
            cell = int(unit[candidates[unit, digit]][0])
            move = cell * candidates.shape[1] + digit
            name, told = cell_name(puzzle, cell), _digit_name(puzzle, move)
            if blanks == 1:
                why = f"{name} must be {told}: it is the last blank cell of {kind} {number}"
                yield Single(FULL_HOUSE, 1, move, why, tuple(int(each) for each in unit if each != cell))
            else:
                order = HIDDEN_SINGLE_IN_BOX if kind == _box(puzzle, view) else HIDDEN_SINGLE_IN_LINE
                why = f"{told} has one place left in {kind} {number}: {name}"
                yield Single(order, blanks, move, why, _holders(view, digits, unit, cell, digit))


def _holders(
    view: Candidates, digits: NDArray[np.int64], unit: NDArray[np.int32], cell: int, digit: int
) -> tuple[int, ...]:
    """The cells with this digit that keep it out of the other blank cells of a unit."""
    others = [each for each in unit.tolist() if digits[each] < 0 and each != cell]
    peers = view.units.peers[others]
    return tuple(np.unique(peers[digits[peers] == digit]).tolist())


def _cells(puzzle: Puzzle, state: State) -> Iterator[Single]:
    """The cells with one candidate left."""
    view = view_of(puzzle)
    digits, candidates = view.digits(state), view.candidates(state)
    fullest = np.full(digits.size, digits.size)
    for _, _, unit in _units(view):
        fullest[unit] = np.minimum(fullest[unit], np.count_nonzero(digits[unit] < 0))
    kinds = in_words(list(view.units.kinds))
    for cell in np.flatnonzero(candidates.sum(axis=1) == 1).tolist():
        move = cell * candidates.shape[1] + int(np.argmax(candidates[cell]))
        peers, blanks = view.units.peers[cell], int(fullest[cell])
        told = f"{cell_name(puzzle, cell)} must be {_digit_name(puzzle, move)}"
        why = f"{told}: its {kinds} hold every other digit"
        order = EASY_NAKED_SINGLE if blanks <= NEARLY_FULL else NAKED_SINGLE
        yield Single(order, blanks, move, why, tuple(peers[digits[peers] >= 0].tolist()))


# --- names ---


def _units(view: Candidates) -> Iterator[tuple[str, int, NDArray[np.int32]]]:
    """Every unit with its kind and its number from 1."""
    for kind, units in view.units.kinds.items():
        for number, unit in enumerate(units, start=1):
            yield kind, number, unit


def _box(puzzle: Puzzle, view: Candidates) -> str | None:
    """The kind of units that are boxes, if there are any."""
    return list(view.units.kinds)[2] if puzzle.view(Boxes) else None


def view_of(puzzle: Puzzle) -> Candidates:
    """The view `Candidates` of the puzzle, which must have it."""
    view = puzzle.view(Candidates)
    assert view is not None
    return view


def digits_in(puzzle: Puzzle, state: State) -> NDArray[np.int64]:
    """`int64[N]`: the digit in each cell, -1 for blank."""
    return view_of(puzzle).digits(state)


def cell_of(puzzle: Puzzle, move: int) -> int:
    """The cell in which a move writes."""
    return move // int(view_of(puzzle).units.all.shape[1])


def cell_name(puzzle: Puzzle, cell: int) -> str:
    """A cell as the puzzle writes it, or its number."""
    return presentation_of(puzzle).write_cell(cell)


def _digit_name(puzzle: Puzzle, move: int) -> str:
    """What a move writes, as the puzzle writes moves: what stands after the cell's name and '='."""
    return puzzle.write_move(move).rpartition("=")[2]


def in_words(names: Sequence[str]) -> str:
    """'a', 'a and b', 'a, b and c'."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
