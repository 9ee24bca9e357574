"""The tables of a run: a line for each solver, one for each of its levels, and every solver against every other.

They are printed on a terminal and stand in reports. In the table by level, a cell of a board that is filled in counts
as correct if the solver wrote the digit of the unique solution, even in a board that it did not finish; boards with
several solutions do not count for cells.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.bench.runs import BenchAnswer, BenchRun, by_occurrence
from puzzlelab.bench.suites import clue_count
from puzzlelab.bench.summaries import MIN_SECONDS, Proportion, Summary, by_level, has_filled_answers, mean, summaries
from puzzlelab.core import registry
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, names_of
from puzzlelab.core.registry import usual_solver
from puzzlelab.engine.solving import solve, uninterrupted

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.table import Table

INTERVAL = r"(?m)^(± .*|[\d.]+-[\d.]+ %)$"
"""Matches an interval on a line of a cell, which is printed dim."""
VALUES = {"moves": ("length", "excess"), "cost": ("cost", "excess"), "score": ("score", "below\nthe best")}
"""The headings of a table: what is compared -> those of its mean, and of its distance from the best."""
BETTER = {"moves": "the shorter solution", "cost": "the cheaper solution", "score": "the higher score"}
"""What is compared -> what the better solver has."""
GAP, NARROW = 2, 20
"""Spaces beside a column, and the most signs of a line in a heading or in a narrow first column."""
CACHED_SOLUTIONS = 1 << 15
"""Unique solutions that are kept in memory."""
Cells = Mapping[str, str]
"""Heading -> the text of a cell below it."""
Level = tuple[Summary, Proportion]
"""The results of a solver at a level, and the share of the blank cells that are right, in boards with one solution: 0
of 0 if the rows of the solver have no moves."""


@dataclass(frozen=True)
class TextTable:
    """A table whose cells may have several lines; its headings may be labels of solvers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    remarks: Sequence[str] = ()
    """Sentences for below the table."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        """Yield the table for a terminal, in parts where it is wider; each part has the first column.

        The first column and the headings are folded. Other cells are not, and never cut.
        """
        from rich.cells import cell_len
        from rich.table import Table
        from rich.text import Text

        columns = [[_folded(head), *cells] for head, *cells in zip(self.header, *self.rows, strict=True)]
        widths = [GAP + max(cell_len(line) for cell in column for line in cell.split("\n")) for column in columns]
        widths[0] = min(widths[0], GAP + NARROW)
        for number, places in enumerate(_parts(widths, options.max_width)):
            result = Table(title=Text("" if number else self.title), box=None)
            for place in places:
                heading = Text(columns[place][0])
                if place:
                    result.add_column(heading, justify="right", no_wrap=True, overflow="ellipsis")
                else:
                    result.add_column(heading, overflow="fold")
            for row in self.rows:
                cells = [Text(row[place]) for place in places]
                for cell in cells:
                    cell.highlight_regex(INTERVAL, "dim")
                result.add_row(*cells)
            yield result


def _table(title: str, rows: Sequence[Cells], remarks: Sequence[str] = ()) -> TextTable:
    return TextTable(title, (*rows[0],), [(*row.values(),) for row in rows], remarks)


def _parts(widths: Sequence[int], most: int) -> list[list[int]]:
    """Return the columns of each part: the first one, and the next ones that fit, at least one."""
    parts = [[0]]
    for place in range(1, len(widths)):
        if len(parts[-1]) > 1 and sum(widths[each] for each in parts[-1]) + widths[place] > most:
            parts.append([0])
        parts[-1].append(place)
    return parts


def _folded(heading: str) -> str:
    """Return a heading with lines for each option, of at most `NARROW` signs."""
    from rich.cells import chop_cells

    lines = wrapped_label(heading).split("\n")
    return "\n".join(part for line in lines for part in chop_cells(line, NARROW) or [""])


# --- cells ---


def share(value: Proportion) -> str:
    """Write '7/10', or '-' where there is nothing to share."""
    return f"{value.number}/{value.total}" if value.total else "-"


def percent(value: Proportion, digits: int | None = None) -> str:
    """Write '70 %', with more digits where there are boards enough for them; nothing where there is nothing to
    share.
    """
    return f"{100 * value.value:.{_digits(value) if digits is None else digits}f} %" if value.total else ""


def interval(value: Proportion) -> str:
    """Write '40-89 %', with as many digits as `percent`."""
    low, high = value.interval
    return f"{100 * low:.{_digits(value)}f}-{100 * high:.{_digits(value)}f} %"


def _digits(value: Proportion) -> int:
    """Return the digits behind the point: 0 below 500 boards, 1 below 50,000, then 2."""
    return sum(value.total >= least for least in (500, 50_000))


def decimal(value: float) -> str:
    """Write '53.05', or '-' for nan."""
    return "-" if math.isnan(value) else f"{value:.2f}"


def number(value: float) -> str:
    """Write a count in few signs: '950', '12.3k', '1.23M'."""
    for unit, size, least in (("G", 1e9, 1e9), ("M", 1e6, 1e6), ("k", 1e3, 1e4)):
        if value >= least:
            return f"{value / size:.3g}{unit}"
    return f"{value:.0f}"


def seconds(value: float) -> str:
    """Write seconds with three digits that count, to the microsecond; '-' for nan."""
    if math.isnan(value):
        return "-"
    if value < 1e-6:
        return "0"
    return f"{value:.{min(6, max(0, 2 - math.floor(math.log10(value))))}f}"


def wrapped_label(solver: str) -> str:
    """Return a solver's label with a line for each option."""
    return re.sub(r":(?=[A-Za-z_]\w*=)", ":\n", solver)


