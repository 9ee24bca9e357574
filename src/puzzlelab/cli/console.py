"""Shared by all commands: printing, and reading boards."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from puzzlelab.core.errors import as_unicode, visible

if TYPE_CHECKING:
    from puzzlelab.core.boards import Boards
    from puzzlelab.core.puzzle import Puzzle

SOLVED, UNSOLVED, UNREADABLE = 0, 1, 2
"""Exit codes; `runtime.signals` has that of an interrupted command."""
NAME_OF_PUZZLE = r"[A-Za-z][\w-]{0,40}(:.*)?"
"""The pattern of a text that may be the name of a puzzle with a slip."""
LONGEST_PATH = 200
"""Characters of an argument that may be the name of a file."""
LEVEL_VARIABLE = "PUZZLELAB_LOG_LEVEL"
"""The environment variable with the level of messages; `--log-level` sets it, and `cli.reporters` reads it."""
PLAIN: Mapping[str, Any] = {"highlight": False, "markup": False, "emoji": False}
"""The arguments with which a console of rich prints texts as they are."""
WIDTH = 120
"""Columns of output that does not go to a terminal."""


def fail(sentence: str) -> None:
    """Print an error on standard error, on one line."""
    print(f"error: {visible(sentence)}", file=sys.stderr, flush=True)


class Console(Protocol):
    """The standard output: the console of rich, or one that prints plain text without importing rich.

    Texts are printed as they are: what is in brackets or between colons means nothing, in tables and their titles too.
    """

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as `rich.console.Console.print` does."""


class PlainConsole:
    """Output that is no terminal: texts are printed unchanged, and rich is imported only for tables and the like."""

    def print(self, *objects: Any, **options: Any) -> None:
        text = "".join(objects) if len(objects) < 2 and all(isinstance(each, str) for each in objects) else None
        if text is None or "\t" in text or options.get("markup"):
            from rich.console import Console

            Console(**PLAIN, soft_wrap=True, width=WIDTH).print(*objects, **options)
        else:
            print(text, flush=True)


def output() -> Console:
    """Return the console for standard output."""
    if not sys.stdout.isatty():
        return PlainConsole()
    from rich.console import Console

    return Console(**PLAIN)


