# mypy: allow-untyped-defs
"""Strong links of one digit, joined by units: skyscrapers, kites, turbot fish, and longer or grouped ones.

A chain goes from a base, a unit where the digit must be, through a link, another unit that shares some of its places,
to the next base. If the digit is not at the end of the first base that lies outside the links, it is in the first link
by this base, so not by the second one, and so on: it is at one end of the chain or at the other. Without groups every
base has two places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import (
    ALL,
    BOXES,
    COLUMNS,
    DIGITS,
    ROWS,
    UNITS,
    has,
    new_position,
    sees_places,
)
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    REMOVED,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    cells_text,
    digit_text,
    end_step,
    find,
    mark,
    removed_text,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.subsets import mark_places
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

SKYSCRAPER, TWO_STRING_KITE, TURBOT_FISH = Technique.SKYSCRAPER, Technique.TWO_STRING_KITE, Technique.TURBOT_FISH
ANY = Technique.STRONG_LINKS
TWO = (SKYSCRAPER, TWO_STRING_KITE, TURBOT_FISH)
"""Chains of two links without groups, by shape."""
BASE, LINK = 0, 1
"""The roles of units."""
INSIDE, END = 0, 1
"""The roles of candidates: in a link, and at an end of the chain."""


class StrongLinks(NamedTuple):
    """The family: chains with this many bases."""

    technique: int
    """What a step is called; STRONG_LINKS for any shape."""
    bases: int
    has_groups: bool
    """Whether a base may have more than two places."""
    overlaps: NDArray[np.int64]
    """[27, 27]: the places of the first unit that are in the second, as bits."""
    joins: NDArray[np.int64]
    """[28, 28]: the units that may come after a unit, then UNITS; the last row has those that may come first."""
    is_group: NDArray[np.bool_]
    """[2, 512]: whether places of a line, or of a box, are in one other unit, so that a cell may see them all."""
    path: NDArray[np.int64]
    """[2 * bases]: room for the units of a chain, bases and links in turn."""
    turns: NDArray[np.int64]
    """[2 * bases]: the place of each of them among those that join the one before."""


def families() -> Sequence[StrongLinks]:
    """Return the records of the searches: two links of each shape that has a name, then chains of any shape."""
    return [*map(strong_links, TWO), strong_links(ANY), strong_links(ANY, 3, has_groups=False), strong_links(ANY, 3)]


def strong_links(technique: Technique, bases: int = 2, has_groups: bool = True) -> StrongLinks:
    """Return the record of the search for a technique; shapes of two links that have names are without groups."""
    path, turns = np.zeros((2, 2 * bases), np.int64)
    return StrongLinks(int(technique), bases, has_groups and technique == ANY, *_tables(technique), path, turns)


@cache
def _tables(technique: Technique) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return `overlaps`, `joins` and `is_group` of a technique, which kernels only read."""
    units = new_position().units
    is_shared = (units[:, None, :, None] == units[None, :, None, :]).any(axis=3)
    overlaps = (is_shared << np.arange(DIGITS)).sum(axis=2)
    joins = np.full((UNITS + 1, UNITS + 1), UNITS)
    for unit in range(UNITS + 1):
        following = [other for other in range(UNITS) if unit == UNITS or (overlaps[unit, other] and other != unit)]
        allowed = [other for other in following if _may_follow(technique, unit, other)]
        joins[unit, : len(allowed)] = allowed
    is_group = np.array([[_is_group(places, overlaps[unit]) for places in range(512)] for unit in (ROWS, BOXES)])
    return overlaps, joins, is_group


def _may_follow(technique: Technique, unit: int, other: int) -> bool:
    """Tell whether a technique may have this unit after another one, which is UNITS at the beginning."""
    if technique == SKYSCRAPER:
        return other < BOXES
    if technique == TWO_STRING_KITE:  # from a row through a box to a column
        return other < COLUMNS if unit == UNITS else (other < BOXES) == (unit >= BOXES)
    return True


def _is_group(places: int, overlaps: NDArray[np.int64]) -> bool:
    """Tell whether places (bits) of a unit are in one of the others, whose `overlaps` with it are given."""
    return any(places & ~overlap == 0 for overlap in overlaps.tolist() if overlap != ALL)


@inlined
def begin_units(family, depth):
    """Begin with the units at a depth of the path."""
    family.turns[depth] = -1


@inlined
def next_unit(family, depth):
    """Go on to the next unit at a depth of the path; returns whether there is one."""
    family.turns[depth] += 1
    before = family.path[depth - 1] if depth else UNITS
    family.path[depth] = family.joins[before, family.turns[depth]]
    return family.path[depth] < UNITS


