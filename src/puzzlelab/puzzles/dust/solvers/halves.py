"""`halves`: clears dust boards in the fewest clicks, with proof.

A beam finds a first solution. Then a depth-first search over pairs of half-boards (`halves.pair_search_kernels`), with
the costs of both halves (`halves.boards_kernels`) as lower bound, finds a shorter one or proves that there is none. If
it takes long, a wide beam finds a better solution first. Arrays are reused from board to board.

Shapes: N = cells.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr

from puzzlelab.core import registry
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Attempt, Solver, SolverSettings
from puzzlelab.engine.attempts import Search, given_up, one_by_one
from puzzlelab.engine.driver import EXHAUSTED, Drive, Machine
from puzzlelab.engine.kernels import survey
from puzzlelab.engine.record_parts import new_control, reset
from puzzlelab.engine.solving import ended_by_memory, singly
from puzzlelab.puzzles.dust.halves.boards_kernels import (
    EDGES,
    FIRST_SLOTS,
    LOAD,
    MOST_MOVES,
    MOST_STATES,
    STATES,
    HalfBoards,
    add_state,
    new_half,
    read_state,
    rehash,
)
from puzzlelab.puzzles.dust.halves.pair_search_kernels import CONTROL, HalfPairRecord, step
from puzzlelab.puzzles.dust.halves.pair_table_kernels import copy_entries
from puzzlelab.puzzles.dust.kernels import decoded, encoded
from puzzlelab.puzzles.dust.kernels import rules as kernel_rules
from puzzlelab.puzzles.dust.rules import Board, Dust
from puzzlelab.runtime.memory import reserved

FIRST_TABLE = 1 << 14
"""Initial entries of the table of pairs."""
TABLE_SHARE = 0.25
"""The greatest share of free memory for the table of pairs."""
BYTES_A_STATE = 176
"""Memory of a state of a half with its moves and its part of the hash table."""
UNBOUNDED = 1 << 30
MAX_REMEMBERED = 1 << 23
"""States of halves after which a memory is replaced by a new one."""


def halves_of(puzzle: Dust, board: Board) -> tuple[Board, Board]:
    """Return the left half, and the mirror image of the right one, in the order of their cells, from plain boards
    [N].
    """
    columns = board.reshape(puzzle.width, puzzle.height)
    line = puzzle.width // 2
    return columns[:line].reshape(-1), columns[line:][::-1].reshape(-1)


def join_halves(puzzle: Dust, left: Board, right: Board) -> Board:
    """Return the inverse of `halves_of`."""
    columns = right.reshape(-1, puzzle.height)[::-1]
    return np.concatenate([left.reshape(-1, puzzle.height), columns]).reshape(-1)


class HalvesSearch:
    """The search for shortest solutions of boards of one puzzle; its tables are reused from board to board."""

    def __init__(self, puzzle: Dust, limit: Limit) -> None:
        self.puzzle = puzzle
        line = puzzle.width // 2
        states = min(reserved(BYTES_A_STATE, limit), MOST_STATES - MOST_MOVES)
        left = new_half(line, puzzle.height, puzzle.colours, states)
        right = left
        if puzzle.width % 2:
            right = new_half(puzzle.width - line, puzzle.height, puzzle.colours, states)
        max_depth, max_children = puzzle.cells + 2, puzzle.cells + 1
        self.record = HalfPairRecord(
            control=new_control(CONTROL),
            left=left,
            right=right,
            table=np.zeros(FIRST_TABLE, np.uint64),
            path=np.zeros((max_depth, 2), np.int64),
            children=np.zeros((max_depth, max_children, 2), np.int64),
            values=np.zeros((max_depth, max_children), np.int64),
            counts=np.zeros(max_depth, np.int64),
            cursors=np.zeros(max_depth, np.int64),
            best=np.zeros((max_depth, 2), np.int64),
            singles=np.zeros((2, 16), np.uint64),
        )
        self._load()

    def _load(self) -> None:
        """Compile or load the kernels that are rarely called, so that no compilation is timed."""
        record, rules = self.record, kernel_rules(self.puzzle)
        empty = rules.encode(np.zeros((1, self.puzzle.cells), np.uint8))[0]
        step(record, 0)
        copy_entries(record.table, record.table[:0])
        self._children(empty)
        for half in (record.left, record.right):
            rehash(half.slots, half.records, 0)
        self._add_empty_halves()
        for half in (record.left, record.right):
            read_state(half, 0)

    def _add_empty_halves(self) -> None:
        """Give the empty half the first number, in a new search and in a cleared one: results depend on numbers."""
        add_state(self.record.left, np.zeros_like(self.record.left.state))
        if self.record.right is not self.record.left:
            add_state(self.record.right, np.zeros_like(self.record.right.state))

    def is_full(self) -> bool:
        """Tell whether the tables are so full that a new search has more capacity."""
        return any(
            half.counts[STATES] > min(MAX_REMEMBERED, len(half.records) // 2)
            or half.counts[EDGES] > half.edges.size // 2
            for half in (self.record.left, self.record.right)
        )

    def clear(self) -> bool:
        """Remove all states and pairs; False if arrays have grown, so that only a new search is like the first one."""
        record = self.record
        halves = record.left, record.right
        if record.table.size > FIRST_TABLE or any(half.slots.size > FIRST_SLOTS for half in halves):
            return False
        for half in halves:
            half.slots.fill(0)
            half.counts.fill(0)
        record.table.fill(0)
        reset(record.control)
        self._add_empty_halves()
        return True

    def machine(self, board: Board, known_clicks: int | None) -> Machine:
        """Return the search for solutions of this board with fewer clicks than `known_clicks`."""
        record, control = self.record, self.record.control
        clicks = UNBOUNDED if known_clicks is None else known_clicks
        reset(control, stored=control.stored, may_grow=1, known_clicks=clicks)
        left, right = halves_of(self.puzzle, board)
        if record.left is record.right:
            states = list(self._encoded(record.left, np.stack([left, right])))
        else:
            states = [self._encoded(record.left, left[None])[0], self._encoded(record.right, right[None])[0]]
        record.path[0] = add_state(record.left, states[0]), add_state(record.right, states[1])
        return Machine(record, step, self._moves, self._larger, lambda record: EXHAUSTED, is_loaded=True)

    def _encoded(self, half: HalfBoards, states: Board) -> NDArray[np.uint64]:
        return encoded(half.tables, self.puzzle.colours.bit_length(), states)

    def _plain(self, half: HalfBoards, number: int) -> Board:
        """Return a state of a half as a plain board."""
        read_state(half, number)
        state: Board = decoded(half.tables, self.puzzle.colours.bit_length(), half.state[None])[0]
        return state

    def _moves(self, record: HalfPairRecord) -> list[int]:
        """Return the clicks of the best solution."""
        pairs_of = record.best[: record.control.length + 1].tolist()
        boards = [
            join_halves(self.puzzle, self._plain(record.left, left), self._plain(record.right, right))
            for left, right in pairs_of
        ]
        working = kernel_rules(self.puzzle).encode(np.array(boards))
        moves_made = []
        for here, there in pairwise(working):
            moves, children = self._children(here)
            moves_made.append(int(moves[np.flatnonzero((children == there).all(axis=1))[0]]))
        return moves_made

    def _children(self, state: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """Return the moves of a working state, and its successors."""
        rules = kernel_rules(self.puzzle)
        moves, children = np.zeros(self.puzzle.cells, np.int32), np.zeros((self.puzzle.cells, rules.size), rules.dtype)
        words, again = np.zeros(rules.words, np.uint64), np.zeros(rules.size, rules.dtype)
        count, _ = survey(rules.tables, state, moves, children, words, again)
        return moves[:count], children[:count]

    def _larger(self, record: HalfPairRecord, room: int) -> HalfPairRecord | None:
        """Return the record with more capacity; the table of pairs may keep its size and overwrite entries."""
        left = _larger_half(record.left, room)
        right = left if record.right is record.left else _larger_half(record.right, room)
        if left is None or right is None:
            return None
        table = record.table
        if 2 * record.control.stored > table.size:
            if 16 * table.size <= TABLE_SHARE * room:
                table = np.zeros(4 * table.size, np.uint64)
                copy_entries(table, record.table)
            else:
                record.control.may_grow = 0
        self.record = record._replace(left=left, right=right, table=table)
        return self.record


def _larger_half(half: HalfBoards, room: int) -> HalfBoards | None:
    """Return the half with a larger hash table if it is full; None if memory is short."""
    states, edges = int(half.counts[STATES]), int(half.counts[EDGES])
    if states + MOST_MOVES > len(half.records) or edges + MOST_MOVES > half.edges.size:
        return None
    if states + MOST_MOVES <= LOAD * half.slots.size:
        return half
    if 32 * half.slots.size > room:
        return None
    slots = np.zeros(4 * half.slots.size, np.uint64)
    rehash(slots, half.records, states)
    return half._replace(slots=slots)


class HalvesMemory:
    """The searches that one thread reuses from board to board: those of beams, and that of a proof.

    What is known of halves and pairs is kept from board to board, while the tables have capacity, until it is cleared.
    """

    def __init__(self) -> None:
        self.search: HalvesSearch | None = None
        self.beams: dict[int, Solver] = {}

    def beam(self, width: int) -> Solver:
        """Return the beam search of this width."""
        if width not in self.beams:
            self.beams[width] = registry.make_solver("beam", {"width": width}).with_memory()
        return self.beams[width]

    def recall(self, puzzle: Dust, limit: Limit) -> HalvesSearch:
        """Return the stored search for boards of this puzzle, or a new one."""
        search = self.search
        if search is None or search.puzzle != puzzle or search.is_full():
            self.search = None  # gives its memory back before a new one takes some
            self.search = search = HalvesSearch(puzzle, limit)
        return search

    def clear(self) -> None:
        """Forget all boards, so that the next search is like a first one; its arrays are kept."""
        if self.search is not None and not self.search.clear():
            self.search = None


QUICK = 30
"""The width of the beam that has a solution after a millisecond."""
NARROW = 100
"""The width of the beam where there is a memory: a short proof follows it."""
BRIEF_NODES = 5000
"""The nodes of the proof before the wide beam. A beam of width 1000 takes longer, and few small boards need one."""
FIRST_BUDGET = 2000
"""The nodes of the first slice of a proof, about a millisecond: nine of ten boards of 6x5 cells take fewer."""


class Halves(SolverSettings):
    """The fewest clicks, with proof: the two halves of a board are solved on their own."""

    name: ClassVar[str] = "halves"
    _memory: HalvesMemory | None = PrivateAttr(default=None)

    width: int = Field(default=1000, ge=1, le=1 << 20)
    """The width of the beam that finds a good solution where the proof is long."""

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Return why it cannot solve this puzzle, in words."""
        return None if isinstance(puzzle, Dust) else "it is made for dust"

    def with_memory(self) -> Halves:
        """Return this solver with a memory, which speeds up related boards. For one thread."""
        solver = self.model_copy(update={"width": min(self.width, NARROW)})
        solver._memory = HalvesMemory()
        return solver

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield a fast solution, a better one if the proof is long, and then shorter ones or the proof that there is
        none.
        """
        return self._attempts(instance, limit, self._memory or HalvesMemory())

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Yield the answers to the boards, which are searched one after the other in the same arrays."""
        memory = self._memory or HalvesMemory()

        def attempts(board: Instance) -> Generator[Attempt, None, None]:
            if self._memory is None:
                memory.clear()
            return ended_by_memory(partial(self._attempts, board, limit, memory))

        return singly(boards, attempts, over)

    def _attempts(self, instance: Instance, limit: Limit, memory: HalvesMemory) -> Generator[Attempt, None, None]:
        """Return the attempts at a board in the arrays of a memory."""
        puzzle = instance.puzzle
        assert isinstance(puzzle, Dust)  # see `refusal`

        def beam(width: int) -> Search:
            return lambda limit_left, best: memory.beam(width).attempts(instance, limit_left)

        def proof(limit_left: Limit, best: Result) -> Iterator[Attempt]:
            search = memory.recall(puzzle, limit_left).machine(instance.state, best.length)
            return iter(Drive(search, limit_left, first_budget=FIRST_BUDGET))

        def brief_proof(limit_left: Limit, best: Result) -> Iterator[Attempt]:
            if limit_left.nodes is not None and limit_left.nodes <= BRIEF_NODES:
                return iter(())
            return given_up(proof(replace(limit_left, nodes=BRIEF_NODES), best))

        wide = [brief_proof, beam(self.width)] if self.width > QUICK else []
        return one_by_one([beam(min(QUICK, self.width)), *wide, proof], limit)


SOLVER = Halves
