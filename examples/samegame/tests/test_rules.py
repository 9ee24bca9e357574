"""The rules and the points: what `check_puzzle` asks of every puzzle, and games made by hand."""

# ruff: noqa: D103
import numpy as np
import pytest
from samegame import FAMILY, SameGame

from puzzlelab import BadOption, check_puzzle, load
from puzzlelab.core.puzzle import states_along
from puzzlelab.core.views import Samples

SMALL = SameGame(4, 3, 3)
PUZZLES = [
    SameGame(5, 5, 3),
    SameGame(5, 5, 3, rules="batch"),
    SameGame(5, 5, 3, rules="plain"),
    SameGame(8, 8, 4),
    SameGame(15, 15, 5),
]


def played(puzzle, text, moves):
    """The boards along these moves, and the points of each move."""
    states = list(states_along(puzzle, puzzle.read(text).state, [puzzle.read_move(move) for move in moves]))
    numbers = [puzzle.read_move(move) for move in moves]
    points = [puzzle.points(*step) for step in zip(states[:-1], numbers, states[1:], strict=True)]
    return [puzzle.write(state) for state in states], points


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.name)
def test_it_is_a_puzzle(puzzle):
    check_puzzle(puzzle, steps=6)


def test_plain_rules_of_a_large_board_are_a_puzzle():
    check_puzzle(SameGame(15, 15, 5, rules="plain"), steps=2)


def test_names_make_the_puzzles():
    for name in FAMILY.names:
        assert load(name).name == name
    assert load("samegame-20x10x3") == SameGame(20, 10, 3)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("15x15", "write samegame-COLUMNSxROWSxCOLOURS"),
        ("05x5x3", "'samegame-05x5x3' is no SameGame board"),
        ("0x3x3", "1 to 16 rows and at most 256 cells"),
        ("3x17x3", "1 to 16 rows"),
        ("17x16x3", "at most 256 cells, not 17 columns of 16"),
        ("3x3x1", "2 to 9 colours"),
        ("3x3x10", "2 to 9 colours"),
    ],
)
def test_unknown_names_are_explained(name, sentence):
    with pytest.raises(BadOption, match=sentence):
        FAMILY.make(name)


def test_cells_fall_and_columns_close_to_the_left():
    boards, points = played(SMALL, "1233/1223/1113", ["0,0", "0,0", "0,0"])
    assert boards[1:] == ["..3./233./223.", ".3../.3../33..", "..../..../...."]
    assert points == [9, 1, 4 + 1000]


def test_an_empty_board_makes_1000_points():
    boards, points = played(SMALL, "..../..../1221", ["1,0", "0,0"])
    assert boards[1:] == ["..../..../11..", "..../..../...."]
    assert points == [0, 1000]


def test_what_is_left_costs_points():
    # three cells are left of colour 1, a single one of colour 2, two of colour 3: 1^2 + (-1)^2 + 0
    boards, points = played(SameGame(5, 3, 3), "1..../2...3/13221", ["2,0"])
    assert boards[1] == "1..../2.3../131.."
    assert points == [-2]
    # four of each: 2^2 + 2^2
    assert SameGame(4, 2, 2).end_points(SameGame(4, 2, 2).read("1212/2121").state) == -8
    assert SMALL.end_points(SMALL.read("..../..../....").state) == 1000


def test_a_game_without_a_group_is_over_at_once():
    board = SMALL.read("..../..../1212")
    assert SMALL.solved(board.state)
    assert not SMALL.legal(board.state).any()


def test_every_cell_of_a_group_may_be_clicked_and_single_cells_may_not():
    state = SMALL.read("1.../11../1231").state
    assert SMALL.canonical_moves(state[None])[0].tolist() == [0, 0, 0, -1, 0, -1, -1, -1, -1, -1, -1, -1]
    assert [SMALL.is_legal(state, move) for move in (0, 2, 4, 3, 6, 11)] == [True, True, True, False, False, False]
    with pytest.raises(ValueError, match="no group of two cells or more at 1,0"):
        SMALL.apply(state, SMALL.read_move("1,0"))


def test_scales():
    puzzle, random = SameGame(6, 5, 3), np.random.default_rng(0)
    scales = puzzle.view(Samples).scales
    assert (scales["uniform"].sample(random, None, 9) > 0).all()
    for level in range(1, puzzle.cells + 1):
        state = scales["cells"].sample(random, level, 1)[0]
        assert np.count_nonzero(state) == level
        assert np.array_equal(puzzle.settled(state), state)
    with pytest.raises(BadOption, match="1 to 30 cells, not 31"):
        scales["cells"].sample(random, 31, 1)
    with pytest.raises(BadOption, match="has no levels"):
        scales["uniform"].sample(random, 3, 1)
