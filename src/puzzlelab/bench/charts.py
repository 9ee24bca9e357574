"""Charts: tables of numbers that can be drawn too, in panels with lines and whatever else a kind of chart draws.

A chart has all its numbers before anything is drawn. Matplotlib is imported only when something is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from puzzlelab.bench.summaries import Series, Summary
from puzzlelab.bench.tables import TextTable
from puzzlelab.runtime import libraries
from puzzlelab.storage.files import replace_file, writing
from puzzlelab.storage.outputs import check_image

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 9.0, 4.5
"""The size of a figure in inches."""
INSTANT_SECONDS = 0.1
"""Seconds that a person perceives as instant; a dashed line is drawn there."""
MARK_RANGE = 10.0
"""The line is drawn if it is within this factor of the plotted seconds."""
SHORT_RANGE = 100.0
"""A logarithmic axis is short if its end is less than so many times its beginning."""
LINE_INCHES, MARGIN_INCHES = 0.19, 1.7
"""The height of a line of a label, and of all that a panel has above and below it."""
MAX_NAME_IN_TWO_COLUMNS = 45
"""The most characters of a name in a legend with two columns."""


class Line(NamedTuple):
    """A line through points; the ends of their intervals are a band around it."""

    name: str
    """Its name in the legend, in which no name with `_` at its beginning is."""
    x: Iterable[float]
    y: Iterable[Any]
    """Numbers, or values with an `interval`, such as shares and means."""
    style: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Panel:
    """One of the axes of a figure, with its lines."""

    lines: Sequence[Line] = ()
    labels: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `Axes.set`, such as `xlabel`; if all panels have one `xlabel`, they share their x axis."""
    seconds: Literal["", "x", "y"] = ""
    """The axis that shows seconds."""
    whole: Literal["", "x", "both"] = ""
    """The axes with whole numbers."""


@dataclass(frozen=True)
class Chart(TextTable):
    """A plot: its numbers as a table, and how to draw them."""

    panels: Sequence[Panel] = ()
    """The axes of the figure, side by side."""
    draw: Callable[[Figure], None] = lambda figure: None
    """Draws more into the panels."""
    kind: str = ""


def share_axis(what: str) -> dict[str, Any]:
    """Return the labels of a y axis that shows shares of boards from 0 to 1."""
    return {"ylim": (-0.03, 1.03), "ylabel": f"{what} (share of boards, 95 % interval)"}


def lines_of(
    series: Series,
    y: Callable[[Summary], Any],
    x: Callable[[int, Summary], float] = lambda number, at: number,
    offset: float = 0.0,
) -> list[Line]:
    """Return a line for each name; the points of two lines with one number are `offset` apart."""
    middle = (len(series) - 1) / 2
    return [
        Line(
            name,
            [x(number, at) + offset * (place - middle) for number, at in points.items()],
            list(map(y, points.values())),
            {"color": f"C{place}"},
        )
        for place, (name, points) in enumerate(series.items())
    ]


def rows_of(series: Series, cells: Callable[[Summary], Sequence[str]]) -> list[Sequence[str]]:
    """Return the row of a table for each point: the name of its line, its number, and these cells."""
    return [(name, str(number), *cells(at)) for name, points in series.items() for number, at in points.items()]


# --- drawing ---


def empty_figure(title: str) -> Figure:
    """Return a figure with a title; raises `BadInput` without matplotlib."""
    libraries.require("a plot", ["matplotlib"], "plot")
    from matplotlib import figure as figures

    figure = figures.Figure(figsize=(WIDTH, HEIGHT), dpi=150, layout="constrained")
    figure.suptitle(title)
    return figure


def figure_of(chart: Chart, mark_seconds: float = INSTANT_SECONDS) -> Figure:
    """Return the drawing of a chart, with a legend below its panels; raises `BadInput` without matplotlib.

    A dashed line is drawn at `mark_seconds` if it is near the plotted seconds; 0 draws none.
    """
    figure = empty_figure(chart.title)
    is_alike = len({panel.labels.get("xlabel") for panel in chart.panels}) == 1
    panels = list(
        zip(figure.subplots(1, len(chart.panels), sharex=is_alike, squeeze=False)[0], chart.panels, strict=True)
    )
    for axes, panel in panels:
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        for line in panel.lines:
            draw_line(axes, *line)
    chart.draw(figure)
    for axes, panel in panels:
        axes.set(**panel.labels)
        if panel.whole:
            axes.locator_params(panel.whole, integer=True)
        if panel.seconds:
            _show_seconds(axes, panel.seconds, mark_seconds)
        _label_powers(axes)
    _add_legend(figure)
    return figure


