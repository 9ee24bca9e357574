"""Plays many boards with one search: its arrays are used again for the next board, what it found is replayed at once.

The replay is by the puzzle's compiled rules, which property tests hold equal to the plain ones; every tenth game is
replayed with the plain rules too, which for all games would take a fifth of the whole time.

Shapes: G = games, L = moves of all their solutions together, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.solver import Solver, chosen_estimate
from puzzlelab.core.verify import replay
from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.batch_verify import UNSOLVED, replay_all
from puzzlelab.engine.driver import Machine
from puzzlelab.engine.kernels import BOUND, DONE, FULL, IMPROVED, LENGTH, compiled
from puzzlelab.experience.rollouts import TieBreaks
from puzzlelab.experience.schema import TrainingSamples, joined, packed
from puzzlelab.solvers import beam, ida
from puzzlelab.solvers.beam import Beam
from puzzlelab.solvers.ida import Ida

CHECKED = 10
"""One game in so many is replayed with the plain rules."""
SLICE = 1 << 22
"""Nodes between two looks at whether to go on."""
ROOM = 1 << 33
"""Bytes that the arrays of one search may grow to."""


def fast_rollouts(
    puzzle: Puzzle, solver: Solver, board: Callable[[int], State], draws: TieBreaks | None = None
) -> FastRollouts | None:
    """What plays the boards of these numbers, if the solver can be made to begin anew, and runs compiled."""
    rules = puzzle.view(KernelRules)
    if rules is None or not isinstance(solver, Beam | Ida):
        return None
    estimate = chosen_estimate(puzzle, solver.estimate)
    if estimate.kernel is None:
        return None
    if isinstance(solver, Ida):
        deepening = partial(ida.machine, estimate=estimate, rules=rules)
        return FastRollouts(puzzle, board, draws, rules, deepening, _begin_ida, 32) if solver.jobs == 1 else None
    if solver.width is None or solver.prior is not None:
        return None
    layered = partial(beam.machine, estimate=estimate, rules=rules, width=solver.width, max_moves=beam.UNBOUNDED)
    return FastRollouts(puzzle, board, draws, rules, layered, beam.restart, 256)


def _begin_ida(search: Machine, start: State) -> None:
    """Begin anew from another working state `[S]`."""
    control, proves = search.control, int(search.control[ida.PROVES])
    control[:] = 0
    control[LENGTH], control[ida.LAST_MOVE], control[ida.PROVES] = -1, -1, proves
    search.record.stack[0] = start


@dataclass(frozen=True)
class FastRollouts:
    """Plays boards by one kind of search."""

    puzzle: Puzzle
    board: Callable[[int], State]
    draws: TieBreaks | None
    """What decides the detours; None for none."""
    rules: KernelRules
    search: Callable[[Instance], Machine]
    restart: Callable[[Machine, State], None]
    chunk: int
    """Games that are worth a call."""

    def play(self, first: int, end: int, over: threading.Event) -> TrainingSamples:
        """The samples of the games number `first` to `end` - 1; for one thread at a time each call."""
        games = np.arange(first, end)
        boards = np.stack([self.board(game) for game in range(first, end)])
        search = self.search(Instance(self.puzzle, boards[0]))
        lines = self._lines(search, games, self.rules.encode(boards).astype(self.rules.dtype), over)
        if self.draws is None:
            return self._samples(lines)
        detours = self._lines(search, *self._branches(lines, self.draws), over)
        samples = joined([self._samples(lines), self._samples(detours)])
        return samples.at(np.argsort(samples.game, kind="stable"))

    def _lines(self, search: Machine, games: NDArray[np.int64], starts: State, over: threading.Event) -> SolutionPaths:
        """The solutions from these working states, each of which belongs to a game."""
        moves: list[list[int] | None] = []
        proven: list[bool] = []
        for start in starts:
            self.restart(search, start)
            found = self._solve(search, over)
            moves.append(found)
            proven.append(found is not None and search.control[BOUND] == len(found))
        self._check(games, starts, moves)
        return self._replayed(games, starts, moves, np.array(proven, bool))

    def _solve(self, search: Machine, over: threading.Event) -> list[int] | None:
        """The moves that one search finds; None where it ends without a solution."""
        while not over.is_set():
            status = search.step(SLICE)
            if status == IMPROVED:
                return search.solution(search.record)
            if status == DONE:
                return None
            if status == FULL and not search.enlarge(ROOM):
                raise MemoryError
        raise KeyboardInterrupt

    def _check(self, games: NDArray[np.int64], starts: State, moves: list[list[int] | None]) -> None:
        """Replay one game in `CHECKED`, with its detours, by the plain rules."""
        for place in np.flatnonzero(games % CHECKED == 0).tolist():
            found = moves[place]
            if found is not None:
                board = self.rules.decode(starts[place : place + 1])[0]
                verdict = replay(Instance(self.puzzle, board), found)
                if not verdict.holds:
                    raise self._wrong(starts[place], verdict.reason)

    def _replayed(
        self, games: NDArray[np.int64], starts: State, moves: list[list[int] | None], proven: NDArray[np.bool_]
    ) -> SolutionPaths:
        """The positions on the way of every solution, by the compiled rules, which say whether its moves hold."""
        lengths = np.array([UNSOLVED if found is None else len(found) for found in moves], np.int64)
        flat = np.array([move for found in moves for move in found or ()], np.int32)
        positions = np.empty((flat.size, self.rules.size), self.rules.dtype)
        scratch = np.empty(self.rules.size, self.rules.dtype), np.empty(self.puzzle.move_count, np.int32)
        holds = np.empty(len(moves), bool)
        replay_all(self.rules.tables, starts, lengths, flat, positions, *scratch, holds)
        if not holds.all():
            raise self._wrong(starts[int(holds.argmin())], "its moves do not solve it")
        return SolutionPaths(games, np.maximum(lengths, 0), flat, positions, proven)

    def _branches(self, lines: SolutionPaths, draws: TieBreaks) -> tuple[NDArray[np.int64], State]:
        """Where the detours begin: for each of them its game, and a working state."""
        solved = lines.lengths > 0
        games, lengths = lines.games[solved], lines.lengths[solved]
        chances = np.stack([draws(game) for game in games.tolist()]) if games.size else np.empty((0, 0, 2))
        before = (np.cumsum(lengths) - lengths)[:, None]
        places = (before + (chances[..., 0] * lengths[:, None]).astype(np.int64)).reshape(-1)
        children = np.empty((places.size, self.rules.size), self.rules.dtype)
        legal = np.empty(self.puzzle.move_count, np.int32)
        found = np.empty(places.size, bool)
        branch_all(self.rules.tables, lines.positions[places], chances[..., 1].reshape(-1), children, legal, found)
        return np.repeat(games, chances.shape[1])[found], children[found]

    def _samples(self, lines: SolutionPaths) -> TrainingSamples:
        rows, ends = np.arange(lines.moves.size), np.cumsum(lines.lengths)
        masks = np.zeros((rows.size, self.puzzle.move_count), bool)
        masks[rows, lines.moves] = True
        return TrainingSamples(
            np.repeat(lines.games, lines.lengths),
            self.rules.decode(lines.positions),
            packed(masks),
            (np.repeat(ends, lines.lengths) - rows).astype(np.uint16),
            np.repeat(lines.proven, lines.lengths),
        )

    def _wrong(self, start: State, reason: str) -> PuzzlelabError:
        board = self.puzzle.write(self.rules.decode(start[None])[0])
        return PuzzlelabError(f"a teacher gave a wrong answer for {self.puzzle.name}: {board}: {reason}")


@dataclass(frozen=True, eq=False)
class SolutionPaths:
    """Solutions, with the positions on their ways."""

    games: NDArray[np.int64]
    """[G]: which game each belongs to."""
    lengths: NDArray[np.int64]
    """[G]: its moves; 0 where there are none, or none were found."""
    moves: NDArray[np.int32]
    """[L]: the moves of all of them, one after the other."""
    positions: State
    """[L, S]: the working states in which they are made."""
    proven: NDArray[np.bool_]
    """[G]: whether nobody needs fewer."""


@compiled
def branch_all(
    tables: Any,
    positions: State,
    chances: NDArray[np.float64],
    children: State,
    legal: NDArray[np.int32],
    found: NDArray[np.bool_],
) -> None:
    """Write into `children: T[B, S]` what each of `positions: T[B, S]` becomes by a move that does not solve it.

    The least such move is taken for a chance near 0, and the greatest for one near 1; `found: bool[B]` is whether there
    is any.
    """
    for row in range(len(positions)):
        kept = 0
        for i in range(kernels.legal(tables, positions[row], legal)):  # type: ignore[no-untyped-call]
            move = legal[i]
            kernels.apply(tables, positions[row], move, children[row])  # type: ignore[no-untyped-call]
            if not kernels.solved(tables, children[row]):  # type: ignore[no-untyped-call]
                place = kept
                while place > 0 and legal[place - 1] > move:
                    legal[place] = legal[place - 1]
                    place -= 1
                legal[place] = move
                kept += 1
        found[row] = kept > 0
        if kept > 0:
            kernels.apply(tables, positions[row], legal[int(chances[row] * kept)], children[row])  # type: ignore[no-untyped-call]
