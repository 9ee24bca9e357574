"""The public face: names become puzzles and solvers, boards become answers, in order and on several threads."""

from dataclasses import replace

import numpy as np
import pytest

import puzzlelab
from puzzlelab import (
    BadBoard,
    Boards,
    Estimate,
    Instance,
    Limit,
    Progress,
    Result,
    UnknownName,
    Unsupported,
)
from puzzlelab.core.views import KernelRules, Samples
from puzzlelab.puzzles.tiles.exact_distances_kernels import distances, rank_of
from puzzlelab.solvers.astar import Astar
from puzzlelab.solvers.greedy import Greedy
from puzzlelab.solvers.ida import Ida

FARTHEST = "8 6 7 2 5 4 3 0 1"
ODD = "1 2 3 4 5 6 8 7 0"
SUDOKUS = [
    "......1..2.48.7..31......54..293...5..........1..54....9.......7....8.6..8..46.3.",
    "." * 81,
    "11" + "." * 79,
]


def timeless(result):
    return replace(result, seconds=0.0)


@pytest.fixture
def boards(eight):
    """Boards that are 0 to 24 moves from the goal."""
    scale = eight.view(Samples).scales["distance"]
    return [Instance(eight, scale.sample(np.random.default_rng(distance), distance, 1)[0]) for distance in range(25)]


def test_a_solver_by_name_with_options():
    assert puzzlelab.solver("astar", weight=2) == Astar(weight=2)
    assert puzzlelab.solver("depth_first", depth=3) == puzzlelab.solver("depth-first", depth=3)
    assert puzzlelab.solver("ida", estimate=None) == Ida()


def test_the_usual_solver_of_a_puzzle():
    assert puzzlelab.solver(puzzle=puzzlelab.load("tiles-4x4", puzzlelab.Tiles)).name == "ida"
    large = puzzlelab.solver(puzzle=puzzlelab.load("tiles-5x5"), estimate="manhattan")
    assert large.name == "beam"
    assert (large.options()["width"], large.options()["patience"]) == (None, 10)
    assert large.options()["estimate"] == "manhattan"
    assert puzzlelab.solver().name == "bfs"


def test_solve_with_the_usual_solver(eight):
    result = puzzlelab.solve(eight.read(FARTHEST))
    assert (result.length, result.proof, result.stop) == (31, "optimal", "done")


@pytest.mark.parametrize("solver", ["astar", Astar(estimate="walking")], ids=["a name", "a solver"])
def test_solve_with_a_solver(eight, solver):
    board = eight.read(FARTHEST)
    result = puzzlelab.solve(board, solver)
    assert (result.length, result.proof) == (31, "optimal")
    assert puzzlelab.verify(board, result).holds


def test_a_board_with_an_objection_is_not_searched(eight):
    for solver in ("ida", "astar", "beam", "bfs"):
        result = puzzlelab.solve(eight.read(ODD), solver)
        assert (result.moves, result.proof, result.expanded) == (None, "unsolvable", 0)
        assert result.reason.startswith("odd permutation: no sequence of moves reaches the goal")


def test_a_puzzle_that_does_not_suit_a_solver_is_named(corridor):
    with pytest.raises(Unsupported, match="astar cannot solve corridor-9, which offers no view 'Estimates'"):
        puzzlelab.solve(corridor().read("5"), "astar")


def test_a_puzzle_without_a_usual_solver_is_solved_breadth_first(corridor):
    assert puzzlelab.solve(corridor().read("5")).length == 5


def test_attempts_tell_of_progress_and_end_with_the_answer(eight):
    board = eight.read(FARTHEST)
    seen = list(puzzlelab.attempts(board, "astar", estimate="manhattan"))
    assert isinstance(seen[-1], Result)
    assert any(isinstance(attempt, Progress) for attempt in seen)
    assert timeless(seen[-1]) == timeless(puzzlelab.solve(board, "astar", estimate="manhattan"))


def test_solve_keeps_its_limit_and_shows_what_it_does(eight):
    seen = []
    result = puzzlelab.solve(eight.read(FARTHEST), "bfs", Limit(nodes=100), watch=lambda attempt: seen.append(attempt))
    assert (result.moves, result.stop, result.expanded) == (None, "nodes", 100)
    assert seen[-1].expanded == 100


def test_many_boards_are_answered_in_their_order(boards):
    shuffled = [boards[place] for place in np.random.default_rng(0).permutation(25)]
    expected = [boards.index(board) for board in shuffled]
    for jobs in (1, 2, None):
        found = list(puzzlelab.solve_many(shuffled, "ida", jobs=jobs, estimate="manhattan"))
        assert [result.length for result in found] == expected


@pytest.mark.parametrize("solver", ["ida", "astar", "beam", "bfs"])
def test_two_threads_give_the_same_answers_as_one(boards, solver):
    one, two = (list(puzzlelab.solve_many(boards, solver, jobs=jobs)) for jobs in (1, 2))
    assert [timeless(result) for result in one] == [timeless(result) for result in two]


def test_many_boards_keep_a_limit_each(boards):
    found = list(puzzlelab.solve_many(boards, "bfs", Limit(nodes=50), jobs=2))
    assert [result.stop for result in found[:5]] == ["done"] * 5
    assert [(result.stop, result.expanded) for result in found[10:]] == [("nodes", 50)] * 15


def test_boards_without_a_solution_do_not_stop_the_others(eight, boards):
    found = puzzlelab.solve_many([eight.read(ODD), boards[3], eight.read(ODD), boards[4]], jobs=2)
    assert [(result.length, result.proof) for result in found] == [
        (None, "unsolvable"),
        (3, "optimal"),
        (None, "unsolvable"),
        (4, "optimal"),
    ]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("solver", ["ida", "astar:estimate=manhattan", "bands"])
