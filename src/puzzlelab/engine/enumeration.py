"""Enumerates and counts the solutions of boards, by solvers and by search machines, and proves that one is unique.

A machine returns IMPROVED with each solution or, with a number in `control.most`, counts in `control.found` and is
DONE when it has that many or all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from puzzlelab.core import registry
from puzzlelab.core.answers import Counts
from puzzlelab.core.boards import Boards, Instance, runs
from puzzlelab.core.errors import BadOption, PuzzlelabError, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, presentation_of
from puzzlelab.core.result import NO_SOLUTION, Count, Progress, Result, Stop
from puzzlelab.core.solver import Attempt, Solver, SolverSettings, require
from puzzlelab.core.verify import verify
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import Clock, Drive, Machine, Score

UNLIMITED = 2**62
SHORTEST = "shortest"
"""The name of the solver that lists all solutions with the fewest moves."""
BATCH = 1000
"""The most boards whose solutions are counted together, and the most solutions of each of them."""


class Enumerator(SolverSettings):
    """The base class of solvers that enumerate all solutions of a board, one by one."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield a solution, then whether it is the only one."""
        return proving_uniqueness(self.solutions(instance, limit))

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield `Progress` from time to time, and a `Result` for each solution; no solution is repeated.

        The last `Result` has no moves; its `stop` is 'done' if there are no more solutions.
        """
        raise NotImplementedError

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Yield growing `Count`s up to `most`; only the `stop` of the last one has a meaning.

        A solver that counts faster than it enumerates does so instead of enumerating.
        """
        total = 0
        for attempt in self.solutions(instance, limit):
            if isinstance(attempt, Progress):
                yield Count(total, "interrupted", attempt.expanded, attempt.seconds or 0.0)
            elif attempt.moves is None:
                yield Count(total, attempt.stop, attempt.expanded, attempt.seconds or 0.0)
                return
            else:
                total += 1
                yield Count(total, "solutions", attempt.expanded, attempt.seconds or 0.0)
                if total >= most:
                    return

    def count_batch(self, boards: Boards, most: int, limit: Limit) -> Counts:
        """Count the solutions of each board up to `most`, and find two of them; a board with an objection has none.

        `limit` is for each board. The count of a board that may reach the limit, or take long, is interrupted; those
        of a solver that counts one by one all are.
        """
        return Counts.of([Count(0, "interrupted")] * len(boards))


def enumerator_of(puzzle: Puzzle, choice: str | Solver | None, optimal: bool = False) -> str | Solver | None:
    """Return the solver that lists the solutions of a puzzle, or its name; None stands for the puzzle's usual one.

    Without a choice it is `SHORTEST` where the usual solver looks for one solution. With `optimal` only the solutions
    with the fewest moves are listed. Raises `BadOption` for a choice that also lists others.
    """
    differ = not presentation_of(puzzle).answer_is_board
    if choice is None:
        lists_all = issubclass(registry.solver_class(registry.usual_solver(puzzle)[0]), Enumerator)
        return None if lists_all and not (optimal and differ) else SHORTEST
    name = registry.solver_and_options(choice, {})[0] if isinstance(choice, str) else choice.name
    if optimal and differ and name != SHORTEST:
        raise BadOption(f"the solutions with the fewest moves are listed by {SHORTEST}, not by {name}")
    return choice


def require_enumerator(solver: Solver, puzzle: Puzzle) -> Enumerator:
    """Return the solver; raises `Unsupported` if it cannot enumerate, or cannot solve this puzzle."""
    require(solver, puzzle)
    if not isinstance(solver, Enumerator):
        raise Unsupported(f"{solver.name} looks for one solution, and cannot list or count them all")
    return solver


def listed(machine: Machine, limit: Limit, clock: Clock | None = None, score: Score | None = None) -> Iterator[Attempt]:
    """Yield the attempts of `Enumerator.solutions` from a machine; a `clock` may have begun before it was
    built.

    `score` scores the states that the machine requests, if it does.
    """
    drive = Drive(machine, limit, score, clock)

    def result(moves: tuple[int, ...] | None, stop: Stop) -> Result:
        return Result(moves, "none", "", stop, 0, *drive.counts, drive.clock.seconds)

    for status, stop in drive.slices():
        if status == kernels.IMPROVED:
            yield result(tuple(machine.solution(machine.record)), "done")
        elif status == kernels.DONE:
            yield result(None, "done")
        else:
            yield Progress(*drive.counts, 0, drive.clock.seconds)
        if stop:
            yield result(None, stop)


