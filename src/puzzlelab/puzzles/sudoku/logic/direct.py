# mypy: allow-untyped-defs
"""What makes a step direct: a hidden single that its eliminations would make at once.

Such a step only places the digit, as on the scales of Sudoku Explainer; what it would remove stays possible.
"""

from __future__ import annotations

import numpy as np

from puzzlelab.engine.kernels import compiled, inlined
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    PLACED,
    REMOVED,
    UNIT,
    Evidence,
    cell_text,
    digit_text,
    mark,
    unit_text,
)

SINGLE = 2
"""The role of the unit of the hidden single."""
EXCLUDED = 1
"""The role of the candidates that a direct step would remove."""


@inlined
def places_left(position, found, digit, unit):
    """Return the places of a digit in a unit that the step that was begun leaves, as bits."""
    places = np.int64(position.places[digit, unit])
    for i in range(found.heads[found.used[0], 1], found.used[1]):
        kind, candidate = found.marks[i] >> 28, (found.marks[i] >> 12) & 0xFFF
        cell = candidate // 9
        if kind == REMOVED and candidate % 9 == digit and position.homes[cell, unit // 9] == unit:
            places &= ~(1 << position.spots[cell, unit // 9])
    return places


@inlined
def keep_excluded(found):
    """Mark as excluded what the step that was begun removes."""
    for i in range(found.heads[found.used[0], 1], found.used[1]):
        if found.marks[i] >> 28 == REMOVED:
            found.marks[i] += ((CANDIDATE - REMOVED) << 28) | (EXCLUDED << 24)


@compiled
def make_direct(position, found, first, end):
    """Make the step that was begun a direct one, if it makes a hidden single in a unit from `first` to `end` - 1.

    Returns whether it does.
    """
    for i in range(found.heads[found.used[0], 1], found.used[1]):
        cell, digit = divmod((found.marks[i] >> 12) & 0xFFF, 9)
        for kind in range(3):
            unit = position.homes[cell, kind]
            places = places_left(position, found, digit, unit) if first <= unit < end else 0
            if places and places & (places - 1) == 0:
                keep_excluded(found)
                mark(found, PLACED, 0, 9 * position.units[unit, position.lowest[places]] + digit, 0)
                mark(found, UNIT, SINGLE, unit, 0)
                return True
    return False


def excluded(step: Evidence) -> list[int]:
    """Return what a step removes, or would remove if it were not direct."""
    return [*step.removed, *step.by_role("candidates", EXCLUDED)]


def with_single(text: str, step: Evidence) -> str:
    """Return the text of a step, followed by the hidden single of a direct one."""
    if not step.placed:
        return text
    (placed,), (unit,) = step.placed, step.by_role("units", SINGLE)
    return f"{text}; then {cell_text(placed // 9)} is the last place of {digit_text(placed)} in {unit_text(unit)}"
