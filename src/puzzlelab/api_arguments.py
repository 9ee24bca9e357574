"""Checks the arguments that the functions of `api` share, and converts them to what the rest of the package takes.

Each function returns its value, or raises `BadBoard` or `BadOption` with a sentence; see `core.errors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from puzzlelab.core import errors, registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.cover import ExactCover
from puzzlelab.core.cover_puzzle import board_of
from puzzlelab.core.errors import BadBoard, BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle

if TYPE_CHECKING:
    import numpy as np


def board(instance: object, what: str = "the board") -> Instance:
    """Return a board, for an exact cover that on which nothing is chosen; `what` it is called in the error."""
    if isinstance(instance, ExactCover):
        return board_of(instance)
    expected = "an Instance, as puzzle.read(text) or Instance.of(puzzle, values) gives it"
    checked_board = errors.require_kind(instance, Instance, what, expected, BadBoard)
    registry.require_puzzle(checked_board.puzzle, "the puzzle of a board", "a puzzle, as puzzlelab.load gives it")
    return checked_board


def boards(instances: object) -> Iterator[Instance]:
    """Return the boards, each checked when it is needed; raises `BadBoard` at once for what has no boards in it."""
    if isinstance(instances, str | Instance) or not isinstance(instances, Iterable):
        raise errors.wrong_argument(
            "the boards", "a list or another iterable of boards (solve takes a single one)", instances, BadBoard
        )
    return (board(instance, f"board {number}") for number, instance in enumerate(instances, start=1))


def limit(value: Limit | None) -> Limit:
    """Return a limit, by default none of any kind."""
    if value is None:
        return Limit()
    return errors.require_kind(value, Limit, "the limit", "a Limit, such as puzzlelab.Limit(seconds=60)")


def callback(function: object, name: str, called: str) -> None:
    """Raise `BadOption` unless this is a function, or None; `called` says when it is called, and with what."""
    if function is not None and not callable(function):
        raise errors.wrong_argument(f"`{name}`", f"a function that is called {called}", function)


def solution_count(most: int | None) -> int | None:
    """Return the greatest number of solutions, or None."""
    return None if most is None else errors.whole_number(most, "the number of solutions", least=1)


def levels(level: int | tuple[int, int] | str | None) -> str | None:
    """Return the level or the range of levels as a text."""
    if level is None or isinstance(level, str):
        return level
    expected = "a whole number such as 15, a range such as (10, 20), or a text such as '10-20'"
    ends = level if isinstance(level, tuple | list) and len(level) == 2 else (level,)
    return "-".join(str(errors.whole_number(end, "the level", 0, expected)) for end in ends)


RandomSource: TypeAlias = "int | Sequence[int] | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator"
"""The sources of random numbers that `numpy.random.default_rng` takes."""


def seed(number: int | None, rng: RandomSource | None) -> int:
    """Return the seed, by default 0, or one that is drawn from `rng`; raises `BadOption` if both are given."""
    if rng is None:
        return 0 if number is None else errors.whole_number(number, "the seed", least=0)
    if number is not None:
        raise BadOption("give a seed or rng, not both")
    if isinstance(rng, int):
        return errors.whole_number(rng, "rng", least=0)
    from numpy.random import default_rng

    try:
        return int(default_rng(rng).integers(2**63))
    except (TypeError, ValueError):
        raise errors.wrong_argument(
            "rng", "a generator of NumPy, or what numpy.random.default_rng takes", rng
        ) from None


def moves(instance: Instance, game: Sequence[int] | str) -> list[int]:
    """Return the moves from a board on as numbers; raises `BadBoard` for what is no move of the puzzle."""
    if isinstance(game, str):
        from puzzlelab.text.moves import read_game

        return read_game(instance, game)
    return move_numbers(instance.puzzle, game)


def move_numbers(puzzle: Puzzle, game: Sequence[int]) -> list[int]:
    """Return these numbers; raises `BadBoard` for one that is no move of the puzzle."""
    expected = "a list of numbers, such as result.moves, or a text such as 'U D'"
    if not isinstance(game, Iterable):
        raise errors.wrong_argument("the moves", expected, game)
    numbers = [errors.whole_number(move, f"move {step}") for step, move in enumerate(game, start=1)]
    for step, number in enumerate(numbers, start=1):
        if not 0 <= number < puzzle.move_count:
            sentence = f"{number} is none of the moves 0 to {puzzle.move_count - 1}"
            raise BadBoard(sentence, f"move {step} of {len(numbers)}")
    return numbers


def candidates(puzzle: Puzzle, removed: Sequence[int] | str) -> list[int]:
    """Return the candidates that were ruled out as numbers of moves; raises `BadBoard` for one that is none."""
    from puzzlelab.analysis.logical_hints import read_notes

    return read_notes(puzzle, removed)[1] if isinstance(removed, str) else move_numbers(puzzle, removed)
