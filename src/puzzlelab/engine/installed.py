"""Every puzzle family and solver that can be imported: those of the package, and those of plug-ins.

A plug-in that cannot be imported is left out, with a note that names it, its package and the reason.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from puzzlelab.core import registry
from puzzlelab.core.errors import BrokenPlugin
from puzzlelab.core.puzzle import Family
from puzzlelab.engine import report

Found = TypeVar("Found")

_told: set[str] = set()
"""The notes of this process: each is sent once."""


def families() -> Iterator[tuple[str, Family]]:
    """Return the name and the family of every installed kind of puzzles that can be imported."""
    return _usable(registry.families(), registry.family)


def solvers() -> Iterator[tuple[str, type[Any]]]:
    """Return the name and the class of every solver that can be imported."""
    return _usable(registry.solver_names(), registry.solver_class)


def _usable(names: list[str], find: Callable[[str], Found]) -> Iterator[tuple[str, Found]]:
    for name in names:
        try:
            yield name, find(name)
        except BrokenPlugin as error:
            if str(error) not in _told:
                _told.add(str(error))
                report.note(f"{error}. It is left out.")
