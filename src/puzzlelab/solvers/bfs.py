"""Breadth-first search, from the start alone or from start and goal at once, and the count of states by depth.

It needs no estimate. The first solution is optimal, and each finished layer is a proven lower bound.
Source of the bidirectional variant: I. Pohl, "Bi-directional search" (1971).

Shapes: S as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import KernelRules, Reversible
from puzzlelab.engine import records
from puzzlelab.engine.driver import EXHAUSTED, Machine, drive
from puzzlelab.engine.record_parts import NOWHERE, new_control
from puzzlelab.engine.search_rules import rules_of, runner, stepper
from puzzlelab.runtime.memory import reserved
from puzzlelab.solvers._bfs_kernels import CONTROL, MAX_DEPTH, BfsRecord, add_root, step


def machine(instance: Instance, rules: KernelRules, goals: State | None, limit: Limit, count_all: bool) -> Machine:
    """Return the search from this start, and also from `goals` unless that is None."""
    puzzle = instance.puzzle
    capacity = reserved(8 * rules.words + 14, limit)
    record = BfsRecord(
        tables=rules.tables,
        control=new_control(CONTROL, counts_all=count_all),
        nodes=records.new_node_table(rules, capacity, move=np.int16),
        side=np.empty(capacity, np.int8),
        layers=np.array([[0, 0, 0], [0, -1, 0]], np.int64),
        sizes=np.zeros(MAX_DEPTH, np.int64),
        expansion=records.new_expansion(rules, instance.state, puzzle.move_count),
    )
    add_to_root = runner(add_root, rules)
    add_to_root(record, record.expansion.state, 0)
    record.sizes[0] = 1
    for goal in () if goals is None else rules.starts(goals):
        add_to_root(record, goal, 1)

    def solution(record: BfsRecord) -> list[int]:
        return path_of(record, puzzle)

    return Machine(record, stepper(step, rules), solution, enlarged, lambda record: EXHAUSTED)


def path_of(record: BfsRecord, puzzle: Puzzle) -> list[int]:
    """Return the moves from the start to the meeting state, and from there to the goal."""
    control = record.control
    if control.length == 0:
        return []
    node, other, meeting_move = int(control.meeting), int(control.meeting_other), int(control.meeting_move)
    if other == NOWHERE:
        return moves_into(record, node)
    reversible = puzzle.view(Reversible)
    assert reversible is not None
    if record.side[node] == 1:
        node, other, meeting_move = other, node, reversible.inverse(meeting_move)
    return_moves = [reversible.inverse(move) for move in reversed(moves_into(record, other))]
    return [*moves_into(record, node), meeting_move, *return_moves]


def moves_into(record: BfsRecord, node: int) -> list[int]:
    """Return the moves from the root of a side to one of its states."""
    return records.path_to(record.nodes.parent, record.nodes.move, node)


def enlarged(record: BfsRecord, room: int) -> Any:
    """Return the record with a hash table of twice the size, or None."""
    nodes = records.rehashed(record.nodes, int(record.control.states), record.expansion.moves.size, room)
    return None if nodes is None else record._replace(nodes=nodes)


class Bfs(SolverSettings):
    """Breadth-first search; `bidirectional` also searches from the goal, for puzzles whose moves can be undone."""

    name: ClassVar[str] = "bfs"

    bidirectional: bool = False
    """Whether a second search starts at the goal."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then an optimal solution; memory grows with the states seen."""
        puzzle, goals = instance.puzzle, None
        if self.bidirectional:
            reversible = puzzle.view(Reversible)
            if reversible is None:
                raise Unsupported(f"bfs cannot search {puzzle.name} from the goal: its moves cannot be undone")
            goals = reversible.goals()
        return drive(machine(instance, rules_of(instance), goals, limit, count_all=False), limit)


def count_by_depth(instance: Instance, limit: Limit | None = None) -> list[int]:
    """Return the number of states at distance 0, 1, 2 ... from the start.

    If the limit ends the search, the list has the finished depths only.
    """
    limit = limit or Limit()
    search = machine(instance, rules_of(instance), None, limit, count_all=True)
    for _ in drive(search, limit):
        pass
    depths = int(search.record.layers[0, 2])
    return [int(count) for count in search.record.sizes[: depths + 1] if count]


SOLVER = Bfs
