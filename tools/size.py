"""Prints how large the package is: `make size`, or `python tools/size.py --at REVISION` for an earlier state.

The figures are those of `src/puzzlelab`, except that of the tests. Lines of code are neither blank nor a comment nor
part of a statement that is only a text (docstrings, and texts after constants and fields). The longest chain of imports
inside `core` has as many modules as `core` has floors; imports inside functions count, imports for types alone do not.
The names of the declared surface are the rows of the tables that `tools/surface.py` writes into docs/extending.md. The
lines of a function are those from `def` to its end without the docstring.

The last two figures come from a run of the program `puzzlelab solve tiles-3x3 BOARD`, whose kernels are compiled
already, and are given for the working tree alone. A module is entered when a function or the body of a class of it is
run; those of `COMPILER` are left out. A class wraps the board when a function receives, holds or returns an instance of
it that has the board's text or its state, itself or through its fields. A slow run may enter one module more, which
looks at the memory from time to time. With `-v` the places are printed too.
"""

from __future__ import annotations

import argparse
import ast
import atexit
import importlib
import json
import os
import re
import subprocess
import symtable
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import median, quantiles
from types import FrameType
from typing import Any

from style_checks.imports import Graph, graph_of_imports
from style_checks.modules import PACKAGE, Module, modules

ROOT = Path(__file__).resolve().parents[1]
BOARD = "8 6 7 2 5 4 3 0 1"
COMPILER = re.compile(r"\b(compiler|installed|user_cache|table_cache|startup)\b")
"""The modules of the compiler's layer, by a part of their name."""
PRONOUN = re.compile(r"(What|Which|That|Those|So many|As many|The same|As long)\b")
TABLE = re.compile(r"<!-- begin: tools/surface\.py(?:, kernels)? -->\n(.*?)<!-- end", re.DOTALL)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = Function | ast.ClassDef
Places = list[str]


def figures(root: Path) -> Iterator[tuple[str, int | str | Places]]:
    """Yield the figures of the files below `root`; places stand for their number."""
    code = modules(root / "src")
    nodes = [(module, node) for module in code for node in ast.walk(module.tree)]
    functions = [(module, node) for module, node in nodes if isinstance(node, Function)]
    documented = [(*each, ast.get_docstring(each[1]) or "") for each in nodes if isinstance(each[1], Documented)]
    core = graph_of_imports([module for module in code if module.folder == "core" and not module.is_package])
    page = (root / "docs" / "extending.md").read_text(encoding="utf-8")
    yield "lines of code", sum(code_lines(module.text) for module in code)
    yield "modules", len(code)
    yield "classes", sum(isinstance(node, ast.ClassDef) for _, node in nodes)
    yield "files of core", len(core)
    yield "floors of core", longest_chain(core)
    yield "names of the declared surface", [row for table in TABLE.findall(page) for row in table.splitlines()[2:]]
    yield "uses of the name `renamed`", [place(*each) for each in nodes if "renamed" in vars(each[1]).values()]
    openings = [f"{place(module, node)}: {text[:60]!r}" for module, node, text in documented if PRONOUN.match(text)]
    yield "docstrings that open with a pronoun", openings
    yield "locals that shadow a name of their module", [each for module in code for each in shadowing(module)]
    lengths = [lines_of(function) for _, function in functions]
    yield "functions", len(lengths)
    yield "lines of a function: median, nine in ten", f"{median(lengths):.0f}, {quantiles(lengths, n=10)[-1]:.0f}"
    yield "lines of the longest function", max(lengths)
    tests = (root / "tests").rglob("*.py")
    yield "lines of code of tests", sum(code_lines(path.read_text(encoding="utf-8")) for path in tests)


