"""The export list is complete, true, and costs nothing until it is used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import puzzlelab

ROOT = Path(__file__).parents[1]
HEAVY = ("numba", "torch", "rich", "scipy", "numpy", "pydantic", "typer", "matplotlib")


def names_for_type_checkers():
    """What the block that only type checkers see imports, by name."""
    tree = ast.parse(Path(puzzlelab.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return {alias.asname or alias.name: node.module for node in block.body for alias in node.names}


def loaded_after(code):
    """Which of the heavy modules are imported after running this in a fresh interpreter."""
    code += f"\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    return done.stdout.split()


def test_the_list_is_the_same_in_all_its_places():
    places = puzzlelab._PLACES
    assert set(puzzlelab.__all__) == {"__version__", *places}
    assert len(puzzlelab.__all__) == len(set(puzzlelab.__all__))
    assert names_for_type_checkers() == {name: f"puzzlelab.{place}" for name, place in places.items()}
    assert set(puzzlelab.__all__) <= set(dir(puzzlelab))


def test_every_name_comes_from_where_it_lives():
    for name, place in puzzlelab._PLACES.items():
        home = getattr(getattr(puzzlelab, name), "__module__", f"puzzlelab.{place}")
        assert home in (f"puzzlelab.{place}", "typing", "numpy"), name


def test_a_name_that_does_not_exist():
    with pytest.raises(AttributeError, match="module 'puzzlelab' has no attribute 'slove'"):
        puzzlelab.slove  # noqa: B018
    with pytest.raises(ImportError):
        from puzzlelab import slove  # noqa: F401


def test_importing_the_package_imports_nothing_heavy():
    assert loaded_after("import puzzlelab; puzzlelab.__version__") == []


def test_reading_a_board_needs_no_compiler():
    loaded = loaded_after("import puzzlelab; puzzlelab.load('tiles-4x4').read('0123456789abcdef')")
    assert not {"numba", "torch", "rich", "scipy", "typer", "matplotlib"} & set(loaded)
