"""Sentences for below the table of a run: limits, networks, missing answers, and answers that contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar

from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.summaries import References, grouped, has_filled_answers, references, time_notes
from puzzlelab.core.result import SEVERAL
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
    always = [*_limits(run), *_limits_of_moves(run), *_networks(run)]
    always += [*_shared_times(run), *_unfinished(run), *_wrong(run), *_denied(run)]
    if has_filled_answers(run.suite.puzzle):
        return [*always, *_several(run), *_disputed(run)]
    known = references(run)
    return [*always, *_bounds(run, known), *_contradictions(run, known)]


def _limits(run: BenchRun) -> list[str]:
    kinds = (("seconds", "s"), ("nodes", "nodes"), ("memory", "bytes of memory"))
    texts = {
        " and ".join(f"{most:,.15g} {unit}" for kind, unit in kinds if (most := answer.row.limit.get(kind)))
        for answer in run.answers
    }
    sentences = sorted(text or "no limit" for text in texts)
    return [f"Limit of each search: {'; or '.join(sentences)}."] if sentences != ["no limit"] else []


def _limits_of_moves(run: BenchRun) -> list[str]:
    """Return the limits of moves of the solvers that have one."""
    limits = _solvers_by(run, lambda answer: answer.row.options.get("max_moves"))
    same_for_all = len(limits) == 1 and len(next(iter(limits.values()))) == len(run.by_solver)
    texts = [
        f"{limit:,}" + ("" if same_for_all else f" for {', '.join(solvers)}")
        for limit, solvers in sorted(limits.items())
    ]
    return [f"Limit of moves: {'; '.join(texts)}."] * bool(texts)


def _networks(run: BenchRun) -> list[str]:
    """Return the networks by the hashes of their weights, and the suite."""
    networks = _solvers_by(run, lambda answer: answer.row.net or None)
    texts = [name + (f" ({', '.join(solvers)})" if len(networks) > 1 else "") for name, solvers in networks.items()]
    several = "s" * (len(networks) > 1)
    return [f"Network{several}: {', '.join(texts)}; hash of the suite: {run.suite.hash}."] * bool(texts)


def _solvers_by(run: BenchRun, value: Callable[[BenchAnswer], Value | None]) -> dict[Value, list[str]]:
    """Map this value of the first answer of each solver, unless there is none, to the solvers with it."""
    solvers: dict[Value, list[str]] = defaultdict(list)
    for solver, answers in run.by_solver.items():
        if (key := value(answers[0])) is not None:
            solvers[key].append(solver)
    return solvers


def _shared_times(run: BenchRun) -> list[str]:
    """Return the solvers that answered boards in batches, and whether these hold boards of several levels."""
    levels = grouped(run, lambda answer: (answer.solver, -1 if answer.entry.level is None else answer.entry.level))
    return time_notes([at for points in levels.values() for at in points.values()])


def _unfinished(run: BenchRun) -> list[str]:
    every = len(run.suite.entries)
    return [
        f"{solver} has answered {len(answers)} of the {every} boards."
        for solver, answers in run.by_solver.items()
        if len(answers) < every
    ]


def _bounds(run: BenchRun, known: References) -> list[str]:
    optimal = [known[entry.board].optimal for entry in run.suite.entries if entry.board in known]
    loose = optimal.count(False)
    sentence = f"{loose} of the {len(optimal)} best known solutions are not proven optimal; the excess is over them."
    return [sentence] * bool(loose)


def _wrong(run: BenchRun) -> list[str]:
    wrong = [answer for answer in run.answers if not answer.holds]
    if not wrong:
        return []
    reason = wrong[0].row.check(run.suite.puzzle).reason
    return [f"{len(wrong)} answers do not hold and count as unsolved; the first, of {wrong[0].solver}: {reason}."]


def _contradictions(run: BenchRun, known: References) -> list[str]:
    return [
        f"{answer.solver} solves {answer.entry.board} with {_amount(answer)}, "
        f"better than the {known[answer.entry.board].value} that are said to be optimal."
        for answer in run.answers
        if answer.entry.board in known
        and known[answer.entry.board].optimal
        and (answer.excess_over(known[answer.entry.board].value) or 0) < 0
    ][:MAX_SENTENCES]


def _amount(answer: BenchAnswer) -> str:
    """Write '7 moves', 'a cost of 12' or 'a score of 150'."""
    if answer.row.score is not None:
        return f"a score of {answer.value}"
    return f"{answer.value} moves" if answer.row.cost is None else f"a cost of {answer.value}"


def _denied(run: BenchRun) -> list[str]:
    """Name the boards that one solver solves and another one calls unsolvable."""
    solved = {answer.entry.board: answer.solver for answer in run.answers if answer.length is not None}
    return [
        f"{answer.solver} says that {answer.entry.board} has no solution, but {solved[answer.entry.board]} found one."
        for answer in run.answers
        if answer.row.proof == "unsolvable" and answer.entry.board in solved
    ][:MAX_SENTENCES]


def _several(run: BenchRun) -> list[str]:
    """Return the number of boards that have more than one solution."""
    boards = {each.entry.board for each in run.answers if each.length is not None and each.row.reason == SEVERAL}
    sentence = f"{len(boards)} of the boards have more than one solution: their answers are right, not unique."
    return [sentence] * bool(boards)


def _disputed(run: BenchRun) -> list[str]:
    """Name the solutions that one solver calls unique, although another solver has a different one."""
    only = {answer.entry.board: answer for answer in run.answers if answer.proven}
    return [
        f"{only[answer.entry.board].solver} says that {answer.entry.board} has one solution, "
        f"but {answer.solver} found another."
        for answer in run.answers
        if answer.length is not None
        and answer.entry.board in only
        and sorted(answer.row.moves or ()) != sorted(only[answer.entry.board].row.moves or ())
    ][:MAX_SENTENCES]
