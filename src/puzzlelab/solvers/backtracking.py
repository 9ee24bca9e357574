"""Backtracking with constraint propagation: place forced digits, then guess in the cell with the fewest candidates.

After each guess the two rules of `_candidates` place all forced digits. The search is complete, so it lists and counts
all solutions, and proves that a solution is unique or that there is none. A network may choose among these cells the
one it is surest of, and the order of the digits. Source: Norvig, "Solving every Sudoku puzzle" (2006).

Shapes: N = cells, D = digits, L = levels of the stack, one more than there are guesses on a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State, board_after
from puzzlelab.core.result import Count, Progress, Result
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Candidates, Prior
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.driver import EXHAUSTED, Machine, Score
from puzzlelab.engine.enumeration import Enumerator, counted, listed, proving_uniqueness
from puzzlelab.engine.record_parts import new_control
from puzzlelab.engine.search_rules import chosen_prior
from puzzlelab.solvers._backtracking_kernels import CONTROL, BacktrackingRecord, step
from puzzlelab.solvers._candidates import digits_of, grid_of, masks_of, view, writer


def machine(instance: Instance, guided: bool = False) -> Machine:
    """Return the search on this board; a guided one requests scores."""
    masks, digits = masks_of(instance), view(instance).units.all.shape[1]
    blanks = int(np.count_nonzero(view(instance).digits(instance.state) < 0))
    levels = blanks + 2
    record = BacktrackingRecord(
        grid=grid_of(view(instance).units),
        control=new_control(CONTROL, clues=masks.size - blanks, guided=guided),
        stack=np.zeros((levels, masks.size), np.uint32),
        cells=np.zeros(levels, np.int32),
        rest=np.zeros(levels, np.uint32),
        guesses=np.zeros(levels, np.int64),
        scores=np.zeros(masks.size * digits if guided else 0),
        cell_scores=np.zeros((levels, digits if guided else 0)),
    )
    record.stack[0] = masks
    moves_of = writer(instance)

    def solution(record: BacktrackingRecord) -> list[int]:
        return list(moves_of(digits_of(record.stack[record.control.solved])))

    def requests(record: BacktrackingRecord) -> NDArray[np.uint32]:
        masks: NDArray[np.uint32] = record.stack[record.control.level][None]
        return masks

    return Machine(record, step, solution, lambda record, room: None, lambda record: EXHAUSTED, requests)


def scorer(prior: Prior, puzzle: Candidates) -> Callable[[NDArray[np.uint32]], NDArray[np.float64]]:
    """Return a function from masks `[1, N]` to the scores of the candidates by a network, `float64[1, N, D]`."""
    bits = np.uint32(1) << np.arange(puzzle.units.all.shape[1], dtype=np.uint32)
    ask = candidate_logits.logits_of(prior, puzzle)
    return lambda masks: np.asarray(ask(masks[..., None] & bits != 0), np.float64)


class Backtracking(Enumerator):
    """Constraint propagation, and guesses in the cell with the fewest candidates.

    A `prior`, such as a network, chooses among cells with equally few candidates, and orders their digits.
    """

    name: ClassVar[str] = "backtracking"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)

    prior: str | Prior | None = None
    """A network that chooses among cells with equally few candidates, and orders their digits."""

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Return every solution, in the order of the guesses."""
        search, score = self._search(instance)
        return listed(search, limit, score=score)

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Count the solutions without listing them."""
        search, score = self._search(instance)
        return counted(search, limit, most, score=score)

    def explain(self, instance: Instance, limit: Limit | None = None) -> Iterator[str]:
        """Return the solution process as pieces of text to print: rounds of singletons, then the search."""
        search, score = self._search(instance)
        return explain(instance, search, limit or Limit(), score)

    def _search(self, instance: Instance) -> tuple[Machine, Score | None]:
        """Return the search on this board, and the function that scores its requests, if it has any."""
        if self.prior is None:
            return machine(instance), None
        return machine(instance, guided=True), scorer(chosen_prior(instance.puzzle, self.prior), view(instance))


# --- the explanation: rounds of singletons by the plain rules, then the search ----------------------------------------


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


def explain(instance: Instance, search: Machine, limit: Limit, score: Score | None) -> Iterator[str]:
    """Yield the clues, the rounds of singletons, the search and the solved board; `search` is the search on this
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
        yield from _searched(instance, blanks_of(view(instance), state), search, limit, score)


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


def _searched(instance: Instance, blanks: int, search: Machine, limit: Limit, score: Score | None) -> Iterator[str]:
    """Yield the guesses of the search, the solved board, and whether there are other solutions."""
    yield f"\nSearching the other {blanks} cells, the fewest candidates first..."
    last = Result(None)
    for attempt in proving_uniqueness(listed(search, limit, score=score)):
        if isinstance(attempt, Progress):
            continue
        if attempt.moves is not None and last.moves is None:
            yield _guesses(search)
            yield instance.puzzle.draw(board_after(instance.puzzle, instance.state, attempt.moves))
        last = attempt
    yield _verdict(last, search)


def _guesses(search: Machine) -> str:
    """Return the number of guesses at each depth."""
    counts = np.trim_zeros(search.record.guesses, "b").tolist()
    if not counts:
        return "No guess was needed: every other digit is the only candidate of its cell, or has one place left."
    levels = ", ".join(f"{count} at depth {depth}" for depth, count in enumerate(counts, start=1))
    return f"{sum(counts)} guess(es) made: {levels}."


def _verdict(result: Result, search: Machine) -> str:
    """Return the proof of the search in words."""
    if result.proof == "unique":
        return f"It is the only solution; {result.expanded} guess(es) in all show that there is no other."
    if result.proof == "unsolvable":
        return f"{_guesses(search)}\nThere is no solution: {result.reason}."
    if result.stop != "done":
        what = "a second solution" if result.moves else "a solution"
        return f"The search for {what} ended before it was done: limit of {result.stop}."
    return "There are other solutions."


SOLVER = Backtracking
