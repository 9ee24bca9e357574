"""Further forms in which people have boards, written from the descriptions of the formats: they name no puzzle."""

import json

from table_of_forms import (
    DUST,
    EIGHT,
    EIGHT_ROWS,
    FIFTEEN,
    FIFTEEN_ROWS,
    P0,
    ROWS,
    SIX,
    SIXTEEN,
    SIXTEEN_LINE,
    barred,
    rows,
)
from table_of_forms import P as CLASSIC
from table_of_forms import S as SOLVED

TABLE = [["" if sign == "." else sign for sign in row] for row in ROWS]
FOUR = "1.3434.2.14343.1"
FOUR_ROWS = [FOUR[start : start + 4] for start in range(0, 16, 4)]
WORD = "425225154523142543212442545541241413141521445214"


def fpuzzles_object() -> str:
    """A puzzle as f-puzzles.com stores it."""
    grid = [[{} if sign == "." else {"value": int(sign), "given": True} for sign in row] for row in ROWS]
    grid[0][0]["value"] = 4  # a digit that a player has written
    return json.dumps({"size": 9, "title": "A puzzle", "grid": grid})


def fpuzzles() -> str:
    """The same as a part of a link."""
    from lzstring import LZString

    return LZString.compressToBase64(fpuzzles_object())


