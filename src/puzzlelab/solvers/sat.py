"""Exact cover as a SAT formula, for the engines of PySAT: a variable for each option, which says whether it is chosen.

Clauses: some option covers each primary item, and no two options that share an item are both chosen (pairwise, which
for the sizes of a Sudoku was the fastest encoding up to 25x25). What a board has chosen are assumptions, so that one
engine, with what it has learned, serves many boards of a puzzle. An engine cannot be interrupted in its work, but it
stops after a number of conflicts, and so it is asked slice by slice. The nodes of a search are its decisions.

Sources: Biere, Faller, Fazekas, Fleury, Froleyks, Pollitt, "CaDiCaL" (2020); Ignatiev, Morgado, Marques-Silva,
"PySAT: a Python toolkit for prototyping with SAT oracles" (2018); Lynce, Ouaknine, "Sudoku as a SAT problem" (2006).

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
from pydantic import field_validator

from puzzlelab.core.cover import ExactCover
from puzzlelab.core.errors import UnknownName, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance
from puzzlelab.core.result import Progress, Proof, Result, Stop
from puzzlelab.core.solutions import NO_SOLUTION, SEVERAL, EnumeratesSolutions, settled
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import Cover
from puzzlelab.engine.driver import Clock

ENGINES = (
    "cadical153",
    "cadical195",
    "glucose3",
    "glucose4",
    "glucose42",
    "maplechrono",
    "maplecm",
    "maplesat",
    "mergesat3",
    "minicard",
    "minisat22",
)
"""The engines of PySAT that keep what they learn from one question to the next and stop after a number of conflicts."""
EXACT = ("cadical153", "cadical195")
"""Those that also stop after a number of decisions; the others may pass a limit on nodes."""
SLICE = 1000
"""Conflicts of one slice: a fixed number, so that an answer does not depend on the speed of the machine."""
KEPT_ENTRIES = 10_000
"""Entries of a cover for which an engine is kept: a 12x12 Sudoku has 6,912. For a larger one it takes seconds to write
down all clauses, and a tenth of a second those that a board leaves open."""
PART = 10_000
"""Clauses that exist as Python lists at a time; a million of them would keep the garbage collector busy."""
MOST_BOARDS = 1000
"""Boards after which a kept engine is replaced, because each leaves a variable and a clause without use behind."""

Answer = TypeVar("Answer")


# --- the formula ---


def clauses_of(cover: ExactCover, usable: NDArray[np.bool_]) -> Iterator[list[int]]:
    """The clauses over the variables 1 to O, in which only options that are `usable: bool[O]` occur."""
    kept = usable[cover.owners]
    items, options = cover.entries[kept], cover.owners[kept]
    order = np.argsort(items, kind="stable")
    items, variables = items[order], options[order] + 1
    ends = np.searchsorted(items, np.arange(cover.primary), side="right")
    for part in np.split(variables, ends)[: cover.primary]:
        yield part.tolist()
    pairs = -clashes(items, variables)
    for start in range(0, len(pairs), PART):
        yield from pairs[start : start + PART].tolist()


def clashes(items: NDArray[np.int32], variables: NDArray[np.int64]) -> NDArray[np.int64]:
    """`int64[C, 2]`: the pairs of variables that share an item, each once; both arguments `[E]`, by increasing item."""
    base = int(variables.max(initial=0)) + 1
    pairs = [np.empty(0, np.int64)]
    for gap in range(1, len(items)):
        same = items[gap:] == items[:-gap]
        if not same.any():
            break
        one, other = variables[:-gap][same], variables[gap:][same]
        pairs.append(np.minimum(one, other) * base + np.maximum(one, other))
    return np.stack(np.divmod(np.unique(np.concatenate(pairs)), base), axis=1)


def compatible(cover: ExactCover, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
    """`bool[O]`: what is chosen, and what shares no item with it."""
    taken = np.isin(cover.owners, chosen)
    covered = np.zeros(cover.items, bool)
    covered[cover.entries[taken]] = True
    usable: NDArray[np.bool_] = np.bincount(cover.owners[covered[cover.entries]], minlength=cover.options) == 0
    usable[chosen] = True
    return usable


# --- an engine ---


class Engine:
    """An engine of PySAT with the clauses of a cover."""

    def __init__(self, name: str, cover: ExactCover, usable: NDArray[np.bool_]) -> None:
        try:
            from pysat.solvers import NoSuchSolverError, Solver
        except ImportError:
            raise Unsupported("the solver 'sat' needs PySAT: pip install puzzlelab[sat]") from None
        try:
            self.oracle: Any = Solver(name=name, bootstrap_with=clauses_of(cover, usable))
        except NoSuchSolverError:
            raise Unsupported(f"PySAT has no engine '{name}' as it is installed here") from None
        self.name, self.options, self.usable = name, cover.options, usable
        self.idle = ~cover.needed & usable
        self.guards = 0

    def ask(self, assumptions: Sequence[int], decisions: int | None) -> bool | None:
        """Whether the clauses can hold; None when a slice of work, or that many decisions, did not settle it."""
        if decisions is None or self.name in EXACT:
            self.oracle.conf_budget(SLICE)
        else:
            self.oracle.conf_budget(min(SLICE, decisions))
        if decisions is not None and self.name in EXACT:
            self.oracle.dec_budget(decisions)
        answer: bool | None = self.oracle.solve_limited(assumptions=assumptions)
        return answer

    def decisions(self) -> int:
        """How many there were so far."""
        return int(self.oracle.accum_stats()["decisions"])

    def chosen(self) -> NDArray[np.int64]:
        """The options of the solution that was found last."""
        values = np.array(self.oracle.get_model()[: self.options], np.int64)
        options = np.flatnonzero(values > 0)
        return options[self.usable[options]]

    def forbid(self, options: NDArray[np.int64], guarded: bool) -> int:
        """Allow no solution with all these options; where `guarded`, only while the variable returned is assumed."""
        clause = (-(options + 1)).tolist()
        self.guards += guarded
        guard = self.options + self.guards
        self.oracle.add_clause([*clause, -guard] if guarded else clause)
        return guard

    def close(self) -> None:
        """Free its memory."""
        self.oracle.delete()


_KEPT: WeakKeyDictionary[ExactCover, dict[str, list[Engine]]] = WeakKeyDictionary()
_LOCK = threading.Lock()


@atexit.register
def _forget() -> None:
    """Free all kept engines while PySAT still can."""
    with _LOCK:
        for engines in _KEPT.values():
            for spare in engines.values():
                while spare:
                    spare.pop().close()


@contextmanager
def kept(name: str, cover: ExactCover) -> Iterator[Engine]:
    """An engine for this cover that nobody else uses now; afterwards it is kept for the next board."""
    with _LOCK:
        spare = _KEPT.setdefault(cover, {}).setdefault(name, [])
        engine = spare.pop() if spare else None
    engine = engine or Engine(name, cover, np.ones(cover.options, bool))
    try:
        yield engine
    finally:
        if engine.guards:
            engine.oracle.add_clause([-(engine.options + engine.guards)])
        if engine.guards < MOST_BOARDS:
            spare.append(engine)
        else:
            engine.close()


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "sat")


def _aside(work: Callable[[], Answer]) -> Answer:
    """Do this in another thread than the main one, where PySAT would answer Ctrl-C by a jump that breaks the engine."""
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
    """Questions about one board to one engine or, later, to another one."""

    cover: ExactCover
    taken: NDArray[np.int64]
    clock: Clock
    engine: Engine
    earlier: int = 0
    """Decisions on this board in engines before this one."""
    began: int = field(init=False)
    stop: Stop = "done"

    def __post_init__(self) -> None:
        self.began = self.engine.decisions()

    def decisions(self) -> int:
        """Decisions on this board."""
        return self.earlier + self.engine.decisions() - self.began

    def ask(self, *guards: int) -> Generator[Progress, None, bool]:
        """Whether there is a solution; False with a `stop` other than 'done' when a limit was reached first."""
        unused = self.engine.idle.copy()
        unused[self.taken] = False
        assumptions = [*(self.taken + 1).tolist(), *(-np.flatnonzero(unused) - 1).tolist(), *guards]
        nodes = self.clock.limit.nodes
        while (stop := self.clock.reached(self.decisions())) is None:
            left = None if nodes is None else nodes - self.decisions()
            answer = _aside(partial(self.engine.ask, assumptions, left))
            yield Progress(self.decisions(), 0, 0, 0, self.clock.seconds)
            if answer is not None:
                return answer
        self.stop = stop
        return False

    def settle(self) -> Generator[Attempt, None, Result | None]:
        """The attempts that end with a proof or at a limit; where there are several solutions, returns the first."""
        if not (yield from self.ask()):
            yield self.result(None, *(("unsolvable", NO_SOLUTION) if self.stop == "done" else ()))
            return None
        options = self.found()
        yield self.result(options)
        if (yield from self.ask(self.engine.forbid(options, guarded=True))):
            return self.result(options, reason=SEVERAL)
        yield self.result(options, "unique" if self.stop == "done" else "none")
        return None

    def found(self) -> NDArray[np.int64]:
        """The options of the last solution that the board has not taken."""
        return np.setdiff1d(self.engine.chosen(), self.taken, assume_unique=True)

    def result(self, options: NDArray[np.int64] | None, proof: Proof = "none", reason: str = "") -> Result:
        """What these options mean as moves, in increasing order."""
        moves = None if options is None else tuple(sorted(self.cover.moves[options].tolist()))
        bound = len(moves or ())
        return Result(moves, proof, reason, self.stop, bound, self.decisions(), seconds=self.clock.seconds)


class Sat(SolverSettings):
    """A SAT engine of PySAT on the exact cover; it finds and lists all solutions, and proves that there are no more.

    A board of a small cover with one solution, or none, is settled by an engine that is kept from board to board. All
    solutions are listed, always in the same order, by an engine of their own. `engine` is a name of PySAT's; those
    other than CaDiCaL may pass a limit on nodes a little.
    """

    name: ClassVar[str] = "sat"
    needs: ClassVar[tuple[type, ...]] = (Cover,)
    offers: ClassVar[tuple[type, ...]] = (EnumeratesSolutions,)

    engine: str = "cadical153"

    @field_validator("engine")
    @classmethod
    def _known(cls, engine: str) -> str:
        if engine not in ENGINES:
            raise UnknownName("SAT engine", engine, ENGINES)
        return engine

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """A solution, then whether it is the only one."""
        cover, taken = _views(instance)
        clock = Clock(limit)
        if len(cover.entries) > KEPT_ENTRIES:
            yield from settled(self._list(cover, taken, clock))
            return
        with kept(self.engine, cover) as engine:
            first = yield from SatSearch(cover, taken, clock, engine).settle()
        if first is None:
            return
        for attempt in settled(self._list(cover, taken, clock, first.expanded)):
            if isinstance(attempt, Result) and attempt.moves is None:  # a limit came before the same was found again
                yield replace(first, stop=attempt.stop, expanded=attempt.expanded, seconds=attempt.seconds)
            else:
                yield attempt

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Every solution, as they are found."""
        return self._list(*_views(instance), Clock(limit))

    def _list(
        self, cover: ExactCover, taken: NDArray[np.int64], clock: Clock, spent: int = 0
    ) -> Generator[Attempt, None, None]:
        engine = Engine(self.engine, cover, compatible(cover, taken))
        try:
            search = SatSearch(cover, taken, clock, engine, spent)
            while (yield from search.ask()):
                options = search.found()
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
