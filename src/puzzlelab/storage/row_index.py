"""Finds the stored rows of a question by a hash, in 21 bytes a row.

Shapes: N = stored rows.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from puzzlelab.storage.row import Row

ENCODER = json.JSONEncoder(sort_keys=True)
Question = tuple[str, str, str, str, str | None, int | None]
"""(puzzle, board, solver, options as JSON, network, seed): equal for rows of the same question."""


def question_of(row: Row) -> Question:
    """Return the question of a row."""
    return row.puzzle, row.board, row.solver, options_text(row.options), row.net, row.seed


def options_text(options: Mapping[str, Any]) -> str:
    """Return options as JSON, in the order of their names."""
    return ENCODER.encode(options)


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
        """Return the begin and the end of the rows that may be of each question, in the order of the index."""
        hashes = np.fromiter(map(hash, questions), np.int64, len(questions))
        begins, ends = (np.searchsorted(self._hashes, hashes, side).tolist() for side in ("left", "right"))
        return list(zip(begins, ends, strict=True))

    def place(self, index: int) -> int:
        """Return the place of a row by its index."""
        return int(self._places[index])

    def all_final(self, begin: int, end: int) -> bool:
        """Tell whether each of the rows `begin` to `end` - 1 answers its question under every limit."""
        return bool(self._is_final[begin:end].all())

    def times_taken(self, index: int) -> int:
        """Return how often the question whose first row has this index was taken."""
        return int(self._taken[index])

    def take(self, index: int) -> None:
        """Count that the question whose first row has this index is taken."""
        self._taken[index] += 1
