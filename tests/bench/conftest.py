import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from puzzlelab.bench.suites import Entry, Suite
from puzzlelab.core import registry
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Moves, Puzzle, State
from puzzlelab.core.result import Progress, Result
from puzzlelab.core.settings import Settings
from puzzlelab.core.solver import Attempt

ONE, TWO, FOUR = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "0 2 3 1 5 6 4 7 8"
HARD, IMPOSSIBLE = "8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 8 7 0"


class Stub(Settings):
    """Solves boards of at most six moves by trying all, after `extra` needless moves; says that each took a second."""

    name: ClassVar[str] = "stub"
    needs: ClassVar[tuple[type, ...]] = (Moves,)
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
        wasted = (moves[0], instance.puzzle.inverse(moves[0])) * (self.extra // 2)  # type: ignore[attr-defined]
        proof = "none" if self.extra else "optimal"
        bound = 0 if self.extra else len(moves)
        yield Result((*wasted, *moves), proof, lower_bound=bound, expanded=10, generated=20, seconds=1.0)


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
        Entry(ONE, 1, 1, True),
        Entry(TWO, 1, 2, True),
        Entry(FOUR, 2),
        Entry(HARD, 2, 31, True),
        Entry(IMPOSSIBLE),
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
