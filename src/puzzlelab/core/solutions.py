"""Enumerating and counting all solutions of a board, and proving that a solution is unique.

A solver that enumerates has `solutions(instance, limit)`; its `attempts` are `settled(self.solutions(...))`. A solver
that can count faster than it enumerates also has `count`, and one that can count for many boards at once `count_batch`.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Boards, runs
from puzzlelab.core.errors import BadOption, PuzzlelabError, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, presentation_of
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.result_batch import ResultBatch
from puzzlelab.core.solver import Attempt, Solver, ability, require
from puzzlelab.core.verify import verify
from puzzlelab.core.views import Candidates, Cover

UNLIMITED = 2**62
BATCH = 1000
"""The most boards whose solutions are counted together, and the most solutions of each of them."""
SEVERAL = "it has more than one solution; this is one of them"
NO_SOLUTION = "every possibility was tried, and none is a solution"


@dataclass(frozen=True)
class Count:
    """A number of solutions: all of them if `stop` is 'done', the requested maximum if it is 'solutions'."""

    solutions: int
    stop: Stop = "done"
    expanded: int = 0
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether these are all solutions."""
        return self.stop == "done"


@dataclass(frozen=True, eq=False)
class CountBatch(Sequence[Count]):
    """The numbers of solutions of many boards: a sequence of `Count`s, which are made when they are asked for."""

    solutions: NDArray[np.int64]
    """[B]: up to the requested maximum."""
    is_counted: NDArray[np.bool_]
    """[B]: the boards that were counted; the others have no meaning here, and are counted by themselves."""
    is_complete: NDArray[np.bool_]
    """[B]: where these are all solutions; elsewhere there are as many as were requested."""
    expanded: NDArray[np.int64]
    """[B]."""
    firsts: ResultBatch
    """[B]: a solution of each counted board that has any; nothing is proven."""

    @classmethod
    def uncounted(cls, boards: Boards) -> CountBatch:
        """None of these boards is counted."""
        zeros, none = np.zeros(len(boards), np.int64), np.zeros(len(boards), bool)
        return cls(zeros, none, none, zeros, ResultBatch.of(boards, [Result(None)] * len(boards)))

    def __len__(self) -> int:
        return len(self.solutions)

    @overload
    def __getitem__(self, index: int) -> Count: ...
    @overload
    def __getitem__(self, index: slice) -> list[Count]: ...
    def __getitem__(self, index: int | slice) -> Count | list[Count]:
        if isinstance(index, slice):
            columns = self.solutions[index], self.is_complete[index], self.expanded[index]
            return [
                Count(solutions, "done" if is_complete else "solutions", expanded)
                for solutions, is_complete, expanded in zip(*(column.tolist() for column in columns), strict=True)
            ]
        return self[index : index + 1 or None][0]


class EnumeratesSolutions(Protocol):
    """Enumerates all solutions of a board, one by one."""

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield `Progress` from time to time, and a `Result` for each solution; no solution is repeated.

        The last `Result` has no moves; its `stop` is 'done' if there are no more solutions.
        """


class CountsSolutions(Protocol):
    """Counts the solutions of a board faster than it enumerates them."""

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Yield growing `Count`s up to `most`; only the `stop` of the last one has a meaning."""


class CountsInBatches(Protocol):
    """Counts the solutions of many boards together, faster than one after the other.

    Such a solver enumerates solutions too.
    """

    def count_batch(self, boards: Boards, most: int, limit: Limit) -> CountBatch:
        """Count the solutions of each board up to `most`, and find one of them; a board with an objection has none.

        `limit` is for each board. A board that may reach the limit, or take long, is not counted.
        """


def counts_solutions(puzzle: Puzzle) -> bool:
    """Whether a board of this puzzle can have a unique solution: the proof 'unique' means nothing for other puzzles."""
    offers = puzzle.view(Cover) is not None or puzzle.view(Candidates) is not None
    return offers or presentation_of(puzzle).unique_expected


def settled(solutions: Iterator[Attempt]) -> Iterator[Attempt]:
    """The attempts of a solver that enumerates: the first solution, then whether there is a second one."""
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
            yield _after(first, attempt, reason=SEVERAL)
            return


