"""Sequences whose items are kept as columns, and made when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

Item = TypeVar("Item")


class MadeOnRequest(Sequence[Item]):
    """A sequence of items that are made when they are asked for; a slice of it is a list."""

    @abstractmethod
    def item(self, place: int) -> Item:
        """Return the item at this place, from 0."""

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        places = range(len(self))[index]
        return list(map(self.item, places)) if isinstance(places, range) else self.item(places)

    def __iter__(self) -> Iterator[Item]:
        return map(self.item, range(len(self)))
