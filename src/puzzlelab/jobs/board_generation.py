"""Generates boards by scale and level, and by further settings that a puzzle's own generator has.

A puzzle may have its own generator (in the view `Samples`); boards of others are sampled on their scales.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption, PuzzlelabError
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import read_levels
from puzzlelab.core.views import BoardGenerator, check_level, own_generator, scale_of
from puzzlelab.engine import installed
from puzzlelab.engine.executor import Executor, PieceLost, Setup
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.jobs.pieces import Pieces

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


def boards(
    puzzle: Puzzle,
    count: int,
    scale: str | None = None,
    level: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
    **settings: Any,
) -> Iterator[State]:
    """Yield `count` new plain states `[S]`.

    Args:
        puzzle: the puzzle of the boards.
        count: how many boards; a larger count begins with the same boards.
        scale: the scale of difficulty, by default the puzzle's main one.
        level: a level on it such as '15', or several such as '10-20', which are equally frequent.
        seed: equal seeds give equal boards.
        jobs: threads of the puzzle's own generator, by default all cores.
        executor: where boards are made; by default in this process.
        settings: the settings of that generator; `None` means the default.

    Raises:
        BadOption: for unknown settings, and for settings that exclude each other.
        Unsupported: if the puzzle cannot make boards.
        UnknownName: if it has no such scale.
    """
    if count < 1:
        raise BadOption(f"the number of boards must be at least 1, not {count}")
    batches = board_batches(puzzle, scale, level, seed, jobs, executor, settings)(0, count)
    return islice((board for puzzles, _ in batches for board in puzzles), count)


Batches = Callable[[int, int], Iterator[tuple[State, State | None]]]
"""Returns the boards number `first` to `end` - 1 in batches `[P, S]`, with their solutions where these are known."""


def board_batches(
    puzzle: Puzzle,
    scale: str | None,
    level: str | None,
    seed: int,
    jobs: int | None,
    executor: Executor | None,
    settings: Mapping[str, Any],
) -> Batches:
    """Return what makes boards, by the puzzle's own generator or on its scales; see `boards` for what it raises."""
    own = generator_of(puzzle, scale, level, settings)
    if own is not None:
        return partial(generated, own, seed, executor or ThisProcess(jobs))
    sampler(puzzle, scale, level, seed)  # raises now what it raises
    return partial(sampled, puzzle, scale, level, seed, executor or ThisProcess())


def sampled(
    puzzle: Puzzle, scale: str | None, level: str | None, seed: int, executor: Executor, first: int, end: int
) -> Iterator[tuple[State, None]]:
    """Yield the boards number `first` to `end` - 1 of a puzzle without a generator of its own, one at a time."""
    make, name = partial(_sample, puzzle, scale, level, seed), f"{puzzle.name} {scale} {level}"
    for board in _made(executor, make, name, first, end):
        yield board[None], None


def generated(
    own: BoardGenerator, seed: int, executor: Executor, first: int, end: int
) -> Iterator[tuple[State, State]]:
    """Return the boards number `first` to `end` - 1 of a puzzle's own generator, and their solutions, in batches."""
    return _made(executor, partial(_generate, own, seed), repr(own), first, end)


def _sample(puzzle: Puzzle, scale: str | None, level: str | None, seed: int, first: int, end: int) -> Iterator[State]:
    yield from map(sampler(puzzle, scale, level, seed), range(first, end))


def _generate(own: BoardGenerator, seed: int, first: int, end: int) -> Iterator[tuple[State, State]]:
    yield from own.batches(end, seed, first)


def _prepare(make: Callable[[int, int], Iterator[Any]], first: int) -> None:
    for _ in make(first, first + 1):
        pass


def _made(
    executor: Executor, make: Callable[[int, int], Iterator[Any]], name: str, first: int, end: int
) -> Iterator[Any]:
    """Yield what `make(first, end)` yields, in pieces of work; `name` is that of the kind of boards.

    Raises `PuzzlelabError` for boards that are left out, and what `make` raises.
    """
    # a worker prepares itself by a board of its own
    setup = Setup(f"generate {name}", partial(_prepare, make, first))
    pieces: Pieces[range] = Pieces(
        executor,
        lambda numbers: partial(make, numbers.start, numbers.stop),
        lambda numbers: f"boards {numbers.start + 1:,} to {numbers.stop:,}",
        lambda numbers: setup,
    )
    for _, numbers, value in pieces.done(pieces.cut([(range(first, end), None)])):
        if isinstance(value, PieceLost):
            raise PuzzlelabError(f"board {numbers.start + 1:,} cannot be made: {value}")
        yield value


def generator_of(
    puzzle: Puzzle, scale: str | None, level: str | None, settings: Mapping[str, Any]
) -> BoardGenerator | None:
    """Return the puzzle's own generator with these settings, or None if it has none.

    Raises:
        BadOption: as `boards` does; without an own generator, for every setting that is not None.
    """
    own = own_generator(puzzle)
    values = {name: value for name, value in settings.items() if value is not None}
    if own is not None:
        return own.settings.of_scale(scale_of(puzzle, scale)[0], level, {**values, **own.fixed})
    if values:
        raise BadOption(f"{puzzle.name} makes boards by scale and level only")
    return None


def sampler(puzzle: Puzzle, scale: str | None, level: str | None, seed: int) -> Callable[[int], State]:
    """Return a function that makes the board number i, from 0, cycling through the levels. Raises as `boards` does."""
    name, chosen = scale_of(puzzle, scale)
    least, most = read_levels(level) if level else (None, None)
    for end in (least, most):
        check_level(puzzle, name, chosen, end)
    levels = [None] if least is None or most is None else list(range(least, most + 1))
    return lambda number: chosen.sample(generator(seed, number), levels[number % len(levels)], 1)[0]


@dataclass(frozen=True)
class GeneratorField:
    """A setting of a puzzle's own generator: an option of the command line, and a parameter of the server's query."""

    puzzle: str
    """The puzzle whose generator has it, or the family of several."""
    info: FieldInfo

    @property
    def description(self) -> str:
        """The puzzle and what the setting means, as a sentence."""
        return f"{self.puzzle}: {self.info.description}."

    @property
    def is_switch(self) -> bool:
        """Whether the option has no value."""
        return self.info.annotation is bool

    @property
    def extra(self) -> Mapping[str, Any]:
        """The facts of the generator about the option beside its type: `off` and `served_most`."""
        return self.info.json_schema_extra if isinstance(self.info.json_schema_extra, dict) else {}

    @property
    def off(self) -> str | None:
        """The name of the option, where it switches the setting off."""
        return self.extra.get("off")

    def setting(self, value: Any) -> Any:
        """Return the value of the setting for this value of the option; None for an option that is not used."""
        if value in (None, False):
            return None
        return value if self.off is None else False


def generator_fields() -> dict[str, GeneratorField]:
    """Return all settings of own generators by name, except the level."""
    fields: dict[str, GeneratorField] = {}
    for kind, family in installed.families():
        for name in family.names:
            if (own := own_generator(registry.load(name))) is not None:
                for field, info in own.settings.fields().items():
                    if field != "level":
                        first = fields.get(field)
                        fields[field] = GeneratorField(kind, first.info) if first else GeneratorField(name, info)
    return fields
