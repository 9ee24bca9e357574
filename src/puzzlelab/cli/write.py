"""`puzzlelab write`: writes boards in another form, without solving them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import ErrorTally, puzzle_and_boards, read_boards
from puzzlelab.cli.options import BoardFile, BoardTexts, FormName, PuzzleName, Settle

if TYPE_CHECKING:
    from puzzlelab.core.boards import Boards
    from puzzlelab.core.puzzle import State


def write(
    puzzle: PuzzleName,
    board: BoardTexts = None,
    file: BoardFile = None,
    form: FormName = None,
    out: Annotated[
        Path | None, typer.Option(help="Write to this file; its ending says the form, such as .sdk, unless --as does.")
    ] = None,
    settle: Settle = False,
) -> None:
    """Write boards in another form, such as the file or the link of another program, without solving them.

    Boards are read in any form. Without --as and --out, each is a line as this program writes it.

    Exit code: 0 all written, 2 something unreadable.
    """
    from puzzlelab.jobs.board_forms import USUAL, form_named, form_of_file, texts_in

    loaded_puzzle, board = puzzle_and_boards(puzzle, board, settle, file)
    name = form or USUAL if out is None else form_of_file(loaded_puzzle, out, form)
    chosen, errors = form_named(loaded_puzzle, name), ErrorTally()
    blocks, _ = read_boards(loaded_puzzle, board, file, settle)
    texts = texts_in(chosen, _readable(blocks, errors))
    if out is None:
        for text in texts:
            print(text, end="", flush=True)
    else:
        _write_file(out, chosen.header, texts)
    raise typer.Exit(errors.end())


def _readable(blocks: Iterator[Boards], errors: ErrorTally) -> Iterator[tuple[State, None]]:
    """Yield the boards that can be read, as states `[P, S]`; print the errors of others."""
    for boards in blocks:
        errors.tell_boards(boards)
        if boards.is_readable.any():
            yield boards.states[boards.is_readable], None


def _write_file(path: Path, header: str, texts: Iterator[str]) -> None:
    """Write a new file, or one whose lines are the first of these."""
    from puzzlelab.storage.files import make_folder, writing
    from puzzlelab.storage.outputs import LineOutput

    with writing(path):
        make_folder(path.parent)
    with LineOutput(path) as file:
        first = next(texts, "")  # before the header: boards that cannot be written leave no file
        file.write_all([header] if header else [])
        file.write_all(first.splitlines())
        for text in texts:
            file.write_all(text.splitlines())
