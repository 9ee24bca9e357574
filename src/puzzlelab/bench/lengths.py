"""Histograms: of the lengths of solutions, of those of two solvers against each other, and of counts of new boards."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.bench.charts import Chart, empty_figure, ink, of_run, whole_numbers, write
from puzzlelab.bench.runs import BenchRun, by_occurrence
from puzzlelab.bench.summaries import VALUES, has_filled_answers, references
from puzzlelab.bench.tables import wrapped_label
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
DARK = 0.6
"""The share of the colours above which a cell is dark, so that its number is white."""
OPTIMUM = "the optimum"
"""The name that stands for the second solver if only one has answered."""
WORDS: Mapping[Kind, tuple[str, str, str, str]] = {
    "moves": ("shorter", "longer", "moves ", "as long"),
    "cost": ("lower", "higher", "", "as high"),
    "score": ("lower", "higher", "", "as high"),
}
"""The words of a comparison: what is compared -> less, more, the unit before them, and equal."""


Pair = tuple[str, str, Counter[tuple[int, int]]]
"""Two solvers, and the boards that both solved by the length of each one's solution, or by its cost or score."""


def histogram(counts: NDArray[np.int64], x_label: str, y_label: str, path: Path) -> None:
    """Draw bars of `counts: int64[N]` over 0 to N - 1, without the empty ends; the ending of `path` says PNG or SVG.

    Raises `BadFile`, and `BadInput` without matplotlib.
    """
    numbers = np.flatnonzero(counts)
    span = np.arange(numbers[0], numbers[-1] + 1)
    average = np.average(np.arange(counts.size), weights=counts)
    figure = empty_figure(f"{counts.sum():,} {y_label}, {average:.2f} {x_label} on average")
    axes = figure.add_subplot()
    axes.bar(span, counts[span], width=0.9)
    axes.set(xlabel=x_label, ylabel=y_label)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    write(figure, path)


def lengths(run: BenchRun) -> Chart:
    """Plot the number of boards by the length, cost or score of each solver's solution, and by the optimum, if
    known.
    """
    what, kind, optima = _what(run), objective_of(run.suite.puzzle).kind, _optima(run)
    counts = {
        solver: Counter(answer.value for answer in answers if answer.value is not None)
        for solver, answers in run.by_solver.items()
    }
    optimum = Counter(optima[entry.board] for entry in run.suite.entries if entry.board in optima)
    columns = {"optimum": optimum, **counts} if optima else counts
    every_length = sorted({length for count in columns.values() for length in count})
    if not every_length:
        raise BadInput(f"no board of '{run.suite.name}' was solved: there are no lengths to draw")

    def draw(figure: Figure, mark_seconds: float) -> None:
        (axes,) = figure.axes
        bins, filled = _bin_edges(every_length), len(counts) <= MAX_FILLED_HISTOGRAMS
        values = [list(count.elements()) for count in counts.values()]
        axes.hist(values, bins, histtype="bar" if filled else "step", label=list(counts))
        if optima:
            style: Any = {"histtype": "step", "color": ink(), "linewidth": 1.5}
            axes.hist(list(optimum.elements()), bins, label="optimum", **style)
        axes.set(xlabel="length (moves)" if kind == "moves" else kind, ylabel="boards")
        whole_numbers(axes.xaxis, axes.yaxis)

    rows = [(str(length), *(str(count[length]) for count in columns.values())) for length in every_length]
    averages = [*counts.items(), (OPTIMUM, optimum)]
    header = (VALUES[kind][0], *columns)
    remarks = [_average_text(name, count, kind) for name, count in averages if count]
    return of_run(run, "lengths", f"{what} of solutions", header, rows, draw, remarks)


def _what(run: BenchRun) -> str:
    """Return 'lengths', 'costs' or 'scores'; raises `BadInput` where all solutions have equally many moves."""
    if has_filled_answers(run.suite.puzzle):
        raise BadInput(
            f"every solution of a board of {run.suite.puzzle.name} has equally many moves: draw bars or clues"
        )
    kind = objective_of(run.suite.puzzle).kind
    return "lengths" if kind == "moves" else f"{kind}s"


def _optima(run: BenchRun) -> dict[str, int]:
    """Map boards to their optimum, where it is known."""
    return {board: reference.value for board, reference in references(run).items() if reference.optimal}


def _average_text(name: str, count: Counter[int], kind: Kind) -> str:
    mean = f"{sum(count.elements()) / count.total():.2f}"
    amount = f"{mean} moves" if kind == "moves" else f"a {kind} of {mean}"
    return f"{name}: {amount} on average over {count.total()} boards."


def _bin_edges(every_length: Sequence[int]) -> list[float]:
    """Return the edges of bins over these lengths, in order, with whole numbers at the middle of narrow ones."""
    first, last = every_length[0], every_length[-1]
    width = max(1, math.ceil((last - first + 1) / MAX_BINS))
    return [edge - 0.5 for edge in range(first, last + width + 1, width)]


# --- two solvers against each other ---


