"""Benchmarks of solvers on every solvable board of a small puzzle, with its true distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from puzzlelab.bench.batches import Batching, batches
from puzzlelab.bench.runs import BenchAnswer, BenchRun, solver_label
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core.answers import joined
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Solver, require
from puzzlelab.engine import report
from puzzlelab.engine.batch_verify import SAMPLED_EVERY, SAMPLED_FIRST
from puzzlelab.engine.solving import solve_boards
from puzzlelab.experience.state_space import label_states
from puzzlelab.jobs.row_batch import row_columns
from puzzlelab.storage.row import unanswered

BATCH_SIZE = 1 << 14
"""Boards that a solver gets together."""
VERIFICATION_NOTE = (
    f"Many answers at once are replayed by the compiled rules; the first {SAMPLED_FIRST} of a batch, and one in "
    f"{SAMPLED_EVERY:,} of the others, by the plain rules too."
)


def suite_of(puzzle: Puzzle) -> Suite:
    """Return every board that can be solved, with its true distance as its level.

    Raises `Unsupported` where moves cannot be undone, and `BadInput` where there are too many boards.
    """
    boards, distances, _ = label_states(puzzle)
    entries = [
        SuiteEntry(puzzle.write(board), distance, distance, known_is_optimal=True)
        for board, distance in zip(boards, distances.tolist(), strict=True)
    ]
    return Suite(f"{puzzle.name}, all boards", puzzle, tuple(entries))


def run(suite: Suite, solvers: Sequence[Solver], limit: Limit, batching: Batching = Batching.LEVEL) -> BenchRun:
    """Return every solver's answer to every board, without writing files. Ctrl-C ends the run with the answers so far.

    For boards without an objection. `batching` says which boards a solver gets together. `VERIFICATION_NOTE`
    says how answers are checked.
    """
    for solver in solvers:
        require(solver, suite.puzzle)
    answers: list[BenchAnswer] = []
    different = {solver_label(solver, suite.puzzle): solver for solver in solvers}
    try:
        for label, solver in different.items():
            for answer in _answers(suite, label, solver, limit, batching):
                if answer.row.stop == "interrupted":
                    return BenchRun(suite, tuple(answers), interrupted=True)
                answers.append(answer)
    except KeyboardInterrupt:
        return BenchRun(suite, tuple(answers), interrupted=True)
    return BenchRun(suite, tuple(answers))


def _answers(suite: Suite, label: str, solver: Solver, limit: Limit, batching: Batching) -> Iterator[BenchAnswer]:
    """Yield the answers of one solver; raises `PuzzlelabError` for one that does not hold."""
    empty_row = unanswered(suite.puzzle, "", solver, limit)
    indices, done = range(len(suite.entries)), 0
    for numbers in batches(suite, indices, batching, BATCH_SIZE):
        entries = [suite.entries[number] for number in numbers]
        boards = suite.boards(entries)
        answers = joined(boards, solve_boards(solver, boards, limit))
        rows = row_columns(empty_row, [entry.board for entry in entries], answers)
        for entry, row in zip(entries, rows.rows(), strict=True):
            yield BenchAnswer(label, entry, row, holds=True, batch=rows.time if row.seconds is None else None)
        done += len(entries)
        report.progress(label, done, len(indices))
