"""Random moves: what is reached without any thought, against which everything else can be measured.

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
from puzzlelab.core.puzzle import Instance
from puzzlelab.core.result import Result, Stop, moves_in_words
from puzzlelab.core.solver import Attempt, BatchSolver, SolverSettings
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves, solved
from puzzlelab.engine.kernels import GOLDEN, scramble


class Random(SolverSettings):
    """Plays random moves, of which those that come to the same count as one; proves nothing."""

    name: ClassVar[str] = "random"
    offers: ClassVar[tuple[type, ...]] = (BatchSolver,)

    seed: int = Field(default=0, ge=0, lt=1 << 63)
    max_moves: int = Field(default=1000, ge=1, le=1_000_000)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """How the game ended."""
        yield self.solve_batch([instance], limit, lambda: False)[0]

    def solve_batch(self, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool]) -> list[Result]:
        """How the games from all these boards ended, which are played side by side."""
        puzzle, began, games = instances[0].puzzle, time.perf_counter(), np.arange(len(instances))
        states = np.stack([instance.state for instance in instances])
        sown = np.array([seeds.of_board(self.seed, state) for state in states], np.uint64)
        won, stuck = solved(puzzle, states), np.zeros(len(games), bool)
        lines: list[list[int]] = [[] for _ in instances]
        most = min(self.max_moves, limit.nodes or self.max_moves)
        stop: Stop = "nodes" if most < self.max_moves else "dead end"
        for _ in range(most):
            going = games[~won & ~stuck]
            if not going.size:
                break
            if over():
                stop = "interrupted"
                break
            if limit.seconds is not None and time.perf_counter() - began > limit.seconds * len(games):
                stop = "time"
                break
            named = canonical_moves(puzzle, states[going])
            choice = named == np.arange(puzzle.move_count)
            sown[going] += GOLDEN
            chance = (scramble(sown[going]) >> np.uint64(11)).astype(float) * 2.0**-53
            nth = (chance * choice.sum(axis=1)).astype(np.int64)
            moves = (choice.cumsum(axis=1) > nth[:, None]).argmax(axis=1)
            possible = choice.any(axis=1)
            stuck[going[~possible]] = True
            after = apply_moves(puzzle, states[going], moves, named)
            states[going], won[going] = after.states, after.solved
            for game, move in zip(going[possible].tolist(), moves[possible].tolist(), strict=True):
                lines[game].append(move)
        seconds = (time.perf_counter() - began) / len(games)
        return [self._result(lines[game], bool(won[game]), bool(stuck[game]), stop, seconds) for game in games]

    def _result(self, moves: list[int], won: bool, stuck: bool, stop: Stop, seconds: float) -> Result:
        made = len(moves)
        if won:
            return Result(tuple(moves), "none", "", "done", min(made, 1), made, made, 0, seconds)
        reason = ""
        if stuck:
            stop, reason = "dead end", f"after {moves_in_words(made)} no move is left"
        elif stop == "dead end":
            reason = f"it is not solved after the {moves_in_words(made)} that max_moves allows"
        return Result(None, "none", reason, stop, 0, made, made, 0, seconds)


SOLVER = Random
