"""Chooses the chart of a run by its kind, and the solvers that it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from puzzlelab.bench import curves, lengths, times
from puzzlelab.bench.charts import Chart
from puzzlelab.bench.curves import Curves
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.summaries import has_filled_answers, references
from puzzlelab.bench.tables import wrapped_label
from puzzlelab.core.errors import BadInput, UnknownName

KIND_WITH_CURVES = "widths"
"""The kind that can also show published curves."""
KINDS: Mapping[str, Callable[[BenchRun], Chart]] = {
    "lengths": lengths.lengths,
    "lengths2d": lengths.lengths2d,
    "excess": lengths.excess,
    "levels": curves.levels,
    "bars": times.bars,
    "widths": curves.widths,
    "effort": curves.effort,
    "jobs": times.jobs,
    "clues": times.clues,
}
"""Name of a kind -> the function that makes its chart."""


def chart(run: BenchRun, kind: str, published: Curves | None = None) -> Chart:
    """Return the chart of this kind; raises `UnknownName`, and `BadInput` if the run has nothing to show.

    Only the kind `widths` shows published curves.
    """
    if kind not in KINDS:
        raise UnknownName("kind of plot", kind, KINDS)
    if not run.answers:
        raise BadInput(f"there are no answers to '{run.suite.name}' yet")
    if published and kind != KIND_WITH_CURVES:
        raise BadInput(f"{kind} does not show published curves: they are for {KIND_WITH_CURVES}")
    made = curves.widths(run, published) if published else KINDS[kind](run)
    return replace(made, title=f"{run.suite.name}: {made.title}", kind=kind)


def default_kind(run: BenchRun) -> str:
    """Return the most informative kind for a run."""
    return "bars" if has_filled_answers(run.suite.puzzle) else "lengths"


def select_solvers(run: BenchRun, solvers: Sequence[str]) -> BenchRun:
    """Return the answers of these solvers only, in this order; `beam:width=100` selects all with this name and option.

    Raises `UnknownName` for a solver without answers.
    """
    labels = list(run.by_solver)
    chosen: dict[str, None] = {}
    for text in solvers:
        matching = [label for label in labels if _parts(text) <= _parts(label)]
        if not matching:
            raise UnknownName(f"solver that has answered '{run.suite.name}', called", text, labels)
        chosen |= dict.fromkeys(matching)
    known = references(run)  # with what the others have proven
    entries = tuple(
        replace(entry, known=best.value, known_is_optimal=best.optimal) if (best := known.get(entry.board)) else entry
        for entry in run.suite.entries
    )
    answers = tuple(answer for label in chosen for answer in run.by_solver[label])
    return replace(run, suite=replace(run.suite, entries=entries), answers=answers)


def _parts(label: str) -> set[str]:
    return set(wrapped_label(label).split(":\n"))
