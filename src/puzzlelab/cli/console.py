"""Shared by all commands: printing, and reading boards."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from io import BufferedReader
from itertools import chain
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from puzzlelab.core.errors import (
    BadBoard,
    BadFile,
    BadInput,
    BadOption,
    PuzzlelabError,
    UnknownName,
    as_unicode,
    visible,
)
from puzzlelab.runtime.signals import INTERRUPTED

if TYPE_CHECKING:
    from rich.table import Column

    from puzzlelab.core.boards import Boards
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.text.moves import MoveNotation

SOLVED, UNSOLVED, UNREADABLE = 0, 1, 2
"""Exit codes; `runtime.signals` has that of an interrupted command."""
NAME_OF_PUZZLE = r"[A-Za-z][\w-]{0,40}(:.*)?"
"""The pattern of a text that may be the name of a puzzle with a slip."""
LONGEST_PATH = 200
"""Characters of an argument that may be the name of a file."""
LEVEL_VARIABLE = "PUZZLELAB_LOG_LEVEL"
"""The environment variable with the level of messages; `--log-level` sets it, and `cli.progress` reads it."""
WIDTH = 120
"""Columns of output that does not go to a terminal."""


def fail(sentence: str) -> None:
    """Print an error on standard error, on one line."""
    remark(f"error: {sentence}")


def remark(sentence: str) -> None:
    """Print a sentence on standard error, on one line."""
    print(visible(sentence), file=sys.stderr, flush=True)


def end_interrupted(sentence: str) -> NoReturn:
    """Print what was done before Ctrl-C, which is no error, and end the command with the exit code of Ctrl-C."""
    remark(sentence)
    raise typer.Exit(INTERRUPTED)


def say(text: str = "") -> None:
    """Print a text on standard output as it is, without rich, which takes long to import."""
    print(text, flush=True)


def show(renderable: Any) -> None:
    """Print a table or another renderable of rich on standard output."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDTH
    Console(highlight=False, markup=False, emoji=False, soft_wrap=width is not None, width=width).print(renderable)


def print_table(columns: Sequence[str | Column], rows: Sequence[Sequence[str]]) -> None:
    """Print rows below their titles; nothing if there are none."""
    from rich.table import Table

    table = Table(*columns, box=None)
    for row in rows:
        table.add_row(*row)
    if rows:
        show(table)


class ErrorTally:
    """Errors of one kind, of which it prints the first, and at the end the number of further ones."""

    SHOWN = 20

    def __init__(self, what: str = "boards that cannot be read") -> None:
        self.count, self.what = 0, what

    def tell(self, where: str, error: object) -> None:
        """Print one error; `where` is empty for a single argument."""
        self.count += 1
        if self.count <= self.SHOWN:
            fail(f"{where}: {error}" if where else str(error))

    def tell_boards(self, boards: Boards, json: bool = False) -> None:
        """Print the error of each board that has one, with `json` also an object."""
        for place, error in sorted(boards.errors.items()):
            self.tell(boards.where(place), error)
            if json:
                from puzzlelab.jobs.serialise import error_facts

                say(dumps(error_facts(boards.puzzle, boards.texts[place], error)))

    def end(self, code: int = SOLVED) -> int:
        """Print the number of errors that were not shown; return the exit code, which is `code` without errors."""
        if self.count > self.SHOWN:
            fail(f"and {self.count - self.SHOWN:,} more {self.what}")
        return UNREADABLE if self.count else code


def load_puzzle(name: str, settle: bool) -> Puzzle:
    """Return the puzzle of this name, or with `settle` its variant that lets boards settle.

    Raises `BadOption` if it has no such variant.
    """
    from puzzlelab.core import registry
    from puzzlelab.core.puzzle import settling_of

    puzzle = registry.load(name)
    if not settle:
        return puzzle
    settling = settling_of(puzzle)
    if settling is None:
        raise BadOption(f"--settle has no meaning for {puzzle.name}, which has no variant that lets boards settle")
    return settling[0]


def puzzle_and_boards(
    name: str, boards: list[str] | None, settle: bool, file: Path | None = None
) -> tuple[Puzzle, list[str] | None]:
    """Return the puzzle of this name, and the boards after it; a board in place of the name says its puzzle itself.

    Where one of the first boards says more than a board of this puzzle can, the puzzle is that of such boards. Raises
    `UnknownName` for what is neither.
    """
    try:
        return _widened(load_puzzle(name, settle), boards, file), boards
    except UnknownName as error:
        if len(name) < LONGEST_PATH and Path(name).is_file():
            raise BadInput(f"{name} is a file: name its puzzle first, as in: tiles-4x4 --file {name}") from None
        from puzzlelab.text.reader import read_any

        try:
            puzzle = read_any(as_unicode(name))[0].puzzle
        except BadBoard as wrong:
            raise (error if re.fullmatch(NAME_OF_PUZZLE, name) else wrong) from None
        return load_puzzle(puzzle.name, settle), [name, *(boards or ())]


PEEKED = 1 << 18
"""Characters of a file in which boards are looked for that say more."""


