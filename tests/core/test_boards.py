"""Boards as an array: instances, parts, and what each text says."""

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadBoard

PUZZLE = load("tiles-2x2")
STATES = np.array([[1, 2, 3, 0], [0, 0, 0, 0], [1, 2, 0, 3], [1, 0, 3, 2]], np.uint8)


def some_boards() -> Boards:
    return Boards(PUZZLE, STATES, np.array([3, 5, 6, 9]), ["a", "b", "c", "d"], {1: "no board"}, "file, line")


def test_boards_are_instances_and_parts_are_boards() -> None:
    boards = Boards(PUZZLE, STATES[[0, 2, 3]])
    assert list(boards) == [PUZZLE.read(text) for text in ("1 2 3 0", "1 2 0 3", "1 0 3 2")]
    assert boards[-1] == boards[2]
    assert list(boards[1:]) == list(boards)[1:]
    assert Boards.of(boards) is boards
    assert Boards.of(list(boards)).states.tolist() == boards.states.tolist()
    assert boards.numbers.tolist() == [0, 1, 2]


def test_texts_are_written_for_boards_that_come_from_no_text() -> None:
    assert Boards(PUZZLE, STATES[[0, 2]]).texts == ["1 2 3 0", "1 2 0 3"]


@pytest.mark.parametrize(
    "index", [slice(1, 3), np.array([False, True, True, False]), np.array([1, 2]), slice(1, None, 1)]
)
def test_parts_keep_numbers_texts_and_errors(index) -> None:
    part = some_boards()[index]
    assert (part.numbers.tolist()[:2], list(part.texts)[:2], part.errors) == ([5, 6], ["b", "c"], {0: "no board"})
    assert part.where(1) == "file, line 6"
    assert part.is_readable.tolist()[:2] == [False, True]


def test_what_is_no_board_says_why() -> None:
    boards = some_boards().with_errors({3: "nor is this"})
    assert boards.is_readable.tolist() == [True, False, True, False]
    assert boards[0] == PUZZLE.read("1 2 3 0")
    for place, why in ((1, "no board"), (-1, "nor is this")):
        with pytest.raises(BadBoard, match=why):
            boards[place]
