"""An executor in this process for tests of streams: a test says which pieces end their workers."""

from collections import deque
from concurrent.futures import Future

import pytest

from puzzlelab.engine.executor import MOST_TRIES, Executor, PieceLost, Timed, values_of


class FakeExecutor(Executor):
    """Does the next piece when somebody waits, that is, whenever it is looked at; some pieces are lost."""

    def __init__(self, slots=2, lost=(), newest_first=False):
        super().__init__()
        self._slots, self.lost, self.newest_first = slots, lost, newest_first
        self.begun = deque()
        self.cancelled = 0
        self.is_closed = False

    def _begin(self, work, setup, put):
        future = Future()
        self.begun.append((future, work))
        return future

    def check(self):
        if self.begun:
            future, work = self.begun.pop() if self.newest_first else self.begun.popleft()
            self._do(future, work)

    def _do(self, future, work):
        try:
            values = list(values_of(work))
        except ValueError as error:
            future.set_exception(error)
            return
        if any(value in self.lost for value in values):
            future.set_exception(PieceLost(f"it has ended {MOST_TRIES} workers (the test ended it)"))
        else:
            future.set_result(Timed(values, 0.5))

    def cancel(self):
        self.cancelled += len(self.begun)
        self.begun.clear()
        self.running.clear()

    def shutdown(self):
        self.cancel()
        self.is_closed = True

    @property
    def slots(self):
        return self._slots

    def publish(self, key, value):
        raise NotImplementedError

    forget = start = publish


@pytest.fixture
def executor_of():
    """Makes such an executor."""
    return FakeExecutor
