"""How a run stands: samples, games, who was champion when, with what rating, and what each program does."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from puzzlelab.core import registry
from puzzlelab.experience.shards import numbers
from puzzlelab.training import metrics
from puzzlelab.training.recipes.selfplay import SelfPlaySettings
from puzzlelab.training.selfplay.game_log import GameLog, GameLogEntry
from puzzlelab.training.selfplay.generator import start_sampler
from puzzlelab.training.selfplay.heartbeat import ProgramStatus, programs
from puzzlelab.training.selfplay.matches import Match, MatchLog
from puzzlelab.training.selfplay.programs import GENERATOR, lacking
from puzzlelab.training.selfplay.ratings import Pairing, ratings
from puzzlelab.training.selfplay.run_folder import SelfPlayRun

LATELY = 300.0
"""Seconds over which games a minute are counted."""


@dataclass(frozen=True)
class ChampionRecord:
    """A champion, and what it was when it became one."""

    network: str
    minutes: float
    """Since the first game or match of the run."""
    rating: float
    shifts: int
    """How hard the boards were by then."""
    solved: float | None
    """The share of the hardest boards that it solved by search; None before it was asked."""


@dataclass(frozen=True)
class RunStatus:
    """All there is to tell."""

    puzzle: str
    shards: int
    """That are kept."""
    samples: int
    """That are in them."""
    made: int
    """Samples that there ever were."""
    games: int
    won: float | None
    """The share of the last games that were won."""
    games_a_minute: float
    shifts: int
    last_shifts: int
    """The most that there will be, 0 if the boards do not become harder."""
    steps: int
    solved: float | None
    """The share of the boards to examine by that the newest network solves alone, greedily."""
    champion: str | None
    reigns: Sequence[ChampionRecord]
    opponents: Sequence[tuple[str, float]]
    """Those that never change, with their ratings."""
    matches: int
    programs: Sequence[ProgramStatus]
    warnings: Sequence[str]
    done: bool
    began: float
    """When the first game or match began, in seconds since 1970; 0 before that."""


class StatusReader:
    """Reads the folder again and again, each time what is new."""

    def __init__(self, league: SelfPlayRun, settings: SelfPlaySettings) -> None:
        self.league, self.settings = league, settings
        self.puzzle = registry.load(settings.puzzle)
        self._ledger = GameLog(league.ledger, league.shards)
        self._matches = MatchLog(league)
        self._ratings: Mapping[str, float] = {}
        self._rated_matches = -1

    def facts(self) -> RunStatus:
        """How it stands now; raises `BadFile` for what is damaged."""
        league, entries = self.league, self._ledger.entries()
        matches, there = self._matches.all(), set(numbers(league.shards))
        starts = start_sampler(self.puzzle, self.settings, entries)
        exams = metrics.read(league.metrics) if league.metrics.exists() else []
        at_work, began = programs(league), _began(entries, matches)
        playing = any(program.name == GENERATOR and not program.gone for program in at_work)
        until = time.time() if playing else max([entry.at for entry in entries], default=0.0)
        lately = [entry for entry in entries if until - entry.at < LATELY]
        opponents = self.settings.match.opponents
        found = self._rated(matches)
        return RunStatus(
            puzzle=self.puzzle.name,
            shards=len(there),
            samples=sum(entry.samples for entry in entries if entry.number in there),
            made=sum(entry.samples for entry in entries),
            games=sum(entry.games for entry in entries),
            won=_won(entries[-max(1, len(lately)) :]),
            games_a_minute=_a_minute(lately, until),
            shifts=starts.difficulty,
            last_shifts=self.settings.starts.last,
            steps=int(exams[-1]["step"]) if exams else 0,
            solved=next((exam["solved"] for exam in reversed(exams) if "solved" in exam), None),
            champion=_text(league.champion),
            reigns=_reigns(began, entries, matches, found, opponents),
            opponents=[(name, found[name]) for name in opponents if name in found],
            matches=len(matches),
            programs=at_work,
            warnings=self._warnings(at_work),
            done=league.done.exists(),
            began=began,
        )

    def _rated(self, matches: Sequence[Match]) -> Mapping[str, float]:
        """The ratings of all players; found anew where there are new matches."""
        if len(matches) != self._rated_matches:
            pairings = [Pairing(m.a, m.b, m.wins_a, m.wins_b, m.draws) for m in matches if not m.alone]
            self._ratings = ratings(pairings, self.settings.match.opponents)
            self._rated_matches = len(matches)
        return self._ratings

    def _warnings(self, at_work: Sequence[ProgramStatus]) -> list[str]:
        """Who waits for what never comes, and who ended without a word."""
        found = [
            f"the {program.name} {program.process} on {program.machine} ended without a word"
            for program in at_work
            if program.gone
        ]
        if not self.league.done.exists():
            for program in at_work:
                if program.waits and not program.gone:
                    found += lacking(self.league, program.name)
        return list(dict.fromkeys(found))


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8").strip() if path.exists() else None


def _won(entries: Sequence[GameLogEntry]) -> float | None:
    games = sum(entry.games for entry in entries)
    return sum(entry.won for entry in entries) / games if games else None


def _a_minute(lately: Sequence[GameLogEntry], until: float) -> float:
    """Games a minute over the time in which these were played."""
    if not lately:
        return 0.0
    first = min(entry.at - entry.seconds for entry in lately)
    return 60 * sum(entry.games for entry in lately) / max(1.0, until - first)


def _began(entries: Sequence[GameLogEntry], matches: Sequence[Match]) -> float:
    return min([*(entry.at - entry.seconds for entry in entries), *(match.at for match in matches)], default=0.0)


def _reigns(
    begin: float,
    entries: Sequence[GameLogEntry],
    matches: Sequence[Match],
    found: Mapping[str, float],
    opponents: Sequence[str],
) -> list[ChampionRecord]:
    """The champions in their order: the first one, then whoever was promoted."""
    promoted = [match for match in matches if match.promoted]
    first = [match.b for match in promoted[:1]] or [entry.network for entry in entries[:1]]
    named = [*((name, begin, 0) for name in first), *((match.a, match.at, match.shifts) for match in promoted)]
    reigns = []
    for name, at, shifts in named:
        ladder = [match for match in matches if match.a == name and match.b in opponents]
        solved = ladder[0].solved_a / ladder[0].games if ladder else None
        reigns.append(ChampionRecord(name, (at - begin) / 60, found.get(name, 0.0), shifts, solved))
    return reigns


def headline(facts: RunStatus) -> str:
    """The figures that matter, in a line."""
    told = [f"{facts.games:,} games", f"{facts.games_a_minute:,.0f} a minute", f"step {facts.steps:,}"]
    if facts.last_shifts:
        told.insert(0, f"{facts.shifts} shifts")
    if facts.won is not None:
        told.append(f"{facts.won:.0%} won")
    if facts.reigns:
        last = facts.reigns[-1]
        told.append(f"champion {last.network[:8]}, number {len(facts.reigns)}, Elo {last.rating:,.0f}")
    if facts.solved is not None:
        told.append(f"the newest network alone solves {facts.solved:.1%}")
    return ", ".join(told)


def ago(seconds: float) -> str:
    """A span of time in words, such as `for 12 s`."""
    return f"for {seconds:.0f} s" if seconds < 120 else f"for {seconds / 60:.0f} min"