SUDOKU_TEXTS = {
    **{f"a line with '{sign}'": CLASSIC.replace(".", sign) for sign in "0*_-x?"},
    "a line in quotation marks": f'"{CLASSIC}"',
    "a line after a label": f"Puzzle: {CLASSIC}",
    "a line with full-width digits": CLASSIC.translate({ord(str(digit)): 0xFF10 + digit for digit in range(10)}),
    "rows with Windows ends": "\r\n".join(ROWS),
    "rows with dashes": "\n".join(ROWS).replace(".", "-"),
    "rows with spaces for blanks": "\n".join(ROWS).replace(".", " "),
    "rows with spaces between boxes": "\n".join(f"{row[:3]} {row[3:6]} {row[6:]}" for row in ROWS),
    "rows with slashes": "/".join(ROWS),
    "rows quoted by a mail": "\n".join(f"> {row}" for row in ROWS),
    "rows in a code fence": "```text\n" + "\n".join(ROWS) + "\n```",
    "bars and rules": barred(ROWS, "", " | ", "", "------+-------+------"),
    "box drawing": barred(ROWS, "│ ", " │ ", " │", "├───────┼───────┼───────┤"),
    "heavy box drawing": barred(ROWS, "║ ", " ║ ", " ║", "╠═══════╬═══════╬═══════╣"),
    "rows and columns with names": "  123 456 789\n"
    + "\n".join(f"{name} {row[:3]} {row[3:6]} {row[6:]}" for name, row in zip("ABCDEFGHI", ROWS, strict=True)),
    "candidates": "\n".join(" ".join("123456789" if sign == "." else sign for sign in row) for row in ROWS),
    "candidates with bars": barred(
        [row.replace(".", "~") for row in ROWS], "| ", " | ", " |", "+-----+-----+-----+"
    ).replace("~", "123456789"),
    "cells of a spreadsheet": rows(TABLE, "\t"),
    "CSV": rows(TABLE, ","),
    "CSV with semicolons": rows(TABLE, ";"),
    "CSV with quotation marks": rows([[f'"{cell}"' for cell in row] for row in TABLE], ","),
    "CSV with a comma at the end": rows(TABLE, ",", ",\n") + ",",
    "CSV with names of columns": "a,b,c,d,e,f,g,h,i\n" + rows(TABLE, ","),
    "a flat list": json.dumps([int(cell or 0) for row in TABLE for cell in row]),
    "a row of this program": json.dumps({"puzzle": "sudoku-9x9", "board": CLASSIC, "solver": "bands"}),
    "a CSV row of this program": f"puzzle,board,solver\nsudoku-9x9,{CLASSIC},bands",
    "a link of this page": f"http://127.0.0.1:8000/#puzzle=sudoku-9x9&board={CLASSIC}&mode=play",
    "the end of a link of this page": f"#puzzle=sudoku-9x9&board={CLASSIC}",
    "another site": f"https://example.org/play?x=1&puzzle={P0}&lang=en",
    "f-puzzles without a link": fpuzzles_object(),
    "f-puzzles": "https://www.f-puzzles.com/?load=" + fpuzzles(),
    "SudokuPad with f-puzzles": "https://sudokupad.app/fpuzzles" + fpuzzles(),
    "SudokuPad by its number": "https://app.crackingthecryptic.com/sudoku/?puzzleid=fpuz" + fpuzzles(),
}
"""All of them are the same Sudoku."""
OTHER_TEXTS = {
    "a small Sudoku": (FOUR, "sudoku-4x4", FOUR),
    "a small Sudoku in rows": ("\n".join(FOUR_ROWS), "sudoku-4x4", FOUR),
    "a small Sudoku with bars": (barred(FOUR_ROWS, "", "|", "", "---+---", 2), "sudoku-4x4", FOUR),
    "six rows": (SIX, "sudoku-6x6", SIX),
    "sixteen rows of letters": (SIXTEEN_LINE, "sudoku-16x16", SIXTEEN_LINE),
    "a spreadsheet": (rows([[str(cell or "") for cell in row] for row in SIXTEEN], "\t"), "sudoku-16x16", SIXTEEN_LINE),
    "rows of digits": (rows(EIGHT_ROWS, ""), "tiles-3x3", EIGHT),
    "rows with an empty cell": ("8,6,7\n2,5,4\n3,,1", "tiles-3x3", EIGHT),
    "rows with a space for the blank": ("867\n254\n3 1", "tiles-3x3", EIGHT),
    "tiles with bars": (
        "+---+---+---+\n| 8 | 6 | 7 |\n| 2 | 5 | 4 |\n| 3 |   | 1 |\n+---+---+---+",
        "tiles-3x3",
        EIGHT,
    ),
    "tiles with box drawing": ("┌─┬─┬─┐\n│8│6│7│\n├─┼─┼─┤\n│2│5│4│\n├─┼─┼─┤\n│3│ │1│\n└─┴─┴─┘", "tiles-3x3", EIGHT),
    "tiles as tuples": (str(EIGHT_ROWS), "tiles-3x3", EIGHT),
    "tiles after a label": (f"start state: {EIGHT}", "tiles-3x3", EIGHT),
    "fifteen tiles from a spreadsheet": (rows(FIFTEEN_ROWS, "\t").replace("\t0", "\t"), "tiles-4x4", FIFTEEN),
    "fifteen tiles with the word empty": (FIFTEEN.replace(" 0", " empty"), "tiles-4x4", FIFTEEN),
    "small hexadecimal digits in rows": ("27b5\nd094\ne186\na3cf", "tiles-4x4", FIFTEEN),
    "a rectangle of tiles": ("1 2 3 4 5 6 7\n8 9 10 11 12 13 0", "tiles-2x7", "1 2 3 4 5 6 7 8 9 10 11 12 13 0"),
    "24 tiles": (" ".join(map(str, [*range(1, 25), 0])), "tiles-5x5", " ".join(map(str, [*range(1, 25), 0]))),
    "the word of a usual dust board": (WORD, "dust-8x6x5", WORD),
    "dust in small letters with spaces": ("r g b y\ng g b b\nr r y y", "dust-4x3x5", DUST),
    "dust in rows of digits": ("1234\n2233\n1144", "dust-4x3x5", DUST),
    "dust in circles with an empty cell": ("⚫🟢🔵⚪\n🟢🟢🔵🔵\n🔴🔴🟡🟡", "dust-4x3x5", "120122433430"),
    "dust from a spreadsheet": ("r\tg\tb\ty\ng\tg\tb\tb\nr\tr\ty\ty", "dust-4x3x5", DUST),
    "dust with bars": ("|R|G|B|Y|\n|G|G|B|B|\n|R|R|Y|Y|", "dust-4x3x5", DUST),
}
MANY_TEXTS = {
    "a line each": f"{CLASSIC}\n{SOLVED[:-1]}.\n{CLASSIC}",
    "rows of JSON": "\n".join([json.dumps({"puzzle": "sudoku-9x9", "board": CLASSIC})] * 3),
    "a list of rows": json.dumps([{"puzzle": "sudoku-9x9", "board": CLASSIC}] * 3),
    "lines of words": f"The first\n{CLASSIC}\n{CLASSIC}\nand the last one\n{CLASSIC}",
}
"""Three boards of Sudoku each."""
WRONG_TEXTS = {
    "   \n ": "nothing to read",
    "hello world": "no board is found in 'hello world'",
    "5 3 § 4": "line 1, column 5: '§' is not understood",
    "\n".join(ROWS).replace("8", "é", 1): "line 3, column 4: 'é' is not understood",
    CLASSIC.replace("8", "Z", 1): "row 3, column 4: 'Z' is no digit of a Sudoku",
    CLASSIC + "1": "82 signs",
    "\n".join([*ROWS[:4], ROWS[4][:8], *ROWS[5:]]): "row 5: 8 cells; most rows have 9",
    "1 2 3 4 5": "no board is found",
    "https://sudokupad.app/sclAAAA": "compressed in a way that cannot be read",
    "#puzzle=chess&board=1": "there is no puzzle 'chess'",
    "#puzzle=sudoku-9x9&board=12": "2 cells given",
    '{"puzzle": "sudoku-9x9", "board": "12"}': "2 cells given",
    f"puzzle,board\nchess,{CLASSIC}": "there is no puzzle 'chess'",
    f"{CLASSIC}\n{CLASSIC}\n{CLASSIC[:-1]}\n{CLASSIC}": "line 3: 80 cells given",
    "RGBY\nG?QB\nRRYY": "no board is found",
    SOLVED: "no board is found",
}
"""Texts that are no boards, and words of what is said about them."""
