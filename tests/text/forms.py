"""Forms in which people have boards, written from the descriptions of the formats: `NAME: (text, puzzle, board)`."""

import json

CLASSIC = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
ROWS = [CLASSIC[start : start + 9] for start in range(0, 81, 9)]
TABLE = [["" if sign == "." else sign for sign in row] for row in ROWS]
FOUR, SIX = "1.3434.2.14343.1", "1....6..2......3..4......5..6....1.."
FOUR_ROWS = [FOUR[start : start + 4] for start in range(0, 16, 4)]
SYMBOLS = "123456789ABCDEFG"
SIXTEEN = [
    [(4 * (row % 4) + row // 4 + column) % 16 + 1 if (row + column) % 3 else 0 for column in range(16)]
    for row in range(16)
]
SIXTEEN_LINE = "".join("." if not value else SYMBOLS[value - 1] for row in SIXTEEN for value in row)
EIGHT, FIFTEEN = "8 6 7 2 5 4 3 0 1", "15 14 8 12 10 11 9 13 2 6 5 1 3 7 4 0"
FIFTEEN_ROWS = [FIFTEEN.split()[start : start + 4] for start in range(0, 16, 4)]
DUST = "425225154523142543212442545541241413141521445214"


def barred(rows: list[str], left: str, middle: str, right: str, rule: str, every: int = 3) -> str:
    """Rows of cells with spaces, bars between boxes, and rules between bands."""
    lines = []
    for number, row in enumerate(rows):
        if number % every == 0 and rule:
            lines.append(rule)
        parts = [" ".join(row[start : start + every]) for start in range(0, len(row), every)]
        lines.append(left + middle.join(parts) + right)
    return "\n".join([*lines, rule] if rule else lines)


def fpuzzles_object(rows: list[str]) -> str:
    """A puzzle as f-puzzles.com stores it."""
    grid = [[{} if sign == "." else {"value": int(sign), "given": True} for sign in row] for row in rows]
    grid[0][2]["value"] = 4  # a digit that a player has written
    return json.dumps({"size": 9, "title": "A puzzle", "grid": grid})


def fpuzzles(rows: list[str]) -> str:
    """The same as a part of a link."""
    from lzstring import LZString

    return LZString.compressToBase64(fpuzzles_object(rows))


def table(separator: str, rows: list[list[str]]) -> str:
    return "\n".join(separator.join(row) for row in rows)


RULE = "------+-------+------"
SUDOKU_TEXTS = {
    "a line with dots": CLASSIC,
    "a line with zeros": CLASSIC.replace(".", "0"),
    "a line with stars": CLASSIC.replace(".", "*"),
    "a line with underscores": CLASSIC.replace(".", "_"),
    "a line with dashes": CLASSIC.replace(".", "-"),
    "a line with x": CLASSIC.replace(".", "x"),
    "a line with question marks": CLASSIC.replace(".", "?"),
    "a line in quotation marks": f'"{CLASSIC}"',
    "a line and its solution": f"{CLASSIC},{SOLVED}",
    "a line after a label": f"Puzzle: {CLASSIC}",
    "a line with full-width digits": CLASSIC.translate({ord(str(digit)): 0xFF10 + digit for digit in range(10)}),
    "a line with a byte order mark": "\ufeff" + CLASSIC + "\r\n",
    "rows": "\n".join(ROWS),
    "rows with Windows ends": "\r\n".join(ROWS),
    "rows with dashes": "\n".join(ROWS).replace(".", "-"),
    "rows with spaces for blanks": "\n".join(ROWS).replace(".", " "),
    "rows with spaces between cells": "\n".join(" ".join(row) for row in ROWS),
    "rows with spaces between boxes": "\n".join(f"{row[:3]} {row[3:6]} {row[6:]}" for row in ROWS),
    "rows with empty lines between bands": "\n\n".join("\n".join(ROWS[start : start + 3]) for start in (0, 3, 6)),
    "rows with slashes": "/".join(ROWS),
    "rows quoted by a mail": "\n".join(f"> {row}" for row in ROWS),
    "rows in a code fence": "```text\n" + "\n".join(ROWS) + "\n```",
    "bars and rules": barred(ROWS, "", " | ", "", RULE),
    "bars at the sides": barred(ROWS, "| ", " | ", " |", "+-------+-------+-------+"),
    "bars without spaces": barred(ROWS, "|", "|", "|", "").replace(" ", ""),
    "box drawing": barred(ROWS, "│ ", " │ ", " │", "├───────┼───────┼───────┤"),
    "heavy box drawing": barred(ROWS, "║ ", " ║ ", " ║", "╠═══════╬═══════╬═══════╣"),
    "Simple Sudoku (.ss)": barred(ROWS, "|", "|", "|", "*-----------*").replace(" ", ""),
    "SadMan Sudoku (.sdk)": "#AThe author\n#DA description\n#CA comment\n" + "\n".join(ROWS),
    "SadMan Sudoku with sections": "[Puzzle]\n" + "\n".join(ROWS) + "\n[State]\n" + "\n".join(ROWS).replace(".", "1"),
    "SadMan collection of one (.sdm)": f"{CLASSIC.replace('.', '0')}\n",
    "HoDoKu library": f":0000:x:{CLASSIC}:::",
    "HoDoKu library with digits written": f":0000:x:{CLASSIC.replace('7', '+7', 1)}:423 424::",
    "rows and columns with names": "  123 456 789\n"
    + "\n".join(f"{name} {row[:3]} {row[3:6]} {row[6:]}" for name, row in zip("ABCDEFGHI", ROWS, strict=True)),
    "named cells with spaces": "  1 2 3 4 5 6 7 8 9\n"
    + "\n".join(f"{name} {' '.join(row)}" for name, row in zip("ABCDEFGHI", ROWS, strict=True)),
    "candidates": "\n".join(" ".join("123456789" if sign == "." else sign for sign in row) for row in ROWS),
    "candidates with bars": barred(
        [row.replace(".", "~") for row in ROWS], "| ", " | ", " |", "+-----+-----+-----+"
    ).replace("~", "123456789"),
    "cells of a spreadsheet": table("\t", TABLE),
    "CSV": table(",", TABLE),
    "CSV with semicolons": table(";", TABLE),
    "CSV with quotation marks": table(",", [[f'"{cell}"' for cell in row] for row in TABLE]),
    "CSV with a comma at the end": "\n".join(line + "," for line in table(",", TABLE).split("\n")),
    "CSV with zeros": table(",", [[cell or "0" for cell in row] for row in TABLE]),
    "CSV with names of columns": "a,b,c,d,e,f,g,h,i\n" + table(",", TABLE),
    "a table of Markdown": "|a|b|c|d|e|f|g|h|i|\n|-|-|-|-|-|-|-|-|-|\n"
    + "\n".join("| " + " | ".join(cell or " " for cell in row) + " |" for row in TABLE),
    "a list of lists": json.dumps([[int(cell or 0) for cell in row] for row in TABLE]),
    "a list with null": json.dumps([[int(cell) if cell else None for cell in row] for row in TABLE]),
    "a flat list": json.dumps([int(cell or 0) for row in TABLE for cell in row]),
    "an object with a grid": json.dumps({"grid": [[int(cell or 0) for cell in row] for row in TABLE]}),
    "Kaggle": f"quizzes,solutions\n{CLASSIC.replace('.', '0')},{SOLVED}",
    "a row of this program": json.dumps({"puzzle": "sudoku-9x9", "board": CLASSIC, "solver": "bands"}),
    "a CSV row of this program": f"puzzle,board,solver\nsudoku-9x9,{CLASSIC},bands",
    "a link of this page": f"http://127.0.0.1:8000/#puzzle=sudoku-9x9&board={CLASSIC}&mode=play",
    "the end of a link of this page": f"#puzzle=sudoku-9x9&board={CLASSIC}",
    "SudokuWiki": f"https://www.sudokuwiki.org/sudoku.htm?bd={CLASSIC.replace('.', '0')}",
    "SudokuPad with digits": f"https://sudokupad.app/{CLASSIC.replace('.', '0')}",
    "another site": f"https://example.org/play?x=1&puzzle={CLASSIC.replace('.', '0')}&lang=en",
    "f-puzzles without a link": fpuzzles_object(ROWS),
    "f-puzzles": "https://www.f-puzzles.com/?load=" + fpuzzles(ROWS),
    "SudokuPad with f-puzzles": "https://sudokupad.app/fpuzzles" + fpuzzles(ROWS),
    "SudokuPad by its number": "https://app.crackingthecryptic.com/sudoku/?puzzleid=fpuz" + fpuzzles(ROWS),
}
"""All of them are the same Sudoku."""
OTHER_TEXTS = {
    "a small Sudoku": (FOUR, "sudoku-4x4", FOUR),
    "a small Sudoku in rows": ("\n".join(FOUR_ROWS), "sudoku-4x4", FOUR),
    "a small Sudoku with bars": (barred(FOUR_ROWS, "", "|", "", "---+---", 2), "sudoku-4x4", FOUR),
    "six rows": (SIX, "sudoku-6x6", SIX),
    "sixteen rows of letters": (SIXTEEN_LINE, "sudoku-16x16", SIXTEEN_LINE),
    "sixteen rows of numbers": ("\n".join(" ".join(map(str, row)) for row in SIXTEEN), "sudoku-16x16", SIXTEEN_LINE),
    "sixteen rows of a spreadsheet": (
        table("\t", [[str(value or "") for value in row] for row in SIXTEEN]),
        "sudoku-16x16",
        SIXTEEN_LINE,
    ),
    "numbers with spaces": (EIGHT, "tiles-3x3", EIGHT),
    "numbers with commas": (EIGHT.replace(" ", ","), "tiles-3x3", EIGHT),
    "numbers with commas and spaces": (EIGHT.replace(" ", ", "), "tiles-3x3", EIGHT),
    "digits without spaces": ("867254301", "tiles-3x3", EIGHT),
    "rows of digits": ("867\n254\n301", "tiles-3x3", EIGHT),
    "rows with an empty cell": ("8,6,7\n2,5,4\n3,,1", "tiles-3x3", EIGHT),
    "rows with a space for the blank": ("867\n254\n3 1", "tiles-3x3", EIGHT),
    "rows with an underscore": ("8 6 7\n2 5 4\n3 _ 1", "tiles-3x3", EIGHT),
    "rows with a slash": ("8 6 7 / 2 5 4 / 3 x 1", "tiles-3x3", EIGHT),
    "tiles with bars": (
        "+---+---+---+\n| 8 | 6 | 7 |\n| 2 | 5 | 4 |\n| 3 |   | 1 |\n+---+---+---+",
        "tiles-3x3",
        EIGHT,
    ),
    "tiles with box drawing": ("┌─┬─┬─┐\n│8│6│7│\n├─┼─┼─┤\n│2│5│4│\n├─┼─┼─┤\n│3│ │1│\n└─┴─┴─┘", "tiles-3x3", EIGHT),
    "tiles as lists": ("[[8, 6, 7], [2, 5, 4], [3, 0, 1]]", "tiles-3x3", EIGHT),
    "tiles as tuples": ("((8, 6, 7), (2, 5, 4), (3, 0, 1))", "tiles-3x3", EIGHT),
    "tiles in braces": ("{{8,6,7},{2,5,4},{3,0,1}}", "tiles-3x3", EIGHT),
    "tiles as an array of NumPy": ("array([[8, 6, 7],\n       [2, 5, 4],\n       [3, 0, 1]])", "tiles-3x3", EIGHT),
    "tiles after a label": ("start state: 8 6 7 2 5 4 3 0 1", "tiles-3x3", EIGHT),
    "fifteen tiles in rows": (table(" ", FIFTEEN_ROWS), "tiles-4x4", FIFTEEN),
    "fifteen tiles from a spreadsheet": (table("\t", FIFTEEN_ROWS).replace("\t0", "\t"), "tiles-4x4", FIFTEEN),
    "fifteen tiles with the word empty": (FIFTEEN.replace(" 0", " empty"), "tiles-4x4", FIFTEEN),
    "fifteen hexadecimal digits": ("FE8CAB9D26513740", "tiles-4x4", FIFTEEN),
    "small hexadecimal digits in rows": ("fe8c\nab9d\n2651\n3740", "tiles-4x4", FIFTEEN),
    "a rectangle of tiles": ("1 2 3 4 5 6 7\n8 9 10 11 12 13 0", "tiles-2x7", "1 2 3 4 5 6 7 8 9 10 11 12 13 0"),
    "24 tiles": (" ".join(map(str, [*range(1, 25), 0])), "tiles-5x5", " ".join(map(str, [*range(1, 25), 0]))),
    "the word of a usual dust board": (DUST, "dust-8x6x5", DUST),
    "dust in rows of letters": ("RGBY\nGGBB\nRRYY", "dust-4x3x5", "121122433434"),
    "dust in small letters with spaces": ("r g b y\ng g b b\nr r y y", "dust-4x3x5", "121122433434"),
    "dust with slashes": ("RGBY/GGBB/RRYY", "dust-4x3x5", "121122433434"),
    "dust in rows of digits": ("1234\n2233\n1144", "dust-4x3x5", "121122433434"),
    "dust in squares": ("🟥🟩🟦🟨\n🟩🟩🟦🟦\n🟥🟥🟨🟨", "dust-4x3x5", "121122433434"),
    "dust in circles with an empty cell": ("⚫🟢🔵⚪\n🟢🟢🔵🔵\n🔴🔴🟡🟡", "dust-4x3x5", "120122433430"),
    "dust with names of colours": (
        "red green blue yellow\ngreen green blue blue\nred red yellow yellow",
        "dust-4x3x5",
        "121122433434",
    ),
    "dust from a spreadsheet": ("r\tg\tb\ty\ng\tg\tb\tb\nr\tr\ty\ty", "dust-4x3x5", "121122433434"),
    "dust with bars": ("|R|G|B|Y|\n|G|G|B|B|\n|R|R|Y|Y|", "dust-4x3x5", "121122433434"),
}
MANY_TEXTS = {
    "a line each": f"{CLASSIC}\n{SOLVED[:-1]}.\n{CLASSIC}",
    "a collection with a title": f"# the best ones\n{CLASSIC}\n{CLASSIC}\n{CLASSIC}",
    "blocks": "\n\n".join(["\n".join(ROWS)] * 3),
    "rows of JSON": "\n".join([json.dumps({"puzzle": "sudoku-9x9", "board": CLASSIC})] * 3),
    "a list of rows": json.dumps([{"puzzle": "sudoku-9x9", "board": CLASSIC}] * 3),
    "columns of CSV": "id,puzzle,solution\n" + f"7,{CLASSIC},{SOLVED}\n" * 3,
    "a library": f":0000:x:{CLASSIC}:::\n" * 3,
    "lines of words": f"The first\n{CLASSIC}\n{CLASSIC}\nand the last one\n{CLASSIC}",
    "numbers and boards": "\n".join(f"{number}. {CLASSIC}" for number in (1, 2, 3)),
}
"""Three boards of Sudoku each."""
WRONG_TEXTS = {
    "": "nothing to read",
    "   \n ": "nothing to read",
    "hello world": "no board is found in 'hello world'",
    "5 3 § 4": "line 1, column 5: '§' is not understood",
    "\n".join(ROWS).replace("9", "é", 1): "line 2, column 5: 'é' is not understood",
    CLASSIC.replace("9", "Z", 1): "row 2, column 5: 'Z' is no digit of a Sudoku",
    CLASSIC + "1": "82 signs",
    CLASSIC[:-1]: "80 signs",
    "\n".join([*ROWS[:4], ROWS[4][:8], *ROWS[5:]]): "row 5: 8 cells; most rows have 9",
    table(",", [*FIFTEEN_ROWS[:3], ["3", "7", "99", "0"]]): "place 15: there is no tile 99; tiles are 1 to 15",
    "1 2 3\n4 5 5\n7 8 0": "place 6: tile 5 stands here and at place 5; 6 is missing",
    "8 6 7 2 5 4 3 1 1": "tile 1 stands here and at place 8; 0 is missing",
    "1 2 3 4 5": "no board is found",
    "1 2 3 4 5 6 7 8 9": "place 9: there is no tile 9",
    "https://example.org/about-us": "has no board in it",
    "https://sudokupad.app/sclAAAA": "compressed in a way that cannot be read",
    "#puzzle=chess&board=1": "there is no puzzle 'chess'",
    "#puzzle=sudoku-9x9&board=12": "2 cells given",
    '{"puzzle": "sudoku-9x9", "board": "12"}': "2 cells given",
    f"puzzle,board\nchess,{CLASSIC}": "there is no puzzle 'chess'",
    f"{CLASSIC}\n{CLASSIC}\n{CLASSIC[:-1]}\n{CLASSIC}": "line 3: 80 cells given",
    "RGBY\nG?QB\nRRYY": "no board is found",
    "RGBYR\nGGBBR\nR.YYR": "nothing lies below this cell",
    "x" * 81: "no board is found",
    SOLVED: "no board is found",
}
"""Texts that are no boards, and words of what is said about them."""
