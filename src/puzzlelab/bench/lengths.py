"""Plots of the lengths of solutions: histograms, and two-dimensional histograms of two solvers."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from puzzlelab.bench import tables
from puzzlelab.bench.charts import Chart, add_panels, ink, legend_below, named_artists, whole_numbers
from puzzlelab.bench.runs import BenchAnswer, BenchRun, by_occurrence
from puzzlelab.core.errors import BadInput
from puzzlelab.core.objective import Kind, objective_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_BINS = 60
MAX_FILLED_HISTOGRAMS = 3
"""The most solvers whose histograms are filled; of more, they are drawn as outlines."""
MAX_SOLVERS_2D = 3
"""The most solvers of lengths2d; each pair has its own panel."""
MAX_CELLS_WITH_NUMBERS = 24, 14
"""The most cells of a side that show their numbers: with one panel, and with more."""
PANEL_INCHES, TITLE_INCHES, LETTERS_PER_INCH = (6.0, 4.5), 0.5, 10
"""The side of a square panel, alone and beside others; the height of the title, and how long its lines are."""
COLOURS = "Blues"
OPTIMUM = "the optimum"
"""The name that stands for the second solver if only one has answered."""


def _require_lengths(run: BenchRun) -> None:
    if tables.has_filled_answers(run.suite.puzzle):
        raise BadInput(
            f"every solution of a board of {run.suite.puzzle.name} has equally many moves: draw bars or clues"
        )


def _unsolved(run: BenchRun) -> BadInput:
    return BadInput(f"no board of '{run.suite.name}' was solved: there are no lengths to draw")


# --- histograms of lengths ---


def lengths(run: BenchRun) -> Chart:
    """Plot the number of boards by the length, cost or score of each solver's solution, and by the optimum, if
    known.
    """
    _require_lengths(run)
    reference_lengths, kind = tables.references(run), objective_of(run.suite.puzzle).kind
    optima = Counter(
        reference_lengths[e.board].value
        for e in run.suite.entries
        if e.board in reference_lengths and reference_lengths[e.board].optimal
    )
    counts = {
        solver: Counter(answer.value for answer in answers if answer.value is not None)
        for solver, answers in run.by_solver.items()
    }
    all_lengths = sorted({length for count in [optima, *counts.values()] for length in count})
    if not all_lengths:
        raise _unsolved(run)

    def draw(figure: Figure, mark_seconds: float) -> None:
        (axes,) = add_panels(figure, 1)
        bins = _bin_edges(all_lengths).tolist()
        style: Literal["bar", "step"] = "bar" if len(counts) <= MAX_FILLED_HISTOGRAMS else "step"
        axes.hist([list(count.elements()) for count in counts.values()], bins, histtype=style, label=list(counts))
        if optima:
            axes.hist(list(optima.elements()), bins, histtype="step", color=ink(), linewidth=1.5, label="optimum")
        axes.set_xlabel("length (moves)" if kind == "moves" else kind)
        axes.set_ylabel("boards")
        whole_numbers(axes.xaxis)
        whole_numbers(axes.yaxis)
        if style == "bar":
            axes.legend()
        else:  # a legend of so many would cover a part of the plot
            legend_below(figure, named_artists(axes))

    columns = {**({"optimum": optima} if optima else {}), **counts}
    header = (tables.VALUES[kind][0], *columns)
    body = [(str(length), *(str(count[length]) for count in columns.values())) for length in all_lengths]
    remarks = [_average_text(name, count, kind) for name, count in [*counts.items(), (OPTIMUM, optima)] if count]
    title = f"{run.suite.name}: {'lengths' if kind == 'moves' else f'{kind}s'} of solutions"
    return Chart("lengths", title, header, tuple(body), draw, tuple(remarks))


def _average_text(name: str, count: Counter[int], kind: Kind) -> str:
    mean = f"{sum(count.elements()) / count.total():.2f}"
    amount = f"{mean} moves" if kind == "moves" else f"a {kind} of {mean}"
    return f"{name}: {amount} on average over {count.total()} boards."


def _bin_edges(all_lengths: Sequence[int]) -> NDArray[np.float64]:
    """Return the edges of bins over these lengths, in order, with whole numbers at the middle of narrow ones."""
    width = max(1, math.ceil((all_lengths[-1] - all_lengths[0] + 1) / MAX_BINS))
    return np.arange(all_lengths[0] - 0.5, all_lengths[-1] + width + 0.5, width)


# --- two-dimensional histograms ---


WORDS: Mapping[Kind, tuple[str, str, str, str]] = {
    "moves": ("shorter", "longer", "moves ", "as long"),
    "cost": ("lower", "higher", "", "as high"),
    "score": ("lower", "higher", "", "as high"),
}
"""The words of a comparison: what is compared -> less, more, the unit before them, and equal."""


@dataclass(frozen=True)
class Pair:
    """The boards that two solvers both solved."""

    across: str
    up: str
    counts: Counter[tuple[int, int]]
    """Boards by the length of each one's solution, or by its cost or score."""
    kind: Kind = "moves"

    @property
    def _boards(self) -> str:
        """The boards of the pair, in words."""
        return "that it solved" if self.across == OPTIMUM else "that both solved"

    @property
    def remark(self) -> str:
        """A sentence: how often each solver is shorter, or has the lower cost or score."""
        low, high, unit, equal = WORDS[self.kind]
        signs = Counter(int(np.sign(up - across)) for across, up in self.counts.elements())
        more = sum(up - across for across, up in self.counts.elements()) / self.counts.total()
        than = f"{abs(more):.2f} {unit}{high if more > 0 else low} on average" if more else f"{equal} on average"
        return (
            f"{self.up} against {self.across}, on {self.counts.total()} boards {self._boards}: equal on {signs[0]}, "
            f"{low} on {signs[-1]}, {high} on {signs[1]}; {than}."
        )


