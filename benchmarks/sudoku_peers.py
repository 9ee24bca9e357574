"""Compares Sudoku solvers in one run: `python benchmarks/sudoku_peers.py [FILE.csv ...] [--budget S] [--out FILE]`.

Each solver gets the same puzzles in the same random order, and the same CPU seconds for each set; the result is the
number of puzzles solved per CPU second. Conversion into a solver's notation is part of its time, checking its answers
is not. A set that is finished early is repeated, and its puzzles are counted again. A solver in another process is
measured by wall time. A file has lines `puzzle,solution`; without one, boards are generated, or the examples of
puzzlelab are used.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import puzzlelab
from puzzlelab.bench import suites
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.puzzle import presentation_of
from puzzlelab.core.views import Samples
from sudoku_solvers import BANDS, NORVIG, PEERS, UNITS, Peer, Solve

EASY = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
"""Solved once before the clock starts, so that nothing is imported or compiled inside a measurement."""
MIN_SECONDS = 0.5
"""CPU seconds; a set that is solved in less time is repeated."""
GENERATED_BOARDS = 100
"""Boards in a generated set."""


@dataclass(frozen=True)
class Figure:
    """The result of one solver on one set."""

    set: str
    peer: str
    proves: bool
    solved: int
    unsolved: int
    seconds: float
    """CPU seconds, including those of an unfinished puzzle."""

    @property
    def rate(self) -> float:
        """Puzzles solved per CPU second."""
        return self.solved / self.seconds


# --- measuring ------------------------------------------------------------------------------------------------------

Puzzles = Sequence[tuple[str, str]]
"""Each with its solution, or ''."""


class TimeUp(BaseException):
    """The budget is used up; not an `Exception`, so that no solver catches it."""


def raise_time_up(_number: int, _frame: FrameType | None) -> None:
    """The handler of the alarm."""
    raise TimeUp


def is_correct(puzzle: str, solution: str, answer: str) -> bool:
    """Whether an answer is the known solution or, if none is known, satisfies the rules."""
    if solution:
        return answer == solution
    clues_kept = len(answer) == 81 and all(clue in (".", cell) for clue, cell in zip(puzzle, answer, strict=True))
    return clues_kept and all({answer[cell] for cell in unit} == set("123456789") for unit in UNITS)


def measure(name: str, puzzles: Puzzles, peer: Peer, solve: Solve, seconds: float) -> Figure:
    """The result on as many puzzles as the budget allows, repeated if there is time left."""
    answers: list[str] = []
    clock, timer = (time.perf_counter, signal.ITIMER_REAL) if peer.aside else (time.process_time, signal.ITIMER_PROF)
    signal.signal(signal.SIGALRM if peer.aside else signal.SIGPROF, raise_time_up)
    start_time = clock()
    try:
        signal.setitimer(timer, seconds)
        while not answers or clock() - start_time < min(MIN_SECONDS, seconds):
            for start in range(0, len(puzzles), peer.batch):
                answers += solve([puzzle for puzzle, _ in puzzles[start : start + peer.batch]])
        signal.setitimer(timer, 0)
    except TimeUp:
        pass
    elapsed = clock() - start_time
    pairs = ((*puzzles[number % len(puzzles)], answer) for number, answer in enumerate(answers))
    failed = sum(not is_correct(*pair) for pair in pairs)
    return Figure(name, peer.name, peer.proves, len(answers) - failed, failed, elapsed)


def available(peers: Sequence[Peer], console: Console) -> list[tuple[Peer, Solve]]:
    """The installed peers, each after a first puzzle; prints a line for each of the others."""
    results = []
    for peer in peers:
        try:
            solve = peer.make()
            solve([EASY])
            results.append((peer, solve))
        except (ImportError, PuzzlelabError) as error:
            reason = f"pip install {peer.install}" if peer.install else str(error)
            console.print(f"{peer.name} is left out: {reason}", markup=False)
    return results


# --- in and out -----------------------------------------------------------------------------------------------------


def read(path: Path, count: int | None) -> Puzzles:
    """The puzzles of a file in a random order, which is the same each time."""
    puzzles = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        puzzle, solution = (*line.strip().split(","), "")[:2]
        puzzle, solution = puzzle.replace("0", "."), solution if len(solution) == 81 else ""
        if len(puzzle) == 81 and set(puzzle) <= set(".123456789"):
            puzzles.append((puzzle, solution))
        elif number > 1 and puzzle:
            raise BadInput(f"{path}, line {number}: no line of puzzle,solution")
    if not puzzles:
        raise BadInput(f"{path} holds no puzzles")
    random.Random(0).shuffle(puzzles)
    return puzzles[:count]


def generated_sets(count: int | None) -> dict[str, Puzzles]:
    """Boards of puzzlelab's generator, or its examples if there is none."""
    puzzle = puzzlelab.load("sudoku-9x9")
    if (samples := puzzle.view(Samples)) is not None:
        return {
            scale: [
                (entry.board, "") for entry in suites.sample(puzzle, None, scale, count or GENERATED_BOARDS, 0).entries
            ]
            for scale in samples.scales
        }
    return {"examples": [(example.board, "") for example in presentation_of(puzzle).examples.values()]}


