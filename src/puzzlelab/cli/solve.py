"""`puzzlelab solve`: solves boards and prints verified solutions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import Settle, given_boards, output, progress, settling
from puzzlelab.cli.networks import WITH_NETWORK, AvoidRepeats, MaxMoves, Net, option_of_network
from puzzlelab.cli.report import SolveReport

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle, State


def solve(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4 (see `puzzlelab list`).")],
    board: Annotated[list[str] | None, typer.Argument(help="Boards; none means --file or standard input.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A file of one board a line; - is standard input.")
    ] = None,
    solver: Annotated[
        str | None, typer.Option("--with", help="The solver; the puzzle's usual one if left out.")
    ] = None,
    estimate: Annotated[
        str | None, typer.Option(help="The estimate of remaining moves, such as manhattan or pdb.")
    ] = None,
    weight: Annotated[float | None, typer.Option(help="The weight of the estimate in A*; 1 is optimal.")] = None,
    width: Annotated[int | None, typer.Option(help="States that beam search keeps in a layer.")] = None,
    depth: Annotated[int | None, typer.Option(help="The most moves that depth-first search looks for.")] = None,
    restarts: Annotated[int | None, typer.Option(help="Restarts of lattice after the first search.")] = None,
    net: Net = None,
    max_moves: MaxMoves = None,
    avoid_repeats: AvoidRepeats = False,
    option: Annotated[
        list[str] | None, typer.Option("--set", help="Any other option of the solver: NAME=VALUE.")
    ] = None,
    time: Annotated[float | None, typer.Option(help="Seconds for each board.")] = None,
    nodes: Annotated[int | None, typer.Option(help="States to expand for each board.")] = None,
    memory: Annotated[str | None, typer.Option(help="Most memory of the process, such as 2G.")] = None,
    jobs: Annotated[
        int, typer.Option(min=1, help="Boards to solve at once; for one board, the solver's own jobs.")
    ] = 1,
    steps: Annotated[
        bool, typer.Option("--steps", help="Show the board at each move, or how the solver came to its answer.")
    ] = False,
    show_scores: Annotated[
        bool, typer.Option("--show-scores", help="Show at each move the probabilities of a network, in per cent.")
    ] = False,
    settle: Settle = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON row a board.")] = False,
    notation: Annotated[
        str | None,
        typer.Option("--as", help="Print solutions in this notation of the puzzle (such as csv) alone."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Append rows to this file; boards that it answers are skipped.")
    ] = None,
) -> None:
    """Solve boards, and say what is proven about each solution.

    Exit code: 0 all solved, 1 something unsolved or proven unsolvable, 2 something unreadable.
    """
    from puzzlelab import api
    from puzzlelab.analysis.solve_job import SolveJob
    from puzzlelab.core.limit import Limit, read_memory
    from puzzlelab.core.row import RowFile
    from puzzlelab.core.settings import read_options
    from puzzlelab.core.solver import require

    chosen = settling(api.load(puzzle), settle)
    named = {"estimate": estimate, "weight": weight, "width": width, "depth": depth, "restarts": restarts}
    named |= {"max_moves": max_moves, "avoid_repeats": avoid_repeats or None}
    options = {name: value for name, value in named.items() if value is not None} | read_options(option or ())
    if net is not None:
        solver = solver or WITH_NETWORK
        options |= option_of_network(chosen, solver, options, net)
    limit = Limit(time, nodes, None if memory is None else read_memory(memory))
    chosen_solver = api.solver(solver, chosen, **options)
    require(chosen_solver, chosen)
    if show_scores:
        from puzzlelab.analysis.move_probabilities import network_shown

        network_shown(chosen, chosen_solver.options())  # a missing network is an error before the search
    boards = given_boards(chosen, board or [], file)
    if jobs > 1 and len(boards) == 1 and "jobs" in chosen_solver.options() and "jobs" not in options:
        chosen_solver = api.solver(solver, chosen, **options, jobs=jobs)
    job = SolveJob(chosen, chosen_solver, limit, jobs)
    form = _notation(chosen, notation)
    report = SolveReport(output(), job, len(boards) > 1, json, steps, show_scores, form)
    quiet = json or notation is not None
    with progress("solving" if len(boards) > 1 else "", len(boards), shown=not quiet or out is not None) as bars:
        try:
            for outcome in job.outcomes(boards, RowFile(out) if out else None):
                report.show(outcome)
                if bars.task_ids:
                    bars.advance(bars.task_ids[0])
                if report.interrupted:
                    break
        except KeyboardInterrupt:
            report.interrupted = True
    raise typer.Exit(report.summary(len(boards)))


def _notation(puzzle: Puzzle, name: str | None) -> Callable[[State, State], str] | None:
    """The function for the notation that `--as` names."""
    from puzzlelab.core.errors import UnknownName
    from puzzlelab.core.puzzle import presentation_of

    notations = presentation_of(puzzle).notations
    if name is not None and name not in notations:
        raise UnknownName(f"notation of {puzzle.name}", name, notations)
    return notations[name] if name else None
