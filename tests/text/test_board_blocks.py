"""Boards that are read in blocks are those that are read one by one, with the same errors at the same lines."""

import io
import random
from types import SimpleNamespace

import numpy as np
import pytest

from puzzlelab import generate, load
from puzzlelab.core.boards import Boards, runs
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import Notation
from puzzlelab.jobs.board_forms import form_named
from puzzlelab.storage import lines as storage_lines
from puzzlelab.storage.lines import text_blocks
from puzzlelab.text.board_blocks import read_blocks, read_texts, row_texts
from puzzlelab.text.reader import splitter_of

NAMES = ["sudoku-9x9", "sudoku-4x4", "tiles-3x3", "tiles-4x4", "dust-6x5x4"]


def one_by_one(puzzle, text):
    """(number of the line, text, state or error) of each board."""
    for board in splitter_of(puzzle).split(io.StringIO(text)):
        try:
            yield board.line, board.text, puzzle.read(board.text).state.tolist()
        except BadBoard as error:
            yield board.line, board.text, str(error)


def in_blocks(puzzle, data):
    """The same from blocks."""
    for block in read_blocks(puzzle, text_blocks(io.BytesIO(data), "file"), "file"):
        for place, text in enumerate(block.texts):
            number = int(block.numbers[place])
            assert block.where(place) == f"file, line {number}"
            yield number, text, block.errors.get(place, block.states[place].tolist())


def some_boards(puzzle, count):
    """Boards of a puzzle that may be unable to make them."""
    if puzzle.name != "sudoku-4x4":
        return list(generate(puzzle, count))
    return [puzzle.read(text) for text in ("1234" + 12 * ".", 16 * ".", "..3." + 12 * "0")]


def lines_of_all_kinds(puzzle, count, seed=0):
    """Plain lines for the most part."""
    choose, known = random.Random(seed), some_boards(puzzle, 20)
    plain = [puzzle.write(board.state) for board in known]
    odd = [
        lambda line: "# a comment",
        lambda line: line[:-1],
        lambda line: line[::-1],
        lambda line: puzzle.draw(known[0].state),
        lambda line: line.replace(line[3], "\u00e4", 1),
        lambda line: "?" + line[1:],
        lambda line: "",
        lambda line: f"{line}\t3\toptimal",
        lambda line: f" {line}",
        lambda line: f"{line},{line.replace('.', '1')}",
        lambda line: f"{line}  {line}",
        lambda line: line.replace(" ", ""),
        lambda line: line.replace(".", "0"),
        lambda line: line.lower().replace("1", "9"),
    ]
    for _ in range(count):
        line = choose.choice(plain)
        yield choose.choice(odd)(line) if choose.random() < 0.1 else line


@pytest.mark.parametrize(("name", "size"), [*zip(NAMES, [50, 1000, 1 << 20, 50, 1000], strict=True)])
def test_blocks_are_what_is_read_one_by_one(name, size, monkeypatch) -> None:
    monkeypatch.setattr(storage_lines, "CHUNK_SIZE", size)
    puzzle = load(name)
    text = "".join(f"{line}\n" for line in lines_of_all_kinds(puzzle, 600))
    expected = list(one_by_one(puzzle, text))
    assert list(in_blocks(puzzle, text.encode())) == expected
    assert list(in_blocks(puzzle, text[:-1].replace("\n", "\r\n").encode())) == expected


@pytest.mark.parametrize(
    "header", ["puzzle,solution", "puzzle", "number,puzzle", "solution,puzzle", "quizzes,solutions"]
)
def test_a_first_line_says_what_the_columns_of_all_lines_are(header) -> None:
    puzzle = load("sudoku-9x9")
    known = [puzzle.write(board.state) for board in generate(puzzle, 30)]
    solved = 9 * "123456789"
    text = "".join(f"{line}\n" for line in [header, *(f"{line},{solved}" for line in known), *known, *known[:9]])
    assert list(in_blocks(puzzle, text.encode())) == list(one_by_one(puzzle, text))