def counted(
    machine: Machine, limit: Limit, most: int, clock: Clock | None = None, score: Score | None = None
) -> Iterator[Count]:
    """Yield the counts of `Enumerator.count` from a machine; `clock` and `score` are as in `listed`."""
    machine.control.most = most
    drive = Drive(machine, limit, score, clock)
    for status, stop in drive.slices():
        total = int(machine.control.found)
        if status == kernels.DONE:
            stop = "solutions" if total >= most else "done"
        yield Count(total, stop or "interrupted", drive.counts[0], drive.clock.seconds)


def proving_uniqueness(solutions: Iterator[Attempt]) -> Iterator[Attempt]:
    """Yield the attempts of a solver that enumerates: the first solution, then whether there is a second one."""
    first: Result | None = None
    for attempt in solutions:
        if not isinstance(attempt, Result):
            yield attempt
        elif attempt.moves is None:
            if attempt.stop != "done":
                yield _after(first or attempt, attempt, stop=attempt.stop)
            elif first is None:
                yield replace(attempt, proof="unsolvable", reason=attempt.reason or NO_SOLUTION)
            else:
                yield _after(first, attempt, proof="unique")
            return
        elif first is None:
            first = replace(attempt, lower_bound=len(attempt.moves))
            yield first
        else:
            yield _after(first, attempt, proof="several")
            return


def _after(result: Result, last: Result, **changes: Any) -> Result:
    """Return the result with the counts of the last one, and these changes."""
    counts = {name: getattr(last, name) for name in ("expanded", "generated", "evaluations", "seconds")}
    return replace(result, **counts, **changes)


def count(solver: Solver, instance: Instance, limit: Limit, most: int | None = None) -> Count:
    """Count the solutions of a board, at most `most`; Ctrl-C ends the search, with the count so far.

    A board with an `objection` has none. Raises `Unsupported`.
    """
    enumerator = require_enumerator(solver, instance.puzzle)
    _require_some(most)
    if instance.puzzle.objection(instance.state):
        return Count(0)
    ceiling = UNLIMITED if most is None else most
    best = Count(0, "interrupted")
    try:
        for total in enumerator.count(instance, limit, ceiling):
            best = total
    except KeyboardInterrupt:
        best = replace(best, stop="interrupted")
    return best


def count_parts(solver: Solver, boards: Boards, limit: Limit, most: int | None = None) -> Iterator[Counts]:
    """Yield the counts of `count` for each of these boards, in their order, of some boards at a time.

    A part has the boards that a solver counts together, or one that is counted by itself; Ctrl-C ends the counts with
    that of the board then counted. Raises `Unsupported`.
    """
    enumerator = require_enumerator(solver, boards.puzzle)
    _require_some(most)
    together = BATCH if most is None else min(most, BATCH)
    for first in range(0, len(boards), BATCH):
        part = boards[first : first + BATCH]
        try:
            counts = enumerator.count_batch(part, together, limit)
        except KeyboardInterrupt:
            yield Counts.of([Count(0, "interrupted")])
            return
        is_final = counts.is_stopped_by("done", *(("solutions",) if together == most else ()))
        for begin, end in runs(is_final):
            if is_final[begin]:
                yield counts[begin:end]
                continue
            for instance in part[begin:end]:
                yield Counts.of([result := count(solver, instance, limit, most)])
                if result.stop == "interrupted":
                    return


class Listing:
    """The solutions of a board, each verified; after the iteration, `stop` says why it ended.

    `count` is their number so far, `expanded` that of the expanded states. `stop` is 'done' if there are no other
    solutions, 'solutions' if the requested number was reached.

    >>> blank = puzzlelab.load("sudoku-4x4").read("0" * 16)
    >>> len(list(puzzlelab.solutions(blank, "dancing-links")))
    288
    """

    def __init__(self, solver: Solver, instance: Instance, limit: Limit, most: int | None = None) -> None:
        self.solver = require_enumerator(solver, instance.puzzle)
        _require_some(most)
        self.instance, self.limit, self.most = instance, limit, most
        self.name = solver.name
        self.stop: Stop = "interrupted"
        self.count = self.expanded = 0

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        self.count, self.expanded, self.stop = 0, 0, "interrupted"
        if self.instance.puzzle.objection(self.instance.state):
            self.stop = "done"
            return
        for attempt in self.solver.solutions(self.instance, self.limit):
            self.expanded = attempt.expanded
            if isinstance(attempt, Progress):
                continue
            if attempt.moves is None:
                self.stop = attempt.stop
                return
            verdict = verify(self.instance, attempt)
            if not verdict.holds:
                raise PuzzlelabError(f"{self.name} gave a wrong answer for {self.instance!r}: {verdict.reason}")
            self.count += 1
            yield attempt.moves
            if self.most is not None and self.count >= self.most:
                self.stop = "solutions"
                return


def _require_some(most: int | None) -> None:
    if most is not None and most < 1:
        raise BadOption(f"the number of solutions must be at least 1, not {most}")
