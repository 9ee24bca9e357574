"""Self-play by an executor: the folder of the run is this process's alone, and all that takes time is done elsewhere.

Shards of games are pieces of work by their numbers. The boards of a match are pieces too; the referee, which decides
what they mean, is a thread here. The trainer is a learner in a process of its own (`training/remote_learner.py`).
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor, PieceLost, Setup, Timed
from puzzlelab.engine.published_networks import published_networks
from puzzlelab.engine.solving import solve_all, uninterrupted
from puzzlelab.training.recipe import Watch
from puzzlelab.training.remote_learner import LearnerWork, RemoteLearner
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay import programs
from puzzlelab.training.selfplay.game_log import GameLog, GameLogEntry
from puzzlelab.training.selfplay.generator import GameGenerator, match_options, play_games
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.referee import Referee
from puzzlelab.training.selfplay.settings import SelfPlaySettings

POLL_SECONDS = 0.2
"""The time after which the referee looks again for a match, or for the end."""
KEPT_NETWORKS = 4
"""Networks that play games and stay published: shards that are begun again may need the last ones."""
OF_DRIVER = ("shards/", "games.jsonl", "matches.jsonl", "champion")
"""The files of a run that the trainer only reads."""


def train_in(settings: SelfPlaySettings, folder: Path, watch: Watch) -> None:
    """Run the trainer of the run in this folder."""
    programs.train(Run(folder), settings, watch)


@dataclass
class DistributedSelfPlay:
    """The driver of a run whose games, matches and trainer are elsewhere."""

    run: Run
    settings: SelfPlaySettings
    executor: Executor
    resources: Mapping[str, float] = field(default_factory=dict)
    """The resources that the node of the trainer must have."""
    _pending: dict[Future[Timed[tuple[bytes, GameLogEntry]]], int] = field(default_factory=dict)
    """The numbers of the shards that are played now."""
    _left_out: set[int] = field(default_factory=set)
    """The numbers of the shards that ended their workers."""
    _setups: dict[str, Setup] = field(default_factory=dict)
    """The option of a solver that means a network -> the setup with its files, the newest last."""
    _is_idle: threading.Event = field(default_factory=threading.Event)
    """Whether the referee has found no match to play."""
    _over: threading.Event = field(default_factory=threading.Event)

    def work(self, time_is_over: Callable[[], bool]) -> None:
        """Do the work of all programs until the run is done, or the time is over."""
        work = LearnerWork(partial(train_in, self.settings), OF_DRIVER)
        learner = RemoteLearner(self.executor, self.run.folder, work, self.resources)
        with (
            self.run.exclusive(programs.TRAINER),
            Heartbeat(self.run, programs.GENERATOR).running() as generator_heartbeat,
            Heartbeat(self.run, programs.TRAINER).running() as trainer_heartbeat,
            self._referee() as check_referee,
        ):
            generator = GameGenerator(self.run, self.settings, self.settings.follow, generator_heartbeat)
            generator.game_log.log_missing()
            try:
                while not time_is_over():
                    check_referee()
                    trainer_heartbeat.busy("learns in a process of its own")
                    if learner.exchange_if_due() or self.run.done.exists():
                        break
                    self._submit(generator)
                    self._take_completed(generator)
                for _ in range(2):  # the first look for a match may have begun before the last network was there
                    self._let_referee_end(check_referee, time_is_over, generator)
            finally:
                self.executor.cancel()
                learner.stop()

    # --- games ---

    def _submit(self, generator: GameGenerator) -> None:
        """Begin shards of games where there is room."""
        room = self.executor.room
        network = self.run.network(self.settings.follow) if room > 0 else None
        if network is None:
            if room > 0:
                generator.heartbeat.waiting("a network")
            return
        difficulty = generator.game_log.start_sampler().difficulty
        generator.heartbeat.busy(f"plays games with {network[:8]}")
        for number in self._unknown(generator.game_log, room):
            option = self.run.solver_option(network)
            try:
                setup = self._setup(generator, option)
            except PuzzlelabError:
                if self.run.has_network(network):
                    raise
                return  # the referee has removed it meanwhile, because there is a newer one
            games = self.settings, number, network, option, difficulty
            self._pending[self.executor.submit(play_games, *games, setup=setup)] = number

    def _unknown(self, game_log: GameLog, count: int) -> list[int]:
        """Return the least numbers of shards that are neither made nor begun."""
        others = {*self._pending.values(), *self._left_out}
        return list(
            itertools.islice(
                (each for each in itertools.count(game_log.below) if each not in game_log and each not in others), count
            )
        )

    def _setup(self, generator: GameGenerator, option: str) -> Setup:
        """Return the setup that has this network; of those of older ones, the oldest is forgotten."""
        if option not in self._setups:
            options = match_options(self.settings, option)
            networks = published_networks(self.executor, generator.puzzle, options)
            self._setups[option] = Setup(networks=networks)
            if len(self._setups) > KEPT_NETWORKS:
                for published in self._setups.pop(next(iter(self._setups))).networks.values():
                    self.executor.forget(published.key)
        return self._setups[option]

    def _take_completed(self, generator: GameGenerator) -> None:
        """Write the shards that are played into the folder."""
        for future in self.executor.wait(self._pending):
            number = self._pending.pop(future)
            try:
                generator.keep(*future.result().value)
            except PieceLost as lost:
                self._left_out.add(number)
                report.note(f"shard {number} is left out: {lost}")
            else:
                generator.remove_old_shards()

    # --- matches ---

    @contextmanager
    def _referee(self) -> Iterator[Callable[[], None]]:
        """Run the referee in a thread; gives a function that raises its error."""
        errors = list[BaseException]()

        def work() -> None:
            try:
                with self.run.exclusive(programs.REFEREE), Heartbeat(self.run, programs.REFEREE).running() as heartbeat:
                    self._play_matches(Referee(self.run, self.settings, heartbeat, self._solve))
            except KeyboardInterrupt:
                pass
            except BaseException as error:
                errors.append(error)

        def check() -> None:
            if errors:
                raise errors[0]

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            yield check
        finally:
            self._over.set()
            thread.join()

    def _play_matches(self, referee: Referee) -> None:
        """Play each match that is due, in the referee's thread."""
        while not self._over.is_set():
            if not referee.work_once(self._watch):
                self._is_idle.set()
                self._over.wait(POLL_SECONDS)

    def _watch(self) -> None:
        if self._over.is_set():
            raise KeyboardInterrupt

    def _let_referee_end(
        self, check_referee: Callable[[], None], time_is_over: Callable[[], bool], generator: GameGenerator
    ) -> None:
        """Play the matches that are due after the last step."""
        self._is_idle.clear()
        while self.run.done.exists() and not self._is_idle.is_set() and not time_is_over():
            check_referee()
            self._take_completed(generator)

    def _solve(self, player: Solver, boards: Sequence[Instance], watch: Callable[[], None]) -> Sequence[Result]:
        """Return the results of a solver for boards of a match, in the referee's thread; see `SolveBoards`."""
        setup = Setup(networks=published_networks(self.executor, boards[0].puzzle, player.options()))
        future = self.executor.submit(solve_all, player, boards, Limit(), setup=setup)
        while not self.executor.wait([future]):
            watch()
        try:
            return [uninterrupted(result) for result in future.result().value]
        except PieceLost as lost:
            raise PuzzlelabError(f"the boards of a match cannot be solved: {lost}") from None
