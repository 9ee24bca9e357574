"""The count of steps in `benchmarks/sudoku_growth.py`: its boards, what it counts, and the program."""

from pathlib import Path

import numpy as np
import pytest

import sudoku_growth as growth
from puzzlelab import load, solve
from puzzlelab.core.boards import Instance

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["sudoku-4x4", "sudoku-6x6", "sudoku-9x9"])
def test_boards_come_from_one_valid_grid(name) -> None:
    puzzle = load(name)
    grid = growth.full_grid(puzzle, np.random.default_rng(0))
    assert puzzle.solved(grid)
    boards = [board.state for board in growth.boards(puzzle, 3)]
    assert all(np.array_equal(one, other.state) for one, other in zip(boards, growth.boards(puzzle, 3), strict=True))
    empty = [int(np.count_nonzero(state == 0)) for state in boards]
    assert empty[:-1] == [round(share * puzzle.cells) for share in growth.EMPTY_SHARES]
    assert solve(Instance(puzzle, boards[-1]), "backtracking").proof == "unique"
    for cell in np.flatnonzero(boards[-1]):
        fewer = boards[-1].copy()
        fewer[cell] = 0
        assert solve(Instance(puzzle, fewer), "backtracking").proof != "unique"


def test_steps_keep_their_bounds() -> None:
    puzzle = load("sudoku-4x4")
    counts = {}
    for method in growth.METHODS:
        if method.solver in ("integer", "sat"):
            continue
        for board in growth.boards(puzzle, 0):
            empty = int(np.count_nonzero(board.state == 0))
            counts[method.solver] = growth.work(method, board)
            if method.solver == "lattice":
                assert counts["lattice"] == growth.Work(empty, "")
            if method.solver == "dancing-links":
                assert empty <= counts["dancing-links"].steps <= 2 * 4**empty
    assert counts["backtracking"].steps == 0  # propagation alone solves every 4x4 board with one solution
    limited = growth.Method("", "annealing", "swaps", 1)
    assert growth.work(limited, list(growth.boards(puzzle, 0))[-1]).stop == "+"


def test_counts_in_words() -> None:
    work = growth.Work
    assert growth.in_words([work(1, ""), work(3000, ""), work(5, "")]) == "5 / 3,000"
    assert growth.in_words([work(1, ""), work(7, "+"), work(5, "")]) == "5 / 7+"
    assert growth.in_words([work(0, "memory"), work(7, ""), work(5, "")]) == "5 / 7, 1 memory"
    assert growth.in_words([work(0, "memory"), work(0, "memory")]) == "memory"


def test_the_multiplications_are_those_of_the_network_of_the_recipe() -> None:
    torch = pytest.importorskip("torch")
    from puzzlelab.nets.network import read_network
    from puzzlelab.training.runs import read_toml

    settings = read_toml(ROOT / "src" / "puzzlelab" / "configs" / "004-even.toml")["network"]
    for size in (4, 9):
        parts = list(read_network(settings).build(load(f"sudoku-{size}x{size}")).modules())
        convolutions = sum(part.weight.numel() for part in parts if isinstance(part, torch.nn.Conv2d))
        dense = sum(part.weight.numel() for part in parts if isinstance(part, torch.nn.Linear))
        assert growth.multiplications(size) == convolutions * size**2 + dense
