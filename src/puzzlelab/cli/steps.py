"""`puzzlelab steps`: all steps of logic that are possible on a board, the easiest first."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

import typer

from puzzlelab.cli import options
from puzzlelab.cli.console import SOLVED, UNSOLVED, ErrorTally, puzzle_and_boards, read_boards, say
from puzzlelab.core.errors import BadBoard

if TYPE_CHECKING:
    from puzzlelab.core.boards import Instance
    from puzzlelab.core.solver import Solver


def steps(
    puzzle: options.PuzzleName,
    board: options.BoardTexts = None,
    file: options.BoardFile = None,
    settle: options.Settle = False,
    json: options.JsonObjects = False,
) -> None:
    """Show all steps of logic that are possible on a board, the easiest first, with the reason of each.

    Exit code: 0 steps for every board, 1 a board without a solution or without a known step, 2 something unreadable.
    """
    from puzzlelab.analysis.logic_steps import logic_of
    from puzzlelab.core import registry

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle, file)
    logic_of(loaded_puzzle)  # a puzzle without logic is an error before its boards
    solver, errors, code = registry.solver(None, loaded_puzzle), ErrorTally(), SOLVED
    blocks, total = read_boards(loaded_puzzle, board, file, settle)
    for each in (block[place : place + 1] for block in blocks for place in range(len(block))):
        errors.tell_boards(each, json)
        if not each.errors:
            if total != 1 and not json:
                say(f"\n{each.where(0)}: {each.texts[0]}")
            code = max(code, _print_steps(each[0], solver, json))
    raise typer.Exit(errors.end(code))


def _print_steps(board: Instance, solver: Solver, json: bool) -> int:
    """Print the steps of a board, or why there are none; return the exit code."""
    from puzzlelab.analysis.logic_steps import possible_steps
    from puzzlelab.core.limit import Limit
    from puzzlelab.jobs.serialise import steps_row

    shown, reason = [], "no step of logic is known here"
    try:
        for step in possible_steps(solver, board, Limit()):
            shown.append(step)
            if not json:
                say(str(step))
    except BadBoard as error:
        reason = str(error)
    if json:
        say(dumps(steps_row(board, shown, "" if shown else reason)))
    elif not shown:
        say(reason)
    return SOLVED if shown else UNSOLVED