def _lines(*texts: str) -> str:
    return "\n".join(texts).rstrip()


# --- solvers ---


def of_solvers(run: BenchRun) -> TextTable:
    """Return a line for each solver of a run, which has answers."""
    lines = summaries(run)
    puzzle, scored = run.suite.puzzle, any(each.evaluations for each in lines)
    rows = [{"solver": wrapped_label(each.solver), **dict(_cells(each, puzzle, scored))} for each in lines]
    return _table(f"{run.suite.name}: {len(run.suite.entries)} boards of {puzzle.name}", rows)


def _cells(each: Summary, puzzle: Puzzle, scored: bool) -> Iterator[tuple[str, str]]:
    """Yield the cells of a solver; `scored` if a network or another function scored states for any solver."""
    yield "solved:\nboards\nshare\n95 %", _lines(share(each.solved), percent(each.solved), interval(each.solved))
    if has_filled_answers(puzzle):
        yield "proven\nunique\n95 %", _lines(share(each.proven), interval(each.proven))
        yield "proven\nunsolvable", share(each.refuted)
    else:
        value, distance = VALUES[objective_of(puzzle).kind]
        excess = decimal(each.excess.value)
        optimal = share(each.proven), share(each.optimal), percent(each.optimal) if excess != "-" else ""
        yield "optimal:\nproven\nreached\nshare", _lines(*optimal)
        length, half_width = each.length
        yield f"{value}:\nmean\n95 %", _lines(decimal(length), "" if math.isnan(half_width) else f"± {half_width:.2f}")
        yield f"{distance}:\nmean\nboards", _lines(excess, share(each.compared))
    scores = number(each.evaluations) if each.evaluations else ""
    nodes = _lines(number(each.expanded), number(each.generated), scores)
    yield "nodes:\nexpanded\ngenerated" + "\nscored" * scored, nodes
    yield "seconds:\nmean\nmedian\np95", _lines(*map(seconds, (each.seconds.value, *each.percentiles[1::2])))


# --- levels ---


def levels(run: BenchRun) -> dict[str, dict[int, Level]]:
    """Map each solver to its results by level; none unless boards are filled in and have at least two levels."""
    puzzle = run.suite.puzzle
    if not has_filled_answers(puzzle) or len({entry.level for entry in run.suite.entries} - {None}) < 2:
        return {}

    return {
        solver: {level: (at, right_cells(puzzle, at.answers)) for level, at in of_solver.items()}
        for solver, of_solver in by_level(run).items()
    }


def right_cells(puzzle: Puzzle, answers: Sequence[BenchAnswer]) -> Proportion:
    """Return the share of the blank cells of boards with one solution that have its digit, also in unsolved boards.

    0 of 0 if a row has no moves, and for answers of a solver that uses no network.
    """
    rows = [answer.row for answer in answers if answer.row.evaluations]
    written = [{*(row.moves or row.tried or ())} for row in rows]
    if not all(written):
        return Proportion(0, 0)
    own = [only_solution(puzzle.name, row.board) for row in rows]
    return Proportion(sum(len(a & b) for a, b in zip(own, written, strict=True)), sum(map(len, own)))


