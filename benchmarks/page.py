"""Drives the page with a browser: makes its pictures for the documents, or measures a first visit and key presses.

    python benchmarks/page.py pictures docs
    python benchmarks/page.py keys
    python benchmarks/page.py first --source OTHER_CHECKOUT
    python benchmarks/page.py first --slow 10 --cold --busy 2

Needs `pip install 'puzzlelab[web,learn,dev]'` and a browser: chromium, or the one that PUZZLELAB_BROWSER names.
"""

from __future__ import annotations

import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from rich.console import Console
from rich.table import Table

SIZE = {"width": 1180, "height": 860}
PHONE = {"width": 390, "height": 844}
ROOT = Path(__file__).resolve().parents[1]
LONG_PATIENCE = 1_800_000
"""Milliseconds on a slow machine with an empty cache."""
TAP_SECONDS, SWIPE_SECONDS = 0.7, 1.0
"""What a tap and a swipe take a person, about."""
SWIPE_PIXELS = 500
HIGHEST, LOWEST = 8, 836
"""Where a finger reaches on the screen, in pixels from the top."""
PATIENCE = 120_000
"""Milliseconds; kernels may have to be compiled."""
SCENES = {
    "tiles": {"puzzle": "tiles-4x4", "board": "10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3"},
    "dust": {"puzzle": "dust-8x6x5", "board": "425225154523142543212442545541241413141521445214"},
    "sudoku": {
        "puzzle": "sudoku-9x9",
        "board": "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
    },
}
STEPS = {"tiles": 12, "dust": 3, "sudoku": 4}
RIVALS = {
    "tiles": ("ida", "astar", "beam"),
    "dust": ("halves", "beam", "greedy"),
    "sudoku": ("bands", "backtracking", "lattice"),
}
WATCH_FIRST = """
window.firstBoard = window.ready = null;
const look = () => {
  if (!firstBoard && document.querySelector("#board svg")) firstBoard = performance.now();
  if (!ready && document.documentElement?.dataset.ready) ready = performance.now();
};
new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
"""
"""Takes down when the first board is there, and when the page is ready."""
THROUGH = """async () => {
  const through = () => new Promise((done) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(done))));
  const times = [];
  for (let remaining = Number(document.getElementById("slider").max); remaining > 0; remaining -= 1) {
    const began = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await through();
    const pressed = performance.now();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const from = performance.now();
    times.push([pressed - began, from - pressed]);
    await new Promise((done) => setTimeout(done, 250));
  }
  return times;
}"""
"""Steps through a solution by key; returns for each key the milliseconds of its script, and until it is painted."""
app = typer.Typer(no_args_is_help=True)


@app.command()
def pictures(folder: Annotated[Path, typer.Argument(help="Where the pictures go.")]) -> None:
    """Show every puzzle in every mode, in light and in dark, and on a phone."""
    with opened() as (browser, address):
        for name, scene in SCENES.items():
            for mode, show in (("edit", edit), ("play", play), ("solution", solution)):
                for scheme in ("light", "dark"):
                    page = new_page(browser, color_scheme=scheme, viewport=SIZE)
                    page.goto(f"{address}#{urlencode(scene)}")
                    page.wait_for_selector("html[data-ready=true]")
                    show(page, name)
                    take(page, folder / f"web-{name}-{mode}-{scheme}.png")
            page = new_page(browser, viewport=PHONE, has_touch=True, is_mobile=True)
            page.goto(f"{address}#{urlencode({**scene, 'mode': 'play'})}")
            page.wait_for_selector("html[data-ready=true]")
            hint(page)
            take(page, folder / f"web-{name}-phone.png")


def new_page(browser: Browser, **settings: Any) -> Page:
    """A page of a user who has no game here yet, and had the methods and networks open."""
    context = browser.new_context(service_workers="block", reduced_motion="reduce", **settings)
    context.add_init_script("try { localStorage.setItem('puzzlelab-advanced', 'open'); } catch {}")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    return page


def take(page: Page, path: Path) -> None:
    """Save what is on the screen, and close the page."""
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(300)
    page.screenshot(path=path)
    page.context.close()
    print(path)


def edit(page: Page, name: str) -> None:
    """A board that is being entered, with something that is not right yet."""
    if name == "tiles":
        page.locator("[data-cell='0']").first.focus()
        for key in ("5", "Delete"):
            page.keyboard.press(key)
    elif name == "sudoku":
        page.locator("[data-cell='3']").click()
        page.keyboard.press("8")
    else:
        page.get_by_test_id("paste").fill("RGBY\nGGBB\nRRYY")


