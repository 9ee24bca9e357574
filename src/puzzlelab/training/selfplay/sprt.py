"""A sequential test of which of two players is better.

Source of the sequential probability ratio test: Wald, "Sequential tests of statistical hypotheses" (1945).
"""

from __future__ import annotations

from math import log


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
