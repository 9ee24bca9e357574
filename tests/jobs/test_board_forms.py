"""What is written in a form is read again as the same boards; what a form cannot hold is refused in a sentence."""

import json
import re
from urllib.parse import quote

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadBoard, Unsupported
from puzzlelab.jobs.board_forms import form_named, forms_of, texts_in
from puzzlelab.text.reader import read_all, read_any

LZString = pytest.importorskip("lzstring").LZString
P = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
S = "483921657967345821251876493548132976729564138136798245372689514814253769695417382"
Q = "2...8.3...6..7..84.3.5..2.9...1.54.8.........4.27.6...3.1..7.4.72..4..6...4.1...3"
NINE, CANDIDATES = load("sudoku-9x9"), load("sudoku-9x9:candidates")
LACKING = ":0000:x:..4..3..65..........8..9....1..5..7.....2..3.7..6....4..2..8..........5.3..4..1..:111 211:::"
ONE_BOARD = {"sdk", "ss"}
ALONE = [name for name in forms_of(NINE) if name != "jsonl"]
WITH_PLACE = {"line", "grid", "jsonl", "html", "hodoku", "opensudoku", "f-puzzles"}


def written(puzzle, name, texts, solutions=None):
    states, solved = (
        None if each is None else np.array([puzzle.read(text).state for text in each]) for each in (texts, solutions)
    )
    return "".join(texts_in(form_named(puzzle, name), [(states, solved)]))


def read(puzzle, text):
    return [puzzle.write(board.state) for board in read_all(puzzle, text)]


@pytest.mark.parametrize("name", forms_of(NINE))
def test_what_is_written_is_read_again(name) -> None:
    boards = [P] if name in ONE_BOARD else [P, Q, P.replace("3", ".", 1)]
    text = written(NINE, name, boards)
    assert read(NINE, text) == boards
    if name != "grid":  # the puzzle of several drawings has to be named
        expected = [("sudoku-9x9", each) for each in boards]
        assert [(each.puzzle.name, NINE.write(each.state)) for each in read_any(text)] == expected


@pytest.mark.parametrize("name", [name for name, form in forms_of(NINE).items() if form.has_solutions])
def test_a_board_is_read_again_beside_its_solution(name) -> None:
    """HoDoKu's digits with a plus are clues for what reads them, so that the full grid is read."""
    assert read(NINE, written(NINE, name, [P], [S])) == [S if name == "hodoku" else P]


@pytest.mark.parametrize("size", ["4x4", "6x6", "6x6:boxes=3x2", "12x12", "16x16", "25x25"])
@pytest.mark.parametrize("name", ["line", "grid", "csv", "jsonl", "pair", "numbers", "html", "f-puzzles"])
def test_other_sizes(name, size) -> None:
    puzzle = load(f"sudoku-{size}")
    if form_of := forms_of(puzzle)[name].refusal:
        assert form_of == "f-puzzles has at most 16 rows, and sudoku-25x25 25"
        return
    states = np.zeros((1, puzzle.cells), np.uint8)
    states[0, : 2 * puzzle.size] = np.tile(np.arange(1, puzzle.size + 1), 2)
    states[0, 0::5] = 0
    text = "".join(texts_in(form_named(puzzle, name), [(states, None)]))
    assert read(puzzle, text) == Boards(puzzle, states).written()


@pytest.mark.parametrize("name", ["sdm", "sdk", "ss", "hodoku", "opensudoku", "sudokuwiki"])
def test_forms_of_nine_rows_refuse_others(name) -> None:
    with pytest.raises(Unsupported, match="this form is for boards of sudoku-9x9, and these are of sudoku-16x16"):
        form_named(load("sudoku-16x16"), name)


@pytest.mark.parametrize("name", forms_of(CANDIDATES))
def test_candidates_are_written_or_refused(name) -> None:
    if name in WITH_PLACE:
        text = written(CANDIDATES, name, [LACKING])
        assert name == "grid" or read(CANDIDATES, text) == [LACKING]
        return
    with pytest.raises(Unsupported, match="r1c1 lacks the candidate 1, and this form has no place for that"):
        written(CANDIDATES, name, [LACKING])


UNITS = [
    "9x9:diagonal",
    "9x9:windoku",
    "9x9:diagonal:windoku:disjoint",
    "4x4:disjoint",
    "6x6:boxes=3x2:diagonal",
    "5x5:jigsaw=1122211322143334435544555",
    "4x4:jigsaw=1122112233443344",
]


@pytest.mark.parametrize("units", UNITS)
def test_f_puzzles_has_further_units(units) -> None:
    puzzle = load(f"sudoku-{units}")
    board = puzzle.read("1" + "." * (puzzle.cells - 2) + "2")
    text = "".join(texts_in(form_named(puzzle, "f-puzzles"), [(board.state[None], None)]))
    expected = "sudoku-4x4" if units == UNITS[-1] else puzzle.name
    assert [(each.puzzle.name, each.state.tolist()) for each in read_any(text)] == [(expected, board.state.tolist())]
    assert read(puzzle, text) == [puzzle.write(board.state)]
    with pytest.raises(Unsupported, match="this form is for boards of sudoku-9x9, and these are of sudoku-"):
        form_named(puzzle, "sdk")


def f_puzzle(**facts) -> str:
    grid = [
        [{} if sign == "." else {"value": int(sign), "given": True} for sign in P[at : at + 9]]
        for at in range(0, 81, 9)
    ]
    return json.dumps({"size": 9, "grid": grid, **facts})


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (
            {"thermometer": [{"lines": [["R1C1", "R1C2"]]}]},
            "rules beside those of Sudoku that are not known here: thermometer",
        ),
        ({"diagonal+": True}, "this puzzle has one diagonal, and puzzles here have both or none"),
        ({"extraregion": [{"cells": ["R1C1"]}]}, "extra regions that are not the windows of windoku"),
    ],
)
def test_rules_that_are_not_known_are_refused(facts, sentence) -> None:
    """They were passed over without a word."""
    for text in (
        f_puzzle(**facts),
        f"https://www.f-puzzles.com/?load={quote(LZString.compressToBase64(f_puzzle(**facts)), safe='')}",
    ):
        with pytest.raises(BadBoard, match=sentence):
            read_any(text)
        with pytest.raises(BadBoard, match=sentence):
            NINE.read(text)
    assert read(NINE, f_puzzle(title="A title", thermometer=[])) == [P]


def test_boards_that_lack_no_candidate_have_every_form() -> None:
    for name in set(forms_of(CANDIDATES)) - {"grid"}:
        assert read(CANDIDATES, written(CANDIDATES, name, [P])) == [P]


def test_the_page_has_four_boards_a_sheet_and_the_solutions_at_the_end() -> None:
    page = written(NINE, "html", [P] * 6, [S] * 6)
    sheets = re.findall(r"<section(.*?)</section>", page, re.DOTALL)
    assert [sheet.count("<figure>") for sheet in sheets] == [4, 2, 6]
    assert [re.findall(r"<h1>(.*?)</h1>", sheet) for sheet in sheets] == [["Sudoku 9x9"]] * 2 + [
        ["Sudoku 9x9: solutions"]
    ]
    assert re.findall(r"<figcaption>(.*?)</figcaption>", page)[:2] == ["1: 1.2, hidden single", "2: 1.2, hidden single"]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
