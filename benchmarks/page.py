"""Drives the page with a browser: makes its pictures for the documents, or measures what a key press costs.

    python benchmarks/page.py pictures docs
    python benchmarks/page.py keys

Needs `pip install 'puzzlelab[web,learn,dev]'` and a browser: chromium, or the one that PUZZLELAB_BROWSER names.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import typer
from playwright.sync_api import Browser, Page, expect, sync_playwright
from rich.console import Console
from rich.table import Table

SIZE = {"width": 1180, "height": 860}
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
THROUGH = """async () => {
  const through = () => new Promise((done) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(done))));
  const times = [];
  for (let remaining = Number(document.getElementById("slider").max); remaining > 0; remaining -= 1) {
    const began = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    await through();
    times.push(performance.now() - began);
    await new Promise((done) => setTimeout(done, 250));
  }
  return times;
}"""
"""Steps through a solution by key; returns the milliseconds of script for each key press."""
app = typer.Typer(no_args_is_help=True)


@app.command()
def pictures(folder: Annotated[Path, typer.Argument(help="Where the pictures go.")]) -> None:
    """Show every puzzle in light and in dark: a race, a step of its solution, and what a network thinks."""
    with opened() as (browser, address):
        for name in SCENES:
            for scheme in ("light", "dark"):
                take(browser, address, name, scheme, folder / f"web-{name}-{scheme}.png")


@app.command()
def keys() -> None:
    """Measure the script of a key press while somebody steps through a solution."""
    table = Table("puzzle", "key presses", "median ms", "most ms", box=None)
    with opened() as (browser, address):
        for scene in SCENES.values():
            spent = measured(browser, f"{address}#{urlencode(scene)}")
            table.add_row(scene["puzzle"], str(len(spent)), f"{statistics.median(spent):.2f}", f"{max(spent):.2f}")
    Console().print(table)


@contextmanager
def opened() -> Iterator[tuple[Browser, str]]:
    """A browser, and the address of a server that is there as long as it is needed."""
    program = [sys.executable, "-m", "puzzlelab", "web", "--port", "0"]
    server = subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
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


def take(browser: Browser, address: str, name: str, scheme: str, path: Path) -> None:
    """Let some solvers race, go to a step of the solution with the network's shares on the board, and save it."""
    page = browser.new_page(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page.goto(f"{address}#{urlencode(SCENES[name])}")
    page.wait_for_selector("html[data-ready=true]")
    race(page, RIVALS[name])
    page.get_by_test_id("watch-1").click()
    page.get_by_test_id("heat").check()
    page.get_by_test_id("slider").fill(str(STEPS[name]))
    expect(page.get_by_test_id("board").locator("svg").first).to_contain_text("%")
    expect(page.get_by_test_id("bound")).to_contain_text("more")
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=path)
    page.close()
    print(path)


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


def measured(browser: Browser, address: str) -> list[float]:
    """Milliseconds of each step through the solution of a board."""
    page = browser.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready=true]")
    page.get_by_test_id("solve").click()
    page.wait_for_selector("[data-testid=board][data-mode=watch]", timeout=120_000)
    page.wait_for_timeout(1000)  # until what is asked about the solution is there
    page.keyboard.press("Home")  # a Sudoku is shown with its solution filled in
    spent: list[float] = page.evaluate(THROUGH)
    page.close()
    return spent


if __name__ == "__main__":
    app()
