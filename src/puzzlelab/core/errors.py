"""The one tree of exceptions. What derives from `BadInput` is the asker's to mend, and ends a command with code 2."""

import difflib
from collections.abc import Iterable


class PuzzlelabError(Exception):
    """Anything that puzzlelab says is wrong; the message is a sentence for the person who asked."""


class BadInput(PuzzlelabError):
    """What was given cannot be used as it is."""


class BadBoard(BadInput):
    """A text that is no board of this puzzle; `place` says where, in words, and is part of the message."""

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.place = place


class BadOption(BadInput):
    """A setting that does not exist, or a value that it cannot take."""


class BadFile(BadInput):
    """A file that cannot be read, or is not what it should be."""


class Unsupported(BadInput):
    """A solver that needs a view which this puzzle does not offer."""


class UnknownName(BadInput):
    """A puzzle, solver, estimate or scale that nobody knows; the message names the nearest known one."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"there is no {kind} '{shorten(name)}'{nearest(name, known)}")


class CorruptData(PuzzlelabError):
    """Stored data that fails its checksum."""


class ConformanceError(PuzzlelabError):
    """Something that should hold for every puzzle or solver does not for this one; raised by conformance checks."""


def nearest(name: str, known: Iterable[str]) -> str:
    """'; did you mean X?' or '; known are A, B, C', for the end of a sentence about an unknown name."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known are {', '.join(names)}" if names else ""


def shorten(text: str, most: int = 40) -> str:
    """`text` fit for a message: one line, no control characters, at most `most` characters."""
    clean = "".join(c if c.isprintable() else "?" for c in text[: most + 1])
    return clean if len(clean) <= most else clean[:most] + "..."
