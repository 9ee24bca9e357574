"""Finds puzzles and solvers by name: file names in the package's folders, and installed plug-ins.

A puzzle family is a folder of `puzzlelab/puzzles` whose package has `FAMILY`, a function from the part of the name
after the family to the puzzle, and `ABOUT`; it may have `QUICK`, the names of lower bounds that cost next to nothing.
A solver is a file of `puzzlelab/solvers` with `SOLVER`, its class; what is exact for one puzzle only stands in that
family's `exact.py` as `SOLVERS`. Listing imports nothing.
"""

import importlib
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import metadata
from typing import Any

from puzzlelab.core.cache import PACKAGE
from puzzlelab.core.errors import BadOption, UnknownName, shorten
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.settings import fill, read_options
from puzzlelab.core.solver import Solver


@cache
def _found(group: str) -> Mapping[str, str]:
    """Name -> where it is, `module:attribute` for a plug-in and `module` for our own."""
    folder = PACKAGE / group
    places: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(("_", ".")):
            continue
        if path.suffix == ".py" or (path / "__init__.py").exists():
            places[path.stem.replace("_", "-") if group == "solvers" else path.stem] = f"puzzlelab.{group}.{path.stem}"
    for entry in metadata.entry_points(group=f"puzzlelab.{group}"):
        places.setdefault(entry.name, entry.value)
    return places


def _attribute(place: str, default: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute or default)


def families() -> list[str]:
    """The names of all puzzle families."""
    return sorted(_found("puzzles"))


def family(name: str) -> Any:
    """The package of a puzzle family, or the plug-in's object."""
    places = _found("puzzles")
    if name not in places:
        raise UnknownName("puzzle", name, places)
    return importlib.import_module(places[name].partition(":")[0])


def load(name: str) -> Puzzle:
    """The puzzle with this name, such as `tiles-4x4`; raises `UnknownName` or `BadOption`."""
    head, _, rest = name.partition("-")
    places = _found("puzzles")
    if head not in places:
        raise UnknownName("puzzle", head or name, places)
    make: Callable[[str], Puzzle] = _attribute(places[head], "FAMILY")
    return make(rest)


def solver_names() -> list[str]:
    """The names of all general solvers."""
    return sorted(_found("solvers"))


def exact_solvers() -> Mapping[str, type[Any]]:
    """The solvers that live with one puzzle, by name."""
    found: dict[str, type[Any]] = {}
    for name, place in _found("puzzles").items():
        if ":" not in place and (PACKAGE / "puzzles" / name / "exact.py").exists():
            found.update(importlib.import_module(f"{place}.exact").SOLVERS)
    return found


def solver_class(name: str) -> type[Any]:
    """The class of a solver; raises `UnknownName`."""
    places = _found("solvers")
    wanted = name.replace("_", "-")
    if wanted in places:
        return _attribute(places[wanted], "SOLVER")  # type: ignore[no-any-return]
    exact = exact_solvers()
    if name in exact:
        return exact[name]
    raise UnknownName("solver", name, [*places, *exact])


def make_solver(name: str, options: Mapping[str, Any]) -> Solver:
    """The solver with these options; `None` leaves an option as it is by default."""
    return fill(solver_class(name), options)  # type: ignore[no-any-return]


def parse_solver(text: str) -> Solver:
    """The solver that `name` or `name:option=value:option=value` tells of.

    A colon begins the next option only where a name and `=` follow it. Raises `UnknownName` or `BadOption`.
    """
    name, *settings = re.split(r":(?=[A-Za-z_]\w*=)", text)
    if ":" in name:
        raise BadOption(f"'{shorten(text)}' is no solver with options; write name:option=value:option=value")
    return make_solver(name, read_options(settings))
