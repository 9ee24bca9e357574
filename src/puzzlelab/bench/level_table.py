"""A table of results by level: solved boards, and for networks on boards that are filled in also correct cells.

A board counts as solved if its answer is verified by replay. A cell counts as correct if the solver wrote the digit
of the unique solution, even in a board that it did not finish; boards with several solutions do not count for cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.statistics import Proportion
from puzzlelab.bench.suites import clue_count
from puzzlelab.bench.summaries import Summary, by_level, has_filled_answers
from puzzlelab.bench.tables import TextTable, interval, seconds, wrapped_label
from puzzlelab.core import registry
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, names_of
from puzzlelab.core.registry import usual_solver
from puzzlelab.engine.solving import solve, uninterrupted

Level = tuple[Summary, Proportion]
"""The results of a solver at a level, and the share of the blank cells that are right, in boards with one solution: 0
of 0 if the rows of the solver have no moves."""


def results(run: BenchRun) -> dict[str, dict[int, Level]]:
    """Map each solver to its results by level; none unless boards are filled in and have at least two levels."""
    puzzle = run.suite.puzzle
    if not has_filled_answers(puzzle) or len({entry.level for entry in run.suite.entries} - {None}) < 2:
        return {}

    @cache
    def solution(board: str) -> frozenset[str]:
        return _unique_solution(puzzle, board)

    def cells(answers: Sequence[BenchAnswer]) -> Proportion:
        evaluated = [answer for answer in answers if answer.row.evaluations]
        if not all(answer.row.moves or answer.row.tried for answer in evaluated):
            return Proportion(0, 0)
        right = [
            (solution(answer.entry.board), {*(answer.row.moves or answer.row.tried or ())}) for answer in evaluated
        ]
        return Proportion(sum(len(own & written) for own, written in right), sum(len(own) for own, _ in right))

    return {
        solver: {level: (at, cells(at.answers)) for level, at in levels.items()}
        for solver, levels in by_level(run).items()
    }


def _unique_solution(puzzle: Puzzle, board: str) -> frozenset[str]:
    """Return the moves of the unique solution; empty if there are several."""
    name, options = usual_solver(puzzle)
    result = uninterrupted(solve(registry.make_solver(name, options), puzzle.read(board), Limit(seconds=60)))
    return frozenset(names_of(puzzle, result.moves)) if result.moves and result.proof == "unique" else frozenset()


def table(run: BenchRun) -> TextTable | None:
    """Return a line for each level of each solver, and one for the mean of its levels; None if there are no levels."""
    solvers = results(run)
    if not solvers:
        return None
    header = ["solver", "level", "clues", "boards", "solved", "95 %", "cells", "seconds\na board"]
    rows = [row for solver, levels in solvers.items() for row in _rows(run.suite.puzzle, solver, levels)]
    if not any(cells.total for levels in solvers.values() for _, cells in levels.values()):
        header, rows = _without_cells(header), [_without_cells(row) for row in rows]
    return TextTable(title="by level", header=header, rows=rows)


def _without_cells(row: Sequence[str]) -> list[str]:
    return [*row[:-2], row[-1]]


def _rows(puzzle: Puzzle, solver: str, levels: Mapping[int, Level]) -> list[list[str]]:
    rows = []
    for level, (at, cells) in levels.items():
        clues = [clue_count(puzzle, answer.entry.board) or 0 for answer in at.answers]
        span = f"{min(clues)}" if min(clues) == max(clues) else f"{min(clues)}-{max(clues)}"
        shares = [_percent(at.solved), interval(at.solved), _percent(cells)]
        rows.append(["", str(level), span, str(at.solved.total), *shares, seconds(at.seconds.value)])
    rows[0][0] = wrapped_label(solver)
    mean_solved = 100 * float(np.mean([at.solved.value for at, _ in levels.values()]))
    mean_seconds = float(np.mean([at.seconds.value for at, _ in levels.values()]))
    return [*rows, ["", "mean", "", "", f"{mean_solved:.2f} %", "", "", seconds(mean_seconds)]]


def _percent(share: Proportion) -> str:
    return f"{100 * share.value:.2f} %" if share.total else "-"
