"""Exact cover: choose options so that every primary item is covered once, and every secondary item at most once.

A puzzle makes these arrays once; dancing links, SAT and integer programming all read them.
Source of the terms: Knuth, "The Art of Computer Programming", volume 4B, section 7.2.2.1.

Shapes: O = options, I = items, E = entries (the sizes of all options together).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption


@dataclass(frozen=True, eq=False)
class ExactCover:
    """Options over items. The items 0 to `primary` - 1 must be covered; the others may be covered.

    >>> cover = puzzlelab.ExactCover.of([["a", "b"], ["c"], ["b", "c"]], primary=["a", "b", "c"])
    >>> cover.options, cover.option(2).tolist()
    (3, [1, 2])
    """

    items: int
    """I."""
    primary: int
    starts: NDArray[np.int64]
    """[O + 1]: where each option's entries begin."""
    entries: NDArray[np.int32]
    """[E]: the items of each option, one option after the other."""
    moves: NDArray[np.int64]
    """[O]: the puzzle's move that each option means."""

    @property
    def options(self) -> int:
        """O."""
        return len(self.moves)

    def option(self, number: int) -> NDArray[np.int32]:
        """Return the items of one option."""
        return self.entries[self.starts[number] : self.starts[number + 1]]

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """[E]: the option that each entry belongs to."""
        return np.repeat(np.arange(self.options), np.diff(self.starts))

    @cached_property
    def needed(self) -> NDArray[np.bool_]:
        """`bool[O]`: the options with a primary item; a solution needs no other ones."""
        owners = self.owners[self.entries < self.primary]
        return np.bincount(owners, minlength=self.options) > 0

    @cached_property
    def option_of(self) -> Mapping[int, int]:
        """The option that means a move."""
        return {move: option for option, move in enumerate(self.moves.tolist())}

    @staticmethod
    def of(
        options: Mapping[int, Iterable[Hashable]] | Sequence[Iterable[Hashable]],
        primary: Iterable[Hashable],
        secondary: Iterable[Hashable] = (),
    ) -> ExactCover:
        """Make the cover with these named items; `options` maps each move to its items, or lists them for moves 0, 1,
        2, ...

        Raises `BadOption` for an unknown item, an item that is named twice, or an item that occurs twice in an option.
        """
        required = list(primary)
        names = [*required, *secondary]
        numbers = {name: number for number, name in enumerate(names)}
        if len(numbers) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise BadOption(f"the item {twice!r} is named twice")
        pairs = options.items() if isinstance(options, Mapping) else enumerate(options)
        moves, starts, entries = [], [0], []
        for move, option in pairs:
            items = list(option)
            for name in items:
                if name not in numbers:
                    raise BadOption(f"option {move} holds {name!r}, which is no item")
            if len(set(items)) != len(items) or not items:
                raise BadOption(f"option {move} must hold some items, each once")
            moves.append(move)
            entries += [numbers[name] for name in items]
            starts.append(len(entries))
        return ExactCover(
            len(names),
            len(required),
            np.array(starts, np.int64),
            np.array(entries, np.int32),
            np.array(moves, np.int64),
        )
