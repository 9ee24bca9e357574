"""`puzzlelab count` and `puzzlelab enumerate`: the number of solutions of boards, or all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli import options
from puzzlelab.cli.console import SOLVED, UNSOLVED, ErrorTally, end_interrupted, fail, puzzle_and_boards, read_runs, say
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit

if TYPE_CHECKING:
    from puzzlelab.analysis.count_estimates import CountEstimate
    from puzzlelab.core.answers import Answers
    from puzzlelab.core.boards import Boards, Instance
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.result import Count, Stop
    from puzzlelab.engine.enumeration import Enumerator
    from puzzlelab.text.moves import MoveNotation

Optimal = Annotated[
    bool,
    typer.Option(
        "--optimal",
        help="Only the solutions with the fewest moves, as anyway where solutions differ in length.",
    ),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Jobs of a parallel solver, such as permutation.")]


def count(
    puzzle: options.PuzzleName,
    board: options.BoardTexts = None,
    file: options.BoardFile = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="Stop at so many; 2 shows whether a solution is unique.")
    ] = None,
    optimal: Optimal = False,
    solver: options.SolverName = None,
    option: options.OtherOptions = None,
    jobs: Jobs = None,
    executor: options.ExecutorName = None,
    time: options.Seconds = None,
    nodes: options.Nodes = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Estimate the number from random probes, with its error.")
    ] = False,
    probes: Annotated[int, typer.Option(min=2, help="Probes of an estimate.")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal estimates.")] = 0,
    json: options.JsonObjects = False,
) -> None:
    """Count the solutions of boards: one number a board; `+` after it says that there may be more.

    Where solutions differ in length, it is the number of those with the fewest moves.

    With --estimate, a number that is too large to count is estimated: with its standard error, and with the interval
    that holds the number with a probability of 95 %.

    Exit code: 0 counted, 1 a board has none or a limit came first, 2 something unreadable.
    """
    from puzzlelab.analysis.count_estimates import estimate_count
    from puzzlelab.engine import report
    from puzzlelab.engine.parallel import ThisProcess
    from puzzlelab.jobs.checks import counts

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle=False, file=file)
    enumerator = enumerator_by(loaded_puzzle, solver, optimal, option, jobs if executor is None else None)
    limit, errors, code, done = options.limit_of(time, nodes), ErrorTally(), SOLVED, 0
    if estimate:
        _refuse_beside_estimates({"--most": most, "--jobs": jobs, "--executor": executor})
        for read in read_runs(loaded_puzzle, board, file):
            errors.tell_boards(read, json)
            for each in () if read.errors else read:
                code = max(code, print_estimate(estimate_count(enumerator, each, limit, probes, seed), each, json))
        raise typer.Exit(errors.end(code))
    with options.open_optional(executor, jobs) as workers, progress(bars=False):
        parts = read_runs(loaded_puzzle, board, file)
        groups = ((part[part.is_readable], part) for part in parts)
        try:
            for part, boards, some in counts(workers or ThisProcess(), enumerator, limit, most, groups):
                done += 1 if isinstance(some, str) else len(some)
                report.progress("counting", done, None)
                if isinstance(some, str):
                    errors.tell_boards(boards.with_errors({0: some}), json)
                elif part.errors:
                    errors.tell_boards(part, json)
                elif len(some):
                    code = max(code, print_counts(boards, some, json))
        except KeyboardInterrupt:
            if workers is None:
                raise
            end_interrupted("interrupted: the boards after these were not counted")
    raise typer.Exit(errors.end(code))


def enumerator_by(
    puzzle: Puzzle, name: str | None, optimal: bool, texts: Sequence[str] | None, jobs: int | None
) -> Enumerator:
    """Return the solver of `--with`, or else the one that lists solutions of this puzzle, with its options."""
    from puzzlelab.engine.enumeration import enumerator_of, require_enumerator

    chosen = enumerator_of(puzzle, name, optimal)
    assert chosen is None or isinstance(chosen, str)
    return require_enumerator(options.solver_of(puzzle, chosen, texts, jobs=jobs), puzzle)


def _refuse_beside_estimates(values: Mapping[str, object]) -> None:
    """Raise `BadOption` for an option that has no meaning beside --estimate."""
    for name, value in values.items():
        if value is not None:
            raise BadOption(f"{name} has no meaning with --estimate; --probes says how many probes are made")


def print_estimate(found: CountEstimate, board: Instance, json: bool) -> int:
    """Print an estimate of the number of solutions of a board; return the exit code for it."""
    from json import dumps

    from puzzlelab.jobs.serialise import estimate_facts

    if json:
        names = {"puzzle": board.puzzle.name, "board": board.puzzle.write(board.state)}
        say(dumps(names | estimate_facts(found)))
    elif found.probes == 0:
        say(f"{found.solutions}" if found.is_exact else "not known within the limit")
    else:
        error, low, high = (f"{number:.3g}" for number in (found.standard_error, found.low, found.high))
        interval = f"95 % interval {low} to {high}, {found.probes:,} probes"
        say(f"about {found.solutions:.4g}, standard error {error} ({interval})")
    return SOLVED if found.stop == "done" and found.solutions else UNSOLVED


def print_counts(boards: Boards, counts: Sequence[Count], json: bool) -> int:
    """Print the counts of these boards, and why searches ended early; return the exit code."""
    from puzzlelab.jobs.serialise import count_facts, json_lines

    numbers = [f"{each.solutions}{'' if each.complete else '+'}" for each in counts]
    say("\n".join(json_lines(boards, counts, count_facts) if json else numbers))
    return max(_end(boards.where(place), each.solutions, each.stop) for place, each in enumerate(counts))


def _end(where: str, total: int, stop: Stop) -> int:
    """Print why the search on the board at this place ended early; return the exit code."""
    where = f"{where}: " if where else ""
    solutions = f"{total:,} solution{'' if total == 1 else 's'}"
    if stop == "interrupted":
        end_interrupted(f"{where}interrupted after {solutions}")
    if stop not in ("done", "solutions"):
        fail(f"{where}the limit of {stop} ended the search after {solutions}; there may be more")
        return UNSOLVED
    return SOLVED if total else UNSOLVED


def enumerate_all(
    puzzle: options.PuzzleName,
    board: options.BoardTexts = None,
    file: options.BoardFile = None,
    most: Annotated[int | None, typer.Option(min=1, help="Stop at so many for each board.")] = None,
    optimal: Optimal = False,
    solver: options.SolverName = None,
    option: options.OtherOptions = None,
    jobs: Jobs = None,
    time: options.Seconds = None,
    nodes: options.Nodes = None,
    form: options.MoveFormName = None,
    letters: options.Letters = None,
    out: Annotated[
        Path | None, typer.Option(help="Write to this file, or continue it, instead of standard output.")
    ] = None,
) -> None:
    """List the solutions of boards, one a line: the board at its end, or the moves where these are the answer.

    Where solutions differ in length, these are all with the fewest moves.

    Exit code: 0 listed, 1 a board has none or a limit came first, 2 something unreadable.
    """
    from puzzlelab.engine import report
    from puzzlelab.text.moves import move_notation

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle=False, file=file)
    moves = move_notation(loaded_puzzle, form, letters)
    enumerator = enumerator_by(loaded_puzzle, solver, optimal, option, jobs)
    limit, errors, code, done = options.limit_of(time, nodes), ErrorTally(), SOLVED, 0
    with _lines(out) as write, progress(bars=False):
        for part in read_runs(loaded_puzzle, board, file):
            errors.tell_boards(part)
            if not part.errors:
                code = max(code, list_solutions(enumerator, part, limit, most, moves, write))
                done += len(part)
                report.progress("listing", done, None)
    raise typer.Exit(errors.end(code))


def list_solutions(
    solver: Enumerator,
    boards: Boards,
    limit: Limit,
    most: int | None,
    notation: MoveNotation,
    write: Callable[[Sequence[str]], None],
) -> int:
    """Write the solutions of these boards, and report how the searches ended; return the exit code."""
    from puzzlelab.core.boards import Instance
    from puzzlelab.engine.enumeration import Listing
    from puzzlelab.jobs.checks import unique_parts

    code, done, total = SOLVED, 0, 0
    try:
        for part in unique_parts(solver, boards, limit):
            if isinstance(part, Instance):
                listing = Listing(solver, part, limit, most)
                for total, moves in enumerate(listing, start=1):  # noqa: B007
                    write([_line(notation, part, moves)])
                code = max(code, _end(boards.where(done), total, listing.stop))
                done, total = done + 1, 0
                continue
            write(_lines_of(notation, part))
            for number in (~part.is_solved).nonzero()[0].tolist():
                code = max(code, _end(boards.where(done + number), 0, "done"))
            done += len(part)
    except KeyboardInterrupt:
        _end(boards.where(done), total, "interrupted")
    return code


def _lines_of(notation: MoveNotation, answers: Answers) -> Sequence[str]:
    """Return a line for each of these boards that has a solution."""
    from puzzlelab.core.boards import Boards
    from puzzlelab.core.puzzle import presentation_of

    puzzle = notation.puzzle
    if presentation_of(puzzle).answer_is_board and answers.ends is not None:
        return Boards(puzzle, answers.ends[answers.is_solved]).written()
    return [_line(notation, result.board, result.moves) for result in answers if result.moves is not None]


def _line(notation: MoveNotation, instance: Instance, moves: tuple[int, ...]) -> str:
    from puzzlelab.core.puzzle import board_after, presentation_of

    puzzle = notation.puzzle
    if not presentation_of(puzzle).answer_is_board:
        return notation.write(instance.state, moves)
    return puzzle.write(board_after(puzzle, instance.state, moves))


@contextmanager
def _lines(out: Path | None) -> Iterator[Callable[[Sequence[str]], None]]:
    """Give a function that writes lines; a file is continued only if its lines are those that are written."""
    from puzzlelab.storage.outputs import LineOutput, check_ending

    if out is None:
        yield lambda lines: typer.echo("".join(f"{line}\n" for line in lines), nl=False)
        return
    check_ending(out, ("", ".txt"))
    with LineOutput(out) as file:
        yield file.write_all
        if file.rest:
            print(f"{out} has {file.rest:,} more lines: nothing was changed", file=sys.stderr)
