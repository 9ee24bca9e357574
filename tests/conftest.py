"""What many tests share: boards with known answers, a toy puzzle, somebody who listens, a cache folder of one's own."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis
import numpy as np
import pytest

# Before puzzlelab is imported: the programs that tests start inherit this too.
os.environ["PUZZLELAB_BACKGROUND"] = "0"  # compiling for the next start would slow down the tests beside it
os.environ["PUZZLELAB_PROGRESS"] = "0"  # lines of progress come by the time, and a slow machine would have more of them

from puzzlelab.core import plug_ins, registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Reversible
from puzzlelab.engine import report, user_cache
from puzzlelab.runtime.startup import ENDING

try:
    user_cache.user_cache().mkdir(parents=True, exist_ok=True)
except OSError:  # a home that cannot be written: all processes of the tests share another folder, so as to compile once
    os.environ["PUZZLELAB_CACHE"] = str(Path(tempfile.gettempdir()) / f"puzzlelab-tests-{os.getuid()}")

DATA = Path(__file__).parent / "data"

# The same examples each time, so that a failure can be seen again; no deadline, because the first call compiles.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None, max_examples=40)
hypothesis.settings.register_profile("more", hypothesis.settings.get_profile("same"), max_examples=400)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


# A shell that runs the tests in the background lets them ignore signals, and so would every program that they start.
for ending in ENDING:
    if signal.getsignal(ending) == signal.SIG_IGN:
        signal.signal(ending, signal.default_int_handler)


# --- time ------------------------------------------------------------------------------------------------------------

# Collecting the tests makes millions of objects that stay: looking for garbage among them takes a quarter of the time.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Look for garbage from now on, but not among what was collected."""
    gc.freeze()
    gc.enable()


MARKED = {"tools": ("tools",), "faults": ("faults", "slow")}
"""The marks of all tests of a folder."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of benchmarks, tools and documents, and those that put in faults."""
    for mark in MARKED.get(item.path.parent.name, ()):
        item.add_marker(mark)


# --- what was skipped, and how to get it ----------------------------------------------------------------------------

EXTRAS = {
    "torch": "learn",
    "onnx": "learn",
    "pyarrow": "learn",
    "safetensors": "learn",
    "tensorboard": "learn",
    "tomli_w": "learn",
    "matplotlib": "plot",
    "gymnasium": "gym",
    "PIL": "gym",
    "resvg_py": "gym",
    "pysat": "sat",
    "fastapi": "web",
    "uvicorn": "web",
    "httpx": "dev",
    "playwright": "dev",
    "axe_playwright_python": "dev",
    "schemathesis": "dev",
}
"""The extra of puzzlelab that installs a library."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in one line what was skipped, and how to get it."""
    lacking: dict[str, set[str]] = {}
    tests: dict[str, set[str]] = {}
    for found in terminalreporter.stats.get("skipped", []):
        reason = str(found.longrepr[2] if isinstance(found.longrepr, tuple) else found.longrepr)
        reason = reason.removeprefix("Skipped: ")
        if library := re.match(r"could not import '(\w+)", reason):
            reason = f"pip install '.[{EXTRAS[library[1]]}]'" if library[1] in EXTRAS else f"pip install {library[1]}"
            lacking.setdefault(reason, set()).add(library[1])
        tests.setdefault(reason, set()).add(found.nodeid)  # a set: each process of xdist tells of a skipped file
    told = []
    for reason, names in sorted(tests.items()):
        libraries = ", ".join(sorted(lacking.get(reason, ())))
        told.append(f"{len(names)} without {libraries} ({reason})" if libraries else f"{len(names)} because {reason}")
    if told:
        terminalreporter.write_line(f"skipped tests, or whole files of them: {'; '.join(told)}")


# --- boards with known answers --------------------------------------------------------------------------------------


class Known(NamedTuple):
    """A board of the 15-puzzle with its least number of moves and, where the source gives one, a solution."""

    board: Instance
    length: int
    solution: str


def read_known(name: str) -> list[Known]:
    puzzle = registry.load("tiles-4x4")
    lines = [line.split("\t") for line in (DATA / name).read_text().splitlines() if not line.startswith("#")]
    return [Known(puzzle.read(line[0]), int(line[1]), line[4] if len(line) > 4 else "") for line in lines]


@pytest.fixture
def easiest_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logic by its easiest search alone: where no step is known, all others would have to be compiled."""
    from puzzlelab.puzzles.sudoku.logic import view

    searches = view.searches
    monkeypatch.setattr(view, "searches", lambda *arguments: searches(*arguments)[:1])


@pytest.fixture(scope="session")
def korf() -> list[Known]:
    """20 of Korf's boards, in the order of his numbers."""
    return read_known("korf15.txt")


@pytest.fixture(scope="session")
def deepcubea() -> list[Known]:
    """10 boards with solutions, from 36 to 66 moves."""
    return read_known("deepcubea15.txt")


