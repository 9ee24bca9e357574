"""Teachers: solvers that play random boards, and say at every position on the way what to do and how far it is.

A game depends on the seed and its number alone, so that one seed gives one stream however the work is split.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count as count_from
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption
from puzzlelab.core.hints import hint_by
from puzzlelab.core.limit import Limit
from puzzlelab.core.parallel import ordered_map
from puzzlelab.core.puzzle import Instance, Puzzle, State, scale_of
from puzzlelab.core.questions import Questions, remembering, suits
from puzzlelab.core.regrets import positions_of
from puzzlelab.core.seeds import generator
from puzzlelab.core.solver import Solver, options_of, require, solve
from puzzlelab.core.version import VERSION
from puzzlelab.experience.schema import LONGEST, Samples, joined, packed
from puzzlelab.experience.shards import Shards

USUAL_SCALE = "uniform"
"""Where boards come from when nobody says, if a puzzle has this scale."""
CHUNK, FAST_CHUNK = 4, 256
"""Games that are played in one piece of work."""
FRUITLESS = 10_000
"""After so many games in a row without a sample the teacher gives up."""
WAY = 1
"""The branch of a game's seed that chooses among equally good moves."""


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

    def __post_init__(self) -> None:
        suits(self.puzzle)
        require(self.solver, self.puzzle)
        scales: Mapping[str, Any] = getattr(self.puzzle, "scales", {})
        wanted = self.scale or (USUAL_SCALE if USUAL_SCALE in scales else None)
        object.__setattr__(self, "scale", scale_of(self.puzzle, wanted)[0])

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
            "seed": self.seed,
            "move_count": self.puzzle.move_count,
            "version": VERSION,
        }

    def board(self, game: int) -> State:
        """The start of a game."""
        sample = scale_of(self.puzzle, self.scale)[1].sample
        return sample(generator(self.seed, game), self.levels[game % len(self.levels)])

    def samples(self, first: int = 0, jobs: int | None = None) -> Generator[tuple[Samples, int], None, None]:
        """The samples of the games from `first` on, without an end, each time with the number of the next game.

        Threads play ahead; one seed gives one stream whatever their number.
        """
        over = threading.Event()
        play = self._player()
        size = CHUNK if play == self._games else FAST_CHUNK

        def chunk(start: int) -> tuple[Samples, int]:
            return play(start, start + size, over), start + size

        yield from ordered_map(chunk, count_from(first, size), jobs, on_interrupt=over.set)

    def _player(self) -> Callable[[int, int, threading.Event], Samples]:
        """What plays the games from one number to another: the fast way for beams, or one game at a time."""
        from puzzlelab.experience import beams

        if self.exact or self.limit != Limit():
            return self._games
        fast = beams.player(self.puzzle, self.solver, self.board)
        return fast.play if fast else self._games

    def _games(self, first: int, end: int, over: threading.Event) -> Samples:
        label = self._optimal if self.exact else self._chosen
        games = [label(game, Instance(self.puzzle, self.board(game)), over) for game in range(first, end)]
        return joined(games)

    def _chosen(self, game: int, start: Instance, over: threading.Event) -> Samples:
        """The positions on the way of the solver's own solution, with the moves of it."""
        result = solve(self.solver, start, self.limit, lambda attempt: over.is_set())
        _go_on(result.stop)
        moves = result.moves or ()
        proven = result.proof in ("optimal", "unique")
        rows = _Rows(game, start)
        for number, (position, move) in enumerate(zip(positions_of(start, moves), moves, strict=False)):
            rows.add(position, [move], len(moves) - number, proven)
        return rows.samples()

    def _optimal(self, game: int, start: Instance, over: threading.Event) -> Samples:
        """The positions of a best game, each with all its optimal moves; one of them, by lot, is made.

        The game ends early where the limit leaves a position without a shorter solution than the one before it.
        """
        random, rows = generator(self.seed, game, WAY), _Rows(game, start)
        solver = remembering(self.solver)
        here, known, last = start, None, None
        while not self.puzzle.solved(here.state):
            questions = Questions(solver, self.limit, lambda attempt: over.is_set())
            told = hint_by(questions, here, known, only_best=True)
            _go_on(told.stop)
            if told.length is None or not told.best or (last is not None and told.length >= last):
                break
            rows.add(here, told.best, told.length, told.settled)
            move = int(random.choice(sorted(told.best)))
            last, known = told.length, told.needed.plus(-1) if told.needed.proven else None
            here = Instance(self.puzzle, self.puzzle.apply(here.state, move))
        return rows.samples()


class _Rows:
    """The samples of one game as they come."""

    def __init__(self, game: int, start: Instance) -> None:
        self.game, self.start = game, start
        self.states: list[State] = []
        self.targets: list[NDArray[np.bool_]] = []
        self.remaining: list[int] = []
        self.proven: list[bool] = []

    def add(self, position: Instance, moves: Iterable[int], remaining: int, proven: bool) -> None:
        """One position, the moves to make there, and how many moves remain."""
        mask = np.zeros(position.puzzle.move_count, bool)
        mask[list(moves)] = True
        self.states.append(position.state)
        self.targets.append(mask)
        self.remaining.append(remaining)
        self.proven.append(proven)

    def samples(self) -> Samples:
        count, start = len(self.states), self.start
        if count and self.remaining[0] > LONGEST:
            raise BadOption(f"a solution of {self.remaining[0]:,} moves is too long for samples (at most {LONGEST:,})")
        return Samples(
            np.full(count, self.game),
            np.array(self.states, start.state.dtype).reshape(count, start.state.size),
            packed(np.array(self.targets, bool).reshape(count, start.puzzle.move_count)),
            np.array(self.remaining, np.uint16),
            np.array(self.proven, bool),
        )


def _go_on(stop: str) -> None:
    """Ctrl-C, which a search turns into an answer, ends the teacher: half a game is no game."""
    if stop == "interrupted":
        raise KeyboardInterrupt


def teach(
    teacher: Teacher,
    folder: Path,
    count: int,
    size: int,
    jobs: int | None = None,
    told: Callable[[int], None] = lambda rows: None,
) -> Shards:
    """Fill a folder with at least `count` samples of whole games, `size` or a little more in a shard.

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
                        f"{teacher.solver.name} with these options solves none of them"
                    )
        finally:
            shards.write()
            told(shards.rows)
    return shards
