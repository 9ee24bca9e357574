"""Finds the stored rows of a question by a hash, in 21 bytes a row.

Shapes: N = stored rows.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from puzzlelab.core import registry
from puzzlelab.storage.row import Row, complete_options

MOST_OPTIONS = 256
"""Options of solvers whose complete form is kept."""
Question = tuple[str, str, str, str, str | None, int | None]
"""(puzzle, board, solver, complete options as JSON, network, seed): equal for rows of the same question."""


class Questions:
    """The questions of rows, in which options have the names and the defaults of today."""

    def __init__(self) -> None:
        self._options: dict[tuple[str, str], tuple[str, dict[str, Any] | None]] = {}

    def of(
        self, puzzle: str, board: str, solver: str, options: Mapping[str, Any], net: str | None, seed: int | None
    ) -> Question:
        """The question with these columns."""
        return puzzle, board, solver, self._current(solver, options)[0], net, seed

    def of_row(self, row: Row) -> Question:
        """The question of a row."""
        return self.of(row.puzzle, row.board, row.solver, row.options, row.net, row.seed)

    def renamed(self, row: Row) -> Row:
        """The row with the names that the options of its solver have today."""
        options = self._current(row.solver, row.options)[1]
        return row if options is None else row.model_copy(update={"options": options})

    def _current(self, solver: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any] | None]:
        """(complete options as JSON, the options by their names of today where these are others)."""
        key = solver, repr(options)
        if key not in self._options:
            if len(self._options) >= MOST_OPTIONS:
                self._options.clear()
            current = registry.current_options(solver, options)
            complete = complete_options(solver, json.dumps(current))
            self._options[key] = complete, None if current == options else current
        return self._options[key]


class RowIndex:
    """The places of stored rows by the hash of their question; a place is a number that the file understands.

    Args:
        stored: for each row its place, its question, and whether it answers the question under every limit.
    """

    def __init__(self, stored: Iterable[tuple[int, Question, bool]] = ()) -> None:
        hashes, places, ends = array("q"), array("q"), bytearray()
        for place, question, is_final in stored:
            hashes.append(hash(question))
            places.append(place)
            ends.append(is_final)
        unsorted = np.array(hashes, np.int64)
        order = np.argsort(unsorted, kind="stable")
        self._hashes = unsorted[order]
        """[N], ascending."""
        self._places = np.array(places, np.int64)[order]
        """[N]: for equal hashes in the order of the file."""
        self._is_final = np.array(ends, bool)[order]
        """[N]."""
        self._taken = np.zeros(len(order), np.uint32)
        """[N]: how often a question was taken, at the first of its rows."""

    def __len__(self) -> int:
        return len(self._hashes)

    def spans(self, questions: Sequence[Question]) -> list[tuple[int, int]]:
        """The begin and the end of the rows that may be of each question, in the order of the index."""
        hashes = np.fromiter(map(hash, questions), np.int64, len(questions))
        begins, ends = (np.searchsorted(self._hashes, hashes, side).tolist() for side in ("left", "right"))
        return list(zip(begins, ends, strict=True))

    def place(self, index: int) -> int:
        """The place of a row by its index."""
        return int(self._places[index])

    def all_final(self, begin: int, end: int) -> bool:
        """Whether each of the rows `begin` to `end` - 1 answers its question under every limit."""
        return bool(self._is_final[begin:end].all())

    def times_taken(self, index: int) -> int:
        """How often the question whose first row has this index was taken."""
        return int(self._taken[index])

    def take(self, index: int) -> None:
        """Count that the question whose first row has this index is taken."""
        self._taken[index] += 1
