"""Benchmarks of solvers on every solvable board of a small puzzle, with its true distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from puzzlelab.bench.batches import Batching, batches
from puzzlelab.bench.runs import BenchAnswer, BenchRun, solver_label
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.row import Row, shared_time, unanswered
from puzzlelab.core.solver import BatchSolver, Solver, ability, names_of, require, solve, solve_together
from puzzlelab.core.verify import verify
from puzzlelab.engine import report
from puzzlelab.engine.batch_verify import CHECKED, wrong
from puzzlelab.experience.state_space import label_states

BATCH_SIZE = 1 << 14
"""Boards in one call of a solver that is a `BatchSolver`."""
VERIFICATION_NOTE = (
    f"Many answers at once are replayed by the compiled rules, and one in {CHECKED} of them by the plain rules too."
)


def suite(puzzle: Puzzle) -> Suite:
    """Every board that can be solved, with its true distance as its level.

    Raises `Unsupported` where moves cannot be undone, and `BadInput` where there are too many boards.
    """
    boards, distances, _ = label_states(puzzle)
    entries = [
        SuiteEntry(puzzle.write(board), distance, distance, known_is_optimal=True)
        for board, distance in zip(boards, distances.tolist(), strict=True)
    ]
    return Suite(f"{puzzle.name}, all boards", puzzle, tuple(entries))


def run(suite: Suite, solvers: Sequence[Solver], limit: Limit, batching: Batching = Batching.LEVEL) -> BenchRun:
    """Every solver's answer to every board, without writing files. Ctrl-C ends the run with the answers so far.

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
    """One solver's answers; raises `PuzzlelabError` for one that does not hold."""
    empty_row = unanswered(suite.puzzle, "", solver, limit)
    indices, done = range(len(suite.entries)), 0
    for numbers in batches(suite, indices, batching if ability(solver, BatchSolver) else Batching.BOARD, BATCH_SIZE):
        entries = [suite.entries[number] for number in numbers]
        instances = [suite.instance(entry) for entry in entries]
        for entry, instance, result in zip(entries, instances, _results(solver, instances, limit), strict=True):
            yield BenchAnswer(label, entry, _row(empty_row, entry, instance, result), holds=True)
        done += len(entries)
        report.progress(label, done, len(indices))


def _results(solver: Solver, batch: Sequence[Instance], limit: Limit) -> list[Result]:
    """The verified answers to a few boards."""
    batch_solver = ability(solver, BatchSolver)
    if batch_solver is None:
        return [solve(solver, instance, limit) for instance in batch]
    results = solve_together(batch_solver, batch, limit)
    boards = np.array([instance.state for instance in batch])
    if fault := wrong(batch[0].puzzle, boards, [result.moves for result in results]) or _false(batch, results):
        number, reason = fault
        raise PuzzlelabError(f"{solver.name} gave a wrong answer for {batch[number]!r}: {reason}")
    return results


def _false(batch: Sequence[Instance], results: Sequence[Result]) -> tuple[int, str] | None:
    """The first result whose proof or lower bound does not hold, and the reason."""
    for number, (instance, result) in enumerate(zip(batch, results, strict=True)):
        if result.proof != "none" or result.lower_bound > (result.length or 0):
            verdict = verify(instance, result)
            if not verdict.holds:
                return number, verdict.reason
    return None


def _row(empty_row: Row, entry: SuiteEntry, instance: Instance, result: Result) -> Row:
    """The row of an answer that was checked."""
    answer = {
        **{name: getattr(result, name) for name in ("length", "proof", "reason", "stop", "lower_bound", "seconds")},
        **{name: getattr(result, name) for name in ("expanded", "generated", "evaluations")},
        "board": entry.board,
        "moves": None if result.moves is None else names_of(instance.puzzle, result.moves),
        "verified": result.moves is not None,
        **shared_time(result),
    }
    return empty_row.model_copy(update=answer)
