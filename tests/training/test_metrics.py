"""Files of metrics."""

import errno
import os

import pytest

from puzzlelab.core.errors import BadFile
from puzzlelab.training import metrics
from puzzlelab.training.metrics import MetricsWriter


def test_metrics_are_cut_back_to_what_counts(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    writer = MetricsWriter(path)
    writer.write(1, {"loss": 2.0})
    kept = writer.length
    writer.write(2, {"loss": 1.0})
    again = MetricsWriter(path, kept)
    again.write(2, {"loss": 1.5})
    assert list(metrics.lines(path)) == [{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.5}]


def events_in(folder):
    """(step, {name: value}) of all values in TensorBoard's files, the oldest first."""
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_file_loader")
    files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    events = [event for path in files for event in loader.LegacyEventFileLoader(str(path)).Load()]
    return [(e.step, {v.tag: v.simple_value for v in e.summary.value}) for e in events if e.HasField("summary")]


def test_tensorboard_reads_the_same_numbers(tmp_path) -> None:
    pytest.importorskip("tensorboard")
    writer = MetricsWriter(tmp_path / "metrics.jsonl", tensorboard=tmp_path / "tensorboard")
    writer.write(10, {"loss": 2.5, "solved": 1, "guide": "prior", "length": None})
    writer.write(20, {"loss": 1.5})
    assert events_in(tmp_path / "tensorboard") == [(10, {"loss": 2.5, "solved": 1.0}), (20, {"loss": 1.5})]


def test_a_continued_run_makes_later_events_of_older_files_void(tmp_path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    path, folder = tmp_path / "metrics.jsonl", tmp_path / "tensorboard"
    writer = MetricsWriter(path, tensorboard=folder)
    writer.write(10, {"loss": 2.5})
    kept = writer.length
    writer.write(20, {"loss": 9.0})
    first = next(folder.iterdir())
    first.rename(folder / f"{first.name[:20]}1.before")
    MetricsWriter(path, kept, folder).write(20, {"loss": 1.5})
    assert len(list(folder.iterdir())) == 2
    read_events = accumulator.EventAccumulator(str(folder)).Reload()
    assert [(event.step, event.value) for event in read_events.Scalars("loss")] == [(10, 2.5), (20, 1.5)]


def test_a_full_disk_under_tensorboard_is_a_sentence(tmp_path, monkeypatch) -> None:
    pytest.importorskip("tensorboard")

    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    writer = MetricsWriter(tmp_path / "metrics.jsonl", tensorboard=tmp_path / "tensorboard")
    writer.write(1, {"loss": 2.0})
    monkeypatch.setattr(metrics, "append", full)
    with pytest.raises(BadFile, match="No space left on device"):
        writer.write(2, {"loss": 1.0})


def test_events_are_not_appended_through_a_link(tmp_path) -> None:
    pytest.importorskip("tensorboard")
    folder, precious = tmp_path / "tensorboard", tmp_path / "precious"
    writer = MetricsWriter(tmp_path / "metrics.jsonl", tensorboard=folder)
    writer.write(1, {"loss": 2.0})
    precious.write_text("precious")
    (events,) = folder.iterdir()
    events.unlink()
    events.symlink_to(precious)
    with pytest.raises(BadFile, match="cannot write .*tensorboard"):
        writer.write(2, {"loss": 1.0})
    assert precious.read_text() == "precious"


@pytest.mark.parametrize(
    "line", ['{"step": 5, "solved"}', '{"step": "five"}', '{"step": 5, "solved": "all"}', "[" * 5000]
)
def test_a_line_that_describes_no_step_is_told_with_what_to_do(tmp_path, line) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text(f'{{"step": 4}}\n{line}\n{{"step": 6}}\n', encoding="utf-8")
    with pytest.raises(BadFile, match="does not describe a step; put the file back, or remove this line"):
        list(metrics.lines(path))