def print_table(columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    """Print rows below their titles; nothing if there are none."""
    from rich.table import Table

    table = Table(*columns, box=None)
    for row in rows:
        table.add_row(*row)
    if rows:
        output().print(table)


class ErrorTally:
    """The errors of reading, of which it prints the first, and at the end the number of further ones."""

    SHOWN = 20

    def __init__(self) -> None:
        self.count = 0

    def tell(self, where: str, error: object) -> None:
        """Print one error; `where` is empty for a single argument."""
        self.count += 1
        if self.count <= self.SHOWN:
            fail(f"{where}: {error}" if where else str(error))

    def end(self, what: str = "boards") -> None:
        """Print the number of errors that were not shown."""
        if self.count > self.SHOWN:
            fail(f"and {self.count - self.SHOWN:,} more {what} that cannot be read")


def load_puzzle(name: str, settle: bool) -> Puzzle:
    """Return the puzzle of this name, or with `settle` its variant that lets boards settle.

    Raises `BadOption` if it has no such variant.
    """
    from puzzlelab import api
    from puzzlelab.core.errors import BadOption
    from puzzlelab.core.puzzle import presentation_of

    puzzle = api.load(name)
    if not settle:
        return puzzle
    lenient = presentation_of(puzzle).lenient
    if lenient is None:
        raise BadOption(f"--settle has no meaning for {puzzle.name}, which has no variant that lets boards settle")
    return lenient.puzzle


def puzzle_and_boards(name: str, boards: list[str] | None, settle: bool) -> tuple[Puzzle, list[str] | None]:
    """Return the puzzle of this name, and the boards after it; a board in place of the name says its puzzle itself.

    Raises `UnknownName` for what is neither.
    """
    from puzzlelab.core.errors import BadBoard, BadInput, UnknownName
    from puzzlelab.text.reader import read_any

    try:
        return load_puzzle(name, settle), boards
    except UnknownName as error:
        if len(name) < LONGEST_PATH and Path(name).is_file():
            raise BadInput(f"{name} is a file: name its puzzle first, as in: tiles-4x4 --file {name}") from None
        try:
            puzzle = read_any(as_unicode(name))[0].puzzle
        except BadBoard as wrong:
            raise (error if re.fullmatch(NAME_OF_PUZZLE, name) else wrong) from None
        return load_puzzle(puzzle.name, settle), [name, *(boards or ())]


class BoardStream:
    """The boards of a command, in blocks that are read when they are needed; at least one board."""

    def __init__(
        self,
        blocks: Iterable[Boards],
        settling: Callable[[str], str] | None = None,
        at_end: Callable[[], None] | None = None,
    ) -> None:
        self._blocks = iter(blocks)
        self._settling, self._at_end = settling, at_end
        self._read: list[Boards] = []
        self.count = 0
        """Boards that are read so far."""
        self.is_complete = False
        """Whether these are all."""

    @classmethod
    def of_arguments(cls, block: Boards, settling: Callable[[str], str] | None = None) -> BoardStream:
        """Return the boards of a command line."""
        stream = cls([block], settling)
        while not stream.is_complete:
            stream._read += stream._next_block()
        return stream

    @classmethod
    def of_text(
        cls, puzzle: Puzzle, texts: Iterable[str], name: str, settling: Callable[[str], str] | None = None
    ) -> BoardStream:
        """Return the boards in a text of this name. Raises `BadFile` if there are none."""
        from puzzlelab.core.errors import BadFile
        from puzzlelab.text.board_blocks import read_blocks
        from puzzlelab.text.reader import splitter_of

        splitter = splitter_of(puzzle)

        def say_what_was_passed_over() -> None:
            if splitter.words:
                said = f"passed over in {name}: lines of words: {splitter.words:,}; comments: {splitter.comments:,}"
                print(visible(said), file=sys.stderr, flush=True)

        stream = cls(read_blocks(puzzle, texts, name, splitter), settling, say_what_was_passed_over)
        if not stream._has(1):
            raise BadFile(f"there are no boards in {name}")
        return stream

    @property
    def is_single(self) -> bool:
        """Whether there is one board only."""
        return not self._has(2)

    def _has(self, count: int) -> bool:
        """Tell whether there are at least this number of boards; reads no more than that takes."""
        while self.count < count and not self.is_complete:
            self._read += self._next_block()
        return self.count >= count

    def _next_block(self) -> list[Boards]:
        block = next(self._blocks, None)
        if block is None:
            if self._at_end is not None and not self.is_complete:
                self._at_end()
            self.is_complete = True
            return []
        self.count += len(block)
        if self._settling is not None:
            _tell_what_settled(block, self._settling)
        return [block]

    def __iter__(self) -> Iterator[Boards]:
        """Yield the blocks, once."""
        while read := self._read or self._next_block():
            self._read = []
            yield from read


def read_boards(puzzle: Puzzle, arguments: list[str] | None, file: Path | None, settle: bool = False) -> BoardStream:
    """Return the boards of a command: from its arguments, a file, or standard input.

    With `settle` it prints what fell.
    """
    from puzzlelab.core.errors import BadFile
    from puzzlelab.core.puzzle import presentation_of
    from puzzlelab.storage.files import blocks_of, text_blocks

    lenient = presentation_of(puzzle).lenient
    settling = lenient.changes if settle and lenient is not None else None
    arguments = arguments or []
    if file is not None and arguments:
        raise BadFile("give boards as arguments or with --file, not both")
    if file is not None and str(file) != "-":
        return BoardStream.of_text(puzzle, blocks_of(file), str(file), settling)
    if arguments and arguments != ["-"]:
        return BoardStream.of_arguments(_arguments(puzzle, arguments), settling)
    if sys.stdin.isatty():
        raise BadFile("no board given: write it as an argument, name a file with --file, or pipe boards in")
    name = "standard input"
    return BoardStream.of_text(puzzle, text_blocks(sys.stdin.buffer, name), name, settling)


def _tell_what_settled(block: Boards, settling: Callable[[str], str]) -> None:
    """Print on standard error what fell or slid on the first boards of a block, and the number of the others."""
    notes = [
        f"{where}: {note}" if (where := block.where(place)) else note
        for place, text in enumerate(block.texts)
        if place not in block.errors and (note := settling(text))
    ]
    more = len(notes) - ErrorTally.SHOWN
    for note in [*notes[: ErrorTally.SHOWN], *([f"and so on, on {more:,} more boards"] if more > 0 else [])]:
        print(visible(note), file=sys.stderr, flush=True)


def _arguments(puzzle: Puzzle, arguments: list[str]) -> Boards:
    """Read each argument as a board; if none of several can be read, they are one board written without quotes."""
    from puzzlelab.text.board_blocks import read_texts

    # what is no UTF-8 is replaced, as in files, or it could not be read again from a file of rows
    arguments = list(map(as_unicode, arguments))
    if len(arguments) > 1 and not any(" " in text.strip() or _reads(puzzle, text) for text in arguments):
        arguments = [" ".join(arguments)]
    texts = [text for argument in arguments for text in _texts_in(puzzle, argument)]
    boards = read_texts(puzzle, texts, "board" if len(texts) > 1 else "")
    files = [place for place in boards.errors if len(texts[place]) < LONGEST_PATH and Path(texts[place]).is_file()]
    return boards.with_errors({place: f"{texts[place]} is a file: give --file {texts[place]}" for place in files})


def _texts_in(puzzle: Puzzle, argument: str) -> list[str]:
    """Return the texts of the boards in an argument: itself, unless it has several boards."""
    from puzzlelab.text.reader import splitter_of

    if _reads(puzzle, argument):
        return [argument]
    texts = [board.text for board in splitter_of(puzzle).split(argument.split("\n"))]
    return texts if len(texts) > 1 else [argument]


def _reads(puzzle: Puzzle, text: str) -> bool:
    from puzzlelab.core.errors import BadBoard

    try:
        puzzle.read(text)
    except BadBoard:
        return False
    return True
