"""Writes new boards to a file, or continues one: a board depends on the settings, the seed and its number.

The form of the file is one of `board_forms`, or Parquet. A document, such as a page to print, is written as a whole.

The file of boards itself grows; only the rows of `X.parquet` grow in `X.parquet.jsonl`, from which it is made. The
lines before the boards, and some boards at the beginning and at the end of what is there, are made again and compared.
The file `X.seed` beside it has the seed, with which it is continued.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile
from puzzlelab.core.puzzle import BoardForm, Puzzle, State
from puzzlelab.core.views import own_generator, scale_of
from puzzlelab.engine.executor import Executor
from puzzlelab.jobs.board_forms import USUAL, form_named, form_of_file, forms_of, texts_in
from puzzlelab.jobs.board_generation import board_batches
from puzzlelab.storage.files import make_folder, replace_file, require_regular, writing
from puzzlelab.storage.lines import blocks_of, lines_of
from puzzlelab.storage.outputs import LineOutput
from puzzlelab.storage.row_exports import PARQUET, check_can_grow, check_export, growing_file, is_current, new_export
from puzzlelab.text.board_blocks import read_blocks

OBJECTS = "jsonl"
"""The form of the growing file of a Parquet file."""
COMPARED = 20
"""Boards at each end of a file that are compared where no line says the settings."""
GROUP = 10_000
"""Rows of a row group of a Parquet file."""


@dataclass(frozen=True)
class BoardLines:
    """New boards as lines of a file."""

    path: Path
    growing: Path
    """The file that has these lines: the file itself, unless that is a Parquet file."""
    header: Sequence[str]
    """The lines before the boards."""
    make: Callable[[int, int], Iterator[Sequence[str]]]
    """Yields the lines of the boards number `first` to `end` - 1, those of some boards at a time."""
    form: BoardForm
    compared: tuple[int, int]
    """The number of boards at the beginning and at the end of a file that are made again and compared."""
    seed: int


def board_lines(
    puzzle: Puzzle,
    path: Path,
    scale: str | None = None,
    level: str | None = None,
    seed: int = 0,
    jobs: int | None = None,
    executor: Executor | None = None,
    settings: Mapping[str, Any] | None = None,
    form: str | None = None,
) -> BoardLines:
    """Return the lines of the boards of `board_generation.boards` in a form, by default the one that the name says.

    Raises `BadFile` if it says none, and what `board_generation.boards` raises.
    """
    own = own_generator(puzzle)
    if own is not None:
        require_regular(path)  # its boards are read again
    batches = board_batches(puzzle, scale, level, seed, jobs, executor, settings or {})
    is_table = path.suffix == PARQUET and form is None
    name = OBJECTS if is_table else form_of_file(puzzle, path, form, [PARQUET])
    chosen = form_named(puzzle, name)

    def make(first: int, end: int) -> Iterator[Sequence[str]]:
        return (text.splitlines() for text in texts_in(chosen, batches(first, end)))

    header, compared = [chosen.header] if chosen.header else [], (COMPARED, COMPARED)
    if name == USUAL and own is None:
        about = f"# {scale_of(puzzle, scale)[0]} {level or 'any'}, seed {seed}"
        header, compared = [f"# puzzle: {puzzle.name}", about], (0, 1)
    growing = growing_file(path) if is_table else path
    return BoardLines(path, growing, header, make, chosen, compared, seed)


# --- writing ---


def write_boards(lines: BoardLines, count: int, report: Callable[[int], None]) -> int:
    """Write `count` boards to a file, or continue it; return the number of boards that it had.

    `report` gets the number of boards that are there. A file with as many boards, or more, is not changed. What was
    written stays, whatever happens. Raises `BadFile` for a file of something else, and `BadInput` if another program is
    writing to it.
    """
    path, growing = lines.path, lines.growing
    if growing != path:
        check_export(path)
        check_can_grow(path, growing)
    with writing(path):
        make_folder(path.parent)
    with LineOutput(growing) as file:
        if lines.form.extent != "line":
            return _write_whole(file, lines, count, report)
        existing = max(0, file.existing - len(lines.header))
        try:
            _write(file, lines, existing, count, report)
        except KeyboardInterrupt:
            _export(path, growing, file)
            raise
        _export(path, growing, file)
    return existing


def _write_whole(file: LineOutput, lines: BoardLines, count: int, report: Callable[[int], None]) -> int:
    """Write boards of several lines, or a document; what is there is compared as a whole."""
    _check_seed(lines, file.existing)
    for texts in lines.make(0, count):
        file.write_all(texts)
    if file.rest:
        raise BadFile(f"{file.path} has more lines than these boards: give another name, or remove it first")
    if not file.existing:
        _keep_seed(lines)
    report(count)
    return count if file.existing == file.number else 0


def _write(file: LineOutput, lines: BoardLines, existing: int, count: int, report: Callable[[int], None]) -> None:
    first, last = lines.compared
    kept = max(0, min(existing, count) - last)
    rest = lines.make(kept, count)
    begin = next(rest)  # before the header: boards that cannot be made leave no file
    _check_seed(lines, existing)
    file.write_all(lines.header)
    if first and kept:
        file.write_all(chain.from_iterable(lines.make(0, min(first, kept))))
    file.skip(kept + len(lines.header) - file.number)
    if not existing:
        _keep_seed(lines)
    for texts in chain([begin], rest):
        file.write_all(texts)
        file.flush()
        report(max(existing, file.number - len(lines.header)))


def _export(path: Path, growing: Path, file: LineOutput) -> None:
    """Make a Parquet file of its growing file, unless it has all of its lines."""
    file.flush()
    if growing == path or is_current(path, growing) or not file.number:
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    first = json.loads(next(lines_of(growing)))
    rows, schema = map(json.loads, lines_of(growing)), pa.schema([(name, pa.string()) for name in first])
    with new_export(path, growing) as target, pq.ParquetWriter(target, schema) as writer:
        while some := list(islice(rows, GROUP)):
            writer.write_table(pa.Table.from_pylist(some, schema))


def seed_file(path: Path) -> Path:
    """Return the file beside a file of boards that has its seed."""
    return path.with_name(f"{path.name}.seed")


def _check_seed(lines: BoardLines, existing: int) -> None:
    """Raise `BadFile` if something else than a seed is where that of a new file will be."""
    if not existing and (kept_file := seed_file(lines.path)).exists() and _seed_in(kept_file) is None:
        raise BadFile(f"{kept_file} is something else than a seed, and is not replaced")


def _keep_seed(lines: BoardLines) -> None:
    if lines.growing.is_file():
        replace_file(seed_file(lines.path), f"{lines.seed}\n")


def kept_seed(path: Path) -> int | None:
    """Return the seed of a file of boards that is continued; None for a new one.

    Raises `BadFile` if it is damaged.
    """
    if not (path.is_file() or growing_file(path).is_file()) or not (kept := seed_file(path)).exists():
        return None
    if (seed := _seed_in(kept)) is None:
        raise BadFile(f"{kept} has no seed: give the one of these boards by --seed")
    return seed


def _seed_in(path: Path) -> int | None:
    """Return the seed in a file; None if it has something else."""
    text = "".join(blocks_of(path)).strip()
    return int(text) if text.isascii() and text.isdecimal() else None


# --- reading ---


def states_in(puzzle: Puzzle, lines: BoardLines) -> Iterator[State]:
    """Yield the plain states `[P, S]` in a file of a board a line, of some boards at a time."""
    texts = blocks_of(lines.growing)
    if lines.form == forms_of(puzzle)[OBJECTS]:
        texts = ("".join(f"{json.loads(line)['puzzle']}\n" for line in block.splitlines()) for block in texts)
    return (boards.states for boards in read_blocks(puzzle, texts, str(lines.path)))
