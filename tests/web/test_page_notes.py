"""Notes in Sudoku: several cells selected at once, corner and centre marks, colours, and a check."""

import re

import pytest

pytest.importorskip("playwright.sync_api")
from on_page import keys, phone
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
SUDOKU = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
PHONE = phone()


@pytest.fixture
def play(opened):
    """A Sudoku in play."""

    def open_it(settings: dict | None = None):
        return opened(settings, puzzle="sudoku-9x9", board=SUDOKU, mode="play")

    return open_it


def cell(page, row: int, column: int):
    return page.locator(f'[data-cell="{9 * (row - 1) + column - 1}"]')


def drag(page, start, end) -> None:
    """Press the mouse on one cell, and let it go on another."""
    first, last = start.bounding_box(), end.bounding_box()
    page.mouse.move(first["x"] + 10, first["y"] + 10)
    page.mouse.down()
    page.mouse.move(last["x"] + 10, last["y"] + 10, steps=12)
    page.mouse.up()


def selected(page):
    return page.locator("[data-cell][aria-selected=true]")


def named(locator, words: str) -> None:
    expect(locator).to_have_attribute("aria-label", re.compile(words))


def test_a_drag_selects_cells_and_a_mark_goes_into_all_blank_ones(play) -> None:
    page = play()
    drag(page, cell(page, 2, 1), cell(page, 2, 4))
    expect(selected(page)).to_have_count(4)
    keys(page, "Shift+Digit1")
    for column in (1, 2):
        named(cell(page, 2, column), "pencil marks 1$")
    named(cell(page, 2, 3), "clue 3$")
    keys(page, "Control+z")
    named(cell(page, 2, 1), "blank$")


def test_shift_and_arrows_or_ctrl_and_a_press_add_cells(play) -> None:
    page = play()
    cell(page, 1, 2).click()
    keys(page, "Shift+ArrowRight", "Shift+ArrowDown")
    expect(selected(page)).to_have_count(3)
    cell(page, 9, 9).click(modifiers=["Control"])
    expect(selected(page)).to_have_count(4)
    cell(page, 9, 9).click(modifiers=["Control"])
    expect(selected(page)).to_have_count(3)
    keys(page, "ArrowLeft")
    expect(selected(page)).to_have_count(1)
    keys(page, "Control+a")
    expect(selected(page)).to_have_count(81)


def test_centre_marks_and_colours_stand_beside_corner_marks(play) -> None:
    page = play()
    cell(page, 1, 2).click()
    keys(page, "Shift+Digit1", "c", "2", "4", "v", "3")
    named(cell(page, 1, 2), "pencil marks 1, centre marks 2 4, yellow$")
    keys(page, "z", "Delete")
    named(cell(page, 1, 2), "blank, yellow$")
    keys(page, "Delete")
    named(cell(page, 1, 2), "blank$")


def test_a_clue_takes_a_colour_but_no_digit(play) -> None:
    page = play()
    cell(page, 1, 1).click()
    keys(page, "5")
    expect(page.get_by_test_id("status")).to_contain_text("is a clue")
    keys(page, "v", "1")
    named(cell(page, 1, 1), "clue 8, red$")


def test_a_digit_goes_into_several_cells_in_one_step_of_the_history(play) -> None:
    page = play()
    drag(page, cell(page, 1, 2), cell(page, 1, 4))
    keys(page, "7")
    named(cell(page, 1, 3), ", 7")
    keys(page, "Control+z")
    named(cell(page, 1, 2), "blank$")
    named(cell(page, 1, 4), "blank$")


def test_notes_survive_a_reload(play) -> None:
    page = play()
    cell(page, 1, 2).click()
    keys(page, "Alt+Digit6", "v", "9")
    page.reload()
    named(cell(page, 1, 2), "centre marks 6, grey$")


def test_the_pens_are_buttons_on_a_phone_and_a_drag_of_a_finger_scrolls_nothing(play) -> None:
    page = play(PHONE)
    page.get_by_role("button", name="Centre").tap()
    cell(page, 1, 2).tap()
    page.locator('[data-pad="4"]').tap()
    named(cell(page, 1, 2), "centre marks 4$")
    expect(page.get_by_role("button", name="Centre")).to_have_attribute("aria-pressed", "true")
    session = page.context.new_cdp_session(page)
    box = cell(page, 1, 2).bounding_box()

    def touch(kind: str, y: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": box["x"] + 9, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", box["y"] + 9)
    for step in range(1, 9):
        touch("touchMove", box["y"] + 9 + 20 * step)
    touch("touchEnd", 0)
    assert page.evaluate("scrollY") == 0
    expect(selected(page).nth(2)).to_be_attached()


def test_a_double_click_selects_all_cells_with_that_digit(play) -> None:
    page = play()
    cell(page, 1, 1).dblclick()
    expect(selected(page)).to_have_count(3)
