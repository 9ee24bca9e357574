"""Compares searches of dust: `python benchmarks/dust_search.py [PUZZLE] [--count N] [--seconds S] [--out FILE.jsonl]`.

Random full boards are given to the article's depth-first search, in its own Python form, and to puzzlelab's usual
solver (or another one) under several limits; beside them stands the proven optimum. A `*` means that the length is
proven to be the least. With `--out` each board is kept as soon as it is done, and is not searched again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import signal
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress

import dust_document
import puzzlelab
from puzzlelab import Instance, Limit
from puzzlelab.bench import suites
from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, PuzzlelabError
from puzzlelab.core.solver import Solver
from puzzlelab.puzzles.dust import Dust

LIMITS = 0.1, 1.0, 15.0
"""Seconds."""
MOST_JOBS = 2


@dataclass(frozen=True)
class Question:
    """What is asked of one board; equal questions have equal answers, but for the speed of the machine."""

    puzzle: str
    board: str
    solver: str | None
    """Such as `beam:width=100`; None is the usual one of the puzzle."""
    seconds: float
    """For the article's search."""
    corrected: bool
    """Whether that search is rid of its faults."""
    limits: tuple[float, ...]
    """Seconds for ours."""
    proof: float
    """Seconds to prove the optimum in."""


@dataclass(frozen=True)
class Found:
    """The lengths that came of it; None where there is no solution."""

    document: int | None
    ours: tuple[int | None, ...]
    proven: tuple[bool, ...]
    optimum: int | None
    """Proven, or None."""
    proof_seconds: float
    """How long the search took that proved it, or gave up."""


# --- searching, in a process of its own ---


def answer(question: Question) -> Found:
    """Search one board in every way."""
    puzzle = puzzlelab.load(question.puzzle)
    board = puzzle.read(question.board)
    document = by_document(board, question)
    solver = made(question.solver, puzzle)
    puzzlelab.solve(board, solver, Limit(seconds=0.01))  # machine code is there before a clock starts
    results = [puzzlelab.solve(board, solver, Limit(seconds=limit)) for limit in question.limits]
    last = next((result for result in results if result.proof == "optimal"), None)
    if last is None:
        last = puzzlelab.solve(board, puzzlelab.solver(None, puzzle), Limit(seconds=question.proof))
    return Found(
        document,
        tuple(result.length for result in results),
        tuple(result.proof == "optimal" for result in results),
        last.length if last.proof == "optimal" else None,
        round(last.seconds, 3),
    )


def by_document(board: Instance, question: Question) -> int | None:
    """The length of the article's solution, replayed by our rules."""
    puzzle = board.puzzle
    assert isinstance(puzzle, Dust)
    cells = board.state.reshape(puzzle.width, puzzle.height)
    moves = dust_document.solve(cells, question.seconds, question.corrected)
    if moves is None:
        return None
    state = board.state
    for x, y in moves:
        state = puzzle.apply(state, x * puzzle.height + y)
    if not puzzle.solved(state):
        raise PuzzlelabError(f"the article's moves do not clear {question.board}")
    return len(moves)


def made(text: str | None, puzzle: puzzlelab.Puzzle) -> Solver:
    """The solver of ours."""
    return puzzlelab.solver(None, puzzle) if text is None else registry.parse_solver(text)


