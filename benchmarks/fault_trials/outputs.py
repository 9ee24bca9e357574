"""Faults of what is written: full disks, two programs at once, other people's files, and calls that are repeated."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from fault_trials import judge
from fault_trials.bench import Bench, quota
from fault_trials.programs import Outcome
from fault_trials.record import Case
from fault_trials.works import SOLVE, WORKS, Work

FULL, QUOTA, PAIRS = "full disk under --out", "quota under --out", "two at once on one --out"
NOTES, AGAIN, OTHER, SMALLER = "notes in the place", "finished, called again", "other settings", "smaller count"
TEXT = "my own notes\nprecious\n"
NAMES = 2
"""Files of a result whose place the notes take."""
SHARE = 0.5
"""The share of the result for which there is room."""
LEAST_DISK = 16_384
BLOCK = 4096
DELAYS = (0.0, 1.0)
"""Seconds between the starts of two programs."""


def cases() -> Iterator[Case]:
    """All of them, for each command that writes."""
    for work in WORKS:
        if work.target and work.check is None:
            yield Case(FULL, work.name, partial(full, work=work), 20)
            yield Case(QUOTA, work.name, partial(limited, work=work), 20)
        if work.target:
            yield Case(PAIRS, work.name, partial(pairs, work=work), 25)
            yield Case(NOTES, work.name, partial(notes, work=work), 8)
            yield Case(AGAIN, work.name, partial(again, work=work), 10)

    yield Case(OTHER, "solve with another solver", solve_with_another_solver, 8)


# --- no room ----------------------------------------------------------------------------------------------------------


def full(bench: Bench, work: Work) -> None:
    """A disk with room for half of the result; then there is room."""
    expected = bench.reference(work)
    sizes = [-(-path.stat().st_size // BLOCK) * BLOCK for path in judge.files_in(expected.folder)]
    with bench.small_disk(str(max(LEAST_DISK, int(SHARE * sum(sizes))))) as disk:
        if disk is None:
            bench.skipped("no small disk can be mounted here")
            return
        _no_room(bench, work, disk, bench.run(*work.words(disk, bench.site)))
        bench.grow(disk)
        _with_room(bench, work, disk)


def limited(bench: Bench, work: Work) -> None:
    """Files may have half the size of the largest one of the result; then any size."""
    expected = bench.reference(work)
    largest = max(path.stat().st_size for path in judge.files_in(expected.folder))
    out = bench.fresh()
    shell = quota(max(1, int(SHARE * largest) // 1024))
    _no_room(bench, work, out, bench.run(*work.words(out, bench.site), shell=shell))
    _with_room(bench, work, out)


def _no_room(bench: Bench, work: Work, out: Path, outcome: Outcome) -> None:
    wrong = judge.complaints(outcome, (1, 2, *work.codes))
    if outcome.code not in work.codes and not judge.sentence(outcome):
        wrong.append("no sentence about the full disk")
    if judge.sentence(outcome) and str(out / work.target) not in "".join(outcome.err.split("\n")):
        wrong.append(f"the error does not name a file in {work.target}: {judge.sentence(outcome)}")
    bench.tried(wrong, outcome)


def _with_room(bench: Bench, work: Work, out: Path) -> None:
    outcome = bench.run(*work.words(out, bench.site))
    wrong = judge.complaints(outcome, work.codes) + work.wrong(bench.reference(work).result, out, outcome)
    bench.tried(["with room again", *wrong] if wrong else [], outcome)


# --- two at once ------------------------------------------------------------------------------------------------------


def pairs(bench: Bench, work: Work) -> None:
    """The same command twice at once: one is refused, or both are right, and the result is that of one."""
    expected = bench.reference(work)
    for delay in DELAYS:
        out = bench.fresh()
        work.begin(out, bench.site)
        words = work.words(out, bench.site)
        first = bench.start(*words)
        time.sleep(delay)
        second = bench.start(*words)
        outcomes = [first.finish(), second.finish()]
        wrong = judge.joined(judge.complaints(each, (*work.codes, judge.REFUSED)) for each in outcomes)
        if all(each.code == judge.REFUSED for each in outcomes):
            wrong.append(f"both were refused: {judge.sentence(outcomes[0])}")
        wrong += work.wrong(expected.result, out, outcomes[0])
        bench.tried([f"second {delay} s later", *wrong] if wrong else [], outcomes[1])
        shutil.rmtree(out)


# --- what is there already --------------------------------------------------------------------------------------------


def notes(bench: Bench, work: Work) -> None:
    """Notes where the result would be, under names of files of the result, and beside them in a folder."""
    result = bench.reference(work).folder
    names = [path.relative_to(result) for path in judge.files_in(result)]
    inside = [name for name in names if name.as_posix() != work.target and "tensorboard" not in name.parts]
    chosen = bench.random.sample(inside, min(len(inside), NAMES))
    for name in (Path(work.target), *chosen, Path(work.target) / "notes.txt"):
        out = bench.fresh()
        work.begin(out, bench.site)
        shutil.rmtree(out / work.target, ignore_errors=True)
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXT)
        before = judge.snapshot(out)
        outcome = bench.run(*work.words(out, bench.site))
        beside = name.name == "notes.txt"  # a command may write its files there, if none of them is a note
        wrong = judge.complaints(outcome, (judge.REFUSED, *(work.codes if beside else ())))
        if outcome.code == judge.REFUSED:
            wrong += judge.differences(before, judge.snapshot(out))
        elif not path.is_file() or path.read_text() != TEXT:
            wrong.append("the notes are gone")
        bench.tried([f"notes in {name}", *wrong] if wrong else [], outcome)


def again(bench: Bench, work: Work) -> None:
    """A finished result: the same command, less of it, and other settings."""
    expected = bench.reference(work)
    for fault, more, codes in (
        (AGAIN, "", work.codes),
        (SMALLER, work.smaller, (*work.codes, judge.REFUSED)),
        (OTHER, work.other, (judge.REFUSED,)),
    ):
        if not more and fault != AGAIN:
            continue
        out = bench.copy(expected.folder)
        before = judge.snapshot(out)
        outcome = bench.run(*_moved(work.words(out, bench.site, more)))
        wrong = judge.complaints(outcome, codes)
        if work.check is None or fault != AGAIN:
            wrong += judge.differences(before, judge.snapshot(out), _growing(before))
        bench.tried(wrong, outcome, fault)


def _moved(words: list[str]) -> list[str]:
    """A suite of the package in place of a file of boards: `bench` takes one of both."""
    if words[0] == "bench" and words[-1] == "dust8x6x5":
        return [words[0], words[-1], *words[3:-1]]
    return words


def _growing(before: judge.Result) -> list[str]:
    """Logs of programs and of TensorBoard, to which a call may add."""
    return [name for name in before if "tensorboard/" in name or "programs/" in name]


def solve_with_another_solver(bench: Bench) -> None:
    """Rows of another solver are added to those that are there, and nothing is lost."""
    expected = bench.reference(SOLVE)
    out = bench.copy(expected.folder)
    outcome = bench.run(*SOLVE.words(out, bench.site, "--with beam --set width=2"))
    rows = judge.lines_of(out / SOLVE.target)
    wrong = judge.complaints(outcome, (0, 1, judge.REFUSED))
    if rows[: len(expected.result[SOLVE.target])] != judge.lines_of(expected.folder / SOLVE.target):
        wrong.append("rows of the first solver are gone")
    bench.tried(wrong, outcome)
