"""The status of a self-play run: samples, games, champions with their ratings, and the activity of each program."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from puzzlelab.core import registry
from puzzlelab.experience.curriculum import StartSampler
from puzzlelab.experience.shards import numbers
from puzzlelab.experience.teachers import EMPTY_SECONDS, MAX_EMPTY_GAMES
from puzzlelab.training import metrics, run_files
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay.game_log import GameLog, GameLogEntry
from puzzlelab.training.selfplay.heartbeat import GENERATOR, ProgramStatus, missing_programs, programs
from puzzlelab.training.selfplay.matches import Match, MatchLog
from puzzlelab.training.selfplay.ratings import ratings
from puzzlelab.training.selfplay.settings import SelfPlaySettings

RECENT_SECONDS = 300.0
"""The time span over which games per minute are counted."""


@dataclass(frozen=True)
class ChampionRecord:
    """A champion, and the state of the run when it became one."""

    network: str
    minutes: float
    """Minutes since the first game or match of the run."""
    rating: float
    scramble_length: int
    """The difficulty of the boards at that time."""
    solved: float | None
    """The share of the hardest boards that it solved by search; None before it was tested on them."""


@dataclass(frozen=True)
class RunStatus:
    """The status of a run."""

    puzzle: str
    shards: int
    """Shards that are kept."""
    samples: int
    """Samples in these shards."""
    samples_made: int
    """Samples of all shards ever made."""
    games: int
    won: float | None
    """The share of the recent games that were won."""
    games_per_minute: float
    scramble_length: int
    max_scramble_length: int
    """The greatest difficulty; 0 if the difficulty does not grow."""
    steps: int
    """The steps of the trainer, up to its last saved state or its last evaluation."""
    solved: float | None
    """The share of the evaluation boards that the newest network solves alone, greedily."""
    champion: str | None
    champions: Sequence[ChampionRecord]
    opponents: Sequence[tuple[str, float]]
    """The fixed solvers with their ratings."""
    matches: int
    programs: Sequence[ProgramStatus]
    no_samples: str
    """The sentence about games that gave no sample; empty while that may be by chance."""
    warnings: Sequence[str]
    done: bool
    began: float
    """The time when the first game or match began, in seconds since 1970; 0 before that."""


class StatusReader:
    """The reader of the status from the folder; each `read` reads only the new lines of its files, and keeps sums of
    them.
    """

    def __init__(self, run: Run, settings: SelfPlaySettings) -> None:
        self.run, self.settings = run, settings
        self.puzzle = registry.load(settings.puzzle)
        self._game_log = GameLog(
            run.game_log, run.shards, start_sampler=StartSampler.of(self.puzzle, settings.curriculum)
        )
        self._matches = MatchLog(run)
        self._games = self._samples_made = 0
        self._first: GameLogEntry | None = None
        """The entry of the shard with the least number."""
        self._began, self._ended = math.inf, 0.0
        """The time when the first games began, and the end of those of the last entry."""
        self._recent: deque[GameLogEntry] = deque()
        """The last entries, of some minutes."""
        self._ratings: Mapping[str, float] = {}
        self._rated_matches = -1

    def read(self) -> RunStatus:
        """Return the present status; raises `BadFile` for damaged files."""
        run = self.run
        for entry in self._game_log.new_entries():
            self._count(entry)
        matches, sizes = self._matches.all(), self._game_log.sizes()
        last, solved = self._evaluations()
        at_work, start_sampler = programs(run), self._game_log.start_sampler()
        playing = any(program.name == GENERATOR and not program.gone for program in at_work)
        until = max(time.time(), self._ended) if playing else self._ended
        recent = [entry for entry in self._recent if abs(until - entry.at) < RECENT_SECONDS]
        began = min([self._began, *(match.at for match in matches)])
        began = began if math.isfinite(began) else 0.0
        opponents, no_samples = self.settings.match.opponents, self._no_samples()
        rating_of = self._rated(matches)
        return RunStatus(
            puzzle=self.puzzle.name,
            shards=len(numbers(run.shards)),
            samples=sum(sizes.values()),
            samples_made=self._samples_made,
            games=self._games,
            won=_share_won(recent or list(self._recent)[-1:]),
            games_per_minute=_games_per_minute(recent, until),
            scramble_length=start_sampler.difficulty,
            max_scramble_length=self.settings.curriculum.max_difficulty,
            steps=max(run_files.saved_step(run.folder), last),
            solved=solved,
            champion=run.network("champion"),
            champions=_champions(began, self._first, matches, rating_of, opponents),
            opponents=[(name, rating_of[name]) for name in opponents if name in rating_of],
            matches=len(matches),
            programs=at_work,
            no_samples=no_samples,
            warnings=[*self._warnings(at_work), *filter(None, [no_samples])],
            done=run.done.exists(),
            began=began,
        )

    def _count(self, entry: GameLogEntry) -> None:
        """Add the games of a shard to the sums."""
        self._games += entry.games
        self._samples_made += entry.samples
        self._began, self._ended = min(self._began, entry.at - entry.seconds), entry.at
        if self._first is None or entry.number < self._first.number:
            self._first = entry
        self._recent.append(entry)
        while abs(entry.at - self._recent[0].at) >= RECENT_SECONDS:  # a clock may have been set back
            self._recent.popleft()

    def _evaluations(self) -> tuple[int, float | None]:
        """Return (the step of the last evaluation, the last share of the evaluation boards that were solved)."""
        step, solved = 0, None
        for line in metrics.lines(self.run.metrics):
            step, solved = int(line["step"]), line.get("solved", solved)
        return step, solved

    def _rated(self, matches: Sequence[Match]) -> Mapping[str, float]:
        """Return the ratings of all players; computed again only after new matches."""
        if len(matches) != self._rated_matches:
            pairings = [(m.a, m.b, m.wins_a, m.wins_b, m.draws) for m in matches if not m.alone]
            self._ratings = ratings(pairings, self.settings.match.opponents)
            self._rated_matches = len(matches)
        return self._ratings

    def _warnings(self, at_work: Sequence[ProgramStatus]) -> list[str]:
        """Name programs that were killed, and programs that wait for another one that is not at work."""
        warnings = [
            f"the {program.name} {program.process} on {program.machine} ended unexpectedly"
            for program in at_work
            if program.gone
        ]
        with suppress(OSError):
            warnings.append(f"the trainer failed: {self.run.failure.read_text(encoding='utf-8').strip()}")
        if not self.run.done.exists():
            for program in at_work:
                if program.waiting and not program.gone:
                    warnings += missing_programs(self.run, program.name)
        return list(dict.fromkeys(warnings))

    def _no_samples(self) -> str:
        """Say so where many games, or those of a minute, gave no sample; else an empty text."""
        is_long = self._games >= MAX_EMPTY_GAMES or self._ended - self._began > EMPTY_SECONDS
        if self._samples_made or not is_long:
            return ""
        return (
            f"{self._games:,} games gave no sample, since none was won: easier boards (curriculum), more moves "
            "(self_play.max_moves) or more playouts (self_play.playouts) are the ways out"
        )


def _share_won(entries: Sequence[GameLogEntry]) -> float | None:
    games = sum(entry.games for entry in entries)
    return sum(entry.won for entry in entries) / games if games else None


def _games_per_minute(recent: Sequence[GameLogEntry], until: float) -> float:
    """Return games per minute over the time in which these were played."""
    if not recent:
        return 0.0
    first = min(entry.at - entry.seconds for entry in recent)
    return 60 * sum(entry.games for entry in recent) / max(1.0, until - first)


def _champions(
    begin: float,
    first_games: GameLogEntry | None,
    matches: Sequence[Match],
    rating_of: Mapping[str, float],
    opponents: Sequence[str],
) -> list[ChampionRecord]:
    """Return the champions in their order: the first network, then every promoted candidate."""
    promoted = [match for match in matches if match.promoted]
    first = [match.b for match in promoted[:1]] or ([first_games.network] if first_games else [])
    champions = [*((n, begin, 0) for n in first), *((match.a, match.at, match.scramble_length) for match in promoted)]
    records = []
    for name, at, scramble_length in champions:
        tests = [match for match in matches if match.a == name and match.b in opponents and match.games > 0]
        solved = tests[0].solved_a / tests[0].games if tests else None
        rating = rating_of.get(name, 0.0)
        records.append(ChampionRecord(name, (at - begin) / 60, rating, scramble_length, solved))
    return records


def headline(status: RunStatus) -> str:
    """Return the most important figures in a line."""
    parts = [f"{status.games:,} games", f"{status.games_per_minute:,.0f} a minute", f"step {status.steps:,}"]
    if status.max_scramble_length:
        parts.insert(0, f"scramble length {status.scramble_length}")
    if status.won is not None:
        parts.append(f"{status.won:.0%} won")
    if status.champions:
        last = status.champions[-1]
        parts.append(f"champion {last.network[:8]}, number {len(status.champions)}, Elo {last.rating:,.0f}")
    if status.solved is not None:
        parts.append(f"the newest network alone solves {status.solved:.1%}")
    return ", ".join(parts)


def ago(seconds: float) -> str:
    """Return a time span in words, such as `for 12 s`."""
    return f"for {seconds:.0f} s" if seconds < 120 else f"for {seconds / 60:.0f} min"
