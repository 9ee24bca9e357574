"""The best network of a run by its evaluations, which all play the same boards.

More boards solved are better; where as many are solved, fewer moves, a lower cost or a higher score, as the mean of
these boards. Of equally good networks the first one is the best.
"""

from __future__ import annotations

from typing import Any

from puzzlelab.core.settings import Settings
from puzzlelab.training.evaluation import Metrics

Score = tuple[float, float]
"""(share of boards solved, minus the mean of their moves or their cost, or the mean of their scores); more is better.
"""


class BestNetwork(Settings):
    """The best network so far."""

    network: str
    """Its hash."""
    step: int
    """The steps after which it was evaluated."""
    score: Score
    manner: dict[str, Any]
    """The boards of the evaluation, and how they are played: scores of other ones are not compared."""
    worse_since: int = 0
    """Evaluations since then, of which none was better."""


def score_of(evaluated: Metrics) -> Score:
    """Return the score of a network from the results of its evaluation."""
    costs = evaluated.get("moves", evaluated.get("cost", 0.0))
    return evaluated["solved"], evaluated.get("score", -costs)
