"""Puts a suite to solvers under a limit, and keeps each answer as a row; what a folder holds is not asked again.

A solver is told by a text such as `beam:width=1000:estimate=pdb-663`, its label, which also names its file of rows.
"""

import hashlib
import json
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from puzzlelab.bench import suites
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core import networks, registry
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.row import Row, RowFile, read_rows, row_of, unanswered
from puzzlelab.core.settings import read_options
from puzzlelab.core.solver import BATCH, BatchSolver, Solver, ability, answer_all, options_of, require
from puzzlelab.engine import report
from puzzlelab.engine.parallel import ordered_map

FIRST_LOOK = Limit(seconds=1.0, nodes=1)

# --- solvers as text ---


def parse_solvers(texts: Sequence[str]) -> list[Solver]:
    """The solvers that texts such as `ida,astar:weight=2` tell of.

    A comma begins the next solver only where a letter follows it, so that `ida:estimate=pdb:1,2,3/4,5,6` is one.
    """
    parts = [part for text in texts for part in re.split(r",\s*(?=[A-Za-z])", text)]
    return [registry.parse_solver(part.strip()) for part in parts if part.strip()]


@cache
def _usual_options(name: str, *given: str) -> Mapping[str, Any]:
    """The options of a solver that is told no more than these, such as `prior=net`."""
    try:
        return dict(registry.make_solver(name, read_options(given)).options())
    except BadInput:  # a solver that somebody else's rows tell of, or one with an option that must be given
        return {}


def label(name: str, options: Mapping[str, Any]) -> str:
    """The text that tells of this solver: its name, and the options that are not as they are without being told."""
    given = {option: value for option, value in options.items() if value is not None}
    told = _texts(given, given.keys() - _usual_options(name).keys(), _usual_options(name))
    usual = _usual_options(name, *told)  # one option may change what another one is by default
    return ":".join([name, *_texts(given, {text.partition("=")[0] for text in told}, usual)])


def _texts(given: Mapping[str, Any], always: Collection[str], usual: Mapping[str, Any]) -> list[str]:
    """`name=value` of the options that are not as usual, and of those that are told always."""
    kept = {option: value for option, value in given.items() if option in always or value != usual.get(option)}
    return [f"{option}={value if isinstance(value, str) else json.dumps(value)}" for option, value in kept.items()]


def label_of(solver: Solver, puzzle: Puzzle) -> str:
    """The text that tells of this solver, with what it uses for this puzzle."""
    return label(solver.name, options_of(solver, puzzle))


def slug(text: str) -> str:
    """A label as the name of a file, different for different labels."""
    name = re.sub(r"[^\w.=+-]", "_", text.replace(":", "+"), flags=re.ASCII)
    if len(name) <= 80 and name.replace("+", ":") == text:
        return name
    return f"{name[:60]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


# --- answers ---


@dataclass(frozen=True)
class BenchAnswer:
    """What one solver said to one board."""

    solver: str
    """Its label."""
    entry: SuiteEntry
    row: Row
    holds: bool
    """Whether the row was replayed here and is right."""

    @property
    def length(self) -> int | None:
        """Moves of a solution that holds, or None."""
        return self.row.length if self.holds else None

    @property
    def proven(self) -> bool:
        """Whether it holds and its solver proved that none is shorter."""
        return self.length is not None and self.row.proof in ("optimal", "unique")


@dataclass(frozen=True)
class BenchRun:
    """A suite with all the answers that there are."""

    suite: Suite
    answers: tuple[BenchAnswer, ...]
    interrupted: bool = False

    @property
    def by_solver(self) -> dict[str, list[BenchAnswer]]:
        """The answers of each solver by its label, in the order in which they were asked."""
        found: dict[str, list[BenchAnswer]] = defaultdict(list)
        for answer in self.answers:
            found[answer.solver].append(answer)
        return dict(found)


def _answer(puzzle: Puzzle, entry: SuiteEntry, row: Row) -> BenchAnswer:
    return BenchAnswer(label(row.solver, row.options), entry, row, row.check(puzzle).holds)


# --- asking ---


def run(suite: Suite, solvers: Sequence[Solver], limit: Limit, out: Path | None = None, jobs: int = 1) -> BenchRun:
    """Every solver's answer to every board; with `out`, each is in that folder as soon as it is there.

    `jobs` searches run at once, in threads. Ctrl-C ends the run with the answers so far. Raises `BadInput` where the
    folder holds another suite, or a solver does not suit the puzzle.
    """
    for solver in solvers:
        require(solver, suite.puzzle)
    if out is not None:
        suites.save(suite, out)
    answers: list[BenchAnswer] = []
    stop = threading.Event()
    try:
        different = {label_of(solver, suite.puzzle): solver for solver in solvers}
        inquiries = [SolverBenchmark(suite, solver, limit, out, stop) for solver in different.values()]
        for inquiry in inquiries:
            inquiry.prepare()
        for inquiry in inquiries:
            answers += inquiry.answers(jobs)
    except KeyboardInterrupt:
        stop.set()
    return BenchRun(suite, tuple(answers), stop.is_set())


