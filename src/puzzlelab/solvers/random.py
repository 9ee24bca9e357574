"""Random moves: a baseline for other solvers.

Shapes: G = games, M = number of moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from puzzlelab.core import seeds
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Instance
from puzzlelab.core.result import Result, Stop, moves_in_words
from puzzlelab.core.solver import Attempt, BatchSolver, SolverSettings
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves, solved
from puzzlelab.engine.kernels import GOLDEN, scramble


class Random(SolverSettings):
    """The player of uniformly random moves, which counts equivalent moves as one; proves nothing."""

    name: ClassVar[str] = "random"
    keeps_costs: ClassVar[bool] = True
    offers: ClassVar[tuple[type, ...]] = (BatchSolver,)

    seed: int = Field(default=0, ge=0, lt=1 << 63)
    """The seed of the random numbers."""
    max_moves: int = Field(default=1000, ge=1, le=1_000_000)
    """The move limit."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield the result of the game."""
        yield self.solve_batch([instance], limit, lambda: False)[0]

    def solve_batch(self, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool]) -> list[Result]:
        """Return the results of games from all these boards, played side by side."""
        puzzle, began, games = instances[0].puzzle, time.perf_counter(), np.arange(len(instances))
        states = np.stack([instance.state for instance in instances])
        random_states = np.array([seeds.of_board(self.seed, state) for state in states], np.uint64)
        is_solved, stuck = solved(puzzle, states), np.zeros(len(games), bool)
        games_moves: list[list[int]] = [[] for _ in instances]
        max_moves = min(self.max_moves, limit.nodes or self.max_moves)
        stop: Stop = "nodes" if max_moves < self.max_moves else "dead end"
        for _ in range(max_moves):
            active = games[~is_solved & ~stuck]
            if not active.size:
                break
            if over():
                stop = "interrupted"
                break
            if limit.seconds is not None and time.perf_counter() - began > limit.seconds * len(games):
                stop = "time"
                break
            canonical = canonical_moves(puzzle, states[active])
            is_canonical = canonical == np.arange(puzzle.move_count)
            random_states[active] += GOLDEN
            uniform = (scramble(random_states[active]) >> np.uint64(11)).astype(float) * 2.0**-53
            nth = (uniform * is_canonical.sum(axis=1)).astype(np.int64)
            moves = (is_canonical.cumsum(axis=1) > nth[:, None]).argmax(axis=1)
            has_move = is_canonical.any(axis=1)
            stuck[active[~has_move]] = True
            after = apply_moves(puzzle, states[active], moves, canonical)
            states[active], is_solved[active] = after.states, after.solved
            for game, move in zip(active[has_move].tolist(), moves[has_move].tolist(), strict=True):
                games_moves[game].append(move)
        seconds = (time.perf_counter() - began) / len(games)
        least = objective_of(puzzle).least_step
        return [
            self._result(games_moves[game], bool(is_solved[game]), bool(stuck[game]), stop, seconds, max(0, least))
            for game in games
        ]

    def _result(self, moves: list[int], is_solved: bool, stuck: bool, stop: Stop, seconds: float, least: int) -> Result:
        length = len(moves)
        if is_solved:
            bound = min(length, least)
            return Result(tuple(moves), lower_bound=bound, expanded=length, generated=length, seconds=seconds)
        reason = ""
        if stuck:
            stop, reason = "dead end", f"after {moves_in_words(length)} no move is left"
        elif stop == "dead end":
            reason = f"it is not solved after the {moves_in_words(length)} that max_moves allows"
        return Result(None, reason=reason, stop=stop, expanded=length, generated=length, seconds=seconds)


SOLVER = Random
