"""The dust game and its depth-first search as plain Python plays them, for comparison: NumPy arrays and recursion.

Written anew after the article "Machine learning puzzle solving with a deep neural network" (2021), its faults included
where `corrected` is False. Nothing here is used by puzzlelab, and nothing of puzzlelab is used here.

A board is `uint8[W, H]`, `board[x, y]` with y = 0 at the bottom; 0 is empty. A move is a cell (x, y).
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Board = NDArray[np.uint8]
Move = tuple[int, int]
LOOKED_AHEAD = 6
"""Plies in which a move is judged by the largest cluster that it leaves, too."""


# --- the game ---


def clear(board: Board, x: int, y: int, colour: int) -> None:
    """Empty the cells of this colour that hang together with (x, y), in place."""
    width, height = board.shape
    if 0 <= x < width and 0 <= y < height and board[x, y] == colour:
        board[x, y] = 0
        clear(board, x - 1, y, colour)
        clear(board, x + 1, y, colour)
        clear(board, x, y - 1, colour)
        clear(board, x, y + 1, colour)


def contract(board: Board) -> Board:
    """The board after its columns fell, and the two halves of its rows closed up towards the centre line."""
    width, height = board.shape
    fallen = np.zeros_like(board)
    for x in range(width):
        pile = board[x][board[x] != 0]
        fallen[x, : len(pile)] = pile
    closed, line = np.zeros_like(board), width // 2
    for y in range(height):
        left, right = fallen[:line, y], fallen[line:, y]
        left, right = left[left != 0], right[right != 0]
        closed[line - len(left) : line, y] = left
        closed[line : line + len(right), y] = right
    return closed


def play(board: Board, x: int, y: int) -> Board:
    """The board after a click; a click on nothing changes nothing."""
    after = board.copy()
    if after[x, y] == 0:
        return after
    clear(after, x, y, after[x, y])
    return contract(after)


def done(board: Board) -> bool:
    """Whether the board is empty; what is left lies on the bottom row too."""
    return bool((board[:, 0] == 0).all())


def clusters(board: Board) -> NDArray[np.uint8]:
    """`uint8[W, H]`: the number of each cell's cluster, from 1, row by row from the bottom; 0 for empty cells."""
    width, height = board.shape
    labels = np.zeros(board.shape, np.uint8)
    number = 1
    for y in range(height):
        for x in range(width):
            if labels[x, y] == 0 and board[x, y] != 0:
                _flood(board, x, y, board[x, y], labels, number)
                number += 1
    return labels


def _flood(board: Board, x: int, y: int, colour: int, labels: NDArray[np.uint8], number: int) -> None:
    width, height = board.shape
    labels[x, y] = number
    if x > 0 and labels[x - 1, y] == 0 and board[x - 1, y] == colour:
        _flood(board, x - 1, y, colour, labels, number)
    if y > 0 and labels[x, y - 1] == 0 and board[x, y - 1] == colour:
        _flood(board, x, y - 1, colour, labels, number)
    if x < width - 1 and labels[x + 1, y] == 0 and board[x + 1, y] == colour:
        _flood(board, x + 1, y, colour, labels, number)
    if y < height - 1 and labels[x, y + 1] == 0 and board[x, y + 1] == colour:
        _flood(board, x, y + 1, colour, labels, number)


def guesses(labels: NDArray[np.uint8]) -> tuple[list[Move], NDArray[np.int64]]:
    """A cell of each cluster, and how many cells each has."""
    numbers, sizes = np.unique(labels[labels > 0], return_counts=True)
    cells = [np.argwhere(labels == number)[0] for number in numbers]
    return [(int(x), int(y)) for x, y in cells], sizes


def children(board: Board) -> Iterator[Board]:
    """What each move leads to."""
    for x, y in guesses(clusters(board))[0]:
        yield play(board, x, y)


# --- the search ---


class Search:
    """Depth first, large clusters first; only what may be shorter than the best solution is gone into.

    Faithful to the article, an empty cell counts as a colour that is left to be cleared, so that boards with empty
    cells are given up one move too early; and the holes count as a cluster in the order of the first plies. With
    `corrected` neither is so, and a search that ends by itself has found a shortest solution.
    """

    def __init__(self, seconds: float | None, corrected: bool) -> None:
        self.ends = None if seconds is None else time.perf_counter() + seconds
        self.corrected = corrected
        self.cut = False
        """Whether the time was up before everything was tried."""

    def best(self, board: Board, history: list[Move], bound: int) -> list[Move] | None:
        """The best solution with fewer than `most` moves that goes on from `history`; None where none was found."""
        best_moves = None
        for x, y in self.ordered(board, len(history)):
            if self.ends is not None and time.perf_counter() > self.ends:
                self.cut = True
                return best_moves
            after, moves = play(board, x, y), [*history, (x, y)]
            if done(after):
                return moves
            if self.colours(after) + len(moves) < bound:
                longer = self.best(after, moves, bound)
                if longer is not None and len(longer) < bound:
                    best_moves, bound = longer, len(longer)
        return best_moves

    def colours(self, board: Board) -> int:
        """How many different things lie on the board."""
        distinct = np.unique(board)
        return int((distinct != 0).sum()) if self.corrected else len(distinct)

    def ordered(self, board: Board, ply: int) -> list[Move]:
        """The moves, the most promising first."""
        labels = clusters(board)
        moves, sizes = guesses(labels)
        values = sizes.copy()
        if ply < LOOKED_AHEAD:
            values += [self.largest(play(board, x, y), labels > 0) for x, y in moves]
        return [moves[place] for place in np.argsort(-values)]

    def largest(self, after: Board, before: NDArray[np.bool_]) -> int:
        """The cells of the largest cluster that a move leaves; `before` are the cells that were not empty."""
        numbers, counts = np.unique(clusters(after)[before], return_counts=True)
        if self.corrected:
            counts = counts[numbers != 0]
        return int(counts.max(initial=0))


def solve(board: Board, seconds: float | None = None, corrected: bool = False) -> list[Move] | None:
    """The best moves that the search finds in this time; None if it found none.

    Without a limit it runs to its end: milliseconds on 4 columns of 3 cells, hopelessly long on 8 of 6.
    """
    return [] if done(board) else Search(seconds, corrected).best(board, [], board.size)
