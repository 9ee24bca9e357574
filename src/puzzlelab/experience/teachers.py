"""Teachers: solvers that play random boards and label every position with moves to imitate and the moves to the goal.

A game depends on the seed and its number alone, so that a seed determines the samples however the work is split.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.bounded_queries import require_different_lengths
from puzzlelab.core.errors import BadOption, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.solver import Solver, require
from puzzlelab.core.views import Samples, check_level, scale_of
from puzzlelab.engine.executor import Executor, PieceLost, Published, Setup
from puzzlelab.engine.parallel import ordered_map
from puzzlelab.engine.streams import Piece, PieceSize, ordered
from puzzlelab.engine.worker import published_networks
from puzzlelab.experience.data_card import write_data_card
from puzzlelab.experience.rollouts import rollouts
from puzzlelab.experience.schema import BYTES, LISTS, TrainingSamples, joined
from puzzlelab.experience.shards import TEACHER, Shards
from puzzlelab.experience.tied_solutions import require_tied
from puzzlelab.storage.outputs import check_folder, only_writer_in
from puzzlelab.version import VERSION

DEFAULT_SCALE = "uniform"
"""The default scale of random boards, if a puzzle has it."""
CHUNK = 4
"""The games that are played at once where there are no fast rollouts."""
MOST_GAMES = 10_000
"""The greatest number of games of a piece of work."""
MAX_EMPTY_GAMES, EMPTY_SECONDS = 10_000, 60.0
"""The number of games in a row without a sample after which the teacher gives up, and the seconds of such games after
which a training tells of them.
"""
TIE_BREAKS, BRANCHES = 1, 2
"""Streams of a game's seed: the choice among optimal moves, and the off-path branches."""


def targets_of(exact: bool, tied: bool) -> Targets:
    """Return the targets that one of these settings asks for; raises `BadOption` for both."""
    if exact and tied:
        raise BadOption("the moves of a position are either proven (exact), or those of tied solutions (tied)")
    return "optimal" if exact else "tied" if tied else "chosen"


class SampleSource(Protocol):
    """Samples in a fixed order, game by game: each game depends on the settings and on its number alone."""

    @property
    def count(self) -> int | None:
        """The number of games; None: there is no end."""

    @property
    def chunk(self) -> int:
        """The number of games that one call of `games` should have at least, for speed."""

    def settings(self) -> dict[str, Any]:
        """Return all settings that determine the samples."""

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """Return the samples of the games number `first` to `end` - 1."""


def samples_of(
    source: SampleSource, executor: Executor, first: int = 0
) -> Generator[tuple[TrainingSamples, int], None, None]:
    """Yield the samples of the games from `first` on, in order, in parts, each with the number of the next game.

    The samples do not depend on the executor, which plays ahead. Raises `BadOption` as `games_setup` does.
    """
    setup = games_setup(source, executor)
    size = PieceSize(executor, together=source.chunk if executor.shares_memory else None, most=MOST_GAMES)

    def pieces() -> Iterator[Piece]:
        begin = first
        while source.count is None or begin < source.count:
            end = begin + size.items if source.count is None else min(begin + size.items, source.count)
            work = partial(source.games, begin, end, jobs=1)
            yield Piece(f"games {begin:,} to {end - 1:,}", work, setup, end, partial(size.took, end - begin))
            begin = end

    for piece, played in ordered(executor, pieces()):
        if isinstance(played, PieceLost):
            raise PuzzlelabError(f"{piece.name} cannot be played: {played}")
        yield played, piece.context


def games_setup(source: SampleSource, executor: Executor) -> Setup | None:
    """Return what another process needs once for these games: it prepares itself by a game of its own.

    Raises `BadOption` for samples that one process makes all at once.
    """
    if executor.shares_memory:
        return None
    if source.count is not None:
        raise BadOption("the table of all states is made in one process: leave out --executor")
    key = hashlib.sha256(repr(source.settings()).encode()).hexdigest()
    networks: Mapping[str, Published] = {}
    if isinstance(source, Teacher):
        networks = published_networks(executor, source.puzzle, source.solver.options_for(source.puzzle))
    return Setup(key, partial(source.games, 0, 1, jobs=1), networks)


Targets = Literal["chosen", "tied", "optimal"]
TARGETS: Mapping[Targets, str] = {
    "chosen": "the chosen move",
    "tied": "all moves of tied solutions",
    "optimal": "all optimal moves",
}
"""The moves that a position gets: the one that the solver chose; those of all equally short solutions within its beam;
or all optimal moves, proven.
"""


