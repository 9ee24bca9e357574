"""Runs a search machine: gives it slices of work, scores the states that it requests, checks limits, and reports.

A compiled kernel has no clock and cannot call a network. So a search is a record of arrays and one kernel
`step(record, budget)`. Time, memory and networks are handled here, between two slices.
"""

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import NoRoom, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import MOVES, Objective
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import Progress, Proof, Result, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Estimate, KernelRules, Prior, PriorAndEstimate
from puzzlelab.engine import kernels
from puzzlelab.engine.record_parts import Control
from puzzlelab.runtime.memory import memory_ceiling, resident

Score = Callable[[State], NDArray[np.float64]]
"""Scores the working states that a machine requests."""

SLICE_SECONDS = 0.05
FIRST_BUDGET = 256
MEMORY_MARGIN = 24 * 2**20
"""Bytes kept free below the ceiling, for what one slice of work may touch."""
CERTAIN = 1e-3
"""Logarithms of probabilities are at most 0, or this where they were rounded."""


@dataclass
class Machine:
    """A resumable search: a record of arrays, its `step`, and the work of Python between two steps.

    Every record has a `control` (see `engine.record_parts.Control`); one that
    requests scores has `scores: float64[R]` for them, or `float64[R * M]` if it requests a score of each move.
    """

    record: Any
    run: Callable[..., int]
    """`run(record, budget)` expands at most `budget` states; returns RUNNING, NEEDS_SCORES, IMPROVED, DONE or FULL."""
    solution: Callable[[Any], list[int]]
    """The moves of the best solution in a record."""
    grow: Callable[[Any, int], Any]
    """The function that gives the record larger arrays, of at most this number of bytes more; None if that is too
    few."""
    verdict: Callable[[Any], tuple[Proof, str, Stop]]
    """The proof, the reason and the stop of a search that is done without a solution."""
    requests: Callable[[Any], State] | None = None
    """The working states `[R, S]` that wait for scores."""
    objective: Objective = MOVES
    """The objective of the search; `control.bound` is a bound on it."""
    total: Callable[[Any], int] | None = None
    """The sum of the steps of the best solution in a record, where it is not the number of moves."""
    restart: Callable[[Any, State], None] | None = None
    """The function that lets a record begin again from another working state `[S]`, for many searches in a row."""
    is_loaded: bool = False
    """Whether the machine code of `run` is loaded."""

    @property
    def control(self) -> Control:
        """The record's counts and flags."""
        control: Control = self.record.control
        return control

    def load(self) -> None:
        """Compile `run`, or load its machine code, so that no slice of work is timed with that."""
        if not self.is_loaded:
            self.step(0)
            self.is_loaded = True

    def step(self, budget: int) -> int:
        """Run one slice of work; 0 only compiles, or loads the machine code."""
        return self.run(self.record, budget)

    def answer(self, score: Score | None) -> int:
        """Write the scores of the requested states into the record; return their number."""
        if score is None or self.requests is None:
            raise no_scores()
        states = self.requests(self.record)
        values = score(states).reshape(-1)
        self.record.scores[: values.size] = values
        return len(states)

    def enlarge(self, room: int) -> bool:
        """Give the record larger arrays; False if `room` bytes are not enough, or the system refuses them."""
        try:
            larger = self.grow(self.record, room)
        except MemoryError:
            return False
        self.record = self.record if larger is None else larger
        return larger is not None


def no_scores() -> PuzzlelabError:
    """Return the error of a search that requests scores where an estimate has none."""
    return PuzzlelabError("a search asked for scores, but its estimate has no function that gives them")


EXHAUSTED: tuple[Proof, str, Stop] = ("unsolvable", "every reachable state was searched, and none is solved", "done")
"""The verdict of an exhaustive search."""


def scorer(estimate: Estimate, rules: KernelRules) -> Score | None:
    """Return a function from working states to finite scores; None for an estimate that is a kernel."""
    evaluate = estimate.scores
    if evaluate is None:
        return None

    def scores(states: State) -> NDArray[np.float64]:
        return _checked_estimates(estimate, evaluate(rules.decode(states)), len(states))

    return scores


def prior_scorer(prior: Prior, rules: KernelRules, puzzle: Puzzle) -> Score:
    """Return a function from working states `[R, S]` to the prior of every move: `float64[R, M]`."""

    def scores(states: State) -> NDArray[np.float64]:
        plain = rules.decode(states)
        return _checked_priors(prior, prior.scores(plain), plain, puzzle)

    return scores


