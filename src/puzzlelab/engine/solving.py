"""Runs solvers on one board or on many, and verifies their answers.

Many answers are verified together: by the compiled rules, and a sample by the plain ones.

Shapes: B = boards.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import BatchNotation, Boards, as_text
from puzzlelab.core.errors import NoRoom, PuzzlelabError
from puzzlelab.core.limit import Limit, within
from puzzlelab.core.made_on_request import MadeOnRequest
from puzzlelab.core.objective import bound_of, objective_of, with_tighter_bound
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.result import Progress, Result, Stop, with_stop
from puzzlelab.core.result_batch import UNSOLVED, ResultBatch, joined
from puzzlelab.core.solver import Attempt, BatchSolver, OneByOne, ProvesUnsolvable, Solver, ability, require
from puzzlelab.core.verify import Answer, Rules, Verdict
from puzzlelab.core.views import KernelRules
from puzzlelab.engine.batch_verify import confirmed_by_kernels

BATCH, LARGEST_BATCH = 1000, 4000
"""Boards in one batch of a `BatchSolver`, and of one that solves them `OneByOne`."""
Board = TypeVar("Board")
Part = TypeVar("Part")
PART_SECONDS, GROWTH = 0.2, 4
"""The time that a part of a batch should take, and by how much it may be larger than the one before."""
CONFIRMED_BY: tuple[Rules | None, ...] = (None, "plain", "kernels")
KERNELS = CONFIRMED_BY.index("kernels")
HOLDS = Verdict(True)
SAMPLED_FIRST, SAMPLED_EVERY = 100, 1000
"""The answers that are replayed by the plain rules too: to the boards with the first numbers, and to one in every
`SAMPLED_EVERY` others."""
SCATTER = np.uint64(0x9E3779B97F4A7C15)
"""The multiplier that scatters numbers, so that a regular step from board to board meets the sample too."""
NOT_SAMPLED = SAMPLED_FIRST + 1
"""A number whose answer is replayed by the compiled rules alone."""


def never() -> bool:
    """Tell whether to end early: no."""
    return False


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
    yield from ended_by_memory(lambda: within(limit, lambda: solver.attempts(instance, limit)))


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
    """Run a solver to its end and return its best result, verified; see `answer`."""
    return verified_answer(solver, instance, limit, watch).result


def uninterrupted(result: Result) -> Result:
    """Return the result.

    Raises `KeyboardInterrupt` if Ctrl-C ended its search, for work that needs the whole answer.
    """
    if result.stop == "interrupted":
        raise KeyboardInterrupt
    return result


def verified_answer(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Callable[[Attempt], bool] | None = None,
) -> Answer:
    """Run a solver to its end and return its best answer, verified; see `best_result`."""
    verified = Answer.of(instance, best_result(solver, instance, limit, watch))
    if not verified.verdict.holds:
        raise wrong_answer(solver, instance, verified.verdict)
    return verified


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


def one_board_at_a_time(
    solver: Solver, boards: Boards, limit: Limit, over: Callable[[], bool]
) -> Iterator[ResultBatch]:
    """Yield the best result of each of these boards by itself, for `OneByOne`; all after an interrupted one are too."""
    is_interrupted = False
    for place, board in enumerate(boards):
        result = Result(None, stop="interrupted")
        if not is_interrupted:
            result = best_result(solver, board, limit, lambda attempt: over())
            is_interrupted = result.stop == "interrupted"
        yield ResultBatch.of(boards[place : place + 1], [result])


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


@dataclass(frozen=True, eq=False)
class AnswerBatch(MadeOnRequest[Answer]):
    """The verified answers to many boards: a sequence of `Answer`s, which are made when they are asked for."""

    results: ResultBatch
    verified_by: NDArray[np.uint8]
    """[B]: places in `CONFIRMED_BY`."""
    ends: State
    """[B, S]: the plain states in which the solutions end."""
    has_end: NDArray[np.bool_]
    """[B]: the boards of which `ends` holds that state; kernels confirm their solutions."""
    wrong: Mapping[int, Verdict] = field(default_factory=dict)
    """Board -> why its answer does not hold."""

    def __len__(self) -> int:
        return len(self.results)

    def item(self, place: int) -> Answer:
        """See `MadeOnRequest`."""
        result = self.results[place]
        end = self.ends[place] if self.has_end[place] else None
        verdict, verified_by = self.wrong.get(place, HOLDS), CONFIRMED_BY[self.verified_by[place]]
        return Answer(result.board, result, verdict, verified_by, end)

    def solved_lines(self, notation: str) -> str | None:
        """Return the solved boards in this notation of the puzzle, a line each.

        None if they are not written all at once.
        """
        boards, is_solved = self.results.boards, self.results.lengths != UNSOLVED
        lines = boards.puzzle.view(BatchNotation)
        if lines is None or not self.has_end[is_solved].all():
            return None
        if is_solved.all():
            written = lines.write_solved(notation, boards.states, self.ends)
        else:
            written = lines.write_solved(notation, boards.states[is_solved], self.ends[is_solved])
        return None if written is None else as_text(written)


def answers_of(
    solver: Solver,
    boards: Boards,
    limit: Limit,
    over: Callable[[], bool] = never,
    name: str = "",
) -> AnswerBatch:
    """Return the best answer to each of these boards, verified; a `BatchSolver` solves them together.

    `limit` is for each board. The work ends early, with the answers so far, when `over()` is true. `name` is
    that of the batch in the results that share its time: by default a hash of the boards. Parts of one batch have one
    name. Raises `PuzzlelabError` for a wrong answer.
    """
    require(solver, boards.puzzle)
    results = joined(boards, unverified_results(solver, boards, limit, over, name))
    return none_wrong(solver, checked(results))


def answer_parts(
    solver: Solver,
    boards: Boards,
    limit: Limit,
    over: Callable[[], bool] = never,
    name: str = "",
) -> Iterator[AnswerBatch]:
    """Yield the answers of `answers_of`, in the order of the boards, but in parts, each as soon as it exists.

    A solver that solves boards `OneByOne` gives several parts, any other one. Raises `PuzzlelabError` for a wrong
    answer, after the parts before it.
    """
    require(solver, boards.puzzle)
    for results in unverified_results(solver, boards, limit, over, name):
        yield none_wrong(solver, checked(results))


def none_wrong(solver: Solver, answers: AnswerBatch) -> AnswerBatch:
    """Return the answers; raises `PuzzlelabError` if one is wrong."""
    for place, verdict in answers.wrong.items():
        raise wrong_answer(solver, answers.results.boards[place], verdict)
    return answers


def solve_all(
    solver: Solver, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool] = never
) -> list[Result]:
    """Return the best result for each of these boards of one puzzle, verified; see `answers_of`."""
    return list(answers_of(solver, Boards.of(instances), limit, over).results) if instances else []


class Portions:
    """The cuts of boards into batches for `answers_of` and `answer_parts`: single boards unless the solver is a
    `BatchSolver`.

    The batches of a solver that solves them `OneByOne` begin with one board, and grow while they take less than
    `PART_SECONDS`. All boards of a batch are of one puzzle.
    """

    def __init__(self, solver: Solver, most: int | None = None) -> None:
        self._grows = ability(solver, OneByOne) is not None
        largest = LARGEST_BATCH if self._grows else BATCH
        self._most = min(largest, most or largest) if ability(solver, BatchSolver) else 1
        self.size = 1 if self._grows else self._most

    def of(self, instances: Iterable[Instance]) -> Iterator[list[Instance]]:
        """Yield the batches; each is taken from `instances` only when it is requested."""
        for _, group in groupby(instances, key=lambda instance: instance.puzzle):
            yield from self.cut(group)

    def cut(self, boards: Iterable[Board]) -> Iterator[list[Board]]:
        """Yield the batches of boards of one puzzle, in any form."""
        rest = iter(boards)
        while batch := list(islice(rest, self.size)):
            yield batch

    def slices(self, boards: Boards) -> Iterator[Boards]:
        """Yield the batches of boards that are an array."""
        begin = 0
        while begin < len(boards):
            yield (batch := boards[begin : begin + self.size])
            begin += len(batch)

    def timed(self, boards: int, parts: Iterator[Part]) -> Iterator[Part]:
        """Yield the parts of the answers to a batch of so many boards; their time adapts the size.

        The time in which the parts are used does not count.
        """
        seconds = 0.0
        while True:
            began = time.perf_counter()
            try:
                part = next(parts)
            except StopIteration:
                break
            seconds += time.perf_counter() - began
            yield part
        self.took(boards, seconds)

    def took(self, boards: int, seconds: float) -> None:
        """Adapt the size to the time of a batch."""
        if self._grows:
            wanted = boards * PART_SECONDS / max(seconds, 1e-6)
            self.size = int(max(1, min(wanted, GROWTH * boards, self._most)))


# --- solving ---


def unverified_results(
    solver: Solver, boards: Boards, limit: Limit, over: Callable[[], bool] = never, name: str = ""
) -> Iterator[ResultBatch]:
    """Yield the results of a solver that suits the puzzle, with their cost or score, in parts; see `answer_parts`."""
    is_alone = len(boards) == 1 and not name and ability(solver, OneByOne) is not None
    if ability(solver, BatchSolver) is None or is_alone:
        results = [best_result(solver, board, limit, lambda attempt: over()) for board in boards]
        yield ResultBatch.of(boards, results)
        return
    if ability(solver, ProvesUnsolvable) is not None:
        for part in _solved(solver, boards, limit, over, name):
            yield _with_objections(part, np.flatnonzero(part.is_proven("unsolvable")))
        return
    is_objected = has_objection(boards.puzzle, boards.states)
    if not is_objected.any():
        yield from _solved(solver, boards, limit, over, name)
        return
    open_boards = boards[~is_objected]
    parts = _solved(solver, open_boards, limit, over, name) if len(open_boards) else iter(())
    yield from _with_objected(boards, is_objected, parts)


def _with_objected(
    boards: Boards, is_objected: NDArray[np.bool_], parts: Iterator[ResultBatch]
) -> Iterator[ResultBatch]:
    """Yield the parts with the boards that have an objection; `parts` are the results of the boards without one.

    Boards with an objection are in the part of the board before them; those before all others are a part.
    """
    ends = [*np.flatnonzero(~is_objected).tolist(), len(boards)]
    begin = solved = 0
    for part in chain([()], parts):
        solved += len(part)
        end = ends[solved]
        if end > begin:
            results = [Result(None, "unsolvable", "a board with an objection")] * (end - begin)
            open_places = np.flatnonzero(~is_objected[begin:end]).tolist()
            for place, result in zip(open_places, part, strict=True):
                results[place] = result
            of_part = ResultBatch.of(boards[begin:end], results)
            yield _with_objections(of_part, np.flatnonzero(is_objected[begin:end]))
        begin = end


def has_objection(puzzle: Puzzle, states: State) -> NDArray[np.bool_]:
    """Tell which of the plain states `[B, S]` have an objection, and so no solution: `bool[B]`."""
    rules = puzzle.view(KernelRules)
    if rules is not None and rules.has_objection is not None:
        return rules.has_objection(states)
    return np.fromiter((puzzle.objection(state) is not None for state in states), bool, len(states))


def _solved(solver: Solver, boards: Boards, limit: Limit, over: Callable[[], bool], name: str) -> Iterator[ResultBatch]:
    """Yield the results of a batch with its name, in the parts of the solver.

    Where memory runs out, the rest has none.
    """
    name, solved = name or batch_name(boards), 0
    try:
        for part in within(limit, lambda: _parts(solver, boards, limit, over)):
            solved += len(part)
            yield replace(part, batch=name)
    except (NoRoom, MemoryError) as error:
        rest = boards[solved:]
        yield ResultBatch.of(rest, [Result(None, stop="memory", reason=memory_reason(error))] * len(rest))


def _parts(solver: Solver, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[ResultBatch]:
    one_by_one, batch_solver = ability(solver, OneByOne), ability(solver, BatchSolver)
    if one_by_one is not None:
        yield from one_by_one.solve_in_parts(boards, limit, over)
        return
    assert batch_solver is not None
    results = batch_solver.solve_batch(boards, limit, over)
    if not isinstance(results, ResultBatch):
        results = ResultBatch.of(boards, _with_sums(boards, results))
        results = replace(results, shares_time=np.full(len(boards), len(boards) > 1))
    yield results


def batch_name(boards: Boards) -> str:
    """Return the name of a batch of these boards in the results that share its time."""
    return hashlib.sha256(boards.states.tobytes()).hexdigest()[:12]


def _with_sums(boards: Boards, results: Sequence[Result]) -> Sequence[Result]:
    """Return the results with their cost or score, by the plain rules, where the solver does not say it."""
    objective = objective_of(boards.puzzle)
    if objective.kind == "moves":
        return results
    return [objective.completed(board, result) for board, result in zip(boards, results, strict=True)]


def _with_objections(results: ResultBatch, places: NDArray[np.int64]) -> ResultBatch:
    """Return the results with the objection of each of these boards that has one, in place of a search."""
    counts = {name: getattr(results, name).copy() for name in ("expanded", "generated", "evaluations", "seconds")}
    shares_time, rare = results.shares_time.copy(), dict(results.rare)
    for place in places.tolist():
        if objection := results.boards.puzzle.objection(results.boards.states[place]):
            rare[place] = {"reason": objection}
            shares_time[place] = False
            for column in counts.values():
                column[place] = 0
    return replace(results, **counts, shares_time=shares_time, rare=rare) if places.size else results


# --- verifying ---


def checked(results: ResultBatch) -> AnswerBatch:
    """Return the results as verified answers.

    By which rules an answer is replayed depends on the number of its board alone, and not on the boards beside it.
    """
    boards, solved, ends = results.boards, results.lengths != UNSOLVED, results.boards.states
    by_plain_rules, holds = is_sampled(boards.numbers), np.zeros(len(boards), bool)
    if not by_plain_rules.all() and objective_of(boards.puzzle).kind == "moves":
        holds, ends = confirmed_by_kernels(boards.puzzle, boards.states, results.lengths, results.moves)
    by_plain_rules |= ~(holds & _claims_agree(results, solved))
    verified_by, wrong = np.where(solved, np.uint8(KERNELS), np.uint8(0)), {}
    for place in np.flatnonzero(by_plain_rules | results.is_proven("unsolvable")).tolist():
        answer = Answer.of(boards[place], results[place])
        verified_by[place] = CONFIRMED_BY.index(answer.verified_by)
        if not answer.verdict.holds:
            wrong[place] = answer.verdict
    return AnswerBatch(results, verified_by, ends, holds, wrong)


def is_sampled(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell whether the answers to boards with these numbers are replayed by the plain rules too: `bool[B]`."""
    scattered = (numbers.astype(np.uint64) * SCATTER) >> np.uint64(32)
    return np.asarray((numbers < SAMPLED_FIRST) | (scattered % np.uint64(SAMPLED_EVERY) == 0))


def _claims_agree(results: ResultBatch, solved: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell whether proof, length and lower bound agree, as `core.verify` demands: `bool[B]`."""
    optimal, unique = results.is_proven("optimal"), results.is_proven("unique")
    holds = np.where(solved, results.lengths >= results.lower_bounds, ~(optimal | unique))
    holds &= ~solved | ~optimal | (results.lengths == results.lower_bounds)
    return np.asarray(holds & ~(solved & results.is_proven("unsolvable")))
