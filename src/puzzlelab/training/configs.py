"""The files of settings that come with the package, by their names."""

from __future__ import annotations

from pathlib import Path

from puzzlelab.core.errors import UnknownName
from puzzlelab.version import PACKAGE

FOLDER = PACKAGE / "configs"


def names() -> list[str]:
    """Return the names of all files of settings that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def config_file(path: Path) -> Path:
    """Return the file of this path, or the one of the package with this name.

    Raises:
        UnknownName: for a name that is neither; a path with a folder or an ending is not looked for in the package.
    """
    if len(path.parts) != 1 or path.suffix or path.exists():
        return path
    if path.name not in names():
        raise UnknownName("configuration", path.name, names())
    return FOLDER / f"{path.name}.toml"
