"""The referee: lets each candidate network play against the champion, and champions against fixed solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from puzzlelab.engine.executor import Executor
from puzzlelab.nets import run_networks
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.matches import MatchLog, MatchRunner
from puzzlelab.training.selfplay.settings import SelfPlaySettings

DECIDED = ("better", "worse")


class Referee:
    """The only referee of a run."""

    def __init__(self, run: Run, settings: SelfPlaySettings, heartbeat: Heartbeat, executor: Executor) -> None:
        self.run, self.settings, self.heartbeat = run, settings, heartbeat
        self.runner, self.matches = MatchRunner(run, settings, executor), MatchLog(run)
        self.networks = run_networks.list_of(run.folder)
        self.written: list[str] = []
        """The networks of the run that are not removed yet, as `networks` lists them."""

    def work_once(self, watch: Callable[[], None]) -> bool:
        """Play the next match that is due; False if there is none."""
        latest = self.run.network("latest")
        champion = self._champion(latest)
        if champion is None or latest is None:
            self.heartbeat.waiting("a network")
            return False
        self.remove_losers(champion, latest)
        due = self._next_match(champion, latest)
        if due is None:
            self.heartbeat.waiting("a candidate")
            return False
        self._play(*due, watch)
        return True

    def _champion(self, latest: str | None) -> str | None:
        """Return the champion by the matches, which a killed referee may not have promoted; else the one that is named.

        The newest network is the first one.
        """
        named = self.run.network("champion")
        champion = self.matches.champion() or named or latest
        if champion is not None and champion != named:
            self.run.promote(champion)
        return champion

    def _next_match(self, champion: str, latest: str) -> tuple[str, str, bool] | None:
        """Return the two players of the next match, and whether they play without a search."""
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
        """Play a match; a candidate that wins becomes the champion.

        Matches against fixed solvers are always played on the same boards, of the greatest difficulty.
        """
        self.heartbeat.busy(f"plays a match of {a[:8]} against {b[:8]}{', without a search' if alone else ''}")
        settings = self.settings.match
        if b in settings.opponents:
            difficulty = self.settings.curriculum.max_difficulty
            match, interrupted = self.runner.play(a, b, 0, settings.opponent_boards, difficulty, False, watch=watch)
        else:
            number, scramble_length = len(self.matches.all()) + 1, self.runner.scramble_length()
            match, interrupted = self.runner.play(
                a, b, number, settings.max_boards, scramble_length, True, alone, watch
            )
        if interrupted or match is None:
            raise KeyboardInterrupt
        if b not in settings.opponents:
            ahead = match.wins_a > match.wins_b and match.verdict != "worse"
            match = replace(match, promoted=match.verdict == "better" or (alone and ahead))
        self.matches.add(match)
        if match.promoted:
            self.run.promote(a)

    def remove_losers(self, champion: str, latest: str) -> None:
        """Remove candidates that lost, and those after which there was a newer one before they could play.

        Present and former champions stay, and so do `latest`, which plays next, and all after it.
        """
        self.written += run_networks.names_in(self.networks)
        places = {name: place for place, name in enumerate(self.written)}  # the last place of each
        matches = self.matches.all()
        needed = {champion, *(match.b for match in matches), *(match.a for match in matches if match.promoted)}
        newest = places.get(latest, 0)
        for name, place in places.items():
            if place < newest and name not in needed:
                run_networks.remove(self.run.folder, name)
        kept = [name for name, place in places.items() if place >= newest or name in needed]
        self.written = sorted(kept, key=places.__getitem__)
