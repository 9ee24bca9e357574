import numpy as np
import pytest
from losing_executor import LosingExecutor

from puzzlelab import load
from puzzlelab.core import registry
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.jobs.checks import counts

SUDOKU = load("sudoku-4x4")
BLANK = np.zeros(16, np.uint8)


def never(*arguments):
    return False


def boards(*firsts):
    """Boards with these digits in the first cell, 0 for none."""
    states = np.stack([BLANK] * len(firsts))
    states[:, 0] = firsts
    return Boards(SUDOKU, states)


def counted(executor, *groups, most=None):
    solver = registry.make_solver("dancing-links", {})
    return list(counts(executor, solver, Limit(), most, groups))


def test_the_counts_come_in_the_order_of_the_boards():
    groups = [(boards(0, 1, 2), "one"), (boards(1)[:0], "empty"), (boards(*[3] * 9), "two")]
    numbers: dict = {}
    order = []
    for group, some_boards, some in counted(LosingExecutor(never), *groups):
        order.append(group)
        if group != "empty":
            counted_before = numbers.setdefault(group, [])
            assert some_boards.numbers.tolist() == [len(counted_before) + place for place in range(len(some))]
            counted_before += [each.solutions for each in some]
    assert numbers == {"one": [288, 72, 72], "two": [72] * 9}
    assert list(dict.fromkeys(order)) == ["one", "empty", "two"]


@pytest.mark.parametrize("most", [None, 5])
def test_a_board_that_ends_its_workers_is_named_and_the_others_are_counted(most):
    def is_lost(solver, some, limit, most):
        return bool((some.states[:, 0] == 4).any())

    rest = counted(LosingExecutor(is_lost), (boards(1, 1, 1, 1, 1, 1, 1, 2, 4, 3), "some"), most=most)
    reasons = {some_boards.numbers[0]: some for _, some_boards, some in rest if isinstance(some, str)}
    assert reasons == {8: "left out: it has ended 5 workers (the test ended it)"}
    assert sum(len(some) for _, _, some in rest if not isinstance(some, str)) == 9
