"""`puzzlelab solve`: solves boards and prints verified solutions."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli import options
from puzzlelab.cli.console import board_of_scramble, puzzle_and_boards, read_boards
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadOption

if TYPE_CHECKING:
    from puzzlelab.cli.answers import SolveReport
    from puzzlelab.core.boards import Boards
    from puzzlelab.core.puzzle import BoardForm, Puzzle
    from puzzlelab.core.solver import Solver
    from puzzlelab.jobs.job_rows import JobRows
    from puzzlelab.jobs.solve_job import SolveJob
    from puzzlelab.text.moves import MoveNotation

Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="Boards to solve at once (by default 1); for one board, the solver's own jobs."),
]
Steps = Annotated[
    bool, typer.Option("--steps", help="Show the board at each move, or how the solver came to its answer.")
]
ShowScores = Annotated[
    bool, typer.Option("--show-scores", help="Show at each move the probabilities of a network, in per cent.")
]
JsonRows = Annotated[bool, typer.Option("--json", help="Print one JSON row a board.")]
Unique = Annotated[
    bool, typer.Option("--unique", help="Exit code 1 if a board is not proven to have exactly one solution.")
]
SolutionForm = Annotated[
    str | None,
    typer.Option(
        "--as",
        help="The form of solutions: for boards, such as csv, sdk or html, which are printed alone; for moves, such as "
        "counts, words or numbers.",
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Print each better solution on standard error as soon as it exists.")
]
Picture = Annotated[
    Path | None,
    typer.Option(
        "--picture",
        "--gif",
        help="Draw the boards of one solution: as a film (.gif, or .png with motion), or all beside each other (.svg).",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Append rows to this file; .csv and .parquet are made at the end. Boards with a row are skipped."
    ),
]


@options.taking(options.SHORT_OPTIONS)
def solve(
    puzzle: options.PuzzleName,
    board: options.BoardTexts = None,
    file: options.BoardFile = None,
    solver: options.SolverName = None,
    net: options.Net = None,
    option: options.OtherOptions = None,
    time: options.Seconds = None,
    nodes: options.Nodes = None,
    memory: options.Memory = None,
    jobs: Jobs = None,
    executor: options.ExecutorName = None,
    steps: Steps = False,
    show_scores: ShowScores = False,
    settle: options.Settle = False,
    json: JsonRows = False,
    form: SolutionForm = None,
    letters: options.Letters = None,
    scramble: options.Scramble = None,
    unique: Unique = False,
    verbose: Verbose = False,
    picture: Picture = None,
    out: Out = None,
    **short: Any,
) -> None:
    """Solve boards, and say what is proven about each solution.

    Exit code: 0 all solved, 1 something unsolved, proven unsolvable or beside a wrong solution or, with --unique, not
    proven to have one solution, 2 something unreadable.
    """
    from puzzlelab.cli.answers import SolveReport, improvements
    from puzzlelab.cli.several import require_counted
    from puzzlelab.core.solver import require
    from puzzlelab.jobs.solve_job import SolveJob

    if verbose and executor is not None:
        raise BadOption("--verbose prints each better solution of a search in this process: leave out --executor")
    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle, file)
    solution_form, moves = _forms(loaded_puzzle, form, letters)
    if scramble is not None:
        board = board_of_scramble(moves, scramble, board, file, json)
    if unique:
        require_counted(loaded_puzzle)
    limit = options.limit_of(time, nodes, memory)
    configured_solver = options.solver_of(loaded_puzzle, solver, option, net, **short)
    require(configured_solver, loaded_puzzle)
    _check_shown(loaded_puzzle, configured_solver, picture, show_scores)
    blocks, total = read_boards(loaded_puzzle, board, file, settle)
    many = total != 1
    if many and picture is not None:
        raise BadOption("--picture draws one solution: give one board")
    if not many and jobs is not None and "jobs" in configured_solver.options():
        from puzzlelab.analysis.network_options import with_options

        configured_solver = with_options(configured_solver, {"jobs": jobs})
    job = SolveJob(loaded_puzzle, configured_solver, limit, watch=improvements() if verbose else None)
    report = SolveReport(
        job,
        moves,
        many=many,
        json=json,
        steps=steps,
        scores=show_scores,
        summary_only=out is not None and many and not steps and not show_scores,
        unique=unique,
        form=solution_form,
        picture=picture,
    )
    with options.open_or_here(executor, jobs) as job.executor:
        _solve_boards(report, blocks, total or _line_count(file), out)
    raise typer.Exit(report.summary(total))


def _check_shown(puzzle: Puzzle, solver: Solver, picture: Path | None, show_scores: bool) -> None:
    """Raise an error before the search for a picture that cannot be drawn, or a network that is missing."""
    if picture is not None:
        from puzzlelab.jobs.pictures import check_picture

        check_picture(puzzle, picture)
    if show_scores:
        from puzzlelab.analysis.state_evaluation import network_shown

        network_shown(puzzle, solver.options())


def _solve_boards(report: SolveReport, blocks: Iterator[Boards], total: int | None, out: Path | None) -> None:
    """Solve the boards, and print each answer as soon as it is there; Ctrl-C ends this early."""
    from puzzlelab.engine import report as reporter

    shows_bars = out is not None or not (report.json or report.form)
    shown = progress(bars=shows_bars, one_search=not report.many)
    with _rows(report.job, out) if out else nullcontext() as rows, shown:
        try:
            for solved in report.job.solved(blocks, rows):
                report.show(solved)
                if report.many:
                    reporter.progress(
                        "solving", report.counts["boards"], total, options.status_in_words(report.job.executor)
                    )
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
    if file is None or not sys.stderr.isatty():
        return None
    from puzzlelab.storage.lines import line_count

    try:
        return line_count(file)
    except OSError:
        return None


def _forms(puzzle: Puzzle, form: str | None, letters: str | None) -> tuple[BoardForm | None, MoveNotation]:
    """Return the form of solutions that are boards, if one is named, and the notation of moves."""
    from puzzlelab.core.puzzle import presentation_of
    from puzzlelab.text.moves import move_notation

    if form is None or not presentation_of(puzzle).answer_is_board:
        return None, move_notation(puzzle, form, letters)
    from puzzlelab.jobs.board_forms import form_named

    return form_named(puzzle, form), move_notation(puzzle, None, letters)
