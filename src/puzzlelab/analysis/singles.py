"""Naked and hidden singles: a cell with one remaining candidate, or a digit with one remaining cell in a unit.

Each single has a sentence and the cells that explain it, for every puzzle with the view `Candidates`.

Shapes: N = cells, D = digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Candidates

NEARLY_FULL = 3
"""The most blank cells of a unit whose missing digits a person sees at a glance."""
FULL_HOUSE, HIDDEN_SINGLE_IN_BOX, EASY_NAKED_SINGLE, HIDDEN_SINGLE_IN_LINE, NAKED_SINGLE = range(5)
"""Kinds of singles, the easiest first. Boxes come before lines, because people look at a box as a whole. Hidden singles
come before naked ones, because it is easier to follow a digit than to rule out all other candidates of a cell."""


class Single(NamedTuple):
    """A forced cell; singles are ordered from the easiest to the hardest."""

    order: int
    blanks: int
    """Blank cells in the unit, or in the fullest unit of the cell."""
    move: int
    why: str
    cells: tuple[int, ...]


def singles(puzzle: Puzzle, state: State) -> Iterator[Single]:
    """Yield the singles of a state without conflicts; a cell may occur several times."""
    yield from _hidden_singles(puzzle, state)
    yield from _naked_singles(puzzle, state)


def _hidden_singles(puzzle: Puzzle, state: State) -> Iterator[Single]:
    """Yield the digits with one remaining cell in a unit."""
    view = view_of(puzzle)
    digits, candidates = view.digits(state), view.candidates(state)
    for kind, number, unit in _units(view):
        blanks = int(np.count_nonzero(digits[unit] < 0))
        for digit in np.flatnonzero(candidates[unit].sum(axis=0) == 1).tolist():
            cell = int(unit[candidates[unit, digit]][0])
            move = cell * candidates.shape[1] + digit
            name, written = cell_name(puzzle, cell), _digit_name(puzzle, move)
            if blanks == 1:
                why = f"{name} must be {written}: it is the last blank cell of {kind} {number}"
                yield Single(FULL_HOUSE, 1, move, why, tuple(int(each) for each in unit if each != cell))
            else:
                order = HIDDEN_SINGLE_IN_BOX if kind == _box(puzzle, view) else HIDDEN_SINGLE_IN_LINE
                why = f"{written} has one place left in {kind} {number}: {name}"
                yield Single(order, blanks, move, why, _holders(view, digits, unit, cell, digit))


def _holders(
    view: Candidates, digits: NDArray[np.int64], unit: NDArray[np.int32], cell: int, digit: int
) -> tuple[int, ...]:
    """Return the cells with this digit that exclude it from the other blank cells of a unit."""
    others = [each for each in unit.tolist() if digits[each] < 0 and each != cell]
    peers = view.units.peers[others]
    return tuple(np.unique(peers[digits[peers] == digit]).tolist())


def _naked_singles(puzzle: Puzzle, state: State) -> Iterator[Single]:
    """Yield the cells with one remaining candidate."""
    view = view_of(puzzle)
    digits, candidates = view.digits(state), view.candidates(state)
    fullest = np.full(digits.size, digits.size)
    for _, _, unit in _units(view):
        fullest[unit] = np.minimum(fullest[unit], np.count_nonzero(digits[unit] < 0))
    kinds = in_words(list(view.units.kinds))
    for cell in np.flatnonzero(candidates.sum(axis=1) == 1).tolist():
        move = cell * candidates.shape[1] + int(np.argmax(candidates[cell]))
        peers, blanks = view.units.peers[cell], int(fullest[cell])
        statement = f"{cell_name(puzzle, cell)} must be {_digit_name(puzzle, move)}"
        why = f"{statement}: its {kinds} hold every other digit"
        order = EASY_NAKED_SINGLE if blanks <= NEARLY_FULL else NAKED_SINGLE
        yield Single(order, blanks, move, why, tuple(peers[digits[peers] >= 0].tolist()))


# --- names ---


def _units(view: Candidates) -> Iterator[tuple[str, int, NDArray[np.int32]]]:
    """Yield every unit with its kind and its number from 1."""
    for kind, units in view.units.kinds.items():
        for number, unit in enumerate(units, start=1):
            yield kind, number, unit


def _box(puzzle: Puzzle, view: Candidates) -> str | None:
    """Return the kind of units that are boxes, if there are any."""
    return list(view.units.kinds)[2] if view.units.box_shape else None


def view_of(puzzle: Puzzle) -> Candidates:
    """Return the view `Candidates` of the puzzle, which must have it."""
    view = puzzle.view(Candidates)
    assert view is not None
    return view


def digits_in(puzzle: Puzzle, state: State) -> NDArray[np.int64]:
    """Return `int64[N]`: the digit in each cell, -1 for blank."""
    return view_of(puzzle).digits(state)


def cell_of(puzzle: Puzzle, move: int) -> int:
    """Return the cell in which a move writes."""
    return move // int(view_of(puzzle).units.all.shape[1])


def cell_name(puzzle: Puzzle, cell: int) -> str:
    """Return a cell as the puzzle writes it."""
    return view_of(puzzle).write_cell(cell)


def _digit_name(puzzle: Puzzle, move: int) -> str:
    """Return what a move writes, as the puzzle writes moves: the text after the cell's name and '='."""
    return puzzle.write_move(move).rpartition("=")[2]


def in_words(names: Sequence[str]) -> str:
    """Join words: 'a', 'a and b', 'a, b and c'."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
