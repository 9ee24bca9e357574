"""Draws docs/packages.svg: the packages of `src/puzzlelab` on their layers, and which of them imports which.

`python tools/package_map.py` writes it; tests/tools/test_docs.py holds the file to what this makes. The layers are
those that import-linter checks (pyproject.toml), the arrows are the imports in the code, also those inside functions.
An arrow that follows from others is left out: if A imports B and C, and B imports C, then only A -> B and B -> C are
drawn.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from style_checks.imports import graph_of_imports
from style_checks.modules import modules

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "packages.svg"
PART_OF = {"api_arguments": "api", "_gym_game": "gym", "sb3": "gym"}
"""A module at the top of the package -> the box in which it is drawn."""


@dataclass(frozen=True)
class Entry:
    """What is drawn in a box, and where in its row."""

    about: str
    column: int | None
    """From 0 at the left; None for a box as wide as the drawing."""


ENTRIES = {
    "cli": Entry("the command line: one file a command", 1),
    "web": Entry("the server of the page in the browser", 3),
    "api": Entry("load, solve, check and generate, for Python", 3),
    "gym": Entry("environments for Gymnasium and Stable-Baselines3", 2),
    "cluster": Entry("the nodes of a Ray cluster as workers", 2),
    "bench": Entry("suites of boards, runs, tables, plots", 1),
    "training": Entry("recipes that train networks, and self-play", 1),
    "nets": Entry("architectures of networks, and files with their weights", 0),
    "experience": Entry("training samples: teachers, walks, games, files", 2),
    "jobs": Entry("the work of commands: solve, count, check, verify, generate", 1),
    "analysis": Entry("hints, regrets, proofs, networks of a board", 3),
    "conformance": Entry("checks of puzzles and solvers, for plug-ins too", 1),
    "solvers": Entry("one general method a file, for all puzzles", 2),
    "puzzles": Entry("one folder a puzzle: rules, notation, kernels, drawing", 1),
    "engine": Entry("runs searches: the driver, compiled kernels and their cache, batches of boards, threads", None),
    "text": Entry("from text to boards and back", 1),
    "storage": Entry("files written in one step, files of rows", 2),
    "runtime": Entry("signals, streams, start of a process", 3),
    "core": Entry("contracts: puzzle, views, solver, limit, result, verify; the registry of names", None),
}
NOTES = (
    "An arrow leads from a package to one that it imports. Arrows that follow from others are left out.",
    "Puzzles and solvers are found by their names (core/registry.py): no general package imports a puzzle.",
)

BOX, HEIGHT, GUTTER, GAP, MARGIN = 218, 62, 30, 30, 16
"""Pixels: the width and height of a box, the space beside and below it, and around the drawing."""
COLUMNS = 4
LINE = 16
WRAP, WIDE_WRAP = 31, 110
"""The most characters in a line of a box, and of a wide box."""
STYLE = """
text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 12px; fill: #1f2328; }
.name { font-size: 15px; font-weight: bold; }
.note { fill: #59636e; }
.paper { fill: #ffffff; }
.box { fill: #eef4fb; stroke: #5a7fa8; }
.arrow { fill: none; stroke: #59636e; stroke-width: 1.4; }
.head { fill: #59636e; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .note { fill: #9ca6b1; }
  .paper { fill: #0d1117; }
  .box { fill: #172436; stroke: #6f97c4; }
  .arrow { stroke: #9ca6b1; }
  .head { fill: #9ca6b1; }
}
"""


@dataclass(frozen=True)
class Box:
    """A package in the drawing; its place is in pixels from the upper left corner."""

    name: str
    lines: tuple[str, ...]
    row: int
    left: int
    width: int

    @property
    def top(self) -> int:
        """The upper edge."""
        return MARGIN + self.row * (HEIGHT + GAP)

    @property
    def middle(self) -> int:
        """The horizontal middle."""
        return self.left + self.width // 2


# --- packages and imports ---


def layers() -> list[list[str]]:
    """The packages of each layer, the highest layer first, as import-linter checks them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(each for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    rows = [re.findall(r"\w+", layer) for layer in contract["layers"]]
    drawn = [[name for name in row if (ROOT / "src" / "puzzlelab" / name).exists() or name in ENTRIES] for row in rows]
    return [row for row in drawn if row and not set(row) <= PART_OF.keys()]


def imports_of_packages(rows: Sequence[Sequence[str]]) -> dict[str, set[str]]:
    """Package -> those that it imports on its own layer or below; `make check` refuses imports of a higher layer."""
    code = modules()
    package = {module.name: PART_OF.get(module.folder, module.folder) for module in code}
    layer = {name: number for number, row in enumerate(rows) for name in row}
    graph: dict[str, set[str]] = {name: set() for name in layer}
    for module, targets in graph_of_imports(code).items():
        for target in {package[target] for target in targets} - {package[module]}:
            if package[module] in layer and layer.get(target, -1) >= layer[package[module]]:
                graph[package[module]].add(target)
    return graph


def reduced(graph: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """The edges of a graph without circles that do not follow from others: its transitive reduction."""
    for name, targets in graph.items():
        indirect = {far for target in targets for far in _reachable(graph, graph[target])}
        yield from ((name, target) for target in sorted(targets - indirect))


def _reachable(graph: Mapping[str, set[str]], names: Iterable[str]) -> set[str]:
    return {far for name in names for far in {name, *_reachable(graph, graph[name])}}


# --- the drawing ---


def drawing() -> str:
    """The SVG."""
    rows = layers()
    boxes = {name: _box(name, number) for number, row in enumerate(rows) for name in row}
    width = 2 * MARGIN + COLUMNS * BOX + (COLUMNS - 1) * GUTTER
    bottom = MARGIN + len(rows) * (HEIGHT + GAP)
    height = bottom + len(NOTES) * LINE + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        "<title>The packages of puzzlelab, and their imports</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}" rx="8"/>',
    ]
    for importer, imported in reduced(imports_of_packages(rows)):
        parts += _arrow(boxes[importer], boxes[imported], list(boxes.values()))
    for box in boxes.values():
        parts += _box_parts(box)
    for number, note in enumerate(NOTES, start=1):
        parts.append(f'<text class="note" x="{MARGIN}" y="{bottom + number * LINE - 4}">{escape(note)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _box(name: str, row: int) -> Box:
    entry = ENTRIES[name]
    if entry.column is None:
        return Box(name, (entry.about,), row, MARGIN, COLUMNS * BOX + (COLUMNS - 1) * GUTTER)
    lines = tuple(textwrap.wrap(entry.about, WRAP))
    return Box(name, lines, row, MARGIN + entry.column * (BOX + GUTTER), BOX)


def _box_parts(box: Box) -> Iterator[str]:
    yield f'<rect class="box" x="{box.left}" y="{box.top}" width="{box.width}" height="{HEIGHT}" rx="6"/>'
    first = box.top + (HEIGHT - LINE * len(box.lines)) // 2 + 3
    yield f'<text class="name" x="{box.middle}" y="{first}" text-anchor="middle">{box.name}</text>'
    for number, line in enumerate(box.lines, start=1):
        y = first + number * LINE
        yield f'<text x="{box.middle}" y="{y}" text-anchor="middle">{escape(line)}</text>'


def _arrow(start: Box, end: Box, boxes: Sequence[Box]) -> Iterator[str]:
    """A line from one box to another: to the side, straight down, or around the boxes between them."""
    bottom, x = start.top + HEIGHT, start.middle
    if start.row == end.row:
        points = [(start.left + start.width, start.top + HEIGHT // 2), (end.left, end.top + HEIGHT // 2)]
    elif end.left <= x <= end.left + end.width and not _crossed(x, start, end, boxes):
        points = [(x, bottom), (x, end.top)]
    else:
        side = 1 if end.middle > x else -1
        from_x, to_x, turn, corner = (
            x + side * BOX // 4,
            end.middle - side * BOX // 4,
            bottom + GAP // 2,
            end.top - GAP // 2,
        )
        points = [(from_x, bottom), (from_x, turn)]
        if end.row > start.row + 1:
            beside = x + side * (BOX + GUTTER) // 2
            to_x = end.middle + BOX // 4 * (1 if beside > end.middle else -1)
            points += [(beside, turn), (beside, corner)]
        points += [(to_x, corner), (to_x, end.top)]
    path = " L".join(f"{x} {y}" for x, y in points)
    yield f'<path class="arrow" d="M{path}"/>'
    yield _head(*points[-2:])


def _crossed(x: int, start: Box, end: Box, boxes: Iterable[Box]) -> bool:
    """Whether a vertical line at `x` crosses a box between the two."""
    return any(start.row < box.row < end.row and box.left <= x <= box.left + box.width for box in boxes)


def _head(before: tuple[int, int], tip: tuple[int, int]) -> str:
    """The head of an arrow: a triangle in the direction of its last line."""
    along = (tip[0] - before[0], tip[1] - before[1])
    length = (along[0] ** 2 + along[1] ** 2) ** 0.5
    x, y = along[0] / length, along[1] / length
    corners = [tip, (tip[0] - 9 * x + 4 * y, tip[1] - 9 * y - 4 * x), (tip[0] - 9 * x - 4 * y, tip[1] - 9 * y + 4 * x)]
    return f'<polygon class="head" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in corners)}"/>'


def main() -> None:
    """Write the drawing."""
    PAGE.write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
