"""The graph of imports.

Imports inside functions count; imports for types alone (`if TYPE_CHECKING`) do not. A text that names a module, as
`import_module` and tables of lazy names take it, is an import too. The table of a puzzle's views is none: it is a
registry, whose keys are the classes of the views, and the code that looks a view up knows the class alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set

from style_checks.modules import PACKAGE, Module

Graph = Mapping[str, Set[str]]
"""Name of a module -> the names of the modules that it imports."""


def graph_of_imports(code: list[Module]) -> Graph:
    """Which module imports which, without the parent packages that Python imports on the way."""
    names = {module.name for module in code}
    return {module.name: {target for target in _imports(module, names) if target != module.name} for module in code}


def _imports(module: Module, names: Set[str]) -> Iterator[str]:
    for node in _nodes_at_run_time(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from _targets(node, node.module, names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.partition(":")[0]
            if name.startswith(f"{PACKAGE}.") and name in names:
                yield name


def _targets(node: ast.ImportFrom, package: str, names: Set[str]) -> Iterator[str]:
    """The modules of `from package import a, b`, where `a` is a module or a name inside of `package`."""
    for alias in node.names:
        full = f"{package}.{alias.name}"
        if full in names:
            yield full
        elif package in names:
            yield package


def _nodes_at_run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes, without those below `if TYPE_CHECKING` and without the tables of views."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from (each for branch in node.orelse for each in (branch, *_nodes_at_run_time(branch)))
        elif not (isinstance(node, ast.Dict) and _is_registry(node)):
            yield node
            yield from _nodes_at_run_time(node)


def _is_registry(table: ast.Dict) -> bool:
    """Whether all keys are names of classes."""
    return bool(table.keys) and all(isinstance(key, ast.Name) and key.id[:1].isupper() for key in table.keys)
