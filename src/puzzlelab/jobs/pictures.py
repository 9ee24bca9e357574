"""Pictures of boards and solutions: pixels, a strip of all boards as SVG, and a film as GIF or animated PNG.

All are made from what the puzzle draws as SVG, by resvg and with matplotlib's font, so that they look the same on every
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.logic_steps import way_to
from puzzlelab.core.errors import BadFile, BadOption, Unsupported
from puzzlelab.core.puzzle import Drawings, Puzzle, State, states_along
from puzzlelab.core.result import Result
from puzzlelab.core.views import Candidates
from puzzlelab.engine import report
from puzzlelab.runtime import libraries
from puzzlelab.storage.files import replace_file
from puzzlelab.storage.outputs import check_ending, check_image
from puzzlelab.text.moves import MoveNotation, move_notation

if TYPE_CHECKING:
    from PIL.Image import Image


FONT = "DejaVu Sans"
"""Comes with matplotlib."""
ENDINGS = ".svg", ".gif", ".png"
"""The endings of pictures of solutions: a strip, and two kinds of films."""
MOST_BOARDS = 2000
"""The most boards of a picture."""
IN_ROW, SIDE, GAP, LINE = 8, 160, 20, 28
"""Boards in a row of a strip, and in its units their sides, the room around them, and the height of a line below."""
SVG = "http://www.w3.org/2000/svg"
ElementTree.register_namespace("", SVG)
OF_TITLES = {"text-anchor": "middle", "font-family": "sans-serif", "font-size": "14", "fill": "#556"}
MILLISECONDS, AT_ENDS = 400, 1600
"""The time of a board in a film, and of the first and the last."""


def pixels(drawing: str) -> NDArray[np.uint8]:
    """Return `uint8[height, width, 3]` of an SVG drawing; raises `BadInput` if a library for this is not installed."""
    libraries.require("a picture", ["matplotlib", "PIL", "resvg_py"], "gym")
    from matplotlib import get_data_path
    from PIL import Image
    from resvg_py import svg_to_bytes

    font = str(Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))
    png = svg_to_bytes(drawing, background="white", skip_system_fonts=True, font_files=[font], sans_serif_family=FONT)
    return np.array(Image.open(BytesIO(png)).convert("RGB"))


def check_picture(puzzle: Puzzle, path: Path) -> None:
    """Check before the work that a picture of a solution can be written there.

    Raises `Unsupported` for a puzzle without drawings, `BadFile` for the name, and `BadInput` for a missing library.
    """
    if puzzle.view(Drawings) is None:
        raise Unsupported(f"{puzzle.name} draws no pictures")
    check_ending(path, ENDINGS)
    if not path.parent.is_dir():
        raise BadFile(f"cannot write {path}: there is no folder {path.parent}")
    check_image(path)
    if path.suffix != ".svg":
        pixels('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')


def write_picture(result: Result, path: Path, notation: MoveNotation | None = None) -> None:
    """Write the boards of a solution, from the first to the last, as the ending of the file says.

    Moves are named in the notation, by default the usual one.

    A puzzle with cells and candidates is filled in the order of its logic. Raises `BadOption` for a solution with too
    many moves.
    """
    moves = _in_order(result)
    if len(moves) >= MOST_BOARDS:
        raise BadOption(f"a picture has up to {MOST_BOARDS:,} boards, and this solution {len(moves) + 1:,}")
    puzzle = result.board.puzzle
    states = list(states_along(puzzle, result.board.state, moves))
    if path.suffix == ".svg":
        names = (notation or move_notation(puzzle)).names(states[0], moves)
        titles = [f"{number}. {name}" for number, name in enumerate(names, start=1)]
        replace_file(path, strip(puzzle, states, ["start", *titles]))
    else:
        replace_file(path, _film(puzzle, states, "GIF" if path.suffix == ".gif" else "PNG"))


def strip(puzzle: Puzzle, states: Sequence[State], titles: Sequence[str], in_row: int = IN_ROW) -> str:
    """Return all boards in one SVG, in rows, each above its title."""
    draw = _drawing(puzzle)
    columns, rows = min(in_row, len(states)), -(-len(states) // in_row)
    width, height = columns * (SIDE + GAP) - GAP, rows * (SIDE + LINE)
    whole = ElementTree.Element(f"{{{SVG}}}svg", viewBox=f"0 0 {width} {height}", role="img")
    for place, (state, title) in enumerate(zip(states, titles, strict=True)):
        x, y = place % in_row * (SIDE + GAP), place // in_row * (SIDE + LINE)
        board = ElementTree.fromstring(draw(state))
        if "viewBox" not in board.attrib:
            board.set("viewBox", f"0 0 {board.get('width', SIDE)} {board.get('height', SIDE)}")
        board.attrib |= {"x": str(x), "y": str(y), "width": str(SIDE), "height": str(SIDE)}
        whole.append(board)
        below = {"x": str(x + SIDE // 2), "y": str(y + SIDE + LINE // 2), **OF_TITLES}
        ElementTree.SubElement(whole, f"{{{SVG}}}text", below).text = title
    ElementTree.indent(whole, "")
    return ElementTree.tostring(whole, "unicode") + "\n"


def _in_order(result: Result) -> Sequence[int]:
    """Return the moves of a solution, of a puzzle with cells and candidates in the order of its logic."""
    if result.board.puzzle.view(Candidates) is None:
        return result.moves or ()
    steps, rest = way_to(result)
    return [*(move for step in steps for move in step.placements), *rest]


def _drawing(puzzle: Puzzle) -> Callable[[State], str]:
    view = puzzle.view(Drawings)
    assert view is not None
    return view.svg


def _film(puzzle: Puzzle, states: Sequence[State], kind: str) -> bytes:
    """Return a film that begins anew at its end, as the content of a file of this kind."""
    first, *others = _frames(puzzle, states)
    times = [AT_ENDS, *[MILLISECONDS] * (len(states) - 2), AT_ENDS][-len(states) :]
    content = BytesIO()
    first.save(content, kind, save_all=True, append_images=others, duration=times, loop=0)
    return content.getvalue()


def _frames(puzzle: Puzzle, states: Sequence[State]) -> Iterator[Image]:
    from PIL import Image

    drawing = _drawing(puzzle)
    for number, state in enumerate(states):
        report.progress("drawing", number, len(states), "")
        yield Image.fromarray(pixels(drawing(state))).quantize(256)
    report.progress("drawing", len(states), len(states), "")
