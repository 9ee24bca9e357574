"""Boards of a given difficulty, on five scales.

`level` is Manhattan distance + 2 for every pair of tiles in conflict, the difficulty of Spence (2021); it is no bound
(three tiles in reverse order are three pairs, but two have to leave). `walk-to-level` makes random moves from the goal
until the level is greater than the requested one, as Spence did. `uniform` draws from all solvable boards, `walk` makes
random moves from the goal, and `distance` (small boards only) hits a true distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption
from puzzlelab.core.views import Scale
from puzzlelab.puzzles.tiles.estimate_kernels import grid_distance
from puzzlelab.puzzles.tiles.exact_distances_kernels import UNREACHED, rank_of, unrank_all
from puzzlelab.puzzles.tiles.kernels import rules as kernel_rules
from puzzlelab.puzzles.tiles.sampling_kernels import anneal, levels_of, walk_above

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Board, Tiles

TABLED_CELLS = 9
"""Boards up to this size are sampled by level from the list of all their states."""
MIXING_STEPS = 2_000
MOST_STEPS = 4_000_000
WALK_STEPS = 1_000
"""Random numbers that are drawn at once for a walk."""
LEVELS = {(3, 3): (1, 22), (4, 4): (1, 56)}
"""The levels of the document; other boards go as far as 1.3 times the mean Manhattan distance of random ones."""


def _distance(puzzle: Tiles) -> NDArray[np.int64]:
    return grid_distance(puzzle.rows, puzzle.columns)


@cache
def _by_level(puzzle: Tiles) -> Mapping[int, NDArray[np.int64]]:
    """For small boards: the ranks of all solvable states of each level."""
    from puzzlelab.puzzles.tiles import exact_distances

    ranks = np.flatnonzero(exact_distances.distances(puzzle).distance != UNREACHED)
    home = kernel_rules(puzzle).tables.home
    states, digits = np.zeros((ranks.size, puzzle.cells + 1), np.uint8), np.zeros(puzzle.cells, np.int64)
    unrank_all(ranks, states, digits, home)
    levels = np.zeros(ranks.size, np.int64)
    levels_of(states, puzzle.rows, puzzle.columns, home, _distance(puzzle), levels)
    return {int(level): ranks[levels == level] for level in np.unique(levels)}


def level(puzzle: Tiles, states: Board) -> NDArray[np.int64]:
    """The level of plain states `[B, N]`."""
    rules = kernel_rules(puzzle)
    working = rules.encode(states)
    levels = np.zeros(len(working), np.int64)
    levels_of(working, puzzle.rows, puzzle.columns, rules.tables.home, _distance(puzzle), levels)
    return levels


def sample_level(puzzle: Tiles, random: np.random.Generator, level: int | None) -> Board:
    """A board of exactly this level; with replacement, because some levels have only a handful of boards."""
    if level is None:
        level = _any_level(puzzle, random)
    if puzzle.cells <= TABLED_CELLS:
        from puzzlelab.puzzles.tiles import exact_distances

        ranks = _by_level(puzzle).get(level)
        if ranks is None:
            known = ", ".join(map(str, _by_level(puzzle)))
            raise BadOption(f"{puzzle.name} has no board of level {level}; its levels are {known}")
        return exact_distances.state_of(puzzle, int(random.choice(ranks)))
    return _annealed(puzzle, random, level)


def _any_level(puzzle: Tiles, random: np.random.Generator) -> int:
    """A level in the range of the scale; on small boards one that has boards."""
    low, high = level_range(puzzle)
    if puzzle.cells <= TABLED_CELLS:
        return int(random.choice([level for level in _by_level(puzzle) if low <= level <= high]))
    return int(random.integers(low, high + 1))


def _annealed(puzzle: Tiles, random: np.random.Generator, level: int) -> Board:
    rules = kernel_rules(puzzle)
    for start in (uniform(puzzle, random), np.array(puzzle.goal, np.uint8)):
        working = rules.encode(start[None])[0]
        spent = 0
        while spent < MOST_STEPS // 2:
            noise = random.random((4 * MIXING_STEPS, 6))
            mixing = MIXING_STEPS if spent == 0 else 0
            home = rules.tables.home
            if anneal(working, level, noise, puzzle.rows, puzzle.columns, home, _distance(puzzle), mixing):
                return rules.decode(working)
            spent += len(noise)
    raise BadOption(f"no board of level {level} was found for {puzzle.name}")


def level_range(puzzle: Tiles) -> tuple[int, int]:
    """The least and greatest level that is offered."""
    if (puzzle.rows, puzzle.columns) in LEVELS:
        return LEVELS[puzzle.rows, puzzle.columns]
    if puzzle.cells <= TABLED_CELLS:
        return min(level for level in _by_level(puzzle) if level), max(_by_level(puzzle))
    return 1, round(1.3 * float(_distance(puzzle).mean()) * puzzle.cells)


def uniform(puzzle: Tiles, random: np.random.Generator, level: int | None = None) -> Board:
    """Any solvable board, all equally likely: an unsolvable draw has two of its tiles exchanged."""
    board = random.permutation(puzzle.cells).astype(np.uint8)
    if puzzle.objection(board):
        first, second = np.flatnonzero(board != 0)[:2]
        board[[first, second]] = board[[second, first]]
    return board


def walk(puzzle: Tiles, random: np.random.Generator, moves: int | None) -> Board:
    """The goal after this many random moves."""
    if moves is not None and moves < 0:
        raise BadOption(f"a walk has 0 moves or more, not {moves}")
    state = np.array(puzzle.goal, np.uint8)
    for _ in range(puzzle.cells**2 if moves is None else moves):
        state = puzzle.apply(state, int(random.choice(np.flatnonzero(puzzle.legal(state)))))
    return state


def walk_to_level(puzzle: Tiles, random: np.random.Generator, level: int | None) -> Board:
    """The first board above this level on a random walk from the goal; raises `BadOption` where none is reached.

    Every legal move is equally likely, also the one that undoes the move before.
    """
    low, high = walk_level_range(puzzle)
    target = int(random.integers(low, high + 1)) if level is None else level
    rules = kernel_rules(puzzle)
    working = rules.encode(np.array([puzzle.goal], np.uint8))[0]
    moves = 0
    while moves < MOST_STEPS:
        noise = random.random(WALK_STEPS)
        if walk_above(working, target, noise, puzzle.rows, puzzle.columns, rules.tables.home, _distance(puzzle)) > 0:
            return rules.decode(working)
        moves += WALK_STEPS
    raise BadOption(f"no board above level {target} of {puzzle.name} was reached in {moves:,} random moves")


def walk_level_range(puzzle: Tiles) -> tuple[int, int]:
    """The levels above which a walk ends: from the goal's own level to one below the greatest that is offered."""
    return 0, level_range(puzzle)[1] - 1


