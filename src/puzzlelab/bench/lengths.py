"""Histograms: of the lengths of solutions, of their excess over the optimum, of the lengths of two solvers against each
other, and of counts of new boards.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.bench.charts import Chart, Panel, empty_figure, ink, write
from puzzlelab.bench.runs import BenchRun, by_occurrence
from puzzlelab.bench.summaries import has_filled_answers, references
from puzzlelab.bench.tables import VALUES, wrapped_label
from puzzlelab.core.errors import BadInput
from puzzlelab.core.objective import Kind, objective_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_BINS, MAX_TICKS = 60, 12
MAX_FILLED_HISTOGRAMS = 3
"""The most solvers whose histograms are filled; of more, they are drawn as outlines."""
MAX_SOLVERS_2D = 3
"""The most solvers of lengths2d; each pair has its own panel."""
MAX_CELLS_WITH_NUMBERS = 24, 14
"""The most cells of a side that show their numbers: with one panel, and with more."""
PANEL_INCHES, TITLE_INCHES, LETTERS_PER_INCH = (6.0, 4.5), 0.5, 10
"""The side of a square panel, alone and beside others; the height of the title, and how long its lines are."""
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

EXCESS: Mapping[Kind, str] = {
    "moves": "moves more than the optimum",
    "cost": "cost above the optimum",
    "score": "points below the best score",
}
"""What is compared -> the distance from the optimum."""
UNSOLVED = "not solved"


class Pair(NamedTuple):
    """Two solvers, and the boards that both solved by the length of each one's solution, or by its cost or score."""

    across: str
    up: str
    lengths: Sequence[tuple[int, int]]


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
    kind, optima = compared_by(run), _optima(run)
    counts = {
        solver: Counter(answer.value for answer in answers if answer.value is not None)
        for solver, answers in run.by_solver.items()
    }
    optimum = Counter(optima[entry.board] for entry in run.suite.entries if entry.board in optima)
    columns = {"optimum": optimum, **counts} if optima else counts
    every_length = sorted(set[int]().union(*columns.values()))
    if not every_length:
        raise BadInput(f"no board of '{run.suite.name}' was solved: there are no lengths to draw")

    def draw(figure: Figure) -> None:
        (axes,) = figure.axes
        edges, filled = _bin_edges(every_length), len(counts) <= MAX_FILLED_HISTOGRAMS
        values = [list(count.elements()) for count in counts.values()]
        axes.hist(values, edges, histtype="bar" if filled else "step", label=list(counts))
        if optima:
            axes.hist(list(optimum.elements()), edges, histtype="step", color=ink(), linewidth=1.5, label="optimum")

    header = VALUES[kind][0], *columns
    rows = [(str(length), *(str(count[length]) for count in columns.values())) for length in every_length]
    remarks = [_average_text(name, count, kind) for name, count in [*counts.items(), (OPTIMUM, optimum)] if count]
    panel = Panel([], {"xlabel": "length (moves)" if kind == "moves" else kind, "ylabel": "boards"}, whole="both")
    return Chart(f"{_lengths(kind)} of solutions", header, rows, remarks, [panel], draw)


def excess(run: BenchRun) -> Chart:
    """Plot the number of boards by how much worse each solver's solution is than the optimum, and those not solved.

    Boards of an unknown optimum are left out, and so are solvers that proved all of their answers, unless all did.
    """
    kind, optima = compared_by(run), _optima(run)
    if not optima:
        raise BadInput(
            f"no board of '{run.suite.name}' has a known optimum: run a solver that proves it too, such as ida, into "
            "the same --out"
        )
    solvers = {
        solver: [answer for answer in answers if answer.entry.board in optima]
        for solver, answers in run.by_solver.items()
    }
    found = {solver: answers for solver, answers in solvers.items() if not all(each.proven for each in answers)}
    above = {
        solver: [answer.excess_over(optima[answer.entry.board]) for answer in answers]
        for solver, answers in (found or solvers).items()
    }
    unsolved = {solver: each.count(None) for solver, each in above.items()}
    counts = {solver: Counter(number for number in each if number is not None) for solver, each in above.items()}
    every_excess = sorted(set[int]().union(*counts.values())) or [0]

    def draw(figure: Figure) -> None:
        (axes,) = figure.axes
        edges = _bin_edges(every_excess)
        width = edges[1] - edges[0]
        ticks = range(every_excess[0], every_excess[-1] + 1, math.ceil(len(edges) * width / MAX_TICKS))
        beside = [edges[-1] + 1.5 * width] if any(unsolved.values()) else []
        values = [[*count.elements(), *beside * unsolved[solver]] for solver, count in counts.items()]
        bins = [*edges, *(place + half * width / 2 for place in beside for half in (-1, 1))]
        axes.hist(values, bins, histtype="bar" if len(counts) <= MAX_FILLED_HISTOGRAMS else "step", label=list(counts))
        axes.set_xticks([*ticks, *beside], [*map(str, ticks), *[UNSOLVED] * len(beside)])

    rows = [(str(each), *(str(count[each]) for count in counts.values())) for each in every_excess]
    rows.append((UNSOLVED, *map(str, unsolved.values())))
    remarks = [_excess_text(solver, count, unsolved[solver], EXCESS[kind]) for solver, count in counts.items()]
    boards = {entry.board for entry in run.suite.entries}
    if missing := len(boards) - len(boards & optima.keys()):
        remarks.append(f"Boards that are left out, because their optimum is not known: {missing}.")
    panel = Panel([], {"xlabel": EXCESS[kind], "ylabel": "boards"})
    return Chart("excess over the optimum", (EXCESS[kind], *counts), rows, remarks, [panel], draw)


