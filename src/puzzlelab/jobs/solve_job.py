"""The work of a command that solves: blocks of boards in, verified answers and rows out, many at a time.

It reads no command line and prints nothing: the command line and the server both use it.

Shapes: B = boards of a block, A = those that were solved now.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.limit import Limit
from puzzlelab.core.made_on_request import MadeOnRequest
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.result_batch import ResultBatch
from puzzlelab.core.solver import Attempt, OneByOne, Solver, ability
from puzzlelab.core.verify import Answer
from puzzlelab.engine.parallel import ordered_flat_map
from puzzlelab.engine.solving import AnswerBatch, Portions, answer_parts, checked, verified_answer
from puzzlelab.jobs.board_parts import BoardPart
from puzzlelab.jobs.row_batch import row_columns
from puzzlelab.storage.row import Row, answered, unanswered
from puzzlelab.storage.row_columns import RowColumns
from puzzlelab.storage.row_files import RowFile
from puzzlelab.text.board_blocks import read_texts, row_texts
from puzzlelab.text.reader import text_of

if TYPE_CHECKING:
    from puzzlelab.engine.executor import Executor

TIMED_ALONE = 100
"""The most boards of a call that each have a time of their own, where the solver solves boards `OneByOne`."""
LARGEST_COUNT = 2**62
"""The largest count that a stored row may have: counts are columns of int64."""
LONGEST_BOARD = 4096
"""Characters that a board may need; of what is longer, a row keeps the beginning."""


@dataclass(frozen=True, eq=False)
class BoardOutcome:
    """The answer to one board, or why its text is no board."""

    text: str
    where: str
    """The place of the text in words; empty for a single argument."""
    answer: Answer | None = None
    error: str = ""
    row: Row | None = None
    """Its row, where a file of rows had it."""


def outcome_at(
    boards: Boards, place: int, answer: Answer | None = None, error: str = "", row: Row | None = None
) -> BoardOutcome:
    """Return the outcome of one of these boards."""
    return BoardOutcome(boards.texts[place], boards.where(place), answer, error, row)


@dataclass(frozen=True, eq=False)
class OutcomeBatch(MadeOnRequest[BoardOutcome]):
    """The outcomes of consecutive boards: a sequence of `BoardOutcome`s, which are made when they are asked for."""

    block: Boards
    answers: Sequence[Answer]
    """[A]: an `AnswerBatch`, unless each board was solved by itself."""
    places: NDArray[np.int64]
    """[A]: the places of these boards in the block."""
    stored: Mapping[int, BoardOutcome] = field(default_factory=dict)
    """Place -> the outcome of a board whose row a file had."""

    def __len__(self) -> int:
        return len(self.block)

    def item(self, place: int) -> BoardOutcome:
        """See `MadeOnRequest`."""
        if place in self.stored:
            return self.stored[place]
        if place in self.block.errors:
            return outcome_at(self.block, place, error=self.block.errors[place])
        return outcome_at(self.block, place, self.answers[int(np.searchsorted(self.places, place))])

    @property
    def errors(self) -> Mapping[int, str]:
        """Place -> why there is no answer."""
        unreadable = {place: error for place, error in self.block.errors.items() if place not in self.stored}
        unreadable |= {place: outcome.error for place, outcome in self.stored.items() if outcome.answer is None}
        return dict(sorted(unreadable.items()))


@dataclass
class SolveJob:
    """One call: boards of a puzzle for a solver, under a limit for each."""

    puzzle: Puzzle
    solver: Solver
    limit: Limit
    jobs: int = 1
    over: threading.Event = field(default_factory=threading.Event)
    watch: Callable[[str, Attempt], None] | None = None
    """Called with the place of a board and every attempt at it, in the threads of the jobs, for each board alone."""
    executor: Executor | None = None
    """The executor that solves the boards; None: `jobs` threads of this process. It knows nothing of `watch`."""

    def solve(self, texts: Sequence[str]) -> list[BoardOutcome]:
        """Return the outcomes of a few boards, which are solved together in this process."""
        part = BoardPart(read_texts(self.puzzle, texts, ""), {})
        answers = self._answers(part, "", Portions(self.solver))
        return list(chain.from_iterable(self._outcomes(part, answers)))

    def outcomes(self, blocks: Iterable[Boards], file: RowFile | None) -> Iterator[OutcomeBatch]:
        """Yield the outcome of every board, in order.

        Answers that the file holds are taken from there, others are added.
        """
        rest = iter(blocks)
        begin = list(islice(rest, 2))
        if not begin:
            return
        is_alone = self.watch is not None or (len(begin) == 1 and len(begin[0]) <= TIMED_ALONE and self._is_one_by_one)
        name = "" if is_alone or not self._is_one_by_one else _batch_name(begin[0].texts[0])
        if self.executor is None:
            solved = self._solved_here(chain(begin, rest), file, name, is_alone)
        else:
            solved = self._solved_elsewhere(self.executor, chain(begin, rest), file, name)
        for outcomes in solved:
            if file is not None:
                file.append_columns(self._rows(outcomes, without_interrupted=True))
            yield outcomes

    @property
    def _is_one_by_one(self) -> bool:
        return ability(self.solver, OneByOne) is not None

    def _solved_here(
        self, blocks: Iterable[Boards], file: RowFile | None, name: str, is_alone: bool
    ) -> Iterator[OutcomeBatch]:
        """Yield the outcomes, on threads of this process."""
        portions = Portions(self.solver, most=1 if is_alone else None)

        def solved(part: BoardPart) -> Iterator[OutcomeBatch]:
            return self._outcomes(part, self._answers(part, name, portions))

        def most(block: Boards) -> int:
            return min(-(-len(block) // self.jobs), portions.size)

        yield from ordered_flat_map(solved, self._parts(blocks, file, most), self.jobs, on_interrupt=self.over.set)

    def _solved_elsewhere(
        self, executor: Executor, blocks: Iterable[Boards], file: RowFile | None, name: str
    ) -> Iterator[OutcomeBatch]:
        """Yield the outcomes, by an executor."""
        from puzzlelab.engine.board_pieces import solver_setup
        from puzzlelab.jobs.solve_parts import PartSolver

        solver = PartSolver(executor, solver_setup(executor, self.solver, self.puzzle), self.limit, name)
        for part, answers in solver.solved(self._parts(blocks, file, solver.most)):
            yield from self._outcomes(part, iter(answers))

    def _parts(
        self, blocks: Iterable[Boards], file: RowFile | None, most: Callable[[Boards], int]
    ) -> Iterator[BoardPart]:
        """Cut the blocks into parts of `most(block)` boards, and take the rows of their boards from the file."""
        for block in blocks:

            def size(block: Boards = block) -> int:
                return most(block)

            yield from BoardPart(block, {} if file is None else self._taken(block, file)).cut(size)

    def _taken(self, boards: Boards, file: RowFile) -> Mapping[int, Row]:
        """Place -> the row that the file has for that board."""
        if file.is_empty:
            return {}
        taken = file.take_many(self._empty_row, self._row_texts(boards), self.limit)
        return {place: row for place, row in enumerate(taken) if row is not None}

    def _outcomes(self, part: BoardPart, answers: Iterator[Sequence[Answer]]) -> Iterator[OutcomeBatch]:
        """Yield the outcomes of the boards of a part, of some at a time, with these answers to its open boards."""
        block, stored, places = part.block, self._stored_outcomes(part), part.open_places
        begin = solved = 0
        for some in answers:
            open_places = places[solved : solved + len(some)]
            solved += len(some)
            end = int(places[solved]) if solved < len(places) else len(block)
            yield _outcomes(block, begin, end, some, open_places, stored)
            if _is_interrupted(some).any():
                return
            begin = end
        if begin < len(block):
            yield _outcomes(block, begin, len(block), [], places[solved:], stored)

    def _answers(self, part: BoardPart, name: str, portions: Portions) -> Iterator[Sequence[Answer]]:
        """Yield the answers to the open boards of a part, of some of them at a time; their time adapts the portions."""
        boards = part.open_boards
        if not len(boards):
            return
        if self.watch is None:
            answers = answer_parts(self.solver, boards, self.limit, self.over.is_set, name)
            yield from portions.timed(len(boards), answers)
        else:
            yield from self._watched(part, self.watch)

    def _watched(self, part: BoardPart, watch: Callable[[str, Attempt], None]) -> Iterator[Sequence[Answer]]:
        """Yield the answers, of which `watch` sees every attempt."""
        for place, instance in zip(part.open_places.tolist(), part.open_boards, strict=True):
            where = part.block.where(place)

            def see(attempt: Attempt, where: str = where) -> bool:
                watch(where, attempt)
                return self.over.is_set()

            yield [verified_answer(self.solver, instance, self.limit, see)]

    # --- rows ---

    def row(self, outcome: BoardOutcome) -> Row:
        """Return the row of an outcome."""
        if outcome.row is not None:
            return outcome.row
        if outcome.answer is None:
            return self.question(outcome.text).model_copy(update={"error": outcome.error})
        text = text_of(outcome.answer.instance, outcome.text)
        return answered(self._empty_row.model_copy(update={"board": text}), outcome.answer)

    def question(self, text: str) -> Row:
        """Return a row without an answer, for the text of a board."""
        return self._empty_row.model_copy(update={"board": _shortened(text)})

    def json_lines(self, outcomes: OutcomeBatch) -> list[str]:
        """Return the rows of these outcomes in JSON, a line each."""
        if not outcomes.stored:
            return self._rows(outcomes).json_lines()
        return [self.row(outcome).to_json() for outcome in outcomes]

    def _rows(self, outcomes: OutcomeBatch, without_interrupted: bool = False) -> RowColumns:
        """Return the rows of the boards that were solved now, or that cannot be read."""
        block, answers, places = outcomes.block, outcomes.answers, outcomes.places
        texts, errors = self._row_texts(block), block.errors
        is_chosen = np.ones(len(block), bool)
        is_chosen[list(outcomes.stored)] = False
        if without_interrupted:
            is_chosen[places[_is_interrupted(answers)]] = False
        if not is_chosen.all():
            new_places = np.cumsum(is_chosen) - 1
            chosen = [index for index, place in enumerate(places.tolist()) if is_chosen[place]]
            answers = answers if len(chosen) == len(answers) else [answers[index] for index in chosen]
            places = new_places[places[chosen]]
            texts = [text for text, is_wanted in zip(texts, is_chosen.tolist(), strict=True) if is_wanted]
            errors = {int(new_places[place]): error for place, error in errors.items() if is_chosen[place]}
        return row_columns(self._empty_row, texts, answers, places, errors)

    @cached_property
    def _empty_row(self) -> Row:
        """Return the columns that the rows of all boards share."""
        return unanswered(self.puzzle, "", self.solver, self.limit)

    def _row_texts(self, block: Boards) -> Sequence[str]:
        """Return the text of each board in its row."""
        texts = row_texts(block)
        return list(map(_shortened, texts)) if block.errors else texts

    # --- stored rows ---

    def _stored_outcomes(self, part: BoardPart) -> Mapping[int, BoardOutcome]:
        """Return what rows of a file say, verified again."""
        read = [(place, row, self._result_in(row)) for place, row in part.rows.items()]
        results = {place: result for place, _, result in read if isinstance(result, Result)}
        answers = iter(self._checked(results, part.block))
        outcomes = {}
        for place, row, result in read:
            if not isinstance(result, Result):
                outcomes[place] = outcome_at(part.block, place, error=result, row=row)
                continue
            answer = row.with_columns_checked(next(answers))
            if answer.verdict.holds:
                columns = {"verified": answer.confirmed, "verified_by": answer.verified_by}
                outcomes[place] = outcome_at(part.block, place, answer, row=row.model_copy(update=columns))
            else:
                error = f"this row does not hold: {answer.verdict.reason}"
                outcomes[place] = outcome_at(part.block, place, error=error, row=row)
        return outcomes

    def _checked(self, results: Mapping[int, Result], block: Boards) -> Sequence[Answer]:
        """Return the results of boards at these places as verified answers."""
        if not results:
            return ()
        numbers = block.numbers[np.fromiter(results, np.int64, len(results))]
        states = np.array([result.board.state for result in results.values()])
        boards = Boards(self.puzzle, states, numbers)
        return checked(ResultBatch.of(boards, list(results.values())))

    def _result_in(self, row: Row) -> Result | str:
        """Return the result in a row, with its board, or why there is none."""
        if row.error is not None:
            return row.error
        counts = (row.lower_bound, row.expanded, row.generated, row.evaluations)
        if max(map(abs, counts)) > LARGEST_COUNT:
            return f"this row does not hold: a count in it is above {LARGEST_COUNT}"
        try:
            return replace(row.result(self.puzzle), instance=self.puzzle.read(row.board))
        except BadBoard as error:
            return f"this row does not hold: {error}"


def _outcomes(
    block: Boards,
    begin: int,
    end: int,
    answers: Sequence[Answer],
    places: NDArray[np.int64],
    stored: Mapping[int, BoardOutcome],
) -> OutcomeBatch:
    """Yield the outcomes of the boards of a part with these answers to its open boards, of some boards at a time."""
    of_these = {place - begin: outcome for place, outcome in stored.items() if begin <= place < end}
    return OutcomeBatch(block[begin:end], answers, places - begin, of_these)


def _batch_name(first: str) -> str:
    """Return the name of the boards of a call in the rows of a solver that solves `OneByOne`, however they are cut."""
    return hashlib.sha256(first.encode()).hexdigest()[:12]


def _is_interrupted(answers: Sequence[Answer]) -> NDArray[np.bool_]:
    """Tell which answers are interrupted: `bool[A]`."""
    if isinstance(answers, AnswerBatch):
        return answers.results.is_stopped_by("interrupted")
    return np.array([answer.result.stop == "interrupted" for answer in answers], bool)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_BOARD else shorten(text)
