"""A text of a board is read as that board or refused, through every door and whatever notation it is in."""

import os
from collections import Counter

import pytest
from board_doors import argument, outcomes, pasted
from board_texts import FORMS, texts

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.registry import load

FAMILIES = ("tiles", "sudoku", "dust")
STEP = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "more" else 3
"""One text in so many is tried by the slow test: of some 34,000."""


def wrong(family: str, step: int, most_doors: int | None = None) -> tuple[list[str], Counter[str]]:
    """What was read wrongly, and how many texts and boards there were."""
    found, counts = [], Counter[str]()
    for each in texts(family, step):
        counts["texts"] += 1
        for door, (verdict, boards) in outcomes(each, most_doors).items():
            counts[verdict] += 1
            if verdict == "wrong":
                found.append(f"{each.puzzle}, {each.form}, {each.damage}, {door}: {each.text!r} is read as {boards}")
    return found, counts


@pytest.mark.parametrize(("family", "step"), [("tiles", 97), ("sudoku", 131), ("dust", 83)])
def test_no_text_is_another_board(family: str, step: int) -> None:
    found, counts = wrong(family, step, most_doors=3)
    assert found == []
    assert counts["read"] > counts["texts"] / 3


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_no_text_of_ten_thousand_is_another_board(family: str) -> None:
    found, counts = wrong(family, STEP)
    assert found == []
    assert counts["texts"] > 2_500


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_the_page_reads_an_everyday_notation_or_refuses_it(form) -> None:
    """With the gap in each cell of a board of tiles that is higher than wide."""
    numbers = list(range(1, 8))
    for place in range(8):
        cells = [str(number) for number in numbers]
        cells.insert(place, {"empty": "", "space": " "}.get(form.blanks, "0"))
        text = form.write([cells[row : row + 2] for row in range(0, 8, 2)])
        board = " ".join(cell.strip() or "0" for cell in cells)
        assert pasted(text, "tiles-4x2") in ([], [("tiles-4x2", board)])
        assert pasted(text, None) in ([], [("tiles-4x2", board)])


# --- cases that were read wrongly ---

BARS = {
    "1|2|3\n4|5|6\n |7|8": ("tiles-3x3", "1 2 3 4 5 6 0 7 8"),
    "1|2|3\n-+-+-\n4|5|6\n-+-+-\n |8|7": ("tiles-3x3", "1 2 3 4 5 6 0 8 7"),
    "1 | 2 | 3\n  | 5 | 6\n4 | 7 | 8": ("tiles-3x3", "1 2 3 0 5 6 4 7 8"),
    " |1| |4\n |3|2| \n3| |1|2\n |2| |1": ("sudoku-4x4", ".1.4.32.3.12.2.1"),
    "0 6 4; 1 8 7; 10 5 2; 11 3 9": ("tiles-4x3", "0 6 4 1 8 7 10 5 2 11 3 9"),
    "[0 6 4; 1 8 7; 10 5 2; 11 3 9]": ("tiles-4x3", "0 6 4 1 8 7 10 5 2 11 3 9"),
    "0 6 4 / 1 8 7 / 10 5 2 / 11 3 9": ("tiles-4x3", "0 6 4 1 8 7 10 5 2 11 3 9"),
    "3 4\n10 6 0 2\n9 7 5 4\n11 8 1 3": ("tiles-3x4", "10 6 0 2 9 7 5 4 11 8 1 3"),
    "[[1,2],[3,4],[5,6],[0,7]]": ("tiles-4x2", "1 2 3 4 5 6 0 7"),
}


@pytest.mark.parametrize("text", BARS)
def test_a_table_is_read_with_each_cell_in_its_place(text: str) -> None:
    puzzle, board = BARS[text]
    for hint in (None, puzzle, "tiles-3x4", "tiles-2x4", "dust-8x6x5"):
        assert pasted(text, hint) == [(puzzle, board)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1 2 3 4 5 6 7 8 9 10 11 0", None),  # 3x4, 4x3, 2x6 or 6x2
        ("[[1,2],[3,4,5,6],[7,0,8]]", "tiles-3x3"),
        ("10 6 0 2\n9 7 5 4\n10 8 1 3", None),
        ("9 6 0 2\n9 7 5 4\n11 8 1 3", None),
        ("[[1, 2, 1], [2, 1, 1], [1, 1, 2]]", None),
        ("[[1, 2, 1], [2, 1, 1]]", None),  # rows of 3x2, or columns of 2x3
        ("  13\n  13\n1 2 \n4  2\n3 4 ", None),
    ],
)
def test_what_may_be_several_boards_is_refused_by_the_page(text: str, hint: str | None) -> None:
    assert pasted(text, hint) == []