def play(page: Page, name: str) -> None:
    """A game that is being played, with what the page knows about its moves."""
    page.get_by_test_id("mode-play").click()
    if name == "sudoku":
        page.get_by_test_id("tool-fill").click()
        page.locator("[data-cell='10']").click()
        for key in ("Shift+ArrowRight", "v", "3", "z"):
            page.keyboard.press(key)
        page.locator("[data-cell='1']").click()
        page.keyboard.press("1")
        page.locator("[data-cell='2']").click()
    elif name == "tiles":
        for key in ("ArrowUp", "ArrowRight", "ArrowDown", "Control+z", "Control+z", "ArrowUp"):
            page.keyboard.press(key)
    if name != "sudoku":
        page.get_by_test_id("regret").check()
        expect(page.get_by_test_id("board").locator("svg").first).to_contain_text("best")
    hint(page)


def hint(page: Page) -> None:
    """A hint in its last level."""
    page.get_by_test_id("hint").click()
    expect(page.get_by_test_id("hint-text")).to_contain_text(" to go")
    page.get_by_test_id("hint").click()
    page.get_by_test_id("hint").click()
    page.wait_for_timeout(5500)  # until the search for the other moves is over


def solution(page: Page, name: str) -> None:
    """A step of a solution, with several methods compared and the network's shares on the board."""
    race(page, RIVALS[name])
    page.get_by_test_id("watch-1").click()
    page.get_by_test_id("heat").check()
    page.get_by_test_id("slider").fill(str(STEPS[name]))
    expect(page.get_by_test_id("board").locator("svg").first).to_contain_text("%")
    expect(page.get_by_test_id("bound")).to_contain_text("more")


@app.command()
def keys() -> None:
    """Measure what a key press costs while somebody steps through a solution: its script, and the time to its frame."""
    table = Table("puzzle", "network", "key presses", "script, median", "p95", "painted, median", "p95", box=None)
    with opened() as (browser, address):
        for scene in SCENES.values():
            for heat in (False, True):
                spent = measured(browser, f"{address}#{urlencode(scene)}", heat)
                columns = [column for times in zip(*spent, strict=True) for column in summary(times)]
                table.add_row(scene["puzzle"], "shown" if heat else "", str(len(spent)), *columns)
    Console().print(table, "milliseconds")


@app.command()
def first(
    source: Annotated[Path, typer.Option(help="The checkout whose page is measured.")] = ROOT,
    slow: Annotated[float, typer.Option(help="How many times slower the browser's processor is.")] = 1,
    cold: Annotated[bool, typer.Option(help="Begin with an empty cache of kernels.")] = False,
    busy: Annotated[int, typer.Option(help="Busy loops beside the server.")] = 0,
) -> None:
    """Measure the first visit of each puzzle: sign, board, requests and bytes; then a solution and a hint."""
    table = Table("puzzle", "sign", "board", "ready", "requests", "kB", "answer", "proof", "hint", box=None)
    with tempfile.TemporaryDirectory() as folder, beside(busy):
        variables = {"PYTHONPATH": str(source / "src"), **({"XDG_CACHE_HOME": folder} if cold else {})}
        for name, scene in SCENES.items():
            with opened(**variables) as (browser, address):
                figures = first_visit(browser, f"{address}#{urlencode(scene)}", slow)
            table.add_row(name, *figures)
            Console().print(name, *figures, sep=", ")
    Console().print(table, "milliseconds, but for requests and kB")


@app.command()
def hints(boards: Annotated[int, typer.Option(help="Boards of each puzzle.")] = 20) -> None:
    """Measure the time from a press on Hint to its first sentence, on new boards, when everything is compiled."""
    table = Table("puzzle", "boards", "median", "p95", box=None)
    with opened() as (browser, address):
        for name, scene in SCENES.items():
            page = new_page(browser, viewport=SIZE)
            page.goto(f"{address}#{urlencode({**scene, 'mode': 'play'})}")
            page.wait_for_selector("html[data-ready=true]")
            times = [hint_time(page, address, scene["puzzle"], seed) for seed in range(boards + 3)][3:]
            table.add_row(name, str(boards), *summary(times))
            page.context.close()
    Console().print(table, "milliseconds")


