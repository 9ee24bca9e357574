"""All shortest solutions of a board: the graph of the states that lie on them, layer by layer.

A search proves the optimum. Then each successor of a state that lies on a shortest solution is searched for a solution
within the moves that are left to it, which adds its states to the graph. A state is searched once however many paths
lead to it, and the solutions are counted from the last layer to the first, as sums over successors: nothing is listed.
By iterative deepening A* the searches together cost about as much as the last threshold of the first one.

Shapes: B = states, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import ClassVar, NamedTuple

import numpy as np

from puzzlelab.core import registry
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import BadOption, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State, states_along
from puzzlelab.core.result import Count, Progress, Result, Stop
from puzzlelab.core.solver import Attempt, Solver
from puzzlelab.core.views import Estimate, Estimates
from puzzlelab.engine import kernels, report
from puzzlelab.engine.batch_rules import estimated, successors
from puzzlelab.engine.driver import Clock, Drive, scorer
from puzzlelab.engine.enumeration import Enumerator
from puzzlelab.engine.search_rules import chosen_estimate, fitted, rules_of
from puzzlelab.engine.solving import attempts_of, solve_boards
from puzzlelab.solvers.ida import machine, restart


class Edge(NamedTuple):
    """A move of shortest solutions, from a state of one layer to one of the next."""

    start: int
    move: int
    end: int


@dataclass
class ShortestPaths:
    """The states that lie on shortest solutions of a board, as a graph of layers; layer 0 is the board."""

    layers: list[list[Edge]] = field(default_factory=list)
    """The moves from each layer to the next, ordered by the state and the move."""

    def count(self) -> int:
        """Return the number of paths, exactly: Python's whole numbers have no largest one."""
        totals: dict[int, int] = {}
        for layer in reversed(self.layers):
            sums: dict[int, int] = {}
            for start, _, end in layer:
                sums[start] = sums.get(start, 0) + totals.get(end, 1)
            totals = sums
        return totals.get(0, 1)

    def paths(self) -> Iterator[tuple[int, ...]]:
        """Yield the moves of every path, in their order."""
        after: list[dict[int, list[Edge]]] = []
        for layer in self.layers:
            after.append({})
            for edge in layer:
                after[-1].setdefault(edge.start, []).append(edge)
        pending: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while pending:  # the last entry is the first in the order
            place, moves = pending.pop()
            if len(moves) == len(after):
                yield moves
            else:
                pending += [(edge.end, (*moves, edge.move)) for edge in reversed(after[len(moves)][place])]


class OptimumProver:
    """The proofs of how many moves a board and the states on its shortest solutions need, under one limit."""

    def __init__(self, bound: Estimate | None, limit: Limit) -> None:
        self.bound, self.limit, self.clock = bound, limit, Clock(limit)
        """`bound`: a lower bound on the moves, which spares searches."""
        self.counts = 0, 0
        """States expanded and generated."""
        self.stop: Stop = "done"
        """Why the work ended early, or 'done'."""

    def attempts(self, instance: Instance) -> Iterator[Attempt]:
        """Yield the attempts of a search for a shortest solution of the board."""
        raise NotImplementedError

    def rests(self, states: State, moves: Sequence[int], left: int) -> Iterator[Sequence[int] | None]:
        """Yield a solution of at most `left` moves from each of the plain `states[B, S]` on, or None.

        `moves` are those that led to the states. The work ends early with another `stop` than 'done'.
        """
        raise NotImplementedError


