"""`puzzlelab bench`: solvers on a suite of boards, and how well each did."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import INTERRUPTED, SOLVED, UNREADABLE, UNSOLVED, ErrorTally, fail, output, progress
from puzzlelab.cli.networks import WITH_NETWORK, AvoidRepeats, MaxMoves, Net, all_asking, all_with

if TYPE_CHECKING:
    from puzzlelab.bench.runs import BenchRun
    from puzzlelab.bench.suites import Suite
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver


def bench(
    suite: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PUZZLE] SUITE",
            help="Files of boards (TAB: board, length, opt or ub; or the puzzle's own way, such as CSV of Sudokus), "
            "or suites of the package: korf15, tiles15, tiles24, dust8x6x5, sudoku17.",
        ),
    ] = None,
    solvers: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="Solvers, such as ida,beam:width=1000:estimate=manhattan; may be given several times.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Keep rows in this folder; boards that it answers are skipped. Draw it with plot."),
    ] = None,
    levels: Annotated[
        str | None,
        typer.Option(help="Make boards of these levels, A-B; files beside them are a level each, B+1 and so on."),
    ] = None,
    scale: Annotated[str | None, typer.Option(help="The scale of these levels (see `puzzlelab list PUZZLE`).")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every board of a small puzzle that can be solved, such as all 8-puzzles.")
    ] = False,
    count: Annotated[int, typer.Option(min=1, help="Boards to make of each level.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds make equal boards.")] = 0,
    net: Net = None,
    max_moves: MaxMoves = None,
    avoid_repeats: AvoidRepeats = False,
    time: Annotated[float | None, typer.Option(help="Seconds for each board.")] = None,
    nodes: Annotated[int | None, typer.Option(help="States to expand for each board.")] = None,
    memory: Annotated[str | None, typer.Option(help="Most memory of the process, such as 2G.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Boards to solve at once; more than 1 makes each slower.")] = 1,
    card: Annotated[
        bool, typer.Option("--card", help="Write what comes out into the card of the network that is asked.")
    ] = False,
) -> None:
    """Run solvers on a suite of boards and compare them.

    With --out alone, compare what the folder holds already. --net, --max-moves and --avoid-repeats are for those of
    the solvers that have such an option, and were not told otherwise themselves.

    Exit code: 0 all solved, 1 something unsolved, 2 something unreadable.
    """
    from puzzlelab.bench import exhaustive, runs
    from puzzlelab.core.errors import BadInput
    from puzzlelab.core.limit import Limit, read_memory
    from puzzlelab.engine.background import none_running

    limit = Limit(time, nodes, None if memory is None else read_memory(memory))
    options = {"max_moves": max_moves, "avoid_repeats": avoid_repeats or None}
    with progress(), none_running():
        if out is not None and not (suite or solvers or levels or scale or net or every):
            run = runs.stored(out)
        else:
            if every and (levels or scale):
                raise BadInput("--all leaves no choice of boards: give no --levels, --scale or --count with it")
            asked = _every(suite or []) if every else _suite(suite or [], out, levels, scale, count, seed)
            _show_faults(asked)
            chosen = _solvers(solvers or [], asked.puzzle, net, options)
            run = (
                exhaustive.run(asked, chosen, limit)
                if every and out is None
                else runs.run(asked, chosen, limit, out, jobs)
            )
    code = _show(run, out, [exhaustive.REMARK] if every and out is None else [])
    if card and not run.interrupted:
        _note(run)
    raise typer.Exit(code)


def _note(run: BenchRun) -> None:
    """Write the results into the cards of the networks."""
    from puzzlelab.bench import cards

    for path in dict.fromkeys(cards.note(run, sys.argv[2:])):
        output().print(f"written into {path}", markup=False)


def _every(words: list[str]) -> Suite:
    """All boards of the puzzle that the arguments name."""
    from puzzlelab.bench import exhaustive
    from puzzlelab.core.errors import BadInput

    puzzle = _puzzle(words[0]) if len(words) == 1 else None
    if puzzle is None:
        raise BadInput("--all is every board of one puzzle: give its name alone, as in: bench tiles-3x3 --all")
    return exhaustive.suite(puzzle)


def _suite(words: list[str], out: Path | None, levels: str | None, scale: str | None, count: int, seed: int) -> Suite:
    """The suite that the arguments mean."""
    from puzzlelab.bench import suites
    from puzzlelab.core.errors import BadInput
    from puzzlelab.core.settings import read_levels

    puzzle = _puzzle(words[0]) if words else None
    names = words[1:] if puzzle else words
    if levels is None and scale is None:
        if names:
            return suites.join([suites.find(name, puzzle) for name in names])
        if out is not None and not words:
            return suites.reopen(out)
        raise BadInput("no boards: name a suite or a file, or a puzzle with --levels")
    if puzzle is None:
        raise BadInput("--levels and --scale make boards: give the name of a puzzle first")
    if names and levels is None:
        raise BadInput("--scale without --levels makes boards of no level: give no suite beside it")
    span = read_levels(levels) if levels else None
    made = suites.sample(puzzle, span, scale, count, seed)
    read = [suites.find(name, puzzle) for name in names]
    last = span[1] if span else 0
    return suites.join([made, *(suites.at_level(each, level) for level, each in enumerate(read, start=last + 1))])


def _puzzle(word: str) -> Puzzle | None:
    """The puzzle of this name; None where it is the name of a suite."""
    from puzzlelab.core import registry
    from puzzlelab.core.errors import BadOption, UnknownName

    try:
        return registry.load(word)
    except UnknownName:
        return None
    except BadOption:
        if Path(word).is_file():
            return None
        raise


def _solvers(texts: list[str], puzzle: Puzzle, net: str | None, options: Mapping[str, Any]) -> list[Solver]:
    """The solvers that texts tell of, or the usual one, with the options that are for all of them."""
    from puzzlelab import api
    from puzzlelab.bench import runs

    usual = None if net is None else WITH_NETWORK
    solvers = runs.parse_solvers(texts) or [api.solver(usual, puzzle)]
    return all_with(all_asking(puzzle, solvers, net), {name: value for name, value in options.items() if value})


def _show_faults(suite: Suite) -> None:
    faults = ErrorTally()
    for fault in suite.faults:
        faults.tell("", fault)
    faults.end("lines")


def _show(run: BenchRun, out: Path | None, notes: list[str]) -> int:
    """Print what came out; return the exit code."""
    from puzzlelab.bench import level_table, tables
    from puzzlelab.bench.caveats import caveats

    console = output()
    if run.answers:
        console.print(tables.table(run))
        if by_level := level_table.table(run):
            console.print(by_level)
        for sentence in [*caveats(run), *notes]:
            console.print(sentence, markup=False)
    if run.interrupted:
        on = "; with the same --out the next call goes on from there" if out else "; with --out they would be kept"
        fail(f"interrupted: {len(run.answers)} answers are there{on}")
        return INTERRUPTED
    if run.suite.faults:
        return UNREADABLE
    return SOLVED if run.answers and all(answer.length is not None for answer in run.answers) else UNSOLVED
