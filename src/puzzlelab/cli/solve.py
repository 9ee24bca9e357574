"""`puzzlelab solve`: solves boards and prints verified solutions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.answers import Improvements, SolveReport
from puzzlelab.cli.console import output, puzzle_and_boards, read_boards
from puzzlelab.cli.executors import doing_in_words, open_optional
from puzzlelab.cli.networks import WITH_NETWORK, AvoidRepeats, MaxMoves, Net, option_of_network
from puzzlelab.cli.options import (
    BoardTexts,
    ExecutorName,
    LineFile,
    Nodes,
    OtherOptions,
    Seconds,
    Settle,
    SolverName,
    limit_of,
)
from puzzlelab.cli.progress import progress

if TYPE_CHECKING:
    from puzzlelab.cli.console import BoardStream
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver
    from puzzlelab.jobs.job_rows import JobRows
    from puzzlelab.jobs.solve_job import SolveJob

PuzzleName = Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4 (see `puzzlelab list`).")]
EstimateName = Annotated[str | None, typer.Option(help="The estimate of remaining moves, such as manhattan or pdb.")]
Weight = Annotated[float | None, typer.Option(help="The weight of the estimate in A*; 1 is optimal.")]
Width = Annotated[int | None, typer.Option(help="States that beam search keeps in a layer.")]
Depth = Annotated[int | None, typer.Option(help="The most moves that depth-first search looks for.")]
Restarts = Annotated[int | None, typer.Option(help="Restarts of lattice after the first search.")]
Memory = Annotated[str | None, typer.Option(help="Most memory of the process, such as 2G.")]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="BoardTexts to solve at once (by default 1); for one board, the solver's own jobs."),
]
Steps = Annotated[
    bool, typer.Option("--steps", help="Show the board at each move, or how the solver came to its answer.")
]
ShowScores = Annotated[
    bool, typer.Option("--show-scores", help="Show at each move the probabilities of a network, in per cent.")
]
JsonRows = Annotated[bool, typer.Option("--json", help="Print one JSON row a board.")]
NotationName = Annotated[
    str | None, typer.Option("--as", help="Print solutions in this notation of the puzzle (such as csv) alone.")
]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Print each better solution on standard error as soon as it exists.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Append rows to this file; .csv and .parquet are made at the end. Boards with a row are skipped."
    ),
]


def solve(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: LineFile = None,
    solver: SolverName = None,
    estimate: EstimateName = None,
    weight: Weight = None,
    width: Width = None,
    depth: Depth = None,
    restarts: Restarts = None,
    net: Net = None,
    max_moves: MaxMoves = None,
    avoid_repeats: AvoidRepeats = False,
    option: OtherOptions = None,
    time: Seconds = None,
    nodes: Nodes = None,
    memory: Memory = None,
    jobs: Jobs = None,
    executor: ExecutorName = None,
    steps: Steps = False,
    show_scores: ShowScores = False,
    settle: Settle = False,
    json: JsonRows = False,
    notation: NotationName = None,
    verbose: Verbose = False,
    out: Out = None,
) -> None:
    """Solve boards, and say what is proven about each solution.

    Exit code: 0 all solved, 1 something unsolved or proven unsolvable, 2 something unreadable.
    """
    from puzzlelab.jobs.solve_job import SolveJob

    _check_verbose(verbose, executor)
    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle)
    named = {"estimate": estimate, "weight": weight, "width": width, "depth": depth, "restarts": restarts}
    named |= {"max_moves": max_moves, "avoid_repeats": avoid_repeats or None}
    solver = solver or (None if net is None else WITH_NETWORK)
    options = _solver_options(loaded_puzzle, solver, named, option, net)
    limit = limit_of(time, nodes, memory)
    configured_solver = _solver(loaded_puzzle, solver, options, show_scores)
    boards = read_boards(loaded_puzzle, board, file, settle)
    if boards.is_single:
        configured_solver = _with_jobs(configured_solver, loaded_puzzle, solver, options, jobs or 1)
    job = SolveJob(loaded_puzzle, configured_solver, limit, jobs or 1, watch=Improvements().see if verbose else None)
    _check_notation(loaded_puzzle, notation)
    report = SolveReport(
        output(),
        job,
        many=not boards.is_single,
        json=json,
        steps=steps,
        scores=show_scores,
        summary_only=out is not None and not boards.is_single and not steps and not show_scores,
        notation=notation,
    )
    with open_optional(executor, jobs) as job.executor:
        _solve_boards(report, boards, _line_count(file), out)
    raise typer.Exit(report.summary(boards.count if boards.is_complete else None))


def _check_verbose(verbose: bool, executor: str | None) -> None:
    """Raise `BadOption` if better solutions are to be printed that are known in other processes only."""
    from puzzlelab.core.errors import BadOption

    if verbose and executor is not None:
        raise BadOption("--verbose prints each better solution of a search in this process: leave out --executor")


def _solver_options(
    puzzle: Puzzle, solver: str | None, named: Mapping[str, Any], option: list[str] | None, net: str | None
) -> dict[str, Any]:
    """Return the options of the solver: the named ones that are set, those of `--set`, and the one of `--net`."""
    from puzzlelab.core.settings import read_options

    options = {name: value for name, value in named.items() if value is not None} | read_options(option or ())
    if net is not None and solver is not None:
        options |= option_of_network(puzzle, solver, options, net)
    return options


def _solver(puzzle: Puzzle, name: str | None, options: Mapping[str, Any], show_scores: bool) -> Solver:
    """Return the solver with its options; raises an error if the puzzle does not offer what the solver needs."""
    from puzzlelab.core import registry
    from puzzlelab.core.solver import require

    solver = registry.solver(name, puzzle, **options)
    require(solver, puzzle)
    if show_scores:
        from puzzlelab.analysis.move_probabilities import network_shown

        network_shown(puzzle, solver.options())  # a missing network is an error before the search
    return solver


def _with_jobs(solver: Solver, puzzle: Puzzle, name: str | None, options: Mapping[str, Any], jobs: int) -> Solver:
    """Return the solver with its own jobs, if it has such an option and `options` does not set it."""
    from puzzlelab.core import registry

    if jobs > 1 and "jobs" in solver.options() and "jobs" not in options:
        return registry.solver(name, puzzle, **options, jobs=jobs)
    return solver


def _solve_boards(report: SolveReport, boards: BoardStream, lines: int | None, out: Path | None) -> None:
    """Solve the boards, and print each answer as soon as it is there; Ctrl-C ends this early."""
    quiet = report.json or report.notation is not None
    total = boards.count if boards.is_complete else lines
    with (
        _rows(report.job, out) if out else nullcontext() as rows,
        progress("solving" if report.many else "", total, shown=not quiet or out is not None) as bars,
    ):
        try:
            for solved in report.job.solved(boards, rows):
                report.show(solved)
                if bars.task_ids:
                    doing = doing_in_words("solving", report.job.executor) if report.many else None
                    bars.update(bars.task_ids[0], completed=report.counts["boards"], description=doing)
                if report.interrupted:
                    break
        except KeyboardInterrupt:
            report.interrupted = True


@contextmanager
def _rows(job: SolveJob, out: Path) -> Iterator[JobRows]:
    """Give the rows of a job with their file, which is open meanwhile."""
    from puzzlelab.jobs.job_rows import JobRows
    from puzzlelab.storage.row_files import RowFile

    with RowFile(out) as file:
        yield JobRows(job.puzzle, job.solver, job.limit, file)


def _line_count(file: Path | None) -> int | None:
    """Return about how many boards a file has, where that is shown: its lines."""
    from puzzlelab.storage.files import line_count

    if file is None or not sys.stderr.isatty():
        return None
    try:
        return line_count(file)
    except OSError:
        return None


def _check_notation(puzzle: Puzzle, name: str | None) -> None:
    """Raise `UnknownName` if the puzzle has no notation of this name."""
    from puzzlelab.core.errors import UnknownName
    from puzzlelab.core.puzzle import presentation_of

    notations = presentation_of(puzzle).notations
    if name is not None and name not in notations:
        raise UnknownName(f"notation of {puzzle.name}", name, notations)
