"""Checks of names: classes, attributes of puzzles and solvers, words of single puzzles, and overviews of packages."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from style_checks.modules import Module

PUZZLE_WORDS = re.compile(r"\b(sudoku|dust|tiles|clues?)\b|[\"'](minimal|symmetry|hard)[\"']", re.IGNORECASE)
"""Words of single puzzles, and names of settings of their generators."""
EXAMPLE = re.compile(r"\b(tiles|dust|sudoku)-\d\w*")
"""A puzzle's name, which help texts and docstrings give as an example."""
GENERAL = ("core", "text", "storage", "runtime", "engine", "jobs", "cli", "web")
"""Packages that know no puzzle."""
SHOWS_PUZZLES = {"cli/demo.py", "cli/plot.py", "cli/warm.py"}
"""Files whose data are puzzles: the demo, a kind of plot, what is compiled beforehand, and how long that takes."""
OVERVIEW_LINES = 3
"""The least number of lines in the docstring of a package."""


def class_names_used_twice(code: list[Module]) -> Iterator[str]:
    """Classes of the same name."""
    places = defaultdict(list)
    for module in code:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{module.place}:{node.lineno}")
    for name, lines in places.items():
        if len(lines) > 1:
            yield f"{name}: {', '.join(lines)}"


def undeclared_attributes(code: list[Module]) -> Iterator[str]:
    """`getattr`, `hasattr` and `signature` on a puzzle or a solver: what they offer is declared."""
    for module in code:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                about = ast.unparse(node.args[0]).lower()
                asks = node.func.id in ("getattr", "hasattr", "signature") and not _is_setting(node)
                if asks and re.search(r"puzzle|solver$", about):
                    yield f"{module.place}:{node.lineno}: {ast.unparse(node)}"


def _is_setting(node: ast.Call) -> bool:
    """Whether a name that is not fixed is looked up, as settings are by their names."""
    return len(node.args) == 2 and not isinstance(node.args[1], ast.Constant)


def words_of_puzzles(code: list[Module]) -> Iterator[str]:
    """Words of single puzzles in packages that know none; names of puzzles as examples aside."""
    for module in code:
        if module.folder in GENERAL and module.place not in SHOWS_PUZZLES:
            for number, line in enumerate(module.text.splitlines(), start=1):
                for word in PUZZLE_WORDS.finditer(EXAMPLE.sub("", line)):
                    yield f"{module.place}:{number}: {word[0]}"


def packages_without_overview(code: list[Module]) -> Iterator[str]:
    """Packages whose docstring is shorter than three lines: it says what is inside, and where to start reading."""
    for module in code:
        if module.is_package:
            lines = [line for line in (ast.get_docstring(module.tree) or "").splitlines() if line.strip()]
            if len(lines) < OVERVIEW_LINES:
                yield f"{module.place}: {len(lines)} line{'s' * (len(lines) != 1)}"
