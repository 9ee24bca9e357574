"""Any board is pasted on the page, of whatever puzzle, and files of many boards become a list."""

import csv
import re
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api")
import forms
from on_page import shows
from playwright.sync_api import expect
from table_of_forms import FORMS

from puzzlelab import load

pytestmark = pytest.mark.browser
EIGHT = "8 6 7 2 5 4 3 0 1"


def paste(page, text: str) -> None:
    page.get_by_test_id("mode-make").click()
    page.get_by_test_id("paste").fill(text)
    page.get_by_test_id("paste-go").click()


@pytest.mark.parametrize("name", ["CSV", "box drawing", "f-puzzles", "rows quoted by a mail"])
def test_a_sudoku_is_recognised_where_tiles_are_open(opened, name) -> None:
    page = opened(puzzle="tiles-4x4")
    paste(page, forms.SUDOKU_TEXTS[name])
    shows(page, forms.CLASSIC, timeout=300_000)
    expect(page.get_by_test_id("status")).to_contain_text("sudoku-9x9")


def test_what_is_not_understood_is_named(opened) -> None:
    page = opened(puzzle="sudoku-9x9")
    paste(page, "5 3 § 4")
    expect(page.get_by_test_id("paste-error")).to_contain_text("(row 1, column 3): '§' is no digit", timeout=300_000)


def test_candidates_become_clues_and_notes_on_which_hints_rest(opened) -> None:
    puzzle = load("sudoku-9x9")
    board = puzzle.read("easy").state
    cell, digit = next(zip(*puzzle.candidates(board).nonzero(), strict=True))
    only = [str(each + 1) for each in range(9) if each != digit and puzzle.candidates(board)[cell, each]]
    page = opened(puzzle="tiles-4x4")
    removed = f"{digit + 1}{cell // 9 + 1}{cell % 9 + 1}"
    paste(page, f":0000:x:{puzzle.write(board)}:{removed}:::")
    shows(page, puzzle.write(board), timeout=300_000)
    marked = page.locator(f'[data-cell="{cell}"]')
    expect(marked).to_have_attribute("aria-label", re.compile(f"pencil marks {' '.join(only)}$"))


def test_a_paste_anywhere_on_the_page_is_read(opened) -> None:
    page = opened(puzzle="dust-8x6x5", mode="play")
    page.evaluate(
        """text => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
        }""",
        "8,6,7\n2,5,4\n3,,1",
    )
    shows(page, EIGHT, timeout=300_000)


def test_a_file_of_many_boards_becomes_a_list_that_is_solved_and_saved(opened, tmp_path: Path) -> None:
    page = opened(puzzle="tiles-4x4")
    file = tmp_path / "boards.txt"
    file.write_text(f"{EIGHT}\n1 2 3 4 5 6 0 7 8\n1 2 3 4 5 6 8 7 0\n", encoding="utf-8")
    page.get_by_test_id("mode-make").click()
    page.get_by_test_id("open-file").set_input_files(file)
    rows = page.get_by_test_id("boards").locator("tbody tr")
    expect(rows).to_have_count(3, timeout=300_000)
    page.get_by_test_id("solve-all").click()
    expect(page.get_by_test_id("boards-note")).to_contain_text("3 of 3 solved", timeout=300_000)
    expect(rows.nth(0)).to_contain_text("31")
    expect(rows.nth(1)).to_contain_text("2")
    expect(rows.nth(2)).to_contain_text(re.compile("odd|unsolvable|no sequence"))
    with page.expect_download() as saved:
        page.get_by_test_id("save-csv").click()
    lines = list(csv.DictReader(saved.value.path().read_text(encoding="utf-8").splitlines()))
    assert [line["length"] for line in lines] == ["31", "2", ""]
    assert lines[1]["moves"] == "L L"
    rows.nth(1).get_by_role("button").click()
    shows(page, "1 2 3 4 5 6 0 7 8")


def test_a_file_is_dropped_on_the_page(opened) -> None:
    page = opened(puzzle="tiles-4x4")
    page.evaluate(
        """text => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], "puzzle.sdk", { type: "" }));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        }""",
        FORMS["SadMan"][0],
    )
    shows(page, forms.CLASSIC, timeout=300_000)


def test_a_solve_is_pasted_in_any_form_and_shown_in_one(opened) -> None:
    page = opened(puzzle="tiles-4x4", board="1 2 3 4 5 7 11 8 9 6 0 12 13 10 14 15", mode="play")
    form, text = page.get_by_test_id("moves-form"), page.get_by_test_id("moves-text")
    text.fill("11 7 6 10 14 15")
    page.get_by_test_id("play-moves").click()
    expect(page.get_by_test_id("lines").get_by_role("button")).to_have_text(
        ["1. D", "2. R", "3. U", "4. U", "5. L", "6. L"]
    )
    expect(text).to_have_value("D R U U L L")
    form.select_option("tile: counts")
    expect(text).to_have_value("DRU2L2")
    form.select_option("blank: words")
    expect(text).to_have_value("up left down down right right")
    text.fill("up up")
    page.get_by_test_id("play-moves").click()
    expect(page.get_by_test_id("lines").locator("[aria-current]")).to_have_text("2. D")
    text.fill("up2'")
    page.get_by_test_id("play-moves").click()
    expect(page.get_by_test_id("status")).to_contain_text("character 4: ''' is no move")
