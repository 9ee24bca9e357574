"""Matches between the networks of a run and fixed solvers; each is a line of `matches.jsonl`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, TypeAdapter

from puzzlelab.analysis.network_options import with_options
from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput, BadOption, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Result
from puzzlelab.core.seeds import generator
from puzzlelab.core.solver import Solver
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor, PieceLost, Setup
from puzzlelab.engine.solving import solve_all, uninterrupted
from puzzlelab.engine.worker import published_networks
from puzzlelab.experience.curriculum import StartSampler
from puzzlelab.storage.lines import JsonLines
from puzzlelab.training.evaluation import solve_watched
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay.game_log import GameLog, typed
from puzzlelab.training.selfplay.generator import match_options
from puzzlelab.training.selfplay.ratings import verdict
from puzzlelab.training.selfplay.settings import SelfPlaySettings

MATCH = 7
"""The branch of the run's seed for the boards of a match."""
NAMED_NETWORKS = ("champion", "latest")
CACHE_SIZE = 16
"""Batches of boards whose solutions are cached, so that a player may meet several others on the same boards."""


@dataclass(frozen=True)
class Match:
    """The result of a match."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    a: str
    """The first player: the hash of a network, or the text of a solver."""
    b: str
    games: int
    wins_a: int
    wins_b: int
    aborted: int
    """Draws in which neither player found a solution."""
    solved_a: int
    solved_b: int
    verdict: str
    """`better`, `worse` or `neither`, of a compared with b; empty if the match was not decided."""
    scramble_length: int
    """The difficulty of the boards."""
    alone: bool
    """Whether networks played without a search."""
    promoted: bool
    """Whether a became the champion."""
    at: float
    date: str
    settings: dict[str, Any]
    """The settings of the networks' search."""

    @property
    def draws(self) -> int:
        """Games without a winner, including the aborted ones."""
        return self.games - self.wins_a - self.wins_b


MATCH_LINE = TypeAdapter(Match)
"""Checks the types of the fields of a line."""


