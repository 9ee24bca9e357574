"""What a reader must know beside the numbers of a run: sentences for below the table."""

from __future__ import annotations

from collections import defaultdict

from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.tables import Reference, excesses, fills, has_optimum, references
from puzzlelab.core.solutions import SEVERAL

MOST_REMARKS = 5
"""Of one kind."""


def caveats(run: BenchRun) -> list[str]:
    """Sentences about limits and networks, about a run that is not whole, and about answers that cannot be right."""
    always = [*_limits(run), *_limits_of_moves(run), *_networks(run)]
    always += [*_unfinished(run), *_wrong(run), *_denied(run)]
    if fills(run.suite.puzzle):
        return [*always, *_several(run), *_disputed(run)]
    known = references(run)
    return [*always, *_bounds(run, known), *_contradictions(run, known)]


def _limits(run: BenchRun) -> list[str]:
    kinds = (("seconds", "s"), ("nodes", "nodes"), ("memory", "bytes of memory"))
    found = {
        " and ".join(f"{answer.row.limit[kind]:,g} {unit}" for kind, unit in kinds if answer.row.limit.get(kind))
        for answer in run.answers
    }
    texts = sorted(text or "no limit" for text in found)
    return [f"Limit of each search: {'; or '.join(texts)}."] if texts != ["no limit"] else []


def _limits_of_moves(run: BenchRun) -> list[str]:
    """How many moves a solver that plays may make before it gives up; others have no such limit."""
    found: dict[int, list[str]] = defaultdict(list)
    for solver, answers in run.by_solver.items():
        most = answers[0].row.options.get("max_moves")
        if isinstance(most, int):
            found[most].append(solver)
    if not found:
        return []
    every = len(found) == 1 and len(next(iter(found.values()))) == len(run.by_solver)
    texts = [f"{most:,}" + ("" if every else f" for {', '.join(solvers)}") for most, solvers in sorted(found.items())]
    return [f"Limit of moves: {'; '.join(texts)}."]


def _networks(run: BenchRun) -> list[str]:
    """Which networks were asked, by the hashes of their weights, and on which boards."""
    found: dict[str, list[str]] = defaultdict(list)
    for solver, answers in run.by_solver.items():
        if name := answers[0].row.net:
            found[name].append(solver)
    if not found:
        return []
    texts = [name if len(found) == 1 else f"{name} ({', '.join(solvers)})" for name, solvers in found.items()]
    return [f"Network{'s' * (len(found) > 1)}: {', '.join(texts)}; hash of the suite: {run.suite.hash}."]


def _unfinished(run: BenchRun) -> list[str]:
    every = len(run.suite.entries)
    return [
        f"{solver} has answered {len(answers)} of the {every} boards."
        for solver, answers in run.by_solver.items()
        if len(answers) < every
    ]


def _bounds(run: BenchRun, known: dict[str, Reference]) -> list[str]:
    every = [known[entry.board] for entry in run.suite.entries if entry.board in known]
    loose = sum(not reference.optimal for reference in every)
    return (
        [f"{loose} of the {len(every)} known lengths are not proven optimal; the excess is over them."] if loose else []
    )


def _wrong(run: BenchRun) -> list[str]:
    wrong = [answer for answer in run.answers if not answer.holds]
    if not wrong:
        return []
    reason = wrong[0].row.check(run.suite.puzzle).reason
    return [f"{len(wrong)} answers do not hold and count as unsolved; the first, of {wrong[0].solver}: {reason}."]


def _contradictions(run: BenchRun, known: dict[str, Reference]) -> list[str]:
    return [
        f"{answer.solver} solves {answer.entry.board} in {answer.length} moves, "
        f"fewer than the {known[answer.entry.board].length} that are said to be optimal."
        for answer in run.answers
        if has_optimum(answer, known) and min(excesses([answer], known), default=0) < 0
    ][:MOST_REMARKS]


def _denied(run: BenchRun) -> list[str]:
    """A board that one solver solves and another one says to have no solution."""
    solved = {answer.entry.board: answer.solver for answer in run.answers if answer.length is not None}
    return [
        f"{answer.solver} says that {answer.entry.board} has no solution, but {solved[answer.entry.board]} found one."
        for answer in run.answers
        if answer.row.proof == "unsolvable" and answer.entry.board in solved
    ][:MOST_REMARKS]


def _several(run: BenchRun) -> list[str]:
    """How many boards are known to have more than one solution."""
    found = {answer.entry.board for answer in run.answers if answer.length is not None and answer.row.reason == SEVERAL}
    return [f"{len(found)} of the boards have more than one solution: their answers are right, not unique."] * bool(
        found
    )


def _disputed(run: BenchRun) -> list[str]:
    """A solution that one solver says to be the only one, where another solver found another."""
    only = {answer.entry.board: answer for answer in run.answers if answer.proven}
    return [
        f"{only[answer.entry.board].solver} says that {answer.entry.board} has one solution, "
        f"but {answer.solver} found another."
        for answer in run.answers
        if answer.length is not None
        and answer.entry.board in only
        and sorted(answer.row.moves or ()) != sorted(only[answer.entry.board].row.moves or ())
    ][:MOST_REMARKS]
