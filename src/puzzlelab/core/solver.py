"""What a solver is, and the one way to run it to its end, on one board or on many."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby, islice
from typing import Any, ClassVar, Protocol, TypeVar, cast

from puzzlelab.core import networks
from puzzlelab.core.errors import BadOption, PuzzlelabError, UnknownName, Unsupported, shorten
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Presentation, Puzzle, State, presentation_of
from puzzlelab.core.result import Progress, Result, with_stop
from puzzlelab.core.settings import Settings
from puzzlelab.core.verify import Answer
from puzzlelab.core.views import Estimate, Estimates, Prior

Attempt = Progress | Result
Ability = TypeVar("Ability")
BATCH = 1000
"""Boards that a `BatchSolver` is given at once."""


class Solver(Protocol):
    """A frozen, configured value such as `Astar(estimate="pdb", weight=1)`."""

    name: ClassVar[str]
    needs: ClassVar[tuple[type, ...]]
    """The views of a puzzle without which this solver cannot work."""
    offers: ClassVar[tuple[type, ...]]
    """What it can do besides `attempts`, such as `BatchSolver`: see `ability`."""

    def options(self) -> Mapping[str, Any]:
        """Every setting by name, as plain data for a row."""

    def values(self) -> Mapping[str, Any]:
        """Every setting by name, as it was given."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """`Progress` now and then, and `Result`s, each better than the last; the last one says why it ended."""


class BatchSolver(Protocol):
    """The seam for solvers that answer many boards at once sooner than one after the other, such as those of networks.

    For every board the answer is the one that `attempts` ends with.
    """

    def solve_batch(self, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool]) -> list[Result]:
        """The last result of each board; all are of one puzzle, which objects to none of them.

        `limit` is for each board, except for its memory; the seconds of each are an equal share of what all took.
        `over` is asked now and then, and says when to stop; so does Ctrl-C. What is open then is `interrupted`.
        """


class Selective(Protocol):
    """The ability of solvers that cannot solve every puzzle with the views that they need."""

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Why it cannot solve this puzzle, in words, or None."""


class NamesOptions(Protocol):
    """The ability of solvers whose defaults depend on the puzzle."""

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """Every setting by name, as plain data, with what the defaults mean for this puzzle."""


class Explains(Protocol):
    """The ability of solvers that tell how they came to their answer."""

    def explain(self, instance: Instance, limit: Limit | None = None) -> Iterator[str]:
        """The search in sentences."""


class SolverSettings(Settings):
    """The settings of a solver that needs no view and has no ability, unless its class says so."""

    name: ClassVar[str]
    needs: ClassVar[tuple[type, ...]] = ()
    offers: ClassVar[tuple[type, ...]] = ()

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        for old in self.renamed.keys() & values.keys():
            _warn_of_old_name(self.name, old, self.renamed[old])


@cache
def _warn_of_old_name(solver: str, old: str, new: str) -> None:
    """Print a sentence, once in a process."""
    logging.getLogger("puzzlelab").warning(f"{solver}: the option '{old}' is now called '{new}'")


def ability(solver: Solver, kind: type[Ability]) -> Ability | None:
    """The solver as this kind of ability, such as `BatchSolver`, or None where it does not offer that."""
    return cast(Ability, solver) if kind in solver.offers else None


def require(solver: Solver, puzzle: Puzzle) -> None:
    """Raise `Unsupported` unless the puzzle offers every view that the solver needs, and the solver accepts it."""
    require_views(solver, puzzle)
    selective = ability(solver, Selective)
    if selective and (reason := selective.refusal(puzzle)):
        raise Unsupported(f"{solver.name} cannot solve {puzzle.name}: {reason}")


def require_views(solver: Solver, puzzle: Puzzle) -> None:
    """Raise `Unsupported` unless the puzzle offers every view that the solver needs; asks for no network.

    An estimate or a prior that was given, such as a network, takes the place of the view `Estimates`.
    """
    values = solver.values()
    given = any(_is_given(values.get(option)) for option in ("estimate", "prior"))
    needed = [view for view in solver.needs if not (given and view is Estimates)]
    missing = [view.__name__ for view in needed if puzzle.view(view) is None]
    if missing:
        raise Unsupported(f"{solver.name} cannot solve {puzzle.name}, which offers no view '{missing[0]}'")


def usual_solver(puzzle: Puzzle | None) -> tuple[str, Mapping[str, Any]]:
    """The name and the options of the solver that runs when a call names none."""
    presentation = Presentation() if puzzle is None else presentation_of(puzzle)
    return presentation.usual_solver


