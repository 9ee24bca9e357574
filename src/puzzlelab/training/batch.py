"""What a step of imitation learns from: positions with all the moves that are right there, or images of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Planes, SymbolSymmetric
from puzzlelab.engine.batch_rules import canonical_moves
from puzzlelab.experience.schema import unpacked


@dataclass(frozen=True, eq=False)
class PolicyValueBatch:
    """What one step learns from. B = samples, S = length of a state, M = number of moves."""

    states: NDArray[Any]
    """[B, S]."""
    remaining: NDArray[np.float32]
    """[B]."""
    named: NDArray[np.int64]
    """[B, M]: the move that each move comes to, one for all that do the same; -1 for one that is impossible."""
    wanted: NDArray[Any]
    """[B, M]: `bool`, all moves that come to the same as one of the teacher's; or `float32`, how much each move is
    wanted that stands for others.
    """

    @property
    def possible(self) -> NDArray[np.bool_]:
        """[B, M]: all moves that can be made."""
        return self.named >= 0

    @classmethod
    def of(cls, puzzle: Puzzle, batch: Mapping[str, NDArray[Any]]) -> PolicyValueBatch:
        """The samples as they are: of a teacher, with a set of moves, or of a search, with the share of each."""
        named, remaining = canonical_moves(puzzle, batch["state"]), batch["remaining"].astype(np.float32)
        if "shares" in batch:
            return cls(batch["state"], remaining, named, batch["shares"].astype(np.float32))
        masks = unpacked(batch["moves"], puzzle.move_count)
        wanted = np.take_along_axis(masks, np.maximum(named, 0), axis=1) & (named >= 0)
        return cls(batch["state"], remaining, named, wanted)

    def image(self, puzzle: Puzzle, random: np.random.Generator, exchange: bool) -> PolicyValueBatch:
        """A random image in the puzzle's symmetries, with its symbols exchanged at random too if wanted."""
        found = self
        if (planes := puzzle.view(Planes)) is not None:
            images = planes.symmetries(found.states)
            found = found._called(*images[random.integers(len(images))])
        if exchange and (symbols := puzzle.view(SymbolSymmetric)) is not None:
            order = random.permutation(symbols.symbol_shape[0])
            found = found._called(*symbols.permute_symbols(found.states, order))
        return found

    def _called(self, states: NDArray[Any], called: NDArray[np.int64]) -> PolicyValueBatch:
        """These states in the place of the others, where moves are called so."""
        wanted, named = np.empty_like(self.wanted), np.empty_like(self.named)
        wanted[:, called] = self.wanted
        named[:, called] = np.where(self.named < 0, self.named, called[self.named])
        return PolicyValueBatch(np.ascontiguousarray(states), self.remaining, named, wanted)
