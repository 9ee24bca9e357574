"""The page as a person uses it: puts a board in, has it solved, steps through the solution, plays, shares."""

import json
import os
import re
import shutil
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from served import end, start

from puzzlelab.core import registry

pytest.importorskip("playwright")
pytest.importorskip("fastapi")

from on_page import board, new_board, phone, shows
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

EIGHT = "8 6 7 2 5 4 3 0 1"
HARD = "15 14 8 12 10 11 9 13 2 6 5 1 3 4 7 0"
"""Needs many minutes by `ida` with Manhattan distance."""
SUDOKU = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
PHONE = phone(360, 740)


def press(page, name):
    page.get_by_test_id(name).click()


def cell(page, place):
    return page.locator(f'[data-testid=board] [data-cell="{place}"]')


def watch(page, steps):
    """Wait for the solution, and go through it with the arrow keys, there and back and to its end."""
    host = board(page)
    expect(host).to_have_attribute("data-mode", "watch", timeout=300_000)
    expect(page.get_by_test_id("slider")).to_have_attribute("max", str(steps))
    expect(host).to_have_attribute("data-step", "0")
    start = host.get_attribute("data-board")
    page.keyboard.press("ArrowRight")
    expect(host).to_have_attribute("data-step", "1")
    assert host.get_attribute("data-board") != start
    page.keyboard.press("ArrowLeft")
    shows(page, start)
    for step in range(1, steps + 1):
        page.keyboard.press("ArrowRight")
        expect(host).to_have_attribute("data-step", str(step))
    return host.get_attribute("data-board")


def test_tiles_are_dragged_from_the_tray_and_solved(opened) -> None:
    page = opened(puzzle="tiles-2x2")
    for place, tile in enumerate([3, 1, 2]):
        page.locator(f'[data-tray="{tile}"]').drag_to(cell(page, place))
    shows(page, "3 1 2 0")
    expect(page.get_by_test_id("objection")).to_be_hidden()
    press(page, "solve")
    assert watch(page, 4) == "1 2 3 0"
    expect(page.get_by_test_id("race")).to_contain_text("proven optimal")


def test_tiles_are_typed_and_solved(opened) -> None:
    page = opened(puzzle="tiles-3x3")
    cell(page, 0).focus()
    for tile in EIGHT.split():
        page.keyboard.press(tile)
    shows(page, EIGHT)
    press(page, "solve")
    assert watch(page, 31) == "1 2 3 4 5 6 7 8 0"
    expect(page.get_by_test_id("bound")).to_have_text("")
    page.keyboard.press("Home")
    expect(page.get_by_test_id("bound")).to_contain_text("31")