class SolverBenchmark:
    """All boards of a suite, put to one solver."""

    def __init__(self, suite: Suite, solver: Solver, limit: Limit, out: Path | None, stop: threading.Event) -> None:
        self.suite, self.solver, self.limit, self.stop = suite, solver, limit, stop
        self.label = label_of(solver, suite.puzzle)
        self.file = None if out is None else RowFile(out / f"{slug(self.label)}.jsonl")
        self.lock = threading.Lock()
        self.rows = [self._held(entry) for entry in suite.entries]

    def _held(self, entry: SuiteEntry) -> Row | None:
        """The row that answers already."""
        while self.file and (row := self.file.take(self._question(entry), self.limit)):
            if row.error is None:
                return row
        return None

    def _question(self, entry: SuiteEntry) -> Row:
        """The row of a board before there is an answer."""
        return unanswered(self.suite.puzzle, entry.board, self.solver, self.limit)

    def prepare(self) -> None:
        """Begin one search: options that do not fit are found out, and tables and kernels are there before threads."""
        for place in self._open:
            instance = self.suite.instance(self.suite.entries[place])
            if not instance.puzzle.objection(instance.state):
                try:
                    next(iter(self.solver.attempts(instance, FIRST_LOOK)), None)
                except BadInput:
                    raise
                except PuzzlelabError:
                    pass  # a fault of this board, which its row will tell
                return

    @property
    def _open(self) -> list[int]:
        return [place for place, row in enumerate(self.rows) if row is None]

    def answers(self, jobs: int) -> list[BenchAnswer]:
        """What there is when every board was asked, or the run was stopped."""
        try:
            for _ in ordered_map(self._ask, self._portions(jobs), jobs, on_interrupt=self.stop.set):
                pass
        except KeyboardInterrupt:
            self.stop.set()
        pairs = zip(self.suite.entries, self.rows, strict=True)
        return [_answer(self.suite.puzzle, entry, row) for entry, row in pairs if row is not None]

    def _portions(self, jobs: int) -> list[list[int]]:
        """The open boards, each alone or, for a solver that `BatchSolver`, many at once."""
        places = self._open
        size = min(BATCH, -(-len(places) // jobs) or 1) if ability(self.solver, BatchSolver) else 1
        return [places[first : first + size] for first in range(0, len(places), size)]

    def _ask(self, places: list[int]) -> None:
        """Solve these boards and keep their rows, except for those during which the run is stopped."""
        if self.stop.is_set():
            return
        try:
            rows = dict(zip(places, self._solve([self.suite.entries[place] for place in places]), strict=True))
            done = {place: row for place, row in rows.items() if row.stop != "interrupted"}
            if len(done) < len(rows):
                self.stop.set()
            self._keep(done)
        except BaseException:
            self.stop.set()  # what other threads do is in vain
            raise

    def _keep(self, rows: Mapping[int, Row]) -> None:
        with self.lock:
            for place, row in rows.items():
                self.rows[place] = row
            if self.file and rows:
                self.file.append(rows.values())
            report.progress(self.label, sum(row is not None for row in self.rows), len(self.rows))

    def _solve(self, entries: Sequence[SuiteEntry]) -> list[Row]:
        """The rows of these boards; where many fail at once, each is asked alone, so that the others have theirs."""
        instances = [self.suite.instance(entry) for entry in entries]
        try:
            answers = answer_all(self.solver, instances, self.limit, self.stop.is_set)
            pairs = zip(answers, entries, strict=True)
            return [row_of(answer, self.solver, self.limit, entry.board) for answer, entry in pairs]
        except BadInput:
            raise
        except PuzzlelabError as error:
            if len(entries) > 1:
                return [row for entry in entries for row in self._solve([entry])]
            report.note(str(error))
            return [self._question(entries[0]).model_copy(update={"error": str(error)})]


# --- reading what was asked before ---


def stored(folder: Path) -> BenchRun:
    """All answers in a folder, the newest to each board, replayed again; raises `BadFile`.

    Answers with different networks are those of different solvers, also where both networks were asked for by one name.
    """
    suite = suites.reopen(folder)
    found: dict[tuple[str, str | None], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*.jsonl"), key=_by_numbers):
        for _, row in read_rows(path):
            if row.puzzle == suite.puzzle.name:
                found[label(row.solver, row.options), row.net][row.board].append(row)
    common = Counter(name for name, _ in found)
    answers = [
        answer if common[name] == 1 else replace(answer, solver=_exact_label(answer.row))
        for (name, _), rows in found.items()
        for answer in _newest(suite, rows)
    ]
    return BenchRun(suite, tuple(answers))


def _exact_label(row: Row) -> str:
    """The label with the hashes of the networks that were asked, and not their names."""
    return label(row.solver, networks.pinned(row.options, row.net) if row.net else row.options)


def _by_numbers(path: Path) -> list[tuple[str, int]]:
    """Sorts 'width=2' before 'width=16'."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D+)(\d*)", path.stem)]


def _newest(suite: Suite, rows: Mapping[str, list[Row]]) -> Iterator[BenchAnswer]:
    """One solver's answers in the order of the suite; a board that stands there k times takes its last k rows."""
    places: dict[str, list[SuiteEntry]] = defaultdict(list)
    for entry in suite.entries:
        places[entry.board].append(entry)
    left = {board: iter(rows[board][-len(entries) :]) for board, entries in places.items() if board in rows}
    for entry in suite.entries:
        row = next(left.get(entry.board, iter(())), None)
        if row is not None:
            yield _answer(suite.puzzle, entry, row)
