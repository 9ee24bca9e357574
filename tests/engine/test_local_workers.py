import os
import signal

import pytest

from puzzlelab.core.errors import UnknownName
from puzzlelab.engine.executor import Executor, Piece, ProgramLost, ordered
from puzzlelab.engine.local_workers import LocalWorkers


def process_of(argument):
    return os.getpid(), argument


def length(published):
    return len(published.value())


def end_process(argument):
    os.kill(os.getpid(), signal.SIGKILL)


def fail(argument):
    raise UnknownName("colour", "gren", ["green"])


class Counter:
    def __init__(self, first):
        self.number = first

    def add(self, more):
        self.number += more
        return self.number, os.getpid()

    def end(self):
        end_process(None)

    def fail(self):
        fail(None)


@pytest.fixture(scope="module")
def executor():
    with Executor(LocalWorkers(2)) as opened:
        yield opened


def run(executor, function, *arguments):
    return list(ordered(executor, [Piece(str(argument), function, argument) for argument in arguments]))


def test_other_processes_do_the_work(executor):
    processes, values = zip(*(done.value for done in run(executor, process_of, 1, 2, 3, 4)), strict=True)
    assert values == (1, 2, 3, 4)
    assert os.getpid() not in processes


def test_a_published_value_reaches_every_process(executor):
    published = executor.publish("abc", b"x" * 1000)
    assert executor.publish("abc", b"x" * 1000) == published
    assert [done.value for done in run(executor, length, published, published)] == [1000, 1000]
    executor.forget("abc")


def test_a_piece_that_ends_its_process_is_named_and_the_others_go_on(executor):
    pieces = [Piece("one", process_of, 1), Piece("bad", end_process, None), Piece("two", process_of, 2)]
    one, bad, two = ordered(executor, pieces)
    assert (one.value[1], bad.value, two.value[1]) == (1, None, 2)
    assert bad.piece.name == "bad"
    assert "ended 3 workers" in bad.problem


def test_an_error_keeps_its_class_and_its_sentence(executor):
    with pytest.raises(UnknownName, match="there is no colour 'gren'; did you mean 'green'"):
        run(executor, fail, 1)
    assert run(executor, process_of, 1)[0].value[1] == 1


def test_a_program_keeps_its_state_until_its_process_ends(executor):
    program = executor.start(Counter, (3,))
    number, process = program.call("add", 4)
    assert number == 7
    assert program.call("add", 1) == (8, process)
    assert process != os.getpid()
    with pytest.raises(UnknownName):
        program.call("fail")
    assert program.call("add", 1) == (9, process)
    with pytest.raises(ProgramLost):
        program.call("end")
    program.end()


def test_closing_ends_all_processes():
    with Executor(LocalWorkers(1)) as opened:
        process = run(opened, process_of, 1)[0].value[0]
        program = opened.start(Counter, (1,))
        other = program.call("add", 1)[1]
        folder = opened.publish("abc", 1).path.parent
    for number in (process, other):
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
    assert not folder.exists()
