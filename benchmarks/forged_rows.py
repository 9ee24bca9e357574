"""How many forged proofs `puzzlelab verify --prove` names: `python benchmarks/forged_rows.py [--folder F] [--time S]`.

Honest rows are made by the commands that a user types, over all puzzles and several solvers. Then 100 rows of further
boards are forged, in twelve ways, and put among them. `puzzlelab verify` checks the file twice, without `--prove` and
with it. The tables say how many forged rows each names, whether an honest row is named, and how long the proofs take.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import puzzlelab
from puzzlelab.bench import suites

Row = dict[str, Any]
PROGRAM = (sys.executable, "-m", "puzzlelab")
SEED = 20
FURTHER = 24
"""Further boards of each kind, of which rows are forged."""
FEWEST = 24
"""Honest rows of each solver, where only a share of them is made."""


@dataclass(frozen=True)
class Boards:
    """Boards of one kind, and the solvers that answer them."""

    name: str
    puzzle: str
    solvers: Mapping[tuple[str, ...], int]
    """Words after `--with` -> boards for this solver."""
    make: Callable[[Path, int], list[str]]
    """A folder and a number -> so many boards."""

    @property
    def count(self) -> int:
        """Rows of all solvers."""
        return sum(self.solvers.values())


# --- boards ---


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """The command `puzzlelab` with these words; ends the script if it cannot be carried out."""
    done = subprocess.run([*PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"puzzlelab {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
    return done


def digest(*parts: object) -> str:
    """A part of a file's name; with it a second call of this script goes on from where the first one ended."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def generated(puzzle: str, *words: object) -> Callable[[Path, int], list[str]]:
    """Boards of `puzzlelab generate`."""

    def make(folder: Path, count: int) -> list[str]:
        out = folder / f"boards-{digest(puzzle, count, *words)}.txt"
        if not out.exists():
            run("generate", puzzle, "--count", count, "--seed", SEED, "--out", out, *words)
        lines = out.read_text(encoding="utf-8").splitlines()
        return [re.split(r"\t|,|  ", line)[0] for line in lines if line and not line.startswith("#")][:count]

    return make


def impossible_tiles(folder: Path, count: int) -> list[str]:
    """Boards with an odd permutation: the first two tiles of a solvable board change places."""
    boards = []
    for board in generated("tiles-3x3")(folder, count):
        cells = board.split()
        first, second = [place for place, tile in enumerate(cells) if tile != "0"][:2]
        cells[first], cells[second] = cells[second], cells[first]
        boards.append(" ".join(cells))
    return boards


def with_few_clues(folder: Path, count: int) -> list[str]:
    """Boards of 17 clues that are known to have one solution."""
    return [entry.board for entry in suites.find("sudoku17-1000").entries[:count]]


def with_several_solutions(folder: Path, count: int) -> list[str]:
    """Boards from which clues are removed until there are several solutions."""
    generator, boards = random.Random(SEED), []
    for board in generated("sudoku-9x9")(folder, count):
        cells = list(board)
        while puzzlelab.count(puzzlelab.load("sudoku-9x9").read("".join(cells)), most=2).solutions < 2:
            cells[generator.choice([place for place, digit in enumerate(cells) if digit not in ".0"])] = "."
        boards.append("".join(cells))
    return boards


def unsolvable_sudoku(folder: Path, count: int) -> list[str]:
    """Boards with a wrong digit that contradicts no clue directly."""
    puzzle, boards = puzzlelab.load("sudoku-9x9"), []
    for board in generated("sudoku-9x9")(folder, 4 * count):
        for place in [place for place, digit in enumerate(board) if digit in ".0"]:
            wrong = [board[:place] + digit + board[place + 1 :] for digit in "123456789"]
            instances = [puzzle.read(text) for text in wrong]
            silent = [each for each in instances if puzzle.objection(each.state) is None]
            bad = [each for each in silent if puzzlelab.solve(each).proof == "unsolvable"]
            if bad:
                boards.append(puzzle.write(bad[0].state))
                break
    return boards[:count]


SUDOKU = "sudoku-9x9"
KINDS = (
    Boards(
        "tiles-3x3",
        "tiles-3x3",
        {("ida",): 100, ("bfs",): 60, ("astar",): 60, ("greedy", "--estimate", "manhattan"): 30},
        generated("tiles-3x3"),
    ),
    Boards("tiles-3x3, impossible", "tiles-3x3", {("ida",): 20}, impossible_tiles),
    Boards(
        "tiles-4x4",
        "tiles-4x4",
        {("ida",): 80, ("astar", "--estimate", "walking"): 30, ("beam", "--width", "100"): 30},
        generated("tiles-4x4", "--level", "15-25"),
    ),
    Boards(
        "dust-6x5x4",
        "dust-6x5x4",
        {("halves",): 120, ("astar", "--estimate", "colours"): 50, ("beam", "--width", "100"): 60},
        generated("dust-6x5x4"),
    ),
    Boards(
        "dust-8x6x5",
        "dust-8x6x5",
        {("halves",): 30, ("beam", "--width", "100"): 20},
        generated("dust-8x6x5"),
    ),
    Boards(
        "sudoku, easy",
        SUDOKU,
        {("bands",): 60, ("dancing-links",): 60, ("backtracking",): 30},
        generated(SUDOKU, "--level", "1"),
    ),
    Boards("sudoku, 17 clues", SUDOKU, {("bands",): 40, ("dancing-links",): 40}, with_few_clues),
    Boards("sudoku, several solutions", SUDOKU, {("bands",): 20, ("dancing-links",): 20}, with_several_solutions),
    Boards("sudoku, unsolvable", SUDOKU, {("bands",): 20, ("dancing-links",): 20}, unsolvable_sudoku),
)


