"""Checks of sizes: the lines of a function, and the positional arguments of a call."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from style_checks.modules import Module

LINES = 60
"""The most lines of a function, from `def` to its last line."""
POSITIONAL = 8
"""The most positional arguments of a call; a starred argument counts as one."""


def long_functions(code: list[Module]) -> Iterator[str]:
    """Functions of more than 60 lines, without their decorators."""
    for module in code:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LINES:
                    yield f"{module.place}:{node.lineno}: {node.name}, {lines} lines"


def long_calls(code: list[Module]) -> Iterator[str]:
    """Calls with more than 8 positional arguments; functions of Python such as `max` and `zip` aside."""
    for module in code:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and len(node.args) > POSITIONAL and not _is_builtin(node.func):
                yield f"{module.place}:{node.lineno}: {ast.unparse(node.func)}, {len(node.args)} positional arguments"


def _is_builtin(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and hasattr(builtins, function.id)
