"""Takes the boards out of links: of this program, and of others that put the board into the address.

A board stands in a link as a text, or as JSON that is compressed by lz-string, in base64 after a word of its program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.text.grids import cell_values

LINK = re.compile(r"\A\s*<?(https?://\S+?|www\.\S+?|#puzzle=\S+?)>?\s*\Z")
PACKED_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_ %-"
SHORTEST = 9
"""Characters of the shortest part of a link that may be a board."""
LONGEST, LONGEST_PACKED, LONGEST_UNPACKED = 65_536, 16_384, 2**20
"""Characters that are read of a link, of a compressed part of one, and of what that becomes."""
BASE64 = re.compile(rf"\A[A-Za-z0-9+/=_ -]{{40,{LONGEST_PACKED}}}\Z")


def link_in(text: str) -> str | None:
    """Return the link, if a text is nothing else."""
    found = LINK.match(text)
    return found[1] if found else None


def texts_in(link: str, packed: Sequence[str] = ()) -> Iterator[tuple[str | None, str]]:
    """Yield the parts of a link that may be boards, as texts, each with the name of its puzzle if the link has it.

    Args:
        link: the link.
        packed: patterns of what stands before a compressed part.

    Raises:
        BadBoard: if it is no link or too long, or a part is compressed and cannot be read.
    """
    if len(link) > LONGEST:
        raise BadBoard(f"a link of {len(link):,} characters is too long; at most {LONGEST:,} are read")
    try:
        parts = urlsplit(link)
    except ValueError:
        raise BadBoard(f"'{shorten(link)}' is no link that can be read") from None
    fields = [*parse_qsl(parts.fragment), *parse_qsl(parts.query)]
    named = dict(fields)
    if "puzzle" in named and "board" in named:
        yield named["puzzle"], named["board"]
    path = unquote(parts.path)
    values = [value for _, value in fields] + [path, *path.split("/"), parts.fragment, unquote(parts.query)]
    begins = re.compile(rf"(?:\A|/)(?:{'|'.join(packed) or '(?!)'})([A-Za-z0-9+/=_ %-]+)\Z")
    for value in values:
        compressed = begins.search(value, len(value.rstrip(PACKED_SIGNS)))
        if compressed or BASE64.match(value):
            text = _unpacked(compressed[1] if compressed else value)
            if text is not None:
                yield None, text
            elif compressed:
                raise BadBoard("the puzzle in this link is compressed in a way that cannot be read here")
        if len(value) >= SHORTEST:
            yield None, value


def _unpacked(packed: str) -> str | None:
    """Return the grid in a compressed puzzle as JSON rows, or None."""
    try:
        import lzstring
    except ModuleNotFoundError:
        raise BadBoard("links with compressed puzzles need lzstring: pip install 'puzzlelab[web]'") from None
    if len(packed) > LONGEST_PACKED:
        raise BadBoard(f"a compressed puzzle may have {LONGEST_PACKED:,} characters, not {len(packed):,}")
    base64 = unquote(packed).replace(" ", "+").replace("-", "+").replace("_", "/")
    try:
        text = lzstring.LZString.decompressFromBase64(base64)
        grid = _grid_in(json.loads(text)) if text and len(text) <= LONGEST_UNPACKED else None
    except Exception:  # the decoder has many ways to fail on a text that is not compressed
        return None
    return json.dumps(grid) if grid else None


def _grid_in(value: Any) -> list[list[Any]] | None:
    """Return the values of the first square of cells in a puzzle."""
    if isinstance(value, dict):
        keys = [key for key in ("grid", "cells", "ce") if key in value] or list(value)
        return next((grid for key in keys if (grid := _grid_in(value[key]))), None)
    if not isinstance(value, list) or not value:
        return None
    is_square = all(isinstance(row, list) and len(row) == len(value) for row in value)
    return cell_values(value) if is_square else None
