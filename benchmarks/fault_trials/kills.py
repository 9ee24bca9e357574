"""Kills at random moments of every command that works for seconds, and the same command again."""

from __future__ import annotations

import json
import shutil
import signal
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from fault_trials import judge
from fault_trials.bench import Bench
from fault_trials.programs import LIMIT, Outcome, Program
from fault_trials.record import Case
from fault_trials.works import WORKS, Work

KILLED, AGAIN = "killed", "killed, then the same command again"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
EARLY_SHARE, EARLY_SECONDS = 0.25, 0.2
"""The share of the kills that come in the first moments, and how long these are."""
SEQUENCE = 6
"""Kills of one work before it is carried to its end."""
BOARD = "867254301"
WEB_KILLS, COMPILER_KILLS = 9, 6
ATTEMPTS = 4
"""Kills that fall into Python's own start are repeated so often."""


def cases() -> Iterator[Case]:
    """A case for each sequence of kills."""
    for work in WORKS:
        for number in range(work.kills // SEQUENCE):
            name = f"{work.name}, sequence {number + 1}"
            yield Case(KILLED, name, partial(sequence, work=work, first=number), 60)
    yield Case(KILLED, "web", web, 60)
    yield Case(KILLED, "warm", warm, 60)


def moment(bench: Bench, seconds: float) -> float:
    """A random moment of a run that takes so long."""
    early = bench.random.random() < EARLY_SHARE
    return bench.random.uniform(0.0, EARLY_SECONDS if early else seconds)


def judged(bench: Bench, outcome: Outcome, codes: tuple[int, ...] = (0,), finishes: float = judge.FINISHES) -> bool:
    """Count a kill, unless it came in Python's own start; whether it counted.

    A command that ends with one of `codes` must have been about to end: it has `finishes` seconds.
    """
    if judge.in_pythons_start(outcome):
        return False
    after = [f"{signal.Signals(outcome.sent).name} after {outcome.seconds:.2f} s"] if outcome.sent else []
    wrong = judge.complaints(outcome, codes, after_signal=finishes if outcome.code in codes else judge.ENDS)
    if outcome.sent != signal.SIGKILL:
        wrong += bench.left_behind()
    bench.tried([*after, *wrong] if wrong else [], outcome)
    for path in bench.temporary.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return True


def killed(bench: Bench, program: Program, number: int, seconds: float, codes: tuple[int, ...] = (0,)) -> Outcome:
    """Let a program work for so long, and send it the signal."""
    if not program.wait(seconds):
        program.send(number)
    return program.finish()


def sequence(bench: Bench, work: Work, first: int = 0, kills: int = SEQUENCE) -> None:
    """Kill one work some times, let it come to its end, and compare with an uninterrupted run."""
    expected = bench.reference(work)
    out, on_it = _begun(bench, work), 0
    for turn in range(kills):
        for _ in range(ATTEMPTS):
            number = SIGNALS[(first + turn) % len(SIGNALS)]
            program = bench.start(*work.words(out, bench.site))
            outcome = killed(bench, program, number, moment(bench, expected.seconds))
            if outcome.sent:
                on_it += 1
                if judged(bench, outcome, work.codes):
                    break
            else:  # it was done before the moment came
                _last(bench, work, out, outcome, on_it)
                out, on_it = _begun(bench, work), 0
    if on_it:
        _last(bench, work, out, bench.run(*work.words(out, bench.site)), on_it)


def _begun(bench: Bench, work: Work) -> Path:
    out = bench.fresh()
    work.begin(out, bench.site)
    return out


def _last(bench: Bench, work: Work, out: Path, outcome: Outcome, kills: int) -> None:
    """Judge the run that came to its end."""
    wrong = judge.complaints(outcome, work.codes)
    if outcome.code in work.codes:
        wrong += work.wrong(bench.reference(work).result, out, outcome)
    bench.tried([f"after {kills} kills", *wrong] if wrong else [], outcome, AGAIN)
    shutil.rmtree(out)


# --- the page -------------------------------------------------------------------------------------------------------


def address(program: Program) -> str | None:
    """Where the page is, once it has said so."""
    if not program.wait_for_output("(Ctrl-C"):
        return None
    return next((word for word in program.output().split() if word.startswith("http://")), None)


def answer(place: str) -> list[dict[str, object]]:
    """What the page answers to one board; it has a minute."""
    query = urllib.parse.urlencode({"puzzle": "tiles-3x3", "board": BOARD})
    with urllib.request.urlopen(f"{place.rstrip('/')}/api/solve?{query}", timeout=LIMIT) as response:
        rows: list[dict[str, object]] = json.load(response)
    return [{name: row[name] for name in ("board", "moves", "proof", "expanded")} for row in rows]


def web(bench: Bench, kills: int = WEB_KILLS) -> None:
    """Kill the server: while it starts, and after it has answered a board; then start it again."""
    expected = None
    for turn in range(kills):
        number = SIGNALS[turn % len(SIGNALS)]
        program = bench.start("web", "--port", 0)
        wrong = []
        if turn % 2 == 0 and (place := address(program)):
            rows = answer(place)
            expected = expected or rows
            wrong = ["it answers otherwise than before"] if rows != expected else []
            bench.tried(wrong, fault=AGAIN)
            seconds = bench.random.uniform(0, 0.5)
        else:
            seconds = moment(bench, 2.0)
        outcome = killed(bench, program, number, seconds)
        if outcome.sent or outcome.code:  # without a signal it must not end
            judged(bench, outcome, finishes=judge.ENDS)


# --- while kernels are compiled ---------------------------------------------------------------------------------------


def warm(bench: Bench, kills: int = COMPILER_KILLS) -> None:
    """Kill `warm` and `solve` in an empty cache while they compile; afterwards the cache is whole."""
    cache = bench.fresh("cache")
    env = {"PUZZLELAB_CACHE": str(cache)}
    words = ("solve", "tiles-2x2", "1 2 3 0", "--with", "ida", "--json")
    expected = [judge.without_times(line) for line in bench.run(*words).out.splitlines()]
    for turn in range(kills):
        command = ("warm", "tiles-2x2") if turn % 2 == 0 else words
        program = bench.start(*command, env=env)
        outcome = killed(bench, program, SIGNALS[turn % len(SIGNALS)], moment(bench, 6.0))
        if outcome.sent:
            judged(bench, outcome)
    for silent in (False, True):
        outcome = bench.run(*words, env=env)
        wrong = judge.complaints(outcome, silent=silent) + judge.litter(cache)
        if [judge.without_times(line) for line in outcome.out.splitlines()] != expected:
            wrong.append("another answer than with an undamaged cache")
        bench.tried(wrong, outcome, AGAIN)


def early_interrupts(bench: Bench, words: tuple[str, ...], kills: int = 10) -> None:
    """Ctrl-C at evenly spaced moments of the first 0.2 s."""
    for turn in range(kills):
        for _ in range(ATTEMPTS):
            program = bench.start(*words)
            time.sleep(EARLY_SECONDS * (turn + bench.random.random()) / kills)
            if judged(bench, killed(bench, program, signal.SIGINT, 0.0)):
                break