def lengths2d(run: BenchRun) -> Chart:
    """Return a two-dimensional histogram: the number of boards by the lengths of two solvers' solutions.

    On the diagonal both are equally long; above it the solver that is named at the side is the longer one.
    """
    _require_lengths(run)
    pairs, kind = _pairs(run), objective_of(run.suite.puzzle).kind
    all_lengths = sorted({length for pair in pairs for both in pair.counts for length in both})
    edges, max_count = _bin_edges(all_lengths), max(max(pair.counts.values()) for pair in pairs)

    def draw(figure: Figure, mark_seconds: float) -> None:
        side = PANEL_INCHES[len(pairs) > 1]
        figure.set_size_inches(side * len(pairs), side + TITLE_INCHES)
        figure.suptitle(textwrap.fill(figure.get_suptitle(), int(side * len(pairs) * LETTERS_PER_INCH)))
        with_numbers = len(edges) - 1 <= MAX_CELLS_WITH_NUMBERS[len(pairs) > 1]
        for axes, pair in zip(add_panels(figure, len(pairs)), pairs, strict=True):
            _draw_pair(axes, pair, edges, max_count, with_numbers)
        if not with_numbers:
            shown = figure.axes[0].collections[0]
            bar = figure.colorbar(shown, ax=figure.axes, label="boards")
            whole_numbers(bar.ax.yaxis)

    what = "lengths" if kind == "moves" else f"{kind}s"
    title = f"{run.suite.name}: {what} of one solver's solutions against another's"
    remarks = tuple(pair.remark for pair in pairs)
    header: tuple[str, ...] = ("solver", "against", f"its {kind}", "the other's", "boards")
    body = [
        (pair.across, pair.up, str(one), str(two), str(count))
        for pair in pairs
        for (one, two), count in sorted(pair.counts.items())
    ]
    if len(pairs) == 1:
        header, rows = (f"{kind} of {pairs[0].across}", f"of {pairs[0].up}", "boards"), [row[2:] for row in body]
        return Chart("lengths2d", title, header, tuple(rows), draw, remarks)
    return Chart("lengths2d", title, header, tuple(body), draw, remarks)