def test_a_list_of_dust_is_one_board_for_the_page_and_for_commands() -> None:
    wide = "[[1, 2], [2, 1], [1, 1]]"  # 3 columns from the bottom up
    high = "[[1, 2, 1], [2, 1, 1]]"  # 2 rows from the top
    for text, board in ((wide, "122111"), (high, "211211")):
        assert argument(text, "dust-3x2x3") == pasted(text, "dust-3x2x3") == [("dust-3x2x3", board)]
    square = "[[1,2,3,1],[2,2,1,1],[3,3,1,2],[1,1,2,2]]"
    assert pasted(square, "dust-4x4x3") == argument(square, "dust-4x4x3") == []


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("tiles-2x4", [[1, 2], [3, 4], [5, 6], [0, 7]], "4 rows of 2; tiles-2x4 has 2 rows of 4"),
        ("tiles-2x3", [[1, 2], [4, 5], [3, 0]], "3 rows of 2; tiles-2x3 has 2 rows of 3"),
        ("tiles-3x4", [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 0]], "4 rows of 3; tiles-3x4 has 3 rows of 4"),
        ("sudoku-4x4", [[1, 2] * 4, [0, 0] * 4], "2 rows of 8; sudoku-4x4 has 4 rows of 4"),
        (
            "dust-3x2x3",
            [[1, 2, 1, 1, 1, 1]],
            "1 list of 6 cells; dust-3x2x3 has 3 columns of 2 from the bottom up, or 2 rows of 3",
        ),
    ],
)
def test_lists_and_arrays_of_another_shape_are_refused(name: str, values: list[list[int]], words: str) -> None:
    puzzle = load(name)
    with pytest.raises(BadBoard, match=words):
        puzzle.read(str(values))
    with pytest.raises(BadBoard, match=words):
        Instance.of(puzzle, values)
    assert argument("\n".join(" ".join(map(str, row)) for row in values), name) == []


@pytest.mark.parametrize("text", ["[[1,2],[3,4,5,6],[7,0,8]]", "1 2\n3 4 5 6\n7 0 8", "1 2; 3 4 5 6; 7 0 8"])
def test_rows_of_different_lengths_are_refused(text: str) -> None:
    with pytest.raises(BadBoard, match="row 1: 2 cells; a row of tiles-3x3 has 3"):
        load("tiles-3x3").read(text)


# --- Sudokus in 0 to F ---

SYMBOLS = "123456789ABCDEFG"
ROWS = [[(4 * (y % 4) + y // 4 + x) % 16 + 1 if (x + y) % 3 else 0 for x in range(16)] for y in range(16)]
BOARD = "".join(("." + SYMBOLS)[cell] for row in ROWS for cell in row)
FROM_ZERO = BOARD.translate(str.maketrans(SYMBOLS, "0123456789ABCDEF"))
NUMBERS = "\n".join(" ".join(str(cell - 1) if cell else "." for cell in row) for row in ROWS)


@pytest.mark.parametrize("text", [FROM_ZERO, FROM_ZERO.lower(), FROM_ZERO.replace(".", "_"), " ".join(NUMBERS.split())])
def test_0_is_a_digit_of_a_large_sudoku_where_another_sign_is_blank(text: str) -> None:
    assert argument(text, "sudoku-16x16") == pasted(text, "sudoku-16x16") == [("sudoku-16x16", BOARD)]
    assert pasted(text.replace("_", "-"), None) == [("sudoku-16x16", BOARD)]


def test_rows_of_numbers_from_zero_are_read() -> None:
    assert argument(NUMBERS, "sudoku-16x16") == pasted(NUMBERS, None) == [("sudoku-16x16", BOARD)]


def test_0_as_the_only_sign_of_a_blank_is_blank() -> None:
    text = BOARD.replace(".", "0")
    assert argument(text, "sudoku-16x16") == pasted(text, None) == [("sudoku-16x16", BOARD)]
    mixed = "..3." + 12 * "0"
    assert argument(mixed, "sudoku-4x4") == [("sudoku-4x4", mixed.replace("0", "."))]


@pytest.mark.parametrize(
    "text",
    [
        FROM_ZERO.replace("E", "G", 1),
        "".join(f"{(4 * (y % 4) + y // 4 + x) % 16:X}" for y in range(16) for x in range(16)),  # a full grid, or blanks
    ],
)
def test_where_0_may_be_a_digit_or_a_blank_both_are_said(text: str) -> None:
    with pytest.raises(BadBoard, match="0 is a digit if they are 0 to F, and blank if they are 1 to G"):
        load("sudoku-16x16").read(text)
    assert pasted(text, "sudoku-16x16") == []


def test_a_solution_beside_a_sudoku_from_zero_is_read_in_the_same_digits() -> None:
    puzzle = load("sudoku-16x16")
    full = "".join(f"{(4 * (y % 4) + y // 4 + x) % 16:X}" for y in range(16) for x in range(16))
    assert puzzle.write(puzzle.read(f"{FROM_ZERO},{full}").state) == BOARD
    solved = "".join(SYMBOLS[int(sign, 16)] for sign in full)
    assert puzzle.write(puzzle.read(f"{BOARD.replace('.', '0')}  {solved}").state) == BOARD
    with pytest.raises(BadBoard, match="the solution beside the puzzle has another digit"):
        puzzle.read(f"{FROM_ZERO},{full[1:]}{full[0]}")
