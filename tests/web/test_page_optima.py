"""All shortest solutions of a board, one after the other, and a solve that is analysed, also on a phone."""

import re

import pytest

pytest.importorskip("playwright.sync_api")
from on_page import board, keys, phone
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
FAR = "8 6 7 2 5 4 3 0 1"
TWO = "1 2 3 4 5 6 0 7 8"
SETTINGS = [None, phone()]


def fits(page) -> bool:
    """Whether nothing is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("settings", SETTINGS, ids=["desktop", "phone"])
def test_one_walks_among_all_shortest_solutions(opened, settings) -> None:
    page = opened(settings, puzzle="tiles-3x3", board=FAR, mode="play")
    expect(page.get_by_test_id("optima-all")).to_be_hidden()
    page.get_by_test_id("solve").click()
    page.get_by_test_id("optima-all").click()
    place = page.get_by_test_id("optima-place")
    expect(place).to_have_text(re.compile(r"^\d+ of 40 shortest$"))
    seen = {moves_of(page)}
    for _ in range(2):
        before = place.text_content()
        page.get_by_test_id("optima-next").click()
        expect(place).not_to_have_text(before)
        seen.add(moves_of(page))
    page.get_by_test_id("optima-back").click()
    expect(place).to_have_text(before)
    assert (len(seen), {len(moves.split()) for moves in seen}) == (3, {31})
    assert fits(page)


def moves_of(page) -> str:
    """The moves in the list, with spaces between."""
    return " ".join(page.get_by_test_id("moves").get_by_role("button").all_text_contents())


@pytest.mark.parametrize("settings", SETTINGS, ids=["desktop", "phone"])
def test_a_pasted_solve_is_analysed(opened, settings) -> None:
    page = opened(settings, puzzle="tiles-3x3", board=TWO, mode="play")
    page.get_by_test_id("solve-moves").fill("L R L L")
    page.get_by_test_id("analyse").click()
    expect(page.get_by_test_id("analysis")).to_have_text("First mistake: move 2, R (+2). Moves wasted: +2.")
    expect(board(page)).to_have_attribute("data-mode", "watch")
    expect(page.get_by_test_id("moves").locator(".wasted")).to_have_text(["R +2"])
    expect(page.get_by_test_id("step")).to_contain_text("Move 1 of 4")
    assert fits(page)
    page.get_by_test_id("analysis-best").click()
    expect(page.get_by_test_id("moves").get_by_role("button")).to_have_text(["L", "L"])
    expect(page.get_by_test_id("analysis")).to_be_hidden()


def test_the_moves_that_were_played_are_analysed(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=TWO, mode="play")
    page.get_by_test_id("analyse").click()
    expect(page.get_by_test_id("analyse-error")).to_have_text("Enter the moves of a solve, or play some.")
    keys(page, "ArrowLeft", "ArrowRight")
    expect(page.get_by_test_id("lines").get_by_role("button")).to_have_count(2)
    page.get_by_test_id("analyse").click()
    expect(page.get_by_test_id("analysis")).to_contain_text("First mistake: move 2, R (+2)")


def test_a_move_that_is_none_is_refused_with_its_number(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=TWO, mode="play")
    page.get_by_test_id("solve-moves").fill("L L L")
    page.get_by_test_id("analyse").click()
    expect(page.get_by_test_id("analyse-error")).to_have_text("move 3 of 3: L cannot be made")


def test_a_puzzle_whose_solutions_are_equally_long_has_neither(opened) -> None:
    page = opened(puzzle="sudoku-4x4", board="1...............", mode="play")
    expect(page.get_by_test_id("analyse")).to_be_hidden()
    page.get_by_test_id("solve").click()
    expect(board(page)).to_have_attribute("data-mode", "watch")
    expect(page.get_by_test_id("optima-all")).to_be_hidden()
