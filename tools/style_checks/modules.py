"""The files of a package, parsed once for all checks."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
PACKAGE = "puzzlelab"


@dataclass(frozen=True)
class Module:
    """A file of the package."""

    name: str
    """With dots; that of a package for its `__init__.py`."""
    path: Path
    source: Path
    """The folder that contains the package."""

    @cached_property
    def text(self) -> str:
        """The content of the file."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed content."""
        return ast.parse(self.text)

    @property
    def place(self) -> str:
        """Its path below the package."""
        return self.path.relative_to(self.source / PACKAGE).as_posix()

    @property
    def folder(self) -> str:
        """The folder of the package in which it lies, such as `core`; for a file at the top, the name of the file."""
        return self.place.partition("/")[0].removesuffix(".py")

    @property
    def is_package(self) -> bool:
        """Whether it is an `__init__.py`."""
        return self.path.name == "__init__.py"


def modules(source: Path = SOURCE) -> list[Module]:
    """All files of the package below `source`, in the order of their paths."""
    every = []
    for path in sorted((source / PACKAGE).rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        every.append(Module(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path, source))
    return every