class Deepening(OptimumProver):
    """Proofs by iterative deepening A*: one search after the other in the same arrays."""

    def __init__(self, instance: Instance, bound: Estimate, limit: Limit) -> None:
        self.rules = rules_of(instance)
        estimate = fitted(bound, self.rules, instance.state)
        self.machine, self.score = machine(instance, estimate, self.rules), scorer(estimate, self.rules)
        self.machine.load()  # before the clock starts
        super().__init__(bound, limit)

    def attempts(self, instance: Instance) -> Iterator[Attempt]:
        """Yield the attempts of `ida`."""
        for attempt in self._drive():
            self.counts = attempt.expanded, attempt.generated
            yield attempt

    def rests(self, states: State, moves: Sequence[int], left: int) -> Iterator[Sequence[int] | None]:
        """Yield a solution from each state on, or None, by a search of the threshold `left` alone."""
        control = self.machine.control
        for state, move in zip(self.rules.starts(states), moves, strict=True):
            restart(self.machine.record, state)
            control.expanded, control.generated = self.counts
            control.one_threshold, control.threshold, control.last_move = 1, left, move
            rest = self._solution()
            self.counts = int(control.expanded), int(control.generated)
            yield rest
            if self.stop != "done":
                return

    def _drive(self) -> Drive:
        return Drive(self.machine, self.limit, self.score, self.clock)

    def _solution(self) -> list[int] | None:
        for status, stop in self._drive().slices():
            if status == kernels.IMPROVED:
                return self.machine.solution(self.machine.record)
            self.stop = stop or "done"
        return None


class BySolver(OptimumProver):
    """Proofs by another solver, which gets all states of a layer at once."""

    def __init__(self, solver: Solver, bound: Estimate | None, limit: Limit) -> None:
        super().__init__(bound, limit)
        self.solver = solver

    def attempts(self, instance: Instance) -> Iterator[Attempt]:
        """Yield the attempts of the solver; raises `Unsupported` where it ends without the proof."""
        self.puzzle = instance.puzzle
        last = Result(None)
        for attempt in attempts_of(self.solver, instance, self.limit):
            self.counts = attempt.expanded, attempt.generated
            last = attempt if isinstance(attempt, Result) else last
            yield attempt
        if last.proof == "none" and last.stop == "done":
            raise Unsupported(f"{self.solver.name} does not prove that a solution has the fewest moves")

    def rests(self, states: State, moves: Sequence[int], left: int) -> Iterator[Sequence[int] | None]:
        """Yield a solution from each state on that is short enough, or None."""
        limit = self.limit.share(self.clock.seconds, self.counts[0])
        if limit is None or not len(states):
            self.stop = self.clock.reached(self.counts[0]) or "done"
            return
        boards = Boards(self.puzzle, states)
        for result in chain.from_iterable(solve_boards(self.solver, boards, limit, lambda: self.stop != "done")):
            self.counts = self.counts[0] + result.expanded, self.counts[1] + result.generated
            is_short = result.length is not None and result.length <= left
            if not is_short and result.proof == "none" and result.lower_bound <= left:
                self.stop = result.stop
            else:
                self.stop = self.clock.reached(self.counts[0]) or "done"
            yield result.moves if is_short else None
            if self.stop != "done":
                return


class PathSearch:
    """The search for all shortest solutions of a board."""

    def __init__(self, prover: OptimumProver) -> None:
        self.prover = prover
        self.first = Result(None)
        """The first shortest solution, if it is proven to be one."""
        self.graph = ShortestPaths()

    def run(self, instance: Instance) -> Iterator[Progress]:
        """Search the optimum, then build the graph, which is complete if the prover's `stop` is 'done'."""
        for attempt in self.prover.attempts(instance):
            if isinstance(attempt, Progress):
                yield attempt
            else:
                self.first = attempt
        if self.first.moves is not None and self.first.proof == "optimal":
            yield from self._build(instance, self.first.moves)
        else:
            self.first = replace(self.first, moves=None)
            self.prover.stop = self.first.stop

    def _build(self, instance: Instance, moves: Sequence[int]) -> Iterator[Progress]:
        """Build the graph, whose first path has these moves."""
        puzzle, size = instance.puzzle, len(moves)
        on_paths: list[set[bytes]] = [set() for _ in range(size + 1)]

        def add(state: State, depth: int, rest: Sequence[int]) -> None:
            for further, after in enumerate(states_along(puzzle, state, rest), depth):
                if (key := after.tobytes()) in on_paths[further]:
                    return
                on_paths[further].add(key)

        add(instance.state, 0, moves)
        states = instance.state[None]
        for depth in range(1, size + 1):
            report.progress("moves of all shortest solutions", depth - 1, size)
            left, after = size - depth, successors(puzzle, states)
            rows = np.arange(len(after.states))
            if self.prover.bound is not None:
                rows = np.flatnonzero(estimated(puzzle, self.prover.bound, after.states) <= left)
            keys = {row: after.states[row].tobytes() for row in rows.tolist()}
            open_rows = list({key: row for row, key in keys.items() if key not in on_paths[depth]}.values())
            rests = self.prover.rests(after.states[open_rows], after.move[open_rows].tolist(), left)
            for row, rest in zip(open_rows, rests, strict=False):
                yield Progress(*self.prover.counts, 0, size, self.prover.clock.seconds)
                if rest is not None:
                    add(after.states[row], depth, rest)
            if self.prover.stop != "done":
                return
            kept = [(row, key) for row, key in keys.items() if key in on_paths[depth]]
            first_rows = {key: row for row, key in reversed(kept)}
            places = {key: place for place, key in enumerate(first_rows)}
            edges = [Edge(int(after.owner[row]), int(after.move[row]), places[key]) for row, key in kept]
            self.graph.layers.append(edges)
            states = after.states[list(first_rows.values())]


