"""Threads that share pieces: the order of solutions, pieces that are left out, the limit of nodes, errors."""

import time
from types import SimpleNamespace

import pytest

from puzzlelab.engine.driver import Machine
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, RUNNING
from puzzlelab.engine.record_parts import control_type, new_control
from puzzlelab.engine.shared_pieces import SharedPieces


def search(piece, statuses, seconds=0.0):
    """A search that returns one status after another, a state each; its solutions are (piece, step)."""

    def run(record, budget):
        record.step += 1
        record.control.expanded += 1
        time.sleep(seconds)
        return statuses[record.step - 1]

    record = SimpleNamespace(control=new_control(control_type("")), step=0)
    return Machine(record, run, lambda record: [piece, record.step], lambda record, room: None, lambda record: None)


def shared(pieces, jobs=3, **options):
    return SharedPieces(len(pieces), lambda thread, piece: search(piece, pieces[piece]), jobs, **options)


def test_solutions_come_in_the_order_of_the_pieces():
    pieces = [[RUNNING] * 5 + [IMPROVED, DONE], [IMPROVED, RUNNING, IMPROVED, DONE], [DONE], [IMPROVED, DONE]]
    work = shared(pieces)
    assert [each for ready in work.rounds(None) for each in ready] == [(0, 6), (1, 1), (1, 3), (3, 1)]
    assert work.work.tolist() == [7 + 4 + 1 + 2, 0]


def test_the_first_solution_leaves_out_the_pieces_after_it():
    ended = []
    pieces = [[RUNNING, DONE], [RUNNING, RUNNING, IMPROVED], [IMPROVED], [RUNNING] * 10**6]
    work = shared(pieces, first_only=True, ended=ended.append)
    assert [each for ready in work.rounds(None) for each in ready] == [(1, 3)]
    assert work.count == work.current == 2
    assert len(ended) >= 2


def test_no_more_states_are_expanded_than_allowed():
    work = shared([[RUNNING] * 1000] * 4)
    for _ in work.rounds(100):
        if work.work[0] >= 100:
            break
    assert work.work[0] == 100


def test_a_search_without_room_is_an_error():
    with pytest.raises(MemoryError):
        list(shared([[FULL]]).rounds(None))
