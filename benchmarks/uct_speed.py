"""Playouts a second of UCT, many games at once against one: `python benchmarks/uct_speed.py [--games G] [--seconds S]`.

Both ask the network that comes with the package for the 15-puzzle, play the same random boards, and look at the same
states. They take turns in one run on one machine, so that what else runs there hinders both alike; a ratio is of two
turns that follow one another, and the middle one of all is told.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from puzzlelab import Instance, Limit, load
from puzzlelab.core.driver import Drive
from puzzlelab.core.puzzle import scale_of
from puzzlelab.core.seeds import generator
from puzzlelab.solvers.uct import Uct


def boards(name: str, count: int) -> list[Instance]:
    """So many random boards."""
    puzzle, random = load(name), generator(0)
    return [Instance(puzzle, scale_of(puzzle)[1].sample(random, None)) for _ in range(count)]


def rounds(solver: Uct, starts: list[Instance], at_once: int) -> Iterator[Drive]:
    """The games from these boards, so many at once, one portion after another for ever; yields after each batch."""
    first = 0
    while True:
        portion = [starts[(first + place) % len(starts)] for place in range(at_once)]
        drive = solver.games(portion, Limit())
        for _ in drive:
            yield drive
        first += at_once


def rate(turns: Iterator[Drive], seconds: float) -> float:
    """Playouts a second; a playout that asked nothing, because it came to the goal, is not counted."""
    drive, done, began = next(turns), 0, time.perf_counter()
    before = drive.evaluations
    while time.perf_counter() - began < seconds:
        current = next(turns)
        if current is not drive:
            done, before, drive = done + drive.evaluations - before, 0, current
    return (done + drive.evaluations - before) / (time.perf_counter() - began)


def main() -> None:
    """Measure both in turns, and print the rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--puzzle", default="tiles-4x4", help="a puzzle that a network comes with (tiles-4x4)")
    parser.add_argument("--games", type=int, default=256, help="games at once (256)")
    parser.add_argument("--playouts", type=int, default=50, help="playouts a move (50)")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each turn (4)")
    parser.add_argument("--turns", type=int, default=5, help="of each way (5)")
    given = parser.parse_args()
    starts, solver = boards(given.puzzle, given.games), Uct(playouts=given.playouts)
    ways = [rounds(solver, starts, count) for count in (1, given.games)]
    for way in ways:
        rate(way, 1.0)  # machine code and network are there before a clock starts
    rates = [[rate(way, given.seconds) for way in ways] for _ in range(given.turns)]
    shown = Table("games at once", "playouts/s", title=f"{given.puzzle}, {given.playouts} playouts a move")
    for count, found in zip((1, given.games), zip(*rates, strict=True), strict=True):
        shown.add_row(str(count), f"{statistics.median(found):,.0f}")
    ratios = sorted(many / one for one, many in rates)
    console = Console()
    console.print(shown)
    console.print(f"{statistics.median(ratios):.1f} times as many (from {ratios[0]:.1f} to {ratios[-1]:.1f})")


if __name__ == "__main__":
    main()
