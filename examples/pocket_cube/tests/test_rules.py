"""The rules: what `check_puzzle` asks of every puzzle, known cubes, and the numbers of cubes that others published."""

# ruff: noqa: D103
import numpy as np
import pytest
from pocket_cube import FAMILY, PocketCube
from pocket_cube.rules import MOVES

from puzzlelab import BadBoard, BadOption, check_puzzle, load, solve
from puzzlelab.solvers.bfs import count_by_depth

KERNELS, PLAIN = PocketCube(), PocketCube("plain")


@pytest.mark.parametrize("puzzle", [KERNELS, PLAIN], ids=lambda puzzle: puzzle.name)
def test_it_is_a_puzzle(puzzle):
    check_puzzle(puzzle, [puzzle.read("far"), puzzle.read("easy")])
    check_puzzle(puzzle, steps=10)


@pytest.mark.parametrize("name", FAMILY.names)
def test_names_make_the_puzzles(name):
    assert load(name).name == name
    assert load(name) == FAMILY.make(name.removeprefix("cube-"))


def test_a_name_without_a_size_is_quoted_as_it_was_typed():
    with pytest.raises(BadOption, match="there is no 'cube'; write cube-2x2x2"):
        load("cube")


def test_unknown_names_are_told():
    with pytest.raises(BadOption, match="write cube-2x2x2"):
        FAMILY.make("3x3x3")


def test_a_face_turned_four_times_is_as_it_was():
    for face in "URF":
        for turns in ([face] * 4, [f"{face}2"] * 2, [f"{face}'"] * 4, [face, f"{face}2", face], [face, f"{face}'"]):
            assert KERNELS.solved(KERNELS.read(" ".join(turns)).state)


def test_known_orders_of_sequences():
    # on the large cube the orders are 105, 63, 6 and 6; those of its edges are 7, 7, 3 and 2, and of its corners these
    for turns, order in (("R U", 15), ("R U'", 9), ("R U R' U'", 6), ("R2 U2", 3)):
        solved = [n for n in range(1, 31) if KERNELS.solved(KERNELS.read(" ".join([turns] * n)).state)]
        assert solved[0] == order, turns


def test_the_upper_face_turns_clockwise():
    assert KERNELS.write(KERNELS.read("U").state) == "UUUU BBRR RRFF DDDD FFLL LLBB"
    assert KERNELS.write(KERNELS.read("R").state) == "UFUF RRRR FDFD DBDB LLLL UBUB"
    assert KERNELS.write(KERNELS.read("F").state) == "UULL URUR FFFF RRDD LDLD BBBB"


def test_one_move_is_made_on_many_cubes_at_once():
    random = np.random.default_rng(0)
    states = np.array([KERNELS.read(" ".join(random.choice(MOVES, 8))).state for _ in range(20)])
    for move in range(len(MOVES)):
        one_by_one = [KERNELS.apply(state, move) for state in states]
        assert np.array_equal(KERNELS.apply(states, move), one_by_one)


def test_the_cubes_of_each_depth_are_as_many_as_published(published):
    assert count_by_depth(KERNELS.read("U U'")) == published
    assert sum(published) == 5040 * 729


def test_plain_rules_count_the_same_cubes(published):
    frontier = seen = {PLAIN.goals()[0].tobytes()}
    for expected in published[:5]:
        assert len(frontier) == expected
        states = [np.frombuffer(key, np.uint8) for key in frontier]
        frontier = {PLAIN.apply(state, move).tobytes() for state in states for move in range(9)} - seen
        seen = seen | frontier


def test_a_corner_that_was_twisted_by_hand_is_an_objection():
    state = KERNELS.goals()[0]
    state[7] = 1
    assert "twisted corner" in (KERNELS.objection(state) or "")
    board = KERNELS.read(KERNELS.write(state))
    assert np.array_equal(board.state, state)
    assert solve(board).proof == "unsolvable"
    assert KERNELS.objection(KERNELS.read("far").state) is None


@pytest.mark.parametrize(
    ("name", "fewest"), [("far", 11), ("diagonal", 11), ("neighbours", 10), ("twists", 6), ("easy", 4)]
)
@pytest.mark.parametrize("puzzle", [KERNELS, PLAIN], ids=lambda puzzle: puzzle.name)
def test_the_examples_need_as_many_moves_as_they_say(puzzle, name, fewest):
    result = solve(puzzle.read(name))
    assert (result.length, result.proof) == (fewest, "optimal")


def test_moves_are_read():
    assert [KERNELS.read_move(text) for text in MOVES] == list(range(9))
    with pytest.raises(BadBoard, match="moves are U, U2"):
        KERNELS.read_move("D")
