"""Beam search: each layer keeps only the `width` states with the least estimates; duplicates are dropped by hash.

The solution need not be optimal, unless its length meets a lower bound. Without a width the search is anytime: beams
get wider and wider, and only shorter solutions are accepted. Source: Lowerre, "The Harpy speech recognition system"
(1976). With a prior each layer keeps the states on the most probable paths: see `_layers`.

Shapes: S as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, repeat, takewhile
from typing import Any, ClassVar

import numpy as np
from pydantic import Field, PrivateAttr

from puzzlelab.core import registry
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import Proof, Result, Stop
from puzzlelab.core.solver import Attempt, Solver, SolverSettings, uses_default_estimate
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Prior
from puzzlelab.engine import records
from puzzlelab.engine.attempts import given_up, one_by_one, restarted, with_patience
from puzzlelab.engine.batch_rules import cheap_bounds
from puzzlelab.engine.driver import EXHAUSTED, Machine, drive
from puzzlelab.engine.record_parts import UNBOUNDED, new_control, reset
from puzzlelab.engine.search_rules import (
    SolverText,
    chosen_estimate,
    chosen_prior,
    fitted,
    minimised,
    rules_of,
    stepper,
)
from puzzlelab.runtime.memory import require_memory
from puzzlelab.solvers import _layers
from puzzlelab.solvers._beam_kernels import AHEAD, CONTROL, BeamRecord, Lookahead, add_hashes, kept_after, step
from puzzlelab.solvers._layers import Guide
from puzzlelab.solvers._layers_kernels import SCORE_BATCH
from puzzlelab.solvers._top_k_kernels import new_selection

MAX_WIDTH = 1 << 22
FIRST_HASHES = 1 << 20
"""The most slots for hashes at the beginning: each hash lies on another page of the memory."""
MOST_REMEMBERED = 1 << 10
"""The greatest width whose arrays are reused from board to board; those of a width of 1000 take some megabytes."""
FIRST_LAYERS, FIRST_DOUBLINGS = 2000, 5
"""The layers after which the first, narrow beams of a widening search give up, until there is a solution. On 7x7 tiles
one in seven of them wanders for tens of thousands of moves, and the next width finds a solution soon."""
LAST_PASSES = 20.0
"""The next pass is the last one where less than so many times the time of the pass before is left."""
SURE = 0.6
"""The part of that time for which the last pass is planned, where it cannot get narrower on the way: the larger a beam,
the longer each of its states takes."""
RESERVE = 0.02
"""The part of a limit on time that a pass leaves for its last layers."""
PRIOR_WEIGHT = 0.1
"""The weight of minus the log probability, in moves, beside an estimate: enough to break ties."""
BEAM_EMPTY: tuple[Proof, str, Stop] = "none", "every state in the beam led only to states seen before", "dead end"


def machine(instance: Instance, estimate: Estimate, rules: KernelRules, width: int, max_moves: int) -> Machine:
    """Return the search of one width for a solution of at most `max_moves` moves; raises `NoRoom`."""
    moves = instance.puzzle.move_count
    candidates, kept = (width + 1) * moves, 64 * width
    table = records.table_size(candidates)
    require_memory(f"a beam of {width:,} states of {instance.puzzle.name}", 4 * table)  # each layer empties all of it
    record = BeamRecord(
        tables=rules.tables,
        estimate=records.new_estimate(estimate, rules),
        control=new_control(CONTROL, max_moves=max_moves, admissible=estimate.admissible, room=UNBOUNDED),
        layer=np.empty((width, rules.words), np.uint64),
        layer_values=np.empty(width, np.float32),
        candidates=records.new_node_table(rules, candidates, table=table),
        selection=new_selection(candidates),
        scores=np.empty(SCORE_BATCH, np.float64),
        parent=np.empty(kept + 16, np.int32),
        move=np.empty(kept + 16, np.int32),
        seen_hashes=np.zeros(min(records.table_size(kept), FIRST_HASHES), np.uint64),
        expansion=records.new_expansion(rules, instance.state, moves),
        ahead=Lookahead(
            states=np.empty((AHEAD, rules.size), rules.dtype),
            ends=np.empty(AHEAD, np.int64),
            moves=np.empty(AHEAD * moves, np.int32),
            children=np.empty((AHEAD * moves, rules.size), rules.dtype),
            keys=np.empty((AHEAD * moves, rules.words), np.uint64),
            hashes=np.empty(AHEAD * moves, np.uint64),
        ),
    )

    def requests(record: BeamRecord) -> State:
        first = record.control.scored
        return records.unpacked(rules, record.candidates.keys[first : first + record.control.requested])

    return Machine(record, stepper(step, rules), solution, enlarged, verdict, requests, restart=restart)


def restart(record: BeamRecord, start: State) -> None:
    """Let the search begin again from another working state `[S]`."""
    control = record.control
    reset(control, max_moves=control.max_moves, admissible=control.admissible, room=UNBOUNDED)
    record.candidates.table[:] = 0
    record.seen_hashes[:] = 0
    record.expansion.state[:] = start


def solution(record: BeamRecord) -> list[int]:
    """Return the moves to the solved state, which is stored after the last kept one."""
    if record.control.length == 0:
        return []
    return records.path_to(record.parent, record.move, int(record.control.kept_count))


def enlarged(record: BeamRecord, room: int) -> Any:
    """Return the record with twice the capacity for kept states, or for their hashes, or None."""
    count, hashes = kept_after(record), record.seen_hashes
    if count + 1 > record.parent.size:
        return records.doubled(record, ("parent", "move"), room)
    size = max(2 * hashes.size, records.table_size(count))
    if size * hashes.itemsize > room:
        return None
    larger = np.zeros(size, np.uint64)
    add_hashes(larger, hashes)
    return record._replace(seen_hashes=larger)


def verdict(record: BeamRecord) -> tuple[Proof, str, Stop]:
    """Return the verdict of a search whose beam became empty."""
    if record.control.was_cut:
        return BEAM_EMPTY
    if record.control.max_moves < UNBOUNDED:
        return "none", "no shorter solution", "done"
    return EXHAUSTED


class BeamMemory:
    """The searches, one of each width, that one thread reuses from board to board of a puzzle."""

    def __init__(self) -> None:
        self.puzzle: Puzzle | None = None
        self.searches: dict[int, Machine] = {}

    def recall(self, instance: Instance, estimate: Estimate, rules: KernelRules, width: int, max_moves: int) -> Machine:
        """Return the search of `machine`, in the arrays of an earlier one if there is one."""
        if self.puzzle != instance.puzzle:
            self.puzzle, self.searches = instance.puzzle, {}
        search = self.searches.get(width)
        if search is None:
            search = machine(instance, estimate, rules, width, max_moves)
            if width <= MOST_REMEMBERED:
                self.searches[width] = search
        else:
            restart(search.record, records.working(rules, instance.state))
            search.control.max_moves = max_moves
        return search


class Beam(SolverSettings):
    """Beam search of a fixed `width`; without one, the width grows from `first_width` for as long as the limit allows.

    With `patience`, a search without a limit on time or nodes ends when that many seconds bring nothing better.

    With a `prior` a state costs the sum of minus the log probabilities of the moves that lead to it. With an `estimate`
    as well, a tenth of that sum is added to the estimate.
    """

    name: ClassVar[str] = "beam"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)
    keeps_costs: ClassVar[bool] = True
    _memory: BeamMemory | None = PrivateAttr(default=None)

    estimate: str | Estimate | None = None
    """The name of an estimate, of a network (`net`), or an `Estimate`; none: the puzzle's default."""
    prior: str | Prior | None = None
    """The name of a network (`net`), or a `Prior`: the probability of each move. The most probable paths are kept."""
    width: int | None = Field(default=None, ge=1, le=MAX_WIDTH)
    """The states that are kept in each layer; none: `first_width`, then twice as many, and so on; under a limit four
    times as many, and at last what is left of it."""
    first_width: int = Field(default=64, ge=1, le=MAX_WIDTH)
    """The first width without `width`."""
    first: SolverText | None = None
    """A solver, as text with its options, with whose solution a search without a `width` begins, to shorten it."""
    patience: float | None = Field(default=None, gt=0)
    """Seconds without a better solution after which a search without a limit ends; none: it never ends by this."""

    @property
    def solvers(self) -> list[Solver]:
        """The solver of the first solution, if there is one; raises `UnknownName` or `BadOption`."""
        return [] if self.first is None else [registry.parse_solver(self.first)]

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Say why this solver cannot solve the puzzle, if so: a prior does not count costs."""
        if self.prior is not None and objective_of(puzzle).kind != "moves":
            return "by a prior it counts moves, and not their costs or points"
        return None

    def with_memory(self) -> Beam:
        """Return this solver with arrays on compiled rules that it reuses from board to board. For one thread."""
        solver = self.model_copy()
        solver._memory = BeamMemory()
        return solver

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress and ever shorter solutions; O(width x depth) memory."""
        search, is_paced = self._search(instance)
        if self.width is None:
            attempts = self._widening(instance, search, 1.0 if is_paced else SURE, limit)
        else:
            attempts = search(self.width, UNBOUNDED, limit)
        return with_patience(attempts, limit, self.patience)

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers] | None:
        """Yield the answers in parts: a compiled search of a fixed width and without a limit restarts for each board.

        Others are searched one by one.
        """
        puzzle = boards.puzzle
        if self.width is None or self.prior is not None or limit != Limit() or objective_of(puzzle).kind != "moves":
            return None
        rules, estimate = puzzle.view(KernelRules), self.chosen(puzzle)
        if rules is None or estimate.kernel is None:
            return None
        new = machine if self._memory is None else self._memory.recall
        bounds = None if estimate.admissible else cheap_bounds(puzzle, boards.states)
        return restarted(new(boards[0], estimate, rules, self.width, UNBOUNDED), boards, rules, over, bounds)

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """Return every setting, with the name of the estimate that is used where none is given."""
        chosen = super().options_for(puzzle)
        if not uses_default_estimate(self) or puzzle.view(Estimates) is None:
            return chosen
        return {**chosen, "estimate": self.chosen(puzzle).name}

    def chosen(self, puzzle: Puzzle) -> Estimate:
        """Return the estimate; without a choice the one that leads a beam best, be it a lower bound or not."""
        chosen = chosen_estimate(puzzle, self.estimate)
        return chosen if self.estimate is not None or chosen.guide is None else chosen_estimate(puzzle, chosen.guide)

    def _search(self, instance: Instance) -> tuple[WidthSearch, bool]:
        """Return the search of one width, and whether its layers get narrower where a limit would end it too soon."""
        puzzle, rules, estimate = instance.puzzle, rules_of(instance), None
        if self.prior is None or self.estimate is not None:
            estimate = fitted(minimised(puzzle, self.chosen(puzzle)), rules, instance.state)
        if self.prior is None and estimate is not None and objective_of(puzzle).kind == "moves":
            is_compiled = puzzle.view(KernelRules) is not None
            new = self._memory.recall if self._memory is not None and is_compiled else machine
            bound = 0 if estimate.admissible else int(cheap_bounds(puzzle, instance.state[None])[0])

            def by_estimate(width: int, max_moves: int, limit_left: Limit) -> Iterator[Attempt]:
                search = new(instance, estimate, rules, width, max_moves)
                search.control.bound = bound
                return paced(search, drive(search, limit_left, estimate, rules), limit_left)

            return by_estimate, True
        prior = None if self.prior is None else chosen_prior(puzzle, self.prior)
        guide = Guide(estimate, prior, 1.0 if estimate is None else PRIOR_WEIGHT)

        def by_layers(width: int, most: int, limit_left: Limit) -> Iterator[Attempt]:
            search = _layers.machine(instance, guide, rules, limit_left, BEAM_EMPTY, width, most)
            return _layers.drive(search, instance, guide, rules, limit_left)

        return by_layers, False

    def _widening(self, instance: Instance, search: WidthSearch, share: float, limit: Limit) -> Iterator[Attempt]:
        """Yield the first solution, if a solver gives it, and from one search after another, each wider than the one
        before it, and for shorter solutions only. The last one is planned for this share of what is left of a limit.

        A search that dropped no state and found no shorter solution proves the best answer optimal.
        """
        width, before = 0, Result(None)

        def next_pass(limit_left: Limit, best: Result) -> Iterator[Attempt]:
            nonlocal width, before
            width = wider(width, before, best, limit_left, share) if width else self.first_width
            if width == 0:
                return iter([Result(None, stop=passes_left(before, best, limit_left)[1])])
            before = best
            if best.objective is not None:
                return search(width, best.objective - 1, limit_left)
            most_nodes = FIRST_LAYERS * width
            may_give_up = limit_left.nodes is None or limit_left.nodes > most_nodes
            if width < self.first_width << FIRST_DOUBLINGS and may_give_up:
                return given_up(search(width, UNBOUNDED, replace(limit_left, nodes=most_nodes)), BEAM_EMPTY[1])
            return search(width, UNBOUNDED, limit_left)

        def first_solution(solver: Solver, limit_left: Limit, best: Result) -> Iterator[Attempt]:
            return solver.attempts(instance, limit_left)

        firsts = [partial(first_solution, solver) for solver in self.solvers]
        return one_by_one(chain(firsts, takewhile(lambda _: width < MAX_WIDTH, repeat(next_pass))), limit)


