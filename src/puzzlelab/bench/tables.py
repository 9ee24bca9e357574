"""Says in numbers, with 95 % intervals, how well solvers did on a suite. Only answers that hold when replayed count."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.bench.runs import Answer, Run
from puzzlelab.bench.shares import Mean, Share, mean
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solutions import SEVERAL

if TYPE_CHECKING:
    from rich.table import Table

MOST_REMARKS = 5
"""Of one kind."""


# --- what is known of the boards ---


def fills(puzzle: Puzzle) -> bool:
    """Whether a solution is a board that is filled in: then all have equally many moves, and none is the shortest."""
    return bool(getattr(puzzle, "shows_board", False))


@dataclass(frozen=True)
class Reference:
    """The length that others are held against."""

    length: int
    optimal: bool
    """Whether it is proven to be the least."""


def references(run: Run) -> dict[str, Reference]:
    """By board: the optimum that the suite states, else one that a solver proved, else the suite's bound."""
    found: dict[str, Reference] = {}
    for answer in run.answers:
        if answer.proven and answer.length is not None:
            proven = min(answer.length, found[answer.entry.board].length if answer.entry.board in found else math.inf)
            found[answer.entry.board] = Reference(int(proven), True)
    for entry in run.suite.entries:
        if entry.known is not None and (entry.known_is_optimal or entry.board not in found):
            found[entry.board] = Reference(entry.known, entry.known_is_optimal)
    return found


def excesses(answers: Iterable[Answer], known: dict[str, Reference], optimal: bool = False) -> list[int]:
    """For each solved board with a reference (an optimal one, if asked): moves more than that."""
    pairs = [(answer.length, known.get(answer.entry.board)) for answer in answers]
    return [
        length - reference.length
        for length, reference in pairs
        if length is not None and reference is not None and (reference.optimal or not optimal)
    ]


# --- one solver ---


@dataclass(frozen=True)
class Summary:
    """How one solver did."""

    solver: str
    solved: Share
    """Of all boards that it was asked."""
    proven: Share
    """Solved, and proven by the solver itself to be shortest, or the only one; of all boards that it was asked."""
    reached: Share
    """As short as the known optimum; of the boards that have one."""
    length: Mean
    """Moves, over the solved boards."""
    gap: Mean
    """Moves more than the reference, over the solved boards that have one."""
    expanded: float
    """States expanded, on average over all boards."""
    generated: float
    """States generated, on average over all boards."""
    median: float
    """Seconds, over all boards."""
    p95: float
    """Seconds: the 95th percentile, interpolated."""
    seconds: Mean
    """Over all boards."""
    refuted: Share
    """Proven to have no solution; of all boards that it was asked."""


def summaries(run: Run) -> list[Summary]:
    """A summary of each solver that has answered anything."""
    known = references(run)
    return [summary(solver, answers, known) for solver, answers in run.by_solver.items()]


def summary(solver: str, answers: Sequence[Answer], known: dict[str, Reference]) -> Summary:
    """The summary of one solver's answers, of which there is at least one."""
    lengths = [answer.length for answer in answers if answer.length is not None]
    times = [answer.row.seconds for answer in answers]
    return Summary(
        solver,
        Share(len(lengths), len(answers)),
        Share(sum(answer.proven for answer in answers), len(answers)),
        reached(answers, known),
        mean(lengths),
        mean(excesses(answers, known)),
        float(np.mean([answer.row.expanded for answer in answers])),
        float(np.mean([answer.row.generated for answer in answers])),
        float(np.median(times)),
        float(np.percentile(times, 95)),
        mean(times),
        Share(sum(answer.holds and answer.row.proof == "unsolvable" for answer in answers), len(answers)),
    )


def reached(answers: Iterable[Answer], known: dict[str, Reference]) -> Share:
    """How many of the boards with a known optimum were solved in as many moves."""
    comparable = [answer for answer in answers if _has_optimum(answer, known)]
    return Share(sum(excess <= 0 for excess in excesses(comparable, known)), len(comparable))


def _has_optimum(answer: Answer, known: dict[str, Reference]) -> bool:
    reference = known.get(answer.entry.board)
    return reference is not None and reference.optimal


# --- what a reader must know beside the numbers ---


def remarks(run: Run) -> list[str]:
    """Sentences about a run that is not whole, and about answers that cannot be right."""
    always = [*_limits(run), *_unfinished(run), *_wrong(run), *_denied(run)]
    if fills(run.suite.puzzle):
        return [*always, *_several(run), *_disputed(run)]
    known = references(run)
    return [*always, *_bounds(run, known), *_contradictions(run, known)]


def _limits(run: Run) -> list[str]:
    kinds = (("seconds", "s"), ("nodes", "nodes"), ("memory", "bytes of memory"))
    found = {
        " and ".join(f"{answer.row.limit[kind]:,g} {unit}" for kind, unit in kinds if answer.row.limit.get(kind))
        for answer in run.answers
    }
    texts = sorted(text or "no limit" for text in found)
    return [f"Limit of each search: {'; or '.join(texts)}."] if texts != ["no limit"] else []


def _unfinished(run: Run) -> list[str]:
    every = len(run.suite.entries)
    return [
        f"{solver} has answered {len(answers)} of the {every} boards."
        for solver, answers in run.by_solver.items()
        if len(answers) < every
    ]


