"""The contract of a solver: its methods, its abilities, and which puzzles suit it. `engine.solving` runs solvers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.core.puzzle import Puzzle, presentation_of
from puzzlelab.core.result import Progress, Result
from puzzlelab.core.settings import Settings
from puzzlelab.core.views import Candidates, Cover, Estimate, Estimates, Prior

if TYPE_CHECKING:
    from puzzlelab.core.answers import Answers

Attempt = Progress | Result
NETWORK = "net"
"""The name of the best network of the package for a puzzle, and the beginning of the names of others."""


class Solver(Protocol):
    """A configured solver: a frozen value such as `Astar(estimate="pdb", weight=1)`.

    >>> solver = puzzlelab.solver("beam", width=10)
    >>> solver.name, solver.options()["width"]
    ('beam', 10)
    """

    name: ClassVar[str]
    needs: ClassVar[tuple[type, ...]]
    """The views of a puzzle without which this solver cannot work."""
    keeps_costs: ClassVar[bool]
    """Whether it minimises the cost of the moves, or maximises the score, where the puzzle has one, and not only their
    number. It cannot solve such a puzzle otherwise."""
    shares_work: ClassVar[bool]
    """Whether it solves boards in much less time together than one after the other, as solvers with networks do. Such
    boards are timed together."""
    proves_unsolvable: ClassVar[bool]
    """Whether it proves that a board has no solution in no more time than it solves one. The boards of a batch are then
    not tested for an objection before they are solved."""

    def options(self) -> Mapping[str, Any]:
        """Return every setting by name, as plain data for a row."""

    def values(self) -> Mapping[str, Any]:
        """Return every setting by name, with the object that was passed."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield `Progress` from time to time, and ever better `Result`s; the last one says why the search ended."""

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers] | None:
        """Yield the last results of `attempts` for all boards, in their order, in parts, as soon as they exist.

        None from a solver that is not faster on boards together: `attempts` then searches them one after the other. No
        board has an objection, except for a solver that `proves_unsolvable`. No board that takes long should hold back
        the answers to those before it. `limit` is for each board, except for its memory. The search ends early when
        `over()` is true or at Ctrl-C; unfinished boards are then `interrupted`.
        """

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Return why the solver cannot solve this puzzle, which has the views that it needs, as a sentence, or None."""

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """Return every setting by name, as plain data, with the defaults for this puzzle."""

    @property
    def solvers(self) -> Sequence[Solver]:
        """The other solvers that it runs, with their options."""

    def with_memory(self) -> Solver:
        """Return the solver with a memory of its own, for one thread: equal answers, sooner for related boards.

        A hint solves a position and all its children; a teacher solves every position of a game.
        """

    def explain(self, instance: Instance, limit: Limit | None = None) -> Iterator[str] | None:
        """Return the search in sentences, or None."""


class SolverSettings(Settings):
    """The base class of solvers; by default one needs no view, and solves boards one after the other."""

    name: ClassVar[str]
    needs: ClassVar[tuple[type, ...]] = ()
    keeps_costs: ClassVar[bool] = False
    shares_work: ClassVar[bool] = False
    proves_unsolvable: ClassVar[bool] = False

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        raise NotImplementedError

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers] | None:
        """Return None: boards are solved one after the other."""
        return None

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Return None: views are enough."""
        return None

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """Return every setting, with the name of the puzzle's default estimate where it is used.

        A solver with a prior and no estimate uses the prior alone.
        """
        options = dict(self.options())
        if uses_default_estimate(self) and (estimates := puzzle.view(Estimates)) is not None:
            options["estimate"] = estimates.estimate().name
        return options

    @property
    def solvers(self) -> Sequence[Solver]:
        """None."""
        return ()

    def with_memory(self) -> Solver:
        """Return the solver itself, which has no memory."""
        return self

    def explain(self, instance: Instance, limit: Limit | None = None) -> Iterator[str] | None:
        """Return None."""
        return None


def with_inner_solvers(solver: Solver) -> Iterator[Solver]:
    """Yield the solver, and all that it runs, at every depth."""
    yield solver
    for inner in solver.solvers:
        yield from with_inner_solvers(inner)


def require(solver: Solver, puzzle: Puzzle) -> None:
    """Raise `Unsupported` unless the puzzle offers every view that the solver needs, and the solver accepts it."""
    require_views(solver, puzzle)
    if reason := solver.refusal(puzzle):
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
    if not solver.keeps_costs:
        require_counted_moves(puzzle, solver.name)


def is_network(name: object) -> bool:
    """Tell whether the value of a solver's option names a network."""
    return isinstance(name, str) and (name == NETWORK or name.startswith(NETWORK + ":"))


def _is_score(option: object) -> bool:
    return isinstance(option, Estimate | Prior) or is_network(option)


def uses_default_estimate(solver: Solver) -> bool:
    """Tell whether the solver uses the puzzle's default estimate: it names none, and no prior in the place of one."""
    options = solver.options()
    return options.get("estimate", "") is None and options.get("prior") is None


def counts_solutions(puzzle: Puzzle) -> bool:
    """Tell whether solutions of this puzzle are counted: else proofs of their number mean nothing."""
    offers = puzzle.view(Cover) is not None or puzzle.view(Candidates) is not None
    return offers or presentation_of(puzzle).unique_expected
