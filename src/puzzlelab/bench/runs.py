"""Runs solvers on a suite under a limit, and keeps each answer as a row; rows that exist already are not repeated.

A solver is identified by its label, such as `beam:width=1000:estimate=pdb-663`, which also names its file of rows.
"""

import hashlib
import json
import math
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from puzzlelab.bench import Batching, history, suites
from puzzlelab.bench.suites import Suite, SuiteEntry, batches
from puzzlelab.core import registry
from puzzlelab.core.answers import Answers, BatchTime
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.settings import read_options
from puzzlelab.core.solver import Solver, counts_solutions, require
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor, PieceLost, Setup
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.engine.solving import BATCH
from puzzlelab.engine.streams import Piece, unordered
from puzzlelab.jobs.pieces import Part, Pieces
from puzzlelab.jobs.solve_parts import SomeAnswers, answered, name_of, solve_batches, solver_setups
from puzzlelab.runtime import signals
from puzzlelab.storage import networks
from puzzlelab.storage.outputs import only_writer_in
from puzzlelab.storage.row import Row, unanswered
from puzzlelab.storage.row_columns import RowColumns, row_columns
from puzzlelab.storage.row_files import RowFile, TimedRow, read_timed_rows

LARGE_BATCH = 1 << 14
"""Boards in one batch where all boards of a puzzle are answered and no rows are kept."""

# --- solvers as text ---


def parse_solvers(texts: Sequence[str]) -> list[Solver]:
    """Return the solvers of texts such as `ida,astar:weight=2`.

    A comma begins the next solver only where a name without `=` follows it, so that `ida:estimate=pdb:1,2,3/4,5,6` is
    one, and `greedy:estimate=net:runs/width=64,seed=2` too.
    """
    parts = [part for text in texts for part in re.split(r",\s*(?=[A-Za-z][\w-]*(?!=)(?:\W|$))", text)]
    return [registry.parse_solver(part.strip()) for part in parts if part.strip()]


@cache
def _default_options(name: str, *settings: str) -> Mapping[str, Any]:
    """Return all options of a solver when only these are set, such as `prior=net`."""
    try:
        return dict(registry.make_solver(name, read_options(settings)).options())
    except BadInput:  # a solver that is not installed here, or one with a required option
        return {}


def label_of(name: str, options: Mapping[str, Any]) -> str:
    """Return the label of a solver: its name, and the options that differ from their defaults."""
    set_options = {option: value for option, value in options.items() if value is not None}
    first_texts = _option_texts(set_options, set_options.keys() - _default_options(name).keys(), _default_options(name))
    defaults = _default_options(name, *first_texts)  # one option may change what another one is by default
    return ":".join([name, *_option_texts(set_options, {text.partition("=")[0] for text in first_texts}, defaults)])


def _option_texts(options: Mapping[str, Any], always: Collection[str], defaults: Mapping[str, Any]) -> list[str]:
    """Return `name=value` of the options that differ from their defaults, and of those in `always`."""
    shown = {option: value for option, value in options.items() if option in always or value != defaults.get(option)}
    return [f"{option}={value if isinstance(value, str) else json.dumps(value)}" for option, value in shown.items()]


def solver_label(solver: Solver, puzzle: Puzzle) -> str:
    """Return the label of this solver with the options that it uses for this puzzle."""
    return label_of(solver.name, solver.options_for(puzzle))


def file_stem(text: str) -> str:
    """Return a file name for a label; different labels have different names."""
    name = re.sub(r"[^\w.=+-]", "_", text.replace(":", "+"), flags=re.ASCII)
    if len(name) <= 80 and name.replace("+", ":") == text:
        return name
    return f"{name[:60]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


# --- answers ---


