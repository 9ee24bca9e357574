"""Samples of all equally short solutions that a beam finds: positions with every move that one of them makes there.

A solver's own solution has one of several equally good moves, by chance, and a network that imitates it learns this
chance as noise. Here each layer of a beam keeps all moves between its states and those of the next one. From the layer
in which the first goal is met these moves are followed back: the states on the way are those of the shortest solutions
within the beam.

Shapes: G = boards, N = states of a layer, E = moves between two layers, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import KernelRules
from puzzlelab.engine.batch_rules import solved, working_estimates, working_successors
from puzzlelab.engine.kernels import GOLDEN, scramble
from puzzlelab.experience.schema import TrainingSamples, packed
from puzzlelab.solvers.beam import Beam

POSITIONS = 2
"""The most samples of one layer of a board: others are much like them."""
GOAL, DROPPED = -1, -2
"""What stands for the row of a child that is solved, and of one that is not in the beam."""
CHOICES = 3
"""The stream of a game's seed that chooses its samples."""


class BeamLayer(NamedTuple):
    """The states that a beam has after some number of moves, for all its boards, and the moves to the next layer."""

    states: State
    """[N, S]: working states."""
    boards: NDArray[np.int64]
    """[N]: the row of the board that each belongs to."""
    keys: NDArray[np.uint64]
    """[N]: the hash of each."""
    parent: NDArray[np.int64]
    """[E]: the state of this layer from which a move leads."""
    move: NDArray[np.int64]
    """[E]."""
    child: NDArray[np.int64]
    """[E]: the state of the next layer to which it leads, or `GOAL`."""


@dataclass(frozen=True)
class TiedSolutions:
    """The labelling of boards by all their equally short solutions within a beam."""

    puzzle: Puzzle
    rules: KernelRules
    beam: Beam
    seed: int
    """The seed that chooses the samples among all positions."""

    def samples(self, games: NDArray[np.int64], states: State, stop: threading.Event) -> TrainingSamples:
        """Return samples of each of the plain `states[G, S]`, which belong to these games; raises `KeyboardInterrupt`
        on `stop`.
        """
        puzzle, rules = self.puzzle, self.rules
        layers, lengths = self._layers(states, stop)
        noise = np.array([generator(self.seed, game, CHOICES).integers(1 << 62) for game in games.tolist()], np.uint64)
        none = np.zeros(0, np.int64)
        nothing = none, np.zeros((0, rules.size), rules.dtype), np.zeros((0, puzzle.move_count), bool), none
        parts: list[tuple[NDArray[np.int64], State, NDArray[np.bool_], NDArray[np.int64]]] = [nothing]
        leads_on: NDArray[np.bool_] = np.zeros(0, bool)
        for depth, layer in reversed([*enumerate(layers)]):
            used = np.flatnonzero((layer.child == GOAL) | np.append(leads_on, False)[layer.child])
            masks = np.zeros((len(layer.states), puzzle.move_count), bool)
            masks[layer.parent[used], layer.move[used]] = True
            leads_on = np.asarray(masks.any(axis=1))
            rows = np.flatnonzero(leads_on)
            ranks = layer.keys[rows] ^ noise[layer.boards[rows]]
            rows = rows[_first_of_each(layer.boards[rows], (ranks,), POSITIONS)]
            parts.append((layer.boards[rows], layer.states[rows], masks[rows], lengths[layer.boards[rows]] - depth))
        boards, positions, moves, remaining = (np.concatenate(column[::-1]) for column in zip(*parts, strict=True))
        order = np.argsort(boards, kind="stable")
        return TrainingSamples(
            games[boards[order]],
            rules.decode(positions[order]),
            packed(moves[order]),
            remaining[order].astype(np.uint16),
            np.zeros(len(order), bool),
        )

    def _layers(self, states: State, stop: threading.Event) -> tuple[list[BeamLayer], NDArray[np.int64]]:
        """Return the layers of a beam for each of the plain `states[G, S]`, and the lengths `int64[G]` of solutions."""
        puzzle, rules, beam = self.puzzle, self.rules, self.beam
        estimate, width = beam.chosen(puzzle), beam.width or 1
        boards = np.flatnonzero(~solved(puzzle, states))
        current = rules.encode(states[boards]).astype(rules.dtype)
        keys = _keys(current)
        seen = _with_board(keys, boards)
        lengths, layers = np.zeros(len(states), np.int64), list[BeamLayer]()
        while len(boards):
            if stop.is_set():
                raise KeyboardInterrupt
            after = working_successors(puzzle, rules, current)
            owner, ended = boards[after.owner], np.zeros(len(states), bool)
            ended[owner[after.solved]] = True
            lengths[ended] = len(layers) + 1
            # The new states of the boards that are not solved by this layer, each once, with all moves to it.
            keys_after = _keys(after.states)
            apart = _with_board(keys_after, owner)
            onward = np.flatnonzero(~ended[owner] & ~np.isin(apart, seen))
            _, first, number = np.unique(apart[onward], return_index=True, return_inverse=True)
            first = onward[first]
            values = working_estimates(estimate, rules, after.states[first])
            best = _first_of_each(owner[first], (keys_after[first], values), width)
            row = np.full(len(first), DROPPED)
            row[best] = np.arange(len(best))
            child = np.where(after.solved, GOAL, DROPPED)
            child[onward] = row[number]
            kept = child != DROPPED
            layers.append(BeamLayer(current, boards, keys, after.owner[kept], after.move[kept], child[kept]))
            chosen = first[best]
            current, boards, keys = after.states[chosen], owner[chosen], keys_after[chosen]
            seen = np.append(seen, apart[chosen])
        return layers, lengths


def require_tied(puzzle: Puzzle, solver: Solver, limit: Limit) -> Beam:
    """Return the beam whose tied solutions are to be found.

    Raises `BadOption` for another solver, and `Unsupported` for a puzzle without compiled rules, or whose moves are not
    counted.
    """
    what = "moves of all tied solutions"
    require_counted_moves(puzzle, what)
    if puzzle.view(KernelRules) is None:
        raise Unsupported(f"{what} need compiled rules, which {puzzle.name} does not have")
    if not isinstance(solver, Beam) or solver.width is None or solver.prior is not None or limit != Limit():
        raise BadOption(f"{what} are those of a beam with a width, without a prior and a limit")
    return solver


def _keys(states: State) -> NDArray[np.uint64]:
    """Return a hash `uint64[N]` of each of the working `states[N, S]`."""
    keys = np.full(len(states), GOLDEN)
    for column in states.T:
        keys = scramble(keys ^ column.astype(np.uint64))
    return keys


def _with_board(keys: NDArray[np.uint64], boards: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the hashes of states together with the rows `int64[N]` of their boards."""
    together: NDArray[np.uint64] = scramble(keys + GOLDEN * boards.astype(np.uint64))
    return together


def _first_of_each(groups: NDArray[np.int64], ranks: tuple[NDArray[Any], ...], most: int) -> NDArray[np.int64]:
    """Return the rows with the least ranks in each group, at most `most` of each; the last rank counts first."""
    order = np.lexsort((*ranks, groups))
    places = np.arange(len(order)) - np.searchsorted(groups[order], groups[order])
    return order[places < most]
