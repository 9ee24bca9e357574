"""Reads boards from numbers, with every check that a board as a text gets.

Shapes: B = boards, S = length of a state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.arguments import described, wrong
from puzzlelab.core.errors import BadBoard, shorten

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Instance, Puzzle

CELLS = (type(None), str, int, float, np.integer, np.floating)
"""The types that may stand in a list of cells."""
SHOWN = 60
"""The most characters of values that an error shows."""
CHECKED = 1000
"""The most boards that are checked after an error."""


def read_values(puzzle: Puzzle, values: object) -> Instance:
    """Return the board with these values; see `Instance.of`."""
    if isinstance(puzzle, str | type) or puzzle is None:
        raise wrong("the puzzle of a board", "a puzzle, as puzzlelab.load gives it", puzzle)
    if isinstance(values, str):
        return puzzle.read(values)
    array = _whole_numbers(values)
    try:
        return _nested(puzzle, array) if array.ndim == 2 or array.dtype.kind in "OU" else _state(puzzle, array)
    except BadBoard as error:
        shown = shorten(str(array.tolist()), SHOWN)
        raise BadBoard(f"{shown} is no board of {puzzle.name}: {error}") from None


def _whole_numbers(values: object) -> NDArray[Any]:
    """Return `[S]` or a nested array; whole floating-point numbers, such as those of a table, and truth values as
    integers.
    """
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        raise BadBoard(
            "the values of a board must be a list or an array of numbers, not lists of different lengths"
        ) from None
    if array.dtype.kind in "Of" and array.ndim in (1, 2) and _is_blank(array).any():
        is_blank, array = _is_blank(array), array.astype(object)
        array[is_blank] = None
    is_mixed = array.dtype.kind == "O" and all(isinstance(each, CELLS) for each in array.ravel())
    if array.ndim not in (1, 2) or not (array.dtype.kind in "biufU" or is_mixed):
        given = described(values)
        kinds = f" of {array.ndim} dimensions" if array.ndim > 2 else " of something else" if array.ndim else ""
        raise BadBoard(f"the values of a board must be a text, or a list or an array of numbers, not {given}{kinds}")
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all():
        return array.astype(np.int64)
    return array


def _is_blank(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell where nothing stands, which is None or NaN: `bool` of the same shape."""
    flags = [each is None or each != each for each in array.ravel().tolist()]
    return np.array(flags, bool).reshape(array.shape)


def _state(puzzle: Puzzle, array: NDArray[Any]) -> Instance:
    """Return the board whose state has these values `[S]`: the puzzle writes them, and reads what it wrote."""
    try:
        text = puzzle.write(array)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadBoard(f"the puzzle cannot write it ({shorten(str(error), SHOWN)})") from error
    instance = puzzle.read(text)
    if not np.array_equal(instance.state, array):
        raise BadBoard(f"what the puzzle writes for it, '{shorten(text)}', is another board")
    return instance


def _nested(puzzle: Puzzle, array: NDArray[Any]) -> Instance:
    """Return the board that the puzzle reads from a nested list."""
    return puzzle.read(json.dumps(array.tolist()))


@contextmanager
def naming_bad_boards(boards: Iterable[Instance]) -> Iterator[None]:
    """Raise `BadBoard` in the place of an error inside, if one of these boards is none of its puzzle.

    Boards are not checked before they are used, because that may take longer than their use. Other errors stay.
    """
    try:
        yield
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError):
        for board in islice(boards, CHECKED):
            expected, given = read_values(board.puzzle, board.state).state.dtype, board.state.dtype
            if given.kind == "f" != expected.kind:
                name = board.puzzle.name
                raise BadBoard(f"a state of {name} is {expected}[S], not {given}[S]; see Instance.of") from None
        raise
