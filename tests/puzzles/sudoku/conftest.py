"""An independent solver, plain pictures of the states of `bands`, and harnesses for its kernels.

A board as candidates is `int64[81]`: bit d says that the digit d + 1 may go there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from puzzlelab.engine.compiler import LANES, lanewise
from puzzlelab.engine.kernels import compiled
from puzzlelab.engine.record_parts import new_control
from puzzlelab.puzzles.sudoku import bands, bands_kernels, hole_digging_kernels
from puzzlelab.puzzles.sudoku.bands import WIDTH
from puzzlelab.puzzles.sudoku.bands_kernels import LEVELS

DATA = Path(__file__).parents[2] / "data"
ANY = 0o777
UNTOUCHED = 0xABCD
SPARE = 64
"""Levels of a stack beyond those that the search may use."""

Candidates = NDArray[np.int64]
Grids = NDArray[np.uint8]


# --- a solver that shares nothing with the one under test ---


@compiled
def backtrack(allowed, most, solutions, grid, rows, columns, boxes, order, left):
    """Fill the cell with the fewest candidates first; up to `most` solutions into `solutions: uint8[R, 81]`."""
    for i in range(9):
        rows[i] = columns[i] = boxes[i] = ANY
    for cell in range(81):
        grid[cell] = 0
    depth = found = 0
    down = True
    while depth >= 0:
        if down and depth == 81:
            if found < len(solutions):
                for cell in range(81):
                    solutions[found, cell] = grid[cell]
            found += 1
            if found == most:
                return found
            down = False
            depth -= 1
            continue
        if down:
            best, fewest = -1, 10
            for cell in range(81):
                if grid[cell] == 0:
                    open_ = allowed[cell] & rows[cell // 9] & columns[cell % 9] & boxes[cell // 27 * 3 + cell % 9 // 3]
                    count = 0
                    while open_:
                        open_ &= open_ - 1
                        count += 1
                    if count < fewest:
                        best, fewest = cell, count
            order[depth] = best
            box = best // 27 * 3 + best % 9 // 3
            left[depth] = allowed[best] & rows[best // 9] & columns[best % 9] & boxes[box]
        cell = order[depth]
        row, column, box = cell // 9, cell % 9, cell // 27 * 3 + cell % 9 // 3
        if grid[cell]:
            bit = 1 << (grid[cell] - 1)
            grid[cell] = 0
            rows[row] |= bit
            columns[column] |= bit
            boxes[box] |= bit
        if left[depth] == 0:
            depth -= 1
            down = False
            continue
        bit = left[depth] & -left[depth]
        left[depth] ^= bit
        rows[row] ^= bit
        columns[column] ^= bit
        boxes[box] ^= bit
        digit = 0
        while bit:
            bit >>= 1
            digit += 1
        grid[cell] = digit
        depth += 1
        down = True
    return found


def solutions_of(allowed: Candidates, most: int = 2) -> Grids:
    """`uint8[R, 81]`: the solutions that these candidates hold, at most so many."""
    found = np.zeros((most, 81), np.uint8)
    scratch = [np.zeros(9, np.int64) for _ in range(3)] + [np.zeros(82, np.int64) for _ in range(2)]
    count = backtrack(np.asarray(allowed, np.int64), most, found, np.zeros(81, np.int64), *scratch)
    return found[:count]


def candidates_of(board: Grids) -> Candidates:
    """A clue allows itself, a blank everything."""
    return np.where(board, 1 << (board.astype(np.int64) - 1) % 9, ANY)


# --- states of bands ---


BOXES = [4 * band + stack for band in range(3) for stack in range(3)]
"""The lanes that are in use."""


def state_of(allowed: Candidates) -> NDArray[np.uint16]:
    """`uint16[144]`: the state that holds these candidates."""
    state = np.full((9, LANES), bands.FULL, np.uint16)
    state[:, BOXES] = np.asarray(allowed).reshape(3, 3, 3, 3).transpose(1, 3, 0, 2).reshape(9, 9)
    return state.reshape(-1)


def allowed_in(state: NDArray[np.uint16]) -> Candidates:
    """The inverse of `state_of`; lanes that are not in use must be full."""
    lanes = state[:WIDTH].reshape(9, LANES).astype(np.int64)
    assert (np.delete(lanes, BOXES, axis=1) == bands.FULL).all()
    assert not (lanes >> 9).any()
    return lanes[:, BOXES].reshape(3, 3, 3, 3).transpose(2, 0, 3, 1).reshape(-1)


@lanewise
def lock(block, base):
    block.store(base, bands.locked(tuple(block.load(base, 9))))
    return block.choose([], bands.UNCHANGED)


@lanewise
def hide(block, base):
    cells, _, some = bands.hidden_singles(tuple(block.load(base, 9)))
    block.store(base, cells)
    return block.choose([((some ^ bands.FULL).any(), bands.BROKEN)], bands.UNCHANGED)


@lanewise
def strip(block, base):
    """Naked singles."""
    cells, _ = bands.naked_singles(tuple(block.load(base, 9)))
    block.store(base, cells)
    return block.choose([], bands.UNCHANGED)


@lanewise
def look(block, base):
    """What the formulas say of the state at `base`, in the blocks that follow it."""
    cells = tuple(block.load(base, 9))
    rows, columns = bands.mini_rows(cells), bands.mini_columns(cells)
    told = [*bands.permutations(rows, bands.ROUND_BANDS), *bands.permutations(columns, bands.ROUND_STACKS)]
    told += [*bands.count(rows, bands.ROUND_BANDS), *bands.count(columns, bands.ROUND_STACKS), *bands.places(cells)]
    for triads in (rows, columns):
        left, wrong = bands.three_digits(triads)
        told += [*left, wrong]
    block.store(base, [*cells, *told])
    return block.choose([], len(told))


@compiled
def run_lock(stack):
    return lock(stack, (0,))


@compiled
def run_hide(stack):
    return hide(stack, (0,))


@compiled
def run_strip(stack):
    return strip(stack, (0,))


@compiled
def run_look(stack):
    return look(stack, (0,))


@compiled
def run_infer(stack):
    return bands.infer(stack, (0,))


@compiled
def run_triads(stack):
    return bands.infer_triads(stack, (0,))


@compiled
def run_propagate(stack, control):
    return bands_kernels.propagate(stack, control, 0)


@compiled
def run_choice(stack):
    return bands.branching_point(stack, (0, WIDTH))


@compiled
def run_branch(stack):
    return bands_kernels.branch(stack, 0)


@compiled
def run_clues(puzzle, stack):
    bands_kernels.place_clues(puzzle, stack)


@compiled
def run_search(stack, control, digit_of, budget, solutions):
    """Solutions of the state at the bottom of the stack, as many as there is room for."""
    control.depth = 0
    for i in range(len(solutions)):
        if not bands_kernels.search(stack, control, budget):
            return i
        bands_kernels.read_grid(stack, (control.depth + 1) * WIDTH, digit_of, solutions[i])
    return len(solutions)


@compiled
def run_full_grids(random, stack, control, digit_of, digits, grids):
    for i in range(len(grids)):
        hole_digging_kernels.full_grid(random, stack, control, digit_of, digits, grids[i])


FORMULAS = {
    "locked": run_lock,
    "hidden singles": run_hide,
    "naked singles": run_strip,
    "infer": run_infer,
    "infer triads": run_triads,
    "propagate": lambda stack: run_propagate(stack, new_control(bands_kernels.CONTROL)),
}


def search(allowed: Candidates, most: int) -> tuple[Grids, int]:
    """The solutions that the search finds, and how many levels of its stack it wrote to."""
    stack = np.full((LEVELS + SPARE) * WIDTH, UNTOUCHED, np.uint16)
    stack[:WIDTH] = state_of(allowed)
    found = np.zeros((most, 81), np.uint8)
    count = run_search(stack, new_control(bands_kernels.CONTROL), bands_kernels.DIGIT_OF, 1 << 62, found)
    return found[:count], int((stack.reshape(-1, WIDTH) != UNTOUCHED).any(axis=1).sum())


def full_grids(count: int, seed: int) -> Grids:
    """Random full grids, as the generator draws them."""
    _, *room = hole_digging_kernels.digging_room()
    grids = np.zeros((count, 81), np.uint8)
    run_full_grids(np.array([seed], np.uint64), *room[:4], grids)
    return grids


# --- boards ---


def shuffled(grid: Grids, random: np.random.Generator) -> Grids:
    """The same grid under a random symmetry of Sudoku: digits, rows and columns exchanged, turned over."""
    lines = [np.concatenate([3 * band + random.permutation(3) for band in random.permutation(3)]) for _ in range(2)]
    image = grid.reshape(9, 9)[lines[0]][:, lines[1]]
    image = image.T if random.integers(2) else image
    digits = np.concatenate([[0], 1 + random.permutation(9)]).astype(np.uint8)
    return digits[image].reshape(-1)


def neighbour(grid: Grids, random: np.random.Generator) -> Grids:
    """A grid that has much in common with this one: two digits, two rows or two columns are exchanged."""
    first, second = 3 * random.integers(3) + random.permutation(3)[:2]
    order = np.arange(9)
    order[[first, second]] = order[[second, first]]
    kind = random.integers(3)
    if kind == 0:
        return np.concatenate([[0], 1 + order]).astype(np.uint8)[grid]
    image = grid.reshape(9, 9)
    return (image[order] if kind == 1 else image[:, order]).reshape(-1)


class Harness(NamedTuple):
    """What tests call."""

    solutions_of: Callable[..., Grids] = solutions_of
    candidates_of: Callable[..., Candidates] = candidates_of
    state_of: Callable[..., NDArray[np.uint16]] = state_of
    allowed_in: Callable[..., Candidates] = allowed_in
    formulas: dict[str, Callable[..., int]] = FORMULAS
    look: Callable[..., int] = run_look
    choice: Callable[..., int] = run_choice
    branch: Callable[..., int] = run_branch
    place_clues: Callable[..., None] = run_clues
    search: Callable[..., tuple[Grids, int]] = search
    full_grids: Callable[..., Grids] = full_grids
    shuffled: Callable[..., Grids] = shuffled
    neighbour: Callable[..., Grids] = neighbour


@pytest.fixture(scope="session")
def harness() -> Harness:
    return Harness()


class Known(NamedTuple):
    """A puzzle with its only solution."""

    puzzle: Grids
    solution: Grids


@pytest.fixture(scope="session")
def exchange() -> list[Known]:
    """Twelve puzzles of the Sudoku Exchange."""
    lines = (DATA / "sudoku_exchange.csv").read_text().splitlines()[1:]
    return [
        Known(*(np.array([int(c) for c in text.replace(".", "0")], np.uint8) for text in line.split(",")[:2]))
        for line in lines
    ]