def hint_time(page: Page, address: str, puzzle: str, seed: int) -> float:
    """Milliseconds until the first hint at a new board is there."""
    board = page.evaluate(
        "async (query) => (await (await fetch(`/api/generate?${query}`)).json())[0].board",
        urlencode({"puzzle": puzzle, "seed": seed}),
    )
    page.evaluate("hash => { location.hash = hash; }", urlencode({"puzzle": puzzle, "board": board, "mode": "play"}))
    page.wait_for_function("board => document.getElementById('board').dataset.board === board", arg=board)
    page.wait_for_timeout(300)
    times: float = page.evaluate(
        """async () => {
          const text = document.getElementById("hint-text");
          const began = performance.now();
          document.getElementById("hint").click();
          while (!/to go|wrong/.test(text.textContent)) await new Promise((done) => setTimeout(done, 1));
          return performance.now() - began;
        }"""
    )
    page.wait_for_timeout(300)
    return times


@app.command()
def steps(source: Annotated[Path, typer.Option(help="The checkout whose page is measured.")] = ROOT) -> None:
    """Count the taps and swipes on a phone from a board on paper to its solution on the screen."""
    table = Table("puzzle", "taps", "swipes", "seconds", "of them the page's", box=None)
    for name, enter in (("tiles", enter_tiles), ("dust", enter_dust), ("sudoku", enter_sudoku)):
        with opened(PYTHONPATH=str(source / "src")) as (browser, address):
            page = new_page(browser, viewport=PHONE, has_touch=True, is_mobile=True)
            page.goto(address)
            page.wait_for_selector("html[data-ready=true]")
            table.add_row(name, *Finger(page).solve(name, enter))
    Console().print(table)


class Finger:
    """Taps on a phone, and swipes to what is not on the screen."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps, self.swipes, self.waited = page, 0, 0, 0.0

    def tap(self, place: Locator) -> None:
        """Tap on an element, after as many swipes as it takes to see it."""
        box = place.bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        lost = max(0.0, middle - LOWEST, HIGHEST - middle)
        if lost:
            self.swipes += math.ceil(lost / SWIPE_PIXELS)
            place.evaluate("element => element.scrollIntoView({ block: 'center' })")
        self.taps += 1
        place.tap()

    def solve(self, name: str, enter: Callable[[Finger], None]) -> list[str]:
        """Enter the board of a puzzle and let it be solved; the row of the table."""
        if name != "tiles":
            self.tap(self.page.get_by_test_id(f"family-{name}"))
            expect(self.page.get_by_test_id("board")).to_have_attribute("data-family", name)
        self.tap(self.page.get_by_test_id("mode-make"))
        if self.page.get_by_test_id("board").get_attribute("data-board").strip("0. _"):  # type: ignore[union-attr]
            self.tap(self.page.get_by_test_id("clear"))
        enter(self)
        began = time.perf_counter()
        self.tap(self.page.get_by_test_id("solve"))
        self.page.wait_for_function("() => document.getElementById('board').dataset.mode === 'watch'")
        self.waited = time.perf_counter() - began
        last = self.page.get_by_test_id("last")
        board = self.page.get_by_test_id("board")
        if name == "sudoku" and "." in str(board.get_attribute("data-board")):
            self.tap(last)
        box = self.page.locator("#board svg").first.bounding_box()
        assert box is not None
        hidden = max(0.0, -box["y"])
        self.swipes += math.ceil(hidden / SWIPE_PIXELS)
        seconds = self.taps * TAP_SECONDS + self.swipes * SWIPE_SECONDS + self.waited
        return [str(self.taps), str(self.swipes), f"{seconds:.0f}", f"{self.waited:.1f}"]


def enter_tiles(finger: Finger) -> None:
    """Tap each tile in the tray and then its place."""
    for cell, tile in enumerate(SCENES["tiles"]["board"].split()):
        if tile != "0":
            finger.tap(finger.page.locator(f"[data-tray='{tile}']"))
            finger.tap(finger.page.locator(f"[data-cell='{cell}']"))


def enter_dust(finger: Finger) -> None:
    """Choose each colour once, and paint its cells from the lowest row up."""
    board = SCENES["dust"]["board"]
    rows = 6
    for colour in "12345":
        finger.tap(finger.page.get_by_test_id(f"tool-colour-{colour}"))
        for place in sorted(range(len(board)), key=lambda place: place % rows):
            if board[place] == colour:
                finger.tap(finger.page.locator(f"#board [data-cell='{place}']"))


def enter_sudoku(finger: Finger) -> None:
    """Tap each cell with a clue, unless it is chosen already, and its digit."""
    chosen = -1
    for cell, digit in enumerate(SCENES["sudoku"]["board"]):
        if digit != ".":
            place = finger.page.locator(f"[data-cell='{cell}']")
            if chosen != cell or place.get_attribute("aria-selected") != "true":
                finger.tap(place)
            finger.tap(finger.page.locator(f"[data-pad='{digit}']"))
            chosen = cell + 1


def first_visit(browser: Browser, address: str, slow: float) -> list[str]:
    """The figures of one visit by somebody who has never been there."""
    page = browser.new_context(service_workers="block").new_page()
    page.set_default_timeout(LONG_PATIENCE)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Emulation.setCPUThrottlingRate", {"rate": slow})
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.add_init_script(WATCH_FIRST)
    page.goto(address)
    page.wait_for_selector("html[data-ready=true]")
    page.wait_for_timeout(1500)
    requests, size = len(sizes), sum(sizes) / 1000
    sign = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    figures = [sign, page.evaluate("firstBoard"), page.evaluate("ready")]
    answer = timed(page, "solve", "() => document.getElementById('board').dataset.mode === 'watch'")
    proof = answer + waited(page, "() => document.querySelector('#race tbody[data-status=done]') !== null")
    page.get_by_test_id("mode-play").click()
    text = "document.getElementById('hint-text').textContent"
    hint = timed(page, "hint", f"() => / to go|follows|neither|Best|left/.test({text})")
    times = [f"{each:,.0f}" for each in (answer, proof, hint)]
    page.context.close()
    return [*(f"{each:,.0f}" for each in figures), str(requests), f"{size:.0f}", *times]


def timed(page: Page, button: str, shown: str) -> float:
    """Milliseconds from a press on a button until a function of the page holds."""
    began = time.perf_counter()
    page.get_by_test_id(button).click()
    page.wait_for_function(shown, timeout=LONG_PATIENCE, polling=20)
    return (time.perf_counter() - began) * 1000


def waited(page: Page, shown: str) -> float:
    """Milliseconds until a function of the page holds."""
    began = time.perf_counter()
    page.wait_for_function(shown, timeout=LONG_PATIENCE, polling=20)
    return (time.perf_counter() - began) * 1000


def summary(times: Sequence[float]) -> tuple[str, str]:
    """The median and the 95th percentile."""
    return f"{statistics.median(times):.2f}", f"{statistics.quantiles(times, n=20)[-1]:.2f}"


@contextmanager
def beside(count: int) -> Iterator[None]:
    """Busy loops, as long as the block runs."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()


