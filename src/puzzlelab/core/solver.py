"""The contract of a solver, and the functions that run one on a board or on many."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, ClassVar, Protocol, TypeVar, cast

from puzzlelab.core import networks
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadOption, NoRoom, PuzzlelabError, UnknownName, Unsupported, shorten
from puzzlelab.core.limit import Limit, within
from puzzlelab.core.objective import bound_of, objective_of, require_counted_moves, with_tighter_bound
from puzzlelab.core.puzzle import Instance, Puzzle, State, presentation_of, states_along
from puzzlelab.core.result import Progress, Result, Stop, with_stop
from puzzlelab.core.result_batch import ResultBatch
from puzzlelab.core.settings import Settings
from puzzlelab.core.verify import Answer, Verdict
from puzzlelab.core.views import Cover, Estimate, Estimates, KernelRules, Prior, Reversible

Attempt = Progress | Result
Ability = TypeVar("Ability")
BREADTH_FIRST: tuple[str, Mapping[str, Any]] = ("bfs", {})
FIRST_NODES = 500
"""The nodes of the first turn of each search of a default portfolio: some tenths of a second by plain rules."""
PATH = re.compile(r"^[^:]*[/\\]|\.onnx$|\.safetensors$")
"""Found in the path of a network. Nothing is looked up: that would tell others whether a file exists."""
MOST_NAMES = 20_000
"""Moves whose names are kept for the rows of a puzzle."""
PATIENCE = 10.0
"""The seconds without a better solution after which a default solver that proves nothing ends."""


class Solver(Protocol):
    """A configured solver: a frozen value such as `Astar(estimate="pdb", weight=1)`."""

    name: ClassVar[str]
    needs: ClassVar[tuple[type, ...]]
    """The views of a puzzle without which this solver cannot work."""
    offers: ClassVar[tuple[type, ...]]
    """Its abilities besides `attempts`, such as `BatchSolver`; see `ability`."""

    def options(self) -> Mapping[str, Any]:
        """Every setting by name, as plain data for a row."""

    def values(self) -> Mapping[str, Any]:
        """Every setting by name, with the object that was passed."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield `Progress` from time to time, and ever better `Result`s; the last one says why the search ended."""


class BatchSolver(Protocol):
    """Solves many boards together, faster than one after the other, as solvers with networks do.

    For every board the result is the last one of `attempts`.
    """

    def solve_batch(self, instances: Boards, limit: Limit, over: Callable[[], bool]) -> Sequence[Result]:
        """The last result of each board; none has an objection, except for a solver that `ProvesUnsolvable`.

        `instances` has the states of all boards as one array too. A `ResultBatch` gives the results
        as arrays; a list of results will do. `limit` is for each board, except for its memory; the seconds of each are
        a share of the total. The search ends early when `over()` is true or at Ctrl-C; unfinished boards are then
        `interrupted`.
        """


