"""A report of `puzzlelab report` in a browser."""

import pytest

pytest.importorskip("axe_playwright_python")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

from on_page import findings
from typer.testing import CliRunner

from puzzlelab.cli.main import app

pytestmark = pytest.mark.browser

BOARDS = "1 2 3 4 5 6 7 0 8\t1\topt\n1 2 3 4 5 6 0 7 8\t2\topt\n8 6 7 2 5 4 3 0 1\t31\topt\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("report")
    (folder / "boards.txt").write_text(BOARDS, encoding="utf-8")
    solvers = "ida:estimate=manhattan,beam:width=2:estimate=manhattan,beam:width=9:estimate=manhattan"
    out = str(folder / "results")
    CliRunner().invoke(app, ["bench", "tiles-3x3", str(folder / "boards.txt"), "--with", solvers, "--out", out])
    made = CliRunner().invoke(app, ["report", str(folder), "--out", str(folder / "report.html")])
    assert made.exit_code == 0, made.stderr
    return (folder / "report.html").as_uri()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_report_fits_and_is_accessible(browser, address, width) -> None:
    page = browser.new_page(viewport={"width": width, "height": 844})
    requests, wrong = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: wrong.append(message.text))
    page.goto(address)
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("[...document.images].every((each) => each.complete && each.naturalWidth > 0)")
    assert [url for url in requests if not url.startswith("data:")] == [address]
    assert wrong == []
    page.close()
