"""A trained network with the puzzle that it is for, and its card: what searches ask.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from puzzlelab.core import networks
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Candidates, Estimate, Estimates, Planes, Prior
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.batch_rules import canonical_moves, estimated, legal_moves, successors
from puzzlelab.nets.canonical import canonical
from puzzlelab.nets.device import precision
from puzzlelab.nets.network import NetworkSettings

LEAST = 1e-9
"""No legal move is less probable than this."""

CPU = torch.device("cpu")

Outputs = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Model:
    """A network that can be asked; `name` is the hash of its weights."""

    puzzle: Puzzle
    settings: NetworkSettings
    module: nn.Module
    name: str = ""
    device: torch.device = CPU

    @property
    def heads(self) -> tuple[str, ...]:
        """What it tells."""
        return self.settings.heads

    def outputs(self, states: State) -> Outputs:
        """What every head says of the plain `states[B, S]`."""
        return self._in_portions(self.answers, states)

    def _in_portions(self, ask: Callable[[NDArray[Any]], dict[str, Tensor]], array: NDArray[Any]) -> Outputs:
        size, parts = self.settings.portion, []
        for begin in range(0, max(len(array), 1), size):
            with torch.inference_mode(), precision(self.device):
                answers = ask(array[begin : begin + size])
                parts.append({name: answer.float().cpu().numpy() for name, answer in answers.items()})
        return {name: np.concatenate([part[name] for part in parts]) for name in self.heads}

    def answers(self, states: State) -> dict[str, Tensor]:
        """What every head says of the plain `states[B, S]`, on its device, and to be learned from."""
        settings: Any = self.settings
        shown, called = canonical(self.puzzle, states) if settings.canonical else (states, None)
        inputs = [self.tensor(array) for array in settings.inputs(self.puzzle, shown)]
        found: dict[str, Tensor] = {name: answer.float() for name, answer in self.module(*inputs).items()}
        if called is not None:
            names = self.tensor(called)
            found = {name: answer.gather(1, names) if answer.ndim == 2 else answer for name, answer in found.items()}
        if settings.above and "remaining" in found:
            found["remaining"] = found["remaining"] + self.tensor(self.base(states))
        if settings.above and "q" in found:
            found["q"] = found["q"] - self.tensor(self._base_of_moves(states))
        return found

    def base(self, states: State) -> NDArray[np.float32]:
        """`float32[B]`: the remaining moves of the plain `states[B, S]` that its own answers are added to."""
        corrected = corrected_by(self.puzzle, self.settings)
        if corrected is None:
            return np.zeros(len(states), np.float32)
        return estimated(self.puzzle, corrected, states).astype(np.float32)

    def _base_of_moves(self, states: State) -> NDArray[np.float32]:
        """`float32[B, M]`: the remaining moves with each move: one more than after it, or than now if it is none."""
        ahead, named = successors(self.puzzle, states), canonical_moves(self.puzzle, states)
        moves = np.repeat(self.base(states)[:, None], self.puzzle.move_count, axis=1)
        moves[ahead.owner, ahead.move] = self.base(ahead.states)
        return 1 + np.where(named < 0, moves, np.take_along_axis(moves, np.maximum(named, 0), axis=1))

    def tensor(self, array: NDArray[Any]) -> Tensor:
        """The array on the device of the network."""
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def remaining(self, states: State, outputs: Outputs | None = None) -> NDArray[np.float64]:
        """`float64[B]`: how many moves it thinks remain; never less than none.

        `outputs` is what `outputs` says of these states, where somebody has asked already.
        """
        found = self.outputs(states) if outputs is None else outputs
        return np.maximum(found["remaining"].astype(np.float64), 0.0)

    def log_moves(self, states: State, outputs: Outputs | None = None) -> NDArray[np.float64]:
        """`float64[B, M]`: logarithms of the probabilities of legal moves; -inf at all other moves.

        Values of moves count as scores: the move that is worth one more is e times as probable. `outputs` is what
        `outputs` says of these states, where somebody has asked already.
        """
        found = self.outputs(states) if outputs is None else outputs
        if "moves" not in found:
            return _of_legal(self.puzzle, states, found["q"].astype(np.float64), sums=False)
        scores = found["moves"].astype(np.float64)
        if self.settings.policy == "binary":
            scores = -np.logaddexp(0.0, -scores)
        likely = self._in_cells(states, scores) if self.settings.policy == "cells" else scores
        return _of_legal(self.puzzle, states, likely, sums=self.settings.policy == "softmax")

    def _in_cells(self, states: State, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Logits `[B, N * D]` as logarithms of the probability of each digit among those that its cell may hold."""
        digits = candidates_of(self.puzzle).units.all.shape[1]
        among = np.where(legal_moves(self.puzzle, states), scores, -np.inf).reshape(len(states), -1, digits)
        with np.errstate(invalid="ignore"):
            found: NDArray[np.float64] = among - np.logaddexp.reduce(among, axis=2, keepdims=True)
        return found.reshape(scores.shape)

    def candidate_logits(self, candidates: NDArray[np.bool_]) -> NDArray[np.float32]:
        """`float32[B, N, D]` from `bool[B, N, D]`: the logits of the candidates that are left; see `core.views.Prior`.

        A network that is given states is given the digits of cells with one candidate left.
        """
        if self.settings.reads_candidates:
            flat = candidates.reshape(len(candidates), -1)
            found = self._in_portions(lambda part: self.module(self.tensor(part)), flat)["moves"]
        else:
            found = self.outputs(candidate_logits.states_of(candidates_of(self.puzzle), candidates))["moves"]
        return found.reshape(candidates.shape)

    def estimate(self, averaged: bool = False) -> Estimate:
        """Its remaining moves, which may be too many: no search that trusts them proves anything."""
        self._needs(networks.ESTIMATES, "estimate")
        ask = self._mean_remaining if averaged else self.remaining
        return Estimate(self._title(averaged), False, scores=ask)

    def prior(self, averaged: bool = False) -> Prior:
        """Its scores of moves, or else the values that it gives them."""
        self._needs(networks.PRIORS, "prior")
        title = self._title(averaged)
        if averaged:
            return Prior(title, self._mean_log_moves)
        fills = self.puzzle.view(Candidates) is not None and "moves" in self.heads
        logits = self.candidate_logits if fills else None
        return Prior(title, self.log_moves, logits, self.settings.reads_candidates)

    def both(self, averaged: bool = False) -> tuple[Prior, Estimate]:
        """Its prior and its estimate; asked about the same states one after the other, they run it only once."""
        prior, estimate = self.prior(averaged), self.estimate(averaged)
        if averaged:
            return prior, estimate
        once = _Once(self)
        return replace(prior, scores=once.log_moves), replace(estimate, scores=once.remaining)

    def _title(self, averaged: bool) -> str:
        return f"net:{self.name}{':averaged' if averaged else ''}"

    def _needs(self, heads: Sequence[str], use: str) -> None:
        if not set(heads) & set(self.heads):
            told, wanted = " and ".join(self.heads), " or ".join(heads)
            raise Unsupported(f"the network {self.name} is no {use}: it tells {told}, not {wanted}")

    def _images(self, states: State) -> Iterator[tuple[State, NDArray[np.int64]]]:
        """The images of the states in every symmetry of the puzzle, each with what the moves are called there."""
        planes = self.puzzle.view(Planes)
        if planes is None:
            raise Unsupported(f"{self.puzzle.name} has no images to average over")
        for image, called in planes.symmetries(states):
            yield np.ascontiguousarray(image), called

    def _mean_remaining(self, states: State) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.mean([self.remaining(image) for image, _ in self._images(states)], axis=0)
        return found

    def _mean_log_moves(self, states: State) -> NDArray[np.float64]:
        shares = []
        for image, called in self._images(states):
            places = np.maximum(canonical_moves(self.puzzle, image)[:, called], 0)
            shares.append(np.exp(np.take_along_axis(self.log_moves(image), places, axis=1)))
        found: NDArray[np.float64] = np.log(np.maximum(np.mean(shares, axis=0), LEAST))
        return found


