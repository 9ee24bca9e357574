"""Checks the arguments of public functions: a value of a wrong type gets a sentence with what was expected and given.

Numbers of NumPy are accepted wherever numbers are, and become plain Python numbers.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import TypeVar

from puzzlelab.core.errors import BadBoard, BadInput, BadOption, shorten

Value = TypeVar("Value")


def described(value: object) -> str:
    """Return the value in words for an error: "the text 'abc'", 'the number 5', 'the class Ida', 'a list'."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return f"the text '{shorten(value)}'"
    if isinstance(value, Real):
        return f"the number {shorten(str(value))}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    kind = type(value).__name__.removeprefix("nd")  # of NumPy's arrays
    return f"{'an' if kind[:1].lower() in 'aeio' else 'a'} {kind}"


def wrong(what: str, expected: str, value: object, error: type[BadInput] = BadOption) -> BadInput:
    """Return the error for a value of a wrong type: `what` it is for, and what was `expected`."""
    return error(f"{what} must be {expected}, not {described(value)}")


def require(value: object, kind: type[Value], what: str, expected: str, error: type[BadInput] = BadOption) -> Value:
    """Return the value; raises `error` unless it is an object of the class `kind`."""
    if not isinstance(value, kind):
        raise wrong(what, expected, value, error)
    return value


def text(value: object, what: str, expected: str = "a text") -> str:
    """Return the value; raises `BadOption` unless it is a text."""
    return require(value, str, what, expected)


def whole_number(value: object, what: str, least: int | None = None, expected: str = "a whole number") -> int:
    """Return the value as an `int`; raises `BadOption` for what is no whole number, or less than `least`.

    Floating-point numbers such as 1e6 are accepted where they are whole, as options of solvers are.
    """
    number = real_number(value, what, expected)
    if isinstance(number, float):
        if not number.is_integer():
            raise wrong(what, expected, value)
        number = int(number)
    if least is not None and number < least:
        raise BadOption(f"{what} must be at least {least}, not {number}")
    return number


def real_number(value: object, what: str, expected: str = "a number") -> int | float:
    """Return the value as an `int` or a `float`; raises `BadOption` for what is no number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise wrong(what, expected, value)
    return int(value) if isinstance(value, Integral) else float(value)


def move_text(value: object, puzzle: str) -> str:
    """Return the text of a move, which a puzzle's `read_move` is given; raises `BadBoard` for anything else."""
    if not isinstance(value, str):
        raise BadBoard(f"{puzzle} reads a move from a text, not from {described(value)}")
    return value


def board_text(value: object, puzzle: str) -> str:
    """Return the text of a board, which a puzzle's `read` is given; raises `BadBoard` for anything else."""
    if not isinstance(value, str):
        raise BadBoard(f"{puzzle} reads a board from a text, not from {described(value)}; see Instance.of for numbers")
    return value
