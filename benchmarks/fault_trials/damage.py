"""Ways to damage a file."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path, random.Random], None]
NOISE = 3000
"""Bytes of noise."""


def empty(path: Path, chance: random.Random) -> None:
    """What a power cut may leave of a new file."""
    path.write_bytes(b"")


def half(path: Path, chance: random.Random) -> None:
    """The first half."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def one_bit(path: Path, chance: random.Random) -> None:
    """One bit is other than it was."""
    content = bytearray(path.read_bytes())
    if content:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def zero_tail(path: Path, chance: random.Random) -> None:
    """The last third is NUL bytes, as some file systems leave it after a power cut."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - len(content) // 3] + b"\0" * (len(content) // 3))


def noise(path: Path, chance: random.Random) -> None:
    """Random bytes."""
    path.write_bytes(chance.randbytes(NOISE))


def folder(path: Path, chance: random.Random) -> None:
    """A folder in its place."""
    path.unlink()
    path.mkdir()


def missing(path: Path, chance: random.Random) -> None:
    """No file."""
    path.unlink()


ALL: dict[str, Damage] = {
    "empty": empty,
    "cut": half,
    "one bit": one_bit,
    "NUL tail": zero_tail,
    "noise": noise,
    "a folder in its place": folder,
    "missing": missing,
}
