"""A run whose programs take turns: killed at any moment, it goes on to the same end as one that was never killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import run_lines
from run_lines import untimed

pytest.importorskip("torch")

from puzzlelab.experience.schema import SelfPlaySamples
from puzzlelab.experience.shards import numbers, read_shard, shard_path
from puzzlelab.storage import lines
from puzzlelab.training.learner import Learner
from puzzlelab.training.runs import Run


class Killed(BaseException):
    """Stands for SIGKILL: after it the process writes nothing more."""


class Killer:
    """Counts steps of training and changes of files, before and after each; kills at one of them.

    `kill` is called then. A line that is appended at this moment is torn in the middle.
    """

    def __init__(self, monkeypatch, kill) -> None:
        self.events, self.last, self.kill = 0, -1, kill
        update, append = Learner.update, lines.JsonLines.append
        for name in ("replace", "unlink", "mkdir"):
            monkeypatch.setattr(Path, name, self._around(getattr(Path, name)))
        monkeypatch.setattr(Learner, "update", self._around(update))
        monkeypatch.setattr(lines.JsonLines, "append", lambda lines, *new: self._append(append, lines, *new))

    def arm(self, events) -> None:
        """Kill at the event after so many others."""
        self.events, self.last = 0, events

    def _count(self) -> bool:
        """Whether this event is the last one."""
        self.events += 1
        return 0 <= self.last < self.events

    def _around(self, function):
        def counted(*arguments, **options):
            if self._count():
                self.kill()
            result = function(*arguments, **options)
            if self._count():
                self.kill()
            return result

        return counted

    def _append(self, append, lines, *new):
        if self._count():
            first = self.events == self.last + 1
            if first:
                with lines.path.open("ab") as file:
                    file.write(json.dumps(new[0]).encode()[:20])
            self.kill()
        return append(lines, *new)


def _kill() -> None:
    raise Killed


def result_of(run):
    """All that a run has made, but for times."""
    shards = {number: read_shard(shard_path(run.shards, number), SelfPlaySamples) for number in numbers(run.shards)}
    return {
        **{name: (run.folder / name).read_text() for name in ("champion", "latest", "done", "truth.json")},
        **{path.name: untimed(path) for path in (run.metrics, run.game_log, run.matches)},
        "nets": sorted(path.name for path in run.nets.iterdir()),
        "samples": {number: (part.state.tolist(), part.shares.tolist()) for number, part in shards.items()},
        "litter": sorted(path.name for path in run.shards.iterdir() if not path.name.startswith("shard-")),
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory, tiny):
    """The result of a run that was never killed."""
    from puzzlelab.engine.parallel import ThisProcess
    from puzzlelab.training.selfplay import programs

    run = Run(tmp_path_factory.mktemp("runs") / "whole")
    run.begin(tiny)
    programs.run_all(run, tiny, lambda: None, ThisProcess(), workers=0)
    return result_of(run)


@pytest.mark.parametrize(
    ("save_seconds", "first", "more"),
    [
        (1000.0, 45, 7),
        pytest.param(1e-6, 20, 1, marks=pytest.mark.slow),
        pytest.param(1000.0, 30, 2, marks=pytest.mark.slow),
        pytest.param(1000.0, 31, 3, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_is_killed_again_and_again_makes_what_a_whole_one_makes(
    tmp_path, tiny, compete, whole, monkeypatch, save_seconds, first, more
) -> None:
    learning, kills = tiny.learning.model_copy(update={"save_seconds": save_seconds}), 0
    settings = tiny.model_copy(update={"learning": learning})
    with monkeypatch.context() as patch:
        killer = Killer(patch, _kill)
        while True:
            killer.arm(first + more * kills)
            try:
                compete(tmp_path / "run", settings)
                break
            except Killed:
                kills += 1
    assert kills >= 4
    assert result_of(Run(tmp_path / "run")) == whole


PROGRAM = """
import os, pytest, signal, sys
sys.path[:0] = sys.argv[1].split(os.pathsep)
from test_kills import Killer
from puzzlelab.cli.main import run
killer = Killer(pytest.MonkeyPatch(), lambda: os.kill(os.getpid(), signal.SIGKILL))
killer.arm(int(sys.argv[2]))
sys.argv[1:] = sys.argv[3:]
run()
"""


@pytest.mark.slow
def test_sigkill_at_twelve_moments_changes_nothing(tmp_path, tiny, whole) -> None:
    run = Run(tmp_path / "run")
    run.begin(tiny)
    places = (Path(__file__).parent, Path(run_lines.__file__).parent)
    command = [sys.executable, "-c", PROGRAM, os.pathsep.join(map(str, places))]
    words = ["selfplay", "run", str(run.folder), "--workers", "0"]
    ends = [subprocess.run([*command, str(events), *words], check=False).returncode for events in range(35, 60, 2)]
    assert ends.count(-signal.SIGKILL) == 13
    subprocess.run([*command, "1000000", *words], check=True)
    assert result_of(run) == whole
