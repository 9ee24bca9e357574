"""What the verbs share: where they print, how they show progress, and how they read boards."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

    from puzzlelab.analysis.solve_job import BoardInput
    from puzzlelab.core.puzzle import Puzzle

SOLVED, UNSOLVED, UNREADABLE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes."""
WIDTH = 120
"""Columns of what is not printed on a terminal."""

Settle = Annotated[
    bool, typer.Option("--settle", help="Let boards come to rest that could not stay as they are given.")
]


def fail(sentence: str) -> None:
    """Print a sentence about what is wrong."""
    print(f"error: {sentence}", file=sys.stderr, flush=True)


class Console(Protocol):
    """Where answers go: that of rich, or one which prints plain text without importing rich."""

    def print(self, *objects: Any, **options: Any) -> None:
        """What `rich.console.Console.print` prints."""


class PlainConsole:
    """What is no terminal: a text goes there as it is, and only what needs rich, such as a table, imports rich."""

    def print(self, *objects: Any, **options: Any) -> None:
        text = "".join(objects) if len(objects) < 2 and all(isinstance(each, str) for each in objects) else None
        if text is None or "\t" in text or ("[" in text and options.get("markup", True)):
            from rich.console import Console

            Console(highlight=False, soft_wrap=True, width=WIDTH).print(*objects, **options)
        else:
            print(text, flush=True)


def output() -> Console:
    """Where answers go."""
    if not sys.stdout.isatty():
        return PlainConsole()
    from rich.console import Console

    return Console(highlight=False)


class Bars(Protocol):
    """Progress bars, as the verbs use them."""

    @property
    def task_ids(self) -> Sequence[Any]:
        """What is under way."""

    def advance(self, task_id: Any) -> None:
        """One more is done."""

    def update(self, task_id: Any, *, completed: float | None = None, description: str | None = None) -> None:
        """So many are done."""


class NoBars:
    """Where nobody watches; what the library tells is a line on standard error."""

    task_ids: Sequence[int] = (0,)

    def note(self, sentence: str) -> None:
        print(sentence, file=sys.stderr, flush=True)

    def waiting(self, sentence: str) -> None:
        self.note(sentence)

    def progress(self, title: str, done: float, total: float | None, status: str) -> None: ...
    def advance(self, task_id: Any) -> None: ...
    def update(self, task_id: Any, *, completed: float | None = None, description: str | None = None) -> None: ...


class _Listener:
    """Shows on the terminal what the library tells of its long work."""

    def __init__(self, bars: Progress) -> None:
        self.bars = bars
        self.tasks: dict[str, int] = {}

    def note(self, sentence: str) -> None:
        self.bars.console.print(sentence, soft_wrap=True)

    def waiting(self, sentence: str) -> None:
        if not self.bars.disable:
            self.note(sentence)

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        from rich.progress import TaskID

        if title not in self.tasks:
            self.tasks[title] = self.bars.add_task(title, total=total)
        words = f"{title}: {status}" if status else title
        self.bars.update(TaskID(self.tasks[title]), completed=done, description=words)


@contextmanager
def progress(title: str = "", total: int | None = None, shown: bool = True) -> Iterator[Bars]:
    """Progress bars on standard error; what the library tells meanwhile is shown there too."""
    from puzzlelab.engine.report import listening

    if not sys.stderr.isatty():
        none = NoBars()
        with listening(none):
            yield none
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as bars:
        if title:
            bars.add_task(title, total=total)
        with listening(_Listener(bars)):
            yield bars


class ErrorTally:
    """Tells of what could not be read: the first ones, and in the end how many more there are."""

    SHOWN = 20

    def __init__(self) -> None:
        self.count = 0

    def tell(self, where: str, error: object) -> None:
        """Print a sentence about one of them; `where` is empty for an argument on its own."""
        self.count += 1
        if self.count <= self.SHOWN:
            fail(f"{where}: {error}" if where else str(error))

    def end(self, what: str = "boards") -> None:
        """Print how many more there are."""
        if self.count > self.SHOWN:
            fail(f"and {self.count - self.SHOWN:,} more {what} that cannot be read")


def settling(puzzle: Puzzle, wanted: bool) -> Puzzle:
    """The puzzle or, where it is wanted, the same one that lets boards come to rest; raises `BadOption`."""
    from puzzlelab.core.errors import BadOption
    from puzzlelab.core.puzzle import presentation_of

    if not wanted:
        return puzzle
    lenient = presentation_of(puzzle).lenient
    if lenient is None:
        raise BadOption(f"--settle means nothing to {puzzle.name}, where nothing falls")
    return lenient()


def given_boards(puzzle: Puzzle, arguments: list[str], file: Path | None) -> list[BoardInput]:
    """The boards of a command: its arguments, those in a file, or those on standard input."""
    from puzzlelab.core.errors import BadFile

    if file is not None and arguments:
        raise BadFile("give boards as arguments or with --file, not both")
    if file is not None and str(file) != "-":
        try:
            with file.open(encoding="utf-8", errors="replace") as lines:
                return _lines(puzzle, lines, str(file))
        except OSError as error:
            raise BadFile(f"cannot read {file}: {error.strerror}") from None
    if arguments and arguments != ["-"]:
        return _arguments(puzzle, arguments)
    if sys.stdin.isatty():
        raise BadFile("no board given: write it as an argument, name a file with --file, or pipe boards in")
    return _lines(puzzle, (line.decode("utf-8", "replace") for line in sys.stdin.buffer), "standard input")


def _arguments(puzzle: Puzzle, arguments: list[str]) -> list[BoardInput]:
    """Each argument is a board; words that are none by themselves are one board without its quotes."""
    from puzzlelab.analysis.solve_job import BoardInput

    if len(arguments) > 1 and not any(" " in text.strip() or _reads(puzzle, text) for text in arguments):
        arguments = [" ".join(arguments)]
    if len(arguments) == 1:
        return [BoardInput(arguments[0], "")]
    return [BoardInput(text, f"board {number}") for number, text in enumerate(arguments, start=1)]


def _reads(puzzle: Puzzle, text: str) -> bool:
    from puzzlelab.core.errors import BadBoard

    try:
        puzzle.read(text)
    except BadBoard:
        return False
    return True


def _lines(puzzle: Puzzle, lines: Iterable[str], name: str) -> list[BoardInput]:
    """The boards in lines of text, each with its place. Raises `BadFile` for none."""
    from puzzlelab.analysis.solve_job import BoardInput
    from puzzlelab.core.board_files import boards
    from puzzlelab.core.errors import BadFile

    given = [BoardInput(found.text, f"{name}, line {found.line}") for found in boards(puzzle, lines)]
    if not given:
        raise BadFile(f"there are no boards in {name}")
    return given
