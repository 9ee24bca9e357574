"""Compiled kernels in a folder of their own, for the tests of the cache and of packs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from puzzlelab.engine.kernels import compiled


def compiles(kernel: Any) -> int:
    """How often the kernel was compiled, rather than loaded."""
    return sum(kernel.stats.cache_misses.values())


def entry(folder: Path) -> Path:
    """The only entry."""
    (found,) = folder.glob("*.kernel")
    return found


def heals(total: Callable[..., int], argument: Any, path: Path, notes: list[str], reason: str) -> None:
    """Assert that the sum of 2, 3 and 4 is compiled once more, with one sentence, and is loaded without a word then."""
    again = compiled(total)
    assert (again(argument), compiles(again)) == (9, 1)
    assert notes == [f"A compiled kernel cannot be used ({reason}), and is compiled again: {path}"]
    healed = compiled(total)
    assert (healed(argument), compiles(healed)) == (9, 0)
    assert len(notes) == 1
