"""What axe-core finds against the page, in each of its states: nothing, of any severity."""

import pytest

pytest.importorskip("axe_playwright_python")

from on_page import findings, keys, phone
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

BOARDS = {
    "tiles-4x4": "5 1 2 4 9 6 3 8 13 10 7 11 0 14 15 12",
    "dust-8x6x5": "425225154523142543212442545541241413141521445214",
    "sudoku-9x9": "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
}


@pytest.mark.parametrize("mode", ["empty", "make", "play", "watch"])
@pytest.mark.parametrize("puzzle", BOARDS)
def test_nothing_is_found_in_any_mode(opened, puzzle, mode) -> None:
    settings = {"reduced_motion": "reduce"}
    link = {"puzzle": puzzle} if mode == "empty" else {"puzzle": puzzle, "board": BOARDS[puzzle], "mode": mode}
    page = opened(settings, **link, **({"with": "beam:width=50"} if mode == "watch" and "sudoku" not in puzzle else {}))
    if mode == "watch":
        if "sudoku" in puzzle:
            page.get_by_test_id("solve").click()
        expect(page.get_by_test_id("board")).to_have_attribute("data-mode", "watch", timeout=300_000)
        if "sudoku" in puzzle:
            page.get_by_test_id("first").click()
        page.get_by_test_id("heat").check()
        expect(page.get_by_test_id("board").locator("svg").first).to_contain_text("%", timeout=300_000)
    assert findings(page) == []


@pytest.mark.parametrize("puzzle", BOARDS)
def test_nothing_is_found_on_a_phone_with_a_hint_and_the_rules(opened, puzzle) -> None:
    page = opened(phone(), puzzle=puzzle, board=BOARDS[puzzle], mode="play")
    page.get_by_test_id("hint").tap()
    expect(page.get_by_test_id("hint-text")).to_contain_text(" to go", timeout=300_000)
    page.get_by_test_id("hint").tap()
    page.get_by_test_id("hint").tap()
    assert findings(page) == []
    page.get_by_test_id("help-open").tap()
    expect(page.get_by_test_id("help")).to_be_visible()
    assert findings(page) == []


def test_nothing_is_found_in_notes_lines_and_lists(opened) -> None:
    page = opened(puzzle="sudoku-9x9", board=BOARDS["sudoku-9x9"], mode="play")
    page.get_by_test_id("tool-fill").click()
    page.keyboard.press("v")
    page.keyboard.press("3")
    assert findings(page) == []
    page.get_by_test_id("mode-make").click()
    page.get_by_test_id("paste").fill("8 6 7 2 5 4 3 0 1\n1 2 3 4 5 6 0 7 8")
    page.get_by_test_id("paste-go").click()
    page.get_by_test_id("solve-all").click()
    expect(page.get_by_test_id("boards-note")).to_contain_text("2 of 2 solved", timeout=300_000)
    assert findings(page) == []
    page.get_by_test_id("mode-play").click()
    keys(page, "ArrowRight", "Control+z", "ArrowDown", "ArrowDown")
    page.get_by_test_id("regret").check()
    expect(page.get_by_test_id("board").locator("svg").first).to_contain_text("best", timeout=300_000)
    expect(page.get_by_test_id("lines").get_by_role("button").first).to_be_visible()
    assert findings(page) == []


def test_nothing_is_found_at_the_end_of_a_game_and_before_a_new_one(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="1 2 3 4 5 6 7 0 8", mode="play")
    keys(page, "ArrowLeft")
    expect(page.get_by_test_id("fewest")).to_contain_text("impossible", timeout=300_000)
    assert findings(page) == []
    page.get_by_test_id("win-new").click()
    page.get_by_test_id("new-more").click()
    assert findings(page) == []


def test_all_is_reached_by_keyboard_and_the_focus_is_seen(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="8 6 7 2 5 4 3 0 1", mode="play")
    seen, rounds = set(), 0
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            rounds += 1  # through, and back in the browser's own bar; the board had the focus at the beginning
            if rounds == 2:
                break
            continue
        focused = page.evaluate(
            """() => {
              const at = document.activeElement;
              const style = getComputedStyle(at);
              const ring = style.outlineStyle !== "none" || style.boxShadow !== "none" || at.closest("svg") !== null;
              return [at.dataset?.testid ?? at.id ?? at.tagName, ring];
            }"""
        )
        assert focused[1], focused
        seen.add(focused[0])
    assert {"mode-make", "hint", "solve", "copy-link", "theme"} <= seen
