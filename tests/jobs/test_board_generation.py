"""New boards as people ask for them, whoever passes their wishes on."""

import pytest

from puzzlelab import BadOption, UnknownName, Unsupported, generate, load
from puzzlelab.core.views import levels_of
from puzzlelab.jobs.board_generation import boards, generator_of


def made(name, count, **asked):
    puzzle = load(name)
    return [puzzle.write(state) for state in boards(puzzle, count, **asked)]


@pytest.mark.parametrize("name", ["tiles-3x3", "dust-4x3x3", "sudoku-9x9"])
def test_equal_seeds_make_equal_boards_and_more_begin_with_the_same(name):
    assert made(name, 2, seed=5) == made(name, 4, seed=5)[:2]
    assert made(name, 2, seed=5) != made(name, 2, seed=6)


def test_levels_take_turns():
    puzzle = load("tiles-3x3")
    found = [levels_of(puzzle, state[None])[0]["level"] for state in boards(puzzle, 4, level="5-6")]
    assert found == [5, 6, 5, 6]


@pytest.mark.parametrize("asked", [{"scale": "clues", "level": "40"}, {"clues": "40"}, {"clues": 40}])
def test_a_sudoku_with_so_many_clues(asked):
    (board,) = made("sudoku-9x9", 1, **asked)
    assert 81 - board.count(".") == 40


def test_python_makes_instances():
    (board,) = generate("sudoku-9x9", level="1", seed=1)
    assert board.puzzle == load("sudoku-9x9")
    assert 57 <= 81 - board.puzzle.write(board.state).count(".") <= 67
    assert len(list(generate(load("tiles-3x3"), count=3))) == 3


@pytest.mark.parametrize(
    ("name", "asked", "error", "sentence"),
    [
        ("tiles-3x3", {"clues": "30"}, BadOption, "tiles-3x3 makes boards by scale and level only"),
        ("tiles-3x3", {"scale": "leve"}, UnknownName, "did you mean 'level'"),
        ("tiles-3x3", {"level": "9-5"}, BadOption, "'9-5' is no range of levels"),
        ("tiles-3x3", {"count": 0}, BadOption, "the number of boards must be at least 1, not 0"),
        ("sudoku-9x9:candidates", {}, Unsupported, "cannot make new boards"),
        ("sudoku-4x4", {"hard": "3"}, BadOption, "sudoku-4x4 is not made by 'hard'"),
        ("tiles-3x3", {"scale": "uniform", "level": "3"}, BadOption, "scale 'uniform' of tiles-3x3 has no levels"),
        ("tiles-3x3", {"scale": "walk", "level": "2000000"}, BadOption, "has the levels 0 to 1,000,000, not 2,000,000"),
        ("sudoku-9x9", {"scale": "minimal", "level": "3"}, BadOption, "'minimal' has no levels"),
        ("sudoku-9x9", {"scale": "clues", "level": "3", "clues": "30"}, BadOption, "give one of them"),
        ("sudoku-9x9", {"level": "4-9"}, BadOption, "the levels of sudoku-9x9 go from 1 to 5, not from 4 to 9"),
        ("sudoku-9x9", {"colour": 3}, BadOption, "has no option 'colour'"),
    ],
)
def test_what_cannot_be_made_is_said_before_the_first_board(name, asked, error, sentence):
    with pytest.raises(error, match=sentence):
        boards(load(name), **{"count": 1, **asked})


def test_only_some_puzzles_have_a_generator():
    assert generator_of(load("tiles-3x3"), None, None, {"clues": None}) is None
    assert generator_of(load("sudoku-9x9"), None, "2", {}).level == 2
