"""Boards from numbers are checked as texts are, and become states of the puzzle's own type."""

import numpy as np
import pytest

from puzzlelab.core import registry
from puzzlelab.core.boards import Instance, naming_bad_boards
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import presentation_of
from puzzlelab.core.views import Samples

NAMES = ["tiles-3x3", "tiles-2x7", "tiles-5x5", "tiles-3x3:blank-first", "dust-8x6x5", "sudoku-9x9"]


def board_of(puzzle):
    scale = next(iter(puzzle.view(Samples).scales.values()))
    return Instance(puzzle, scale.sample(np.random.default_rng(1), None, 1)[0])


@pytest.mark.parametrize("name", NAMES)
def test_a_board_from_each_kind_of_values(name):
    puzzle = registry.load(name)
    board = board_of(puzzle)
    numbers = board.state.tolist()
    kinds = (np.int64, np.int16, np.float32, np.float64)
    values = [
        board.state,
        numbers,
        tuple(numbers),
        puzzle.write(board.state),
        *(np.array(numbers, kind) for kind in kinds),
    ]
    for each in values:
        same = Instance.of(puzzle, each)
        assert same == board
        assert same.state.dtype == board.state.dtype


@pytest.mark.parametrize(("name", "shape"), [("tiles-3x3", (3, 3)), ("dust-8x6x5", (8, 6)), ("sudoku-9x9", (9, 9))])
def test_a_nested_list_is_read_as_in_a_text(name, shape):
    puzzle = registry.load(name)
    board = board_of(puzzle)
    nested = board.state.reshape(shape)
    assert Instance.of(puzzle, nested) == Instance.of(puzzle, nested.tolist()) == board
    with pytest.raises(BadBoard):
        Instance.of(puzzle, nested[:-1])


def test_an_example_by_its_name():
    puzzle = registry.load("sudoku-9x9")
    name = next(iter(presentation_of(puzzle).examples))
    assert Instance.of(puzzle, name) == puzzle.read(name)


def test_truth_values_are_ones_and_zeros(corridor):
    assert Instance.of(corridor(), np.array([True])).state.tolist() == [1]


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("tiles-3x3", [8, 6, -7, 2, 5, 4, 3, 0, 1], "place 3: there is no tile -7"),
        ("tiles-3x3", [8, 6.5, 7, 2, 5, 4, 3, 0, 1], "'8.0' is no number"),
        ("tiles-3x3", [8, 6, float("nan"), 2, 5, 4, 3, 0, 1], "'8.0' is no number"),
        ("tiles-3x3", [], "the board is empty"),
        ("dust-8x6x5", [12] * 48, "has 96 characters"),
        ("dust-8x6x5", [12, *[1] * 46], "is another board"),
        ("dust-8x6x5", [1, 0] * 24, "which lies below|it would fall|nothing lies below"),
        ("sudoku-9x9", [200] * 81, "the puzzle cannot write it"),
        ("sudoku-9x9", [-1] * 81, "'P' is no digit"),
        ("sudoku-25x25", [-1] * 625, "is another board"),
    ],
)
def test_values_that_are_no_board_are_named(name, values, words):
    with pytest.raises(BadBoard, match=words) as caught:
        Instance.of(registry.load(name), values)
    assert f"is no board of {name}: " in str(caught.value)
    assert len(str(caught.value)) < 400


def test_an_error_is_explained_by_a_board_or_left_alone(eight):
    good = eight.read("8 6 7 2 5 4 3 0 1")
    bad = Instance(eight, np.zeros(9, np.uint8))
    with pytest.raises(IndexError), naming_bad_boards([good]):
        raise IndexError
    with pytest.raises(BadBoard, match="tile 0 stands here and at place 1"), naming_bad_boards([good, bad]):
        raise IndexError
    with naming_bad_boards([bad]):
        pass
