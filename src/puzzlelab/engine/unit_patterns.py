"""The patterns of logic that units of every kind allow: singles, locked candidates, subsets and fish.

They are found by formulas on arrays; sets of digits and of places are bits.

Shapes: N = cells, D = digits and cells of a unit, U = units, K = choices, R = sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Units

AREAS = ("box", "region", "window")
"""The kinds of units that a person looks at as a whole."""


Numbers = NDArray[np.int64]
NONE = np.zeros(0, np.int64)


class UnitPattern(NamedTuple):
    """A find of a search, in numbers of cells, candidates and units."""

    written: Numbers = NONE
    """The candidate that it writes, if it is a single."""
    removed: Numbers = NONE
    """The candidates that it rules out."""
    cells: Numbers = NONE
    """The cells that it rests on."""
    candidates: Numbers = NONE
    """The candidates that it rests on."""
    base: tuple[int, ...] = ()
    """The units in which it is."""
    cover: tuple[int, ...] = ()
    """The units from which it removes a digit, where these are others."""


@dataclass(frozen=True)
class UnitTables:
    """The tables of the units of a puzzle that searches need."""

    units: Units

    @cached_property
    def kinds(self) -> list[str]:
        """[U]: the kind of each unit."""
        return [kind for kind, cells in self.units.kinds.items() for _ in cells]

    @cached_property
    def order(self) -> list[int]:
        """[U]: all units, those first that a person looks at as a whole."""
        return sorted(range(len(self.kinds)), key=self.is_line)

    def is_line(self, unit: int) -> bool:
        """Tell whether a person follows the cells of a unit one by one."""
        return self.kinds[unit] not in AREAS

    def of_form(self, are_lines: bool) -> list[int]:
        """Return the units that are lines, or those that are not."""
        return [unit for unit in self.order if self.is_line(unit) == are_lines]

    @cached_property
    def members(self) -> NDArray[np.bool_]:
        """`bool[U, N]`: the cells of each unit."""
        members = np.zeros((len(self.units.all), len(self.units.peers)), bool)
        np.put_along_axis(members, self.units.all, True, axis=1)
        return members

    @cached_property
    def seen(self) -> NDArray[np.uint32]:
        """`uint32[U, N]`: the places in each unit that a cell shares a unit with, as bits."""
        shared = self.members.T.astype(np.float32) @ self.members.astype(np.float32) > 0
        np.fill_diagonal(shared, False)
        return bits(np.moveaxis(shared[self.units.all], 1, 2))

    @cached_property
    def crossings(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Two kinds of units, each of which shares one cell with each of the other kind, and `int64[D, D]`: that cell.

        Such are columns and rows.
        """
        size, found = self.units.all.shape[1], list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]()
        numbers = {kind: np.flatnonzero(np.array(self.kinds) == kind) for kind in reversed(list(self.units.kinds))}
        for base, cover in ((one, other) for one in numbers for other in numbers if one != other):
            both = self.members[numbers[base], None] & self.members[numbers[cover]]
            if both.shape[:2] == (size, size) and (both.sum(axis=2) == 1).all():
                found.append((numbers[base], numbers[cover], both.argmax(axis=2)))
        return found


