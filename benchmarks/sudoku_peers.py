"""Compares Sudoku solvers in one run: `python benchmarks/sudoku_peers.py [FILE.csv ...] [--budget S] [--out FILE]`.

Each solver gets the same puzzles in the same random order, and so many CPU seconds a set; what counts is puzzles solved
per CPU second. Conversion into a solver's own notation is part of its time, checking of its answers is not. A set that
is done in no time is gone through again, and its puzzles are counted again. A solver that works in another process is
measured by the wall clock. A file has lines `puzzle,solution`; without one, boards are made here, or those that come
with puzzlelab are taken.
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
SHORTEST = 0.5
"""CPU seconds; a set that is solved sooner is solved again."""
MADE = 100
"""Boards in a set that is made here."""


@dataclass(frozen=True)
class Figure:
    """How one solver did on one set."""

    set: str
    peer: str
    proves: bool
    solved: int
    unsolved: int
    seconds: float
    """CPU seconds, those of a puzzle that the budget cut short included."""

    @property
    def rate(self) -> float:
        """Puzzles solved per CPU second."""
        return self.solved / self.seconds


# --- measuring ------------------------------------------------------------------------------------------------------

Puzzles = Sequence[tuple[str, str]]
"""Each with its solution, or ''."""


class TimeUp(BaseException):
    """The budget is spent; no `Exception`, so that no solver catches it."""


def ring(_number: int, _frame: FrameType | None) -> None:
    """The handler of the alarm."""
    raise TimeUp


def right(puzzle: str, solution: str, answer: str) -> bool:
    """Whether an answer is the known solution or, where none is known, one that the rules confirm."""
    if solution:
        return answer == solution
    clues_kept = len(answer) == 81 and all(clue in (".", cell) for clue, cell in zip(puzzle, answer, strict=True))
    return clues_kept and all({answer[cell] for cell in unit} == set("123456789") for unit in UNITS)


def measure(name: str, puzzles: Puzzles, peer: Peer, solve: Solve, seconds: float) -> Figure:
    """As many puzzles as the budget allows, all of them at least once if it does."""
    answers: list[str] = []
    clock, timer = (time.perf_counter, signal.ITIMER_REAL) if peer.aside else (time.process_time, signal.ITIMER_PROF)
    signal.signal(signal.SIGALRM if peer.aside else signal.SIGPROF, ring)
    began = clock()
    try:
        signal.setitimer(timer, seconds)
        while not answers or clock() - began < min(SHORTEST, seconds):
            for start in range(0, len(puzzles), peer.batch):
                answers += solve([puzzle for puzzle, _ in puzzles[start : start + peer.batch]])
        signal.setitimer(timer, 0)
    except TimeUp:
        pass
    took = clock() - began
    pairs = ((*puzzles[place % len(puzzles)], answer) for place, answer in enumerate(answers))
    failed = sum(not right(*pair) for pair in pairs)
    return Figure(name, peer.name, peer.proves, len(answers) - failed, failed, took)


def ready(peers: Sequence[Peer], console: Console) -> list[tuple[Peer, Solve]]:
    """The peers that are there, each after a first puzzle; a line for each of the others."""
    found = []
    for peer in peers:
        try:
            solve = peer.make()
            solve([EASY])
            found.append((peer, solve))
        except (ImportError, PuzzlelabError) as error:
            reason = f"pip install {peer.install}" if peer.install else str(error)
            console.print(f"{peer.name} is left out: {reason}", markup=False)
    return found


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


def made(count: int | None) -> dict[str, Puzzles]:
    """Boards of puzzlelab's generator; its examples where there is none."""
    puzzle = puzzlelab.load("sudoku-9x9")
    if (samples := puzzle.view(Samples)) is not None:
        return {
            scale: [(entry.board, "") for entry in suites.sample(puzzle, None, scale, count or MADE, 0).entries]
            for scale in samples.scales
        }
    return {"examples": [(example.board, "") for example in presentation_of(puzzle).examples.values()]}


HEADS = ("solver", "puzzles per CPU second", "ms a puzzle", "of Norvig-style", "solved", "unsolved", "proves unique")


