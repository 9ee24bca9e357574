"""A network that is used for another puzzle than its own, to which that one is isomorphic.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.core.views import Estimate, Isomorphism, Prior, PriorAndEstimate
from puzzlelab.storage.networks import Network


@dataclass(frozen=True, eq=False)
class TransferredNetwork:
    """A network for the images of boards in its own puzzle. Its prior has no `candidate_logits`."""

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

    @property
    def values_count_moves(self) -> bool:
        """Whether the values of moves of the network count moves."""
        return self.network.values_count_moves

    def estimate(self, averaged: bool = False) -> Estimate:
        """Return the cost-to-go of the image of a board."""
        estimate = self.network.estimate(averaged)
        image_scores = estimate.scores
        assert image_scores is not None  # a network is no kernel
        return replace(estimate, scores=lambda states: np.asarray(image_scores(self.isomorphism.states_of(states))))

    def prior(self, averaged: bool = False) -> Prior:
        """Return the scores of moves on the image of a board."""
        prior = self.network.prior(averaged)

        def scores(states: State) -> NDArray[Any]:
            image_scores = np.asarray(prior.scores(self.isomorphism.states_of(states)))
            return image_scores[:, self.isomorphism.moves]

        return replace(prior, scores=scores, candidate_logits=None, reads_candidates=False)

    def both(self, averaged: bool = False) -> PriorAndEstimate:
        """Return the prior and the estimate; they are computed together where those of the network are."""
        prior, estimate, image_scores = self.prior(averaged), self.estimate(averaged), self.network.both(averaged).both
        if image_scores is None:
            return PriorAndEstimate(prior, estimate)

        def scores(states: State) -> tuple[NDArray[Any], NDArray[Any]]:
            priors, estimates = image_scores(self.isomorphism.states_of(states))
            return np.asarray(priors)[:, self.isomorphism.moves], estimates

        return PriorAndEstimate(prior, estimate, scores)