def test_an_unsolvable_board_says_why_and_offers_to_swap_two_tiles(opened) -> None:
    page = opened(puzzle="tiles-4x4", board="1 2 3 4 5 6 7 8 9 10 11 12 13 15 14 0")
    expect(page.get_by_test_id("objection")).to_contain_text("odd permutation")
    press(page, "repair")
    shows(page, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0")
    expect(page.get_by_test_id("objection")).to_be_hidden()


def test_tiles_are_played_by_click_drag_and_keys(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="1 2 3 4 0 6 7 5 8", mode="play")
    cell(page, 7).click()
    shows(page, "1 2 3 4 5 6 7 0 8")
    page.keyboard.press("ArrowDown")
    shows(page, "1 2 3 4 0 6 7 5 8")
    press(page, "undo")
    shows(page, "1 2 3 4 5 6 7 0 8")
    cell(page, 8).drag_to(cell(page, 7))
    shows(page, "1 2 3 4 5 6 7 8 0")
    expect(page.get_by_test_id("status")).to_contain_text("Solved")
    expect(page.get_by_test_id("moves-played")).to_contain_text("2")


def test_a_press_slides_several_tiles_in_one_move_where_the_metric_says_so(opened) -> None:
    page = opened(puzzle="tiles-3x3:moves=multi", board="0 1 3 4 2 5 7 8 6", mode="play")
    cell(page, 6).click()
    shows(page, "4 1 3 7 2 5 0 8 6")
    expect(page.get_by_test_id("status")).to_contain_text("tiles 4 and 7 slide up")
    expect(page.get_by_test_id("moves-played")).to_contain_text("1")
    press(page, "undo")
    shows(page, "0 1 3 4 2 5 7 8 6")
    page.keyboard.press("ArrowLeft")
    shows(page, "1 0 3 4 2 5 7 8 6")
    press(page, "solve")
    assert watch(page, 3) == "1 2 3 4 5 6 7 8 0"
    expect(page.get_by_test_id("race")).to_contain_text("proven optimal")


def test_the_metric_of_sliding_tiles_is_chosen_by_a_field(opened) -> None:
    page = opened(puzzle="tiles-3x3:blank-first", board="1 2 0 3 4 5 6 7 8", mode="play")
    page.get_by_test_id("size").click()
    page.get_by_test_id("field-moves").select_option("multi")
    expect(page).to_have_title("tiles-3x3:blank-first:moves=multi · puzzlelab")


def test_dust_is_painted_and_cleared(opened) -> None:
    page = opened(puzzle="dust-3x2x2")
    boxes = [cell(page, place).bounding_box() for place in range(6)]
    page.mouse.move(*middle(boxes[0]))
    page.mouse.down()
    for box in (boxes[2], boxes[4]):
        page.mouse.move(*middle(box), steps=4)
    page.mouse.up()
    shows(page, "101010")
    cell(page, 1).focus()
    page.keyboard.press("2")
    shows(page, "121010")
    press(page, "solve")
    assert watch(page, 2) == "000000"
    expect(page.get_by_test_id("race")).to_contain_text("proven optimal")


def middle(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_dust_is_played_by_clicks_and_told_what_a_move_wastes(opened) -> None:
    page = opened(puzzle="dust-3x2x3", board="121323", mode="play")
    page.get_by_test_id("regret").check()
    expect(page.get_by_test_id("insight-text")).to_contain_text("wastes", timeout=300_000)
    puzzle = registry.load("dust-3x2x3")
    cell(page, 0).click()
    shows(page, puzzle.write(puzzle.apply(puzzle.read("121323").state, 0)))
    press(page, "hint")
    expect(page.get_by_test_id("hint-text")).to_be_visible(timeout=300_000)


def test_regrets_that_a_search_leaves_open_are_searched_longer(opened) -> None:
    page = opened(puzzle="dust-3x2x3", board="121323", mode="play")
    times = []

    def answer(route) -> None:
        response = route.fetch(timeout=300_000)
        rows = response.json()
        times.append(float(parse_qs(urlsplit(route.request.url).query)["time"][0]))
        if len(times) < 3:
            for move in rows[0]["moves"]:
                move["regret"]["proven"] = False
        route.fulfill(response=response, json=rows)

    page.route("**/api/hint?*", answer)
    page.get_by_test_id("regret").check()
    expect(board(page).locator("svg").first).to_contain_text("best", timeout=300_000)
    assert len(times) == 3
    assert times == sorted(set(times))


def test_equal_tiles_are_typed_and_solved(opened) -> None:
    page = opened(puzzle="tiles-2x3:goal=1,1,2,2,3,0")
    cell(page, 0).focus()
    for tile in "121203":
        page.keyboard.press(tile)
    shows(page, "1 2 1 2 0 3")
    page.keyboard.press("Home")
    page.keyboard.press("4")
    expect(page.get_by_text("there is no tile 4; tiles are 1 to 3")).to_be_attached()
    press(page, "solve")
    assert watch(page, 15) == "1 1 2 2 3 0"


def test_a_sudoku_is_typed_and_solved(opened) -> None:
    page = opened(puzzle="sudoku-9x9")
    page.keyboard.type(SUDOKU)
    shows(page, SUDOKU)
    expect(page.get_by_test_id("solutions")).to_contain_text("xactly one", timeout=300_000)
    press(page, "solve")
    shows(page, SOLVED, timeout=300_000)
    expect(page.get_by_test_id("race")).to_contain_text("only solution")
    page.keyboard.press("Home")
    shows(page, SUDOKU)
    page.keyboard.press("End")
    shows(page, SOLVED)


def test_what_was_mistyped_is_taken_back_by_backspace(opened) -> None:
    page = opened(puzzle="sudoku-4x4")
    page.keyboard.type("12.")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("3")
    shows(page, "13..............")


def test_sudoku_conflicts_hints_and_marks(opened) -> None:
    page = opened(puzzle="sudoku-9x9", board=SUDOKU, mode="play")
    cell(page, 2).click()
    page.keyboard.press("5")
    expect(page.get_by_test_id("status")).to_contain_text("conflict")
    press(page, "hint")
    expect(page.get_by_test_id("hint-text")).to_contain_text("wrong", timeout=300_000)
    cell(page, 2).click()
    page.keyboard.press("Delete")
    shows(page, SUDOKU)
    page.keyboard.press("Shift+Digit4")
    expect(cell(page, 2)).to_have_attribute("aria-label", re.compile("mark"))
    shows(page, SUDOKU)
    hint = page.get_by_test_id("hint-text")
    for told in ("51 cells to go. Next: ", "marked", re.compile("must be|one place left")):
        press(page, "hint")
        expect(hint).to_contain_text(told, timeout=300_000)
    expect(page.get_by_test_id("hint")).to_have_text("Do it")
    press(page, "hint")
    expect(page.locator("#moves-played")).to_have_text("1 cell")


POINTING = "139005608720090010400001090001600900003008001070002030084000179002007000007009254"


def test_a_step_without_a_digit_goes_into_the_notes(opened) -> None:
    page = opened(puzzle="sudoku-9x9", board=POINTING, mode="play")
    hint, button = page.get_by_test_id("hint-text"), page.get_by_test_id("hint")
    for told in ("Next: pointing (2.6)", "Look at box 1 and column 3", "r6c3 cannot be 8"):
        press(page, "hint")
        expect(hint).to_contain_text(told, timeout=300_000)
    expect(page.locator(".sudoku-step-out")).to_have_count(1)
    press(page, "hint")
    expect(page.locator(".sudoku-step-out")).to_have_count(0)
    expect(cell(page, 47)).to_have_attribute("aria-label", re.compile("pencil marks 5 6$"))
    press(page, "hint")
    expect(hint).not_to_contain_text("Thinking", timeout=300_000)
    for _ in range(2):
        press(page, "hint")
    expect(hint).not_to_contain_text("r6c3 cannot be 8")
    expect(button).to_have_text("Do it")


def test_a_note_that_is_wrong_is_named(opened) -> None:
    page = opened(puzzle="sudoku-9x9", board=POINTING, mode="play")
    press(page, "tool-fill")
    cell(page, 63).click()
    page.keyboard.press("Shift+Digit6")  # what belongs there
    page.keyboard.press("Shift+Digit9")
    page.keyboard.press("Shift+Digit5")
    press(page, "hint")
    expect(page.get_by_test_id("hint-text")).to_contain_text("wrong", timeout=300_000)
    expect(page.get_by_test_id("hint-text")).to_contain_text("r8c1<>")


def test_a_solution_of_sudoku_has_its_reasons(opened) -> None:
    page = opened(puzzle="sudoku-9x9", board=POINTING, mode="play")
    press(page, "solve")
    expect(page.get_by_test_id("bound")).to_contain_text("must be", timeout=300_000)
    page.get_by_test_id("first").click()
    page.get_by_test_id("forward").click()
    expect(page.get_by_test_id("step")).to_contain_text("Cell 1 of 47")
    expect(page.get_by_test_id("bound")).to_contain_text("pointing: in box 9 all places of 3")
    expect(page.locator(".sudoku-step-unit")).not_to_have_count(0)


def test_a_search_is_stopped(opened) -> None:
    page = opened(puzzle="tiles-4x4", board=HARD)
    page.locator("summary", has_text="Options").click()
    page.get_by_test_id("options").fill("estimate=manhattan")
    press(page, "solve")
    stop = page.get_by_test_id("stop")
    expect(page.get_by_test_id("race")).to_contain_text("searching", timeout=300_000)
    stop.click()
    expect(stop).to_be_hidden()
    expect(page.get_by_test_id("race")).to_contain_text("stopped")


def test_several_solvers_race_and_each_solution_can_be_watched(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT)
    page.locator("summary", has_text="Compare").click()
    for name in ("ida", "astar", "beam", "bfs"):
        page.get_by_test_id(f"compare-{name}").check()
    for name in ("depth-first", "discrepancy", "greedy", "portfolio", "random", "uct"):
        page.get_by_test_id(f"compare-{name}").uncheck()
    press(page, "compare")
    for name in ("ida", "astar", "beam", "bfs"):
        row = page.locator(f'tbody[data-solver="{name}"]')
        expect(row).to_have_attribute("data-status", "done", timeout=300_000)
        expect(row.locator("[data-part=moves]")).to_have_text("31")
    page.get_by_test_id("watch-4").click()
    assert watch(page, 31) == "1 2 3 4 5 6 7 8 0"


def test_the_usual_solver_is_asked_for_with_its_options_and_others_by_name(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "solve/events" in request.url else None)
    page.get_by_test_id("solver").select_option("ida")
    press(page, "solve")
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)
    page.get_by_test_id("solver").select_option("bfs")
    press(page, "solve")
    expect(page.locator('tbody[data-solver="bfs"]')).to_have_attribute("data-status", "done", timeout=300_000)
    assert ["solver=" in url for url in asked] == [False, True]
    assert "solver=bfs" in asked[1]


def test_a_link_shows_the_same_to_another_person(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT)
    press(page, "solve")
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)
    page.get_by_test_id("slider").fill("7")
    expect(page).to_have_url(re.compile("step=7"))
    shown = board(page).get_attribute("data-board")
    other = opened()
    other.goto(page.url)
    other.reload()
    shows(other, shown, timeout=300_000)
    expect(board(other)).to_have_attribute("data-step", "7")


