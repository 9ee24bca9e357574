"""Files of JSON lines that several programs append to at once; a killed writer leaves at most half a line."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile

BLOCK_SIZE = 4096
"""Bytes that are read at once in search of the beginning of the last line."""


def append(path: Path, line: Mapping[str, Any]) -> None:
    """Append a line, and remove half a line of a killed writer before it. Raises `BadFile`."""
    try:
        with path.open("ab+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            end = file.seek(0, 2)
            complete = _end_of_last_complete_line(file, end)
            if complete < end:
                file.truncate(complete)
            file.write((json.dumps(line) + "\n").encode())
    except OSError as error:
        raise BadFile(f"cannot write {path}: {error.strerror or error}") from None


def _end_of_last_complete_line(file: Any, end: int) -> int:
    begin = end
    while begin > 0:
        begin = max(0, begin - BLOCK_SIZE)
        file.seek(begin)
        index = file.read(min(BLOCK_SIZE, end - begin)).rfind(b"\n")
        if index >= 0:
            return begin + int(index) + 1
    return 0


def with_present_names(line: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """The line with its old names, the keys of `renamed`, replaced by the present ones."""
    return {renamed.get(name, name): value for name, value in line.items()}


class JsonLines:
    """Reads such a file; each `read` returns the lines appended since the one before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._position = 0

    def read(self) -> list[dict[str, Any]]:
        """The new complete lines; raises `BadFile` for a line that is not a JSON object."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._position)
                data = file.read()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BadFile(f"cannot read {self.path}: {error.strerror}") from None
        data = data[: data.rfind(b"\n") + 1]
        self._position += len(data)
        try:
            return [dict(json.loads(line)) for line in data.splitlines()]
        except (ValueError, TypeError):
            raise BadFile(f"{self.path} is damaged: one of its lines is no JSON object") from None
