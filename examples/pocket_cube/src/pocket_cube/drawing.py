"""How a cube is drawn: its net, as text and as SVG; pure functions of its 24 colours."""

from html import escape

FACE_PLACES = ((0, 1), (1, 2), (1, 1), (2, 1), (1, 0), (1, 3))
"""The row and the column of each face in the net: U above F, then L, F, R and B side by side, D below F."""
PAINT = {"U": "#ffffff", "R": "#d64545", "F": "#3d9b5f", "D": "#f2d33c", "L": "#f08c2e", "B": "#3c72c4"}
INK = "#1d2430"


def _facelets() -> list[tuple[int, int]]:
    """The row and the column of each facelet in the net."""
    return [(2 * row + i // 2, 2 * column + i % 2) for row, column in FACE_PLACES for i in range(4)]


def draw(colours: str) -> str:
    """The net as six lines of letters."""
    lines = [[" "] * 8 for _ in range(6)]
    for colour, (row, column) in zip(colours, _facelets(), strict=True):
        lines[row][column] = colour
    return "\n".join(" ".join(line).rstrip() for line in lines)


def svg(colours: str, cell: int = 36) -> str:
    """The net as SVG; each facelet has its letter, so that it can be read without colours."""
    gap = cell // 6
    width, height = 8 * cell + 5 * gap, 6 * cell + 4 * gap
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(colours)}">',
    ]
    for colour, (row, column) in zip(colours, _facelets(), strict=True):
        x, y = column * cell + (column // 2 + 1) * gap, row * cell + (row // 2 + 1) * gap
        parts.append(
            f'<rect x="{x + 1}" y="{y + 1}" width="{cell - 2}" height="{cell - 2}" rx="4" fill="{PAINT[colour]}" '
            f'stroke="{INK}"/>'
        )
        parts.append(
            f'<text x="{x + cell / 2:g}" y="{y + cell / 2:g}" dy=".35em" text-anchor="middle" fill="{INK}" '
            f'font-family="sans-serif" font-size="{cell * 0.4:g}">{colour}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"
