"""Checked calls of a puzzle, for the conformance checks: what a method raises, changes and returns is looked at.

Shapes: S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, ConformanceError, described, shorten
from puzzlelab.core.puzzle import Puzzle, State, View

Value = TypeVar("Value")

LONGEST = 200
"""Characters of a text, or of another error's message, that a sentence quotes."""


def must(holds: bool, sentence: str) -> None:
    """Raise `ConformanceError` with the sentence unless this holds."""
    if not holds:
        raise ConformanceError(sentence)


def kind_of(value: object) -> str:
    """Name a value in a sentence: 'uint8[9]' for an array, otherwise the value or its type in words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    return f"a NumPy {type(value).__name__}" if isinstance(value, np.generic) else described(value)


@contextmanager
def calling(call: str) -> Iterator[None]:
    """Turn every error into a `ConformanceError` that says which call raised it."""
    try:
        yield
    except ConformanceError:
        raise
    except Exception as error:
        raise ConformanceError(f"{call} raised {_quoted(error)}") from error


def _quoted(error: Exception) -> str:
    return f"{type(error).__name__}: {shorten(str(error), LONGEST)}"


def must_be_array(value: object, call: str, dtype: Any, shape: tuple[int, ...]) -> None:
    """Raise `ConformanceError` unless the value is an array of this type and shape."""
    if not (isinstance(value, np.ndarray) and value.dtype == dtype and value.shape == shape):
        sizes = ", ".join(map(str, shape))
        raise ConformanceError(f"{call} must give {np.dtype(dtype).name}[{sizes}], not {kind_of(value)}")


@dataclass(frozen=True, eq=False)
class CheckedPuzzle:
    """A puzzle whose methods are checked at each call; it is a `Puzzle` itself, so that batches of states can use it.

    A call raises `ConformanceError` if the method raises another error than its contract names, writes into its
    argument, or gives a result of another type.
    """

    puzzle: Puzzle

    @property
    def name(self) -> str:
        return self.puzzle.name

    @property
    def move_count(self) -> int:
        return self.puzzle.move_count

    def at(self, state: State, call: str = "", move: int | None = None) -> str:
        """Write 'puzzle at board: call of move', for the beginning of a sentence."""
        try:
            board = str(self.puzzle.write(state))
        except Exception:  # another check says what is wrong with `write`
            board = str(state.tolist())
        name = "" if move is None else f" of move {self.named(move)}"
        return f"{self.name} at {board}" + (f": {call}{name}" if call else "")

    def named(self, move: int) -> str:
        """Return the notation of a move, or its number if it has none."""
        try:
            return str(self.puzzle.write_move(move))
        except Exception:  # another check says what is wrong with `write_move`
            return str(move)

    def of_state(
        self, call: str, function: Callable[..., Value], state: State, *rest: Any, move: int | None = None
    ) -> Value:
        """Call `function(state, *rest)`, which must not change the state: the states of boards cannot be written."""
        argument = state.copy()
        argument.setflags(write=False)
        try:
            value = function(argument, *rest)
        except Exception as error:
            where = self.at(state, call, move)
            must(not _writes(function, state, rest), f"{where} writes into its argument, which must stay as it is")
            raise ConformanceError(f"{where} raised {_quoted(error)}") from error
        if not np.array_equal(argument, state):
            raise ConformanceError(f"{self.at(state, call, move)} changed its argument, which must stay as it is")
        if isinstance(value, np.ndarray) and np.shares_memory(value, argument):
            raise ConformanceError(f"{self.at(state, call, move)} gives an array that shares memory with its argument")
        return value

    def _wrong_type(self, state: State, call: str, expected: str, value: object) -> NoReturn:
        raise ConformanceError(f"{self.at(state, call)} must give {expected}, not {kind_of(value)}")

    # --- rules ---

    def legal(self, state: State) -> NDArray[np.bool_]:
        mask = self.of_state("`legal`", self.puzzle.legal, state)
        if not (isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (self.move_count,)):
            self._wrong_type(state, "`legal`", f"one entry a move, bool[{self.move_count}]", mask)
        return mask

    def apply(self, state: State, move: int) -> State:
        after = self.of_state("`apply`", self.puzzle.apply, state, move, move=move)
        if not (isinstance(after, np.ndarray) and after.dtype == state.dtype and after.shape == state.shape):
            must_be_array(after, self.at(state, "`apply`", move), state.dtype, state.shape)
        return after

    def solved(self, state: State) -> bool:
        solved = self.of_state("`solved`", self.puzzle.solved, state)
        if not isinstance(solved, bool):
            self._wrong_type(state, "`solved`", "True or False", solved)
        return solved

    def objection(self, state: State) -> str | None:
        reason = self.of_state("`objection`", self.puzzle.objection, state)
        if reason is not None and not (isinstance(reason, str) and reason):
            self._wrong_type(state, "`objection`", "a sentence or None", reason)
        return reason

    # --- notation and drawing ---

    def read(self, text: str) -> Instance:
        """Parse a text; `BadBoard` is passed on, and every other error is a `ConformanceError`."""
        call = f"{self.name}: `read` of the text '{shorten(text, LONGEST)}'"
        try:
            instance = self.puzzle.read(text)
        except BadBoard:
            raise
        except Exception as error:
            raise ConformanceError(
                f"{call} raised {_quoted(error)}; for a text that is no board, raise BadBoard"
            ) from error
        must(isinstance(instance, Instance), f"{call} must give an Instance, not {kind_of(instance)}")
        must(instance.puzzle == self.puzzle, f"{call} gives a board of another puzzle")
        must(instance.state.ndim == 1, f"{call} must give a state with one axis, not {kind_of(instance.state)}")
        return instance

    def write(self, state: State) -> str:
        text = self.of_state("`write`", self.puzzle.write, state)
        if not isinstance(text, str):
            self._wrong_type(state, "`write`", "a text", text)
        return text

    def draw(self, state: State, mark: int | None = None) -> str:
        call = "`draw`" if mark is None else "`draw` with the mark"
        drawing = self.of_state(call, self.puzzle.draw, state, *(() if mark is None else (mark,)), move=mark)
        if not isinstance(drawing, str):
            self._wrong_type(state, call, "a text", drawing)
        if not drawing:
            raise ConformanceError(f"{self.at(state, call, mark)} gives an empty text: there is no drawing")
        return drawing

    def write_move(self, move: int) -> str:
        call = f"{self.name}: `write_move` of {move}"
        with calling(call):
            text = self.puzzle.write_move(move)
        must(isinstance(text, str) and bool(text), f"{call} must give a text, not {kind_of(text)}")
        return text

    def read_move(self, text: str) -> int:
        """Parse a move; `BadBoard` is passed on, and every other error is a `ConformanceError`."""
        call = f"{self.name}: `read_move` of the text '{shorten(text, LONGEST)}'"
        try:
            move = self.puzzle.read_move(text)
        except BadBoard:
            raise
        except Exception as error:
            raise ConformanceError(
                f"{call} raised {_quoted(error)}; for a text that is no move, raise BadBoard"
            ) from error
        must(isinstance(move, int), f"{call} must give an int, not {kind_of(move)}")
        return move

    def view(self, kind: type[View]) -> View | None:
        with calling(f"{self.name}: `view({kind.__name__})`"):
            return self.puzzle.view(kind)


def _writes(function: Callable[..., Any], state: State, rest: tuple[Any, ...]) -> bool:
    """Tell whether a function changes a state that can be written."""
    changed = state.copy()
    with suppress(Exception):
        function(changed, *rest)
    return not np.array_equal(changed, state)
