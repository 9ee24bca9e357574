"""Calls of a puzzle under test: what they raise, change and return is looked at in one place.

Shapes: S = length of a state, M = number of moves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, ConformanceError, described, shorten
from puzzlelab.core.puzzle import Puzzle, State, View

Value = TypeVar("Value")

LONGEST = 200
"""Characters of a text, or of another error's message, that a sentence quotes."""
KINDS: dict[Any, str] = {bool: "True or False", int: "an int", str: "a text", str | None: "a sentence or None"}
"""Types in words; a text is not empty."""


def must(holds: bool, sentence: str) -> None:
    """Raise `ConformanceError` with the sentence unless this holds."""
    if not holds:
        raise ConformanceError(sentence)


def must_be(value: object, expected: Any, beginning: str) -> None:
    """Raise `ConformanceError` unless the value is of the `expected` type; the sentence has this beginning.

    An array is expected as a text such as 'uint8[G, 9]': a capital letter stands for any length or type, int for all
    whole numbers, and float for all numbers.
    """
    if isinstance(expected, str):
        words, kind = expected, kind_of(value) if isinstance(value, np.ndarray) else ""
        pattern = re.sub("[A-Z]", r"\\w+", re.escape(expected))
        pattern = pattern.replace(r"int\[", r"u?int\d+\[").replace(r"float\[", r"(u?int|float)\d+\[")
        holds = kind == expected or re.fullmatch(pattern, kind) is not None
    else:
        holds = isinstance(value, expected) and not (isinstance(value, str) and value == "")
        words = KINDS.get(expected) or f"an object of the class {expected.__name__}"
    if not holds:
        raise ConformanceError(f"{beginning} {words}, not {kind_of(value)}")


def must_be_same(again: State, state: State, failure: str) -> None:
    """Raise `ConformanceError` unless a state came back with its numbers and its type."""
    same = np.array_equal(again, state) and again.dtype == state.dtype
    must(same, f"{failure}, but as {again.tolist()}, {kind_of(again)} in the place of {kind_of(state)}")


