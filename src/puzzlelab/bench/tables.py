"""Tables of text, which are printed on a terminal and stand in reports, and the numbers in their cells."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from puzzlelab.bench.statistics import Proportion

if TYPE_CHECKING:
    from rich.table import Table

INTERVAL = r"(?m)^(± .*|[\d.]+-[\d.]+ %)$"
"""Matches an interval on a line of a cell, which is printed dim."""


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """A table whose cells may have several lines; its headings may be labels of solvers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    remarks: Sequence[str] = ()
    """Sentences for below the table."""


def as_rich(table: TextTable, fold: bool = False) -> Table:
    """Return the table for a terminal; numbers are never cut, unless `fold` allows narrow columns for long headings."""
    from rich.table import Table
    from rich.text import Text

    result = Table(title=Text(table.title), box=None)
    for place, head in enumerate(table.header):
        no_wrap = place > 0 and not fold
        result.add_column(
            Text(wrapped_label(head)),
            justify="right" if place else "left",
            no_wrap=no_wrap,
            overflow="ellipsis" if no_wrap else "fold",
        )
    for row in table.rows:
        cells = [Text(cell) for cell in row]
        for cell in cells:
            cell.highlight_regex(INTERVAL, "dim")
        result.add_row(*cells)
    return result


def share(value: Proportion) -> str:
    """Write '7/10', or '-' where there is nothing to share."""
    return f"{value.number}/{value.total}" if value.total else "-"


def percent(value: Proportion) -> str:
    """Write '70 %', with more digits where there are boards enough for them; nothing where there is nothing to
    share.
    """
    return f"{100 * value.value:.{_digits(value)}f} %" if value.total else ""


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
