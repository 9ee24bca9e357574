"""Boards of one puzzle: an `Instance` is one of them, `Boards` are many as one array, with their texts and places.

`Instance.of` reads a board from numbers, with every check that a board as a text gets.

Shapes: B = boards, S = length of a state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlelab.core.errors import BadBoard, described, shorten, wrong_argument
from puzzlelab.core.puzzle import Drawings, Notation, Puzzle, State

CELLS = (type(None), str, int, float, np.integer, np.floating)
"""The types that may stand in a list of cells."""
SHOWN = 60
"""The most characters of values that an error shows."""
CHECKED = 1000
"""The most boards that are checked after an error."""
_dtypes: dict[tuple[Puzzle, int], np.dtype[Any]] = {}
"""(puzzle, length of a state) -> the type of the puzzle's states."""
NEWLINE = ord("\n")
Places = slice | NDArray[np.bool_] | NDArray[np.int64]
"""A range of boards, a mask `bool[B]`, or places in any order."""


def _no_state(value: object) -> str:
    """Return why an instance cannot be made of this value, as a sentence."""
    shape = f" {list(value.shape)}" if isinstance(value, np.ndarray) else ""
    instead = "Instance.of(puzzle, values) reads and checks numbers and texts"
    return f"a state must be an array [S], not {described(value)}{shape}; {instead}"


class Instance:
    """A puzzle and a start state `[S]`, which is copied; hashable.

    The constructor takes a state that the puzzle made, and checks no values: searches make thousands of instances.
    `Instance.of` takes values from elsewhere, and checks them.

    >>> board = puzzlelab.load("tiles-2x2").read("1 2 0 3")
    >>> board
    <tiles-2x2: 1 2 0 3>
    >>> board == puzzlelab.Instance.of(board.puzzle, [[1, 2], [0, 3]])
    True
    """

    __slots__ = ("puzzle", "state")

    def __init__(self, puzzle: Puzzle, state: State) -> None:
        if not isinstance(state, np.ndarray) or state.ndim != 1:
            raise BadBoard(_no_state(state))
        self.puzzle = puzzle
        self.state = state.copy()
        self.state.setflags(write=False)

    @classmethod
    def of(cls, puzzle: Puzzle, values: ArrayLike) -> Instance:
        """Return the board with these values: an array, a list or a tuple of numbers, or a text.

        The values become a state of the puzzle's own type. The puzzle writes them and reads what it wrote, so that they
        are checked as a text is, in some hundredths of a millisecond.

        Args:
            puzzle: the puzzle.
            values: the state `[S]`; all rows or all columns of the board, as `puzzle.read` takes them in a nested list;
                or a text for it.

        Raises:
            BadBoard: with the reason, if the values are no board of this puzzle.
        """
        return read_values(puzzle, values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance):
            return NotImplemented
        return self.puzzle == other.puzzle and self.state.tobytes() == other.state.tobytes()

    def __hash__(self) -> int:
        return hash((self.puzzle, self.state.tobytes()))

    def __repr__(self) -> str:
        return f"<{self.puzzle.name}: {self.puzzle.write(self.state)}>"

    def svg(self) -> str | None:
        """Return the board as SVG; None if the puzzle has no pictures."""
        drawing = self.puzzle.view(Drawings)
        return None if drawing is None else drawing.svg(self.state)

    def html(self) -> str:
        """Return the board as HTML: as SVG or, if the puzzle has no pictures, as text."""
        from html import escape

        picture = self.svg() or f"<pre>{escape(self.puzzle.draw(self.state))}</pre>"
        return f'<div style="max-width: 20em">{picture}</div>'

    def _repr_svg_(self) -> str | None:
        """Return the board as a picture, for notebooks."""
        return self.svg()


