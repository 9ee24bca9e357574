"""Random walks from the goal as samples without a solver: the move to imitate undoes the last move of the walk.

A network that imitates many walks learns mostly optimal moves. The number of remaining moves is an upper bound only.
Source: Takano, "Self-supervision is all you need for solving Rubik's cube" (2023).

Shapes: B = walks, L = moves of each, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from puzzlelab.core.errors import BadOption, Unsupported
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import Reversible
from puzzlelab.engine.batch_rules import apply_moves, legal_moves
from puzzlelab.experience.schema import LONGEST, TrainingSamples, joined, packed
from puzzlelab.version import VERSION

CHUNK = 256
"""Walks in one batch."""


@dataclass(frozen=True)
class Walks:
    """Random walks of one length, each a game of its own; no move undoes the one before, unless it is the only one."""

    count: ClassVar[None] = None
    chunk: ClassVar[int] = CHUNK

    puzzle: Puzzle
    length: int
    seed: int = 0

    def __post_init__(self) -> None:
        require_counted_moves(self.puzzle, "a random walk as a teacher")
        if self.puzzle.view(Reversible) is None:
            raise Unsupported(f"moves of {self.puzzle.name} cannot be undone, so that no walk leads from its goal")
        if not 1 <= self.length <= LONGEST:
            raise BadOption(f"a walk has 1 to {LONGEST:,} moves, not {self.length:,}")

    def settings(self) -> dict[str, Any]:
        """Return all settings that determine the samples."""
        return {
            "puzzle": self.puzzle.name,
            "targets": "the move that undoes the last one",
            "boards": f"walks of {self.length} moves from the goal",
            "seed": self.seed,
            "move_count": self.puzzle.move_count,
            "version": VERSION,
        }

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """Return the positions of the walks number `first` to `end` - 1, of which there is at least one."""
        return joined([self._walked(begin, min(begin + CHUNK, end)) for begin in range(first, end, CHUNK)])

    def _walked(self, first: int, end: int) -> TrainingSamples:
        """Return the positions of these walks, the last one of each first, without solved ones."""
        puzzle, rows = self.puzzle, np.arange(end - first)
        reversible = puzzle.view(Reversible)
        assert reversible is not None
        draws = np.stack([generator(self.seed, game).random(self.length + 1) for game in range(first, end)])
        goals, inverse = reversible.goals(), np.array([reversible.inverse(move) for move in range(puzzle.move_count)])
        position = goals[(draws[:, 0] * len(goals)).astype(np.int64)]
        undo = np.full(len(rows), -1)
        states, moves, solved = [], [], []
        for draw in draws[:, 1:].T:
            legal = legal_moves(puzzle, position)
            onward = legal & (np.arange(puzzle.move_count) != undo[:, None])
            choice = np.where(onward.any(axis=1, keepdims=True), onward, legal)
            nth = (draw * choice.sum(axis=1)).astype(np.int64)
            move = (choice.cumsum(axis=1) > nth[:, None]).argmax(axis=1)
            successors = apply_moves(puzzle, position, move)
            position, undo = successors.states, inverse[move]
            states.append(position)
            moves.append(undo)
            solved.append(successors.solved)
        # [L, B] becomes [B, L], the last move first
        unsolved = ~np.stack(solved[::-1], axis=1)
        masks = np.stack(moves[::-1], axis=1)[unsolved][:, None] == np.arange(puzzle.move_count)
        remaining = np.tile(np.arange(self.length, 0, -1, dtype=np.uint16), (len(rows), 1))[unsolved]
        games = np.repeat(np.arange(first, end), unsolved.sum(axis=1))
        return TrainingSamples(
            games, np.stack(states[::-1], axis=1)[unsolved], packed(masks), remaining, np.zeros(len(games), bool)
        )
