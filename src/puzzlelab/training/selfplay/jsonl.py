"""Files that several programs add lines of JSON to, at any time; who is killed leaves no more than half a line."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile

PIECE = 4096
"""Bytes that are read at once to find where the last line begins."""


def append(path: Path, line: Mapping[str, Any]) -> None:
    """Add a line; half a line that somebody left at the end is cut off. Raises `BadFile`."""
    try:
        with path.open("ab+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            end = file.seek(0, 2)
            whole = _whole(file, end)
            if whole < end:
                file.truncate(whole)
            file.write((json.dumps(line) + "\n").encode())
    except OSError as error:
        raise BadFile(f"cannot write {path}: {error.strerror or error}") from None


def _whole(file: Any, end: int) -> int:
    """Where the last line ends that is whole."""
    begin = end
    while begin > 0:
        begin = max(0, begin - PIECE)
        file.seek(begin)
        place = file.read(min(PIECE, end - begin)).rfind(b"\n")
        if place >= 0:
            return begin + int(place) + 1
    return 0


class JsonLines:
    """What such a file holds; each `read` gives the lines that were added since the one before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0

    def read(self) -> list[dict[str, Any]]:
        """The new lines that are whole; raises `BadFile` for what is none."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BadFile(f"cannot read {self.path}: {error.strerror}") from None
        data = data[: data.rfind(b"\n") + 1]
        self._read += len(data)
        try:
            return [dict(json.loads(line)) for line in data.splitlines()]
        except (ValueError, TypeError):
            raise BadFile(f"{self.path} is damaged: one of its lines is no JSON object") from None
