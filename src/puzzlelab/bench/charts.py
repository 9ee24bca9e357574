"""What every plot is made of: a chart, which has all its numbers before anything is drawn, and the axes they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from puzzlelab.bench.statistics import Proportion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

AT_ONCE = 0.1
"""Seconds: what feels as if it took no time; a dashed line is drawn there."""
NEAR = 10.0
"""The line is drawn if it is at most so many times above or below the seconds that are drawn."""
LEAST_SECONDS = 1e-6
"""What is faster is drawn here: a row tells no more."""

LONGEST_OF_TWO = 45
"""Characters of a name, two of which have room side by side."""

Draw = Callable[["Figure", float], None]
"""Draws into a figure, with a line at so many seconds where there are seconds; none at 0."""


@dataclass(frozen=True)
class Chart:
    """One plot: its figures as text, and how to draw them."""

    kind: str
    title: str
    header: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]
    draw: Draw
    remarks: tuple[str, ...] = ()
    """Sentences for beside the figures."""


def panels(figure: Figure, count: int) -> list[Axes]:
    """Axes side by side."""
    made = [figure.add_subplot(1, count, place + 1) for place in range(count)]
    for axes in made:
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    return made


def whole_numbers(axis: Axis) -> None:
    """Ticks at whole numbers alone."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def plain_numbers(axis: Axis) -> None:
    """Ticks of a logarithmic axis as 0.02, 0.05, 0.1, as many as have room."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def legend_below(figure: Figure, drawn: Mapping[str, Any]) -> None:
    """What each line is, by name, below all panels, where it covers none of them."""
    columns = 2 if len(drawn) > 1 and max(map(len, drawn)) <= LONGEST_OF_TWO else 1
    figure.legend(list(drawn.values()), list(drawn), loc="outside lower center", ncols=columns)


def reach(shares: Sequence[Proportion]) -> list[list[float]]:
    """How far each interval reaches below and above its share."""
    pairs = [(share.value, share.interval) for share in shares]
    return [[max(0.0, at - low) for at, (low, _) in pairs], [max(0.0, high - at) for at, (_, high) in pairs]]


def show_share(axes: Axes, what: str) -> None:
    """Shares upwards."""
    axes.set_ylim(-0.03, 1.03)
    axes.set_ylabel(f"{what} (share of boards, 95 % interval)")


def show_seconds(axes: Axes, along: Literal["x", "y"], seconds: Iterable[float], mark: float) -> None:
    """A logarithmic axis of these seconds, with the dashed line where it is near them."""
    drawn = [max(value, LEAST_SECONDS) for value in seconds]
    line = axes.axvline if along == "x" else axes.axhline
    axes.set(**{f"{along}scale": "log", f"{along}label": "seconds (log scale)"})
    if mark > 0 and drawn and min(drawn) / NEAR <= mark <= max(drawn) * NEAR:
        told = f"{mark:g} s" if mark >= 1 else f"{1000 * mark:g} ms"
        line(mark, color="black", linestyle="--", linewidth=1, label=told)
