"""What a person does first on the page: a new board, a reload, a hint, a look at the keys; at the sizes people have."""

import re

import pytest

pytest.importorskip("playwright")
pytest.importorskip("fastapi")

from on_page import BOARDS, board, keys, new_board, outside, phone, shows
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

LAPTOPS = [(1366, 640), (1440, 900), (900, 700), (844, 390)]
BOXES = """(selectors) => selectors.map((selector) => {
  const { left, right, top, bottom } = document.querySelector(selector).getBoundingClientRect();
  return { left, right, top, bottom };
})"""


def boxes(page, *selectors: str) -> list[dict]:
    """The places of elements in the window."""
    return page.evaluate(BOXES, list(selectors))


def comes_to_lie_above(page, upper: str, lower: str) -> None:
    """Wait until an element ends where another one begins, or before: the page makes room in the frames after a tap."""
    above = "([upper, lower]) => upper.bottom <= lower.top + 1"
    page.wait_for_function(f"(selectors) => ({above})(({BOXES})(selectors))", arg=[upper, lower])


def is_there_again(page) -> None:
    """Load the page again."""
    page.reload()
    page.wait_for_selector("html[data-ready=true]")


@pytest.mark.parametrize("puzzle", BOARDS)
def test_a_new_board_is_two_taps_away_and_is_played_at_once(opened, puzzle) -> None:
    page = opened(phone(), puzzle=puzzle, board=BOARDS[puzzle], mode="play")
    page.evaluate("scrollTo(0, 1000)")
    new_board(page)
    expect(page.get_by_test_id("status")).to_contain_text("New puzzle")
    assert outside(page, "#board svg", "#hint") == []


@pytest.mark.parametrize("way", ["link", "new", "pasted"])
def test_a_reload_before_the_first_move_stays_in_play(opened, way) -> None:
    puzzle = "sudoku-9x9"
    page = opened(puzzle=puzzle, **({"board": BOARDS[puzzle], "mode": "play"} if way == "link" else {}))
    if way == "new":
        new_board(page)
    elif way == "pasted":
        page.get_by_test_id("paste").fill(BOARDS[puzzle])
        page.get_by_test_id("paste-go").click()
    expect(board(page)).to_have_attribute("data-mode", "play")
    expect(page).to_have_url(re.compile("mode=play"))
    given = board(page).get_attribute("data-board")
    is_there_again(page)
    expect(board(page)).to_have_attribute("data-mode", "play")
    expect(page).to_have_url(re.compile("mode=play"))
    blank = page.locator(f'[data-testid=board] [data-cell="{given.index(".")}"]')
    blank.click()
    page.keyboard.press("1")
    expect(page.get_by_test_id("moves-played")).to_have_text("1 cell")
    page.get_by_test_id("restart").click()
    shows(page, given)


def test_each_puzzle_and_each_mode_has_its_own_guidance(opened) -> None:
    page = opened(puzzle="tiles-4x4", board=BOARDS["tiles-4x4"])
    seen = {}
    for family in ("tiles", "dust", "sudoku", "tiles"):
        page.get_by_test_id(f"family-{family}").click()
        expect(board(page)).to_have_attribute("data-family", family)
        if family != "tiles":
            new_board(page)
        for mode in ("make", "play"):
            page.get_by_test_id(f"mode-{mode}").click()
            expect(board(page)).to_have_attribute("data-mode", mode)
            seen.setdefault((family, mode), set()).add(page.get_by_test_id("status").inner_text())
    assert all(len(sentences) == 1 for sentences in seen.values()), seen
    assert len(set().union(*seen.values())) == len(seen)


def test_a_sentence_ends_when_it_is_no_longer_true(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="1 2 3 4 0 6 7 5 8", mode="play")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_test_id("status")).to_contain_text("tile 5 slides up")
    page.get_by_test_id("mode-make").click()
    expect(page.get_by_test_id("status")).to_contain_text("tray")
    page.get_by_test_id("mode-play").click()
    expect(page.get_by_test_id("status")).to_contain_text("in line with the gap")


