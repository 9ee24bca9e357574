# mypy: allow-untyped-defs
"""A 9x9 board with its candidates, in the form that kernels work on, and what changes it.

The candidates stand twice: by cell, as the digits that it may hold, and by digit and unit, as the places that are left.
A filled cell has no candidates, and its digit no place in its units.

Shapes: units are numbered as in `Sudoku.units`: rows 0 to 8, columns 9 to 17, boxes 18 to 26. A candidate is the number
of a move: 9 * cell + digit, digits from 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled, inlined
from puzzlelab.puzzles.sudoku.rules import Sudoku

CELLS, DIGITS, UNITS, CANDIDATES = 81, 9, 27, 729
ROWS, COLUMNS, BOXES = 0, 9, 18
"""The first unit of each kind."""
ALL = 0o777
PLACES = 1 << 10
"""What a change has beside the number of its candidate if it places it."""
Numbers = Sequence[int] | NDArray[np.int64]


class Position(NamedTuple):
    """A board with its candidates, and the tables of the grid."""

    memory: NDArray[np.uint8]
    """[M]: what the next six are parts of, so that a position is copied in one piece."""
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


PARTS: Mapping[str, tuple[type, tuple[int, ...]]] = {
    "removed": (np.int64, (1,)),
    "candidates": (np.uint16, (CELLS,)),
    "places": (np.uint16, (DIGITS, UNITS)),
    "ages": (np.uint16, (CANDIDATES,)),
    "values": (np.uint8, (CELLS,)),
    "givens": (np.uint8, (CELLS,)),
}
"""The fields of a position that change -> element type and shape, in the order in which they lie in its memory."""
MEMORY = sum(np.dtype(kind).itemsize * math.prod(shape) for kind, shape in PARTS.values())
"""Bytes of a position."""


def new_position() -> Position:
    """Make an empty board with all candidates."""
    memory = new_memories(1)[0]
    return _empty_position()._replace(memory=memory, **parts_of(memory))


def new_memories(count: int) -> NDArray[np.uint8]:
    """Return the memories `[count, M]` of empty boards with all candidates."""
    memories = np.zeros((count, MEMORY), np.uint8)
    parts = parts_of(memories)
    parts["candidates"][:] = parts["places"][:] = ALL
    return memories


def parts_of(memory: NDArray[np.uint8]) -> dict[str, Any]:
    """Return the parts of `memory: [..., M]` by the names of their fields; they share its bytes."""
    parts, begin = dict[str, Any](), 0
    for name, (kind, shape) in PARTS.items():
        end = begin + np.dtype(kind).itemsize * math.prod(shape)
        parts[name] = memory[..., begin:end].view(kind).reshape(memory.shape[:-1] + shape)
        begin = end
    return parts


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
    memory = new_memories(1)[0]
    return Position(
        memory=memory,
        **parts_of(memory),
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
def load(position, memories, row):
    """Copy one position from `memories: uint8[B, M]`."""
    for i in range(MEMORY):
        position.memory[i] = memories[row, i]


@compiled
def change(position, memories, changes, counts):
    """Make the first `counts: int64[B]` of `changes: int64[B, K]` in the positions of `memories: uint8[B, M]`.

    A change is the number of a candidate that is removed, or PLACES and that of one that is placed.
    """
    for row in range(counts.size):
        if counts[row]:
            load(position, memories, row)
            for i in range(counts[row]):
                cell, digit = changes[row, i] % PLACES // DIGITS, changes[row, i] % PLACES % DIGITS
                if changes[row, i] >= PLACES:
                    place(position, cell, digit)
                else:
                    remove(position, cell, digit)
            for i in range(MEMORY):
                memories[row, i] = position.memory[i]


def play(position: Position, written: Numbers, removed: Numbers) -> None:
    """Make the moves `written: [K]`, and take the candidates `removed: [R]` away."""
    changes = np.concatenate([PLACES + np.asarray(written, np.int64), np.asarray(removed, np.int64)])
    change(position, position.memory[None], changes[None], np.array([changes.size]))


def set_up(position: Position, board: NDArray[np.uint8], candidates: NDArray[np.uint16]) -> None:
    """Make this the position of a board; see `memories_of`."""
    position.memory[:] = memories_of(board[None], candidates[None])[0]


def memories_of(boards: NDArray[np.uint8], candidates: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """Return the memories `[B, M]` of `boards: [B, 81]`, with the `candidates: [B, 81]` that their digits leave.

    All digits count as clues, and so does a cell of which `candidates` say more: its digit may not be exchanged by what
    rests on uniqueness.
    """
    scratch, memories = new_position(), new_memories(len(boards))
    parts = parts_of(memories)
    filled = boards > 0
    moves = PLACES + DIGITS * np.arange(CELLS) + boards.astype(np.int64) - 1
    change(scratch, memories, *_packed(moves, filled))
    missing = parts["candidates"] & ~candidates
    if missing.any():
        is_missing = (missing[:, :, None] >> np.arange(DIGITS) & 1).astype(bool).reshape(-1, CANDIDATES)
        numbers = np.broadcast_to(np.arange(CANDIDATES), is_missing.shape)
        change(scratch, memories, *_packed(numbers, is_missing))
    parts["givens"][:] = filled | (missing != 0)
    return memories


def _packed(numbers: NDArray[np.int64], chosen: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the chosen numbers of each row first, and how many they are."""
    order = np.argsort(~chosen, axis=1, kind="stable")
    return np.take_along_axis(numbers, order, axis=1), chosen.sum(axis=1)