@pytest.mark.parametrize("answer", [lambda route: None, lambda route: route.abort()], ids=["none", "error"])
def test_a_link_reloaded_before_its_answer_shows_the_same_afterwards(opened, answer) -> None:
    page = opened()
    page.route("**/solve/events*", answer)
    link = {"puzzle": "tiles-3x3", "board": EIGHT, "mode": "watch", "with": "ida", "step": 7}
    page.goto(f"{page.url.partition('#')[0]}#{urlencode(link)}")
    expect(board(page)).to_have_attribute("data-mode", "watch")
    page.wait_for_timeout(600)  # longer than the pause after which the address follows the page
    assert "step=7" in page.url
    page.unroute("**/solve/events*")
    page.reload()
    expect(board(page)).to_have_attribute("data-step", "7", timeout=300_000)


@pytest.mark.parametrize(
    ("settings", "rel"),
    [({}, "opener"), ({}, "noreferrer"), ({"service_workers": "allow"}, "noreferrer")],
    ids=["referrer", "none", "worker"],
)
def test_a_link_of_another_site_begins_no_search(opened, server, settings, rel) -> None:
    page, asked = opened(settings), []
    if settings:
        page.wait_for_function("navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)")
    page.on("request", lambda request: asked.append(request.url))
    link = {"puzzle": "tiles-3x3", "board": EIGHT, "mode": "watch", "with": "bfs"}
    link_text = f"<a rel={rel} href='{server.address}#{urlencode(link)}'>a board</a>"
    page.route("http://elsewhere.test/", lambda route: route.fulfill(body=link_text, content_type="text/html"))
    page.goto("http://elsewhere.test/")
    page.click("a")
    for _ in range(2):  # also after a reload
        page.wait_for_selector("html[data-ready=true]")
        expect(page.get_by_test_id("status")).to_contain_text("Press Solve to see its solution")
        shows(page, EIGHT)
        page.reload()
    assert not [url for url in asked if "/api/solve" in url]
    press(page, "solve")
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"puzzle": "chess"}, "there is no puzzle 'chess'"),
        ({"puzzle": "tiles-4x4", "board": "1 2 <b>x</b>"}, "cannot be shown"),
        ({"puzzle": "tiles-99x99"}, "2 to 12 rows"),
    ],
)
def test_a_link_that_leads_nowhere_gets_a_sentence(opened, link, words) -> None:
    page = opened(**link)
    expect(page.get_by_test_id("problem")).to_contain_text(words)
    expect(board(page)).to_be_visible()