@pytest.mark.parametrize(("width", "height"), LAPTOPS)
@pytest.mark.parametrize("puzzle", BOARDS)
def test_in_a_wide_window_the_board_comes_first(opened, puzzle, width, height) -> None:
    page = opened({"viewport": {"width": width, "height": height}}, puzzle=puzzle, board=BOARDS[puzzle], mode="play")
    expect(board(page)).to_have_attribute("data-mode", "play")
    place, controls = boxes(page, "#board svg", ".controls")
    least = min(height - 100, 0.6 * width) if puzzle != "dust-8x6x5" else 0.55 * min(height, width)
    assert place["bottom"] - place["top"] >= least - 1
    assert controls["left"] > place["right"]
    shown = ["#board svg", "#hint", "#undo", "#solve", "#new"]
    if puzzle == "sudoku-9x9":
        shown.append("#pad")
        sides = page.evaluate("[...document.querySelectorAll('[data-pad]')].map((key) => key.offsetHeight)")
        assert len(sides) == 9
        assert min(sides) >= 44
    assert outside(page, *shown) == []


@pytest.mark.parametrize("puzzle", BOARDS)
def test_a_hint_does_not_move_under_the_finger(opened, puzzle) -> None:
    page = opened(phone(), puzzle=puzzle, board=BOARDS[puzzle], mode="play")
    places = [page.locator("#hint").bounding_box()]
    for _ in range(2):
        page.get_by_test_id("hint").tap()
        expect(page.get_by_test_id("hint-text")).not_to_be_empty(timeout=300_000)
        places.append(page.locator("#hint").bounding_box())
    expect(page.get_by_test_id("hint-text")).to_contain_text("marked", timeout=300_000)
    places.append(page.locator("#hint").bounding_box())
    assert {place["y"] for place in places} == {places[0]["y"]}


@pytest.mark.parametrize("puzzle", BOARDS)
def test_the_bar_stays_on_a_low_phone_and_covers_no_board(opened, puzzle) -> None:
    page = opened(phone(390, 664), puzzle=puzzle, board=BOARDS[puzzle], mode="play")
    below = "#pad" if puzzle == "sudoku-9x9" else "#board svg"
    comes_to_lie_above(page, below, ".actions")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert outside(page, "#hint") == []
    page.evaluate("scrollTo(0, 0)")
    page.get_by_test_id("solve").tap()
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)
    expect(page.get_by_test_id("step")).to_contain_text("of")
    if puzzle == "sudoku-9x9":  # the reason of a step comes after the solution, and takes room
        expect(page.get_by_test_id("bound")).to_contain_text("full house", timeout=300_000)
    comes_to_lie_above(page, "#board svg", ".actions")
    assert outside(page, "#forward") == []


def test_a_first_tap_on_dust_shows_what_falls_if_one_likes(opened) -> None:
    page = opened(phone(), puzzle="dust-3x2x2", board="112212", mode="play")
    page.get_by_test_id("tool-first").tap()
    cell = page.locator('[data-testid=board] [data-cell="0"]')
    cell.tap()
    expect(page.locator("#board .preview .outline")).to_have_count(1)
    shows(page, "112212")
    cell.tap()
    expect(board(page)).not_to_have_attribute("data-board", "112212")


def test_keys_stand_beside_their_meaning(opened) -> None:
    for settings in ({}, phone()):
        page = opened(settings, puzzle="sudoku-9x9", board=BOARDS["sudoku-9x9"])
        page.get_by_test_id("help-open").click()
        covered = page.evaluate(
            """() => [...document.querySelectorAll("#help-keys tr")].filter((row) => {
              const meaning = row.querySelector("td").getBoundingClientRect();
              return [...row.querySelectorAll("kbd")].some((key) => key.getBoundingClientRect().right > meaning.left);
            }).length"""
        )
        assert covered == 0
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("help")).to_be_hidden()


def test_keys_slide_tiles_after_a_box_was_ticked(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="1 2 3 4 0 6 7 5 8", mode="play")
    page.get_by_test_id("warn").check()
    page.keyboard.press("ArrowUp")
    shows(page, "1 2 3 4 5 6 7 0 8")


def test_what_opens_closes_on_escape_and_outside(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="1 2 3 4 0 6 7 5 8", mode="play")
    fields = page.locator("#fields")
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.locator("h1").click()):
        page.get_by_test_id("size").click()
        expect(fields).to_be_visible()
        close()
        expect(fields).to_be_hidden()
    page.get_by_test_id("new").click()
    page.mouse.click(3, 3)
    expect(page.get_by_test_id("new-dialog")).to_be_hidden()


