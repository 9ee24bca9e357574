"""Playouts a second of UCT, many games at once against one: `python benchmarks/uct_speed.py [--games G] [--seconds S]`.

Both ask the network that comes with the package, by default for the 15-puzzle, and play random boards, with a new one
in the place of each that is solved. Counted are the playouts whose leaf the network scored. Both take turns in one run
on one machine, so that what else runs there hinders both alike; a ratio is of two turns that follow one another.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from puzzlelab import load
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import scale_of
from puzzlelab.experience.uct_session import UctSession


class Games:
    """So many games at once, for ever."""

    def __init__(self, puzzle: Puzzle, count: int, playouts: int) -> None:
        self.puzzle, self.random = puzzle, generator(0)
        self.player = UctSession(puzzle, count, playouts=playouts)
        self.states = np.stack([self.board() for _ in range(count)])

    def board(self) -> State:
        """A random board."""
        return scale_of(self.puzzle)[1].sample(self.random, None, 1)[0]

    def scored(self, seconds: float) -> float:
        """States that the network scores a second; whole moves are played."""
        done, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            done += self.turn()
        return done / (time.perf_counter() - began)

    def playouts(self) -> int:
        """Make a move in each game; all playouts for it, also those that end at a goal, which no network scores."""
        self.turn()
        return int(self.player.record.playouts_done.sum())

    def turn(self) -> int:
        """Make a move in each game; the states that the network scored for it."""
        before = self.player.record.scored.sum() if self.player.playing else 0
        turn = self.player.moves(self.states)
        self.states = turn.states
        for game in np.flatnonzero(turn.moves < 0).tolist():
            self.states[game] = self.board()
        return int(self.player.record.scored.sum() - before)


def main() -> None:
    """Measure both in turns, and print the rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--puzzle", default="tiles-4x4", help="a puzzle that a network comes with (tiles-4x4)")
    parser.add_argument("--games", type=int, default=256, help="games at once (256)")
    parser.add_argument("--playouts", type=int, default=50, help="playouts a move (50)")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each turn (4)")
    parser.add_argument("--turns", type=int, default=5, help="of each way (5)")
    arguments = parser.parse_args()
    counts = (1, arguments.games)
    batches = [Games(load(arguments.puzzle), count, arguments.playouts) for count in counts]
    for batch in batches:
        batch.scored(1.0)  # machine code and network are there before a clock starts
    rates = [[batch.scored(arguments.seconds) for batch in batches] for _ in range(arguments.turns)]
    table = Table("games at once", "playouts/s", title=f"{arguments.puzzle}, {arguments.playouts} playouts a move")
    for count, rates_of_count in zip(counts, zip(*rates, strict=True), strict=True):
        table.add_row(str(count), f"{statistics.median(rates_of_count):,.0f}")
    ratios = sorted(many / one for one, many in rates)
    console = Console()
    console.print(table)
    console.print(f"{statistics.median(ratios):.1f} times as many (from {ratios[0]:.1f} to {ratios[-1]:.1f})")


if __name__ == "__main__":
    main()
