"""`puzzlelab analyse`: where a solve leaves the optimum, by how many moves, and what was best there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli import options
from puzzlelab.cli.console import SOLVED, UNSOLVED, ErrorTally, end_interrupted, print_table, puzzle_and_boards, say
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit

if TYPE_CHECKING:
    from puzzlelab.analysis.bounded_queries import Interval
    from puzzlelab.analysis.game_analysis import Analysis, Game
    from puzzlelab.core.boards import Instance
    from puzzlelab.core.solver import Solver
    from puzzlelab.jobs.games import PlacedGame
    from puzzlelab.text.moves import MoveNotation

Seconds = Annotated[
    float | None,
    typer.Option(help="Seconds for all moves of a board together; 60 without --time and --nodes.", show_default=False),
]
Nodes = Annotated[int | None, typer.Option(help="States to expand for all moves of a board together.")]
GameTexts = Annotated[
    list[str] | None,
    typer.Argument(metavar="[BOARD MOVES...]", help="A board and the moves from it; none means --file."),
]
GameFile = Annotated[
    Path | None,
    typer.Option(
        "--file", help="A file of solves: lines BOARD; MOVES, or the rows of `solve --out`. - is standard input."
    ),
]


def analyse(
    puzzle: options.PuzzleName,
    game: GameTexts = None,
    file: GameFile = None,
    solver: options.SolverName = None,
    option: options.OtherOptions = None,
    time: Seconds = None,
    nodes: Nodes = None,
    form: options.MoveFormName = None,
    letters: options.Letters = None,
    json: options.JsonObjects = False,
) -> None:
    """Show how many moves each move of a solve wastes (its regret), the first mistake, and the best continuation.

    A solve need not be finished. A file gets a line for each solve, and a summary.

    Exit code: 0 everything proven, 1 something not proven in time, 2 something unreadable.
    """
    from puzzlelab.analysis.bounded_queries import DEFAULT_LIMIT, require_comparable_moves
    from puzzlelab.core.solver import require
    from puzzlelab.text.moves import move_notation

    loaded_puzzle, game = puzzle_and_boards(puzzle, game, settle=False, file=file)
    if (file is None) == (not game):
        raise BadOption("give a board and the moves from it, or a file of solves with --file")
    moves = move_notation(loaded_puzzle, form, letters)
    chosen_solver = options.solver_of(loaded_puzzle, solver, option)
    require_comparable_moves(loaded_puzzle)
    require(chosen_solver, loaded_puzzle)
    limit = DEFAULT_LIMIT if time is None and nodes is None else Limit(time, nodes)
    with progress(bars=not json, one_search=file is None):
        code = _one(moves, game, chosen_solver, limit, json) if game else None
        code = _of_file(moves, file, chosen_solver, limit, json) if file else code
    raise typer.Exit(code or SOLVED)


def _one(moves: MoveNotation, texts: list[str], solver: Solver, limit: Limit, json: bool) -> int:
    """Print the analysis of one game; return the exit code."""
    from puzzlelab.analysis import game_analysis as games
    from puzzlelab.jobs.serialise import game_row

    board = moves.puzzle.read(texts[0])
    result = games.analyse(solver, games.Game.of(board, moves.read(board, " ".join(texts[1:]))), limit)
    if json:
        say(dumps(game_row(board, solver, limit, result)))
    else:
        for each in analysis_shown(solver, moves, board, result):
            say(each) if isinstance(each, str) else print_table(*each)
    return _code(result)


def _code(analysis: Analysis) -> int:
    if analysis.stop == "interrupted":
        end_interrupted("interrupted: the results are incomplete")
    return SOLVED if analysis.proven else UNSOLVED


def analysis_shown(solver: Solver, moves: MoveNotation, board: Instance, analysis: Analysis) -> Iterator[Any]:
    """Yield what people see of the analysis of a game: texts, and a table as its heads and rows."""
    rows, names = [], moves.names(board.state, [step.move for step in analysis.steps])
    for number, (name, step) in enumerate(zip(names, analysis.steps, strict=True), start=1):
        values = str(step.before), str(step.after), _lost(step.regret)
        rows.append((str(number), name, *values, "yes" if step.regret.proven else "no"))
    title = f"{moves.puzzle.name} by {solver.name}{moves.note}"
    yield f"{title}: {len(analysis.steps)} moves, {analysis.seconds:.3g} s"
    yield ("", "move", "needed before", "needed after", "regret", "proven"), rows
    if better := mistake_in_words(moves, board, analysis):
        yield better
    end = analysis.steps[-1].after if analysis.steps else None
    remaining = "" if end is None or end.most == 0 else f"; needed at its end: {end!s}"
    proof = "" if analysis.total.proven else " (not proven)"
    yield f"regret of the whole game: {analysis.total!s}{proof}{remaining}"


def _lost(regret: Interval) -> str:
    """Return how far a move leaves the optimum, such as +2."""
    return str(regret) if regret.unsolvable else f"+{regret!s}"


def mistake_in_words(moves: MoveNotation, board: Instance, analysis: Analysis) -> str:
    """Return the first mistake and the best continuation; nothing where there is neither."""
    game, place = [step.move for step in analysis.steps], analysis.first_mistake
    names = moves.names(board.state, [*game[:place], *analysis.continuation])
    best = moves.form.join(names[len(game[:place]) :])
    if place is None:
        return f"best continuation: {best}" if best else ""
    step = analysis.steps[place]
    name = moves.names(board.state, game[: place + 1])[-1]
    mistake = f"first mistake: move {place + 1}, {name} ({_lost(step.regret)})"
    return f"{mistake}; best there: {best}" if best else mistake


def _of_file(moves: MoveNotation, file: Path, solver: Solver, limit: Limit, json: bool) -> int:
    """Print a line for each game in a file, and a summary; return the exit code."""
    from puzzlelab.analysis.game_analysis import analyse_many
    from puzzlelab.engine import report
    from puzzlelab.jobs.games import GameTally, games_in
    from puzzlelab.jobs.serialise import game_row

    errors, tally, code = ErrorTally("solves that cannot be read"), GameTally(), SOLVED
    placed: list[PlacedGame] = []

    def readable() -> Iterator[Game]:
        for each in games_in(moves, None if str(file) == "-" else file):
            if each.error:
                errors.tell(each.where, each.error)
            elif each.game is not None:
                placed.append(each)
                yield each.game

    for number, analysis in enumerate(analyse_many(solver, readable(), limit)):
        each = placed[number]
        assert each.game is not None
        board = each.game.positions[0]
        if json:
            say(dumps(game_row(board, solver, limit, analysis)))
        else:
            words = mistake_in_words(moves, board, analysis)
            say(f"{each.where}: {len(analysis.steps)} moves, regret {analysis.total!s}{f'; {words}' if words else ''}")
        tally.add(analysis)
        report.progress("analysing", number + 1, None)
        code = max(code, _code(analysis))
    for line in tally.in_words():
        print(line, file=sys.stderr, flush=True) if json else say(line)
    return errors.end(code)
