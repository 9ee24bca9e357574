"""The lines of a game are a tree; a clock runs in play; a check finds mistakes; quick keys draw what is there."""

import re

import pytest

pytest.importorskip("playwright.sync_api")
from on_page import board, keys, new_board, phone, shows
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
FIFTEEN = "10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3"
SUDOKU = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
DRAWN = """() => [...document.querySelectorAll("[data-tile]")].every((tile) => {
  const [own, cell] = [tile, tile.closest("[data-cell]")].map((element) => element.getBoundingClientRect());
  return Math.abs(own.x + own.width / 2 - cell.x - cell.width / 2) < 2
    && Math.abs(own.y + own.height / 2 - cell.y - cell.height / 2) < 2;
})"""
"""Whether every tile is drawn in its cell."""
KEEP_TEN_MINUTES = """() => {
    const kept = JSON.parse(localStorage.getItem("puzzlelab-seconds:tiles-4x4"));
    localStorage.setItem("puzzlelab-seconds:tiles-4x4", JSON.stringify({ ...kept, value: 600 }));
}"""
"""Changes the time that is kept for the board: a clock that began anew would not come to ten minutes in a test."""


def lines(page):
    return page.get_by_test_id("lines")


def play_two_lines(page) -> None:
    """Play a line, go back one move, and play another one; the tree then has three moves."""
    keys(page, "ArrowUp", "ArrowRight")
    page.get_by_test_id("undo").click()
    keys(page, "ArrowUp")
    expect(lines(page).get_by_role("button")).to_have_count(3)


@pytest.fixture
def fifteen(opened):
    return opened(puzzle="tiles-4x4", board=FIFTEEN, mode="play")


def test_a_line_that_was_left_stays_in_the_tree_and_can_be_taken_up_again(fifteen) -> None:
    page = fifteen
    keys(page, "ArrowUp", "ArrowRight", "ArrowDown")
    expect(lines(page).get_by_role("button")).to_have_text(["1. U", "2. R", "3. D"])
    before = board(page).get_attribute("data-board")
    page.get_by_test_id("undo").click()
    page.get_by_test_id("undo").click()
    keys(page, "ArrowUp")
    expect(lines(page).get_by_role("button")).to_have_text(["1. U", "2. U", "2. R", "3. D"])
    lines(page).get_by_role("button", name="3. D").click()
    shows(page, before)
    expect(lines(page).locator("[aria-current]")).to_have_text("3. D")


def test_the_tree_survives_a_reload_and_ends_with_another_board(fifteen) -> None:
    page = fifteen
    play_two_lines(page)
    page.reload()
    expect(lines(page).get_by_role("button")).to_have_count(3)
    new_board(page)
    expect(page.locator("#lines-panel")).to_be_hidden()


def test_the_tree_and_the_clock_are_there_again_after_a_look_at_another_puzzle(fifteen) -> None:
    page = fifteen
    play_two_lines(page)
    expect(page.get_by_test_id("clock")).not_to_have_text("")
    page.get_by_test_id("family-dust").click()
    expect(board(page)).to_have_attribute("data-family", "dust")
    expect(page.locator("#lines-panel")).to_be_hidden()
    page.evaluate(KEEP_TEN_MINUTES)
    page.get_by_test_id("family-tiles").click()
    expect(lines(page).get_by_role("button")).to_have_count(3)
    expect(page.get_by_test_id("clock")).to_have_text(re.compile(r"^1\d:\d\d$"))


def test_tiles_are_drawn_in_their_cells_after_quick_keys(opened) -> None:
    page = opened({"reduced_motion": "no-preference"}, puzzle="tiles-4x4", board=FIFTEEN, mode="play")
    keys(page, "ArrowUp", "ArrowRight", "ArrowDown", "Control+z", "Control+z", "ArrowUp", "ArrowUp")
    for pause in (20, 40, 90):
        keys(page, "ArrowDown")
        page.wait_for_timeout(pause)
        keys(page, "ArrowUp")
    shows(page, "10 5 1 14 15 9 13 7 2 8 4 3 6 12 11 0")
    page.wait_for_function(DRAWN)


def test_the_clock_runs_in_play_and_goes_on_after_a_reload(fifteen) -> None:
    page = fifteen
    clock = page.get_by_test_id("clock")
    expect(clock).to_have_text("")
    keys(page, "ArrowUp")
    expect(clock).to_have_text(re.compile(r"0:0[2-9]"))
    page.reload()
    expect(clock).to_have_text(re.compile(r"0:(0[2-9]|1)"))
    page.get_by_test_id("restart").click()
    expect(clock).to_have_text(re.compile(r"^(|0:0[0-2])$"))


def test_a_check_finds_a_wrong_digit(opened) -> None:
    page = opened(puzzle="sudoku-9x9", board=SUDOKU, mode="play")
    page.get_by_test_id("check").click()
    expect(page.get_by_test_id("status")).to_have_text("No mistakes so far.", timeout=300_000)
    page.locator('[data-cell="1"]').click()
    keys(page, "4")  # the solution has a 1 there
    page.get_by_test_id("check").click()
    expect(page.get_by_test_id("hint-text")).to_contain_text("wrong", timeout=300_000)


def test_a_large_sudoku_is_zoomed_by_a_press_on_a_phone(opened) -> None:
    page = opened(phone(), puzzle="sudoku-25x25", board="." * 624 + "1", mode="play")
    cell = page.locator('[data-cell="312"]')
    assert cell.bounding_box()["width"] < 24
    cell.tap()
    page.wait_for_function("() => document.querySelector('[data-cell=\"312\"]').getBoundingClientRect().width > 60")
    expect(page.locator("[aria-selected=true]")).to_have_attribute("data-cell", "312")
    page.get_by_test_id("zoom").tap()
    page.wait_for_function("() => document.querySelector('[data-cell=\"312\"]').getBoundingClientRect().width < 24")
