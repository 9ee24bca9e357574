"""Every reader of the package gives a value, or refuses its input by an error of its own: see `benchmarks/fuzz.py`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

pytest.importorskip("torch")
pytest.importorskip("pyarrow")
pytest.importorskip("fastapi")

from fuzz import check_examples, outcome, readers
from fuzz_mutations import inputs
from fuzz_texts import Reader

pytestmark = pytest.mark.slow

EXAMPLES = 100
"""Inputs of each reader."""


@cache
def by_name() -> dict[str, Reader]:
    """The readers by their names; their examples are made once."""
    return {reader.name: reader for reader in readers()}


PARTS = ("board", "moves", "name", "text", "options", "levels", "reward", "recipe", "request", "link", "rows", "suite")
FILES = (
    "curves",
    "network",
    "weights",
    "card",
    "champion",
    "shard",
    "teacher",
    "lease",
    "run",
    "table",
    "compiled",
    "manifest",
)


def test_each_reader_is_in_one_of_the_tests() -> None:
    """No reader is left out: the tests go by parts of names, because making the readers takes long."""
    assert {name for part in (*PARTS, *FILES) for name in by_name() if part in name} == set(by_name())


@pytest.mark.parametrize("part", [*PARTS, *FILES])
def test_a_reader_gives_a_value_or_refuses(part: str, tmp_path: Path) -> None:
    chosen = [reader for name, reader in by_name().items() if part in name]
    assert chosen
    for number, reader in enumerate(chosen):
        folder = tmp_path / str(number)
        folder.mkdir()
        check_examples(reader, folder)
        give_inputs(reader, folder)


def give_inputs(reader: Reader, folder: Path) -> None:
    """Give a reader the same inputs each time."""

    @settings(max_examples=EXAMPLES, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(inputs(reader.examples))
    def read(data: bytes) -> None:
        assert outcome(reader, data, folder) in ("value", "refused"), reader.name

    read()
