"""Puzzles of a rating, or that need a technique: new puzzles are made and rated until one is as wished.

A puzzle depends on the seed and its number alone: it is the first that fits of the stream of candidates of its number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption, UnknownName
from puzzlelab.puzzles.sudoku.logic.rating import BoardRating
from puzzlelab.puzzles.sudoku.logic.scales import rate_on
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

Grids = NDArray[np.uint8]
Make = Callable[[int, int], tuple[Grids, Grids]]
"""Returns the puzzles from this number on, so many, and their solutions."""

FIRST_TRIED, MOST_TRIED = 16, 256
"""Candidates of a puzzle that are made and rated together: at first, and at most."""
SPAN = 1 << 17
"""Candidates of a puzzle, none of which may fit."""


@dataclass(frozen=True)
class Wish:
    """The ratings that puzzles may have on the default scale, and a technique that rating them applies."""

    least: float
    most: float
    technique: Technique | None

    @classmethod
    def of(cls, rating: str | None, technique: str | None) -> Wish:
        """Read a rating such as '4.2' or '4.0-4.5', and the name of a technique; raises `BadOption`."""
        least, dash, most = (rating or "0-99").partition("-")
        most = most if dash else least
        try:
            wish = cls(float(least), float(most), _technique(technique))
        except ValueError:
            raise BadOption(f"'{rating}' is no rating; write one such as 4.2, or a range such as 4.0-4.5") from None
        if not 0 <= wish.least <= wish.most:
            raise BadOption(f"there is no rating from {least} to {most}")
        return wish

    def fits(self, rating: BoardRating) -> bool:
        """Tell whether a puzzle with this rating is as wished."""
        is_in_range = rating.is_complete and self.least <= rating.rating <= self.most
        return is_in_range and (self.technique is None or self.technique in rating.techniques)


def _technique(name: str | None) -> Technique | None:
    if name is None:
        return None
    known = {technique.label: technique for technique in Technique}
    if name not in known:
        raise UnknownName("technique", name, known)
    return known[name]


def wished_puzzles(make: Make, wish: Wish, numbers: Sequence[int]) -> tuple[Grids, Grids]:
    """Return the puzzles of these numbers, and their solutions; raises `BadOption` where none fits."""
    puzzles, solutions = (np.zeros((len(numbers), 81), np.uint8) for _ in range(2))
    waiting, tried, many = list(range(len(numbers))), 0, FIRST_TRIED
    while waiting:
        made = [make(numbers[place] * SPAN + tried, many) for place in waiting]
        ratings = rate_on(np.concatenate([candidates for candidates, _ in made]), most=wish.most)
        left = []
        for i, (place, (candidates, grids)) in enumerate(zip(waiting, made, strict=True)):
            fitting = (each for each in range(many) if wish.fits(ratings[i * many + each]))
            if (first := next(fitting, None)) is None:
                left.append(place)
            else:
                puzzles[place], solutions[place] = candidates[first], grids[first]
        waiting, tried = left, tried + many
        many = min(2 * many, MOST_TRIED, SPAN - tried)
        if waiting and not many:
            raise BadOption(f"of {SPAN:,} new puzzles none was as wished")
    return puzzles, solutions