def kind_of(value: object) -> str:
    """Name a value in a sentence: 'uint8[9]' for an array, otherwise the value or its type in words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    return f"a NumPy {type(value).__name__}" if isinstance(value, np.generic) else described(value)


@dataclass(frozen=True, eq=False)
class CheckedPuzzle:
    """A puzzle whose methods are checked at each call; it is a `Puzzle` itself, so that searches can use it."""

    puzzle: Puzzle
    name: str
    move_count: int

    def word(self, argument: object) -> str:
        """Name a board, a move, a text or a view in a sentence; nothing for others.

        What the puzzle cannot write is named by its numbers: another check says why.
        """
        try:
            if isinstance(argument, np.ndarray):
                return str(self.puzzle.write(argument))
            if isinstance(argument, int):
                return f"move {self.puzzle.write_move(argument)}"
        except Exception:
            return str(np.asarray(argument).tolist())
        if isinstance(argument, str):
            return f"'{shorten(argument, LONGEST)}'"
        return argument.__name__ if isinstance(argument, type) else ""

    @contextmanager
    def at(self, *arguments: Any, call: str = "", passed: type[Exception] | None = None) -> Iterator[None]:
        """Name the puzzle, the board, and the call with its arguments in every error that does not name the puzzle.

        The board is the first array, or its first row. Every error becomes a `ConformanceError`, except those that are
        `passed` on.
        """
        try:
            yield
        except Exception as error:
            deed, is_named = str(error), isinstance(error, ConformanceError)
            if (passed and isinstance(error, passed)) or (is_named and deed.startswith(self.name)):
                raise
            if "readonly" in deed.replace("-", ""):
                deed = "writes into its argument, which must stay as it is"
            elif not is_named:
                hint = "; for a text that cannot be read, raise BadBoard" if passed is BadBoard else ""
                deed = f"{'' if call else 'the check '}raised {type(error).__name__}: {shorten(deed, LONGEST)}{hint}"
            boards = [np.atleast_2d(each)[0] for each in arguments if isinstance(each, np.ndarray)]
            place = " at ".join([self.name, *map(self.word, boards[:1])])
            rest = [self.word(each) for each in arguments if not isinstance(each, np.ndarray)]
            sentence = f"{' of '.join([call, *filter(None, rest)])} {deed}".strip()
            raise ConformanceError(f"{place}: {sentence}") from (error.__cause__ if is_named else error)

    def call(
        self,
        call: str,
        function: Callable[..., Value],
        *arguments: Any,
        gives: Any = object,
        passed: type[Exception] | None = None,
    ) -> Value:
        """Return `function(*arguments)`, which must be of the type that it `gives`; see `must_be`.

        Raises `ConformanceError` if the function raises an error that is not `passed` on, changes an array, or gives
        an array that shares memory with a state.
        """
        copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
        states = [copy for copy in copies if isinstance(copy, np.ndarray) and copy.ndim == 1]
        for state in states:
            state.setflags(write=False)  # as the states of boards are
        with self.at(*arguments, call=call, passed=passed):
            value = function(*copies)
            must(all(map(np.array_equal, copies, arguments)), "changed its argument, which must stay as it is")
            shared = isinstance(value, np.ndarray) and any(np.shares_memory(value, state) for state in states)
            must(not shared, "gives an array that shares memory with its argument")
            must_be(value, gives, "must give")
        return value

    def must_hold(self, holds: NDArray[np.bool_], states: State, sentence: Callable[[int], str]) -> None:
        """Raise `ConformanceError` at the first of `states: [B, S]` for which `holds: bool[B]` is False.

        The sentence is made from its number.
        """
        for row in np.flatnonzero(~holds)[:1].tolist():
            with self.at(states[row]):
                must(False, sentence(row))

    def twice(self, function: Callable[..., Value], *arguments: Any) -> Value:
        """Return what a method of this class gives, which must be the same at a second call."""
        first, second = function(*arguments), function(*arguments)
        with self.at(*arguments, call=f"`{function.__name__}`"):
            if not np.array_equal(first, second):  # type: ignore[arg-type]  # NumPy takes long to write an array
                must(False, f"gives {first}, and {second} the second time")
        return first

    def must_read_back(self, state: State) -> None:
        """Raise `ConformanceError` unless the canonical notation is one line, and is read as the same state."""
        text = self.write(state)
        with self.at(state):
            must(text.splitlines() == [text], "the canonical notation must be one line")
            board = self.call("`read` of what `write` gives", lambda _: self.puzzle.read(text), state, gives=Instance)
            must(board.puzzle == self.puzzle, f"`read` of '{text}' gives a board of another puzzle")
            must_be_same(board.state, state, "the board is not read as it was written")

    # --- rules ---

    def legal(self, state: State) -> NDArray[np.bool_]:
        return self.call("`legal`", self.puzzle.legal, state, gives=f"bool[{self.move_count}]")

    def apply(self, state: State, move: int) -> State:
        return self.call("`apply`", self.puzzle.apply, state, move, gives=kind_of(state))

    def solved(self, state: State) -> bool:
        return self.call("`solved`", self.puzzle.solved, state, gives=bool)

    def objection(self, state: State) -> str | None:
        return self.call("`objection`", self.puzzle.objection, state, gives=str | None)

    # --- notation and drawing ---

    def read(self, text: str) -> Instance:
        return self.call("`read`", self.puzzle.read, text, gives=Instance)

    def write(self, state: State) -> str:
        return self.call("`write`", self.puzzle.write, state, gives=str)

    def draw(self, state: State, mark: int | None = None) -> str:
        call, marks = ("`draw`", ()) if mark is None else ("`draw` with the mark", (mark,))
        return self.call(call, self.puzzle.draw, state, *marks, gives=str)

    def write_move(self, move: int) -> str:
        return self.call("`write_move`", self.puzzle.write_move, move, gives=str)

    def read_move(self, text: str) -> int:
        return self.call("`read_move`", self.puzzle.read_move, text, gives=int)

    def view(self, kind: type[View]) -> View | None:
        return self.call("`view`", self.puzzle.view, kind)
