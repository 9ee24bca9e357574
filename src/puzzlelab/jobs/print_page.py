"""Boards as a page to print: a HTML document that needs no other file, with the solutions on the last sheets.

Shapes: B = boards, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from puzzlelab.core import registry
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.logic import Logic, Rating
from puzzlelab.core.puzzle import Drawings, Notation, Puzzle, State
from puzzlelab.jobs.ratings import rated_parts

ON_SHEET, SOLUTIONS_ON_SHEET = 4, 12
LARGE = 16
"""The fewest rows of boards of which one fills a sheet."""
LIMIT = Limit(nodes=10_000_000)
"""The limit of the search for a second solution of boards that are rated together."""
STYLE = """\
@page { margin: 12mm }
body { margin: 0 auto; max-width: 186mm; font: 11pt sans-serif; color: #2e3440 }
section { break-after: page; break-inside: avoid }
section:last-of-type { break-after: auto }
h1 { margin: 0 0 5mm; font-size: 15pt }
div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 5mm 0 }
figure { width: 88mm; margin: 0 }
.large figure { width: 100% }
.solutions figure { width: 50mm }
svg { display: block; width: 100%; height: auto }
figcaption { padding: 1mm 0; text-align: center }"""


def printed(puzzle: Puzzle, boards: State, solutions: State | None) -> str:
    """Return a HTML document with these boards `[B, S]`, their ratings, and their solutions if they are known."""
    title = escape(puzzle.name.replace("-", " ").capitalize())
    captions = [f"{number}{rating}" for number, rating in enumerate(_ratings(puzzle, boards), start=1)]
    sheets = [*_sheets(puzzle, boards, captions, title, _is_large(puzzle))]
    if solutions is not None:
        numbers = [str(number) for number in range(1, len(boards) + 1)]
        sheets += _sheets(puzzle, solutions, numbers, f"{title}: solutions", are_solutions=True)
    head = f'<meta charset="utf-8">\n<title>{title}</title>\n<style>\n{STYLE}\n</style>'
    body = "\n".join(sheets)
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _is_large(puzzle: Puzzle) -> bool:
    notation = puzzle.view(Notation)
    return notation is not None and notation.shape[0] >= LARGE


def _ratings(puzzle: Puzzle, boards: State) -> Iterator[str]:
    """Yield what the caption of each board says of its difficulty; nothing for a board without a rating."""
    logic = puzzle.view(Logic)
    if logic is None or not logic.scales:
        yield from [""] * len(boards)
        return
    for _, ratings in rated_parts(Boards(puzzle, boards), None, registry.solver(None, puzzle), LIMIT):
        yield from map(_in_words, ratings)


def _in_words(rating: Rating) -> str:
    if rating.reason or rating.rating is None:
        return ""
    return f": {rating.rating:.1f}, {(rating.hardest or '').replace('-', ' ')}"


def _sheets(
    puzzle: Puzzle,
    boards: State,
    captions: Sequence[str],
    title: str,
    is_large: bool = False,
    are_solutions: bool = False,
) -> Iterator[str]:
    """Yield a section for each sheet of paper."""
    drawing = puzzle.view(Drawings)
    assert drawing is not None
    size = SOLUTIONS_ON_SHEET if are_solutions else 1 if is_large else ON_SHEET
    kind = ' class="solutions"' if are_solutions else ' class="large"' if is_large else ""
    for first in range(0, len(boards), size):
        figures = []
        for board, caption in zip(boards[first : first + size], captions[first : first + size], strict=True):
            picture = drawing.svg(board)
            if are_solutions:  # they are no boards for what reads the page
                picture = picture.replace('role="img"', 'role="presentation"', 1)
            figures.append(f"<figure>\n{picture}<figcaption>{escape(caption)}</figcaption>\n</figure>")
        body = "\n".join(figures)
        yield f"<section{kind}>\n<h1>{title}</h1>\n<div>\n{body}\n</div>\n</section>"
