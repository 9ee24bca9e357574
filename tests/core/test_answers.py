"""The columns of many answers: they are the results, also in parts, and counts of solutions are a sequence too."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.core.answers import Answers, BatchTime, Counts, joined
from puzzlelab.core.boards import Boards
from puzzlelab.core.result import Count, Result

BOARDS = Boards(load("tiles-2x2"), np.array([[1, 2, 3, 0], [1, 2, 0, 3], [1, 0, 3, 2], [2, 1, 3, 0]], np.uint8))
RESULTS = [
    Result((), "optimal", expanded=1, seconds=0.25),
    Result((2,), "optimal", lower_bound=1, expanded=7, generated=9, seconds=0.5),
    Result((1, 3, 2), stop="nodes", evaluations=3, seconds=1.0),
    Result(None, "unsolvable", reason="an odd permutation", seconds=0.0),
]


def test_results_become_columns_and_results_again() -> None:
    answers = Answers.of(BOARDS, iter(RESULTS))
    assert list(answers) == RESULTS
    assert answers[-1] == RESULTS[-1]
    with pytest.raises(IndexError):
        answers[4]


@pytest.mark.parametrize("cuts", [(), (2,), (1, 3), (0, 4)])
def test_parts_are_joined_in_their_order(cuts: tuple[int, ...]) -> None:
    bounds = [0, *cuts, 4]
    parts = [Answers.of(BOARDS[first:end], RESULTS[first:end]) for first, end in pairwise(bounds)]
    whole = joined(BOARDS, parts)
    assert list(whole) == RESULTS
    assert whole.boards is BOARDS


def test_the_times_of_batches_add_up() -> None:
    parts = [replace(Answers.of(BOARDS[:2], RESULTS[:2]), batch=BatchTime(2, 1.5)) for _ in range(2)]
    assert joined(BOARDS, parts).batch == BatchTime(4, 3.0)


def test_counts_are_a_sequence_of_counts() -> None:
    several = [Count(1, "done", 5), Count(7, "solutions", 8), Count(0, "nodes", 9)]
    firsts = Answers.of(BOARDS[:3], RESULTS[:3])
    counts = replace(Counts.of(several), firsts=firsts)
    assert list(counts) == several
    assert list(counts[1:]) == several[1:]
    assert counts[1:].firsts is not None
    assert list(counts[1:].firsts) == RESULTS[1:3]
    assert counts.is_stopped_by("solutions", "nodes").tolist() == [False, True, True]
