"""Matches between networks of a run, or with solvers that never change; each is a line of `matches.jsonl`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from puzzlelab.analysis.network_options import with_options
from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.solver import Solver, solve_all
from puzzlelab.engine import report
from puzzlelab.training.recipes.selfplay import SelfPlaySettings
from puzzlelab.training.selfplay.game_log import GameLog
from puzzlelab.training.selfplay.generator import player_options, start_sampler
from puzzlelab.training.selfplay.jsonl import JsonLines, append
from puzzlelab.training.selfplay.run_folder import SelfPlayRun
from puzzlelab.training.selfplay.sprt import MatchScore

MATCH = 7
"""The branch of the run's seed that makes the boards of a match."""
FOLLOWED = ("champion", "latest")
KNOWN = 16
"""Portions of boards whose solutions are remembered, so that one player may meet several others on them."""


@dataclass(frozen=True)
class Match:
    """A match that was played."""

    a: str
    """The hash of a network, or the text of a solver."""
    b: str
    games: int
    wins_a: int
    wins_b: int
    aborted: int
    """Draws in which neither found a solution."""
    solved_a: int
    solved_b: int
    verdict: str
    """`better`, `worse` or `neither`, of a beside b; nothing where that was not decided."""
    shifts: int
    """How hard the boards were."""
    alone: bool
    """Whether networks played without a search."""
    promoted: bool
    """Whether a became the champion by this."""
    at: float
    date: str
    settings: dict[str, Any]
    """How the networks played."""

    @property
    def draws(self) -> int:
        """Games without a winner, the aborted ones among them."""
        return self.games - self.wins_a - self.wins_b


class MatchLog:
    """All matches of a run."""

    def __init__(self, league: SelfPlayRun) -> None:
        self.league = league
        self._lines = JsonLines(league.matches)
        self._matches: list[Match] = []

    def all(self) -> list[Match]:
        """Those that there are by now, in their order; raises `BadFile`."""
        for line in self._lines.read():
            try:
                self._matches.append(Match(**line))
            except TypeError:
                raise BadFile(f"{self.league.matches} is damaged: one of its lines tells of no match") from None
        return self._matches

    def add(self, match: Match) -> None:
        """Add a line."""
        append(self.league.matches, asdict(match))


@dataclass(frozen=True)
class MatchRunner:
    """Where matches of a run are played."""

    league: SelfPlayRun
    settings: SelfPlaySettings
    puzzle: Puzzle
    _ledger: GameLog
    _known: dict[tuple[str, bytes], list[int | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, league: SelfPlayRun, settings: SelfPlaySettings) -> MatchRunner:
        """Of this run."""
        return cls(league, settings, registry.load(settings.puzzle), GameLog(league.ledger, league.shards))

    def name(self, who: str) -> str:
        """The whole hash of a network of the run that `champion`, `latest` or the beginning of a hash means.

        Or the text as it is, where it tells of a solver. Raises `BadInput`.
        """
        if who in FOLLOWED:
            name = self.league.named(who)  # type: ignore[arg-type]
            if name is None:
                raise BadInput(f"{self.league.folder} has no network yet")
            return name
        found = sorted({path.stem for path in self.league.nets.glob(f"{who}*.json")}) if who.isalnum() else []
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise BadInput(f"'{who}' is the beginning of {len(found)} networks: give more of the hash")
        try:
            registry.parse_solver(who)
        except BadOption:
            raise
        except BadInput:
            raise BadInput(
                f"'{who}' is neither a network of {self.league.folder} nor a solver: "
                "give champion, latest, a hash, or a solver such as greedy:estimate=manhattan"
            ) from None
        return who

    def player(self, name: str, shifts: int, alone: bool = False) -> Solver:
        """Who plays under this name, on boards as hard as that; a network alone does so without a search."""
        solver = self._solver(name, alone)
        return with_options(solver, {"max_moves": self.most(shifts)}) if "max_moves" in solver.options() else solver

    def _solver(self, name: str, alone: bool) -> Solver:
        if self.league.has(name):
            options = player_options(self.settings, self.league.option(name))
            return registry.make_solver("uct", {**options, "playouts": 1} if alone else options)
        return registry.parse_solver(name)

    def most(self, shifts: int) -> int:
        """The moves after which a game on such boards is given up."""
        told, starts = self.settings.playing, self.settings.starts
        if starts.walks < 1 or not shifts:
            return told.max_moves
        return max(1, min(told.max_moves, round(told.patience * shifts)))

    def shifts(self) -> int:
        """How hard boards are by now."""
        return start_sampler(self.puzzle, self.settings, self._ledger.entries()).difficulty

    def boards(self, number: int, shifts: int, games: int) -> Iterator[list[State]]:
        """The boards of match `number`, in portions."""
        starts = start_sampler(self.puzzle, self.settings, [])
        starts.difficulty = shifts
        portion = self.settings.match.portion
        for begin in range(0, games, portion):
            random = generator(self.settings.seed, MATCH, number, begin)
            yield list(starts.boards(min(portion, games - begin), random)[0])

    def play(
        self,
        a: str,
        b: str,
        number: int,
        games: int,
        shifts: int,
        sequential: bool = True,
        alone: bool = False,
        watch: Callable[[], None] = lambda: None,
    ) -> tuple[Match | None, bool]:
        """The match, None where not even one portion was played, and whether it was interrupted.

        It may end as soon as it is clear who is better (`sequential`); networks may play `alone`, without a search.
        `watch` is called between portions, and may raise `KeyboardInterrupt`, as Ctrl-C does.
        """
        told, score, verdict, interrupted = self.settings.match, MatchScore(), "", False
        one, other = self.player(a, shifts, alone), self.player(b, shifts, alone)
        try:
            for boards in self.boards(number, shifts, games):
                watch()
                lengths = zip(self._lengths(one, boards), self._lengths(other, boards), strict=True)
                for mine, theirs in lengths:
                    score = score.plus(mine, theirs)
                report.progress(f"{a[:8]} against {b[:8]}", score.games, games, f"{score.wins} : {score.losses}")
                verdict = score.decided(told.better, told.error) if sequential else ""
                if verdict:
                    break
        except KeyboardInterrupt:
            interrupted = True
        return (self._match(a, b, score, verdict, shifts, alone) if score.games else None), interrupted

    def _lengths(self, player: Solver, boards: list[State]) -> list[int | None]:
        """How long the player's solutions are; what it did with the same boards just before is not asked again."""
        key = repr(player), b"".join(board.tobytes() for board in boards)
        if key not in self._known:
            results = solve_all(player, [Instance(self.puzzle, board) for board in boards], Limit())
            if any(result.stop == "interrupted" for result in results):
                raise KeyboardInterrupt
            while len(self._known) >= KNOWN:
                del self._known[next(iter(self._known))]
            self._known[key] = [result.length for result in results]
        return self._known[key]

    def _match(self, a: str, b: str, score: MatchScore, verdict: str, shifts: int, alone: bool) -> Match:
        now = datetime.now(UTC)
        return Match(
            a=a,
            b=b,
            games=score.games,
            wins_a=score.wins,
            wins_b=score.losses,
            aborted=score.aborted,
            solved_a=score.solved,
            solved_b=score.solved_by_other,
            verdict=verdict,
            shifts=shifts,
            alone=alone,
            promoted=False,
            at=round(now.timestamp(), 3),
            date=now.isoformat(timespec="seconds"),
            settings={**self.settings.playing.model_dump(mode="json"), "max_moves": self.most(shifts)},
        )
