"""`logic`: solves Sudoku as a person does, by the easiest step at each position."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.logic import Logic as LogicView
from puzzlelab.core.logic import Step, numbered
from puzzlelab.core.puzzle import Puzzle, board_after
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import Candidates


class LogicSolver(SolverSettings):
    """Steps of logic, the easiest first; it ends where no step is known.

    Each step follows from the rules, so that a solution is the only one, and a contradiction proves that there is none.
    """

    name: ClassVar[str] = "logic"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)

    uniqueness: bool = False
    """Whether steps may assume that there is one solution; nothing is proven then."""

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Return why it cannot solve this puzzle, in words."""
        return None if puzzle.view(LogicView) is not None else "it has no logic of its own"

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield the progress after each step, and the result."""
        began, steps = time.perf_counter(), list[Step]()
        for step in self._way(instance):
            steps.append(step)
            seconds = time.perf_counter() - began
            if limit.seconds is not None and seconds > limit.seconds:
                yield self._result(instance, steps, "time", seconds)
                return
            if limit.nodes is not None and len(steps) >= limit.nodes:
                yield self._result(instance, steps, "nodes", seconds)
                return
            yield Progress(len(steps), len(steps), 0, 0, seconds)
        yield self._result(instance, steps, "done", time.perf_counter() - began)

    def explain(self, instance: Instance, limit: Limit | None = None) -> Iterator[str]:
        """Yield the steps with their reasons, and the board at the end."""
        steps = list(self._way(instance))
        yield from numbered(steps)
        moves = [move for step in steps for move in step.placements]
        yield instance.puzzle.draw(board_after(instance.puzzle, instance.state, moves))

    def _way(self, instance: Instance) -> Iterator[Step]:
        return _view(instance).way(instance.state, assumes_unique=self.uniqueness)

    def _result(self, instance: Instance, steps: list[Step], stop: Stop, seconds: float) -> Result:
        """Return the solution that the steps lead to, or how far they lead."""
        moves = tuple(move for step in steps for move in step.placements)
        base = Result(None, stop=stop, expanded=len(steps), generated=len(steps), seconds=seconds, tried=moves)
        if instance.puzzle.solved(board_after(instance.puzzle, instance.state, moves)):
            solved = replace(base, moves=moves, tried=(), stop="done", lower_bound=len(moves))
            if self.uniqueness:
                return replace(solved, reason="its steps assume that there is one solution")
            return replace(solved, proof="unique")
        removed = [candidate for step in steps for candidate in step.eliminations]
        objection = _view(instance).objection(instance.state, moves, removed)
        if objection and not self.uniqueness:
            return replace(base, proof="unsolvable", reason=f"after {len(steps)} steps {objection}", stop="done")
        if stop != "done":
            return base
        nothing = f"no step of logic is known after {len(steps)} steps, which write {len(moves)} digits"
        return replace(base, reason=objection or nothing, stop="dead end")


def _view(instance: Instance) -> LogicView:
    view = instance.puzzle.view(LogicView)
    assert view is not None
    return view


SOLVER = LogicSolver
