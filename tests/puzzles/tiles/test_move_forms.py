"""Moves of tiles in every form: what is written is read again, and what is none is refused with its place."""

import numpy as np
import pytest

import puzzlelab
from puzzlelab import BadBoard, UnknownName, Unsupported, load
from puzzlelab.core.puzzle import MoveForms
from puzzlelab.jobs.board_forms import form_named
from puzzlelab.text.moves import forms_in_words, move_notation

COUNT = 1000
SIZES = ("tiles-2x2", "tiles-3x3", "tiles-2x5", "tiles-4x4:blank-first", "tiles-5x5", "tiles-3x4:moves=multi")
FORMS = [(letters, form) for letters, forms in forms_in_words(load("tiles-3x3")).items() for form in forms]
BEHIND = "; a count stands right behind its letter, as in R2"
FAR = "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0"


@pytest.fixture(scope="module")
def solved():
    """Boards of several sizes, each with the moves that lead from it to the goal."""
    random, made = np.random.default_rng(7), []
    for number in range(COUNT):
        puzzle = load(SIZES[number % len(SIZES)])
        state, undone = puzzle.goals()[0], []
        for _ in range(int(random.integers(30))):
            move = int(random.choice(np.flatnonzero(puzzle.legal(state))))
            state = puzzle.apply(state, move)
            undone.append(puzzle.inverse(move))
        made.append((puzzlelab.Instance(puzzle, state), undone[::-1]))
    return made


@pytest.mark.parametrize(("letters", "form"), FORMS)
def test_a_thousand_solutions_are_read_as_they_are_written(solved, letters, form):
    notations = {name: move_notation(load(name), form, letters) for name in SIZES}
    for board, moves in solved:
        notation = notations[board.puzzle.name]
        assert notation.read(board, notation.write(board.state, moves)) == moves


@pytest.mark.parametrize("form", ["line", "rows", "grid"])
def test_a_thousand_boards_are_read_as_they_are_written(solved, form):
    forms = {name: form_named(load(name), form) for name in SIZES}
    for board, _ in solved:
        text = forms[board.puzzle.name].write(board.state[None], None)
        assert board.puzzle.read(text) == board
        assert form != "rows" or text.count("/") == board.puzzle.rows - 1


def test_a_row_of_a_wrong_length_is_refused_with_its_place():
    with pytest.raises(BadBoard, match="row 2: 2 cells; a row of tiles-3x3 has 3"):
        load("tiles-3x3").read("1 2 3/4 5/6 7 8 0")


@pytest.mark.parametrize(
    ("form", "letters", "text"),
    [
        (None, None, "D D R"),
        ("counts", None, "D2R"),
        ("words", None, "down down right"),
        ("numbers", None, "12 8 7"),
        (None, "blank", "U U L"),
        ("counts", "blank", "U2L"),
        ("words", "blank", "up up left"),
        ("blank", None, "uul"),
    ],
)
def test_the_same_moves_in_every_form(form, letters, text):
    board = load("tiles-4x4").read(FAR)
    assert puzzlelab.write_moves(board, [1, 1, 3], form, letters) == text
    assert puzzlelab.read_moves(board, text, "blank" if form == "blank" else letters) == [1, 1, 3]


@pytest.mark.parametrize(
    "text", ["D2R", "d2r", "D D R", "DDR", "d,d;r", "D2 R1", "Down DOWN right", "downdownright", "12 8 7"]
)
def test_moves_are_read_in_every_spelling(text):
    assert puzzlelab.read_moves(load("tiles-4x4").read(FAR), text) == [1, 1, 3]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("D2R'", "move 1 of 1: character 4: ''' is no move; moves are U, D, L and R, the way the tile slides"),
        ("D D2X R", "move 2 of 3: character 3: 'X' is no move; moves are U, D, L and R, the way the tile slides"),
        ("D X", "move 2 of 2: 'X' is no move; moves are U, D, L and R, the way the tile slides"),
        ("Dr", "move 1 of 1: character 2: 'r' is no move; moves are U, D, L and R, the way the tile slides"),
        ("D r", "move 2 of 2: 'r' is written in small letters, and the moves before it in capitals"),
        ("D right", "move 2 of 2: 'right' is written in words, and the moves before it in capitals"),
        ("D 2", f"move 2 of 2: '2' is written in numbers, and the moves before it in capitals{BEHIND}"),
        ("12 D", f"move 2 of 2: 'D' is written in capitals, and the moves before it in numbers{BEHIND}"),
        ("D0", "move 1 of 1: 'D0' is no move: 1 to 3 tiles of tiles-4x4 slide one way"),
        ("D4", "move 1 of 1: 'D4' is no move: 1 to 3 tiles of tiles-4x4 slide one way"),
        ("D999999999999", "move 1 of 1: 'D999' is no move: 1 to 3 tiles of tiles-4x4 slide one way"),
        ("12 16", "move 2 of 2: there is no tile 16; tiles are 1 to 15"),
        ("0", "move 1 of 1: there is no tile 0; tiles are 1 to 15"),
        (f"12 {'9' * 5000}", f"move 2 of 2: there is no tile {'9' * 40}...; tiles are 1 to 15"),
        ("12 12 4", "move 3 of 3: tile 4 cannot slide on 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0"),
        ("D U U", "move 3 of 3: U cannot be made"),
        ("D2U3", "move 5 of 5: U cannot be made"),
    ],
)
def test_what_is_no_move_is_refused_with_its_place(text, sentence):
    with pytest.raises(BadBoard) as caught:
        puzzlelab.read_moves(load("tiles-4x4").read(FAR), text)
    assert str(caught.value) == sentence


