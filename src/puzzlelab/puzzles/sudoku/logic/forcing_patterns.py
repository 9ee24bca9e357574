# mypy: allow-untyped-defs
"""Steps of other techniques on the way of a forcing net: locked candidates, pairs and X-wings.

They are found in the position that a closure has come to. Such a step rests on the assertions by which candidates are
off that would spoil its pattern.
"""

from __future__ import annotations

from typing import NamedTuple

from puzzlelab.engine.kernels import compiled, implements, inlined
from puzzlelab.puzzles.sudoku.logic.basic_fish import BASE, BasicFish, basic_fish
from puzzlelab.puzzles.sudoku.logic.forcing_closure import (
    add_step,
    close,
    deduce,
    fill_closure,
    remove_by_step,
    unit_zone,
)
from puzzlelab.puzzles.sudoku.logic.locked import Locked, locked
from puzzlelab.puzzles.sudoku.logic.position import DIGITS
from puzzlelab.puzzles.sudoku.logic.steps import CANDIDATE, CELL, REMOVED, UNIT, Found, clear, find, new_found
from puzzlelab.puzzles.sudoku.logic.subsets import Subsets, subsets
from puzzlelab.puzzles.sudoku.logic.techniques import Technique


class Patterns(NamedTuple):
    """The searches for such steps."""

    pointing: Locked
    claiming: Locked
    hidden_pairs: Subsets
    naked_pairs: Subsets
    x_wings: BasicFish
    found: Found


def new_patterns() -> Patterns:
    """Return the record of the searches."""
    return Patterns(
        pointing=locked(Technique.POINTING),
        claiming=locked(Technique.CLAIMING),
        hidden_pairs=subsets(Technique.HIDDEN_PAIR),
        naked_pairs=subsets(Technique.NAKED_PAIR),
        x_wings=basic_fish(Technique.X_WING),
        found=new_found(64),
    )


@inlined
def set_zones(closure, found, begin, end):
    """Set the zones of a pattern: the cells of a naked subset, or the digits of others in the units of their base."""
    digits = 0
    for i in range(begin, end):
        if found.marks[i] >> 28 == CANDIDATE:
            digits |= 1 << (((found.marks[i] >> 12) & 0xFFF) % 9)
    is_naked = found.heads[found.used[0] - 1, 0] == Technique.NAKED_PAIR
    for i in range(begin, end):
        kind, role, number = found.marks[i] >> 28, (found.marks[i] >> 24) & 15, (found.marks[i] >> 12) & 0xFFF
        if is_naked and kind == CELL:
            closure.zones[number] = 1
        elif not is_naked and kind == UNIT and role == BASE:
            for digit in range(DIGITS):
                if (digits >> digit) & 1:
                    closure.zones[unit_zone(digit, number)] = 1


@inlined
def add_pattern(closure, position, found, number):
    """Add a step that was found, and what it removes; returns whether there is no contradiction."""
    begin, end = found.heads[number, 1], found.heads[number, 2]
    set_zones(closure, found, begin, end)
    add_step(closure, position, 0)
    for i in range(begin, end):
        if found.marks[i] >> 28 == REMOVED and not remove_by_step(closure, (found.marks[i] >> 12) & 0xFFF):
            return False
    return True


@inlined
def add_steps(closure, position, found):
    """Add all steps that were found; returns whether there is no contradiction."""
    is_open = True
    for number in range(found.used[0]):
        is_open = is_open and add_pattern(closure, position, found, number)
    return is_open


@compiled
def search(family, position, found):
    """Look for steps on the way, as `find_steps` does; that one may be under way already."""
    clear(found)
    find(family, position, found)


@implements(deduce, Patterns)
def deduce_patterns(deductions, closure, position):
    """Add what the first technique of those finds that finds anything."""
    found, state = deductions.found, closure.state
    search(deductions.pointing, state, found)
    if found.used[0] == 0:
        search(deductions.claiming, state, found)
    if found.used[0] == 0:
        search(deductions.hidden_pairs, state, found)
    if found.used[0] == 0:
        search(deductions.naked_pairs, state, found)
    if found.used[0] == 0:
        search(deductions.x_wings, state, found)
    return add_steps(closure, position, found)


@compiled
def close_with_patterns(deductions, closure, position, assumption, level):
    """Find all that follows from an assumption, with patterns."""
    fill_closure(deductions, closure, position, assumption, level)


@implements(close, Patterns)
def close_by_patterns(deductions, closure, position, assumption, level):
    """Call the kernel."""
    close_with_patterns(deductions, closure, position, assumption, level)
