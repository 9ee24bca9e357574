"""All exceptions of the package, and the checks of arguments that raise them.

`BadInput` and its subclasses mean bad user input, for which commands exit with 2. A value of a wrong type gets a
sentence with what was expected and given. Numbers of NumPy are accepted wherever numbers are, and become plain Python
numbers.
"""

import difflib
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, TypeVar

Value = TypeVar("Value")


class PuzzlelabError(Exception):
    """The base class of all errors; the message is a sentence for the user.

    >>> try:
    ...     puzzlelab.Limit(seconds=-1)
    ... except puzzlelab.PuzzlelabError as error:
    ...     print(error)
    a limit on time must be more than 0, not -1
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the message, and not by the arguments of the constructor, so that it can come from another
        process.
        """
        return _remade, (type(self), self.args, vars(self))


def _remade(kind: type[PuzzlelabError], messages: tuple[str, ...], values: Mapping[str, Any]) -> PuzzlelabError:
    error = kind.__new__(kind, *messages)
    error.args = messages
    vars(error).update(values)
    return error


class NoRoom(PuzzlelabError):
    """The error about a search that has used up its memory."""


class BadInput(PuzzlelabError):
    """The base class of errors about input that cannot be used.

    >>> try:
    ...     puzzlelab.load("tiles-3x3").read("1 2 3")
    ... except puzzlelab.BadInput as error:
    ...     print(type(error).__name__)
    BadBoard
    """


class BadBoard(BadInput):
    """The error about a text that is no board of this puzzle. `place` says in words where it is, and is in the message.

    >>> try:
    ...     puzzlelab.load("tiles-2x2").read("1 2 3 3")
    ... except puzzlelab.BadBoard as error:
    ...     print(error.place)
    place 4
    """

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.place = place


class BadOption(BadInput):
    """The error about an option that does not exist, or cannot have this value.

    >>> try:
    ...     puzzlelab.solver("beam", widht=10)
    ... except puzzlelab.BadOption as error:
    ...     print(error)
    beam has no option 'widht'; did you mean 'width'?
    """


class UnknownOption(BadOption, TypeError):
    """The error about an option that does not exist, which is a `TypeError` as for an unknown keyword in Python."""


class BadFile(BadInput):
    """The error about a file that cannot be read, or has the wrong contents.

    >>> try:
    ...     puzzlelab.network("tiles-3x3", "missing.onnx")
    ... except puzzlelab.BadFile as error:
    ...     print(error)
    cannot read missing.onnx: there is no such file
    """


class Unsupported(BadInput):
    """The error about a puzzle that does not offer what the solver or the command needs, such as a view.

    >>> try:
    ...     puzzlelab.count(puzzlelab.load("tiles-2x2").read("1 2 3 0"), "ida")
    ... except puzzlelab.Unsupported as error:
    ...     print(error)
    ida looks for one solution, and cannot list or count them all
    """


class UnknownName(BadInput):
    """The error about a name of no puzzle, solver, estimate or scale; the message names the nearest one.

    >>> try:
    ...     puzzlelab.solver("beem")
    ... except puzzlelab.UnknownName as error:
    ...     print(error)
    there is no solver 'beem'; did you mean 'beam'?
    """

    def __init__(self, kind: str, name: str, names: Iterable[str]) -> None:
        super().__init__(f"there is no {kind} '{shorten(name)}'{nearest(name, names)}")


class BrokenPlugin(BadInput):
    """The error about an installed plug-in that cannot be imported, or is not what its entry point says."""


class CorruptData(PuzzlelabError):
    """The error about stored data that fails its checksum."""


class ConformanceError(PuzzlelabError):
    """The error about a puzzle or a solver that violates its contract; raised by the conformance checks.

    >>> class Stuck(type(puzzlelab.load("tiles-2x2"))):
    ...     def apply(self, state, move):
    ...         return state
    >>> try:
    ...     puzzlelab.check_puzzle(Stuck(2, 2), steps=10)
    ... except puzzlelab.ConformanceError as error:
    ...     print(error)
    tiles-2x2 at 0 3 2 1: `apply` of move U gives an array that shares memory with its argument
    """


def nearest(name: str, names: Iterable[str]) -> str:
    """Write '; did you mean X?' or '; known are A, B, C', for the end of a sentence about an unknown name."""
    choices = sorted(names)
    close = difflib.get_close_matches(name, choices, n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known are {', '.join(choices)}" if choices else ""


def shorten(text: str, most: int = 40) -> str:
    """Write `text` on one line for a message, without control characters and cut to `most` characters."""
    clean = "".join(c if c.isprintable() else "?" for c in text[: most + 1])
    return clean if len(clean) <= most else clean[:most] + "..."


def visible(text: str) -> str:
    """Write `text` as a terminal can show it: control characters and line ends, such as in a file name, are escapes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def is_unicode(text: str) -> bool:
    """Tell whether a text can be written as UTF-8: arguments that cannot be decoded hold lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_unicode(text: str) -> str:
    """Return `text` with U+FFFD in the place of what is no Unicode, as Python reads files."""
    return text if is_unicode(text) else "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


# --- arguments of public functions ---


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


def wrong_argument(what: str, expected: str, value: object, error: type[BadInput] = BadOption) -> BadInput:
    """Return the error for a value of a wrong type: `what` it is for, and what was `expected`."""
    return error(f"{what} must be {expected}, not {described(value)}")


def require_kind(
    value: object, kind: type[Value], what: str, expected: str, error: type[BadInput] = BadOption
) -> Value:
    """Return the value; raises `error` unless it is an object of the class `kind`."""
    if not isinstance(value, kind):
        raise wrong_argument(what, expected, value, error)
    return value


def require_text(value: object, what: str, expected: str = "a text") -> str:
    """Return the value; raises `BadOption` unless it is a text."""
    return require_kind(value, str, what, expected)


def whole_number(value: object, what: str, least: int | None = None, expected: str = "a whole number") -> int:
    """Return the value as an `int`; raises `BadOption` for what is no whole number, or less than `least`.

    Floating-point numbers such as 1e6 are accepted where they are whole, as options of solvers are.
    """
    number = real_number(value, what, expected)
    if isinstance(number, float):
        if not number.is_integer():
            raise wrong_argument(what, expected, value)
        number = int(number)
    if least is not None and number < least:
        raise BadOption(f"{what} must be at least {least}, not {number}")
    return number


def real_number(value: object, what: str, expected: str = "a number") -> int | float:
    """Return the value as an `int` or a `float`; raises `BadOption` for what is no number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise wrong_argument(what, expected, value)
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