@dataclass(frozen=True)
class BenchAnswer:
    """The answer of one solver to one board."""

    solver: str
    """Its label."""
    entry: SuiteEntry
    row: Row
    holds: bool
    """Whether the row was verified by replay."""
    batch: BatchTime | None = None
    """The time of the boards that were solved together with this one; None where it is not known."""

    @property
    def seconds(self) -> float:
        """The seconds of this board; nan if it was solved together with others."""
        return math.nan if self.row.seconds is None else self.row.seconds

    @property
    def length(self) -> int | None:
        """Moves of a solution that holds, or None."""
        return self.row.length if self.holds else None

    @property
    def value(self) -> int | None:
        """The score of a solution that holds, or its cost, or else its number of moves; None without one."""
        if self.length is None or self.row.score is not None:
            return self.row.score if self.holds else None
        return self.length if self.row.cost is None else self.row.cost

    def excess_over(self, reference: int) -> int | None:
        """Return the moves or cost above the reference, or points below it; None without a solution."""
        if self.value is None:
            return None
        return reference - self.value if self.row.score is not None else self.value - reference

    @property
    def proven(self) -> bool:
        """Whether it holds and its solver proved that none is better."""
        return self.length is not None and self.row.proof in ("optimal", "unique")


@dataclass(frozen=True)
class BenchRun:
    """A suite with all answers so far."""

    suite: Suite
    answers: tuple[BenchAnswer, ...]
    interrupted: bool = False

    @property
    def by_solver(self) -> dict[str, list[BenchAnswer]]:
        """The answers of each solver by its label, in the order of the run."""
        answers: dict[str, list[BenchAnswer]] = defaultdict(list)
        for answer in self.answers:
            answers[answer.solver].append(answer)
        return dict(answers)


def by_occurrence(answers: Sequence[BenchAnswer]) -> dict[tuple[str, int], BenchAnswer]:
    """Return the answers of one solver by their board and the number of earlier occurrences of that board."""
    found: dict[tuple[str, int], BenchAnswer] = {}
    occurrences: Counter[str] = Counter()
    for answer in answers:
        board = answer.entry.board
        found[board, occurrences[board]] = answer
        occurrences[board] += 1
    return found


# --- running ---


def run(
    suite: Suite,
    solvers: Sequence[Solver],
    limit: Limit,
    out: Path | None = None,
    jobs: int = 1,
    batching: Batching = "level",
    executor: Executor | None = None,
    command: str = "",
    batch_size: int = BATCH,
) -> BenchRun:
    """Return every solver's answer to every board; with `out`, each answer is written to that folder at once.

    `jobs` searches run at once, in threads; or they run where `executor` is, and the batches are those of one job.
    `batching` says which boards a solver gets together. `command` goes into the history of the folder, with
    the versions of the packages, if any board has no answer yet. Ctrl-C ends the run with the answers so far. Raises
    `BadInput` if the folder holds another suite, or a solver does not suit the puzzle.
    """
    for solver in solvers:
        require(solver, suite.puzzle)
    answers: list[BenchAnswer] = []
    stop = threading.Event()
    with ExitStack() as resources:
        try:
            by_label = {solver_label(solver, suite.puzzle): solver for solver in solvers}
            files: dict[str, RowFile] = {}
            if out is not None:
                resources.enter_context(only_writer_in(out))
                for text in by_label:  # first: a file of others is refused before anything is written
                    files[text] = resources.enter_context(RowFile(out / f"{file_stem(text)}.jsonl"))
                suites.save(suite, out)
            benchmarks = [
                SolverBenchmark(suite, solver, text, limit, files.get(text), stop) for text, solver in by_label.items()
            ]
            if out is not None and any(benchmark.open_places for benchmark in benchmarks):
                history.add(out, history.now(command))
            workers = executor or resources.enter_context(ThisProcess(jobs, in_threads=True))
            answers += _answers(workers, benchmarks, batching, batch_size, 1 if executor else jobs)
        except KeyboardInterrupt:
            stop.set()
    return BenchRun(suite, tuple(answers), stop.is_set())


