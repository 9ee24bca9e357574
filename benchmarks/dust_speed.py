"""Measures the kernels of dust: `python benchmarks/dust_speed.py [PUZZLE] [--boards N]`, in CPU seconds after warm-up.

Children a second: every move of every board is made. The boards stand on the way of random games, each different from
the others (one board over and over flatters, because the processor learns its branches by heart). Beside it, in turn,
the article's game in plain Python on some of the same boards; both must make the same children.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import dust_document
import puzzlelab
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled
from puzzlelab.puzzles.dust import Dust

LEAST = 2_000_000
"""Children of one round: the boards are gone through again until there are so many."""
THEIRS = 200
"""Boards that plain Python goes through in a round."""
Boards = NDArray[np.uint8]


def boards_of_random_games(puzzle: Dust, count: int, seed: int) -> Boards:
    """`uint8[B, N]`: different boards of random games from full random boards, in random order.

    There are fewer than `count` where so many games do not meet so many boards.
    """
    random = np.random.default_rng(seed)
    by_bytes: dict[bytes, NDArray[np.uint8]] = {}
    for _ in range(count):
        if len(by_bytes) >= 2 * count:  # not all of them from the same few games
            break
        state = random.integers(1, puzzle.colours + 1, puzzle.cells, dtype=np.uint8)
        while not puzzle.solved(state):
            by_bytes[state.tobytes()] = state
            state = puzzle.apply(state, int(random.choice(np.flatnonzero(puzzle.legal(state)))))
    states = np.stack(list(by_bytes.values()))
    return states[random.permutation(len(states))[:count]]


@compiled
def make_all(tables: Any, states: Any, moves: Any, child: Any, times: int) -> tuple[int, int]:
    """Make every move of every state, so many times; (how many, a sum that no compiler can leave out)."""
    successors, total = 0, np.uint64(0)
    for _ in range(times):
        for i in range(len(states)):
            count = kernels.legal(tables, states[i], moves)
            for j in range(count):
                kernels.apply(tables, states[i], moves[j], child)
                total ^= child[0]
            successors += count
    return successors, total


@compiled
def keep_all(tables: Any, states: Any, moves: Any, children: Any) -> int:
    """Write every child of every state into `children: T[R, S]`; returns how many."""
    successors = 0
    for i in range(len(states)):
        for j in range(kernels.legal(tables, states[i], moves)):
            kernels.apply(tables, states[i], moves[j], children[successors])
            successors += 1
    return successors


def kernel_rate(rules: KernelRules, states: NDArray[Any], moves: int, times: int) -> float:
    """Children a CPU second."""
    room, child = np.zeros(moves, np.int32), np.zeros(rules.size, rules.dtype)
    start = time.process_time()
    successors, _ = make_all(rules.tables, states, room, child, times)
    return successors / (time.process_time() - start)


def article_rate(boards: Boards) -> float:
    """Children a CPU second of plain Python, `boards: uint8[B, W, H]`."""
    start = time.process_time()
    successors = sum(1 for board in boards for _ in dust_document.children(board))
    return successors / (time.process_time() - start)


def check(puzzle: Dust, rules: KernelRules, boards: Boards) -> int:
    """How many children there are; raises `PuzzlelabError` unless both make the same of every board."""
    states, room = rules.encode(boards), np.zeros(puzzle.move_count, np.int32)
    kept = np.zeros((puzzle.cells, rules.size), rules.dtype)
    successors = 0
    for board, state in zip(boards, states, strict=True):
        count = keep_all(rules.tables, state[None], room, kept)
        mine = sorted(child.tobytes() for child in rules.decode(kept[:count]))
        other = sorted(child.tobytes() for child in dust_document.children(board.reshape(puzzle.width, puzzle.height)))
        if mine != other:
            raise PuzzlelabError(f"of {puzzle.write(board)} the kernels make other children than plain Python")
        successors += count
    return successors


def measured(puzzle: Dust, count: int, seed: int, rounds: int) -> Iterator[tuple[str, str]]:
    """What was measured, and the figure."""
    rules, boards = puzzle.view(KernelRules), boards_of_random_games(puzzle, count, seed)
    states = rules.encode(boards)
    children = check(puzzle, rules, boards)
    yield f"different boards of {puzzle.name}; their children, equal both ways", f"{len(boards):,}; {children:,}"
    kernel_rate(rules, states, puzzle.move_count, 1)
    plain = boards.reshape(-1, puzzle.width, puzzle.height)[:THEIRS]
    fast, slow, same = [], [], []
    for _ in range(rounds):
        fast.append(kernel_rate(rules, states, puzzle.move_count, -(-LEAST // children)))
        slow.append(article_rate(plain))
        same.append(kernel_rate(rules, states[:1], puzzle.move_count, LEAST // 20))
    ratios = [mine / other for mine, other in zip(fast, slow, strict=True)]
    yield "children a CPU second, kernels", f"{statistics.median(fast) / 1e6:.1f} million"
    yield "children a CPU second, the article's Python", f"{statistics.median(slow):,.0f}"
    yield (
        f"times as fast (median of {rounds} rounds; from, to)",
        (f"{statistics.median(ratios):,.0f} ({min(ratios):,.0f}, {max(ratios):,.0f})"),
    )
    yield "one board over and over, for comparison", f"{statistics.median(same) / 1e6:.1f} million"


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzle", nargs="?", default="dust-8x6x5", help="such as dust-10x8x5")
    parser.add_argument("--boards", type=int, default=3000, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="of the games")
    parser.add_argument("--rounds", type=int, default=7, help="of which the median is taken")
    arguments = parser.parse_args()
    puzzle = puzzlelab.load(arguments.puzzle)
    if not isinstance(puzzle, Dust):
        parser.error(f"{arguments.puzzle} is no dust")
    if min(arguments.boards, arguments.rounds) < 1 or arguments.seed < 0:
        parser.error("--boards and --rounds are at least 1, and --seed at least 0")
    table = Table("measured", "figure")
    for figure in measured(puzzle, arguments.boards, arguments.seed, arguments.rounds):
        table.add_row(*map(escape, figure))
    Console(width=120).print(table)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except PuzzlelabError as error:
        sys.exit(f"error: {error}")
