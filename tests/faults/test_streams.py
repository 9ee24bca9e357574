"""Closed streams, a full device, and readers that go away."""

from __future__ import annotations

import itertools

import pytest
from lab import Lab

BOARD = "867254301"
STREAMS = {"in": "<&-", "out": ">&-", "err": "2>&-"}
commands = pytest.mark.parametrize(
    "words",
    ["list", "generate tiles-3x3 --count 3 --seed 1", f"hint tiles-3x3 {BOARD}",
     "solve tiles-3x3 --file {inputs}/tiles.txt --json"],
    ids=lambda words: words[:12],
)  # fmt: skip


@commands
def test_streams_may_be_closed(lab: Lab, words: str) -> None:
    for open_ones in itertools.product((True, False), repeat=3):
        names = [name for name, is_open in zip(STREAMS, open_ones, strict=True) if is_open]
        shut = " ".join(text for name, text in STREAMS.items() if name not in names)
        outcome = lab.run(*words.format(inputs=lab.inputs).split(), shell=f'exec "$@" {shut}')
        is_printed, can_say = "out" in names, "err" in names
        assert outcome.wrong((0,) if is_printed else (0, 1, 2), with_sentence=can_say) == [], names
        assert bool(outcome.out) == is_printed, names
        assert is_printed or not outcome.code or not can_say or outcome.sentence, names


@commands
def test_a_full_device_gets_a_sentence_and_a_reader_that_goes_away_silence(lab: Lab, words: str) -> None:
    command = words.format(inputs=lab.inputs).split()
    outcome = lab.run(*command, shell='exec "$@" > /dev/full')
    assert outcome.wrong((1, 2)) == []
    assert outcome.sentence
    assert lab.run(*command, shell='"$@" | head -1').wrong(silent=True) == []