def rate(figures: Sequence[Figure], peer: str) -> float:
    """Of this solver; 0 where it solved nothing, or was not asked."""
    return next((figure.rate for figure in figures if figure.peer == peer), 0.0)


def lines(figures: Sequence[Figure]) -> list[list[str]]:
    """The table of one set, the fastest first."""
    plain, found = rate(figures, NORVIG), []
    for figure in sorted(figures, key=lambda figure: -figure.rate):
        fast, slow = f"under {1 / figure.seconds:.2g}", f"over {1000 * figure.seconds:,.0f}"
        if figure.solved:
            fast, slow = f"{figure.rate:,.{0 if figure.rate >= 100 else 2}f}", f"{1000 / figure.rate:,.4g}"
        times = f"{figure.rate / plain:,.3g}" if plain and figure.solved else "-"
        proves = "yes" if figure.proves else "no"
        found.append([figure.peer, fast, slow, times, f"{figure.solved:,}", f"{figure.unsolved:,}", proves])
    return found


def ratio(name: str, figures: Sequence[Figure]) -> str:
    """How many times as fast as the plain solver the fastest one of puzzlelab is."""
    if not rate(figures, NORVIG) or not rate(figures, BANDS):
        return f"{name}: bands against {NORVIG}: not measured"
    return f"{name}: bands is {rate(figures, BANDS) / rate(figures, NORVIG):,.0f} times as fast as {NORVIG}"


def show(console: Console, name: str, figures: Sequence[Figure]) -> None:
    """Print the figures of one set."""
    shown = Table(HEADS[0], title=escape(name), box=None)
    for head in HEADS[1:]:
        shown.add_column(head, justify="right")
    for line in lines(figures):
        shown.add_row(*line)
    console.print(shown, escape(ratio(name, figures)), "", sep="\n")


def text(path: Path, figures: dict[str, list[Figure]]) -> str:
    """All figures, as Markdown for a path that ends so, else as JSON."""
    if path.suffix != ".md":
        rows = [asdict(figure) | {"rate": figure.rate} for found in figures.values() for figure in found]
        return json.dumps(rows, indent=1) + "\n"
    parts = []
    for name, found in figures.items():
        table = [HEADS, ("---", *["---:"] * (len(HEADS) - 1)), *lines(found)]
        parts += [f"### {name}", "", *(f"| {' | '.join(line)} |" for line in table), "", ratio(name, found), ""]
    return "\n".join(parts)


def main() -> int:
    """Measure, print, write; 0, or 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="CSV: puzzle,solution")
    parser.add_argument("--budget", type=float, default=3.0, help="CPU seconds for each solver and set")
    parser.add_argument("--count", type=int, help="puzzles of a set, at most")
    parser.add_argument("--with", dest="peers", action="append", help="part of a solver's name; may be repeated")
    parser.add_argument("--out", type=Path, help="a file to write: .md, or JSON")
    asked = parser.parse_args()
    if asked.budget <= 0 or (asked.count is not None and asked.count < 1):
        parser.error("--budget and --count are more than 0")
    console = Console(width=None if sys.stdout.isatty() else 120)
    sets = {path.stem: read(path, asked.count) for path in asked.files} or made(asked.count)
    wanted = [peer for peer in PEERS if not asked.peers or any(part in peer.name for part in asked.peers)]
    figures: dict[str, list[Figure]] = {name: [] for name in sets}
    peers: list[tuple[Peer, Solve]] = []
    try:
        peers = ready(wanted, console)
        for name, puzzles in sets.items():
            for peer, solve in peers:
                figures[name].append(measure(name, puzzles, peer, solve, asked.budget))
            show(console, name, figures[name])
    except KeyboardInterrupt:
        for name, found in figures.items():
            if found and len(found) < len(peers):
                show(console, name, found)
        console.print("interrupted")
        return 130
    finally:
        if asked.out:
            asked.out.write_text(text(asked.out, {name: found for name, found in figures.items() if found}), "utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BadInput, OSError) as error:
        sys.exit(f"error: {error}")
