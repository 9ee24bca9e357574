"""A table of results by level: solved boards, and for networks on boards that are filled in also correct cells.

A board counts as solved if its answer is verified by replay. A cell counts as correct if the solver wrote the digit
of the unique solution, even in a board that it did not finish; boards with several solutions do not count for cells.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.bench import suites, tables
from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.statistics import Proportion
from puzzlelab.bench.timing import timing_of
from puzzlelab.core import registry
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, names_of
from puzzlelab.core.registry import usual_solver
from puzzlelab.engine.solving import solve, uninterrupted

if TYPE_CHECKING:
    from rich.table import Table


UniqueSolutions = dict[str, frozenset[str]]
"""Board -> the moves of its only solution."""


@dataclass(frozen=True)
class LevelRow:
    """The results of one solver at one level."""

    solver: str
    level: int
    clues: tuple[int, int]
    """The smallest and the largest number."""
    solved: Proportion
    cells: Proportion
    """The share of the blank cells that are right, in boards with one solution; 0 of 0 if the rows of the solver have
    no moves."""
    seconds: float = math.nan
    """Mean for a board; nan if a batch holds boards of another level too."""


def level_rows(run: BenchRun) -> list[LevelRow]:
    """Return a row for every solver and level; none unless boards are filled in and have at least two levels."""
    puzzle = run.suite.puzzle
    if not tables.has_filled_answers(puzzle) or len({entry.level for entry in run.suite.entries} - {None}) < 2:
        return []
    solutions: UniqueSolutions = {}
    rows = []
    for solver, answers in run.by_solver.items():
        levels: dict[int, list[BenchAnswer]] = defaultdict(list)
        for answer in answers:
            if answer.entry.level is not None:
                levels[answer.entry.level].append(answer)
        rows += [
            replace(_level_row(puzzle, solver, level, levels[level], solutions), seconds=timing_of(levels[level]).mean)
            for level in sorted(levels)
        ]
    return rows


def _level_row(
    puzzle: Puzzle, solver: str, level: int, answers: Sequence[BenchAnswer], solutions: UniqueSolutions
) -> LevelRow:
    clues = [suites.clue_count(puzzle, answer.entry.board) or 0 for answer in answers]
    solved = Proportion(sum(answer.length is not None for answer in answers), len(answers))
    return LevelRow(solver, level, (min(clues), max(clues)), solved, _cells(puzzle, answers, solutions))


def _cells(puzzle: Puzzle, answers: Sequence[BenchAnswer], solutions: UniqueSolutions) -> Proportion:
    evaluated = [answer for answer in answers if answer.row.evaluations]
    if not all(answer.row.moves or answer.row.tried for answer in evaluated):
        return Proportion(0, 0)
    correct, total = 0, 0
    for answer in evaluated:
        board = answer.entry.board
        if board not in solutions:
            solutions[board] = _unique_solution(puzzle, board)
        total += len(solutions[board])
        correct += len(solutions[board] & {*(answer.row.moves or answer.row.tried or ())})
    return Proportion(correct, total)


def _unique_solution(puzzle: Puzzle, board: str) -> frozenset[str]:
    """Return the moves of the unique solution; empty if there are several."""
    name, options = usual_solver(puzzle)
    result = uninterrupted(solve(registry.make_solver(name, options), puzzle.read(board), Limit(seconds=60)))
    return frozenset(names_of(puzzle, result.moves)) if result.moves and result.proof == "unique" else frozenset()


def table(run: BenchRun) -> Table | None:
    """Return a line for each level of each solver, and one for the mean of its levels; None if there are no levels."""
    from rich.table import Table
    from rich.text import Text

    lines: Mapping[str, list[LevelRow]] = defaultdict(list)
    for row in level_rows(run):
        lines[row.solver].append(row)
    if not lines:
        return None
    with_cells = any(row.cells.total for rows in lines.values() for row in rows)
    result = Table(title="by level", box=None)
    result.add_column("solver", overflow="fold")
    for head in ("level", "clues", "boards", "solved", "95 %", *(["cells"] if with_cells else []), "seconds\na board"):
        result.add_column(head, justify="right", no_wrap=True)
    for solver, rows in lines.items():
        for number, row in enumerate(rows):
            clues = str(row.clues[0]) if row.clues[0] == row.clues[1] else f"{row.clues[0]}-{row.clues[1]}"
            cell_texts = [
                str(row.level),
                clues,
                str(row.solved.total),
                _percent(row.solved),
                tables.interval(row.solved),
            ]
            cell_texts += [_percent(row.cells)] if with_cells else []
            result.add_row(
                Text(tables.wrapped_label(solver) if number == 0 else ""), *cell_texts, tables.seconds(row.seconds)
            )
        mean = f"{100 * np.mean([row.solved.value for row in rows]):.2f} %"
        result.add_row("", "mean", "", "", mean, "", *([""] if with_cells else []), tables.seconds(_mean_seconds(rows)))
    return result


def _percent(share: Proportion) -> str:
    return f"{100 * share.value:.2f} %" if share.total else "-"


def _mean_seconds(rows: Sequence[LevelRow]) -> float:
    return float(np.mean([row.seconds for row in rows]))
