"""Lets each new candidate play against the champion, whose place it takes if it wins; and champions against others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from puzzlelab.training.recipes.selfplay import SelfPlaySettings
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.matches import MatchLog, MatchRunner
from puzzlelab.training.selfplay.run_folder import SelfPlayRun

DECIDED = ("better", "worse")


@dataclass
class Referee:
    """The only one of a run."""

    league: SelfPlayRun
    settings: SelfPlaySettings
    diary: Heartbeat
    table: MatchRunner = field(init=False)
    matches: MatchLog = field(init=False)

    def __post_init__(self) -> None:
        self.table = MatchRunner.of(self.league, self.settings)
        self.matches = MatchLog(self.league)

    def once(self, watch: Callable[[], None]) -> bool:
        """Let a match be played that is due; False where there is none."""
        latest = self.league.named("latest")
        champion = self._champion(latest)
        if champion is None or latest is None:
            self.diary.waits("a network")
            return False
        due = self._due(champion, latest)
        if due is None:
            self.diary.waits("a candidate")
            return False
        self._play(*due, watch)
        self._clear(champion, latest)
        return True

    def _champion(self, latest: str | None) -> str | None:
        """The champion: the newest network where there was none, and whoever won just before a referee was killed."""
        champion = self.league.named("champion")
        won = next((match for match in reversed(self.matches.all()) if match.promoted), None)
        if champion is None and latest is not None:
            champion = latest
        elif won is not None and champion == won.b and self.league.has(won.a):
            champion = won.a
        else:
            return champion
        self.league.crown(champion)
        return champion

    def _due(self, champion: str, latest: str) -> tuple[str, str, bool] | None:
        """Who plays against whom, and whether without a search."""
        played = {(match.a, match.b): match for match in self.matches.all()}
        opponents = self.settings.match.opponents
        for pair in [*zip(opponents[1:], opponents, strict=False), *((champion, other) for other in opponents)]:
            if pair not in played:
                return (*pair, False)
        if latest == champion:
            return None
        last = played.get((latest, champion))
        if last is None:
            return latest, champion, False
        return None if last.alone or last.verdict in DECIDED else (latest, champion, True)

    def _play(self, a: str, b: str, alone: bool, watch: Callable[[], None]) -> None:
        """The match; a candidate that wins becomes the champion.

        The solvers that never change are always met on the same boards, as hard as they will get.
        """
        self.diary.does(f"lets {a[:8]} play against {b[:8]}{', without a search' if alone else ''}")
        told = self.settings.match
        if b in told.opponents:
            match, interrupted = self.table.play(a, b, 0, told.ladder, self.settings.starts.last, False, watch=watch)
        else:
            number, shifts = len(self.matches.all()) + 1, self.table.shifts()
            match, interrupted = self.table.play(a, b, number, told.games, shifts, True, alone, watch)
        if interrupted or match is None:
            raise KeyboardInterrupt
        if b not in told.opponents:
            ahead = match.wins_a > match.wins_b and match.verdict != "worse"
            match = replace(match, promoted=match.verdict == "better" or (alone and ahead))
        self.matches.add(match)
        if match.promoted:
            self.league.crown(a)

    def _clear(self, *kept: str) -> None:
        """Remove candidates that lost: all networks but those that were champions, and the newest."""
        matches = self.matches.all()
        needed = {*kept, *(match.b for match in matches), *(match.a for match in matches if match.promoted)}
        for match in matches:
            if match.a not in needed:
                self.league.drop(match.a)