def solved(puzzle: str, boards: Sequence[str], folder: Path, words: Sequence[str]) -> list[Row]:
    """The rows of these boards, as `puzzlelab solve --out` writes them."""
    name = digest(puzzle, *boards, *words)
    texts, out = folder / f"texts-{name}.txt", folder / f"rows-{name}.jsonl"
    texts.write_text("".join(f"{board}\n" for board in boards), encoding="utf-8")
    run("solve", puzzle, "--file", texts, "--with", *words, "--json", "--out", out)
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def honest_rows(kind: Boards, folder: Path, share: float) -> tuple[list[Row], list[Row]]:
    """A share of the honest rows of one kind, and those of further boards by its first solver, to be forged."""
    counts = {words: min(count, max(FEWEST, round(share * count))) for words, count in kind.solvers.items()}
    boards = kind.make(folder, sum(counts.values()) + FURTHER)
    rows, begin = [], 0
    for words, count in counts.items():
        rows += solved(kind.puzzle, boards[begin : begin + count], folder, words)
        begin += count
    return rows, solved(kind.puzzle, boards[begin:], folder, next(iter(kind.solvers)))


# --- forgeries ---


def longer(row: Row) -> Row:
    """The row of a solver of random moves, or with two moves too many, that is called optimal."""
    back = {"U": "D", "D": "U", "L": "R", "R": "L"}
    moves = [*row["moves"][:1], back[row["moves"][0]], *row["moves"]]
    return {**row, "moves": moves, "length": len(moves), "lower_bound": len(moves), "proof": "optimal"}


def optimal(row: Row) -> Row:
    """The row with its moves called optimal."""
    return {**row, "proof": "optimal", "lower_bound": row["length"]}


def high_bound(row: Row) -> Row:
    """The row of a search that ended without a solution, and with a lower bound that is too high."""
    ends = {"moves": None, "length": None, "proof": "none", "stop": "time", "limit": {"seconds": 5}}
    return {**row, **ends, "lower_bound": row["length"] + 1, "verified": False}


def unsolvable(row: Row) -> Row:
    """The row with the claim that there is no solution."""
    reason = "every possibility was tried, and none is a solution"
    return {**row, "moves": None, "length": None, "proof": "unsolvable", "reason": reason, "lower_bound": 0}


def unique(row: Row) -> Row:
    """The row with the claim that its solution is the only one."""
    return {**row, "proof": "unique", "reason": ""}


def without_moves(row: Row) -> Row:
    """The row without its moves, but with its proof."""
    return {**row, "moves": None, "length": None}


def cut_short(row: Row) -> Row:
    """The row without its last move, and called verified."""
    moves = row["moves"][:-1]
    return {**row, "moves": moves, "length": len(moves), "lower_bound": 0, "proof": "none", "verified": True}


def on_other_boards(rows: Sequence[Row]) -> list[Row]:
    """The rows with their boards passed on in a circle."""
    return [{**row, "board": other["board"]} for row, other in zip(rows, [*rows[1:], rows[0]], strict=True)]


def forgeries(further: Mapping[str, list[Row]], honest: Mapping[str, list[Row]], folder: Path) -> dict[str, list[Row]]:
    """Kind -> forged rows, 100 in all; each of a board that no other row has, except for those that contradict one."""
    rows = {name: iter(each) for name, each in further.items()}

    def take(name: str, count: int) -> list[Row]:
        return [next(rows[name]) for _ in range(count)]

    def by_random(name: str, count: int) -> list[Row]:
        boards = [row["board"] for row in take(name, count)]
        return [row for row in solved(name, boards, folder, ["random"]) if row["moves"]]

    shortest = {name: honest[name] for name in ("tiles-3x3", "dust-6x5x4")}
    return {
        "longer way called optimal (tiles)": [longer(row) for row in [*take("tiles-3x3", 6), *take("tiles-4x4", 6)]],
        "way by `random` called optimal (dust)": [
            optimal(row) for row in [*by_random("dust-6x5x4", 6), *by_random("dust-8x6x5", 4)]
        ],
        "lower bound too high by 1": [
            high_bound(row)
            for name, count in (("tiles-3x3", 4), ("tiles-4x4", 4), ("dust-6x5x4", 4))
            for row in take(name, count)
        ],
        "unsolvable (tiles)": [unsolvable(row) for row in [*take("tiles-3x3", 4), *take("tiles-4x4", 4)]],
        "unsolvable (dust)": [unsolvable(row) for row in [*take("dust-6x5x4", 6), *take("dust-8x6x5", 4)]],
        "unsolvable (sudoku)": [unsolvable(row) for row in [*take("sudoku, easy", 4), *take("sudoku, 17 clues", 4)]],
        "unique (sudoku with several solutions)": [unique(row) for row in take("sudoku, several solutions", 10)],
        "unique (tiles and dust)": [unique(row) for row in [*take("tiles-3x3", 3), *take("dust-6x5x4", 3)]],
        "moves of another board": on_other_boards([*take("dust-6x5x4", 3)]) + on_other_boards(take("sudoku, easy", 3)),
        "proof without moves": [without_moves(row) for row in [*take("tiles-4x4", 3), *take("sudoku, easy", 3)]],
        "last move missing, 'verified'": [cut_short(row) for row in [*take("tiles-4x4", 3), *take("sudoku, easy", 3)]],
        "contradicts an honest row of its board": [
            *(longer(row) for row in shortest["tiles-3x3"][:3]),
            *(unsolvable(row) for row in shortest["dust-6x5x4"][:3]),
        ],
    }


