"""`puzzlelab verify` and `convert`: checks the answers in files of rows, proves them anew, and converts the files."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, end_interrupted, fail, say
from puzzlelab.cli.options import ExecutorName, Letters, limit_of, open_or_here, status_in_words
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit

if TYPE_CHECKING:
    from puzzlelab.engine.executor import Executor
    from puzzlelab.jobs.row_checks import RowCheck
    from puzzlelab.jobs.row_tally import RowTally

DEFAULT_SECONDS = 60.0
"""The time for the claim of a row unless the call has a limit."""
SHOWN = 10
"""The most sentences about undecided rows, and about repeated ones; all are counted."""


def verify(
    files: Annotated[list[Path], typer.Argument(help="Files of rows, as `solve --out` and `bench` write them.")],
    prove: Annotated[
        bool, typer.Option("--prove", help="Prove anew what the rows claim, by another method than the row's.")
    ] = False,
    time: Annotated[
        float | None, typer.Option(help="With --prove: seconds for each claim; 60 without any limit.")
    ] = None,
    nodes: Annotated[int | None, typer.Option(help="With --prove: states to expand for each claim.")] = None,
    memory: Annotated[str | None, typer.Option(help="With --prove: most memory of the process, such as 2G.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Rows to check at once (by default 1).")] = None,
    executor: ExecutorName = None,
    letters: Letters = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a row; the summary is an error line.")
    ] = False,
) -> None:
    """Replay the answers in files of rows, and say which do not hold and where.

    Replaying confirms moves. With --prove, claims that a solution is optimal or unique, that there is none, or that all
    have at least that number of moves, are proven or refuted by another method of the puzzle.

    Exit code: 0 all hold as far as they were checked, 1 one does not, 2 something unreadable.
    """
    from puzzlelab.jobs.row_tally import RowTally

    tally, limit = RowTally(), _limit(prove, time, nodes, memory)
    with open_or_here(executor, jobs) as workers:
        is_interrupted = _check_rows(files, tally, limit, workers, letters, json)
    if tally.rows == 0 and not is_interrupted:
        fail(f"{', '.join(map(str, files))}: there are no rows")
        raise typer.Exit(UNREADABLE)
    _print_summary(tally, limit, json)
    if is_interrupted:
        end_interrupted("interrupted: the rows after these were not checked")
    raise typer.Exit(UNREADABLE if tally.unreadable else UNSOLVED if tally.failing else SOLVED)


def _limit(prove: bool, time: float | None, nodes: int | None, memory: str | None) -> Limit | None:
    """Return the limit for the claim of a row, or None without `--prove`; raises `BadOption` for a limit without it."""
    if not prove:
        if (time, nodes, memory) != (None, None, None):
            raise BadOption("--time, --nodes and --memory limit the proofs: give --prove too")
        return None
    return limit_of(DEFAULT_SECONDS if time is None and nodes is None else time, nodes, memory)


def _check_rows(
    files: list[Path], tally: RowTally, limit: Limit | None, executor: Executor, letters: str | None, json: bool
) -> bool:
    """Check all rows, and print what is found; whether Ctrl-C ended this."""
    from puzzlelab.engine import report
    from puzzlelab.jobs.row_checks import checks

    total = _row_count(files) if sys.stderr.isatty() else None
    doing = "proving" if limit else "replaying"
    with progress():
        report.progress(doing, 0, total)
        try:
            for check in checks(files, limit, executor, letters):
                _show(check, tally, json)
                report.progress(doing, tally.rows, total, status_in_words(executor))
        except KeyboardInterrupt:
            return True
    return False


def _show(check: RowCheck, tally: RowTally, json: bool) -> None:
    """Count a row, and print which rows do not hold, as it shows."""
    refutations = tally.add(check)
    for place, reason in refutations:
        fail(f"{place}: {reason}")
    if check.outcome == "undecided":
        _note(tally.undecided, f"{check.place}: {check.reason}")
    earlier = tally.repetition(check)
    if earlier is not None:
        _note(tally.repeated, f"{check.place}: the same board, solver and options as {earlier}")
    if json:
        print(dumps(check.facts("".join(reason for place, reason in refutations if place is check.place))), flush=True)
        for place, reason in refutations:
            if place is not check.place:
                facts = {"file": str(place.file), "line": place.line, "verdict": "refuted", "reason": reason}
                print(dumps(facts), flush=True)


def _note(number: int, sentence: str) -> None:
    """Print a sentence on standard error if it is one of the first of its kind."""
    if number <= SHOWN:
        print(sentence, file=sys.stderr, flush=True)


def _print_summary(tally: RowTally, limit: Limit | None, json: bool) -> None:
    """Print the last lines, with `--json` on standard error."""
    within = "" if limit is None or limit.seconds is None else f" in {limit.seconds:g} s"
    methods = tally.methods_in_words()
    lines = ([f"proven by: {methods}"] if methods else []) + tally.bases_in_words() + [tally.summary(within)]
    for line in lines:
        if json:
            print(line, file=sys.stderr, flush=True)
        else:
            say(line)


def _row_count(files: list[Path]) -> int | None:
    """Return about how many rows all files have, or None if one of them is no regular file that can be read."""
    from puzzlelab.storage.row_files import count_rows

    try:
        counts = [count_rows(file) for file in files]
    except (OSError, ValueError):  # Arrow's errors too
        return None
    return None if None in counts else sum(count or 0 for count in counts)


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file of rows, as `solve` and `bench` write it.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The new file: .csv, .parquet, or else JSON lines.")],
) -> None:
    """Write the rows of a file as CSV, as Parquet, or as JSON lines, which `solve --out` can continue.

    Of X.csv or X.parquet the rows of X.csv.jsonl or X.parquet.jsonl are read, if that file is there.
    """
    from puzzlelab.engine import report
    from puzzlelab.storage import row_files

    rows = row_files.convert(source, target, report.note)
    say(f"{rows:,} row{'s' * (rows != 1)} in {target}")
