"""Arguments of a wrong type get a sentence that says what was expected and what came, and never a Python error."""

from fractions import Fraction

import numpy as np
import pytest

import puzzlelab
from puzzlelab import BadBoard, BadInput, BadOption, Estimate, Instance, Limit, UnknownName, Unsupported
from puzzlelab.core.errors import UnknownOption
from puzzlelab.solvers.ida import Ida

TILES = puzzlelab.load("tiles-3x3")
FIFTEEN = puzzlelab.load("tiles-4x4")
SUDOKU = puzzlelab.load("sudoku-9x9")
DUST = puzzlelab.load("dust-8x6x5")
TEXT = "8 6 7 2 5 4 3 0 1"
B = TILES.read(TEXT)
NUMBERS = [8, 6, 7, 2, 5, 4, 3, 0, 1]
BOARD = "the board must be an Instance, as puzzle.read(text) or Instance.of(puzzle, values) gives it, not "
SOLVER = "the solver must be a name such as 'ida', or what puzzlelab.solver('ida') gives, not "
PUZZLE = "the puzzle must be a name such as 'tiles-4x4', or what puzzlelab.load('tiles-4x4') gives, not "
LEVEL = "the level must be a whole number such as 15, a range such as (10, 20), or a text such as '10-20', not "
VALUES = "the values of a board must be a text, or a list or an array of numbers, not "
STATE = "a state must be an array [S], not "
MADE = "; Instance.of(puzzle, values) reads and checks numbers and texts"
NINE = Instance(TILES, np.array([9, 6, 7, 2, 5, 4, 3, 0, 1], np.uint8))
REAL = Instance(TILES, np.array(NUMBERS, float))
NO_NINE = "[9, 6, 7, 2, 5, 4, 3, 0, 1] is no board of tiles-3x3: place 1: there is no tile 9; tiles are 1 to 8, and 0"
ESTIMATE = (
    "the estimate must be the name of an estimate such as 'manhattan', of a network such as 'net', or an Estimate"
)


def many(*arguments, **options):
    return list(puzzlelab.solve_many(*arguments, **options))


def made(*arguments, **options):
    return list(puzzlelab.generate(*arguments, **options))