def test_plain_lines_are_read_without_the_general_reader(monkeypatch) -> None:
    for name in ("sudoku-9x9", "tiles-4x4", "dust-6x5x4"):
        puzzle = load(name)
        data = "".join(f"{puzzle.write(board.state)}\n" for board in generate(puzzle, 40)).encode()
        monkeypatch.setattr(type(puzzle), "read", None)
        assert len(list(in_blocks(puzzle, data))) == 40


@pytest.mark.parametrize("name", NAMES)
def test_many_boards_are_written_as_single_ones(name) -> None:
    puzzle = load(name)
    known = some_boards(puzzle, 20)
    assert Boards.of(known).written() == [puzzle.write(board.state) for board in known]


def test_solved_sudokus_are_written_as_single_ones() -> None:
    puzzle = load("sudoku-9x9")
    states = np.array([board.state for board in generate(puzzle, 5)])
    ends = np.where(states == 0, 7, states).astype(np.uint8)
    clues, solutions = ([puzzle.write(state) for state in each] for each in (states, ends))
    assert {name: form_named(puzzle, name).write(states, ends) for name in ("pair", "csv")} == {
        "pair": "".join(f"{c.replace('.', '0')}  {solution}\n" for c, solution in zip(clues, solutions, strict=True)),
        "csv": "".join(f"{c},{solution}\n" for c, solution in zip(clues, solutions, strict=True)),
    }


def test_a_block_is_cut_into_parts() -> None:
    puzzle = load("tiles-3x3")
    texts = ["1 2 3 4 5 6 7 0 8", "1", "1 2 3 4 5 6 7 8 0", "2", "1 2 3 4 5 6 0 7 8"]
    block = read_texts(puzzle, texts, "board")
    part = block[1:4]
    assert (part.is_readable.tolist(), list(part.errors), part.texts) == ([False, True, False], [0, 2], texts[1:4])
    assert part[1] == block[2]
    assert [part.where(place) for place in range(3)] == ["board 2", "board 3", "board 4"]
    assert len(block[5:]) == len(read_texts(puzzle, [], "")) == 0
    assert read_texts(puzzle, ["1"], "").where(0) == ""


def _read_alone(puzzle, text):
    try:
        return puzzle.read(text).state.tolist()
    except BadBoard as error:
        return str(error)


@pytest.mark.parametrize("name", ["sudoku-9x9", "tiles-3x3", "dust-6x5x4"])
def test_texts_are_read_together_as_one_by_one(name) -> None:
    puzzle = load(name)
    texts = [puzzle.write(board.state) for board in generate(name, 20)]
    texts[3:3] = ["nonsense", "é" * len(texts[0]), ""]
    texts[9:9] = [f"{text}\n" for text in texts[5:7]] + [text[:-1] for text in texts[10:20]]
    block = read_texts(puzzle, texts, "board")
    read = [block.errors.get(place, block.states[place].tolist()) for place in range(len(texts))]
    assert read == [_read_alone(puzzle, text) for text in texts]
    assert (block.texts, block.numbers.tolist()) == (texts, list(range(1, len(texts) + 1)))


def test_a_block_is_parted_by_its_errors() -> None:
    puzzle = load("tiles-2x2")
    texts = ["1", "1 2 3 0", "1 2 0 3", "x", "y", "0 1 2 3"]
    block = read_texts(puzzle, texts, "board")
    assert list(runs(block.is_readable)) == [(0, 1), (1, 3), (3, 5), (5, 6)]
    assert list(runs(read_texts(puzzle, texts[1:3], "").is_readable)) == [(0, 2)]


def test_rows_have_canonical_texts_of_boards_that_may_take_several_lines() -> None:
    sudoku, grid = load("sudoku-4x4"), "1234\n....\n....\n...."
    assert row_texts(read_texts(sudoku, [grid, "x"], "board")) == ["1234" + 12 * ".", "x"]
    assert row_texts(read_texts(load("tiles-2x2"), ["1,2,3,0"], "")) == ["1 2 3 0"]


