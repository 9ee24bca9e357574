"""How a SameGame board is drawn: pure functions of the board."""

from collections.abc import Set

from samegame.notation import Board, Shape, write

FILLS = ("#e06c75", "#7fbf7f", "#6ea8dc", "#e5c563", "#c792ea", "#f0a35e", "#66c2c2", "#d88ab8", "#c3cad5")
INK = "#1d2430"


def draw(state: Board, puzzle: Shape, taken: Set[int]) -> str:
    """The board as a table of digits with numbered columns and rows; the cells `taken` are in brackets."""
    margin, high = len(str(puzzle.height - 1)), puzzle.height
    lines = [f"{'':{margin}} | " + "".join(f"{x:>2} " for x in range(puzzle.width)), "-" * margin + "-+-"]
    lines[1] += "---" * puzzle.width
    for y in reversed(range(high)):
        cells = [x * high + y for x in range(puzzle.width)]
        texts = [f"[{_symbol(state[cell])}]" if cell in taken else f" {_symbol(state[cell])} " for cell in cells]
        lines.append(f"{y:{margin}} | " + "".join(texts))
    return "\n".join(line.rstrip() for line in lines)


def _symbol(value: int) -> str:
    return str(value) if value else "."


def svg(state: Board, puzzle: Shape, cell: int = 32) -> str:
    """The board as SVG; each cell has its digit, so that it can be read without colours."""
    width, height = puzzle.width * cell, puzzle.height * cell
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{write(state, puzzle)}">',
        f'<rect width="{width}" height="{height}" rx="6" fill="{INK}"/>',
    ]
    for place, value in enumerate(state.tolist()):
        if value:
            column, row = divmod(place, puzzle.height)
            x, y = column * cell, height - (row + 1) * cell
            parts.append(
                f'<rect x="{x + 1}" y="{y + 1}" width="{cell - 2}" height="{cell - 2}" rx="4" '
                f'fill="{FILLS[value - 1]}"/>'
                f'<text x="{x + cell / 2:g}" y="{y + cell / 2:g}" dy=".35em" text-anchor="middle" fill="{INK}" '
                f'font-family="sans-serif" font-size="{cell * 0.45:g}">{value}</text>'
            )
    return "\n".join([*parts, "</svg>"]) + "\n"
