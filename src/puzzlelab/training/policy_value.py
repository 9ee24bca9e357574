"""Learning of the remaining moves and of the choice of moves from samples: shared by imitation and self-play.

Shapes: B = samples, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Planes
from puzzlelab.engine.batch_rules import canonical_moves
from puzzlelab.experience.schema import unpacked
from puzzlelab.nets.model import digits_per_cell
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training.learner import Learner, Losses, LossFunction
from puzzlelab.training.losses import policy_loss, search_policy_loss, value_loss
from puzzlelab.training.settings import PolicyValueSettings
from puzzlelab.training.step_graphs import Minibatch


@dataclass(frozen=True, eq=False)
class PolicyValueBatch:
    """The samples that one step learns from."""

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

    def columns(self, model: TorchModel) -> Minibatch:
        """Return the columns of a minibatch for this network."""
        columns = {**model.columns(self.states), "cost_to_go": model.tensor(self.cost_to_go)}
        if "policy" not in model.heads:
            return columns
        of_moves = {"canonical": self.canonical} if self.is_of_search else {"legal": self.legal}
        of_moves["target"] = self.policy_target
        return {**columns, **{name: model.tensor(array) for name, array in of_moves.items()}}

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


def losses_of(model: TorchModel, settings: PolicyValueSettings, columns: Minibatch) -> tuple[Losses, Tensor]:
    """Return the weighted losses of the outputs that the network has."""
    outputs = model.forward(columns)
    losses: Losses = {}
    if "cost_to_go" in outputs:
        distance = value_loss(outputs["cost_to_go"], columns["cost_to_go"], settings.distance)
        losses["cost_to_go_loss"] = settings.cost_to_go_weight * distance
    if "policy" in outputs:
        scores, target = outputs["policy"], columns["target"]
        if "canonical" in columns:
            loss = search_policy_loss(scores, target, columns["canonical"])
        else:
            loss = policy_loss(scores, target, columns["legal"], model.settings.policy, digits_per_cell(model.puzzle))
        losses["policy_loss"] = settings.policy_weight * loss
    return losses, next(iter(losses.values()))


def train_on(
    learner: Learner,
    samples: Mapping[str, NDArray[Any]],
    settings: PolicyValueSettings,
    random: np.random.Generator,
    loss_function: LossFunction = losses_of,
) -> Mapping[str, float]:
    """Train for one step on these columns of samples; the losses."""
    batch = PolicyValueBatch.from_samples(learner.puzzle, samples)
    if settings.augment:
        batch = batch.augmented(learner.puzzle, random, permute_symbols=not learner.model.settings.ignores_symbols)
    losses, _ = learner.update(loss_function, settings, batch.columns(learner.model))
    return losses