class SolverBenchmark:
    """The run of one solver on all boards of a suite; `file` keeps its rows, and has those of earlier runs."""

    def __init__(
        self, suite: Suite, solver: Solver, label: str, limit: Limit, file: RowFile | None, stop: threading.Event
    ) -> None:
        self.suite, self.solver, self.label, self.limit, self.file, self.stop = suite, solver, label, limit, file, stop
        self.empty_row = unanswered(suite.puzzle, "", solver, limit)
        """The columns that the rows of all boards share."""
        self.counts_solutions = counts_solutions(suite.puzzle)
        """Whether the proofs 'unique' and 'several' have a meaning."""
        self.found: list[BenchAnswer | None] = self._earlier_answers()
        self.done = sum(answer is not None for answer in self.found)

    def _earlier_answers(self) -> list[BenchAnswer | None]:
        """Return for each board the answer in a row of an earlier run, if there is one without an error."""
        (puzzle, _, *question), stored = self.empty_row.question, self.file.path if self.file else None
        rows = (
            (row, batch)
            for row, batch in (read_timed_rows(stored, report.note) if stored and stored.exists() else ())
            if row.error is None and row.settles(self.limit) and row.question == (puzzle, row.board, *question)
        )
        return _newest(self.suite, rows)

    def setup(self, executor: Executor) -> Setup | None:
        """Return what a worker needs once, if a board without an answer has no objection.

        Raises `BadInput` for a network that cannot be read.
        """
        for index in self.open_places:
            boards = self._boards([index])
            if not boards.puzzle.objection(boards.states[0]):
                return solver_setups(executor, self.solver)(boards)
        return None

    @property
    def open_places(self) -> list[int]:
        """The places of the boards that have no answer yet."""
        return [index for index, answer in enumerate(self.found) if answer is None]

    @property
    def answers_so_far(self) -> list[BenchAnswer]:
        """The answers that exist, in the order of the boards."""
        return [answer for answer in self.found if answer is not None]

    def answer(self, executor: Executor, setup: Setup | None, batching: Batching, batch_size: int, jobs: int) -> None:
        """Answer all boards, unless the run is stopped, and keep the rows as soon as they exist.

        The time of each board is measured for a solver that does not share work between boards, unless there are more
        than `BATCH` of them.
        """
        if self.stop.is_set():
            return
        is_small = len(self.suite.entries) <= BATCH and not self.solver.shares_work
        together: Batching = "board" if is_small else batching
        is_alone = together == "board"

        def work(boards: Boards) -> Callable[[], Iterator[SomeAnswers]]:
            return partial(solve_batches, self.solver, boards, self.limit, 1 if is_alone else len(boards))

        pieces = Pieces(executor, work, name_of, lambda boards: setup)
        groups = list(batches(self.suite, self.open_places, together, batch_size, jobs))
        parts: Iterator[Part[Boards]] = ((self._boards(group), None) for group in groups)
        if is_alone:  # boards are divided only if each has a time of its own
            parts = pieces.cut([(self._boards(list(chain.from_iterable(groups))), None)])
        with signals.delayed() as check:  # Ctrl-C interrupts the wait for answers, and not what keeps them
            try:
                for _, answers in answered(pieces, parts, in_order=False, watch=check):
                    self._keep(answers, executor.status())
                    if self.stop.is_set():
                        break
            except KeyboardInterrupt:
                self.stop.set()

    def _boards(self, indices: Sequence[int]) -> Boards:
        """Return the boards at these places of the suite, whose numbers are the places."""
        boards = self.suite.boards([self.suite.entries[index] for index in indices])
        return Boards(boards.puzzle, boards.states, np.asarray(indices, np.int64))

    def _keep(self, answers: Answers, status: str) -> None:
        """Keep the rows of these boards, but of those during which the run was stopped."""
        for error in answers.boards.errors.values():
            report.note(error)
        entries = [self.suite.entries[index] for index in answers.boards.numbers]
        columns = row_columns(self.empty_row, [entry.board for entry in entries], answers)
        rows = columns.rows()
        if any(row.stop == "interrupted" for row in rows):
            self.stop.set()
            columns = RowColumns.of([row for row in rows if row.stop != "interrupted"])
        for index, entry, row in zip(answers.boards.numbers.tolist(), entries, rows, strict=True):
            holds = row.error is None and (row.proof not in ("unique", "several") or self.counts_solutions)
            if row.stop != "interrupted":
                time = columns.time if row.seconds is None else None
                self.found[index] = BenchAnswer(self.label, entry, row, holds, time)
                self.done += 1
        if self.file and len(columns):
            self.file.append(columns)
        report.progress(self.label, self.done, len(self.found), status)


