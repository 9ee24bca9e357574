"""Writes new boards to a file, a line each, or continues one: a board depends on the settings, the seed and its number.

The file of boards itself grows; only the rows of `X.parquet` grow in `X.parquet.jsonl`, from which it is made. The
lines before the boards, and some boards at the beginning and at the end of what is there, are made again and compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
from puzzlelab.storage.files import make_folder, require_regular, writing
from puzzlelab.storage.lines import blocks_of, lines_of
from puzzlelab.storage.outputs import LineOutput
from puzzlelab.storage.row_exports import PARQUET, check_can_grow, check_export, growing_file, is_current, new_export
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
    generator = generator_of(puzzle, scale, level, settings or {})
    if generator is None:
        name, _ = scale_of(puzzle, scale)
        comments = (f"# puzzle: {puzzle.name}", f"# {name} {level or 'any'}, seed {seed}")
        return BoardLines(path, path, comments, partial(_sampled_lines, puzzle, scale, level, seed, executor), (0, 1))
    form = _form_of(puzzle, path)

    def make(first: int, end: int) -> Iterator[Sequence[str]]:
        for boards, solutions in generated(generator, seed, first, end, executor or ThisProcess(jobs)):
            yield _written(puzzle, form, boards, solutions)

    header = [form.header] if form.header else []
    growing = growing_file(path) if form is PARQUET_FORM else path
    return BoardLines(path, growing, header, make, (COMPARED, COMPARED))


def _sampled_lines(
    puzzle: Puzzle, scale: str | None, level: str | None, seed: int, executor: Executor | None, first: int, end: int
) -> Iterator[Sequence[str]]:
    for board in sampled(puzzle, scale, level, seed, first, end, executor):
        yield [puzzle.write(board)]


PARQUET_FORM = BoardForm("", "")
"""Lines of JSON, whose keys are the columns of the Parquet file."""


def _form_of(puzzle: Puzzle, path: Path) -> BoardForm:
    """Return the form of a file of boards with their solutions; raises `BadFile` for another name or a pipe."""
    own = own_generator(puzzle)
    if own is None or not own.forms:
        return BoardForm("", None)
    forms = {**own.forms, PARQUET: PARQUET_FORM}
    if path.suffix not in forms:
        raise BadFile(f"{path} ends in none of {', '.join(forms)}, which say the form of the file")
    require_regular(path)
    return forms[path.suffix]


def _written(puzzle: Puzzle, form: BoardForm, boards: State, solutions: State) -> Sequence[str]:
    """Return a line for each board with its solution, both plain states `[P, S]`."""
    if form.notation is None:
        return Boards(puzzle, boards).written()
    if form is PARQUET_FORM:
        texts = zip(Boards(puzzle, boards).written(), Boards(puzzle, solutions).written(), strict=True)
        return [json.dumps({"puzzle": board, "solution": solution}) for board, solution in texts]
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
    file.write_all(lines.header)
    if first and kept:
        file.write_all(chain.from_iterable(lines.make(0, min(first, kept))))
    file.skip(kept + len(lines.header) - file.number)
    for texts in chain([begin], rest):
        file.write_all(texts)
        file.flush()
        report(max(existing, file.number - len(lines.header)))


def _export(path: Path, growing: Path, file: LineOutput) -> None:
    """Make a Parquet file of its growing file, unless it has all of its lines."""
    file.flush()
    if growing == path or is_current(path, growing):
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("puzzle", pa.string()), ("solution", pa.string())])
    rows = map(json.loads, lines_of(growing))
    with new_export(path, growing) as target, pq.ParquetWriter(target, schema) as writer:
        while some := list(islice(rows, GROUP)):
            writer.write_table(pa.Table.from_pylist(some, schema))


# --- reading ---


def states_in(puzzle: Puzzle, path: Path) -> Iterator[State]:
    """Yield the plain states `[P, S]` in a file of boards of the puzzle's own generator, of some boards at a time."""
    is_parquet = path.suffix == PARQUET
    texts = blocks_of(growing_file(path) if is_parquet else path)
    if is_parquet:
        texts = ("".join(f"{json.loads(line)['puzzle']}\n" for line in block.splitlines()) for block in texts)
    return (boards.states for boards in read_blocks(puzzle, texts, str(path)))
