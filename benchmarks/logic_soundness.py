"""Checks that no step of logic takes a candidate of the solution away: `python benchmarks/logic_soundness.py FILE ...`.

Boards are new ones and random images of those in the files (a board at the beginning of each line), in turns. In each
position all families but nested chains look for steps, which are compared with the solution; then one that was found at
random is applied, so that positions are those that people come to by any order of techniques. A wrong step ends the run
with its position.

The counts by technique are kept in `--state FILE` after each board; the same command goes on from there, because a
board and its steps depend on the seed and its number alone. It ends at `--steps` steps or after `--minutes`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress, TextColumn
from rich.table import Table

from puzzlelab.puzzles.sudoku.generate import SudokuGenerator, random_images
from puzzlelab.puzzles.sudoku.logic.catalog import FAMILIES, families_in
from puzzlelab.puzzles.sudoku.logic.position import ALL, Position, new_position, set_up
from puzzlelab.puzzles.sudoku.logic.steps import Found, evidence_of, find_steps, new_found, single_step, take_step
from puzzlelab.puzzles.sudoku.logic.techniques import Technique
from puzzlelab.puzzles.sudoku.logic.tester import SOUND, first_wrong
from puzzlelab.puzzles.sudoku.notation import read
from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch
from puzzlelab.storage.files import replace_file

SLOW = ("forcing", "forcing_nets")
"""Families of which few steps are looked for in a position."""
MOST, MOST_SLOW = 200, 5
LEFT_OUT = ("forcing_nested",)
"""Families of which one search may take minutes in a position that does not need it."""

Board = NDArray[np.uint8]


@dataclass
class Counts:
    """What was checked so far."""

    seed: int
    boards: int = 0
    positions: int = 0
    steps: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of steps."""
        return sum(self.steps.values())


@dataclass(frozen=True)
class Search:
    """A search of a family, and room for its steps."""

    record: Any
    found: Found


def searches() -> list[Search]:
    """Return the searches of all families."""
    rooms = {count: new_found(count) for count in (MOST, MOST_SLOW)}
    return [
        Search(record, rooms[MOST_SLOW if name in SLOW else MOST])
        for name in FAMILIES
        if name not in LEFT_OUT
        for record in families_in(name)
    ]


def board_of(number: int, lines: Sequence[str], random: np.random.Generator) -> Board:
    """Return a board: every second one is an image of one of the lines, if there are any."""
    if lines and number % 2:
        known = read(lines[int(random.integers(len(lines)))][:81], 9, "sudoku-9x9")
        return random_images(known[None], random)[0]
    [(puzzles, _)] = SudokuGenerator().batches(1, seed=int(random.integers(1 << 31)))
    return puzzles[0]


def check_position(
    position: Position, solution: Board, all_searches: Sequence[Search], tally: Counter[str]
) -> list[Found]:
    """Check all steps that are found in a position, and return each alone; raises `SystemExit` for a wrong one."""
    steps = []
    for search in all_searches:
        found = search.found
        find_steps(search.record, position, found)
        if (wrong := int(first_wrong(position, found, solution))) != SOUND:
            [step] = evidence_of(single_step(found, wrong))
            sys.exit(f"wrong: {step}\nin the position of {position.values} with {position.candidates}")
        techniques = found.heads[: found.used[0], 0].tolist()
        tally.update(Technique(each).label for each in techniques)
        steps += [single_step(found, number) for number in range(min(len(techniques), MOST_SLOW))]
    return steps


def check_board(counts: Counts, lines: Sequence[str], all_searches: Sequence[Search]) -> None:
    """Check a board from its clues to its solution, and count its steps."""
    random = np.random.default_rng([counts.seed, counts.boards])
    board, position, tally = board_of(counts.boards, lines, random), new_position(), Counter(counts.steps)
    solution = solve_batch(board[None]).solutions[0]
    set_up(position, board, np.full(81, ALL, np.uint16))
    while (position.values == 0).any():
        steps = check_position(position, solution, all_searches, tally)
        counts.positions += 1
        if not steps:
            break
        take_step(position, steps[int(random.integers(len(steps)))], 0)
    counts.boards += 1
    counts.steps = dict(tally)


def load_counts(path: Path | None, seed: int) -> Counts:
    """Return what was counted before with this seed, or nothing."""
    if path is None or not path.exists():
        return Counts(seed)
    try:
        counts = Counts(**json.loads(path.read_text()))
    except (ValueError, TypeError):
        sys.exit(f"{path} does not hold the counts of an earlier run")
    if counts.seed != seed:
        sys.exit(f"{path} has the counts of seed {counts.seed}")
    return counts


def run(counts: Counts, lines: Sequence[str], arguments: argparse.Namespace) -> None:
    """Check boards until there are enough steps, or the time is over."""
    all_searches, end = searches(), time.monotonic() + 60 * arguments.minutes
    columns = (*Progress.get_default_columns(), TextColumn("{task.completed:,} steps"))
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("checking", total=arguments.steps, completed=counts.total)
        while counts.total < arguments.steps and time.monotonic() < end:
            check_board(counts, lines, all_searches)
            progress.update(task, completed=counts.total)
            if arguments.state:
                replace_file(arguments.state, json.dumps(asdict(counts)) + "\n")


def table_of(counts: Counts) -> Table:
    """Return the counts by technique, and the techniques without a step."""
    title = f"{counts.total:,} steps in {counts.positions:,} positions of {counts.boards:,} boards, none wrong"
    table = Table("technique", "steps", title=title)
    for technique in Technique:
        table.add_row(technique.label, f"{counts.steps.get(technique.label, 0):,}")
    return table


def main() -> None:
    """Check, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="files with a board in each line")
    parser.add_argument("--steps", type=int, default=1_000_000, help="steps to check (1000000)")
    parser.add_argument("--minutes", type=float, default=1e6, help="the most minutes (no limit)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--state", type=Path, help="the file that keeps the counts, to go on with")
    arguments = parser.parse_args()
    counts = load_counts(arguments.state, arguments.seed)
    lines = [
        line for path in arguments.files for line in path.read_text().splitlines() if line[:1] in set(".123456789")
    ]
    run(counts, lines, arguments)
    Console().print(table_of(counts))


if __name__ == "__main__":
    main()
