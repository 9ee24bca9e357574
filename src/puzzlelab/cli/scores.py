"""Shows what a network thinks of the moves at every board on the way, as percentages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from puzzlelab.core.networks import Network
    from puzzlelab.core.puzzle import Puzzle, State

MOST = 8
"""Moves that are named beside a board."""


@runtime_checkable
class DrawsScores(Protocol):
    """The view of puzzles whose moves are cells: their drawings have room for a number in each."""

    def draw_scores(self, state: State, scores: NDArray[np.float64]) -> str:
        """The board with `scores: float[M]`, from 0 to 1, of the moves that `legal` names; others are not read."""


def frames(puzzle: Puzzle, state: State, moves: Sequence[int], options: Mapping[str, Any]) -> Iterator[str]:
    """Who tells the percentages; then, for each move, the board with the network's percentages, and the move.

    `options` are the solver's; see `network_shown`. A network that tells no scores of moves is asked how many moves
    remain after each: the fewer, the larger the share of the move.
    """
    name, network = network_shown(puzzle, options)
    yield f"in brackets: per cent, by the network {network.name}"
    boards = _boards(puzzle, state, moves)
    shares = _shares(puzzle, name, network, boards) if len(boards) else ()
    for number, (board, move, share) in enumerate(zip(boards, moves, shares, strict=True), start=1):
        yield f"\n{_drawn(puzzle, board, share)}\nmove {number}: {puzzle.write_move(move)}"


def network_shown(puzzle: Puzzle, options: Mapping[str, Any]) -> tuple[str, Network]:
    """The network that a solver with these options asks, or else the best one of the package, and its name here.

    Raises `BadInput` where there is none.
    """
    from puzzlelab.core import networks

    name = next(networks.named(options), networks.PREFIX)
    return name, networks.find(puzzle, name)


def _boards(puzzle: Puzzle, state: State, moves: Sequence[int]) -> State:
    """`[B, S]`: the board before each of B moves."""
    boards = []
    for move in moves:
        boards.append(state)
        state = puzzle.apply(state, move)
    return np.array(boards)


def _shares(puzzle: Puzzle, name: str, network: Network, boards: State) -> NDArray[np.float64]:
    """`float[B, M]`: the share of each legal move, nan for others."""
    from puzzlelab.core import networks
    from puzzlelab.core.batches import legal_moves

    legal = legal_moves(puzzle, boards)
    if set(networks.PRIORS) & set(network.heads):
        logarithms = np.asarray(networks.prior(puzzle, name).scores(boards), np.float64)
    else:
        scores = networks.estimate(puzzle, name).scores
        assert scores is not None  # a network is no kernel
        logarithms = -_remaining(puzzle, boards, legal, scores)
    logarithms = np.where(legal, logarithms, -np.inf)
    shares = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    return np.where(legal, shares / shares.sum(axis=1, keepdims=True), np.nan)


def _remaining(
    puzzle: Puzzle, boards: State, legal: NDArray[np.bool_], scores: Callable[[State], NDArray[Any]]
) -> NDArray[np.float64]:
    """`float[B, M]`: how many moves the network says to remain after each legal move, 0 for others."""
    rows, moves = np.nonzero(legal)
    children = np.array([puzzle.apply(boards[row], int(move)) for row, move in zip(rows, moves, strict=True)])
    told = np.where([puzzle.solved(child) for child in children], 0.0, scores(children))
    remaining = np.zeros(legal.shape)
    remaining[rows, moves] = told
    return remaining


def _drawn(puzzle: Puzzle, state: State, share: NDArray[np.float64]) -> str:
    """The board with percentages in its cells or, where a puzzle cannot draw that, the moves with theirs beside it."""
    if isinstance(puzzle, DrawsScores):
        return puzzle.draw_scores(state, share)
    first, *rest = puzzle.draw(state).splitlines()
    width = max(map(len, (first, *rest)))
    return "\n".join([f"{first:<{width}}   {_named(puzzle, share)}", *rest])


def _named(puzzle: Puzzle, share: NDArray[np.float64]) -> str:
    """The moves with their percentages, the most probable first."""
    moves = sorted(np.flatnonzero(np.isfinite(share)).tolist(), key=lambda move: -share[move])
    told = [f"{puzzle.write_move(move)} {100 * share[move]:.0f} %" for move in moves[:MOST]]
    return "  ".join(told) + (f"  and {len(moves) - MOST} more" if len(moves) > MOST else "")