def at_distance(puzzle: Tiles, random: np.random.Generator, level: int | None) -> Board:
    """A board of exactly this true distance."""
    from puzzlelab.puzzles.tiles import exact_distances

    if level is None:
        return uniform(puzzle, random)
    ranks = exact_distances.states_at(puzzle, level)
    if ranks.size == 0 or level >= UNREACHED:
        raise BadOption(f"no board of {puzzle.name} is {level} moves from the goal")
    return exact_distances.state_of(puzzle, int(random.choice(ranks)))


def scales(puzzle: Tiles) -> Mapping[str, Scale]:
    """The scales of this board."""
    scales = {
        "level": Scale(
            "Manhattan distance + 2 for each pair of tiles in conflict",
            partial(sample_level, puzzle),
            level_range(puzzle),
            partial(level, puzzle),
        ),
        "walk-to-level": Scale(
            "random moves from the goal until the level is greater than this",
            partial(walk_to_level, puzzle),
            walk_level_range(puzzle),
            partial(level, puzzle),
        ),
        "uniform": Scale("all solvable boards alike", partial(uniform, puzzle)),
        "walk": Scale("random moves from the goal", partial(walk, puzzle), (0, 1_000_000)),
    }
    if puzzle.cells <= 10:
        scales["distance"] = Scale(
            "true distance from the goal",
            partial(at_distance, puzzle),
            (0, farthest(puzzle)),
        )
    return scales


def farthest(puzzle: Tiles) -> int:
    """The greatest true distance of a small board."""
    from puzzlelab.puzzles.tiles import exact_distances

    table = exact_distances.distances(puzzle).distance
    return int(table[table != UNREACHED].max())


def difficulty(puzzle: Tiles, state: Board) -> Mapping[str, int]:
    """The level of a board and, for small ones, its true distance."""
    levels = {"level": int(level(puzzle, state[None])[0])}
    if puzzle.cells <= TABLED_CELLS and puzzle.objection(state) is None:
        from puzzlelab.puzzles.tiles import exact_distances

        working = kernel_rules(puzzle).encode(state[None])[0]
        levels["distance"] = int(exact_distances.distances(puzzle).distance[rank_of(working)])
    return levels
