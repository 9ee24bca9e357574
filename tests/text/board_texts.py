"""Texts of boards whose meaning is known: notations that people use, with every size and every place of the blank.

The truth is what was written: nothing here reads a text, or calls the package. Some texts are damaged: a cell or a row
is missing, or is there twice. Such a text means the board that its rows still are, if they are one, or nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle

Rows = list[list[int]]
"""The cells of a board, the upper row first; 0 is blank or empty."""
Cells = list[list[str]]
SYMBOLS = "123456789ABCDEFGHIJKLMNOP"
FROM_ZERO = "0123456789ABCDEFGHIJKLMNO"
LETTERS = "RGBYOPCMW"
TILES_SIZES = ((2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (4, 2), (3, 4), (4, 3), (4, 4), (2, 7), (4, 5), (5, 5))
SUDOKU_BOXES = {4: (2, 2), 6: (2, 3), 8: (2, 4), 9: (3, 3), 12: (3, 4), 16: (4, 4), 25: (5, 5)}
DUST_SIZES = ((2, 2), (3, 2), (2, 3), (3, 3), (4, 3), (3, 4), (4, 4), (5, 4), (4, 6), (6, 5), (8, 6))
"""Columns and rows."""


@dataclass(frozen=True)
class BoardText:
    """A text, and the boards that it may mean."""

    form: str
    text: str
    puzzle: str
    """The puzzle of the board before any damage."""
    others: tuple[str, ...]
    """Other puzzles that may be open when the text is pasted."""
    meanings: frozenset[tuple[str, str]] = frozenset()
    """Puzzles and canonical boards; nothing but a refusal is right where there is none."""
    damage: str = ""
    states_shape: bool = True


@dataclass(frozen=True)
class Form:
    """A notation: how the cells of a board are joined."""

    name: str
    write: Callable[[Cells], str]
    blanks: str = "visible"
    """Which signs stand for a blank: `visible` ones, `empty` cells, a `space`, or a JSON value."""
    is_tight: bool = False
    """Whether a cell is one character."""
    states_shape: bool = True
    drops_blanks: bool = False
    """Whether blank cells at the end of a row may be missing."""
    is_list: bool = False
    """Whether the rows are lists in a list."""
    has_edges: str = ""
    """Where a sign may stand beside a blank cell or beside none: at `any` edge, the `end`, or `left` and `right`."""
    families: tuple[str, ...] = ("tiles", "sudoku", "dust")


def _flat(cells: Cells) -> list[str]:
    return [cell for row in cells for cell in row]


def _joined(between: str, line: str = "\n") -> Callable[[Cells], str]:
    return lambda cells: line.join(between.join(row) for row in cells)


def _aligned(cells: Cells) -> str:
    width = max(len(cell) for row in cells for cell in row)
    return "\n".join(" ".join(cell.rjust(width) for cell in row).rstrip() for row in cells)


def _framed(left: str, between: str, right: str, ruler: str = "") -> Callable[[Cells], str]:
    """Rows with bars, with a ruler of this sign before, between and after them."""

    def write(cells: Cells) -> str:
        width = max(len(cell) for row in cells for cell in row)
        lines = [left + between.join(cell.rjust(width) for cell in row) + right for row in cells]
        if not ruler:
            return "\n".join(lines)
        rule = "+".join(["", *[ruler * (width + 2)] * len(cells[0]), ""])
        return "\n".join([rule, *(line for row in lines for line in (row, rule))])

    return write


def _inner_rulers(cells: Cells) -> str:
    rule = "\n" + "+".join(["-"] * len(cells[0])) + "\n"
    return rule.join("|".join(cell or " " for cell in row) for row in cells)


def _box_drawing(cells: Cells) -> str:
    width = max(len(cell) for row in cells for cell in row)

    def rule(left: str, middle: str, right: str) -> str:
        return left + middle.join(["─" * width] * len(cells[0])) + right

    lines = ["│" + "│".join(cell.rjust(width) for cell in row) + "│" for row in cells]
    middle = "\n" + rule("├", "┼", "┤") + "\n"
    return "\n".join([rule("┌", "┬", "┐"), middle.join(lines), rule("└", "┴", "┘")])


def _markdown(cells: Cells) -> str:
    names = [chr(ord("a") + place % 26) for place in range(len(cells[0]))]
    rows = [names, ["---"] * len(names), *cells]
    return "\n".join("| " + " | ".join(cell or " " for cell in row) + " |" for row in rows)


def _listed(begin: str, end: str, between: str = ", ", rows: str = ", ") -> Callable[[Cells], str]:
    return lambda cells: begin + rows.join(begin + between.join(row) + end for row in cells) + end


def _as_numpy(cells: Cells) -> str:
    width = max(len(cell) for row in cells for cell in row)
    return "[" + "\n ".join("[" + " ".join(cell.rjust(width) for cell in row) + "]" for row in cells) + "]"


def _named(cells: Cells) -> str:
    """With the numbers of columns and the letters of rows."""
    names = "   " + " ".join(str(place + 1) for place in range(len(cells[0])))
    return "\n".join([names, *(f"{chr(65 + place)}  {' '.join(row)}" for place, row in enumerate(cells))])


def _pandas(cells: Cells) -> str:
    lines = ["   " + " ".join(str(place) for place in range(len(cells[0])))]
    return "\n".join([*lines, *(f"{place}  {' '.join(row)}" for place, row in enumerate(cells))])


def _html(cells: Cells) -> str:
    return "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)


def _quoted(cells: Cells) -> str:
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in cells)


FORMS = (
    Form("rows with spaces", _joined(" ")),
    Form("rows with two spaces", _joined("  ")),
    Form("aligned rows", _aligned),
    Form("aligned rows, blanks are spaces", _aligned, "space", drops_blanks=True, families=("tiles", "sudoku")),
    Form("rows with commas", _joined(",")),
    Form("rows with commas and spaces", _joined(", ")),
    Form("CSV", _joined(","), "empty", has_edges="end"),
    Form("CSV with semicolons", _joined(";")),
    Form("CSV with semicolons and empty cells", _joined(";"), "empty", has_edges="end"),
    Form("CSV with quotation marks", _quoted),
    Form("CSV with quotation marks and empty cells", _quoted, "empty", has_edges="end"),
    Form("TABs", _joined("\t"), drops_blanks=True),
    Form("TABs and empty cells", _joined("\t"), "empty", drops_blanks=True),
    Form("Windows ends", _joined(" ", "\r\n")),
    Form("inner bars", _joined("|")),
    Form("inner bars, blanks are empty", _joined("|"), "empty", has_edges="any", families=("tiles", "sudoku")),
    Form("inner bars, blanks are spaces", _joined("|"), "space", has_edges="any"),
    Form("wide inner bars", _joined(" | ")),
    Form("wide inner bars, blanks are spaces", _joined(" | "), "space", has_edges="any"),
    Form("aligned inner bars", _framed(" ", " | ", " "), "empty", has_edges="any"),
    Form("inner bars and rulers", _inner_rulers, "space", has_edges="any"),
    Form("outer bars", _framed("|", "|", "|")),
    Form("outer bars, blanks are spaces", _framed("|", "|", "|"), "empty"),
    Form("outer bars and rulers", _framed("| ", " | ", " |", "-"), "empty"),
    Form("bars on the left", _framed("|", "|", ""), has_edges="left"),
    Form("bars on the left, blanks are spaces", _framed("|", "|", ""), "space", has_edges="left"),
    Form("bars on the right, blanks are spaces", _framed("", "|", "|"), "space", has_edges="right"),
    Form("box drawing", _box_drawing),
    Form("box drawing, blanks are spaces", _box_drawing, "empty"),
    Form("Markdown", _markdown),
    Form("Markdown, blanks are spaces", _markdown, "space"),
    Form("JSON", _listed("[", "]"), "json", is_list=True),
    Form("JSON without spaces", _listed("[", "]", ",", ","), "json", is_list=True),
    Form("JSON over lines", _listed("[", "]", ",\n  ", ",\n "), "json", is_list=True),
    Form("JSON object", lambda cells: '{"board": ' + _listed("[", "]")(cells) + "}", "json", is_list=True),
    Form("lists on lines", lambda cells: _joined(", ", "]\n[")(cells).join("[]"), "json", is_list=True),
    Form("tuples", _listed("(", ")"), "json", is_list=True),
    Form("braces", _listed("{", "}", ",", ","), "json", is_list=True),
    Form("braces over lines", _listed("{", "}", ",", ",\n"), "json", is_list=True),
    Form("as NumPy prints it", _as_numpy, "json", is_list=True),
    Form("an array of NumPy", lambda cells: f"np.array({_listed('[', ']')(cells)})", "json", is_list=True),
    Form("MATLAB", lambda cells: _joined(" ", "; ")(cells).join("[]"), "json"),
    Form("semicolons between rows", _joined(" ", "; ")),
    Form("semicolons between rows, commas", _joined(", ", "; ")),
    Form("slashes between rows", _joined(" ", " / ")),
    Form("slashes, no spaces", _joined(" ", "/")),
    Form("LaTeX", lambda cells: _joined(" & ", " \\\\\n")(cells) + " \\\\"),
    Form("named rows and columns", _named),
    Form("as pandas prints it", _pandas),
    Form("a line with the sides", lambda cells: f"{len(cells)} {len(cells[0])}\n" + _joined(" ")(cells)),
    Form("a line with the side", lambda cells: f"{len(cells)}\n" + _joined(" ")(cells)),
    Form("HTML", _html),
    Form("a quoted mail", lambda cells: "> " + _joined(" ", "\n> ")(cells)),
    Form("a code fence", lambda cells: "```\n" + _joined(" ")(cells) + "\n```"),
    Form("a label", lambda cells: "start state:\n" + _joined(" ")(cells)),
    Form("a line", lambda cells: " ".join(_flat(cells)), states_shape=False),
    Form("a line with commas", lambda cells: ",".join(_flat(cells)), states_shape=False),
    Form("a list", lambda cells: ", ".join(_flat(cells)).join("[]"), "json", states_shape=False),
    Form("a cell a line", lambda cells: "\n".join(_flat(cells)), states_shape=False, families=("tiles", "sudoku")),
    Form("rows of signs", _joined(""), is_tight=True),
    Form(
        "rows of signs, blanks are spaces", _joined(""), "space", True, drops_blanks=True, families=("tiles", "sudoku")
    ),
    Form("words", _joined("", " "), is_tight=True),
    Form("signs and slashes", _joined("", "/"), is_tight=True),
    Form("one word", lambda cells: "".join(_flat(cells)), is_tight=True, states_shape=False),
)


# --- boards ---


def _tiles() -> Iterator[tuple[str, Rows]]:
    for rows, columns in TILES_SIZES:
        for blank in range(rows * columns):
            chance = random.Random(100 * rows + columns + 7919 * blank)
            numbers = list(range(1, rows * columns))
            chance.shuffle(numbers)
            numbers.insert(blank, 0)
            yield f"tiles-{rows}x{columns}", _in_rows(numbers, columns)


def _sudokus() -> Iterator[tuple[str, Rows]]:
    """Boards of which the first or last row or column is blank, or random cells alone."""
    for size, (high, wide) in SUDOKU_BOXES.items():
        for number in range(10):
            chance = random.Random(1000 * size + number)
            digits = chance.sample(range(1, size + 1), size)
            share = (0.2, 0.5, 0.7)[number % 3]

            rows = [[digits[(wide * (y % high) + y // high + x) % size] for x in range(size)] for y in range(size)]
            for y in range(size):
                for x in range(size):
                    is_edge = number < 4 and (y, x, size - 1 - y, size - 1 - x)[number] == 0
                    if is_edge or (y, x) == (1, 1) or chance.random() < share:
                        rows[y][x] = 0
            yield f"sudoku-{size}x{size}", rows


def _dusts() -> Iterator[tuple[str, Rows]]:
    """Boards at rest: full ones, and others with empty cells in the upper corners."""
    for width, height in DUST_SIZES:
        for number in range(8):
            chance = random.Random(10_000 * width + 100 * height + number)
            line, most = width // 2, (height, height - 1)[number % 2]
            left = sorted(chance.randint(0, most) for _ in range(line))
            right = sorted((chance.randint(0, most) for _ in range(width - line)), reverse=True)
            heights = [height] * width if number < 2 else [*left, *right]
            colours = 3 if number % 3 else 5
            rows = [
                [chance.randint(1, colours) if height - row <= heights[column] else 0 for column in range(width)]
                for row in range(height)
            ]
            if sum(map(bool, (cell for row in rows for cell in row))) > len({c for row in rows for c in row if c}):
                yield f"dust-{width}x{height}x5", rows


def _in_rows(numbers: Sequence[int], columns: int) -> Rows:
    return [list(numbers[start : start + columns]) for start in range(0, len(numbers), columns)]


def canonical(family: str, rows: Rows) -> tuple[str, str] | None:
    """The puzzle and the board that these rows are, or None."""
    if not rows or len({len(row) for row in rows}) != 1:
        return None
    height, width, cells = len(rows), len(rows[0]), [cell for row in rows for cell in row]
    if family == "tiles":
        is_board = sorted(cells) == list(range(len(cells))) and 1 < min(height, width) <= max(height, width) < 9
        return (f"tiles-{height}x{width}", " ".join(map(str, cells))) if is_board else None
    if family == "sudoku":
        is_board = width == height in SUDOKU_BOXES and any(cells) and 0 in cells
        return (f"sudoku-{width}x{width}", "".join(("." + SYMBOLS)[cell] for cell in cells)) if is_board else None
    heights = [sum(1 for row in rows if row[x]) for x in range(width)]
    line = width // 2
    rests = all(bool(row[x]) == (height - y <= heights[x]) for y, row in enumerate(rows) for x in range(width))
    rests = rests and heights[:line] == sorted(heights[:line]) and heights[line:] == sorted(heights[line:])[::-1]
    text = "".join(str(row[x]) for x in range(width) for row in reversed(rows))
    if min(width, height) < 2:
        return None
    is_tiles = len({cell for cell in cells if cell}) == sum(heights)  # each number once
    return (f"dust-{width}x{height}x5", text) if rests and any(heights) and not is_tiles and max(cells) < 10 else None


# --- texts ---

BLANKS = {"tiles": "0_.x-", "sudoku": ".0_*-", "dust": ".0_-"}
WAYS: dict[str, dict[str, Callable[[int], str]]] = {
    "tiles": {"": str, "zero-padded": "{:02}".format, "hexadecimal": "{:x}".format},
    "sudoku": {
        "": lambda value: SYMBOLS[value - 1],
        "numbers": str,
        "from zero": lambda value: FROM_ZERO[value - 1],
        "numbers from zero": lambda value: str(value - 1),
        "small letters": lambda value: SYMBOLS[value - 1].lower(),
    },
    "dust": {
        "": str,
        "letters": lambda value: LETTERS[value - 1],
        "small letters": lambda value: LETTERS[value - 1].lower(),
    },
}
"""How the value of a cell is written."""


def _damaged(rows: Rows, damage: str, chance: random.Random) -> Rows:
    """The rows with a cell or a row that is missing or is there twice."""
    rows = [list(row) for row in rows]
    y = chance.randrange(len(rows))
    x = chance.randrange(len(rows[y]))
    if damage == "a cell is missing":
        del rows[y][x]
    elif damage == "a cell twice":
        rows[y].insert(x, rows[y][x])
    elif damage == "a row is missing":
        del rows[y]
    elif damage == "a row twice":
        rows.insert(y, list(rows[y]))
    elif damage == "a cell in the next row":
        rows[(y + 1) % len(rows)].insert(0, rows[y].pop())
    return rows


DAMAGE_NAMES = ("a cell is missing", "a cell twice", "a row is missing", "a row twice", "a cell in the next row")


def _meanings(cells: Cells, form: Form) -> frozenset[tuple[str, str]]:
    """The boards that these cells may be in a notation, whatever the puzzle."""
    shapes, of_dust = [cells], [cells]
    if not form.states_shape:
        flat = _flat(cells)
        sides = [side for side in range(2, len(flat) // 2 + 1) if len(flat) % side == 0]
        shapes = [_in_rows(flat, side) for side in sides]
        of_dust = [_turned(_in_rows(flat, side)) for side in sides]  # a word has the columns, each from the bottom up
    elif form.blanks == "space" and form.drops_blanks:
        shapes = of_dust = _without_spaces_at_the_end(cells)
    elif form.drops_blanks and not set("._-0x*") & set(_flat(cells)):
        shapes = of_dust = _with_blanks_at_the_end(cells)
    elif form.is_list:
        of_dust = [cells, _turned(cells)]
    elif form.has_edges:
        shapes = of_dust = list(_with_other_edges(cells, form.has_edges))
    elif form.name == "a line with the sides":
        shapes = of_dust = [cells, [[str(len(cells)), str(len(cells[0]))], *cells]]
    elif _begins_with_size(cells, form):
        shapes = of_dust = [cells, cells[1:]]
    ways = {"tiles": shapes, "sudoku": shapes, "dust": of_dust}
    found = [_board_of(family, shape) for family, each in ways.items() for shape in each]
    return frozenset(each for each in found if each)


def _without_spaces_at_the_end(cells: Cells) -> list[Cells]:
    """The board with the fewest columns: spaces at the end of lines, and lines of spaces, may be none of its cells."""
    bare = [row[: max((x + 1 for x, cell in enumerate(row) if cell.strip()), default=0)] for row in cells]
    chosen = [
        [row + [""] * (width - len(row)) for row in rows]
        for rows in (bare, [row for row in bare if row])
        for width in range(max(map(len, bare)), max(map(len, cells)) + 1)
    ]
    return [shape for shape in chosen if any(_board_of(family, shape) for family in BLANKS)][:1]


def _with_blanks_at_the_end(cells: Cells) -> list[Cells]:
    """The rows with as many columns as one of them has, or one less if the last one is blank."""
    bare = [row[: max((x + 1 for x, cell in enumerate(row) if cell), default=0)] for row in cells]
    most = max(map(len, cells))
    least = max(max(map(len, bare)), min(most - 1, *map(len, cells)))
    return [[row + [""] * (width - len(row)) for row in bare] for width in range(least, most + 1)]


def _begins_with_size(cells: Cells, form: Form) -> bool:
    """Whether the first row looks like a line with the sides of the board below it."""
    sides = [str(len(cells) - 1), str(len(cells[-1]))]
    first = {line.strip("> ") for line in form.write(cells).splitlines()[:2]}
    return cells[0] in (sides, sides[::-1]) and bool(first & {" ".join(sides), " ".join(sides[::-1])})


def _turned(columns: Cells) -> Cells:
    """The rows from the top of columns from the bottom."""
    heights = {len(column) for column in columns}
    return [[column[y] for column in columns] for y in reversed(range(*heights))] if len(heights) == 1 else []


def _with_other_edges(cells: Cells, edge: str) -> Iterator[Cells]:
    """The cells with a blank one beside a sign at this edge, and without a column of blanks at an edge."""
    cells = [[""] * (edge == "left") + row + [""] * (edge == "right") for row in cells]
    left = edge != "end" and all(len(row) > 1 and not row[0].strip() for row in cells)
    right = all(len(row) > 1 and not row[-1].strip() for row in cells)
    for begin, end in {(0, 0), (left, 0), (0, right), (left, right)}:
        yield [row[begin : len(row) - end] for row in cells]


def _board_of(family: str, cells: Cells) -> tuple[str, str] | None:
    """The board of a family that these signs are, or None."""
    flat = [cell.strip() for row in cells for cell in row]
    values = {"tiles": _tile, "sudoku": _digit, "dust": _colour}[family](flat)
    if None in values:
        return None
    numbers = iter(value for value in values if value is not None)
    return canonical(family, [[next(numbers) for _ in row] for row in cells])


def _tile(cells: Sequence[str]) -> list[int | None]:
    is_hexadecimal = all(len(cell) < 2 for cell in cells) and len(cells) <= 16
    base = 16 if is_hexadecimal else 10
    digits = "0123456789abcdefABCDEF"[: 22 if is_hexadecimal else 10]
    return [0 if cell in ("", *"_.x-") else int(cell, base) if set(cell) <= set(digits) else None for cell in cells]


def _digit(cells: Sequence[str]) -> list[int | None]:
    size = round(len(cells) ** 0.5)
    is_from_zero = size > 9 and {"0", "00"} & set(cells) and set(cells) & {"", *"._*-"}

    def value(cell: str) -> int | None:
        if cell in ("", *"._*-"):
            return 0
        number = int(cell) if cell.isdecimal() else SYMBOLS.find(cell.upper()) + 1
        return (number + bool(is_from_zero) if number or cell.isdecimal() else None) if len(cell) < 3 else None

    values = [value(cell) for cell in cells]
    return values if all(each is not None and each <= size for each in values) else [None]


def _colour(cells: Sequence[str]) -> list[int | None]:
    return [
        0
        if cell in ("", *".0_-")
        else ("123456789".find(cell) + 1 or LETTERS.find(cell.upper()) + 1 or None)
        if len(cell) == 1
        else None
        for cell in cells
    ]


def _cells(rows: Rows, write: Callable[[int], str], blank: str) -> Cells:
    return [[write(cell) if cell else blank for cell in row] for row in rows]


def _others(family: str, name: str, rows: Rows) -> tuple[str, ...]:
    """Puzzles of the same kind and of another one."""
    height, width = len(rows), len(rows[0])
    if family == "sudoku":
        return ("sudoku-9x9" if width != 9 else "sudoku-16x16", "tiles-3x3")
    turned = f"{family}-{width}x{height}" if family == "tiles" else f"dust-{height}x{width}x5"
    other = "tiles-4x4" if name != "tiles-4x4" else "tiles-3x3"
    return tuple(each for each in (turned, "dust-4x4x5" if family == "dust" else other, "sudoku-9x9") if each != name)


def texts(family: str, step: int = 1) -> Iterator[BoardText]:
    """One text in `step`, in an order in which each part has some of each kind; every second one is damaged."""
    blanks, ways, damages = cycle(BLANKS[family]), cycle(WAYS[family]), cycle(DAMAGE_NAMES)
    number = 0
    for name, rows in {"tiles": _tiles, "sudoku": _sudokus, "dust": _dusts}[family]():
        for form in FORMS:
            number += 1
            blank = {"empty": "", "space": " ", "json": "0"}.get(form.blanks, next(blanks))
            way, damage = next(ways), next(damages)
            if family not in form.families or number % step:
                continue
            if not _fits(family, rows, form, way, blank):
                way = ""
            if _fits(family, rows, form, way, blank):
                yield from _of_board(family, name, rows, form, way, blank, damage, random.Random(number))


def _of_board(
    family: str, name: str, rows: Rows, form: Form, way: str, blank: str, damage: str, chance: random.Random
) -> Iterator[BoardText]:
    """The text of a board, and a damaged one."""
    title = f"{form.name} {way}".strip()
    for harm in ("", damage):
        cells = _cells(_damaged(rows, harm, chance), WAYS[family][way], blank)
        if cells and any(cells):
            text, others = form.write(cells), _others(family, name, rows)
            yield BoardText(title, text, name, others, _meanings(cells, form), harm, form.states_shape)


def _fits(family: str, rows: Rows, form: Form, way: str, blank: str) -> bool:
    """Whether cells can be written in this way in a notation."""
    written = [WAYS[family][way](cell) for row in rows for cell in row if cell]
    if form.is_tight and max(map(len, written)) > 1:
        return False
    if way == "hexadecimal" and not (form.is_tight and len(written) < 16):
        return False
    if "zero" in way and family == "sudoku" and (blank == "0" or len(rows) < 10):
        return False
    if form.name.endswith("the side"):
        return len(rows) == len(rows[0])
    return form.blanks != "json" or all(cell.isdecimal() for cell in written)
