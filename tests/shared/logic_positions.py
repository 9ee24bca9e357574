"""Positions of Sudoku boards, and checks of the steps that a family of techniques finds in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from puzzlelab import load, solve
from puzzlelab.puzzles.sudoku.logic.catalog import family_of, steps_of
from puzzlelab.puzzles.sudoku.logic.position import ALL, Position, new_position, set_up
from puzzlelab.puzzles.sudoku.logic.steps import Evidence, find_steps, new_found, take_step
from puzzlelab.puzzles.sudoku.logic.tester import SOUND, first_wrong

BANK = [
    line.split(",")[0]
    for line in (Path(__file__).parents[1] / "data" / "sudoku_exchange.csv").read_text().splitlines()[1:]
]
"""Boards of all difficulties."""


EASY = ("singles", "locked", "subsets")
"""The families that take a board on: few, because each is compiled."""


def position_of(text: str, removed: str = "") -> Position:
    """Return the position of a board, without candidates such as '537' (the digit, row and column)."""
    candidates = np.full(81, ALL, np.uint16)
    for word in removed.split():
        digit, row, column = map(int, word)
        candidates[9 * row + column - 10] &= ALL ^ (1 << (digit - 1))
    position = new_position()
    set_up(position, load("sudoku-9x9").read(text).state, candidates)
    return position


def keep(digit: str, cells: list[tuple[int, int]], places: list[tuple[int, int]]) -> str:
    """Return what `position_of` removes so that of these cells (row, column) only the `places` can be the digit."""
    return " ".join(f"{digit}{row}{column}" for row, column in cells if (row, column) not in places)


def solution_of(text: str) -> NDArray[np.uint8]:
    """Return the only solution of a board as `uint8[81]`."""
    board = load("sudoku-9x9").read(text)
    result = solve(board)
    assert result.proof == "unique"
    state = board.state.copy()
    for move in result.moves or ():
        state[move // 9] = move % 9 + 1
    return state


def check_soundness(family: str, texts: list[str], most: int | None = None) -> int:
    """Solve boards as far as `EASY` and the first `most` searches of `family` go; check each step that these find, and
    return how many there were.
    """
    tested, found, first, own = 0, new_found(200), new_found(1), family_of(family).families()[:most]
    for text in texts:
        position, solution = position_of(text), solution_of(text)
        is_moving = True
        while is_moving:
            for record in own:
                find_steps(record, position, found)
                assert first_wrong(position, found, solution) == SOUND, text
                tested += int(found.used[0])
            is_moving = False
            for record in (*(each for name in EASY for each in family_of(name).families()), *own):
                find_steps(record, position, first)
                if first.used[0]:
                    take_step(position, first, 0)
                    is_moving = True
                    break
    return tested


def steps_in(family: str, text: str, removed: str = "") -> list[Evidence]:
    """Return the steps of a family in a position, see `position_of`."""
    return steps_of(family, position_of(text, removed), new_found(200))


def all_but(words: str) -> str:
    """Return what `position_of` is to remove so that cells hold only some digits: words such as 'r1c3=12'."""
    removed = []
    for word in words.split():
        cell, digits = word.split("=")
        removed += [f"{digit}{cell[1]}{cell[3]}" for digit in "123456789" if digit not in digits]
    return " ".join(removed)
