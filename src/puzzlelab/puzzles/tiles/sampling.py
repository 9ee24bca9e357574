"""Boards of a given difficulty, on five scales.

`level` is Manhattan distance + 2 for every pair of tiles in conflict, the difficulty of Spence (2021); it is no bound
(three tiles in reverse order are three pairs, but two have to leave). `walk-to-level` makes random moves from the goal
until the level is greater than the requested one, as Spence did. `uniform` draws from all solvable boards, `walk` makes
random moves from the goal, and `distance` (small boards only) hits a true distance.

Shapes: B = boards, N = cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption
from puzzlelab.core.views import NO_LEVEL, Scale, singly
from puzzlelab.puzzles.tiles.estimate_kernels import flat, grid_distance
from puzzlelab.puzzles.tiles.exact_distances_kernels import UNREACHED, distances, distances_of, states_at, unrank_all
from puzzlelab.puzzles.tiles.kernels import rules as kernel_rules
from puzzlelab.puzzles.tiles.sampling_kernels import SHIFT, AnnealingTables, anneal, levels_of, walk_above

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Board, Tiles

TABLED_CELLS = 9
"""Boards up to this size are sampled by level from the list of all their states."""
MIXING_STEPS = 2_000
MOST_STEPS = 4_000_000
FEWEST_WALKS, BOARDS_A_WALK, STEPS_APART = 8, 8, 500
"""Many annealed boards at once: the fewest walks, the most boards from one walk, and the steps between these."""
WALKED_CELLS = 64
"""Boards up to this size have the scale `walk-to-level`; on larger ones millions of moves do not reach most levels."""
WALK_STEPS = 1_000
"""Random numbers that are drawn at once for a walk."""
LEVELS = {(3, 3): (1, 22), (4, 4): (1, 56)}
"""The levels of the document; other boards go as far as 1.3 times the mean Manhattan distance of random ones."""


@cache
def _distance(puzzle: Tiles) -> NDArray[np.int64]:
    return grid_distance(puzzle.rows, puzzle.columns)


@cache
def _annealing_tables(puzzle: Tiles) -> AnnealingTables:
    rows, columns = np.divmod(np.arange(puzzle.cells), puzzle.columns)
    home = kernel_rules(puzzle).tables.home
    costs = _distance(puzzle) + 64 * (rows[:, None] == rows) + 128 * (columns[:, None] == columns)
    costs[home] = 0
    return AnnealingTables(
        rows=np.uint64(puzzle.rows),
        columns=np.uint64(puzzle.columns),
        home=home,
        costs=flat(costs.astype(np.uint8), SHIFT),
        shades=((rows + columns) % 2).astype(np.uint8),
    )


def _states(puzzle: Tiles, ranks: NDArray[np.int64]) -> Board:
    """Return the plain states `[B, N]` of these ranks `[B]`."""
    rules = kernel_rules(puzzle)
    working = np.zeros((len(ranks), puzzle.cells + 1), np.uint8)
    unrank_all(ranks, working, np.zeros(puzzle.cells, np.int64), rules.tables.home)
    return rules.decode(working)


@cache
def _by_level(puzzle: Tiles) -> Mapping[int, NDArray[np.int64]]:
    """Return the ranks of all solvable states of each level, for small boards."""
    ranks = np.flatnonzero(distances(puzzle).distance != UNREACHED)
    home = kernel_rules(puzzle).tables.home
    states, digits = np.zeros((ranks.size, puzzle.cells + 1), np.uint8), np.zeros(puzzle.cells, np.int64)
    unrank_all(ranks, states, digits, home)
    levels = np.zeros(ranks.size, np.int64)
    levels_of(states, puzzle.rows, puzzle.columns, home, _distance(puzzle), levels)
    return {int(level): ranks[levels == level] for level in np.unique(levels)}


class LevelTable(NamedTuple):
    """The ranks of all boards of a small size, level by level."""

    ranks: NDArray[np.int64]
    first: NDArray[np.int64]
    """The place of the first rank of each level; a level that has no boards is left out."""
    sizes: NDArray[np.int64]
    """The number of boards of each level."""


@cache
def _level_table(puzzle: Tiles, low: int, high: int) -> LevelTable:
    """Return the boards of the levels from `low` to `high`; raises `BadOption` if there is none."""
    ranks = [ranks for level, ranks in _by_level(puzzle).items() if low <= level <= high]
    if not ranks:
        known = ", ".join(map(str, _by_level(puzzle)))
        raise BadOption(f"{puzzle.name} has no board of level {low}; its levels are {known}")
    sizes = np.array([len(each) for each in ranks])
    return LevelTable(np.concatenate(ranks), np.cumsum(sizes) - sizes, sizes)


def levels_of_boards(puzzle: Tiles, states: Board) -> NDArray[np.int64]:
    """Return the level of plain states `[B, N]`."""
    return _levels(puzzle, kernel_rules(puzzle).encode(states))


def _levels(puzzle: Tiles, working: Board) -> NDArray[np.int64]:
    """Return the level of working states `[B, N + 1]`."""
    levels = np.zeros(len(working), np.int64)
    home = kernel_rules(puzzle).tables.home
    levels_of(working, puzzle.rows, puzzle.columns, home, _distance(puzzle), levels)
    return levels


def sample_level(puzzle: Tiles, random: np.random.Generator, level: int | None, count: int) -> Board:
    """Return `count` boards `[B, N]` of exactly this level, with replacement, because some levels have few boards."""
    low, high = level_range(puzzle) if level is None else (level, level)
    if puzzle.cells > TABLED_CELLS:
        return _annealed(puzzle, random, low, high, count)
    table = _level_table(puzzle, low, high)
    chosen = random.integers(len(table.sizes), size=count)
    return _states(puzzle, table.ranks[table.first[chosen] + random.integers(table.sizes[chosen])])


def _annealed(puzzle: Tiles, random: np.random.Generator, low: int, high: int, count: int) -> Board:
    """Return `count` boards `[B, N]` of levels from `low` to `high`, all equally frequent, by simulated annealing.

    Of many boards, several come from one walk: they have the same level, and lie `STEPS_APART` steps apart.
    """
    walks = max(min(count, FEWEST_WALKS), -(-count // BOARDS_A_WALK))
    targets, boards_a_walk = random.integers(low, high + 1, walks), -(-count // walks)
    boards = np.empty((walks, boards_a_walk, puzzle.cells + 1), np.uint8)
    rules, missing = kernel_rules(puzzle), np.arange(walks)
    for starts in (uniform(puzzle, random, None, walks), np.repeat(puzzle.goals(), walks, axis=0)):
        working, found = rules.encode(starts[missing]), np.empty((missing.size, *boards.shape[1:]), np.uint8)
        counts = np.zeros(missing.size, np.int64)
        anneal(
            states=working,
            levels=_levels(puzzle, working),
            targets=targets[missing],
            keys=random.integers(2**64, size=missing.size, dtype=np.uint64),
            steps=MOST_STEPS // 2,
            mixing=MIXING_STEPS,
            apart=STEPS_APART,
            tables=_annealing_tables(puzzle),
            boards=found,
            counts=counts,
        )
        boards[missing] = found
        missing = missing[counts < boards_a_walk]
        if not missing.size:
            plain: Board = rules.decode(boards.swapaxes(0, 1).reshape(-1, puzzle.cells + 1)[:count])
            return plain
    raise BadOption(f"no board of level {targets[missing[0]]} was found for {puzzle.name}")


def level_range(puzzle: Tiles) -> tuple[int, int]:
    """Return the least and greatest level that is offered."""
    if (puzzle.rows, puzzle.columns) in LEVELS:
        return LEVELS[puzzle.rows, puzzle.columns]
    if puzzle.cells <= TABLED_CELLS:
        return min(level for level in _by_level(puzzle) if level), max(_by_level(puzzle))
    return 1, round(1.3 * float(_distance(puzzle).mean()) * puzzle.cells)


def uniform(puzzle: Tiles, random: np.random.Generator, level: int | None, count: int) -> Board:
    """Return `count` solvable boards `[B, N]`, all equally likely: unsolvable draws have two tiles exchanged."""
    boards = random.permuted(np.tile(np.array(puzzle.pieces, np.uint8), (count, 1)), axis=1)
    rows = np.flatnonzero(puzzle.has_objection(boards))
    first, second = np.argsort(boards[rows] == 0, axis=1, kind="stable")[:, :2].T  # cells with tiles come first
    boards[rows, first], boards[rows, second] = boards[rows, second], boards[rows, first]
    return boards


def random_walks(puzzle: Tiles, random: np.random.Generator, moves: int | None, count: int) -> Board:
    """Return `count` boards `[B, N]`, each the goal after this many random moves."""
    rules, rows = kernel_rules(puzzle), np.arange(count)
    tables, boards = rules.tables, np.tile(rules.encode(puzzle.goals()[:1]), (count, 1))
    blanks, tiles = np.full(count, tables.home, np.int64), np.array([slide.tiles for slide in puzzle.slides])
    for _ in range(_walk_length(puzzle, moves)):
        chosen = tables.moves[blanks, (random.random(count) * tables.counts[blanks]).astype(np.int64)]
        strides = (tables.source[blanks, chosen] - blanks) // tiles[chosen]
        for step in range(tiles.max()):  # the tiles of a move, one after the other
            sources = blanks + np.where(step < tiles[chosen], strides, 0)
            boards[rows, blanks], boards[rows, sources] = boards[rows, sources], tables.home
            blanks = sources
    return rules.decode(boards)


def _walk_length(puzzle: Tiles, moves: int | None) -> int:
    """Return the moves of a walk, by default the square of the number of cells; raises `BadOption` for less than 0."""
    if moves is not None and moves < 0:
        raise BadOption(f"a walk has 0 moves or more, not {moves}")
    return puzzle.cells**2 if moves is None else moves


def walk_to_level(puzzle: Tiles, random: np.random.Generator, level: int | None) -> Board:
    """Return the first board above this level on a random walk from the goal; raises `BadOption` where none is reached.

    Every legal move is equally likely, also the one that undoes the move before.
    """
    low, high = walk_level_range(puzzle)
    target = int(random.integers(low, high + 1)) if level is None else level
    rules = kernel_rules(puzzle)
    working = rules.encode(np.array([puzzle.goal], np.uint8))[0]
    moves = 0
    while moves < MOST_STEPS:
        noise = random.random(WALK_STEPS)
        if walk_above(working, target, noise, puzzle.rows, puzzle.columns, rules.tables, _distance(puzzle)) > 0:
            return rules.decode(working)
        moves += WALK_STEPS
    raise BadOption(f"no board above level {target} of {puzzle.name} was reached in {moves:,} random moves")


def walk_level_range(puzzle: Tiles) -> tuple[int, int]:
    """Return the levels above which a walk ends: from the goal's own level to one below the greatest offered."""
    return 0, level_range(puzzle)[1] - 1


