"""Runs solvers on one board or on many, and verifies their answers; only this module knows how a solver solves many.

Shapes: B = boards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby, islice

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import PROOFS, STOPS, Answers
from puzzlelab.core.boards import Boards, Instance, naming_bad_boards
from puzzlelab.core.errors import NoRoom, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import (
    Progress,
    Result,
    Stop,
    bound_in_words,
    bound_of,
    value_in_words,
    with_stop,
    with_tighter_bound,
)
from puzzlelab.core.solver import Attempt, Solver, require
from puzzlelab.core.verify import Verdict, confirmed
from puzzlelab.core.views import KernelRules
from puzzlelab.engine import report
from puzzlelab.engine.batch_verify import verified
from puzzlelab.runtime.memory import limit_reason, resident, within

BATCH, LARGEST_BATCH = 1000, 4000
"""Boards in one batch of a solver that `shares_work`, and of any other one."""
REPORT_SECONDS = 1.0
"""The seconds after which the progress of the search of one board is reported."""
HOLD_SECONDS = 0.1
"""The time for which results may wait for those of the boards after them."""


def never() -> bool:
    """Tell whether to end early: no."""
    return False


# --- one board ---


def attempts_of(solver: Solver, instance: Instance, limit: Limit) -> Generator[Attempt, None, None]:
    """Yield the attempts of a solver on a board; raises `Unsupported` if it cannot solve this puzzle.

    A board with an `objection` is proven unsolvable without a search. Where the memory is used up, the best result so
    far is the last, with the stop `memory`.
    """
    require(solver, instance.puzzle)
    began = time.perf_counter()
    if objection := instance.puzzle.objection(instance.state):
        yield Result(None, "unsolvable", objection, seconds=time.perf_counter() - began)
        return
    yield from _attempts_within(solver, instance, limit)


def _attempts_within(solver: Solver, instance: Instance, limit: Limit) -> Generator[Attempt, None, None]:
    """Yield the attempts of a solver that suits the puzzle on a board without an objection."""
    used, best = 0 if limit.memory is None else resident(), Result(None)
    for attempt in ended_by_memory(lambda: within(limit, lambda: solver.attempts(instance, limit))):
        if isinstance(attempt, Result):
            best = attempt
        elif attempt.seconds >= REPORT_SECONDS:
            _report(instance.puzzle, best, attempt)
        if isinstance(attempt, Result) and attempt.stop == "memory" and attempt.moves is None and not attempt.reason:
            attempt = replace(attempt, reason=limit_reason(limit, used))
        yield attempt


def _report(puzzle: Puzzle, best: Result, latest: Progress) -> None:
    """Report the progress of a search: its states, its best result so far, and its bound."""
    bound = bound_in_words(objective_of(puzzle).with_sums(Result(None), 0, latest.bound))
    known = "no solution so far" if best.moves is None else f"the best so far: {value_in_words(best)}"
    status = ", ".join(filter(None, [known, bound, f"{latest.seconds:.0f} s"]))
    report.progress("states expanded", latest.expanded, None, status)


def ended_by_memory(begin: Callable[[], Iterator[Attempt]]) -> Generator[Attempt, None, None]:
    """Yield the attempts that `begin` gives.

    The best so far with the stop `memory` is the last where memory runs out.
    """
    best: Result = Result(None)
    latest: Attempt = best
    try:
        for latest in begin():
            if isinstance(latest, Result):
                best = latest
            yield latest
    except (NoRoom, MemoryError) as error:
        best = _ended(best, latest, "memory")
        yield best if best.moves is not None else replace(best, reason=memory_reason(error))


def memory_reason(error: NoRoom | MemoryError) -> str:
    """Return why memory ran out, as a sentence for a result; nothing where the system refused it."""
    return str(error) if isinstance(error, NoRoom) else ""


def solve(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Callable[[Attempt], bool] | None = None,
) -> Result:
    """Run a solver to its end and return its best result, verified; see `best_result`."""
    result, verdict = confirmed(best_result(solver, instance, limit, watch))
    if not verdict.holds:
        raise wrong_answer(solver, instance, verdict)
    return result


def uninterrupted(result: Result) -> Result:
    """Return the result; raises `KeyboardInterrupt` if Ctrl-C ended its search, for work that needs all of it."""
    if result.stop == "interrupted":
        raise KeyboardInterrupt
    return result


def best_result(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Callable[[Attempt], bool] | None = None,
) -> Result:
    """Run a solver to its end and return its best result, with its cost or score, but not verified.

    `watch` is called with every attempt and may return True to end the search. Ctrl-C ends it too: the best answer so
    far is returned with the stop `interrupted`. A board with an `objection` is proven unsolvable without a search.
    """
    best = best_of(attempts_of(solver, instance, limit), watch)
    return replace(objective_of(instance.puzzle).completed(instance, best), instance=instance)


def best_of(attempts: Generator[Attempt, None, None], watch: Callable[[Attempt], bool] | None = None) -> Result:
    """Return the best result of these attempts; `watch` and Ctrl-C end the search as in `best_result`."""
    best = Result(None, stop="interrupted")
    try:
        for better in bests_of(attempts, watch):
            best = better
    except KeyboardInterrupt:  # between two attempts
        best = with_stop(best, "interrupted")
    return best


def bests_of(
    attempts: Generator[Attempt, None, None], watch: Callable[[Attempt], bool] | None = None
) -> Iterator[Result]:
    """Yield the best result after each of these attempts; the last one is that of `best_of`."""
    best = Result(None, stop="interrupted")
    latest: Attempt = best
    try:
        for latest in attempts:
            if isinstance(latest, Result):
                best = latest
            if watch and watch(latest):
                yield _ended(best, latest, "interrupted")
                return
            yield best
    except KeyboardInterrupt:
        yield _ended(best, latest, "interrupted")
    finally:
        attempts.close()


def wrong_answer(solver: Solver, instance: Instance, verdict: Verdict) -> PuzzlelabError:
    """Return the error of a solver whose answer does not hold."""
    return PuzzlelabError(f"{solver.name} gave a wrong answer for {instance!r}: {verdict.reason}")


def _ended(best: Result, latest: Attempt, stop: Stop) -> Result:
    """Return the best result with this stop, and with the counts of the latest attempt."""
    if isinstance(latest, Progress):
        best = replace(
            with_tighter_bound(best, bound_of(latest, best)),
            expanded=latest.expanded,
            generated=latest.generated,
            evaluations=latest.evaluations,
            seconds=latest.seconds,
        )
    return with_stop(best, stop)


# --- many boards ---


def solve_boards(solver: Solver, boards: Boards, limit: Limit, over: Callable[[], bool] = never) -> Iterator[Answers]:
    """Yield the best answers to these boards, verified, in their order and in parts, each as soon as it exists.

    `limit` is for each board. The work ends early, with the answers so far, when `over()` is true. Raises
    `PuzzlelabError` for a wrong answer, after the parts before it.
    """
    require(solver, boards.puzzle)
    for part in _unverified(solver, boards, limit, over):
        yield none_wrong(solver, part)


def none_wrong(solver: Solver, answers: Answers) -> Answers:
    """Return the answers of a solver, verified; raises `PuzzlelabError` if one is wrong."""
    checked, wrong = verified(answers)
    for place, verdict in wrong.items():
        raise wrong_answer(solver, answers.boards[place], verdict)
    return checked


def solve_all(
    solver: Solver, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool] = never
) -> list[Result]:
    """Return the best result for each of these boards of one puzzle, verified; see `solve_boards`."""
    if not instances:
        return []
    return list(chain.from_iterable(solve_boards(solver, Boards.of(instances), limit, over)))


def singly(
    boards: Boards, attempts: Callable[[Instance], Generator[Attempt, None, None]], over: Callable[[], bool]
) -> Iterator[Answers]:
    """Yield the best answers to boards that are searched one by one; all after an interrupted one are interrupted.

    An answer waits for `HOLD_SECONDS` at most for those after it.
    """
    first, results, is_interrupted, began = 0, list[Result](), False, time.perf_counter()
    for board in boards:
        best = Result(None, stop="interrupted")
        try:
            for better in () if is_interrupted or over() else bests_of(attempts(board), lambda attempt: over()):
                best = better
                if results and time.perf_counter() - began > HOLD_SECONDS:
                    yield Answers.of(boards[first : first + len(results)], results)
                    first, results = first + len(results), []
        except KeyboardInterrupt:  # between two attempts
            best = with_stop(best, "interrupted")
        is_interrupted = best.stop == "interrupted"
        if not results:
            began = time.perf_counter()
        results.append(best)
    yield Answers.of(boards[first:], results)


def batched(instances: Iterable[Instance], size: Callable[[], int]) -> Iterator[Boards]:
    """Yield `size()` of these instances at a time as boards, with numbers from 0; a batch is of one puzzle."""
    count = 0
    for puzzle, group in groupby(instances, key=lambda instance: instance.puzzle):
        while batch := list(islice(group, size())):
            with naming_bad_boards(batch):
                states = np.array([instance.state for instance in batch])
            yield Boards(puzzle, states, np.arange(count, count + len(batch)))
            count += len(batch)


def _unverified(solver: Solver, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
    """Yield the answers of a solver that suits the puzzle, with their cost or score, in parts; see `solve_boards`."""
    if len(boards) == 1 and not solver.shares_work:
        parts = singly(boards, lambda board: attempts_of(solver, board, limit), over)
    elif solver.proves_unsolvable:
        parts = map(_with_objections, _together(solver, boards, limit, over))
    else:
        is_objected = has_objection(boards.puzzle, boards.states)
        parts = _among_objected(boards, is_objected, _together(solver, boards[~is_objected], limit, over))
    return map(_with_sums, parts)


def _together(solver: Solver, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
    """Yield the answers to boards that the solver gets at once; where memory runs out, the rest has none."""
    if not len(boards):
        return

    def parts() -> Iterator[Answers]:
        together = solver.solve_batch(boards, limit, over)
        return singly(boards, partial(_attempts_within, solver, limit=limit), over) if together is None else together

    solved = 0
    try:
        for part in within(limit, parts):
            solved += len(part)
            yield part
    except (NoRoom, MemoryError) as error:
        rest, reason = boards[solved:], memory_reason(error)
        reasons = {place: {"reason": reason} for place in range(len(rest)) if reason}
        yield replace(Answers.blank(rest, stops=STOPS.index("memory")), rare=reasons)


def _among_objected(boards: Boards, is_objected: NDArray[np.bool_], parts: Iterator[Answers]) -> Iterator[Answers]:
    """Yield the parts with the boards that have an objection; `parts` are the answers to the boards without one.

    Boards with an objection are in the part of the board before them; those before all others are a part.
    """
    if not is_objected.any():
        yield from parts
        return
    ends = [*np.flatnonzero(~is_objected).tolist(), len(boards)]
    begin = solved = 0
    for part in chain([Answers.blank(boards[:0])], parts):
        solved += len(part)
        end = ends[solved]
        if end > begin:
            open_places = np.flatnonzero(~is_objected[begin:end])
            all_boards = boards[begin:end]
            yield _with_objections(part.among(all_boards, open_places, proofs=PROOFS.index("unsolvable")))
        begin = end


def has_objection(puzzle: Puzzle, states: State) -> NDArray[np.bool_]:
    """Return `bool[B]`: which of the plain states `[B, S]` have an objection, and so no solution."""
    rules = puzzle.view(KernelRules)
    if rules is not None and rules.has_objection is not None:
        return rules.has_objection(states)
    return np.fromiter((puzzle.objection(state) is not None for state in states), bool, len(states))


def _with_objections(answers: Answers) -> Answers:
    """Return the answers with the objection to each unsolvable board that has one, in place of a search."""
    places = np.flatnonzero(answers.is_proven("unsolvable")).tolist()
    counts = {name: getattr(answers, name).copy() for name in ("expanded", "generated", "evaluations")}
    rare = dict(answers.rare)
    for place in places:
        if objection := answers.boards.puzzle.objection(answers.boards.states[place]):
            rare[place] = {"reason": objection}
            for column in counts.values():
                column[place] = 0
    return replace(answers, **counts, rare=rare) if places else answers


def _with_sums(answers: Answers) -> Answers:
    """Return the answers with their cost or score, by the plain rules, where the solver does not say it."""
    objective = objective_of(answers.boards.puzzle)
    if objective.kind == "moves":
        return answers
    results = [objective.completed(result.board, result) for result in answers]
    return replace(Answers.of(answers.boards, results), batch=answers.batch)
