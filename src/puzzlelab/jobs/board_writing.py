"""Writes new boards to a file, a line each, or continues one: a board depends on the settings, the seed and its number.

The ending of its name says the form: lines of text, CSV, lines of JSON, Parquet, or a form of the puzzle.

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

from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadFile
from puzzlelab.core.puzzle import Puzzle, State, notations_of
from puzzlelab.core.views import BoardForm, own_generator, scale_of
from puzzlelab.engine.executor import Executor
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.jobs.board_generation import generated, generator_of, sampled
from puzzlelab.storage.files import make_folder, replace_file, require_regular, writing
from puzzlelab.storage.lines import blocks_of, lines_of
from puzzlelab.storage.outputs import LineOutput, check_ending
from puzzlelab.storage.row_columns import csv_text
from puzzlelab.storage.row_exports import (
    CSV,
    JSON_LINES,
    PARQUET,
    check_can_grow,
    check_export,
    growing_file,
    is_current,
    new_export,
)
from puzzlelab.text.board_blocks import read_blocks

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
) -> BoardLines:
    """Return the lines of the boards of `board_generation.boards` in the form that the name of the file says.

    Raises `BadFile` if it says none, and what `board_generation.boards` raises.
    """
    generator, form = generator_of(puzzle, scale, level, settings or {}), _form_of(puzzle, path)
    growing = growing_file(path) if path.suffix == PARQUET else path
    scale_name = None if generator else scale_of(puzzle, scale)[0]

    def make(first: int, end: int) -> Iterator[Sequence[str]]:
        if generator is None:
            for board in sampled(puzzle, scale, level, seed, first, end, executor):
                yield _written(puzzle, form, board[None], None)
        else:
            for boards, solutions in generated(generator, seed, first, end, executor or ThisProcess(jobs)):
                yield _written(puzzle, form, boards, solutions)

    if scale_name and form is LINES:
        comments = (f"# puzzle: {puzzle.name}", f"# {scale_name} {level or 'any'}, seed {seed}")
        return BoardLines(path, growing, comments, make, (0, 1), seed)
    return BoardLines(path, growing, [form.header] if form.header else [], make, (COMPARED, COMPARED), seed)


LINES, CSV_ROWS, OBJECTS = BoardForm("", None), BoardForm("puzzle,board", ""), BoardForm("", "")
"""Boards alone; CSV with the puzzle of each board; and lines of JSON, whose keys are the columns of Parquet files."""
OBJECT_FORMS = {JSON_LINES: OBJECTS, PARQUET: OBJECTS}
FORMS = {"": LINES, ".txt": LINES, CSV: CSV_ROWS, **OBJECT_FORMS}
"""Ending of the name of a file -> its form, for a puzzle without forms of its own."""


def _form_of(puzzle: Puzzle, path: Path) -> BoardForm:
    """Return the form of a file of boards; raises `BadFile` for another name, or a pipe for a form of the puzzle."""
    own = own_generator(puzzle)
    if own is None or not own.forms:
        check_ending(path, FORMS)
        return FORMS.get(path.suffix, LINES)  # a pipe may have any name
    forms = {**own.forms, **OBJECT_FORMS}
    require_regular(path)
    check_ending(path, forms)
    return forms[path.suffix]


def _written(puzzle: Puzzle, form: BoardForm, boards: State, solutions: State | None) -> Sequence[str]:
    """Return a line for each board, with its solution if it is known, both plain states `[P, S]`."""
    texts = Boards(puzzle, boards).written()
    if form.notation is None:
        return texts
    if form is CSV_ROWS:
        return [f"{csv_text(puzzle.name)},{csv_text(text)}" for text in texts]
    if solutions is None:
        return [json.dumps({"puzzle": puzzle.name, "board": text}) for text in texts]
    if form is OBJECTS:
        pairs = zip(texts, Boards(puzzle, solutions).written(), strict=True)
        return [json.dumps({"puzzle": board, "solution": solution}) for board, solution in pairs]
    return notations_of(puzzle)[form.notation](boards, solutions).splitlines()


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
        existing = max(0, file.existing - len(lines.header))
        try:
            _write(file, lines, existing, count, report)
        except KeyboardInterrupt:
            _export(path, growing, file)
            raise
        _export(path, growing, file)
    return existing


def _write(file: LineOutput, lines: BoardLines, existing: int, count: int, report: Callable[[int], None]) -> None:
    first, last = lines.compared
    kept = max(0, min(existing, count) - last)
    rest = lines.make(kept, count)
    begin = next(rest)  # before the header: boards that cannot be made leave no file
    if not existing and (kept_file := seed_file(lines.path)).exists() and _seed_in(kept_file) is None:
        raise BadFile(f"{kept_file} is something else than a seed, and is not replaced")
    file.write_all(lines.header)
    if first and kept:
        file.write_all(chain.from_iterable(lines.make(0, min(first, kept))))
    file.skip(kept + len(lines.header) - file.number)
    if not existing and lines.growing.is_file():
        replace_file(seed_file(lines.path), f"{lines.seed}\n")
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


def states_in(puzzle: Puzzle, path: Path) -> Iterator[State]:
    """Yield the plain states `[P, S]` in a file of boards of the puzzle's own generator, of some boards at a time."""
    texts = blocks_of(growing_file(path) if path.suffix == PARQUET else path)
    if path.suffix in OBJECT_FORMS:
        texts = ("".join(f"{json.loads(line)['puzzle']}\n" for line in block.splitlines()) for block in texts)
    return (boards.states for boards in read_blocks(puzzle, texts, str(path)))
