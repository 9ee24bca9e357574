"""Breadth-first search, from the start alone or from start and goal at once, and the count of states by depth.

It needs no estimate. The first solution is optimal, and each finished layer is a proven lower bound.
Source of the bidirectional variant: I. Pohl, "Bi-directional search" (1971).

Shapes: N = states seen, W = words of a packed state, S, M as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import KernelRules, Reversible
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import EXHAUSTED, Machine, drive, rehashed, reserved
from puzzlelab.engine.interpreted_kernels import rules_of, runner
from puzzlelab.engine.kernels import (
    BOUND,
    DONE,
    EXPANDED,
    FULL,
    GENERATED,
    IMPROVED,
    LENGTH,
    OWN,
    RUNNING,
    compiled,
    inlined,
)

STATES, SIDE, CURSOR, NEXT_BEGIN, MEETING, MEETING_MOVE, MEETING_OTHER, PHASE, COUNTS_ALL = range(OWN, OWN + 9)
START, SEARCH, FINISHED = range(3)
NOWHERE = -1
FIRST_TABLE = 1 << 14
LOAD = 0.6
MAX_DEPTH = 1 << 12
"""The most depths whose states are counted."""


class BfsRecord(NamedTuple):
    """The state of one search. Side 0 begins at the start, side 1 at the goals."""

    tables: Any
    control: NDArray[np.int64]
    keys: NDArray[np.uint64]
    """[N, W]: packed states, layer by layer."""
    parent: NDArray[np.int32]
    """[N]: the state before it."""
    move: NDArray[np.int16]
    """[N]: the move from that state."""
    side: NDArray[np.int8]
    """[N]: the side that saw the state first."""
    table: NDArray[np.int32]
    """[2^k]: the hash table of states."""
    layers: NDArray[np.int64]
    """[2, 3]: begin, end and depth of the last layer of each side; the end is -1 for a side that is not used."""
    sizes: NDArray[np.int64]
    """[DEEPEST]: new states at each depth from the start."""
    state: State
    child: State
    key: NDArray[np.uint64]
    moves: NDArray[np.int32]


@inlined
def add(record, parent, move, side):
    """Add the state in `record.child`; returns its row if it is known, or -1 if it is new."""
    kernels.pack(record.tables, record.child, record.key)
    row = record.control[STATES]
    known = kernels.find_or_add(record.table, record.keys, record.key, kernels.mix(record.key), row)
    if known < 0:
        kernels.copy(record.key, record.keys[row])
        record.parent[row], record.move[row], record.side[row] = parent, move, side
        record.control[STATES] += 1
    return known


@inlined
def expand(record, node, side):
    """Add the successors of a state; True when one of them ends the search."""
    control = record.control
    kernels.unpack(record.tables, record.keys[node], record.state)
    count = kernels.legal(record.tables, record.state, record.moves)
    control[EXPANDED] += 1
    control[GENERATED] += count
    for i in range(count):
        kernels.apply(record.tables, record.state, record.moves[i], record.child)
        known = add(record, node, record.moves[i], side)
        if control[COUNTS_ALL] == 1:
            continue
        if known >= 0 and record.side[known] != side:
            control[MEETING], control[MEETING_MOVE], control[MEETING_OTHER] = node, record.moves[i], known
            return True
        if known < 0 and record.layers[1, 1] < 0 and kernels.solved(record.tables, record.child):
            control[MEETING], control[MEETING_MOVE], control[MEETING_OTHER] = control[STATES] - 1, NOWHERE, NOWHERE
            return True
    return False


@inlined
def next_layer(record):
    """Continue with the side whose last layer is smaller; False if this side has no new states."""
    control, layers = record.control, record.layers
    side = control[SIDE]
    layers[side, 0], layers[side, 1] = control[NEXT_BEGIN], control[STATES]
    layers[side, 2] += 1
    if side == 0 and layers[0, 2] < MAX_DEPTH:
        record.sizes[layers[0, 2]] = layers[0, 1] - layers[0, 0]
    if layers[side, 0] == layers[side, 1]:
        return False
    other = 1 - side
    if layers[1, 1] >= 0 and layers[other, 1] - layers[other, 0] < layers[side, 1] - layers[side, 0]:
        control[SIDE] = other
    control[CURSOR] = layers[control[SIDE], 0]
    control[NEXT_BEGIN] = control[STATES]
    return True


@compiled
def step(record, budget):
    """One slice: expand at most `budget` states."""
    control, layers = record.control, record.layers
    if budget == 0:
        return RUNNING
    if control[PHASE] == FINISHED:
        return DONE
    if control[PHASE] == START:
        control[PHASE] = SEARCH
        if control[COUNTS_ALL] == 0 and kernels.solved(record.tables, record.state):
            control[LENGTH], control[MEETING], control[MEETING_OTHER], control[PHASE] = 0, 0, NOWHERE, FINISHED
            return IMPROVED
        control[BOUND] = 1
    moves = record.moves.size
    while budget > 0:
        if control[CURSOR] == layers[control[SIDE], 1]:
            if not next_layer(record):
                control[PHASE] = FINISHED
                return DONE
            control[BOUND] = layers[0, 2] + layers[1, 2] + 1
        if control[STATES] + moves > len(record.keys) or control[STATES] + moves > LOAD * record.table.size:
            return FULL
        if expand(record, control[CURSOR], control[SIDE]):
            control[LENGTH], control[PHASE] = control[BOUND], FINISHED
            return IMPROVED
        control[CURSOR] += 1
        budget -= 1
    return RUNNING


def machine(instance: Instance, rules: KernelRules, goals: State | None, limit: Limit, count_all: bool) -> Machine:
    """The search from this start, and also from `goals` unless that is None."""
    puzzle = instance.puzzle
    reserve = reserved(8 * rules.words + 14, limit)
    record = BfsRecord(
        rules.tables,
        np.zeros(16, np.int64),
        np.empty((reserve, rules.words), np.uint64),
        np.empty(reserve, np.int32),
        np.empty(reserve, np.int16),
        np.empty(reserve, np.int8),
        np.zeros(FIRST_TABLE, np.int32),
        np.array([[0, 0, 0], [0, -1, 0]], np.int64),
        np.zeros(MAX_DEPTH, np.int64),
        rules.encode(instance.state[None])[0].astype(rules.dtype),
        np.empty(rules.size, rules.dtype),
        np.empty(rules.words, np.uint64),
        np.empty(puzzle.move_count, np.int32),
    )
    record.control[LENGTH], record.control[COUNTS_ALL] = -1, count_all
    add_to_root = runner(add_root, rules)
    add_to_root(record, record.state, 0)
    record.sizes[0] = 1
    for goal in () if goals is None else rules.encode(goals).astype(rules.dtype):
        add_to_root(record, goal, 1)

    def solution(record: BfsRecord) -> list[int]:
        return path_of(record, puzzle)

    return Machine(record, runner(step, rules), solution, enlarged, lambda record: EXHAUSTED)


def path_of(record: BfsRecord, puzzle: Puzzle) -> list[int]:
    """The moves from the start to the meeting state, and from there to the goal."""
    control = record.control
    if control[LENGTH] == 0:
        return []
    node, other, meeting_move = int(control[MEETING]), int(control[MEETING_OTHER]), int(control[MEETING_MOVE])
    if other == NOWHERE:
        return moves_into(record, node)
    reversible = puzzle.view(Reversible)
    assert reversible is not None
    if record.side[node] == 1:
        node, other, meeting_move = other, node, reversible.inverse(meeting_move)
    return_moves = [reversible.inverse(move) for move in reversed(moves_into(record, other))]
    return [*moves_into(record, node), meeting_move, *return_moves]


def moves_into(record: BfsRecord, node: int) -> list[int]:
    """The moves from the root of a side to one of its states."""
    moves = []
    while record.parent[node] != NOWHERE:
        moves.append(int(record.move[node]))
        node = int(record.parent[node])
    return moves[::-1]


def enlarged(record: BfsRecord, room: int) -> Any:
    """The record with a hash table of twice the size, or None."""
    return rehashed(record, int(record.control[STATES]), LOAD, room)


@compiled
def add_root(record, state, side):
    """Add a state to the first layer of a side."""
    kernels.copy(state, record.child)
    if record.layers[side, 1] < 0:
        record.layers[side, 0] = record.control[STATES]
    add(record, NOWHERE, NOWHERE, side)
    record.layers[side, 1] = record.control[STATES]
    record.control[CURSOR] = record.layers[0, 0]
    record.control[NEXT_BEGIN] = record.control[STATES]


class Bfs(SolverSettings):
    """Breadth-first search; `bidirectional` also searches from the goal, for puzzles whose moves can be undone."""

    name: ClassVar[str] = "bfs"

    bidirectional: bool = False

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then an optimal solution; memory grows with the states seen."""
        puzzle, goals = instance.puzzle, None
        if self.bidirectional:
            reversible = puzzle.view(Reversible)
            if reversible is None:
                raise Unsupported(f"bfs cannot search {puzzle.name} from the goal: its moves cannot be undone")
            goals = reversible.goals()
        return drive(machine(instance, rules_of(instance), goals, limit, count_all=False), limit)


def count_by_depth(instance: Instance, limit: Limit | None = None) -> list[int]:
    """The number of states at distance 0, 1, 2 ... from the start.

    If the limit ends the search, the list has the finished depths only.
    """
    limit = limit or Limit()
    search = machine(instance, rules_of(instance), None, limit, count_all=True)
    for _ in drive(search, limit):
        pass
    depths = int(search.record.layers[0, 2])
    return [int(count) for count in search.record.sizes[: depths + 1] if count]


SOLVER = Bfs
