"""Large files of puzzles, written in constant memory and resumed where they stop.

The ending of the name says the form: `.csv` (`puzzle,solution`), `.parquet` (the same columns), `.txt` (two words,
`puzzle  solution`, with 0 for blank) or `.sdm` (puzzles alone). While a file is not complete, `NAME.making` beside it
says of what.

Shapes: B = puzzles in a batch.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.files import GrowingFile, length_without_nul, make_folder, replace_file, replacing, sync, writing
from puzzlelab.core.version import VERSION

CELLS = 81
PART = 10_000
"""Rows of a part of a Parquet file."""
Bytes = NDArray[np.uint8]
GeneratedBatch = tuple[Bytes, Bytes]
"""(puzzles, solutions), each `uint8[B, 81]`."""


class Writer(Protocol):
    """A file that grows by batches."""

    rows: int
    """Rows that are there."""

    def append(self, batch: GeneratedBatch) -> None:
        """Write the rows of a batch."""

    def close(self, complete: bool) -> None:
        """Finish; a file that is not complete can be gone on with."""

    def discard(self) -> None:
        """Remove what there is."""


@dataclass(frozen=True)
class Form:
    """Lines of a fixed width."""

    header: bytes
    blank: bytes
    between: bytes | None
    """What stands between puzzle and solution; None where there is no solution."""

    @property
    def width(self) -> int:
        """Bytes of a line, with its end."""
        return CELLS + 1 if self.between is None else 2 * CELLS + len(self.between) + 1

    def lines(self, batch: GeneratedBatch) -> Bytes:
        """`uint8[B, width]`."""
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


class PartFiles:
    """A Parquet file, made of parts that are each written in one step, and joined at the end."""

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise BadInput("Parquet files need pyarrow: pip install 'puzzlelab[learn]'") from None
        self.path, self.folder = path, _parts_folder(path)
        make_folder(self.folder)
        paths = self._paths()
        self.parts = next((number for number, path in enumerate(paths) if path != self._path(number)), len(paths))
        self.rows = self.parts * PART
        self.waiting: list[GeneratedBatch] = []

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06}.parquet"

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("part-*.parquet"))

    def append(self, batch: GeneratedBatch) -> None:
        self.waiting.append(batch)
        self.rows += len(batch[0])
        if self.rows - self.parts * PART >= PART:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if self.waiting:
            puzzles, solutions = (np.concatenate(each) for each in zip(*self.waiting, strict=True))
            columns = {"puzzle": _strings(puzzles), "solution": _strings(solutions)}
            with replacing(self._path(self.parts), self.folder / "writing") as temporary:
                pq.write_table(pa.table(columns), temporary)
            self.parts += 1
            self.waiting = []

    def close(self, complete: bool) -> None:
        import pyarrow.parquet as pq

        if not complete:
            self.rows, self.waiting = self.parts * PART, []
            return
        self._write()
        paths = self._paths()
        with (
            replacing(self.path, self.folder / "joined") as temporary,
            pq.ParquetWriter(temporary, pq.read_schema(paths[0])) as writer,
        ):
            for path in paths:
                writer.write_table(pq.read_table(path))
        shutil.rmtree(self.folder)
        sync(self.path.parent)

    def discard(self) -> None:
        shutil.rmtree(self.folder)


def _parts_folder(path: Path) -> Path:
    return path.with_name(f"{path.name}.parts")


def _strings(grids: Bytes) -> Any:
    import pyarrow as pa

    fixed = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(CELLS), len(grids), [None, pa.py_buffer(_text(grids, b".").tobytes())]
    )
    return fixed.cast(pa.binary()).cast(pa.string())


def writer_of(path: Path) -> Writer:
    """The writer for the suffix of the name; raises `BadFile`."""
    if path.suffix == PARQUET:
        return PartFiles(path)
    if path.suffix not in FORMS:
        raise BadFile(f"{path} ends in none of {', '.join([*FORMS, PARQUET])}, which say the form of the file")
    return LineFile(path, FORMS[path.suffix])


def write(
    path: Path,
    stream: Mapping[str, Any],
    batches: Callable[[int], Iterator[GeneratedBatch]],
    report: Callable[[int], None],
) -> None:
    """Write the puzzles of a stream; continue the file if it was begun with the same stream.

    `stream` describes it as plain data, and `batches(n)` yields its puzzles from number n on. `report` is called with
    the number of rows so far, and at the end with the number of rows that are kept. What was written stays, whatever
    happens. Raises `BadFile`.
    """
    if not path.name:
        raise BadFile(f"'{path}' is no name of a file")
    note = path.with_name(f"{path.name}.making")
    settings = {**stream, "version": VERSION}
    with writing(path):
        _examine(path, note, json.loads(json.dumps(settings)))
        make_folder(path.parent)
        writer = _begun_writer(path, note, json.dumps(settings) + "\n")
        complete = False
        try:
            report(writer.rows)
            for batch in batches(writer.rows):
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


def _begun_writer(path: Path, note: Path, settings: str) -> Writer:
    """The writer of a file whose note is on the disk: without one, a part of a file would look like a whole one."""
    if note.exists():
        return writer_of(path)
    if _parts_folder(path).exists():  # of another file: a power cut came while they were being removed
        shutil.rmtree(_parts_folder(path))
    replace_file(note, settings)
    try:
        return writer_of(path)
    except BaseException:
        note.unlink()
        raise


def _examine(path: Path, note: Path, settings: Mapping[str, Any]) -> None:
    """Check that the file is new, or was begun with these settings."""
    if note.exists():
        try:
            stored_settings = json.loads(note.read_text(encoding="utf-8"))
        except ValueError:
            raise BadFile(f"{note} says nothing that can be read: remove it together with {path}") from None
        if stored_settings != settings:
            raise BadFile(
                f"{path} was begun with other settings ({json.dumps(stored_settings)}); "
                f"remove it and {note} to begin anew"
            )
        return
    if path.exists():
        raise BadFile(f"{path} exists already: give another name, or remove it first")


def clue_counts(path: Path) -> NDArray[np.int64]:
    """`int64[82]`: the number of puzzles of a file by their clues; streamed."""
    totals = np.zeros(CELLS + 1, np.int64)
    for puzzles in _puzzles(path):
        blank = (puzzles == ord(".")) | (puzzles == ord("0"))
        totals += np.bincount(CELLS - blank.sum(axis=1), minlength=CELLS + 1)
    return totals


def _puzzles(path: Path) -> Iterator[Bytes]:
    """The puzzles of a file as characters, `uint8[B, 81]`."""
    if path.suffix == PARQUET:
        import pyarrow.parquet as pq

        for part in pq.ParquetFile(path).iter_batches(PART, columns=["puzzle"]):
            yield np.frombuffer("".join(part.column(0).to_pylist()).encode(), np.uint8).reshape(-1, CELLS)
        return
    form = FORMS[path.suffix]
    with path.open("rb") as file:
        file.seek(len(form.header))
        while data := file.read(PART * form.width):
            yield np.frombuffer(data, np.uint8).reshape(-1, form.width)[:, :CELLS]
