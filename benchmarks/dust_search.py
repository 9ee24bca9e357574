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
    """The searches on one board; equal questions have equal answers, apart from the speed of the machine."""

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
class Answer:
    """The lengths that came of it; None where there is no solution."""

    document: int | None
    ours: tuple[int | None, ...]
    proven: tuple[bool, ...]
    optimum: int | None
    """Proven, or None."""
    proof_seconds: float
    """How long the search took that proved it, or gave up."""


# --- searching, in a process of its own ---


def answer(question: Question) -> Answer:
    """Search one board in every way."""
    puzzle = puzzlelab.load(question.puzzle)
    board = puzzle.read(question.board)
    document = by_document(board, question)
    solver = solver_of(question.solver, puzzle)
    puzzlelab.solve(board, solver, Limit(seconds=0.01))  # machine code is there before a clock starts
    results = [puzzlelab.solve(board, solver, Limit(seconds=limit)) for limit in question.limits]
    last = next((result for result in results if result.proof == "optimal"), None)
    if last is None:
        last = puzzlelab.solve(board, puzzlelab.solver(None, puzzle), Limit(seconds=question.proof))
    return Answer(
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


def solver_of(text: str | None, puzzle: puzzlelab.Puzzle) -> Solver:
    """The solver of puzzlelab that is compared."""
    return puzzlelab.solver(None, puzzle) if text is None else registry.parse_solver(text)


def ignore_interrupt() -> None:
    """Ignore Ctrl-C; the parent process handles it and ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# --- questions and stored answers ---


def questions(arguments: argparse.Namespace) -> list[Question]:
    """One for each board; raises `BadInput`."""
    puzzle = puzzlelab.load(arguments.puzzle)
    if not isinstance(puzzle, Dust):
        raise BadInput(f"{puzzle.name} is no dust")
    solver_of(arguments.solver, puzzle)
    if arguments.file:
        boards = [entry.board for entry in suites.find(str(arguments.file), puzzle).entries][: arguments.count]
    else:
        random = np.random.default_rng(arguments.seed)
        random_boards = random.integers(1, puzzle.colours + 1, (arguments.count, puzzle.cells), dtype=np.uint8)
        boards = [puzzle.write(state) for state in random_boards]
    common = arguments.solver, arguments.seconds, arguments.corrected, tuple(arguments.limits), arguments.proof
    return [Question(puzzle.name, board, *common) for board in boards]


def key(question: Question) -> str:
    """Equal for equal questions."""
    return json.dumps(asdict(question))


def read_answers(path: Path | None) -> dict[str, Answer]:
    """The answers in a file by their questions; raises `BadFile`."""
    by_question: dict[str, Answer] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            data = json.loads(line)
            by_question[json.dumps(data["question"])] = Answer(**data["found"])
        except (ValueError, KeyError, TypeError):
            if number < len(lines):  # the last line may be half a line, where a process was killed
                raise BadFile(f"{path}, line {number}: no line of this benchmark") from None
    return by_question


def append_answer(path: Path | None, question: Question, result: Answer) -> None:
    """Append one answer."""
    if path:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"question": asdict(question), "found": asdict(result)}) + "\n")


def answers(
    all_questions: Sequence[Question], path: Path | None, jobs: int
) -> Generator[tuple[Question, Answer], None, None]:
    """The stored answers, then each new one when its search ends; closing the iterator ends all searches."""
    stored = read_answers(path)
    new_questions = [question for question in all_questions if key(question) not in stored]
    yield from ((question, stored[key(question)]) for question in all_questions if key(question) in stored)
    if not new_questions:
        return
    with multiprocessing.get_context("spawn").Pool(jobs, ignore_interrupt) as pool:
        for question, result in zip(new_questions, pool.imap(answer, new_questions), strict=True):
            append_answer(path, question, result)
            yield question, result


# --- showing ---


class ResultTable:
    """The table of results, printed row by row, with averages at the end."""

    def __init__(self, console: Console, every: Sequence[Question]) -> None:
        self.console, self.every = console, every
        self.rows: list[Answer] = []

    def head(self) -> None:
        """Print the headings."""
        first = self.every[0]
        theirs = "the article's search, corrected," if first.corrected else "the article's search"
        ours = first.solver or "the usual solver"
        self.console.print(f"{first.puzzle}: {theirs} for {first.seconds:g} s; {ours}; * is proven", markup=False)
        columns = ["article", *(f"{limit:g} s" for limit in first.limits), "optimum", "proof s"]
        self._line("board", columns)

    def row(self, board: str, result: Answer) -> None:
        """Print the row of one board."""
        self.rows.append(result)
        pairs = zip(result.ours, result.proven, strict=True)
        ours = ["-" if length is None else f"{length}{'*' * proven}" for length, proven in pairs]
        document = "-" if result.document is None else str(result.document)
        optimum = "?" if result.optimum is None else str(result.optimum)
        self._line(board, [document, *ours, optimum, f"{result.proof_seconds:.2f}"])

    def averages(self) -> None:
        """Print the mean lengths on boards that every search solved, and the mean excess over proven optima."""
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
    """A progress bar if the output is a terminal."""
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
    arguments = parser.parse_args()
    if min(arguments.seconds, arguments.proof, *arguments.limits) <= 0 or arguments.count < 1 or arguments.seed < 0:
        parser.error("seconds and --count are more than 0, and --seed is not less")
    return arguments


def main() -> int:
    """Search and print; 0, or 130 after Ctrl-C."""
    arguments = options()
    all_questions = questions(arguments)
    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    table = ResultTable(console, all_questions)
    table.head()
    code = 0
    try:
        with (
            progress(console, len(all_questions)) as bars,
            closing(answers(all_questions, arguments.out, arguments.jobs)) as results,
        ):
            for question, row in results:
                table.row(question.board, row)
                bars.advance(bars.task_ids[0])
    except KeyboardInterrupt:
        console.print("interrupted")
        code = 130
    table.averages()
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (PuzzlelabError, OSError) as error:
        sys.exit(f"error: {error}")
