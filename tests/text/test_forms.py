"""Every form of a board is read by each door as the same boards, and what is none gets the same sentence."""

import io
import os
import sys

import pytest
from table_of_forms import FORMS, ROWS, WRONG, P

import puzzlelab
from puzzlelab.core.errors import BadBoard, BadInput
from puzzlelab.core.registry import load
from puzzlelab.storage.lines import text_blocks
from puzzlelab.text.board_blocks import read_blocks
from puzzlelab.text.reader import read_any


def boards_of(instances):
    return [(each.puzzle.name, each.puzzle.write(each.state)) for each in instances]


def by_file(text, name):
    puzzle, found = load(name), []
    for block in read_blocks(puzzle, text_blocks(io.BytesIO(text.encode()), "file"), "file"):
        for error in block.errors.values():
            raise BadBoard(error)
        found += boards_of(block)
    return found


def by_argument(text, name):
    from puzzlelab.cli.console import read_boards

    found = []
    for block in read_boards(load(name), [text], None)[0]:
        for error in block.errors.values():
            raise BadBoard(error)
        found += boards_of(block)
    return found


def by_standard_input(text, name, monkeypatch):
    from puzzlelab.cli.console import read_boards

    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    with monkeypatch.context() as patch, os.fdopen(reading) as stream:
        patch.setattr(sys, "stdin", stream)
        return [board for block in read_boards(load(name), None, None)[0] for board in boards_of(block)]


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_read_by_every_door(name, monkeypatch) -> None:
    text, puzzle, boards = FORMS[name]
    expected = [(puzzle, board) for board in boards]
    assert by_file(text, puzzle) == expected
    assert by_argument(text, puzzle) == expected
    assert by_standard_input(text, puzzle, monkeypatch) == expected
    assert boards_of(puzzlelab.read_many(text, puzzle)) == expected
    assert boards_of(read_any(text, puzzle)) == expected
    if len(boards) == 1:
        assert boards_of([load(puzzle).read(text), puzzlelab.read(text, puzzle)]) == 2 * expected
    else:
        with pytest.raises(BadBoard, match="boards are in this text"):
            puzzlelab.read(text, puzzle)
        with pytest.raises(BadBoard):
            load(puzzle).read(text)


@pytest.mark.parametrize("name", FORMS)
def test_the_puzzle_of_a_form_is_guessed_or_two_are_named(name) -> None:
    text, puzzle, boards = FORMS[name]
    expected = [(puzzle, board) for board in boards]
    if name != "two boards of dust":
        assert boards_of(read_any(text)) == expected
        return
    with pytest.raises(BadBoard, match=r"this may be dust-4x6x5 \(\w+\) or dust-4x3x5 \(\w+\)"):
        read_any(text)


def sentence(read, *arguments):
    with pytest.raises(BadInput) as error:
        read(*arguments)
    return str(error.value)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_board_gets_one_sentence_at_every_door(text) -> None:
    name, words = WRONG[text]
    said = sentence(load(name).read, text)
    assert words in said
    assert said.isprintable()
    for door in (by_file, by_argument, puzzlelab.read_many):
        assert words in sentence(door, text, name)
    try:  # while the puzzle is open on the page, a text may be a board of another one
        assert {each.puzzle.name for each in read_any(text, name)}.isdisjoint({name})
    except BadInput as error:
        found = str(error)
    else:
        found = words
    assert words in found


def test_there_are_as_many_forms_as_promised() -> None:
    assert len(FORMS) >= 100
    assert len(WRONG) >= 20


def test_xml_with_entities_is_refused() -> None:
    text = f'<!DOCTYPE x [<!ENTITY a "{P}">]><x><game data="&a;"/></x>'
    with pytest.raises(BadInput, match="entities of its own"):
        read_any(text, "sudoku-9x9")


def test_lists_of_python_are_read_as_texts_are() -> None:
    puzzle = load("sudoku-9x9")
    numbers = [[int(sign) if sign != "." else None for sign in row] for row in ROWS]
    nan = [[float("nan") if cell is None else cell for cell in row] for row in numbers]
    minus = [[-1 if cell is None else cell for cell in row] for row in numbers]
    for values in (numbers, nan, minus, [list(row) for row in ROWS], list(ROWS)):
        assert puzzle.write(puzzlelab.Instance.of(puzzle, values).state) == P


def test_names_that_people_have_for_puzzles() -> None:
    names = {"sudoku": "sudoku-9x9", "15-puzzle": "tiles-4x4", "8-puzzle": "tiles-3x3", "24-puzzle": "tiles-5x5"}
    assert {name: load(name).name for name in names} == names


def test_the_goal_of_a_snail() -> None:
    assert load("tiles-3x3:snail").name == "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"
    assert load("tiles-4x4:snail").name.endswith("goal=1,2,3,4,12,13,14,5,11,0,15,6,10,9,8,7")