def prior_and_estimate_scorer(guides: PriorAndEstimate, rules: KernelRules, puzzle: Puzzle) -> Score:
    """Return a function from working states `[R, S]` to `float64[R, M + 1]`: the logits of every move, then the score
    of the state.

    The prior of a state is the softmax of the logits of its legal moves. The estimate must not be a kernel.
    """
    prior, estimate, both = guides
    assert prior is not None
    separate = prior_scorer(prior, rules, puzzle), scorer(estimate, rules)

    def scores(states: State) -> NDArray[np.float64]:
        values = np.empty((len(states), puzzle.move_count + 1))
        logits, estimates = values[:, :-1], values[:, -1]
        if both is None:
            logits[:], estimates[:] = (score(states) for score in separate if score is not None)
            return values
        plain = rules.decode(states)
        logits[:], estimates[:] = both(plain)
        if not np.isfinite(values).all():
            _check_logits(prior, logits, plain, puzzle)
            _checked_estimates(estimate, estimates, len(plain))
        return values

    return scores


def switched_scorer(choose: Callable[[], Score | None]) -> Score:
    """Return a function that scores by what `choose` gives at each request, for searches with several estimates."""

    def scores(states: State) -> NDArray[np.float64]:
        score = choose()
        if score is None:
            raise no_scores()
        return score(states)

    return scores


def _checked_estimates(estimate: Estimate, scores: Any, count: int) -> NDArray[np.float64]:
    """Return the scores as `float64[count]`; raises `PuzzlelabError` unless each is finite."""
    values = np.asarray(scores, np.float64).reshape(-1)
    if values.size != count or not np.isfinite(values).all():
        raise PuzzlelabError(f"the estimate '{estimate.name}' must give one finite number for each state")
    return values


def _checked_priors(prior: Prior, scores: Any, states: State, puzzle: Puzzle) -> NDArray[np.float64]:
    """Return the scores of the plain `states[R, S]` as `float64[R, M]`; raises `PuzzlelabError` unless they are
    logarithms of probabilities where a move is legal.
    """
    values = np.asarray(scores, np.float64)
    if values.shape != (len(states), puzzle.move_count) or _any_invalid(values <= CERTAIN, states, puzzle):
        raise PuzzlelabError(
            f"the prior '{prior.name}' must give the logarithm of a probability for every legal move of each state"
        )
    return values


def _check_logits(prior: Prior, logits: NDArray[np.float64], states: State, puzzle: Puzzle) -> None:
    """Raise `PuzzlelabError` unless the logits `[R, M]` of the legal moves of the plain `states[R, S]` are numbers."""
    if _any_invalid(logits < np.inf, states, puzzle):
        raise PuzzlelabError(f"the prior '{prior.name}' must give a number for every legal move of each state")


def _any_invalid(valid: NDArray[np.bool_], states: State, puzzle: Puzzle) -> bool:
    """Tell whether a legal move of the plain `states[R, S]` is not valid by `valid: bool[R, M]`."""
    if valid.all():
        return False
    from puzzlelab.engine.batch_rules import legal_moves  # seldom needed

    rows = np.flatnonzero(~valid.all(axis=1))
    return bool((~valid[rows] & legal_moves(puzzle, states[rows])).any())


class Clock:
    """The time and memory of one search, and the budget of its next slice.

    Without a memory limit the memory is first looked at after `SLICE_SECONDS`, or when arrays grow: many searches end
    sooner, and the system call would take a good part of their time.
    """

    def __init__(self, limit: Limit, budget: int = FIRST_BUDGET) -> None:
        self.limit = limit
        self.began = time.perf_counter()
        self.budget = budget
        self.looked = 0.0 if limit.memory is None else -SLICE_SECONDS

    @cached_property
    def ceiling(self) -> int:
        """The most resident bytes that the process may reach."""
        return memory_ceiling(self.limit)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def next_budget(self, expanded: int) -> int:
        """Return the nodes for the next slice."""
        return self.budget if self.limit.nodes is None else max(1, min(self.budget, self.limit.nodes - expanded))

    def took(self, nodes: int, seconds: float) -> None:
        """Adapt the budget of the next slice to the time of this one."""
        wanted = SLICE_SECONDS
        if self.limit.seconds is not None:
            wanted = min(wanted, max(0.001, self.limit.seconds - self.seconds))
        rate = nodes / max(seconds, 1e-6)
        self.budget = int(min(max(rate * wanted, 1), 4 * self.budget + FIRST_BUDGET))

    def work(self, run: Callable[..., int], record: Any) -> int:
        """Run one slice of the work of a machine; returns its status."""
        before, began = int(record.control.expanded), self.seconds
        status = run(record, self.next_budget(before))
        self.took(int(record.control.expanded) - before, self.seconds - began)
        return status

    def reached(self, expanded: int) -> Stop | None:
        """Return the limit that is reached, if one is."""
        if self.limit.seconds is not None and self.seconds >= self.limit.seconds:
            return "time"
        if self.limit.nodes is not None and expanded >= self.limit.nodes:
            return "nodes"
        return "memory" if self._full() else None

    def _full(self) -> bool:
        """Tell whether the memory is used up; tested once in a slice, because the system call is slow."""
        if self.seconds - self.looked < SLICE_SECONDS:
            return False
        self.looked = self.seconds
        return self.room() <= 0

    def room(self) -> int:
        """Return the bytes that arrays may still grow by."""
        return self.ceiling - resident() - MEMORY_MARGIN


