import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from puzzlelab.bench import runs
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Presentation, Puzzle, State
from puzzlelab.core.result import Progress, Result
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import Reversible, Samples

ONE, TWO, FOUR = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "0 2 3 1 5 6 4 7 8"
HARD, IMPOSSIBLE = "8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 8 7 0"


class Stub(SolverSettings):
    """Solves boards of at most six moves by trying all, after `extra` needless moves; says that each took a second."""

    name: ClassVar[str] = "stub"
    asked: ClassVar[list[str]] = []

    extra: int = 0
    width: int | None = None
    interrupts: str = ""
    """The board at which Ctrl-C is pressed."""
    hangs: str = ""
    """The board whose search never ends by itself."""
    lies: str = ""
    """The board at which it fails."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        board = instance.puzzle.write(instance.state)
        if board == self.lies:
            self.asked.append(board)
            raise PuzzlelabError("the stub fails here")
        if limit.nodes == 1:
            return
        self.asked.append(board)
        while board == self.hangs:
            yield Progress(1, 2, 0, 0, 0.0)
        if board == self.interrupts:
            os.kill(os.getpid(), signal.SIGINT)
            while threading.current_thread() is not threading.main_thread():
                yield Progress(1, 2, 0, 0, 0.0)
        moves = shortest(instance.puzzle, instance.state, 6)
        if moves is None:
            yield Result(None, stop="nodes", expanded=10, generated=20, seconds=1.0)
            return
        wasted = (moves[0], instance.puzzle.view(Reversible).inverse(moves[0])) * (self.extra // 2)
        proof = "none" if self.extra else "optimal"
        bound = 0 if self.extra else len(moves)
        yield Result((*wasted, *moves), proof, lower_bound=bound, expanded=10, generated=20, seconds=1.0)


@dataclass(frozen=True)
class Stripe:
    """Colour every cell of a stripe red or blue: a board that is filled in. A `?` is blank, and all fillings are right.

    One with a `!` cannot be solved.
    """

    name: ClassVar[str] = "stripe"
    cells: ClassVar[int] = 8
    generator: ClassVar[None] = None
    scales: ClassVar[Mapping[str, Any]] = {}

    def view(self, kind: type) -> Any:
        if kind is Presentation:
            return Presentation(answer_is_board=True, unique_expected=True)
        return self if kind is Samples else None

    @property
    def move_count(self) -> int:
        return 2 * self.cells

    def read(self, text: str) -> Instance:
        if len(text) != self.cells or set(text) - set("?rb!"):
            raise BadBoard(f"{len(text)} cells are no stripe")
        return Instance(self, np.array(["?rb!".index(cell) for cell in text], np.uint8))

    def write(self, state: State) -> str:
        return "".join("?rb!"[cell] for cell in state.tolist())

    def write_move(self, move: int) -> str:
        return f"{move // 2}{'rb'[move % 2]}"

    def read_move(self, text: str) -> int:
        return 2 * int(text[:-1]) + "rb".index(text[-1])

    def draw(self, state: State, mark: int | None = None) -> str:
        return self.write(state)

    def objection(self, state: State) -> str | None:
        return "it is torn" if (state == 3).any() else None

    def legal(self, state: State) -> State:
        return np.repeat(state == 0, 2)

    def apply(self, state: State, move: int) -> State:
        child = state.copy()
        child[move // 2] = 1 + move % 2
        return child

    def solved(self, state: State) -> bool:
        return bool(np.isin(state, (1, 2)).all())

    def difficulty(self, states: State) -> Mapping[str, State]:
        return {"clues": np.count_nonzero(states, axis=1)}


class Painter(SolverSettings):
    """Fills every blank with one colour; the nearer its clues are to `peak`, the longer it says that a board took."""

    name: ClassVar[str] = "painter"

    colour: int = 0
    jobs: int = 1
    peak: int = 5
    lost: float = 0.0
    """Seconds that each job wastes."""
    slow: int = -1
    """Boards with so many clues take too long."""
    proof: str = "unique"

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        blanks = np.flatnonzero(instance.state == 0).tolist()
        clues = len(instance.state) - len(blanks)
        seconds = 0.4 / (1 + abs(clues - self.peak)) / self.jobs + self.lost * self.jobs
        if clues == self.slow:
            yield Result(None, stop="time", seconds=9.0)
            return
        if self.proof == "unsolvable":
            yield Result(None, "unsolvable", "so it says", seconds=seconds)
            return
        moves = tuple(2 * cell + self.colour for cell in blanks)
        yield Result(moves, self.proof, expanded=10, generated=20, seconds=seconds)  # type: ignore[arg-type]


@pytest.fixture
def stripes() -> Suite:
    """Two boards of each number of clues from 2 to 7."""
    boards = [("r" * clues).ljust(8, "?") for clues in range(2, 8)] + [
        ("b" * clues).rjust(8, "?") for clues in range(2, 8)
    ]
    return Suite("stripes", Stripe(), tuple(map(SuiteEntry, boards)))


@pytest.fixture
def painter(monkeypatch: pytest.MonkeyPatch) -> type[Painter]:
    """A solver whose label has only the options that are not as usual."""
    monkeypatch.setattr(runs, "_default_options", lambda name, *given: dict(Painter().options()))
    return Painter


@pytest.fixture
def stripe() -> Stripe:
    return Stripe()


def shortest(puzzle: Puzzle, state: State, most: int) -> tuple[int, ...] | None:
    for depth in range(most + 1):
        if (moves := within(puzzle, state, depth)) is not None:
            return moves
    return None


def within(puzzle: Puzzle, state: State, depth: int) -> tuple[int, ...] | None:
    if depth == 0:
        return () if puzzle.solved(state) else None
    for move in puzzle.legal(state).nonzero()[0].tolist():
        if (rest := within(puzzle, puzzle.apply(state, move), depth - 1)) is not None:
            return (move, *rest)
    return None


@pytest.fixture
def stub() -> Callable[..., Stub]:
    Stub.asked.clear()
    return Stub


@pytest.fixture
def suite() -> Suite:
    """Boards of 1, 2 and 4 moves, one that the stub does not solve, and one that nobody can."""
    entries = (
        SuiteEntry(ONE, 1, 1, True),
        SuiteEntry(TWO, 1, 2, True),
        SuiteEntry(FOUR, 2),
        SuiteEntry(HARD, 2, 31, True),
        SuiteEntry(IMPOSSIBLE),
    )
    return Suite("small", registry.load("tiles-3x3"), entries)


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a text into a file."""

    def write(text: str, name: str = "boards.txt") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C as in a terminal, whoever runs the tests."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("Ctrl-C reaches the main thread alone")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