def _widened(puzzle: Puzzle, arguments: list[str] | None, file: Path | None) -> Puzzle:
    """Return the puzzle of the first board of a command, see `puzzle_of_first`."""
    from puzzlelab.core.puzzle import Notation

    notation = puzzle.view(Notation)
    if notation is None or not notation.wider:
        return puzzle
    if file is not None and str(file) != "-":
        text = _beginning(file)
    elif arguments and arguments != ["-"]:
        text = as_unicode("\n".join(arguments))
    else:
        text = _peeked()
    try:
        notation.read(text.split("\n", 1)[0])
    except BadBoard:
        from puzzlelab.text.reader import widened

        return widened(puzzle, text)
    return puzzle


def _peeked() -> str:
    """Return the beginning of what is piped in, which is left there to be read."""
    stream = sys.stdin.buffer
    if sys.stdin.isatty() or not isinstance(stream, BufferedReader):
        return ""
    return stream.peek(PEEKED)[:PEEKED].decode(errors="replace")


def _beginning(file: Path) -> str:
    """Return the first lines of a file; nothing of what is no file, or cannot be read."""
    from puzzlelab.storage.board_files import board_blocks

    try:
        return next(iter(board_blocks(file)), "")[:PEEKED] if file.is_file() else ""
    except PuzzlelabError:
        return ""  # said when the boards are read


def read_boards(
    puzzle: Puzzle, arguments: list[str] | None, file: Path | None, settle: bool = False
) -> tuple[Iterator[Boards], int | None]:
    """Return the boards of a command, in blocks that are read when they are needed, and their number if it is known.

    They come from its arguments, a file, or standard input. A single board is known as such; raises `BadFile` if there
    are none. With `settle` it prints what fell.
    """
    arguments, total = arguments or [], None
    if file is not None and arguments:
        raise BadFile("give boards as arguments or with --file, not both")
    if file is not None and str(file) != "-":
        blocks, name = _blocks(puzzle, file, str(file)), str(file)
    elif arguments and arguments != ["-"]:
        boards = _arguments(puzzle, arguments)
        blocks, name, total = iter([boards]), "the arguments", len(boards)
    elif sys.stdin.isatty():
        raise BadFile("no board given: write it as an argument, name a file with --file, or pipe boards in")
    else:
        name = "standard input"
        blocks = _blocks(puzzle, None, name)
    if settle:
        blocks = _settled(puzzle, blocks)
    first: list[Boards] = []
    while (count := sum(map(len, first))) < 2:
        block = next(blocks, None)
        if block is None:
            total = count
            break
        first.append(block)
    if total == 0:
        raise BadFile(f"there are no boards in {name}")
    return chain(first, blocks), total


def board_of_scramble(
    notation: MoveNotation, scramble: str, boards: list[str] | None, file: Path | None, json: bool = False
) -> list[str]:
    """Return the board after the moves of `--scramble`, in place of those of a command, and print it with the moves
    that undo them, with `json` on standard error.
    """
    from puzzlelab.text.moves import scrambled

    if boards or file is not None:
        raise BadOption("--scramble gives the board: leave out boards and --file")
    board, inverse = scrambled(notation, scramble)
    text = notation.puzzle.write(board.state)
    tell = remark if json else say
    tell(f"the board after the scramble: {text}")
    tell(f"moves back to the goal{notation.note}: {notation.write(board.state, inverse)}")
    return [text]


def read_runs(puzzle: Puzzle, arguments: list[str] | None, file: Path | None, settle: bool = False) -> Iterator[Boards]:
    """Yield the boards of a command: consecutive ones that can all be read, or of which none can."""
    from puzzlelab.core.boards import runs

    blocks, _ = read_boards(puzzle, arguments, file, settle)
    return (block[begin:end] for block in blocks for begin, end in runs(block.is_readable))


def _blocks(puzzle: Puzzle, file: Path | None, name: str) -> Iterator[Boards]:
    """Yield the boards in a file or on standard input; at its end, print how many lines were passed over."""
    from puzzlelab.storage.board_files import board_blocks
    from puzzlelab.storage.lines import text_blocks
    from puzzlelab.text.board_blocks import read_blocks
    from puzzlelab.text.reader import splitter_of

    splitter = splitter_of(puzzle)
    texts = text_blocks(sys.stdin.buffer, name) if file is None else board_blocks(file)
    yield from read_blocks(puzzle, texts, name, splitter)
    if splitter.words:
        remark(f"passed over in {name}: lines of words: {splitter.words:,}; comments: {splitter.comments:,}")


def _settled(puzzle: Puzzle, blocks: Iterator[Boards]) -> Iterator[Boards]:
    """Yield the blocks; print what fell or slid on the first boards of each, and the number of the others."""
    from puzzlelab.core.puzzle import settling_of

    _, moved = settling_of(puzzle) or (puzzle, lambda text: "")
    for block in blocks:
        notes = [
            f"{where}: {note}" if (where := block.where(place)) else note
            for place, text in enumerate(block.texts)
            if place not in block.errors and (note := moved(text))
        ]
        more = len(notes) - ErrorTally.SHOWN
        for note in [*notes[: ErrorTally.SHOWN], *([f"and so on, on {more:,} more boards"] if more > 0 else [])]:
            remark(note)
        yield block


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
    if _reads(puzzle, argument):
        return [argument]
    from puzzlelab.text.reader import splitter_of

    texts = [board.text for board in splitter_of(puzzle).split(argument.split("\n"))]
    return texts if len(texts) > 1 else [argument]


def _reads(puzzle: Puzzle, text: str) -> bool:
    try:
        puzzle.read(text)
    except BadBoard:
        return False
    return True
