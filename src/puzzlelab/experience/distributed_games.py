"""Games of a teacher as pieces of work for an executor: shards by number, and samples in order.

A game depends on the seed and its number alone, so that the samples are those of one process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator, Mapping
from functools import partial

from puzzlelab.core.errors import BadOption, PuzzlelabError
from puzzlelab.engine.executor import Executor, Piece, PieceLost, Published, Setup, ordered
from puzzlelab.engine.piece_size import PieceSize
from puzzlelab.engine.published_networks import published_networks
from puzzlelab.experience.schema import TrainingSamples
from puzzlelab.experience.state_space import StateSpace
from puzzlelab.experience.teachers import SampleSource, Stream, Teacher

MOST_GAMES = 10_000
"""The greatest number of games of a piece."""


def games_setup(executor: Executor, source: SampleSource) -> Setup:
    """Return what a worker needs once for these games: it prepares itself by a game of its own.

    Raises `BadOption` for samples that one process makes all at once.
    """
    if isinstance(source, StateSpace) and not executor.shares_memory:
        raise BadOption("the table of all states is made in one process: leave out --executor")
    key = hashlib.sha256(repr(source.settings()).encode()).hexdigest()
    networks: Mapping[str, Published] = {}
    if isinstance(source, Teacher):
        networks = published_networks(executor, source.puzzle, source.solver.options_for(source.puzzle))
    return Setup(key, partial(source.games, 0, 1, jobs=1), networks)


def distributed_samples(executor: Executor, source: SampleSource) -> Stream:
    """Return the function that yields the samples of a teacher, as its own does, whose games an executor plays.

    The samples come in order, in parts that take some seconds each. Raises `BadOption` as `games_setup` does.
    """
    setup = games_setup(executor, source)

    def samples(first: int) -> Generator[tuple[TrainingSamples, int], None, None]:
        size = PieceSize(executor, most=MOST_GAMES)

        def pieces() -> Iterator[Piece]:
            begin = first
            while True:
                end = begin + size.items
                work = partial(source.games, begin, end, jobs=1)
                name = f"games {begin:,} to {end - 1:,}"
                yield Piece(name, work, setup, end, partial(size.took, end - begin))
                begin = end

        for piece, played in ordered(executor, pieces()):
            if isinstance(played, PieceLost):
                raise PuzzlelabError(f"{piece.name} cannot be played: {played}")
            yield played, piece.context

    return samples