@dataclass(frozen=True)
class Teacher:
    """A solver that plays random boards of one scale."""

    count: ClassVar[None] = None

    puzzle: Puzzle
    solver: Solver
    targets: Targets = "chosen"
    """The moves that each position gets."""
    scale: str = ""
    levels: tuple[int | None, ...] = (None,)
    """Levels on that scale, which the games use in turn."""
    seed: int = 0
    limit: Limit = field(default_factory=Limit)
    """For each board or, if moves are proven, each position."""
    branches: int = 0
    """Off-path branches of each game. Each begins with a random position of the solution and a random move that does
    not solve it, and is solved from there. It belongs to the game, so that a split by games keeps similar positions
    together.
    """

    def __post_init__(self) -> None:
        if self.branches < 0:
            raise BadOption(f"a game has 0 branches or more, not {self.branches}")
        require_different_lengths(self.puzzle)
        if self.targets == "optimal":
            require_counted_moves(self.puzzle, "an exact teacher")
        if self.targets == "tied":
            require_tied(self.puzzle, self.solver, self.limit)
        require(self.solver, self.puzzle)
        samples = self.puzzle.view(Samples)
        scale = self.scale or (DEFAULT_SCALE if samples and DEFAULT_SCALE in samples.scales else None)
        name, chosen = scale_of(self.puzzle, scale)
        for level in self.levels:
            check_level(self.puzzle, name, chosen, level)
        object.__setattr__(self, "scale", name)

    def settings(self) -> dict[str, Any]:
        """Return all settings that determine the samples."""
        return {
            "puzzle": self.puzzle.name,
            "targets": TARGETS[self.targets],
            "solver": self.solver.name,
            "options": self.solver.options_for(self.puzzle),
            "limit": vars(self.limit),
            "scale": self.scale,
            "levels": list(self.levels),
            "branches": self.branches,
            "seed": self.seed,
            "move_count": self.puzzle.move_count,
            "version": VERSION,
        }

    def board(self, game: int) -> State:
        """Return the initial board of a game."""
        sample = scale_of(self.puzzle, self.scale)[1].sample
        board: State = sample(generator(self.seed, game), self.levels[game % len(self.levels)], 1)[0]
        return board

    @property
    def chunk(self) -> int:
        """See `SampleSource`."""
        return self._player[1]

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """Return the samples of the games number `first` to `end` - 1, of which there is at least one."""
        stop, (player, chunk) = threading.Event(), self._player

        def play(start: int) -> TrainingSamples:
            return player(start, min(start + chunk, end), stop)

        return joined(list(ordered_map(play, range(first, end, chunk), jobs, on_interrupt=stop.set)))

    @property
    def _player(self) -> tuple[Callable[[int, int, threading.Event], TrainingSamples], int]:
        """The function that plays games from number `first` to `end` - 1, and the games that a call should have at
        least: fast rollouts if the teacher has them, else one game at a time.
        """
        from puzzlelab.experience.fast_rollouts import GAMES, fast_rollouts

        fast = fast_rollouts(self)
        return (fast.play, GAMES) if fast else (partial(rollouts, self), CHUNK)

    def tie_breaks(self, game: int) -> np.random.Generator:
        """Return the random generator of a game that chooses among optimal moves."""
        return generator(self.seed, game, TIE_BREAKS)

    def branch_draws(self, game: int) -> NDArray[np.float64]:
        """Return `float64[K, 2]` in [0, 1): for each of the K off-path branches of a game, one number for the position
        where it leaves the solution, and one for the move.
        """
        return generator(self.seed, game, BRANCHES).random((self.branches, 2))


def teach(
    source: SampleSource,
    folder: Path,
    count: int,
    size: int,
    executor: Executor,
    progress: Callable[[int], None] = lambda rows: None,
    lists: bool = False,
) -> Shards:
    """Fill a folder with at least `count` samples of whole games, if there are enough, about `size` in a shard.

    The executor plays the games. A folder with the same settings is continued. `progress` is called with the number of
    samples so far. With `lists`, states and moves are lists, and a data card is beside the shards. Ctrl-C keeps every
    game that is complete.

    Raises:
        BadFile: if the folder cannot be written, or holds something else.
        BadInput: if another program is writing to it.
        BadOption: if the teacher solves none of many boards.

    Shards that are missing or damaged are made again first; those after them stay.
    """
    with only_writer_in(folder):
        check_folder(folder, TEACHER, lambda name: name.startswith(("shard-", "writing")), "samples")
        shards = Shards(folder, {**source.settings(), **(LISTS if lists else BYTES)}, size)
        while shards.has_later:
            _make_again(source, executor, shards)
        try:
            return _fill(shards, source, count, executor, progress)
        finally:
            if lists and shards.rows:
                write_data_card(shards)


def _fill(
    shards: Shards, source: SampleSource, count: int, executor: Executor, progress: Callable[[int], None]
) -> Shards:
    """Add samples until there are at least `count`."""
    progress(shards.rows)
    if shards.rows >= count:
        return shards
    last_useful = shards.games
    with closing(samples_of(source, executor, shards.games)) as parts:
        try:
            for samples, games in parts:
                shards.append(samples, games, count)
                progress(shards.rows)
                last_useful = games if len(samples) else last_useful
                if shards.rows >= count:
                    break
                if games - last_useful >= MAX_EMPTY_GAMES:
                    raise BadOption(no_samples(games - last_useful, str(source.settings()["solver"])))
        finally:
            shards.write()
            progress(shards.rows)
    return shards


def no_samples(boards: int, solver: str) -> str:
    """Say that so many boards gave no sample."""
    reason = f"either they are solved already, or {solver} with these options solves none of them"
    return f"{boards:,} boards in a row gave no sample: {reason}"


def _make_again(source: SampleSource, executor: Executor, shards: Shards) -> None:
    """Make the current shard, after which there are others, and determine the progress anew."""
    number = shards.number
    with closing(samples_of(source, executor, shards.games)) as parts:
        for samples, games in parts:
            shards.append(samples, games, shards.rows + len(samples) + 1)
            if shards.number > number:
                break
    shards.resume()