def test_solving_goes_on_from_the_position_that_was_played_to(opened) -> None:
    page = opened(puzzle="tiles-3x3", board="1 2 3 4 0 6 7 5 8", mode="play")
    page.keyboard.press("Tab")
    cell(page, 1).click()
    shows(page, "1 0 3 4 2 6 7 5 8")
    press(page, "solve")
    assert watch(page, 3) == "1 2 3 4 5 6 7 8 0"


def test_a_solution_is_played_by_itself_and_paused(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT)
    press(page, "solve")
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)
    page.get_by_test_id("speed").select_option("8")
    page.keyboard.press("Space")
    expect(board(page)).to_have_attribute("data-step", "31", timeout=30_000)
    shows(page, "1 2 3 4 5 6 7 8 0")
    press(page, "first")
    shows(page, EIGHT)


def test_a_picture_takes_the_place_of_numbers(opened, tmp_path) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT)
    expect(page.get_by_test_id("tool-plain")).to_be_hidden()
    picture = tmp_path / "picture.svg"
    picture.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="50" height="60"/></svg>'
    )
    page.get_by_test_id("tool-picture").set_input_files(picture)
    expect(board(page).locator("image")).to_have_count(8)
    press(page, "tool-plain")
    expect(board(page).locator("image")).to_have_count(0)
    expect(page.get_by_test_id("tool-plain")).to_be_hidden()


