"""Chooses the chart of a run by its kind, and the solvers that it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from puzzlelab.bench import bars, curves, lengths, tables
from puzzlelab.bench.charts import Chart
from puzzlelab.bench.reference_curves import Curves
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.summaries import has_filled_answers
from puzzlelab.core.errors import BadInput, UnknownName

KIND_WITH_CURVES = "widths"
"""The kind that can also show reference curves."""
KINDS: Mapping[str, Callable[[BenchRun], Chart]] = {
    "lengths": lengths.lengths,
    "lengths2d": lengths.lengths2d,
    "levels": curves.levels,
    "bars": bars.bars,
    "widths": curves.widths,
    "jobs": curves.jobs,
    "clues": curves.clues,
}
"""Name of a kind -> the function that makes its chart."""


def chart(run: BenchRun, kind: str, reference: Curves | None = None) -> Chart:
    """Return the chart of this kind; raises `UnknownName`, and `BadInput` if the run has nothing to show.

    `reference` are published curves, which only the kind `widths` shows.
    """
    if kind not in KINDS:
        raise UnknownName("kind of plot", kind, KINDS)
    if not run.answers:
        raise BadInput(f"there are no answers to '{run.suite.name}' yet")
    if reference is None:
        return KINDS[kind](run)
    if kind != KIND_WITH_CURVES:
        raise BadInput(f"{kind} does not show published curves: they are for {KIND_WITH_CURVES}")
    return curves.widths(run, reference)


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
    return BenchRun(run.suite, tuple(answer for label in chosen for answer in run.by_solver[label]), run.interrupted)


def _parts(label: str) -> set[str]:
    return set(tables.wrapped_label(label).split(":\n"))
