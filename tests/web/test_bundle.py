"""The modules of the page are joined into one file, and plug-ins find them at their old places."""

import gzip
import json
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
import httpx
import served

from puzzlelab.core import registry
from puzzlelab.web import app, page_files
from puzzlelab.web.job_service import ServerLimits
from puzzlelab.web.page_files import STATIC

ROOT = Path(__file__).resolve().parents[2]
MODULES = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")} - {"theme.js", "worker.js"}
PAGE = '<head>\n  <link rel="stylesheet" href="a.css">\n  <script type="module" src="app.js"></script>\n</head>\n'


def asked(method: str, path: str, **headers: str) -> httpx.Response:
    """The answer of a server in this process."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return served.asked(app.make_app(), method, path, headers=sent)


@pytest.fixture
def made() -> dict[str, bytes]:
    return page_files.make_bundle(STATIC, {})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page of one module, to which a test adds others."""
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "a.css").write_text("/** Of the page. */\np { margin: 0; }\n")
    (tmp_path / "app.js").write_text('import { one } from "./one.js";\nconsole.log(one);\n')
    (tmp_path / "one.js").write_text("/** The first number. */\nexport const one = 1;\n")
    (tmp_path / "worker.js").write_text("self.VERSION = VERSION;\n")
    return tmp_path


def the(made: dict[str, bytes], pattern: str) -> str:
    (name,) = [name for name in made if re.fullmatch(pattern, name)]
    return made[name].decode()


def test_each_module_is_joined_once_and_has_a_stand_in(made) -> None:
    script = the(made, r"page-\w+\.js")
    for name in MODULES:
        assert script.count(f"const {page_files._variable(name)} = (() => {{") == 1, name
        assert name in made
    assert not re.search(
        r"^\s*(import [^(]|/\*\*)", script.replace('import { mountTheme } from "./theme.js";', ""), re.M
    )


def test_a_module_comes_after_those_that_it_imports(folder: Path) -> None:
    script = the(page_files.make_bundle(folder, {}), r"page-\w+\.js")
    assert script.index("const m_one =") < script.index("const m_app =")
    assert "const { one } = m_one;" in script
    assert "number" not in script  # a comment


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("export default 1;\n", "one.js: export default 1;"),
        ("const one = 1;\nexport { one };\n", "export { one };"),
        ('import one from "./two.js";\nexport const a = one;\n', "import one from"),
        ('import "./two.js";\n', 'import "./two.js";'),
        ('import { b } from "./app.js";\nexport const one = b;\n', "app.js imports itself, by app.js and one.js"),
    ],
)
def test_a_form_that_is_not_known_is_an_error(folder: Path, text: str, words: str) -> None:
    (folder / "one.js").write_text(text)
    with pytest.raises(ValueError, match=re.escape(words)):
        page_files.make_bundle(folder, {})


def test_another_content_has_another_name_and_another_service_worker(folder: Path) -> None:
    before = page_files.make_bundle(folder, {})
    (folder / "one.js").write_text("export const one = 2;\n")
    after = page_files.make_bundle(folder, {})
    assert the(before, r"page-\w+\.js") != the(after, r"page-\w+\.js")
    assert {name for name in before if "page-" in name}.isdisjoint(after)
    assert before["worker.js"] != after["worker.js"]


def test_answers_in_the_page_cannot_end_their_element(folder: Path) -> None:
    page = page_files.make_bundle(folder, {"list": "</script><b>"})["index.html"].decode()
    text = re.search(r'id="answers">(.*?)</script>', page)
    assert json.loads(text[1]) == {"list": "</script><b>"}


def test_the_known_answers_are_those_of_the_api() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import page_answers

    assert page_files.ANSWERS.read_text(encoding="utf-8") == page_answers.made(), "run python tools/page_answers.py"


def test_a_plug_in_takes_the_known_answers_out_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "list" in page_files.known_answers(ServerLimits())
    monkeypatch.setattr(registry, "has_plug_ins", lambda: True)
    assert set(page_files.known_answers(ServerLimits())) == {"limits"}


def test_files_are_compressed_and_kept_by_browsers() -> None:
    page = asked("GET", "/", accept_encoding="gzip")
    assert page.headers["content-encoding"] == "gzip"
    assert page.headers["cache-control"] == "no-cache"
    script = asked("GET", re.search(r"page-\w+\.js", page.text)[0], accept_encoding="identity")
    assert "content-encoding" not in script.headers
    assert "immutable" in script.headers["cache-control"]
    assert asked("GET", "/", if_none_match=page.headers["etag"]).status_code == 304
    total = sum(len(gzip.compress(text)) for name, text in page_files.make_bundle(STATIC, {}).items() if "-" in name)
    assert total < 100_000


def test_a_stand_in_has_the_type_of_a_module_and_answers_head() -> None:
    answer = asked("HEAD", "/puzzles/tiles.js")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/javascript")
