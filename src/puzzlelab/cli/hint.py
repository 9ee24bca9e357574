"""`puzzlelab hint`: the best moves at a position, and what every other one wastes."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import (
    INTERRUPTED,
    SOLVED,
    UNREADABLE,
    UNSOLVED,
    ErrorTally,
    Settle,
    fail,
    given_boards,
    output,
    progress,
    settling,
)

if TYPE_CHECKING:
    from puzzlelab.analysis.bounded_queries import Interval
    from puzzlelab.analysis.game_analysis import Regrets
    from puzzlelab.analysis.hints import Hint
    from puzzlelab.analysis.logical_hints import LogicalHint
    from puzzlelab.cli.console import Console
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Instance, Puzzle
    from puzzlelab.core.solver import Solver


def hint(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as tiles-3x3 (see `puzzlelab list`).")],
    board: Annotated[list[str] | None, typer.Argument(help="Boards; none means --file or standard input.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="A file of boards; - is standard input.")] = None,
    solver: Annotated[
        str | None, typer.Option("--with", help="The solver; the puzzle's usual one if left out.")
    ] = None,
    option: Annotated[list[str] | None, typer.Option("--set", help="Options of the solver: NAME=VALUE.")] = None,
    time: Annotated[float | None, typer.Option(help="Seconds for all moves of a board together.")] = None,
    nodes: Annotated[int | None, typer.Option(help="States to expand for all moves of a board together.")] = None,
    game: Annotated[
        str | None,
        typer.Option(help="Moves that were made from this board: tells the regret of each, or what comes next."),
    ] = None,
    settle: Settle = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a board.")] = False,
) -> None:
    """Show all optimal moves, and how many moves every other one wastes (its regret).

    Where all solutions are equally long: the next cell that is forced and why, or what is wrong.

    Exit code: 0 everything proven, 1 something not proven in time or proven unsolvable, 2 something unreadable.
    """
    from puzzlelab import api
    from puzzlelab.analysis.bounded_queries import require_comparable_moves
    from puzzlelab.analysis.serialise import error_facts
    from puzzlelab.core.errors import BadInput, BadOption
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.settings import read_options
    from puzzlelab.core.solutions import require_lister
    from puzzlelab.core.solver import require
    from puzzlelab.core.views import Candidates

    chosen = settling(api.load(puzzle), settle)
    deduces = chosen.view(Candidates) is not None
    if not deduces:
        require_comparable_moves(chosen)
    asked = api.solver(solver, chosen, **read_options(option or ()))
    (require_lister if deduces else require)(asked, chosen)
    boards = given_boards(chosen, board or [], file)
    if game is not None and len(boards) > 1:
        raise BadOption(f"--game is played from one board, not from {len(boards)}")
    shown, faults, code = HintReport(output(), asked, Limit(time, nodes), json), ErrorTally(), SOLVED
    with progress("asking about moves" if not json else ""):
        for given in boards:
            try:
                instance = chosen.read(given.text)
                if len(boards) > 1 and not json:
                    shown.console.print(f"\n{given.where}: {given.text}", markup=False)
                shown.interrupted = False
                if deduces:
                    code = max(code, shown.deduction(instance, game or ""))
                else:
                    code = max(code, shown.hint(instance) if game is None else shown.game(instance, game))
            except BadInput as error:
                faults.tell(given.where, error)
                if json:
                    print(dumps(error_facts(chosen, given.text, error)), flush=True)
                code = UNREADABLE
            if shown.interrupted:
                fail("interrupted: what is shown is what was known by then")
                code = INTERRUPTED
                break
    faults.end()
    raise typer.Exit(code)


class HintReport:
    """Prints hints and games, by one solver under one limit for each."""

    def __init__(self, console: Console, solver: Solver, limit: Limit, json: bool) -> None:
        self.console, self.solver, self.limit, self.json = console, solver, limit, json
        self.interrupted = False

    def hint(self, instance: Instance) -> int:
        """Print what the moves at a position are worth; return the exit code."""
        from puzzlelab.analysis.hints import hint as ask
        from puzzlelab.analysis.serialise import hint_row

        told = ask(self.solver, instance, self.limit)
        self.interrupted = told.stop == "interrupted"
        if self.json:
            print(dumps(hint_row(instance, self.solver, self.limit, told)), flush=True)
        else:
            self._hint(told)
        return SOLVED if told.proven and not told.needed.unsolvable else UNSOLVED

    def _hint(self, told: Hint) -> None:
        from puzzlelab.core.puzzle import presentation_of

        puzzle = told.instance.puzzle
        note = presentation_of(puzzle).move_note
        name = f"{puzzle.name} by {self.solver.name}"
        self.console.print(f"{name} (moves are {note})" if note else name, markup=False)
        if told.needed.unsolvable:
            self.console.print(f"no move helps: {told.reason}", markup=False)
            return
        if told.length == 0:
            self.console.print("nothing is left to do: the board is solved")
            return
        self.console.print(f"{_needed(told)}, {told.seconds:.3g} s, {told.expanded:,} states expanded")
        if told.best:
            best = " ".join(puzzle.write_move(move) for move in told.best)
            sure = "all the best moves" if told.settled else "the best known moves"
            self.console.print(f"{sure}: {best}\n\n{_drawn(told.instance, told.best[0])}\n", markup=False)
        table = _table("move", "moves needed", "regret", "proven")
        for value in told.moves:
            proven = "yes" if value.proven and value.regret.proven else "no"
            table.add_row(puzzle.write_move(value.move), _range(value.needed), _range(value.regret), proven)
        self.console.print(table)

    def game(self, instance: Instance, text: str) -> int:
        """Print the regret of each move of a game; return the exit code."""
        from puzzlelab.analysis.game_analysis import read_game, regrets
        from puzzlelab.analysis.serialise import game_row

        moves = read_game(instance.puzzle, text)
        told = regrets(self.solver, instance, moves, self.limit)
        self.interrupted = told.stop == "interrupted"
        if self.json:
            print(dumps(game_row(instance, self.solver, self.limit, told)), flush=True)
        else:
            self._game(instance.puzzle, told)
        return SOLVED if told.proven else UNSOLVED

    def deduction(self, instance: Instance, text: str) -> int:
        """Print the next cell after the moves of a game, and why; return the exit code."""
        from puzzlelab.analysis.game_analysis import read_game
        from puzzlelab.analysis.logical_hints import deduce, deduction_row

        puzzle = instance.puzzle
        moves = read_game(puzzle, text)
        told = deduce(instance, moves, self.solver, self.limit)
        if self.json:
            print(dumps(deduction_row(instance, moves, self.solver, told)), flush=True)
        else:
            self._deduction(told)
        return SOLVED if told.best is not None or puzzle.solved(told.instance.state) else UNSOLVED

    def _deduction(self, told: LogicalHint) -> None:
        puzzle = told.instance.puzzle
        if told.best is not None:
            self.console.print(f"next: {puzzle.write_move(told.best)}", markup=False)
        self.console.print(f"{told.why}\n\n{puzzle.draw(told.instance.state)}", markup=False)
        if told.best is not None and not told.unique:
            several = "the given board has more than one solution"
            self.console.print(several if told.unique is False else f"whether {several} is not known in time")

    def _game(self, puzzle: Puzzle, told: Regrets) -> None:
        table = _table("", "move", "needed before", "needed after", "regret", "proven")
        for number, step in enumerate(told.steps, start=1):
            values = _range(step.before), _range(step.after), _range(step.regret)
            table.add_row(str(number), puzzle.write_move(step.move), *values, "yes" if step.regret.proven else "no")
        self.console.print(f"{puzzle.name} by {self.solver.name}: {len(told.steps)} moves, {told.seconds:.3g} s")
        self.console.print(table)
        end = told.steps[-1].after if told.steps else None
        left = "" if end is None or end.most == 0 else f"; {_range(end)} more are needed at the end"
        sure = "" if told.total.proven else " (not proven)"
        self.console.print(f"regret of the whole game: {_range(told.total)}{sure}{left}")


def _needed(told: Hint) -> str:
    if told.length is None:
        return f"no solution is known yet (at least {told.lower_bound} moves are needed)"
    moves = f"{told.length} move{'s' * (told.length != 1)}"
    return f"{moves}, proven optimal" if told.needed.proven else f"{moves}, at least {told.lower_bound} are needed"


def _range(known: Interval) -> str:
    if known.unsolvable:
        return "no solution"
    if known.most is None:
        return f"{known.least} or more"
    return str(known.least) if known.proven else f"{known.least} to {known.most}"


def _drawn(instance: Instance, move: int) -> str:
    """The board; where the puzzle can do so, the cells that the move changes are marked."""
    return instance.puzzle.draw(instance.state, mark=move)


def _table(*columns: str) -> Any:
    from rich.table import Table

    return Table(*columns, box=None)