@lru_cache(maxsize=CACHED_SOLUTIONS)
def only_solution(name_of_puzzle: str, board: str) -> frozenset[str]:
    """Return the moves of the unique solution; empty if there are several."""
    puzzle = registry.load(name_of_puzzle)
    name, options = usual_solver(puzzle)
    result = uninterrupted(solve(registry.make_solver(name, options), puzzle.read(board), Limit(seconds=60)))
    return frozenset(names_of(puzzle, result.moves)) if result.moves and result.proof == "unique" else frozenset()


def of_levels(run: BenchRun) -> TextTable | None:
    """Return a line for each level of each solver, and one for the mean of its levels; None if there are no levels."""
    solvers = levels(run)
    if not solvers:
        return None
    rows = [row for solver, of_solver in solvers.items() for row in _level_rows(run.suite.puzzle, solver, of_solver)]
    if not any(cells.total for of_solver in solvers.values() for _, cells in of_solver.values()):
        for row in rows:
            del row["cells"]
    return _table("by level", rows)


def _level_rows(puzzle: Puzzle, solver: str, of_solver: Mapping[int, Level]) -> Iterator[dict[str, str]]:
    name = wrapped_label(solver)
    for level, (at, cells) in of_solver.items():
        clues = [clue_count(puzzle, answer.entry.board) or 0 for answer in at.answers]
        span = f"{min(clues)}" if min(clues) == max(clues) else f"{min(clues)}-{max(clues)}"
        shares = {"solved": percent(at.solved, 2), "95 %": interval(at.solved), "cells": percent(cells, 2) or "-"}
        row = {"solver": name, "level": str(level), "clues": span, "boards": str(at.solved.total), **shares}
        yield {**row, "seconds\na board": seconds(at.seconds.value)}
        name = ""
    mean_solved = 100 * float(np.mean([at.solved.value for at, _ in of_solver.values()]))
    mean_seconds = float(np.mean([at.seconds.value for at, _ in of_solver.values()]))
    means = {"level": "mean", "solved": f"{mean_solved:.2f} %", "seconds\na board": seconds(mean_seconds)}
    yield {**dict.fromkeys((*row, "seconds\na board"), ""), **means}


# --- every two solvers ---


def of_pairs(run: BenchRun) -> TextTable | None:
    """Return every solver against every other one; None if there is one alone."""
    lines = summaries(run)
    if len(lines) < 2:
        return None
    rows = [{"": wrapped_label(one.solver), **{other.solver: _against(one, other) for other in lines}} for one in lines]
    filled, kind = has_filled_answers(run.suite.puzzle), objective_of(run.suite.puzzle).kind
    better = "a solution where the other has none" if filled else BETTER[kind]
    remark = f"Each cell has the boards on which the solver of the line has {better}, is equal, or is worse."
    if any("×" in cell for row in rows for cell in row.values()):
        remark += (
            " Below: its seconds divided by those of the solver of the column, on the boards that both solved "
            "(geometric mean, 95 % interval)."
        )
    return _table("Every solver against every other", rows, [remark])


def _against(one: Summary, other: Summary) -> str:
    if one is other:
        return ""
    return comparison(one.answers, other.answers, one.timed == other.timed == "alone")


def comparison(one: Sequence[BenchAnswer], other: Sequence[BenchAnswer], timed: bool) -> str:
    """Return the boards on which the first is better, equal or worse, of those that both answered.

    Better are fewer moves, a lower cost or a higher score, or the only solution. If both were `timed` board by board, a
    line has the quotient of their seconds on the boards that both solved, and another one its interval.
    """
    mine, theirs = by_occurrence(one), by_occurrence(other)
    pairs = [(answer, theirs[key]) for key, answer in mine.items() if key in theirs]
    signs = Counter(_sign(answer, against) for answer, against in pairs)
    text = f"{signs[-1]} / {signs[0]} / {signs[1]}"
    quotients = [
        math.log(max(answer.seconds, MIN_SECONDS) / max(against.seconds, MIN_SECONDS))
        for answer, against in pairs
        if timed and answer.length is not None and against.length is not None
    ]
    if quotients:
        value, half_width = mean(quotients)
        text += f"\n× {_factor(value)}"
        text += "" if math.isnan(half_width) else f"\n{_factor(value - half_width)} to {_factor(value + half_width)}"
    return text


def _sign(answer: BenchAnswer, against: BenchAnswer) -> int:
    """Return -1 if the answer is better than the other one, 0 if it is as good, 1 if it is worse."""
    if answer.value is None or against.value is None:
        return int(answer.value is None) - int(against.value is None)
    return int(np.sign(answer.excess_over(against.value) or 0))


def _factor(logarithm: float) -> str:
    """Return a factor with two digits that count, from its logarithm."""
    value = math.exp(logarithm)
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"
