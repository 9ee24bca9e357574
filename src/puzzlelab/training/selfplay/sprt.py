"""How a match stands: the same boards for both players, and whoever has the shorter solution of one wins it.

A sequential test says as soon as it is clear who is better. Source: Wald, "Sequential tests of statistical hypotheses"
(1945).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log


@dataclass(frozen=True)
class MatchScore:
    """How a match stands between a player and another one."""

    games: int = 0
    wins: int = 0
    losses: int = 0
    aborted: int = 0
    """Draws in which neither found a solution."""
    solved: int = 0
    """Boards that the first player solved,"""
    solved_by_other: int = 0
    """and those that the other one did."""

    @property
    def draws(self) -> int:
        """Games without a winner, the aborted ones among them."""
        return self.games - self.wins - self.losses

    def plus(self, length: int | None, other: int | None) -> MatchScore:
        """After one board more, which they solved in so many moves, or not."""
        mine, theirs = _or_never(length), _or_never(other)
        return MatchScore(
            self.games + 1,
            self.wins + (mine < theirs),
            self.losses + (mine > theirs),
            self.aborted + (length is None and other is None),
            self.solved + (length is not None),
            self.solved_by_other + (other is not None),
        )

    def decided(self, better: float, error: float) -> str:
        """`better` or `worse` where the games with a winner say so, else nothing.

        Of the hypotheses that it wins half of them, and that it wins (or loses) this share, one is so much likelier
        that to go by it is wrong as often as `error` says.
        """
        enough = log((1 - error) / error)
        gain, loss = log(better / 0.5), log((1 - better) / 0.5)
        up, down = self.wins * gain + self.losses * loss, self.losses * gain + self.wins * loss
        if up >= enough or down >= enough:
            return "better" if up > down else "worse"
        return "neither" if max(up, down) <= -enough else ""


def _or_never(length: int | None) -> float:
    return float("inf") if length is None else length
