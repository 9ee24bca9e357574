"""Compares the solutions that stand beside boards in a text with the answers to these boards.

Shapes: B = boards, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.puzzle import Notation, Puzzle, State, names_of
from puzzlelab.core.views import Candidates

SHOWN = 20
"""The most differing cells that a sentence names."""


@dataclass(frozen=True, eq=False)
class References:
    """The solutions beside the boards of a text, compared with the answers to these boards."""

    errors: Mapping[int, str]
    """Place of a board -> why what stands beside it is not its solution."""
    holds: NDArray[np.bool_]
    """[B]: whether a solution stands beside the board."""


def compared(boards: Boards, answers: Answers, is_unique: NDArray[np.bool_]) -> References:
    """Compare the solutions beside these boards with verified answers to them.

    `is_unique: bool[B]` tells which answers are proven to be the only ones. Beside other boards any solution is right.
    """
    notation = boards.puzzle.view(Notation)
    if notation is None or notation.references is None or not boards.has_texts:
        return References({}, np.zeros(len(boards), bool))
    states, has_reference, unreadable = notation.references(boards.texts)
    errors = {place: error for place, error in unreadable.items() if boards.is_readable[place]}
    holds = has_reference & boards.is_readable
    for place in _differing(states, holds, answers):
        end = answers.ends_at([place])[0] if is_unique[place] else None
        if error := _error(boards.puzzle, states[place], end):
            errors[place], holds[place] = error, False
    return References(dict(sorted(errors.items())), holds)


def _differing(states: State, which: NDArray[np.bool_], answers: Answers) -> list[int]:
    """Return the places of those of `states[B, S]` in which the answer does not end."""
    differs, solved = which.copy(), np.flatnonzero(which & answers.is_solved)
    if len(solved):
        differs[solved] = (states[solved] != answers.ends_at(solved)).any(axis=1)
    return np.flatnonzero(differs).tolist()


def _error(puzzle: Puzzle, reference: State, solution: State | None) -> str:
    """Return how a full board differs from the only solution or, if that is not known, why it is none; else nothing."""
    if solution is None:
        return "" if puzzle.solved(reference) else f"the file has no solution: {puzzle.objection(reference)}"
    view = puzzle.view(Candidates)
    assert view is not None, "only boards of cells have solutions beside them"
    theirs, ours = view.digits(reference), view.digits(solution)
    cells = np.flatnonzero(theirs != ours)
    shown, more = cells[:SHOWN], f" and {len(cells) - SHOWN} more" if len(cells) > SHOWN else ""
    names = [names_of(puzzle, (shown * view.units.all.shape[1] + digits[shown]).tolist()) for digits in (theirs, ours)]
    said, right = (f"{', '.join(each)}{more}" for each in names)
    return f"the file says {said}, and the solution has {right}"
