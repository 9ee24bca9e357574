"""Compares ratings of Sudoku boards with those in a file: `python benchmarks/sudoku_ratings.py FILE [--differences]`.

The file has a header line and the columns `puzzle`, `er118`, `ep118`, `ed118`, `er121`, `ep121` and `ed121`: rating,
pearl and diamond on the scales of Sukaku Explainer 1.18 and Sudoku Explainer 1.2.1. For each range of the rating in the
file, the table says how many boards have the same three numbers, or the same one of them, and how many have no rating
because no technique goes on. Then it rates the boards and random images of them, and prints boards a CPU second,
without the time to start and compile. Where the file has the columns `hodoku_level` and `hodoku_score` too, a last
table has the boards of each level with the same level, and with the same score.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from puzzlelab.puzzles.sudoku.generate import random_images
from puzzlelab.puzzles.sudoku.logic import hodoku
from puzzlelab.puzzles.sudoku.logic.rating import BoardRating
from puzzlelab.puzzles.sudoku.logic.scales import rate_on

SCALES = ("118", "121")
RANGES = (("up to 5.0", 0.0, 5.0), ("5.1 to 7.0", 5.1, 7.0), ("7.1 to 9.0", 7.1, 9.0), ("above 9.0", 9.1, 99.0))
"""Name, least and greatest rating in the file."""


@dataclass(frozen=True)
class Comparison:
    """A board on one scale."""

    puzzle: str
    expected: tuple[float, float, float]
    """Rating, pearl and diamond in the file."""
    rating: BoardRating

    @property
    def numbers(self) -> tuple[float, float, float]:
        """The board's rating, pearl and diamond as computed."""
        return self.rating.rating, self.rating.pearl, self.rating.diamond

    def is_equal(self, number: int) -> bool:
        """Tell whether a number of the three is equal; those of a board that is not rated are not."""
        return self.rating.is_complete and self.numbers[number] == self.expected[number]

    @property
    def difference(self) -> str | None:
        """What differs, as a line; None for nothing."""
        if all(map(self.is_equal, range(3))):
            return None
        state = "" if self.rating.is_complete else "not rated "
        return f"{self.puzzle} {text(self.expected)} here {state}{text(self.numbers)} {self.rating.hardest!s}"


def text(numbers: Sequence[float]) -> str:
    """Return rating, pearl and diamond as `7.1/1.2/1.2`."""
    return "/".join(f"{number:.1f}" for number in numbers)


def read(path: Path) -> list[dict[str, str]]:
    """Return the lines of the file by column."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def boards_of(rows: Sequence[dict[str, str]]) -> NDArray[np.uint8]:
    """Return the boards as `uint8[B, 81]`."""
    return np.array([[int(sign) if sign.isdigit() else 0 for sign in row["puzzle"]] for row in rows], np.uint8)


def comparisons(rows: Sequence[dict[str, str]], scale: str) -> Iterator[Comparison]:
    """Compare all boards on a scale."""
    for row, rating in zip(rows, rate_on(boards_of(rows), scale), strict=True):
        expected = float(row[f"er{scale}"]), float(row[f"ep{scale}"]), float(row[f"ed{scale}"])
        yield Comparison(row["puzzle"], expected, rating)


def share(count: int, total: int) -> str:
    """Return a count with its share."""
    return f"{count} ({count / total:.1%})"


def print_table(scale: str, compared: Sequence[Comparison]) -> None:
    """Print the equal boards of a scale by the rating in the file, as Markdown."""
    print(f"\n| {scale} | boards | equal | rating | pearl | diamond | not rated |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, least, greatest in RANGES:
        group = [each for each in compared if least <= each.expected[0] <= greatest]
        if group:
            counts = [sum(each.difference is None for each in group)]
            counts += [sum(each.is_equal(number) for each in group) for number in range(3)]
            counts += [sum(not each.rating.is_complete for each in group)]
            print(f"| {name} | {len(group)} | {' | '.join(share(count, len(group)) for count in counts)} |", flush=True)


def speed(boards: NDArray[np.uint8], scale: str, seconds: float) -> float:
    """Return how many images of the boards are rated in a CPU second; at least so many seconds are measured."""
    random, rated, start = np.random.default_rng(0), 0, time.process_time()
    spent = 0.0
    while spent < seconds:
        images = random_images(np.tile(boards, (max(1, 4000 // len(boards)), 1)), random)
        start = time.process_time()
        rate_on(images, scale)
        spent += time.process_time() - start
        rated += len(images)
    return rated / spent


def print_levels(rows: Sequence[dict[str, str]], lists_differences: bool) -> None:
    """Print the boards of each level of HoDoKu that have the same level and score, as Markdown."""
    ratings = rate_on(boards_of(rows), "hodoku")
    print("\n| hodoku | boards | solved | equal level | equal score |\n| --- | --- | --- | --- | --- |")
    for name in hodoku.LEVELS:
        group = [(row, each) for row, each in zip(rows, ratings, strict=True) if row["hodoku_level"] == name]
        solved = [(row, each) for row, each in group if each.is_complete]
        levels = sum(hodoku.level(each.techniques) == name for _, each in solved)
        scores = sum(hodoku.total(each.techniques) == int(row["hodoku_score"]) for row, each in solved)
        counts = " | ".join(share(count, max(1, len(group))) for count in (len(solved), levels, scores))
        print(f"| {name} | {len(group)} | {counts} |", flush=True)
    if lists_differences:
        for row, each in zip(rows, ratings, strict=True):
            if (total := hodoku.total(each.techniques)) != int(row["hodoku_score"]):
                state = "" if each.is_complete else "not solved "
                print(f"{row['puzzle']} {row['hodoku_level']} {row['hodoku_score']} here {state}{total}")


def main() -> None:
    """Print the tables, the differences where they are asked for, and the speed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="a file with a header line")
    parser.add_argument("--differences", action="store_true", help="list the boards that differ")
    parser.add_argument("--scales", nargs="*", default=SCALES, choices=SCALES, help="scales of the Explainers; all")
    parser.add_argument("--most", type=float, default=99.0, help="leave out boards with a greater rating in the file")
    parser.add_argument("--seconds", type=float, default=3.0, help="time of each measurement of speed, 0 for none")
    arguments = parser.parse_args()
    rows = read(arguments.file)
    for scale in arguments.scales:
        own = [row for row in rows if float(row[f"er{scale}"]) <= arguments.most]
        compared = list(comparisons(own, scale))
        print_table(scale, compared)
        if arguments.differences:
            print(*(each.difference for each in compared if each.difference is not None), sep="\n")
        for name, least, greatest in RANGES:
            group = [row for row in own if least <= float(row[f"er{scale}"]) <= greatest]
            if group and arguments.seconds:
                print(
                    f"{name}: {speed(boards_of(group), scale, arguments.seconds):,.0f} boards a CPU second", flush=True
                )
    if "hodoku_level" in rows[0]:
        print_levels(rows, arguments.differences)


if __name__ == "__main__":
    main()
