"""Teachers: solvers that play random boards, and say at every position on the way what to do and how far it is.

A game depends on the seed and its number alone, so that one seed gives one stream however the work is split.
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

from puzzlelab.analysis.bounded_queries import require_comparable_moves
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.solver import Solver, options_of, require
from puzzlelab.core.version import VERSION
from puzzlelab.core.views import Samples, scale_of
from puzzlelab.engine.parallel import ordered_map
from puzzlelab.experience.rollouts import Rollouts
from puzzlelab.experience.schema import TrainingSamples, joined
from puzzlelab.experience.shards import Shards

if TYPE_CHECKING:
    from puzzlelab.experience.fast_rollouts import FastRollouts

USUAL_SCALE = "uniform"
"""Where boards come from when nobody says, if a puzzle has this scale."""
FRUITLESS = 10_000
"""After so many games in a row without a sample the teacher gives up."""
WAY, DETOURS = 1, 2
"""The branches of a game's seed that choose among equally good moves, and where detours begin."""


class SampleSource(Protocol):
    """Gives samples in one order: a `Teacher` without an end, a `StateSpace` until all states are there."""

    @property
    def name(self) -> str: ...

    def settings(self) -> dict[str, Any]:
        """Everything that decides what the samples are."""

    def samples(self, first: int = 0, jobs: int | None = None) -> Generator[tuple[TrainingSamples, int], None, None]:
        """The samples of the games from `first` on, each time with the number of the next game."""

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """The samples of the games number `first` to `end` - 1."""


@dataclass(frozen=True)
class Teacher:
    """A solver that plays boards of one kind, and how it is asked."""

    puzzle: Puzzle
    solver: Solver
    exact: bool = False
    """Whether every position gets all its optimal moves, proven, rather than the one that the solver chose."""
    scale: str = ""
    levels: tuple[int | None, ...] = (None,)
    """Levels on that scale, which come up in turn."""
    seed: int = 0
    limit: Limit = field(default_factory=Limit)
    """For each board or, if `exact`, each position."""
    detours: int = 0
    """Solutions that branch off each game: a random position, a random move that does not solve it, and on from there.

    They belong to the game, so that a split by games keeps positions that are alike together.
    """

    def __post_init__(self) -> None:
        if self.detours < 0:
            raise BadOption(f"a game has 0 detours or more, not {self.detours}")
        require_comparable_moves(self.puzzle)
        require(self.solver, self.puzzle)
        samples = self.puzzle.view(Samples)
        wanted = self.scale or (USUAL_SCALE if samples and USUAL_SCALE in samples.scales else None)
        object.__setattr__(self, "scale", scale_of(self.puzzle, wanted)[0])

    @property
    def name(self) -> str:
        return self.solver.name

    def settings(self) -> dict[str, Any]:
        """Everything that decides what the samples are."""
        return {
            "puzzle": self.puzzle.name,
            "targets": "all optimal moves" if self.exact else "the chosen move",
            "solver": self.solver.name,
            "options": options_of(self.solver, self.puzzle),
            "limit": vars(self.limit),
            "scale": self.scale,
            "levels": list(self.levels),
            "detours": self.detours,
            "seed": self.seed,
            "move_count": self.puzzle.move_count,
            "version": VERSION,
        }

    def board(self, game: int) -> State:
        """The start of a game."""
        sample = scale_of(self.puzzle, self.scale)[1].sample
        return sample(generator(self.seed, game), self.levels[game % len(self.levels)])

    def samples(self, first: int = 0, jobs: int | None = None) -> Generator[tuple[TrainingSamples, int], None, None]:
        """The samples of the games from `first` on, without an end, each time with the number of the next game.

        Threads play ahead; one seed gives one stream whatever their number.
        """
        plays = self._player()
        starts = count_from(first, plays.chunk)
        yield from self._played(plays, ((start, start + plays.chunk) for start in starts), jobs)

    def games(self, first: int, end: int, jobs: int | None = None) -> TrainingSamples:
        """The samples of the games number `first` to `end` - 1, of which there is at least one."""
        plays = self._player()
        parts = ((start, min(start + plays.chunk, end)) for start in range(first, end, plays.chunk))
        return joined([samples for samples, _ in self._played(plays, parts, jobs)])

    def _played(
        self, plays: FastRollouts | Rollouts, parts: Iterable[tuple[int, int]], jobs: int | None
    ) -> Iterator[tuple[TrainingSamples, int]]:
        """The samples of the games from one number to another, with the other."""
        over = threading.Event()

        def part(ends: tuple[int, int]) -> tuple[TrainingSamples, int]:
            return plays.play(*ends, over), ends[1]

        return ordered_map(part, parts, jobs, on_interrupt=over.set)

    def _player(self) -> FastRollouts | Rollouts:
        """What plays the games from one number to another: the fast way for some solvers, or one game at a time."""
        from puzzlelab.experience.fast_rollouts import fast_rollouts

        draws = self._draws if self.detours else None
        usual = not self.exact and self.limit == Limit()
        fast = fast_rollouts(self.puzzle, self.solver, self.board, draws) if usual else None
        return fast or Rollouts(self.puzzle, self.solver, self.exact, self.limit, self.board, self._lots, draws)

    def _lots(self, game: int) -> np.random.Generator:
        return generator(self.seed, game, WAY)

    def _draws(self, game: int) -> NDArray[np.float64]:
        return generator(self.seed, game, DETOURS).random((self.detours, 2))


def teach(
    teacher: SampleSource,
    folder: Path,
    count: int,
    size: int,
    jobs: int | None = None,
    told: Callable[[int], None] = lambda rows: None,
) -> Shards:
    """Fill a folder with at least `count` samples of whole games, if there are so many, about `size` in a shard.

    A folder that was begun with the same settings is gone on with; `told` hears how many samples there are. Ctrl-C
    keeps every game that is complete.

    Raises:
        BadFile: if the folder cannot be written, or holds something else.
        BadOption: if the teacher solves none of many boards.
    """
    shards = Shards(folder, teacher.settings(), size)
    told(shards.rows)
    if shards.rows >= count:
        return shards
    fruitful = shards.games
    with closing(teacher.samples(shards.games, jobs)) as stream:
        try:
            for samples, games in stream:
                shards.append(samples, games, count)
                told(shards.rows)
                fruitful = games if len(samples) else fruitful
                if shards.rows >= count:
                    break
                if games - fruitful >= FRUITLESS:
                    raise BadOption(
                        f"{games - fruitful:,} boards in a row gave no sample: either they are solved already, or "
                        f"{teacher.name} with these options solves none of them"
                    )
        finally:
            shards.write()
            told(shards.rows)
    return shards
