"""The end of a self-play run: programs that do not end in time or were killed, and the status afterwards."""

import json
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("torch")

from puzzlelab.training import evaluation, processes, run_files
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay import supervisor
from puzzlelab.training.selfplay.heartbeat import forget_gone
from puzzlelab.training.selfplay.matches import MatchRunner
from puzzlelab.training.selfplay.status import StatusReader, headline
from puzzlelab.training.selfplay.supervisor import ManagedProcess

CHILD = """
import json, os, pathlib, platform, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
status = {"machine": platform.node(), "process": os.getpid(), "run": "", "since": time.time()}
status |= {"program": "referee", "busy": "plays a match", "waiting": ""}
path = pathlib.Path(sys.argv[1]) / f"referee-{os.getpid()}.json"
path.with_suffix(".new").write_text(json.dumps(status))
path.with_suffix(".new").rename(path)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
parent = os.getppid()
while os.getppid() == parent:
    time.sleep(0.05)
"""
"""A program that writes its status file, and then is killed, or ignores SIGTERM as long as its parent is there."""


@pytest.fixture
def begun(tmp_path, settings_of):
    """A run that has not made a step."""
    run, settings = Run(tmp_path / "run"), settings_of("evaluation.every=1000")
    run.begin(settings)
    return run, settings


@pytest.fixture
def child(begun, monkeypatch):
    """`child("stubborn")`, `child("killed")`: the only program of the run."""
    run, _ = begun

    def make(kind):
        command = [sys.executable, "-c", CHILD, str(run.programs), kind]
        process = ManagedProcess("referee", command, str(run.folder / "log"))
        monkeypatch.setattr(supervisor, "managed_processes", lambda run, workers: [process])
        return process

    return make


def _wait_until(condition) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline, "the child process did not begin"
        time.sleep(0.01)


# --- at the end of the minutes ---


def test_a_program_that_does_not_end_in_time_is_stopped_and_leaves_no_warning(
    begun, child, monkeypatch, listener
) -> None:
    (run, settings), process = begun, child("stubborn")
    monkeypatch.setattr(supervisor, "GRACE_SECONDS", 0.0)
    supervisor.run_all(run, settings, lambda: _wait_until(lambda: list(run.programs.glob("*.json"))), minutes=0)
    assert process.process is not None
    assert process.process.returncode == -signal.SIGKILL
    assert len(listener.notes) == 1
    assert "the referee did not end within 0 s, and was stopped" in listener.notes[0]
    status = StatusReader(run, settings).read()
    assert (status.programs, status.warnings) == ([], [])


def test_a_program_that_was_killed_at_the_end_is_reported_once_and_leaves_no_warning(begun, child, listener) -> None:
    (run, settings), process = begun, child("killed")
    supervisor.run_all(
        run,
        settings,
        lambda: _wait_until(lambda: process.process is not None and process.process.poll() is not None),
        minutes=0,
    )
    assert listener.notes == ["the referee was killed (signal 9)"]
    assert StatusReader(run, settings).read().warnings == []


def test_programs_of_other_machines_keep_their_status_files(begun, child) -> None:
    (run, settings), process = begun, child("killed")
    run.programs.mkdir()
    other = {"machine": "elsewhere", "process": 1, "run": "", "program": "generator", "busy": "plays", "waiting": ""}
    (run.programs / "generator-elsewhere-1.json").write_text(json.dumps({**other, "since": time.time()}))
    supervisor.run_all(
        run,
        settings,
        lambda: _wait_until(lambda: process.process is not None and process.process.poll() is not None),
        minutes=0,
    )
    assert [program.machine for program in StatusReader(run, settings).read().programs] == ["elsewhere"]


def test_programs_do_not_get_the_ctrl_c_of_the_terminal_as_well(begun, child, monkeypatch) -> None:
    _, process = begun, child("stubborn")
    options = {}
    monkeypatch.setattr(supervisor, "start_child", lambda command, **given: options.update(given))
    process.start()
    assert options["process_group"] == 0


@pytest.mark.parametrize("code", [143, -15, 130])
def test_a_program_that_a_signal_asked_to_end_is_not_started_again(begun, child, listener, code) -> None:
    process = child("stubborn")
    ending = "os.kill(os.getpid(), 15)" if code < 0 else f"os._exit({code})"
    process.command = [sys.executable, "-c", f"import os; {ending}"]
    supervisor.run_all(*begun, lambda: None)  # ends, because no program is left
    assert process.process is not None
    assert process.process.returncode == code
    assert listener.notes == [f"the referee was ended by signal {2 if code == 130 else 15}, and is not started again"]


class Stubborn:
    """A process that ends only when it is killed."""

    def __init__(self, error):
        self.error, self.signals = error, []

    def terminate(self):
        self.signals.append(signal.SIGTERM)

    def kill(self):
        self.signals.append(signal.SIGKILL)

    def poll(self):
        return -signal.SIGKILL if signal.SIGKILL in self.signals else None

    def communicate(self, timeout=None):
        if self.poll() is None:
            raise self.error


def test_processes_are_asked_first_and_then_killed_together() -> None:
    children = [Stubborn(subprocess.TimeoutExpired("child", 0)) for _ in range(2)]
    assert processes.end_children(dict.fromkeys(children, 0.0)) == children
    assert [child.signals for child in children] == [[signal.SIGTERM, signal.SIGKILL]] * 2


def test_a_second_ctrl_c_kills_them_at_once() -> None:
    children = [Stubborn(KeyboardInterrupt()) for _ in range(2)]
    with pytest.raises(KeyboardInterrupt):
        processes.end_children(dict.fromkeys(children, 1e9))
    assert [child.signals for child in children] == [[signal.SIGTERM, signal.SIGKILL]] * 2


def test_a_match_is_interrupted_within_a_batch(finished, monkeypatch) -> None:
    run, settings = finished
    calls = []

    def watch() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt

    def solve_all(solver, instances, limit, over):
        over()
        raise AssertionError("the watch should have ended it")

    monkeypatch.setattr(evaluation, "solve_all", solve_all)
    assert MatchRunner(run, settings).play("random", "ida", 1, 8, 5, watch=watch) == (None, True)


# --- the step of the learner ---


def test_the_step_is_that_of_the_saved_state_before_the_first_evaluation(begun, compete) -> None:
    run, settings = begun
    assert StatusReader(run, settings).read().steps == 0

    def stop() -> None:
        if len(list(run.nets.glob("*.json"))) > 1:  # the second network is published after ten steps
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compete(run.folder, settings, stop)
    status, step = StatusReader(run, settings).read(), run_files.saved_step(run.folder)
    assert not run.metrics.exists() or not run.metrics.read_text()
    assert step >= 10
    assert status.steps == step
    assert f"step {step}" in headline(status)


@pytest.mark.parametrize("text", ["", "\0\0\0", "{"])
def test_a_status_file_that_a_power_cut_has_damaged_is_removed(begun, text) -> None:
    run, _ = begun
    run.programs.mkdir()
    (run.programs / "trainer-here-1.json").write_text(text)
    forget_gone(run)
    assert not list(run.programs.iterdir())
