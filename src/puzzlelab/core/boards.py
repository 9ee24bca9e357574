"""Many boards of one puzzle as one array, with their texts and their places; one board is a batch of one.

Shapes: B = boards, S = length of a state, W = characters of a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol, overload

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import Instance, Puzzle, State

NEWLINE = ord("\n")
Places = slice | NDArray[np.bool_] | NDArray[np.int64]
"""A range of boards, a mask `bool[B]`, or places in any order."""


class BatchNotation(Protocol):
    """The view that reads and writes many boards at once, in notations with one line of a fixed length for each
    board.
    """

    def read_lines(self, lines: NDArray[np.uint8]) -> tuple[State, NDArray[np.bool_]]:
        """Read the ASCII lines `uint8[B, W]` without their ends: the states `[B, S]`, and `bool[B]`, which are boards.

        It accepts only lines that `read` reads as the same state, and that all are one board or none for
        a `text.splitting.Splitter`, if they follow each other. All others are read by `read`, which knows every
        notation and names errors.
        """

    def write_lines(self, states: State) -> NDArray[np.uint8]:
        """Write the canonical notation of each of the `states[B, S]` in ASCII: `uint8[B, W]`."""

    def write_solved(self, notation: str, states: State, ends: State) -> NDArray[np.uint8] | None:
        """Write each of the boards `states[B, S]` with its solution `ends[B, S]` on a line in ASCII: `uint8[B, W]`.

        `notation` is one of `Presentation.notations`. None if that is not one line of a fixed length for each board.
        """


class Boards(Sequence[Instance]):
    """Boards of one puzzle: a sequence of instances, which are made when they are asked for.

    `boards[3]` is an `Instance`; `boards[2:5]`, `boards[mask]` and `boards[places]` are `Boards`.

    Args:
        puzzle: their puzzle.
        states: plain states `[B, S]` that the puzzle made; they are not checked.
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
        notation = self.puzzle.view(BatchNotation)
        if notation is None:
            return [self.puzzle.write(state) for state in self.states]
        return as_text(notation.write_lines(self.states)).splitlines()

    def with_errors(self, errors: Mapping[int, str]) -> Boards:
        """Return a copy in which these boards too have an error: place -> why."""
        if not errors:
            return self
        return Boards(self.puzzle, self.states, self.numbers, self._texts, {**self.errors, **errors}, self.source)

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
            places = np.arange(len(self))[index].tolist()
            errors = {new: errors[old] for new, old in enumerate(places) if old in errors}
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
