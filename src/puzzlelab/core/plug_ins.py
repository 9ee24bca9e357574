"""Finds what has a name: files in the folders of the package, and the entry points of installed plug-ins.

A group is one kind of named things, such as the solvers. Listing its names imports nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any

from puzzlelab.core.errors import BrokenPlugin, UnknownName, shorten
from puzzlelab.version import PACKAGE

WORDS: Mapping[Any, str] = {type: "class", Callable: "function"}
"""Kinds of objects in a sentence."""


@dataclass(frozen=True)
class Group:
    """One kind of named things: a file or a folder of the package each, or an entry point `puzzlelab.GROUP`."""

    name: str
    """The end of the name of its entry points, such as `solvers`."""
    word: str
    """One of them in a sentence, such as `solver`."""
    attribute: str
    """The object in a module of the package, such as `SOLVER`."""
    folders: tuple[str, ...]
    """Patterns of the folders of the package that have a file, or a folder, for each name."""
    hyphens: bool = False
    """Whether the names have hyphens in the place of underscores."""

    @property
    def own(self) -> Mapping[str, str]:
        """Name -> `module:attribute`, for those of the package itself."""
        return _own(self)

    @property
    def all(self) -> Mapping[str, str]:
        """Name -> `module:attribute`; a plug-in cannot take a name of the package."""
        return _all(self)

    def names(self) -> list[str]:
        """Return all names."""
        return sorted(self.all)

    def place(self, name: str) -> str | None:
        """Return the place of a name; plug-ins are searched only for names that the package does not have."""
        return self.own.get(name) or self.all.get(name)

    def find(self, name: str, kind: Any) -> Any:
        """Return the object of this name, which is of the class `kind`; raises `UnknownName` or `BrokenPlugin`."""
        place = self.place(name)
        if place is None:
            raise UnknownName(self.word, name, self.all)
        module, _, attribute = place.partition(":")
        if name in self.own:
            return vars(importlib.import_module(module))[attribute]
        attribute = attribute or self.attribute
        try:
            found = vars(importlib.import_module(module))
        except (Exception, SystemExit) as error:  # a plug-in may do anything when it is imported
            raise self._broken(name, f"{type(error).__name__}: {error}") from error
        if attribute not in found:
            raise self._broken(name, f"{module} has no {attribute}")
        if not isinstance(found[attribute], kind):
            raise self._broken(name, f"{attribute} in {module} is no {WORDS.get(kind, kind.__name__)}")
        return found[attribute]

    def _broken(self, name: str, reason: str) -> BrokenPlugin:
        """Return the error for a plug-in, with the package that it comes from."""
        entries = metadata.entry_points(group=f"puzzlelab.{self.name}")
        package = next((entry.dist.name for entry in entries if entry.name == name and entry.dist), None)
        source = f" of the package {package}" if package else ""
        return BrokenPlugin(f"the plug-in '{shorten(name)}'{source} cannot be used: {shorten(reason, 200)}")


@cache
def _own(group: Group) -> Mapping[str, str]:
    own = {}
    for path in sorted(path for pattern in group.folders for path in PACKAGE.glob(f"{pattern}/*")):
        if not path.name.startswith(("_", ".")) and (path.suffix == ".py" or (path / "__init__.py").exists()):
            module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            own[path.stem.replace("_", "-") if group.hyphens else path.stem] = f"{module}:{group.attribute}"
    return own


@cache
def _all(group: Group) -> Mapping[str, str]:
    places = dict(_own(group))
    for entry in metadata.entry_points(group=f"puzzlelab.{group.name}"):
        places.setdefault(entry.name, entry.value)
    return places
