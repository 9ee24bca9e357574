"""Runs the rules of a puzzle without kernels under every compiled search.

A compiled search asks for one state at a time, and a NumPy function is fast for many. So the states that a search has
seen become nodes of a graph, numbered as they are found; the search works on the numbers. When it asks for the
successors of a node that has none yet, a window of nodes that are likely asked for soon gets them in one call.
The window grows while enough of its nodes turn out to be needed, and shrinks where they are not.

With batch rules (the view `BatchRules`), estimates that are whole numbers are kept with the nodes, and made by windows
too; others, such as a network's, are requested as always. Plain rules are called for one state after another, so that
their windows are small, and hold almost no node in vain.

The compiled code is the same for every puzzle. The graph keeps every state that was seen until the search ends.

Shapes: B = states of a batch, S = length of a plain state, W = words of a packed one, M = number of moves.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import NoRoom, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import BatchRules
from puzzlelab.engine.batch_rules import checked_array, inverses, mapped_rules, steps
from puzzlelab.engine.hash_table_kernels import MAX_LOAD, rehash
from puzzlelab.engine.state_graph_kernels import USED, GraphEstimate, GraphTables, intern
from puzzlelab.runtime.memory import reserved

FIRST_TABLE = 1 << 12
"""Entries of the first hash table."""
LARGEST_WINDOW = 4096
"""The most nodes that are handled in one call."""
BATCH_WINDOW, PLAIN_WINDOW = (16, LARGEST_WINDOW, 0.4), (1, 16, 0.9)
"""The least and the greatest window on batch rules and on plain rules, and the share of needed nodes below which it
shrinks."""
TIE_BREAK_RANGE = 1 << 20
"""More than any estimate that decides between nodes with the same sum."""
BYTES_A_NODE, BYTES_AN_EDGE = 32, 8
"""Bytes of the arrays, without the packed state of a node and the cost of an edge."""

PARTS = 4
"""The fraction of the free memory that the arrays of nodes may have, and those of edges another, is one over this."""
ALMOST_FULL = 0.9
"""The share of its arrays beyond which a graph is almost full, and a search must stop."""

Nodes = NDArray[np.int64]
"""Numbers of nodes."""
CalledByKernels = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
"""The type of the functions that kernels call by their address."""


class Window:
    """The number of nodes that are handled together with the one that is asked for."""

    def __init__(
        self, counts: NDArray[np.int64], least: int = 16, most: int = LARGEST_WINDOW, least_use: float = 0.4
    ) -> None:
        """Begin with `least` nodes; the window shrinks where less than the share `least_use` of its nodes is needed."""
        self.counts = counts
        """`counts[USED]`: the nodes that were asked for."""
        self.size = self.least = least
        self.most, self.least_use = most, least_use
        self.done = 0

    def adapt(self) -> None:
        """Adapt the size to the share of the nodes handled so far that a search has asked for."""
        if self.done:
            is_worth = self.counts[USED] >= self.least_use * self.done
            self.size = min(2 * self.size, self.most) if is_worth else max(self.size // 2, self.least)

    def with_neighbours(self, node: int, neighbours: Nodes) -> Nodes:
        """Return the node and the first of the others."""
        chosen = np.concatenate([[node], neighbours[: self.size - 1]])
        self.done += chosen.size
        return chosen

    def following(self, node: int, is_done: NDArray[Any], count: int) -> Nodes:
        """Return nodes that were found after this one, of `count` in all, and are not done."""
        return node + 1 + np.flatnonzero(is_done[node + 1 : min(node + 4 * self.size, count)] == 0)


class OpenList:
    """Nodes in the order of A*: by g + h, the cost of the first path found to each and its estimate, and then by h."""

    def __init__(self) -> None:
        self.waiting: dict[int, list[Nodes]] = {}

    def add(self, nodes: Nodes, costs: NDArray[np.int64], estimates: NDArray[np.int64]) -> None:
        """Add nodes with these costs and estimates."""
        keys = (costs + estimates) * TIE_BREAK_RANGE + np.clip(estimates, 0, TIE_BREAK_RANGE - 1)
        order = np.argsort(keys, kind="stable")
        values, begins = np.unique(keys[order], return_index=True)
        for value, part in zip(values.tolist(), np.split(nodes[order], begins[1:]), strict=True):
            self.waiting.setdefault(value, []).append(part)

    def take(self, most: int, count: int, is_done: NDArray[Any]) -> Nodes:
        """Remove at most `count` nodes whose g + h is `most` or less, and that are not done; the latest come first."""
        parts: list[Nodes] = []
        for value in sorted(value for value in self.waiting if value < (most + 1) * TIE_BREAK_RANGE):
            waiting = self.waiting[value]
            while waiting and count > 0:
                part = waiting.pop()
                part = part[is_done[part] == 0]
                if part.size > count:
                    waiting.append(part[count:])
                parts.append(part[:count])
                count -= parts[-1].size
            if not waiting:
                del self.waiting[value]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)


@dataclass(frozen=True)
class NodeEstimate:
    """An estimate of nodes, by a function that gives whole numbers for plain states."""

    scores: Callable[[State], NDArray[Any]]
    tables: GraphEstimate
    window: Window


class StateGraph:
    """The states that a search has seen, and the moves between them."""

    def __init__(self, puzzle: Puzzle, state: State) -> None:
        """Make an empty graph, for states of the shape of `state`."""
        batch = puzzle.view(BatchRules)
        self.puzzle, self.rules, self.has_batch_rules = puzzle, batch or mapped_rules(puzzle), batch is not None
        self.objective = objective_of(puzzle)
        self.size, self.dtype = state.size, state.dtype
        words = max(1, -(-state.nbytes // 8))
        has_costs = self.objective.kind != "moves"
        limit = Limit()
        nodes = reserved(PARTS * (8 * words + BYTES_A_NODE), limit)
        edges = reserved(PARTS * (BYTES_AN_EDGE + 8 * has_costs), limit)
        self.keys = np.empty((nodes, words), np.uint64)
        self.table = np.zeros(FIRST_TABLE, np.int32)
        self.count = self.edges = 0
        self.cost_so_far = np.zeros(nodes, np.int64)
        self.open_list = OpenList()
        self.estimate: NodeEstimate | None = None
        self.error: BaseException | None = None
        self.called: list[Any] = []
        self.announced: Nodes = np.empty(0, np.int64)
        """The nodes that the search expands next, by its own word."""
        self.tables = GraphTables(
            expand=self._address_of(StateGraph._expand_wanted),
            counts=np.array([0, has_costs], np.int64),
            wanted=np.zeros(LARGEST_WINDOW, np.int64),
            first=np.zeros(nodes, np.int64),
            degree=np.zeros(nodes, np.int32),
            solved=np.empty(nodes, np.bool_),
            used=np.zeros(nodes, np.bool_),
            move=np.empty(edges, np.int32),
            child=np.empty(edges, np.int32),
            cost=np.empty(edges if has_costs else 0, np.int64),
            inverse=inverses(puzzle),
        )
        self.window = Window(self.tables.counts, *(BATCH_WINDOW if self.has_batch_rules else PLAIN_WINDOW))

    def nodes_of(self, states: State) -> NDArray[np.int32]:
        """Return `int32[B, 1]`: the nodes of plain states `[B, S]`, which are added where they are new."""
        return self._interned(np.ascontiguousarray(states, self.dtype))[:, None]

    def states_of(self, nodes: NDArray[np.int32]) -> State:
        """Return the plain states `[B, S]` of nodes `[B, 1]`."""
        return self._states(nodes[:, 0])

    def require_room(self) -> None:
        """Raise `NoRoom` where the graph is almost full."""
        if self.room(ALMOST_FULL) <= 0:
            raise NoRoom("the graph of the search is almost full")

    def room(self, share: float = 1.0) -> int:
        """Return the nodes that can still get successors in this share of the arrays.

        0 or less where there is no room.
        """
        nodes, edges = share * len(self.keys) - self.count, share * self.tables.move.size - self.edges
        return int(min(nodes, edges)) // self.puzzle.move_count

    def raise_error(self) -> None:
        """Raise what a rule raised while a search ran."""
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def estimate_by(self, scores: Callable[[State], NDArray[Any]]) -> GraphEstimate:
        """Return the tables of an estimate that gives whole numbers, none below 0 unless the puzzle has a score.

        Solved states have the estimate 0.
        """
        nodes, counts = len(self.keys), np.zeros(1, np.int64)
        estimate: NodeEstimate

        def evaluate(graph: StateGraph, node: int) -> None:
            graph._evaluate(estimate, node)

        tables = GraphEstimate(
            evaluate=self._address_of(evaluate),
            value=np.empty(nodes, np.int64),
            counts=counts,
            known=np.zeros(nodes, np.bool_),
            used=np.zeros(nodes, np.bool_),
        )
        self.estimate = estimate = NodeEstimate(scores, tables, Window(counts))
        return tables

    def _evaluate(self, estimate: NodeEstimate, node: int) -> None:
        """Evaluate this node, and those that were found after it."""
        tables, window = estimate.tables, estimate.window
        window.adapt()
        following = window.following(node, tables.known, self.count)
        tables.value[node], tables.known[node] = 0, True  # where an error ends the search
        nodes = window.with_neighbours(node, following)
        scores = np.asarray(estimate.scores(self._states(nodes)))
        values = checked_array(scores, "scores", nodes.shape, np.int64, "the estimate")
        tables.value[nodes] = np.where(self.tables.solved[nodes], 0, np.maximum(values, self.objective.least_sum))
        tables.known[nodes] = True
        self.open_list.add(nodes, self.cost_so_far[nodes], tables.value[nodes])

    def _address_of(self, function: Callable[[StateGraph, int], None]) -> int:
        """Return the address by which kernels call a function. No error may leave it; `raise_error` raises it later.

        What it refers to must not keep the graph alive, whose arrays are large.
        """
        graph_if_alive = weakref.ref(self)

        def guarded(number: int) -> int:
            graph = graph_if_alive()
            assert graph is not None
            try:
                function(graph, number)
            except BaseException as error:  # Ctrl-C too
                graph.error = graph.error or error
            return 0

        self.called.append(CalledByKernels(guarded))  # lives as long as the graph
        return ctypes.cast(self.called[-1], ctypes.c_void_p).value or 0

    def _expand_wanted(self, count: int) -> None:
        """Give a single wanted node successors, and its neighbours too; keep several, which are needed next."""
        wanted = self.tables.wanted[:count].copy()
        if count > 1:  # successors of all of them may take longer than a slice of work
            self.announced = np.concatenate([self.announced, wanted])
            return
        self.tables.first[wanted] = 1  # without an edge, where an error ends the search
        self._expand_nodes(self._with_company(int(wanted[0])))

    def _with_company(self, node: int) -> Nodes:
        """Return the node, and nodes that are likely asked for soon.

        They are those that the search announced; or those with no greater sum of cost so far and estimate, as in A*; or
        without an estimate those found next, as in a breadth-first search.
        """
        window, estimate, first = self.window, self.estimate, self.tables.first
        if self.room(ALMOST_FULL) < LARGEST_WINDOW:
            return np.array([node])
        window.adapt()
        self.announced = self.announced[first[self.announced] == 0]
        if self.announced.size:
            return window.with_neighbours(node, self.announced)
        if estimate is None or not estimate.tables.known[node]:
            return window.with_neighbours(node, window.following(node, first, self.count))
        most = int(self.cost_so_far[node] + estimate.tables.value[node])
        return window.with_neighbours(node, self.open_list.take(most, window.size - 1, first))

    def _expand_nodes(self, nodes: Nodes) -> None:
        """Find the successors of nodes, all at once."""
        states, tables = self._states(nodes), self.tables
        allowed = checked_array(
            self.rules.legal(states), "legal", (len(states), self.puzzle.move_count), np.dtype(bool)
        )
        owner, move = np.nonzero(allowed)
        counts = allowed.sum(axis=1)
        begin, end = self.edges, self.edges + owner.size
        if end > tables.move.size:
            raise PuzzlelabError(f"there is no room for more than {tables.move.size} moves in the graph of the search")
        if owner.size:
            parents = states[owner]
            after = checked_array(self.rules.apply(parents, move), "apply", parents.shape, self.dtype)
            known = self.count
            children = self._interned(np.ascontiguousarray(after))
            costs = steps(self.puzzle, self.rules, parents, move, after)
            new = np.flatnonzero(children >= known)[::-1]  # of several paths the first counts
            self.cost_so_far[children[new]] = self.cost_so_far[nodes[owner[new]]] + costs[new]
            tables.child[begin:end], tables.move[begin:end] = children, move
            if tables.cost.size:
                tables.cost[begin:end] = costs
        self.edges = end
        tables.degree[nodes] = counts
        tables.first[nodes] = begin + 1 + np.cumsum(counts) - counts

    def _interned(self, states: State) -> NDArray[np.int32]:
        """Return `int32[B]`: the nodes of plain states; those that are new are added, and whether they are solved."""
        count, more = self.count, len(states)
        if count + more > len(self.keys):
            raise PuzzlelabError(f"there is no room for more than {len(self.keys)} states in the graph of the search")
        while count + more > MAX_LOAD * self.table.size:
            self.table = np.zeros(2 * self.table.size, np.int32)
            rehash(self.table, self.keys, count)
        packed = np.zeros((more, self.keys.shape[1]), np.uint64)
        packed.view(np.uint8)[:, : states.itemsize * self.size] = states.view(np.uint8)
        nodes = np.empty(more, np.int32)
        self.count = intern(self.table, self.keys, count, packed, nodes)
        if self.count > count:
            new = self._states(slice(count, self.count))
            goals = self.rules.solved(new)
            self.tables.solved[count : self.count] = checked_array(goals, "solved", (len(new),), bool)
        return nodes

    def _states(self, nodes: Any) -> State:
        """Return copies of the plain states `[B, S]` of these nodes."""
        raw = self.keys[nodes].view(np.uint8)[:, : self.dtype.itemsize * self.size]
        states: State = np.ascontiguousarray(raw).view(self.dtype)
        return states
