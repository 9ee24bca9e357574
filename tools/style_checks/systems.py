"""Uses of names that only POSIX systems, or only Linux, have: each needs a branch for the other systems."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from style_checks.modules import Module

MODULES = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"})
"""Modules that Windows lacks."""
NAMES = frozenset(
    f"os.{name}"
    for name in [
        "fork",
        "forkpty",
        "getegid",
        "geteuid",
        "getgid",
        "getuid",
        "getpgid",
        "getsid",
        "killpg",
        "mkfifo",
        "pidfd_open",
        "sched_getaffinity",
        "setpgid",
        "setsid",
        "sysconf",
        "uname",
        "wait",
        "waitpid",
    ]
) | frozenset(
    f"signal.{name}"
    for name in [
        "SIGALRM",
        "SIGCHLD",
        "SIGHUP",
        "SIGKILL",
        "SIGPIPE",
        "SIGUSR1",
        "SIGUSR2",
        "alarm",
        "pthread_kill",
        "pthread_sigmask",
        "setitimer",
    ]
)
"""Attributes of modules that Windows lacks."""
LINUX_FILES = ("/proc/", "/sys/", "/dev/shm")
BRANCHES = frozenset({"os.name", "sys.platform"})
CAUGHT = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})
"""What a missing module or name raises; a missing file raises `OSError`."""


def posix_only(code: list[Module]) -> Iterator[str]:
    """The places of such uses in functions that have no branch for other systems."""
    for module in code:
        for node, name in _uses(module.tree, []):
            yield f"{module.place}:{node.lineno}: {name}"


def _uses(node: ast.AST, functions: list[ast.AST]) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """The uses below a node that no branch of the functions around it guards."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        functions = [*functions, node]
    if isinstance(node, ast.expr | ast.stmt) and (name := _posix_name(node)):
        caught = CAUGHT | {"OSError"} if name.startswith("/") else CAUGHT
        if not any(_is_branch(each, caught) for function in functions for each in ast.walk(function)):
            yield node, name
    for child in ast.iter_child_nodes(node):
        yield from _uses(child, functions)


def _is_branch(node: ast.AST, caught: Set[str]) -> bool:
    """Whether code looks at the system, or catches what happens where something is missing."""
    if isinstance(node, ast.Attribute):
        return ast.unparse(node) in BRANCHES
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        is_suppressed = node.func.id == "suppress" and any(ast.unparse(each) in caught for each in node.args)
        return node.func.id == "hasattr" or is_suppressed
    if isinstance(node, ast.ExceptHandler) and node.type is not None:
        return any(isinstance(each, ast.Name) and each.id in caught for each in ast.walk(node.type))
    return False


def _posix_name(node: ast.expr | ast.stmt) -> str | None:
    if isinstance(node, ast.Import):
        return next((alias.name for alias in node.names if alias.name in MODULES), None)
    if isinstance(node, ast.ImportFrom):
        return node.module if node.module in MODULES else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        name = f"{node.value.id.lstrip('_')}.{node.attr}"
        return name if name in NAMES else None
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(LINUX_FILES):
        return node.value
    if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
        return _posix_name(node.values[0])
    return None
