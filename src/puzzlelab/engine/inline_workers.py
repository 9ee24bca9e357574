"""The process that asks as its own worker, for `executor.py`: pieces are done here, one after another, when waited for.

So code that distributes pieces needs no second way for the case that there is nothing to distribute them over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from puzzlelab.core.errors import Unsupported
from puzzlelab.engine.executor import Ended, Node, Program


@dataclass(frozen=True)
class HeldValue:
    """A published value in the memory of this process; see `Published`."""

    key: str
    held: Any

    def value(self) -> Any:
        return self.held


class InlineWorkers:
    """The workers that are one slot, which is this process; see `Workers`."""

    def __init__(self) -> None:
        self._begun: deque[tuple[int, Callable[[Any], Any], Any]] = deque()
        """Ticket, function, and argument."""

    def nodes(self) -> Sequence[Node]:
        return (Node("inline", "this process", 1),)

    def begin(self, ticket: int, node: Node, function: Callable[[Any], Any], argument: Any) -> None:
        self._begun.append((ticket, function, argument))

    def ended(self, seconds: float) -> list[Ended]:
        """Do the next piece, however long it takes; return nothing if there is no time to wait."""
        if not self._begun or not seconds:
            return []
        ticket, function, argument = self._begun.popleft()
        try:
            return [Ended(ticket, function(argument))]
        except Exception as error:
            return [Ended(ticket, error=error)]

    def cancel(self, tickets: Iterable[int]) -> None:
        cancelled = set(tickets)
        self._begun = deque(each for each in self._begun if each[0] not in cancelled)

    def publish(self, key: str, value: Any) -> HeldValue:
        return HeldValue(key, value)

    def forget(self, key: str) -> None:
        """Keep nothing: the value lasts as long as its users."""

    def start(self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float]) -> Program:
        raise Unsupported("a program needs a process of its own, which the process that asks cannot be")

    def close(self) -> None:
        self._begun.clear()
