"""Calls of a puzzle under test: what they raise, change and return is looked at, in the same way for each of them.

Shapes: S = length of a state, M = number of moves.
"""

from __future__ import annotations

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
KINDS: dict[Any, str] = {bool: "True or False", str: "a text", str | None: "a sentence or None"}
"""The types that rules and notations give, in words; a text is not empty."""


def must(holds: bool, sentence: str) -> None:
    """Raise `ConformanceError` with the sentence unless this holds."""
    if not holds:
        raise ConformanceError(sentence)


def must_be_array(value: object, call: str, dtype: Any, shape: tuple[int, ...], note: str = "") -> None:
    """Raise `ConformanceError` unless the value is an array of this type and shape; the note explains its entries."""
    if not (isinstance(value, np.ndarray) and value.dtype == dtype and value.shape == shape):
        sizes = ", ".join(map(str, shape))
        raise ConformanceError(f"{call} must give {note}{np.dtype(dtype).name}[{sizes}], not {kind_of(value)}")


def kind_of(value: object) -> str:
    """Name a value in a sentence: 'uint8[9]' for an array, otherwise the value or its type in words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    return f"a NumPy {type(value).__name__}" if isinstance(value, np.generic) else described(value)


@contextmanager
def calling(call: str, passed: type[Exception] = ConformanceError) -> Iterator[None]:
    """Turn every error into a `ConformanceError` that says which call raised it, except those `passed` on."""
    try:
        yield
    except (ConformanceError, passed):
        raise
    except Exception as error:
        deed = f"raised {type(error).__name__}: {shorten(str(error), LONGEST)}"
        if "readonly" in str(error).replace("-", ""):
            deed = "writes into its argument, which must stay as it is"
        hint = "; for a text that cannot be read, raise BadBoard" if passed is BadBoard else ""
        raise ConformanceError(f"{call} {deed}{hint}") from error


def called(call: str, function: Callable[..., Value], *arguments: Any) -> Value:
    """Return `function(*arguments)`; raises `ConformanceError` if it raises an error, or changes an array."""
    copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
    with calling(call):
        value = function(*copies)
    must(all(map(np.array_equal, copies, arguments)), f"{call} changed its argument, which must stay as it is")
    return value


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

    @contextmanager
    def at(self, state: State) -> Iterator[None]:
        """Begin the sentence of an error with the puzzle and the board, unless it names a puzzle already."""
        try:
            yield
        except Exception as error:
            if isinstance(error, ConformanceError) and str(error).startswith(self.name):
                raise
            place = f"{self.name} at {self.board(state)}"
            if isinstance(error, ConformanceError):
                raise ConformanceError(f"{place}: {error}") from error.__cause__
            raise ConformanceError(f"{place}: the check raised {type(error).__name__}: {error}") from error

    def board(self, state: State) -> str:
        """Return the canonical notation of a board, or its numbers if it has none: another check says why."""
        try:
            return str(self.puzzle.write(state))
        except Exception:
            return str(state.tolist())

    def of_state(
        self,
        call: str,
        function: Callable[..., Value],
        state: State,
        *rest: Any,
        move: int | None = None,
        gives: Any = object,
    ) -> Value:
        """Return `function(state, *rest)`, which cannot write into the state, and gives no part of it.

        It `gives` one of `KINDS`, or the type and the shape of an array.
        """
        argument = state.copy()
        argument.setflags(write=False)  # as the states of boards are
        with self.at(state):
            call = call if move is None else f"{call} of move {self.write_move(move)}"
            with calling(call):
                value = function(argument, *rest)
            must(np.array_equal(argument, state), f"{call} changed its argument, which must stay as it is")
            is_own = not (isinstance(value, np.ndarray) and np.shares_memory(value, argument))
            must(is_own, f"{call} gives an array that shares memory with its argument")
            if isinstance(gives, tuple):
                must_be_array(value, call, *gives)
            elif gives in KINDS and (not isinstance(value, gives) or value == ""):
                raise ConformanceError(f"{call} must give {KINDS[gives]}, not {kind_of(value)}")
        return value

    # --- rules ---

    def legal(self, state: State) -> NDArray[np.bool_]:
        gives = (bool, (self.move_count,), "one entry a move, ")
        return self.of_state("`legal`", self.puzzle.legal, state, gives=gives)

    def apply(self, state: State, move: int) -> State:
        return self.of_state("`apply`", self.puzzle.apply, state, move, move=move, gives=(state.dtype, state.shape))

    def solved(self, state: State) -> bool:
        return self.of_state("`solved`", self.puzzle.solved, state, gives=bool)

    def objection(self, state: State) -> str | None:
        return self.of_state("`objection`", self.puzzle.objection, state, gives=str | None)

    # --- notation and drawing ---

    def read(self, text: str) -> Instance:
        instance = self._parsed("read", self.puzzle.read, text, Instance)
        call = f"{self.name}: `read` of the text '{shorten(text, LONGEST)}'"
        must(instance.puzzle == self.puzzle, f"{call} gives a board of another puzzle")
        must(instance.state.ndim == 1, f"{call} must give a state with one axis, not {kind_of(instance.state)}")
        return instance

    def write(self, state: State) -> str:
        return self.of_state("`write`", self.puzzle.write, state, gives=str)

    def draw(self, state: State, mark: int | None = None) -> str:
        call = "`draw`" if mark is None else "`draw` with the mark"
        marks = () if mark is None else (mark,)
        return self.of_state(call, self.puzzle.draw, state, *marks, move=mark, gives=str)

    def write_move(self, move: int) -> str:
        call = f"{self.name}: `write_move` of {move}"
        with calling(call):
            text = self.puzzle.write_move(move)
        must(isinstance(text, str) and bool(text), f"{call} must give a text, not {kind_of(text)}")
        return text

    def read_move(self, text: str) -> int:
        return self._parsed("read_move", self.puzzle.read_move, text, int)

    def _parsed(self, name: str, function: Callable[[str], Value], text: str, kind: type[Value]) -> Value:
        """Return what a text means; `BadBoard` is passed on, and every other error is a `ConformanceError`."""
        call = f"{self.name}: `{name}` of the text '{shorten(text, LONGEST)}'"
        with calling(call, BadBoard):
            value = function(text)
        must(isinstance(value, kind), f"{call} must give an {kind.__name__}, not {kind_of(value)}")
        return value

    def view(self, kind: type[View]) -> View | None:
        with calling(f"{self.name}: `view({kind.__name__})`"):
            return self.puzzle.view(kind)
