"""Signals, closed streams, and terminals: how a program ends and what it prints then."""

from __future__ import annotations

import itertools
import math
import signal
import time
from collections.abc import Iterator
from functools import partial

from fault_trials import judge, kills
from fault_trials.bench import Bench
from fault_trials.programs import LIMIT, Program, children, cpu_seconds, load
from fault_trials.record import Case
from fault_trials.works import GENERATE, IMITATION_RUN, SOLVE, Work

CTRL_C, HANGUP, FIRST = "Ctrl-C in the first 0.2 s", "SIGHUP and nohup", "SIGTERM as process 1"
CLOSED, ASCII, NO_READER = "closed streams", "a terminal without UTF-8", "output that cannot be written"
EARLY = {
    "solve": ("solve", "tiles-3x3", kills.BOARD),
    "list": ("list",),
    "web": ("web", "--port", "0"),
    "train": ("train", "imitation", "--config", "{inputs}/imitation.toml", "--run", "{out}/run"),
}
SIMPLE = {
    "solve": ("solve", "tiles-3x3", kills.BOARD),
    "list": ("list",),
    "generate": ("generate", "tiles-3x3", "--count", "3"),
    "check": ("check", "tiles-3x3", kills.BOARD),
    "hint": ("hint", "tiles-3x3", kills.BOARD),
}
PLAIN = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
STREAMS = {"in": "<&-", "out": ">&-", "err": "2>&-"}
START_CPU = (0.15, 0.4)
"""CPU seconds after which a program that starts gets its signal."""
SHARES = (0.6, 0.3, 0.15)
"""Shares of the usual time of a work after which a signal is tried, until one comes before its end."""


def cases() -> Iterator[Case]:
    """All faults of streams and signals."""
    for name, words in EARLY.items():
        yield Case(CTRL_C, name, partial(early, words=words), 15)
    for work in (SOLVE, GENERATE, IMITATION_RUN):
        yield Case(HANGUP, work.name, partial(hangup, work=work), 15)
        yield Case(FIRST, work.name, partial(first_process, work=work), 15)
    yield Case(FIRST, "web", first_web, 15)
    for name, words in SIMPLE.items():
        yield Case(CLOSED, name, partial(closed, words=words), 12)
        yield Case(ASCII, name, partial(plain, words=words), 3)
        yield Case(NO_READER, name, partial(no_reader, words=words), 4)
    yield Case(ASCII, "bench", plain_bench, 15)
    yield Case(NO_READER, "rows", many_rows, 15)


def early(bench: Bench, words: tuple[str, ...]) -> None:
    """Ctrl-C at many moments of the first 0.2 s."""
    out = bench.fresh()
    kills.early_interrupts(bench, tuple(word.format(inputs=bench.site.inputs, out=out) for word in words))


# --- signals ----------------------------------------------------------------------------------------------------------


def hangup(bench: Bench, work: Work) -> None:
    """SIGHUP ends a command with 129; one under `nohup` goes on."""
    expected = bench.reference(work)
    out = bench.fresh()
    for before in ((), ("nohup",)):
        for share in SHARES:
            out = bench.fresh()
            program = bench.start(*work.words(out, bench.site), before=before)
            outcome = kills.killed(bench, program, signal.SIGHUP, expected.seconds * share)
            if outcome.sent:
                break
        else:
            bench.skipped(f"{work.name} is done before the signal comes")
            continue
        if not before:
            kills.judged(bench, outcome, ())  # 129 alone: it has much left to do
            continue
        wrong = judge.complaints(outcome, after_signal=math.inf) + work.wrong(expected.result, out, outcome)
        if outcome.code == judge.SIGNAL_CODES[signal.SIGHUP]:
            wrong.append("it ended, though it runs under nohup")
        bench.tried(wrong, outcome)


def first_process(bench: Bench, work: Work) -> None:
    """SIGTERM to process 1 of a container: while it starts, and while it works."""
    expected = bench.reference(work)
    for shares in ((0.0,), SHARES):
        for share in shares:
            program = _as_first(bench, *work.words(bench.fresh(), bench.site))
            inner = _inner(program)
            if inner is None:
                _skip(bench, program)
                return
            if share:
                program.wait(expected.seconds * share)
            else:
                _wait_for_cpu(inner, bench.random.uniform(*START_CPU))
            if _terminate(bench, program, inner, ()):  # 143 alone: it has much left to do
                break


