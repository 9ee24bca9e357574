"""Files of metrics."""

from pathlib import Path

import pytest

from puzzlelab.core.errors import BadFile
from puzzlelab.training.metrics import MetricsWriter, read


def test_metrics_are_cut_back_to_what_counts(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    writer = MetricsWriter(path)
    writer.write(1, {"loss": 2.0})
    kept = writer.length
    writer.write(2, {"loss": 1.0})
    again = MetricsWriter(path, kept)
    again.write(2, {"loss": 1.5})
    assert read(path) == [{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.5}]


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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_full_disk_under_tensorboard_is_a_sentence(tmp_path) -> None:
    pytest.importorskip("tensorboard")
    folder = tmp_path / "tensorboard"
    writer = MetricsWriter(tmp_path / "metrics.jsonl", tensorboard=folder)
    writer.write(1, {"loss": 2.0})
    (events,) = folder.iterdir()
    events.unlink()
    events.symlink_to("/dev/full")
    with pytest.raises(BadFile, match="No space left on device"):
        writer.write(2, {"loss": 1.0})


def test_what_is_no_metrics_gets_a_sentence(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text("loss 3\n")
    with pytest.raises(BadFile, match="holds no metrics"):
        read(path)


@pytest.mark.parametrize(
    ("change", "steps"),
    [
        (lambda data: data + b'{"step": 3, "lo', [1, 2]),
        (lambda data: data + b'{"step": 3, "lo' + bytes(900), [1, 2]),
        (lambda data: data + bytes(900), [1, 2]),
        (lambda data: data[:-1], [1, 2]),
        (lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n\r\n"), [1, 2]),
        (lambda data: b"", []),
    ],
)
def test_what_a_stop_or_an_editor_leaves_is_read(tmp_path, change, steps) -> None:
    path = tmp_path / "metrics.jsonl"
    writer = MetricsWriter(path)
    for step in (1, 2):
        writer.write(step, {"loss": 2.0})
    path.write_bytes(change(path.read_bytes()))
    assert [line["step"] for line in read(path)] == steps


def test_lines_that_a_power_cut_took_are_no_hole(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    writer = MetricsWriter(path, 1000)
    writer.write(1, {"loss": 2.0})
    assert read(path) == [{"step": 1, "loss": 2.0}]
    assert writer.length == path.stat().st_size


def test_half_a_line_and_nul_bytes_are_no_metrics(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"step": 1}\n' + bytes(7) + b'\n{"step": 3')
    assert read(path) == [{"step": 1}]


@pytest.mark.parametrize(
    "line",
    [
        "[1, 2]",
        '"text"',
        '{"loss": 1.0}',
        '{"step": "1"}',
        '{"step": null}',
        '{"step": 1.5}',
        '{"step": 1, "solved": "all"}',
        '{"step": 1, "seconds": []}',
        '{"step": 1, "moves": NaN}',
        '{"step": 1, "least": Infinity}',
    ],
)
def test_a_line_without_the_numbers_of_a_chart_is_refused(tmp_path, line: str) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text(f'{{"step": 0}}\n{line}\n')
    with pytest.raises(BadFile, match="is damaged: one of its lines does not describe a step"):
        read(path)


def test_a_line_of_an_evaluation_without_solved_boards_is_read(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 7, "solved": 0, "moves": null}\n')
    assert read(path) == [{"step": 7, "solved": 0, "moves": None}]
