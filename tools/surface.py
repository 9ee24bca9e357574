"""Writes what docs/extending.md takes from the code: two tables, and an example.

The first table says what a puzzle and a solver may offer, which modules use it, and the default; the second one, which
kernels a puzzle may have. `python tools/surface.py` writes them into the page; tests/tools/test_docs.py holds the page
to it.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

from puzzlelab.core import logic, puzzle, solver, views
from puzzlelab.engine import enumeration

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "extending.md"
KERNELS = ROOT / "src" / "puzzlelab" / "engine" / "kernels.py"
EXAMPLE = ROOT / "examples" / "lights_out_kernels.py"
BEGIN, END = "<!-- begin: tools/surface.py -->\n", "<!-- end: tools/surface.py -->\n"
BEGIN_KERNELS, BEGIN_EXAMPLE = (BEGIN.replace("surface.py", f"surface.py, {part}") for part in ("kernels", "example"))
END_KERNELS, END_EXAMPLE = (END.replace("surface.py", f"surface.py, {part}") for part in ("kernels", "example"))
NO_VIEWS = (
    views.BoardGenerator,
    views.Estimate,
    views.Isomorphism,
    views.OwnGenerator,
    views.Prior,
    views.Scale,
    views.Stronger,
    views.Symbols,
    views.Tally,
    views.Units,
    puzzle.Puzzle,
)
"""What the views are made of; and the rules, which every puzzle has."""
EVERY_SOLVER = ("name", "needs", "offers", "options", "values", "attempts")
"""Parts of the contract that every solver uses."""
INTERNAL = (
    "announce",
    "exists",
    "has_costs",
    "incremental",
    "is_external",
    "next_move",
    "read_ahead",
    "scores_moves",
    "stack_row",
)
"""Kernel names that no puzzle gives a meaning itself."""


def main() -> None:
    """Write the tables and the example into the page."""
    write(PAGE, BEGIN, END, table())
    write(PAGE, BEGIN_KERNELS, END_KERNELS, kernel_table())
    write(PAGE, BEGIN_EXAMPLE, END_EXAMPLE, example())


def write(page: Path, begin: str, end: str, text: str) -> None:
    """Write a text into a page, between the lines `begin` and `end`."""
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(before + begin + text + end + rest.split(end)[1], encoding="utf-8")


def table() -> str:
    """The whole table in Markdown."""
    rows = [*_views(), *_presentation(), *_abilities()]
    lines = ["| | meaning | used by | default |", "| --- | --- | --- | --- |"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def kernel_table() -> str:
    """The table of the kernels that a puzzle and an estimate may have."""
    lines = ["| kernel | what it does | needed |", "| --- | --- | --- |"]
    for function in ast.parse(KERNELS.read_text(encoding="utf-8")).body:
        if isinstance(function, ast.FunctionDef) and function.name not in INTERNAL and _is_kernel_name(function):
            call = f"{function.name}({', '.join(argument.arg for argument in function.args.args)})"
            about = " ".join((ast.get_docstring(function) or "").partition("\n\n")[0].split()).rstrip(".")
            lines.append(f"| `{call}` | {about} | {_need(function)} |")
    return "\n".join(lines) + "\n"


def _is_kernel_name(function: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "kernel_name" for each in function.decorator_list)


def _need(function: ast.FunctionDef) -> str:
    is_needed = isinstance(function.body[-1], ast.Raise)
    if function.args.args[0].arg == "estimate":
        return "for a compiled estimate" if is_needed else "no"
    return "yes" if is_needed else "no"


def example() -> str:
    """The compiled example, as a block of code."""
    return f"```text\n{EXAMPLE.read_text(encoding='utf-8')}```\n"


def _views() -> Iterator[tuple[str, ...]]:
    kinds = [
        *_classes(views),
        logic.Logic,
        puzzle.Forms,
        puzzle.MoveForms,
        puzzle.Notation,
        puzzle.Drawings,
        puzzle.Presentation,
    ]
    for kind in sorted((kind for kind in kinds if kind not in NO_VIEWS), key=lambda kind: kind.__name__):
        default = "see below" if kind is puzzle.Presentation else "not offered"
        yield f"view `{kind.__name__}`", _sentence(kind), _askers(kind.__name__), default


def _presentation() -> Iterator[tuple[str, ...]]:
    about = _docs(puzzle.Presentation)
    for field in fields(puzzle.Presentation):
        default: Any = field.default if field.default is not MISSING else field.default_factory()  # type: ignore[operator]
        text = f"`{default.__name__}`" if callable(default) else f"`{default!r}`"
        yield f"`Presentation.{field.name}`", about[field.name], _askers(rf"\.{field.name}\b"), text


def _abilities() -> Iterator[tuple[str, ...]]:
    for name, about in _docs(solver.Solver).items():
        if name not in EVERY_SOLVER:
            yield f"solver `{name}`", about, _askers(rf"\.{name}\b"), "see `SolverSettings`"
    kind = enumeration.Enumerator
    yield (
        f"solver `{kind.__name__}`",
        _sentence(kind),
        _askers(rf"\b(require_enumerator|{kind.__name__})\("),
        "not offered",
    )


def _classes(module: Any) -> list[type]:
    own = [kind for _, kind in inspect.getmembers(module, inspect.isclass) if kind.__module__ == module.__name__]
    return [kind for kind in own if _is_protocol(kind) or is_dataclass(kind)]


def _is_protocol(kind: type) -> bool:
    return Protocol in kind.__mro__


def _sentence(kind: type) -> str:
    """The first sentence of its docstring."""
    return _first(inspect.getdoc(kind) or "")


def _first(text: str) -> str:
    return re.split(r"(?<=[.:;])\s", " ".join(text.split()), maxsplit=1)[0].rstrip(".:;")


def _docs(kind: type) -> dict[str, str]:
    """The first sentence of each method, and of what stands below each field."""
    body = ast.parse(inspect.getsource(kind)).body[0].body  # type: ignore[attr-defined]
    docs = {}
    for field, about in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(about, ast.Expr) and isinstance(about.value, ast.Constant):
            docs[ast.unparse(field.target)] = _first(str(about.value.value))
    methods = {each.name: ast.get_docstring(each) or "" for each in body if isinstance(each, ast.FunctionDef)}
    return docs | {name: _first(text) for name, text in methods.items()}


def _askers(pattern: str) -> str:
    """The modules that use this, outside of core and of the puzzles and solvers that offer it."""
    pattern = pattern if pattern.startswith("\\") else rf"view\([^)]*\b{pattern}\b"
    places = []
    for path in sorted((ROOT / "src" / "puzzlelab").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT / "src" / "puzzlelab").with_suffix("").parts).removesuffix(".__init__")
        if re.search(pattern, path.read_text(encoding="utf-8")) and not name.startswith("puzzles."):
            places.append(name)
    needs = [f"`{path.stem}`" for path in _needing(pattern)]
    return ", ".join([*(f"`{place}`" for place in places if not place.startswith("solvers.")), *needs]) or "-"


def _needing(pattern: str) -> list[Path]:
    """The solvers that need or use it."""
    name = re.search(r"\\b(\w+)\\b", pattern)
    word = rf"needs: .*\b{name[1]}\b|{pattern}" if name else pattern
    files = sorted((ROOT / "src" / "puzzlelab" / "solvers").glob("*.py"))
    return [path for path in files if re.search(word, path.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    main()