class Drive:
    """The run of a machine under a limit; iterating gives `Progress` and `Result`s as `Solver.attempts` promises.

    `score` scores the states that the machine requests. A `clock` may have begun before the machine was built; without
    one, the first slice may expand `first_budget` states.
    """

    def __init__(
        self,
        machine: Machine,
        limit: Limit,
        score: Score | None = None,
        clock: Clock | None = None,
        first_budget: int = FIRST_BUDGET,
    ) -> None:
        self.machine = machine
        self.score = score
        machine.load()  # before the clock starts
        self.clock = clock or Clock(limit, first_budget)
        self.evaluations = 0
        self.moves: tuple[int, ...] | None = None
        self.total: int | None = None

    def slices(self) -> Iterator[tuple[int, Stop | None]]:
        """Yield (status, the limit that is reached or None) of each slice, until a limit is reached or all is done.

        Between two slices the requested scores are written, and full arrays enlarged.
        """
        machine, status = self.machine, kernels.RUNNING
        stop: Stop | None = None
        while status != kernels.DONE and stop is None:
            try:
                status = self.clock.work(machine.run, machine.record)
            except (NoRoom, MemoryError):
                yield status, "memory"
                return
            if status == kernels.NEEDS_SCORES:
                self.evaluations += machine.answer(self.score)
            if status == kernels.FULL and not machine.enlarge(self.clock.room()):
                stop = "memory"
            elif status != kernels.DONE:
                stop = self.clock.reached(machine.control.expanded)
            yield status, stop

    def __iter__(self) -> Generator[Attempt, None, None]:
        for status, stop in self.slices():
            if status == kernels.DONE:
                yield self._last()
                return
            if status == kernels.IMPROVED:
                self._take_solution()
                yield self._result("done")
            yield self._progress()
            if stop:
                yield self._result(stop)

    @property
    def counts(self) -> tuple[int, int, int]:
        """States expanded, states generated, and states scored."""
        control = self.machine.control
        return int(control.expanded), int(control.generated), self.evaluations

    def _take_solution(self) -> None:
        machine = self.machine
        self.moves = tuple(machine.solution(machine.record))
        self.total = len(self.moves) if machine.total is None else machine.total(machine.record)

    @property
    def _bound(self) -> int:
        return int(self.machine.control.bound)

    def _progress(self) -> Progress:
        return Progress(*self.counts, self._bound, self.clock.seconds)

    def _result(self, stop: Stop, proof: Proof = "none", reason: str = "") -> Result:
        bound = self._bound
        if self.total is not None:
            bound = min(bound, self.total)
            if bound == self.total:
                proof, stop = "optimal", "done"
        result = Result(self.moves, proof, reason, stop, bound, *self.counts, self.clock.seconds)
        return self.machine.objective.with_sums(result, self.total, bound)

    def _last(self) -> Result:
        if self.moves is not None:
            return self._result("done")
        proof, reason, stop = self.machine.verdict(self.machine.record)
        return self._result(stop, proof, reason)


def drive(
    machine: Machine, limit: Limit, estimate: Estimate | None = None, rules: KernelRules | None = None
) -> Iterator[Attempt]:
    """Run `machine` until it is done or reaches `limit`; `estimate` scores the states that it requests."""
    score = scorer(estimate, rules) if estimate is not None and rules is not None else None
    return iter(Drive(machine, limit, score))


def side_by_side(games: Machine, count: int, limit: Limit, score: Score | None) -> Drive:
    """Return the run of a machine that plays this number of games, under a limit for each, whose nodes it counts."""
    seconds = None if limit.seconds is None else limit.seconds * count
    return Drive(games, replace(limit, seconds=seconds, nodes=None), score)


def no_moves(record: Any) -> list[int]:
    """Return no moves, for a machine that plays games: the results of all of them are in its record."""
    return []


def no_verdict(record: Any) -> tuple[Proof, str, Stop]:
    """Return no verdict, for a machine that plays games; see `no_moves`."""
    return "none", "", "done"


def played(games: Drive, over: Callable[[], bool]) -> Stop:
    """Run a machine that plays games side by side until all have ended, or `over()` is true; return why it stopped."""
    try:
        for attempt in games:
            if isinstance(attempt, Result):
                return attempt.stop
            if over():
                break
    except KeyboardInterrupt:
        pass
    return "interrupted"
