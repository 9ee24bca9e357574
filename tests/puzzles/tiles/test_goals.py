"""Goals with equal tiles, and with places that do not matter, against a breadth-first search that knows neither."""

import itertools
from collections import deque
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.api import count, read_moves
from puzzlelab.conformance import check_puzzle
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Presentation
from puzzlelab.core.registry import load
from puzzlelab.core.verify import replay
from puzzlelab.core.views import Estimates, KernelRules, Planes, Samples
from puzzlelab.engine.batch_rules import estimated
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles.pattern_database import table_name
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.puzzles.tiles.solvers.lines import Lines
from puzzlelab.solvers.astar import Astar
from puzzlelab.solvers.bfs import Bfs
from puzzlelab.solvers.ida import Ida

EQUAL = "tiles-3x3:goal=1,1,1,2,2,2,3,3,0"
ROW = "tiles-3x3:goal=1,2,3,*,*,*,*,*,*"
NAMES = (
    *(
        EQUAL,
        ROW,
        "tiles-3x3:goal=1,2,3,*,*,*,*,*,0",
        "tiles-3x3:goal=0,1,2,*,*,*,*,*,*",
        "tiles-2x4:goal=*,2,*,4,5,6,7,1",
    ),
    *(
        "tiles-2x4:goal=1,1,2,2,0,3,3,1",
        "tiles-4x2:goal=*,*,*,*,*,*,7,0",
        "tiles-2x3:goal=5,5,5,5,5,0",
        "tiles-2x3:goal=*,*,*,*,*,*",
    ),
)
STEPS = {"U": (1, 0), "D": (-1, 0), "L": (0, 1), "R": (0, -1)}
"""The cell whose tile slides, from the blank."""


def hidden(goal: tuple[int, ...], board: tuple[int, ...]) -> tuple[int | None, ...]:
    """The board with None for all tiles that the goal does not name."""
    return tuple(tile if tile in goal or tile == 0 else None for tile in board)


def neighbours(board: tuple, rows: int, columns: int) -> list[tuple]:
    blank, found = board.index(0), []
    for down, right in STEPS.values():
        row, column = blank // columns + down, blank % columns + right
        if 0 <= row < rows and 0 <= column < columns:
            after, cell = list(board), row * columns + column
            after[blank], after[cell] = after[cell], 0
            found.append(tuple(after))
    return found


@cache
def truth(puzzle: Tiles) -> dict[tuple, tuple[int, int]]:
    """Hidden board -> its distance from the nearest goal, and the number of shortest solutions."""
    goal = puzzle.goal
    pieces = [*range(puzzle.cells)] if -1 in goal else sorted(goal)
    some = hidden(goal, tuple(pieces))
    ends = {
        board
        for board in set(itertools.permutations(some))
        if all(wanted in (-1, tile) for wanted, tile in zip(goal, board, strict=True))
    }
    known = dict.fromkeys(ends, (0, 1))
    queue = deque(ends)
    while queue:
        board = queue.popleft()
        distance, ways = known[board]
        for after in neighbours(board, puzzle.rows, puzzle.columns):
            if after not in known:
                known[after] = (distance + 1, 0)
                queue.append(after)
            if known[after][0] == distance + 1:
                known[after] = (distance + 1, known[after][1] + ways)
    return known


def boards(puzzle: Tiles, count: int, seed: int = 3) -> np.ndarray:
    return puzzle.view(Samples).scales["uniform"].sample(np.random.default_rng(seed), None, count)


# --- names and boards ---


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_that_of_the_puzzle(name: str) -> None:
    assert load(name).name == name
    assert load(f"{name}:moves=multi").name == f"{name}:moves=multi"