class Shortest(Enumerator):
    """Every solution with the fewest moves: a graph of the states that lie on them.

    It rests on proofs of optima: by iterative deepening A* where the estimate is a lower bound, otherwise by the
    puzzle's usual solver. Memory grows with the states that lie on shortest solutions.
    """

    name: ClassVar[str] = "shortest"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)

    estimate: str | Estimate | None = None
    """The name of a lower bound, or an `Estimate`; none: the puzzle's default."""
    by: str | None = None
    """The solver that proves optima, with its options, in place of iterative deepening A*."""

    @property
    def solvers(self) -> Sequence[Solver]:
        """The solver `by`, if it is given."""
        return () if self.by is None else (registry.parse_solver(self.by),)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Return the attempts of the search that proves the optimum."""
        return self._prover(instance, limit).attempts(instance)

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then each shortest solution, in the order of the moves."""
        search = PathSearch(self._prover(instance, limit))
        yield from search.run(instance)
        if search.first.moves is not None:
            is_complete = search.prover.stop == "done"
            for moves in search.graph.paths() if is_complete else [search.first.moves]:
                yield _result(search, moves)
        yield _result(search, None)

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Yield the number of shortest solutions, by sums over the graph; 1 where a limit ends its construction."""
        search = PathSearch(self._prover(instance, limit))
        for each in search.run(instance):
            yield Count(int(search.first.proof == "optimal"), "interrupted", each.expanded, each.seconds or 0.0)
        stop = search.prover.stop
        total = 0 if search.first.moves is None else search.graph.count() if stop == "done" else 1
        ended: Stop = "solutions" if total >= most else stop
        yield Count(min(total, most), ended, search.prover.counts[0], search.prover.clock.seconds, search.first.length)

    def _prover(self, instance: Instance, limit: Limit) -> OptimumProver:
        """Return what proves optima of this puzzle; raises `BadOption` for an estimate that is no lower bound."""
        puzzle = instance.puzzle
        estimate = chosen_estimate(puzzle, self.estimate)
        if self.estimate is not None and not estimate.admissible:
            raise BadOption(f"shortest needs a lower bound on the moves, and '{estimate.name}' is none")
        if self.by is None and estimate.admissible:
            return Deepening(instance, estimate, limit)
        view, solver = puzzle.view(Estimates), registry.solver(self.by, puzzle)
        names = () if view is None or estimate.admissible else view.estimates
        bounds = [estimate, *map(chosen_estimate, repeat(puzzle), names)]
        return BySolver(solver, next((bound for bound in bounds if bound.admissible), None), limit)


def _result(search: PathSearch, moves: tuple[int, ...] | None) -> Result:
    """Return the result of one solution, or of the end of all."""
    prover, first = search.prover, search.first
    work = (first.lower_bound, *prover.counts, 0, prover.clock.seconds)
    if moves is None:
        return Result(None, "none", first.reason, prover.stop, *work)
    return Result(moves, "optimal", "", "done", *work)


SOLVER = Shortest
