"""Plays games, a shard after the other, with the network that is best by then, or the newest one."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from puzzlelab.core import registry
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.experience.curriculum import UNKNOWN, StartSampler
from puzzlelab.experience.shard_leases import ShardLeases
from puzzlelab.experience.shards import numbers, save, shard_path
from puzzlelab.experience.uct_episodes import ABORTED, play_episodes
from puzzlelab.experience.uct_session import UctSession
from puzzlelab.training.recipes.selfplay import SelfPlaySettings
from puzzlelab.training.selfplay.game_log import GameLog, GameLogEntry
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.run_folder import Follow, SelfPlayRun

BOARDS, PLAYER = 5, 6
"""The branches of the run's seed that make the boards of a shard, and what else is left to chance in its games."""
AHEAD = 1000
"""Generators that may be at work at once."""


@dataclass
class GameGenerator:
    """One of any number of them."""

    league: SelfPlayRun
    settings: SelfPlaySettings
    follow: Follow
    diary: Heartbeat
    puzzle: Puzzle = field(init=False)
    claims: ShardLeases = field(init=False)
    ledger: GameLog = field(init=False)

    def __post_init__(self) -> None:
        self.puzzle = registry.load(self.settings.puzzle)
        with self.league.writing():
            self.league.shards.mkdir(parents=True, exist_ok=True)
        self.claims = ShardLeases(self.league.shards)
        self.ledger = GameLog(self.league.ledger, self.league.shards)

    def once(self, watch: Callable[[], None]) -> bool:
        """Make a shard; False if there is no network yet to play with."""
        network = self.league.named(self.follow)
        if network is None:
            self.diary.waits("a network")
            return False
        entries = self.ledger.entries()
        known = {entry.number for entry in entries}
        first = next(number for number in range(len(known) + 1) if number not in known)
        number = self.claims.take(len(known) + AHEAD, first, known)
        assert number is not None
        with self.claims.keeping(number):
            self._play(number, network, start_sampler(self.puzzle, self.settings, entries), watch)
        self._prune()
        return True

    def _play(self, number: int, network: str, starts: StartSampler, watch: Callable[[], None]) -> None:
        told, began = self.settings.playing, time.time()
        self.diary.does(f"plays games {number * told.games:,} to {(number + 1) * told.games - 1:,} with {network[:8]}")
        random = generator(self.settings.seed, BOARDS, number)
        boards, needed = starts.boards(told.games, random)
        limits = np.minimum(told.max_moves, np.where(needed == UNKNOWN, told.max_moves, told.patience * needed))
        player = UctSession(self.puzzle, told.games, **self._options(network, number))
        games = play_episodes(player, boards, np.ceil(limits).astype(np.int64), watch)
        won = games.moves != ABORTED
        entry = GameLogEntry(
            number=number,
            network=network,
            shifts=starts.difficulty,
            games=told.games,
            won=int(won.sum()),
            moves=int(games.moves[won].sum()),
            samples=len(games.samples),
            seconds=round(time.time() - began, 3),
            at=round(time.time(), 3),
        )
        card = {"puzzle": self.puzzle.name, "move_count": self.puzzle.move_count, "played": vars(entry)}
        save(self.league.shards, number, games.samples, card, f"writing-{number:05}-{self.diary.path.stem}")
        self.ledger.add(entry)

    def _options(self, network: str, number: int) -> dict[str, Any]:
        told = self.settings.playing
        seed = int(generator(self.settings.seed, PLAYER, number).integers(1 << 62))
        return {**player_options(self.settings, self.league.option(network)), "seed": seed} | {
            name: getattr(told, name) for name in ("temperature", "noise", "concentration")
        }

    def _prune(self) -> None:
        """Let the newest samples stay, and no more."""
        held, entries = 0, {entry.number: entry for entry in self.ledger.entries()}
        for number in reversed(numbers(self.league.shards)):
            if held >= self.settings.samples.newest:
                self.ledger.keep(number)
                with suppress(OSError):
                    shard_path(self.league.shards, number).unlink(missing_ok=True)
            held += entries[number].samples if number in entries else 0


def player_options(settings: SelfPlaySettings, network: str) -> dict[str, Any]:
    """How the solver `uct` plays with this network, apart from what is left to chance."""
    told = settings.playing
    shared = {name: getattr(told, name) for name in ("playouts", "decay", "exploration", "policy")}
    return {"estimate": network, "prior": network if told.policy == "visits" else None, **shared}


def start_sampler(puzzle: Puzzle, settings: SelfPlaySettings, entries: list[GameLogEntry]) -> StartSampler:
    """The boards to play, as hard as the games that were played so far say that they may be."""
    starts = StartSampler.of(puzzle, settings.starts)
    for entry in entries:
        if entry.shifts == starts.difficulty:
            starts.ended(entry.games, entry.won)
    return starts
