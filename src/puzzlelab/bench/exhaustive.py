"""Every board of a small puzzle that can be solved, with its true distance, and solvers put to all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from puzzlelab.bench.runs import BenchAnswer, BenchRun, label_of
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.row import Row, unanswered
from puzzlelab.core.solver import BatchSolver, Solver, ability, names_of, require, solve
from puzzlelab.core.verify import verify
from puzzlelab.engine import report
from puzzlelab.engine.batch_verify import CHECKED, wrong
from puzzlelab.experience.state_space import label_states

AT_ONCE = 1 << 14
"""Boards that a solver is given at once, if it can answer many."""
REMARK = (
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


def run(suite: Suite, solvers: Sequence[Solver], limit: Limit) -> BenchRun:
    """Every solver's answer to every board, none of them kept in a file. Ctrl-C ends it with the answers so far.

    For boards to which the puzzle does not object. See `REMARK` for how answers are checked.
    """
    for solver in solvers:
        require(solver, suite.puzzle)
    answers: list[BenchAnswer] = []
    instances = [suite.instance(entry) for entry in suite.entries]
    different = {label_of(solver, suite.puzzle): solver for solver in solvers}
    try:
        for label, solver in different.items():
            for answer in _answers(suite, instances, label, solver, limit):
                if answer.row.stop == "interrupted":
                    return BenchRun(suite, tuple(answers), interrupted=True)
                answers.append(answer)
    except KeyboardInterrupt:
        return BenchRun(suite, tuple(answers), interrupted=True)
    return BenchRun(suite, tuple(answers))


def _answers(
    suite: Suite, instances: Sequence[Instance], label: str, solver: Solver, limit: Limit
) -> Iterator[BenchAnswer]:
    """One solver's answers in the order of the suite; raises `PuzzlelabError` for one that does not hold."""
    question = unanswered(suite.puzzle, "", solver, limit)
    size = AT_ONCE if ability(solver, BatchSolver) else 1
    for first in range(0, len(instances), size):
        portion, entries = instances[first : first + size], suite.entries[first : first + size]
        for entry, instance, result in zip(entries, portion, _results(solver, portion, limit), strict=True):
            yield BenchAnswer(label, entry, _row(question, entry, instance, result), holds=True)
        report.progress(label, first + len(portion), len(instances))


def _results(solver: Solver, portion: Sequence[Instance], limit: Limit) -> list[Result]:
    """The verified answers to a few boards."""
    together = ability(solver, BatchSolver)
    if together is None:
        return [solve(solver, instance, limit) for instance in portion]
    results = together.solve_batch(portion, limit, lambda: False)
    boards = np.array([instance.state for instance in portion])
    if fault := wrong(portion[0].puzzle, boards, [result.moves for result in results]) or _false(portion, results):
        place, reason = fault
        raise PuzzlelabError(f"{solver.name} gave a wrong answer for {portion[place]!r}: {reason}")
    return results


def _false(portion: Sequence[Instance], results: Sequence[Result]) -> tuple[int, str] | None:
    """The first result whose claims, if it makes any beside its moves, do not hold, and why."""
    for place, (instance, result) in enumerate(zip(portion, results, strict=True)):
        if result.proof != "none" or result.lower_bound > (result.length or 0):
            verdict = verify(instance, result)
            if not verdict.holds:
                return place, verdict.reason
    return None


def _row(question: Row, entry: SuiteEntry, instance: Instance, result: Result) -> Row:
    """The row of an answer that was checked."""
    answer = {
        **{name: getattr(result, name) for name in ("length", "proof", "reason", "stop", "lower_bound", "seconds")},
        **{name: getattr(result, name) for name in ("expanded", "generated", "evaluations")},
        "board": entry.board,
        "moves": None if result.moves is None else names_of(instance.puzzle, result.moves),
        "verified": result.moves is not None,
    }
    return question.model_copy(update=answer)
