"""`lines`: solves sliding tiles row by row and column by column, as people do, on boards of every size.

The line that is farthest from the goal's blank is placed first, two tiles at a time, in the fewest moves that leave the
placed ones where they are. The last four cells end it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import groupby
from typing import ClassVar

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.puzzles.tiles.kernels import rule_tables, rules
from puzzlelab.puzzles.tiles.pair_placement_kernels import place_pair
from puzzlelab.puzzles.tiles.rules import Tiles, reversed_axes, slides
from puzzlelab.runtime.memory import require_memory


class Lines(SolverSettings):
    """Rows and columns, one after the other: a long solution in a second or two, even of the largest boards."""

    name: ClassVar[str] = "lines"

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Return why it cannot solve this puzzle, in words."""
        return None if isinstance(puzzle, Tiles) else "it places sliding tiles"

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield the progress after each pair, and the result; O(N^3) time for a pair and memory, for N cells."""
        assert isinstance(instance.puzzle, Tiles)
        instance = instance.puzzle.distinct(instance.state)
        puzzle = instance.puzzle
        assert isinstance(puzzle, Tiles)
        working = rules(puzzle)
        cells, home = puzzle.cells, int(working.tables.home)
        require_memory(f"the placement of pairs of {puzzle.name}", 5 * cells**3)
        source = rule_tables(puzzle.rows, puzzle.columns, home, reversed_axes(puzzle)).source
        state, is_free = working.encode(instance.state[None])[0], np.ones(cells, bool)
        came_by, queue = np.empty(cells**3, np.uint8), np.empty(cells**3, np.int32)
        place_pair(source, is_free, (0, 1, 2), (0, 1, 2), 1, came_by, queue)  # compiled before the clock starts
        began, expanded, made = time.perf_counter(), 0, list[int]()

        def result(moves: tuple[int, ...] | None, stop: Stop) -> Result:
            tried = in_metric(puzzle, made) if moves is None else ()
            seconds = time.perf_counter() - began
            return Result(moves, stop=stop, expanded=expanded, generated=expanded, seconds=seconds, tried=tried)

        for placed in placements(puzzle.rows, puzzle.columns, home):
            where, blank = np.argsort(state[:-1]), home if is_free.sum() == 4 else -1
            start = int(where[placed[0]]), int(where[placed[-1]]), int(state[-1])
            most = cells**3 if limit.nodes is None else limit.nodes - expanded
            goal = placed[0], placed[-1], blank
            count, length = place_pair(source, is_free, start, goal, most, came_by, queue)
            expanded += count
            for move in queue[:length][::-1].tolist() if length > 0 else ():
                blank, cell = int(state[-1]), int(source[state[-1], move])
                state[blank], state[cell], state[-1] = state[cell], home, cell
                if made and made[-1] == move ^ 1:
                    made.pop()
                else:
                    made.append(move)
            is_free[list(placed)] = False
            seconds = time.perf_counter() - began
            if length < 0 or (limit.seconds is not None and seconds > limit.seconds):
                spent = limit.nodes is not None and expanded >= limit.nodes
                yield result(None, "nodes" if spent else "dead end" if length < 0 else "time")
                return
            yield Progress(expanded, expanded, 0, 0, seconds)
        yield result(in_metric(puzzle, made), "done")


def placements(rows: int, columns: int, home: int) -> Iterator[tuple[int, ...]]:
    """Yield the cells that are filled together, in their order: two, or the first one of a line of odd length.

    The blank belongs in the cell `home`. Of the last four cells two are enough: the other tile is then right as well.
    """
    grid = np.arange(rows * columns).reshape(rows, columns)
    while grid.size > 4:
        grid = grid if len(grid) >= len(grid[0]) else grid.T
        grid = grid if home not in grid[: len(grid) // 2] else grid[::-1]
        line, grid = grid[0].tolist(), grid[1:]
        if len(line) % 2:
            yield (line[0],)
        for place in range(len(line) % 2, len(line), 2):
            yield line[place], line[place + 1]
    first, second, _ = (cell for cell in grid.reshape(-1).tolist() if cell != home)
    yield first, second


def in_metric(puzzle: Tiles, moves: list[int]) -> tuple[int, ...]:
    """Return the moves of the puzzle that slide the same tiles as these single moves."""
    single, numbers = (
        slides(puzzle.rows, puzzle.columns, "single"),
        {slide[1:]: n for n, slide in enumerate(puzzle.slides)},
    )
    if not puzzle.is_multi:
        return tuple(moves)
    runs = [(single[move], len(list(run))) for move, run in groupby(moves)]
    return tuple(numbers[slide.rows * tiles, slide.columns * tiles] for slide, tiles in runs)


SOLVER = Lines