def first_web(bench: Bench) -> None:
    """The same for the page: while it starts, and when it serves."""
    for ready in (False, True):
        program = _as_first(bench, "web", "--port", 0)
        inner = _inner(program)
        if inner is None:
            _skip(bench, program)
            return
        if ready:
            kills.address(program)
        else:
            _wait_for_cpu(inner, bench.random.uniform(*START_CPU))
        _terminate(bench, program, inner, (0,))


def _as_first(bench: Bench, *words: object) -> Program:
    return bench.start(*words, before=("unshare", "--pid", "--fork", "--mount-proc"))


def _inner(program: Program) -> int | None:
    """The process that is process 1 for itself."""
    until = time.monotonic() + judge.ENDS * load()
    while program.poll() is None and time.monotonic() < until:
        if pids := children(program.process.pid):
            return pids[0]
        time.sleep(0.01)
    return None


def _skip(bench: Bench, program: Program) -> None:
    outcome = program.finish()
    bench.skipped(f"unshare does not work here: {outcome.err.strip()[:100]}")


def _wait_for_cpu(pid: int, seconds: float) -> None:
    until = time.monotonic() + LIMIT
    while cpu_seconds(pid) < seconds and time.monotonic() < until:
        time.sleep(0.01)


def _terminate(bench: Bench, program: Program, inner: int, codes: tuple[int, ...]) -> bool:
    """Send SIGTERM, and judge; whether it came in time."""
    program.send(signal.SIGTERM, inner)
    outcome = program.finish(2 * judge.ENDS)
    if outcome.sent:
        bench.tried(judge.complaints(outcome, codes), outcome)
    return bool(outcome.sent)


# --- streams ----------------------------------------------------------------------------------------------------------


def closed(bench: Bench, words: tuple[str, ...]) -> None:
    """Standard input, output and error are open or closed, in all 8 ways."""
    for open_streams in itertools.product((True, False), repeat=len(STREAMS)):
        names = [name for name, is_open in zip(STREAMS, open_streams, strict=True) if is_open]
        shut = " ".join(text for name, text in STREAMS.items() if name not in names)
        outcome = bench.run(*words, shell=f'exec "$@" {shut}')
        can_print = "out" in names
        wrong = judge.complaints(outcome, (0,) if can_print else (0, 1, 2), streams=" ".join(names))
        if can_print and not outcome.out:
            wrong.append("it printed no answer")
        if not can_print and outcome.code and "err" in names and not judge.sentence(outcome):
            wrong.append("no sentence")
        bench.tried([f"open: {names or 'none'}", *wrong] if wrong else [], outcome)


def plain(bench: Bench, words: tuple[str, ...]) -> None:
    """No character beyond ASCII can be printed."""
    outcome = bench.run(*words, env=PLAIN)
    bench.tried(judge.complaints(outcome) + ([] if outcome.out else ["it printed nothing"]), outcome)


def plain_bench(bench: Bench) -> None:
    """A comparison of solvers, and what is drawn of it."""
    out = bench.fresh() / "results"
    boards = bench.site.inputs / "few.txt"
    for words in (("bench", "dust-6x5x4", boards, "--with", "halves,random", "--out", out), ("bench", "--out", out)):
        outcome = bench.run(*words, env=PLAIN)
        bench.tried(judge.complaints(outcome, (0, 1)), outcome)


def no_reader(bench: Bench, words: tuple[str, ...]) -> None:
    """A full device gets a sentence, a reader that goes away gets silence."""
    outcome = bench.run(*words, shell='exec "$@" > /dev/full')
    wrong = judge.complaints(outcome, (1, 2))
    bench.tried(wrong + ([] if judge.sentence(outcome) else ["no sentence"]), outcome)
    outcome = bench.run(*words, shell='"$@" | head -1')
    bench.tried(judge.complaints(outcome, silent=True), outcome)


def many_rows(bench: Bench) -> None:
    """Many rows go to `head -1` and to a full device."""
    words = ("solve", "tiles-3x3", "--file", bench.site.inputs / "tiles.txt", "--json")
    outcome = bench.run(*words, shell='"$@" | head -1')
    bench.tried(judge.complaints(outcome, silent=True), outcome)
    outcome = bench.run(*words, shell='exec "$@" > /dev/full')
    wrong = judge.complaints(outcome, (1, 2))
    bench.tried(wrong + ([] if judge.sentence(outcome) else ["no sentence"]), outcome)
