"""A network that is used for another puzzle than its own, to which that one is isomorphic.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.networks import Network
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import Estimate, Isomorphism, Prior


@dataclass(frozen=True, eq=False)
class TransferredNetwork:
    """Evaluates a network on the images of boards in its own puzzle. Its prior has no `candidate_logits`."""

    network: Network
    isomorphism: Isomorphism

    @property
    def name(self) -> str:
        """The hash of the weights."""
        return self.network.name

    @property
    def heads(self) -> tuple[str, ...]:
        """The outputs of the network."""
        return self.network.heads

    def estimate(self, averaged: bool = False) -> Estimate:
        """The cost-to-go of the image of a board."""
        return self._estimate(self.network.estimate(averaged))

    def prior(self, averaged: bool = False) -> Prior:
        """The scores of moves on the image of a board."""
        return self._prior(self.network.prior(averaged))

    def both(self, averaged: bool = False) -> tuple[Prior, Estimate]:
        """The prior and the estimate; they share one evaluation as those of the network do."""
        prior, estimate = self.network.both(averaged)
        return self._prior(prior), self._estimate(estimate)

    def _estimate(self, estimate: Estimate) -> Estimate:
        image_scores = estimate.scores
        assert image_scores is not None  # a network is no kernel

        def scores(states: State) -> NDArray[Any]:
            return np.asarray(image_scores(self.isomorphism.states_of(states)))

        return replace(estimate, scores=scores)

    def _prior(self, prior: Prior) -> Prior:
        def scores(states: State) -> NDArray[Any]:
            image_scores = np.asarray(prior.scores(self.isomorphism.states_of(states)))
            return image_scores[:, self.isomorphism.moves]

        return replace(prior, scores=scores, candidate_logits=None, reads_candidates=False)
