"""The page comes in few requests, shows a board before the server answers, and works without the server afterwards."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

pytest.importorskip("playwright.sync_api")
from on_page import board, shows
from playwright.sync_api import expect
from served import end, start

pytestmark = pytest.mark.browser
MAX_REQUESTS = 10
EIGHT = "8 6 7 2 5 4 3 0 1"
WITH_WORKER = {"service_workers": "allow"}
CONTROLLED = "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)"


def test_the_first_board_needs_few_requests_and_none_elsewhere(opened, server) -> None:
    page, asked = opened(), []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_selector("html[data-ready=true]")
    page.wait_for_timeout(500)
    assert 3 <= len(asked) <= MAX_REQUESTS
    assert {urlsplit(url).netloc for url in asked} == {urlsplit(server.address).netloc}


@pytest.mark.parametrize("name", ["tiles-4x4", "dust-8x6x5", "sudoku-9x9"])
def test_a_board_is_drawn_before_the_server_answers(opened, name) -> None:
    page = opened()
    page.route("**/api/**", lambda _: None)
    page.goto(f"{page.url.partition('#')[0]}#puzzle={name}")
    page.reload()
    expect(board(page).locator("svg, [role=grid], [role=application]").first).to_be_visible()
    expect(page.get_by_test_id("loading")).to_have_count(0)


def test_a_loading_sign_is_there_before_any_script(opened) -> None:
    page = opened()
    page.route("**/page-*.js", lambda _: None)
    page.goto(page.url.partition("#")[0] + "?again", wait_until="commit")
    expect(page.get_by_test_id("loading")).to_be_visible()


def test_after_a_visit_the_page_plays_and_shows_what_was_solved_without_the_server(opened) -> None:
    page = opened(WITH_WORKER, puzzle="tiles-3x3", board=EIGHT)
    page.wait_for_function(CONTROLLED)
    page.get_by_test_id("solve").click()
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)
    expect(page.locator('tbody[data-solver="ida"]')).to_have_attribute("data-status", "done", timeout=300_000)
    page.context.set_offline(True)
    page.reload()
    expect(page.get_by_test_id("step")).to_contain_text("31")
    page.get_by_test_id("mode-play").click()
    before = board(page).get_attribute("data-board")
    page.keyboard.press("ArrowDown")
    expect(board(page)).not_to_have_attribute("data-board", before)
    page.keyboard.press("Control+z")
    shows(page, before)
    page.get_by_test_id("mode-make").click()
    page.get_by_test_id("solve").click()
    expect(page.locator('tbody[data-solver="ida"]')).to_have_attribute("data-status", "done")
    expect(board(page)).to_have_attribute("data-mode", "watch")


def test_what_was_never_asked_gets_a_sentence_without_the_server(opened) -> None:
    page = opened(WITH_WORKER, puzzle="tiles-3x3", board="1 2 3 4 5 6 0 7 8")
    page.wait_for_function(CONTROLLED)
    page.context.set_offline(True)
    page.get_by_test_id("solve").click()
    expect(page.get_by_test_id("status")).to_contain_text("cannot be reached")
    page.context.set_offline(False)
    page.get_by_test_id("solve").click()
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)


@contextmanager
def another_program(port: int) -> Iterator[None]:
    """A program at this port that answers every request with its name."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>another</title>another program at " + self.path.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as program:
        program.daemon_threads = True  # a browser keeps its connections open
        threading.Thread(target=program.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            program.shutdown()


TEXT_OF = "path => fetch(path).then((answer) => answer.text())"


def test_the_page_leaves_an_address_at_which_another_program_answers(browser) -> None:
    ours = start()
    context = browser.new_context(service_workers="allow")
    page = context.new_page()
    page.goto(ours.address)
    page.wait_for_function(CONTROLLED)
    assert page.evaluate(TEXT_OF, "/api/limits").startswith("{")
    assert page.evaluate("caches.keys()")
    end(ours)
    with another_program(urlsplit(ours.address).port):
        for path in ("/icon.svg", "/api/limits", "/api/new"):  # the page is still open
            assert page.evaluate(TEXT_OF, path) == f"<title>another</title>another program at {path}"
        assert page.evaluate("caches.keys()") == []
        page.goto(f"{ours.address}?again")
        assert page.inner_text("body") == "another program at /?again"
        assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
        assert page.evaluate("navigator.serviceWorker.controller") is None
    context.close()


def test_another_program_at_the_address_is_shown_at_once_and_keeps_its_caches(browser) -> None:
    ours = start()
    context = browser.new_context(service_workers="allow")
    page = context.new_page()
    page.goto(ours.address)
    page.wait_for_function(CONTROLLED)
    page.evaluate("caches.open('of-another')")
    page.goto("about:blank")
    end(ours)
    with another_program(urlsplit(ours.address).port):
        page.goto(ours.address)
        assert page.inner_text("body") == "another program at /"
        page.reload()
        assert page.evaluate("caches.keys()") == ["of-another"]
        assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    context.close()


def test_the_page_can_be_installed(opened, client) -> None:
    page = opened()
    manifest = client.get(page.locator("link[rel=manifest]").get_attribute("href")).json()
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        answer = client.get(icon["src"])
        assert answer.headers["content-type"].startswith(icon["type"])
        if icon["type"] == "image/png":
            assert icon["sizes"] == "x".join(str(int.from_bytes(answer.content[at : at + 4])) for at in (16, 20))
