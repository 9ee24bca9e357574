"""The work of a command as pieces for an executor: items that are consecutive, such as boards or rows of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from puzzlelab.engine.executor import Executor, Setup
from puzzlelab.engine.streams import Piece, PieceSize, ordered, unordered

Items = TypeVar("Items", bound="Sequence[Any]")
Part: TypeAlias = "tuple[Items, Any]"
"""Some items, and a value that the driver needs to go on with what is done with them."""


@dataclass
class Pieces(Generic[Items]):
    """The pieces of a command, each with as many items as take the time that the executor needs."""

    executor: Executor
    work: Callable[[Items], Callable[[], Any]]
    """Returns the function that does the work on some items, which travels by pickle."""
    name: Callable[[Items], str]
    """Returns the name of some items for people."""
    setup: Callable[[Items], Setup | None] = lambda items: None
    together: int | None = None
    """The number of items that are best done together, if there is one."""

    def __post_init__(self) -> None:
        self.size = PieceSize(self.executor, self.together)

    def cut(self, parts: Iterable[Part[Items]]) -> Iterator[Part[Items]]:
        """Yield the items of these parts in smaller parts, one for each piece; a part without items stays."""
        for items, value in parts:
            begin = 0
            while begin < len(items) or not begin:
                end = begin + self.size.of(len(items))
                yield items[begin:end], value  # type: ignore[misc]  # a part of a sequence is one of its kind
                begin = end

    def done(
        self, parts: Iterable[Part[Items]], in_order: bool = True, watch: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[Any, Items, Any]]:
        """Yield the value of a part, the items of a piece, and a value that the work on them yields.

        Each part is a piece. It yields None if it has no items. If its workers are lost its items are tried one by one,
        and the value of those that are lost again is `PieceLost`. See `executor.ordered` for the order and for `watch`.
        """
        take = ordered if in_order else unordered
        for piece, value in take(self.executor, (self._piece(*part) for part in parts), self._split, watch):
            items, value_of_part = piece.context
            yield value_of_part, items, value

    def _piece(self, items: Items, value: Any) -> Piece:
        if not len(items):
            return Piece("nothing", None, context=(items, value))
        took = partial(self.size.took, len(items))
        return Piece(self.name(items), self.work(items), self.setup(items), (items, value), took)

    def _split(self, piece: Piece) -> Sequence[Piece]:
        items, value = piece.context
        return [self._piece(items[place : place + 1], value) for place in range(len(items))] if len(items) > 1 else ()
