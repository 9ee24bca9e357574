"""Programs of a run in processes of their own: they give the same run, are restarted where they are killed, and end."""

import contextlib
import os
import signal
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.engine import report
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.engine.worker_processes import WorkerProcesses
from puzzlelab.training import programs, recipe
from puzzlelab.training.programs import Changes, Host, RunProgram, running
from puzzlelab.training.runs import Run


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(programs, "EXCHANGE_SECONDS", 0.05)


@pytest.fixture(params=["here", "elsewhere"])
def executor(request):
    """An executor whose programs see the folder of the run, or work in a copy of it."""
    with ThisProcess() as opened:
        opened.shares_files = request.param == "here"
        yield opened


def check_until(begun, condition) -> None:
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        begun.check()
        time.sleep(0.01)


def end_process(run, watch, executor):
    os.kill(os.getpid(), signal.SIGKILL)


def count_up(run, watch, executor):
    """Count the processes in a file, fail in the last one, and note when the watch ends the work."""
    path = run.folder / "latest"
    number = int(path.read_text()) if path.exists() else 0
    if number == 2:
        raise BadInput("two are enough")
    (run.folder / "champion").write_text(str(os.getpid()))
    path.write_text(str(number + 1))
    report.note(f"number {number + 1} is at work")
    try:
        while True:
            watch()
            time.sleep(0.01)
    finally:
        (run.folder / "done").write_text("saved")


def sleep(run, watch, executor):
    report.note("asleep")
    time.sleep(1000)


def fail(run, watch, executor):
    raise ZeroDivisionError("a fault")


def finish(run, watch, executor):
    (run.folder / "latest").unlink()
    (run.folder / "done").write_text("at the end")


COUNTER = RunProgram("counter", count_up, grace_seconds=60.0)


def number_in(path: Path) -> int:
    return int(path.read_text() or 0) if path.exists() else 0


def test_a_learner_elsewhere_gives_the_same_run(settings_of, tmp_path, imitated, same_runs):
    run, settings = Run(tmp_path), settings_of()
    run.begin(settings)
    with WorkerProcesses(1) as executor:
        executor.shares_files = False
        programs.train(recipe.find("imitation"), run, settings, executor, {"cpu": 1.0})
    same_runs(run, imitated)
    assert run.done.read_text() == imitated.done.read_text()
    assert run.trained().name == imitated.trained().name


def test_a_program_that_is_killed_starts_again_from_the_folder_and_its_error_is_told(executor, tmp_path, listener):
    latest, losses = tmp_path / "latest", []

    def kill_it_twice():
        with running(Run(tmp_path), executor, [COUNTER], lambda: losses.append(1)) as begun:
            for number in ("1", "2"):
                check_until(begun, lambda number=number: f"number {number}" in " ".join(listener.notes))
                assert latest.read_text() == number
                os.kill(number_in(tmp_path / "champion"), signal.SIGKILL)
            check_until(begun, lambda: not begun.running)

    with pytest.raises(PuzzlelabError, match="the counter failed: two are enough"):
        kill_it_twice()
    assert "the counter was lost (killed by signal 9), and is started again" in listener.notes
    assert len(losses) == 2


def test_what_a_message_tells_is_in_the_files_that_come_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    host = Host(COUNTER, None)
    host._working = SimpleNamespace(thread=threading.current_thread(), is_stopped=False, error=None)
    take = host._changed.take

    def write_after_it():
        changes = take()
        (host._folder / "latest").write_text("1")
        host._messages.note("number 1 is at work")
        return changes

    with monkeypatch.context() as patch:
        patch.setattr(host._changed, "take", write_after_it)
        assert not host.exchange(Changes()).messages
    exchange = host.exchange(Changes())
    assert exchange.messages == [("note", ("number 1 is at work",))]
    assert "latest" in exchange.changes.whole


def test_a_program_that_is_killed_again_and_again_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "MOST_LIVES", 2)
    with (
        ThisProcess() as executor,
        pytest.raises(PuzzlelabError, match=r"the learner ends again and again \(killed by signal 9\)"),
        running(Run(tmp_path), executor, [RunProgram("learner", end_process)]) as begun,
    ):
        check_until(begun, lambda: not begun.running)


def test_a_program_saves_its_state_at_the_end(executor, tmp_path, listener):
    with running(Run(tmp_path), executor, [COUNTER]) as begun:
        check_until(begun, lambda: listener.notes)
    assert (tmp_path / "done").read_text() == "saved"
    with pytest.raises(ProcessLookupError):
        os.kill(number_in(tmp_path / "champion"), 0)


def test_a_program_that_sigterm_ended_saves_its_state_and_is_not_started_again(tmp_path, listener):
    with ThisProcess() as executor, running(Run(tmp_path), executor, [COUNTER]) as begun:
        check_until(begun, lambda: number_in(tmp_path / "latest") == 1 and listener.notes)
        os.kill(number_in(tmp_path / "champion"), signal.SIGTERM)
        check_until(begun, lambda: not begun.running)
    assert (tmp_path / "done").read_text() == "saved"
    assert listener.notes[1:] == ["the counter was ended by a signal, and is not started again"]