def draw_line(axes: Axes, name: str, x: Iterable[float], y: Iterable[Any], style: Mapping[str, Any] = {}) -> None:
    """Draw a line through the values of points, with a band between the ends of their intervals."""
    points = list(y)
    positions = _rounded(x)
    values = _rounded(each if isinstance(each, float | int) else each.value for each in points)
    (line,) = axes.plot(positions, values, label=name, **{"marker": ".", **style})
    if ends := [each.interval for each in points if not isinstance(each, float | int)]:
        low, high = zip(*ends, strict=True)
        axes.fill_between(positions, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
        if len(positions) == 1:  # which has no band
            axes.vlines(positions, low, high, color=line.get_color(), alpha=0.3)


def _rounded(numbers: Iterable[float]) -> list[float]:
    """Return the numbers with nine digits: matplotlib divides by the difference of two that only rounding makes."""
    return [float(f"{number:.9g}") for number in numbers]


def ink() -> str:
    """Return the colour of text in the current style: black, or white on a dark ground."""
    from matplotlib import rcParams

    return str(rcParams["text.color"])


def _show_seconds(axes: Axes, along: Literal["x", "y"], mark: float) -> None:
    """Make an axis logarithmic in seconds, with the dashed line if it is near what is drawn."""
    drawn = axes.dataLim
    least, most = (drawn.minposx, drawn.x1) if along == "x" else (drawn.minposy, drawn.y1)
    axes.set(**{f"{along}scale": "log", f"{along}label": "seconds (log scale)"})
    if mark > 0 and least / MARK_RANGE <= mark <= most * MARK_RANGE:
        line = axes.axvline if along == "x" else axes.axhline
        text = f"{mark:g} s" if mark >= 1 else f"{1000 * mark:g} ms"
        line(mark, color=ink(), linestyle="--", linewidth=1, label=text)


def _label_powers(axes: Axes) -> None:
    """Label the powers of ten on logarithmic axes; on short ones, whose other labels would overlap, 2 and 5 too."""
    from matplotlib.ticker import LogLocator, NullFormatter

    for axis, (least, most) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if axis.get_scale() == "log":
            axis.set_minor_formatter(NullFormatter())
            if most < SHORT_RANGE * least:
                axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                axis.set_major_formatter("{x:g}")


def _add_legend(figure: Figure) -> None:
    """Draw a legend of all named artists below the panels, where it covers none of them."""
    drawn: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            drawn.setdefault(name, handle)
    columns = 2 if len(drawn) > 1 and max(map(len, drawn)) <= MAX_NAME_IN_TWO_COLUMNS else 1
    if drawn:
        figure.legend(list(drawn.values()), list(drawn), loc="outside lower center", ncols=columns)


def fit_height(figure: Figure, labels: Iterable[str]) -> None:
    """Let a figure be as high as labels below each other need."""
    lines = sum(label.count("\n") + 2 for label in labels)
    figure.set_figheight(max(figure.get_figheight(), MARGIN_INCHES + LINE_INCHES * lines))


# --- files ---


def save(chart: Chart, folder: Path, mark_seconds: float = INSTANT_SECONDS) -> list[Path]:
    """Draw a chart as `<kind>.png` and `<kind>.svg` in this folder, as `figure_of` does."""
    figure = figure_of(chart, mark_seconds)
    paths = [folder / f"{chart.kind}.png", folder / f"{chart.kind}.svg"]
    for path in paths:
        check_image(path)
    for path in paths:
        write(figure, path)
    return paths


def write(figure: Figure, path: Path) -> None:
    """Write a figure as PNG or SVG in one step; raises `BadFile`, also for a file that exists and is no image."""
    check_image(path)
    with writing(path):
        replace_file(path, image(figure, path.suffix.removeprefix(".")))


def image(figure: Figure, form: str) -> bytes:
    """Return a figure as `png` or `svg`, the same bytes for the same figure."""
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context({"svg.hashsalt": "puzzlelab"}):
        figure.savefig(file, format=form, metadata={"Date": None} if form == "svg" else None)
    return file.getvalue()
