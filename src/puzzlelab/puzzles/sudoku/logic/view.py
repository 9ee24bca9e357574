"""The view `Logic` of 9x9 Sudoku: the steps of all families of techniques, in the order of their difficulty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from puzzlelab.core.logic import Step, follow
from puzzlelab.core.puzzle import board_after
from puzzlelab.puzzles.sudoku.logic.catalog import FAMILIES, families_in, sentence, steps_of
from puzzlelab.puzzles.sudoku.logic.position import Position, new_position, play, set_up
from puzzlelab.puzzles.sudoku.logic.steps import Evidence, evidence_of, find_steps, new_found, unit_text
from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

MOST = 1000
"""The most steps of one search that are listed."""


def logic(puzzle: Sudoku) -> SudokuLogic | None:
    """Return the view of the puzzle; None for other sizes than 9x9."""
    return SudokuLogic(puzzle) if puzzle.size == 9 else None


@dataclass(frozen=True)
class SudokuLogic:
    """The view `Logic` of 9x9 Sudoku."""

    puzzle: Sudoku

    def objection(self, state: Board, written: Sequence[int] = (), removed: Iterable[int] = ()) -> str | None:
        """Name two equal digits in a unit, a cell without a candidate, or a digit without a place."""
        if objection := self.puzzle.objection(board_after(self.puzzle, state, written)):
            return objection
        position = position_of(self.puzzle, state, written, removed)
        (stuck,) = np.nonzero((position.values == 0) & (position.candidates == 0))
        if stuck.size:
            return f"{self.puzzle.write_cell(int(stuck[0]))} has no candidate left"
        for unit, cells in enumerate(position.units.tolist()):
            missing = set(range(9)) - {int(position.values[cell]) - 1 for cell in cells}
            for digit in sorted(missing):
                if not position.places[digit, unit]:
                    return f"{unit_text(unit)} has no place left for a {digit + 1}"
        return None

    def steps(
        self, state: Board, written: Sequence[int] = (), removed: Iterable[int] = (), assumes_unique: bool = True
    ) -> Iterator[Step]:
        """Yield the steps of one family after the other."""
        position, found = position_of(self.puzzle, state, written, removed), new_found(MOST)
        for family in FAMILIES:
            for each in steps_of(family, position, found):
                if assumes_unique or not each.technique.assumes_unique:
                    yield step_of(each, family)

    def way(
        self, state: Board, written: Sequence[int] = (), removed: Iterable[int] = (), assumes_unique: bool = True
    ) -> Iterator[Step]:
        """Yield the easiest step, then the easiest one after it, and so on."""

        def easiest(moves: list[int], ruled_out: list[int]) -> Step | None:
            if self.objection(state, moves, ruled_out):
                return None
            return easiest_step(position_of(self.puzzle, state, moves, ruled_out), assumes_unique)

        return follow(written, removed, easiest)


def position_of(puzzle: Sudoku, state: Board, written: Iterable[int], removed: Iterable[int]) -> Position:
    """Return the position of a board after some moves, without some candidates."""
    position, bits = new_position(), 1 << np.arange(9)
    board = (puzzle.digits(state) + 1).astype(np.uint8)
    set_up(position, board, (puzzle.candidates(state) * bits).sum(axis=1).astype(np.uint16))
    play(position, np.array(list(written), np.int64), np.array(list(removed), np.int64))
    return position


def step_of(evidence: Evidence, family: str) -> Step:
    """Return a step for people."""
    return Step(
        technique=evidence.technique.label,
        title=evidence.technique.title,
        sentence=sentence(evidence, family),
        placements=evidence.placed,
        eliminations=evidence.removed,
        cells=evidence.cells,
        candidates=evidence.candidates,
        units=evidence.units,
        nodes=evidence.nodes,
        links=evidence.links,
    )


def easiest_step(position: Position, assumes_unique: bool) -> Step | None:
    """Return the step that the easiest technique finds first; None if there is none."""
    first = new_found(1)
    for family in FAMILIES:
        for record in families_in(family):
            find_steps(record, position, first)
            steps = evidence_of(first)
            if steps and not assumes_unique and steps[0].technique.assumes_unique:
                steps = [each for each in all_steps(record, position) if not each.technique.assumes_unique]
            if steps:
                return step_of(steps[0], family)
    return None


def all_steps(record: Any, position: Position) -> list[Evidence]:
    """Return all steps of one search."""
    found = new_found(MOST)
    find_steps(record, position, found)
    return evidence_of(found)
