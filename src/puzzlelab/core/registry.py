"""Finds puzzles and solvers by name: file names in the package's folders, and installed plug-ins.

A puzzle family is a folder of `puzzlelab/puzzles` whose package has a `Family` as `FAMILY`.
A solver is a file of `puzzlelab/solvers` with `SOLVER`, its class; what is exact for one puzzle only stands in that
family's `exact.py` as `SOLVERS`. Listing imports nothing.
"""

import importlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from typing import Any

from puzzlelab.core.errors import BadOption, UnknownName, shorten
from puzzlelab.core.puzzle import Family, Puzzle
from puzzlelab.core.settings import Settings, fill, read_options
from puzzlelab.core.solver import Solver
from puzzlelab.core.version import PACKAGE


@cache
def _own(group: str) -> Mapping[str, str]:
    """Name -> module, of the package's own."""
    places: dict[str, str] = {}
    for path in sorted((PACKAGE / group).iterdir()):
        if path.name.startswith(("_", ".")):
            continue
        if path.suffix == ".py" or (path / "__init__.py").exists():
            places[path.stem.replace("_", "-") if group == "solvers" else path.stem] = f"puzzlelab.{group}.{path.stem}"
    return places


@cache
def _found(group: str) -> Mapping[str, str]:
    """Name -> where it is, `module:attribute` for a plug-in and `module` for our own."""
    places = dict(_own(group))
    for entry in metadata.entry_points(group=f"puzzlelab.{group}"):
        places.setdefault(entry.name, entry.value)
    return places


def _place(group: str, name: str) -> str | None:
    """Where it is, or None; installed plug-ins are looked through only for what is not our own."""
    return _own(group).get(name) or _found(group).get(name)


def _attribute(place: str, default: str) -> Any:
    module, _, attribute = place.partition(":")
    return vars(importlib.import_module(module))[attribute or default]


def families() -> list[str]:
    """The names of all puzzle families."""
    return sorted(_found("puzzles"))


def family(name: str) -> Family:
    """The family of puzzles with this name; raises `UnknownName`."""
    place = _place("puzzles", name)
    if place is None:
        raise UnknownName("puzzle", name, _found("puzzles"))
    own: Family = _attribute(place, "FAMILY")
    return own


def load(name: str) -> Puzzle:
    """The puzzle with this name, such as `tiles-4x4`; raises `UnknownName` or `BadOption`."""
    head, _, rest = name.partition("-")
    if _place("puzzles", head) is None:
        raise UnknownName("puzzle", head or name, _found("puzzles"))
    return family(head).make(rest)


def solver_names() -> list[str]:
    """The names of all general solvers."""
    return sorted(_found("solvers"))


def exact_solvers() -> Mapping[str, type[Any]]:
    """The solvers that live with one puzzle, by name."""
    return {name: kind for module in _exact_modules() for name, kind in _exact(module).items()}


def _exact_modules() -> list[str]:
    """The modules of solvers that live with one puzzle."""
    families = _own("puzzles")
    return [f"{place}.exact" for name, place in families.items() if (PACKAGE / "puzzles" / name / "exact.py").exists()]


def _exact(module: str) -> Mapping[str, type[Any]]:
    solvers: Mapping[str, type[Any]] = importlib.import_module(module).SOLVERS
    return solvers


def _exact_solver(name: str) -> type[Any] | None:
    """The solver of this name that lives with one puzzle; the files that hold the name are imported first."""

    def silent(module: str) -> bool:
        path = PACKAGE / "puzzles" / module.split(".")[-2] / "exact.py"
        return f'"{name}"' not in path.read_text(encoding="utf-8")

    for module in sorted(_exact_modules(), key=silent):
        if name in (solvers := _exact(module)):
            return solvers[name]
    return None


def solver_class(name: str) -> type[Any]:
    """The class of a solver; raises `UnknownName`."""
    place = _place("solvers", name.replace("_", "-"))
    if place is not None:
        return _attribute(place, "SOLVER")  # type: ignore[no-any-return]
    exact = _exact_solver(name)
    if exact is None:
        raise UnknownName("solver", name, [*_found("solvers"), *exact_solvers()])
    return exact


def current_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a solver by the names that they have today; those of an unknown solver as they are."""
    try:
        settings = solver_class(name)
    except UnknownName:
        return dict(options)
    return settings.with_new_names(options) if issubclass(settings, Settings) else dict(options)


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
