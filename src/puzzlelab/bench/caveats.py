"""Sentences for below the table of a run: limits, networks, missing answers, and answers that contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

from puzzlelab.analysis.proofs import Claim, provers
from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.summaries import (
    KNOWN_SHARE,
    grouped,
    has_filled_answers,
    points_of,
    references,
    summaries,
    time_notes,
)
from puzzlelab.core.result import IN_CIRCLES, circles_in_words
from puzzlelab.engine.batch_verify import SAMPLED_EVERY, SAMPLED_FIRST

MAX_SENTENCES = 5
"""The most sentences of one kind."""
SAMPLE_NOTE = (
    f"Many answers at once are replayed by the compiled rules; the first {SAMPLED_FIRST} of a batch, and one in "
    f"{SAMPLED_EVERY:,} of the others, by the plain rules too."
)
"""The sentence for a run of large batches."""
Value = TypeVar("Value")


def caveats(run: BenchRun) -> list[str]:
    """Return sentences about limits and networks, about an incomplete run, and about answers that cannot be right."""
    of_lengths = _unknown, _loose, _better_than_optimal
    own_doubts = (_several, _disputed) if has_filled_answers(run.suite.puzzle) else of_lengths
    return [
        *_settings(run),
        *_missing(run),
        *(sentence for doubt in (_denied, *own_doubts) for sentence in islice(doubt(run), MAX_SENTENCES)),
    ]


def _settings(run: BenchRun) -> Iterator[str]:
    """Yield the limits of searches and of moves, and the networks by the hashes of their weights, with the suite.

    Where every solver uses a network, a table has the hashes.
    """
    kinds = (("seconds", "s"), ("nodes", "nodes"), ("memory", "bytes of memory"))
    limits = {
        " and ".join(f"{most:,.15g} {unit}" for kind, unit in kinds if (most := answer.row.limit.get(kind)))
        for answer in run.answers
    }
    if any(limits):
        yield f"Limit of each search: {'; or '.join(sorted(text or 'no limit' for text in limits))}."
    moves = _solvers_by(run, lambda answer: answer.row.options.get("max_moves"))
    if moves:
        same_for_all = [len(solvers) for solvers in moves.values()] == [len(run.by_solver)]
        texts = [f"{most:,}" + ("" if same_for_all else f" for {', '.join(of)}") for most, of in sorted(moves.items())]
        yield f"Limit of moves: {'; '.join(texts)}."
    networks = _solvers_by(run, lambda answer: answer.row.net or None)
    if networks and sum(map(len, networks.values())) < len(run.by_solver):
        several = len(networks) > 1
        texts = [name + f" ({', '.join(solvers)})" * several for name, solvers in networks.items()]
        yield f"Network{'s' * several}: {', '.join(texts)}; hash of the suite: {run.suite.hash}."


def _solvers_by(run: BenchRun, value: Callable[[BenchAnswer], Value | None]) -> dict[Value, list[str]]:
    """Map this value of the first answer of each solver, unless there is none, to the solvers with it."""
    solvers: dict[Value, list[str]] = defaultdict(list)
    for solver, answers in run.by_solver.items():
        if (key := value(answers[0])) is not None:
            solvers[key].append(solver)
    return solvers


def _missing(run: BenchRun) -> Iterator[str]:
    """Yield what is missing: times of boards, answers, answers that hold, and solutions where play went in circles."""
    levels = grouped(run, lambda answer: (answer.solver, -1 if answer.entry.level is None else answer.entry.level))
    yield from time_notes(points_of(levels))
    every = len(run.suite.entries)
    for solver, answers in run.by_solver.items():
        if len(answers) < every:
            yield f"{solver} has answered {len(answers)} of the {every} boards."
        if circles := sum(answer.row.reason.endswith(IN_CIRCLES) for answer in answers):
            yield circles_in_words(solver, circles, len(answers))
    wrong = [answer for answer in run.answers if not answer.holds]
    if wrong:
        reason = wrong[0].row.check(run.suite.puzzle).reason
        yield f"{len(wrong)} answers do not hold and count as unsolved; the first, of {wrong[0].solver}: {reason}."


def _denied(run: BenchRun) -> Iterator[str]:
    """Yield the boards that one solver solves and another one calls unsolvable."""
    solved = {answer.entry.board: answer.solver for answer in run.answers if answer.length is not None}
    for answer in run.answers:
        if answer.row.proof == "unsolvable" and (board := answer.entry.board) in solved:
            yield f"{answer.solver} says that {board} has no solution, but {solved[board]} found one."


def _unknown(run: BenchRun) -> Iterator[str]:
    """Yield how to prove optima, if too few are known for the mean excess of a solver."""
    if any(each.solved.number and each.compared.value < KNOWN_SHARE for each in summaries(run)):
        example = next((f", such as {each.label}" for each in provers(run.suite.puzzle, Claim("optimal"))), "")
        yield (
            "No excess is shown where the optimum of fewer than half of the solved boards is known: "
            f"add a solver that proves it to --with{example}."
        )


def _loose(run: BenchRun) -> Iterator[str]:
    """Yield the number of references that are not proven optimal."""
    known = references(run)
    optimal = [known[entry.board].optimal for entry in run.suite.entries if entry.board in known]
    if not all(optimal):
        loose = optimal.count(False)
        yield f"{loose} of the {len(optimal)} best known solutions are not proven optimal; the excess is over them."


def _better_than_optimal(run: BenchRun) -> Iterator[str]:
    """Yield the solutions that are better than what is said to be optimal."""
    known = references(run)
    for answer in run.answers:
        reference = known.get(answer.entry.board)
        if reference and reference.optimal and (answer.excess_over(reference.value) or 0) < 0:
            amount = f"{answer.value} moves" if answer.row.cost is None else f"a cost of {answer.value}"
            if answer.row.score is not None:
                amount = f"a score of {answer.value}"
            found = f"{answer.solver} solves {answer.entry.board} with {amount}"
            yield f"{found}, better than the {reference.value} that are said to be optimal."


def _several(run: BenchRun) -> Iterator[str]:
    """Yield the number of boards that have more than one solution."""
    boards = {each.entry.board for each in run.answers if each.length is not None and each.row.proof == "several"}
    if boards:
        yield f"{len(boards)} of the boards have more than one solution: their answers are right, not unique."


def _disputed(run: BenchRun) -> Iterator[str]:
    """Yield the solutions that one solver calls unique, although another solver has a different one."""
    only = {answer.entry.board: answer for answer in run.answers if answer.proven}
    for answer in run.answers:
        unique = only.get(answer.entry.board)
        if answer.length is not None and unique and sorted(answer.row.moves or ()) != sorted(unique.row.moves or ()):
            claim = f"{unique.solver} says that {answer.entry.board} has one solution"
            yield f"{claim}, but {answer.solver} found another."
