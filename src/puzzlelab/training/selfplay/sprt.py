"""The score of a match on shared boards, of which the shorter solution wins, and a sequential test of who is better.

Source of the sequential probability ratio test: Wald, "Sequential tests of statistical hypotheses" (1945).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log


@dataclass(frozen=True)
class MatchScore:
    """The score of a match, from the view of the first player."""

    games: int = 0
    wins: int = 0
    losses: int = 0
    aborted: int = 0
    """Draws in which neither player found a solution."""
    solved: int = 0
    """Boards solved by the first player."""
    solved_by_other: int = 0
    """Boards solved by the second player."""

    @property
    def draws(self) -> int:
        """Games without a winner, including the aborted ones."""
        return self.games - self.wins - self.losses

    def with_game(self, length: int | None, other: int | None) -> MatchScore:
        """Return the score after one more board, by the lengths of both solutions, None for a board that is not
        solved.
        """
        one, two = _or_infinity(length), _or_infinity(other)
        return MatchScore(
            self.games + 1,
            self.wins + (one < two),
            self.losses + (one > two),
            self.aborted + (length is None and other is None),
            self.solved + (length is not None),
            self.solved_by_other + (other is not None),
        )

    def verdict(self, better_win_rate: float, error_rate: float) -> str:
        """Return `better`, `worse` or `neither` as soon as the games with a winner decide it; else the empty string.

        Compares the hypothesis of a win rate of one half with those of `better_win_rate` and of its complement, by
        their likelihoods; `error_rate` is the probability of a wrong verdict.
        """
        threshold = log((1 - error_rate) / error_rate)
        gain, loss = log(better_win_rate / 0.5), log((1 - better_win_rate) / 0.5)
        up, down = self.wins * gain + self.losses * loss, self.losses * gain + self.wins * loss
        if up >= threshold or down >= threshold:
            return "better" if up > down else "worse"
        return "neither" if max(up, down) <= -threshold else ""


def _or_infinity(length: int | None) -> float:
    return float("inf") if length is None else length