@inlined
def can_be_end(family, base, places):
    """Tell whether cells outside a base may see all of these places (bits) of it."""
    return family.is_group[1 if base >= BOXES else 0, places]


@inlined
def is_base(family, position, digit, depth):
    """Tell whether the unit at an even depth of the path can be the next base."""
    path, overlaps, unit = family.path, family.overlaps, family.path[depth]
    places = np.int64(position.places[digit, unit])
    count = position.counts[places]
    if count < 2 or (count > 2 and not family.has_groups):
        return False
    for i in range(0, depth, 2):
        if path[i] == unit:
            return False
    if depth == 0:
        return True
    link, before = path[depth - 1], path[depth - 2]
    end = places & ~overlaps[unit, link]
    is_joined = (
        end and places & overlaps[unit, link] and (depth < family.path.size - 2 or can_be_end(family, unit, end))
    )
    return is_joined and places & overlaps[unit, link] & overlaps[unit, before] == 0


@inlined
def is_link(family, position, digit, depth):
    """Tell whether the unit at an odd depth of the path can be the next link."""
    path, overlaps, link = family.path, family.overlaps, family.path[depth]
    base = path[depth - 1]
    places = np.int64(position.places[digit, base])
    inside = places & overlaps[base, link]
    if link == base or inside == 0 or inside == places:
        return False
    if depth == 1:
        return can_be_end(family, base, places ^ inside)
    before = overlaps[base, path[depth - 2]]
    return link != path[depth - 2] and places & ~(inside | before) == 0 and inside & ~before


@inlined
def is_wanted(family):
    """Tell whether the chain of the path has the shape of the technique, and is not the reverse of another one."""
    technique, first, link, last = family.technique, family.path[0], family.path[1], family.path[2 * family.bases - 2]
    if technique == ANY or first > last:
        return first < last
    if first >= BOXES or last >= BOXES:
        return technique == TURBOT_FISH
    if first // 9 == last // 9:
        return technique == (TURBOT_FISH if link >= BOXES else SKYSCRAPER)
    return technique == (TWO_STRING_KITE if link >= BOXES else TURBOT_FISH)


@inlined
def is_in_path(family, position, cell):
    """Tell whether a cell is in a base of the path."""
    is_inside = False
    for i in range(0, 2 * family.bases - 1, 2):
        is_inside |= position.homes[cell, family.path[i] // 9] == family.path[i]
    return is_inside


@inlined
def add_chain(family, position, found, digit):
    """Remove the digit from the cells that see both ends of the chain; returns whether the search is to stop."""
    path, overlaps, last = family.path, family.overlaps, 2 * family.bases - 2
    first_end = np.int64(position.places[digit, path[0]]) & ~overlaps[path[0], path[1]]
    last_end = np.int64(position.places[digit, path[last]]) & ~overlaps[path[last], path[last - 1]]
    begin_step(found, family.technique)
    removed = 0
    first = position.units[path[0], position.lowest[first_end]]
    for i in range(position.peers.shape[1]):
        cell = position.peers[first, i]
        sees_ends = (
            has(position, cell, digit)
            and sees_places(position, cell, path[0], first_end)
            and sees_places(position, cell, path[last], last_end)
        )
        if sees_ends and not is_in_path(family, position, cell):
            mark(found, REMOVED, 0, 9 * cell + digit, 0)
            removed += 1
    if removed == 0:
        return False
    mark_places(position, found, CANDIDATE, END, digit, path[0], first_end)
    mark_places(position, found, CANDIDATE, END, digit, path[last], last_end)
    for depth in range(last + 1):
        mark(found, UNIT, depth % 2, path[depth], 0)
    return end_step(found)


@implements(find, StrongLinks)
def find_strong_links(family, position, found):
    """Find chains digit by digit, depth first."""
    last = 2 * family.bases - 2
    for digit in range(DIGITS):
        depth = 0
        begin_units(family, depth)
        while depth >= 0:
            if not next_unit(family, depth):
                depth -= 1
            elif is_base(family, position, digit, depth) if depth % 2 == 0 else is_link(family, position, digit, depth):
                if depth < last:
                    depth += 1
                    begin_units(family, depth)
                elif is_wanted(family) and add_chain(family, position, found, digit):
                    return


def strong_links_text(step: Evidence) -> str:
    """Explain a chain of strong links."""
    bases, links = (joined([unit_text(unit) for unit in step.by_role("units", role)]) for role in (BASE, LINK))
    digit, ends = digit_text(step.removed[0]), [each // 9 for each in step.by_role("candidates", END)]
    return (
        f"{bases} need a {digit} each, and only one of two can have it in {links}, so one of {cells_text(ends)} is "
        f"{digit}: {removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = dict.fromkeys((*TWO, ANY), strong_links_text)