class OneByOne(Protocol):
    """Solves the boards of a batch one after the other, and gives results before all boards are solved.

    A part of a batch takes a part of the time. Such a solver is a `BatchSolver` too, and its `solve_batch` joins the
    parts.
    """

    def solve_in_parts(self, instances: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[ResultBatch]:
        """Yield the last results of the boards, of some boards at a time in their order, as soon as they exist.

        No board that takes long holds back the results of the boards before it. Everything else is as in
        `BatchSolver.solve_batch`: after an interruption the remaining boards are `interrupted`.
        """


class ProvesUnsolvable(Protocol):
    """Proves that a board has no solution in no more time than it solves one.

    It has no method. The boards of a batch are then not tested for an objection before they are solved.
    """


class KeepsCosts(Protocol):
    """Minimises the cost of the moves, or maximises the score, where the puzzle has one, and not only their number.

    It has no method. A portfolio has this ability, and refuses solvers that do not.
    """


class Selective(Protocol):
    """Refuses some puzzles although they have the views that the solver needs."""

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Why the solver cannot solve this puzzle, as a sentence, or None."""


class NamesOptions(Protocol):
    """Names the options of a solver whose defaults depend on the puzzle."""

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """Every setting by name, as plain data, with the defaults for this puzzle."""


class Combines(Protocol):
    """Runs other solvers, which have options of their own."""

    @property
    def solvers(self) -> Sequence[Solver]:
        """The solvers that it runs, with their options."""


class Explains(Protocol):
    """Explains in sentences how the solver searched a board."""

    def explain(self, instance: Instance, limit: Limit | None = None) -> Iterator[str]:
        """The search in sentences."""


class SolverSettings(Settings):
    """The base class of solvers; by default one needs no view and has no ability."""

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
    """This ability of the solver, such as `BatchSolver`, or None."""
    return cast(Ability, solver) if kind in solver.offers else None


def with_inner_solvers(solver: Solver) -> Iterator[Solver]:
    """The solver, and all that it runs, at every depth."""
    yield solver
    combining = ability(solver, Combines)
    for inner in combining.solvers if combining else ():
        yield from with_inner_solvers(inner)


def require(solver: Solver, puzzle: Puzzle) -> None:
    """Raise `Unsupported` unless the puzzle offers every view that the solver needs, and the solver accepts it."""
    require_views(solver, puzzle)
    selective = ability(solver, Selective)
    if selective and (reason := selective.refusal(puzzle)):
        raise Unsupported(f"{solver.name} cannot solve {puzzle.name}: {reason}")


def require_views(solver: Solver, puzzle: Puzzle) -> None:
    """Raise `Unsupported` unless the puzzle offers every view that the solver needs; loads no network.

    An estimate or a prior among the options, such as a network, takes the place of the view `Estimates`.
    """
    values = solver.values()
    has_scores = any(_is_score(values.get(option)) for option in ("estimate", "prior"))
    needed = [view for view in solver.needs if not (has_scores and view is Estimates)]
    missing = [view.__name__ for view in needed if puzzle.view(view) is None]
    if missing:
        raise Unsupported(f"{solver.name} cannot solve {puzzle.name}, which offers no view '{missing[0]}'")
    if ability(solver, KeepsCosts) is None:
        require_counted_moves(puzzle, solver.name)


def usual_solver(puzzle: Puzzle | None) -> tuple[str, Mapping[str, Any]]:
    """The name and the options of the puzzle's default solver: what the puzzle names, or what suits its views.

    Estimates lead to a solution soon, by a beam search that gets wider. What proves that a solution is optimal takes
    turns with it: a search from both ends where moves can be undone, and one by an admissible estimate.
    """
    named = None if puzzle is None else presentation_of(puzzle).usual_solver
    if puzzle is None or named is not None:
        return named or BREADTH_FIRST
    if puzzle.view(Cover) is not None:
        return "dancing-links", {}
    estimates, is_reversible = puzzle.view(Estimates), puzzle.view(Reversible) is not None
    provers = ["bfs:bidirectional=true"] if is_reversible else []
    if estimates is not None and estimates.estimate().admissible:
        provers.append("astar" if puzzle.view(KernelRules) is None else "ida")
    if estimates is not None:
        return "portfolio", {"of": (*provers, "beam"), "first_nodes": FIRST_NODES, "patience": PATIENCE}
    return ("bfs", {"bidirectional": True}) if is_reversible else BREADTH_FIRST


def _is_score(option: object) -> bool:
    return isinstance(option, Estimate | Prior) or networks.is_network(option)


def chosen_estimate(puzzle: Puzzle, option: str | Estimate | None) -> Estimate:
    """The estimate for this puzzle that the value of a solver's option names."""
    if isinstance(option, Estimate):
        return option
    if option is not None and networks.is_network(option):
        return networks.estimate(puzzle, option)
    estimates = puzzle.view(Estimates)
    if estimates is None:
        raise UnknownName("estimate of " + puzzle.name, option or "default", ())
    try:
        return estimates.estimate(option)
    except UnknownName:
        if option is not None and PATH.search(option):
            name = shorten(option)
            raise BadOption(f"'{name}' is no estimate of {puzzle.name}; a network is written net:{name}") from None
        raise


def chosen_prior(puzzle: Puzzle, option: str | Prior) -> Prior:
    """The prior for this puzzle that the value of a solver's option names; only networks are priors by name."""
    if isinstance(option, Prior):
        return option
    if not networks.is_network(option):
        raise BadOption(f"'{shorten(option)}' is no prior; write net, or net:NAME")
    return networks.prior(puzzle, option)


def attempts_of(solver: Solver, instance: Instance, limit: Limit) -> Generator[Attempt, None, None]:
    """The attempts of a solver on a board; raises `Unsupported` if it cannot solve this puzzle.

    A board with an `objection` is proven unsolvable without a search. Where the memory is used up, the best result so
    far is the last, with the stop `memory`.
    """
    require(solver, instance.puzzle)
    began = time.perf_counter()
    if objection := instance.puzzle.objection(instance.state):
        yield Result(None, "unsolvable", objection, seconds=time.perf_counter() - began)
        return
    yield from ended_by_memory(lambda: within(limit, lambda: solver.attempts(instance, limit)))


def ended_by_memory(begin: Callable[[], Iterator[Attempt]]) -> Generator[Attempt, None, None]:
    """The attempts that `begin` gives; the best so far with the stop `memory` is the last where memory runs out."""
    best: Result = Result(None)
    latest: Attempt = best
    try:
        for latest in begin():
            if isinstance(latest, Result):
                best = latest
            yield latest
    except (NoRoom, MemoryError) as error:
        best = _ended(best, latest, "memory")
        yield best if best.moves is not None else replace(best, reason=memory_reason(error))


def memory_reason(error: NoRoom | MemoryError) -> str:
    """Why memory ran out, as a sentence for a result; nothing where the system refused it."""
    return str(error) if isinstance(error, NoRoom) else ""


def solve(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Callable[[Attempt], bool] | None = None,
) -> Result:
    """Run a solver to its end and return its best result, verified; see `answer`."""
    return answer(solver, instance, limit, watch).result


def uninterrupted(result: Result) -> Result:
    """The result; raises `KeyboardInterrupt` if Ctrl-C ended its search, for work that needs the whole answer."""
    if result.stop == "interrupted":
        raise KeyboardInterrupt
    return result


def answer(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Callable[[Attempt], bool] | None = None,
) -> Answer:
    """Run a solver to its end and return its best answer, verified; see `best_result`."""
    verified = Answer.of(instance, best_result(solver, instance, limit, watch))
    if not verified.verdict.holds:
        raise wrong_answer(solver, instance, verified.verdict)
    return verified


def best_result(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Callable[[Attempt], bool] | None = None,
) -> Result:
    """Run a solver to its end and return its best result, with its cost or score, but not verified.

    `watch` is called with every attempt and may return True to end the search. Ctrl-C ends it too: the best answer so
    far is returned with the stop `interrupted`. A board with an `objection` is proven unsolvable without a search.
    """
    best = best_of(attempts_of(solver, instance, limit), watch)
    return replace(objective_of(instance.puzzle).completed(instance, best), instance=instance)


def best_of(attempts: Generator[Attempt, None, None], watch: Callable[[Attempt], bool] | None = None) -> Result:
    """The best result of these attempts; `watch` and Ctrl-C end the search as in `best_result`."""
    best = Result(None, stop="interrupted")
    try:
        for better in bests_of(attempts, watch):
            best = better
    except KeyboardInterrupt:  # between two attempts
        best = with_stop(best, "interrupted")
    return best


def bests_of(
    attempts: Generator[Attempt, None, None], watch: Callable[[Attempt], bool] | None = None
) -> Iterator[Result]:
    """The best result after each of these attempts; the last one is that of `best_of`."""
    best = Result(None, stop="interrupted")
    latest: Attempt = best
    try:
        for latest in attempts:
            if isinstance(latest, Result):
                best = latest
            if watch and watch(latest):
                yield _ended(best, latest, "interrupted")
                return
            yield best
    except KeyboardInterrupt:
        yield _ended(best, latest, "interrupted")
    finally:
        attempts.close()


def one_board_at_a_time(
    solver: Solver, boards: Boards, limit: Limit, over: Callable[[], bool]
) -> Iterator[ResultBatch]:
    """The best result of each of these boards by itself, for `OneByOne`; all after an interrupted one are too."""
    is_interrupted = False
    for place, board in enumerate(boards):
        result = Result(None, stop="interrupted")
        if not is_interrupted:
            result = best_result(solver, board, limit, lambda attempt: over())
            is_interrupted = result.stop == "interrupted"
        yield ResultBatch.of(boards[place : place + 1], [result])


def wrong_answer(solver: Solver, instance: Instance, verdict: Verdict) -> PuzzlelabError:
    """The error of a solver whose answer does not hold."""
    return PuzzlelabError(f"{solver.name} gave a wrong answer for {instance!r}: {verdict.reason}")


def _ended(best: Result, latest: Attempt, stop: Stop) -> Result:
    """The best result with this stop, and with the counts of the latest attempt."""
    if isinstance(latest, Progress):
        best = replace(
            with_tighter_bound(best, bound_of(latest, best)),
            expanded=latest.expanded,
            generated=latest.generated,
            evaluations=latest.evaluations,
            seconds=latest.seconds,
        )
    return with_stop(best, stop)


def options_of(solver: Solver, puzzle: Puzzle) -> dict[str, Any]:
    """Every setting of a solver for this puzzle, with the name of the puzzle's default estimate where it is used.

    A solver with a prior and no estimate uses the prior alone.
    """
    names_options = ability(solver, NamesOptions)
    if names_options is not None:
        return dict(names_options.options_for(puzzle))
    options = dict(solver.options())
    if uses_default_estimate(solver) and (estimates := puzzle.view(Estimates)) is not None:
        options["estimate"] = estimates.estimate().name
    return options


def uses_default_estimate(solver: Solver) -> bool:
    """Whether the solver uses the puzzle's default estimate: it names none, and no prior in the place of one."""
    options = solver.options()
    return options.get("estimate", "") is None and options.get("prior") is None


def names_of(puzzle: Puzzle, moves: Sequence[int]) -> list[str]:
    """The moves as the puzzle writes them."""
    names = move_names(cast(Hashable, puzzle))
    return [names[move] for move in moves] if names else [puzzle.write_move(move) for move in moves]


@lru_cache(maxsize=16)
def move_names(puzzle: Any) -> Sequence[str]:
    """The names of all moves of a puzzle; none where it has more than `MOST_NAMES`."""
    moves = range(puzzle.move_count)
    return tuple(map(puzzle.write_move, moves)) if len(moves) <= MOST_NAMES else ()


@lru_cache(maxsize=16)
def move_numbers(puzzle: Any) -> Mapping[str, int]:
    """The number of each move of a puzzle by the name that it writes; none where it has more than `MOST_NAMES`."""
    return {name: puzzle.read_move(name) for name in move_names(puzzle)}


def board_after(puzzle: Puzzle, state: State, moves: Iterable[int]) -> State:
    """The state after these moves, which must be legal."""
    for last in states_along(puzzle, state, moves):
        state = last
    return state


class WithMemory(Protocol):
    """Keeps a memory of its searches, which speeds up related boards.

    A hint solves a position and all its children; a teacher solves every position of a game.
    """

    def remembering(self) -> Solver:
        """The same solver with a memory of its own, for one thread: equal answers in less time."""


def with_memory(solver: Solver) -> Solver:
    """The solver with a memory of its own, if it can have one."""
    remembering = ability(solver, WithMemory)
    return remembering.remembering() if remembering else solver
