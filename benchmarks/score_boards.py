"""Makes the boards of score sheets anew: `python benchmarks/score_boards.py NAME --out FOLDER [--jobs N]`.

NAME is a suite of the package, such as `tiles15-10000`. Its boards are drawn from a seed, each is solved by a method
that proves its answer, and the file `NAME.txt.gz` is written into the folder; `suites` reads it. The rows of the proofs
stay in the folder, and a command that was stopped goes on from there. The same name gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import puzzlelab
from puzzlelab.bench import runs, suites
from puzzlelab.bench.suites import Suite
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.storage.files import make_folder, replace_file

SEED = 20_261_129
"""No recipe of the package trains with it."""
COUNT = 10_000


@dataclass(frozen=True)
class Draw:
    """Some boards of a suite: `count` of each level of a scale, or of the scale as a whole, all different."""

    scale: str
    count: int
    levels: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        """The name of the folder of its rows."""
        return self.scale if self.levels is None else f"{self.scale}-{self.levels[0]}-{self.levels[1]}"

    def __str__(self) -> str:
        if self.levels is None:
            return f"{self.count:,} of the scale {self.scale}"
        first, last = self.levels
        levels = f"level {first}" if first == last else f"each of the levels {first} to {last}"
        return f"{self.count:,} of {levels} of the scale {self.scale}, each once"


@dataclass(frozen=True)
class Recipe:
    """How the boards of a suite are drawn, and what proves their answers."""

    puzzle: str
    draws: Sequence[Draw]
    solver: str
    is_filled: bool = False
    """Whether each solution is as long as any other. Then the file tells the levels; else the optimum is the level."""


EVERY = Draw("distance", COUNT)
"""As equally many boards of each distance as there are."""
RECIPES: Mapping[str, Recipe] = {
    "tiles8-10000": Recipe("tiles-3x3", [EVERY], "bfs"),
    "tiles15-10000": Recipe("tiles-4x4", [Draw("level", 100, (1, 50)), Draw("uniform", 5_346)], "ida:estimate=pdb-78"),
    "dust6x5x4-10000": Recipe("dust-6x5x4", [Draw("uniform", COUNT)], "halves"),
    "dust8x6x5-10000": Recipe("dust-8x6x5", [Draw("uniform", COUNT)], "halves"),
    "sudoku9x9-10000": Recipe(
        "sudoku-9x9",
        [Draw("rating", 1_500 if level in (7, 8) else 1_000, (level, level)) for level in range(1, 10)],
        "bands",
        is_filled=True,
    ),
}


def main() -> None:
    """Make the suite that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=RECIPES)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    try:
        path = write(arguments.name, arguments.out, arguments.jobs)
    except PuzzlelabError as error:
        sys.exit(f"error: {error}")
    print(f"{path}: {path.stat().st_size:,} bytes, hash {suites.read(path).hash}")


def write(name: str, folder: Path, jobs: int) -> Path:
    """Make the suite of this name, and return the path of its file."""
    recipe = RECIPES[name]
    make_folder(folder)
    lines: dict[str, None] = {}  # a board that two draws have is there once
    for draw in recipe.draws:
        lines |= dict.fromkeys(proven_lines(recipe, draw, folder / name / draw.name, jobs))
    count = sum(not line.startswith("#") for line in lines)
    if count < COUNT:
        sys.exit(f"error: {count:,} different boards, not {COUNT:,}")
    path = folder / f"{name}.txt.gz"
    text = "\n".join([*header(name, recipe), *lines]) + "\n"
    replace_file(path, gzip.compress(text.encode(), 9, mtime=0))
    return path


def header(name: str, recipe: Recipe) -> Iterator[str]:
    """Yield the comments at the beginning of the file."""
    yield f"# puzzle: {recipe.puzzle}"
    yield f"# To measure networks with: {'; '.join(map(str, recipe.draws))}."
    yield f"# Made by `python benchmarks/score_boards.py {name}` of puzzlelab, and under its licence."
    columns = "Each has one solution" if recipe.is_filled else "Columns (TAB): board | moves | opt"
    yield f"# {columns}: proven by `{recipe.solver}`"


def proven_lines(recipe: Recipe, draw: Draw, folder: Path, jobs: int) -> Iterator[str]:
    """Yield the lines of the boards of a draw, with their proven lengths; the rows are in this folder."""
    stored = folder / suites.SUITE_FILE
    suite = suites.read_stored(folder) if stored.exists() else drawn(puzzlelab.load(recipe.puzzle), draw)
    run = runs.run(suite, runs.parse_solvers([recipe.solver]), Limit(), folder, jobs, command=" ".join(sys.argv))
    unproven = sum(not answer.proven for answer in run.answers) + len(suite.entries) - len(run.answers)
    if unproven:
        sys.exit(f"error: {unproven:,} boards in {folder} have no proven answer; go on by the same command")
    if recipe.is_filled and draw.levels:
        yield f"# level: {draw.levels[0]}"
    for answer in run.answers:
        yield answer.entry.board if recipe.is_filled else f"{answer.entry.board}\t{answer.length}\topt"


def drawn(puzzle: Puzzle, draw: Draw) -> Suite:
    """Return the boards of a draw."""
    if draw is EVERY:
        return by_distance(puzzle, draw.count)
    suite = suites.sample(puzzle, draw.levels, draw.scale, draw.count, SEED)
    return replace(suite, entries=tuple({entry.board: entry for entry in suite.entries}.values()))


def by_distance(puzzle: Puzzle, count: int) -> Suite:
    """Return some boards of each distance from the goal but 0: equally many, or all where there are fewer."""
    by_level: dict[int, list[suites.SuiteEntry]] = {}
    every = suites.every_board(puzzle)
    for entry in every.entries:
        by_level.setdefault(entry.level or 0, []).append(entry)
    entries: list[suites.SuiteEntry] = []
    levels = sorted(by_level.keys() - {0}, key=lambda level: len(by_level[level]))
    for place, level in enumerate(levels):
        share = (count - len(entries)) // (len(levels) - place)
        chosen = generator(SEED, level).permutation(len(by_level[level]))[:share]
        entries += [by_level[level][each] for each in sorted(chosen.tolist())]
    return Suite(f"{puzzle.name} by distance", puzzle, tuple(sorted(entries, key=lambda entry: entry.level or 0)))


if __name__ == "__main__":
    main()
