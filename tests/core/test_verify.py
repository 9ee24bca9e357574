import pytest
from tests.objectives import Runs, Tolls

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.verify import Verdict, verify

TWO = "1 2 3 4 5 6 0 7 8"
"""Two moves from the goal: L, L."""
U, D, L, R = range(4)


def judged(puzzle: Puzzle, moves: tuple[int, ...] | None, **claims: object) -> Verdict:
    return verify(puzzle.read(TWO), Result(moves, **claims))


def test_a_right_answer_holds(eight: Puzzle) -> None:
    assert judged(eight, (L, L), proof="optimal", lower_bound=2) == Verdict(True)
    assert judged(eight, (L, L)) == Verdict(True)
    assert judged(eight, (D, U, L, L), lower_bound=2) == Verdict(True)


def test_no_moves_solve_a_solved_board(eight: Puzzle) -> None:
    assert verify(eight.read("1 2 3 4 5 6 7 8 0"), Result((), "optimal")) == Verdict(True)


def test_a_move_that_cannot_be_made_is_named_with_its_place(eight: Puzzle) -> None:
    verdict = judged(eight, (L, U, L))
    assert not verdict.holds
    assert verdict.step == 2
    assert verdict.reason == "move 2 of 3, U, cannot be made on 1 2 3 4 5 6 7 0 8"


@pytest.mark.parametrize("move", [4, -1, 99])
def test_a_number_that_is_no_move_is_named(eight: Puzzle, move: int) -> None:
    verdict = judged(eight, (L, move))
    assert verdict == Verdict(False, f"move 2 of 2, {move}, cannot be made on 1 2 3 4 5 6 7 0 8", 2)


def test_moves_that_end_elsewhere_are_told_where(eight: Puzzle) -> None:
    assert judged(eight, (L,)) == Verdict(False, "after all 1 moves the board is 1 2 3 4 5 6 7 0 8, not solved", 1)


@pytest.mark.parametrize(
    ("moves", "claims", "words"),
    [
        ((L, L), {"lower_bound": 4}, "2 moves are fewer than its own lower bound 4"),
        ((D, U, L, L), {"lower_bound": 2, "proof": "optimal"}, "claims 4 moves optimal with a lower bound of 2"),
        ((L, L), {"proof": "unsolvable"}, "claims to be unsolvable, and gives moves"),
        (None, {"proof": "optimal"}, "claims proof 'optimal' without any moves"),
        (None, {"proof": "unique"}, "claims proof 'unique' without any moves"),
    ],
)
def test_claims_that_contradict_themselves_do_not_hold(
    eight: Puzzle, moves: tuple[int, ...] | None, claims: dict[str, object], words: str
) -> None:
    verdict = judged(eight, moves, **claims)
    assert not verdict.holds
    assert verdict.reason == words


@pytest.mark.parametrize("stop", ["time", "nodes", "memory", "dead end", "interrupted"])
def test_no_answer_is_no_wrong_answer(eight: Puzzle, stop: str) -> None:
    assert judged(eight, None, stop=stop).holds


def test_published_solutions_hold(deepcubea) -> None:
    for known in deepcubea:
        moves = tuple(known.board.puzzle.read_move(letter) for letter in known.solution)
        assert len(moves) == known.length
        assert verify(known.board, Result(moves, "optimal", lower_bound=known.length)).holds


RUNS = Runs().read("aabb")
"""Both runs of two letters are removed for 4 points each."""
TOLLS = Tolls(((1, 0), (9, 2))).read("0")
"""The way right and down costs 2, the way down and right costs 11."""


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (Result((0, 0), score=8), ""),
        (Result((0, 0), score=8, upper_bound=8, proof="optimal"), ""),
        (Result((0, 0), score=8, upper_bound=9), ""),
        (Result((0, 0), score=9), "claims a score of 9, and the moves make 8"),
        (Result((0, 0), score=8, upper_bound=7), "a score of 8 is more than its own upper bound 7"),
        (
            Result((0, 0), score=8, upper_bound=9, proof="optimal"),
            "claims a score of 8 optimal with an upper bound of 9",
        ),
    ],
)
def test_a_score_and_its_bound_are_verified(result: Result, reason: str) -> None:
    assert verify(RUNS, result) == Verdict(not reason, reason)


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (Result((0, 2), cost=2), ""),
        (Result((0, 2), cost=2, lower_bound=2, proof="optimal"), ""),
        (Result((2, 0), cost=2), "claims that the moves cost 2, and they cost 11"),
        (Result((2, 0), cost=11, lower_bound=12), "a cost of 11 is less than its own lower bound 12"),
        (
            Result((2, 0), cost=11, lower_bound=2, proof="optimal"),
            "claims a cost of 11 optimal with a lower bound of 2",
        ),
    ],
)
def test_a_cost_and_its_bound_are_verified(result: Result, reason: str) -> None:
    assert verify(TOLLS, result) == Verdict(not reason, reason)


def test_a_cost_below_zero_is_an_error_of_the_puzzle() -> None:
    with pytest.raises(PuzzlelabError, match="a move has the cost -1, and a cost is at least 0"):
        verify(Tolls(((1, -1),)).read("0"), Result((0,), cost=-1))


def test_the_better_of_two_results_has_fewer_moves_a_lower_cost_or_a_higher_score() -> None:
    pairs = [
        (Result((0,)), Result((0, 1))),
        (Result((0, 1), cost=3), Result((0,), cost=4)),
        (Result((0, 1), score=9), Result((0,), score=8)),
        (Result((0, 1)), Result(None)),
    ]
    for better, worse in pairs:
        assert better.is_better_than(worse)
        assert not worse.is_better_than(better)
        assert not better.is_better_than(better)
