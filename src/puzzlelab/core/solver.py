"""What a solver is, and the one way to run it to its end, on one board or on many."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import Any, ClassVar

from typing_extensions import Protocol, runtime_checkable

from puzzlelab.core import networks
from puzzlelab.core.errors import BadOption, NotSuited, PuzzlelabError, UnknownName, shorten
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Estimate, Estimates, Instance, Prior, Puzzle, State
from puzzlelab.core.result import Progress, Result, with_stop
from puzzlelab.core.verify import verify

Attempt = Progress | Result
WITHOUT_CHOICE: tuple[str, Mapping[str, Any]] = ("bfs", {})
"""The solver of a puzzle that names no usual one."""
BATCH = 1000
"""Boards that a solver which `Batches` is given at once."""


class Solver(Protocol):
    """A frozen, configured value such as `Astar(estimate="pdb", weight=1)`."""

    name: ClassVar[str]
    needs: ClassVar[tuple[type, ...]]
    """The views of a puzzle without which this solver cannot work."""

    def options(self) -> Mapping[str, Any]:
        """Every setting by name, as plain data for a row."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """`Progress` now and then, and `Result`s, each better than the last; the last one says why it ended."""


@runtime_checkable
class Batches(Protocol):
    """The seam for solvers that answer many boards at once sooner than one after the other, such as those of networks.

    For every board the answer is the one that `attempts` ends with.
    """

    def solve_batch(self, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool]) -> list[Result]:
        """The last result of each board; all are of one puzzle, which objects to none of them.

        `limit` is for each board, except for its memory; the seconds of each are an equal share of what all took.
        `over` is asked now and then, and says when to stop; so does Ctrl-C. What is open then is `interrupted`.
        """


def require(solver: Solver, puzzle: Puzzle) -> None:
    """Raise `NotSuited` unless the puzzle offers every view that the solver needs.

    A solver may have `refusal(puzzle)`, which says in words why it cannot solve this one all the same, or None.
    """
    require_views(solver, puzzle)
    refusal = getattr(solver, "refusal", None)
    if refusal and (reason := refusal(puzzle)):
        raise NotSuited(f"{solver.name} cannot solve {puzzle.name}: {reason}")


def require_views(solver: Solver, puzzle: Puzzle) -> None:
    """Raise `NotSuited` unless the puzzle offers every view that the solver needs; asks for no network.

    An estimate or a prior that was given, such as a network, takes the place of the view `Estimates`.
    """
    given = any(_is_given(getattr(solver, option, None)) for option in ("estimate", "prior"))
    needed = [view for view in solver.needs if not (given and view is Estimates)]
    missing = [view.__name__ for view in needed if not isinstance(puzzle, view)]
    if missing:
        raise NotSuited(f"{solver.name} cannot solve {puzzle.name}, which offers no view '{missing[0]}'")


def usual_solver(puzzle: Puzzle | None) -> tuple[str, Mapping[str, Any]]:
    """The name and the options of the solver that is asked where nobody names one."""
    found: tuple[str, Mapping[str, Any]] = getattr(puzzle, "usual_solver", WITHOUT_CHOICE)
    return found


def _is_given(option: object) -> bool:
    return isinstance(option, Estimate | Prior) or networks.is_network(option)


def chosen_estimate(puzzle: Puzzle, wanted: str | Estimate | None) -> Estimate:
    """The estimate that a solver's option means for this puzzle."""
    if isinstance(wanted, Estimate):
        return wanted
    if wanted is not None and networks.is_network(wanted):
        return networks.estimate(puzzle, wanted)
    if not isinstance(puzzle, Estimates):
        raise UnknownName("estimate of " + puzzle.name, wanted or "default", ())
    return puzzle.estimate(wanted)


def chosen_prior(puzzle: Puzzle, wanted: str | Prior) -> Prior:
    """The prior that a solver's option means for this puzzle; only networks have a name as priors."""
    if isinstance(wanted, Prior):
        return wanted
    if not networks.is_network(wanted):
        raise BadOption(f"'{shorten(wanted)}' is no prior; write net, or net:NAME")
    return networks.prior(puzzle, wanted)


