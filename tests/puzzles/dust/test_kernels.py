"""The compiled rules on bitboards against the plain ones, on boards of every size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled
from puzzlelab.puzzles.dust.rules import Dust

SMALL = st.builds(Dust, st.integers(1, 8), st.integers(1, 8), st.integers(2, 9))
PUZZLES = st.builds(Dust, st.integers(1, 16), st.integers(1, 16), st.integers(2, 9))


@compiled
def children_of(tables, states, moves, children, counts):
    """All legal moves of each of `states: uint64[B, S]` and what they lead to."""
    for i in range(len(states)):
        counts[i] = kernels.legal(tables, states[i], moves[i])
        for j in range(counts[i]):
            kernels.apply(tables, states[i], moves[i, j], children[i, j])


@compiled
def clicked(tables, state, cells, children):
    """What a click on each of these cells leads to."""
    for i in range(cells.size):
        kernels.apply(tables, state, cells[i], children[i])


@compiled
def played(tables, state, child, choices, moves, line):
    """A game of random clicks; the moves into `line`. Returns how many there were, and whether the board is solved."""
    for step in range(choices.size):
        count = kernels.legal(tables, state, moves)
        if count == 0:
            return step, kernels.solved(tables, state)
        line[step] = moves[choices[step] % count]
        kernels.apply(tables, state, line[step], child)
        kernels.copy(child, state)
    return choices.size, kernels.solved(tables, state)


def expanded(puzzle: Dust, boards: np.ndarray) -> list[dict[int, list[int]]]:
    """For each plain board what each legal move leads to, by the kernels."""
    rules, count = puzzle.view(KernelRules), len(boards)
    moves, counts = np.zeros((count, puzzle.cells), np.int32), np.zeros(count, np.int64)
    children = np.zeros((count, puzzle.cells, rules.size), np.uint64)
    children_of(rules.tables, rules.encode(boards), moves, children, counts)
    plain = [rules.decode(children[i, :n]).tolist() for i, n in enumerate(counts.tolist())]
    return [dict(zip(moves[i, :n].tolist(), plain[i], strict=True)) for i, n in enumerate(counts.tolist())]


def by_rules(puzzle: Dust, board: np.ndarray) -> dict[int, list[int]]:
    return {move: puzzle.apply(board, move).tolist() for move in np.flatnonzero(puzzle.legal(board)).tolist()}


def check_children(plainly, puzzle: Dust, seed: int, played: int) -> None:
    board = plainly.board(puzzle, seed, played)
    assert expanded(puzzle, board[None]) == [by_rules(puzzle, board)]


def check_game(plainly, puzzle: Dust, seed: int) -> None:
    """A random game by the kernels, replayed by the plain rules: each click takes one cluster, the end is empty."""
    board, rules = plainly.board(puzzle, seed), puzzle.view(KernelRules)
    choices = np.random.default_rng(seed).integers(0, 2**31, puzzle.cells + 1)
    working, line = rules.encode(board[None])[0], np.zeros(puzzle.cells + 1, np.int32)
    room = np.zeros(puzzle.cells, np.int32)
    count, solved = played(rules.tables, working, np.zeros_like(working), choices, room, line)
    state = board
    for move, chosen in zip(line[:count].tolist(), choices.tolist(), strict=False):
        legal = np.flatnonzero(puzzle.legal(state)).tolist()
        assert move == legal[chosen % len(legal)]
        state = puzzle.apply(state, move)
    assert solved
    assert puzzle.solved(state)


@settings(max_examples=60)
@given(puzzle=SMALL, seed=st.integers(0, 2**32), played=st.integers(0, 12))
def test_kernels_have_the_moves_and_children_of_the_plain_rules(plainly, puzzle: Dust, seed: int, played: int) -> None:
    check_children(plainly, puzzle, seed, played)


@settings(max_examples=60)
@given(puzzle=SMALL, seed=st.integers(0, 2**32))
def test_a_game_by_the_kernels_is_one_by_the_plain_rules(plainly, puzzle: Dust, seed: int) -> None:
    check_game(plainly, puzzle, seed)


@pytest.mark.slow
@pytest.mark.parametrize("height", range(1, 17))
@pytest.mark.parametrize("width", range(1, 17))
def test_kernels_equal_the_plain_rules_on_every_size(plainly, width: int, height: int) -> None:
    for colours in (2, 3, 4, 8, 9):
        puzzle = Dust(width, height, colours)
        check_game(plainly, puzzle, colours)
        check_children(plainly, puzzle, colours, puzzle.cells // 6)


@given(puzzle=SMALL, seed=st.integers(0, 2**32), played=st.integers(0, 6))
def test_every_cell_of_a_cluster_may_be_clicked(plainly, puzzle: Dust, seed: int, played: int) -> None:
    board, rules = plainly.board(puzzle, seed, played), puzzle.view(KernelRules)
    cells = np.flatnonzero(board).astype(np.int32)
    children = np.zeros((cells.size, rules.size), np.uint64)
    clicked(rules.tables, rules.encode(board[None])[0], cells, children)
    firsts = by_rules(puzzle, board)
    expected = [firsts[first] for first in puzzle.clusters(board)[cells].tolist()]
    assert rules.decode(children).tolist() == expected


@given(puzzle=PUZZLES, seed=st.integers(0, 2**32), count=st.integers(0, 5))
def test_decode_undoes_encode_and_unpack_undoes_pack(puzzle: Dust, seed: int, count: int) -> None:
    boards = np.random.default_rng(seed).integers(0, puzzle.colours + 1, (count, puzzle.cells)).astype(np.uint8)
    rules = puzzle.view(KernelRules)
    working = rules.encode(boards)
    assert (working.shape, working.dtype) == ((count, rules.size), rules.dtype)
    decoded = rules.decode(working)
    assert decoded.dtype == np.uint8
    assert np.array_equal(decoded, boards)
    for state in working:
        words, again = np.full(rules.words, 2**64 - 1, np.uint64), np.full_like(state, 99)
        kernels.pack(rules.tables, state, words)
        kernels.unpack(rules.tables, words, again)
        assert np.array_equal(again, state)


@given(puzzle=SMALL, seed=st.integers(0, 2**32))
def test_different_boards_are_packed_differently(plainly, puzzle: Dust, seed: int) -> None:
    board = plainly.board(puzzle, seed)
    others = np.repeat(board[None], puzzle.cells, axis=0)
    cells = np.arange(puzzle.cells)
    others[cells, cells] = others[cells, cells] % puzzle.colours + 1
    packed = puzzle.view(KernelRules).encode(np.concatenate([board[None], others]))
    assert len(np.unique(packed, axis=0)) == 1 + puzzle.cells


@pytest.mark.parametrize(
    ("name", "words"),
    [((1, 1, 2), 2), ((8, 6, 3), 2), ((8, 6, 5), 3), ((8, 8, 7), 3), ((8, 8, 8), 4), ((9, 8, 5), 6), ((16, 16, 9), 16)],
)
def test_a_board_takes_few_words(name: tuple[int, int, int], words: int) -> None:
    assert Dust(*name).view(KernelRules).words == words
