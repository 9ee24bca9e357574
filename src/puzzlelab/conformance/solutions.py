"""States with a known solution, for the conformance checks: their sums of steps bound every admissible estimate.

Where moves can be undone, a breadth-first search starts at the goals, so that distances are exact. For other puzzles
a search starts near the ends of random games and at the given boards; a distance is then that within the searched
states, which is an upper bound of the true one.

Shapes: K = states, S = length of a state.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import CheckedPuzzle, must
from puzzlelab.core.boards import Instance
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.verify import replay
from puzzlelab.core.views import Estimates, Reversible
from puzzlelab.engine.batch_rules import solved, successors

CHUNK = 64
"""States that are expanded together."""
GAMES = 6
"""Random games from the given boards, where moves cannot be undone."""
GAME_MOVES = 200
"""The most moves of a random game."""
GOAL_MOVES = 10
"""Searched states for each move of a random game from a goal."""
LAST_STATES = 12
"""States at the end of a random game from which the search starts."""
MOST_NAMES = 30
"""Moves that a sentence names."""


@dataclass(frozen=True, eq=False)
class KnownSolutions:
    """States with a known solution each, those with the least sum of steps first."""

    puzzle: CheckedPuzzle
    states: State
    """[K, S]."""
    sums: NDArray[np.int64]
    """[K]: the sum of the steps of the known solution: its moves, its cost, or minus its points."""
    moves: list[list[int]]
    """[K]: the known solution of each."""

    def sentence(self, row: int) -> str:
        """Return the board and its solution, verified by the plain rules: 'at 2 0 1, which 2 moves solve (L L)'."""
        state, moves, total = self.states[row], self.moves[row], int(self.sums[row])
        verdict = replay(Instance(self.puzzle, state), moves)
        with self.puzzle.at(state):
            must(verdict.holds, f"the board was reached from a goal, but {verdict.reason}")
        if not moves:
            return f"at {self.puzzle.write(state)}, which is solved"
        names = " ".join([*map(self.puzzle.write_move, moves[:MOST_NAMES]), *["..."][: len(moves) - MOST_NAMES]])
        value = {"moves": "", "cost": f" at a cost of {total}", "score": f" for {-total} points"}
        solve = f"{len(moves)} moves solve" if moves[1:] else "1 move solves"
        return f"at {self.puzzle.write(state)}, which {solve} ({names}){value[objective_of(self.puzzle).kind]}"

    def rows(self, most: int) -> range:
        """Return about this number of rows, near and far."""
        return range(0, len(self.states), max(1, len(self.states) // most))


@dataclass(frozen=True, eq=False)
class _Graph:
    """States by their bytes, and the moves to each of them that were seen."""

    puzzle: CheckedPuzzle
    view: Reversible | None
    states: dict[bytes, State] = field(default_factory=dict)
    before: defaultdict[bytes, list[tuple[bytes, int]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, state: State) -> bytes:
        """Return the bytes of a state, which is kept."""
        self.states.setdefault(state.tobytes(), state)
        return state.tobytes()

    def link(self, start: bytes, move: int, end: bytes) -> None:
        """Keep a move, and its inverse where moves can be undone."""
        self.before[end].append((start, move))
        if self.view is not None:
            self.before[start].append((end, self.view.inverse(move)))


def known_solutions(
    puzzle: CheckedPuzzle, goals: State | None, starts: Sequence[State], random: np.random.Generator, most: int
) -> KnownSolutions:
    """Return states with a known solution, from a search of `most` states and from random games.

    They start at the `goals: [G, S]` of a puzzle whose moves can be undone, otherwise at the boards `starts`.
    """
    graph = _Graph(puzzle, puzzle.view(Reversible))
    if goals is None:
        games = [_random_game(graph, start, random, GAME_MOVES) for start in [*starts, *starts][:GAMES]]
        games = [path for path in games if puzzle.solved(graph.states[path[-1]])]
        seeds = [key for path in games for key in path[-LAST_STATES:][::-1]] + [*map(graph.add, starts)]
        most = most if puzzle.view(Estimates) is not None else 0
    else:
        _random_game(graph, random.choice(goals), random, most // GOAL_MOVES)
        seeds = [graph.add(goal) for goal in goals[:most]]
    _search(graph, [*dict.fromkeys(seeds)], most)
    are_solved = solved(puzzle, np.stack([*graph.states.values()])).tolist()
    ends = [key for key, is_solved in zip(graph.states, are_solved, strict=True) if is_solved]
    listed = ends if goals is None else {goal.tobytes() for goal in goals}
    for key in ends:
        with puzzle.at(graph.states[key]):
            must(key in listed, "the board is solved, and `goals` does not give it")
    return _shortest(graph, ends)


def _random_game(graph: _Graph, state: State, random: np.random.Generator, length: int) -> list[bytes]:
    """Return the states of a random game of at most this number of moves.

    Where moves cannot be undone it ends at a solved board; otherwise no move undoes the one before it.
    """
    path, back = [graph.add(state)], -1
    while len(path) <= length and (graph.view is not None or not graph.puzzle.solved(state)):
        legal = np.flatnonzero(graph.puzzle.legal(state)).tolist()
        if not legal:
            break
        move = int(random.choice([move for move in legal if move != back] or legal))
        back = -1 if graph.view is None else graph.view.inverse(move)
        state = graph.puzzle.apply(state, move)
        path.append(graph.add(state))
        graph.link(path[-2], move, path[-1])
    return path


def _search(graph: _Graph, queue: list[bytes], most: int) -> None:
    """Search breadth-first from the states of the queue until there are `most` new ones."""
    most += len(graph.states)
    seen, first = set(queue), 0
    while first < len(queue) and len(graph.states) < most:
        chunk = queue[first : first + CHUNK]
        first += len(chunk)
        found = successors(graph.puzzle, np.stack([graph.states[key] for key in chunk]))
        for owner, move, state in zip(found.owner.tolist(), found.move.tolist(), found.states, strict=True):
            if state.tobytes() in graph.states or len(graph.states) < most:
                key = graph.add(state)
                graph.link(chunk[owner], move, key)
                if key not in seen:
                    seen.add(key)
                    queue.append(key)


def _shortest(graph: _Graph, ends: Sequence[bytes]) -> KnownSolutions:
    """Return the states with a path to a solved one, by Dijkstra's search from those that are solved."""
    objective, order = objective_of(graph.puzzle), count()
    reached: dict[bytes, tuple[int, list[int]]] = {}
    heap: list[tuple[int, int, bytes, list[int]]] = [(0, next(order), end, []) for end in ends]
    while heap:
        total, _, end, moves = heapq.heappop(heap)
        if end in reached:
            continue
        reached[end] = (total, moves)
        for start, move in graph.before[end]:
            if start not in reached:
                with graph.puzzle.at(graph.states[start]):
                    step = objective.step(graph.states[start], move, graph.states[end])
                heapq.heappush(heap, (total + step, next(order), start, [move, *moves]))
    states = np.stack([graph.states[key] for key in reached or graph.states])[: len(reached)]
    sums = np.array([total for total, _ in reached.values()], np.int64)
    return KnownSolutions(graph.puzzle, states, sums, [moves for _, moves in reached.values()])