@pytest.fixture(scope="session")
def distances_2x3() -> dict[bytes, int]:
    """The distance of every solvable board of 2x3 tiles, found by the plain rules alone."""
    puzzle = registry.load("tiles-2x3")
    goal = puzzle.goals()[0]
    found, layer = {goal.tobytes(): 0}, [goal]
    while layer:
        following = []
        for state in layer:
            for move in np.flatnonzero(puzzle.legal(state)):
                child = puzzle.apply(state, int(move))
                if child.tobytes() not in found:
                    found[child.tobytes()] = found[state.tobytes()] + 1
                    following.append(child)
        layer = following
    assert (len(found), max(found.values())) == (360, 21)
    return found


# --- a puzzle with a known answer: walk back along a corridor -------------------------------------------------------


@dataclass(frozen=True)
class Corridor:
    """Stand at one of the places 0 to `length`, and walk to place 0. The answer is the place; plain rules alone.

    Nobody passes between the places `wall` - 1 and `wall`; `objects` says whether the puzzle knows that.
    """

    length: int = 9
    wall: int | None = None
    objects: bool = False

    @property
    def name(self) -> str:
        return f"corridor-{self.length}"

    @property
    def move_count(self) -> int:
        return 2

    def read(self, text: str) -> Instance:
        if not text.isascii() or not text.isdigit() or len(text) > 3 or int(text) > self.length:
            raise BadBoard("no place of this corridor")
        return Instance(self, np.array([int(text)], np.int16))

    def write(self, state: State) -> str:
        return str(int(state[0]))

    def write_move(self, move: int) -> str:
        return "<>"[move]

    def read_move(self, text: str) -> int:
        if text not in ("<", ">"):
            raise BadBoard(f"'{text}' is no move")
        return "<>".index(text)

    def draw(self, state: State, mark: int | None = None) -> str:
        return "".join("o" if place == state[0] else "." for place in range(self.length + 1))

    def objection(self, state: State) -> str | None:
        return "a wall is in the way" if self.objects and self.wall is not None and state[0] >= self.wall else None

    def legal(self, state: State) -> State:
        place = int(state[0])
        return np.array([place > 0 and place != self.wall, place < self.length and place + 1 != self.wall])

    def apply(self, state: State, move: int) -> State:
        return state + np.array([-1, 1], state.dtype)[move]

    def solved(self, state: State) -> bool:
        return bool(state[0] == 0)

    def inverse(self, move: int) -> int:
        return 1 - move

    def goals(self) -> State:
        return np.zeros((1, 1), np.int16)

    def view(self, kind: type) -> Any:
        return self if kind is Reversible else None


@pytest.fixture(scope="session")
def corridor() -> type[Corridor]:
    """The class of the toy puzzle."""
    return Corridor


@pytest.fixture(scope="session")
def eight() -> Puzzle:
    """The 8-puzzle."""
    return registry.load("tiles-3x3")


# --- surroundings ---------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Listener:
    """Keeps what it hears."""

    notes: list[str] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)
    parts: list[tuple[str, float, float | None]] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def waiting(self, sentence: str) -> None:
        self.waits.append(sentence)

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        self.parts.append((title, done, total))


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Hears every sentence and all progress of the test."""
    found = Listener()
    with report.listening(found):
        yield found


@pytest.fixture
def write_failures() -> Iterator[dict[Path, str]]:
    """The files of the cache that this process could not write: none at first, as in a new process."""
    before = {**user_cache.write_failures}
    user_cache.write_failures.clear()
    yield user_cache.write_failures
    user_cache.write_failures.clear()
    user_cache.write_failures.update(before)


@pytest.fixture
def on_full_disk() -> Callable[..., tuple[int, str]]:
    """`on_full_disk(size, script, *words)`: (exit code, errors) of a process whose files have `size` bytes at most."""

    def run(size: int, script: str, *words: object) -> tuple[int, str]:
        limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, resource.RLIM_INFINITY))"
        start = f"import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n{limit}\n"
        command = [sys.executable, "-c", start + script, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stderr

    return run


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_failures: dict[Path, str]) -> Path:
    """A cache folder for the tables of one test; machine code stays where it is for all tests."""
    from puzzlelab.engine.compiler import kernel_folder

    kernel_folder()
    monkeypatch.setenv("PUZZLELAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PUZZLELAB_PRIVATE_CACHE", "")  # none yet
    return tmp_path / "cache"


@pytest.fixture
def no_cache(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that cannot be made, because a file stands in its place."""
    own_cache.write_text("a file")
    return own_cache


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Pretends that a plug-in is installed: `plugged(group, name, value)` adds an entry point."""
    from importlib import metadata

    real, added = metadata.entry_points, []

    def entry_points(**wanted: str) -> Any:
        if "group" not in wanted:
            return real(**wanted)
        return [*real(**wanted), *(entry for entry in added if entry.group == wanted.get("group"))]

    def plug(group: str, name: str, value: str) -> None:
        added.append(metadata.EntryPoint(name, value, group))
        plug_ins._all.cache_clear()

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    yield plug
    plug_ins._all.cache_clear()
