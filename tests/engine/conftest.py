"""Workers in this process for tests of the executor: a test says which pieces are lost."""

from dataclasses import dataclass, field

import pytest

from puzzlelab.engine import executor as executors
from puzzlelab.engine.executor import Ended, Executor, Node


@dataclass
class FakeWorkers:
    """Does pieces when it is asked what has ended; `losses` says which are lost."""

    present: dict = field(default_factory=lambda: {"a": 1, "b": 1})
    """Key of a node -> its slots."""
    losses: dict = field(default_factory=dict)
    """Argument -> the places where its next tries are lost."""
    begun: list = field(default_factory=list)
    """(node, argument) in the order in which they were begun."""
    waiting: dict = field(default_factory=dict)
    cancelled: list = field(default_factory=list)
    newest_first: bool = False
    closed: bool = False

    def nodes(self):
        return [Node(key, f"node {key}", slots) for key, slots in self.present.items()]

    def begin(self, ticket, node, function, argument):
        self.begun.append((node.key, argument))
        self.waiting[ticket] = function, argument

    def ended(self, seconds):
        tickets = sorted(self.waiting, reverse=self.newest_first)[:1]
        return [self._ended(ticket, *self.waiting.pop(ticket)) for ticket in tickets]

    def _ended(self, ticket, function, argument):
        places = self.losses.get(argument) if isinstance(argument, int) else None
        if places:
            return Ended(ticket, lost=places.pop(0), reason="the test ended it")
        try:
            return Ended(ticket, function(argument))
        except ValueError as error:
            return Ended(ticket, error=error)

    def cancel(self, tickets):
        for ticket in tickets:
            self.cancelled.append(ticket)
            self.waiting.pop(ticket, None)

    def close(self):
        self.closed = True


@pytest.fixture
def executor_of(monkeypatch):
    """Makes an executor of such workers, which looks for nodes at every call."""
    monkeypatch.setattr(executors, "REFRESH_SECONDS", -1.0)

    def make(**values):
        return Executor(FakeWorkers(**values))

    return make