def _pairs(run: BenchRun) -> list[Pair]:
    """Return all pairs of solvers that solved a board in common, or the known optimum and a solver that is alone.

    Raises `BadInput` where there are none, or too many.
    """
    solvers = run.by_solver
    name = run.suite.name
    if len(solvers) < 2 and (against := _against_optimum(run)):
        return [against]
    if len(solvers) < 2:
        raise BadInput(
            f"only {next(iter(solvers))} has answered '{name}', and lengths2d holds one solver's lengths against "
            f"another's: run a second solver, or the same with other options"
        )
    if len(solvers) > MAX_SOLVERS_2D:
        raise BadInput(
            f"{len(solvers)} solvers have answered '{name}', and lengths2d shows {MAX_SOLVERS_2D} at most: choose two "
            f"by --with, of {', '.join(solvers)}"
        )
    kind = objective_of(run.suite.puzzle).kind
    pairs = [Pair(one, two, _joint_counts(solvers[one], solvers[two]), kind) for one, two in combinations(solvers, 2)]
    pairs = [pair for pair in pairs if pair.counts]
    if not pairs:
        raise BadInput(
            f"no board of '{name}' was solved by two solvers: there are no lengths to hold against each other"
        )
    return pairs


def _against_optimum(run: BenchRun) -> Pair | None:
    """Return the one solver of a run against the known optimum; None where no board that it solved has one."""
    reference_lengths = tables.references(run)
    ((solver, answers),) = run.by_solver.items()
    counts: Counter[tuple[int, int]] = Counter()
    for answer in answers:
        reference = reference_lengths.get(answer.entry.board)
        if answer.value is not None and reference is not None and reference.optimal:
            counts[reference.value, answer.value] += 1
    return Pair(OPTIMUM, solver, counts, objective_of(run.suite.puzzle).kind) if counts else None


def _joint_counts(one: Sequence[BenchAnswer], two: Sequence[BenchAnswer]) -> Counter[tuple[int, int]]:
    """Return the number of boards for each pair of lengths; a board that occurs several times counts each time."""
    first, second = by_occurrence(one), by_occurrence(two)
    values = [(first[key].value, second[key].value) for key in first if key in second]
    return Counter((here, there) for here, there in values if here is not None and there is not None)


def _draw_diagonal(axes: Axes, edges: NDArray[np.float64], with_numbers: bool) -> None:
    """Show where both are equally long: a line, or a frame around each cell, which crosses no number."""
    style: dict[str, Any] = {"color": ink(), "linestyle": "--", "linewidth": 0.8, "alpha": 0.5}
    if not with_numbers:
        axes.axline((edges[0], edges[0]), slope=1, **style)
        return
    from matplotlib.patches import Rectangle

    for low, high in pairwise(edges.tolist()):
        axes.add_patch(Rectangle((low, low), high - low, high - low, fill=False, **style))


def _draw_pair(axes: Axes, pair: Pair, edges: NDArray[np.float64], max_count: int, with_numbers: bool) -> None:
    """Draw one panel: a cell for each pair of lengths, the darker the more boards."""
    from matplotlib.colors import PowerNorm

    one, two = zip(*pair.counts, strict=True)
    weights = list(pair.counts.values())
    grid, _, _ = np.histogram2d(np.array(two), np.array(one), (edges, edges), weights=weights)
    norm = PowerNorm(0.5, 0, max_count)
    axes.pcolormesh(edges, edges, np.ma.masked_equal(grid, 0), cmap=COLOURS, norm=norm)
    _draw_diagonal(axes, edges, with_numbers)
    middles = (edges[:-1] + edges[1:]) / 2
    for row, column in np.argwhere(grid).tolist() if with_numbers else []:
        dark = norm(grid[row, column]) > 0.6
        where, text = (middles[column], middles[row]), f"{grid[row, column]:.0f}"
        axes.text(*where, text, ha="center", va="center", size="small", color="white" if dark else "black")
    across, up = (f"{pair.kind} of {tables.wrapped_label(name)}" for name in (pair.across, pair.up))
    axes.set(xlabel=across, ylabel=up)
    axes.set(xlim=(edges[0], edges[-1]), ylim=(edges[0], edges[-1]), aspect="equal")
    axes.set_axisbelow(True)
    whole_numbers(axes.xaxis)
    whole_numbers(axes.yaxis)
