"""Lets each new candidate play against the champion, whose place it takes if it wins; and champions against others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from puzzlelab.training.recipes.selfplay import SelfPlay
from puzzlelab.training.selfplay.diary import Diary
from puzzlelab.training.selfplay.league import League
from puzzlelab.training.selfplay.matches import Match, Matches, Table


@dataclass
class Referee:
    """The only one of a run."""

    league: League
    settings: SelfPlay
    diary: Diary
    table: Table = field(init=False)
    matches: Matches = field(init=False)

    def __post_init__(self) -> None:
        self.table = Table.of(self.league, self.settings)
        self.matches = Matches(self.league)

    def once(self, watch: Callable[[], None]) -> bool:
        """Let a match be played that is due; False where there is none."""
        champion, latest = self.league.named("champion"), self.league.named("latest")
        if champion is None and latest is not None:
            self.league.crown(latest)
            champion = latest
        if champion is None or latest is None:
            self.diary.waits("a network")
            return False
        played = {(match.a, match.b) for match in self.matches.all()}
        opponents = self.settings.match.opponents
        for one, other in [*zip(opponents[1:], opponents, strict=False), *((champion, other) for other in opponents)]:
            if (one, other) not in played:
                return self._play(one, other, self.settings.match.ladder, watch) is not None
        if latest != champion and (latest, champion) not in played:
            match = self._play(latest, champion, self.settings.match.games, watch)
            self._clear()
            return match is not None
        self.diary.waits("a candidate")
        return False

    def _play(self, a: str, b: str, games: int, watch: Callable[[], None]) -> Match | None:
        """The match; if it is one of a candidate that wins, it becomes the champion.

        The solvers that never change are always met on the same boards, as hard as they will get.
        """
        for_title = b not in self.settings.match.opponents
        self.diary.does(f"lets {a[:8]} play against {b[:8]}")
        hardest = self.settings.starts.last
        number = len(self.matches.all()) + 1 if for_title else 0
        shifts = self.table.shifts() if for_title else hardest
        match, interrupted = self.table.play(a, b, number, games, shifts, for_title, watch)
        if interrupted or match is None:
            raise KeyboardInterrupt
        if for_title:
            match = replace(match, promoted=match.verdict in ("", "better") and match.wins_a > match.wins_b)
        self.matches.add(match)
        if match.promoted:
            self.league.crown(a)
        return match

    def _clear(self) -> None:
        """Remove candidates that lost: all networks but those that were champions, and the newest."""
        kept = {self.league.named("champion"), self.league.named("latest")}
        kept |= {match.a for match in self.matches.all() if match.promoted}
        kept |= {match.b for match in self.matches.all()}
        for match in self.matches.all():
            if match.a not in kept and self.league.has(match.a):
                self.league.drop(match.a)