@pytest.mark.parametrize("work", [finish, fail, count_up])
def test_nothing_is_left_of_the_copy_of_a_program_however_it_ends(tmp_path, monkeypatch, listener, work):
    run, copies = Run(tmp_path / "run"), tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setenv("TMPDIR", str(copies))
    run.folder.mkdir()
    (run.folder / "latest").write_text("0")
    with ThisProcess() as executor, contextlib.suppress(ZeroDivisionError):
        executor.shares_files = False
        with running(run, executor, [RunProgram("worker", work, grace_seconds=60.0)]) as begun:
            check_until(begun, lambda: not begun.running or listener.notes)
    assert not list(copies.glob("puzzlelab-run-*"))
    assert (run.folder / "done").exists() == (work is not fail)
    assert (run.folder / "latest").exists() == (work is not finish)


@pytest.mark.parametrize("grace", [0.0, 0.1])
def test_a_program_that_does_not_end_in_time_is_stopped(tmp_path, listener, grace):
    program = RunProgram("sleeper", sleep, grace_seconds=grace)
    with ThisProcess() as executor, running(Run(tmp_path), executor, [program]) as begun:
        check_until(begun, lambda: listener.notes)
    said = [
        sentence for sentence in listener.notes if "the sleeper did not end within 0.1 s, and was stopped" in sentence
    ]
    assert len(said) == (grace > 0)


def test_a_second_signal_ends_all_programs_at_once(tmp_path, listener, monkeypatch):
    ended = []

    def interrupt(process, end):
        raise KeyboardInterrupt

    def end_it():
        program = RunProgram("sleeper", sleep, grace_seconds=1000.0)
        with ThisProcess() as executor, running(Run(tmp_path), executor, [program]) as begun:
            check_until(begun, lambda: listener.notes)
            ended.append(begun._all[0]._actor._worker)

    monkeypatch.setattr(programs._Process, "finish", interrupt)
    with pytest.raises(KeyboardInterrupt):
        end_it()
    assert not ended[0].is_alive()


def test_an_error_that_is_no_sentence_tells_where_it_came_from(tmp_path):
    with (
        pytest.raises(ZeroDivisionError) as caught,
        ThisProcess() as executor,
        running(Run(tmp_path), executor, [RunProgram("learner", fail)]) as begun,
    ):
        check_until(begun, lambda: not begun.running)
    assert 'raise ZeroDivisionError("a fault")' in caught.value.__notes__[0]


def test_a_program_that_feeds_an_executor_is_a_thread_and_tells_its_error_too(tmp_path):
    class Elsewhere(ThisProcess):
        shares_memory = False

    def feed(until):
        with running(Run(tmp_path), Elsewhere(), [RunProgram("counter", count_up, uses_executor=True)]) as begun:
            check_until(begun, lambda: until(begun))

    feed(lambda begun: (tmp_path / "latest").exists())
    assert number_in(tmp_path / "champion") == os.getpid()
    assert (tmp_path / "done").read_text() == "saved"
    (tmp_path / "latest").write_text("2")
    with pytest.raises(PuzzlelabError, match="the counter failed: two are enough"):
        feed(lambda begun: not begun.running)


def test_a_copy_of_a_run_has_one_learner_too(tmp_path):
    run, program = Run(tmp_path), RunProgram("learner", sleep, lock="learner")
    with ThisProcess() as executor, run.exclusive("learner"):
        executor.shares_files = False
        with pytest.raises(BadInput, match="another program is at work on"):
            running(run, executor, [program]).__enter__()


def test_a_generator_that_is_killed_makes_its_shard_again(
    settings_of, tmp_path, imitated, same_runs, monkeypatch, listener
):
    """The network is that of a run in which nothing was killed."""
    run, settings, killed = Run(tmp_path), settings_of(), []
    run.begin(settings)
    check = programs.Programs.check

    def process_of_generator(begun):
        """The process of the generator, which is started again after a kill."""
        while True:
            worker = begun._all[0]._actor._worker
            if worker is not None and worker.is_alive() and worker._process.pid not in killed:
                return worker._process.pid
            check(begun)
            time.sleep(0.02)

    def kill_the_generator(begun):
        check(begun)
        if not killed and run.metrics.exists() and run.metrics.read_text():
            killed.append(process_of_generator(begun))
            os.kill(killed[-1], signal.SIGKILL)

    monkeypatch.setattr(programs.Programs, "check", kill_the_generator)
    programs.train(recipe.find("imitation"), run, settings, ThisProcess())
    assert killed
    assert "the generator was lost (killed by signal 9), and is started again" in listener.notes
    same_runs(run, imitated)