def _excess_text(solver: str, count: Counter[int], unsolved: int, distance: str) -> str:
    """Return a sentence: how many boards a solver solved, how many of them optimally, and its mean excess."""
    solved = count.total()
    text = f"{solver}: {solved} of {solved + unsolved} boards solved, {count[0]} of them optimally"
    return text + (f"; {sum(count.elements()) / solved:.2f} {distance} on average." if solved else ".")


def compared_by(run: BenchRun) -> Kind:
    """Return what solutions are compared by; raises `BadInput` where all have equally many moves."""
    if has_filled_answers(run.suite.puzzle):
        raise BadInput(
            f"every solution of a board of {run.suite.puzzle.name} has equally many moves: draw bars or clues"
        )
    return objective_of(run.suite.puzzle).kind


def _lengths(kind: Kind) -> str:
    return "lengths" if kind == "moves" else f"{kind}s"


def _optima(run: BenchRun) -> dict[str, int]:
    """Map boards to their optimum, where it is known."""
    return {board: reference.value for board, reference in references(run).items() if reference.optimal}


def _average_text(name: str, count: Counter[int], kind: Kind) -> str:
    mean = f"{sum(count.elements()) / count.total():.2f}"
    amount = f"{mean} moves" if kind == "moves" else f"a {kind} of {mean}"
    return f"{name}: {amount} on average over {count.total()} boards."


def _bin_edges(every_length: Sequence[int]) -> list[float]:
    """Return the edges of bins over these lengths, with whole numbers at the middle of narrow ones."""
    first, last = min(every_length), max(every_length)
    width = max(1, math.ceil((last - first + 1) / MAX_BINS))
    return [edge - 0.5 for edge in range(first, last + width + 1, width)]


# --- two solvers against each other ---


def lengths2d(run: BenchRun) -> Chart:
    """Return a two-dimensional histogram: the number of boards by the lengths of two solvers' solutions.

    On the diagonal both are equally long; above it the solver that is named at the side is the longer one.
    """
    kind, pairs = compared_by(run), _pairs(run)
    counts = [Counter(pair.lengths) for pair in pairs]
    edges = _bin_edges([length for pair in pairs for both in pair.lengths for length in both])
    several = len(pairs) > 1
    with_numbers = len(edges) - 1 <= MAX_CELLS_WITH_NUMBERS[several]

    def draw(figure: Figure) -> None:
        from matplotlib.colors import PowerNorm
        from matplotlib.ticker import MaxNLocator

        width = PANEL_INCHES[several] * len(pairs)
        figure.set_size_inches(width, PANEL_INCHES[several] + TITLE_INCHES)
        figure.suptitle(textwrap.fill(figure.get_suptitle(), int(width * LETTERS_PER_INCH)))
        norm = PowerNorm(0.5, 0, max(max(count.values()) for count in counts))
        for axes, count in zip(figure.axes, counts, strict=True):
            _draw_pair(axes, count, edges, norm, with_numbers)
        if not with_numbers:
            cells, ticks = figure.axes[0].collections[0], MaxNLocator(integer=True)
            figure.colorbar(cells, ax=figure.axes, label="boards", ticks=ticks)

    header: Sequence[str] = ("solver", "against", f"its {kind}", "the other's", "boards")
    if not several:
        header = (f"{kind} of {pairs[0].across}", f"of {pairs[0].up}", "boards")
    rows = [
        (pair.across, pair.up, str(one), str(two), str(boards))[-len(header) :]
        for pair, count in zip(pairs, counts, strict=True)
        for (one, two), boards in sorted(count.items())
    ]
    labels = [(f"{kind} of {wrapped_label(pair.across)}", f"{kind} of {wrapped_label(pair.up)}") for pair in pairs]
    panels = [Panel([], {"xlabel": across, "ylabel": up}, whole="both") for across, up in labels]
    remarks = [_comparison_text(pair, kind) for pair in pairs]
    return Chart(f"{_lengths(kind)} of one solver's solutions against another's", header, rows, remarks, panels, draw)


def _comparison_text(pair: Pair, kind: Kind) -> str:
    """Return a sentence: how often each solver is shorter, or has the lower cost or score."""
    low, high, unit, equal = WORDS[kind]
    differences = [of_up - of_across for of_across, of_up in pair.lengths]
    signs, more = Counter(np.sign(differences).tolist()), sum(differences) / len(differences)
    than = f"{abs(more):.2f} {unit}{high if more > 0 else low} on average" if more else f"{equal} on average"
    boards = "that it solved" if pair.across == OPTIMUM else "that both solved"
    return (
        f"{pair.up} against {pair.across}, on {len(differences)} boards {boards}: equal on {signs[0]}, "
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
        Pair(one, two, [(values[one][key], values[two][key]) for key in values[one] if key in values[two]])
        for one, two in combinations(values, 2)
    ]
    found = [pair for pair in pairs if pair.lengths]
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


def _draw_pair(
    axes: Axes, counts: Mapping[tuple[int, int], int], edges: list[float], norm: Any, with_numbers: bool
) -> None:
    """Draw a cell for each pair of lengths, the darker the more boards; the diagonal is behind the cells."""
    axes.axline((edges[0], edges[0]), slope=1, color=ink(), linestyle="--", linewidth=0.8, alpha=0.5, zorder=-1)
    x, y = zip(*counts, strict=True)
    axes.hist2d(x, y, (edges, edges), weights=list(counts.values()), cmin=1, cmap="Blues", norm=norm)
    for place, count in counts.items() if with_numbers else ():  # such cells have one length each
        colour = "white" if norm(count) > DARK else "black"
        axes.text(*place, f"{count}", ha="center", va="center", size="small", color=colour)
    axes.set_aspect("equal")
