"""The forms in which boards are written: those of all puzzles, and those that a puzzle has (its view `Forms`).

Every door takes the same ones: `write`, `solve`, `generate`, the page and Python.

Shapes: B = boards, S = length of a state.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import UnknownName, Unsupported
from puzzlelab.core.puzzle import BoardForm, Drawings, Forms, Puzzle, State
from puzzlelab.jobs.print_page import printed
from puzzlelab.storage.outputs import check_ending
from puzzlelab.storage.row_columns import csv_text

USUAL = "line"
"""The form of boards for which none is named, and of files whose name has no ending."""


def forms_of(puzzle: Puzzle) -> Mapping[str, BoardForm]:
    """Return the forms in which boards of a puzzle are written, by name."""
    forms = {
        USUAL: BoardForm("a board a line, as this program writes it", partial(_lines, puzzle), ending=".txt"),
        "grid": BoardForm(
            "the rows of each board, with bars where it has boxes", partial(_grids, puzzle), extent="lines"
        ),
        "csv": BoardForm("CSV: the puzzle and the board", partial(_rows, puzzle), ".csv", "puzzle,board"),
        "jsonl": BoardForm("a JSON object a board", partial(_objects, puzzle), ".jsonl", has_solutions=True),
    }
    if puzzle.view(Drawings) is not None:
        page = partial(printed, puzzle)
        forms["html"] = BoardForm("a page to print: four boards a sheet", page, ".html", "", True, "document")
    own = puzzle.view(Forms)
    return forms if own is None else forms | dict(own.by_name)


def form_named(puzzle: Puzzle, name: str) -> BoardForm:
    """Return a form of the boards of a puzzle; raises `UnknownName`, or `Unsupported` where no board can have it."""
    forms = forms_of(puzzle)
    if name not in forms:
        raise UnknownName(f"form of {puzzle.name}", name, forms)
    if forms[name].refusal:
        raise Unsupported(forms[name].refusal)
    return forms[name]


def form_of_file(puzzle: Puzzle, path: Path, name: str | None = None, others: Collection[str] = ()) -> str:
    """Return the name of the form of a new file: `name`, or else the one that the ending of the file says.

    A device or a pipe without such an ending gets boards a line. Raises `BadFile` for an ending that says none and is
    none of `others`, and what `form_named` raises.
    """
    by_ending = {form.ending: each for each, form in forms_of(puzzle).items() if form.ending} | {"": USUAL}
    if name is None:
        check_ending(path, [*by_ending, *others])
    chosen = name or by_ending.get(path.suffix, USUAL)
    form_named(puzzle, chosen)
    return chosen


def texts_in(form: BoardForm, parts: Iterable[tuple[State, State | None]]) -> Iterator[str]:
    """Yield the text of boards `[B, S]` and their solutions, which are given some at a time: one text for documents."""
    if form.extent != "document":
        yield from (form.write(*part) for part in parts)
        return
    several = list(parts)
    solutions = [each for _, each in several if each is not None]
    if several:
        together = np.concatenate(solutions) if len(solutions) == len(several) else None
        yield form.write(np.concatenate([boards for boards, _ in several]), together)


# --- the forms of all puzzles ---


def _lines(puzzle: Puzzle, boards: State, solutions: State | None) -> str:
    return "".join(f"{text}\n" for text in Boards(puzzle, boards).written())


def _grids(puzzle: Puzzle, boards: State, solutions: State | None) -> str:
    return "".join(f"{puzzle.draw(board)}\n" for board in boards)


def _rows(puzzle: Puzzle, boards: State, solutions: State | None) -> str:
    name = csv_text(puzzle.name)
    return "".join(f"{name},{csv_text(text)}\n" for text in Boards(puzzle, boards).written())


def _objects(puzzle: Puzzle, boards: State, solutions: State | None) -> str:
    """Return `{"puzzle": NAME, "board": BOARD}` for each board, or `{"puzzle": BOARD, "solution": BOARD}`."""
    texts = Boards(puzzle, boards).written()
    objects: Sequence[Mapping[str, str]] = [{"puzzle": puzzle.name, "board": text} for text in texts]
    if solutions is not None:
        pairs = zip(texts, Boards(puzzle, solutions).written(), strict=True)
        objects = [{"puzzle": board, "solution": solution} for board, solution in pairs]
    return "".join(f"{json.dumps(each)}\n" for each in objects)
