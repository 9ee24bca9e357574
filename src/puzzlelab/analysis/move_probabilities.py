"""What a network thinks of the legal moves at a board, as shares of 1; where moves write in cells, of 1 in each cell.

Shapes: B = boards, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import networks
from puzzlelab.core.networks import Network
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Candidates
from puzzlelab.engine.batch_rules import legal_moves

LEAST = -1e300
"""Less than any logarithm that a network tells."""


def network_shown(puzzle: Puzzle, options: Mapping[str, Any]) -> tuple[str, Network]:
    """The network that a solver with these options asks, or else the best one of the package, and its name here.

    Raises `BadInput` where there is none.
    """
    name = next(networks.named(options), networks.PREFIX)
    return name, networks.find(puzzle, name)


def shares(puzzle: Puzzle, name: str, network: Network, boards: State) -> NDArray[np.float64]:
    """`float[B, M]`: the share of each legal move, nan for others; of B > 0 boards by the network of this name.

    All moves of a board share 1; where moves write digits in cells, those of each cell do.
    A network that tells no scores of moves is asked how many moves remain after each: the fewer, the larger the share.
    """
    legal = legal_moves(puzzle, boards)
    if set(networks.PRIORS) & set(network.heads):
        logarithms = np.asarray(networks.prior(puzzle, name).scores(boards), np.float64)
    else:
        scores = networks.estimate(puzzle, name).scores
        assert scores is not None  # a network is no kernel
        logarithms = -_remaining(puzzle, boards, legal, scores)
    view = puzzle.view(Candidates)
    rivals = view.units.all.shape[1] if view else puzzle.move_count
    among = np.where(legal, logarithms, -np.inf).reshape(len(boards), -1, rivals)
    likely = np.exp(among - among.max(axis=2, keepdims=True, where=among > -np.inf, initial=LEAST))
    totals = likely.sum(axis=2, keepdims=True)  # 0 where no move is legal
    return np.where(legal, (likely / np.where(totals > 0, totals, 1)).reshape(legal.shape), np.nan)


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
