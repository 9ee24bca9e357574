"""The generator: plays games, shard by shard, with the champion or the newest network."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from puzzlelab.core import registry
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.seeds import generator
from puzzlelab.experience.curriculum import UNKNOWN, StartSampler
from puzzlelab.experience.shard_leases import ShardLeases
from puzzlelab.experience.shards import encoded, shard_path, write_shard
from puzzlelab.experience.uct_session import ABORTED, UctSession, play_episodes
from puzzlelab.storage.files import make_folder
from puzzlelab.training.runs import Follow, Run
from puzzlelab.training.selfplay.game_log import GameLog, GameLogEntry
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.settings import SelfPlaySettings

BOARDS, SEARCH = 5, 6
"""The branches of the run's seed for the boards of a shard, and for the random choices of its searches."""
MAX_GENERATORS = 1000
"""The number of generators that may work at once."""


def play_games(
    settings: SelfPlaySettings,
    number: int,
    network: str,
    option: str,
    difficulty: int,
    watch: Callable[[], None] = lambda: None,
) -> tuple[bytes, GameLogEntry]:
    """Play the games of a shard, and return its file and its line of the log; they depend on the arguments alone.

    Args:
        settings: of the run.
        number: of the shard.
        network: the hash of the network that plays.
        option: the value of a solver's option that means this network.
        difficulty: that of the boards; see `StartSampler`.
        watch: is called again and again, and may raise.
    """
    own, began = settings.self_play, time.perf_counter()
    puzzle, games = registry.load(settings.puzzle), own.parallel_games
    start_sampler = StartSampler.of(puzzle, settings.curriculum)
    start_sampler.difficulty = difficulty
    boards, lengths = start_sampler.boards(games, generator(settings.seed, BOARDS, number))
    scaled = np.where(lengths == UNKNOWN, own.max_moves, own.max_moves_factor * lengths)
    limits = np.ceil(np.minimum(own.max_moves, scaled)).astype(np.int64)
    session = UctSession(puzzle, games, **_game_options(settings, number, option))
    samples, moves = play_episodes(session, boards, limits, watch)
    won = moves != ABORTED
    entry = GameLogEntry(
        number=number,
        network=network,
        scramble_length=difficulty,
        games=games,
        won=int(won.sum()),
        moves=int(moves[won].sum()),
        samples=len(samples),
        seconds=round(time.perf_counter() - began, 3),
        at=round(time.time(), 3),
    )
    card = {"puzzle": puzzle.name, "move_count": puzzle.move_count, "played": vars(entry)}
    return encoded(samples, card), entry


def _game_options(settings: SelfPlaySettings, number: int, network: str) -> dict[str, Any]:
    """Return the options of `uct` for the games of a shard."""
    seed = int(generator(settings.seed, SEARCH, number).integers(1 << 62))
    random_options = _uct_options(settings, "temperature", "dirichlet_fraction", "dirichlet_alpha")
    return {**match_options(settings, network), "seed": seed, **random_options}


class GameGenerator:
    """One of any number of generators of a run."""

    def __init__(self, run: Run, settings: SelfPlaySettings, follow: Follow, heartbeat: Heartbeat) -> None:
        self.run, self.settings, self.follow, self.heartbeat = run, settings, follow, heartbeat
        self.puzzle = registry.load(settings.puzzle)
        with run.writing():
            make_folder(run.shards)
        self.leases = ShardLeases(run.shards)
        start_sampler = StartSampler.of(self.puzzle, settings.curriculum)
        self.game_log = GameLog(run.game_log, run.shards, repairs=True, start_sampler=start_sampler)

    def work_once(self, watch: Callable[[], None]) -> bool:
        """Make a shard; False if there is no network yet."""
        network = self.run.network(self.follow)
        if network is None:
            self.heartbeat.waiting("a network")
            return False
        difficulty = self.game_log.start_sampler().difficulty
        number = self.leases.take(len(self.game_log) + MAX_GENERATORS, self.game_log.below, self.game_log)
        assert number is not None
        with self.leases.keeping(number):
            try:
                self._play(number, network, difficulty, watch)
            except PuzzlelabError:
                if self.run.has_network(network):
                    raise
                return True  # the referee has removed it meanwhile, because there is a newer one
        self.remove_old_shards()
        return True

    def take_turn(self, number: int, watch: Callable[[], None]) -> None:
        """Make shard `number`, unless it was made before: no other generator is at work."""
        network, difficulty = self.run.network(self.follow), self.game_log.start_sampler().difficulty
        assert network is not None, "the trainer has published one"
        if number in self.game_log:
            return
        for temporary in self.run.shards.glob(f"writing-{number:05}-*"):  # of processes that were killed
            temporary.unlink(missing_ok=True)
        self._play(number, network, difficulty, watch)

    def _play(self, number: int, network: str, difficulty: int, watch: Callable[[], None]) -> None:
        games = self.settings.self_play.parallel_games
        self.heartbeat.busy(f"plays games {number * games:,} to {(number + 1) * games - 1:,} with {network[:8]}")
        self.keep(*play_games(self.settings, number, network, self.run.solver_option(network), difficulty, watch))

    def keep(self, content: bytes, entry: GameLogEntry) -> None:
        """Write a shard, and its line of the log."""
        write_shard(self.run.shards, entry.number, content)
        self.game_log.add(entry)

    def remove_old_shards(self, below: int | None = None) -> None:
        """Remove the shards whose samples are not among the newest; with `below`, only shards of lower numbers."""
        self.game_log.update()
        sizes, samples = self.game_log.sizes(), 0
        for number in reversed(sizes):
            if samples >= self.settings.replay.capacity and (below is None or number < below):
                self.game_log.ensure_logged(number)
                with suppress(OSError):
                    shard_path(self.run.shards, number).unlink(missing_ok=True)
            samples += sizes[number]


def match_options(settings: SelfPlaySettings, network: str) -> dict[str, Any]:
    """Return the options of `uct` with this network, without those for random moves."""
    prior = network if settings.self_play.policy == "visits" else None
    options = _uct_options(settings, "playouts", "step_discount", "c_puct", "policy")
    return {"estimate": network, "prior": prior, **options}


def _uct_options(settings: SelfPlaySettings, *names: str) -> dict[str, Any]:
    """Return the settings of the games as options of `uct`."""
    values = settings.self_play.values()
    return {name: values[name] for name in names}