HEADS = ("solver", "puzzles per CPU second", "ms a puzzle", "of Norvig-style", "solved", "unsolved", "proves unique")


def rate(figures: Sequence[Figure], peer: str) -> float:
    """The rate of this solver; 0 if it solved nothing or did not run."""
    return next((figure.rate for figure in figures if figure.peer == peer), 0.0)


def lines(figures: Sequence[Figure]) -> list[list[str]]:
    """The table of one set, the fastest first."""
    norvig_rate, rows = rate(figures, NORVIG), []
    for figure in sorted(figures, key=lambda figure: -figure.rate):
        per_second, milliseconds = f"under {1 / figure.seconds:.2g}", f"over {1000 * figure.seconds:,.0f}"
        if figure.solved:
            per_second, milliseconds = (
                f"{figure.rate:,.{0 if figure.rate >= 100 else 2}f}",
                f"{1000 / figure.rate:,.4g}",
            )
        times = f"{figure.rate / norvig_rate:,.3g}" if norvig_rate and figure.solved else "-"
        proves = "yes" if figure.proves else "no"
        rows.append(
            [figure.peer, per_second, milliseconds, times, f"{figure.solved:,}", f"{figure.unsolved:,}", proves]
        )
    return rows


def ratio(name: str, figures: Sequence[Figure]) -> str:
    """How many times as fast as the plain solver the fastest one of puzzlelab is."""
    if not rate(figures, NORVIG) or not rate(figures, BANDS):
        return f"{name}: bands against {NORVIG}: not measured"
    return f"{name}: bands is {rate(figures, BANDS) / rate(figures, NORVIG):,.0f} times as fast as {NORVIG}"


def show(console: Console, name: str, figures: Sequence[Figure]) -> None:
    """Print the figures of one set."""
    table = Table(HEADS[0], title=escape(name), box=None)
    for head in HEADS[1:]:
        table.add_column(head, justify="right")
    for line in lines(figures):
        table.add_row(*line)
    console.print(table, escape(ratio(name, figures)), "", sep="\n")


def text(path: Path, figures: dict[str, list[Figure]]) -> str:
    """All figures, as Markdown for a path that ends so, else as JSON."""
    if path.suffix != ".md":
        rows = [
            asdict(figure) | {"rate": figure.rate} for figures_of_set in figures.values() for figure in figures_of_set
        ]
        return json.dumps(rows, indent=1) + "\n"
    parts = []
    for name, figures_of_set in figures.items():
        table = [HEADS, ("---", *["---:"] * (len(HEADS) - 1)), *lines(figures_of_set)]
        parts += [
            f"### {name}",
            "",
            *(f"| {' | '.join(line)} |" for line in table),
            "",
            ratio(name, figures_of_set),
            "",
        ]
    return "\n".join(parts)


def main() -> int:
    """Measure, print, write; 0, or 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="CSV: puzzle,solution")
    parser.add_argument("--budget", type=float, default=3.0, help="CPU seconds for each solver and set")
    parser.add_argument("--count", type=int, help="puzzles of a set, at most")
    parser.add_argument("--with", dest="peers", action="append", help="part of a solver's name; may be repeated")
    parser.add_argument("--out", type=Path, help="a file to write: .md, or JSON")
    arguments = parser.parse_args()
    if arguments.budget <= 0 or (arguments.count is not None and arguments.count < 1):
        parser.error("--budget and --count are more than 0")
    console = Console(width=None if sys.stdout.isatty() else 120)
    sets = {path.stem: read(path, arguments.count) for path in arguments.files} or generated_sets(arguments.count)
    chosen = [peer for peer in PEERS if not arguments.peers or any(part in peer.name for part in arguments.peers)]
    figures: dict[str, list[Figure]] = {name: [] for name in sets}
    peers: list[tuple[Peer, Solve]] = []
    try:
        peers = available(chosen, console)
        for name, puzzles in sets.items():
            for peer, solve in peers:
                figures[name].append(measure(name, puzzles, peer, solve, arguments.budget))
            show(console, name, figures[name])
    except KeyboardInterrupt:
        for name, figures_of_set in figures.items():
            if figures_of_set and len(figures_of_set) < len(peers):
                show(console, name, figures_of_set)
        console.print("interrupted")
        return 130
    finally:
        if arguments.out:
            arguments.out.write_text(
                text(
                    arguments.out, {name: figures_of_set for name, figures_of_set in figures.items() if figures_of_set}
                ),
                "utf-8",
            )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BadInput, OSError) as error:
        sys.exit(f"error: {error}")
