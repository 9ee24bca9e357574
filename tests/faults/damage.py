"""Ways to damage a file."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path, random.Random], object]


def one_bit(path: Path, chance: random.Random) -> None:
    """Change one bit."""
    content = bytearray(path.read_bytes())
    if content:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def zero_tail(path: Path, chance: random.Random) -> None:
    """Make the last third NUL bytes, as some file systems leave it after a power cut."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) - len(content) // 3] + b"\0" * (len(content) // 3))


def header(path: Path, chance: random.Random) -> None:
    """Change the first bytes after the mark of the format."""
    content = path.read_bytes()
    path.write_bytes(content[:10] + b"?" * 20 + content[30:])


def folder(path: Path, chance: random.Random) -> None:
    """Put a folder in its place."""
    path.unlink()
    path.mkdir()


def foreign(path: Path, chance: random.Random) -> None:
    """Put another file of the same kind in its place, if there is one."""
    others = [each for each in sorted(path.parent.glob(f"*{path.suffix}")) if each != path and each.is_file()]
    if others:
        shutil.copy(chance.choice(others), path)


KINDS: dict[str, Damage] = {
    "empty": lambda path, chance: path.write_bytes(b""),
    "cut": lambda path, chance: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one bit": one_bit,
    "NUL tail": zero_tail,
    "noise": lambda path, chance: path.write_bytes(chance.randbytes(3000)),
    "header": header,
    "folder": folder,
    "foreign": foreign,
    "missing": lambda path, chance: path.unlink(),
}
