"""Random moves: a baseline for other solvers.

Shapes: G = games, M = number of moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np
from pydantic import Field

from puzzlelab.core import seeds
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.result import Result, Stop, moves_in_words
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves, solved
from puzzlelab.engine.kernels import GOLDEN, scramble


class Random(SolverSettings):
    """The player of uniformly random moves, which counts equivalent moves as one; proves nothing."""

    name: ClassVar[str] = "random"
    keeps_costs: ClassVar[bool] = True
    shares_work: ClassVar[bool] = True

    seed: int = Field(default=0, ge=0, lt=1 << 63)
    """The seed of the random numbers."""
    max_moves: int = Field(default=1000, ge=1, le=1_000_000)
    """The move limit."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield the result of the game."""
        (answers,) = self.solve_batch(Boards.of([instance]), limit, lambda: False)
        yield answers[0]

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Return the results of games from all these boards, played side by side."""
        puzzle, began, games = boards.puzzle, time.perf_counter(), np.arange(len(boards))
        states = boards.states.copy()
        random_states = np.array([seeds.of_board(self.seed, state) for state in states], np.uint64)
        is_solved, stuck = solved(puzzle, states), np.zeros(len(games), bool)
        games_moves: list[list[int]] = [[] for _ in boards]
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
        least = objective_of(puzzle).least_step
        results = [
            self._result(games_moves[game], bool(is_solved[game]), bool(stuck[game]), stop, max(0, least))
            for game in games
        ]
        yield Answers.of(boards, results).solved_together(time.perf_counter() - began)

    def _result(self, moves: list[int], is_solved: bool, stuck: bool, stop: Stop, least: int) -> Result:
        length = len(moves)
        if is_solved:
            bound = min(length, least)
            return Result(tuple(moves), lower_bound=bound, expanded=length, generated=length)
        reason = ""
        if stuck:
            stop, reason = "dead end", f"after {moves_in_words(length)} no move is left"
        elif stop == "dead end":
            reason = f"it is not solved after the {moves_in_words(length)} that max_moves allows"
        return Result(None, reason=reason, stop=stop, expanded=length, generated=length)


SOLVER = Random
