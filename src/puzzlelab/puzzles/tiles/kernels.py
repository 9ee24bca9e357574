# mypy: allow-untyped-defs
"""The compiled rules of sliding tiles.

A working state is `uint8[N + 1]`: for each of the N cells the *goal cell* of the piece that lies there, then the cell
of the blank. In these terms every goal board is the identity, so that no kernel knows the actual goal. Equal tiles
have the first of their goal cells. Where the goal has the blank in a corner, rows and columns are reversed until
that corner is the last cell: all four corners have the same tables of estimates. Moves keep their meaning on the board
as it is written.
Moves are directions in which the TILE slides: 0 = U, 1 = D, 2 = L, 3 = R. In the metric of multi-tile moves they have
the numbers of `rules.slides`, and tables of their own.

Tables that a depth-first search reads at every node are flat, with rows of 2^k places, so that a shift finds a place;
rows of an array cost a multiplication by a length from memory, on the way to the next decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import implements, inlined, population
from puzzlelab.puzzles.tiles.rules import Slide, reversed_axes, reversed_goal, slides, source_cell, with_reversed_axes

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles


class TilesTables(NamedTuple):
    """The tables that the rules need for one size of the board; N cells."""

    source: NDArray[np.uint8]
    """[N, 4]: the cell whose tile slides into the blank, for each cell of the blank and each move; N where none."""
    moves: NDArray[np.int32]
    """[N, 4]: the legal moves for each cell of the blank."""
    counts: NDArray[np.uint8]
    """[N]: the number of legal moves for each cell of the blank."""
    steps: NDArray[np.uint8]
    """[4 N]: `source`, flat."""
    pending: NDArray[np.uint64]
    """[8 N]: for each cell of the blank and each last move (4 = none) what to try, four bits a move + 1."""
    bits: np.uint64
    """Bits of a cell in a packed state, and in a place of a flat table."""
    home: np.uint8
    """The blank's goal cell."""
    kinds: NDArray[np.uint8]
    """[N]: for the piece that belongs in each cell, the first cell where it may lie in the end as well."""


class MultiTables(NamedTuple):
    """The tables that the rules need for one size of the board, where several tiles slide in one move; N cells, M
    moves.
    """

    source: NDArray[np.uint8]
    """[N, M]: the cell where the blank is after each move, for each cell of the blank; N where none."""
    moves: NDArray[np.int32]
    """[N, M]: the legal moves for each cell of the blank."""
    counts: NDArray[np.uint8]
    """[N]: the number of legal moves for each cell of the blank."""
    strides: NDArray[np.int64]
    """[M]: the cells from a tile that slides to the next one."""
    tiles: NDArray[np.int64]
    """[M]: how many tiles slide."""
    inverses: NDArray[np.int64]
    """[M]: the move that undoes each one."""
    pending: NDArray[np.uint64]
    """[N, M + 1]: for each cell of the blank and each last move (M = none) what to try, a bit for each move. Two moves
    in one line are one move."""
    bits: np.uint64
    """Bits of a cell in a packed state, and in a place of a flat table."""
    home: np.uint8
    """The blank's goal cell."""
    kinds: NDArray[np.uint8]
    """[N]: for the piece that belongs in each cell, the first cell where it may lie in the end as well."""


class _Moves(NamedTuple):
    """The moves of a board in a metric: the first fields of `TilesTables` and of `MultiTables`."""

    source: NDArray[np.uint8]
    moves: NDArray[np.int32]
    counts: NDArray[np.uint8]


def _working_slides(rows: int, columns: int, metric: str, axes: tuple[int, ...]) -> list[Slide]:
    """Return the move of each number on a board with these axes reversed."""
    down, right = (-1 if axis in axes else 1 for axis in range(2))
    return [Slide(text, down * i, right * j) for text, i, j in slides(rows, columns, metric)]


def _moves(rows: int, columns: int, known: Sequence[Slide]) -> _Moves:
    """Return the moves of each cell of the blank."""
    cells = rows * columns
    found = [[source_cell(rows, columns, cell, move) for move in known] for cell in range(cells)]
    source = np.array([[cells if cell is None else cell for cell in row] for row in found], np.uint8)
    moves = np.zeros(source.shape, np.int32)
    counts = (source < cells).sum(axis=1).astype(np.uint8)
    for cell in range(cells):
        moves[cell, : counts[cell]] = np.flatnonzero(source[cell] < cells)
    return _Moves(source, moves, counts)


def _bits(cells: int) -> np.uint64:
    return np.uint64(max(1, int(cells - 1).bit_length()))


