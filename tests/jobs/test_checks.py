"""What is said of a board before it is solved."""

import json

import pytest

from puzzlelab import Limit, Unsupported, check, load
from puzzlelab.core import registry
from puzzlelab.core.boards import Boards
from puzzlelab.jobs.checks import check_facts, check_many, check_parts
from puzzlelab.jobs.serialise import json_lines

ODD = "1 2 3 4 5 6 8 7 0"


def checked(name, board, **options):
    return check(load(name).read(board), **options)


def test_nothing_speaks_against_a_good_board():
    told = checked("tiles-3x3", "8 6 7 2 5 4 3 0 1")
    assert (told.ok, told.unsolvable, told.solutions, told.witnesses) == (True, False, None, ())
    assert told.difficulty == {"level": 23, "distance": 31}


def test_a_board_that_cannot_be_solved_has_no_solution():
    told = checked("tiles-3x3", ODD)
    assert (told.ok, told.unsolvable, told.solutions) == (False, True, 0)
    assert told.objections[0].startswith("cannot be solved: odd permutation")


def test_exactly_one_solution():
    told = checked("sudoku-4x4", "small")
    assert (told.ok, told.solutions, told.objections) == (True, 1, ())


def test_two_solutions_are_shown_where_they_differ():
    puzzle = load("sudoku-4x4")
    told = checked("sudoku-4x4", "." * 16)
    assert (told.ok, told.unsolvable, told.solutions) == (False, False, 2)
    assert told.objections[-1].startswith("more than one solution; two of them differ in ")
    first, second = told.witnesses
    assert puzzle.solved(first)
    assert puzzle.solved(second)
    assert (first != second).any()


def test_what_is_not_known_in_time_is_no_fact():
    told = checked("sudoku-25x25", "large", limit=Limit(seconds=1e-6))
    assert (told.ok, told.unsolvable, told.solutions, told.stop) == (False, False, None, "time")
    assert told.objections == ("no solution was found within 1e-06 s",)


def test_remarks_of_the_puzzle_stand_beside_the_solutions():
    told = checked("sudoku-9x9", "." * 81)
    assert told.objections[0].startswith("0 clues: ")
    assert len(told.objections) == 2


def test_a_solver_that_cannot_list_is_refused():
    with pytest.raises(Unsupported):
        checked("sudoku-4x4", "." * 16, solver="random")


def test_facts():
    facts = check_facts(checked("tiles-3x3", ODD))
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["ok"], facts["solutions"]) == (False, 0)
    assert set(facts) == {"ok", "objections", "unsolvable", "solutions", "difficulty", "patterns"}


# --- many boards ---

MANY = {
    "sudoku-9x9": [
        "easy",
        "inkala",
        "11" + "." * 79,
        ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........",
        "." * 81,
        ".2....984..5..4..7...7.9...............97..138..4..5..5.3.427.12....7.45...1...9.",
        "954782136862153794371694258245976381693218547187345629519437862436821975728569413",
    ],
    "sudoku-4x4": ["small", "." * 16, "11" + "." * 14],
    "tiles-3x3": ["8 6 7 2 5 4 3 0 1", ODD, "1 2 3 4 5 6 7 8 0"],
    "tiles-4x4": ["1 2 3 4 5 6 7 8 9 10 11 12 13 15 14 0", "5 1 2 4 6 10 3 8 13 9 7 12 0 14 11 15"],
    "dust-4x4x3": ["." * 16, "1" * 16],
}


def boards_of(name):
    puzzle = load(name)
    return Boards.of([puzzle.read(text) for text in MANY[name]])


def values_of(told):
    return vars(told) | {"difficulty": list(told.difficulty.items()), "witnesses": tuple(map(bytes, told.witnesses))}


@pytest.mark.parametrize("limit", [Limit(), Limit(seconds=10), Limit(nodes=1), Limit(nodes=20)])
@pytest.mark.parametrize("name", MANY)
def test_many_boards_are_checked_as_each_by_itself(name, limit):
    boards, solver = boards_of(name), registry.solver(None, load(name))
    together = check_many(boards, solver, limit)
    assert list(map(values_of, together)) == [values_of(check(board, limit=limit)) for board in boards]
    assert [told.ok for told in together] == [not told.objections for told in together]


def test_a_time_that_no_batch_can_keep_is_kept():
    boards = boards_of("sudoku-9x9")
    outcomes = check_many(boards, registry.solver("bands"), Limit(seconds=1e-6))
    assert [outcome.stop for outcome in outcomes[4:6]] == ["time", "time"]
    parts = check_parts(boards, registry.solver("bands"), Limit(memory=1))
    assert [len(checks) for _, checks in parts] == [1] * len(boards)


@pytest.mark.parametrize("name", MANY)
def test_json_lines_are_the_facts(name):
    boards, begin = boards_of(name), 0
    for part, checks in check_parts(boards, registry.solver(None, load(name)), Limit()):
        assert part.states.tolist() == boards[begin : begin + len(part)].states.tolist()
        begin += len(part)
        for board, told, line in zip(part, checks, json_lines(part, checks, check_facts), strict=True):
            facts = {"puzzle": name, "board": board.puzzle.write(board.state), **check_facts(told)}
            assert line == json.dumps(facts)
    assert begin == len(boards)


def test_boards_of_equal_difficulty_share_a_check():
    puzzle = load("tiles-4x4")
    boards = Boards(puzzle, boards_of("tiles-4x4").states[[1, 1, 1]])
    checks = check_many(boards, registry.solver(None, puzzle), Limit())
    assert checks[0] is checks[1] is checks[2]


def test_boards_with_several_solutions_are_checked_together():
    parts = list(check_parts(boards_of("sudoku-9x9"), registry.solver("bands"), Limit()))
    assert [len(checks) for _, checks in parts] == [7]
    puzzle, several = load("sudoku-9x9"), [check for _, checks in parts for check in checks if check.solutions == 2]
    assert several
    for each in several:
        first, second = each.witnesses
        assert puzzle.solved(first)
        assert puzzle.solved(second)
        assert f"two of them differ in {(first != second).sum()} places" in each.objections[-1]
