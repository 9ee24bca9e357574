"""Kernels stand in files by whose text their cache is named: `*kernels.py`, and those of a logic; all tell mypy."""

import ast
from pathlib import Path

import pytest

from puzzlelab.engine.compiler.cache_folder import SOURCES
from puzzlelab.version import PACKAGE

DECORATORS = {"compiled", "implements", "inlined", "jit", "kernel_name", "njit", "register_jitable", "vectorize"}
MYPY_COMMENT = "# mypy: allow-untyped-defs"


def kernels_of(tree: ast.Module) -> list[str]:
    """The functions that are decorated as kernels, at the margin or inside something."""
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and any(decorator_name(each) in DECORATORS for each in node.decorator_list)
    ]


def decorator_name(node: ast.expr) -> str:
    """The last part of a decorator's name, without arguments."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def place_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.fixture(scope="module")
def kernel_files() -> list[Path]:
    return [path for path in FILES if kernels_of(ast.parse(path.read_text(encoding="utf-8")))]


def test_kernels_stand_in_files_of_the_cache_alone(kernel_files: list[Path]) -> None:
    others = [path for path in kernel_files if not any(path.match(source) for source in SOURCES)]
    assert not list(map(place_of, others))


@pytest.mark.parametrize("path", [path for path in FILES if path.name.endswith("kernels.py")], ids=place_of)
def test_a_file_of_kernels_has_kernels(path: Path) -> None:
    assert kernels_of(ast.parse(path.read_text(encoding="utf-8")))


def test_files_of_kernels_and_only_these_tell_mypy_that_they_are(kernel_files: list[Path]) -> None:
    marked = {path for path in FILES if path.read_text(encoding="utf-8").startswith("# mypy:")}
    assert marked == set(kernel_files)
    assert {path.read_text(encoding="utf-8").splitlines()[0] for path in marked} == {MYPY_COMMENT}


def test_the_decorators_are_recognised() -> None:
    text = "@names.implements(legal, Tables)\ndef legal(): ...\n@compiled\ndef step(): ...\n@cache\ndef rules(): ...\n"
    assert kernels_of(ast.parse(text)) == ["legal", "step"]
