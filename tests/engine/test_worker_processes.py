import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import pytest

from puzzlelab.core.errors import UnknownName
from puzzlelab.engine.executor import PieceLost, ProgramLost, Setup
from puzzlelab.engine.streams import Piece, ordered
from puzzlelab.engine.worker_processes import WorkerProcesses

UNGUARDED = """\
from puzzlelab.engine.worker_processes import WorkerProcesses

WorkerProcesses(1).submit(abs, -1).result()
"""
prepared = []


def process_of(argument):
    return os.getpid(), argument


def length(published):
    return len(published.value())


def end_process():
    os.kill(os.getpid(), signal.SIGKILL)


def fail():
    raise UnknownName("colour", "gren", ["green"])


def prepare():
    prepared.append(os.getpid())


def times_prepared():
    return len(prepared)


class Counter:
    def __init__(self, first):
        self.number = first

    def add(self, more):
        self.number += more
        return self.number, os.getpid()

    def end(self):
        end_process()

    def fail(self):
        fail()


@pytest.fixture(scope="module")
def executor():
    with WorkerProcesses(2) as opened:
        yield opened


def run(executor, function, *arguments, **values):
    pieces = [Piece(str(argument), partial(function, argument), **values) for argument in arguments]
    return [value for _, value in ordered(executor, pieces)]


def test_other_processes_do_the_work(executor):
    processes, values = zip(*run(executor, process_of, 1, 2, 3, 4), strict=True)
    assert values == (1, 2, 3, 4)
    assert os.getpid() not in processes


def test_a_published_value_reaches_every_process(executor):
    published = executor.publish("abc", b"x" * 1000)
    assert executor.publish("abc", b"x" * 1000) == published
    assert run(executor, length, published, published) == [1000, 1000]
    executor.forget("abc")


def test_each_process_prepares_itself_once(executor):
    piece = Piece("one", times_prepared, Setup("tables", prepare))
    assert [value for _, value in ordered(executor, [piece] * 20)] == [1] * 20


@pytest.fixture
def two_tries(monkeypatch):
    """A piece may end two workers."""
    monkeypatch.setattr("puzzlelab.engine.worker_processes.MOST_TRIES", 2)


def test_a_piece_that_ends_its_process_is_named_and_the_others_go_on(executor, two_tries):
    pieces = [Piece("one", partial(process_of, 1)), Piece("bad", end_process), Piece("two", partial(process_of, 2))]
    one, bad, two = ordered(executor, pieces)
    assert (one[1][1], two[1][1]) == (1, 2)
    assert bad[0].name == "bad"
    assert isinstance(bad[1], PieceLost)
    assert "ended 2 workers" in str(bad[1])


def test_a_process_that_ends_while_it_has_nothing_to_do_counts_for_no_piece(executor, two_tries):
    for _ in range(3):
        os.kill(run(executor, process_of, 1)[0][0], signal.SIGKILL)
    assert run(executor, process_of, 1)[0][1] == 1


def test_a_process_that_is_about_to_end_gets_no_second_piece(executor, monkeypatch):
    monkeypatch.setattr("puzzlelab.engine.worker_processes._Worker.is_alive", lambda worker: True)
    os.kill(run(executor, process_of, 1)[0][0], signal.SIGKILL)
    assert run(executor, process_of, 1)[0][1] == 1


def test_an_error_keeps_its_class_and_its_sentence(executor):
    with pytest.raises(UnknownName, match="there is no colour 'gren'; did you mean 'green'"):
        executor.submit(fail).result()
    assert run(executor, process_of, 1)[0][1] == 1


def test_what_hangs_is_ended_when_it_is_cancelled(executor):
    hanging = [executor.submit(time.sleep, 1000) for _ in range(3)]
    executor.wait(hanging, 0.1)
    executor.cancel()
    assert not executor.running
    assert run(executor, process_of, 1)[0][1] == 1


def test_a_program_keeps_its_state_until_its_process_ends(executor):
    program = executor.start(Counter, (3,))
    number, process = program.call("add", 4).result()
    assert number == 7
    assert program.call("add", 1).result() == (8, process)
    assert process != os.getpid()
    with pytest.raises(UnknownName):
        program.call("fail").result()
    assert program.call("add", 1).result() == (9, process)
    with pytest.raises(ProgramLost, match="killed by signal 9"):
        program.call("end").result()
    number, other = program.call("add", 4).result()  # it is made anew
    assert number == 7
    assert other != process
    program.end()


def test_closing_ends_all_processes():
    with WorkerProcesses(1) as opened:
        process = run(opened, process_of, 1)[0][0]
        program = opened.start(Counter, (1,))
        other = program.call("add", 1).result()[1]
        folder = opened.publish("abc", 1).path.parent
    for number in (process, other):
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
    assert not folder.exists()


def pool_threads():
    return [thread for thread in threading.enumerate() if "ExecutorManager" in type(thread).__name__]


def test_an_ended_process_leaves_no_thread_that_a_program_meets_at_its_end():
    before = pool_threads()
    with WorkerProcesses(1) as workers:
        with pytest.raises(PieceLost):
            workers.submit(end_process).result()
        assert pool_threads() == before
        workers.submit(abs, -1).result()
    assert pool_threads() == before


def test_a_script_without_a_guard_gets_one_sentence(tmp_path):
    (tmp_path / "script.py").write_text(UNGUARDED)
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert "BadInput: worker processes import the script that starts them" in done.stderr.splitlines()[-1]


KILLED = """\
import os, signal
from puzzlelab.engine.worker_processes import WorkerProcesses

if __name__ == "__main__":
    WorkerProcesses(1).submit(abs, -1).result()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_program_that_is_killed_leaves_no_words_behind(tmp_path):
    (tmp_path / "script.py").write_text(KILLED)
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGKILL, "", "")