def _is_given(option: object) -> bool:
    return isinstance(option, Estimate | Prior) or networks.is_network(option)


def chosen_estimate(puzzle: Puzzle, wanted: str | Estimate | None) -> Estimate:
    """The estimate that a solver's option means for this puzzle."""
    if isinstance(wanted, Estimate):
        return wanted
    if wanted is not None and networks.is_network(wanted):
        return networks.estimate(puzzle, wanted)
    estimates = puzzle.view(Estimates)
    if estimates is None:
        raise UnknownName("estimate of " + puzzle.name, wanted or "default", ())
    return estimates.estimate(wanted)


def chosen_prior(puzzle: Puzzle, wanted: str | Prior) -> Prior:
    """The prior that a solver's option means for this puzzle; only networks have a name as priors."""
    if isinstance(wanted, Prior):
        return wanted
    if not networks.is_network(wanted):
        raise BadOption(f"'{shorten(wanted)}' is no prior; write net, or net:NAME")
    return networks.prior(puzzle, wanted)


def attempts_of(solver: Solver, instance: Instance, limit: Limit) -> Generator[Attempt, None, None]:
    """The attempts of a solver that suits the puzzle, on a board to which the puzzle does not object.

    A board with an objection is proven unsolvable without a search. Raises `Unsupported`.
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
    """Run a solver to its end and return its best result, verified; see `answer`."""
    return answer(solver, instance, limit, watch).result


def answer(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Callable[[Attempt], bool] | None = None,
) -> Answer:
    """Run a solver to its end and return its best answer, which holds.

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


def _verified(solver: Solver, instance: Instance, result: Result) -> Answer:
    verified = Answer.of(instance, result)
    if not verified.verdict.holds:
        raise PuzzlelabError(f"{solver.name} gave a wrong answer for {instance!r}: {verified.verdict.reason}")
    return verified


def solve_all(
    solver: Solver, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool] = lambda: False
) -> list[Result]:
    """The best result for each of these boards of one puzzle, verified; see `answer_all`."""
    return [each.result for each in answer_all(solver, instances, limit, over)]


def answer_all(
    solver: Solver, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool] = lambda: False
) -> list[Answer]:
    """The best answer to each of these boards of one puzzle, which holds; all at once by a `BatchSolver`.

    `limit` is for each board. The work ends, with what there is, when `over` says so.
    """
    together = ability(solver, BatchSolver)
    if together is None:
        return [answer(solver, instance, limit, lambda attempt: over()) for instance in instances]
    for instance in instances[:1]:
        require(solver, instance.puzzle)
    objections = [instance.puzzle.objection(instance.state) for instance in instances]
    searched = [instance for instance, objection in zip(instances, objections, strict=True) if not objection]
    results = iter(together.solve_batch(searched, limit, over) if searched else ())
    return [
        _verified(solver, instance, Result(None, "unsolvable", objection) if objection else next(results))
        for instance, objection in zip(instances, objections, strict=True)
    ]


def portions(solver: Solver, instances: Iterable[Instance]) -> Iterator[list[Instance]]:
    """The boards in the batches that `solve_all` is to have: single ones unless the solver is a `BatchSolver`.

    No board is taken before its portion is asked for.
    """
    size = BATCH if ability(solver, BatchSolver) else 1
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

    With a prior none is left to it: such a solver goes by the prior alone.
    """
    names_options = ability(solver, NamesOptions)
    if names_options is not None:
        return dict(names_options.options_for(puzzle))
    options = dict(solver.options())
    default = options.get("estimate", "") is None and options.get("prior") is None
    if default and (estimates := puzzle.view(Estimates)) is not None:
        options["estimate"] = estimates.estimate().name
    return options


def names_of(puzzle: Puzzle, moves: Sequence[int]) -> list[str]:
    """The moves as the puzzle writes them."""
    return [puzzle.write_move(move) for move in moves]


def board_after(puzzle: Puzzle, state: State, moves: Iterable[int]) -> State:
    """The state after these moves, which must be legal."""
    for move in moves:
        state = puzzle.apply(state, move)
    return state


class WithMemory(Protocol):
    """The seam for solvers whose work on one board helps with the next board of the same game.

    A hint asks about a position and all its children, a teacher about every position of a game.
    """

    def remembering(self) -> Solver:
        """The same solver with a memory of its own: equal answers, sooner. For one thread."""


def with_memory(solver: Solver) -> Solver:
    """The solver with a memory of its own, if it can have one."""
    remembering = ability(solver, WithMemory)
    return remembering.remembering() if remembering else solver
