import pytest

from puzzlelab.core.errors import UnknownName, Unsupported
from puzzlelab.engine.executor import Executor, Piece, ordered
from puzzlelab.engine.inline_workers import InlineWorkers


@pytest.fixture
def executor():
    with Executor(InlineWorkers()) as opened:
        yield opened


def fail(argument):
    raise UnknownName("colour", argument, ["green"])


def pieces(function, *arguments):
    return [Piece(str(argument), function, argument) for argument in arguments]


def test_pieces_are_done_here_in_their_order(executor) -> None:
    calls = []
    done = list(ordered(executor, pieces(lambda argument: calls.append(argument) or -argument, 1, 2, 3)))
    assert [each.value for each in done] == [-1, -2, -3]
    assert calls == [1, 2, 3]


def test_nothing_is_done_before_it_is_waited_for(executor) -> None:
    calls = []
    for piece in pieces(calls.append, 1, 2):
        executor.submit(piece)
    assert executor.completed(0.0) == []
    assert calls == []
    assert len(executor.completed()) == 1
    executor.cancel()
    assert executor.completed() == []
    assert calls == [1]


def test_a_published_value_is_the_value_itself(executor) -> None:
    value = b"weights"
    assert executor.publish("abc", value).value() is value


def test_what_a_piece_raises_is_raised(executor) -> None:
    with pytest.raises(UnknownName, match="colour 'gren'"):
        list(ordered(executor, pieces(fail, "gren")))


def test_a_program_needs_another_process(executor) -> None:
    with pytest.raises(Unsupported, match="a process of its own"):
        executor.start(dict, ())
