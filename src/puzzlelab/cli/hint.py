"""`puzzlelab hint`: the best moves at a position, and the regret of the others."""

from __future__ import annotations

from dataclasses import dataclass
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import (
    SOLVED,
    UNREADABLE,
    UNSOLVED,
    ErrorTally,
    fail,
    puzzle_and_boards,
    read_boards,
    say,
    show,
)
from puzzlelab.cli.options import BoardFile, BoardTexts, JsonObjects, OtherOptions, PuzzleName, Settle, SolverName
from puzzlelab.cli.progress import progress
from puzzlelab.runtime.signals import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlelab.analysis.game_analysis import Regrets
    from puzzlelab.analysis.hints import Hint
    from puzzlelab.analysis.logical_hints import LogicalHint
    from puzzlelab.cli.console import BoardStream
    from puzzlelab.core.boards import Instance
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver

Seconds = Annotated[
    float | None,
    typer.Option(help="Seconds for all moves of a board together; 60 without --time and --nodes.", show_default=False),
]
Nodes = Annotated[int | None, typer.Option(help="States to expand for all moves of a board together.")]
Game = Annotated[
    str | None,
    typer.Option(help="Moves that were played from this board: shows the regret of each, or the next cell."),
]


def hint(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    solver: SolverName = None,
    option: OtherOptions = None,
    time: Seconds = None,
    nodes: Nodes = None,
    game: Game = None,
    settle: Settle = False,
    json: JsonObjects = False,
) -> None:
    """Show all optimal moves, and how many moves every other one wastes (its regret).

    For puzzles whose solutions are all equally long: the next forced cell with the reason, or the wrong moves.

    Exit code: 0 everything proven, 1 something not proven in time or proven unsolvable, 2 something unreadable.
    """
    from puzzlelab.analysis.bounded_queries import DEFAULT_LIMIT
    from puzzlelab.analysis.hints import require_hints
    from puzzlelab.core import registry
    from puzzlelab.core.errors import BadOption
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.settings import read_options

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle)
    configured_solver = registry.solver(solver, loaded_puzzle, **read_options(option or ()))
    require_hints(configured_solver, loaded_puzzle)
    boards = read_boards(loaded_puzzle, board, file, settle)
    if game is not None and not boards.is_single:
        raise BadOption("--game is played from one board, not from several")
    limit = DEFAULT_LIMIT if time is None and nodes is None else Limit(time, nodes)
    report = HintReport(loaded_puzzle, configured_solver, limit, json)
    with progress(bars=not json):
        code = report.boards(boards, game)
    raise typer.Exit(code)


