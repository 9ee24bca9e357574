# mypy: allow-untyped-defs
"""The guard of all techniques: it knows only the candidates and the solution of a board."""

from __future__ import annotations

from puzzlelab.engine.kernels import compiled
from puzzlelab.puzzles.sudoku.logic.position import has
from puzzlelab.puzzles.sudoku.logic.steps import PLACED, REMOVED

SOUND = -1


@compiled
def first_wrong(position, found, solution):
    """Return the number of the first step that is wrong for a board with the only `solution: uint8[81]`, or SOUND.

    A step is wrong if it removes a candidate of the solution, places another digit, names a candidate that is not
    there, or changes nothing.
    """
    for number in range(found.used[0]):
        changes = 0
        for i in range(found.heads[number, 1], found.heads[number, 2]):
            kind, candidate = found.marks[i] >> 28, (found.marks[i] >> 12) & 0xFFF
            if kind in (REMOVED, PLACED):
                changes += 1
                is_solution = solution[candidate // 9] == candidate % 9 + 1
                if not has(position, candidate // 9, candidate % 9) or is_solution == (kind == REMOVED):
                    return number
        if changes == 0:
            return number
    return SOUND
