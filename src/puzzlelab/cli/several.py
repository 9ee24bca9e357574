"""What `puzzlelab solve` says of boards with several solutions, and of those that may have several."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from puzzlelab.cli.console import remark
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import counts_solutions

ADVICE = "puzzlelab check shows two of them and where they differ"


@dataclass
class BoardCount:
    """The number of boards of a kind, and the place of the first in words; empty for a single board."""

    count: int = 0
    first: str = ""

    def add(self, boards: Boards, which: NDArray[np.bool_]) -> None:
        """Count some boards: `which` is `bool[B]`."""
        if not which.any():
            return
        if not self.count:
            self.first = boards.where(int(which.argmax()))
        self.count += int(which.sum())

    def of(self, total: int) -> str:
        """Return the number of these boards among all, in words."""
        return "the board has" if total == 1 else f"{self.count:,} of {total:,} boards {have(self.count)}"

    @property
    def where(self) -> str:
        """The place of the first one in words."""
        return f"; the first: {self.first}" if self.first else ""


def have(count: int) -> str:
    """Return the verb of so many boards."""
    return "has" if count == 1 else "have"


@dataclass
class SeveralTally:
    """Counts boards with several solutions, and those of which the number of solutions is not known."""

    boards: int = 0
    several: BoardCount = field(default_factory=BoardCount)
    beside: BoardCount = field(default_factory=BoardCount)
    """Boards with several solutions, of which the file has one."""
    unknown: BoardCount = field(default_factory=BoardCount)

    def add(self, answers: Answers, holds: NDArray[np.bool_]) -> None:
        """Count the boards of these answers; `holds: bool[B]` tells beside which a solution stands in the file."""
        is_several = answers.is_proven("several")
        is_known = is_several | answers.is_proven("unique") | answers.is_proven("unsolvable")
        self.boards += len(answers)
        self.several.add(answers.boards, is_several)
        self.beside.add(answers.boards, is_several & holds)
        self.unknown.add(answers.boards, answers.boards.is_readable & ~is_known)

    def tell(self) -> None:
        """Say on standard error how many boards have several solutions, if any have."""
        if self.several.count:
            beside = f"; the file has one of them for {self.beside.count:,}" if self.beside.count else ""
            remark(f"{self.several.of(self.boards)} several solutions{self.several.where}{beside}; {ADVICE}")

    def tell_unknown(self) -> None:
        """Say on standard error how many boards may have several solutions, if any may."""
        if self.unknown.count:
            remark(f"{self.unknown.of(self.boards)} no proof of one solution{self.unknown.where}")


def require_counted(puzzle: Puzzle) -> None:
    """Raise `BadOption` for a puzzle whose solutions are not counted."""
    if not counts_solutions(puzzle):
        raise BadOption(f"--unique has no meaning for {puzzle.name}, whose solutions are not counted")
