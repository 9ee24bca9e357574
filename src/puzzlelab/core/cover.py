"""Exact cover: choose options so that every primary item is covered once, and every secondary item at most once.

A puzzle makes these arrays once; dancing links, SAT and integer programming all read them.
Source of the terms: Knuth, "The Art of Computer Programming", volume 4B, section 7.2.2.1.

Shapes: O = options, I = items, E = entries (the sizes of all options together).
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption, shorten, wrong_argument

NO_OPTION = "-"
"""The text of a board on which no option is chosen."""


@dataclass(frozen=True, eq=False)
class ExactCover:
    """Options over items. The items 0 to `primary` - 1 must be covered; the others may be covered.

    >>> cover = puzzlelab.ExactCover.of({"A": [1, 3, 5], "B": [2, 4], "C": [2, 3, 4, 5, 6], "D": [2, 4, 6]})
    >>> cover.items, cover.options, cover.option(1).tolist()
    (6, 4, [3, 4])
    >>> puzzlelab.solve(cover).move_names
    ['A', 'D']
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
    names: Sequence[str] = field(default=(), repr=False)
    """[O]: a word for each option; none for a cover that is made of arrays."""
    item_names: Sequence[Hashable] = field(default=(), repr=False)
    """[I], or none."""

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
        options: Mapping[Any, Iterable[Hashable]] | Iterable[Iterable[Hashable]],
        primary: Iterable[Hashable] | None = None,
        secondary: Iterable[Hashable] = (),
    ) -> ExactCover:
        """Make the cover with these named items; without `primary`, all items of the options but the secondary ones
        must be covered.

        `options` maps each name to its items, or each move if all names are whole numbers. An iterable without names
        has the items of the moves 0, 1, 2, ...

        Raises `BadOption` for an unknown item, an item that is named twice, and an option that has no item or one item
        twice.
        """
        try:
            pairs = options.items() if isinstance(options, Mapping) else enumerate(options)
            items_of = {name: list(items) for name, items in pairs}
            every = dict.fromkeys(chain.from_iterable(items_of.values()))
            optional = list(secondary)
            if primary is None:
                known = set(optional)
                primary = [item for item in every if item not in known]
            required = list(primary)
            items = [*required, *optional]
            numbers = {item: number for number, item in enumerate(items)}
        except TypeError:  # not iterable, or not hashable
            raise wrong_argument(
                "the options of a cover", "names with items, as in {'A': [1, 4, 7]}", options
            ) from None
        if len(numbers) != len(items):
            twice = next(item for item in items if items.count(item) > 1)
            raise BadOption(f"the item {twice!r} is named twice")
        names = list(map(word_of, items_of))
        if len(set(names)) != len(names):
            raise BadOption(f"two options are named {next(name for name in names if names.count(name) > 1)}")
        for name, option in zip(names, items_of.values(), strict=True):
            check_option(name, option, numbers)
        are_moves = all(isinstance(name, Integral) and 0 <= int(name) < 2**63 for name in items_of)
        return ExactCover(
            len(items),
            len(required),
            np.cumsum([0, *map(len, items_of.values())], dtype=np.int64),
            np.array([numbers[item] for item in chain.from_iterable(items_of.values())], np.int32),
            np.array(list(items_of) if are_moves else range(len(items_of)), np.int64),
            names,
            items,
        )


def word_of(name: object) -> str:
    """Return the name of an option as one word: solutions are written as words with spaces between them."""
    word = "_".join(str(name).replace(", ", ",").split())
    if word in ("", NO_OPTION):
        raise BadOption(f"the name of an option must be a word, and not '{word}'")
    return word


def check_option(name: str, items: Sequence[Hashable], known: Container[Hashable] | None) -> None:
    """Raise `BadOption` for an option without an item, with an item twice or, of these `known` ones, an unknown one."""
    if not items:
        raise BadOption(f"the option {shorten(name)} holds no item")
    if len(set(items)) != len(items):
        twice = next(item for item in items if items.count(item) > 1)
        raise BadOption(f"the option {shorten(name)} holds the item {shorten(repr(twice))} twice")
    unknown = [] if known is None else [item for item in items if item not in known]
    if unknown:
        raise BadOption(f"the option {shorten(name)} holds {shorten(repr(unknown[0]))}, which is no item")
