"""Boards of a given difficulty: by their proven optimum, uniformly at random, or built backwards from a solution.

The scale of dust is the proven optimum, which only the exact solver knows: boards are drawn until one has the asked
one. Most boards of a size have one of three or four optima; for others the draws are led there, and are then no longer
uniform among the boards of that level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import NO_LEVEL, Scale, singly
from puzzlelab.engine import report
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.dust.backward_generation import build_backwards

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust
    from puzzlelab.puzzles.dust.solvers.halves import Halves

UNIFORM_DRAWS, DRAWS = 32, 1_500
"""Boards tried for one optimum: uniform ones at first, and all."""
NODES_A_DRAW, NODES = 20_000_000, 100_000_000
"""The node limits of one board and of all boards tried for one optimum; see `_allowed`."""
EASY_SIZE = 48
"""Cells of the largest board for which all of these nodes are allowed."""
FAR = 4
"""A board whose first solution is this many clicks longer than the optimum sought is dropped without a proof."""
QUICK_NODES, QUICK_SIZE = 400_000, 64
"""Nodes that `difficulty` spends on the proof of an optimum, and the largest boards for which it tries."""


def _optimum(puzzle: Dust, state: Board) -> int:
    """Return the optimum of a board, if a short search proves it."""
    result = _solved(_solver(), Instance(puzzle, state), QUICK_NODES)
    return len(result.moves) if result.proof == "optimal" and result.moves is not None else NO_LEVEL


def greatest_optimum(puzzle: Dust) -> int:
    """Return the most clicks that a board needs: whatever has not the commonest colour goes cell by cell, the rest is
    one cluster.
    """
    return puzzle.cells - -(-puzzle.cells // puzzle.colours) + 1


def uniform(puzzle: Dust, random: np.random.Generator, level: int | None, count: int) -> Board:
    """Return `count` full boards `[B, N]`, each cell of any colour, all alike; this scale has no levels."""
    if level is not None:
        raise BadOption("the scale 'uniform' of dust has no levels")
    return random.integers(1, puzzle.colours + 1, (count, puzzle.cells), np.uint8)


def backwards(puzzle: Dust, random: np.random.Generator, level: int | None = None) -> Board:
    """Build a board of this number of clusters, one after the other; without a number, of as many as boards commonly
    need.

    It is full where clusters can be found that fill it. Raises `BadOption` for a number that cannot be had.
    """
    if level is None:
        level = int(random.integers(puzzle.cells // 8 + 1, puzzle.cells // 3 + 2))
    _must_be_level(puzzle, "backwards", level, puzzle.cells)
    board = build_backwards(puzzle, random, level)
    if board is None:
        raise BadOption(f"no board of {puzzle.name} was found that is built of {level} clusters; try a lower level")
    return board


def by_optimum(puzzle: Dust, random: np.random.Generator, level: int | None, count: int) -> Board:
    """Return `count` full boards `[B, N]` with this proven optimum; without a number uniform boards, not solved.

    Raises `BadOption` for a number that no board has, or that none of a few hundred boards has.
    """
    if level is None:
        return uniform(puzzle, random, None, count)
    _must_be_level(puzzle, "optimum", level, greatest_optimum(puzzle))
    return np.array([_drawn(_Search(puzzle, random, level)) for _ in range(count)])


def _drawn(search: _Search) -> Board:
    """Return a board with the optimum of the search, drawn until one has it."""
    for board in search.boards():
        if search.hits(board):
            return board
    unproven = f", and {search.unproven} could not be proven" if search.unproven else ""
    raise BadOption(
        f"no board of {search.puzzle.name} with the optimum {search.level} was found: "
        f"of {search.draws} none had it{unproven}"
    )


def _must_be_level(puzzle: Dust, scale: str, level: int, greatest: int) -> None:
    if not 1 <= level <= greatest:
        raise BadOption(f"the levels of {puzzle.name} on the scale '{scale}' go from 1 to {greatest}, not to {level}")


@dataclass
class _Search:
    """The search for one board with a given optimum."""

    puzzle: Dust
    random: np.random.Generator
    level: int
    draws: int = 0
    nodes: int = 0
    below: int = 0
    """Boards with a smaller optimum."""
    above: int = 0
    """Boards with a larger optimum, or most likely so."""
    unproven: int = 0
    length: int = 0
    """The best known solution of the last board."""

    def __post_init__(self) -> None:
        self.solver = _solver()

    def hits(self, board: Board) -> bool:
        """Tell whether this board has the given optimum."""
        result = _solved(self.solver, Instance(self.puzzle, board), NODES_A_DRAW, self._off)
        self.draws += 1
        self.nodes += result.expanded
        self.length = self.puzzle.cells if result.moves is None else len(result.moves)
        self.below += self.length < self.level
        self.above += result.lower_bound > self.level or self.length > self.level + FAR
        self.unproven += result.stop == "nodes"
        report.progress("boards tried", self.draws, DRAWS)
        return result.proof == "optimal" and self.length == self.level

    def _off(self, attempt: Attempt) -> bool:
        """Tell whether the optimum of the board certainly or likely differs from the given one."""
        if isinstance(attempt, Result):
            length = self.level if attempt.length is None else attempt.length
            return attempt.lower_bound > self.level or not self.level <= length <= self.level + FAR
        return attempt.bound > self.level

    def boards(self) -> Iterator[Board]:
        """Yield boards to try: uniform ones, then boards biased towards the given optimum."""
        led: Iterator[Board] | None = None
        while self.draws < DRAWS and self.nodes < _allowed(self.puzzle, NODES):
            if self.draws < UNIFORM_DRAWS:
                yield self._any()
                continue
            led = led or (self._easier() if self.above > self.below else self._harder())
            yield next(led)

    def _any(self) -> Board:
        """Return a uniform board."""
        board: Board = uniform(self.puzzle, self.random, None, 1)[0]
        return board

    def _easier(self) -> Iterator[Board]:
        """Yield boards with a known solution of the given length, or of a few more clicks."""
        while True:
            for more in (0, 1, 2):
                board = build_backwards(self.puzzle, self.random, min(self.level + more, self.puzzle.cells))
                yield self._any() if board is None or not board.all() else board

    def _harder(self) -> Iterator[Board]:
        """Yield a walk over boards that changes a few cells at a time, and only goes where solutions get no shorter."""
        best, length = self._any(), 0
        while True:
            board = best.copy()
            cells = self.random.integers(self.puzzle.cells, size=self.random.integers(1, 4))
            board[cells] = self.random.integers(1, self.puzzle.colours + 1, cells.size)
            yield board
            if length <= self.length <= max(self.level, length):
                best, length = board, self.length


def _allowed(puzzle: Dust, nodes: int) -> int:
    """Return fewer nodes for larger boards, where each takes longer, and proofs are out of reach sooner."""
    return int(nodes * min(1.0, EASY_SIZE / puzzle.cells) ** 4)


def _solved(solver: Halves, instance: Instance, nodes: int, off: Callable[[Attempt], bool] | None = None) -> Result:
    """Return the result of the solver, which `off` may end early. Ctrl-C propagates to the caller."""
    enough = False

    def watch(attempt: Attempt) -> bool:
        nonlocal enough
        enough = off is not None and off(attempt)
        return enough

    result = solve(solver, instance, Limit(nodes=_allowed(cast("Dust", instance.puzzle), nodes)), watch)
    if result.stop == "interrupted" and not enough:
        raise KeyboardInterrupt
    return result


def _solver() -> Halves:
    """Return the exact solver, with a memory that lasts from board to board."""
    from puzzlelab.puzzles.dust.solvers.halves import Halves

    return Halves().with_memory()


@dataclass(frozen=True)
class DustSamples:
    """The view `Samples` of dust."""

    puzzle: Dust
    generator: ClassVar[None] = None

    @property
    def scales(self) -> Mapping[str, Scale]:
        """Return the scales on which boards can be made, the main one first."""
        return {
            "optimum": Scale(
                "fewest clicks, proven; without a level, any full board",
                partial(by_optimum, self.puzzle),
                (1, greatest_optimum(self.puzzle)),
            ),
            "uniform": Scale("full boards, every cell any colour alike", partial(uniform, self.puzzle)),
            "backwards": Scale(
                "clicks of a known solution, from which the board is built; the optimum may be less",
                singly(partial(backwards, self.puzzle)),
                (1, self.puzzle.cells),
            ),
        }

    def difficulty(self, states: Board) -> Mapping[str, NDArray[np.int64]]:
        """Return `int64[B]`: cells, clusters and colours of `states[B, N]`, and the optimum if it is proven."""
        levels = {
            "cells": np.count_nonzero(states, axis=1),
            "clusters": np.array([self.puzzle.legal(state).sum() for state in states], np.int64),
            "colours": np.array([np.unique(state[state != 0]).size for state in states], np.int64),
        }
        if self.puzzle.cells > QUICK_SIZE:
            return levels
        return {"optimum": np.array([_optimum(self.puzzle, state) for state in states], np.int64), **levels}