def _after(result: Result, last: Result, **changes: Any) -> Result:
    """The result with the counts of the last one, and these changes."""
    counts = {name: getattr(last, name) for name in ("expanded", "generated", "evaluations", "seconds")}
    return replace(result, **counts, **changes)


def count(solver: Solver, instance: Instance, limit: Limit, most: int | None = None) -> Count:
    """Count the solutions of a board, at most `most`; Ctrl-C ends the search, with the count so far.

    A board with an `objection` has none. Raises `Unsupported`.
    """
    lister = require_lister(solver, instance.puzzle)
    _require_some(most)
    if instance.puzzle.objection(instance.state):
        return Count(0)
    ceiling = UNLIMITED if most is None else most
    best = Count(0, "interrupted")
    counting = ability(solver, CountsSolutions)
    steps = counting.count(instance, limit, ceiling) if counting else _tally(lister, instance, limit, ceiling)
    try:
        for total in steps:
            best = total
    except KeyboardInterrupt:
        best = replace(best, stop="interrupted")
    return best


def count_parts(solver: Solver, boards: Boards, limit: Limit, most: int | None = None) -> Iterator[Sequence[Count]]:
    """The counts of `count` for each of these boards, in their order, of some boards at a time.

    A part has the boards that a solver counts together, or one that is counted by itself; Ctrl-C ends the counts with
    that of the board then counted. Raises `Unsupported`.
    """
    require_lister(solver, boards.puzzle)
    _require_some(most)
    together = BATCH if most is None else min(most, BATCH)
    for first in range(0, len(boards), BATCH):
        part = boards[first : first + BATCH]
        try:
            counts = count_together(solver, part, limit, together)
        except KeyboardInterrupt:
            yield [Count(0, "interrupted")]
            return
        is_final = counts.is_counted & (counts.is_complete | (together == most))
        for begin, end in runs(is_final):
            if is_final[begin]:
                yield counts[begin:end]
                continue
            for instance in part[begin:end]:
                yield [result := count(solver, instance, limit, most)]
                if result.stop == "interrupted":
                    return


def count_together(solver: Solver, boards: Boards, limit: Limit, most: int) -> CountBatch:
    """The solutions of up to `BATCH` boards, counted up to `most`; of none for a solver that counts one by one."""
    counting = ability(solver, CountsInBatches)
    return CountBatch.uncounted(boards) if counting is None else counting.count_batch(boards, most, limit)


def _tally(solver: EnumeratesSolutions, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
    total = 0
    for attempt in solver.solutions(instance, limit):
        if isinstance(attempt, Progress):
            yield Count(total, "interrupted", attempt.expanded, attempt.seconds)
        elif attempt.moves is None:
            yield Count(total, attempt.stop, attempt.expanded, attempt.seconds)
            return
        else:
            total += 1
            yield Count(total, "solutions", attempt.expanded, attempt.seconds)
            if total >= most:
                return


class Listing:
    """The solutions of a board, each verified; after the iteration, `stop` says why it ended.

    `stop` is 'done' if there are no other solutions, 'solutions' if the requested number was reached.
    """

    def __init__(self, solver: Solver, instance: Instance, limit: Limit, most: int | None = None) -> None:
        self.solver = require_lister(solver, instance.puzzle)
        _require_some(most)
        self.instance, self.limit, self.most = instance, limit, most
        self.name = solver.name
        self.stop: Stop = "interrupted"
        self.count = 0

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        self.count, self.stop = 0, "interrupted"
        if self.instance.puzzle.objection(self.instance.state):
            self.stop = "done"
            return
        for attempt in self.solver.solutions(self.instance, self.limit):
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


def require_lister(solver: Solver, puzzle: Puzzle) -> EnumeratesSolutions:
    """The solver's ability to enumerate; raises `Unsupported` if it lacks it, or cannot solve this puzzle."""
    require(solver, puzzle)
    enumerates = ability(solver, EnumeratesSolutions)
    if enumerates is None:
        raise Unsupported(f"{solver.name} looks for one solution, and cannot list or count them all")
    return enumerates
