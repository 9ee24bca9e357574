"""Files of metrics."""

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


def test_what_is_no_metrics_gets_a_sentence(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text("loss 3\n")
    with pytest.raises(BadFile, match="holds no metrics"):
        read(path)


def test_half_a_line_and_nul_bytes_are_no_metrics(tmp_path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"step": 1}\n' + bytes(7) + b'\n{"step": 3')
    assert read(path) == [{"step": 1}]
