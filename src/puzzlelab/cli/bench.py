"""`puzzlelab bench`: runs solvers on a suite of boards and compares their results."""

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
            help="Files of boards (TAB: board, length, opt or ub; or a format of the puzzle, such as CSV of Sudokus), "
            "or suites of the package: korf15, tiles15, tiles24, dust8x6x5, sudoku17.",
        ),
    ] = None,
    solvers: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="Solvers, such as ida,beam:width=1000:estimate=manhattan; may be repeated.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Keep rows in this folder; boards with a row in it are skipped. Draw it with plot."),
    ] = None,
    levels: Annotated[
        str | None,
        typer.Option(help="Generate boards of these levels, A-B; each SUITE is a further level, B+1 and so on."),
    ] = None,
    scale: Annotated[str | None, typer.Option(help="The scale of these levels (see `puzzlelab list PUZZLE`).")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every solvable board of a small puzzle, such as all 8-puzzles.")
    ] = False,
    count: Annotated[int, typer.Option(min=1, help="Boards to generate for each level.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal boards.")] = 0,
    net: Net = None,
    max_moves: MaxMoves = None,
    avoid_repeats: AvoidRepeats = False,
    time: Annotated[float | None, typer.Option(help="Seconds for each board.")] = None,
    nodes: Annotated[int | None, typer.Option(help="The most states to expand for each board.")] = None,
    memory: Annotated[str | None, typer.Option(help="The most memory of the process, such as 2G.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Boards to solve at once; more than 1 makes each slower.")] = 1,
    card: Annotated[
        bool, typer.Option("--card", help="Write the results into the card of the network that a solver uses.")
    ] = False,
) -> None:
    """Run solvers on a suite of boards and compare them.

    With --out alone, compare the rows that the folder has already. --net, --max-moves and --avoid-repeats apply to the
    solvers that have such an option, unless the text of the solver sets it.

    Exit code: 0 all solved, 1 a board is unsolved, 2 a line is unreadable.
    """
    from puzzlelab.bench import exhaustive, runs
    from puzzlelab.core.errors import BadInput
    from puzzlelab.core.limit import Limit, read_memory
    from puzzlelab.engine.background import none_running

    limit = Limit(time, nodes, None if memory is None else read_memory(memory))
    options = {"max_moves": max_moves, "avoid_repeats": avoid_repeats or None}
    with progress(), none_running():
        if out is not None and not (suite or solvers or levels or scale or net or every):
            run = runs.read_run(out)
        else:
            if every and (levels or scale):
                raise BadInput("--all takes every board: give no --levels, --scale or --count with it")
            boards = _all_boards(suite or []) if every else _suite(suite or [], out, levels, scale, count, seed)
            _show_faults(boards)
            chosen_solvers = _solvers(solvers or [], boards.puzzle, net, options)
            run = (
                exhaustive.run(boards, chosen_solvers, limit)
                if every and out is None
                else runs.run(boards, chosen_solvers, limit, out, jobs)
            )
    code = _show(run, out, [exhaustive.VERIFICATION_NOTE] if every and out is None else [])
    if card and not run.interrupted:
        _write_cards(run)
    raise typer.Exit(code)


def _write_cards(run: BenchRun) -> None:
    """Write the results into the cards of the networks."""
    from puzzlelab.bench import cards

    for path in dict.fromkeys(cards.write_cards(run, sys.argv[2:])):
        output().print(f"written into {path}", markup=False)


def _all_boards(words: list[str]) -> Suite:
    """All boards of the puzzle that the arguments name."""
    from puzzlelab.bench import exhaustive
    from puzzlelab.core.errors import BadInput

    puzzle = _puzzle(words[0]) if len(words) == 1 else None
    if puzzle is None:
        raise BadInput("--all is every board of one puzzle: give its name alone, as in: bench tiles-3x3 --all")
    return exhaustive.suite(puzzle)


def _suite(words: list[str], out: Path | None, levels: str | None, scale: str | None, count: int, seed: int) -> Suite:
    """The suite of the arguments."""
    from puzzlelab.bench import suites
    from puzzlelab.core.errors import BadInput
    from puzzlelab.core.settings import read_levels

    puzzle = _puzzle(words[0]) if words else None
    names = words[1:] if puzzle else words
    if levels is None and scale is None:
        if names:
            return suites.join([suites.find(name, puzzle) for name in names])
        if out is not None and not words:
            return suites.read_stored(out)
        raise BadInput("no boards: name a suite or a file, or a puzzle with --levels")
    if puzzle is None:
        raise BadInput("--levels and --scale generate boards: give the name of a puzzle first")
    if names and levels is None:
        raise BadInput("--scale without --levels generates boards without a level: give no suite with it")
    span = read_levels(levels) if levels else None
    generated = suites.sample(puzzle, span, scale, count, seed)
    suites_of_files = [suites.find(name, puzzle) for name in names]
    last_level = span[1] if span else 0
    return suites.join(
        [generated, *(suites.at_level(each, level) for level, each in enumerate(suites_of_files, start=last_level + 1))]
    )


def _puzzle(word: str) -> Puzzle | None:
    """The puzzle of this name; None if it is the name of a suite."""
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
    """The solvers of these texts, or the usual one, with the options for all of them."""
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
    """Print the results; return the exit code."""
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
        hint = "; repeat the command to continue" if out else "; with --out they would be kept"
        fail(f"interrupted after {len(run.answers)} answers{hint}")
        return INTERRUPTED
    if run.suite.faults:
        return UNREADABLE
    return SOLVED if run.answers and all(answer.length is not None for answer in run.answers) else UNSOLVED
