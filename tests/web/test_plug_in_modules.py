"""Plug-ins bring page modules: the server finds them beside those of the package."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("fastapi")
import httpx
from served import asked

from puzzlelab.core import registry
from puzzlelab.core.puzzle import Family
from puzzlelab.web import app, page_files


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], httpx.Response]:
    """Asks a server that knows the plug-in `rings`, whose folder is `tmp_path / "page"`."""
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "rings.js").write_text("export const fields = [];\n", encoding="utf-8")
    (folder / "rings-view.js").write_text("export const view = 1;\n", encoding="utf-8")
    (folder / "tiles.js").write_text("not this one\n", encoding="utf-8")
    (tmp_path / "rings.secret").write_text("outside\n", encoding="utf-8")
    family = Family("Rings.", registry.load, ("rings-3",), page=folder)
    made = app.make_app()
    families = {"other": Family("", registry.load, ()), "rings": family}
    monkeypatch.setattr(page_files, "installed", SimpleNamespace(families=families.items))
    return lambda path: asked(made, "GET", path)


@pytest.mark.parametrize("name", ["rings.js", "rings-view.js"])
def test_the_files_of_a_plug_in_are_served(server: Callable[[str], httpx.Response], name: str) -> None:
    answer = server(f"/puzzles/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "export const" in answer.text


def test_a_plug_in_cannot_take_the_place_of_a_module_of_the_package(server: Callable[[str], httpx.Response]) -> None:
    assert "not this one" not in server("/puzzles/tiles.js").text


@pytest.mark.parametrize(
    "name", ["other.js", "nothing.js", "rings-none.js", "rings-/../../rings.secret", "rings.secret"]
)
def test_nothing_else_is_served(server: Callable[[str], httpx.Response], name: str) -> None:
    assert server(f"/puzzles/{name}").status_code == 404
