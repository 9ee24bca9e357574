"""What a person did is never lost: undo reaches behind everything, and all is there again after a reload."""

import json
import re

import pytest

pytest.importorskip("playwright")
pytest.importorskip("fastapi")

from on_page import new_board, shows
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

EIGHT = "8 6 7 2 5 4 3 0 1"
FOUR = "1.34............"
MOVED = ["8 6 7 2 0 4 3 5 1", "8 0 7 2 6 4 3 5 1", "0 8 7 2 6 4 3 5 1"]
"""The boards after the first three keys of a game on `EIGHT`."""


def play(page):
    for key, after in zip(("ArrowDown", "ArrowDown", "ArrowRight"), MOVED, strict=True):
        page.keyboard.press(key)
        shows(page, after)


def test_undo_reaches_behind_pasting_clearing_and_a_new_puzzle(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT)
    page.get_by_test_id("clear").click()
    page.get_by_test_id("paste").fill("1 2 3 4 5 6 0 7 8")
    page.get_by_test_id("paste-go").click()
    shows(page, "1 2 3 4 5 6 0 7 8")
    new_board(page, "7")  # without a seed, one of the few boards of this level would now and then be the same again
    for before in ("1 2 3 4 5 6 0 7 8", "_ _ _ _ _ _ _ _ _", EIGHT):
        page.get_by_test_id("undo").click()
        shows(page, before)
    page.get_by_test_id("redo").click()
    page.get_by_test_id("redo").click()
    shows(page, "1 2 3 4 5 6 0 7 8")


def test_a_solution_in_the_midst_of_a_game_keeps_the_moves(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT, mode="play")
    play(page)
    page.get_by_test_id("solve").click()
    expect(page.get_by_test_id("board")).to_have_attribute("data-mode", "watch", timeout=300_000)
    shows(page, MOVED[-1])
    page.get_by_test_id("last").click()
    shows(page, "1 2 3 4 5 6 7 8 0")
    page.get_by_test_id("mode-play").click()
    expect(page.get_by_test_id("moves-played")).to_have_text("3 moves")
    shows(page, MOVED[-1])
    page.get_by_test_id("restart").click()
    shows(page, EIGHT)


def test_undo_goes_back_from_a_solution_to_the_game(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT, mode="play")
    play(page)
    page.get_by_test_id("solve").click()
    expect(page.get_by_test_id("board")).to_have_attribute("data-mode", "watch", timeout=300_000)
    for before in reversed([EIGHT, *MOVED]):
        page.get_by_test_id("undo").click()
        shows(page, before)
    expect(page.get_by_test_id("board")).to_have_attribute("data-mode", "play")


def test_a_reload_shows_the_same_and_keeps_the_history(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT, mode="play")
    play(page)
    page.reload()
    page.wait_for_selector("html[data-ready=true]")
    shows(page, MOVED[-1])
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector("html[data-ready=true]")
    for before in reversed([EIGHT, *MOVED[:-1]]):
        page.keyboard.press("Control+z")
        shows(page, before)


def test_a_crash_of_the_browser_loses_nothing(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT, mode="play")
    play(page)
    page.wait_for_function("text => Object.values(localStorage).some((value) => value.includes(text))", arg='"R"')
    address, other = page.url.split("#")[0], page.context.new_page()
    page.close(run_before_unload=False)
    other.goto(f"{address}#puzzle=tiles-3x3")
    other.wait_for_selector("html[data-ready=true]")
    shows(other, MOVED[-1])


def test_pencil_marks_are_taken_back_and_kept(opened) -> None:
    page = opened(puzzle="sudoku-4x4", board=FOUR, mode="play")
    cell = page.locator('[data-testid=board] [data-cell="1"]')
    cell.click()
    for digit in ("Digit1", "Digit2"):
        page.keyboard.press(f"Shift+{digit}")
    page.get_by_test_id("tool-tidy").click()
    expect(cell).to_have_attribute("aria-label", re.compile("pencil marks 1 2"))
    page.keyboard.press("Control+z")
    expect(cell).to_have_attribute("aria-label", re.compile("pencil marks 1$"))
    page.get_by_test_id("tool-fill").click()
    page.get_by_test_id("tool-clear").click()
    expect(cell).to_have_attribute("aria-label", re.compile("blank$"))
    page.get_by_test_id("undo").click()
    page.reload()
    page.wait_for_selector("html[data-ready=true]")
    expect(cell).to_have_attribute("aria-label", re.compile("pencil marks 2"))


def test_two_hundred_moves_can_be_taken_back(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT, mode="play")
    for _ in range(50):
        for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"):
            page.keyboard.press(key)
    expect(page.get_by_test_id("moves-played")).to_have_text("200 moves")
    for _ in range(200):
        page.keyboard.press("Control+z")
    shows(page, EIGHT)


def test_each_puzzle_is_opened_as_it_was_left(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT, mode="play")
    play(page)
    page.get_by_test_id("family-sudoku").click()
    expect(page.get_by_test_id("board")).to_have_attribute("data-family", "sudoku")
    page.get_by_test_id("family-tiles").click()
    shows(page, MOVED[-1])
    expect(page.get_by_test_id("moves-played")).to_have_text("3 moves")


def answer_with(page, *rows) -> None:
    """Let every search of the page have these events, and go on."""
    text = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in rows)
    page.evaluate(
        """text => {
          const ask = window.fetch;
          window.fetch = (url, options) => String(url).includes("solve/events")
            ? Promise.resolve(new Response(new ReadableStream({
                start: (stream) => stream.enqueue(new TextEncoder().encode(text)) })))
            : ask(url, options);
        }""",
        text,
    )


def test_what_a_search_waits_for_is_told(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="8 6 7 2 5 4 3 0 1")
    answer_with(page, ("job", {"id": "x"}), ("waiting", {"text": "compiling ida.step (4 s so far)"}))
    page.get_by_test_id("solve").click()
    expect(page.get_by_test_id("status")).to_have_text("Compiling ida.step (4 s so far)")


def test_the_best_answer_so_far_is_shown_while_the_search_goes_on(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="8 6 7 2 5 4 3 0 1")
    found = {"length": 3, "proof": "none", "lower_bound": 1, "seconds": 1, "expanded": 1, "moves": ["D", "R", "U"]}
    answer_with(page, ("job", {"id": "x"}), ("solution", found))
    page.get_by_test_id("solve").click()
    expect(page.get_by_test_id("board")).to_have_attribute("data-mode", "watch")
    expect(page.get_by_test_id("status")).to_contain_text("looking for a better one")
    expect(page.get_by_test_id("stop-all")).to_be_visible()