def rule_tables(
    rows: int, columns: int, home: int, axes: tuple[int, ...] = (), kinds: NDArray[np.uint8] | None = None
) -> TilesTables:
    """Return the tables of a `rows` x `columns` board whose blank belongs in cell `home` with these axes reversed.

    Without `kinds` no pieces are alike.
    """
    cells = rows * columns
    kinds = np.arange(cells, dtype=np.uint8) if kinds is None else kinds
    source, moves, counts = _moves(rows, columns, _working_slides(rows, columns, "single", axes))
    pending = np.zeros((cells, 8), np.uint64)
    for cell in range(cells):
        for last in range(5):
            tried = [move for move in moves[cell, : counts[cell]].tolist() if last == 4 or move != last ^ 1]
            pending[cell, last] = sum((move + 1) << (4 * place) for place, move in enumerate(tried))
    return TilesTables(
        source, moves, counts, source.reshape(-1), pending.reshape(-1), _bits(cells), np.uint8(home), kinds
    )


def multi_tables(
    rows: int, columns: int, home: int, axes: tuple[int, ...] = (), kinds: NDArray[np.uint8] | None = None
) -> MultiTables:
    """Return the same tables for multi-tile moves."""
    cells, known = rows * columns, _working_slides(rows, columns, "multi", axes)
    source, moves, counts = _moves(rows, columns, known)
    axis = np.array([*(move.rows == 0 for move in known), -1])
    steps = [move.rows * columns + move.columns for move in known]
    tiles = np.array([move.tiles for move in known], np.int64)
    tried = (source[:, None] < cells) & (axis[:-1] != axis[:, None])
    return MultiTables(
        source=source,
        moves=moves,
        counts=counts,
        strides=np.array(steps, np.int64) // tiles,
        tiles=tiles,
        inverses=np.array([steps.index(-step) for step in steps], np.int64),
        pending=(tried * np.uint64(1) << np.arange(len(known), dtype=np.uint64)).sum(axis=2, dtype=np.uint64),
        bits=_bits(cells),
        home=np.uint8(home),
        kinds=np.arange(cells, dtype=np.uint8) if kinds is None else kinds,
    )


@implements(names.legal, TilesTables)
def legal(tables, state, moves):
    blank = state[state.size - 1]
    count = tables.counts[blank]
    for i in range(4):
        moves[i] = tables.moves[blank, i]
    return np.int64(count)


@implements(names.apply, TilesTables)
def apply(tables, state, move, child):
    names.copy(state, child)
    slide(tables, child, move)


@names.inlined
def slide(tables, state, move):
    """Make the move in place."""
    cells = np.uint64(state.size) - np.uint64(1)
    blank = state[cells]
    source = tables.steps[(np.uint64(blank) << np.uint64(2)) | np.uint64(move)]
    state[blank] = state[source]
    state[source] = tables.home
    state[cells] = source


@implements(names.solved, TilesTables, MultiTables)
def solved(tables, state):
    for cell in range(state.size - 1):
        if tables.kinds[state[cell]] != tables.kinds[cell]:
            return False
    return True


@implements(names.inverse, TilesTables)
def inverse(tables, move):
    return move ^ 1


@implements(names.pending_moves, TilesTables)
def pending_moves(tables, state, last, row):
    blank = state[np.uint64(state.size) - np.uint64(1)]
    return tables.pending[(np.uint64(blank) << np.uint64(3)) | np.uint64(4 if last < 0 else last)]


@implements(names.do_move, TilesTables)
def do_move(tables, stack, depth, move):
    stack[depth + np.uint64(1), 0] = stack[0, np.uint64(stack.shape[1]) - np.uint64(1)]
    slide(tables, stack[0], move)


@implements(names.undo_move, TilesTables)
def undo_move(tables, stack, depth, move):
    cells = np.uint64(stack.shape[1]) - np.uint64(1)
    blank, before = stack[0, cells], stack[depth + np.uint64(1), 0]
    stack[0, blank] = stack[0, before]
    stack[0, before] = tables.home
    stack[0, cells] = before


# --- several tiles in one move ---


@implements(names.legal, MultiTables)
def legal_multi(tables, state, moves):
    blank = state[state.size - 1]
    count = np.int64(tables.counts[blank])
    for i in range(count):
        moves[i] = tables.moves[blank, i]
    return count


@inlined
def slide_line(tables, state, to, stride):
    """Let the tiles from the blank to the cell `to`, which lie `stride` cells apart, slide by one cell."""
    cell = np.int64(state[state.size - 1])
    while cell != to:
        state[cell] = state[cell + stride]
        cell += stride
    state[to] = tables.home
    state[state.size - 1] = to


@implements(names.apply, MultiTables)
def apply_multi(tables, state, move, child):
    names.copy(state, child)
    slide_line(tables, child, tables.source[state[state.size - 1], move], tables.strides[move])


@implements(names.inverse, MultiTables)
def inverse_multi(tables, move):
    return tables.inverses[move]


@implements(names.pending_moves, MultiTables)
def pending_multi(tables, state, last, row):
    return tables.pending[state[state.size - 1], tables.tiles.size if last < 0 else last]


