"""Shows the probabilities of the moves by a network, at each board of a solution, in per cent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Drawings

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle, State
    from puzzlelab.core.result import Result

MOST = 8
"""The most moves that are listed beside a board."""


def frames(result: Result, options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the network's name; then, for each move, the board with the network's percentages, and the move.

    `options` are the solver's; see `analysis.state_evaluation`.
    """
    from puzzlelab.analysis.state_evaluation import network_shown, shares

    puzzle, moves = result.board.puzzle, result.moves or ()
    name, network = network_shown(puzzle, options)
    yield f"in brackets: per cent, by the network {network.name}"
    if not moves:
        return
    boards = np.array(list(result.states())[:-1])
    probabilities = shares(puzzle, name, network, boards)
    for number, (board, move, share) in enumerate(zip(boards, moves, probabilities, strict=True), start=1):
        yield f"\n{_draw(puzzle, board, share)}\nmove {number}: {puzzle.write_move(move)}"


def _draw(puzzle: Puzzle, state: State, share: NDArray[np.float64]) -> str:
    """Draw the board with percentages in its cells or, without such a drawing, the moves with theirs beside it."""
    drawing = puzzle.view(Drawings)
    if drawing is not None and drawing.with_scores is not None:
        return drawing.with_scores(state, share)
    first, *rest = puzzle.draw(state).splitlines()
    width = max(map(len, (first, *rest)))
    return "\n".join([f"{first:<{width}}   {_list_moves(puzzle, share)}", *rest])


def _list_moves(puzzle: Puzzle, share: NDArray[np.float64]) -> str:
    """Return the moves with their percentages, the most probable first."""
    moves = sorted(np.flatnonzero(np.isfinite(share)).tolist(), key=lambda move: -share[move])
    names = [f"{puzzle.write_move(move)} {100 * share[move]:.0f} %" for move in moves[:MOST]]
    return "  ".join(names) + (f"  and {len(moves) - MOST} more" if len(moves) > MOST else "")
