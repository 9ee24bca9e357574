"""Puzzles whose moves have costs or points: best-first searches prove the best sum, others refuse."""

import random
from dataclasses import replace

import pytest
from tests.objectives import Runs, Tolls, best_score, least_cost

from puzzlelab.core import registry
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.solver import require
from puzzlelab.core.verify import verify
from puzzlelab.engine.solving import solve

RUNS = Runs()
ROWS = [
    "bcabaabbbaba",
    "acbbccabac",
    "aabbaabbcc",
    "abbaccabba",
    "aabbccddee",
    "abcabcaabb",
    "aaaabbbbaaaa",
    "abababab",
    "abccbaabccba",
]
TOLLS = [
    Tolls(((1, 9, 1), (1, 9, 1), (1, 1, 1))),
    Tolls(tuple(tuple(random.Random(seed).choices(range(10), k=5)) for seed in range(4))),
    Tolls(((0, 0, 5, 0), (3, 0, 0, 0))),
]
KEEPS_SCORES = ["astar"]


def row_of(text: str) -> tuple[int, ...]:
    return RUNS.row(RUNS.read(text).state)


@pytest.mark.parametrize("row", ROWS)
def test_astar_proves_the_highest_score(row: str) -> None:
    board = RUNS.read(row)
    result = solve(registry.make_solver("astar", {}), board, Limit())
    assert (result.proof, result.score, result.upper_bound) == ("optimal", best_score(row_of(row)), result.score)
    assert (result.cost, result.lower_bound) == (None, 0)
    assert verify(board, result).holds


def test_the_shortest_game_is_not_the_best_one() -> None:
    result = solve(registry.make_solver("astar", {}), RUNS.read("aaaabbbbaaaa"), Limit())
    assert (result.length, result.score) == (2, 16 + 64)


def test_without_a_bound_nothing_is_proven() -> None:
    result = solve(registry.make_solver("astar", {}), Runs(admissible=False).read("aabbaabbcc"), Limit())
    assert (result.proof, result.upper_bound) == ("none", None)
    assert result.score is not None
    weighted = solve(registry.make_solver("astar", {"weight": 2}), RUNS.read("aabbaabbcc"), Limit())
    assert weighted.proof == "none"


def test_a_limit_keeps_the_bound_on_the_score() -> None:
    result = solve(registry.make_solver("astar", {}), RUNS.read("abccbaabccba"), Limit(nodes=2))
    assert (result.moves, result.score, result.stop) == (None, None, "nodes")
    assert result.upper_bound is not None
    assert result.upper_bound >= best_score(row_of("abccbaabccba"))


@pytest.mark.parametrize("puzzle", TOLLS)
def test_astar_proves_the_least_cost(puzzle: Tolls) -> None:
    board = puzzle.read("0")
    result = solve(registry.make_solver("astar", {}), board, Limit())
    assert (result.proof, result.cost, result.lower_bound) == ("optimal", least_cost(puzzle), least_cost(puzzle))
    assert (result.score, result.upper_bound) == (None, None)
    assert verify(board, result).holds


def test_a_detour_that_is_cheaper_is_taken() -> None:
    result = solve(registry.make_solver("astar", {}), TOLLS[0].read("0"), Limit())
    assert (result.length, result.cost) == (4, 4)


@pytest.mark.parametrize("name", ["bfs", "ida"])
@pytest.mark.parametrize(("board", "what"), [(RUNS.read("aabb"), "a score"), (TOLLS[0].read("0"), "costs")])
def test_a_solver_that_counts_moves_refuses(name: str, board, what: str) -> None:
    puzzle = board.puzzle
    with pytest.raises(Unsupported, match=f"{name} counts moves, and the moves of {puzzle.name} have {what}"):
        require(registry.make_solver(name, {"estimate": puzzle.estimate()} if name != "bfs" else {}), puzzle)


@pytest.mark.parametrize("row", ROWS)
def test_a_beam_that_drops_nothing_proves_the_highest_score(row: str) -> None:
    result = solve(registry.make_solver("beam", {"width": 10_000}), RUNS.read(row), Limit())
    assert (result.proof, result.score) == ("optimal", best_score(row_of(row)))


@pytest.mark.parametrize("puzzle", TOLLS)
def test_a_beam_that_drops_nothing_proves_the_least_cost(puzzle: Tolls) -> None:
    result = solve(registry.make_solver("beam", {}), puzzle.read("0"), Limit())
    assert (result.proof, result.cost) == ("optimal", least_cost(puzzle))


def test_a_wider_beam_finds_more_points() -> None:
    row = "abccbaabccba"
    narrow, wide = (
        solve(registry.make_solver("beam", {"width": width}), RUNS.read(row), Limit()) for width in (1, 100)
    )
    assert narrow.proof == "none"
    assert narrow.score <= wide.score == best_score(row_of(row))


POLICIES = [{"estimate": "letters", "policy": "values"}, {"estimate": "letters", "prior": "uniform"}]


@pytest.mark.parametrize("options", POLICIES)
@pytest.mark.parametrize("row", ROWS)
def test_uct_with_many_playouts_finds_the_highest_score(row: str, options: dict[str, str]) -> None:
    board = RUNS.read(row)
    result = solve(registry.make_solver("uct", {**options, "playouts": 2000}), board, Limit())
    assert result.score == best_score(row_of(row))
    assert verify(board, result).holds


@pytest.mark.parametrize("puzzle", TOLLS)
def test_uct_finds_the_least_cost(puzzle: Tolls) -> None:
    options = {"estimate": "none", "prior": "uniform", "playouts": 2000, "c_puct": 1, "finish": False}
    result = solve(registry.make_solver("uct", options), puzzle.read("0"), Limit())
    assert result.cost == least_cost(puzzle)


@pytest.mark.parametrize("name", ["greedy", "random", "portfolio"])
@pytest.mark.parametrize("board", [RUNS.read("abccbaabccba"), TOLLS[1].read("0")])
def test_every_solver_that_keeps_costs_names_the_sum_of_its_moves(name: str, board) -> None:
    options = {
        "greedy": {"estimate": board.puzzle.estimate(), "avoid_repeats": True},
        "portfolio": {"of": ["astar", "beam"]},
    }
    result = solve(registry.make_solver(name, options.get(name, {})), board, Limit())
    if result.moves is not None:
        total = objective_of(board.puzzle).total(board, result.moves)
        assert (result.score, result.cost) == ((-total, None) if isinstance(board.puzzle, Runs) else (None, total))
    assert verify(board, result).holds


def test_a_claimed_sum_is_replayed() -> None:
    board = RUNS.read("aabb")
    right = solve(registry.make_solver("astar", {}), board, Limit())
    assert right.score == 8
    for wrong, sentence in [
        ({"score": 9}, "claims a score of 9, and the moves make 8"),
        ({"upper_bound": 7}, "a score of 8 is more than its own upper bound 7"),
        ({"upper_bound": 9}, "claims a score of 8 optimal with an upper bound of 9"),
        ({"upper_bound": None}, "claims a score of 8 optimal with an upper bound of None"),
    ]:
        assert verify(board, replace(right, **wrong)).reason == sentence
    start = TOLLS[0].read("0")
    cheap = solve(registry.make_solver("astar", {}), start, Limit())
    for wrong, sentence in [
        ({"cost": 3}, "claims that the moves cost 3, and they cost 4"),
        ({"lower_bound": 3}, "claims a cost of 4 optimal with a lower bound of 3"),
        ({"lower_bound": 5, "proof": "none"}, "a cost of 4 is less than its own lower bound 5"),
    ]:
        assert verify(start, replace(cheap, **wrong)).reason == sentence
