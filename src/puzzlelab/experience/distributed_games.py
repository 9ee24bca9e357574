"""Games of a teacher as pieces of work for an executor: shards by number, and samples in order.

A game depends on the seed and its number alone, so that the samples are those of one process.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from puzzlelab.core.errors import BadOption, PuzzlelabError
from puzzlelab.engine.board_pieces import SolverSetup, solver_setup, using_networks
from puzzlelab.engine.executor import Done, Executor, Piece, Preparation, ordered
from puzzlelab.engine.solving import GROWTH
from puzzlelab.experience.schema import TrainingSamples
from puzzlelab.experience.shard_leases import encoded_shard
from puzzlelab.experience.state_space import StateSpace
from puzzlelab.experience.teachers import SampleSource, Teacher

MOST_GAMES = 10_000
"""Games of a piece of `DistributedSource`, at most."""


@dataclass(frozen=True)
class GamesToPlay:
    """The argument of a piece: the games number `first` to `end` - 1."""

    source: SampleSource
    setup: SolverSetup | None
    """The teacher's solver with its networks; None for samples without a solver."""
    first: int
    end: int


@dataclass(frozen=True, eq=False)
class PlayedGames:
    """The value of a piece."""

    samples: TrainingSamples
    seconds: float


def play_games(argument: GamesToPlay) -> PlayedGames:
    """Play games on one thread."""
    began = time.perf_counter()
    with using_networks(argument.setup):
        samples = argument.source.games(argument.first, argument.end, jobs=1)
    return PlayedGames(samples, time.perf_counter() - began)


@dataclass(frozen=True)
class ShardToMake:
    """The argument of a piece whose value is the file of a shard."""

    source: SampleSource
    setup: SolverSetup | None
    """The setup of a process, as in `GamesToPlay`."""
    number: int
    games: int


def make_shard_file(argument: ShardToMake) -> bytes:
    """Play the games of a shard on one thread. The file is made here, so that it takes none of the driver's time."""
    with using_networks(argument.setup):
        return encoded_shard(argument.source, argument.number, argument.games)


@dataclass(frozen=True)
class DistributedGames:
    """The pieces of one teacher. Raises `BadOption` for samples that one process makes all at once."""

    executor: Executor
    source: SampleSource

    def __post_init__(self) -> None:
        if isinstance(self.source, StateSpace):
            raise BadOption("the table of all states is made in one process: leave out --executor")

    def piece(self, name: str, first: int, end: int, context: Any = None) -> Piece:
        """Return the games number `first` to `end` - 1."""
        argument = GamesToPlay(self.source, self._setup, first, end)
        return Piece(name, play_games, argument, self._preparation, context)

    def shard(self, number: int, games: int) -> Piece:
        """Return the file of a shard of this number of games."""
        argument = ShardToMake(self.source, self._setup, number, games)
        return Piece(f"shard {number}", make_shard_file, argument, self._preparation, number)

    @cached_property
    def _setup(self) -> SolverSetup | None:
        source = self.source
        return solver_setup(self.executor, source.solver, source.puzzle) if isinstance(source, Teacher) else None

    @cached_property
    def _preparation(self) -> Preparation:
        """A node prepares itself by a game of its own."""
        key = hashlib.sha256(repr(self.source.settings()).encode()).hexdigest()
        return Preparation(key, play_games, GamesToPlay(self.source, self._setup, 0, 1))


@dataclass(frozen=True)
class DistributedSource:
    """The samples of a teacher, whose games an executor plays; see `SampleSource`."""

    source: SampleSource
    executor: Executor

    def __post_init__(self) -> None:
        DistributedGames(self.executor, self.source)  # raises an error for samples that cannot be spread

    def settings(self) -> dict[str, Any]:
        """Return the settings of the teacher: where its games are played makes no difference."""
        return self.source.settings()

    def samples(self, first: int = 0, jobs: int | None = None) -> Generator[tuple[TrainingSamples, int], None, None]:
        """Yield the samples of the games from `first` on, in order, in parts that take some seconds each."""
        games, size = DistributedGames(self.executor, self.source), 1

        def pieces() -> Iterator[Piece]:
            begin = first
            while True:
                end = begin + size
                yield games.piece(f"games {begin:,} to {end - 1:,}", begin, end, (begin, end))
                begin = end

        for done in ordered(self.executor, pieces()):
            begin, end = done.piece.context
            yield required(done).samples, end
            wanted = (end - begin) * self.executor.piece_seconds / max(done.value.seconds, 1e-6)
            size = int(max(1, min(wanted, GROWTH * max(size, end - begin), MOST_GAMES)))

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """Return the samples of these games, played here."""
        return self.source.games(first, end, jobs)


def required(done: Done) -> Any:
    """Return the value of a piece without which the work cannot go on; raises `PuzzlelabError` if it was put aside."""
    if done.problem:
        raise PuzzlelabError(f"{done.piece.name} cannot be played: {done.problem}")
    return done.value