def attempts_of(solver: Solver, instance: Instance, limit: Limit) -> Generator[Attempt, None, None]:
    """The attempts of a solver that suits the puzzle, on a board to which the puzzle does not object.

    A board with an objection is proven unsolvable without a search. Raises `NotSuited`.
    """
    require(solver, instance.puzzle)
    began = time.perf_counter()
    if objection := instance.puzzle.objection(instance.state):
        yield Result(None, "unsolvable", objection, seconds=time.perf_counter() - began)
        return
    yield from solver.attempts(instance, limit)


def solve(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Callable[[Attempt], bool] | None = None,
) -> Result:
    """Run a solver to its end and return its best answer, verified.

    `watch` sees every attempt and may return True to end the search. Ctrl-C ends it too: the best answer so far is
    returned with the stop `interrupted`. A board to which the puzzle objects is proven unsolvable without a search.
    """
    best = Result(None, stop="interrupted")
    seen: Attempt = best
    attempts = attempts_of(solver, instance, limit)
    try:
        for seen in attempts:
            if isinstance(seen, Result):
                best = seen
            if watch and watch(seen):
                best = _interrupted(best, seen)
                break
    except KeyboardInterrupt:
        best = _interrupted(best, seen)
    finally:
        attempts.close()
    return _verified(solver, instance, best)


def _verified(solver: Solver, instance: Instance, result: Result) -> Result:
    verdict = verify(instance, result)
    if not verdict.holds:
        raise PuzzlelabError(f"{solver.name} gave a wrong answer for {instance!r}: {verdict.reason}")
    return result


def solve_all(
    solver: Solver, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool] = lambda: False
) -> list[Result]:
    """The best answer to each of these boards of one puzzle, verified; at once where the solver `Batches`.

    `limit` is for each board. The work ends, with what there is, when `over` says so.
    """
    if not isinstance(solver, Batches):
        return [solve(solver, instance, limit, lambda attempt: over()) for instance in instances]
    for instance in instances[:1]:
        require(solver, instance.puzzle)
    objections = [instance.puzzle.objection(instance.state) for instance in instances]
    asked = [instance for instance, objection in zip(instances, objections, strict=True) if not objection]
    answers = iter(solver.solve_batch(asked, limit, over) if asked else ())
    results = [Result(None, "unsolvable", objection) if objection else next(answers) for objection in objections]
    return [_verified(solver, instance, result) for instance, result in zip(instances, results, strict=True)]


def portions(solver: Solver, instances: Iterable[Instance]) -> Iterator[list[Instance]]:
    """The boards in the portions in which `solve_all` is to have them: single ones for a solver that never `Batches`.

    No board is taken before its portion is asked for.
    """
    size = BATCH if isinstance(solver, Batches) else 1
    for _, group in groupby(instances, key=lambda instance: instance.puzzle):
        while portion := list(islice(group, size)):
            yield portion


def _interrupted(best: Result, seen: Attempt) -> Result:
    if isinstance(seen, Progress):
        best = replace(
            best,
            lower_bound=max(best.lower_bound, seen.bound),
            expanded=seen.expanded,
            generated=seen.generated,
            evaluations=seen.evaluations,
            seconds=seen.seconds,
        )
    return with_stop(best, "interrupted")


def options_of(solver: Solver, puzzle: Puzzle) -> dict[str, Any]:
    """Every setting of a solver for this puzzle; an estimate that was left to the puzzle is named.

    With a prior none is left to it: such a solver goes by the prior alone. A solver may have `options_for(puzzle)`,
    which says all of this itself.
    """
    own = getattr(solver, "options_for", None)
    if own is not None:
        return dict(own(puzzle))
    options = dict(solver.options())
    left = options.get("estimate", "") is None and options.get("prior") is None
    if left and isinstance(puzzle, Estimates):
        options["estimate"] = puzzle.estimate().name
    return options


def names_of(puzzle: Puzzle, moves: Sequence[int]) -> list[str]:
    """The moves as the puzzle writes them."""
    return [puzzle.write_move(move) for move in moves]


def board_after(puzzle: Puzzle, state: State, moves: Iterable[int]) -> State:
    """The state after these moves, which must be legal."""
    for move in moves:
        state = puzzle.apply(state, move)
    return state
