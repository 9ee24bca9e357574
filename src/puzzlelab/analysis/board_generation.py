"""New boards as people ask for them: by a scale and a level on it, and by a puzzle's own settings where it has some.

A puzzle may have a generator of its own (the view `OwnGenerator`); boards of others are sampled on their scales.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import read_levels
from puzzlelab.core.views import BoardGenerator, OwnGenerator, scale_of

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


def boards(
    puzzle: Puzzle,
    count: int,
    scale: str | None = None,
    level: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
    **made: Any,
) -> Iterator[State]:
    """New plain states `[S]`, as many as asked for, one by one as they are made.

    Args:
        puzzle: whose boards.
        count: how many; what follows does not depend on it, so that more boards begin with the same ones.
        scale: the scale of difficulty; the puzzle's main one if not given.
        level: a level on it such as '15', or several such as '10-20', which come up alike.
        seed: equal seeds give equal boards.
        jobs: threads, of a puzzle that has its own generator; all cores if not given.
        made: the settings of that generator, such as `clues='25-30'`; `None` leaves one as it is by default.

    Raises:
        BadOption: for what does not exist, or cannot be had together.
        Unsupported: if the puzzle makes no boards.
        UnknownName: if it has no such scale.
    """
    if count < 1:
        raise BadOption(f"at least 1 board must be asked for, not {count}")
    maker = generator_of(puzzle, scale, level, made)
    if maker is None:
        return map(sampler(puzzle, scale, level, seed), range(count))
    return islice((board for puzzles, _ in maker.batches(count, seed, jobs) for board in puzzles), count)


def generator_of(
    puzzle: Puzzle, scale: str | None, level: str | None, made: Mapping[str, Any]
) -> BoardGenerator | None:
    """The puzzle's own generator with these settings, or None where it has none.

    Raises:
        BadOption: as `boards` does; where there is no generator, for any setting of one.
    """
    own = puzzle.view(OwnGenerator)
    given = {name: value for name, value in made.items() if value is not None}
    if own is not None:
        return own.settings.of_scale(scale_of(puzzle, scale)[0], level, given)
    if given:
        raise BadOption(f"{puzzle.name} makes boards by scale and level only")
    return None


def sampler(puzzle: Puzzle, scale: str | None, level: str | None, seed: int) -> Callable[[int], State]:
    """Makes the board number i, from 0, of this seed; the levels take turns. Raises as `boards` does."""
    _, chosen = scale_of(puzzle, scale)
    least, most = read_levels(level) if level else (None, None)
    levels = [None] if least is None or most is None else list(range(least, most + 1))
    return lambda number: chosen.sample(generator(seed, number), levels[number % len(levels)])


def generator_fields() -> dict[str, tuple[str, FieldInfo]]:
    """The settings that puzzles' own generators have besides the level: name -> (first puzzle that has it, field)."""
    fields: dict[str, tuple[str, FieldInfo]] = {}
    for family in registry.families():
        for name in registry.family(family).names:
            if (own := registry.load(name).view(OwnGenerator)) is not None:
                for field, about in own.settings.fields().items():
                    if field != "level":
                        fields.setdefault(field, (name, about))
    return fields
