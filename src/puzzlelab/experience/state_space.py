"""All states of a small puzzle as samples, with all optimal moves and exact distances.

A breadth-first search from the goals finds the states. The moves of the puzzle must be reversible: then the distance
from a goal to a state is the distance from the state to the goal.

Shapes: N = states, M = number of moves, W = words of a packed state, S = length of a state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import Result
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import KernelRules, Reversible
from puzzlelab.engine.batch_rules import solved, successors
from puzzlelab.engine.driver import drive
from puzzlelab.engine.network_io import state_codes
from puzzlelab.engine.records import unpacked
from puzzlelab.engine.search_rules import rules_of, runner
from puzzlelab.experience.schema import LONGEST, TrainingSamples, packed
from puzzlelab.experience.teacher_kernels import label_all
from puzzlelab.solvers import bfs
from puzzlelab.solvers._bfs_kernels import add_root
from puzzlelab.version import VERSION

MAX_STATES = 5_000_000
"""The greatest number of states of a puzzle."""
MAX_REACHABLE = 1_000_000
"""The greatest number of states that are reached from given ones."""
CHUNK = 1 << 14
"""Samples in one part of `samples`, and states that are expanded at once."""


@dataclass(frozen=True)
class StateSpace:
    """All unsolved states of a puzzle, in a random order; each is a game of its own."""

    chunk: ClassVar[int] = CHUNK

    puzzle: Puzzle
    seed: int = 0

    def __post_init__(self) -> None:
        require_counted_moves(self.puzzle, "the table of all states")

    @property
    def count(self) -> int:
        """The number of samples."""
        return len(self._order)

    def settings(self) -> dict[str, Any]:
        """Return all settings that determine the samples."""
        return {
            "puzzle": self.puzzle.name,
            "targets": "all optimal moves",
            "boards": "all",
            "seed": self.seed,
            "move_count": self.puzzle.move_count,
            "version": VERSION,
        }

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """Return the samples number `first` to `end` - 1, or to the last one."""
        states, distance, masks = self._labelled
        rows = self._order[first:end]
        remaining, proven = distance[rows].astype(np.uint16), np.ones(len(rows), bool)
        return TrainingSamples(
            np.arange(first, first + len(rows)), states[rows], packed(masks[rows]), remaining, proven
        )

    @cached_property
    def _labelled(self) -> tuple[State, NDArray[np.int32], NDArray[np.bool_]]:
        return label_states(self.puzzle)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """Number of a sample -> row of its state."""
        unsolved = np.flatnonzero(self._labelled[1])
        return generator(self.seed).permutation(unsolved)


def label_states(puzzle: Puzzle) -> tuple[State, NDArray[np.int32], NDArray[np.bool_]]:
    """Return (states `[N, S]`, distances `int32[N]`, optimal moves `bool[N, M]`) of all solvable states, by distance.

    Raises:
        Unsupported: for a puzzle whose moves cannot be undone.
        BadInput: for one with more than `MAX_STATES` states, or with distances too great for samples.
    """
    rules = rules_of(Instance(puzzle, _goals(puzzle)[0]))
    record = _explored(puzzle, rules)
    count = int(record.control.states)
    keys = record.nodes.keys[:count]
    distance, masks = np.zeros(count, np.int32), np.zeros((count, puzzle.move_count), bool)
    runner(label_all, rules)(record.tables, record.nodes, record.expansion, distance, masks)
    if distance[-1] > LONGEST:
        raise BadInput(
            f"some states of {puzzle.name} are {distance[-1]:,} moves from a goal, more than samples can tell"
        )
    return rules.decode(unpacked(rules, keys)), distance, masks


def label_reachable(puzzle: Puzzle, starts: State) -> tuple[State, NDArray[np.int32], NDArray[np.bool_]]:
    """Return (states `[N, S]`, distances `int32[N]`, optimal moves `bool[N, M]`) of all states reachable from `starts`.

    Moves need not be reversible. States from which no goal is reached have the distance -1 and no optimal move.

    Raises:
        BadInput: for more than `MAX_REACHABLE` states.
    """
    states, codes = _reachable(puzzle, starts)
    ahead = successors(puzzle, states)
    child = np.searchsorted(codes, state_codes(ahead.states))
    unreached = np.iinfo(np.int32).max - 1
    distance = np.where(solved(puzzle, states), 0, unreached).astype(np.int32)
    while True:
        nearer = distance.copy()
        np.minimum.at(nearer, ahead.owner, distance[child] + 1)
        if np.array_equal(nearer, distance):
            break
        distance = np.minimum(nearer, unreached)
    masks = np.zeros((len(states), puzzle.move_count), bool)
    is_best = (distance[child] + 1 == distance[ahead.owner]) & (distance[ahead.owner] < unreached)
    masks[ahead.owner[is_best], ahead.move[is_best]] = True
    return states, np.where(distance < unreached, distance, -1).astype(np.int32), masks


def _reachable(puzzle: Puzzle, starts: State) -> tuple[State, NDArray[np.int64]]:
    """Return (the states `[N, S]` reachable from `starts`, in the order of their codes, and the codes `int64[N]`)."""
    parts = [_distinct(starts, np.zeros(0, np.int64))]
    codes, waiting = np.sort(state_codes(parts[0])), parts[0]
    while len(waiting):
        chunk, waiting = waiting[-CHUNK:], waiting[:-CHUNK]
        new = _distinct(successors(puzzle, chunk).states, codes)
        codes = np.sort(np.concatenate([codes, state_codes(new)]))
        if len(codes) > MAX_REACHABLE:
            raise BadInput(f"{puzzle.name} has too many states to take all of them: at most {MAX_REACHABLE:,}")
        parts.append(new)
        waiting = np.concatenate([waiting, new])
    states = np.concatenate(parts)
    return states[np.argsort(state_codes(states))], codes


def _distinct(states: State, codes: NDArray[np.int64]) -> State:
    """Return the states `[B, S]`, each once, without those that have one of the sorted codes."""
    own, first = np.unique(state_codes(states), return_index=True)
    place = np.minimum(np.searchsorted(codes, own), max(len(codes) - 1, 0))
    is_new = codes[place] != own if len(codes) else np.ones(len(own), bool)
    distinct: State = states[first[is_new]]
    return distinct


def _goals(puzzle: Puzzle) -> State:
    reversible = puzzle.view(Reversible)
    if reversible is None:
        raise Unsupported(f"the states of {puzzle.name} cannot be found from its goals: its moves cannot be undone")
    return reversible.goals()


def _explored(puzzle: Puzzle, rules: KernelRules) -> Any:
    """Return the record of a complete breadth-first search from the goals."""
    goals = _goals(puzzle)
    limit = Limit(nodes=MAX_STATES)
    search = bfs.machine(Instance(puzzle, goals[0]), rules, None, limit, count_all=True)
    for goal in rules.encode(goals[1:]).astype(rules.dtype):
        runner(add_root, rules)(search.record, goal, 0)
    *_, last = drive(search, limit)
    if isinstance(last, Result) and last.stop != "done":
        raise BadInput(
            f"{puzzle.name} has too many states to take all of them: at most {MAX_STATES:,}, and what memory holds"
        )
    return search.record
