"""Explains in text how backtracking solves a board: rounds of singletons, and then the search.

The rounds use the plain rules. A round places every digit that has one possible cell in some unit of the current board;
the search also places the only candidate of a cell.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State, board_after
from puzzlelab.core.result import Progress, Result
from puzzlelab.core.views import Candidates
from puzzlelab.engine.driver import Machine, Score
from puzzlelab.engine.enumeration import listed, proving_uniqueness
from puzzlelab.solvers._candidates import view


def singletons(puzzle: Candidates, state: State) -> list[int]:
    """Return the moves that place a digit with one possible cell in a unit, in order."""
    candidates, moves = puzzle.candidates(state), set()
    for unit in puzzle.units.all:
        for digit in np.flatnonzero(candidates[unit].sum(axis=0) == 1).tolist():
            cell = int(unit[candidates[unit, digit]][0])
            moves.add(cell * candidates.shape[1] + digit)
    return sorted(moves)


def blanks_of(puzzle: Candidates, state: State) -> int:
    """Return the number of blank cells."""
    return int(np.count_nonzero(puzzle.digits(state) < 0))


def explain(instance: Instance, machine: Machine, limit: Limit, score: Score | None) -> Iterator[str]:
    """Yield the clues, the rounds of singletons, the search and the solved board; `machine` is the search on this
    board.

    `score` scores its requests, if it has any.
    """
    puzzle, state = instance.puzzle, instance.state
    clues = len(view(instance).digits(state)) - blanks_of(view(instance), state)
    yield f"{clues} clues given."
    yield puzzle.draw(state)
    objection = puzzle.objection(state)
    if objection is None:
        yield "\nSearching for singletons iteratively..."
    while objection is None and (moves := singletons(view(instance), state)):
        yield f"{len(moves):4} singleton(s) found!"
        state, objection = _written(puzzle, state, moves)
    if not np.array_equal(state, instance.state):
        yield puzzle.draw(state)
    if objection is not None:
        yield f"\nThere is no solution: {objection}."
    elif puzzle.solved(state):
        yield "\nNo search was needed: this is the only solution."
    else:
        yield from _search(instance, blanks_of(view(instance), state), machine, limit, score)


def _written(puzzle: Puzzle, state: State, moves: list[int]) -> tuple[State, str | None]:
    """Return the board with these digits, and the objection of the puzzle to it."""
    move_of_cell: dict[int, int] = {}
    for move in moves:
        cell = move // (puzzle.move_count // len(state))
        if cell in move_of_cell:
            return state, f"{puzzle.write_move(move_of_cell[cell])} and {puzzle.write_move(move)} both must be"
        move_of_cell[cell] = move
        state = puzzle.apply(state, move)
    return state, puzzle.objection(state)


def _search(instance: Instance, blanks: int, machine: Machine, limit: Limit, score: Score | None) -> Iterator[str]:
    """Yield the guesses of the search, the solved board, and whether there are other solutions."""
    yield f"\nSearching the other {blanks} cells, the fewest candidates first..."
    last = Result(None)
    for attempt in proving_uniqueness(listed(machine, limit, score=score)):
        if isinstance(attempt, Progress):
            continue
        if attempt.moves is not None and last.moves is None:
            yield _guesses(machine)
            yield instance.puzzle.draw(board_after(instance.puzzle, instance.state, attempt.moves))
        last = attempt
    yield _verdict(last, machine)


def _guesses(machine: Machine) -> str:
    """Return the number of guesses at each depth."""
    counts = np.trim_zeros(machine.record.guesses, "b").tolist()
    if not counts:
        return "No guess was needed: every other digit is the only candidate of its cell, or has one place left."
    levels = ", ".join(f"{count} at depth {depth}" for depth, count in enumerate(counts, start=1))
    return f"{sum(counts)} guess(es) made: {levels}."


def _verdict(result: Result, machine: Machine) -> str:
    """Return the proof of the search in words."""
    if result.proof == "unique":
        return f"It is the only solution; {result.expanded} guess(es) in all show that there is no other."
    if result.proof == "unsolvable":
        return f"{_guesses(machine)}\nThere is no solution: {result.reason}."
    if result.stop != "done":
        what = "a second solution" if result.moves else "a solution"
        return f"The search for {what} ended before it was done: limit of {result.stop}."
    return "There are other solutions."