class Boards(Sequence[Instance]):
    """Boards of one puzzle: a sequence of instances, which are made when they are asked for.

    `boards[3]` is an `Instance`; `boards[2:5]`, `boards[mask]` and `boards[places]` are `Boards`.

    Args:
        puzzle: their puzzle.
        states: plain states `[B, S]`, which are not checked; `solve_many` and `solve_table` take any type of numbers.
        numbers: `int64[B]`, the number of the line or argument of each board; by default 0, 1, 2 ...
        texts: the text of each board; None for boards that come from no text.
        errors: place -> why the text there is no board; its state is zeros.
        source: what is numbered, such as `boards.txt, line`; empty for a single argument.

    >>> puzzle = puzzlelab.load("tiles-2x2")
    >>> boards = puzzlelab.Boards(puzzle, np.array([[1, 2, 3, 0], [3, 1, 2, 0]], np.uint8))
    >>> boards[1]
    <tiles-2x2: 3 1 2 0>
    >>> len(boards[1:])
    1
    """

    def __init__(
        self,
        puzzle: Puzzle,
        states: State,
        numbers: NDArray[np.int64] | None = None,
        texts: Sequence[str] | None = None,
        errors: Mapping[int, str] | None = None,
        source: str = "",
    ) -> None:
        self.puzzle, self.states, self.source = puzzle, states, source
        self.numbers = np.arange(len(states)) if numbers is None else numbers
        self.errors: Mapping[int, str] = errors or {}
        self._texts = texts

    @classmethod
    def of(cls, instances: Sequence[Instance]) -> Boards:
        """Make `Boards` of instances, which are of one puzzle, and at least one."""
        if isinstance(instances, Boards):
            return instances
        return cls(instances[0].puzzle, np.array([instance.state for instance in instances]))

    @property
    def texts(self) -> Sequence[str]:
        """[B]: the text of each board, which is written here if the boards come from no text."""
        if self._texts is None:
            self._texts = self.written()
        return self._texts

    @property
    def has_texts(self) -> bool:
        """Whether the boards come from texts."""
        return self._texts is not None

    @cached_property
    def is_readable(self) -> NDArray[np.bool_]:
        """`bool[B]`: where the text is a board."""
        is_readable = np.ones(len(self), bool)
        is_readable[list(self.errors)] = False
        return is_readable

    def where(self, place: int) -> str:
        """Return the place of a board in words; empty for a single argument."""
        return f"{self.source} {self.numbers[place]}" if self.source else ""

    def written(self) -> list[str]:
        """Write each board in the canonical notation: [B]; all of them must be readable."""
        notation = self.puzzle.view(Notation)
        if notation is None or notation.write_lines is None:
            return [self.puzzle.write(state) for state in self.states]
        return as_text(notation.write_lines(self.states)).splitlines()

    def with_errors(self, errors: Mapping[int, str]) -> Boards:
        """Return a copy in which these boards too have an error: place -> why."""
        if not errors:
            return self
        return Boards(self.puzzle, self.states, self.numbers, self._texts, {**self.errors, **errors}, self.source)

    def with_own_states(self) -> Boards:
        """Return these boards with states of the puzzle's own type; raises `BadBoard` as `own_states` does."""
        states = self.states if self.errors else own_states(self.puzzle, np.asarray(self.states))
        return self if states is self.states else Boards(self.puzzle, states, self.numbers, self._texts)

    def __len__(self) -> int:
        return len(self.states)

    @overload
    def __getitem__(self, index: int) -> Instance: ...
    @overload
    def __getitem__(self, index: Places) -> Boards: ...
    def __getitem__(self, index: int | Places) -> Instance | Boards:
        if isinstance(index, slice | np.ndarray):
            return self._some(index)
        if self.errors and (error := self.errors.get(range(len(self))[index])) is not None:
            raise BadBoard(error)
        return Instance(self.puzzle, self.states[index])

    def _some(self, index: Places) -> Boards:
        texts, errors = self._texts, self.errors
        if texts is not None:
            texts = texts[index] if isinstance(index, slice) else np.array(texts, object)[index].tolist()
        if errors:
            places, is_readable = np.arange(len(self))[index], self.is_readable[index]
            errors = {new: errors[int(places[new])] for new in np.flatnonzero(~is_readable).tolist()}
        return Boards(self.puzzle, self.states[index], self.numbers[index], texts, errors, self.source)

    def __iter__(self) -> Iterator[Instance]:
        return map(self.__getitem__, range(len(self)))


def as_text(lines: NDArray[np.uint8]) -> str:
    """Return the ASCII lines `uint8[B, W]` as a text, each with its end."""
    text = np.empty((len(lines), lines.shape[1] + 1), np.uint8)
    text[:, :-1], text[:, -1] = lines, NEWLINE
    return text.tobytes().decode("ascii")


def runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Return the places (begin, end) of the longest parts of `mask: bool[B]` in which all values are equal, in
    order.
    """
    if len(mask):
        ends = [*(np.flatnonzero(mask[1:] != mask[:-1]) + 1).tolist(), len(mask)]
        yield from zip([0, *ends], ends, strict=False)


# --- boards from numbers ---


def read_values(puzzle: Puzzle, values: object) -> Instance:
    """Return the board with these values; see `Instance.of`."""
    if isinstance(puzzle, str | type) or puzzle is None:
        raise wrong_argument("the puzzle of a board", "a puzzle, as puzzlelab.load gives it", puzzle)
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
        values = f", which are {array.min()} to {array.max()}" if array.dtype.kind in "iuf" and array.size else ""
        raise BadBoard(f"the puzzle cannot write its {array.size} values{values}") from error
    instance = puzzle.read(text)
    if not np.array_equal(instance.state, array):
        raise BadBoard(f"what the puzzle writes for it, '{shorten(text)}', is another board")
    return instance


def own_states(puzzle: Puzzle, states: NDArray[Any]) -> State:
    """Return `[B, S]`: the states, or a single one `[S]`, with the puzzle's own type of numbers.

    Raises `BadBoard` where that type has not these values. The first state of each length is read as a board. Others
    are not: that would take longer than most estimates.
    """
    array = states[None] if states.ndim == 1 else states
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        kind = f"{array.dtype}{list(states.shape)}"
        raise BadBoard(f"the states must be numbers [B, S] or [S], not an array {kind}")
    if not len(array):
        return array
    form = puzzle, array.shape[1]
    if form not in _dtypes:
        _dtypes[form] = read_values(puzzle, array[0]).state.dtype
    with np.errstate(invalid="ignore"):  # compared below
        converted = array.astype(_dtypes[form], copy=False)
    if converted is not array and not np.array_equal(converted, array):
        raise BadBoard(f"the states of {puzzle.name} are {converted.dtype}[B, S], and this array has other values")
    return converted


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