class MatchLog:
    """All matches of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._lines = JsonLines(run.matches, shared=True)
        self._matches: list[Match] = []

    def all(self) -> list[Match]:
        """Return the matches so far, in their order; raises `BadFile`."""
        for line in self._lines.new_lines():
            match = typed(MATCH_LINE, line, self.run.matches, "a match")
            if self._matches and match.settings == self._matches[-1].settings:
                match = replace(match, settings=self._matches[-1].settings)  # one object, for thousands of matches
            self._matches.append(match)
        return self._matches

    def champion(self) -> str | None:
        """Return the network that is the champion by these matches; None if they do not tell, or its files are missing.

        It is the last one that was promoted, or the one that the first candidate played against.
        """
        champion = None
        for match in self.all():
            if match.promoted:
                champion = match.a
            elif champion is None:
                champion = next((name for name in (match.b, match.a) if self.run.has_network(name)), None)
        return champion if champion is not None and self.run.has_network(champion) else None

    def add(self, match: Match) -> None:
        """Append a line, which is on the disk afterwards: it decides which networks are kept."""
        self._lines.append(asdict(match))
        self._lines.sync()


class MatchRunner:
    """The player of the matches of a run; an executor solves the boards."""

    def __init__(self, run: Run, settings: SelfPlaySettings, executor: Executor) -> None:
        self.run, self.settings, self.executor = run, settings, executor
        self.puzzle = registry.load(settings.puzzle)
        start_sampler = StartSampler.of(self.puzzle, settings.curriculum)
        self._game_log = GameLog(run.game_log, run.shards, start_sampler=start_sampler)
        self._lengths_cache: dict[tuple[str, bytes], NDArray[np.float64]] = {}

    def resolve(self, player: str) -> str:
        """Return the full hash of the network that `champion`, `latest` or the beginning of a hash means.

        The text of a solver is returned as it is. Raises `BadInput`.
        """
        if player in NAMED_NETWORKS:
            name = self.run.network(player)  # type: ignore[arg-type]
            if name is None:
                raise BadInput(f"{self.run.folder} has no network yet")
            return name
        hashes = {path.stem for path in self.run.nets.glob(f"{player}*.json")} if player.isalnum() else set()
        if len(hashes) == 1:
            return hashes.pop()
        if len(hashes) > 1:
            raise BadInput(f"'{player}' is the beginning of {len(hashes)} networks: give more of the hash")
        try:
            registry.parse_solver(player)
        except BadOption:
            raise
        except BadInput:
            raise BadInput(
                f"'{player}' is neither a network of {self.run.folder} nor a solver: "
                "give champion, latest, a hash, or a solver such as greedy:estimate=manhattan"
            ) from None
        return player

    def player(self, name: str, scramble_length: int, alone: bool = False) -> Solver:
        """Return the solver of this name, with the move limit for such boards.

        A network `alone` plays without a search.
        """
        solver = self._solver(name, alone)
        if "max_moves" not in solver.options():
            return solver
        return with_options(solver, {"max_moves": self.move_limit(scramble_length)})

    def _solver(self, name: str, alone: bool) -> Solver:
        if self.run.has_network(name):
            options = match_options(self.settings, self.run.solver_option(name))
            return registry.make_solver("uct", {**options, "playouts": 1} if alone else options)
        return registry.parse_solver(name)

    def move_limit(self, scramble_length: int) -> int:
        """Return the move limit of games on boards of this scramble length."""
        settings, curriculum = self.settings.self_play, self.settings.curriculum
        if curriculum.random_walk_share < 1 or not scramble_length:
            return settings.max_moves
        return max(1, min(settings.max_moves, round(settings.max_moves_factor * scramble_length)))

    def scramble_length(self) -> int:
        """Return the present difficulty of the boards."""
        return self._game_log.start_sampler().difficulty

    def boards(self, number: int, scramble_length: int, games: int) -> Iterator[list[State]]:
        """Yield the boards of match `number`, in batches."""
        start_sampler = StartSampler.fixed(self.puzzle, self.settings.curriculum, scramble_length)
        batch_size = self.settings.match.batch_size
        for begin in range(0, games, batch_size):
            random = generator(self.settings.seed, MATCH, number, begin)
            yield list(start_sampler.boards(min(batch_size, games - begin), random)[0])

    def play(
        self,
        a: str,
        b: str,
        number: int,
        games: int,
        scramble_length: int,
        sequential: bool = True,
        alone: bool = False,
        watch: Callable[[], None] = lambda: None,
    ) -> tuple[Match | None, bool]:
        """Return (the match, None if not even one batch was played, whether it was interrupted).

        With `sequential` the match ends as soon as a sequential test decides it. With `alone` networks play without a
        search. `watch` is called again and again, and may raise `KeyboardInterrupt`, as Ctrl-C does; the boards of
        the batch that is being solved then do not count.
        """
        settings, decision, interrupted = self.settings.match, "", False
        ours, theirs = np.empty(0), np.empty(0)
        one, other = self.player(a, scramble_length, alone), self.player(b, scramble_length, alone)
        try:
            for boards in self.boards(number, scramble_length, games):
                watch()
                lengths = self._lengths(one, boards, watch), self._lengths(other, boards, watch)
                ours, theirs = np.append(ours, lengths[0]), np.append(theirs, lengths[1])
                wins, losses = int((ours < theirs).sum()), int((ours > theirs).sum())
                report.progress(f"{a[:8]} against {b[:8]}", len(ours), games, f"{wins} : {losses}")
                if sequential:
                    decision = verdict(wins, losses, settings.better_win_rate, settings.error_rate)
                if decision:
                    break
        except KeyboardInterrupt:
            interrupted = True
        if not ours.size:
            return None, interrupted
        now, settings_of_play = datetime.now(UTC), self.settings.self_play.model_dump(mode="json")
        match = Match(
            a=a,
            b=b,
            games=len(ours),
            wins_a=int((ours < theirs).sum()),
            wins_b=int((ours > theirs).sum()),
            aborted=int((np.isinf(ours) & np.isinf(theirs)).sum()),
            solved_a=int(np.isfinite(ours).sum()),
            solved_b=int(np.isfinite(theirs).sum()),
            verdict=decision,
            scramble_length=scramble_length,
            alone=alone,
            promoted=False,
            at=round(now.timestamp(), 3),
            date=now.isoformat(timespec="seconds"),
            settings={**settings_of_play, "max_moves": self.move_limit(scramble_length)},
        )
        return match, interrupted

    def _lengths(self, player: Solver, boards: list[State], watch: Callable[[], None]) -> NDArray[np.float64]:
        """Return the lengths of the player's solutions, inf for boards that it does not solve, from the cache if it
        has just solved the same boards.
        """
        key = repr(player), b"".join(board.tobytes() for board in boards)
        if key not in self._lengths_cache:
            results = self._solved(player, [Instance(self.puzzle, board) for board in boards], watch)
            while len(self._lengths_cache) >= CACHE_SIZE:
                del self._lengths_cache[next(iter(self._lengths_cache))]
            lengths = [result.length for result in results]
            self._lengths_cache[key] = np.array([np.inf if length is None else length for length in lengths])
        return self._lengths_cache[key]

    def _solved(self, player: Solver, boards: list[Instance], watch: Callable[[], None]) -> list[Result]:
        """Return the verified results of a player; `watch` is called again and again, and may raise."""
        if self.executor.shares_memory:
            return solve_watched(player, boards, watch)
        setup = Setup(networks=published_networks(self.executor, self.puzzle, player.options()))
        future = self.executor.submit(solve_all, player, boards, Limit(), setup=setup)
        while not self.executor.wait([future]):
            watch()
        try:
            return [uninterrupted(result) for result in future.result().value]
        except PieceLost as lost:
            raise PuzzlelabError(f"the boards of a match cannot be solved: {lost}") from None
