"""An executor in this process, whose workers end at some pieces."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from puzzlelab.engine.executor import Ended, Executor, Node


@dataclass
class LosingWorkers:
    """Does one piece at a time, unless `is_lost` is true of its argument: then its worker ends."""

    is_lost: Any
    waiting: dict = field(default_factory=dict)

    def nodes(self):
        return [Node("one", "one", 1)]

    def begin(self, ticket, node, function, argument):
        self.waiting[ticket] = function, argument

    def ended(self, seconds):
        return [self._ended(ticket, *self.waiting.pop(ticket)) for ticket in list(self.waiting)]

    def _ended(self, ticket, function, argument):
        if self.is_lost(argument):
            return Ended(ticket, lost="worker", reason="the test ended it")
        return Ended(ticket, function(argument))

    def cancel(self, tickets):
        for ticket in tickets:
            self.waiting.pop(ticket, None)

    def close(self):
        self.waiting.clear()


@pytest.fixture
def losing():
    """Makes an executor whose workers end at the pieces of which a function is true."""
    return lambda is_lost: Executor(LosingWorkers(is_lost))
