"""`bands`: solves, counts and lists 9x9 Sudoku, one board or millions of them.

Shapes: B = puzzles in a batch.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import PROOFS, STOPS, UNSOLVED, Answers, Counts
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import BadBoard, BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import NO_SOLUTION, Count, Proof, Stop
from puzzlelab.core.solver import (
    Attempt,
)
from puzzlelab.core.views import Candidates
from puzzlelab.engine.driver import Machine
from puzzlelab.engine.enumeration import UNLIMITED, Enumerator, counted, listed
from puzzlelab.engine.parallel import ordered_map
from puzzlelab.engine.record_parts import new_control
from puzzlelab.engine.solving import attempts_of, singly
from puzzlelab.puzzles.sudoku import bands_kernels
from puzzlelab.puzzles.sudoku.bands_kernels import DIGIT_OF, NOT_COUNTED, BandsRecord, begin, new_stack, step

BEFORE_FIRST_MOVES = np.arange(0, 81 * 9, 9, dtype=np.int32) - 1
"""[81]: the move that writes the first digit in each cell, less one."""
CHUNK = 2048
"""Puzzles that one thread takes at a time."""
MOST_GUESSES = 10_000
"""Guesses for one board of a batch whose solutions are counted: some thousandths of a second."""
LEAST_SECONDS = 1.0
"""With less time for a board than this, its solutions are counted by a search that has a clock."""


def machine(state: NDArray[np.uint8]) -> Machine:
    """Return the search for all solutions of a board."""
    record = BandsRecord(
        new_control(bands_kernels.CONTROL), new_stack(), DIGIT_OF, state.copy(), np.zeros(81, np.uint8)
    )
    begin(record)
    blanks = np.flatnonzero(state == 0)

    def moves(record: BandsRecord) -> list[int]:
        digits: list[int] = (blanks * 9 + record.grid[blanks] - 1).tolist()
        return digits

    return Machine(record, step, moves, lambda record, room: None, lambda record: ("none", "", "done"))


class Bands(Enumerator):
    """The fastest solver of 9x9 Sudoku: bit algebra over digits, bands and stacks; counts and lists too."""

    name: ClassVar[str] = "bands"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)
    proves_unsolvable: ClassVar[bool] = True

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Return why it cannot solve this puzzle, in words."""
        return None if puzzle.name == "sudoku-9x9" else "it is made for sudoku-9x9"

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Return every solution, in the order of the search."""
        return listed(machine(instance.state), limit)

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Yield the answers to all boards at once, because none takes long; under a limit on nodes, one by one."""
        if limit.nodes is not None or over():
            yield from singly(boards, lambda board: attempts_of(self, board, limit), over)
        else:
            began = time.perf_counter()
            answers = _answers(boards, solve_batch(boards.states, jobs=1))
            yield answers.solved_together(time.perf_counter() - began)

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Return how many solutions there are; about ten million a second where there are many."""
        return counted(machine(instance.state), limit, most)

    def count_batch(self, boards: Boards, most: int, limit: Limit) -> Counts:
        """Return how many solutions each board has.

        The counts of those that need many guesses, or have little time, are interrupted.
        """
        is_timed = limit.memory is not None or (limit.seconds is not None and limit.seconds < LEAST_SECONDS)
        if is_timed:
            return super().count_batch(boards, most, limit)
        # A search by itself ends with its last guess if that reaches the limit.
        most_guesses = MOST_GUESSES if limit.nodes is None else min(MOST_GUESSES, limit.nodes - 1)
        began = time.perf_counter()
        batch = solve_batch(boards.states, most, jobs=1, most_guesses=most_guesses)
        firsts = _solutions(boards, batch, 1).solved_together(time.perf_counter() - began)
        names: list[Stop] = ["interrupted", "done", "solutions"]
        kinds = np.where(batch.counts == NOT_COUNTED, 0, np.where(batch.counts < most, 1, 2))
        stops = np.array([STOPS.index(name) for name in names], np.uint8)[kinds]
        return Counts(np.maximum(batch.counts, 0), stops, batch.guesses, firsts, _solutions(boards, batch, 2))


class BandsBatch(NamedTuple):
    """The results of many puzzles."""

    solutions: NDArray[np.uint8]
    """[B, 81]: the first solution; zeros where there is none."""
    others: NDArray[np.uint8]
    """[B, 81]: the second solution, where two are counted; zeros elsewhere."""
    counts: NDArray[np.int64]
    """[B]: the number of solutions, up to the maximum; `NOT_COUNTED` where more guesses are needed than are allowed."""
    guesses: NDArray[np.int64]
    """[B]: the number of guesses."""
    rounds: NDArray[np.int64]
    """[B]: how often the rules were applied to all of a board."""


def solve_batch(
    puzzles: NDArray[Any], most: int = 2, jobs: int | None = None, most_guesses: int = UNLIMITED
) -> BandsBatch:
    """Solve many puzzles at once, on `jobs` threads (all cores if not given).

    Args:
        puzzles: `uint8[B, 81]`, 0 for blank.
        most: the number of solutions of a puzzle at which to stop; 2 tells whether the solution is unique.
        jobs: threads.
        most_guesses: guesses for one puzzle; the count of one that needs more is `NOT_COUNTED`.

    Raises:
        BadOption: for an array of another shape, or `most` below 1.
        BadBoard: for a number that is no digit, with its place.
    """
    puzzles = np.asarray(puzzles)
    if puzzles.ndim != 2 or puzzles.shape[1] != 81 or not np.issubdtype(puzzles.dtype, np.integer):
        kind = f"{puzzles.dtype}{list(puzzles.shape)}"
        raise BadOption(f"puzzles are an array of integers of shape [B, 81], not {kind}")
    if most < 1:
        raise BadOption(f"the number of solutions must be at least 1, not {most}")
    is_wrong = (puzzles < 0) | (puzzles > 9)
    if is_wrong.any():
        row, cell = np.argwhere(is_wrong)[0]
        raise BadBoard(f"{puzzles[row, cell]} is no digit from 0 to 9", f"puzzle {row}, cell {cell}")
    clues = np.array(puzzles, np.uint8, order="C")
    result = BandsBatch(np.zeros_like(clues), np.zeros_like(clues), *(np.zeros(len(clues), np.int64) for _ in range(3)))
    over = threading.Event()

    def chunk(start: int) -> None:
        if not over.is_set():
            part = slice(start, start + CHUNK)
            stack, control = new_stack(), new_control(bands_kernels.CONTROL)
            answers = (array[part] for array in result)
            bands_kernels.solve_all(clues[part], stack, control, DIGIT_OF, most, most_guesses, *answers)

    for _ in ordered_map(chunk, range(0, len(clues), CHUNK), jobs, on_interrupt=over.set):
        pass
    return result


def _answers(boards: Boards, batch: BandsBatch) -> Answers:
    """Return the answers to many boards with their proofs."""
    proofs: list[Proof] = ["unsolvable", "unique", "several"]
    codes = np.array(list(map(PROOFS.index, proofs)), np.uint8)
    return replace(
        _solutions(boards, batch, 1),
        proofs=codes[np.minimum(batch.counts, 2)],
        rare={int(place): {"reason": NO_SOLUTION} for place in np.flatnonzero(batch.counts == 0)},
    )


def _solutions(boards: Boards, batch: BandsBatch, number: int) -> Answers:
    """Return solution number 1 or 2 of each board, without a proof."""
    solved, solutions = batch.counts >= number, batch.solutions if number == 1 else batch.others
    is_move = (boards.states == 0) & solved[:, None]
    lengths = np.where(solved, is_move.sum(axis=1, dtype=np.int32), np.int32(UNSOLVED))
    counts = {"expanded": batch.guesses, "generated": batch.rounds}
    answers = Answers.blank(boards, lengths=lengths, lower_bounds=np.maximum(lengths, 0), **counts)
    moves = np.compress(is_move.reshape(-1), (BEFORE_FIRST_MOVES + solutions).reshape(-1))
    return replace(answers, moves=moves)


SOLVER = Bands