class _Once:
    """Keeps what a network said of states for one question more about the same ones."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kept: tuple[State, Outputs] | None = None

    def outputs(self, states: State) -> Outputs:
        """What every head says of the states `[B, S]`."""
        kept, self.kept = self.kept, None
        if kept is not None and np.array_equal(kept[0], states):
            return kept[1]
        found = self.model.outputs(states)
        self.kept = states.copy(), found
        return found

    def log_moves(self, states: State) -> NDArray[np.float64]:
        return self.model.log_moves(states, self.outputs(states))

    def remaining(self, states: State) -> NDArray[np.float64]:
        return self.model.remaining(states, self.outputs(states))


def corrected_by(puzzle: Puzzle, settings: NetworkSettings) -> Estimate | None:
    """The estimate to which a network with these settings adds; raises `Unsupported` or `UnknownName`."""
    if not settings.above:
        return None
    estimates = puzzle.view(Estimates)
    if estimates is None:
        raise Unsupported(f"{puzzle.name} has no estimates that a network could correct")
    return estimates.estimate(settings.above)


def candidates_of(puzzle: Puzzle) -> Candidates:
    """The puzzle as one whose cells get a digit each; raises `Unsupported`."""
    view = puzzle.view(Candidates)
    if view is None:
        raise Unsupported(f"{puzzle.name} has no cells that get a digit each")
    return view


def digits_of(puzzle: Puzzle) -> int:
    """The moves of a cell: D, or 1 where moves are no digits in cells."""
    view = puzzle.view(Candidates)
    return view.units.all.shape[1] if view else 1


def _of_legal(puzzle: Puzzle, states: State, scores: NDArray[np.float64], sums: bool) -> NDArray[np.float64]:
    """Scores `[B, M]` of all moves, as logarithms of probabilities of the legal ones.

    Moves that come to the same are one move: its probability is their sum, or (`sums=False`) the greatest.
    """
    named = canonical_moves(puzzle, states)
    rows, moves = np.nonzero(named >= 0)
    values, targets = scores[rows, moves], named[rows, moves]
    best = np.full(scores.shape, -np.inf)
    np.maximum.at(best, (rows, targets), values)
    if sums:
        total = np.zeros(scores.shape)
        np.add.at(total, (rows, targets), np.exp(values - best[rows, targets]))
        with np.errstate(divide="ignore"):
            best = best + np.log(total)
    legal = np.isfinite(best)
    with np.errstate(invalid="ignore"):
        shifted = best - best.max(axis=1, keepdims=True, initial=-np.inf, where=legal)
        likely = np.where(legal, np.maximum(np.exp(shifted), LEAST), 0.0)
        likely /= np.maximum(likely.sum(axis=1, keepdims=True), LEAST)
    with np.errstate(divide="ignore"):
        return np.log(likely)
