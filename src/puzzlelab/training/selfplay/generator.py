"""The generator: plays games, shard by shard, with the champion or the newest network."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

import numpy as np

from puzzlelab.core import registry
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.seeds import generator
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor, PieceLost, Setup, Timed
from puzzlelab.engine.worker import published_networks
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
"""The number of shards that may be played at once."""
KEPT_NETWORKS = 4
"""Networks that play games and stay published: shards that are begun again may need the last ones."""


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
    start_sampler = StartSampler.fixed(puzzle, settings.curriculum, difficulty)
    boards, lengths = start_sampler.boards(games, generator(settings.seed, BOARDS, number))
    scaled = np.where(lengths == UNKNOWN, own.max_moves, own.max_moves_factor * lengths)
    limits = np.ceil(np.minimum(own.max_moves, scaled)).astype(np.int64)
    noise = ("gumbel_noise",) if own.root == "halving" else ("temperature", "dirichlet_fraction", "dirichlet_alpha")
    random_options = _uct_options(settings, *noise)
    seed = int(generator(settings.seed, SEARCH, number).integers(1 << 62))
    session = UctSession(puzzle, games, **match_options(settings, option), seed=seed, **random_options)
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


class GameGenerator:
    """One of any number of generators of a run; an executor plays its games."""

    def __init__(self, run: Run, settings: SelfPlaySettings, follow: Follow, heartbeat: Heartbeat) -> None:
        self.run, self.settings, self.follow, self.heartbeat = run, settings, follow, heartbeat
        self.puzzle = registry.load(settings.puzzle)
        with run.writing():
            make_folder(run.shards)
        self.leases = ShardLeases(run.shards)
        start_sampler = StartSampler.of(self.puzzle, settings.curriculum)
        self.game_log = GameLog(run.game_log, run.shards, repairs=True, start_sampler=start_sampler)
        self._pending: dict[Future[Timed[tuple[bytes, GameLogEntry]]], tuple[int, str]] = {}
        """The number of each shard that is played now, and the network that plays."""
        self._setups: dict[str, Setup] = {}
        """The option of a solver that means a network -> the setup with its files, the newest last."""

    def work_once(self, executor: Executor) -> bool:
        """Begin shards where there is room, and keep those that are played; False if there is no network yet."""
        network = self.run.network(self.follow)
        if network is not None:
            self._begin(network, executor)
        elif not self._pending:
            self.heartbeat.waiting("a network")
            return False
        for future in executor.wait(self._pending):
            number, network = self._pending.pop(future)
            try:
                self.keep(*future.result().value)
            except PieceLost as lost:  # no other generator gets its lease
                report.note(f"shard {number} is left out: {lost}")
                continue
            except PuzzlelabError:
                if self.run.has_network(network):
                    raise  # or else the referee has removed it meanwhile, because there is a newer one
            self.leases.release(number)
            self.remove_old_shards()
        return True

    def _begin(self, network: str, executor: Executor) -> None:
        """Begin the shards of the least numbers that are neither made nor begun."""
        option, games = self.run.solver_option(network), self.settings.self_play.parallel_games
        while executor.room > 0:
            difficulty = self.game_log.start_sampler().difficulty
            number = self.leases.take(len(self.game_log) + MAX_GENERATORS, self.game_log.below, self.game_log)
            if number is None:
                return
            self.heartbeat.busy(f"plays games {number * games:,} to {(number + 1) * games - 1:,} with {network[:8]}")
            try:
                setup = self._setup(option, executor)
            except PuzzlelabError:
                if self.run.has_network(network):
                    raise
                self.leases.release(number)
                return
            future = executor.submit(play_games, self.settings, number, network, option, difficulty, setup=setup)
            self._pending[future] = number, network

    def _setup(self, option: str, executor: Executor) -> Setup:
        """Return the setup that has this network; of those of older ones, the oldest is forgotten."""
        if option not in self._setups:
            options = match_options(self.settings, option)
            self._setups[option] = Setup(networks=published_networks(executor, self.puzzle, options))
            if len(self._setups) > KEPT_NETWORKS:
                for published in self._setups.pop(next(iter(self._setups))).networks.values():
                    executor.forget(published.key)
        return self._setups[option]

    def take_turn(self, number: int, watch: Callable[[], None]) -> None:
        """Make shard `number`, unless it was made before: no other generator is at work."""
        network, difficulty = self.run.network(self.follow), self.game_log.start_sampler().difficulty
        assert network is not None, "the trainer has published one"
        if number in self.game_log:
            return
        for temporary in self.run.shards.glob(f"writing-{number:05}-*"):  # of processes that were killed
            temporary.unlink(missing_ok=True)
        self.heartbeat.busy(f"plays the games of shard {number} with {network[:8]}")
        self.keep(*play_games(self.settings, number, network, self.run.solver_option(network), difficulty, watch))

    def keep(self, content: bytes, entry: GameLogEntry) -> None:
        """Write a shard, unless it is empty, and its line of the log."""
        if entry.samples:
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
    names = ("playouts", "step_discount", "c_puct", "policy", "root", "considered", "value_scale")
    options = _uct_options(settings, *names)
    return {"estimate": network, "prior": prior, **options}


def _uct_options(settings: SelfPlaySettings, *names: str) -> dict[str, Any]:
    """Return the settings of the games as options of `uct`."""
    values = settings.self_play.values()
    return {name: values[name] for name in names}
