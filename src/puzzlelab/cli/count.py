"""`puzzlelab count` and `puzzlelab enumerate`: the number of solutions of boards, or all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, ErrorTally, fail, output, puzzle_and_boards, read_boards
from puzzlelab.cli.executors import open_optional
from puzzlelab.cli.options import BoardFile, BoardTexts, ExecutorName, JsonObjects, Nodes, Seconds, SolverName
from puzzlelab.cli.progress import progress_beside_output
from puzzlelab.runtime.signals import INTERRUPTED

if TYPE_CHECKING:
    from puzzlelab.core.answers import Answers
    from puzzlelab.core.boards import Boards, Instance
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.result import Count, Stop
    from puzzlelab.core.solver import Solver
    from puzzlelab.engine.executor import Executor

PuzzleName = Annotated[str, typer.Argument(help="The puzzle, such as sudoku-9x9.")]
SolverOptions = Annotated[list[str] | None, typer.Option("--set", help="An option of the solver: NAME=VALUE.")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Jobs of a parallel solver, such as permutation.")]


class EnumerationCall:
    """One call of a command: its boards, its solver, and the exit code so far."""

    def __init__(
        self, puzzle: Puzzle, solver: str | None, options: list[str] | None, jobs: int | None, limit: Limit
    ) -> None:
        from puzzlelab.core import registry
        from puzzlelab.core.settings import read_options
        from puzzlelab.engine.enumeration import require_enumerator

        self.limit = limit
        self.puzzle = puzzle
        values = read_options(options or ()) | ({} if jobs is None else {"jobs": jobs})
        self.solver: Solver = registry.solver(solver, self.puzzle, **values)
        require_enumerator(self.solver, self.puzzle)
        self.code = SOLVED
        self.errors = ErrorTally()

    def parts(self, arguments: list[str] | None, file: Path | None) -> Iterator[Boards]:
        """Yield all boards, in their order: boards that can be read, or boards of which none can."""
        from puzzlelab.core.boards import runs

        for block in read_boards(self.puzzle, arguments, file):
            for begin, end in runs(block.is_readable):
                yield block[begin:end]

    def boards(self, arguments: list[str] | None, file: Path | None) -> Iterator[Boards]:
        """Yield the readable boards; print an error for each of the others."""
        for part in self.parts(arguments, file):
            if part.errors:
                self.report_unreadable(part)
            else:
                yield part
        self.errors.end()

    def report_unreadable(self, part: Boards, json: bool = False) -> None:
        """Print an error for each board that cannot be read, with `json` also an object."""
        for place, error in part.errors.items():
            self.report_error(part, place, error, json)

    def report_error(self, part: Boards, place: int, error: str, json: bool) -> None:
        """Print an error of a board, with `json` also an object, and update the exit code."""
        from puzzlelab.jobs.serialise import error_facts

        self.errors.tell(part.where(place), error)
        if json:
            typer.echo(dumps(error_facts(self.puzzle, part.texts[place], error)))
        self.code = UNREADABLE

    def counts(
        self, parts: Iterator[Boards], most: int | None, executor: Executor | None
    ) -> Iterator[tuple[Boards, int, Sequence[Count] | str]]:
        """Yield the counts of the boards, in order, of some at a time: the part, the place of the first one, the
        counts.

        A part that cannot be read comes in its turn, without counts. A text is the reason why a board was put aside.
        """
        from puzzlelab.engine.enumeration import count_parts
        from puzzlelab.jobs.count_pieces import counts_elsewhere

        if executor is not None:
            groups = ((part, part[part.is_readable]) for part in parts)
            yield from counts_elsewhere(executor, self.solver, self.puzzle, self.limit, most, groups)
            return
        for part in parts:
            done = 0
            if part.errors:
                yield part, 0, ()
                continue
            for counts in count_parts(self.solver, part, self.limit, most):
                yield part, done, counts
                done += len(counts)

    def report_end(self, where: str, total: int, stop: Stop) -> None:
        """Print why the search on the board at this place ended early, and update the exit code."""
        where = f"{where}: " if where else ""
        if stop == "interrupted":
            fail(f"{where}interrupted after {_solutions(total)}")
            raise typer.Exit(INTERRUPTED)
        if stop not in ("done", "solutions"):
            fail(f"{where}the limit of {stop} ended the search after {_solutions(total)}; there may be more")
        if self.code != UNREADABLE and (total == 0 or stop not in ("done", "solutions")):
            self.code = UNSOLVED


def _solutions(total: int) -> str:
    return f"{total:,} solution{'' if total == 1 else 's'}"


def count(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="Stop at so many; 2 shows whether a solution is unique.")
    ] = None,
    solver: SolverName = None,
    option: SolverOptions = None,
    jobs: Jobs = None,
    executor: ExecutorName = None,
    time: Seconds = None,
    nodes: Nodes = None,
    json: JsonObjects = False,
) -> None:
    """Count the solutions of boards: one number a board; `+` after it says that there may be more.

    Exit code: 0 counted, 1 a board has none or a limit came first, 2 something unreadable.
    """
    from puzzlelab.core.limit import Limit

    solver_jobs = jobs if executor is None else None
    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle=False)
    call = EnumerationCall(loaded_puzzle, solver, option, solver_jobs, Limit(time, nodes))
    done = 0
    with open_optional(executor, jobs) as workers, progress_beside_output("counting") as bars:
        try:
            for part, begin, counts in call.counts(call.parts(board, file), most, workers):
                done += 1 if isinstance(counts, str) else len(counts)
                bars.update(bars.task_ids[0], completed=done)
                if isinstance(counts, str):
                    call.report_error(part, begin, counts, json)
                elif part.errors:
                    call.report_unreadable(part, json)
                elif len(counts):
                    _print_counts(call, part, begin, counts, json)
        except KeyboardInterrupt:
            if workers is None:
                raise
            fail("interrupted: the boards after these were not counted")
            raise typer.Exit(INTERRUPTED) from None
    call.errors.end()
    raise typer.Exit(call.code)


def _print_counts(call: EnumerationCall, part: Boards, begin: int, counts: Sequence[Count], json: bool) -> None:
    """Print the counts of some boards of a part, and why searches ended early."""
    from puzzlelab.jobs.serialise import count_lines

    if json:
        typer.echo("\n".join(count_lines(part[begin : begin + len(counts)], counts)))
    else:
        numbers = (f"{each.solutions}{'' if each.complete else '+'}" for each in counts)
        output().print("\n".join(numbers))
    for number, each in enumerate(counts, start=begin):
        if each.solutions == 0 or not each.complete:
            call.report_end(part.where(number), each.solutions, each.stop)


def enumerate_all(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    most: Annotated[int | None, typer.Option(min=1, help="Stop at so many for each board.")] = None,
    solver: SolverName = None,
    option: SolverOptions = None,
    jobs: Jobs = None,
    time: Seconds = None,
    nodes: Nodes = None,
    out: Annotated[
        Path | None, typer.Option(help="Write to this file, or continue it, instead of standard output.")
    ] = None,
) -> None:
    """List the solutions of boards, one a line: the board at its end, or the moves where these are the answer.

    Exit code: 0 listed, 1 a board has none or a limit came first, 2 something unreadable.
    """
    from puzzlelab.core.limit import Limit

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle=False)
    call = EnumerationCall(loaded_puzzle, solver, option, jobs, Limit(time, nodes))
    done = 0
    with _lines(out) as write, progress_beside_output("listing") as bars:
        for readable in call.boards(board, file):
            _enumerate(call, readable, most, write)
            done += len(readable)
            bars.update(bars.task_ids[0], completed=done)
    raise typer.Exit(call.code)


def _enumerate(
    call: EnumerationCall, readable: Boards, most: int | None, write: Callable[[Sequence[str]], None]
) -> None:
    """Write the solutions of these boards, and report how the searches ended."""
    from puzzlelab.core.boards import Instance
    from puzzlelab.engine.enumeration import Listing
    from puzzlelab.jobs.unique_solutions import unique_parts

    done = total = 0
    try:
        for part in unique_parts(call.solver, readable, call.limit):
            if isinstance(part, Instance):
                total = 0
                listing = Listing(call.solver, part, call.limit, most)
                for moves in listing:
                    total += 1
                    write([_line(call.puzzle, part, moves)])
                call.report_end(readable.where(done), total, listing.stop)
                done, total = done + 1, 0
                continue
            write(_lines_of(call.puzzle, part))
            for number in (~part.is_solved).nonzero()[0].tolist():
                call.report_end(readable.where(done + number), 0, "done")
            done += len(part)
    except KeyboardInterrupt:
        call.report_end(readable.where(done), total, "interrupted")


def _lines_of(puzzle: Puzzle, answers: Answers) -> Sequence[str]:
    """Return a line for each of these boards that has a solution."""
    from puzzlelab.core.boards import Boards
    from puzzlelab.core.puzzle import presentation_of

    if presentation_of(puzzle).answer_is_board and answers.ends is not None:
        return Boards(puzzle, answers.ends[answers.is_solved]).written()
    return [_line(puzzle, result.board, result.moves) for result in answers if result.moves is not None]


def _line(puzzle: Puzzle, instance: Instance, moves: tuple[int, ...]) -> str:
    from puzzlelab.core.puzzle import board_after, names_of, presentation_of

    if not presentation_of(puzzle).answer_is_board:
        return " ".join(names_of(puzzle, moves))
    return puzzle.write(board_after(puzzle, instance.state, moves))


@contextmanager
def _lines(out: Path | None) -> Iterator[Callable[[Sequence[str]], None]]:
    """Give a function that writes lines; a file is continued only if its lines are those that are written."""
    from puzzlelab.storage.outputs import LineOutput

    if out is None:
        yield lambda lines: typer.echo("".join(f"{line}\n" for line in lines), nl=False)
        return
    with LineOutput(out) as file:
        yield file.write_all
        if file.rest:
            print(f"{out} has {file.rest:,} more lines: nothing was changed", file=sys.stderr)
