"""The probabilities of the legal moves by a network; where moves write in cells, they add up to 1 in each cell.

Shapes: B = boards, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.solver import NETWORK
from puzzlelab.core.views import Candidates
from puzzlelab.engine.batch_rules import legal_moves
from puzzlelab.storage import networks
from puzzlelab.storage.networks import Network

LEAST = -1e300
"""Less than the logarithm of any probability."""


def network_shown(puzzle: Puzzle, options: Mapping[str, Any]) -> tuple[str, Network]:
    """Return the network in these options of a solver, by default the package's best one, and its name in the options.

    Raises `BadInput` if there is none.
    """
    name = next(networks.named(options), NETWORK)
    return name, networks.find(puzzle, name)


def shares(puzzle: Puzzle, name: str, network: Network, boards: State) -> NDArray[np.float64]:
    """Return `float[B, M]`: the probability of each legal move by this network, nan for others; B > 0.

    The probabilities of a board add up to 1; where moves write digits in cells, those of each cell do.
    For a network without scores of moves they are the softmax of the negative cost-to-go after each move.
    """
    legal = legal_moves(puzzle, boards)
    if set(networks.PRIORS) & set(network.heads):
        logarithms = np.asarray(networks.prior(puzzle, name).scores(boards), np.float64)
    else:
        scores = networks.estimate(puzzle, name).scores
        assert scores is not None  # a network is no kernel
        logarithms = -_remaining(puzzle, boards, legal, scores)
    view = puzzle.view(Candidates)
    group_size = view.units.all.shape[1] if view else puzzle.move_count
    masked = np.where(legal, logarithms, -np.inf).reshape(len(boards), -1, group_size)
    exponentials = np.exp(masked - masked.max(axis=2, keepdims=True, where=masked > -np.inf, initial=LEAST))
    totals = exponentials.sum(axis=2, keepdims=True)  # 0 where no move is legal
    return np.where(legal, (exponentials / np.where(totals > 0, totals, 1)).reshape(legal.shape), np.nan)


def _remaining(
    puzzle: Puzzle, boards: State, legal: NDArray[np.bool_], scores: Callable[[State], NDArray[Any]]
) -> NDArray[np.float64]:
    """Return `float[B, M]`: the network's estimate of the cost-to-go after each legal move, 0 for others."""
    rows, moves = np.nonzero(legal)
    children = np.array([puzzle.apply(boards[row], int(move)) for row, move in zip(rows, moves, strict=True)])
    estimates = np.where([puzzle.solved(child) for child in children], 0.0, scores(children))
    remaining = np.zeros(legal.shape)
    remaining[rows, moves] = estimates
    return remaining
