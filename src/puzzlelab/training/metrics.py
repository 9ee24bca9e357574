"""The metrics of a run: one JSON line per evaluation in `metrics.jsonl`, and the same values for TensorBoard.

A restarted learner truncates the file to its length at the saved state, and writes the lines after that again.
"""

from __future__ import annotations

import io
import json
import math
import os
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.engine import report
from puzzlelab.storage.files import make_folder, writing
from puzzlelab.storage.lines import JsonLines, append, json_lines

LINE_BEGINS = '{"step"'
TIME_FIELDS = ("seconds", "rate", "waited", "hours", "at")
"""The fields that differ between two runs with one seed."""


class MetricsWriter:
    """The writer of lines to a file, of which it keeps the first `length` bytes."""

    def __init__(self, path: Path, length: int = 0, tensorboard: Path | None = None) -> None:
        self.tensorboard = tensorboard
        self._lines = JsonLines(path)
        with writing(path):
            make_folder(path.parent)
            size = path.stat().st_size if path.exists() else 0
        if size < length:
            report.note(f"{path} has lost its last lines; what comes next is appended to those that it has")
        self._lines.cut(length)
        if size < length:
            self._lines.cut_half_line()
        self.length = path.stat().st_size  # less than `length` if a power cut took lines
        self._events: EventFile | None = None

    def write(self, step: int, values: Mapping[str, float | int | str | None]) -> None:
        """Append the line of this step, without values that are no numbers, which JSON does not have."""
        values = {name: each for name, each in values.items() if not isinstance(each, float) or math.isfinite(each)}
        self.length += self._lines.append({"step": step, **values})
        if self.tensorboard is not None:
            numbers = {name: value for name, value in values.items() if isinstance(value, (int, float))}
            with writing(self.tensorboard):
                self._events = self._events or EventFile(self.tensorboard, step)
                self._events.write(step, numbers)

    def sync(self) -> None:
        """Wait until all lines are on the disk."""
        self._lines.sync()


class EventFile:
    """A new file of events in TensorBoard's folder of a run; events of the first step or later in older files are void.

    What is written is there at once. TensorBoard's own writer of files has a thread, which prints a traceback where the
    disk is full.
    """

    def __init__(self, folder: Path, first_step: int) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog

        make_folder(folder)
        self._path = folder / f"events.out.tfevents.{time.time():.0f}.{socket.gethostname()}.{os.getpid()}"
        version = Event(wall_time=time.time(), step=first_step, file_version="brain.Event:2")
        begin = SessionLog(status=SessionLog.START)
        self._append(version, Event(wall_time=time.time(), step=first_step, session_log=begin))

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Write the values of a step."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        summary = Summary(value=[Summary.Value(tag=name, simple_value=value) for name, value in values.items()])
        self._append(Event(wall_time=time.time(), step=step, summary=summary))

    def _append(self, *events: Any) -> None:
        from tensorboard.summary.writer.record_writer import RecordWriter

        records = io.BytesIO()
        writer = RecordWriter(records)
        for event in events:
            writer.write(event.SerializeToString())
        append(self._path, records.getvalue())


def lines(path: Path) -> Iterator[dict[str, float]]:
    """Yield the lines of a metrics file, without half a line of a stopped program; none where there is no such file.

    Raises `BadFile`.
    """
    if not path.exists():
        return
    for _, _, text in json_lines(path, (LINE_BEGINS,), report.note):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            line = None
        if not _is_line(line):
            raise BadFile(
                f"{path} is damaged: the line {shorten(text, 60)} does not describe a step; put the file back, or "
                "remove this line"
            )
        yield line


def _is_line(line: Any) -> bool:
    """Tell whether this is what `MetricsWriter` writes: a step, and finite numbers where a status and a chart need
    them.
    """
    if not isinstance(line, dict) or type(line.get("step")) is not int:
        return False
    shown = [line[name] for name in ("solved", "moves", "least", "seconds", "at") if line.get(name) is not None]
    return all(type(value) in (int, float) and math.isfinite(value) for value in shown)