def bits(flags: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Return `uint32[...]` from `bool[..., D]`: bit i for the flag i."""
    return flags @ (np.uint32(1) << np.arange(flags.shape[-1], dtype=np.uint32))


Search = Callable[[UnitTables, NDArray[np.bool_]], Iterator[UnitPattern]]
"""Yields the patterns of one technique among `candidates: bool[N, D]`; some rule nothing out."""


# --- singles ---


def full_houses(tables: UnitTables, candidates: NDArray[np.bool_]) -> Iterator[UnitPattern]:
    """Yield the last blank cells of units."""
    return _single_places(tables, candidates, tables.order, is_last=True)


def hidden_singles(are_lines: bool) -> Search:
    """Return the search for digits with one place left in a unit with several blank cells: a line, or an area."""

    def search(tables: UnitTables, candidates: NDArray[np.bool_]) -> Iterator[UnitPattern]:
        return _single_places(tables, candidates, tables.of_form(are_lines), is_last=False)

    return search


def _single_places(
    tables: UnitTables, candidates: NDArray[np.bool_], units: list[int], is_last: bool
) -> Iterator[UnitPattern]:
    """Yield the digits with one place in these units, those with few blank cells first."""
    within = candidates[tables.units.all[units]]
    blanks, is_single = within.any(axis=2).sum(axis=1), within.sum(axis=1) == 1
    is_single &= ((blanks == 1) == is_last)[:, None]
    for number in np.argsort(blanks, kind="stable").tolist():
        for digit in np.flatnonzero(is_single[number]):
            cells = tables.units.all[units[number]][within[number, :, digit]]
            yield UnitPattern(cells.astype(np.int64) * candidates.shape[1] + digit, base=(units[number],))


def naked_singles(tables: UnitTables, candidates: NDArray[np.bool_]) -> Iterator[UnitPattern]:
    """Yield the cells with one candidate."""
    for cell in np.flatnonzero(candidates.sum(axis=1) == 1)[:, None]:
        yield UnitPattern(_among(candidates, cell, EVERY), cells=cell)


# --- locked candidates ---


def locked(are_lines: bool) -> Search:
    """Return the search for digits whose places in a unit, a line or an area, rule them out in other cells."""

    def search(tables: UnitTables, candidates: NDArray[np.bool_]) -> Iterator[UnitPattern]:
        units = np.array(tables.of_form(are_lines), np.int64)
        places = bits(np.moveaxis(candidates[tables.units.all[units]], 1, 2))
        is_out = (places[:, :, None] & ~tables.seen[units][:, None]) == 0
        is_out &= candidates.T & (np.bitwise_count(places) > 1)[:, :, None]
        for number, digit in np.argwhere(is_out.any(axis=2)).tolist():
            yield from _locked(tables, candidates, int(units[number]), digit, is_out[number, digit])

    return search


def _locked(
    tables: UnitTables, candidates: NDArray[np.bool_], unit: int, digit: int, is_out: NDArray[np.bool_]
) -> Iterator[UnitPattern]:
    """Yield a pattern for each other unit that has all places of the digit in a unit, and one for what is left."""
    is_place, only = tables.members[unit] & candidates[:, digit], np.arange(candidates.shape[1]) == digit
    places = _among(candidates, np.flatnonzero(is_place), only)
    for cover in np.flatnonzero(tables.members[:, is_place].all(axis=1)).tolist():
        removed = _among(candidates, np.flatnonzero(is_out & tables.members[cover]), only)
        if cover != unit and removed.size:
            yield UnitPattern(removed=removed, candidates=places, base=(unit,), cover=(cover,))
            is_out = is_out & ~tables.members[cover]
    yield UnitPattern(removed=_among(candidates, np.flatnonzero(is_out), only), candidates=places, base=(unit,))


# --- subsets and fish ---


def naked_subsets(size: int) -> Search:
    """Return the search for `size` cells of a unit that have as many candidates together."""

    def search(tables: UnitTables, candidates: NDArray[np.bool_]) -> Iterator[UnitPattern]:
        for unit in tables.order:
            cells = tables.units.all[unit]
            for chosen in _closed(candidates[cells], size):
                digits = candidates[cells[chosen]].any(axis=0)
                others = _among(candidates, np.delete(cells, chosen), digits)
                yield _subset(candidates, unit, cells[chosen], digits, others)

    return search


def hidden_subsets(size: int) -> Search:
    """Return the search for `size` digits that have as many places together in a unit."""

    def search(tables: UnitTables, candidates: NDArray[np.bool_]) -> Iterator[UnitPattern]:
        for unit in tables.order:
            cells = tables.units.all[unit]
            for chosen in _closed(candidates[cells].T, size):
                digits = np.isin(np.arange(candidates.shape[1]), chosen)
                own = cells[candidates[cells][:, chosen].any(axis=1)]
                yield _subset(candidates, unit, own, digits, _among(candidates, own, ~digits))

    return search


def _subset(
    candidates: NDArray[np.bool_], unit: int, cells: NDArray[Any], digits: NDArray[np.bool_], removed: Numbers
) -> UnitPattern:
    return UnitPattern(
        removed=removed, cells=np.sort(cells), candidates=_among(candidates, cells, digits), base=(unit,)
    )


def fish(size: int) -> Search:
    """Return the search for `size` units with all places of a digit in as many units across, as columns and rows."""

    def search(tables: UnitTables, candidates: NDArray[np.bool_]) -> Iterator[UnitPattern]:
        for base, cover, crossing in tables.crossings:
            for digit in range(candidates.shape[1]):
                is_place, only = candidates[crossing, digit], np.arange(candidates.shape[1]) == digit
                for chosen in _closed(is_place, size):
                    across = np.flatnonzero(is_place[chosen].any(axis=0))
                    yield UnitPattern(
                        removed=_among(candidates, np.delete(crossing, chosen, axis=0)[:, across], only),
                        candidates=_among(candidates, crossing[chosen][:, across], only),
                        base=tuple(base[chosen].tolist()),
                        cover=tuple(cover[across].tolist()),
                    )

    return search


EVERY = np.ones(1, bool)
"""All digits."""


def _among(candidates: NDArray[np.bool_], cells: NDArray[Any], digits: NDArray[np.bool_]) -> Numbers:
    """Return the numbers of the candidates of these cells among these digits, in the order of the board."""
    chosen = np.sort(cells, axis=None).astype(np.int64)
    at, digit = np.nonzero(candidates[chosen] & digits)
    numbers: Numbers = chosen[at] * candidates.shape[1] + digit
    return numbers


def _closed(flags: NDArray[np.bool_], size: int) -> list[Numbers]:
    """Return the choices of `size` rows of `bool[R, D]` with as many elements together, and 2 to `size` in each."""
    counts = flags.sum(axis=1)
    usable = np.flatnonzero((counts >= 2) & (counts <= size))
    if usable.size < size:
        return []
    choices = usable[_choices(usable.size, size)]
    unions = np.bitwise_or.reduce(bits(flags)[choices], axis=1)
    return list(choices[np.bitwise_count(unions) == size])


@cache
def _choices(count: int, size: int) -> Numbers:
    """Return `int64[K, size]`: the choices of `size` of the numbers from 0 to `count` - 1."""
    return np.array(list(combinations(range(count), size)), np.int64)
