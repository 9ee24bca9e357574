"""The site has a page for every public name, and every page of the documents is in its table of contents."""

import re
from pathlib import Path

import pytest

import puzzlelab
import site_pages

DOCS = Path(__file__).parents[2] / "docs"


def test_every_public_name_is_in_the_reference() -> None:
    text = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^   (\w+)$", text, re.MULTILINE) + re.findall(r"py:data:: (\w+)", text)
    assert sorted(listed) == sorted(name for name in puzzlelab.__all__ if not name.startswith("_"))


def test_every_page_is_in_the_table_of_contents() -> None:
    contents = re.findall(r"^([\w/-]+)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    made = {"reference/commands", "reference/settings", "reference/solvers"}
    assert set(contents) | {"index"} == {page for page in pages if "generated" not in page} | made


def test_every_option_of_a_solver_has_a_meaning() -> None:
    pytest.importorskip("sphinx")
    page = site_pages.solvers()
    for name in ("## beam", "## ida", "## uct"):
        assert name in page
    assert [line for line in page.splitlines() if line.endswith("|  |")] == []


def test_every_setting_of_a_recipe_has_a_meaning() -> None:
    pytest.importorskip("sphinx")
    pytest.importorskip("torch")
    page = site_pages.settings()
    assert "| `learning.learning_rate` | `0.001` | number, above 0 |" in page
    assert [line for line in page.splitlines() if line.endswith("|  |")] == []