def test_a_table_has_the_answers_of_solve_many(eight, boards, solver, jobs):
    pytest.importorskip("pyarrow")
    if solver == "bands":
        boards = [puzzlelab.load("sudoku-9x9").read(each) for each in SUDOKUS]
    else:
        boards = [*boards, eight.read(ODD)]
    states = np.array([board.state for board in boards])
    batches = [Boards(boards[0].puzzle, states.astype(kind)) for kind in ("uint8", "int32", "int64")]
    found = [result.to_dict() for result in puzzlelab.solve_many(boards, solver, jobs=jobs)]
    for given in (boards, iter(boards), *batches):
        rows = puzzlelab.solve_table(given, solver, jobs=jobs).to_pylist()
        assert [row["verified"] for row in rows] == [True] * len(boards)
        for name in ("puzzle", "board", "moves", "length", "proof", "reason", "stop", "lower_bound", "expanded"):
            assert [row[name] for row in rows] == [each[name] for each in found]


def test_a_table_can_be_read_as_rows_and_as_arrays(boards):
    pytest.importorskip("pyarrow")
    table = puzzlelab.solve_table(boards, "ida", Limit(nodes=10**6), estimate="manhattan")
    assert table["length"].to_numpy().tolist() == list(range(25))
    row = puzzlelab.Row(**{**table.to_pylist()[3], "options": {}, "limit": {}})
    assert row.check(boards[3].puzzle).holds


def test_a_table_without_boards_has_all_columns():
    pytest.importorskip("pyarrow")
    table = puzzlelab.solve_table([])
    assert (table.num_rows, table.schema.names) == (0, list(puzzlelab.Row.model_fields))


def test_wrong_arguments_of_a_table_are_named(boards):
    pytest.importorskip("pyarrow")
    with pytest.raises(UnknownName, match="did you mean 'ida'"):
        puzzlelab.solve_table(boards, "idaa")
    with pytest.raises(BadBoard, match="the boards"):
        puzzlelab.solve_table(boards[0])
    with pytest.raises(BadBoard, match="board 2"):
        puzzlelab.solve_table([boards[0], "1 2 3"], jobs=1)


def test_no_boards_have_no_answers():
    assert list(puzzlelab.solve_many([])) == []


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("solver", ["astar:estimate=manhattan", "ida"])
def test_boards_are_taken_as_they_are_needed(boards, jobs, solver):
    def as_good_as_endless():
        for number in range(1_000_000):
            yield boards[number % 5]
        pytest.fail("all boards were taken before the first answers were read")

    answers = puzzlelab.solve_many(as_good_as_endless(), solver, jobs=jobs)
    assert [next(answers).length for _ in range(7)] == [0, 1, 2, 3, 4, 0, 1]
    answers.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_answers_that_nobody_waits_for_are_given_up(jobs):
    hard = puzzlelab.load("tiles-4x4").read("12 10 6 0 9 8 13 15 11 7 3 2 5 4 14 1")
    easy = puzzlelab.load("tiles-4x4").read("1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15")
    answers = puzzlelab.solve_many([easy, easy, hard, hard], "ida", Limit(), jobs=jobs, estimate="manhattan")
    assert next(answers).length == 1
    assert next(answers).length == 1
    answers.close()  # would take ten minutes if it waited for the answers


@pytest.mark.parametrize("jobs", [1, 2])
def test_many_boards_are_played_side_by_side_by_a_solver_that_can(boards, eight, jobs, monkeypatch):
    table = distances(eight).distance
    true = Estimate(
        "true", True, scores=lambda states: [table[rank_of(each)] for each in eight.view(KernelRules).encode(states)]
    )
    portions = []
    batch = Greedy.solve_batch
    monkeypatch.setattr(
        Greedy,
        "solve_batch",
        lambda self, asked, limit, over: (
            (limit.nodes != 1 and portions.append(len(asked))) or batch(self, asked, limit, over)
        ),
    )
    monkeypatch.setattr("puzzlelab.jobs.solve_parts.BATCH", 10)
    asked = [*boards, eight.read(ODD)]
    found = list(puzzlelab.solve_many(asked, "greedy", jobs=jobs, estimate=true))
    assert [result.length for result in found] == [*range(25), None]
    assert [timeless(result) for result in found[:25]] == [
        timeless(puzzlelab.solve(board, "greedy", estimate=true)) for board in boards
    ]
    assert sorted(portions) == [5, 10, 10]


def test_the_boards_of_all_batches_are_counted_for_the_sample_of_plain_replays(boards, monkeypatch):
    import puzzlelab.engine.solving as module

    numbers, real = [], module.verified

    def verified(answers):
        numbers.extend(answers.boards.numbers.tolist())
        return real(answers)

    monkeypatch.setattr(module, "verified", verified)
    list(puzzlelab.solve_many(boards, "ida", jobs=1, estimate="manhattan"))
    assert numbers == list(range(len(boards)))


def test_a_generator_may_stand_in_place_of_a_seed() -> None:
    def boards(**options):
        return [board.state.tolist() for board in puzzlelab.generate("tiles-3x3", count=3, **options)]

    assert boards(rng=7) == boards(seed=7)
    assert boards() == boards(seed=0)
    random = np.random.default_rng(1)
    first = boards(rng=random)
    assert first != boards(rng=random)
    assert first == boards(rng=np.random.default_rng(1))
