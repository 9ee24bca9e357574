"""Faults put in on purpose, and what they cost: `python benchmarks/faults.py [--only NAME] [--minutes N] [--seed N]`.

Kills at random moments, full disks, damaged caches, run folders and inputs, two programs at once, other people's
files, signals, closed streams. Prints one table, and each loss with the command that repeats it. The exit code is 1 if
anything was lost. Linux only; small disks are mounted only by the superuser. It writes to a temporary folder of its
own, which has a copy of the user's compiled kernels, and ends only processes that it started.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fault_trials import caches, inputs, kills, outputs, run_folders, streams
from fault_trials.bench import Site, unmount
from fault_trials.programs import Programs, Stopped
from fault_trials.record import Case, Record, Trial
from fault_trials.works import FINISHED_RUN, SELFPLAY_RUN, write_configs

MODULES = (kills, caches, outputs, run_folders, inputs, streams)
MINUTES = 29.0
AT_ONCE = 2
RUN_OUT = "not tried: the time was over"
GLANCE = 0.5
"""Seconds between two looks at the clock."""


def all_cases() -> list[Case]:
    """Every case, in the order of the table."""
    return [case for module in MODULES for case in module.cases()]


def chosen(cases: Sequence[Case], only: Sequence[str]) -> list[Case]:
    """The cases whose titles contain one of these texts; all, if there are none."""
    return [case for case in cases if not only or any(text in case.title for text in only)]


def attempted(site: Site, case: Case) -> list[Trial]:
    """The trials of a case; a mistake of the case itself counts as lost, so that it is seen."""
    if site.programs.stopping.is_set():
        return []
    bench = site.bench(case)
    try:
        case.run(bench)
    except Stopped:
        pass
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        bench.tried([f"the trial itself failed: {type(error).__name__}: {error} ({place})"])
    return bench.trials


def run_all(site: Site, cases: Sequence[Case], jobs: int, until: float, bars: Progress) -> Record:
    """Run the cases, the longest first, until they are done or the time is over."""
    record = Record()
    trials: dict[str, list[Trial]] = {}
    waiting = sorted(cases, key=lambda case: -case.seconds)
    task = bars.add_task("starting", total=len(cases))
    running: dict[Future[list[Trial]], Case] = {}
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while waiting or running:
                while waiting and len(running) < jobs and time.monotonic() < until:
                    case = waiting.pop(0)
                    running[pool.submit(attempted, site, case)] = case
                if not running:
                    break
                lost = sum(bool(trial.complaints) for each in trials.values() for trial in each)
                titles = ", ".join(case.title for case in running.values())
                bars.update(task, description=f"{lost} lost; {titles}")
                for future in wait(running, timeout=GLANCE, return_when=FIRST_COMPLETED).done:
                    case = running.pop(future)
                    trials[case.title] = future.result()
                    bars.advance(task)
                    if not bars.console.is_terminal:
                        lost = sum(bool(trial.complaints) for trial in trials[case.title])
                        bars.console.print(f"{case.title}: {len(trials[case.title])} tries, {lost} lost", markup=False)
        except KeyboardInterrupt:
            record.notes.append("interrupted: the table has what was tried before")
            site.programs.stop()
            for future, case in running.items():
                trials[case.title] = future.result()
    for case in cases:
        record.add(trials.get(case.title, []))
        if case in waiting and not site.programs.stopping.is_set():
            record.add([Trial(case.fault, case.name, skipped=RUN_OUT)])
    return record


def prepare(site: Site, cases: Sequence[Case]) -> None:
    """Make what cases need: boards, settings, and a finished run of self-play for those that play matches."""
    site.prepare()
    write_configs(site)
    if any("match" in case.name for case in cases):
        bench = site.bench(Case("preparation", "self-play", lambda bench: None))
        shutil.copytree(bench.reference(SELFPLAY_RUN).folder / "run", site.folder / FINISHED_RUN)


def options(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="faults or cases with this name")
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"start no case after this time ({MINUTES:g})")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of kills and of damage (1)")
    parser.add_argument("--jobs", type=int, default=AT_ONCE, help=f"cases at once ({AT_ONCE})")
    parser.add_argument("--keep", action="store_true", help="keep the temporary folder")
    parser.add_argument("--list", action="store_true", help="only print the names of the cases")
    return parser.parse_args(words)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _go_on(number: int, frame: object) -> None:
    pass


def _remove(folder: Path) -> None:
    """Unmount what is mounted below a folder, and remove it."""
    for line in Path("/proc/mounts").read_text().splitlines():
        if line.split()[1].startswith(f"{folder}{os.sep}"):
            unmount(Path(line.split()[1]))
    shutil.rmtree(folder, ignore_errors=True)


def main(words: Sequence[str] | None = None) -> int:
    """Try the faults, and print the table; 1 if something was lost."""
    arguments = options(words)
    cases = chosen(all_cases(), arguments.only)
    if arguments.list or not cases:
        print("\n".join(case.title for case in cases) or "there is no such case; see --list")
        return 0 if cases else 2
    if not Path("/proc/self/environ").exists():
        print("processes are found by /proc, which is not there")
        return 2
    if threading.current_thread() is threading.main_thread():  # a handler is not inherited, but an ignored signal is
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            ignored = number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN  # under nohup
            signal.signal(number, _go_on if ignored else _interrupt)
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False, markup=False)
    errors = Console(stderr=True)
    folder = Path(tempfile.mkdtemp(prefix="puzzlelab-faults-"))
    programs, start = Programs(), time.monotonic()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        site = Site(folder, arguments.seed, programs)
        with Progress(*columns, console=errors, transient=True) as bars:
            prepare(site, cases)
            record = run_all(site, cases, arguments.jobs, start + 60 * arguments.minutes, bars)
    except (KeyboardInterrupt, Stopped):
        record = Record(notes=["interrupted during the preparation"])
    finally:
        programs.stop()
        if arguments.keep:
            print(f"kept: {folder}")
        else:
            _remove(folder)
    console.print(record.table())
    minutes = (time.monotonic() - start) / 60
    console.print(f"{minutes:.1f} minutes; processes outlived a killed program by {programs.slowest_end:.1f} s at most")
    for line in record.lines(arguments.seed):
        console.print(line, soft_wrap=True)
    return int(bool(record.losses))


if __name__ == "__main__":
    sys.exit(main())
