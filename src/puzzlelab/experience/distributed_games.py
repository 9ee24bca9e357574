"""Games of a teacher as pieces of work for an executor: shards by number, and samples in order.

A game depends on the seed and its number alone, so that the samples are those of one process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from puzzlelab.core.errors import BadOption, PuzzlelabError
from puzzlelab.engine.executor import Executor, Piece, PieceLost, Published, Setup, ordered
from puzzlelab.engine.piece_size import PieceSize
from puzzlelab.engine.published_networks import published_networks
from puzzlelab.experience.schema import TrainingSamples
from puzzlelab.experience.state_space import StateSpace
from puzzlelab.experience.teachers import SampleSource, Teacher

MOST_GAMES = 10_000
"""Games of a piece of `DistributedSource`, at most."""


def games_setup(executor: Executor, source: SampleSource) -> Setup:
    """Return what a worker needs once for these games: it prepares itself by a game of its own.

    Raises `BadOption` for samples that one process makes all at once.
    """
    if isinstance(source, StateSpace):
        raise BadOption("the table of all states is made in one process: leave out --executor")
    key = hashlib.sha256(repr(source.settings()).encode()).hexdigest()
    networks: Mapping[str, Published] = {}
    if isinstance(source, Teacher):
        networks = published_networks(executor, source.puzzle, source.solver.options_for(source.puzzle))
    return Setup(key, partial(source.games, 0, 1, jobs=1), networks)


@dataclass(frozen=True)
class DistributedSource:
    """The samples of a teacher, whose games an executor plays; see `SampleSource`."""

    source: SampleSource
    executor: Executor

    def __post_init__(self) -> None:
        games_setup(self.executor, self.source)  # raises an error for samples that one process makes

    def settings(self) -> dict[str, Any]:
        """Return the settings of the teacher: where its games are played makes no difference."""
        return self.source.settings()

    def samples(self, first: int = 0, jobs: int | None = None) -> Generator[tuple[TrainingSamples, int], None, None]:
        """Yield the samples of the games from `first` on, in order, in parts that take some seconds each."""
        size, setup = PieceSize(self.executor, most=MOST_GAMES), games_setup(self.executor, self.source)

        def pieces() -> Iterator[Piece]:
            begin = first
            while True:
                end = begin + size.items
                work = partial(self.source.games, begin, end, jobs=1)
                name = f"games {begin:,} to {end - 1:,}"
                yield Piece(name, work, setup, end, partial(size.took, end - begin))
                begin = end

        for piece, samples in ordered(self.executor, pieces()):
            if isinstance(samples, PieceLost):
                raise PuzzlelabError(f"{piece.name} cannot be played: {samples}")
            yield samples, piece.context

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """Return the samples of these games, played here."""
        return self.source.games(first, end, jobs)
