"""A check of calls: their positional arguments."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from style_checks.modules import Module

POSITIONAL = 8
"""The most positional arguments of a call; a starred argument counts as one."""


def long_calls(code: list[Module]) -> Iterator[str]:
    """Calls with more than 8 positional arguments; functions of Python such as `max` and `zip` aside."""
    for module in code:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and len(node.args) > POSITIONAL and not _is_builtin(node.func):
                yield f"{module.place}:{node.lineno}: {ast.unparse(node.func)}, {len(node.args)} positional arguments"


def _is_builtin(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and hasattr(builtins, function.id)