def _bounds(run: Run, known: dict[str, Reference]) -> list[str]:
    every = [known[entry.board] for entry in run.suite.entries if entry.board in known]
    loose = sum(not reference.optimal for reference in every)
    return [f"{loose} of the {len(every)} known lengths are not proven optimal; the gap is to them."] if loose else []


def _wrong(run: Run) -> list[str]:
    wrong = [answer for answer in run.answers if not answer.holds]
    if not wrong:
        return []
    reason = wrong[0].row.check(run.suite.puzzle).reason
    return [f"{len(wrong)} answers do not hold and count as unsolved; the first, of {wrong[0].solver}: {reason}."]


def _contradictions(run: Run, known: dict[str, Reference]) -> list[str]:
    return [
        f"{answer.solver} solves {answer.entry.board} in {answer.length} moves, "
        f"fewer than the {known[answer.entry.board].length} that are said to be optimal."
        for answer in run.answers
        if _has_optimum(answer, known) and min(excesses([answer], known), default=0) < 0
    ][:MOST_REMARKS]


def _denied(run: Run) -> list[str]:
    """A board that one solver solves and another one says to have no solution."""
    solved = {answer.entry.board: answer.solver for answer in run.answers if answer.length is not None}
    return [
        f"{answer.solver} says that {answer.entry.board} has no solution, but {solved[answer.entry.board]} found one."
        for answer in run.answers
        if answer.row.proof == "unsolvable" and answer.entry.board in solved
    ][:MOST_REMARKS]


def _several(run: Run) -> list[str]:
    """How many boards are known to have more than one solution."""
    found = {answer.entry.board for answer in run.answers if answer.length is not None and answer.row.reason == SEVERAL}
    return [f"{len(found)} of the boards have more than one solution: their answers are right, not unique."] * bool(
        found
    )


def _disputed(run: Run) -> list[str]:
    """A solution that one solver says to be the only one, where another solver found another."""
    only = {answer.entry.board: answer for answer in run.answers if answer.proven}
    return [
        f"{only[answer.entry.board].solver} says that {answer.entry.board} has one solution, "
        f"but {answer.solver} found another."
        for answer in run.answers
        if answer.length is not None
        and answer.entry.board in only
        and sorted(answer.row.moves or ()) != sorted(only[answer.entry.board].row.moves or ())
    ][:MOST_REMARKS]


# --- as a table ---


def table(run: Run) -> Table:
    """All solvers of a run, one a line."""
    from rich.markup import escape
    from rich.table import Table

    made = Table(title=f"{run.suite.name}: {len(run.suite.entries)} boards of {run.suite.puzzle.name}", box=None)
    made.add_column("solver", overflow="fold")
    columns = FILLED if fills(run.suite.puzzle) else PLAYED
    for head in columns:
        made.add_column(head, justify="right", no_wrap=True)
    for each in summaries(run):
        made.add_row(escape(broken(each.solver)), *(cell(each) for cell in columns.values()))
    return made


def _solved(each: Summary) -> str:
    return f"{share(each.solved)}\n[dim]{interval(each.solved)}[/dim]"


def _unique(each: Summary) -> str:
    return f"{share(each.proven)}\n[dim]{interval(each.proven)}[/dim]"


def _length(each: Summary) -> str:
    alone = math.isnan(each.length.reach)
    return decimal(each.length.value) + ("" if alone else f"\n[dim]± {each.length.reach:.2f}[/dim]")


def _nodes(each: Summary) -> str:
    return f"{number(each.expanded)}\n{number(each.generated)}"


def _seconds(each: Summary) -> str:
    return "\n".join(map(seconds, (each.seconds.value, each.median, each.p95)))


Columns = Mapping[str, Callable[[Summary], str]]
"""Heading -> what stands below it."""
NODES: Columns = {"nodes:\nexpanded\ngenerated": _nodes}
SECONDS: Columns = {"seconds:\nmean\nmedian\np95": _seconds}
PLAYED: Columns = {
    "solved\n95 %": _solved,
    "optimal:\nproven\nreached": lambda each: f"{share(each.proven)}\n{share(each.reached)}",
    "length\n95 %": _length,
    "gap": lambda each: decimal(each.gap.value),
    **NODES,
    **SECONDS,
}
FILLED: Columns = {
    "solved\n95 %": _solved,
    "proven\nunique\n95 %": _unique,
    "proven\nunsolvable": lambda each: share(each.refuted),
    **NODES,
    **SECONDS,
}


def share(value: Share) -> str:
    """'7/10', or '-' where there is nothing to share."""
    return f"{value.count}/{value.total}" if value.total else "-"


def interval(value: Share) -> str:
    """'40-89 %'."""
    low, high = value.interval
    return f"{100 * low:.0f}-{100 * high:.0f} %"


def decimal(value: float) -> str:
    """'53.05', or '-' for nan."""
    return "-" if math.isnan(value) else f"{value:.2f}"


def number(value: float) -> str:
    """A count in few signs: '950', '12.3k', '1.23M'."""
    for unit, size, least in (("G", 1e9, 1e9), ("M", 1e6, 1e6), ("k", 1e3, 1e4)):
        if value >= least:
            return f"{value / size:.3g}{unit}"
    return f"{value:.0f}"


def seconds(value: float) -> str:
    """Seconds with three digits that count, to the microsecond."""
    if value < 1e-6:
        return "0"
    return f"{value:.{min(6, max(0, 2 - math.floor(math.log10(value))))}f}"


def broken(solver: str) -> str:
    """A solver's label with a line for each option."""
    return re.sub(r":(?=[A-Za-z_]\w*=)", ":\n", solver)