@dataclass
class HintReport:
    """The report of hints and of the regrets of games, by one solver under one limit for each."""

    puzzle: Puzzle
    solver: Solver
    limit: Limit
    json: bool
    interrupted: bool = False

    def boards(self, stream: BoardStream, game: str | None) -> int:
        """Print the hint for each board, or the regret of each move of a game; return the exit code."""
        from puzzlelab.core.errors import BadInput
        from puzzlelab.jobs.serialise import error_facts

        errors, code, many = ErrorTally(), SOLVED, not stream.is_single
        for block, place in ((each, number) for each in stream for number in range(len(each))):
            text, where = block.texts[place], block.where(place)
            try:
                instance = block[place]
                if many and not self.json:
                    say(f"\n{where}: {text}")
                code = max(code, self._board(instance, game))
            except BadInput as error:
                errors.tell(where, error)
                if self.json:
                    print(dumps(error_facts(self.puzzle, text, error)), flush=True)
                code = UNREADABLE
            if self.interrupted:
                fail("interrupted: the results are incomplete")
                code = INTERRUPTED
                break
        errors.end()
        return code

    def _board(self, instance: Instance, game: str | None) -> int:
        from puzzlelab.analysis.game_analysis import read_game
        from puzzlelab.analysis.hints import deduces

        moves = read_game(self.puzzle, game or "")
        return self.hint(instance, moves) if game is None or deduces(self.puzzle) else self.game(instance, moves)

    def hint(self, instance: Instance, moves: Sequence[int]) -> int:
        """Print the values of the moves at a position, or the next cell with the reason; return the exit code."""
        from puzzlelab.analysis.hints import hint_after
        from puzzlelab.analysis.logical_hints import LogicalHint
        from puzzlelab.jobs.serialise import hint_row

        result = hint_after(self.solver, instance, moves, self.limit)
        if self.json:
            print(dumps(hint_row(instance, moves, self.solver, self.limit, result)), flush=True)
        if isinstance(result, LogicalHint):
            if not self.json:
                self._deduction(result)
            is_answer = result.best is not None or self.puzzle.solved(result.instance.state)
            return SOLVED if is_answer else UNSOLVED
        if not self.json:
            self._hint(result)
        self.interrupted = result.stop == "interrupted"
        return SOLVED if result.proven and not result.needed.unsolvable else UNSOLVED

    def _hint(self, result: Hint) -> None:
        from puzzlelab.core.puzzle import presentation_of

        puzzle = result.instance.puzzle
        note = presentation_of(puzzle).move_note
        name = f"{puzzle.name} by {self.solver.name}"
        say(f"{name} (moves are {note})" if note else name)
        if result.needed.unsolvable:
            say(f"no move helps: {result.reason}")
            return
        if result.length == 0:
            say("nothing is left to do: the board is solved")
            return
        more = "; --time allows more" if result.stop == "time" else ""
        say(f"{_needed(result)}, {result.seconds:.3g} s, {result.expanded:,} states expanded{more}")
        if result.best:
            best = " ".join(puzzle.write_move(move) for move in result.best)
            label = "all the best moves" if result.best_proven else "the best known moves"
            say(f"{label}: {best}\n\n{_draw(result.instance, result.best[0])}\n")
        table = _table("move", "moves needed", "regret", "proven")
        for value in result.moves:
            proven = "yes" if value.proven and value.regret.proven else "no"
            table.add_row(puzzle.write_move(value.move), str(value.needed), str(value.regret), proven)
        show(table)

    def game(self, instance: Instance, moves: Sequence[int]) -> int:
        """Print the regret of each move of a game; return the exit code."""
        from puzzlelab.analysis.game_analysis import regrets
        from puzzlelab.jobs.serialise import game_row

        result = regrets(self.solver, instance, moves, self.limit)
        self.interrupted = result.stop == "interrupted"
        if self.json:
            print(dumps(game_row(instance, self.solver, self.limit, result)), flush=True)
        else:
            self._game(instance.puzzle, result)
        return SOLVED if result.proven else UNSOLVED

    def _deduction(self, result: LogicalHint) -> None:
        puzzle = result.instance.puzzle
        if result.best is not None:
            say(f"next: {puzzle.write_move(result.best)}")
        say(f"{result.why}\n\n{puzzle.draw(result.instance.state)}")
        if result.best is not None and not result.unique:
            several = "the given board has more than one solution"
            say(several if result.unique is False else f"whether {several} is not known in time")

    def _game(self, puzzle: Puzzle, regrets: Regrets) -> None:
        table = _table("", "move", "needed before", "needed after", "regret", "proven")
        for number, step in enumerate(regrets.steps, start=1):
            values = str(step.before), str(step.after), str(step.regret)
            table.add_row(str(number), puzzle.write_move(step.move), *values, "yes" if step.regret.proven else "no")
        say(f"{puzzle.name} by {self.solver.name}: {len(regrets.steps)} moves, {regrets.seconds:.3g} s")
        show(table)
        end = regrets.steps[-1].after if regrets.steps else None
        remaining = "" if end is None or end.most == 0 else f"; {end!s} more are needed at the end"
        proof = "" if regrets.total.proven else " (not proven)"
        say(f"regret of the whole game: {regrets.total!s}{proof}{remaining}")


def _needed(result: Hint) -> str:
    if result.length is None:
        return f"no solution is known yet (at least {result.lower_bound} moves are needed)"
    moves = f"{result.length} move{'s' * (result.length != 1)}"
    return f"{moves}, proven optimal" if result.needed.proven else f"{moves}, at least {result.lower_bound} are needed"


def _draw(instance: Instance, move: int) -> str:
    """Return the board as text; some puzzles mark the cells that the move changes."""
    return instance.puzzle.draw(instance.state, mark=move)


def _table(*columns: str) -> Any:
    from rich.table import Table

    return Table(*columns, box=None)
