"""`puzzlelab bench`: runs solvers on a suite of boards and compares their results."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.bench import Batching
from puzzlelab.cli import options
from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, ErrorTally, end_interrupted, say, show
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadInput, BadOption, UnknownName, as_unicode

if TYPE_CHECKING:
    from puzzlelab.bench.runs import BenchRun
    from puzzlelab.bench.suites import Suite
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver


SuiteNames = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PUZZLE] SUITE",
        help="Files of boards (TAB: board, length, opt or ub; or a format of the puzzle, such as CSV of Sudokus), "
        "suites of the package (korf15, tiles15, tiles24, dust8x6x5, sudoku17, sudoku17-1000; for score sheets "
        "tiles8-10000, tiles15-10000, dust6x5x4-10000, dust8x6x5-10000, sudoku9x9-10000), or examples of the puzzle, "
        "such as easy.",
    ),
]
SolverTexts = Annotated[
    list[str] | None,
    typer.Option("--with", help="Solvers, such as ida,beam:width=1000:estimate=manhattan; may be repeated."),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Keep rows in this folder; boards with a row in it are skipped. Draw it with plot."),
]
Levels = Annotated[
    str | None,
    typer.Option(help="Generate boards of these levels, A-B; each SUITE is a further level, B+1 and so on."),
]
ScaleName = Annotated[str | None, typer.Option(help="The scale of these levels (see `puzzlelab list PUZZLE`).")]
EveryBoard = Annotated[
    bool, typer.Option("--all", help="Every solvable board of a small puzzle, such as all 8-puzzles.")
]
Count = Annotated[int, typer.Option(min=1, help="Boards to generate for each level.")]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Boards to solve at once (by default 1); more than 1 makes each slower.")
]
Batch = Annotated[
    Batching,
    typer.Option(
        help="What the boards have in common that a solver such as a network answers together, in an equal share of "
        "the time for each; 'board' answers and times each alone."
    ),
]
Nets = Annotated[
    list[str] | None,
    typer.Option(
        help="The network to use: a name, a file, the beginning of a hash, the folder of a run or of a sweep, or "
        "'best', the best of the package; repeated to compare several."
    ),
]
Card = Annotated[
    bool, typer.Option("--card", help="Write the results into the card of the network that a solver uses.")
]


@options.taking({name: options.SHORT_OPTIONS[name] for name in ("max_moves", "avoid_repeats")})
def bench(
    suite: SuiteNames = None,
    solvers: SolverTexts = None,
    out: Out = None,
    levels: Levels = None,
    scale: ScaleName = None,
    every: EveryBoard = False,
    count: Count = 10,
    seed: options.Seed = 0,
    net: Nets = None,
    time: options.Seconds = None,
    nodes: options.Nodes = None,
    memory: options.Memory = None,
    jobs: Jobs = None,
    executor: options.ExecutorName = None,
    batch: Batch = "level",
    card: Card = False,
    **short: Any,
) -> None:
    """Run solvers on a suite of boards and compare them.

    With --out alone, compare the rows that the folder has already. --net, --max-moves and --avoid-repeats apply to the
    solvers that have such an option, unless the text of the solver sets it. In such a text net alone, as in prior=net,
    is the network of --net.

    Exit code: 0 all solved, 1 a board is unsolved, 2 a line is unreadable.
    """
    from puzzlelab.bench import runs
    from puzzlelab.bench.caveats import SAMPLE_NOTE
    from puzzlelab.bench.runs import LARGE_BATCH
    from puzzlelab.engine.compiler import none_running
    from puzzlelab.engine.solving import BATCH

    limit = options.limit_of(time, nodes, memory)
    # then a solver may take many boards in one batch
    without_rows = every and out is None and executor is None
    with progress(), none_running():
        if out is not None and not (suite or solvers or levels or scale or net or every):
            run = runs.read_run(out)
        else:
            if every and (levels or scale):
                raise BadInput("--all takes every board: give no --levels, --scale or --count with it")
            boards = _all_boards(suite or []) if every else _suite(suite or [], out, levels, scale, count, seed)
            _show_faults(boards)
            all_solvers = _solvers(solvers or [], boards.puzzle, net or [], short)
            command, size = as_unicode(shlex.join(["puzzlelab", *sys.argv[1:]])), LARGE_BATCH if without_rows else BATCH
            with options.open_optional(executor, jobs) as workers:
                run = runs.run(
                    boards, all_solvers, limit, out, jobs or 1, batch, workers, command=command, batch_size=size
                )
    code = _show(run, out, [SAMPLE_NOTE] if without_rows else [])
    if card:
        _write_cards(run)
    raise typer.Exit(code)


def _write_cards(run: BenchRun) -> None:
    """Write the results into the cards of the networks."""
    from puzzlelab.bench import cards

    for path in dict.fromkeys(cards.write_cards(run, sys.argv[2:])):
        say(f"written into {path}")


def _all_boards(words: list[str]) -> Suite:
    """Return all boards of the puzzle that the arguments name."""
    from puzzlelab.bench import suites

    puzzle = _puzzle(words[0]) if len(words) == 1 else None
    if puzzle is None:
        raise BadInput("--all is every board of one puzzle: give its name alone, as in: bench tiles-3x3 --all")
    return suites.every_board(puzzle)


def _suite(words: list[str], out: Path | None, levels: str | None, scale: str | None, count: int, seed: int) -> Suite:
    """Return the suite of the arguments."""
    from puzzlelab.bench import suites
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
    """Return the puzzle of this name; None if it is the name of a suite."""
    from puzzlelab.core import registry

    try:
        return registry.load(word)
    except UnknownName:
        return None
    except BadOption:
        if Path(word).is_file():
            return None
        raise


def _solvers(texts: list[str], puzzle: Puzzle, nets: list[str], short: Mapping[str, Any]) -> list[Solver]:
    """Return the solvers of these texts, or the usual one; each with the options that it can use, and each network.

    What its text sets stays. Raises `BadOption` for a network or an option that none can use.
    """
    from puzzlelab.analysis.network_options import with_network, with_options
    from puzzlelab.bench import runs, seeds
    from puzzlelab.core import registry

    usual = options.WITH_NETWORK if nets else None
    solvers = runs.parse_solvers(texts) or [registry.solver(usual, puzzle)]
    names = ", ".join(solver.name for solver in solvers)
    if nets:
        every_net = [each for net in nets for each in seeds.networks_in(net)]
        network_solvers = [[with_network(puzzle, solver, net) for net in every_net] for solver in solvers]
        if not any(map(any, network_solvers)):
            raise BadOption(f"none of the solvers ({names}) can use a network, or each has its option set already")
        solvers = [
            each for old, new in zip(solvers, network_solvers, strict=True) for each in [*filter(None, new)] or [old]
        ]
    values = {name: value for name, value in short.items() if value is not None}
    for option in values:
        if not any(option in solver.options() for solver in solvers):
            raise BadOption(f"none of the solvers ({names}) has an option '{option}'")
    shared = [{name: values[name] for name in values.keys() & solver.options().keys()} for solver in solvers]
    return [with_options(solver, own) if own else solver for solver, own in zip(solvers, shared, strict=True)]


def _show_faults(suite: Suite) -> None:
    faults = ErrorTally("lines that cannot be read")
    for fault in suite.faults:
        faults.tell("", fault)
    faults.end()


def _show(run: BenchRun, out: Path | None, notes: list[str]) -> int:
    """Print the results; return the exit code."""
    from puzzlelab.bench import seeds, sheets, tables
    from puzzlelab.bench.caveats import caveats

    if run.answers:
        first = sheets.of_networks(run) or tables.of_solvers(run)
        for table in filter(None, (first, tables.of_levels(run), seeds.of_networks(run))):
            show(table)
        for sentence in [*caveats(run), *notes]:
            say(sentence)
    if run.interrupted:
        hint = "; repeat the command to continue" if out else "; with --out they would be kept"
        end_interrupted(f"interrupted after {len(run.answers)} answers{hint}")
    if run.suite.faults:
        return UNREADABLE
    return SOLVED if run.answers and all(answer.length is not None for answer in run.answers) else UNSOLVED
