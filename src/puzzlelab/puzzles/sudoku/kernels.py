# mypy: allow-untyped-defs
"""The rules of Sudoku in compiled form; a working state is the plain state."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import implements

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Sudoku

DIGITS_A_WORD = 12
"""Cells of 5 bits in a packed word."""


class SudokuTables(NamedTuple):
    """The tables that the kernels need for one size of the grid."""

    size: int
    units: NDArray[np.int32]
    """[U, N]."""
    peers: NDArray[np.int32]
    """[N * N, P]."""


@implements(kernels.legal, SudokuTables)
def legal(tables, state, moves):
    count = 0
    for cell in range(state.size):
        if state[cell] == 0:
            held = 0
            for peer in tables.peers[cell]:
                held |= 1 << state[peer]
            for digit in range(1, tables.size + 1):
                if not (held >> digit) & 1:
                    moves[count] = cell * tables.size + digit - 1
                    count += 1
    return count


@implements(kernels.apply, SudokuTables)
def apply(tables, state, move, child):
    kernels.copy(state, child)
    child[move // tables.size] = move % tables.size + 1


@implements(kernels.solved, SudokuTables)
def solved(tables, state):
    whole = (1 << (tables.size + 1)) - 2
    for unit in tables.units:
        held = 0
        for cell in unit:
            held |= 1 << state[cell]
        if held != whole:
            return False
    return True


@implements(kernels.replays, SudokuTables)
def replays(tables, state, moves, first, end, child, row):
    # Digits that stand beside each other in a solved grid never were in conflict: it is enough to look at the end.
    size = np.uint32(tables.size)
    for i in range(first, end):
        move = np.uint32(moves[i])  # a negative number is too large
        cell = move // size
        if cell >= state.size or state[cell] != 0:
            return False
        state[cell] = move - cell * size + np.uint32(1)
    return solved(tables, state)


@implements(kernels.pack, SudokuTables)
def pack(tables, state, words):
    for word in range(words.size):
        words[word] = 0
    for cell in range(state.size):
        words[cell // DIGITS_A_WORD] |= np.uint64(state[cell]) << np.uint64(5 * (cell % DIGITS_A_WORD))


@implements(kernels.unpack, SudokuTables)
def unpack(tables, words, state):
    for cell in range(state.size):
        state[cell] = (words[cell // DIGITS_A_WORD] >> np.uint64(5 * (cell % DIGITS_A_WORD))) & np.uint64(31)


@cache
def rules(puzzle: Sudoku) -> KernelRules:
    """Return the compiled rules of this size."""
    tables = SudokuTables(puzzle.size, puzzle.units.all, puzzle.units.peers)
    words = -(-puzzle.cells // DIGITS_A_WORD)
    return KernelRules(tables, puzzle.cells, np.uint8, words, lambda states: states, lambda states: states)