def deaf() -> None:
    """Leave Ctrl-C to the process that started this one, which ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# --- what is asked, and what is there already ---


def questions(asked: argparse.Namespace) -> list[Question]:
    """One for each board; raises `BadInput`."""
    puzzle = puzzlelab.load(asked.puzzle)
    if not isinstance(puzzle, Dust):
        raise BadInput(f"{puzzle.name} is no dust")
    made(asked.solver, puzzle)
    if asked.file:
        boards = [entry.board for entry in suites.find(str(asked.file), puzzle).entries][: asked.count]
    else:
        random = np.random.default_rng(asked.seed)
        full = random.integers(1, puzzle.colours + 1, (asked.count, puzzle.cells), dtype=np.uint8)
        boards = [puzzle.write(state) for state in full]
    rest = asked.solver, asked.seconds, asked.corrected, tuple(asked.limits), asked.proof
    return [Question(puzzle.name, board, *rest) for board in boards]


def key(question: Question) -> str:
    """Equal for equal questions."""
    return json.dumps(asdict(question))


def kept(path: Path | None) -> dict[str, Found]:
    """The answers in a file by their questions; raises `BadFile`."""
    found: dict[str, Found] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            data = json.loads(line)
            found[json.dumps(data["question"])] = Found(**data["found"])
        except (ValueError, KeyError, TypeError):
            if number < len(lines):  # the last line may be half a line, where a process was killed
                raise BadFile(f"{path}, line {number}: no line of this benchmark") from None
    return found


def keep(path: Path | None, question: Question, found: Found) -> None:
    """Append one answer."""
    if path:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"question": asdict(question), "found": asdict(found)}) + "\n")


def answers(every: Sequence[Question], path: Path | None, jobs: int) -> Generator[tuple[Question, Found], None, None]:
    """Those that are in the file, then each of the others as it is searched; closing the iterator ends what runs."""
    held = kept(path)
    fresh = [question for question in every if key(question) not in held]
    yield from ((question, held[key(question)]) for question in every if key(question) in held)
    if not fresh:
        return
    with multiprocessing.get_context("spawn").Pool(jobs, deaf) as pool:
        for question, found in zip(fresh, pool.imap(answer, fresh), strict=True):
            keep(path, question, found)
            yield question, found


# --- showing ---


class Shown:
    """The table, printed as it comes, and the averages of what is in it."""

    def __init__(self, console: Console, every: Sequence[Question]) -> None:
        self.console, self.every = console, every
        self.rows: list[Found] = []

    def head(self) -> None:
        """What stands in the columns."""
        first = self.every[0]
        theirs = "the article's search, corrected," if first.corrected else "the article's search"
        ours = first.solver or "the usual solver"
        self.console.print(f"{first.puzzle}: {theirs} for {first.seconds:g} s; {ours}; * is proven", markup=False)
        columns = ["article", *(f"{limit:g} s" for limit in first.limits), "optimum", "proof s"]
        self._line("board", columns)

    def row(self, board: str, found: Found) -> None:
        """One board."""
        self.rows.append(found)
        pairs = zip(found.ours, found.proven, strict=True)
        ours = ["-" if length is None else f"{length}{'*' * proven}" for length, proven in pairs]
        document = "-" if found.document is None else str(found.document)
        optimum = "?" if found.optimum is None else str(found.optimum)
        self._line(board, [document, *ours, optimum, f"{found.proof_seconds:.2f}"])

    def averages(self) -> None:
        """Of the boards that every search solved, and how far that is from the optimum where it is proven."""
        solved = [row for row in self.rows if None not in (row.document, *row.ours)]
        proven = [row for row in solved if row.optimum is not None]
        if solved:
            means = np.mean([(row.document, *row.ours) for row in solved], axis=0)
            optimum = [f"{np.mean([row.optimum for row in proven]):.2f}"] if len(proven) == len(solved) else []
            self._line(f"average of {len(solved)}", [*(f"{mean:.2f}" for mean in means), *optimum])
        if proven:
            more = np.mean([[length - row.optimum for length in (row.document, *row.ours)] for row in proven], axis=0)
            self._line(f"over {len(proven)} optima", [f"{mean:.2f}" for mean in more])

    def _line(self, board: str, cells: Sequence[str]) -> None:
        wide = max(20, *(len(question.board) for question in self.every)) if len(self.every[0].board) <= 64 else 20
        text = board if len(board) <= wide else board[: wide - 3] + "..."
        # Not by the console, which prints a line again if Ctrl-C comes before it has forgotten it.
        print(text.ljust(wide) + "".join(cell.rjust(9) for cell in cells), flush=True)


@contextmanager
def progress(console: Console, total: int) -> Iterator[Progress]:
    """A bar where somebody looks; the lines of the table tell the rest."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bars:
        bars.add_task("boards", total=total)
        yield bars


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzle", nargs="?", default="dust-8x6x5", help="such as dust-6x5x4")
    parser.add_argument("--file", type=Path, help="boards to take in place of random ones")
    parser.add_argument("--count", type=int, default=12, help="boards (12)")
    parser.add_argument("--seed", type=int, default=0, help="of the random boards (0)")
    parser.add_argument("--seconds", type=float, default=15.0, help="for the article's search (15)")
    parser.add_argument("--corrected", action="store_true", help="the article's search without its faults")
    parser.add_argument("--with", dest="solver", help="a solver of ours, such as beam:width=1000; else the usual one")
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS, help="seconds for ours (0.1 1 15)")
    parser.add_argument("--proof", type=float, default=300.0, help="seconds for proving the optimum (300)")
    parser.add_argument("--jobs", type=int, choices=range(1, MOST_JOBS + 1), default=MOST_JOBS, help="processes (2)")
    parser.add_argument("--out", type=Path, help="a file that keeps the answers")
    asked = parser.parse_args()
    if min(asked.seconds, asked.proof, *asked.limits) <= 0 or asked.count < 1 or asked.seed < 0:
        parser.error("seconds and --count are more than 0, and --seed is not less")
    return asked


def main() -> int:
    """Search and print; 0, or 130 after Ctrl-C."""
    asked = options()
    every = questions(asked)
    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    shown = Shown(console, every)
    shown.head()
    code = 0
    try:
        with progress(console, len(every)) as bars, closing(answers(every, asked.out, asked.jobs)) as found:
            for question, row in found:
                shown.row(question.board, row)
                bars.advance(bars.task_ids[0])
    except KeyboardInterrupt:
        console.print("interrupted")
        code = 130
    shown.averages()
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (PuzzlelabError, OSError) as error:
        sys.exit(f"error: {error}")
