"""States with a known solution, for the conformance checks: their sums of steps bound every admissible estimate.

Where moves can be undone, a breadth-first search starts at the goals, so that distances are exact. For other puzzles
a search starts near the ends of random games and at the given boards; a distance is then that within the searched
states, which is an upper bound of the true one.

Shapes: K = states, S = length of a state.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
Edge = tuple[bytes, int, bytes]
"""A state, a move, and the state after it."""


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
        state, moves = self.states[row], self.moves[row]
        verdict = replay(Instance(self.puzzle, state), moves)
        with self.puzzle.at(state):
            must(verdict.holds, f"the board was reached from a goal, but {verdict.reason}")
        board = self.puzzle.write(state)
        if not moves:
            return f"at {board}, which is solved"
        solve = f"{len(moves)} moves solve" if moves[1:] else "1 move solves"
        names = f" ({' '.join(map(self.puzzle.write_move, moves))})" if len(moves) <= MOST_NAMES else ""
        kind, total = objective_of(self.puzzle).kind, int(self.sums[row])
        value = {"moves": "", "cost": f" at a cost of {total}", "score": f" for {-total} points"}[kind]
        return f"at {board}, which {solve}{names}{value}"

    def rows(self, most: int) -> range:
        """Return about this number of rows, near and far."""
        return range(0, len(self.states), max(1, len(self.states) // most))


def known_solutions(
    puzzle: CheckedPuzzle, goals: State | None, starts: Sequence[State], random: np.random.Generator, most: int
) -> KnownSolutions:
    """Return states with a known solution, from a search of `most` states and from random games.

    They start at the `goals: [G, S]` of a puzzle whose moves can be undone, otherwise at the boards `starts`.
    """
    if goals is None:
        games = [_random_game(puzzle, start, random, GAME_MOVES) for start in [*starts, *starts][:GAMES]]
        games = [(states, moves) for states, moves in games if puzzle.solved(states[-1])]
        seeds = [state for states, _ in games for state in states[-LAST_STATES:][::-1]] + list(starts)
        most = most if puzzle.view(Estimates) is not None else 0
    else:
        games = [_random_game(puzzle, random.choice(goals), random, most // GOAL_MOVES)]
        seeds = list(goals[:most])
    states = {state.tobytes(): state for state in [*seeds, *(state for path, _ in games for state in path)]}
    edges = _search(puzzle, states, [*map(_key, seeds)], most)
    for path, moves in games:
        edges += zip(map(_key, path), moves, map(_key, path[1:]), strict=False)
    ends = [
        key for key, done in zip(states, solved(puzzle, np.stack([*states.values()])).tolist(), strict=True) if done
    ]
    listed = ends if goals is None else {*map(_key, goals)}
    for key in ends:
        with puzzle.at(states[key]):
            must(key in listed, "the board is solved, and `goals` does not give it")
    return _shortest(puzzle, states, edges, ends)


def _key(state: State) -> bytes:
    return state.tobytes()


def _random_game(
    puzzle: CheckedPuzzle, state: State, random: np.random.Generator, length: int
) -> tuple[list[State], list[int]]:
    """Return the states and the moves of a random game of at most this number of moves.

    Where moves cannot be undone it ends at a solved board; otherwise no move undoes the one before it.
    """
    view = puzzle.view(Reversible)
    states, moves = [state], list[int]()
    while len(moves) < length and (view is not None or not puzzle.solved(states[-1])):
        legal = np.flatnonzero(puzzle.legal(states[-1])).tolist()
        if view is not None and moves and len(legal) > 1:
            legal = [move for move in legal if move != view.inverse(moves[-1])]
        if not legal:
            break
        moves.append(int(random.choice(legal)))
        states.append(puzzle.apply(states[-1], moves[-1]))
    return states, moves


def _search(puzzle: CheckedPuzzle, states: dict[bytes, State], seeds: Sequence[bytes], most: int) -> list[Edge]:
    """Search breadth-first from some of the states until there are `most` new ones; return the moves that were seen."""
    most += len(states)
    edges: list[Edge] = []
    seen = dict.fromkeys(seeds)
    queue = deque(seen)
    while queue and len(states) < most:
        chunk = [queue.popleft() for _ in range(min(CHUNK, len(queue)))]
        found = successors(puzzle, np.stack([states[key] for key in chunk]))
        for owner, move, state in zip(found.owner.tolist(), found.move.tolist(), found.states, strict=True):
            key = _key(state)
            if key in states or len(states) < most:
                states.setdefault(key, state)
                edges.append((chunk[owner], move, key))
                if key not in seen:
                    seen[key] = None
                    queue.append(key)
    return edges


def _shortest(
    puzzle: CheckedPuzzle, states: dict[bytes, State], edges: Iterable[Edge], goals: Iterable[bytes]
) -> KnownSolutions:
    """Return the states with a path to a goal, by Dijkstra's search from the goals."""
    objective, view = objective_of(puzzle), puzzle.view(Reversible)
    before: defaultdict[bytes, list[tuple[bytes, int]]] = defaultdict(list)
    for start, move, end in edges:
        before[end].append((start, move))
        if view is not None:
            before[start].append((end, view.inverse(move)))
    reached: dict[bytes, tuple[int, list[int]]] = {}
    order = count()
    heap: list[tuple[int, int, bytes, list[int]]] = [(0, next(order), goal, []) for goal in goals]
    while heap:
        total, _, end, moves = heapq.heappop(heap)
        if end not in reached:
            reached[end] = (total, moves)
            for start, move in before[end]:
                if start in reached:
                    continue
                with puzzle.at(states[start]):
                    step = objective.step(states[start], move, states[end])
                heapq.heappush(heap, (total + step, next(order), start, [move, *moves]))
    solvable = np.stack([states[key] for key in reached or states])[: len(reached)]
    sums = np.array([total for total, _ in reached.values()], np.int64)
    return KnownSolutions(puzzle, solvable, sums, [moves for _, moves in reached.values()])
