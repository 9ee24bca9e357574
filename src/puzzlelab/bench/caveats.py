"""Sentences for below the table of a run: limits, networks, missing answers, and answers that contradict each other."""

from __future__ import annotations

from collections import defaultdict

from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.tables import Reference, excesses, has_filled_answers, has_optimum, references
from puzzlelab.bench.timing import ADVICE, timing_of
from puzzlelab.core.result import SEVERAL

MAX_SENTENCES = 5
"""The most sentences of one kind."""


def caveats(run: BenchRun) -> list[str]:
    """Return sentences about limits and networks, about an incomplete run, and about answers that cannot be right."""
    always = [*_limits(run), *_limits_of_moves(run), *_networks(run)]
    always += [*_shared_times(run), *_unfinished(run), *_wrong(run), *_denied(run)]
    if has_filled_answers(run.suite.puzzle):
        return [*always, *_several(run), *_disputed(run)]
    reference_lengths = references(run)
    return [*always, *_bounds(run, reference_lengths), *_contradictions(run, reference_lengths)]


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
    solvers_by_limit: dict[int, list[str]] = defaultdict(list)
    for solver, answers in run.by_solver.items():
        limit = answers[0].row.options.get("max_moves")
        if isinstance(limit, int):
            solvers_by_limit[limit].append(solver)
    if not solvers_by_limit:
        return []
    same_for_all = len(solvers_by_limit) == 1 and len(next(iter(solvers_by_limit.values()))) == len(run.by_solver)
    texts = [
        f"{limit:,}" + ("" if same_for_all else f" for {', '.join(solvers)}")
        for limit, solvers in sorted(solvers_by_limit.items())
    ]
    return [f"Limit of moves: {'; '.join(texts)}."]


def _networks(run: BenchRun) -> list[str]:
    """Return the networks by the hashes of their weights, and the suite."""
    solvers_by_network: dict[str, list[str]] = defaultdict(list)
    for solver, answers in run.by_solver.items():
        if name := answers[0].row.net:
            solvers_by_network[name].append(solver)
    if not solvers_by_network:
        return []
    texts = [
        name if len(solvers_by_network) == 1 else f"{name} ({', '.join(solvers)})"
        for name, solvers in solvers_by_network.items()
    ]
    return [f"Network{'s' * (len(solvers_by_network) > 1)}: {', '.join(texts)}; hash of the suite: {run.suite.hash}."]


def _shared_times(run: BenchRun) -> list[str]:
    """Return the solvers that answered boards in batches, and whether these hold boards of several levels."""
    whole: list[str] = []
    parts: list[str] = []
    for solver, answers in run.by_solver.items():
        if timing_of(answers).kind == "alone":
            continue
        levels = {answer.entry.level for answer in answers}
        by_level = [[answer for answer in answers if answer.entry.level == level] for level in levels]
        kinds = {timing_of(answers_of_level).kind for answers_of_level in by_level}
        (parts if "parts of batches" in kinds else whole).append(solver)
    sentences = []
    if whole:
        sentences.append(
            f"{', '.join(whole)}: boards were answered in batches; of their seconds only the mean is measured."
        )
    if parts:
        sentences.append(f"{', '.join(parts)}: batches hold several levels, so no seconds of a level; {ADVICE}.")
    return sentences


def _unfinished(run: BenchRun) -> list[str]:
    every = len(run.suite.entries)
    return [
        f"{solver} has answered {len(answers)} of the {every} boards."
        for solver, answers in run.by_solver.items()
        if len(answers) < every
    ]


def _bounds(run: BenchRun, reference_lengths: dict[str, Reference]) -> list[str]:
    lengths = [reference_lengths[entry.board] for entry in run.suite.entries if entry.board in reference_lengths]
    loose = sum(not reference.optimal for reference in lengths)
    return (
        [f"{loose} of the {len(lengths)} best known solutions are not proven optimal; the excess is over them."]
        if loose
        else []
    )


def _wrong(run: BenchRun) -> list[str]:
    wrong = [answer for answer in run.answers if not answer.holds]
    if not wrong:
        return []
    reason = wrong[0].row.check(run.suite.puzzle).reason
    return [f"{len(wrong)} answers do not hold and count as unsolved; the first, of {wrong[0].solver}: {reason}."]


def _contradictions(run: BenchRun, reference_lengths: dict[str, Reference]) -> list[str]:
    return [
        f"{answer.solver} solves {answer.entry.board} with {_amount(answer)}, "
        f"better than the {reference_lengths[answer.entry.board].value} that are said to be optimal."
        for answer in run.answers
        if has_optimum(answer, reference_lengths) and min(excesses([answer], reference_lengths), default=0) < 0
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
    boards = {
        answer.entry.board for answer in run.answers if answer.length is not None and answer.row.reason == SEVERAL
    }
    return [f"{len(boards)} of the boards have more than one solution: their answers are right, not unique."] * bool(
        boards
    )


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
