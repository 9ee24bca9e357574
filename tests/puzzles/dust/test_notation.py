"""Boards as text: every notation is read, whatever is no board is told where, files give their boards."""

import itertools
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import Drawings, presentation_of
from puzzlelab.core.registry import load
from puzzlelab.puzzles.dust import presentation
from puzzlelab.puzzles.dust.rules import Dust
from puzzlelab.text.reader import guess, splitter_of

NAMES = (
    *("dust-8x6x5", "dust-7x6x5", "dust-6x5x4", "dust-10x8x5", "dust-4x3x2", "dust-3x4x9", "dust-4x4x3"),
    *("dust-1x5x3", "dust-5x1x3", "dust-1x1x2", "dust-16x16x9", "dust-11x12x6"),
)
GAME = Path(__file__).parents[2] / "data" / "dust_game.txt"
COLOURS = "RGBYOPCMW"


@st.composite
def boards(draw, names=NAMES):
    """A puzzle and one of its boards."""
    puzzle = load(draw(st.sampled_from(names)))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.0, 0.3, 0.8, 1.0]))
    colours = random.integers(1, puzzle.colours + 1, puzzle.cells)
    return puzzle, puzzle.settled(np.where(random.random(puzzle.cells) < share, colours, 0).astype(np.uint8))


def columns(puzzle, state):
    """The board as the document keeps it: `board[x][y]`, y from the bottom."""
    return [[int(state[puzzle.height * x + y]) for y in range(puzzle.height)] for x in range(puzzle.width)]


def listed(puzzle, lists, indent=None):
    """The lists as JSON; on a square board, where they may be columns or rows, the columns as one word."""
    is_square = puzzle.width == puzzle.height
    return "".join(map(str, itertools.chain(*lists))) if is_square else json.dumps(lists, indent=indent)


def rows(puzzle, state, symbols):
    """The rows from the top, as text."""
    grid = columns(puzzle, state)
    return ["".join(symbols[grid[x][y]] for x in range(puzzle.width)) for y in reversed(range(puzzle.height))]


def table(puzzle, state, brackets=True, header="top", margin=""):
    """As the document prints a board: six characters a column, with what a network thinks of it in brackets."""
    body = []
    for y, row in zip(reversed(range(puzzle.height)), rows(puzzle, state, " " + COLOURS), strict=True):
        cells = [f"{letter}{'(42)' if brackets and letter != ' ' else '':4} " for letter in row]
        body.append(f"{margin}{y:<2}| {''.join(cells)}")
    numbers = f"{margin}  | {''.join(f'{x:<6}' for x in range(puzzle.width))}"
    rule = f"{margin}--+-{'------' * puzzle.width}"
    return "\n".join([numbers, rule, *body] if header == "top" else [*body, rule, numbers])


