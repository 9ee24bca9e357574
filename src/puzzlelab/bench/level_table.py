"""Says of each level how well solvers did there: boards, and for networks that fill boards the cells too.

Only answers that hold when replayed count as boards. A cell counts where what a solver wrote in it, also in a board
that it did not finish, is the digit of the only solution; boards with several solutions tell nothing of cells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.bench import tables, times
from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.statistics import Proportion
from puzzlelab.core import registry
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import names_of, solve, usual_solver

if TYPE_CHECKING:
    from rich.table import Table


Truth = dict[str, frozenset[str]]
"""Board -> the moves of its only solution."""


@dataclass(frozen=True)
class LevelRow:
    """How one solver did at one level."""

    solver: str
    level: int
    clues: tuple[int, int]
    """The fewest and the most."""
    solved: Proportion
    cells: Proportion
    """Of the cells to fill, in boards with one solution; of none where a solver does not tell what it came to."""
    seconds: float
    """For a board, on average."""


def found(run: BenchRun) -> list[LevelRow]:
    """Every solver at every level, where the boards have several and are filled in; nothing else."""
    puzzle = run.suite.puzzle
    if not tables.fills(puzzle) or len({entry.level for entry in run.suite.entries} - {None}) < 2:
        return []
    truth: Truth = {}
    every = []
    for solver, answers in run.by_solver.items():
        levels: dict[int, list[BenchAnswer]] = defaultdict(list)
        for answer in answers:
            if answer.entry.level is not None:
                levels[answer.entry.level].append(answer)
        every += [_at(puzzle, solver, level, levels[level], truth) for level in sorted(levels)]
    return every


def _at(puzzle: Puzzle, solver: str, level: int, answers: Sequence[BenchAnswer], truth: Truth) -> LevelRow:
    clues = [times.clues_of(puzzle, answer.entry.board) or 0 for answer in answers]
    solved = Proportion(sum(answer.length is not None for answer in answers), len(answers))
    seconds = float(np.mean([answer.row.seconds for answer in answers]))
    return LevelRow(solver, level, (min(clues), max(clues)), solved, _cells(puzzle, answers, truth), seconds)


def _cells(puzzle: Puzzle, answers: Sequence[BenchAnswer], truth: Truth) -> Proportion:
    asked = [answer for answer in answers if answer.row.evaluations]
    if not all(answer.row.moves or answer.row.tried for answer in asked):
        return Proportion(0, 0)
    right, every = 0, 0
    for answer in asked:
        board = answer.entry.board
        if board not in truth:
            truth[board] = _only(puzzle, board)
        every += len(truth[board])
        right += len(truth[board] & {*(answer.row.moves or answer.row.tried or ())})
    return Proportion(right, every)


def _only(puzzle: Puzzle, board: str) -> frozenset[str]:
    """The moves of the only solution; none where there are several."""
    name, options = usual_solver(puzzle)
    result = solve(registry.make_solver(name, options), puzzle.read(board), Limit(seconds=60))
    return frozenset(names_of(puzzle, result.moves)) if result.moves and result.proof == "unique" else frozenset()


def table(run: BenchRun) -> Table | None:
    """A line for each level of each solver, and one for the mean of its levels; None where there are no levels."""
    from rich.table import Table
    from rich.text import Text

    lines: Mapping[str, list[LevelRow]] = defaultdict(list)
    for at in found(run):
        lines[at.solver].append(at)
    if not lines:
        return None
    cells = any(at.cells.total for each in lines.values() for at in each)
    made = Table(title="by level", box=None)
    made.add_column("solver", overflow="fold")
    for head in ("level", "clues", "boards", "solved", "95 %", *(["cells"] if cells else []), "seconds\na board"):
        made.add_column(head, justify="right", no_wrap=True)
    for solver, each in lines.items():
        for number, at in enumerate(each):
            clues = str(at.clues[0]) if at.clues[0] == at.clues[1] else f"{at.clues[0]}-{at.clues[1]}"
            told = [str(at.level), clues, str(at.solved.total), _percent(at.solved), tables.interval(at.solved)]
            told += [_percent(at.cells)] if cells else []
            made.add_row(Text(tables.broken(solver) if number == 0 else ""), *told, tables.seconds(at.seconds))
        mean = f"{100 * np.mean([at.solved.value for at in each]):.2f} %"
        made.add_row("", "mean", "", "", mean, "", *([""] if cells else []), tables.seconds(_mean_seconds(each)))
    return made


def _percent(share: Proportion) -> str:
    return f"{100 * share.value:.2f} %" if share.total else "-"


def _mean_seconds(each: Sequence[LevelRow]) -> float:
    return float(np.mean([at.seconds for at in each]))