@contextmanager
def opened(**variables: str) -> Iterator[tuple[Browser, str]]:
    """A browser, and the address of a server that is there as long as it is needed."""
    program = [sys.executable, "-m", "puzzlelab", "web", "--port", "0"]
    server = subprocess.Popen(
        program, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1", **variables}
    )
    assert server.stdout is not None
    address = next(word for word in server.stdout.readline().split() if word.startswith("http://"))
    path = os.environ.get("PUZZLELAB_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    root = ["--no-sandbox"] if os.geteuid() == 0 else []  # a browser refuses its sandbox to root
    try:
        with sync_playwright() as playwright:
            yield playwright.chromium.launch(executable_path=path, args=root), address
    finally:
        server.terminate()
        server.wait()


def race(page: Page, solvers: tuple[str, ...]) -> None:
    """Wait until each of them has had its say."""
    compare = page.locator("#compare-part")
    compare.locator("summary").click()
    for box in compare.locator("input[type=checkbox]").all():
        box.set_checked(box.get_attribute("value") in solvers)
    page.get_by_test_id("time").fill("3")
    page.get_by_test_id("compare").click()
    for solver in solvers:
        expect(page.locator(f'tbody[data-solver="{solver}"]')).to_have_attribute("data-status", "done")
    compare.locator("summary").click()


def measured(browser: Browser, address: str, heat: bool) -> list[list[float]]:
    """Milliseconds of each step through the solution of a board: of its script, and from it to the frame."""
    page = new_page(browser)
    page.goto(address)
    page.wait_for_selector("html[data-ready=true]")
    page.get_by_test_id("solve").click()
    page.wait_for_selector("[data-testid=board][data-mode=watch]")
    page.keyboard.press("Home")  # a Sudoku is shown with its solution filled in
    if heat:
        page.get_by_test_id("heat").check()
        page.wait_for_function("() => document.getElementById('board').textContent.includes('%')")
        page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(1000)  # until what is asked about the solution is there
    spent: list[list[float]] = page.evaluate(THROUGH)
    page.context.close()
    return spent


if __name__ == "__main__":
    app()
