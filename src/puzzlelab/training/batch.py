"""A batch of imitation: positions with their remaining moves and the moves to choose there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Planes
from puzzlelab.engine.batch_rules import canonical_moves
from puzzlelab.experience.schema import unpacked


@dataclass(frozen=True, eq=False)
class PolicyValueBatch:
    """The samples that one step learns from. B = samples, S = length of a state, M = number of moves."""

    states: NDArray[Any]
    """[B, S]."""
    cost_to_go: NDArray[np.float32]
    """[B]: the remaining moves."""
    canonical: NDArray[np.int64]
    """[B, M]: the canonical move of each move, the same for all moves with the same effect; -1 for an illegal one."""
    policy_target: NDArray[Any]
    """[B, M]: `bool`, all moves with the effect of one of the teacher's moves; or `float32`, the share of each
    canonical move in a search.
    """

    @property
    def is_of_search(self) -> bool:
        """Whether the target is the shares of a search, and not sets of moves."""
        return self.policy_target.dtype != bool

    @property
    def legal(self) -> NDArray[np.bool_]:
        """[B, M]: the legal moves."""
        return self.canonical >= 0

    @classmethod
    def from_samples(cls, puzzle: Puzzle, samples: Mapping[str, NDArray[Any]]) -> PolicyValueBatch:
        """Return the columns of samples as they are: of a teacher, with sets of moves, or of a search, with their
        shares.
        """
        canonical, cost_to_go = canonical_moves(puzzle, samples["state"]), samples["remaining"].astype(np.float32)
        if "shares" in samples:
            return cls(samples["state"], cost_to_go, canonical, samples["shares"].astype(np.float32))
        teacher_moves = unpacked(samples["moves"], puzzle.move_count)
        target = np.take_along_axis(teacher_moves, np.maximum(canonical, 0), axis=1) & (canonical >= 0)
        return cls(samples["state"], cost_to_go, canonical, target)

    def augmented(self, puzzle: Puzzle, random: np.random.Generator, permute_symbols: bool) -> PolicyValueBatch:
        """Return the batch under a random symmetry of the puzzle, and under a random permutation of its symbols if
        wanted.
        """
        planes = puzzle.view(Planes)
        if planes is None:
            return self
        images = planes.symmetries(self.states)
        batch = self._permuted(*images[random.integers(len(images))])
        if permute_symbols and planes.symbols is not None:
            order = random.permutation(planes.symbols.shape[0])
            batch = batch._permuted(*planes.symbols.permuted(batch.states, order))
        return batch

    def _permuted(self, states: NDArray[Any], image_of_move: NDArray[np.int64]) -> PolicyValueBatch:
        """Return the batch with the images of its states, `image_of_move: int64[M]` being the image of each move."""
        target, canonical = np.empty_like(self.policy_target), np.empty_like(self.canonical)
        target[:, image_of_move] = self.policy_target
        canonical[:, image_of_move] = np.where(self.canonical < 0, self.canonical, image_of_move[self.canonical])
        return PolicyValueBatch(np.ascontiguousarray(states), self.cost_to_go, canonical, target)
