"""Positions in which only one digit matters: they are drawn, and what is true in them can be counted out."""

from __future__ import annotations

import numpy as np
from logic_positions import steps_in

from puzzlelab.puzzles.sudoku.logic.steps import Evidence
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

Placement = frozenset[int]
"""The nine cells of a digit."""


def steps_of_pattern(family: str, drawing: str) -> list[Evidence]:
    """Return the steps of a family on an empty board where 1 may stand only at the marks `X`."""
    signs = "".join(drawing.split())
    removed = [f"1{cell // 9 + 1}{cell % 9 + 1}" for cell, sign in enumerate(signs) if sign != "X"]
    return steps_in(family, "." * 81, " ".join(removed))


def drawing_of(*cells: int) -> str:
    """Return the drawing of cells, by rows and columns: 47 for r4c7."""
    return "".join("X" if 10 * (cell // 9 + 1) + cell % 9 + 1 in cells else "." for cell in range(81))


def removed_by(steps: list[Evidence], technique: Technique) -> set[tuple[int, ...]]:
    """Return what each step of a technique removes, as rows and columns: 47 for r4c7."""
    return {tuple(map(cell_number, step.removed)) for step in steps if step.technique == technique}


def cell_number(candidate: int) -> int:
    """Return the row and the column of a candidate."""
    return 10 * (candidate // 81 + 1) + candidate // 9 % 9 + 1


def random_pattern(number: int) -> str:
    """Return the drawing of some random placements of the digit and of other cells, in one line."""
    random = np.random.default_rng(number)
    cells = set(random.integers(81, size=random.integers(3, 12)).tolist())
    for _ in range(random.integers(2, 5)):
        cells |= random_placement(random)
    return "".join("X" if cell in cells else "." for cell in range(81))


def random_placement(random: np.random.Generator) -> Placement:
    """Place a digit in all rows, columns and boxes."""
    rows, columns = (np.array([random.permutation(3) for _ in range(3)]) for _ in range(2))
    return frozenset(
        int(9 * (3 * band + rows[band, stack]) + 3 * stack + columns[stack, band])
        for band in range(3)
        for stack in range(3)
    )


def possible_cells(drawing: str) -> Placement:
    """Return the cells that are in one of the placements that a drawing leaves, by trying all."""
    possible: set[int] = set()

    def extend(row: int, chosen: list[int]) -> None:
        if row == 9:
            possible.update(chosen)
            return
        for cell in range(9 * row, 9 * row + 9):
            if drawing[cell] == "X" and not any(
                cell % 9 == other % 9 or (cell // 27, cell % 9 // 3) == (other // 27, other % 9 // 3)
                for other in chosen
            ):
                extend(row + 1, [*chosen, cell])

    extend(0, [])
    return frozenset(possible)