def is_text(node: ast.AST) -> bool:
    """Return whether a node is a statement that is only a text."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def lines(node: Any) -> range:
    """Return the numbers of the lines of a node."""
    return range(node.lineno, node.end_lineno + 1)


def code_lines(text: str) -> int:
    """Return the number of lines that are neither blank nor a comment nor part of a statement that is only a text."""
    numbers = {number for number, line in enumerate(text.splitlines(), start=1) if re.match(r"\s*[^\s#]", line)}
    return len(numbers.difference(*(lines(node) for node in ast.walk(ast.parse(text)) if is_text(node))))


def lines_of(function: Function) -> int:
    """Return the length of a function without its docstring."""
    return len(lines(function)) - (len(lines(function.body[0])) if is_text(function.body[0]) else 0)


def place(module: Module, node: Any) -> str:
    """Return the file and the line of a node."""
    return f"{module.place}:{node.lineno}"


def longest_chain(graph: Graph) -> int:
    """Return the number of modules in the longest chain of imports; raises `RecursionError` for a circle."""

    @cache
    def floor(name: str) -> int:
        return 1 + max(map(floor, graph[name]), default=0)

    return max(map(floor, graph), default=0)


def shadowing(module: Module) -> Iterator[str]:
    """Yield the locals and parameters that are named like a function, a class or an import of their module."""
    table = symtable.symtable(module.text, module.place, "exec")
    names = {each.get_name() for each in table.get_symbols() if each.is_imported() or each.is_namespace()}
    tables = table.get_children()
    for inner in tables:  # grows by the tables in each
        tables.extend(inner.get_children())
        own = (each for each in inner.get_symbols() if each.is_local() and not each.is_imported())
        if inner.get_type() == "function":
            yield from (f"{module.place}:{inner.get_lineno()}: {n}" for n in (s.get_name() for s in own) if n in names)


def figures_of_a_run() -> Iterator[tuple[str, Places]]:
    """Yield the modules that `solve` of one board enters, and the classes that wrap its board."""
    for _ in range(2):  # the first run compiles what is not compiled yet
        run = subprocess.run([sys.executable, __file__, "--trace"], check=True, capture_output=True, text=True)
    entered, wrapping = json.loads(run.stderr.splitlines()[-1])
    own = [name for name in entered if not COMPILER.search(name)]
    yield "modules that a warm `solve` enters, without the compiler's layer", own
    yield "classes that wrap the board on this way", wrapping


def trace() -> None:
    """Run the program `puzzlelab solve`, and print the modules that it enters and the classes that wrap the board."""
    entered: set[str] = set()
    wrapping: set[type] = set()

    def note(frame: FrameType, event: str, result: object) -> None:
        name = str(frame.f_globals.get("__name__"))
        if event in ("call", "return") and name.startswith(PACKAGE) and frame.f_code.co_name != "<module>":
            entered.add(name)
            values = [
                value for value in (*frame.f_locals.values(), result) if type(value).__module__.startswith(PACKAGE)
            ]
            wrapping.update(type(value) for value in values if holds_board(value))

    def write() -> None:
        sys.setprofile(None)
        names = sorted(f"{kind.__module__}.{kind.__name__}" for kind in wrapping)
        print(json.dumps([sorted(entered), names]), file=sys.stderr)

    os.environ["PUZZLELAB_BACKGROUND"] = "0"  # no other process compiles beside this one
    sys.argv = ["puzzlelab", "solve", "tiles-3x3", BOARD]
    atexit.register(write)
    threading.setprofile(note)
    sys.setprofile(note)
    importlib.import_module("puzzlelab.cli.main").run()


def holds_board(value: Any, depth: int = 6) -> bool:
    """Return whether a value is the board as a text or a state, or has a field that holds it."""
    if isinstance(value, str):
        return BOARD in value
    if type(value).__name__ == "ndarray":
        return value.size < 1000 and BOARD in " ".join(map(str, value.ravel().tolist()))
    if isinstance(value, list | tuple):
        parts = list(value[:100])
    elif type(value).__module__.startswith(PACKAGE):
        fields = [*getattr(type(value), "__slots__", ()), *getattr(value, "__dict__", ())]
        parts = [getattr(value, field, None) for field in fields]
    else:
        return False
    return depth > 0 and any(holds_board(part, depth - 1) for part in parts)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Prints how large the package is.")
    parser.add_argument("--at", metavar="REVISION", help="of a revision, without the figures of a run")
    parser.add_argument("-v", action="store_true", help="print the places too")
    parser.add_argument("--trace", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.trace:
        trace()
    elif options.at:
        with tempfile.TemporaryDirectory() as folder:
            files = subprocess.run(["git", "archive", options.at], cwd=ROOT, check=True, capture_output=True).stdout
            subprocess.run(["tar", "x", "-C", folder], input=files, check=True)
            show(figures(Path(folder)), options.v)
    else:
        show(figures(ROOT), options.v)
        show(figures_of_a_run(), options.v)


def show(values: Iterable[tuple[str, int | str | Places]], with_places: bool) -> None:
    """Print the figures, a line each."""
    for title, value in values:
        print(f"{title}: {len(value) if isinstance(value, list) else value}")
        if with_places and isinstance(value, list):
            print("\n".join(f"  {each}" for each in value))


if __name__ == "__main__":
    main()
