"""One server and one browser for all tests of a process."""

import os
import shutil
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from served import Server, end, start

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
NO_BROWSER = (
    "no browser: install one (Debian: apt-get install chromium), or name one in PUZZLELAB_BROWSER; "
    "PUZZLELAB_BROWSER=none skips these tests on purpose"
)
PATIENCE = int(os.environ.get("PATIENCE_MS", 60_000))
"""Milliseconds in which a page shows what it is to show; a busy machine needs more of them than a person would like."""
USED = "try { localStorage.setItem('puzzlelab-advanced', 'open'); } catch {}"
"""The page as of a person who used methods and networks before: their fold is open."""
USUAL = {"viewport": {"width": 1280, "height": 900}, "service_workers": "block"}


@pytest.fixture
def anyio_backend() -> str:
    """What runs the tests that are coroutines, which have the mark `anyio`."""
    return "asyncio"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server that most tests share."""
    pytest.importorskip("httpx")
    pytest.importorskip("fastapi")
    found = start("--time", "30")
    yield found
    assert "Traceback" not in end(found)


@pytest.fixture
def client(server: Server) -> Iterator:
    """Asks the server; waits long, because kernels may have to be compiled."""
    import httpx

    with httpx.Client(base_url=server.address, timeout=300) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """The browser that `PUZZLELAB_BROWSER` names, or one that is found."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    named = os.environ.get("PUZZLELAB_BROWSER", "")
    if named == "none":
        pytest.skip("PUZZLELAB_BROWSER=none")
    path = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(NO_BROWSER)
    root = ["--no-sandbox"] if os.geteuid() == 0 else []  # a browser refuses its sandbox to root
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=root)
        yield found
        found.close()


@pytest.fixture
def opened(server: Server, browser) -> Iterator:
    """Opens the page with what its link says; in the end no script has failed, and nothing was blocked.

    `opened(puzzle=..., board=..., ...)`; `settings` are those of a browser's context, such as its size. Service workers
    are off, because they would hide requests from the tests; those about them ask for them.
    """
    contexts, wrong = [], []

    def open_page(settings: dict | None = None, **link: str):
        context = browser.new_context(**USUAL | (settings or {}))
        context.set_default_timeout(PATIENCE)
        context.add_init_script(USED)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.goto(f"{server.address}#{urlencode(link)}")
        page.wait_for_selector("html[data-ready=true]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [each for each in wrong if "Failed to load resource" not in each] == []