# --- the check ---


def verified(path: Path, *words: object) -> tuple[dict[int, Row], str, float]:
    """The objects of `puzzlelab verify --json` by line, its last line, and its seconds."""
    began = time.perf_counter()
    done = run("verify", path, "--json", *words)
    objects: dict[int, Row] = {}
    for line in done.stdout.splitlines():
        one = json.loads(line)
        objects[one["line"]] = {**objects.get(one["line"], {}), **one}
    return objects, done.stderr.splitlines()[-1], time.perf_counter() - began


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows as a table of Markdown."""
    print(f"\n| {' | '.join(titles)} |\n|{' --- |' * len(titles)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")


def main() -> int:
    """Make the rows, check them, and print the tables; 1 if a forged row is not named, or an honest one is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="keep the files here; a temporary folder if left out")
    parser.add_argument("--time", type=float, default=60.0, help="seconds for each claim")
    parser.add_argument("--jobs", type=int, default=1, help="rows that `verify` checks at once")
    parser.add_argument("--lines", action="store_true", help="print a line for each row, not tables")
    parser.add_argument("--share", type=float, default=1.0, help="the share of the honest rows that are made (1)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        return check(folder, options.time, options.jobs, options.lines, options.share)


def check(folder: Path, seconds: float, jobs: int, lines: bool, share: float) -> int:
    """Make the rows in this folder, check them, and print the tables, or a line for each row."""
    honest, further = {}, {}
    for kind in KINDS:
        honest[kind.name], further[kind.name] = honest_rows(kind, folder, share)
    forged = forgeries(further, honest, folder)
    rows = [(name, row) for group in (honest, forged) for name, each in group.items() for row in each]
    random.Random(SEED).shuffle(rows)
    path = folder / "all.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for _, row in rows), encoding="utf-8")
    replayed, _, _ = verified(path)
    proven, last_line, spent = verified(path, "--prove", "--time", seconds, "--jobs", jobs)
    groups: dict[str, list[tuple[Row, Row]]] = defaultdict(list)
    for line, (name, _) in enumerate(rows, start=1):
        groups[name].append((replayed[line], proven[line]))
    wrong = [(name, pair) for name in honest for pair in groups[name] if pair[1]["verdict"] == "refuted"]
    missed = [(name, pair) for name in forged for pair in groups[name] if pair[1]["verdict"] != "refuted"]
    if lines:
        print("\n".join(["held: a row"] * (len(rows) - len(wrong) - len(missed))))
        for name, (_, row) in wrong + missed:
            print(f"lost: {name}, line {row['line']}: {row['verdict']} {row.get('reason', '')}")
    else:
        print_tables(groups, honest, forged)
        print(f"\n{last_line}\nverify --prove took {spent:.0f} s with {jobs} job{'s' * (jobs > 1)}")
    return int(bool(wrong or missed))


def print_tables(groups: Mapping[str, Sequence[tuple[Row, Row]]], honest: Iterable[str], forged: Iterable[str]) -> None:
    """Print what `verify` says of the rows of each group, without and with `--prove`."""

    def count(group: Sequence[tuple[Row, Row]], verdict: str, place: int = 1) -> int:
        return sum(pair[place]["verdict"] == verdict for pair in group)

    titles = ("forged", "rows", "named without --prove", "named with --prove", "undecided")
    verdicts = [
        (name, len(groups[name]), count(groups[name], "refuted", 0), *(count(groups[name], each) for each in OUTCOMES))
        for name in forged
    ]
    table(titles, [*verdicts, ("all", *(sum(int(row[place]) for row in verdicts) for place in range(1, 5)))])
    titles = ("honest", "rows", "hold, proven anew", "undecided", "wrongly named", "seconds of proofs")
    table(
        titles,
        (
            (name, len(pairs := groups[name]), count(pairs, "holds"), *(count(pairs, each) for each in OUTCOMES[::-1]),
             f"{sum(pair[1]['seconds'] for pair in pairs):.1f}")
            for name in honest
        ),
    )  # fmt: skip


OUTCOMES = ("refuted", "undecided")

if __name__ == "__main__":
    sys.exit(main())
