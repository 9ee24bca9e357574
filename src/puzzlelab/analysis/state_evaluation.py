"""Evaluates batches of states by an estimate or a network: `puzzlelab.estimate` and `puzzlelab.network`.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.network_options import BEST, named
from puzzlelab.core import errors, registry
from puzzlelab.core.boards import Instance, naming_bad_boards, own_states
from puzzlelab.core.errors import BadBoard, BadOption, UnknownName, Unsupported
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.solver import NETWORK
from puzzlelab.core.views import Candidates, Estimate
from puzzlelab.engine.batch_rules import estimated, legal_moves
from puzzlelab.engine.search_rules import chosen_estimate
from puzzlelab.storage import networks
from puzzlelab.storage.networks import Network

Boards: TypeAlias = State | Instance | Iterable[Instance]
"""Several states `[B, S]`, or boards; a single state `[S]` and a single board mean B = 1."""


def estimate(puzzle: str | Puzzle, name: str | Estimate | None, states: Boards) -> NDArray[np.float64]:
    """Return `float64[B]`: an estimate of the cost-to-go (the number of remaining moves) of each of B states.

    It is infinite for a state of which the estimate proves that it cannot be solved, such as `exact` for tiles.

    A solver calls it with the value of its option `estimate`, best for many states at once: each call takes some
    hundredths of a millisecond. The values of states are not checked; see `Instance.of`.

    Args:
        puzzle: a puzzle or its name.
        name: the name of an estimate of the puzzle, such as 'manhattan', of a network, such as 'net' (the best one
            of the package) or 'net:NAME', or an `Estimate`; None means the puzzle's default estimate.
        states: states `[B, S]`, or boards; one state `[S]` or one board gives `float64[1]`.

    Raises:
        UnknownName: if the puzzle has no estimate of this name.
        Unsupported: if the puzzle has no estimates, or the network predicts no number of moves.
        BadBoard: if the states are none of this puzzle.

    >>> board = puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 0 7 8")
    >>> puzzlelab.estimate("tiles-3x3", "manhattan", board).tolist()
    [2.0]
    """
    loaded = registry.as_puzzle(puzzle)
    array = _states(loaded, states)
    return _estimated(loaded, _chosen(loaded, name), array)


def network(puzzle: str | Puzzle, name: str = BEST) -> PuzzleNetwork:
    """Return the network of this name for a puzzle.

    Args:
        puzzle: a puzzle or its name.
        name: 'best' (the best one of the package), the name of another one that `puzzlelab list PUZZLE` shows, a file,
            a folder of a run, or the beginning of a hash. With `net:` before it, and `:averaged` behind it, the network
            evaluates each mirror image of a board, and the mean is used: 'net:averaged', 'net:tiles-4x4:averaged'.

    Raises:
        BadInput: if there is no such network for this puzzle, or its file is damaged.

    >>> puzzlelab.network("tiles-3x3").heads
    ('policy', 'cost_to_go')
    """
    loaded = registry.as_puzzle(puzzle)
    option = named(errors.require_text(name, "the name of a network", "a text such as 'best'"))
    return PuzzleNetwork(loaded, option, networks.find(loaded, option))


@dataclass(frozen=True, eq=False, repr=False)
class PuzzleNetwork:
    """A trained network for one puzzle: what it predicts for batches of states. `puzzlelab.network` finds one.

    Each method takes states `[B, S]` or boards, as `puzzlelab.estimate` does.

    >>> network = puzzlelab.network("tiles-3x3")
    >>> board = puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 7 0 8")
    >>> bool(network.estimate(board)[0] < 5)
    True
    """

    puzzle: Puzzle
    option: str
    """The value of the options `estimate` and `prior` with which solvers use this network, such as `net:tiles-4x4`."""
    _network: networks.Network

    @property
    def name(self) -> str:
        """The hash of its weights: 16 hexadecimal digits."""
        return self._network.name

    @property
    def heads(self) -> tuple[str, ...]:
        """The outputs: `policy` (which moves are good), `cost_to_go` (remaining moves), `q` (values of moves)."""
        return self._network.heads

    def estimate(self, states: Boards) -> NDArray[np.float64]:
        """Predict the number of remaining moves, at least 0: `float64[B]`; it is rarely exact, even at the goal.

        A network without the head `cost_to_go` uses the value of the best move. Raises `Unsupported` for a network
        that predicts no number of moves.
        """
        name = networks.estimate(self.puzzle, self.option)
        return _estimated(self.puzzle, name, _states(self.puzzle, states))

    def prior(self, states: Boards) -> NDArray[np.float64]:
        """Predict the probability of each legal move: `float64[B, M]`; they add up to 1 for each state, other moves
        have 0.

        Of several moves with the same effect one is legal; see `Puzzle.legal`. A network without the head `policy` uses
        its values of moves as logits. Raises `Unsupported` for a network that does not score moves.
        """
        prior = networks.prior(self.puzzle, self.option)
        array = _states(self.puzzle, states)
        if not len(array):
            return np.empty((0, self.puzzle.move_count))
        with naming_bad_boards(Instance(self.puzzle, state) for state in array):
            probabilities = np.exp(np.asarray(prior.scores(array), np.float64))
            return np.where(legal_moves(self.puzzle, array), probabilities, 0.0)

    def __repr__(self) -> str:
        return f"<network {self.name} for {self.puzzle.name}: {', '.join(self.heads)}>"


def _chosen(puzzle: Puzzle, choice: str | Estimate | None) -> Estimate:
    expected = "the name of an estimate such as 'manhattan', of a network such as 'net', or an Estimate"
    if not isinstance(choice, str | Estimate | None):
        raise errors.wrong_argument("the estimate", expected, choice)
    try:
        return chosen_estimate(puzzle, choice)
    except UnknownName:
        if choice is None:
            raise Unsupported(f"{puzzle.name} has no estimates of its own; the estimate must be {expected}") from None
        raise


def _estimated(puzzle: Puzzle, chosen: Estimate, states: State) -> NDArray[np.float64]:
    """Return `float64[B]`: the estimate of each of the states `[B, S]`."""
    if not len(states):
        return np.empty(0)
    with naming_bad_boards(Instance(puzzle, state) for state in states):
        values = estimated(puzzle, chosen, states)
    if values.shape != (len(states),):
        raise BadOption(
            f"the estimate '{chosen.name}' must give float[B], a number for each of B = {len(states)} states, "
            f"not an array {list(values.shape)}"
        )
    return values if chosen.unsolvable is None else np.where(values == chosen.unsolvable, np.inf, values)


def _states(puzzle: Puzzle, states: object) -> State:
    """Return `[B, S]`: the states, an empty array if there are none; raises `BadBoard` for what is no states."""
    if isinstance(states, Instance):
        return _state(puzzle, states, "the board")[None]
    if isinstance(states, np.ndarray):
        return own_states(puzzle, states)
    if isinstance(states, str) or not isinstance(states, Iterable):
        raise errors.wrong_argument("the states", "an array [B, S] or [S], or boards", states, BadBoard)
    boards = [_state(puzzle, board, f"board {number}") for number, board in enumerate(states, start=1)]
    return np.stack(boards) if boards else np.empty((0, 0))


def _state(puzzle: Puzzle, board: object, place: str) -> State:
    expected = "an Instance, as puzzle.read gives it (numbers are given as an array)"
    instance = errors.require_kind(board, Instance, place, expected, BadBoard)
    if instance.puzzle != puzzle:
        raise BadBoard(f"{place} is one of {instance.puzzle.name}, not of {puzzle.name}")
    return instance.state


# --- probabilities of moves ---

LEAST = -1e300
"""Less than the logarithm of any probability."""


def network_shown(puzzle: Puzzle, options: Mapping[str, Any]) -> tuple[str, Network]:
    """Return the network in these options of a solver, by default the package's best one, and its name in the options.

    Raises `BadInput` if there is none.
    """
    name = next(networks.named(options), NETWORK)
    return name, networks.find(puzzle, name)


def shares(puzzle: Puzzle, name: str, net: Network, boards: State) -> NDArray[np.float64]:
    """Return `float[B, M]`: the probability of each legal move by this network, nan for others; B > 0.

    The probabilities of a board add up to 1; where moves write digits in cells, those of each cell do.
    For a network without scores of moves they are the softmax of the negative cost-to-go after each move.
    """
    legal = legal_moves(puzzle, boards)
    if set(networks.PRIORS) & set(net.heads):
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
