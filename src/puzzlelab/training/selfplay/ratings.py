"""Which of two players is better, by a sequential test, and ratings of all players from their matches.

Ratings follow the Bradley-Terry model on Elo's scale: 400 points more are ten times the odds of winning. Sources:
Bradley and Terry, "Rank analysis of incomplete block designs" (1952); Coulom, "Whole-history rating" (2008). Source of
the sequential probability ratio test: Wald, "Sequential tests of statistical hypotheses" (1945).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log

import numpy as np

POINTS = 400 / log(10)
"""Points of Elo's scale for each unit of the logarithm of the odds."""
PRIOR_DRAWS = 0.2
"""Draws against the anchor that are added for each player, so that a player without a loss has a finite rating."""


Pairing = tuple[str, str, float, float, float]
"""The results of all games between two players: (one, the other, wins of the first, its losses, draws)."""


def ratings(pairings: Iterable[Pairing], anchors: Sequence[str]) -> Mapping[str, float]:
    """Return the maximum-likelihood rating of each player, where a draw is half a win.

    That of the first anchor is 0.
    """
    from scipy.optimize import minimize

    pairs = list(pairings)
    names = list(dict.fromkeys([*anchors[:1], *(name for pair in pairs for name in pair[:2])]))
    if len(names) < 2:
        return dict.fromkeys(names, 0.0)
    index = {name: number for number, name in enumerate(names)}
    prior = [("", "", 0.0, 0.0, PRIOR_DRAWS)] * (len(names) - 1)
    results = np.array([pair[2:] for pair in [*pairs, *prior]])
    one = np.array([index[first] for first, *_ in pairs] + list(range(1, len(names))))
    other = np.array([index[second] for _, second, *_ in pairs] + [0] * (len(names) - 1))
    won, lost = (results[:, side] + results[:, 2] / 2 for side in (0, 1))

    def negative_log_likelihood(free: np.ndarray) -> tuple[float, np.ndarray]:
        strength = np.concatenate([[0.0], free])
        difference = strength[one] - strength[other]
        loss = won * np.logaddexp(0, -difference) + lost * np.logaddexp(0, difference)
        slope = lost - (won + lost) / (1 + np.exp(difference))
        gradient = np.zeros(len(names))
        np.add.at(gradient, one, slope)
        np.add.at(gradient, other, -slope)
        return float(loss.sum()), gradient[1:]

    strengths = minimize(negative_log_likelihood, np.zeros(len(names) - 1), jac=True, method="L-BFGS-B").x
    return dict(zip(names, [0.0, *(POINTS * strengths).tolist()], strict=True))


def verdict(wins: int, losses: int, better_win_rate: float, error_rate: float) -> str:
    """Return `better`, `worse` or `neither` as soon as the games with a winner decide it; else the empty string.

    Compares the hypothesis of a win rate of one half with those of `better_win_rate` and of its complement, by
    their likelihoods; `error_rate` is the probability of a wrong verdict.
    """
    threshold = log((1 - error_rate) / error_rate)
    gain, loss = log(better_win_rate / 0.5), log((1 - better_win_rate) / 0.5)
    up, down = wins * gain + losses * loss, losses * gain + wins * loss
    if up >= threshold or down >= threshold:
        return "better" if up > down else "worse"
    return "neither" if max(up, down) <= -threshold else ""
