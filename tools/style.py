"""What the code's style can be counted by; `make check` runs it, and it fails where a count is above its limit.

Each count is printed with its limit and, where it is above, with the places.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
PUZZLE_WORDS = re.compile(r"\b(sudoku|dust|tiles|clues?)\b|[\"'](minimal|symmetry|hard)[\"']", re.IGNORECASE)
"""Words of single puzzles, and names of settings of their generators."""
EXAMPLE = re.compile(r"\b(tiles|dust|sudoku)-\d\w*")
"""A puzzle's name, which help texts and docstrings give as an example."""
GENERAL = ("core", "engine", "cli", "web")
"""Packages that know no puzzle."""
SHOWS_PUZZLES = {"cli/demo.py", "cli/plot.py", "cli/warm.py", "engine/announcing.py"}
"""Files whose data are puzzles: the demo, a kind of plot, what is compiled beforehand, and how long that takes."""
KNOWN_CYCLES = 6
"""Circles of imports that are left for later: none may be added."""


@dataclass(frozen=True)
class Module:
    """A file of the package."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def place(self) -> str:
        """Its path below the package."""
        return self.path.relative_to(SOURCE / "puzzlelab").as_posix()


def modules() -> list[Module]:
    """All files of the package."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(name, path, ast.parse(path.read_text(encoding="utf-8"))))
    return found


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
        if module.name.split(".")[1:2] and module.name.split(".")[1] in GENERAL and module.place not in SHOWS_PUZZLES:
            for number, line in enumerate(module.path.read_text(encoding="utf-8").splitlines(), start=1):
                for word in PUZZLE_WORDS.finditer(EXAMPLE.sub("", line)):
                    yield f"{module.place}:{number}: {word[0]}"


def cycles_of_imports(code: list[Module]) -> Iterator[str]:
    """Groups of files that import each other, inside functions too; imports for types alone aside."""
    names = {module.name for module in code}
    graph = {module.name: {target for target in _imports(module, names) if target != module.name} for module in code}
    for group in _strongly_connected(graph):
        if len(group) > 1:
            yield ", ".join(sorted(name.removeprefix("puzzlelab.") for name in group))


def _imports(module: Module, names: set[str]) -> Iterator[str]:
    for node in _outside_type_checking(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in names:
                    yield full
                elif node.module in names:
                    yield node.module


def _outside_type_checking(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _outside_type_checking(node)


def _strongly_connected(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other: Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in graph[node]:
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            cut = stack.index(node)
            groups.append(stack[cut:])
            del stack[cut:]

    for node in graph:
        if node not in index:
            visit(node)
    return groups


CHECKS: tuple[tuple[str, Callable[[list[Module]], Iterator[str]], int], ...] = (
    ("class names used twice", class_names_used_twice, 0),
    ("getattr, hasattr or signature on puzzles and solvers", undeclared_attributes, 0),
    (f"words of puzzles in {', '.join(GENERAL)}", words_of_puzzles, 0),
    ("cycles of imports", cycles_of_imports, KNOWN_CYCLES),
)


def main() -> int:
    """Print every count; 1 if one is above its limit."""
    sys.setrecursionlimit(10_000)
    code, failed = modules(), False
    for title, check, most in CHECKS:
        places = list(check(code))
        print(f"{title}: {len(places)} (at most {most})")
        if len(places) > most or (places and "-v" in sys.argv):
            failed |= len(places) > most
            print("\n".join(f"  {place}" for place in places))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
