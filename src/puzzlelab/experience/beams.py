"""Plays many boards with one beam: its arrays are used again for the next board, and what it found is replayed at once.

The replay is by the puzzle's compiled rules, which property tests hold equal to the plain ones; every tenth game is
replayed with the plain rules too, which for all games would take a fifth of the whole time.

Shapes: G = games, L = moves of all their solutions together, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import kernels
from puzzlelab.core.driver import Machine
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.kernels import BOUND, DONE, FULL, IMPROVED, compiled
from puzzlelab.core.puzzle import Compiled, Estimate, Instance, KernelRules, Puzzle, State
from puzzlelab.core.solver import Solver, chosen_estimate
from puzzlelab.core.verify import replay
from puzzlelab.experience.schema import Samples, packed
from puzzlelab.solvers import beam
from puzzlelab.solvers.beam import Beam

CHECKED = 10
"""One game in so many is replayed with the plain rules."""
WHOLE = 1 << 40
"""Nodes of a slice of work: a search of one small board is not interrupted."""
ROOM = 1 << 33
"""Bytes that the arrays of one beam may grow to."""


def player(puzzle: Puzzle, solver: Solver, board: Callable[[int], State]) -> Player | None:
    """What plays the boards of these numbers, where the solver is a beam of a fixed width that runs compiled."""
    if not isinstance(solver, Beam) or solver.width is None or not isinstance(puzzle, Compiled):
        return None
    estimate = chosen_estimate(puzzle, solver.estimate)
    return Player(puzzle, board, estimate, puzzle.kernel(), solver.width) if estimate.kernel is not None else None


@dataclass(frozen=True)
class Player:
    """Plays boards by a beam."""

    puzzle: Puzzle
    board: Callable[[int], State]
    estimate: Estimate
    rules: KernelRules
    width: int

    def play(self, first: int, end: int, over: threading.Event) -> Samples:
        """The samples of the games number `first` to `end` - 1; for one thread at a time each call."""
        boards = np.stack([self.board(game) for game in range(first, end)])
        starts = self.rules.encode(boards).astype(self.rules.dtype)
        instance = Instance(self.puzzle, boards[0])
        search = beam.machine(instance, self.estimate, self.rules, self.width, beam.UNBOUNDED)
        moves: list[list[int]] = []
        proven: list[bool] = []
        for start in starts:
            if over.is_set():
                raise KeyboardInterrupt
            beam.restart(search, start)
            found = self._solve(search)
            moves.append(found)
            proven.append(search.control[BOUND] == len(found))
        self._check(first, boards, moves)
        return self._samples(first, starts, moves, proven)

    def _solve(self, search: Machine) -> list[int]:
        """The moves that one search finds; none where it ends without a solution."""
        while True:
            status = search.step(WHOLE)
            if status == IMPROVED:
                return search.solution(search.record)
            if status == DONE:
                return []
            if status == FULL and not search.enlarge(ROOM):
                raise MemoryError

    def _check(self, first: int, boards: State, moves: list[list[int]]) -> None:
        """Replay one game in `CHECKED` with the plain rules."""
        for place in range(-first % CHECKED, len(boards), CHECKED):
            if moves[place]:
                verdict = replay(Instance(self.puzzle, boards[place]), moves[place])
                self._must(verdict.holds, first + place, verdict.reason)

    def _samples(self, first: int, starts: State, moves: list[list[int]], proven: list[bool]) -> Samples:
        """The positions on the way of every game, by the compiled rules, which say whether its moves hold."""
        lengths = np.array([len(found) for found in moves])
        flat = np.array([move for found in moves for move in found], np.int32)
        positions = np.empty((flat.size, self.rules.size), self.rules.dtype)
        scratch = np.empty(self.rules.size, self.rules.dtype), np.empty(self.puzzle.move_count, np.int32)
        held = replay_all(self.rules.tables, starts, lengths, flat, positions, *scratch)
        self._must(held == len(moves), first + held, "its moves do not solve it")
        rows = np.arange(flat.size)
        masks = np.zeros((flat.size, self.puzzle.move_count), bool)
        masks[rows, flat] = True
        ends = np.cumsum(lengths)
        return Samples(
            np.repeat(np.arange(first, first + len(moves)), lengths),
            self.rules.decode(positions),
            packed(masks),
            (np.repeat(ends, lengths) - rows).astype(np.uint16),
            np.repeat(np.array(proven, bool), lengths),
        )

    def _must(self, holds: bool, game: int, reason: str) -> None:
        if not holds:
            board = self.puzzle.write(self.board(game))
            raise PuzzlelabError(f"beam gave a wrong answer for {self.puzzle.name}: {board}: {reason}")


@compiled
def replay_all(
    tables: Any,
    starts: State,
    lengths: NDArray[np.int64],
    moves: NDArray[np.int32],
    positions: State,
    child: State,
    legal: NDArray[np.int32],
) -> int:
    """Write into `positions: T[L, S]` where each of the `moves: int32[L]` is made.

    Game g has the next `lengths[g]` moves from `starts: T[G, S]` on. Returns G, or the first game of which a move
    cannot be made, or which ends unsolved; a game without moves was not solved, and is passed over.
    """
    row = 0
    for game in range(len(lengths)):
        kernels.copy(starts[game], child)
        for _ in range(lengths[game]):
            kernels.copy(child, positions[row])
            allowed = False
            for i in range(kernels.legal(tables, positions[row], legal)):  # type: ignore[no-untyped-call]
                allowed = allowed or legal[i] == moves[row]
            if not allowed:
                return game
            kernels.apply(tables, positions[row], moves[row], child)  # type: ignore[no-untyped-call]
            row += 1
        if lengths[game] > 0 and not kernels.solved(tables, child):  # type: ignore[no-untyped-call]
            return game
    return len(lengths)
