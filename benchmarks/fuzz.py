"""Gives every reader of puzzlelab inputs that nobody would write, and counts what comes of them.

    python benchmarks/fuzz.py --minutes 60 --seed 1
    python benchmarks/fuzz.py --only board --minutes 5

The inputs are valid ones that were cut, changed, repeated and mixed (`fuzz_mutations.py`). A reader (`fuzz_texts.py`,
`fuzz_files.py`) must give a value, which is the same after it was written and read again, or refuse the input by an
error of its own kind. Another exception is a fault, as are more than 10 seconds of a processor, two minutes, or 2 GB
for one input. The first input of each fault is kept in --out, with the traceback. The exit code is 1 if there was a
fault.

`tests/test_fuzz.py` gives each reader a fixed number of inputs.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("PUZZLELAB_BACKGROUND", "0")

import hypothesis
from rich.console import Console
from rich.table import Table

from fuzz_files import file_readers
from fuzz_mutations import inputs
from fuzz_texts import Reader, text_readers

BATCH = 300
"""Inputs of one reader before the next one has its turn."""
SECONDS, PATIENCE = 10, 120
"""The most seconds of the processor, and by the clock, for one input."""
MEMORY = 2 << 30
"""Bytes of address space that a reader may need beyond what the program has after its start."""


class TooSlow(Exception):
    """One input took longer than `SECONDS`."""


def readers(only: str = "") -> list[Reader]:
    """All readers whose names contain this text."""
    return [reader for part in (text_readers, file_readers) for reader in part() if only in reader.name]


def outcome(reader: Reader, data: bytes, folder: Path) -> str:
    """`value` or `refused`; a fault is raised."""
    try:
        reader.read(data, folder)
    except reader.refusal:
        return "refused"
    return "value"


@contextmanager
def time_limit() -> Iterator[None]:
    """Raises `TooSlow` in the block when its time is over, where the system has such alarms."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def raise_too_slow(*_: object) -> None:
        raise TooSlow(f"more than {SECONDS} seconds of the processor, or {PATIENCE} by the clock")

    limits = {signal.ITIMER_PROF: SECONDS, signal.ITIMER_REAL: PATIENCE}
    signal.signal(signal.SIGPROF, raise_too_slow)
    signal.signal(signal.SIGALRM, raise_too_slow)
    for timer, seconds in limits.items():
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for timer in limits:
            signal.setitimer(timer, 0)


def check_examples(reader: Reader, folder: Path) -> None:
    """Read the examples, which are valid for at least one of them; kernels are compiled before any limit is set."""
    outcomes = [outcome(reader, data, folder) for data in reader.examples]
    assert "value" in outcomes, f"no example of '{reader.name}' can be read"


class Tally:
    """What came of the inputs of each reader."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.counts: Counter[tuple[str, str]] = Counter()
        self.faults: dict[tuple[str, str, str], int] = {}
        """(reader, kind of the exception, where it was raised) -> the number of its inputs."""

    def batch(self, reader: Reader, seed: int, folder: Path) -> None:
        """Give a reader one batch of inputs."""

        @hypothesis.seed(seed)
        @hypothesis.settings(
            max_examples=BATCH,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(inputs(reader.examples))
        def once(data: bytes) -> None:
            self.try_one(reader, data, folder)

        once()

    def try_one(self, reader: Reader, data: bytes, folder: Path) -> None:
        """Give a reader one input."""
        (self.out / "current-input").write_bytes(data)  # what a reader that crashed was reading
        try:
            with time_limit():
                kind = outcome(reader, data, folder)
        except Exception as error:
            kind = "faults"
            self.keep(reader, data, error)
        self.counts[reader.name, kind] += 1

    def keep(self, reader: Reader, data: bytes, error: Exception) -> None:
        """Note down a fault, and write its first input into the folder."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "puzzlelab" in frame.filename or "fuzz_" in frame.filename] or frames[-1:]
        where = f"{Path(own[-1].filename).name}:{own[-1].lineno}"
        key = (reader.name, type(error).__name__, where)
        self.faults[key] = self.faults.get(key, 0) + 1
        if self.faults[key] == 1:
            name = "".join(c if c.isalnum() else "-" for c in "-".join(key))
            (self.out / f"{name}.input").write_bytes(data)
            (self.out / f"{name}.txt").write_text("".join(traceback.format_exception(error)), encoding="utf-8")
            print(f"fault: {reader.name}: {type(error).__name__} in {where}: {str(error)[:100]!r}", flush=True)

    def table(self, console: Console) -> None:
        """Print the counts."""
        table = Table("reader", "inputs", "values", "refused", "faults", box=None)
        names = list(dict.fromkeys(name for name, _ in self.counts))
        for name in names:
            counts = [self.counts[name, kind] for kind in ("value", "refused", "faults")]
            table.add_row(name, *(f"{count:,}" for count in (sum(counts), *counts)))
        totals = [sum(self.counts[name, kind] for name in names) for kind in ("value", "refused", "faults")]
        table.add_row("all", *(f"{count:,}" for count in (sum(totals), *totals)))
        console.print(table)


def limit_memory() -> None:
    """Limit the address space of this program, where the system can do so."""
    if sys.platform == "linux":
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))


def main() -> int:
    """Run until the time is over; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="a part of the names of readers")
    parser.add_argument("--out", type=Path, default=Path("fuzz-out"), help="the folder for inputs with faults")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was counted is printed
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chosen, tally, began, turn = readers(arguments.only), Tally(arguments.out), time.monotonic(), 0
    if not chosen:
        print(f"no reader has '{arguments.only}' in its name", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        try:
            while turn == 0 or time.monotonic() - began < 60 * arguments.minutes:
                for number, reader in enumerate(chosen):
                    folder = Path(name) / str(number)
                    folder.mkdir(exist_ok=True)
                    if turn == 0:
                        check_examples(reader, folder)
                    tally.batch(reader, arguments.seed * 1_000_003 + turn, folder)
                    if turn == 0 and reader is chosen[-1]:
                        limit_memory()
                    if turn and time.monotonic() - began >= 60 * arguments.minutes:
                        break
                turn += 1
        except KeyboardInterrupt:
            pass
    tally.table(Console(width=110))
    print(f"{(time.monotonic() - began) / 60:.1f} minutes, {len(tally.faults)} different faults")
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