@implements(names.next_move, MultiTables)
def next_multi(tables, row, pending):
    lowest = pending & (~pending + np.uint64(1))
    return population(lowest - np.uint64(1)), pending ^ lowest


@implements(names.do_move, MultiTables)
def do_move_multi(tables, stack, depth, move):
    blank = stack[0, stack.shape[1] - 1]
    stack[depth + np.uint64(1), 0] = blank
    slide_line(tables, stack[0], tables.source[blank, move], tables.strides[move])


@implements(names.undo_move, MultiTables)
def undo_move_multi(tables, stack, depth, move):
    slide_line(tables, stack[0], stack[depth + np.uint64(1), 0], -tables.strides[move])


# --- packed states ---


@implements(names.pack, TilesTables, MultiTables)
def pack(tables, state, words):
    cell, cells = np.uint64(0), np.uint64(state.size) - np.uint64(1)
    for word in range(words.size):
        total, shift = np.uint64(0), np.uint64(0)
        while cell < cells and shift + tables.bits <= np.uint64(64):
            total |= np.uint64(state[cell]) << shift
            shift += tables.bits
            cell += np.uint64(1)
        words[word] = total


@implements(names.unpack, TilesTables, MultiTables)
def unpack(tables, words, state):
    mask = (np.uint64(1) << tables.bits) - np.uint64(1)
    cell, cells = np.uint64(0), np.uint64(state.size) - np.uint64(1)
    for word in range(words.size):
        rest, shift = words[word], np.uint64(0)
        while cell < cells and shift + tables.bits <= np.uint64(64):
            piece = np.uint8((rest >> shift) & mask)
            state[cell] = piece
            if piece == tables.home:
                state[cells] = cell
            shift += tables.bits
            cell += np.uint64(1)


def packed_words(cells: int) -> int:
    """Return the number of 64-bit words of one packed state of this many cells."""
    per_word = 64 // max(1, (cells - 1).bit_length())
    return -(-cells // per_word)


class Places(NamedTuple):
    """The places of pieces in a goal, with the `reversed_axes` reversed."""

    of_numbers: NDArray[np.uint8]
    """[N]: the goal cell of each number, the first one of equal tiles."""
    kinds: NDArray[np.uint8]
    """[N]: see `TilesTables.kinds`."""
    free: NDArray[np.uint8]
    """The goal cells of tiles that may lie on any place which does not matter."""


@cache
def places(puzzle: Tiles) -> Places:
    """Return what the goal of a puzzle says."""
    goal, of_numbers = reversed_goal(puzzle), np.zeros(puzzle.cells, np.uint8)
    numbers, first = np.unique(goal, return_index=True)
    of_numbers[numbers] = first
    kinds, unnamed = of_numbers[goal], of_numbers[list(puzzle.unnamed)]
    kinds[unnamed] = unnamed[:1]
    return Places(of_numbers, kinds, unnamed[unnamed != of_numbers[0]])


@cache
def rules(puzzle: Tiles) -> KernelRules:
    """Return the working form of a puzzle's states: the goal cell of each piece, then the cell of the blank."""
    goal, (of_numbers, kinds, free) = reversed_goal(puzzle), places(puzzle)

    def encode(states: NDArray[np.uint8]) -> NDArray[np.uint8]:
        states = with_reversed_axes(puzzle, states)
        working = np.empty((*states.shape[:-1], puzzle.cells + 1), np.uint8)
        working[..., :-1] = np.take(of_numbers, states)
        working[..., -1] = np.argmax(states == 0, axis=-1)
        return working

    def merge(states: NDArray[np.uint8]) -> NDArray[np.uint8]:
        merged, pieces = states.copy(), states[..., :-1]
        merged[..., :-1] = np.where(np.isin(pieces, free), free[0], pieces)
        return merged

    def decode(states: NDArray[np.uint8]) -> NDArray[np.uint8]:
        pieces = states[..., : puzzle.cells]
        if free.size > 1:
            is_first = pieces == free[0]
            is_first &= is_first.sum(axis=-1, keepdims=True) > 1  # merged: which of them lay where is not known
            pieces = pieces.copy()
            pieces[is_first] = np.tile(free, np.count_nonzero(is_first) // free.size)
        return with_reversed_axes(puzzle, np.take(goal, pieces))

    make, home = multi_tables if puzzle.is_multi else rule_tables, int(np.argmin(goal))
    return KernelRules(
        tables=make(puzzle.rows, puzzle.columns, home, reversed_axes(puzzle), kinds),
        size=puzzle.cells + 1,
        dtype=np.uint8,
        words=packed_words(puzzle.cells),
        encode=encode,
        decode=decode,
        merge=merge if free.size > 1 else None,
        has_objection=puzzle.has_objection,
    )
