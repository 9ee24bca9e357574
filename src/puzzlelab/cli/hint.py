"""`puzzlelab hint`: the best moves at a position, and the regret of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from puzzlelab.cli import options
from puzzlelab.cli.analyse import Nodes, Seconds, analysis_shown
from puzzlelab.cli.console import (
    SOLVED,
    UNSOLVED,
    ErrorTally,
    board_of_scramble,
    end_interrupted,
    print_table,
    puzzle_and_boards,
    read_boards,
    say,
)
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadInput, BadOption
from puzzlelab.core.limit import Limit

if TYPE_CHECKING:
    from puzzlelab.analysis.hints import Hint
    from puzzlelab.analysis.logical_hints import LogicalHint
    from puzzlelab.core.boards import Boards, Instance
    from puzzlelab.core.solver import Solver
    from puzzlelab.text.moves import MoveNotation

Answer = tuple[bool, str, Callable[[], dict[str, Any]], Iterable[Any]]
"""An answer about a board: whether it is proven, why its search ended, its row for JSON, and what people see."""
Game = Annotated[
    str | None,
    typer.Option(
        help="Moves that were played from this board, in any form: shows the regret of each, or the next step. r3c4<>5 "
        "among them rules a candidate out."
    ),
]
Detail = Literal["kind", "where", "all"]
Tell = Annotated[
    Detail,
    typer.Option(help="How much of the next step is shown: its kind; also where it is; or also what it does and why."),
]


def hint(
    puzzle: options.PuzzleName,
    board: options.BoardTexts = None,
    file: options.BoardFile = None,
    solver: options.SolverName = None,
    option: options.OtherOptions = None,
    time: Seconds = None,
    nodes: Nodes = None,
    game: Game = None,
    tell: Tell = "all",
    form: options.MoveFormName = None,
    letters: options.Letters = None,
    scramble: options.Scramble = None,
    settle: options.Settle = False,
    json: options.JsonObjects = False,
) -> None:
    """Show all optimal moves, and how many moves every other one wastes (its regret).

    For puzzles whose solutions are all equally long: the easiest next step of logic, or the wrong moves.

    Exit code: 0 everything proven, 1 something not proven in time or proven unsolvable, 2 something unreadable.
    """
    from puzzlelab.analysis.bounded_queries import DEFAULT_LIMIT
    from puzzlelab.analysis.hints import deduces, require_hints
    from puzzlelab.text.moves import move_notation

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle, file)
    moves = move_notation(loaded_puzzle, form, letters)
    if scramble is not None:
        board = board_of_scramble(moves, scramble, board, file, json)
    configured_solver = options.solver_of(loaded_puzzle, solver, option)
    require_hints(configured_solver, loaded_puzzle)
    blocks, total = read_boards(loaded_puzzle, board, file, settle)
    if game is not None and total != 1:
        raise BadOption("--game is played from one board, not from several")
    limit = DEFAULT_LIMIT if time is None and nodes is None else Limit(time, nodes)
    if deduces(loaded_puzzle):
        answer = partial(_deduction, configured_solver, limit, game or "", tell)
    else:
        answer = partial(_hint if game is None else _game, configured_solver, limit, moves, game or "")
    with progress(bars=not json, one_search=total == 1):
        code = _report(blocks, total == 1, answer, json)
    raise typer.Exit(code)


def _report(blocks: Iterator[Boards], is_single: bool, answer: Callable[[Instance], Answer], json: bool) -> int:
    """Print the answer about each board; return the exit code."""
    errors, code = ErrorTally(), SOLVED
    for board in (block[place : place + 1] for block in blocks for place in range(len(block))):
        if not (board.errors or is_single or json):
            say(f"\n{board.where(0)}: {board.texts[0]}")
        try:
            proven, stop, row, shown = answer(board[0])
        except BadInput as error:
            errors.tell_boards(board.with_errors({0: str(error)}), json)
            continue
        if json:
            say(dumps(row()))
        else:
            for each in shown:
                say(each) if isinstance(each, str) else print_table(*each)
        code = max(code, SOLVED if proven else UNSOLVED)
        if stop == "interrupted":
            end_interrupted("interrupted: the results are incomplete")
    return errors.end(code)


def _hint(solver: Solver, limit: Limit, moves: MoveNotation, game: str, instance: Instance) -> Answer:
    """Return the values of the moves at the position."""
    from puzzlelab.analysis.hints import hint as run_hint
    from puzzlelab.jobs.serialise import hint_row

    result = run_hint(solver, instance, limit)
    row = partial(hint_row, instance, (), solver, limit, result)
    return result.proven and not result.needed.unsolvable, result.stop, row, _hint_shown(solver, moves, result)


def _hint_shown(solver: Solver, moves: MoveNotation, result: Hint) -> Iterator[Any]:
    puzzle, state = result.instance.puzzle, result.instance.state
    yield f"{puzzle.name} by {solver.name}{moves.note}"
    if result.needed.unsolvable:
        yield f"no move helps: {result.reason}"
        return
    if result.length == 0:
        yield "nothing is left to do: the board is solved"
        return
    more = "; --time allows more" if result.stop == "time" else ""
    yield f"{_needed(result)}, {result.seconds:.3g} s, {result.expanded:,} states expanded{more}"
    if result.best:
        best = " ".join(moves.name(state, move) for move in result.best)
        label = "all the best moves" if result.best_proven else "the best known moves"
        yield f"{label}: {best}\n\n{puzzle.draw(state, mark=result.best[0])}\n"
    rows = []
    for value in result.moves:
        proven = "yes" if value.proven and value.regret.proven else "no"
        rows.append((moves.name(state, value.move), str(value.needed), str(value.regret), proven))
    yield ("move", "moves needed", "regret", "proven"), rows


def _game(solver: Solver, limit: Limit, moves: MoveNotation, text: str, instance: Instance) -> Answer:
    """Return the regret of each move of a game."""
    from puzzlelab.analysis.game_analysis import Game, analyse
    from puzzlelab.jobs.serialise import game_row

    result = analyse(solver, Game.of(instance, moves.read(instance, text)), limit)
    row = partial(game_row, instance, solver, limit, result)
    return result.proven, result.stop, row, analysis_shown(solver, moves, instance, result)


def _deduction(solver: Solver, limit: Limit, game: str, detail: Detail, instance: Instance) -> Answer:
    """Return the next step of logic at the position after the moves of a game."""
    from puzzlelab.analysis.logical_hints import deduce, read_notes
    from puzzlelab.jobs.serialise import hint_row

    moves, removed = read_notes(instance.puzzle, game)
    result = deduce(instance, moves, solver, limit, removed)
    row = partial(hint_row, instance, moves, solver, limit, result, removed)
    is_known = not result.reason or instance.puzzle.solved(result.instance.state)
    return is_known, "done", row, _deduction_shown(result, detail)


def _deduction_shown(result: LogicalHint, detail: Detail) -> Iterator[str]:
    from puzzlelab.core.logic import changes_of, places_of

    puzzle, step = result.instance.puzzle, result.step
    if step is not None:
        yield f"next: {step.title}"
        if detail != "kind":
            yield f"where: {', '.join(places_of(puzzle, step))}"
        if detail == "all":
            yield " ".join(changes_of(puzzle, step))
            yield f"{step.sentence}\n\n{puzzle.draw(result.instance.state)}"
    elif result.best is not None and detail != "all":
        yield result.why.partition(":")[0]
    else:
        if result.best is not None:
            yield f"next: {puzzle.write_move(result.best)}"
        yield f"{result.why}\n\n{puzzle.draw(result.instance.state)}"
    if not result.reason and not result.unique:
        several = "the given board has more than one solution"
        yield several if result.unique is False else f"whether {several} is not known in time"


def _needed(result: Hint) -> str:
    if result.length is None:
        bound = f" (at least {result.lower_bound} moves are needed)" if result.lower_bound > 1 else ""
        return f"no solution is known yet{bound}"
    moves = f"{result.length} move{'s' * (result.length != 1)}"
    return f"{moves}, proven optimal" if result.needed.proven else f"{moves}, at least {result.lower_bound} are needed"