def _answers(
    executor: Executor, benchmarks: Sequence[SolverBenchmark], batching: Batching, batch_size: int, jobs: int
) -> list[BenchAnswer]:
    """Return the answers of all solvers, where each solver first begins one search.

    Raises `BadInput` for a solver that cannot run.
    """
    works = [(each, each.setup(executor)) for each in benchmarks if each.open_places]
    first = [Piece(f"the first search of {each.label}", dict, setup) for each, setup in works if setup is not None]
    for piece, value in unordered(executor, first):
        if isinstance(value, PieceLost):
            report.note(f"{piece.name} failed: {value}")
    for benchmark, setup in works:
        benchmark.answer(executor, setup, batching, batch_size, jobs)
    return [answer for benchmark in benchmarks for answer in benchmark.answers_so_far]


# --- reading earlier runs ---


def read_run(folder: Path) -> BenchRun:
    """Return all answers in a folder, the newest for each board, verified again; raises `BadFile`.

    Answers with different networks count as different solvers, even if both networks had the same name.
    """
    suite = suites.read_stored(folder)
    rows_by_solver: dict[tuple[str, str | None], list[TimedRow]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        for row, batch in read_timed_rows(path, report.note):
            if row.puzzle == suite.puzzle.name:
                rows_by_solver[label_of(row.solver, row.options), row.net].append((row, batch))
    name_counts = Counter(name for name, _ in rows_by_solver)
    answers = [
        answer if name_counts[name] == 1 else replace(answer, solver=_exact_label(answer.row))
        for (name, _), rows in sorted(rows_by_solver.items(), key=lambda solver: _by_numbers(solver[0][0]))
        for answer in filter(None, _newest(suite, rows))
    ]
    return BenchRun(suite, tuple(answers))


def _exact_label(row: Row) -> str:
    """Return the label with the hashes of the networks instead of their names."""
    return label_of(row.solver, networks.pinned(row.options, row.net) if row.net else row.options)


def _by_numbers(label: str) -> list[tuple[str, int]]:
    """Return the key that sorts 'width=2' before 'width=16'."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D+)(\d*)", label)]


def _newest(suite: Suite, rows: Iterable[TimedRow]) -> list[BenchAnswer | None]:
    """Return one solver's answer to each board of a suite, verified again; None for a board without a row.

    A board that occurs k times takes its last k rows.
    """
    places: dict[str, list[int]] = defaultdict(list)
    rows_by_board: dict[str, list[TimedRow]] = defaultdict(list)
    for place, entry in enumerate(suite.entries):
        places[entry.board].append(place)
    for timed_row in rows:
        rows_by_board[timed_row[0].board].append(timed_row)
    answers: list[BenchAnswer | None] = [None] * len(suite.entries)
    for board, places_of_board in places.items():
        for place, (row, batch) in zip(places_of_board, rows_by_board[board][-len(places_of_board) :], strict=False):
            solver, holds = label_of(row.solver, row.options), row.check(suite.puzzle).holds
            answers[place] = BenchAnswer(solver, suite.entries[place], row, holds, batch)
    return answers
