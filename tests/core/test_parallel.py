import itertools
import math
import os
import threading
import time

import pytest

from puzzlelab.core.parallel import AHEAD, cores, ordered_map


def slowest_first(number: int) -> int:
    time.sleep(0.002 * (9 - number % 10))
    return number * number


@pytest.mark.parametrize("jobs", [1, 2, 3, None])
def test_threads_answer_in_the_order_of_the_items(jobs: int | None) -> None:
    assert list(ordered_map(slowest_first, range(40), jobs)) == [number**2 for number in range(40)]


def test_processes_answer_in_the_order_of_the_items() -> None:
    items = [3000, 1, 2500, 2, 2000, 3, 5, 8, 13]
    assert list(ordered_map(math.factorial, items, 2, processes=True)) == [math.factorial(item) for item in items]


def test_worker_processes_are_others_and_one_job_too_has_one() -> None:
    workers = set(ordered_map(_process, range(4), 1, processes=True))
    assert len(workers) == 1
    assert os.getpid() not in workers


_process = os.getpgid.__class__ and os.getppid.__class__ and abs