def stripped(text):
    """Without the spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.splitlines())


NOTATIONS = {
    "canonical": lambda puzzle, state: puzzle.write(state),
    "canonical, in letters": lambda puzzle, state: "".join(("." + COLOURS)[value] for value in state),
    "canonical, in small letters": lambda puzzle, state: "".join(("0" + COLOURS.lower())[value] for value in state),
    "space around": lambda puzzle, state: f"\n \t{puzzle.write(state)}  \r\n",
    "lines of letters": lambda puzzle, state: "\n".join(rows(puzzle, state, "." + COLOURS)),
    "lines of small letters": lambda puzzle, state: "\r\n".join(rows(puzzle, state, "." + COLOURS.lower())),
    "lines of digits": lambda puzzle, state: "\n".join(rows(puzzle, state, "0123456789")),
    "lines of digits and dots": lambda puzzle, state: "\n".join(rows(puzzle, state, ".123456789")),
    "lines with spaces": lambda puzzle, state: "\n".join(" ".join(row) for row in rows(puzzle, state, "0123456789")),
    "strokes": lambda puzzle, state: "/".join(rows(puzzle, state, "." + COLOURS)),
    "strokes and spaces": lambda puzzle, state: " / ".join(rows(puzzle, state, "." + COLOURS)),
    "words": lambda puzzle, state: " ".join(rows(puzzle, state, "." + COLOURS)),
    "words with empty lines": lambda puzzle, state: "\n\n".join(rows(puzzle, state, "." + COLOURS)),
    "a drawing": lambda puzzle, state: puzzle.draw(state),
    "a drawing with windows lines": lambda puzzle, state: puzzle.draw(state).replace("\n", "\r\n"),
    "a drawing without its first spaces": lambda puzzle, state: puzzle.draw(state).lstrip(),
    "a marked drawing": lambda puzzle, state: presentation.draw(state, puzzle, state != 0),
    "the document's table": table,
    "the document's table, stripped": lambda puzzle, state: stripped(table(puzzle, state)),
    "the document's table without brackets": lambda puzzle, state: table(puzzle, state, brackets=False),
    "numbers of the columns below": lambda puzzle, state: table(puzzle, state, header="bottom"),
    "a table to the right": lambda puzzle, state: table(puzzle, state, margin="    "),
    "a table without a rule": lambda puzzle, state: re.sub(r"\n-.*\n", "\n", table(puzzle, state)),
    "a nested list": lambda puzzle, state: listed(puzzle, columns(puzzle, state)),
    "a list over several lines": lambda puzzle, state: listed(puzzle, columns(puzzle, state), indent=1),
    "a nested list of rows": lambda puzzle, state: (
        puzzle.write(state)
        if puzzle.width == puzzle.height
        else json.dumps([list(map(int, row)) for row in rows(puzzle, state, "0123456789")])
    ),
}


# --- reading ---


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)
@settings(max_examples=10)
@given(board=boards())
def test_every_notation_is_read(notation, board) -> None:
    puzzle, state = board
    read = puzzle.read(notation(puzzle, state)).state
    assert read.dtype == np.uint8
    assert read.tolist() == state.tolist()


def test_where_each_character_of_a_notation_lies() -> None:
    puzzle = load("dust-3x2x4")
    board = [[1, 0], [2, 3], [4, 0]]
    texts = ["102340", "R.GBY.", ".B./RGY", ".B. RGY", "030\n124", str(board), "1 |    B\n0 | R  G  Y\n  | 0  1  2"]
    assert {puzzle.write(puzzle.read(text).state) for text in texts} == {"102340"}


def test_two_characters_in_columns_or_in_rows() -> None:
    wide, high = load("dust-4x1x4"), load("dust-1x4x4")
    assert wide.write(wide.read("RGBY").state) == wide.write(wide.read("R G B Y").state) == "1234"
    assert high.write(high.read("RGBY").state) == "1234"
    assert high.write(high.read("R G B Y").state) == high.write(high.read("R/G/B/Y").state) == "4321"


def test_the_documents_board_has_a_name() -> None:
    puzzle = load("dust-8x6x5")
    first = "\n".join(line for line in GAME.read_text().splitlines()[2:10])
    assert puzzle.read(" Document\n") == puzzle.read("document") == puzzle.read(first)
    assert puzzle.write(puzzle.read("document").state) == "425225154523142543212442545541241413141521445214"
    assert "17 clicks" in presentation_of(puzzle).examples["document"].about
    assert presentation_of(load("dust-8x6x6")).examples == {}
    with pytest.raises(BadBoard, match="'xyzzy' has 5 characters"):
        load("dust-8x6x6").read("xyzzy")
    for text, words in (
        ("documnt", "there is no example 'documnt'; did you mean 'document'?"),
        ("xyzzy", "there is no example 'xyzzy'; known are document"),
    ):
        with pytest.raises(BadBoard, match=re.escape(words)):
            puzzle.read(text)


# --- what is no board ---

WORD = (
    "dust-4x3x3 is a word of 12 characters (columns from the left, each from the bottom up), 3 rows of 4 from the top"
)
TABLE = "  | 0 1 2 3\n2 | R G B .\n1 | R G B .\n0 | R G B R"
BAD = {
    "": "nothing is given; " + WORD,
    " \n\t ": "nothing is given; ",
    "12312312312": "'12312312312' has 11 characters; " + WORD,
    "1": "'1' has 1 character; ",
    "/": "'' has 0 rows; ",
    "123123123124": "column 3, row 2 (from 0 at the lower left): '4' is no colour; dust-4x3x3 has 1 to 3 (R G B)",
    "12312312312Y": "column 3, row 2 (from 0 at the lower left): 'Y' is no colour; ",
    "1231x3123123": "column 1, row 1 (from 0 at the lower left): 'x' is no colour; ",
    "٣23123123123": "column 0, row 0 (from 0 at the lower left): '٣' is no colour; ",
    "RGBR/RGB/RGBR": "row 1 (from 0 at the bottom): 'RGB' has 3 characters; a row of dust-4x3x3 has 4",
    "RGBR/RGBR": "'RGBR RGBR' has 2 rows; " + WORD,
    "RGBR/RxBR/RGBR": "column 1, row 1 (from 0 at the lower left): 'x' is no colour; ",
    "101000000000": "column 0, row 2 (from 0 at the lower left): nothing lies below this cell, so that it would fall; ",
    "100000000000": "column 0, row 0 (from 0 at the lower left): the cell beside this one towards the centre line is",
    "110100100100": "column 0, row 1 (from 0 at the lower left): the cell beside this one towards the centre line is",
    "RGB./RGB./RG.B": "column 2, row 1 (from 0 at the lower left): nothing lies below this cell, so that it would fall",
    "[": "'[' is no list; dust-4x3x3 is a list of 4 columns of 3 numbers from the bottom up, or",
    "[[1, 2, 3]]": "1 list of 3 cells; dust-4x3x3 has 4 columns of 3 from the bottom up, or 3 rows of 4",
    "[[1,2,3],[1,2,3],[1,2],[1,2,3]]": "'[[1,2,3],[1,2,3],[1,2],[1,2,3]]' is no list; dust-4x3x3 is a list of 4",
    "[[1,2,3],[1,2,3],[1,2,3],[1,2,4]]": "column 3, row 2 (from 0 at the lower left): '4' is no colour; dust-4x3x3",
    "[[1,2,3],[1,-2,3],[1,2,3],[1,2,3]]": "row 2, column 2: '-2' is no colour of dust",
    "[[true,2,3],[1,2,3],[1,2,3],[1,2,3]]": "row 1, column 1: 'True' is no colour of dust",
    "[[[],2,3],[1,2,3],[1,2,3],[1,2,3]]": "'[[[],2,3],[1,2,3],[1,2,3],[1,2,3]]' is no list; ",
    "[[1,2,3],[1,2,3],[1,2,3],[NaN,2,3]]": "column 3, row 1 (from 0 at the lower left): nothing lies below this cell",
    "[[1,2,3],[1,2,3],[1,2,3],[1,2,3]] 4": "row 4, column 3: '3]] 4' is no colour of dust",
    "[" * 8000: "'" + "[" * 40 + "...' is no list; ",
    "|": "the line with the numbers of the columns is missing; they are 0 to 3",
    TABLE.replace("  | 0 1 2 3\n", ""): "the line with the numbers of the columns is missing",
    TABLE.replace("0 1 2 3", "0 1 2 4"): "the line with the numbers of the columns says '0 1 2 4'",
    TABLE.replace("1 | R G B .\n", ""): "the table has no row 1; the rows of dust-4x3x3 are 0 to 2",
    TABLE.replace("1 | R", "2 | R"): "the table has two rows 2",
    TABLE.replace("2 | R", "3 | R"): "'3' is no row of dust-4x3x3, whose rows are 0 to 2",
    TABLE.replace("2 | R", "x | R"): "'x' is no row of dust-4x3x3",
    TABLE.replace("1 | R G", "1 | RG "): "row 1 (from 0 at the bottom): 'G' stands below no number of a column",
    TABLE.replace("1 | R G", "1 | R ?"): "column 1, row 1 (from 0 at the lower left): '?' is no colour; ",
    "q: 1\n" + TABLE: "'q: 1' is no line of a table",
}


@pytest.mark.parametrize(("text", "words"), BAD.items(), ids=[repr(text[:30]) for text in BAD])
def test_what_is_no_board_is_told_the_place(text: str, words: str) -> None:
    with pytest.raises(BadBoard) as caught:
        load("dust-4x3x3").read(text)
    assert str(caught.value).startswith(words)
    assert len(str(caught.value)) < 260
    assert str(caught.value).isprintable()


def test_two_cells_below_one_number_are_told() -> None:
    puzzle = load("dust-11x1x3")
    text = puzzle.draw(np.ones(11, np.uint8))
    head, row = text.splitlines()[0], text.splitlines()[2]
    with pytest.raises(BadBoard, match=r"row 0 \(from 0 at the bottom\): two cells stand below the number 10"):
        puzzle.read(f"{head}\n{row[: head.index('10')]}RR")


def test_settle_is_named_where_it_would_help_and_only_there() -> None:
    puzzle = load("dust-4x3x3")
    for text in BAD:
        with pytest.raises(BadBoard) as caught:
            puzzle.read(text)
        try:
            puzzle.with_gravity().read(text)
        except BadBoard:
            assert "--settle" not in str(caught.value)
        else:
            assert "--settle" in str(caught.value)


def test_boards_that_settle_fall_and_slide() -> None:
    puzzle = load("dust-4x3x3").with_gravity()
    assert puzzle.write(puzzle.read("R..B/..../.G..").state) == puzzle.write(puzzle.read("..../..../RGB.").state)
    assert puzzle.read("111222333111") == load("dust-4x3x3").read("111222333111")


def test_the_largest_board_in_its_longest_notations_is_not_too_long() -> None:
    puzzle = load("dust-16x16x9")
    state = np.full(256, 9, np.uint8)
    for text in (table(puzzle, state), puzzle.draw(state), json.dumps(columns(puzzle, state), indent=8)):
        assert puzzle.read(text.replace("\n", "\r\n")).state.tolist() == state.tolist()


def test_a_square_list_is_refused_where_it_is_two_boards() -> None:
    puzzle, same = load("dust-2x2x3"), "[[1, 2], [3, 1]]"
    with pytest.raises(BadBoard, match="this may be 3112 or 1231"):
        puzzle.read(same)
    with pytest.raises(BadBoard, match="this may be 3112 or 1231"):
        Instance.of(puzzle, [[1, 2], [3, 1]])
    assert [puzzle.write(puzzle.read(text).state) for text in ("1231", "12/31")] == ["1231", "3112"]
    assert puzzle.read("[[1, 1], [1, 1]]") == puzzle.read("1111")  # both are one board


@pytest.mark.parametrize("name", ["dust-1x1x2", "dust-1x2x2"])
def test_a_list_without_an_end_of_lists_is_no_board(name) -> None:
    for depth in (3, 500, 900, 2000, 4000):
        with pytest.raises(BadBoard, match="list"):
            load(name).read("[" * depth + "]" * depth)


# --- files ---

INLINE = {name: NOTATIONS[name] for name in ("canonical", "canonical, in letters", "strokes", "words", "a nested list")}
BLOCKS = {
    name: NOTATIONS[name]
    for name in (
        *("lines of letters", "lines of digits", "lines with spaces", "a drawing", "a marked drawing"),
        *("the document's table", "the document's table, stripped", "a table without a rule"),
        *("numbers of the columns below", "a table to the right"),
    )
}


def found(puzzle, text):
    """(line, board, columns) of each board in a file; what is no board is None."""
    got = []
    for each in splitter_of(puzzle).split(text.splitlines(keepends=True)):
        try:
            got.append((each.line, puzzle.write(puzzle.read(each.text).state), each.columns))
        except BadBoard:
            got.append((each.line, None, each.columns))
    return got


def some(puzzle, count, seed=7):
    random = np.random.default_rng(seed)
    shares = itertools.cycle([1.0, 0.9, 0.4, 0.0])
    for _, share in zip(range(count), shares, strict=False):
        colours = random.integers(1, puzzle.colours + 1, puzzle.cells)
        yield puzzle.settled(np.where(random.random(puzzle.cells) < share, colours, 0).astype(np.uint8))


@pytest.mark.parametrize("notation", [*INLINE, *BLOCKS])
def test_boards_of_every_notation_follow_each_other(notation) -> None:
    names = ("dust-8x6x5", "dust-7x6x5", "dust-3x4x9", "dust-4x4x3", "dust-11x12x6", "dust-4x2x3")
    betweens = itertools.cycle(["", "\n", "# the next one\n", "\n\n# another\n\n"])
    for name, between in zip(names, betweens, strict=False):
        puzzle, text, expected = load(name), "", []
        for state in some(puzzle, 5):
            expected.append((text.count("\n") + 1, puzzle.write(state), ()))
            text += NOTATIONS[notation](puzzle, state) + "\n" + between
        assert found(puzzle, text) == found(puzzle, text.replace("\n", "\r\n")) == expected


def test_notations_may_be_mixed_in_one_file() -> None:
    puzzle, text, expected = load("dust-8x6x5"), "# all of them\n", []
    for form, state in zip([*INLINE, *BLOCKS] * 2, some(puzzle, 2 * len(INLINE | BLOCKS)), strict=True):
        expected.append((text.count("\n") + 1, puzzle.write(state), ()))
        text += NOTATIONS[form](puzzle, state) + "\n"
    assert found(puzzle, text) == expected


def test_the_printed_game_is_a_file_of_boards() -> None:
    got = found(load("dust-8x6x5"), GAME.read_text())
    assert [line for line, _, _ in got] == [3 + 9 * number for number in range(17)]
    assert all(board for _, board, _ in got)
    assert got[-1][1] == "0" * 24 + "5" + "0" * 23


def test_columns_after_a_tab_are_kept() -> None:
    puzzle = load("dust-4x3x3")
    lines = [
        "123123123123\t14\tproven",
        "123123123123 \t 9\tbest-known\tsomebody\t2021",
        "RGBR/RGBR/RGBR\t3",
    ]
    got = list(splitter_of(puzzle).split("\r\n".join(lines).splitlines(keepends=True)))
    assert [each.columns for each in got] == [("14", "proven"), ("9", "best-known", "somebody\t2021"), ("3",)]
    assert [each.text for each in got] == ["123123123123", "123123123123", "RGBR/RGBR/RGBR"]


BROKEN = {
    "too short": lambda text: text[:-1],
    "too long": lambda text: text + "1",
    "a strange character": lambda text: "?" + text[1:],
    "a colour that there is not": lambda text: text[:-1] + "6",
    "floating": lambda text: text[:1] + "0" + text[2:],
    "half of it": lambda text: text[: len(text) // 2],
    "a row of it": lambda text: text[:8],
    "almost a row": lambda text: text[:6],
    "a bar": lambda text: "3 | R G B",
    "a header": lambda text: "  | 0 1 2",
    "a bracket": lambda text: "[1, 2",
    "noise": lambda text: "\x00\x01é" * 30,
}


@pytest.mark.parametrize(("broken", "place"), [*zip(BROKEN.values(), 4 * [0, 100, 199], strict=True)], ids=BROKEN)
def test_one_bad_line_among_many_spoils_only_itself(broken, place) -> None:
    puzzle = load("dust-8x6x5")
    lines = ["".join(map(str, row)) for row in np.random.default_rng(3).integers(1, 6, (200, 48)).tolist()]
    good = [(number, line, ()) for number, line in enumerate(lines, start=1)]
    lines[place] = broken(lines[place])
    good[place] = (place + 1, None, ())
    assert found(puzzle, "\n".join(lines) + "\n") == good


@pytest.mark.parametrize("notation", ["lines of letters", "a drawing", "the document's table, stripped"])
@pytest.mark.parametrize("row", range(6))
def test_a_bad_line_spoils_one_board(notation, row) -> None:
    puzzle = load("dust-8x6x5")
    states = list(some(puzzle, 5))
    line = row if row == 0 or notation == "lines of letters" else row + 1
    slips = [lambda text: [], lambda text: [text[1:]], lambda text: [text + "R"], lambda text: ["?" + text[1:]]]
    for slip in slips if notation == "lines of letters" else slips[:1]:
        blocks = [BLOCKS[notation](puzzle, state).splitlines() for state in states]
        blocks[2][line : line + 1] = slip(blocks[2][line])
        got = found(puzzle, "\n\n".join("\n".join(block) for block in blocks))
        assert [board for _, board, _ in got] == [None if n == 2 else puzzle.write(s) for n, s in enumerate(states)]


@pytest.mark.parametrize("missing", range(8))
def test_a_line_that_is_missing_in_a_table_harms_no_table_right_after_it(missing) -> None:
    puzzle = load("dust-8x6x5")
    states = list(some(puzzle, 5))
    blocks = [puzzle.draw(state).splitlines() for state in states]
    del blocks[2][missing]
    got = [board for _, board, _ in found(puzzle, "\n".join("\n".join(block) for block in blocks))]
    whole = [puzzle.write(state) for state in states]
    if missing == 1:  # the rule says nothing
        assert got == whole
    else:
        assert got[:2] + got[-2:] == whole[:2] + whole[3:]
        assert set(got[2:-2]) == {None}


def test_boards_come_as_soon_as_their_lines() -> None:
    puzzle = load("dust-4x3x3")
    lines = itertools.cycle(["RGBR\n", "RGBR\n", "RGBR\n", "123123123123\n"])
    endless = iter(splitter_of(puzzle).split(lines))
    assert [next(endless).text for _ in range(3)] == ["RGBR\nRGBR\nRGBR", "123123123123", "RGBR\nRGBR\nRGBR"]


# --- which puzzle a text is of ---


@pytest.mark.parametrize("name", ["dust-8x6x5", "dust-6x5x4", "dust-7x6x5", "dust-8x8x5", "dust-10x8x5"])
def test_a_board_of_a_usual_size_says_of_which_puzzle_it_is(name) -> None:
    puzzle = load(name)
    state = np.random.default_rng(2).integers(1, puzzle.colours + 1, puzzle.cells).astype(np.uint8)
    child = puzzle.apply(state, 0)
    for board in (state, child, np.minimum(state, 2)):
        for form in ("canonical", "canonical, in letters", "lines of letters", "strokes", "a drawing", *BLOCKS):
            if "space" not in form:
                assert guess(NOTATIONS[form](puzzle, board)) == puzzle, form
        assert not isinstance(
            guess(str(columns(puzzle, board))), Dust
        )  # it may hold the rows of a board of another size


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "1 2 3 4 5 6 7 8 0", "123456780", "." * 48, "0" * 64, "6" * 48, "1" * 47, "1 2 3\n4 5 6\n7 8 0"),
        *("|", "[]", "[[]]", "[1, 2]", "[[1], 2]", "{}", "[[1,2],[3]]", "| 0 1\n", "document"),
        "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
        ".2345678" * 8,
        "1" * 17 + "/" + "1" * 17,
        "/".join("1" * 17),
    ],
    ids=lambda text: repr(text[:24]),
)
def test_what_is_no_board_of_dust_is_of_no_dust(text) -> None:
    assert not isinstance(guess(text), Dust)


# --- writing and drawing ---


@given(board=boards())
def test_what_is_written_is_read(board) -> None:
    puzzle, state = board
    text = puzzle.write(state)
    assert text == "".join(map(str, np.array(columns(puzzle, state)).reshape(-1)))
    assert puzzle.read(text).state.tolist() == state.tolist()


def test_a_drawing_shows_the_line_and_what_a_move_takes() -> None:
    puzzle = load("dust-8x6x5")
    state = puzzle.read("document").state
    assert puzzle.draw(state, puzzle.read_move("6,1")).splitlines() == [
        "  |  0  1  2  3   4  5  6  7",
        "--+-------------+------------",
        "5 |  O  B  B  G   R  B  R  Y",
        "4 |  G  G  Y  Y   Y  R  G  R",
        "3 |  G  O  O  Y   O  Y  O  G",
        "2 |  O  Y  G  G   O  R  R  O",
        "1 |  G  O  Y  R  [Y][Y][Y][Y]",
        "0 |  Y  R  R  G   O  G  R [Y]",
    ]
    assert (
        puzzle.draw(state)
        == puzzle.draw(state, puzzle.read_move("6,1"))
        .replace("[", " ")
        .replace("]", " ")
        .replace("Y \n", "Y\n")
        .rstrip()
    )


def test_where_a_move_takes_nothing_nothing_is_marked() -> None:
    puzzle = load("dust-4x3x2")
    state = puzzle.read("..../.RG./.RGG").state
    assert puzzle.draw(state, puzzle.read_move("0,0")) == puzzle.draw(state)
    assert puzzle.draw(state, puzzle.read_move("2,1")).count("[") == 3


def test_odd_boards_have_the_wider_half_on_the_right() -> None:
    puzzle = load("dust-3x2x2")
    assert puzzle.draw(puzzle.read(".../RGR").state).splitlines() == [
        "  |  0   1  2",
        "--+----+------",
        "1 |  .   .  .",
        "0 |  R   G  R",
    ]
    assert load("dust-1x1x2").draw(np.ones(1, np.uint8)).splitlines() == ["  |  0", "--+----", "0 |  R"]


@settings(max_examples=40)
@given(board=boards(), number=st.integers(0, 10**6))
def test_the_brackets_are_around_the_cluster_of_the_move(board, number) -> None:
    puzzle, state = board
    cells = np.flatnonzero(state)
    if not cells.size:
        return
    move = int(cells[number % cells.size])
    plain = puzzle.draw(state).splitlines()[2:]
    marked = puzzle.draw(state, move).splitlines()[2:]
    taken = puzzle.clusters(state) == puzzle.clusters(state)[move]
    board_rows = taken.reshape(puzzle.width, puzzle.height).T[::-1]
    assert (
        [line.count("[") for line in marked] == [line.count("]") for line in marked] == board_rows.sum(axis=1).tolist()
    )
    assert [line.replace("[", " ").replace("]", " ").rstrip() for line in marked] == plain
    assert puzzle.read(puzzle.draw(state, move)).state.tolist() == state.tolist()


def test_a_drawing_with_scores_has_the_share_of_a_cluster_in_all_its_cells() -> None:
    puzzle = load("dust-4x3x3")
    state = puzzle.read(".RB./RRB./GBBG").state
    scores = np.full(12, np.nan)
    scores[[puzzle.read_move(cell) for cell in ("0,0", "0,1", "1,0", "3,0")]] = 0.007, 0.99, 0.003, 0.0
    assert puzzle.legal(state).tolist() == np.isfinite(scores).tolist()
    assert puzzle.view(Drawings).with_scores(state, scores).splitlines() == [
        "  | 0     1      2     3",
        "--+-------------+------------",
        "2 |       R(99)  B( 0)",
        "1 | R(99) R(99)  B( 0)",
        "0 | G( 1) B( 0)  B( 0) G( 0)",
    ]
    alone = puzzle.read("..../..../.RR.").state
    sure = np.full(12, np.nan)
    sure[puzzle.read_move("1,0")] = 1.0
    assert puzzle.view(Drawings).with_scores(alone, sure).splitlines()[2:] == [
        "2 |",
        "1 |",
        "0 |       R(100) R(100)",
    ]


@settings(max_examples=40)
@given(board=boards())
def test_a_drawing_with_scores_is_read_again(board) -> None:
    puzzle, state = board
    legal = puzzle.legal(state)
    scores = np.where(legal, 1 / max(1, legal.sum()), np.nan)
    assert puzzle.read(puzzle.view(Drawings).with_scores(state, scores)).state.tolist() == state.tolist()


@settings(max_examples=30)
@given(board=boards())
def test_an_svg_has_a_letter_for_each_piece_where_it_lies(board) -> None:
    puzzle, state = board
    image = ET.fromstring(presentation.svg(state, puzzle, cell=10))
    texts = [each for each in image if each.tag.endswith("text")]
    cells = [
        int(float(each.get("x")) // 10) * puzzle.height + puzzle.height - 1 - int(float(each.get("y")) // 10)
        for each in texts
    ]
    assert cells == np.flatnonzero(state).tolist()
    assert [each.text for each in texts] == [COLOURS[value - 1] for value in state[cells]]
    pieces = [each for each in image if each.tag.endswith("rect")][1:]
    fills = {
        value: {piece.get("fill") for piece, other in zip(pieces, state[cells], strict=True) if value == other}
        for value in set(state[cells].tolist())
    }
    assert all(len(fill) == 1 for fill in fills.values())
    assert len(set.union(set(), *fills.values())) == len(fills)
    assert puzzle.view(Drawings).svg(state) == presentation.svg(state, puzzle)