def test_random_boards_are_equal_for_equal_seeds(opened) -> None:
    page = opened(puzzle="dust-6x5x4")
    made = []
    for seed in ("7", "8", "7"):
        new_board(page, seed)
        made.append(board(page).get_attribute("data-board"))
    assert made[0] == made[2] != made[1]


def test_the_theme_is_chosen_and_kept(opened) -> None:
    page = opened()
    ground = "getComputedStyle(document.body).backgroundColor"
    seen = {page.evaluate(ground)}
    press(page, "theme")
    seen.add(page.evaluate(ground))
    press(page, "theme")
    seen.add(page.evaluate(ground))
    assert len(seen) == 2
    chosen = page.evaluate(ground)
    page.reload()
    page.wait_for_selector("html[data-ready=true]")
    assert page.evaluate(ground) == chosen


def test_what_the_network_thinks_is_shown_at_each_step(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT, mode="play")
    page.get_by_test_id("heat").check()
    expect(board(page).locator("svg")).to_contain_text("%", timeout=300_000)
    page.get_by_test_id("tree").check()
    table = page.get_by_test_id("tree-table")
    expect(table).to_be_visible(timeout=300_000)
    expect(table.locator("tbody tr")).to_have_count(3)


def test_moves_and_board_are_exported(opened) -> None:
    page = opened(puzzle="tiles-3x3", board=EIGHT)
    press(page, "solve")
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)
    saved = {}
    for name in ("save-text", "save-json", "save-svg"):
        with page.expect_download() as download:
            press(page, name)
        saved[name] = download.value.path().read_text()
    row = json.loads(saved["save-json"])
    puzzle = registry.load("tiles-3x3")
    state = puzzle.read(EIGHT).state
    for move in saved["save-text"].split()[-31:]:
        state = puzzle.apply(state, puzzle.read_move(move))
    assert puzzle.solved(state)
    assert (row["length"], row["proof"], row["verified"]) == (31, "optimal", True)
    assert saved["save-svg"].startswith("<svg")


def test_a_board_is_saved_in_the_form_of_another_program(opened) -> None:
    page = opened(puzzle="sudoku-9x9", board=SUDOKU)
    page.get_by_test_id("board-form").select_option("ss")
    with page.expect_download() as download:
        press(page, "save-board")
    assert download.value.suggested_filename == "sudoku-9x9.ss"
    puzzle = registry.load("sudoku-9x9")
    text = download.value.path().read_text()
    assert text.startswith("*-----------*\n")
    assert puzzle.read(text) == puzzle.read(SUDOKU)


def test_on_a_phone_by_touch(opened) -> None:
    page = opened(PHONE, puzzle="tiles-2x2")
    for place, tile in enumerate([3, 1, 2]):
        page.locator(f'[data-tray="{tile}"]').tap()
        cell(page, place).tap()
    shows(page, "3 1 2 0")
    page.get_by_test_id("solve").tap()
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)
    for step in range(1, 5):
        page.get_by_test_id("forward").tap()
        expect(board(page)).to_have_attribute("data-step", str(step))
    shows(page, "1 2 3 0")


