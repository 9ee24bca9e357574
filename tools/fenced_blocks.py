"""Reads the blocks of code in pages of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path


def fenced_blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The language of each block between fences, empty if it has none, and its text."""
    yield from re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
