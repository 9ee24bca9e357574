"""Forms in which people bring boards: small texts made for these tests, each with its puzzle and its boards."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np

ROWS = (
    *("..3.2.6..", "9..3.5..1", "..18.64.."),
    *("..81.29..", "7.......8", "..67.82.."),
    *("..26.95..", "8..2.3..9", "..5.1.3.."),
)
P = "".join(ROWS)
S = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
ROWS_B = (
    *("2...8.3..", ".6..7..84", ".3.5..2.9"),
    *("...1.54.8", ".........", "4.27.6..."),
    *("3.1..7.4.", "72..4..6.", "..4.1...3"),
)
Q = "".join(ROWS_B)
P0, Q0 = P.replace(".", "0"), Q.replace(".", "0")
NUMBERS = [[int(sign) for sign in row.replace(".", "0")] for row in ROWS]
EIGHT = "8 6 7 2 5 4 3 0 1"
EIGHT_ROWS = ((8, 6, 7), (2, 5, 4), (3, 0, 1))
FIFTEEN = "2 7 11 5 13 0 9 4 14 1 8 6 10 3 12 15"
FIFTEEN_ROWS = ((2, 7, 11, 5), (13, 0, 9, 4), (14, 1, 8, 6), (10, 3, 12, 15))
SIXTEEN = [[(4 * (y % 4) + y // 4 + x) % 16 + 1 if (x + y) % 3 else 0 for x in range(16)] for y in range(16)]
SIXTEEN_LINE = "".join(".123456789ABCDEFG"[value] for row in SIXTEEN for value in row)
DUST = "121122433434"
DUST_ROWS = ("RGBY", "GGBB", "RRYY")

Form = tuple[str, str, Sequence[str]]
"""The text, the puzzle and the boards in its own notation."""


def rows(cells: Sequence[Sequence[object]], between: str = " ", line: str = "\n") -> str:
    return line.join(between.join(map(str, row)) for row in cells)


def barred(cells: Sequence[str], left: str, between: str, right: str, ruler: str, size: int = 3) -> str:
    lines = []
    for number, row in enumerate(cells):
        if number % size == 0 and ruler:
            lines.append(ruler)
        lines.append(left + between.join(" ".join(row[i : i + size]) for i in range(0, len(row), size)) + right)
    return "\n".join([*lines, ruler] if ruler else lines)


def table(cells: Sequence[Sequence[object]]) -> str:
    body = "".join("<tr>" + "".join(f"<td>{cell or ''}</td>" for cell in row) + "</tr>" for row in cells)
    return f"<table>\n{body}\n</table>"


def markdown(cells: Sequence[Sequence[object]]) -> str:
    head = ["|" + "|".join("abcdefghi"[: len(cells[0])]) + "|", "|" + "---|" * len(cells[0])]
    return "\n".join([*head, *("|" + "|".join(str(cell or " ") for cell in row) + "|" for row in cells)])


def pandas(cells: Sequence[Sequence[object]], blank: str) -> str:
    lines = ["   " + "".join(f"{place:>5}" for place in range(len(cells[0])))]
    return "\n".join(
        [*lines, *(f"{y:<3}" + "".join(f"{cell or blank:>5}" for cell in row) for y, row in enumerate(cells))]
    )


def printed_by_r(cells: Sequence[Sequence[object]], blank: str) -> str:
    lines = ["     " + " ".join(f"[,{place + 1}]" for place in range(len(cells[0])))]
    return "\n".join(
        [*lines, *(f"[{y + 1},] " + " ".join(f"{cell or blank:>4}" for cell in row) for y, row in enumerate(cells))]
    )


def written_in_c(cells: Sequence[Sequence[object]]) -> str:
    inner = ",\n".join("    {" + ", ".join(map(str, row)) + "}" for row in cells)
    return f"int grid[{len(cells)}][{len(cells[0])}] = {{\n{inner}\n}};"


SIX = "1....6..2......3..4......5..6....1.."
MINIMAL = "7....5.2..5..7.1.3263.4...7.46.........1.2....2..8.3............1.5..8..8...6...4"
"""No clue follows from the others, and no blank cell has a single candidate."""
REMOVED = "113 115"
"""Candidates that these clues leave."""


def candidates(lines: Sequence[str]) -> str:
    """All digits of each blank cell, and the digit of each clue in its place."""
    cells = ["123456789" if sign == "." else "." * (int(sign) - 1) + sign for line in lines for sign in line]
    return "".join(cell.ljust(9, ".") for cell in cells)


def printed_candidates(board: str) -> str:
    """The candidates that the clues leave, as HoDoKu prints them."""
    cells = []
    for place, sign in enumerate(board):
        y, x = divmod(place, 9)
        seen = {
            other
            for there, other in enumerate(board)
            if there // 9 == y or there % 9 == x or (there // 27, there % 9 // 3) == (y // 3, x // 3)
        }
        cells.append("".join(digit for digit in "123456789" if digit not in seen) if sign == "." else sign)
    lines = [
        "| " + " | ".join(" ".join(cell.ljust(5) for cell in cells[at : at + 3]) for at in range(y, y + 9, 3)) + " |"
        for y in range(0, 81, 9)
    ]
    ruler = "+" + "+".join(["-" * 19] * 3) + "+"
    bands = ["\n".join(lines[y : y + 3]) for y in (0, 3, 6)]
    return f".{ruler[1:-1]}.\n" + f"\n:{ruler[1:-1]}:\n".join(bands) + f"\n'{ruler[1:-1]}'"


def solo(board: str) -> str:
    """The cells of a game of Solo: a letter for a run of blanks, and `_` between two digits."""
    runs = re.sub(r"\.+", lambda run: chr(96 + len(run[0])), board)
    return re.sub(r"(?<=\d)(?=\d)", "_", runs)


def puzz_link(board: str) -> str:
    """The cells in a link of puzz.link: letters from g for runs of blanks."""
    return re.sub(r"\.+", lambda run: chr(ord("g") + len(run[0]) - 1), board)


WITH_NONE = [[cell or None for cell in row] for row in NUMBERS]
BOTH = "Grid 01\n" + "\n".join(ROWS).replace(".", "0") + "\nGrid 02\n" + "\n".join(ROWS_B).replace(".", "0")

SUDOKU: dict[str, tuple[str, Sequence[str]]] = {
    "a line": (P, [P]),
    "rows": ("\n".join(ROWS), [P]),
    "rows with spaces between cells": (rows(ROWS), [P]),
    "rows with empty lines between bands": ("\n\n".join("\n".join(ROWS[i : i + 3]) for i in (0, 3, 6)), [P]),
    "bars without rulers": (barred(ROWS, "", " | ", "", ""), [P]),
    "Simple Sudoku": (barred(ROWS, "|", "|", "|", "*-----------*").replace(" ", ""), [P]),
    "Simple Sudoku with credits": (
        barred(ROWS, "|", "|", "|", "*-----------*").replace(" ", "") + "\nS. Author, 2021\nFrom a magazine",
        [P],
    ),
    "SadMan": ("#AAn author\n#DOf today\n#CA comment\n" + "\n".join(ROWS), [P]),
    "SadMan with sections": ("[Puzzle]\n" + "\n".join(ROWS) + "\n[State]\n" + "\n".join(ROWS).replace(".", "1"), [P]),
    "rows with commas": (rows(ROWS, ","), [P]),
    "rows with TABs": (rows(ROWS, "\t"), [P]),
    "rows with question marks and commas": (rows(ROWS, ", ").replace(".", "?"), [P]),
    "Project Euler": (BOTH, [P, Q]),
    "easy50": (
        "\n========\n".join(["\n".join(ROWS).replace(".", "0"), "\n".join(ROWS_B).replace(".", "0")]) + "\n========",
        [P, Q],
    ),
    "grids with empty lines between": ("\n".join(ROWS) + "\n\n" + "\n".join(ROWS_B), [P, Q]),
    "grids with nothing between": ("\n".join([*ROWS, *ROWS_B]), [P, Q]),
    "grids with comments between": ("% one\n" + rows(ROWS) + "\n% two\n" + rows(ROWS_B), [P, Q]),
    "grids with bars, each with a title": (
        "\n".join(
            f"Puzzle {title} (easy)\n" + barred(each, "| ", " | ", " |", "+-------+-------+-------+")
            for title, each in (("A", ROWS), ("B", ROWS_B))
        ),
        [P, Q],
    ),
    "a bank of hashes and ratings": (f"0000183b305c {P0}  1.2\n00027e6d1b1a {Q0}  8.4", [P, Q]),
    "a library of HoDoKu": (f":0000:x:{P.replace('7', '+7', 1)}:::\n:0901:x:{Q}::413::", [P, Q]),
    "a collection (.sdm)": (f"{P0}\n{Q0}", [P, Q]),
    "numbered lines": (f"1. {P}\n2. {Q}", [P, Q]),
    "lines with a title and a comment": (f"My collection\n{P} # easy\n// hard ones\n{Q}", [P, Q]),
    "quizzes and solutions": (f"quizzes,solutions\n{P0},{S}", [P]),
    "many columns of CSV": (f"id,puzzle,solution,clues,difficulty\n7,{P},{S},32,1.5\n8,{Q},,30,2.5", [P, Q]),
    "CSV with the solution first": (f"solution,puzzle\n{S},{P}", [P]),
    "CSV with a comma in quotation marks": (f'source,question,answer,rating\n"Lee, A.",{P},{S},7\nme,{Q},,8', [P, Q]),
    "CSV with all in quotation marks": (f'"puzzle","solution"\n"{P}","{S}"', [P]),
    "columns of R": (f'"","puzzle","n"\n"1","{P}",32\n"2","{Q}",30', [P, Q]),
    "CSV with semicolons": (f"name;sudoku\na;{P}\nb;{Q}", [P, Q]),
    "columns between TABs": (f"grid\trating\n{P}\t3\n{Q}\t4", [P, Q]),
    "a byte order mark and Windows ends": (f"\ufeffpuzzle,solution\r\n{P},{S}\r\n", [P]),
    "lines of JSON": ("\n".join(json.dumps({"puzzle": each, "rating": 3}) for each in (P, Q)), [P, Q]),
    "a list of objects": (json.dumps([{"id": 1, "puzzle": P}, {"id": 2, "puzzle": Q}], indent=1), [P, Q]),
    "an object with a grid": (json.dumps({"grid": NUMBERS}), [P]),
    "a list of lists": (json.dumps(NUMBERS), [P]),
    "a list of lists over lines": (json.dumps(NUMBERS, indent=1), [P]),
    "a list of lists of signs": (json.dumps([list(row) for row in ROWS]), [P]),
    "a list of rows": (json.dumps(list(ROWS)), [P]),
    "a list of several grids": (json.dumps([NUMBERS, [[int(c) for c in r.replace(".", "0")] for r in ROWS_B]]), [P, Q]),
    "Python with None": (str(WITH_NONE), [P]),
    "Python with None over lines": ("board = [\n" + "".join(f"    {row},\n" for row in WITH_NONE) + "]", [P]),
    "JSON with null": (json.dumps(WITH_NONE), [P]),
    "a list with -1": (json.dumps([[cell or -1 for cell in row] for row in NUMBERS]), [P]),
    "a list with NaN": (str([[cell or float("nan") for cell in row] for row in NUMBERS]), [P]),
    "JavaScript": (f"const grid = {json.dumps(NUMBERS)};", [P]),
    "a sentence before a list": (f"Solve this one for me: {json.dumps(NUMBERS)}", [P]),
    "as NumPy prints it": (str(np.array(NUMBERS)), [P]),
    "an array of NumPy": (repr(np.array(NUMBERS)), [P]),
    "an array with nan": (str(np.where(np.array(NUMBERS) == 0, np.nan, np.array(NUMBERS))), [P]),
    "as pandas prints it": (pandas(NUMBERS, "0"), [P]),
    "as pandas prints it, with NaN": (
        pandas([[f"{cell:.1f}" if cell else "" for cell in row] for row in NUMBERS], "NaN"),
        [P],
    ),
    "as MATLAB prints it": ("A =\n\n" + "\n".join("   " + "   ".join(map(str, row)) for row in NUMBERS), [P]),
    "MATLAB": ("A = [" + rows(NUMBERS, " ", "; ") + "];", [P]),
    "as R prints it": (printed_by_r(NUMBERS, "NA"), [P]),
    "C": (written_in_c(NUMBERS), [P]),
    "a table of Markdown": (markdown(NUMBERS), [P]),
    "a table of HTML": (table(NUMBERS), [P]),
    "a page of HTML": (f"<!DOCTYPE html><html><body><h1>Today</h1>{table(NUMBERS)}</body></html>", [P]),
    "OpenSudoku": (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<opensudoku>\n<name>some</name>\n<game data="{P0}" />\n'
        f'<game data="{Q0}" />\n</opensudoku>',
        [P, Q],
    ),
    "OpenSudoku, version 2": (
        '<opensudoku version="2"><folder name="x"><game data="version: 2&#10;'
        + "".join(f"{sign}|0|{int(sign == '0')}|" for sign in P0)
        + '" /></folder></opensudoku>',
        [P],
    ),
    "a link of SudokuWiki": (f"https://www.sudokuwiki.org/sudoku.htm?bd={P0}", [P]),
    "a link with digits": (f"https://sudokupad.app/{P0}", [P]),
    "links on lines": (
        f"https://www.sudokuwiki.org/sudoku.htm?bd={P0}\nhttps://www.sudokuwiki.org/sudoku.htm?bd={Q0}",
        [P, Q],
    ),
    "named rows and columns": (
        "  1 2 3 4 5 6 7 8 9\n" + "\n".join(f"{n} {' '.join(row)}" for n, row in zip("ABCDEFGHI", ROWS, strict=True)),
        [P],
    ),
    "candidates, nine signs for each cell": (candidates(ROWS), [P]),
    "candidates in rows, with zeros": ("\n".join(candidates([row]).replace(".", "0") for row in ROWS), [P]),
    "candidates of HoDoKu": (printed_candidates(MINIMAL), [MINIMAL]),
    "a game of Solo": (f"3x3:{solo(P)}", [P]),
    "a game of Solo with its difficulty": (f"3x3db:{solo(P)}", [P]),
    "a link of Solo": (f"https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/solo.html#3x3:{solo(P)}", [P]),
    "a link of puzz.link": (f"https://puzz.link/p?sudoku/9/9/{puzz_link(P)}", [P]),
    "letters from A": (P.translate(str.maketrans("123456789", "ABCDEFGHI")), [P]),
}
OTHERS: dict[str, Form] = {
    "sixteen rows of numbers": (rows(SIXTEEN), "sudoku-16x16", [SIXTEEN_LINE]),
    "sixteen rows with two dashes": (
        "\n".join(" ".join(f"{cell:2}" if cell else "--" for cell in row) for row in SIXTEEN),
        "sudoku-16x16",
        [SIXTEEN_LINE],
    ),
    "sixteen rows with bars": (
        barred(["".join(".123456789ABCDEFG"[c] for c in row) for row in SIXTEEN], "| ", " | ", " |", "", 4),
        "sudoku-16x16",
        [SIXTEEN_LINE],
    ),
    "sixteen rows of CSV": (
        "\n".join(",".join(str(cell or "") for cell in row) for row in SIXTEEN),
        "sudoku-16x16",
        [SIXTEEN_LINE],
    ),
    "sixteen rows of A to P": (
        "\n".join("".join(".ABCDEFGHIJKLMNOP"[c] for c in row) for row in SIXTEEN),
        "sudoku-16x16",
        [SIXTEEN_LINE],
    ),
    "a line of A to P": (
        "".join("-ABCDEFGHIJKLMNOP"[c] for row in SIXTEEN for c in row),
        "sudoku-16x16",
        [SIXTEEN_LINE],
    ),
    "0 to F": ("".join((".0123456789ABCDEF")[cell] for row in SIXTEEN for cell in row), "sudoku-16x16", [SIXTEEN_LINE]),
    "numbers": (EIGHT, "tiles-3x3", [EIGHT]),
    "numbers with commas": (EIGHT.replace(" ", ","), "tiles-3x3", [EIGHT]),
    "tiles in brackets": (f"({EIGHT.replace(' ', ', ')})", "tiles-3x3", [EIGHT]),
    "one word": ("867254301", "tiles-3x3", [EIGHT]),
    "x for the blank": ("8672543x1", "tiles-3x3", [EIGHT]),
    "x for the blank, with spaces": (EIGHT.replace("0", "x"), "tiles-3x3", [EIGHT]),
    "an underscore": (rows(EIGHT_ROWS).replace("0", "_"), "tiles-3x3", [EIGHT]),
    "a dot": (EIGHT.replace("0", "."), "tiles-3x3", [EIGHT]),
    "rows with slashes": (rows(EIGHT_ROWS, " ", " / "), "tiles-3x3", [EIGHT]),
    "rows of tiles": (rows(EIGHT_ROWS), "tiles-3x3", [EIGHT]),
    "rows of fifteen": ("\n".join(" ".join(f"{t:2}" for t in row) for row in FIFTEEN_ROWS), "tiles-4x4", [FIFTEEN]),
    "a drawing with bars": ("8|6|7\n-+-+-\n2|5|4\n-+-+-\n3| |1", "tiles-3x3", [EIGHT]),
    "dashes between": ("8-6-7\n2-5-4\n3-_-1", "tiles-3x3", [EIGHT]),
    "Princeton": ("3\n 8  6  7\n 2  5  4\n 3  0  1", "tiles-3x3", [EIGHT]),
    "school 42": ("# This puzzle is solvable\n3\n8 6 7 # a row\n2 5 4\n3 0 1 # the last one", "tiles-3x3", [EIGHT]),
    "letters": ("B G K E / M _ I D / N A H F / J C L O", "tiles-4x4", [FIFTEEN]),
    "a word of letters": ("hfgbedc.a", "tiles-3x3", [EIGHT]),
    "hexadecimal": ("27B5D094E186A3CF", "tiles-4x4", [FIFTEEN]),
    "counted from 0, with -1": (" ".join(str(int(tile) - 1) for tile in FIFTEEN.split()), "tiles-4x4", [FIFTEEN]),
    "tiles as NumPy prints them": (str(np.array(FIFTEEN_ROWS)), "tiles-4x4", [FIFTEEN]),
    "an array of tiles": (repr(np.array(EIGHT_ROWS)), "tiles-3x3", [EIGHT]),
    "tiles in braces": ("{{8, 6, 7}, {2, 5, 4}, {3, 0, 1}}", "tiles-3x3", [EIGHT]),
    "tiles in C": (written_in_c(EIGHT_ROWS), "tiles-3x3", [EIGHT]),
    "tiles in MATLAB": ("[8 6 7; 2 5 4; 3 0 1]", "tiles-3x3", [EIGHT]),
    "tiles as R prints them": (printed_by_r(EIGHT_ROWS, "0"), "tiles-3x3", [EIGHT]),
    "tiles with None": ("[[8, 6, 7], [2, 5, 4], [3, None, 1]]", "tiles-3x3", [EIGHT]),
    "a game of Fifteen": ("4x4:" + FIFTEEN.replace(" ", ","), "tiles-4x4", [FIFTEEN]),
    "a wide game of Fifteen": ("4x3:1,2,3,4,5,6,7,8,9,10,0,11", "tiles-3x4", ["1 2 3 4 5 6 7 8 9 10 0 11"]),
    "a link of Fifteen": (
        f"https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/fifteen.html#3x3:{EIGHT.replace(' ', ',')}",
        "tiles-3x3",
        [EIGHT],
    ),
    "a game of Solo with wide boxes": (f"2x3:{solo(SIX)}", "sudoku-6x6", [SIX]),
    "an object with a board": ('{"board": [[8, 6, 7], [2, 5, 4], [3, 0, 1]]}', "tiles-3x3", [EIGHT]),
    "quoted CSV": (f'board,optimum\n"{EIGHT}",31', "tiles-3x3", [EIGHT]),
    "a table of tiles": (table(EIGHT_ROWS), "tiles-3x3", [EIGHT]),
    "a table of tiles in Markdown": (markdown(EIGHT_ROWS), "tiles-3x3", [EIGHT]),
    "boards of rows": (rows(EIGHT_ROWS) + "\n\n" + rows(EIGHT_ROWS[::-1]), "tiles-3x3", [EIGHT, "3 0 1 2 5 4 8 6 7"]),
    "lines with empty ones between": (f"{EIGHT}\n\n{EIGHT}", "tiles-3x3", [EIGHT, EIGHT]),
    "lines with comments": (f"  # a comment\n{EIGHT} # the hardest\n{EIGHT}", "tiles-3x3", [EIGHT, EIGHT]),
    "lines with lengths": (f"{EIGHT}\t31\toptimal\n{EIGHT}\t31", "tiles-3x3", [EIGHT, EIGHT]),
    "rows of dust": ("\n".join(DUST_ROWS), "dust-4x3x5", [DUST]),
    "a library of HoDoKu with removed candidates": (
        f":0000:x:{P}::::\n:0901:x:{MINIMAL}:{REMOVED}:413::",
        "sudoku-9x9:candidates",
        [P, f":0000:x:{MINIMAL}:{REMOVED}:::"],
    ),
    "candidates of HoDoKu that say more": (printed_candidates(P), "sudoku-9x9:candidates", [P]),
    "dust with slashes": ("/".join(DUST_ROWS), "dust-4x3x5", [DUST]),
    "dust in names of colours": (
        "red green blue yellow\ngreen green blue blue\nred red yellow yellow",
        "dust-4x3x5",
        [DUST],
    ),
    "dust in squares": ("🟥🟩🟦🟨\n🟩🟩🟦🟦\n🟥🟥🟨🟨", "dust-4x3x5", [DUST]),
    "two boards of dust": ("\n".join(DUST_ROWS) + "\n\n" + "\n".join(DUST_ROWS), "dust-4x3x5", [DUST, DUST]),
}
FORMS: dict[str, Form] = {**{name: (text, "sudoku-9x9", boards) for name, (text, boards) in SUDOKU.items()}, **OTHERS}

WRONG: dict[str, tuple[str, str]] = {
    P[:-1]: ("sudoku-9x9", "80 cells given; sudoku-9x9 has 81"),
    P + "1": ("sudoku-9x9", "82 cells given; sudoku-9x9 has 81"),
    "\n".join(ROWS[:8]): ("sudoku-9x9", "72 cells given"),
    "\n".join([*ROWS[:4], ROWS[4][:8], *ROWS[5:]]): ("sudoku-9x9", "80 cells given"),
    P.replace("8", "Z", 1): ("sudoku-9x9", "character 22 (row 3, column 4): 'Z' is no digit"),
    "\n".join(ROWS).replace("8", "é", 1): ("sudoku-9x9", "character 22 (row 3, column 4): 'é' is no digit"),
    f"{P},{S[:2]}4{S[3:]}": ("sudoku-9x9", "character 3 (row 1, column 3): the solution beside the puzzle has another"),
    "." * 80: ("sudoku-9x9", "cells given"),
    "1 2 3 4 5 6 7 8": ("tiles-3x3", "8 numbers given; tiles-3x3 has 9"),
    "1 2 3\n4 5 6\n7 8": ("tiles-3x3", "8 numbers given"),
    "1 2 3 4 5 6 7 8 9": ("tiles-3x3", "place 9: there is no tile 9"),
    "1 2 3\n4 5 5\n7 8 0": ("tiles-3x3", "place 6: tile 5 stands here and at place 5; 6 is missing"),
    "8 6 7 2 5 4 3 1 1": ("tiles-3x3", "place 9: tile 1 stands here and at place 8; 0 is missing"),
    "[[1, 2], [3, 4], [5, 6], [0, 7]]": ("tiles-2x4", "4 rows of 2; tiles-2x4 has 2 rows of 4"),
    "1 2 3 4 5 6 7 8 99 10 11 12 13 14 15 0": ("tiles-4x4", "place 9: there is no tile 99"),
    "RGBYR/GGBBR/R.YYR": ("dust-5x3x5", "nothing lies below this cell"),
    "RGBY/GGBQ/RRYY": ("dust-4x3x5", "column 3, row 1 (from 0 at the lower left): 'Q' is no colour"),
    "RGBY/GGBB": ("dust-4x3x5", "has 2 rows"),
    "RGBY\nGGB\nRRYY": ("dust-4x3x5", "row 1 (from 0 at the bottom): 'GGB' has 3 characters"),
    "12112243343": ("dust-4x3x5", "'12112243343' has 11 characters"),
    "https://example.org/about-us": ("sudoku-9x9", "has no board in it"),
    "#puzzle=tiles-3x3&board=123": ("sudoku-9x9", "tiles-3x3"),
    '{"puzzle": "12"}': ("sudoku-9x9", "2 cells given"),
    "%" + P[1:]: ("sudoku-9x9", "character 1 (row 1, column 1): '%' is no digit"),
    candidates(ROWS)[9:] + "." * 9: ("sudoku-9x9:candidates", "r9c9: no candidate is left in this cell"),
    candidates(ROWS[:1]): ("sudoku-9x9", "each digit stands in its own column, as in the candidates of nine cells"),
    f"3x3x:{solo(P)}": ("sudoku-9x9", "this is a board of sudoku-9x9:diagonal, not of sudoku-9x9"),
    f"3x3k:{solo(P)}": ("sudoku-9x9", "this game of Solo has rules beside those of Sudoku"),
    f"3x3:{solo(P)}a": ("sudoku-9x9", "this game of Solo has 82 cells; sudoku-9x9 has 81"),
    "4x3:1,2,3,4,5,6,7,8,9,10,0,11": ("tiles-4x3", "this is a board of tiles-3x4, not of tiles-4x3"),
    f"https://puzz.link/p?sudoku/9/9/.{puzz_link(P[1:])}": ("sudoku-9x9", "'.' in this link is no digit"),
    "https://puzz.link/p?sudoku/6/6/1j6h2m3h4k5h6j1h": ("sudoku-6x6", "does not say the boxes of its grid of 6x6"),
}
"""Texts that are no boards of a puzzle -> the puzzle, and words of the sentence about them."""