class Question:
    """A puzzle whose plain boards are question marks."""

    name = "question"

    def read(self, text):
        return SimpleNamespace(state=self.state(text))

    def state(self, text):
        if set(text) != {"?"}:
            raise BadBoard(f"{text} is no question")
        return np.array([len(text)], np.uint8)

    def read_lines(self, lines):
        states = np.full((len(lines), 1), lines.shape[1], np.uint8)
        return states, (lines == ord("?")).all(axis=1)

    def view(self, kind):
        return Notation((1, 3), frozenset("?"), self.state, self.read_lines) if kind is Notation else None


def test_characters_beyond_ascii_are_no_question_marks() -> None:
    lines = ["???"] * 20
    lines[7], lines[11] = "?\u00e4?", "??\U0001f600"
    text = "".join(f"{line}\n" for line in lines)
    for data in (text, f"{text}?\n", f"\n{text}"):
        assert list(in_blocks(Question(), data.encode())) == list(one_by_one(Question(), data))


def test_lines_of_candidates_are_no_boards_however_many_there_are() -> None:
    row = "12.........3.5...." + "123456789" * 2 + "......7.." * 5
    data = "".join(f"{row}\n" for _ in range(20)).encode()
    found = list(in_blocks(load("sudoku-9x9"), data))
    assert [number for number, *_ in found] == list(range(1, 21))
    assert all("the candidates of nine cells" in error for *_, error in found)


@pytest.mark.parametrize(
    ("line", "is_read"),
    [("% a comment", False), (f"%{'.' * 81}", False), (f"%{'.' * 80}", True), (f"#{'1' * 80}", True), ("#12", False)],
)
def test_a_comment_sign_in_the_place_of_a_cell_is_no_comment(line, is_read) -> None:
    splitter = splitter_of(load("sudoku-9x9"))
    boards = list(splitter.split([f"{line}\n", "." * 81 + "\n"]))
    assert (len(boards), splitter.comments) == (1 + is_read, 1 - is_read)


def test_a_comment_whose_letters_are_as_many_as_the_cells_is_one() -> None:
    splitter = splitter_of(load("tiles-5x5"))
    board = " ".join(map(str, [*range(1, 25), 0]))
    boards = list(splitter.split(["# public half: even source rows\n", board + "\n"]))
    assert ([each.text for each in boards], splitter.comments) == ([board], 1)


@pytest.mark.parametrize("form", ["[[1,2],\n [{}]]\n", '{{"board": [[1,2],\n  [{}]\n]}}\n'])
def test_documents_of_several_lines_follow_each_other(form: str) -> None:
    puzzle = load("tiles-2x2")
    text = form.format("3,0") + form.format("0,3") + "1 2 3 0\n"
    boards = list(splitter_of(puzzle).split(io.StringIO(text)))
    assert [puzzle.write(puzzle.read(board.text).state) for board in boards] == ["1 2 3 0", "1 2 0 3", "1 2 3 0"]
    assert [board.line for board in boards] == [1, 1 + form.count("\n"), 1 + 2 * form.count("\n")]


@pytest.mark.parametrize(
    ("text", "boards"),
    [
        ('{"name": "mine",\n "age": 3}\n1 2 3 0\n', [(1, None), (3, "1 2 3 0")]),
        ('[["a",\n "b"]]\n', [(1, None)]),
        ("1 2\n3 0\n[[1,2],[0,3]]\n", [(1, "1 2 3 0"), (3, "1 2 0 3")]),
        ("1 2\n[[1,2],[0,3]]\n", [(1, None), (2, "1 2 0 3")]),
    ],
)
def test_what_is_no_board_is_not_passed_over(text: str, boards: list[tuple[int, str | None]]) -> None:
    puzzle = load("tiles-2x2")
    found = [
        (line, puzzle.write(np.array(state)) if isinstance(state, list) else None)
        for line, _, state in one_by_one(puzzle, text)
    ]
    assert found == boards