def paced(search: Machine, attempts: Iterator[Attempt], limit: Limit) -> Iterator[Attempt]:
    """Yield the attempts of a search of one width, whose layers get narrower where the limit would end it too soon."""
    nodes = UNBOUNDED if limit.nodes is None else limit.nodes
    search.control.room = nodes
    for attempt in attempts:
        yield attempt
        if limit.seconds is not None and attempt.expanded and attempt.seconds:
            seconds = (1 - RESERVE) * limit.seconds
            search.control.room = min(nodes, int(attempt.expanded * seconds / attempt.seconds))


def wider(width: int, before: Result, after: Result, left: Limit, share: float) -> int:
    """Return the width of the pass after one of this `width`, or 0 where too little of a limit is left for a wider one.

    Without a limit, or a solution, the width doubles. Else the last pass takes this share of what the ones before it,
    each four times as wide, have left. The results are those before and after the pass.
    """
    if after.objective is None or (left.seconds is None and left.nodes is None):
        return min(2 * width, MAX_WIDTH)
    passes, _ = passes_left(before, after, left)
    if passes > LAST_PASSES:
        return min(4 * width, MAX_WIDTH)
    chosen = int(share * passes * width)
    return 0 if chosen < 5 * width // 4 else min(chosen, MAX_WIDTH)


def passes_left(before: Result, after: Result, left: Limit) -> tuple[float, Stop]:
    """Return how many passes like the one between these results a limit leaves, and which part of it is the first to
    end.
    """
    passes: list[tuple[float, Stop]] = []
    if left.nodes is not None:
        passes.append((left.nodes / max(after.expanded - before.expanded, 1), "nodes"))
    if left.seconds is not None:
        passes.append((left.seconds / max((after.seconds or 0.0) - (before.seconds or 0.0), 1e-6), "time"))
    return min(passes)


WidthSearch = Callable[[int, int, Limit], Iterator[Attempt]]
"""(width, the most moves or cost of a solution, limit) -> the attempts of one search."""


SOLVER = Beam
