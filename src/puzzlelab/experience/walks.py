"""Random walks from the goal as a teacher without a solver: the way back is to undo the last move, as far as it came.

Most walks of a length lead about as far away as they can, so that what a network takes for the way back is mostly a
shortest one; how far it is, they say too high. Source: Takano, "Self-supervision is all you need for solving Rubik's
cube" (2023).

Shapes: B = walks, L = moves of each, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from itertools import count as count_from
from typing import Any

import numpy as np

from puzzlelab.core.errors import BadOption, Unsupported
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.core.version import VERSION
from puzzlelab.core.views import Reversible
from puzzlelab.engine.batch_rules import apply_moves, legal_moves
from puzzlelab.experience.schema import LONGEST, TrainingSamples, joined, packed

CHUNK = 256
"""Walks that are made at once."""


@dataclass(frozen=True)
class Walks:
    """Walks of one length, each a game of its own; no move undoes the one before, unless there is no other."""

    puzzle: Puzzle
    length: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.puzzle.view(Reversible) is None:
            raise Unsupported(f"moves of {self.puzzle.name} cannot be undone, so that no walk leads from its goal")
        if not 1 <= self.length <= LONGEST:
            raise BadOption(f"a walk has 1 to {LONGEST:,} moves, not {self.length:,}")

    @property
    def name(self) -> str:
        return "walks"

    def settings(self) -> dict[str, Any]:
        """Everything that decides what the samples are."""
        return {
            "puzzle": self.puzzle.name,
            "targets": "the move that undoes the last one",
            "boards": f"walks of {self.length} moves from the goal",
            "seed": self.seed,
            "move_count": self.puzzle.move_count,
            "version": VERSION,
        }

    def samples(self, first: int = 0, jobs: int | None = None) -> Generator[tuple[TrainingSamples, int], None, None]:
        """The positions of the walks from number `first` on, without an end, each time with the number of the next."""
        for begin in count_from(first, CHUNK):
            yield self._walked(begin, begin + CHUNK), begin + CHUNK

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """The positions of the walks number `first` to `end` - 1, of which there is at least one."""
        return joined([self._walked(begin, min(begin + CHUNK, end)) for begin in range(first, end, CHUNK)])

    def _walked(self, first: int, end: int) -> TrainingSamples:
        """The positions of these walks, the farthest of each first; not those that happen to be solved."""
        puzzle, rows = self.puzzle, np.arange(end - first)
        reversible = puzzle.view(Reversible)
        assert reversible is not None
        chances = np.stack([generator(self.seed, game).random(self.length + 1) for game in range(first, end)])
        goals, undoing = reversible.goals(), np.array([reversible.inverse(move) for move in range(puzzle.move_count)])
        here = goals[(chances[:, 0] * len(goals)).astype(np.int64)]
        back = np.full(len(rows), -1)
        states, moves, solved = [], [], []
        for chance in chances[:, 1:].T:
            possible = legal_moves(puzzle, here)
            undoes = np.arange(puzzle.move_count) == back[:, None]
            choice = np.where((possible & ~undoes).any(axis=1, keepdims=True), possible & ~undoes, possible)
            nth = (chance * choice.sum(axis=1)).astype(np.int64)
            move = (choice.cumsum(axis=1) > nth[:, None]).argmax(axis=1)
            after = apply_moves(puzzle, here, move)
            here, back = after.states, undoing[move]
            states.append(here)
            moves.append(back)
            solved.append(after.solved)
        # [L, B] becomes [B, L], the last move first
        kept = ~np.stack(solved[::-1], axis=1)
        masks = np.stack(moves[::-1], axis=1)[kept][:, None] == np.arange(puzzle.move_count)
        remaining = np.tile(np.arange(self.length, 0, -1, dtype=np.uint16), (len(rows), 1))[kept]
        games = np.repeat(np.arange(first, end), kept.sum(axis=1))
        return TrainingSamples(
            games, np.stack(states[::-1], axis=1)[kept], packed(masks), remaining, np.zeros(len(games), bool)
        )
