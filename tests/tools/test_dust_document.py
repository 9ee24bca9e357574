"""The article's game and search in `benchmarks/`: the same rules as ours, and the faults that ours does not have."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import dust_document as document
import puzzlelab
from puzzlelab import Instance


def boards(name, count, seed=0):
    """Full random boards as the article has them."""
    puzzle = puzzlelab.load(name)
    shape = count, puzzle.width, puzzle.height
    return puzzle, np.random.default_rng(seed).integers(1, puzzle.colours + 1, shape, dtype=np.uint8)


@pytest.mark.parametrize("name", ["dust-8x6x5", "dust-7x5x3", "dust-1x4x2", "dust-5x1x3"])
def test_its_game_is_ours(name):
    puzzle, made = boards(name, 4)
    random = np.random.default_rng(1)
    for board in made:
        while not document.done(board):
            state = board.reshape(-1)
            moves = np.flatnonzero(puzzle.legal(state)).tolist()
            theirs = {after.tobytes() for after in document.children(board)}
            assert theirs == {puzzle.apply(state, move).tobytes() for move in moves}
            assert len(list(document.children(board))) == len(moves)
            x, y = divmod(int(random.choice(moves)), puzzle.height)
            board = document.play(board, x, y)
        assert puzzle.solved(board.reshape(-1))


OURS = {"estimate": "colours", "order": "cells-largest", "deep_order": "cells", "plies": 6}


@pytest.mark.parametrize(
    ("solver", "options"), [("bfs", {}), pytest.param("depth-first", OURS, marks=pytest.mark.slow)], ids=["bfs", "ours"]
)
def test_run_to_its_end_it_misses_the_optimum_and_neither_its_correction_nor_ours_does(solver, options):
    puzzle, made = boards("dust-4x3x3", 60, seed=4)
    found = {False: [], True: []}
    best = []
    for board in made:
        for corrected, lengths in found.items():
            moves = document.solve(board, corrected=corrected)
            lengths.append(len(moves))
            after = board
            for x, y in moves:
                after = document.play(after, x, y)
            assert document.done(after)
        ours = puzzlelab.solve(Instance(puzzle, board.reshape(-1)), solver, **options)
        assert ours.proof == "optimal"
        best.append(ours.length)
    assert found[True] == best
    missed = [theirs - ours for theirs, ours in zip(found[False], best, strict=True)]
    assert min(missed) == 0
    assert sum(one > 0 for one in missed) >= 12


def test_when_its_time_is_up_it_gives_what_it_has(monkeypatch):
    ticks = itertools.count()
    clock = SimpleNamespace(perf_counter=lambda: next(ticks) / 1000)  # goes on when it is looked at
    monkeypatch.setattr(document, "time", clock)
    _, (board,) = boards("dust-8x6x5", 1)
    search = document.Search(0.3, corrected=False)
    moves = search.best(board, [], board.size)
    assert search.cut
    assert 5 <= len(moves) <= 48
    assert document.solve(board, seconds=1e-9) is None
    assert document.solve(np.zeros((4, 3), np.uint8)) == []