def test_goals_are_written_in_the_forms_of_boards() -> None:
    assert load("tiles-3x3:goal=111222330") == load("tiles-3x3:goal=1 1 1/2 2 2/3 3 0") == load(EQUAL)
    assert load("tiles-3x3:goal=123******") == load(ROW)
    for goal in ("1,2,3,4,5,6,7,*,0", "1,2,3,4,5,6,7,8,*"):
        assert load(f"tiles-3x3:goal={goal}") == load("tiles-3x3")
        assert load(f"tiles-3x3:goal={goal}").unnamed == ()


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("1,1,1,2,2,2,3,3,3", "a goal of 3x3 tiles has one blank (0), not 0"),
        ("0,0,1,2,2,2,3,3,3", "a goal of 3x3 tiles has one blank (0), not 2"),
        (
            "1,1,*,*,*,*,*,*,0",
            "a goal of 3x3 tiles with places that do not matter (*) names tile 1 once, or not at all",
        ),
        ("1,2,9,*,*,*,*,*,0", "each with a number from 0 to 8, or * where it does not matter what lies there"),
        ("1,2,*", "3 numbers given; the goal has 9, 0 for the blank"),
        ("1,2,?,*,*,*,*,*,0", "place 3: '?' is no number"),
    ],
)
def test_a_goal_that_no_board_has_is_refused(goal: str, words: str) -> None:
    with pytest.raises((BadOption, BadBoard)) as caught:
        load(f"tiles-3x3:goal={goal}")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "board", "words"),
    [
        (EQUAL, "1 1 1 1 2 2 3 3 0", "place 4: tile 1 stands here and at places 1, 2, 3; 2 is missing"),
        (EQUAL, "1 1 1 4 2 2 3 3 0", "place 4: there is no tile 4; tiles are 1, 2, 3, and 0 for the blank"),
        (ROW, "1 1 2 3 4 5 6 7 8", "place 2: tile 1 stands here and at place 1; 0 is missing"),
        (ROW, "1 2 3 * * * * * *", "place 4: '*' is no number"),
    ],
)
def test_a_board_of_other_tiles_is_refused(name: str, board: str, words: str) -> None:
    with pytest.raises(BadBoard) as caught:
        load(name).read(board)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    "text", ["1 1 2\n1 2 2\n3 3 _", "112/122/33.", "| 1 | 1 | 2 |\n| 1 | 2 | 2 |\n| 3 | 3 |   |", "112122330"]
)
def test_boards_with_equal_tiles_are_read_in_all_forms(text: str) -> None:
    assert load(EQUAL).read(text).state.tolist() == [1, 1, 2, 1, 2, 2, 3, 3, 0]


# --- rules ---