def test_back_leads_to_the_puzzle_before(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="1 2 3 4 0 6 7 5 8", mode="play")
    keys(page, "ArrowUp")
    expect(page).to_have_url(re.compile("moves=U"))
    page.get_by_test_id("family-sudoku").click()
    expect(page).to_have_url(re.compile("sudoku"))
    page.go_back()
    expect(board(page)).to_have_attribute("data-family", "tiles")
    shows(page, "1 2 3 4 5 6 7 0 8")


@pytest.mark.parametrize("puzzle", BOARDS)
def test_an_empty_board_begins_nothing(opened, puzzle) -> None:
    page = opened(puzzle=puzzle, board=BOARDS[puzzle])
    page.get_by_test_id("clear").click()
    page.get_by_test_id("solve").click()
    expect(page.get_by_test_id("status")).to_contain_text("Not yet")
    page.get_by_test_id("mode-play").click()
    expect(board(page)).to_have_attribute("data-mode", "make")


def test_a_photo_and_a_board_of_several_solutions_get_a_sentence(opened) -> None:
    page = opened(puzzle="sudoku-9x9")
    photo = {"name": "board.png", "mimeType": "image/png", "buffer": b"\x89PNG"}
    page.get_by_test_id("open-file").set_input_files(photo)
    expect(page.get_by_test_id("status")).to_contain_text("A photo cannot be read")
    open_board = BOARDS["sudoku-9x9"].replace("1", ".").replace("7", ".")
    page.get_by_test_id("paste").fill(open_board)
    page.get_by_test_id("paste-go").click()
    expect(board(page)).to_have_attribute("data-mode", "play")
    expect(page.get_by_test_id("solutions")).to_have_text(re.compile("differ in r[1-9]c[1-9]"), timeout=300_000)


def test_the_editor_shows_which_cells_are_open(opened) -> None:
    page = opened(puzzle="sudoku-4x4")
    page.keyboard.type("12..34..2143....")
    sentence = "2 solutions, 4 open cells: two solutions differ in r2c3, r2c4, r4c3, r4c4 alone."
    expect(page.get_by_test_id("solutions")).to_contain_text(sentence, timeout=300_000)
    open_cell = page.get_by_label("row 2, column 3, blank, open: 1 2")
    expect(open_cell).to_have_count(1)
    expect(page.locator(".sudoku-apart")).to_have_count(4)
    page.keyboard.press("Home")
    page.get_by_label("row 2, column 3").click()
    page.keyboard.type("1")
    expect(page.get_by_test_id("solutions")).to_have_text("Exactly one solution.")
    expect(page.locator(".sudoku-apart")).to_have_count(0)


@pytest.mark.parametrize(("moves", "words"), [("LL", "impossible"), ("LRLL", "fewest moves are 2")])
def test_the_end_of_a_game_tells_how_good_it_was(opened, moves, words) -> None:
    page = opened(puzzle="tiles-3x3", board="1 2 3 4 5 6 0 7 8", mode="play")
    names = {"L": "ArrowLeft", "R": "ArrowRight"}
    keys(page, *(names[move] for move in moves))
    expect(page.get_by_test_id("win")).to_contain_text("Solved with")
    expect(page.get_by_test_id("fewest")).to_contain_text(words, timeout=300_000)
    page.get_by_test_id("win-new").click()
    page.get_by_test_id("level-any").click()
    expect(page.get_by_test_id("win")).to_be_hidden(timeout=300_000)


def test_a_hint_of_dust_marks_the_same_moves_as_it_tells_more(opened) -> None:
    page = opened(puzzle="dust-8x6x5", board=BOARDS["dust-8x6x5"], mode="play")
    page.get_by_test_id("hint").click()
    expect(page.get_by_test_id("hint-text")).to_contain_text("to go", timeout=300_000)
    page.get_by_test_id("hint").click()
    expect(page.get_by_test_id("hint-text")).to_contain_text("marked", timeout=300_000)
    page.get_by_test_id("hint").click()
    expect(page.get_by_test_id("hint-text")).to_contain_text("Best", timeout=300_000)
    marked = page.locator("#board .outline.next")
    expect(marked).not_to_have_count(0)
    assert marked.count() <= 2
