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
    steps: list[tuple[int, int]]
    """[K]: the first move of the solution, and the row of the state after it; -1 at a goal."""

    def moves(self, row: int) -> list[int]:
        """Return the known solution of a state."""
        moves = []
        while (step := self.steps[row])[0] >= 0:
            moves.append(step[0])
            row = step[1]
        return moves

    def sentence(self, row: int) -> str:
        """Return the board and its solution, verified by the plain rules: 'at 2 0 1, which 2 moves solve (L L)'."""
        state, moves = self.states[row], self.moves(row)
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
    states: dict[bytes, State] = {}
    edges: list[Edge] = []
    if goals is None:
        ends: list[bytes] = []
        for start in [*starts, *starts][:GAMES]:
            game, moves = _random_game(puzzle, start, random, GAME_MOVES)
            if puzzle.solved(game[-1]):
                ends += _add_game(states, edges, game, moves)[-LAST_STATES:][::-1]
        seeds = [*ends, *_add_game(states, edges, starts, ())]
        if puzzle.view(Estimates) is not None:
            _search(puzzle, states, edges, seeds, most)
    else:
        _search(puzzle, states, edges, _add_game(states, edges, goals[:most], ()), most)
        _add_game(states, edges, *_random_game(puzzle, random.choice(goals), random, most // GOAL_MOVES))
    ends = [
        key for key, done in zip(states, solved(puzzle, np.stack([*states.values()])).tolist(), strict=True) if done
    ]
    listed = ends if goals is None else {goal.tobytes() for goal in goals}
    for key in ends:
        with puzzle.at(states[key]):
            must(key in listed, "the board is solved, and `goals` does not give it")
    return _shortest(puzzle, states, edges, ends)


def _add_game(
    states: dict[bytes, State], edges: list[Edge], game: Iterable[State], moves: Iterable[int]
) -> list[bytes]:
    """Add the states of a game, and the moves between them; return the keys of the states."""
    keys = [state.tobytes() for state in game]
    for key, state in zip(keys, game, strict=True):
        states.setdefault(key, state)
    edges += zip(keys, moves, keys[1:], strict=False)
    return keys


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


def _search(
    puzzle: CheckedPuzzle, states: dict[bytes, State], edges: list[Edge], seeds: Sequence[bytes], most: int
) -> None:
    """Search breadth-first from these states until there are `most` new ones."""
    most += len(states)
    seen = dict.fromkeys(seeds)
    queue = deque(seen)
    while queue and len(states) < most:
        chunk = [queue.popleft() for _ in range(min(CHUNK, len(queue)))]
        found = successors(puzzle, np.stack([states[key] for key in chunk]))
        for owner, move, state in zip(found.owner.tolist(), found.move.tolist(), found.states, strict=True):
            key = state.tobytes()
            if key in states or len(states) < most:
                states.setdefault(key, state)
                edges.append((chunk[owner], move, key))
                if key not in seen:
                    seen[key] = None
                    queue.append(key)


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
    reached: dict[bytes, tuple[int, int, bytes]] = {}
    order = count()
    heap = [(0, next(order), goal, -1, b"") for goal in goals]
    while heap:
        total, _, end, first, after = heapq.heappop(heap)
        if end in reached:
            continue
        reached[end] = (total, first, after)
        for start, move in before[end]:
            if start not in reached:
                with puzzle.at(states[start]):
                    step = objective.step(states[start], move, states[end])
                heapq.heappush(heap, (total + step, next(order), start, move, end))
    rows = {key: row for row, key in enumerate(reached)}
    return KnownSolutions(
        puzzle,
        np.stack([states[key] for key in reached]) if reached else np.stack([*states.values()])[:0],
        np.array([total for total, _, _ in reached.values()], np.int64),
        [(move, rows.get(after, -1)) for _, move, after in reached.values()],
    )
