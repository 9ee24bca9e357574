"""Makes drawings of docs/: `python tools/drawings.py [NAME ...]` writes docs/idea-NAME.svg.

The numbers in them are computed by the package, not typed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from scipy.special import softmax

import puzzlelab
from puzzlelab.bench import charts
from puzzlelab.core.views import Planes
from puzzlelab.storage import networks

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


def planes() -> Figure:
    """A board of the 8-puzzle as the numbers that a network reads, and what it answers."""
    puzzle = puzzlelab.load("tiles-3x3", puzzlelab.Tiles)
    board = puzzle.read("7 2 4 5 0 6 8 3 1")
    model = networks.find(puzzle)
    remaining = float(np.asarray(model.estimate().scores(board.state[None]))[0])
    shares = softmax(np.where(puzzle.legal(board.state), model.prior().scores(board.state[None])[0], -np.inf))
    figure, axes = page(9, 3.9)
    texts = [[str(tile or "") for tile in row] for row in board.state.reshape(3, 3).tolist()]
    cells(axes, (0.2, 2.6), 0.5, texts, [["white"] * 3] * 3)
    axes.text(0.95, 0.75, "a board", ha="center", fontsize=9)
    arrow(axes, (1.8, 1.85), (2.2, 1.85))
    ones = puzzle.view(Planes).planes(board.state[None])[0].reshape(9, 8).astype(int).tolist()
    cells(
        axes,
        (2.3, 3.3),
        0.32,
        [list(map(str, row)) for row in ones],
        [[(BLUE if one else "white") for one in row] for row in ones],
    )
    axes.text(3.58, 0.1, "72 numbers: a row for each cell,\na column for each tile", ha="center", fontsize=9)
    arrow(axes, (4.95, 1.85), (5.35, 1.85))
    box(axes, (5.4, 1.25, 1.5, 1.2), "layers of sums\nof products", ORANGE)
    arrow(axes, (6.95, 2.2), (7.35, 2.6))
    arrow(axes, (6.95, 1.5), (7.35, 1.1))
    moves = [f"{puzzle.write_move(move)} {share:.0%}" for move, share in enumerate(shares)]
    box(axes, (7.4, 2.0, 1.4, 1.3), "\n".join(moves), GREEN)
    axes.text(8.1, 3.4, "scores of moves", ha="center", fontsize=9)
    box(axes, (7.4, 0.6, 1.4, 0.6), f"{remaining:.1f} moves", GREEN)
    axes.text(8.1, 0.35, "remaining moves", ha="center", fontsize=9)
    return figure


def circles() -> Figure:
    """Two boards between which greedy play by the Manhattan distance goes to and fro, with the true distances."""
    puzzle = puzzlelab.load("tiles-3x3", puzzlelab.Tiles)
    pair = next(filter(None, map(_circle, puzzlelab.generate(puzzle, count=1000, scale="uniform", seed=1))))
    figure, axes = page(9, 3.0)
    for number, board in enumerate(pair):
        left = 1.6 + 4.0 * number
        texts = [[str(tile or "") for tile in row] for row in board.state.reshape(3, 3).tolist()]
        cells(axes, (left, 2.7), 0.55, texts, [["white" if tile else GREY for tile in row] for row in texts])
        guess = int(puzzlelab.estimate(puzzle, "manhattan", [board])[0])
        sentence = f"estimate {guess}, truly {puzzlelab.solve(board).length}"
        axes.text(left + 0.82, 0.7, sentence, ha="center", fontsize=9.5)
    arrow(axes, (3.4, 2.1), (5.5, 2.1), "the best neighbour")
    arrow(axes, (5.5, 1.6), (3.4, 1.6), "the best neighbour", -0.3)
    axes.text(
        4.5,
        0.25,
        "Each is the best neighbour of the other by the estimate: greedy play never leaves them.",
        ha="center",
        fontsize=10,
    )
    return figure


def _circle(board: puzzlelab.Instance) -> tuple[puzzlelab.Instance, puzzlelab.Instance] | None:
    """The two boards at which greedy play from this board ends; None where it reaches the goal or a longer circle."""
    path = [board.state]
    while len(path) < 40 and not board.puzzle.solved(path[-1]):
        neighbours = [board.puzzle.apply(path[-1], move) for move in np.flatnonzero(board.puzzle.legal(path[-1]))]
        instances = [puzzlelab.Instance(board.puzzle, state) for state in neighbours]
        path.append(neighbours[int(np.argmin(puzzlelab.estimate(board.puzzle, "manhattan", instances)))])
    if not np.array_equal(path[-1], path[-3]):
        return None
    return puzzlelab.Instance(board.puzzle, path[-2]), puzzlelab.Instance(board.puzzle, path[-1])


def bootstrapping() -> Figure:
    """The target of a board: one more than the least estimate of its neighbours."""
    figure, axes = page(9, 3.2)
    box(axes, (0.3, 1.3, 1.7, 0.9), "board\nnetwork says 9.4", BLUE)
    for low, name in ((2.3, "7.1"), (1.4, "8.9"), (0.5, "8.2")):
        arrow(axes, (2.05, 1.75), (3.5, low + 0.3))
        box(axes, (3.6, low, 1.9, 0.6), f"neighbour: {name}", GREEN if name == "7.1" else GREY)
    arrow(axes, (5.55, 2.6), (6.6, 1.95), "the least", 0.2)
    box(axes, (6.7, 1.3, 2.0, 0.9), "target\n1 + 7.1 = 8.1", ORANGE)
    text = "The goal has the value 0, which is certain. From there the values spread, board by board."
    axes.text(4.5, 0.15, text, ha="center", fontsize=9.5)
    return figure


def selfplay() -> Figure:
    """Games by search, samples, the network, and the match that decides which network plays next."""
    figure, axes = page(9, 3.3)
    box(axes, (0.3, 2.0, 2.2, 1.0), "games\nsearch with the network\n50 playouts a move", BLUE)
    box(axes, (3.5, 2.0, 2.0, 1.0), "samples\nshares of playouts,\nremaining moves", GREEN)
    box(axes, (6.5, 2.0, 2.2, 1.0), "learner\nlearns what\nthe search found", ORANGE)
    box(axes, (3.5, 0.4, 2.0, 0.9), "match\nnew against best", GREY)
    arrow(axes, (2.55, 2.5), (3.45, 2.5))
    arrow(axes, (5.55, 2.5), (6.45, 2.5))
    arrow(axes, (7.6, 1.95), (5.55, 0.95), "candidate", -0.35)
    arrow(axes, (3.45, 0.95), (1.4, 1.95), "the winner plays", -0.4)
    return figure


DRAWINGS: dict[str, Callable[[], Figure]] = {
    "bands": bands,
    "bootstrapping": bootstrapping,
    "circles": circles,
    "halves": halves,
    "pattern-databases": pattern_databases,
    "planes": planes,
    "search": search_machine,
    "selfplay": selfplay,
    "shards": shards,
}


def main(names: Sequence[str]) -> None:
    """Write the drawings of these names, or all."""
    for name in names or DRAWINGS:
        charts.write(DRAWINGS[name](), DOCS / f"idea-{name}.svg")
        print(f"docs/idea-{name}.svg")


if __name__ == "__main__":
    main(sys.argv[1:])
