"""Ratings from matches, by the model of Bradley and Terry: 400 points more are ten times the odds to win (Elo's scale).

Sources: Bradley and Terry, "Rank analysis of incomplete block designs" (1952); Coulom, "Whole-history rating" (2008).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

import numpy as np

POINTS = 400 / log(10)
"""Points of Elo's scale for each unit of the logarithm of the odds."""
DOUBT = 0.2
"""Games without a winner that everybody is taken to have drawn with the anchor, so that who never lost has a rating."""


class Pairing(NamedTuple):
    """What came of the games of two players."""

    one: str
    other: str
    wins: float
    losses: float
    draws: float


def ratings(pairings: Iterable[Pairing], anchors: Sequence[str]) -> Mapping[str, float]:
    """The likeliest rating of each player, where a draw is half a win; that of the first anchor is 0."""
    from scipy.optimize import minimize

    played = list(pairings)
    names = list(dict.fromkeys([*anchors[:1], *(name for game in played for name in (game.one, game.other))]))
    if len(names) < 2:
        return dict.fromkeys(names, 0.0)
    place = {name: number for number, name in enumerate(names)}
    one = np.array([place[game.one] for game in played] + list(range(1, len(names))))
    other = np.array([place[game.other] for game in played] + [0] * (len(names) - 1))
    won = np.array([game.wins + game.draws / 2 for game in played] + [DOUBT / 2] * (len(names) - 1))
    lost = np.array([game.losses + game.draws / 2 for game in played] + [DOUBT / 2] * (len(names) - 1))

    def unlikely(free: np.ndarray) -> tuple[float, np.ndarray]:
        strength = np.concatenate([[0.0], free])
        ahead = strength[one] - strength[other]
        loss = won * np.logaddexp(0, -ahead) + lost * np.logaddexp(0, ahead)
        slope = lost - (won + lost) / (1 + np.exp(ahead))
        slopes = np.zeros(len(names))
        np.add.at(slopes, one, slope)
        np.add.at(slopes, other, -slope)
        return float(loss.sum()), slopes[1:]

    found = minimize(unlikely, np.zeros(len(names) - 1), jac=True, method="L-BFGS-B").x
    return dict(zip(names, [0.0, *(POINTS * found).tolist()], strict=True))
