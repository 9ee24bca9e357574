"""Benchmarks of solvers on every solvable board of a small puzzle, with its true distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from puzzlelab.bench.batches import Batching, batches
from puzzlelab.bench.runs import BenchAnswer, BenchRun, solver_label
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, names_of
from puzzlelab.core.solver import BatchSolver, Solver, ability, require
from puzzlelab.core.verify import Answer
from puzzlelab.engine import report
from puzzlelab.engine.solving import SAMPLED_EVERY, SAMPLED_FIRST, answers_of
from puzzlelab.experience.state_space import label_states
from puzzlelab.storage.row import Row, shared_time, unanswered

BATCH_SIZE = 1 << 14
"""Boards in one call of a solver that is a `BatchSolver`."""
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

    For boards without an objection. `batching` says which boards a `BatchSolver` gets together. `VERIFICATION_NOTE`
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
    for numbers in batches(suite, indices, batching if ability(solver, BatchSolver) else Batching.BOARD, BATCH_SIZE):
        entries = [suite.entries[number] for number in numbers]
        for entry, answer in zip(entries, answers_of(solver, suite.boards(entries), limit), strict=True):
            yield BenchAnswer(label, entry, _row(empty_row, entry, answer), holds=True)
        done += len(entries)
        report.progress(label, done, len(indices))


def _row(empty_row: Row, entry: SuiteEntry, answer: Answer) -> Row:
    """Return the row of an answer that was checked."""
    result = answer.result
    columns = {
        **{name: getattr(result, name) for name in ("length", "proof", "reason", "stop", "lower_bound", "seconds")},
        **{name: getattr(result, name) for name in ("expanded", "generated", "evaluations")},
        "board": entry.board,
        "moves": None if result.moves is None else names_of(answer.instance.puzzle, result.moves),
        "verified": answer.confirmed,
        "verified_by": answer.verified_by,
        **shared_time(result),
    }
    return empty_row.model_copy(update=columns)
