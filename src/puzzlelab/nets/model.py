"""`Model`: a network for one puzzle, which searches use as an estimate and as a prior.

The layers themselves are evaluated by a subclass: `OnnxModel`, which searches use, or `TorchModel`, which is trained.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Candidates, Estimate, Estimates, Planes, Prior, PriorAndEstimate, equivalence
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.batch_rules import canonical_moves, estimated, legal_moves, solved, successors
from puzzlelab.engine.network_io import MIN_PROBABILITY, log_probabilities, merged_logits
from puzzlelab.nets.form import NetworkForm, Outputs, candidates_of, input_arrays
from puzzlelab.storage import networks

DEAD_END = 1e6
"""The estimated number of moves to the goal from a state without a move that could be made."""


@dataclass(frozen=True, eq=False)
class Model(ABC):
    """A network that can be evaluated; `name` is the hash of its weights."""

    puzzle: Puzzle

    @property
    @abstractmethod
    def form(self) -> NetworkForm:
        """Its inputs and outputs."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The hash of its weights."""

    @abstractmethod
    def evaluate(self, inputs: Sequence[NDArray[Any]]) -> Outputs:
        """Return the outputs of the layers for arrays of the kinds `form.inputs`, each with one row for each of B
        states.
        """

    @property
    def heads(self) -> tuple[str, ...]:
        """The names of its outputs."""
        return self.form.heads

    @property
    def values_count_moves(self) -> bool:
        """Whether the head `q` predicts the negative number of moves to the goal, and not other rewards."""
        return True

    def outputs(self, states: State) -> Outputs:
        """Return the outputs of all heads for the plain `states[B, S]`, as arrays."""
        return self._in_batches(self._outputs, states)

    def _in_batches(self, evaluate: Callable[[NDArray[Any]], Outputs], array: NDArray[Any]) -> Outputs:
        size, moves = self.form.batch_size, self.puzzle.move_count
        if not len(array):
            return {name: np.zeros((0,) if name == "cost_to_go" else (0, moves), np.float32) for name in self.heads}
        if len(array) <= size:
            return evaluate(array)
        parts = [evaluate(array[begin : begin + size]) for begin in range(0, len(array), size)]
        return {name: np.concatenate([part[name] for part in parts]) for name in self.heads}

    def _outputs(self, states: State) -> Outputs:
        """Return the outputs for the states of one batch."""
        inputs, move_permutation = self.inputs(states)
        outputs = self.evaluate(inputs)
        if move_permutation is not None:
            outputs = {name: permuted(values, move_permutation) for name, values in outputs.items()}
        if not self.form.residual_over:
            return outputs
        return {name: values + self.base_of(name, states) for name, values in outputs.items()}

    def inputs(self, states: State) -> tuple[tuple[NDArray[Any], ...], NDArray[np.int64] | None]:
        """Return (the arrays for `evaluate`, the number of each move in them: `int64[B, M]`) for the plain `states[B,
        S]`.

        The second is None where moves keep their numbers.
        """
        images, move_permutation = canonical(self.puzzle, states) if self.form.canonical else (states, None)
        return input_arrays(self.puzzle, self.form.inputs, images), move_permutation

    def base_of(self, head: str, states: State) -> NDArray[np.float32] | float:
        """Return what is added to the output of this head for the plain states: `float32[B]` or `[B, M]`, or 0."""
        if head == "policy":
            return 0.0
        return self.base_estimate(states) if head == "cost_to_go" else -self._base_estimate_of_moves(states)

    def base_estimate(self, states: State) -> NDArray[np.float32]:
        """Return `float32[B]`: the estimate of the plain `states[B, S]` to which the network adds.

        0 where there is none.
        """
        base = residual_base(self.puzzle, self.form.residual_over)
        if base is None:
            return np.zeros(len(states), np.float32)
        return estimated(self.puzzle, base, states).astype(np.float32)

    def _base_estimate_of_moves(self, states: State) -> NDArray[np.float32]:
        """Return `float32[B, M]`: the cost of each move, or minus its points, and what the base estimate says that
        remains; for an illegal move 1, and what remains from the state itself.
        """
        sign = -1 if objective_of(self.puzzle).kind == "score" else 1
        ahead = successors(self.puzzle, states)
        estimates = np.repeat(1 + sign * self.base_estimate(states)[:, None], self.puzzle.move_count, axis=1)
        estimates[ahead.owner, ahead.move] = ahead.costs + sign * self.base_estimate(ahead.states)
        if equivalence(self.puzzle) is None:
            return estimates
        canonical_move = canonical_moves(self.puzzle, states)
        of_canonical = np.take_along_axis(estimates, np.maximum(canonical_move, 0), axis=1)
        return np.where(canonical_move < 0, estimates, of_canonical)

    def cost_to_go(self, states: State, outputs: Outputs | None = None) -> NDArray[np.float64]:
        """Return `float64[B]`: the estimated moves to the goal, at least 0; for a score, the points to be made.

        A network without the head `cost_to_go` uses its value of the best legal move. `outputs` are those of these
        states, if they were computed before.
        """
        values = self.outputs(states) if outputs is None else outputs
        if "cost_to_go" in values:
            return np.maximum(values["cost_to_go"].astype(np.float64), float(objective_of(self.puzzle).least_sum))
        of_moves = np.where(legal_moves(self.puzzle, states), values[networks.VALUES].astype(np.float64), -np.inf)
        return np.where(solved(self.puzzle, states), 0.0, np.clip(-of_moves.max(axis=1), 0.0, DEAD_END))

    def log_policy(self, states: State, outputs: Outputs | None = None) -> NDArray[np.float64]:
        """Return `float64[B, M]`: logarithms of the probabilities of legal moves; -inf at all other moves.

        A network without the head `policy` uses its values of moves as logits. `outputs` are those of these states, if
        they were computed before.
        """
        values = self.outputs(states) if outputs is None else outputs
        return log_probabilities(self.puzzle, states, self._logits(states, values), self._sums)

    @property
    def _sums(self) -> bool:
        """Whether the probability of moves with the same effect is the sum of theirs, and not the greatest."""
        return "policy" in self.heads and self.form.policy == "softmax"

    def _logits(self, states: State, outputs: Outputs) -> NDArray[np.float64]:
        """Return `float64[B, M]`: numbers whose softmax over the legal moves, with equivalent ones merged, is the
        policy.
        """
        if "policy" not in self.heads:
            return outputs["q"].astype(np.float64)
        logits = outputs["policy"].astype(np.float64)
        if self.form.policy == "binary":
            logits = -np.logaddexp(0.0, -logits)
        return self._normalised_in_cells(states, logits) if self.form.policy == "cells" else logits

    def _normalised_in_cells(self, states: State, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return logits `[B, N * D]` as logarithms of the probability of each digit among the legal ones of its
        cell.
        """
        digits = candidates_of(self.puzzle).units.all.shape[1]
        legal = np.where(legal_moves(self.puzzle, states), logits, -np.inf).reshape(len(states), -1, digits)
        with np.errstate(invalid="ignore"):
            normalised: NDArray[np.float64] = legal - np.logaddexp.reduce(legal, axis=2, keepdims=True)
        return normalised.reshape(logits.shape)

    def candidate_logits(self, candidates: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return `float32[B, N, D]` from `bool[B, N, D]`: logits of the remaining candidates; see `core.views.Prior`.

        The input of a network that reads states are the digits of cells with a single candidate.
        """
        if self.form.reads_candidates:
            flat = candidates.reshape(len(candidates), -1)
            logits = self._in_batches(lambda part: self.evaluate((part,)), flat)["policy"]
        else:
            logits = self.outputs(candidate_logits.states_of(candidates_of(self.puzzle), candidates))["policy"]
        return logits.reshape(candidates.shape)

    def estimate(self, averaged: bool = False) -> Estimate:
        """Return its cost-to-go as an estimate, or else its value of the best move.

        It may be too high, so that a search with it proves no lower bound. Raises `Unsupported` for a network without
        such a head, and for values of moves that do not count moves.
        """
        self._require((*networks.ESTIMATES, networks.VALUES), "estimate")
        if not networks.is_estimate(self):
            raise Unsupported(f"the network {self.name} is no estimate: its values are rewards, not numbers of moves")
        scores = self._mean_cost_to_go if averaged else self.cost_to_go
        return Estimate(self._title(averaged), False, scores=scores)

    def prior(self, averaged: bool = False) -> Prior:
        """Return its policy as a prior, or else its values of moves."""
        self._require(networks.PRIORS, "prior")
        title = self._title(averaged)
        if averaged:
            return Prior(title, self._mean_log_policy)
        has_candidates = self.puzzle.view(Candidates) is not None and "policy" in self.heads
        logits = self.candidate_logits if has_candidates else None
        return Prior(title, self.log_policy, logits, self.form.reads_candidates)

    def both(self, averaged: bool = False) -> PriorAndEstimate:
        """Return its prior and its estimate, with a function that evaluates the network once for both."""
        prior, estimate = self.prior(averaged), self.estimate(averaged)

        def scores(states: State) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            outputs = self.outputs(states)
            logits = merged_logits(self.puzzle, states, self._logits(states, outputs), self._sums)
            return logits, self.cost_to_go(states, outputs)

        return PriorAndEstimate(prior, estimate) if averaged else PriorAndEstimate(prior, estimate, scores)

    def _title(self, averaged: bool) -> str:
        return f"net:{self.name}{':averaged' if averaged else ''}"

    def _require(self, heads: Sequence[str], use: str) -> None:
        """Raise `Unsupported` unless the network has one of these heads."""
        if not set(heads) & set(self.heads):
            present, required = " and ".join(self.heads), " or ".join(heads)
            raise Unsupported(f"the network {self.name} is no {use}: its heads are {present}, not {required}")

    def _images(self, states: State) -> Iterator[tuple[State, NDArray[np.int64]]]:
        """Yield the images of the states in all symmetries of the puzzle, each with the permutation of its moves."""
        planes = self.puzzle.view(Planes)
        if planes is None:
            raise Unsupported(f"{self.puzzle.name} has no images to average over")
        for image, move_permutation in planes.symmetries(states):
            yield np.ascontiguousarray(image), move_permutation

    def _mean_cost_to_go(self, states: State) -> NDArray[np.float64]:
        mean: NDArray[np.float64] = np.mean([self.cost_to_go(image) for image, _ in self._images(states)], axis=0)
        return mean

    def _mean_log_policy(self, states: State) -> NDArray[np.float64]:
        probabilities = []
        for image, move_permutation in self._images(states):
            moves = np.maximum(canonical_moves(self.puzzle, image)[:, move_permutation], 0)
            probabilities.append(np.exp(np.take_along_axis(self.log_policy(image), moves, axis=1)))
        logarithms: NDArray[np.float64] = np.log(np.maximum(np.mean(probabilities, axis=0), MIN_PROBABILITY))
        return logarithms


def canonical(puzzle: Puzzle, states: State) -> tuple[State, NDArray[np.int64]]:
    """Return (`images[B, S]`, `move_permutation: int64[B, M]`): the canonical image of each state, and its moves there.

    The canonical image is the lexicographically first one. Move m of a state is move `move_permutation[b, m]` of it.
    """
    images, move_permutation = states, np.tile(np.arange(puzzle.move_count), (len(states), 1))
    planes = puzzle.view(Planes)
    if planes is None or not len(states):
        return images, move_permutation
    images, every = states.copy(), np.arange(len(states))
    for image, permutation in planes.symmetries(states)[1:]:
        difference = (image != images).argmax(axis=1)
        rows = np.flatnonzero(image[every, difference] < images[every, difference])
        images[rows], move_permutation[rows] = image[rows], permutation
    return images, move_permutation


def permuted(values: NDArray[np.float32], move_permutation: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the outputs `[B, M]` with each move's at its number on the state itself; those `[B]` stay."""
    return np.take_along_axis(values, move_permutation, axis=1) if values.ndim == 2 else values


def residual_base(puzzle: Puzzle, name: str) -> Estimate | None:
    """Return the estimate of this name, to which a network adds; raises `Unsupported` or `UnknownName`."""
    if not name:
        return None
    estimates = puzzle.view(Estimates)
    if estimates is None:
        raise Unsupported(f"{puzzle.name} has no estimates that a network could correct")
    return estimates.estimate(name)


def digits_per_cell(puzzle: Puzzle) -> int:
    """Return the number of digits D of a cell, or 1 for puzzles whose moves are not digits in cells."""
    view = puzzle.view(Candidates)
    return view.units.all.shape[1] if view else 1
