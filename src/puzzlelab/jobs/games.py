"""Reads files of games, whose lines are boards with moves or rows of answers, and sums up their analyses."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from statistics import mean, median

from puzzlelab.analysis.game_analysis import Analysis, Game
from puzzlelab.core.errors import BadInput
from puzzlelab.storage.lines import blocks_of, text_blocks
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_exports import is_export, place_in_words, row_error, source_of
from puzzlelab.storage.row_files import BEGINS, read_rows
from puzzlelab.text.moves import MoveNotation

SEPARATOR = ";"
"""What stands between a board and its moves."""


@dataclass(frozen=True)
class PlacedGame:
    """A game in a file, or why there is none: an error, or nothing for a row without a solution."""

    where: str
    game: Game | None = None
    error: str = ""


def games_in(moves: MoveNotation, path: Path | None) -> Iterator[PlacedGame]:
    """Yield the games in a file, or on standard input, with their places; raises `BadFile` for an invalid row.

    A line has a board and its moves behind `;`, or is a row of JSON. Blank lines and comments (#) are passed over.
    """
    if path is not None and is_export(source_of(path)):
        for number, row in read_rows(path):
            yield _of_row(moves, place_in_words(path, number), row)
        return
    name = Path("standard input") if path is None else path
    blocks = text_blocks(sys.stdin.buffer, str(name)) if path is None else blocks_of(source_of(path))
    for number, line in enumerate(chain.from_iterable(map(io.StringIO, blocks)), start=1):
        where, text = f"{name}, line {number}", line.strip()
        if not text or text.startswith(("#", BEGINS[1])):
            continue
        if not text.startswith("{"):
            yield _of_line(moves, where, text)
            continue
        try:
            row = Row.model_validate_json(text)
        except ValueError as error:  # of pydantic too
            raise row_error(name, number, error) from None
        yield _of_row(moves, where, row)


def _of_line(moves: MoveNotation, where: str, text: str) -> PlacedGame:
    board, separator, game = text.partition(SEPARATOR)
    if not separator:
        return PlacedGame(where, error=f"there are no moves: a line is BOARD{SEPARATOR} MOVES")
    return _placed(moves, where, board, game)


def _of_row(moves: MoveNotation, where: str, row: Row) -> PlacedGame:
    if row.puzzle != moves.puzzle.name:
        return PlacedGame(where, error=f"a row of {row.puzzle}, not of {moves.puzzle.name}")
    return PlacedGame(where) if row.moves is None else _placed(moves, where, row.board, " ".join(row.moves))


def _placed(moves: MoveNotation, where: str, text: str, game: str) -> PlacedGame:
    try:
        board = moves.puzzle.read(text)
        return PlacedGame(where, Game.of(board, moves.read(board, game)))
    except BadInput as error:
        return PlacedGame(where, error=str(error))


@dataclass
class GameTally:
    """The sums over the analyses of a file."""

    regrets: list[int] = field(default_factory=list)
    """The proven regrets of whole games."""
    first_mistakes: list[int] = field(default_factory=list)
    """The numbers of their first mistakes, from 1."""
    others: int = 0
    """The games whose regret is not proven, or after which there is no solution."""

    def add(self, analysis: Analysis) -> None:
        """Count the analysis of a game."""
        if analysis.first_mistake is not None:
            self.first_mistakes.append(analysis.first_mistake + 1)
        if analysis.total.proven and not analysis.total.unsolvable:
            self.regrets.append(analysis.total.least)
        else:
            self.others += 1

    def in_words(self) -> Iterator[str]:
        """Yield the lines of the summary."""
        without = sum(regret == 0 for regret in self.regrets)
        total = len(self.regrets) + self.others
        yield f"{total:,} solve{'' if total == 1 else 's'}: {without:,} without a wasted move"
        if self.regrets:
            usual = f"mean {mean(self.regrets):.2f}, median {median(self.regrets):g}"
            yield f"moves wasted: {usual}, most {max(self.regrets)}"
        if self.first_mistakes:
            yield f"first mistake: move {median(self.first_mistakes):g} in the median"
        if self.others:
            yield f"not proven, or without a solution after a mistake: {self.others:,}"