def test_a_refusal_speaks_of_the_letters_that_were_chosen():
    board = load("tiles-4x4").read(FAR)
    with pytest.raises(BadBoard, match="move 2 of 2: R cannot be made"):
        puzzlelab.read_moves(board, "U R", "blank")
    with pytest.raises(BadBoard, match="moves are U, D, L and R, the way the blank moves"):
        puzzlelab.read_moves(board, "X", "blank")


def test_a_form_that_belongs_to_one_convention_chooses_it():
    puzzle = load("tiles-3x3")
    assert move_notation(puzzle, "blank").letters == "blank"
    assert move_notation(puzzle, "words").letters == "tile"
    with pytest.raises(UnknownName, match="there is no form of moves of tiles-3x3 'blank'"):
        move_notation(puzzle, "blank", "tile")
    with pytest.raises(UnknownName, match="there is no convention of letters of tiles-3x3 'tle'; did you mean 'tile'"):
        move_notation(puzzle, None, "tle")


def test_a_puzzle_whose_moves_have_one_form_says_so():
    puzzle = load("dust-4x3x3")
    assert puzzle.view(MoveForms) is None
    for given in (("words", None), (None, "blank")):
        with pytest.raises(Unsupported, match="moves of dust-4x3x3 have one form: '.*' cannot be chosen"):
            move_notation(puzzle, *given)


def test_a_scramble_leads_from_the_goal_and_its_inverse_back():
    board = puzzlelab.scramble("tiles-4x4", "R2D2LU")
    assert board == load("tiles-4x4").read("1 2 3 4/5 7 11 8/9 6 0 12/13 10 14 15")
    assert puzzlelab.scramble("tiles-4x4", "l2u2rd", "blank") == board
    result = puzzlelab.solve(board, "ida", estimate="manhattan")
    assert puzzlelab.write_moves(board, result.moves, "counts") == "DRU2L2"
    with pytest.raises(BadBoard, match="move 1 of 2: U cannot be made"):
        puzzlelab.scramble("tiles-4x4", "UR")
    with pytest.raises(Unsupported, match="sudoku-9x9 has no single goal"):
        puzzlelab.scramble("sudoku-9x9", "r1c1=1")


@pytest.mark.parametrize("moves", [["L", "L"], ["L2"], ["left", "left"], ["7", "8"], "L2", "left left", "7 8"])
def test_rows_of_other_programs_are_verified(moves):
    row = puzzlelab.Row(puzzle="tiles-3x3", board="1 2 3 4 5 6 0 7 8", solver="ida", moves=moves, length=2)
    assert row.check(load("tiles-3x3")).holds
    assert row.result(load("tiles-3x3")).moves == (2, 2)


def test_rows_may_have_letters_of_the_blank():
    puzzle = load("tiles-3x3")
    row = puzzlelab.Row(puzzle="tiles-3x3", board="1 2 3 4 5 6 0 7 8", solver="ida", moves=["R", "R"], length=2)
    assert row.verify(puzzle, "blank")[1].holds
    assert not row.verify(puzzle)[1].holds
    assert row.result(puzzle, letters="blank").moves == (2, 2)
    with pytest.raises(UnknownName, match="did you mean 'blank'"):
        row.result(puzzle, letters="blanc")


@pytest.mark.parametrize(
    ("moves", "reason"), [(["7", "9"], "move 2 of 2: there is no tile 9"), (["L2'"], "character 3")]
)
def test_rows_of_other_programs_that_do_not_hold_say_where(moves, reason):
    row = puzzlelab.Row(puzzle="tiles-3x3", board="1 2 3 4 5 6 0 7 8", solver="ida", moves=moves, length=2)
    verdict = row.check(load("tiles-3x3"))
    assert not verdict.holds
    assert reason in verdict.reason
