"""Exact cover as a SAT formula for CaDiCaL, as PySAT has it: one variable for each option, true if it is chosen.

Clauses: some option covers each primary item, and no two options that share an item are both chosen: pairwise, the
fastest encoding for Sudoku up to 25x25, or by ladders where that would be millions of clauses. The choices of a board
are assumptions, so one engine with its learned clauses serves many boards of a puzzle. An engine cannot be interrupted,
but stops after a number of conflicts, so it works in slices. The nodes of a search are its decisions.

Sources: Biere, Faller, Fazekas, Fleury, Froleyks, Pollitt, "CaDiCaL" (2020); Ignatiev, Morgado, Marques-Silva,
"PySAT: a Python toolkit for prototyping with SAT oracles" (2018); Lynce, Ouaknine, "Sudoku as a SAT problem" (2006);
Sinz, "Towards an optimal CNF encoding of Boolean cardinality constraints" (2005), which has the ladders.

Shapes: O = options, E = entries, C = pairs of options that share an item.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.boards import Instance
from puzzlelab.core.cover import ExactCover
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import NO_SOLUTION, Count, Progress, Proof, Result, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Cover
from puzzlelab.engine.driver import Clock
from puzzlelab.engine.enumeration import Enumerator, proving_uniqueness
from puzzlelab.solvers.dancing_links import DancingLinks

ENGINE = "cadical153"
"""The engine of PySAT: it keeps learned clauses between calls, and stops after a number of conflicts or decisions."""
SLICE = 1000
"""Conflicts of one slice: a constant, so that answers do not depend on the speed of the machine."""
LADDER_SLICE = 50
"""The same for covers so large that they have ladders: a conflict may take some hundredths of a second."""
KEPT_ENTRIES = 10_000
"""The most entries of a cover whose engine is kept: a 12x12 Sudoku has 6,912. All clauses of a larger one take
seconds to write, those that a board leaves open a tenth of a second."""
CLAUSES_PER_PART = 10_000
"""Clauses converted to Python lists at a time, which spares the garbage collector a million lists."""
MOST_PAIRS = 2_000_000
"""The most pairs of entries of one item that are clauses each: they take some seconds. A 25x25 Sudoku has 750,000."""
MAX_BOARDS = 1000
"""Boards after which a kept engine is replaced, because each leaves an unused variable and clause."""

Outcome = TypeVar("Outcome")


# --- the formula ---


def clauses_of(cover: ExactCover, usable: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Yield the clauses over the variables 1 to O, in which only options that are `usable: bool[O]` occur.

    Those of ladders have further variables from O + 1.
    """
    is_usable = usable[cover.owners]
    items, options = cover.entries[is_usable], cover.owners[is_usable]
    order = np.argsort(items, kind="stable")
    items, variables = items[order], options[order] + 1
    ends = np.searchsorted(items, np.arange(cover.primary), side="right")
    for part in np.split(variables, ends)[: cover.primary]:
        yield part.tolist()
    counts = np.bincount(items)
    are_few = (counts * (counts - 1) // 2).sum() <= MOST_PAIRS
    pairs = -conflicting_pairs(items, variables) if are_few else ladders(items, variables, cover.options + 1)
    for start in range(0, len(pairs), CLAUSES_PER_PART):
        yield from pairs[start : start + CLAUSES_PER_PART].tolist()


def conflicting_pairs(items: NDArray[np.int32], variables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `int64[C, 2]`: the pairs of variables that share an item, each once.

    Both arguments `[E]`, by increasing item.
    """
    base = int(variables.max(initial=0)) + 1
    pairs = [np.empty(0, np.int64)]
    for gap in range(1, len(items)):
        same = items[gap:] == items[:-gap]
        if not same.any():
            break
        one, other = variables[:-gap][same], variables[gap:][same]
        pairs.append(np.minimum(one, other) * base + np.maximum(one, other))
    return np.stack(np.divmod(np.unique(np.concatenate(pairs)), base), axis=1)


def ladders(items: NDArray[np.int32], variables: NDArray[np.int64], first: int) -> NDArray[np.int64]:
    """Return `int64[3 E - 2 I, 2]`: clauses by which at most one variable of each item is true.

    Both arguments `[E]`, by increasing item. Each entry has a step, a variable from `first`: this variable, or one
    before it of the same item, is true.
    """
    steps, same = np.arange(first, first + len(items)), items[1:] == items[:-1]
    before, after, later = steps[:-1][same], steps[1:][same], variables[1:][same]
    pairs = (-variables, steps), (-before, after), (-before, -later)
    return np.concatenate([np.stack(pair, axis=1) for pair in pairs])


def compatible(cover: ExactCover, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return `bool[O]`: the chosen options, and those that share no item with them."""
    is_chosen = np.isin(cover.owners, chosen)
    covered = np.zeros(cover.items, bool)
    covered[cover.entries[is_chosen]] = True
    usable: NDArray[np.bool_] = np.bincount(cover.owners[covered[cover.entries]], minlength=cover.options) == 0
    usable[chosen] = True
    return usable


# --- an engine ---


class Engine:
    """An engine of PySAT with the clauses of a cover."""

    def __init__(self, cover: ExactCover, usable: NDArray[np.bool_]) -> None:
        try:
            from pysat.solvers import NoSuchSolverError, Solver
        except ImportError:
            raise Unsupported("the solver 'sat' needs PySAT: pip install 'puzzlelab[sat]'") from None
        try:
            self.oracle: Any = Solver(name=ENGINE, bootstrap_with=clauses_of(cover, usable))
        except NoSuchSolverError:
            raise Unsupported(f"PySAT has no engine '{ENGINE}' as it is installed here") from None
        self.options, self.usable = cover.options, usable
        self.idle = ~cover.needed & usable
        self.variables = max(cover.options, int(self.oracle.nof_vars()))
        self.slice = SLICE if self.variables == cover.options else LADDER_SLICE
        self.guards = 0

    def ask(self, assumptions: Sequence[int], decisions: int | None) -> bool | None:
        """Tell whether the clauses are satisfiable; None if one slice, or this many decisions, did not decide it."""
        self.oracle.conf_budget(self.slice)
        if decisions is not None:
            self.oracle.dec_budget(decisions)
        answer: bool | None = self.oracle.solve_limited(assumptions=assumptions)
        return answer

    def decisions(self) -> int:
        """Return the number of decisions so far."""
        return int(self.oracle.accum_stats()["decisions"])

    def chosen(self) -> NDArray[np.int64]:
        """Return the options of the last solution."""
        values = np.array(self.oracle.get_model()[: self.options], np.int64)
        options = np.flatnonzero(values > 0)
        return options[self.usable[options]]

    def forbid(self, options: NDArray[np.int64], guarded: bool) -> int:
        """Exclude solutions with all these options; if `guarded`, only while the returned variable is assumed."""
        clause = (-(options + 1)).tolist()
        self.guards += guarded
        guard = self.variables + self.guards
        self.oracle.add_clause([*clause, -guard] if guarded else clause)
        return guard

    def close(self) -> None:
        """Free its memory."""
        self.oracle.delete()


_KEPT_ENGINES: WeakKeyDictionary[ExactCover, list[Engine]] = WeakKeyDictionary()
_LOCK = threading.Lock()


@atexit.register
def _close_all() -> None:
    """Free all kept engines while PySAT still can."""
    with _LOCK:
        for spare in _KEPT_ENGINES.values():
            while spare:
                spare.pop().close()


@contextmanager
def kept_engine(cover: ExactCover) -> Iterator[Engine]:
    """Lend an unused engine for this cover; afterwards it is kept for the next board."""
    with _LOCK:
        spare = _KEPT_ENGINES.setdefault(cover, [])
        engine = spare.pop() if spare else None
    engine = engine or Engine(cover, np.ones(cover.options, bool))
    try:
        yield engine
    finally:
        if engine.guards:
            engine.oracle.add_clause([-(engine.variables + engine.guards)])
        if engine.guards < MAX_BOARDS:
            spare.append(engine)
        else:
            engine.close()


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "sat")


def _in_helper_thread(work: Callable[[], Outcome]) -> Outcome:
    """Run this outside the main thread, where PySAT would answer Ctrl-C by a jump that breaks the engine."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    future = _helper().submit(work)
    try:
        return future.result()
    finally:
        wait([future])


# --- the search ---


@dataclass
class SatSearch:
    """The search on one board with one engine."""

    cover: ExactCover
    taken: NDArray[np.int64]
    clock: Clock
    engine: Engine
    earlier_decisions: int = 0
    """Decisions on this board in engines before this one."""
    began: int = field(init=False)
    stop: Stop = "done"

    def __post_init__(self) -> None:
        self.began = self.engine.decisions()

    def decisions(self) -> int:
        """Return the number of decisions on this board."""
        return self.earlier_decisions + self.engine.decisions() - self.began

    def ask(self, *guards: int) -> Generator[Progress, None, bool]:
        """Yield whether there is a solution; False with a `stop` other than 'done' when a limit was reached first."""
        unused = self.engine.idle.copy()
        unused[self.taken] = False
        assumptions = [*(self.taken + 1).tolist(), *(-np.flatnonzero(unused) - 1).tolist(), *guards]
        nodes = self.clock.limit.nodes
        while (stop := self.clock.reached(self.decisions())) is None:
            nodes_left = None if nodes is None else nodes - self.decisions()
            answer = _in_helper_thread(partial(self.engine.ask, assumptions, nodes_left))
            yield Progress(self.decisions(), 0, 0, 0, self.clock.seconds)
            if answer is not None:
                return answer
        self.stop = stop
        return False

    def decide(self) -> Generator[Attempt, None, Result | None]:
        """Yield the attempts that end with a proof or at a limit.

        Where there are several solutions, returns the first.
        """
        if not (yield from self.ask()):
            yield self.result(None, *(("unsolvable", NO_SOLUTION) if self.stop == "done" else ()))
            return None
        options = self.new_options()
        yield self.result(options)
        if (yield from self.ask(self.engine.forbid(options, guarded=True))):
            return self.result(options, "several")
        yield self.result(options, "unique" if self.stop == "done" else "none")
        return None

    def new_options(self) -> NDArray[np.int64]:
        """Return the options of the last solution that the board has not chosen."""
        return np.setdiff1d(self.engine.chosen(), self.taken, assume_unique=True)

    def result(self, options: NDArray[np.int64] | None, proof: Proof = "none", reason: str = "") -> Result:
        """Return the result with the moves of these options, in increasing order."""
        moves = None if options is None else tuple(sorted(self.cover.moves[options].tolist()))
        bound = len(moves or ())
        return Result(moves, proof, reason, self.stop, bound, self.decisions(), seconds=self.clock.seconds)


class Sat(Enumerator):
    """A SAT engine of PySAT on the exact cover; it finds all solutions and proves the list complete.

    For small covers one engine is kept from board to board and decides whether there is no solution or only one.
    Several solutions are listed, always in the same order, by a new engine. With `first_nodes` boards that dancing
    links decide in so many steps are left to them: about as long as an engine takes to begin.
    """

    name: ClassVar[str] = "sat"
    needs: ClassVar[tuple[type, ...]] = (Cover,)

    first_nodes: int | None = Field(default=None, ge=1)
    """The steps of dancing links before an engine is made; None makes one at once."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield a solution, then whether it is the only one."""
        if self.first_nodes is None:
            return self._attempts(instance, limit)
        *_, last = DancingLinks().attempts(instance, self._first(limit))
        is_decided = isinstance(last, Result) and last.stop != "nodes"
        return iter([last]) if is_decided or self._first(limit) == limit else self._attempts(instance, limit)

    def _first(self, limit: Limit) -> Limit:
        """Return the limit of dancing links."""
        assert self.first_nodes is not None
        return replace(limit, nodes=min(self.first_nodes, limit.nodes or self.first_nodes))

    def _attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        cover, taken = _views(instance)
        clock = Clock(limit)
        if len(cover.entries) > KEPT_ENTRIES:
            yield from proving_uniqueness(self._list(cover, taken, clock))
            return
        with kept_engine(cover) as engine:
            first = yield from SatSearch(cover, taken, clock, engine).decide()
        if first is None:
            return
        for attempt in proving_uniqueness(self._list(cover, taken, clock, first.expanded)):
            if (
                isinstance(attempt, Result) and attempt.moves is None
            ):  # a limit came before this solution was reached again
                yield replace(first, stop=attempt.stop, expanded=attempt.expanded, seconds=attempt.seconds)
            else:
                yield attempt

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Return every solution, in the order of the search."""
        if self._leaves(instance, limit):
            return DancingLinks().solutions(instance, limit)
        return self._list(*_views(instance), Clock(limit))

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Count the solutions."""
        if self._leaves(instance, limit):
            return DancingLinks().count(instance, limit, most)
        return super().count(instance, limit, most)

    def _leaves(self, instance: Instance, limit: Limit) -> bool:
        """Tell whether dancing links decide a board in their first steps, or find two solutions."""
        if self.first_nodes is None:
            return False
        *_, first = DancingLinks().count(instance, self._first(limit), 2)
        return first.stop in ("done", "solutions")

    def _list(
        self, cover: ExactCover, taken: NDArray[np.int64], clock: Clock, spent: int = 0
    ) -> Generator[Attempt, None, None]:
        engine = Engine(cover, compatible(cover, taken))
        try:
            search = SatSearch(cover, taken, clock, engine, spent)
            while (yield from search.ask()):
                options = search.new_options()
                yield search.result(options)
                engine.forbid(options, guarded=False)
            yield search.result(None)
        finally:
            engine.close()


def _views(instance: Instance) -> tuple[ExactCover, NDArray[np.int64]]:
    puzzle = instance.puzzle
    view = puzzle.view(Cover)
    assert view is not None
    return view.cover(), view.chosen(instance.state)


SOLVER = Sat
