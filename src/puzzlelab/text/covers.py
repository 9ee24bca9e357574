"""Reads an exact cover from lines of text: an option each, `NAME: ITEM ITEM ...`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from puzzlelab.core.cover import ExactCover, check_option, word_of
from puzzlelab.core.errors import BadFile, BadOption, shorten


def read_cover(
    lines: Iterable[str], source: str, primary: Sequence[str] | None = None, secondary: Sequence[str] = ()
) -> ExactCover:
    """Return the cover of these lines; `primary` and `secondary` are as in `ExactCover.of`.

    Items are separated by spaces or commas, and a comment begins with `#`. An option without a name has the number of
    its line. Raises `BadFile` with `source` and the number of a line that is wrong, and `BadOption` for secondary items
    that no option holds.
    """
    options, places = dict[str, list[str]](), dict[str, int]()
    known = None if primary is None else {*primary, *secondary}
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0]
        if not text.strip():
            continue
        head, colon, tail = text.partition(":")
        name, items = (head.strip() if colon else str(number)), items_in(tail if colon else head)
        try:
            if name in places:
                raise BadOption(f"the option of line {places[name]} is named {shorten(name)} too")
            if name != word_of(name) or ":" in tail:
                raise BadOption(
                    f"'{shorten(text.strip())}' is no option; write NAME: ITEM ITEM ..., with a name of one word"
                )
            check_option(name, items, known)
        except BadOption as error:
            raise BadFile(f"{source}, line {number}: {error}") from None
        options[name], places[name] = items, number
    if not options:
        raise BadFile(f"there are no options in {source}")
    held = set(chain.from_iterable(options.values()))
    for item in secondary:
        if item not in held:
            raise BadOption(f"no option in {source} holds the secondary item '{shorten(item)}'")
    return ExactCover.of(options, primary, secondary)


def items_in(text: str) -> list[str]:
    """Return the items in a text, which are separated by spaces or commas."""
    return text.replace(",", " ").split()
