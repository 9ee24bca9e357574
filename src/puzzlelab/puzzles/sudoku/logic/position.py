# mypy: allow-untyped-defs
"""A 9x9 board with its candidates, in the form that kernels work on, and what changes it.

The candidates stand twice: by cell, as the digits that it may hold, and by digit and unit, as the places that are left.
A filled cell has no candidates, and its digit no place in its units.

Shapes: units are numbered as in `Sudoku.units`: rows 0 to 8, columns 9 to 17, boxes 18 to 26. A candidate is the number
of a move: 9 * cell + digit, digits from 0.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled, inlined
from puzzlelab.puzzles.sudoku.rules import Sudoku

CELLS, DIGITS, UNITS, CANDIDATES = 81, 9, 27, 729
ROWS, COLUMNS, BOXES = 0, 9, 18
"""The first unit of each kind."""
ALL = 0o777


class Position(NamedTuple):
    """A board with its candidates, and the tables of the grid."""

    values: NDArray[np.uint8]
    """[81]: the digits, from 1; 0 for a blank."""
    givens: NDArray[np.uint8]
    """[81]: 1 for a clue."""
    candidates: NDArray[np.uint16]
    """[81]: bit d for the digit d + 1."""
    places: NDArray[np.uint16]
    """[9, 27]: bit i for the i-th cell of a unit that may hold a digit."""
    ages: NDArray[np.uint16]
    """[729]: how many candidates were removed before this one was."""
    removed: NDArray[np.int64]
    """[1]: how many candidates were removed."""
    units: NDArray[np.int64]
    """[27, 9]: the cells of a unit."""
    homes: NDArray[np.int64]
    """[81, 3]: the row, column and box of a cell."""
    spots: NDArray[np.int64]
    """[81, 3]: the place of a cell in each of them."""
    peers: NDArray[np.int64]
    """[81, 20]."""
    sees: NDArray[np.uint8]
    """[81, 81]: 1 for two different cells that share a unit."""
    counts: NDArray[np.uint8]
    """[512]: how many bits a set of nine has."""
    lowest: NDArray[np.uint8]
    """[512]: the place of its lowest bit."""


def new_position() -> Position:
    """Make an empty board with all candidates."""
    return _empty_position()._replace(
        values=np.zeros(CELLS, np.uint8),
        givens=np.zeros(CELLS, np.uint8),
        candidates=np.full(CELLS, ALL, np.uint16),
        places=np.full((DIGITS, UNITS), ALL, np.uint16),
    )


@cache
def _empty_position() -> Position:
    """Return an empty board, whose tables all positions share."""
    units = Sudoku().units
    cells = units.all.astype(np.int64)
    homes, spots = np.zeros((CELLS, 3), np.int64), np.zeros((CELLS, 3), np.int64)
    for unit in range(UNITS):
        homes[cells[unit], unit // 9] = unit
        spots[cells[unit], unit // 9] = np.arange(9)
    sees = np.zeros((CELLS, CELLS), np.uint8)
    for cell in range(CELLS):
        sees[cell, units.peers[cell]] = 1
    sets = np.arange(512)
    return Position(
        values=np.zeros(CELLS, np.uint8),
        givens=np.zeros(CELLS, np.uint8),
        candidates=np.full(CELLS, ALL, np.uint16),
        places=np.full((DIGITS, UNITS), ALL, np.uint16),
        ages=np.zeros(CANDIDATES, np.uint16),
        removed=np.zeros(1, np.int64),
        units=cells,
        homes=homes,
        spots=spots,
        peers=units.peers.astype(np.int64),
        sees=sees,
        counts=np.array([int(each).bit_count() for each in sets], np.uint8),
        lowest=np.array([(int(each) & -int(each)).bit_length() - 1 if each else 0 for each in sets], np.uint8),
    )


@inlined
def remove(position, cell, digit):
    """Take a candidate away, if it is there; `digit` is 0 to 8."""
    bit = 1 << digit
    if position.candidates[cell] & bit:
        position.candidates[cell] ^= np.uint16(bit)
        position.ages[9 * cell + digit] = position.removed[0]
        position.removed[0] += 1
        for kind in range(3):
            position.places[digit, position.homes[cell, kind]] &= np.uint16(ALL ^ (1 << position.spots[cell, kind]))


@inlined
def place(position, cell, digit):
    """Write a digit (0 to 8) in a blank cell, and take it from the candidates of its peers, from r1c1 on."""
    for i in range(position.peers.shape[1]):
        remove(position, position.peers[cell, i], digit)
    for other in range(DIGITS):
        remove(position, cell, other)
    position.values[cell] = digit + 1


@inlined
def has(position, cell, digit):
    """Tell whether a cell has a candidate."""
    return (position.candidates[cell] >> digit) & 1 != 0


@inlined
def sees_places(position, cell, unit, spots):
    """Tell whether a cell is another one than these places of a unit (as bits), and sees all of them."""
    while spots:
        if not position.sees[cell, position.units[unit, position.lowest[spots]]]:
            return False
        spots &= spots - 1
    return True


@inlined
def clear(position):
    """Make the board empty."""
    for cell in range(CELLS):
        position.values[cell] = 0
        position.givens[cell] = 0
        position.candidates[cell] = ALL
    for digit in range(DIGITS):
        for unit in range(UNITS):
            position.places[digit, unit] = ALL
    position.removed[0] = 0


@inlined
def set_clues(position, board):
    """Make this the position of `board: uint8[81]`, with all candidates that its digits leave."""
    clear(position)
    for cell in range(CELLS):
        if board[cell]:
            position.givens[cell] = 1
            place(position, cell, np.int64(board[cell]) - 1)


@compiled
def set_up(position, board, candidates):
    """Make this the position of the digits `board: uint8[81]` and of those of `candidates: uint16[81]` that they leave.

    All its digits count as clues, and so does a cell of which `candidates` say more: its digit may not be exchanged by
    what rests on uniqueness.
    """
    set_clues(position, board)
    for cell in range(CELLS):
        for digit in range(DIGITS):
            if has(position, cell, digit) and not (candidates[cell] >> digit) & 1:
                remove(position, cell, digit)
                position.givens[cell] = 1


@compiled
def play(position, written, removed):
    """Make the moves `written: int64[K]`, and take the candidates `removed: int64[R]` away."""
    for i in range(written.size):
        place(position, written[i] // 9, written[i] % 9)
    for i in range(removed.size):
        remove(position, removed[i] // 9, removed[i] % 9)


@inlined
def load(position, batch, row):
    """Copy one position of a batch."""
    for cell in range(CELLS):
        position.values[cell] = batch.values[row, cell]
        position.givens[cell] = batch.givens[row, cell]
        position.candidates[cell] = batch.candidates[row, cell]
    for digit in range(DIGITS):
        for unit in range(UNITS):
            position.places[digit, unit] = batch.places[row, digit, unit]
    for candidate in range(CANDIDATES):
        position.ages[candidate] = batch.ages[row, candidate]
    position.removed[0] = batch.removed[row]


@inlined
def store(position, batch, row):
    """Write a position back into a batch."""
    for cell in range(CELLS):
        batch.values[row, cell] = position.values[cell]
        batch.givens[row, cell] = position.givens[cell]
        batch.candidates[row, cell] = position.candidates[cell]
    for digit in range(DIGITS):
        for unit in range(UNITS):
            batch.places[row, digit, unit] = position.places[digit, unit]
    for candidate in range(CANDIDATES):
        batch.ages[row, candidate] = position.ages[candidate]
    batch.removed[row] = position.removed[0]
