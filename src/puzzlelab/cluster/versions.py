"""The versions on which results depend, of this process and of the nodes of a cluster."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from puzzlelab.version import PACKAGE, VERSION

Versions: TypeAlias = "dict[str, str]"
"""The versions by what has them; empty where it is not installed."""
SOURCES = "puzzlelab's sources"
DIGITS = 12


@cache
def source_digest() -> str:
    """Return the hash of all modules of the package, as 12 hexadecimal digits, on which results depend."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:DIGITS]


def versions_here() -> Versions:
    """Return the versions of this process."""
    import numba

    return {
        "puzzlelab": VERSION,
        "Python": platform.python_version(),
        "numba": numba.__version__,
        SOURCES: source_digest(),
    }


def probe() -> Callable[[], Versions]:
    """Return a function for a node that gives its versions.

    It is a function inside a function: it travels as code, and not by its name, so that it also runs where puzzlelab is
    not installed, or is another version.
    """

    def versions() -> dict[str, str]:
        import importlib
        import platform

        found = {"Python": platform.python_version()}
        try:
            found["numba"] = importlib.import_module("numba").__version__
            found["puzzlelab"] = importlib.import_module("puzzlelab.version").VERSION
            found["puzzlelab's sources"] = importlib.import_module("puzzlelab.cluster.versions").source_digest()
        except ImportError:
            pass
        return found

    return versions


def difference(node: Versions, here: Versions) -> str:
    """Say in which version a node differs from this process; empty if in none."""
    for name, wanted in here.items():
        found = node.get(name, "")
        if found == wanted:
            continue
        if name == SOURCES:
            return f"has other sources of puzzlelab {here['puzzlelab']} than this process"
        return f"has {f'{name} {found}' if found else f'no {name}'}, and this process has {name} {wanted}"
    return ""