@pytest.mark.parametrize("name", [*NAMES, f"{EQUAL}:moves=multi", f"{ROW}:moves=multi"])
def test_the_puzzle_conforms(name: str) -> None:
    check_puzzle(load(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_board_has_an_objection_if_and_only_if_it_cannot_be_solved(name: str) -> None:
    puzzle = load(name)
    known, every = truth(puzzle), np.array([*itertools.permutations(puzzle.pieces)], np.uint8)
    some = every[np.random.default_rng(1).permutation(len(every))[:2_000]]
    can = [hidden(puzzle.goal, tuple(board.tolist())) in known for board in some]
    assert [puzzle.objection(board) is None for board in some] == can
    assert (~puzzle.has_objection(some)).tolist() == can


def test_tiles_that_may_stand_for_each_other_are_one_state_of_a_search() -> None:
    rules = load(ROW).view(KernelRules)
    states = np.array([[1, 2, 3, 4, 5, 6, 7, 8, 0], [1, 2, 3, 8, 7, 6, 5, 4, 0]], np.uint8)
    one, other = rules.starts(states)
    assert np.array_equal(one, other)
    assert np.array_equal(rules.decode(rules.encode(states)), states)
    again = rules.decode(one[None])[0]
    assert sorted(again.tolist()) == [*range(9)]
    assert np.array_equal(rules.starts(again[None])[0], one)


# --- estimates ---


@pytest.mark.parametrize("name", NAMES)
def test_no_bound_is_above_the_distance(name: str) -> None:
    puzzle = load(name)
    known, states = truth(puzzle), boards(puzzle, 400)
    distances = [known[hidden(puzzle.goal, tuple(board.tolist()))][0] for board in states]
    for bound in puzzle.view(Estimates).estimates:
        estimate = puzzle.view(Estimates).estimate(bound)
        assert (estimated(puzzle, estimate, states) <= distances).all()


def test_a_database_counts_the_moves_of_named_tiles_alone() -> None:
    puzzle = load("tiles-3x3:goal=1,2,3,4,*,*,*,*,*")
    known, states = truth(puzzle), boards(puzzle, 200)
    values = estimated(puzzle, puzzle.view(Estimates).estimate("pdb"), states)
    distances = np.array([known[hidden(puzzle.goal, tuple(board.tolist()))][0] for board in states])
    assert np.array_equal(values, estimated(puzzle, puzzle.view(Estimates).estimate("pdb:1,2,3,4"), states))
    assert values.mean() < distances.mean()
    assert (values > estimated(puzzle, puzzle.view(Estimates).estimate("manhattan"), states)).any()


def test_a_database_of_equal_tiles_is_not_that_of_others() -> None:
    names = [table_name(load(name), ((0, 1, 2, 3, 4, 5), (6, 7))) for name in ("tiles-3x3", EQUAL)]
    assert names[0] != names[1]
    alike = [table_name(load(name), ((0, 1, 2),)) for name in ("tiles-3x3", "tiles-3x3:goal=1,2,3,*,*,*,*,*,0")]
    assert alike[0] == alike[1]


def test_groups_name_each_of_the_equal_tiles_together() -> None:
    puzzle = load(EQUAL)
    states = boards(puzzle, 50)
    one, two = (estimated(puzzle, puzzle.view(Estimates).estimate(name), states) for name in ("pdb:1,2/3", "pdb"))
    assert np.array_equal(one, two)
    with pytest.raises(BadOption, match="must hold each of the tiles 1, 2, 3 at most once"):
        puzzle.view(Estimates).estimate("pdb:1,2/4")


@pytest.mark.parametrize("moves", ["", ":moves=multi"])
@pytest.mark.parametrize(
    "name", [EQUAL, "tiles-4x4:goal=************DEF0", f"tiles-4x4:goal={'1' * 15}0", f"tiles-6x6:goal={'1,' * 35}0"]
)
def test_proofs_rest_on_bounds_that_there_are(name: str, moves: str) -> None:
    puzzle = load(name + moves)
    known = puzzle.view(Estimates).estimates
    named = [options["estimate"] for _, options in puzzle.view(Presentation).provers if "estimate" in options]
    assert named
    assert {*named} <= {*known}


# --- solvers ---


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("solver", [Ida(), Ida(upper="beam"), Astar(), Bfs(), Bfs(bidirectional=True)], ids=str)
def test_solutions_are_the_shortest(name: str, solver: object) -> None:
    puzzle = load(name)
    known = truth(puzzle)
    for board in boards(puzzle, 4):
        result = solve(solver, Instance(puzzle, board), Limit())
        assert result.lower_bound == result.length
        assert result.length == known[hidden(puzzle.goal, tuple(board.tolist()))][0]
        assert replay(Instance(puzzle, board), result.moves).holds


@pytest.mark.parametrize("name", [EQUAL, ROW, "tiles-2x4:goal=1,1,2,2,0,3,3,1"])
def test_all_shortest_solutions_are_counted(name: str) -> None:
    puzzle = load(name)
    known = truth(puzzle)
    for board in boards(puzzle, 5):
        assert (
            count(Instance(puzzle, board), optimal=True).solutions
            == known[hidden(puzzle.goal, tuple(board.tolist()))][1]
        )


@given(seed=st.integers(0, 2**32))
def test_lines_gives_each_tile_a_place_of_its_own(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, columns = random.integers(2, 7, 2)
    goal = random.permutation(rows * columns)
    if random.random() < 0.5:
        goal = np.where(goal > 0, goal % random.integers(1, 4) + 1, 0)
    else:
        goal[random.random(goal.size) < 0.4] = -1
    puzzle = Tiles(int(rows), int(columns), tuple(goal.tolist()))
    for board in boards(puzzle, 3, seed):
        distinct = puzzle.distinct(board)
        assert distinct.puzzle.is_permutation
        assert not distinct.puzzle.objection(distinct.state)
        result = solve(Lines(), Instance(puzzle, board), Limit())
        assert replay(Instance(puzzle, board), result.moves).holds


def test_what_needs_a_place_for_each_tile_is_not_offered() -> None:
    for name in (EQUAL, ROW):
        puzzle = load(name)
        assert puzzle.view(Planes) is None
        assert {*puzzle.view(Samples).scales} == {"uniform", "walk"}
    with pytest.raises(BadBoard, match="tile 1 is there 3 times; write moves as letters or words"):
        read_moves(load(EQUAL).read("1 1 1 2 2 2 3 0 3"), "1")
