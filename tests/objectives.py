"""Two toy puzzles whose solutions differ by more than their length, each with its best solution by brute force.

`Runs` is SameGame in one dimension: a move removes a run of at least two equal letters, for the square of its length;
each letter that is left at the end costs a point. `Tolls` is a grid of cells with a toll: the way from the first cell
to the last one costs the tolls of the cells entered, and a detour may be cheaper than the shortest way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any, ClassVar

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import Estimate, Estimates, Steps


def runs_of(row: tuple[int, ...]) -> list[tuple[int, int]]:
    """(first place, length) of each run of a row without gaps."""
    runs, place = [], 0
    for _, group in groupby(row):
        length = len(list(group))
        runs.append((place, length))
        place += length
    return runs


@dataclass(frozen=True)
class Runs:
    """A state is `uint8[size]`: the letters, and 0 behind the last one. A move is the first place of a run."""

    size: int = 12
    admissible: bool = True
    points_per_move: ClassVar[float] = 4.0
    estimates: ClassVar[dict[str, str]] = {"letters": "the square of how many there are of each letter"}
    name = property(lambda self: f"runs-{self.size}")
    move_count = property(lambda self: self.size)

    def row(self, state: State) -> tuple[int, ...]:
        return tuple(int(letter) for letter in state if letter)

    def legal(self, state: State) -> State:
        mask = np.zeros(self.size, bool)
        mask[[place for place, length in runs_of(self.row(state)) if length > 1]] = True
        return mask

    def apply(self, state: State, move: int) -> State:
        row = self.row(state)
        length = dict(runs_of(row))[move]
        rest = row[:move] + row[move + length :]
        return np.array(rest + (0,) * (self.size - len(rest)), np.uint8)

    def solved(self, state: State) -> bool:
        return not self.legal(state).any()

    def points(self, state: State, move: int, after: State) -> int:
        removed = len(self.row(state)) - len(self.row(after))
        return removed**2 - (len(self.row(after)) if self.solved(after) else 0)

    def objection(self, state: State) -> str | None:
        return None

    def read(self, text: str) -> Instance:
        if len(text) > self.size or not text.isalpha():
            raise BadBoard(f"write at most {self.size} letters")
        letters = [ord(letter) - 96 for letter in text]
        return Instance(self, np.array(letters + [0] * (self.size - len(letters)), np.uint8))

    def write(self, state: State) -> str:
        return "".join(chr(96 + letter) for letter in self.row(state))

    def draw(self, state: State, mark: int | None = None) -> str:
        return self.write(state)

    def write_move(self, move: int) -> str:
        return str(move)

    def read_move(self, text: str) -> int:
        return int(text)

    def estimate(self, name: str | None = None) -> Estimate:
        return Estimate("letters", self.admissible, scores=self.scores)

    def scores(self, states: State) -> State:
        counts = np.stack([(states == letter).sum(axis=1) for letter in range(1, 27)], axis=1)
        return np.where(counts > 1, counts**2, 0).sum(axis=1).astype(float)

    def view(self, kind: type) -> Any:
        if kind is Steps:
            return Steps(points=self.points, points_per_move=self.points_per_move)
        return self if kind is Estimates else None


@cache
def best_score(row: tuple[int, ...]) -> int:
    """The highest score from this row, by all ways to play; a row that is at its end has made its points."""
    after = []
    for place, length in runs_of(row):
        if length > 1:
            rest = row[:place] + row[place + length :]
            is_over = all(other == 1 for _, other in runs_of(rest))
            after.append(length**2 - (len(rest) if is_over else 0) + best_score(rest))
    return max(after, default=0)


@dataclass(frozen=True)
class Tolls:
    """A state is `int16[1]`: the cell. The moves are right, left, down and up."""

    tolls: tuple[tuple[int, ...], ...]
    estimates: ClassVar[dict[str, str]] = {"none": "0, which is below every cost"}
    name = "tolls"
    move_count = 4

    @property
    def columns(self) -> int:
        return len(self.tolls[0])

    def target(self, state: State, move: int) -> tuple[int, int]:
        row, column = divmod(int(state[0]), self.columns)
        return row + (0, 0, 1, -1)[move], column + (1, -1, 0, 0)[move]

    def legal(self, state: State) -> State:
        targets = [self.target(state, move) for move in range(4)]
        return np.array([0 <= row < len(self.tolls) and 0 <= column < self.columns for row, column in targets])

    def apply(self, state: State, move: int) -> State:
        row, column = self.target(state, move)
        return np.array([row * self.columns + column], np.int16)

    def solved(self, state: State) -> bool:
        return int(state[0]) == len(self.tolls) * self.columns - 1

    def cost(self, state: State, move: int, after: State) -> int:
        row, column = divmod(int(after[0]), self.columns)
        return self.tolls[row][column]

    def objection(self, state: State) -> str | None:
        return None

    def read(self, text: str) -> Instance:
        return Instance(self, np.array([int(text)], np.int16))

    def write(self, state: State) -> str:
        return str(int(state[0]))

    def draw(self, state: State, mark: int | None = None) -> str:
        return self.write(state)

    def write_move(self, move: int) -> str:
        return "RLDU"[move]

    def read_move(self, text: str) -> int:
        return "RLDU".index(text)

    def estimate(self, name: str | None = None) -> Estimate:
        return Estimate("none", True, scores=lambda states: np.zeros(len(states)))

    def view(self, kind: type) -> Any:
        return Steps(self.cost) if kind is Steps else self if kind is Estimates else None


def least_cost(puzzle: Tolls) -> int:
    """The least cost from the first cell to the last one (Bellman and Ford)."""
    cells = len(puzzle.tolls) * puzzle.columns
    costs = [0] + [10**9] * (cells - 1)
    for _ in range(cells):
        for cell in range(cells):
            state = np.array([cell], np.int16)
            for move in np.flatnonzero(puzzle.legal(state)):
                after = puzzle.apply(state, int(move))
                costs[int(after[0])] = min(costs[int(after[0])], costs[cell] + puzzle.cost(state, int(move), after))
    return costs[-1]
