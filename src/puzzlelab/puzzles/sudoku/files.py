"""Large files of puzzles, written in constant memory and resumed where they stop.

The ending of the name says the form: `.csv` (`puzzle,solution`), `.parquet` (the same columns), `.txt` (two words,
`puzzle  solution`, with 0 for blank) or `.sdm` (puzzles alone). While a file is not complete, `NAME.making` beside it
says of what, and is locked. A complete file has no such note. It is recognised by its first and last rows, which are
made again and compared: a puzzle depends on nothing but the settings, the seed and its number.

Shapes: B = puzzles in a batch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.version import VERSION
from puzzlelab.storage.files import GrowingFile, length_without_nul, make_folder, require_regular, sync, writing
from puzzlelab.storage.outputs import only_writer
from puzzlelab.storage.parquet_parts import (
    PartFiles,
    TableFile,
    files_of,
    part_name,
    remove_parts,
    require_pyarrow,
    row_count,
)

CELLS = 81
PART = 10_000
"""Rows of a part of a Parquet file."""
COLUMNS = ("puzzle", "solution")
"""The columns of a Parquet file."""
COMPARED_ROWS = 20
"""Rows at each end of a complete file that are made again, to see whether it holds these puzzles."""
Bytes = NDArray[np.uint8]
GeneratedBatch = tuple[Bytes, Bytes]
"""(puzzles, solutions), each `uint8[B, 81]`."""


class Writer(Protocol):
    """A file that grows by batches."""

    @property
    def rows(self) -> int:
        """Rows that are there."""

    def append(self, batch: GeneratedBatch) -> None:
        """Write the rows of a batch."""

    def close(self, complete: bool) -> None:
        """Finish; a file that is not complete can be continued."""

    def discard(self) -> None:
        """Remove what there is."""


@dataclass(frozen=True)
class Form:
    """Lines of a fixed width."""

    header: bytes
    blank: bytes
    between: bytes | None
    """The text between puzzle and solution; None where there is no solution."""

    @property
    def width(self) -> int:
        """Bytes of a line, with its end."""
        return CELLS + 1 if self.between is None else 2 * CELLS + len(self.between) + 1

    def lines(self, batch: GeneratedBatch) -> Bytes:
        """Return `uint8[B, width]`."""
        puzzles, solutions = batch
        parts = [_text(puzzles, self.blank)]
        if self.between is not None:
            parts += [_repeated(self.between, len(puzzles)), _text(solutions, self.blank)]
        return np.concatenate([*parts, _repeated(b"\n", len(puzzles))], axis=1)


FORMS: Mapping[str, Form] = {
    ".csv": Form(b"puzzle,solution\n", b".", b","),
    ".txt": Form(b"", b"0", b"  "),
    ".sdm": Form(b"", b".", None),
}
PARQUET = ".parquet"


def _text(grids: Bytes, blank: bytes) -> Bytes:
    return np.frombuffer(blank + b"123456789", np.uint8)[grids]


def _repeated(text: bytes, count: int) -> Bytes:
    return np.broadcast_to(np.frombuffer(text, np.uint8), (count, len(text)))


class LineFile:
    """A text file of one puzzle a line."""

    def __init__(self, path: Path, form: Form) -> None:
        self.path, self.form = path, form
        length = length_without_nul(path) if path.exists() else 0
        self.rows = max(0, (length - len(form.header)) // form.width)
        self.file = GrowingFile(path, len(form.header) + self.rows * form.width if self.rows else 0)
        if self.rows == 0:
            self.file.write(form.header)

    def append(self, batch: GeneratedBatch) -> None:
        self.file.write(self.form.lines(batch).tobytes())
        self.rows += len(batch[0])

    def close(self, complete: bool) -> None:
        self.file.close()

    def discard(self) -> None:
        self.file.close()
        self.path.unlink()


def read_lines(path: Path, form: Form, first: int, end: int) -> bytes:
    """Return the lines number `first` to `end` - 1."""
    with path.open("rb") as file:
        file.seek(len(form.header) + first * form.width)
        return file.read((end - first) * form.width)


class ParquetFile:
    """A Parquet file of puzzles, written in parts of `PART` rows."""

    def __init__(self, path: Path) -> None:
        for number, part in enumerate([] if path.exists() else files_of(path)):
            if part.stem != part_name(number):  # after a missing one: the number of a row is that of its puzzle
                part.unlink()
        self.path, self.parts = path, PartFiles(path)
        self.waiting: list[GeneratedBatch] = []

    @property
    def rows(self) -> int:
        """Rows in parts, and of the part that is not written yet."""
        return self.parts.rows + sum(len(puzzles) for puzzles, _ in self.waiting)

    def append(self, batch: GeneratedBatch) -> None:
        self.waiting.append(batch)
        if self.rows - self.parts.rows >= PART:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa

        if self.waiting:
            puzzles, solutions = (np.concatenate(each) for each in zip(*self.waiting, strict=True))
            self.parts.append(pa.table(dict(zip(COLUMNS, (_strings(puzzles), _strings(solutions)), strict=True))))
            self.waiting = []

    def close(self, complete: bool) -> None:
        if complete:
            self._write()
            self.parts.join(PART)
        self.waiting = []

    def discard(self) -> None:
        remove_parts(self.path)


def _strings(grids: Bytes) -> Any:
    import pyarrow as pa

    fixed = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(CELLS), len(grids), [None, pa.py_buffer(_text(grids, b".").tobytes())]
    )
    return fixed.cast(pa.binary()).cast(pa.string())


def writer_of(path: Path) -> Writer:
    """Return the writer for the suffix of the name."""
    return ParquetFile(path) if path.suffix == PARQUET else LineFile(path, FORMS[path.suffix])


def write(
    path: Path,
    stream: Mapping[str, Any],
    batches: Callable[[int, int], Iterator[GeneratedBatch]],
    report: Callable[[int], None],
) -> None:
    """Write the first `stream["count"]` puzzles of a stream; continue the file if it holds the first ones of them.

    `stream` describes it as plain data, and `batches(n, m)` yields its puzzles number n to m - 1. `report` is called
    with the number of rows so far, and at the end with the number of rows that are kept. A file with as many rows, or
    more, is not changed. What was written stays, whatever happens. Raises `BadFile` for a file of something else, and
    `BadInput` if another program is writing to it.
    """
    _check_name(path)
    note, count = path.with_name(f"{path.name}.making"), int(stream["count"])
    settings = json.loads(json.dumps({**stream, "version": VERSION}))
    with writing(path):
        make_folder(path.parent)
    with only_writer(note, path), writing(path):
        begun = _is_begun(path, note, settings)
        if not begun:
            rows = _rows_of_complete_file(path, count, batches)
            if path.suffix == PARQUET:
                _check_parts(path)
                remove_parts(path)
            if rows >= count:
                note.unlink()
                report(rows)
                return
            _write_note(note, settings)
        writer = _begun_writer(path, note, begun)
        if writer.rows > count:
            writer.close(complete=False)
            if path.suffix == PARQUET:
                raise BadFile(f"{path} is not complete, and has more than {count:,} boards: give the --count it had")
            report(writer.rows)
            return
        if begun:
            _write_note(note, settings)  # the count may be another one
        complete = False
        try:
            report(writer.rows)
            for batch in batches(writer.rows, count):
                writer.append(batch)
                report(writer.rows)
            complete = True
        except BadInput:
            if writer.rows == 0:  # such puzzles cannot be had: nothing was begun
                writer.discard()
                note.unlink()
            raise
        finally:
            writer.close(complete)
            if not complete:
                report(writer.rows)
        note.unlink()
        sync(path.parent)


def _check_parts(path: Path) -> None:
    """Raise `BadFile` if there are parts of something else, such as rows of `solve`; the empty note is removed."""
    for part in [] if path.exists() else files_of(path):
        with TableFile(part) as opened:
            names = tuple(opened.schema.names)
        if names != COLUMNS:
            path.with_name(f"{path.name}.making").unlink()
            raise BadFile(f"{part.parent} holds parts of something else: give another name, or remove it first")


def _begun_writer(path: Path, note: Path, begun: bool) -> Writer:
    """Return the writer of a file whose note is on the disk: else a part of a file would look like a whole one."""
    try:
        return writer_of(path)
    except BaseException:
        if not begun:
            note.unlink()
        raise


def _check_name(path: Path) -> None:
    """Check that the name says a form that can be written; raises `BadFile`, and `BadInput` without pyarrow."""
    if not path.name:
        raise BadFile(f"'{path}' is no name of a file")
    if path.suffix != PARQUET and path.suffix not in FORMS:
        raise BadFile(f"{path} ends in none of {', '.join([*FORMS, PARQUET])}, which say the form of the file")
    if path.suffix == PARQUET:
        require_pyarrow()
    require_regular(path)


def _is_begun(path: Path, note: Path, settings: Mapping[str, Any]) -> bool:
    """Tell whether the file was begun with these settings, and any count.

    Raises `BadFile` if it was begun with others.
    """
    text = note.read_bytes().rstrip(b"\0")
    if not text:  # created just now, or a power cut came before it was written
        return False
    try:
        stored_settings = json.loads(text)
    except ValueError:
        raise BadFile(f"{note} says nothing that can be read: remove it together with {path}") from None
    if not isinstance(stored_settings, dict) or {**stored_settings, "count": settings["count"]} != settings:
        raise BadFile(
            f"{path} was begun with other settings ({json.dumps(stored_settings)}); remove it and {note} to begin anew"
        )
    return True


def _write_note(note: Path, settings: Mapping[str, Any]) -> None:
    note.write_text(json.dumps(settings) + "\n", encoding="utf-8")  # in place: its lock is held
    sync(note)
    sync(note.parent)


# --- complete files ---


def _rows_of_complete_file(path: Path, count: int, batches: Callable[[int, int], Iterator[GeneratedBatch]]) -> int:
    """Return the rows of a file that holds the first puzzles of this stream, 0 for none.

    Raises `BadFile` for other files.
    """
    if not path.exists():
        return 0
    try:
        rows = _row_count(path)
        compared = min(rows, count)
        ends = {(0, min(COMPARED_ROWS, compared)), (max(0, compared - COMPARED_ROWS), compared)} if compared else ()
        is_equal = all(_stored_lines(path, *span) == _made_lines(path, *span, batches) for span in ends)
    except ValueError:  # Arrow's errors too
        is_equal = False
    except OSError as error:
        if error.errno is not None:
            raise
        is_equal = False  # Arrow's error for a damaged file
    if not is_equal:
        raise BadFile(f"{path} exists already, and holds something else: give another name, or remove it first")
    return rows


def _row_count(path: Path) -> int:
    """Return the rows of a file; raises `ValueError` if it does not have the form that its name says."""
    if path.suffix == PARQUET:
        return row_count(path)
    form, size = FORMS[path.suffix], path.stat().st_size
    with path.open("rb") as file:
        header = file.read(len(form.header))
    rows, rest = divmod(size - len(form.header), form.width)
    if size < len(form.header) + form.width and form.header.startswith(path.read_bytes().rstrip(b"\0")):
        return 0  # empty, or a part of its header
    if header != form.header or rest:
        raise ValueError
    return rows


def _stored_lines(path: Path, first: int, end: int) -> bytes:
    """Return the rows number `first` to `end` - 1 as lines, those of Parquet as in `.csv`."""
    if path.suffix != PARQUET:
        return read_lines(path, FORMS[path.suffix], first, end)
    lines: list[str] = []
    with TableFile(path) as file:
        begin = 0
        for group, rows in enumerate(file.group_sizes):
            if begin < end and first < begin + rows:
                table = file.read(group).slice(max(0, first - begin), end - max(first, begin)).to_pydict()
                pairs = zip(table.get("puzzle", ()), table.get("solution", ()), strict=True)
                lines += [f"{puzzle},{solution}\n" for puzzle, solution in pairs]
            begin += rows
    return "".join(lines).encode()


def _made_lines(path: Path, first: int, end: int, batches: Callable[[int, int], Iterator[GeneratedBatch]]) -> bytes:
    form = FORMS[".csv" if path.suffix == PARQUET else path.suffix]
    return b"".join(form.lines(batch).tobytes() for batch in batches(first, end))


# --- statistics ---


def clue_counts(path: Path) -> NDArray[np.int64]:
    """Count the puzzles of a file by their clues: `int64[82]`; streamed."""
    totals = np.zeros(CELLS + 1, np.int64)
    for puzzles in _puzzles(path):
        blank = (puzzles == ord(".")) | (puzzles == ord("0"))
        totals += np.bincount(CELLS - blank.sum(axis=1), minlength=CELLS + 1)
    return totals


def _puzzles(path: Path) -> Iterator[Bytes]:
    """Yield the puzzles of a file as characters, `uint8[B, 81]`."""
    if path.suffix == PARQUET:
        with TableFile(path) as table:
            for part in table.tables(PART, ["puzzle"]):
                yield np.frombuffer("".join(part.column(0).to_pylist()).encode(), np.uint8).reshape(-1, CELLS)
        return
    form = FORMS[path.suffix]
    with path.open("rb") as file:
        file.seek(len(form.header))
        while data := file.read(PART * form.width):
            yield np.frombuffer(data, np.uint8).reshape(-1, form.width)[:, :CELLS]