def lengths2d(run: BenchRun) -> Chart:
    """Return a two-dimensional histogram: the number of boards by the lengths of two solvers' solutions.

    On the diagonal both are equally long; above it the solver that is named at the side is the longer one.
    """
    what, kind, pairs = _what(run), objective_of(run.suite.puzzle).kind, _pairs(run)
    edges = _bin_edges(sorted({length for _, _, counts in pairs for both in counts for length in both}))

    def draw(figure: Figure, mark_seconds: float) -> None:
        several = len(pairs) > 1
        side = PANEL_INCHES[several]
        figure.set_size_inches(side * len(pairs), side + TITLE_INCHES)
        figure.suptitle(textwrap.fill(figure.get_suptitle(), int(side * len(pairs) * LETTERS_PER_INCH)))
        with_numbers = len(edges) - 1 <= MAX_CELLS_WITH_NUMBERS[several]
        most = max(max(counts.values()) for _, _, counts in pairs)
        for axes, pair in zip(figure.axes, pairs, strict=True):
            _draw_pair(axes, pair, kind, edges, most, with_numbers)
        if not with_numbers:
            bar = figure.colorbar(figure.axes[0].collections[0], ax=figure.axes, label="boards")
            whole_numbers(bar.ax.yaxis)

    header: Sequence[str] = ("solver", "against", f"its {kind}", "the other's", "boards")
    rows = [
        (across, up, str(one), str(two), str(count))
        for across, up, counts in pairs
        for (one, two), count in sorted(counts.items())
    ]
    if len(pairs) == 1:
        ((across, up, _),) = pairs
        header, rows = (f"{kind} of {across}", f"of {up}", "boards"), [row[2:] for row in rows]  # type: ignore[misc]
    remarks = [_comparison_text(pair, kind) for pair in pairs]
    return of_run(
        run,
        "lengths2d",
        f"{what} of one solver's solutions against another's",
        header,
        rows,
        draw,
        remarks,
        panels=len(pairs),
    )


def _comparison_text(pair: Pair, kind: Kind) -> str:
    """Return a sentence: how often each solver is shorter, or has the lower cost or score."""
    (across, up, counts), (low, high, unit, equal) = pair, WORDS[kind]
    differences = [of_up - of_across for of_across, of_up in counts.elements()]
    signs, more = Counter(int(np.sign(each)) for each in differences), sum(differences) / len(differences)
    than = f"{abs(more):.2f} {unit}{high if more > 0 else low} on average" if more else f"{equal} on average"
    boards = "that it solved" if across == OPTIMUM else "that both solved"
    return (
        f"{up} against {across}, on {len(differences)} boards {boards}: equal on {signs[0]}, "
        f"{low} on {signs[-1]}, {high} on {signs[1]}; {than}."
    )


def _pairs(run: BenchRun) -> list[Pair]:
    """Return all pairs of solvers that solved a board in common, or the known optimum and a solver that is alone.

    Raises `BadInput` where there are none, or too many.
    """
    name, solvers = run.suite.name, run.by_solver
    if len(solvers) > MAX_SOLVERS_2D:
        raise BadInput(
            f"{len(solvers)} solvers have answered '{name}', and lengths2d shows {MAX_SOLVERS_2D} at most: choose two "
            f"by --with, of {', '.join(solvers)}"
        )
    values = {
        solver: {key: answer.value for key, answer in by_occurrence(answers).items() if answer.value is not None}
        for solver, answers in solvers.items()
    }
    if len(solvers) == 1:
        optima, (own,) = _optima(run), values.values()
        values = {OPTIMUM: {key: optima[key[0]] for key in own if key[0] in optima}, **values}
    pairs = [
        (one, two, Counter((values[one][key], values[two][key]) for key in values[one] if key in values[two]))
        for one, two in combinations(values, 2)
    ]
    found = [pair for pair in pairs if pair[2]]
    if not found and len(solvers) == 1:
        raise BadInput(
            f"only {next(iter(solvers))} has answered '{name}', and lengths2d holds one solver's lengths against "
            f"another's: run a second solver, or the same with other options"
        )
    if not found:
        raise BadInput(
            f"no board of '{name}' was solved by two solvers: there are no lengths to hold against each other"
        )
    return found


def _draw_pair(axes: Axes, pair: Pair, kind: Kind, edges: list[float], most: int, with_numbers: bool) -> None:
    """Draw one panel: a cell for each pair of lengths, the darker the more boards; the diagonal is behind the cells."""
    from matplotlib.colors import PowerNorm

    across, up, counts = pair
    norm = PowerNorm(0.5, 0, most)
    axes.axline((edges[0], edges[0]), slope=1, color=ink(), linestyle="--", linewidth=0.8, alpha=0.5, zorder=-1)
    x, y = zip(*counts.elements(), strict=True)
    axes.hist2d(x, y, bins=(edges, edges), cmin=1, cmap=COLOURS, norm=norm)
    for place, count in counts.items() if with_numbers else ():  # such cells have one length each
        colour = "white" if norm(count) > DARK else "black"
        axes.text(*place, f"{count}", ha="center", va="center", size="small", color=colour)
    axes.set(xlabel=f"{kind} of {wrapped_label(across)}", ylabel=f"{kind} of {wrapped_label(up)}", aspect="equal")
    whole_numbers(axes.xaxis, axes.yaxis)
