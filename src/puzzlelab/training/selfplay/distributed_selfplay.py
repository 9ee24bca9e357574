"""Self-play by an executor: the folder of the run is this process's alone, and all that takes time is done elsewhere.

Shards of games are pieces of work by their numbers. The boards of a match are pieces too; the referee, which decides
what they mean, is a thread here. The trainer is a learner in a process of its own (`training/remote_learner.py`).
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue

from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver
from puzzlelab.engine import report
from puzzlelab.engine.executor import Done, Executor, Piece, Published
from puzzlelab.engine.published_networks import published_networks, using
from puzzlelab.engine.solving import solve_all, uninterrupted
from puzzlelab.training.recipe import Watch
from puzzlelab.training.remote_learner import LearnerWork, RemoteLearner
from puzzlelab.training.selfplay import programs
from puzzlelab.training.selfplay.game_log import GameLog
from puzzlelab.training.selfplay.generator import (
    GameGenerator,
    PlayedShard,
    ShardOfGames,
    match_options,
    play_games,
)
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.referee import Referee
from puzzlelab.training.selfplay.run_folder import SelfPlayRun
from puzzlelab.training.selfplay.settings import SelfPlaySettings

POLL_SECONDS = 0.2
"""The time after which the referee looks again for a match, or for the end."""
KEPT_NETWORKS = 4
"""Networks that play games and stay published: shards that are begun again may need the last ones."""
OF_DRIVER = ("shards/", "games.jsonl", "matches.jsonl", "champion")
"""The files of a run that the trainer only reads."""


# --- what other processes do ---


@dataclass(frozen=True)
class GamesPiece:
    """The argument of a piece: the games of a shard, and the network that plays them."""

    shard: ShardOfGames
    networks: Mapping[str, Published]


def play_shard(argument: GamesPiece) -> PlayedShard:
    """Play the games of a shard."""
    with using(argument.networks):
        return play_games(argument.shard, lambda: None)


@dataclass(frozen=True, eq=False)
class MatchPiece:
    """The argument of a piece: boards of a match, for one player."""

    player: Solver
    networks: Mapping[str, Published]
    boards: Boards


def solve_match_boards(argument: MatchPiece) -> Sequence[Result]:
    """Solve boards of a match."""
    with using(argument.networks):
        return solve_all(argument.player, argument.boards, Limit())


def train_in(settings: SelfPlaySettings, folder: Path, watch: Watch) -> None:
    """Run the trainer of the run in this folder."""
    programs.train(SelfPlayRun(folder), settings, watch)


# --- the driver ---


@dataclass
class DistributedSelfPlay:
    """The driver of a run whose games, matches and trainer are elsewhere."""

    run: SelfPlayRun
    settings: SelfPlaySettings
    executor: Executor
    resources: Mapping[str, float] = field(default_factory=dict)
    """The resources that the node of the trainer must have."""
    _pending: set[int] = field(default_factory=set)
    """The numbers of the shards that are played now."""
    _left_out: set[int] = field(default_factory=set)
    """The numbers of the shards that ended their workers."""
    _networks: dict[str, Mapping[str, Published]] = field(default_factory=dict)
    """The option of a solver that means a network -> its published files, the newest last."""
    _requests: SimpleQueue[tuple[Solver, Boards, Future[Sequence[Result]]]] = field(default_factory=SimpleQueue)
    """Boards that the referee wants to have solved."""
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
        """Begin what the referee wants, and shards of games where nodes have room."""
        self._submit_requests()
        room = self.executor.room
        network = self.run.network(self.settings.follow) if room > 0 else None
        if network is None:
            if room > 0:
                generator.heartbeat.waiting("a network")
            return
        difficulty = generator.game_log.start_sampler().difficulty
        generator.heartbeat.busy(f"plays games with {network[:8]}")
        for number in self._unknown(generator.game_log, room):
            try:
                piece = self._games_piece(generator, number, network, difficulty)
            except PuzzlelabError:
                if self.run.has_network(network):
                    raise
                return  # the referee has removed it meanwhile, because there is a newer one
            self._pending.add(number)
            self.executor.submit(piece)

    def _unknown(self, game_log: GameLog, count: int) -> list[int]:
        """Return the least numbers of shards that are neither made nor begun."""
        others = self._pending | self._left_out
        return list(
            itertools.islice(
                (each for each in itertools.count(game_log.below) if each not in game_log and each not in others), count
            )
        )

    def _games_piece(self, generator: GameGenerator, number: int, network: str, difficulty: int) -> Piece:
        option = self.run.solver_option(network)
        shard = ShardOfGames(self.settings, number, network, option, difficulty)
        options = match_options(self.settings, option)
        if option not in self._networks:
            self._publish(option, published_networks(self.executor, generator.puzzle, options))
        return Piece(f"shard {number}", play_shard, GamesPiece(shard, self._networks[option]), context=number)

    def _publish(self, option: str, networks: Mapping[str, Published]) -> None:
        """Keep what is published of a network, and forget the oldest one."""
        self._networks[option] = networks
        if len(self._networks) > KEPT_NETWORKS:
            for published in self._networks.pop(next(iter(self._networks))).values():
                self.executor.forget(published.key)

    def _take_completed(self, generator: GameGenerator) -> None:
        for done in self.executor.completed():
            if isinstance(done.piece.context, Future):
                self._answer(done.piece.context, done)
            else:
                self._keep(generator, done)

    def _keep(self, generator: GameGenerator, done: Done) -> None:
        """Write a shard into the folder."""
        number: int = done.piece.context
        self._pending.discard(number)
        if done.problem:
            self._left_out.add(number)
            report.note(f"{done.piece.name} is left out: {done.problem}")
            return
        generator.keep(done.value)
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
            self._submit_requests()
            self._take_completed(generator)

    def _solve(self, player: Solver, boards: Sequence[Instance], watch: Callable[[], None]) -> Sequence[Result]:
        """Return the results of a solver for boards of a match, in the referee's thread; see `SolveBoards`."""
        answer: Future[Sequence[Result]] = Future()
        self._requests.put((player, Boards.of(boards), answer))
        while not answer.done():
            watch()
            self._over.wait(POLL_SECONDS / 10)
        return [uninterrupted(result) for result in answer.result()]

    def _submit_requests(self) -> None:
        with suppress(Empty):
            while True:
                player, boards, answer = self._requests.get_nowait()
                networks = published_networks(self.executor, boards.puzzle, player.options())
                argument = MatchPiece(player, networks, boards)
                self.executor.submit(Piece("the boards of a match", solve_match_boards, argument, context=answer))

    def _answer(self, answer: Future[Sequence[Result]], done: Done) -> None:
        if done.problem:
            answer.set_exception(PuzzlelabError(f"{done.piece.name} cannot be solved: {done.problem}"))
        else:
            answer.set_result(done.value)
