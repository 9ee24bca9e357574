"""Teachers: solvers that play random boards and label every position with moves to imitate and the moves to the goal.

A game depends on the seed and its number alone, so that a seed determines the samples however the work is split.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count as count_from
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.bounded_queries import require_different_lengths
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of, require_counted_moves
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.solver import Solver, require
from puzzlelab.core.views import Samples, scale_of
from puzzlelab.engine.parallel import ordered_map
from puzzlelab.experience.rollouts import Rollouts
from puzzlelab.experience.schema import TrainingSamples, joined
from puzzlelab.experience.shards import TEACHER, Shards
from puzzlelab.storage.outputs import check_folder, only_writer_in
from puzzlelab.version import VERSION

if TYPE_CHECKING:
    from puzzlelab.experience.fast_rollouts import FastRollouts

DEFAULT_SCALE = "uniform"
"""The default scale of random boards, if a puzzle has it."""
MAX_EMPTY_GAMES = 10_000
"""The number of games in a row without a sample after which the teacher gives up."""
TIE_BREAKS, BRANCHES = 1, 2
"""Streams of a game's seed: the choice among optimal moves, and the off-path branches."""


class SampleSource(Protocol):
    """Samples in a fixed order: a `Teacher` has no end, a `StateSpace` ends after all states."""

    @property
    def name(self) -> str: ...

    def settings(self) -> dict[str, Any]:
        """Return all settings that determine the samples."""

    def samples(self, first: int = 0, jobs: int | None = None) -> Generator[tuple[TrainingSamples, int], None, None]:
        """Yield the samples of the games from `first` on, in parts, each with the number of the next game."""

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """Return the samples of the games number `first` to `end` - 1."""


@dataclass(frozen=True)
class Teacher:
    """A solver that plays random boards of one scale."""

    puzzle: Puzzle
    solver: Solver
    exact: bool = False
    """Whether every position gets all its optimal moves, proven, rather than the move that the solver chose."""
    scale: str = ""
    levels: tuple[int | None, ...] = (None,)
    """Levels on that scale, which the games use in turn."""
    seed: int = 0
    limit: Limit = field(default_factory=Limit)
    """For each board or, if `exact`, each position."""
    branches: int = 0
    """Off-path branches of each game. Each begins with a random position of the solution and a random move that does
    not solve it, and is solved from there. It belongs to the game, so that a split by games keeps similar positions
    together.
    """

    def __post_init__(self) -> None:
        if self.branches < 0:
            raise BadOption(f"a game has 0 branches or more, not {self.branches}")
        require_different_lengths(self.puzzle)
        if self.exact:
            require_counted_moves(self.puzzle, "an exact teacher")
        require(self.solver, self.puzzle)
        samples = self.puzzle.view(Samples)
        scale = self.scale or (DEFAULT_SCALE if samples and DEFAULT_SCALE in samples.scales else None)
        object.__setattr__(self, "scale", scale_of(self.puzzle, scale)[0])

    @property
    def name(self) -> str:
        return self.solver.name

    def settings(self) -> dict[str, Any]:
        """Return all settings that determine the samples."""
        return {
            "puzzle": self.puzzle.name,
            "targets": "all optimal moves" if self.exact else "the chosen move",
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

    def samples(self, first: int = 0, jobs: int | None = None) -> Generator[tuple[TrainingSamples, int], None, None]:
        """Yield the samples of the games from `first` on, without an end, each part with the number of the next game.

        Threads play ahead; the samples do not depend on the number of threads.
        """
        rollouts = self._rollouts()
        starts = count_from(first, rollouts.chunk)
        yield from self._played(rollouts, ((start, start + rollouts.chunk) for start in starts), jobs)

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """Return the samples of the games number `first` to `end` - 1, of which there is at least one."""
        rollouts = self._rollouts()
        parts = ((start, min(start + rollouts.chunk, end)) for start in range(first, end, rollouts.chunk))
        return joined([samples for samples, _ in self._played(rollouts, parts, jobs)])

    def _played(
        self, rollouts: FastRollouts | Rollouts, parts: Iterable[tuple[int, int]], jobs: int | None
    ) -> Iterator[tuple[TrainingSamples, int]]:
        """Return the samples of each part, which is (first game, end), with its end."""
        stop = threading.Event()

        def play(part: tuple[int, int]) -> tuple[TrainingSamples, int]:
            return rollouts.play(*part, stop), part[1]

        return ordered_map(play, parts, jobs, on_interrupt=stop.set)

    def _rollouts(self) -> FastRollouts | Rollouts:
        """Return fast rollouts if the solver and its limit allow them, else one game at a time."""
        from puzzlelab.experience.fast_rollouts import fast_rollouts

        draws = self._branch_draws if self.branches else None
        counts_moves = objective_of(self.puzzle).kind == "moves"
        may_be_fast = counts_moves and not self.exact and self.limit == Limit()
        fast = fast_rollouts(self.puzzle, self.solver, self.board, draws) if may_be_fast else None
        return fast or Rollouts(self.puzzle, self.solver, self.exact, self.limit, self.board, self._tie_breaks, draws)

    def _tie_breaks(self, game: int) -> np.random.Generator:
        return generator(self.seed, game, TIE_BREAKS)

    def _branch_draws(self, game: int) -> NDArray[np.float64]:
        return generator(self.seed, game, BRANCHES).random((self.branches, 2))


def teach(
    teacher: SampleSource,
    folder: Path,
    count: int,
    size: int,
    jobs: int | None = None,
    progress: Callable[[int], None] = lambda rows: None,
) -> Shards:
    """Fill a folder with at least `count` samples of whole games, if there are enough, about `size` in a shard.

    A folder with the same settings is continued. `progress` is called with the number of samples so far. Ctrl-C keeps
    every game that is complete.

    Raises:
        BadFile: if the folder cannot be written, or holds something else.
        BadInput: if another program is writing to it.
        BadOption: if the teacher solves none of many boards.

    Shards that are missing or damaged are made again first; those after them stay.
    """
    with only_writer_in(folder):
        check_folder(folder, TEACHER, lambda name: name.startswith(("shard-", "writing")), "samples")
        shards = Shards(folder, teacher.settings(), size)
        while shards.has_later:
            _make_again(teacher, shards, jobs)
        return _fill(shards, teacher, count, jobs, progress)


def _fill(
    shards: Shards, teacher: SampleSource, count: int, jobs: int | None, progress: Callable[[int], None]
) -> Shards:
    """Add samples until there are at least `count`."""
    progress(shards.rows)
    if shards.rows >= count:
        return shards
    last_useful = shards.games
    with closing(teacher.samples(shards.games, jobs)) as stream:
        try:
            for samples, games in stream:
                shards.append(samples, games, count)
                progress(shards.rows)
                last_useful = games if len(samples) else last_useful
                if shards.rows >= count:
                    break
                if games - last_useful >= MAX_EMPTY_GAMES:
                    raise BadOption(
                        f"{games - last_useful:,} boards in a row gave no sample: either they are solved already, or "
                        f"{teacher.name} with these options solves none of them"
                    )
        finally:
            shards.write()
            progress(shards.rows)
    return shards


def _make_again(teacher: SampleSource, shards: Shards, jobs: int | None) -> None:
    """Make the current shard, after which there are others, and determine the progress anew."""
    number = shards.number
    with closing(teacher.samples(shards.games, jobs)) as stream:
        for samples, games in stream:
            shards.append(samples, games, shards.rows + len(samples) + 1)
            if shards.number > number:
                break
    shards.resume()
