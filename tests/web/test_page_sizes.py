"""The page at the sizes of phones: the board and what can be done with it are on one screen."""

import re

import pytest

pytest.importorskip("playwright")
pytest.importorskip("fastapi")

from on_page import BOARDS, outside, phone
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PHONES = [(390, 844), (360, 640)]
SMALL = """() => [...document.querySelectorAll("button, select, summary, input:not(.hidden)")].filter((each) => {
  const box = each.getBoundingClientRect();
  return each.checkVisibility() && box.width && (box.height < 24 || box.width < 24) && !each.closest("label.switch");
}).map((each) => each.outerHTML)"""
TEXTS = """() => {
  const small = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: parent, textContent } = walker.currentNode;
    if (!textContent.trim() || !parent.checkVisibility() || parent.closest(".hidden, script")) continue;
    const scale = parent.getScreenCTM?.()?.a ?? 1;
    if (parseFloat(getComputedStyle(parent).fontSize) * scale < 10.95) small.push(textContent);
  }
  return small;
}"""


@pytest.mark.parametrize(("width", "height"), PHONES)
@pytest.mark.parametrize("puzzle", BOARDS)
def test_board_hint_undo_and_solve_are_on_the_first_screen(opened, puzzle, width, height) -> None:
    page = opened(phone(width, height), puzzle=puzzle, board=BOARDS[puzzle])
    wanted = ["#board svg", "#undo", "#hint", "#solve"]
    for mode in ("make", "play"):
        page.get_by_test_id(f"mode-{mode}").tap()
        assert outside(page, *wanted) == []
    page.get_by_test_id("solve").tap()
    expect(page.get_by_test_id("board")).to_have_attribute("data-mode", "watch", timeout=300_000)
    expect(page.get_by_test_id("step")).to_contain_text("of")
    assert outside(page, *wanted, "#slider", "#play") == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("puzzle", BOARDS)
def test_texts_and_targets_are_large_enough(opened, puzzle) -> None:
    page = opened(phone(360, 640), puzzle=puzzle, board=BOARDS[puzzle])
    for mode in ("make", "play"):
        page.get_by_test_id(f"mode-{mode}").tap()
        assert page.evaluate(SMALL) == []
        assert page.evaluate(TEXTS) == []


def test_painting_scrolls_nothing_and_the_rest_of_the_page_scrolls(opened) -> None:
    page = opened(phone(390, 844), puzzle="dust-8x6x5")
    client = page.context.new_cdp_session(page)
    board = page.locator("#board svg").bounding_box()

    def swipe(x, y, dy):
        client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for step in range(1, 11):
            points = [{"x": x, "y": y + dy * step / 10}]
            client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(board["x"] + board["width"] / 2, board["y"] + board["height"] - 20, -150)
    assert page.evaluate("scrollY") == 0
    expect(page.get_by_test_id("board")).to_have_attribute("data-board", re.compile("1"))
    below = page.locator("#make-title").bounding_box()
    swipe(below["x"] + 5, min(below["y"], 780), -200)
    page.wait_for_function("() => scrollY > 0")


def test_the_board_stays_where_it_is_when_it_is_painted(opened) -> None:
    page = opened({"viewport": {"width": 1280, "height": 900}}, puzzle="dust-8x6x5")
    before = page.locator("#board").bounding_box()
    page.mouse.click(before["x"] + before["width"] / 2, before["y"] + before["height"] / 2)
    expect(page.get_by_test_id("board")).to_have_attribute("data-board", re.compile("1"))
    assert page.locator("#board").bounding_box() == before


WIDTHS = [(320, 640), (390, 844), (768, 1024), (1024, 768), (1440, 900), (2560, 1440)]
OVERLAPS = """() => {
  const shown = (each) => each.checkVisibility({ opacityProperty: true }) && each.getBoundingClientRect().width > 0;
  const boxesOf = (selector) => [...document.querySelectorAll(selector)].filter(shown);
  const bar = document.querySelector(".actions");
  const isOverlay = (each) => getComputedStyle(bar).position === "sticky" && bar.contains(each);
  const pairs = [];
  const compare = (elements) => {
    const boxes = elements.map((each) => [each, each.getBoundingClientRect()]);
    for (const [at, [one, a]] of boxes.entries()) {
      for (const [other, b] of boxes.slice(at + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const [wide, high] = [
          Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
        if (wide > 1.5 && high > 1.5) pairs.push([one, other].map((each) => each.outerHTML.slice(0, 90)).join(" | "));
      }
    }
  };
  compare(boxesOf("button, select, summary, h1, h2, h3, p, textarea, label, input:not(.hidden), #board > *, .facts > *")
    .filter((each) => !isOverlay(each) && !each.closest(".scroll, .moves")));
  compare(boxesOf("#board .pill, #board .axis"));
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) pairs.push(`the page is ${wide} pixels too wide`);
  return pairs;
}"""
"""Pairs of elements of which one covers a part of the other, apart from the bar that stays at the lower edge."""


@pytest.mark.parametrize("puzzle", BOARDS)
def test_nothing_overlaps_at_any_width(opened, puzzle) -> None:
    page = opened({"reduced_motion": "reduce"}, puzzle=puzzle, board=BOARDS[puzzle])
    overlapping = []

    def look(state: str) -> None:
        for width, height in WIDTHS:
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(60)
            overlapping.extend(f"{state} at {width}: {pair}" for pair in page.evaluate(OVERLAPS))

    look("make")
    page.get_by_test_id("mode-play").click()
    page.get_by_test_id("heat").check()
    if puzzle != "sudoku-9x9":
        page.get_by_test_id("regret").check()
        page.get_by_test_id("warn").check()
        expect(page.get_by_test_id("board").locator("svg").first).to_contain_text("best", timeout=300_000)
    expect(page.get_by_test_id("board").locator("svg").first).to_contain_text("%", timeout=300_000)
    page.get_by_test_id("hint").click()
    expect(page.get_by_test_id("hint-text")).to_contain_text(" to go", timeout=300_000)
    look("play")
    page.get_by_test_id("solve").click()
    expect(page.get_by_test_id("board")).to_have_attribute("data-mode", "watch", timeout=300_000)
    expect(page.get_by_test_id("step")).to_contain_text("of")
    look("watch")
    assert overlapping == []
