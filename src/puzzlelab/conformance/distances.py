"""States with a known solution, for the conformance checks: their distances to a goal bound every admissible estimate.

Where moves can be undone, a breadth-first search starts at the goals, so that distances are exact. For other puzzles
a search starts near the ends of random games and at the given boards; a distance is then that within the searched
states, which is an upper bound of the true one.

Shapes: K = states, S = length of a state.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import CheckedPuzzle, calling
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import ConformanceError
from puzzlelab.core.objective import Objective, objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.verify import replay
from puzzlelab.core.views import Estimates, Reversible
from puzzlelab.engine.batch_rules import successors

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


@dataclass(eq=False)
class ExploredStates:
    """Searched states of a puzzle and the moves between them; see the module."""

    puzzle: CheckedPuzzle
    states: list[State] = field(default_factory=list)
    solved: list[bool] = field(default_factory=list)
    edges: list[tuple[int, int, int]] = field(default_factory=list)
    """(number of a state, move, number of the state after it)."""
    numbers: dict[bytes, int] = field(default_factory=dict)

    def add(self, state: State, solved: bool | None = None) -> int:
        """Return the number of a state, which is added if it is new."""
        key = state.tobytes()
        if key not in self.numbers:
            self.numbers[key] = len(self.states)
            self.states.append(state)
            self.solved.append(self.puzzle.solved(state) if solved is None else solved)
        return self.numbers[key]

    def add_game(self, states: Sequence[State], moves: Sequence[int]) -> list[int]:
        """Add the states of a game, one more than its moves; return their numbers."""
        numbers = [self.add(state) for state in states]
        self.edges += zip(numbers, moves, numbers[1:], strict=False)
        return numbers

    def search(self, seeds: Sequence[int], most: int) -> None:
        """Search breadth-first from these states until there are `most` new ones."""
        most += len(self.states)
        queue, seen = deque(seeds), set(seeds)
        while queue and len(self.states) < most:
            chunk = [queue.popleft() for _ in range(min(CHUNK, len(queue)))]
            for parent, move, state, solved in self._children(chunk):
                if state.tobytes() not in self.numbers and len(self.states) >= most:
                    continue
                number = self.add(state, solved)
                self.edges.append((parent, move, number))
                if number not in seen:
                    seen.add(number)
                    queue.append(number)

    def _children(self, parents: Sequence[int]) -> list[tuple[int, int, State, bool]]:
        """Return (parent, move, state, solved) of all successors of these states."""
        states = [self.states[parent] for parent in parents]
        with calling(f"{self.puzzle.name}: a rule at one of the boards from {self.puzzle.at(states[0])} on"):
            found = successors(self.puzzle, np.stack(states))
        owners = [parents[owner] for owner in found.owner.tolist()]
        return list(zip(owners, found.move.tolist(), found.states, found.solved.tolist(), strict=True))

    def solvable(self) -> SolvableStates:
        """Return the states with a path to a solved one, those with the least sum of steps first."""
        objective = objective_of(self.puzzle)
        before: list[list[tuple[int, int]]] = [[] for _ in self.states]
        for start, move, end in self.edges:
            before[end].append((start, move))
        if (view := self.puzzle.view(Reversible)) is not None:
            for start, move, end in self.edges:
                before[start].append((end, view.inverse(move)))
        reached: dict[int, tuple[int, int, int]] = {}
        heap = [(0, number, -1, -1) for number, solved in enumerate(self.solved) if solved]
        while heap:
            total, number, first, after = heapq.heappop(heap)
            if number in reached:
                continue
            reached[number] = (total, first, after)
            for start, move in before[number]:
                if start not in reached:
                    step = 1 if objective.kind == "moves" else self._step(objective, start, move, number)
                    heapq.heappush(heap, (total + step, start, move, number))
        rows = {number: row for row, number in enumerate(reached)}
        return SolvableStates(
            self.puzzle,
            np.stack([self.states[number] for number in reached]) if reached else np.stack(self.states)[:0],
            np.array([total for total, _, _ in reached.values()], np.int64),
            [(move, rows.get(after, -1)) for _, move, after in reached.values()],
        )

    def _step(self, objective: Objective, start: int, move: int, end: int) -> int:
        """Return the cost of a move, or minus its points."""
        with calling(self.puzzle.at(self.states[start], "the cost or the points", move)):
            return objective.step(self.states[start], move, self.states[end])


@dataclass(frozen=True, eq=False)
class SolvableStates:
    """States with a known solution each."""

    puzzle: CheckedPuzzle
    states: State
    """[K, S]."""
    sums: NDArray[np.int64]
    """[K]: the sum of the steps of the known solution: its moves, its cost, or minus its points."""
    steps: list[tuple[int, int]]
    """[K]: the first move of the solution, and the row of the state after it; -1 at a goal."""

    def moves(self, row: int) -> list[int]:
        """Return the known solution."""
        moves = []
        while (step := self.steps[row])[0] >= 0:
            moves.append(step[0])
            row = step[1]
        return moves

    def goal(self, row: int) -> State:
        """Return the solved state at the end of the known solution."""
        while self.steps[row][0] >= 0:
            row = self.steps[row][1]
        state: State = self.states[row]
        return state

    def sentence(self, row: int) -> str:
        """Return the board and its solution, verified by the plain rules: 'at 2 0 1, which 2 moves solve (L L)'."""
        state, moves = self.states[row], self.moves(row)
        verdict = replay(Instance(self.puzzle, state), moves)
        if not verdict.holds:
            raise ConformanceError(f"{self.puzzle.at(state)}: the board was reached from a goal, but {verdict.reason}")
        board = self.puzzle.write(state)
        if not moves:
            return f"at {board}, which is solved"
        count = f"{len(moves)} moves solve" if moves[1:] else "1 move solves"
        names = f" ({' '.join(map(self.puzzle.named, moves))})" if len(moves) <= MOST_NAMES else ""
        return f"at {board}, which {count}{names}{self._value(row)}"

    def _value(self, row: int) -> str:
        """Return the cost or the points of the known solution, for puzzles with those."""
        kind, total = objective_of(self.puzzle).kind, int(self.sums[row])
        return {"moves": "", "cost": f" at a cost of {total}", "score": f" for {-total} points"}[kind]

    def stride(self, count: int) -> int:
        """Return the step between rows that chooses about this many of them, near and far."""
        return max(1, len(self.states) // count)


def solvable_states(
    puzzle: CheckedPuzzle,
    goals: State | None,
    starts: Sequence[State],
    random: np.random.Generator,
    most: int,
) -> SolvableStates:
    """Return states with a known solution, from a search of `most` states and from random games.

    They start at the `goals: [G, S]` of a puzzle whose moves can be undone, otherwise at the boards `starts`.
    """
    explored = ExploredStates(puzzle)
    if goals is None:
        ends = []
        for start in [*starts, *starts][:GAMES]:
            states, moves = _random_game(puzzle, start, random, GAME_MOVES)
            if puzzle.solved(states[-1]):
                ends += explored.add_game(states, moves)[-LAST_STATES:][::-1]
        seeds = dict.fromkeys([*ends, *map(explored.add, starts)])
        if puzzle.view(Estimates) is not None:
            explored.search(list(seeds), most)
        return explored.solvable()
    explored.search([explored.add(goal) for goal in goals[:most]], most)
    explored.add_game(*_random_game(puzzle, random.choice(goals), random, most // GOAL_MOVES))
    listed = {goal.tobytes() for goal in goals}
    for state, solved in zip(explored.states, explored.solved, strict=True):
        if solved and state.tobytes() not in listed:
            raise ConformanceError(f"{puzzle.at(state)}: the board is solved, and `goals` does not give it")
    return explored.solvable()


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
