"""What was found of a board, as plain data that JSON can hold: the command line prints it and a server sends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.solver import Solver, options_of
from puzzlelab.core.version import VERSION
from puzzlelab.core.views import scale_of

if TYPE_CHECKING:
    from puzzlelab.analysis.bounded_queries import Interval
    from puzzlelab.analysis.game_analysis import MoveRegret, Regrets
    from puzzlelab.analysis.hints import Hint, MoveValue
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.solutions import Count

Facts = dict[str, Any]


def error_facts(puzzle: Puzzle, board: str, error: Exception) -> Facts:
    """A text that could not be answered, as it was given, and why."""
    return {"puzzle": puzzle.name, "board": board, "error": str(error)}


def hint_row(instance: Instance, solver: Solver, limit: Limit, told: Hint) -> Facts:
    """A hint with its question and the work that it took."""
    return {**_question(instance, solver, limit), **hint_facts(told), **_work(told)}


def game_row(instance: Instance, solver: Solver, limit: Limit, told: Regrets) -> Facts:
    """The regrets of a game from this board, with the question and the work that it took."""
    return {**_question(instance, solver, limit), **game_facts(instance.puzzle, told), **_work(told)}


def _question(instance: Instance, solver: Solver, limit: Limit) -> Facts:
    puzzle = instance.puzzle
    return {
        "puzzle": puzzle.name,
        "board": puzzle.write(instance.state),
        "solver": solver.name,
        "options": options_of(solver, puzzle),
        "limit": vars(limit),
        "version": VERSION,
    }


def _work(told: Hint | Regrets) -> Facts:
    return {"stop": told.stop, "expanded": told.expanded, "seconds": round(told.seconds, 6)}


def hint_facts(told: Hint) -> Facts:
    """A hint as plain data."""
    puzzle = told.instance.puzzle

    def facts(value: MoveValue) -> Facts:
        return {"move": puzzle.write_move(value.move), **_range(value.needed), "regret": _range(value.regret)}

    return {
        **_range(told.needed),
        "reason": told.reason,
        "best": [puzzle.write_move(move) for move in told.best],
        "settled": told.settled,
        "all_proven": told.proven,
        "moves": [facts(value) for value in told.moves],
    }


def game_facts(puzzle: Puzzle, told: Regrets) -> Facts:
    """The regrets of a game as plain data."""

    def facts(step: MoveRegret) -> Facts:
        ranges = {"before": _range(step.before), "after": _range(step.after), "regret": _range(step.regret)}
        return {"move": puzzle.write_move(step.move), **ranges}

    return {"regret": _range(told.total), "all_proven": told.proven, "steps": [facts(step) for step in told.steps]}


def _range(known: Interval) -> Facts:
    """A range as plain data; `length` is the most that may be needed."""
    facts = {"length": known.most, "lower_bound": None if known.unsolvable else known.least, "proven": known.proven}
    return facts | ({"unsolvable": True} if known.unsolvable else {})


def count_facts(puzzle: Puzzle, board: str, count: Count) -> Facts:
    """How many solutions a board has; `complete` says whether these are all."""
    return {
        "puzzle": puzzle.name,
        "board": board,
        "solutions": count.solutions,
        "complete": count.complete,
        "stop": count.stop,
    }


def board_facts(
    puzzle: Puzzle, boards: Iterable[State], scale: str | None, level: str | None, seed: int
) -> Iterator[Facts]:
    """New boards, as `analysis.board_generation` makes them, each with what was asked and with its number from 1."""
    name, _ = scale_of(puzzle, scale)
    for number, board in enumerate(boards, start=1):
        asked = {"scale": name, "level": level, "seed": seed, "number": number}
        yield {"puzzle": puzzle.name, "board": puzzle.write(board), **asked}
