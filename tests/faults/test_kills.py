"""Kills at random moments of each command, and the same command again."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from lab import Lab
from programs import Program, children, cpu_seconds
from works import IMITATION, SOLVE, WORKS, Work, litter

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
KILLS = 6
"""Kills of one work before it is carried to its end."""
EARLY = 0.2
"""Seconds of the first moments, in which a quarter of the kills come."""
BOARD = "867254301"
WAITS = 0.15
"""CPU seconds after which a program that starts gets its signal."""


def moments(lab: Lab, seconds: float) -> Iterator[float]:
    """Yield the moments of the kills of a work that takes so long."""
    for _ in range(KILLS):
        yield lab.random.uniform(0.0, EARLY if lab.random.random() < 0.25 else seconds)


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
def test_a_killed_command_is_taken_up_again(lab: Lab, work: Work) -> None:
    _, expected = lab.site.reference(work)
    out, first = lab.fresh(), lab.random.randrange(3)
    for turn, seconds in enumerate(moments(lab, 4.0)):
        program = lab.start(*work.words(out, lab.inputs))
        if not program.wait(seconds):
            program.send(SIGNALS[(first + turn) % 3])
        outcome = program.finish()
        assert outcome.wrong(work.codes) == []
        if outcome.sent != signal.SIGKILL:
            assert lab.left_behind() == []
        for path in lab.temporary.iterdir():
            if path.is_file():
                path.unlink()
    outcome = lab.run(*work.words(out, lab.inputs))
    assert outcome.wrong(work.codes) == []
    assert work.result(out, outcome.out) == expected
    assert litter(out) == []


def test_a_cache_is_whole_after_kills_while_kernels_are_compiled(lab: Lab) -> None:
    words = ("solve", "tiles-2x2", "1 2 3 0", "--with", "ida", "--json")
    expected, cache = lab.run(*words).rows, lab.fresh("cache")
    for turn, seconds in enumerate(moments(lab, 6.0)):
        command = words if turn % 2 else ("warm", "tiles-2x2")
        program = lab.start(*command, PUZZLELAB_CACHE=cache)
        if not program.wait(seconds):
            program.send(SIGNALS[turn % 3])
        assert program.finish().wrong() == []
    for silent in (False, True):
        outcome = lab.run(*words, PUZZLELAB_CACHE=cache)
        assert outcome.wrong(silent=silent) == []
        assert outcome.rows == expected
    assert litter(cache) == []


@pytest.mark.parametrize("work", [SOLVE, IMITATION], ids=lambda work: work.name)
@pytest.mark.parametrize("before", [(), ("nohup",)], ids=["alone", "nohup"])
def test_a_hangup_ends_a_command_unless_it_runs_under_nohup(lab: Lab, work: Work, before: tuple[str, ...]) -> None:
    _, expected = lab.site.reference(work)
    out = lab.fresh()
    program = lab.start(*work.words(out, lab.inputs), before=before)
    while cpu_seconds(program.process.pid) < WAITS and program.poll() is None:
        program.wait(0.01)
    program.wait(lab.random.uniform(0.2, 1.0))
    program.send(signal.SIGHUP)
    outcome = program.finish()
    assert outcome.wrong() == []
    if before or not outcome.code:
        assert outcome.code == 0
        assert work.result(out, outcome.out) == expected


@pytest.mark.parametrize("words", [SOLVE.text, IMITATION.text, "web --port 0"], ids=["solve", "train", "web"])
def test_sigterm_ends_process_1_of_a_container(lab: Lab, words: str) -> None:
    for seconds in (0.0, 1.0):
        command = words.format(out=lab.fresh(), inputs=lab.inputs).split()
        program = lab.start(*command, before=("unshare", "--pid", "--fork", "--mount-proc"))
        while not children(program.process.pid) and not program.wait(0.01):
            pass
        if program.poll() is not None and "unshare" in (outcome := program.finish()).err:
            pytest.skip(outcome.err)
        inner = children(program.process.pid)[0]
        while cpu_seconds(inner) < WAITS:
            program.wait(0.01)
        program.wait(seconds)
        program.send(signal.SIGTERM, inner)
        assert program.finish().wrong() == []


@pytest.mark.parametrize("words", [f"solve tiles-3x3 {BOARD}", "list", "web --port 0", IMITATION.text])
def test_an_early_interrupt_leaves_no_traceback(lab: Lab, words: str) -> None:
    command = words.format(out=lab.fresh(), inputs=lab.inputs).split()
    for turn in range(10):
        program: Program = lab.start(*command)
        program.wait(EARLY * (turn + lab.random.random()) / 10)
        program.send(signal.SIGINT)
        assert program.finish().wrong() == []
