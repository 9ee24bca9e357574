"""All exceptions of the package. `BadInput` and its subclasses mean bad user input, for which commands exit with 2."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any


class PuzzlelabError(Exception):
    """The base class of all errors; the message is a sentence for the user."""

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
    """The memory that a search may use is used up."""


class BadInput(PuzzlelabError):
    """The input cannot be used."""


class BadBoard(BadInput):
    """The text is not a board of this puzzle. `place` says in words where the error is, and is part of the message."""

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.place = place


class BadOption(BadInput):
    """The option does not exist, or cannot have this value."""


class BadFile(BadInput):
    """The file cannot be read, or has the wrong contents."""


class Unsupported(BadInput):
    """The puzzle does not offer what the solver or the command needs, such as a view."""


class UnknownName(BadInput):
    """The name of no puzzle, solver, estimate or scale was given; the message names the nearest one."""

    def __init__(self, kind: str, name: str, names: Iterable[str]) -> None:
        super().__init__(f"there is no {kind} '{shorten(name)}'{nearest(name, names)}")


class BrokenPlugin(BadInput):
    """An installed plug-in cannot be imported, or is not what its entry point says."""


class CorruptData(PuzzlelabError):
    """Stored data fails its checksum."""


class ConformanceError(PuzzlelabError):
    """A puzzle or a solver violates its contract; raised by the conformance checks."""


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