def at_distance(puzzle: Tiles, random: np.random.Generator, level: int | None, count: int) -> Board:
    """Return `count` boards `[B, N]` at exactly this true distance."""
    if level is None:
        return uniform(puzzle, random, None, count)
    return _states(puzzle, random.choice(_ranks_at(puzzle, level), count))


def _ranks_at(puzzle: Tiles, distance: int) -> NDArray[np.int64]:
    """Return the ranks of the boards at this true distance; raises `BadOption` if there is none."""
    ranks = states_at(puzzle, distance)
    if ranks.size == 0 or distance >= UNREACHED:
        raise BadOption(f"no board of {puzzle.name} is {distance} moves from the goal")
    return ranks


def farthest(puzzle: Tiles) -> int:
    """Return the greatest true distance of a small board."""
    table = distances(puzzle).distance
    return int(table[table != UNREACHED].max())


def scales(puzzle: Tiles) -> Mapping[str, Scale]:
    """Return the scales of this board."""
    uniform_and_walk = {
        "uniform": Scale("all solvable boards alike", partial(uniform, puzzle)),
        "walk": Scale("random moves from the goal", partial(random_walks, puzzle), (0, 1_000_000)),
    }
    if not puzzle.is_permutation:
        return uniform_and_walk
    offered = {
        "level": Scale(
            "Manhattan distance + 2 for each pair of tiles in conflict",
            partial(sample_level, puzzle),
            level_range(puzzle),
            partial(levels_of_boards, puzzle),
        ),
        "walk-to-level": Scale(
            "random moves from the goal until the level is greater than this",
            singly(partial(walk_to_level, puzzle)),
            walk_level_range(puzzle),
            partial(levels_of_boards, puzzle),
        ),
    } | uniform_and_walk
    if puzzle.is_multi or puzzle.cells > WALKED_CELLS:
        del offered["walk-to-level"]  # a walk of single moves
    if puzzle.cells <= 10:
        levels = 0, farthest(puzzle)
        offered["distance"] = Scale("true distance from the goal", partial(at_distance, puzzle), levels)
    return offered


def difficulty(puzzle: Tiles, states: Board) -> Mapping[str, NDArray[np.int64]]:
    """Return `int64[B]`: the level of each of the boards `[B, N]` and, for small ones, its true distance."""
    if not puzzle.is_permutation:
        return {}
    working = kernel_rules(puzzle).encode(states)
    levels = {"level": _levels(puzzle, working)}
    if puzzle.cells <= TABLED_CELLS:
        found = np.empty(len(working), np.int64)
        distances_of(working, distances(puzzle).distance, found)
        levels["distance"] = np.where(puzzle.has_objection(states), NO_LEVEL, found)
    return levels
