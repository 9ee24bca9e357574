"""Shared by all plots: the `Chart`, which has all its numbers before anything is drawn, and helpers for axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from puzzlelab.bench.statistics import Proportion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INSTANT_SECONDS = 0.1
"""Seconds that a person perceives as instant; a dashed line is drawn there."""
MARK_RANGE = 10.0
"""The line is drawn if it is within this factor of the plotted seconds."""
MIN_SECONDS = 1e-6
"""Shorter times are drawn here; rows have no finer resolution."""

NARROW_FACTOR = 5.0
"""The range of values below which a logarithmic axis has the ticks of a linear one."""
WIDE_FACTOR = 100.0
"""The range of values above which only powers of ten have ticks."""
OUTLIER_FACTOR = 2.0
"""Values are outliers if the range of all values is more than this many times the range of the others."""
MIN_VALUES = 4
"""Among fewer values there are no outliers."""
OUTLIER_SHARE = 8
"""The number of values of which at most one is an outlier."""
LINE_INCHES, MARGIN_INCHES = 0.19, 1.7
"""The height of a line of a label, and of all that a panel has above and below it."""
MAX_NAME_IN_TWO_COLUMNS = 45
"""The most characters of a name in a legend with two columns."""

Draw = Callable[["Figure", float], None]
"""Draws into a figure; its second argument is the position of the dashed line in seconds, 0 for none."""


@dataclass(frozen=True)
class Chart:
    """A plot: its figures as text, and how to draw them."""

    kind: str
    title: str
    header: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]
    draw: Draw
    remarks: tuple[str, ...] = ()
    """Sentences to print below the table."""


def add_panels(figure: Figure, count: int) -> list[Axes]:
    """Return axes side by side."""
    panels = [figure.add_subplot(1, count, number + 1) for number in range(count)]
    for axes in panels:
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    return panels


def ink() -> str:
    """Return the colour of text in the current style: black, or white on a dark ground."""
    from matplotlib import rcParams

    return str(rcParams["text.color"])


def whole_numbers(axis: Axis) -> None:
    """Set ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def plain_numbers(axis: Axis) -> None:
    """Set ticks of a logarithmic axis as 0.02, 0.05, 0.1, as many as have room."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    low, high = axis.get_data_interval()
    if high < NARROW_FACTOR * low:  # a logarithmic locator has too few ticks, or too many
        axis.set_major_locator(MaxNLocator(4))
    else:
        subs = (1.0,) if high > WIDE_FACTOR * low else (1.0, 2.0, 5.0)
        axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def legend_below(figure: Figure, drawn: Mapping[str, Any]) -> None:
    """Draw a legend below all panels, where it covers none of them."""
    columns = 2 if len(drawn) > 1 and max(map(len, drawn)) <= MAX_NAME_IN_TWO_COLUMNS else 1
    figure.legend(list(drawn.values()), list(drawn), loc="outside lower center", ncols=columns)


def named_artists(axes: Axes) -> dict[str, Any]:
    """Return the lines and points of a panel that have a name, such as that of 100 ms."""
    handles, names = axes.get_legend_handles_labels()
    return dict(zip(names, handles, strict=True))


def error_bars(shares: Sequence[Proportion]) -> list[list[float]]:
    """Return the lengths of each interval below and above its share, as matplotlib takes them."""
    pairs = [(share.value, share.interval) for share in shares]
    return [[max(0.0, at - low) for at, (low, _) in pairs], [max(0.0, high - at) for at, (_, high) in pairs]]


def set_share_axis(axes: Axes, what: str) -> None:
    """Let the y axis show shares from 0 to 1."""
    axes.set_ylim(-0.03, 1.03)
    axes.set_ylabel(f"{what} (share of boards, 95 % interval)")


def outlier_limit(values: Iterable[float]) -> float | None:
    """Return the largest value that is no outlier; None if there are none.

    An outlier would have half of an axis to itself.
    """
    ordered = sorted(value for value in values if math.isfinite(value))
    if len(ordered) < MIN_VALUES:
        return None
    lowest = ordered[0]
    for outliers in range(max(1, len(ordered) // OUTLIER_SHARE), 0, -1):
        highest_other = ordered[-outliers - 1]
        if ordered[-outliers] - lowest > OUTLIER_FACTOR * (highest_other - lowest) > 0:
            return highest_other
    return None


def fit_height(figure: Figure, labels: Iterable[str]) -> None:
    """Let a figure be as high as labels below each other need."""
    lines = sum(label.count("\n") + 2 for label in labels)
    figure.set_figheight(max(figure.get_figheight(), MARGIN_INCHES + LINE_INCHES * lines))


def set_seconds_axis(axes: Axes, along: Literal["x", "y"], seconds: Iterable[float], mark: float) -> None:
    """Make an axis logarithmic in seconds, with the dashed line if it is near these values."""
    values = [max(value, MIN_SECONDS) for value in seconds if not math.isnan(value)]
    line = axes.axvline if along == "x" else axes.axhline
    axes.set(**{f"{along}scale": "log", f"{along}label": "seconds (log scale)"})
    if mark > 0 and values and min(values) / MARK_RANGE <= mark <= max(values) * MARK_RANGE:
        text = f"{mark:g} s" if mark >= 1 else f"{1000 * mark:g} ms"
        line(mark, color=ink(), linestyle="--", linewidth=1, label=text)