@pytest.mark.parametrize(
    ("puzzle", "text", "mode"), [("dust-16x16x9", "1" * 256, "make"), ("sudoku-16x16", "1" + "." * 255, "play")]
)
def test_a_large_board_is_not_wider_than_a_phone(opened, puzzle, text, mode) -> None:
    page = opened(PHONE, puzzle=puzzle, board=text, mode=mode)
    expect(board(page)).to_have_attribute("data-mode", mode)
    width, scrolled = page.evaluate("[innerWidth, document.documentElement.scrollWidth]")
    assert scrolled <= width == 360


def test_dust_is_clicked_away_by_touch(opened) -> None:
    page = opened(PHONE, puzzle="dust-3x2x2", board="112222", mode="play")
    cell(page, 0).tap()
    shows(page, "002222")
    cell(page, 3).tap()
    shows(page, "000000")


def test_a_sudoku_is_filled_by_touch(opened) -> None:
    page = opened(PHONE, puzzle="sudoku-4x4", board="1234341221434321"[:-1] + ".", mode="play")
    cell(page, 15).tap()
    page.locator('[data-pad="1"]').tap()
    shows(page, "1234341221434321")
    expect(page.get_by_test_id("status")).to_contain_text("Solved")


def test_nothing_moves_for_those_who_want_it_so(opened) -> None:
    page = opened({"reduced_motion": "reduce"}, puzzle="tiles-3x3", board="1 2 3 4 5 6 7 0 8", mode="play")
    cell(page, 8).click()
    shows(page, "1 2 3 4 5 6 7 8 0")
    assert page.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length") == 0


@pytest.fixture
def plugged(tmp_path):
    """A server that knows two puzzles from elsewhere: the examples, as an installed package would bring them."""
    examples = Path(__file__).parents[2] / "examples"
    shutil.copy(examples / "lights_out.py", tmp_path)
    about = tmp_path / "lights_out-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: lights-out\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[puzzlelab.puzzles]\nlights = lights_out:FAMILY\nsamegame = samegame:FAMILY\n"
    )
    sources = [str(tmp_path), str(examples / "samegame" / "src")]
    path = os.pathsep.join([*sources, *filter(None, [os.environ.get("PYTHONPATH")])])
    found = start(PYTHONPATH=path)
    yield found
    assert "Traceback" not in end(found)


def test_a_puzzle_from_elsewhere_is_played_and_solved_with_no_other_edit(plugged, browser) -> None:
    page = browser.new_page()
    page.goto(f"{plugged.address}#puzzle=lights-2&mode=play&board=*...")
    page.wait_for_selector("html[data-ready=true]")
    shows(page, "*...")
    page.locator("[data-move]").first.click()
    expect(board(page)).to_have_attribute("data-step", "1")
    press(page, "restart")
    shows(page, "*...")
    press(page, "solve")
    assert watch(page, 3) == "...."
    page.close()


def test_a_puzzle_with_a_score_shows_scores_and_offers_no_hint(plugged, browser) -> None:
    page = browser.new_page()
    page.goto(f"{plugged.address}#puzzle=samegame-5x5x3&board=...../...../...../11.../222..")
    page.wait_for_selector("html[data-ready=true]")
    press(page, "solve")
    expect(board(page)).to_have_attribute("data-mode", "watch", timeout=300_000)
    race = page.get_by_test_id("race")
    expect(race).to_contain_text("Score")
    expect(race).to_contain_text("proven optimal")
    expect(race.locator("[data-part=moves]")).to_have_text("1,001")
    expect(page.get_by_test_id("status")).to_contain_text("score 1,001")
    expect(page.get_by_test_id("hint")).to_be_hidden()
    page.goto(f"{plugged.address}#puzzle=lights-2&mode=play&board=*...")
    expect(page.get_by_test_id("hint")).to_be_visible()
    expect(race).to_contain_text("Moves")
    page.close()


def test_the_pages_of_the_api_try_a_request(opened, server) -> None:
    page = opened()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.address + "api/docs")
    operation = page.locator(".opblock", has_text="/api/limits")
    operation.click()
    operation.get_by_text("Try it out").click()
    operation.get_by_text("Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text('"seconds": 30')
    assert {url for url in asked if not url.startswith((server.address, "data:"))} == set()
