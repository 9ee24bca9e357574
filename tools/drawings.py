"""Makes the drawings of docs/ideas.md: `python tools/drawings.py [NAME ...]` writes docs/idea-NAME.svg.

The numbers in them are computed by the package, not typed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

import puzzlelab
from puzzlelab.bench import charts

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLUE, ORANGE, GREEN, GREY, LINE = "#cfe2f3", "#fce5cd", "#d9ead3", "#eeeeee", "#444444"
GROUPS = ((2, 3, 4, 6, 7, 8), (10, 11, 12, 13, 14, 15), (1, 5, 9))
"""The tiles of the three patterns of `pdb-663`."""


def page(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of this size in inches, whose units are inches too."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.axis("off")
    return figure, axes


def box(axes: Axes, place: tuple[float, float, float, float], text: str, color: str = GREY) -> None:
    """A box with a text; `place` is its lower left corner, width and height."""
    left, low, width, height = place
    axes.add_patch(FancyBboxPatch((left, low), width, height, "round,pad=0,rounding_size=0.08", fc=color, ec=LINE))
    axes.text(left + width / 2, low + height / 2, text, ha="center", va="center", fontsize=9, linespacing=1.4)


def arrow(axes: Axes, begin: tuple[float, float], end: tuple[float, float], text: str = "", above: float = 0.1) -> None:
    """An arrow with a text at its middle."""
    axes.annotate("", end, begin, arrowprops={"arrowstyle": "->", "color": LINE, "shrinkA": 2, "shrinkB": 2})
    middle = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2 + above
    axes.text(*middle, text, ha="center", va="bottom", fontsize=8.5)


def cells(
    axes: Axes,
    corner: tuple[float, float],
    side: float,
    texts: Sequence[Sequence[str]],
    colors: Sequence[Sequence[str]],
) -> None:
    """A grid of cells; `corner` is the upper left one."""
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            left, low = corner[0] + column * side, corner[1] - (row + 1) * side
            axes.add_patch(Rectangle((left, low), side, side, fc=colors[row][column], ec=LINE, lw=0.8))
            axes.text(left + side / 2, low + side / 2, text, ha="center", va="center", fontsize=9)


def pattern_databases() -> Figure:
    """A board of the 15-puzzle, its three patterns, and the bound of each."""
    puzzle = puzzlelab.load("tiles-4x4", puzzlelab.Tiles)
    board, bounds = _board_without_mirror(puzzle)
    tiles = board.state.reshape(4, 4).tolist()
    hues = {tile: color for group, color in zip(GROUPS, (BLUE, ORANGE, GREEN), strict=True) for tile in group}
    figure, axes = page(9, 3.3)
    texts = [[str(tile or "") for tile in row] for row in tiles]
    cells(axes, (0.2, 2.9), 0.45, texts, [[hues.get(tile, "white") for tile in row] for row in tiles])
    axes.text(1.1, 0.8, "the board", ha="center", fontsize=9)
    for number, (group, bound) in enumerate(zip(GROUPS, bounds, strict=True)):
        left = 2.7 + 2.1 * number
        texts = [[str(tile) if tile in group else "" for tile in row] for row in tiles]
        colors = [[hues[tile] if tile in group else "white" for tile in row] for row in tiles]
        cells(axes, (left, 2.9), 0.36, texts, colors)
        axes.text(left + 0.72, 1.2, f"table {number + 1}: {bound} moves", ha="center", fontsize=9)
    best = puzzlelab.solve(board).length
    added = " + ".join(map(str, bounds))
    sentence = f"{added} = {sum(bounds)}: no solution has fewer moves. The shortest one has {best}."
    axes.text(4.5, 0.3, sentence, ha="center", fontsize=10)
    return figure


def _board_without_mirror(puzzle: puzzlelab.Tiles) -> tuple[puzzlelab.Instance, list[int]]:
    """A board, and the bound of each group: one where the mirror image, which is looked up too, gives no more."""
    for board in puzzlelab.generate(puzzle, count=1000, scale="uniform", seed=2):
        bounds = [_bound_of_group(board, group) for group in GROUPS]
        if sum(bounds) == int(puzzlelab.estimate(puzzle, "pdb-663", [board])[0]):
            return board, bounds
    raise AssertionError("no board was found")


def _bound_of_group(board: puzzlelab.Instance, group: Sequence[int]) -> int:
    """The least moves of these tiles alone: a database of them and of single tiles, less those of the single tiles."""
    singles = [tile for tile in range(1, 16) if tile not in group]
    name = "pdb:" + "/".join([",".join(map(str, group)), *map(str, singles)])
    alone = sum(_distance(board, tile) for tile in singles)
    return int(puzzlelab.estimate(board.puzzle, name, [board])[0]) - alone


def _distance(board: puzzlelab.Instance, tile: int) -> int:
    """The Manhattan distance of one tile."""
    place = board.state.tolist().index(tile)
    return abs(place // 4 - (tile - 1) // 4) + abs(place % 4 - (tile - 1) % 4)


def halves() -> Figure:
    """A board of dust, its two halves, and the bound from both."""
    puzzle = puzzlelab.load("dust-6x4x3")
    board = next(puzzlelab.generate(puzzle, seed=4))
    rows = [line.split("|")[1:] for line in puzzle.draw(board.state).splitlines() if "|" in line][1:]
    letters = ["".join(row).split() for row in rows]
    hues = {"R": "#e6b8b7", "G": GREEN, "B": BLUE, "O": ORANGE, "Y": "#fff2cc"}
    colors = [[hues.get(letter, "white") for letter in row] for row in letters]
    figure, axes = page(9, 3.2)
    cells(axes, (0.3, 2.7), 0.42, letters, colors)
    axes.plot([0.3 + 3 * 0.42] * 2, [0.85, 2.85], color="black", lw=2, ls="--")
    axes.text(1.56, 0.55, "clusters fall down,\nand towards the line", ha="center", va="center", fontsize=9)
    for left, part, name in ((4.0, slice(0, 3), "left half"), (6.6, slice(3, 6), "right half")):
        cells(axes, (left, 2.7), 0.42, [row[part] for row in letters], [row[part] for row in colors])
        axes.text(left + 0.63, 0.75, name, ha="center", fontsize=9)
    arrow(axes, (3.0, 1.9), (3.9, 1.9))
    bound = int(puzzlelab.estimate(puzzle, "halves", [board])[0])
    best = puzzlelab.solve(board, solver="halves").length
    axes.text(
        4.5,
        0.2,
        "a cluster inside a half costs 2, clusters of one colour at the line cost 1; "
        f"the sum, halved, is at most the optimum: {bound} ≤ {best}",
        ha="center",
        fontsize=9.5,
    )
    return figure


def bands() -> Figure:
    """A Sudoku, and the place of one digit in a band as a permutation of the boxes."""
    figure, axes = page(9, 4.0)
    side, left, top = 0.34, 0.3, 3.6
    colors = [[BLUE if row < 3 else "white" for _ in range(9)] for row in range(9)]
    for row, column in ((0, 1), (1, 5), (2, 7)):
        colors[row][column] = ORANGE
    texts = [["7" if (row, column) in ((0, 1), (1, 5), (2, 7)) else "" for column in range(9)] for row in range(9)]
    cells(axes, (left, top), side, texts, colors)
    for number in range(4):
        axes.plot([left, left + 9 * side], [top - 3 * number * side] * 2, color="black", lw=1.8)
        axes.plot([left + 3 * number * side] * 2, [top, top - 9 * side], color="black", lw=1.8)
    axes.text(left + 4.5 * side, 0.25, "a band: three boxes side by side", ha="center", fontsize=9)
    lines = [
        "In a band a digit stands once in each row and once in each box.",
        "So its rows in the three boxes are a permutation, here (1, 2, 3):",
        "one of six.",
        "",
        "The permutations that still have candidates say which places",
        "are possible: hidden singles, pointing and claiming in one rule,",
        "for all digits, bands and stacks at once.",
        "",
        "Where nothing more follows, the search branches in the band or",
        "stack with the fewest permutations left.",
    ]
    axes.text(3.9, 3.5, "\n".join(lines), va="top", fontsize=10, linespacing=1.5)
    return figure


def search_machine() -> Figure:
    """The driver, the compiled kernel, its record, and what they exchange."""
    figure, axes = page(9, 3.6)
    box(axes, (0.3, 2.2, 2.3, 1.0), "driver\n(plain Python)\nlimits, progress, Ctrl-C", BLUE)
    box(axes, (6.3, 2.2, 2.4, 1.0), "step(record, budget)\n(compiled)\nexpands states for 50 ms", ORANGE)
    box(axes, (6.3, 0.35, 2.4, 0.9), "record: arrays\nstates seen, open list,\nestimates, counters", GREEN)
    box(axes, (0.3, 0.35, 2.3, 0.9), "estimate or network\nscores many states\nat once", GREY)
    arrow(axes, (2.65, 2.95), (6.25, 2.95), "call, with a budget")
    arrow(axes, (6.25, 2.4), (2.65, 2.4), "RUNNING, NEEDS_SCORES, IMPROVED, FULL or DONE", 0.04)
    arrow(axes, (7.5, 2.15), (7.5, 1.3))
    arrow(axes, (7.3, 1.3), (7.3, 2.15))
    arrow(axes, (1.2, 2.15), (1.2, 1.3))
    arrow(axes, (1.45, 1.3), (1.45, 2.15))
    axes.text(1.65, 1.68, "NEEDS_SCORES: states out, scores in", fontsize=8.5, va="center")
    return figure


def shards() -> Figure:
    """Generators, numbered files of samples, and the learner that reads them by number."""
    figure, axes = page(9, 3.6)
    for number, low in enumerate((2.5, 1.4, 0.3)):
        box(axes, (0.3, low, 1.9, 0.8), f"generator {number + 1}\nsolves or plays", BLUE)
        arrow(axes, (2.25, low + 0.4), (3.4, 2.9 - 0.6 * number - 0.3))
    for number in range(4):
        low = 2.75 - 0.75 * number
        name = "shard n" if number == 3 else f"shard {number + 1}"
        box(axes, (3.5, low, 1.6, 0.55), name, GREEN)
        arrow(axes, (5.15, low + 0.28), (6.4, 1.8))
    axes.text(4.3, 1.08, "...", ha="center", fontsize=12)
    box(axes, (6.5, 1.4, 2.1, 0.8), "learner\nreads what step k needs", ORANGE)
    text = "A shard depends on the settings and on its number alone.\nMore generators change nothing but the time."
    axes.text(5.3, 0.5, text, fontsize=9, va="center")
    return figure


DRAWINGS: dict[str, Callable[[], Figure]] = {
    "bands": bands,
    "halves": halves,
    "pattern-databases": pattern_databases,
    "search": search_machine,
    "shards": shards,
}


def main(names: Sequence[str]) -> None:
    """Write the drawings of these names, or all."""
    for name in names or DRAWINGS:
        charts.write(DRAWINGS[name](), DOCS / f"idea-{name}.svg")
        print(f"docs/idea-{name}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
