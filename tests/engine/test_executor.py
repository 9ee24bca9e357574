import pytest

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.engine.executor import Done, Piece, Preparation, ordered, unordered


def double(number):
    if number < 0:
        raise ValueError(f"{number} is negative")
    return 2 * number


def pieces(*numbers, preparation=None):
    return [Piece(f"piece {number}", double, number, preparation) for number in numbers]


def test_pieces_are_returned_in_their_order_or_as_they_end(executor_of):
    executor = executor_of(present={"a": 3}, newest_first=True)
    assert [done.value for done in unordered(executor, pieces(1, 2, 3))] == [6, 4, 2]
    assert [done.value for done in ordered(executor, pieces(*range(20)))] == [2 * number for number in range(20)]
    status = executor.status()
    assert (status.done, status.running, status.retries, status.slots) == (23, 0, 0, 3)
    assert "1 node, 0 tasks" in status.in_words()


def test_pieces_are_taken_only_when_a_node_has_room(executor_of):
    executor, taken = executor_of(), []

    def stream():
        for number in range(100):
            taken.append(number)
            yield from pieces(number)

    results = unordered(executor, stream())
    next(results)
    assert len(taken) <= 3
    results.close()
    assert executor.pending == 0
    assert executor.workers.waiting == {}


def test_what_is_done_already_keeps_its_turn(executor_of):
    executor = executor_of()
    early = Done(Piece("stored", double, 0), 100)
    assert [done.value for done in ordered(executor, [*pieces(1), early, *pieces(2)])] == [2, 100, 4]


@pytest.mark.parametrize(("places", "retries"), [(["worker"] * 2, 2), (["node"] * 4, 4)])
def test_a_lost_piece_is_begun_again(executor_of, places, retries):
    executor = executor_of(losses={5: places})
    assert [done.value for done in ordered(executor, pieces(4, 5, 6))] == [8, 10, 12]
    assert executor.status().retries == retries


def test_a_piece_that_ends_three_workers_is_put_aside_and_named(executor_of):
    executor = executor_of(losses={5: ["worker"] * 9})
    done = list(ordered(executor, pieces(4, 5, 6)))
    assert [each.value for each in done] == [8, None, 12]
    assert done[1].piece.name == "piece 5"
    assert "ended 3 workers (the test ended it)" in done[1].problem
    assert len(executor.workers.losses[5]) == 6


def test_a_piece_that_loses_many_nodes_is_put_aside(executor_of):
    executor = executor_of(losses={5: ["node"] * 99})
    done = next(iter(ordered(executor, pieces(5))))
    assert "10 nodes" in done.problem


def test_a_piece_that_was_put_aside_is_split(executor_of):
    executor = executor_of(losses={50: ["worker"] * 9, 5: ["worker"] * 9})

    def split(piece):
        return pieces(4, 5, 6) if piece.argument == 50 else ()

    done = list(ordered(executor, pieces(1, 50, 2), split=split))
    assert [each.value for each in done] == [2, 8, None, 12, 4]
    executor = executor_of(losses={50: ["worker"] * 9})
    assert {each.value for each in unordered(executor, pieces(1, 50, 2), split=split)} == {2, 4, 8, 10, 12}


def test_what_was_begun_on_a_lost_node_is_done_elsewhere(executor_of):
    executor = executor_of()
    executor.room  # noqa: B018  # it looks for nodes
    for piece in pieces(1, 2):
        executor.submit(piece)
    assert sorted(node for node, _ in executor.workers.begun) == ["a", "b"]
    del executor.workers.present["a"]
    values = [done.value for done in unordered(executor, pieces(3))]
    assert sorted(values) == [2, 4, 6]
    assert executor.status().nodes == ("node b",)
    assert executor.status().retries == 1


def test_a_node_that_joins_is_used(executor_of):
    executor = executor_of(present={})
    stream = unordered(executor, pieces(*range(10)), watch=lambda: executor.workers.present.update(c=2))
    assert len(list(stream)) == 10
    assert {node for node, _ in executor.workers.begun} == {"c"}


def test_no_piece_is_begun_on_a_node_before_it_is_prepared(executor_of):
    executor = executor_of(present={"a": 2, "b": 2})
    prepared = Preparation("tables", str, "tables")
    assert len(list(ordered(executor, pieces(*range(8), preparation=prepared)))) == 8
    for node in "ab":
        arguments = [argument for where, argument in executor.workers.begun if where == node]
        assert arguments[0] == "tables"
        assert arguments.count("tables") == 1
        assert len(arguments) > 1


def test_a_node_whose_preparation_ends_workers_is_left_out_of_what_needs_it(executor_of, monkeypatch):
    executor, notes = executor_of(losses={0: ["worker"] * 5}), []
    monkeypatch.setattr("puzzlelab.engine.executor.report.note", notes.append)
    done = list(ordered(executor, pieces(1, 2, preparation=Preparation("tables", double, 0))))
    assert [each.value for each in done] == [2, 4]
    assert len(notes) == 1
    assert "is left out: 3 of its workers ended" in notes[0]
    del executor.workers.begun[:]
    list(ordered(executor, pieces(1, 2, preparation=Preparation("other tables", double, 5))))
    assert {node for node, argument in executor.workers.begun if argument == 5} == {"a", "b"}


def test_an_error_of_a_piece_is_raised_after_what_was_done_before(executor_of):
    executor = executor_of(present={"a": 1})
    stream = ordered(executor, pieces(1, -1, *range(2, 50)))
    assert next(stream).value == 2
    with pytest.raises(ValueError, match="-1 is negative"):
        next(stream)
    assert executor.pending == 0
    assert [done.value for done in ordered(executor, pieces(7))] == [14]


def test_large_clusters_get_larger_pieces(executor_of):
    executor = executor_of(present={"a": 2})
    executor.room  # noqa: B018
    assert executor.piece_seconds == 2.0
    executor.workers.present = {str(node): 16 for node in range(200)}
    executor.room  # noqa: B018
    assert executor.slots == 3200
    assert executor.slots / executor.piece_seconds <= 200


def test_closing_ends_the_workers(executor_of):
    with executor_of() as executor:
        executor.submit(*pieces(1))
    assert executor.workers.closed


def test_an_error_of_the_stream_comes_after_the_pieces_before_it(executor_of):
    def stream():
        yield from pieces(1, 2)
        raise ValueError("no more")

    results = ordered(executor_of(), stream())
    assert [next(results).value, next(results).value] == [2, 4]
    with pytest.raises(ValueError, match="no more"):
        next(results)


def test_a_preparation_that_ends_the_workers_of_all_nodes_is_an_error(executor_of):
    executor = executor_of(losses={50: ["worker"] * 9})
    with pytest.raises(PuzzlelabError, match="no node is left: 3 workers of each ended .*the test ended it"):
        list(ordered(executor, pieces(1, preparation=Preparation("bad", double, 50))))