CALLS = {
    # random boards
    "made(TILES, seed=1, rng=2)": (BadOption, "give a seed or rng, not both"),
    "made(TILES, rng='x')": (BadOption, "rng must be a generator of NumPy, or what"),
    # boards
    **{
        f"{name}(TEXT{more})": (BadBoard, BOARD + f"the text '{TEXT}'")
        for name, more in {
            **dict.fromkeys(("solve", "attempts", "check", "hint", "count", "solutions"), ""),
            "analyse": ", [0]",
            "verify": ", None",
        }.items()
    },
    "solve(Instance('tiles-3x3', B.state))": (BadOption, "the puzzle of a board must be a puzzle, as"),
    "solve(NINE)": (BadBoard, NO_NINE),
    "solve(REAL)": (BadBoard, "a state of tiles-3x3 is uint8[S], not float64[S]; see Instance.of"),
    "many([TEXT])": (BadBoard, BOARD.replace("the board must", "board 1 must") + f"the text '{TEXT}'"),
    "many(B)": (BadBoard, "must be a list or another iterable of boards (solve takes a single one), not an Instance"),
    "many(TEXT)": (
        BadBoard,
        f"the boards must be a list or another iterable of boards (solve takes a single one), not the text '{TEXT}'",
    ),
    "many(5)": (BadBoard, "must be a list or another iterable of boards (solve takes a single one), not the number 5"),
    # boards from values
    "Instance(TILES, NUMBERS)": (BadBoard, STATE + "a list" + MADE),
    "Instance(TILES, B.state.reshape(3, 3))": (BadBoard, STATE + "an array [3, 3]" + MADE),
    "Instance.of(TILES, [9, *NUMBERS[1:]])": (BadBoard, NO_NINE),
    "Instance.of(TILES, [8, *NUMBERS[:-1]])": (BadBoard, "place 2: tile 8 stands here and at place 1; 1 is missing"),
    "Instance.of(TILES, NUMBERS[1:])": (BadBoard, "[6, 7, 2, 5, 4, 3, 0, 1] is no board of tiles-3x3: 8 numbers given"),
    "Instance.of(TILES, None)": (BadBoard, VALUES + "None"),
    "Instance.of(TILES, [[1, 2], [3]])": (BadBoard, "not lists of different lengths"),
    "Instance.of(TILES, np.zeros((3, 3, 1)))": (BadBoard, VALUES + "an array of 3 dimensions"),
    "Instance.of('tiles-3x3', NUMBERS)": (BadOption, "must be a puzzle, as puzzlelab.load gives it, not the text"),
    "TILES.read(NUMBERS)": (BadBoard, "reads a board from a text, not from a list; see Instance.of for numbers"),
    "TILES.read_move(5)": (BadBoard, "tiles-3x3 reads a move from a text, not from the number 5"),
    "SUDOKU.read_move(None)": (BadBoard, "sudoku-9x9 reads a move from a text, not from None"),
    "many(puzzlelab.Boards(TILES, NINE.state[None].astype(int)))": (BadBoard, NO_NINE),
    "many(puzzlelab.Boards(TILES, np.stack([B.state, NINE.state])), 'bfs')": (BadBoard, NO_NINE),
    "many(puzzlelab.Boards(TILES, np.array([NUMBERS, [8, 300] + NUMBERS[2:]])))": (BadBoard, "uint8[B, S], and this"),
    "many(puzzlelab.Boards(TILES, np.array([NUMBERS[1:]])))": (BadBoard, "is no board of tiles-3x3: 8 numbers given"),
    "many(puzzlelab.Boards(TILES, B.state.reshape(1, 3, 3)))": (BadBoard, "[S], not an array uint8[1, 3, 3]"),
    "many(puzzlelab.Boards(SUDOKU, np.full((1, 81), 77)))": (
        BadBoard,
        "cannot write its 81 values, which are 77 to 77",
    ),
    # limits
    "solve(B, limit=5)": (BadOption, "limit must be a Limit, such as puzzlelab.Limit(seconds=60), not the number 5"),
    "prove(B, solve(B), limit=5)": (BadOption, "the limit must be a Limit"),
    "Limit(seconds='a')": (BadOption, "a limit on time must be a number of seconds, not the text 'a'"),
    "Limit(nodes=2.5)": (BadOption, "a limit on nodes must be a whole number, not the number 2.5"),
    "Limit(memory='2G')": (BadOption, "a whole number of bytes, such as 2 * 2**30, not the text '2G'"),
    # solvers
    "solve(B, solver=5)": (BadOption, SOLVER + "the number 5"),
    "solve(B, solver=Ida)": (BadOption, SOLVER + "the class Ida"),
    "solve(B, Ida(), estimate='pdb')": (BadOption, "solver ida is made already: give it the option 'estimate' where"),
    "solve(B, 'idaa:jobs=2')": (UnknownName, "there is no solver 'idaa'; did you mean 'ida'?"),
    "solve(B, 'ida:job=2')": (UnknownOption, "ida has no option 'job'; did you mean 'jobs'?"),
    "solve(B, 'ida:jobs=2', jobs=1)": (BadOption, "the option 'jobs' has two values: 2 in 'ida:jobs=2', and 1"),
    "solve(B, 'ida:jobs')": (BadOption, "'ida:jobs' is no solver with options; write name:option=value:option=value"),
    "solve(B, 'astar', weight=float('nan'))": (BadOption, "astar: the option 'weight' cannot be 'nan'"),
    "solve(B, 'ida', jobs='two')": (BadOption, "ida: the option 'jobs' cannot be 'two'"),
    "solve(B, watch=3)": (BadOption, "`watch` must be a function that is called with every attempt, not the number 3"),
    "solver(5)": (BadOption, "the name of a solver must be a text such as 'ida' or 'beam:width=100', not the number 5"),
    "solver(puzzle=5)": (BadOption, PUZZLE + "the number 5"),
    "many([B], jobs='2')": (BadOption, "the number of jobs must be a whole number, not the text '2'"),
    # puzzles
    "load(5)": (BadOption, "the name of a puzzle must be a text such as 'tiles-4x4', not the number 5"),
    "load('tiles-3x3', puzzlelab.Dust)": (BadOption, "tiles-3x3 is of the class Tiles, not Dust"),
    "load('tiles-3x3', 'Tiles')": (BadOption, "be a class of puzzles such as puzzlelab.Tiles, not the text 'Tiles'"),
    # new boards
    "made(5)": (BadOption, PUZZLE + "the number 5"),
    "made('tiles-3x3', count=0)": (BadOption, "the number of boards must be at least 1, not 0"),
    "made('tiles-3x3', seed='x')": (BadOption, "the seed must be a whole number, not the text 'x'"),
    "made('tiles-3x3', scale=5)": (BadOption, "the scale must be a text such as 'uniform', not the number 5"),
    "made('tiles-3x3', level=1.5)": (BadOption, LEVEL + "the number 1.5"),
    "made('tiles-3x3', level=(12, 5))": (BadOption, "'12-5' is no range of levels; write 10-20, or 15"),
    # results and moves
    "verify(B, None)": (BadOption, "the result must be a Result, as puzzlelab.solve gives it, not None"),
    "analyse(B, None)": (BadOption, "the moves must be a list of numbers, such as result.moves, or a text such as"),
    "analyse(B, [99])": (BadBoard, "move 1 of 1: 99 is none of the moves 0 to 3"),
    "analyse(B, ['U'])": (BadOption, "move 1 must be a whole number, not the text 'U'"),
    "analyse(B, 'U X')": (BadBoard, "move 2 of 2: 'X' is no move; moves are U, D, L and R"),
    "count(SUDOKU.read('many'), most='2')": (BadOption, "the number of solutions must be a whole number, not the text"),
    # estimates and networks
    "estimate(5, 'pdb', B)": (BadOption, PUZZLE + "the number 5"),
    "estimate(TILES, 5, B)": (BadOption, ESTIMATE + ", not the number 5"),
    "estimate(TILES, 'manhatan', B)": (UnknownName, "no estimate of tiles-3x3 'manhatan'; did you mean 'manhattan'?"),
    "estimate(SUDOKU, None, SUDOKU.read('easy'))": (Unsupported, "sudoku-9x9 has no estimates of its own; "),
    "estimate(TILES, 'pdb', TEXT)": (
        BadBoard,
        f"the states must be an array [B, S] or [S], or boards, not the text '{TEXT}'",
    ),
    "estimate(TILES, 'pdb', NUMBERS)": (BadBoard, "as puzzle.read gives it (numbers are given as an array), not"),
    "estimate(TILES, 'pdb', FIFTEEN.read('0123456789abcdef'))": (BadBoard, "is one of tiles-4x4, not of tiles-3x3"),
    "estimate(TILES, 'pdb', np.zeros((2, 3, 3)))": (BadBoard, "numbers [B, S] or [S], not an array float64[2, 3, 3]"),
    "estimate(TILES, 'pdb', np.arange(16))": (BadBoard, "is no board of tiles-3x3: 16 numbers given; tiles-3x3 has 9"),
    "estimate(TILES, 'pdb', np.stack([B.state, NINE.state]))": (BadBoard, NO_NINE),
    "estimate(TILES, 'pdb', np.stack([B.state, B.state - 0.5]))": (BadBoard, "uint8[B, S], and this array has other"),
    "estimate(TILES, Estimate('x', False, scores=lambda s: s), B)": (BadOption, "give float[B], a number for each"),
    "network(TILES, 5)": (BadOption, "the name of a network must be a text such as 'best', not the number 5"),
    "network(TILES, 'nothing')": (BadInput, "nothing"),
    "network(SUDOKU).estimate(SUDOKU.read('easy'))": (Unsupported, "estimate: its heads are policy, not cost_to_go"),
    "network(TILES, 'tiles-3x3-values').prior(B)": (Unsupported, "prior: its heads are cost_to_go, not policy or q"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_call_gets_a_sentence(call):
    kind, words = CALLS[call]
    names = {name: getattr(puzzlelab, name) for name in puzzlelab.__all__}
    with pytest.raises(BadInput) as caught:
        eval(call, {**globals(), **names})
    assert words in str(caught.value)
    assert type(caught.value) is kind or kind is BadInput


@pytest.mark.parametrize("level", [12, np.int64(12), 12.0, "12", (12, 12), [12, 12], "12-12"])
def test_a_level_may_be_a_number_a_range_or_a_text(level):
    assert made("tiles-3x3", 3, level=level) == made("tiles-3x3", 3, level="12")


def test_a_range_of_levels_is_a_pair_or_a_text():
    boards = made(TILES, 4, level=(3, np.int32(6)))
    assert boards == made("tiles-3x3", 4, level="3-6")
    assert [puzzlelab.check(board).difficulty["level"] for board in boards] == [3, 4, 5, 6]


def test_numbers_of_numpy_are_numbers():
    limit = Limit(np.float64(60), np.int64(10**6), np.uint32(2**31))
    assert limit == Limit(60.0, 10**6, 2**31)
    assert [type(value) for value in (limit.seconds, limit.nodes, limit.memory)] == [float, int, int]
    assert Limit(nodes=1e6) == Limit(nodes=10**6)
    assert Limit(seconds=Fraction(1, 2)).seconds == 0.5
    assert made("tiles-3x3", np.int64(2), seed=np.uint8(7)) == made("tiles-3x3", 2, seed=7)
    assert [result.length for result in many([B], "ida", jobs=np.int64(1))] == [31]
    assert puzzlelab.solve(B, "beam", width=np.int64(50)).length == puzzlelab.solve(B, "beam", width=50).length
    assert puzzlelab.count(SUDOKU.read("many"), most=np.int64(3)).solutions == 3


def test_the_moves_of_a_game_may_be_a_text():
    moves = [TILES.read_move(name) for name in "DRU"]
    assert puzzlelab.analyse(B, "D R U").steps == puzzlelab.analyse(B, np.array(moves)).steps
    assert puzzlelab.analyse(B, tuple(moves)).total == puzzlelab.analyse(B, "D;R;U").total


def test_the_name_of_a_solver_may_have_options():
    beam = puzzlelab.solver("beam", width=100, estimate="manhattan")
    assert puzzlelab.solver("beam:width=100:estimate=manhattan") == beam
    assert puzzlelab.solver("beam:width=100", width=100, estimate="manhattan") == beam
    assert puzzlelab.solver("beam:width=100", width=None).options()["width"] == 100
    assert puzzlelab.solve(B, "ida:estimate=walking").length == 31
    assert [result.length for result in many([B, B], "ida:estimate=walking", jobs=1)] == [31, 31]
    assert puzzlelab.prove(B, puzzlelab.solve(B), claimed_by="ida:estimate=conflicts").outcome == "proven"
    assert puzzlelab.prove(B, puzzlelab.solve(B), claimed_by=Ida()).outcome == "proven"


def test_many_boards_are_checked_before_the_first_is_solved():
    for arguments, options in (((B,), {}), (([B], "idaa"), {}), (([B],), {"limit": 5}), (([B],), {"jobs": "x"})):
        with pytest.raises(BadInput):
            puzzlelab.solve_many(*arguments, **options)


def test_an_error_of_a_solver_stays_where_the_board_is_good():
    def broken(states):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        puzzlelab.estimate(TILES, Estimate("broken", False, scores=broken), B)
    with pytest.raises(ValueError, match="mine"):
        puzzlelab.solve(B, "astar", estimate=Estimate("broken", False, scores=broken))
