"""A small recurrent network over all candidates of a board, with the same weights for whatever may be exchanged.

Every candidate, a digit in a cell, has a few features. In each round it is told the sums of the features that are left
in its cell and, for its digit, in its row, its column, its box, and the two lines of the box that it lies in; every
line of a box sees its box and its row or column in turn. Rows and columns, bands and stacks, and digits have the same
weights, so that a board and its image in any of the symmetries of Sudoku have the same answer; the number of weights
depends neither on the size of the board nor on how many rounds are made.

It is given which candidates are left, `bool[B, N * D]`, and says of each, as a logit, whether it stays. Source of the
way of working: "Lattice Deduction Transformer" (2026); of weights that are tied by symmetry: Zaheer et al., "Deep Sets"
(2017).

Shapes: B = boards, N = cells, D = digits, K = width, and a grid of bands x rows of a box x stacks x columns of a box.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Boxes, Candidates
from puzzlelab.engine import candidate_logits
from puzzlelab.nets.heads import Head
from puzzlelab.nets.network import NetworkSettings, Policy

ROW, COLUMN, BAND, STACK, DIGIT = 2, 4, 1, 3, 5
"""Axes of `[B, bands, rows of a box, stacks, columns of a box, D, K]`."""
CALM = 1 / 3
"""Sums over a unit are about three times as large as those over a line of a box."""


Reads = Literal["candidates", "digits"]
"""What such a network is trained on: boards with candidates taken away, or boards with digits alone."""


class LatticeNetwork(nn.Module):
    """`bool[B, N * D]` through the rounds to logits; the first weights are small enough for any number of rounds."""

    def __init__(self, width: int, rounds: int, digits: int, box: tuple[int, int]) -> None:
        super().__init__()
        rows, columns = box
        self.rounds = rounds
        self.grid = (digits // rows, rows, digits // columns, columns, digits)
        self.begin = nn.Parameter(torch.randn(2, width) / 2)
        self.own, self.cell, self.line = (nn.Linear(width, width) for _ in range(3))
        self.line_in_box, self.line_in_unit, self.from_cell, self.from_line, self.from_unit, self.from_box = (
            nn.Linear(width, width, bias=False) for _ in range(6)
        )
        self.norm = nn.LayerNorm(width)
        self.answer = nn.Linear(width, 1)

    def forward(self, candidates: Tensor) -> dict[str, Tensor]:
        *_, last = self.each_round(candidates)
        return {"moves": self.logits(last)}

    def logits(self, features: Tensor) -> Tensor:
        """`float[B, N * D]` from the features after a round."""
        found: Tensor = self.answer(features).float().reshape(len(features), -1)
        return found

    def each_round(self, candidates: Tensor) -> Iterator[Tensor]:
        """The features after each round."""
        left = candidates.reshape(-1, *self.grid, 1).to(self.begin.dtype)
        features = self.norm(self.begin[0] * left + self.begin[1] * (1 - left))
        for _ in range(self.rounds):
            features = self._round(features, left)
            yield features

    def _round(self, features: Tensor, left: Tensor) -> Tensor:
        """What the features become by being told the sums."""
        kept = features * left
        in_row, in_column = kept.sum(COLUMN, keepdim=True), kept.sum(ROW, keepdim=True)
        row, column = in_row.sum(STACK, keepdim=True), in_column.sum(BAND, keepdim=True)
        box = self.line_in_box(CALM * in_row.sum(ROW, keepdim=True))
        cell = functional.relu(self.cell(CALM * kept.sum(DIGIT, keepdim=True)))
        in_row = functional.relu(self.line(in_row) + box + self.line_in_unit(CALM * row))
        in_column = functional.relu(self.line(in_column) + box + self.line_in_unit(CALM * column))
        told = self.own(features) + self.from_cell(cell)
        told = told + (self.from_line(in_row) + self.from_unit(in_row.sum(STACK, keepdim=True)))
        told = told + (self.from_line(in_column) + self.from_unit(in_column.sum(BAND, keepdim=True)))
        told = told + self.from_box(in_row.sum(ROW, keepdim=True) + in_column.sum(COLUMN, keepdim=True))
        found: Tensor = self.norm(features + functional.relu(told))
        return found


class LatticeModule(NetworkSettings):
    """`rounds` rounds over features of `width` for every candidate."""

    portion: ClassVar[int] = 32

    kind: Literal["lattice"]
    heads: tuple[Head, ...] = ("moves",)
    policy: Policy = "cells"
    reads: Reads = "candidates"
    width: int = Field(default=24, ge=1)
    rounds: int = Field(default=8, ge=1)

    @property
    def reads_candidates(self) -> bool:
        """Whether it was trained on candidates."""
        return self.reads == "candidates"

    def build(self, puzzle: Puzzle) -> LatticeNetwork:
        """The network for this puzzle, with random weights."""
        digits, box = shape_of(puzzle, self)
        return LatticeNetwork(self.width, self.rounds, digits, box)

    def inputs(self, puzzle: Puzzle, states: State) -> tuple[NDArray[np.generic], ...]:
        """Every candidate of a blank cell, and the digit of any other."""
        return (all_candidates(puzzle, states),)


def shape_of(puzzle: Puzzle, settings: NetworkSettings) -> tuple[int, tuple[int, int]]:
    """D, and the rows and columns of a box; raises `Unsupported` where there are none, or for other heads."""
    cells, boxes = puzzle.view(Candidates), puzzle.view(Boxes)
    if cells is None or boxes is None:
        raise Unsupported(f"a network of the kind {settings.kind} is for puzzles whose boxes hold each digit once")
    if settings.heads != ("moves",):
        raise Unsupported(f"a network of the kind {settings.kind} tells scores of moves alone: heads = ['moves']")
    return cells.units.all.shape[1], boxes.box_shape


def all_candidates(puzzle: Puzzle, states: State) -> NDArray[np.bool_]:
    """`bool[B, N * D]`: what is left where no rule was applied: all candidates of blank cells, one of any other."""
    view = puzzle.view(Candidates)
    assert view is not None  # see `shape_of`
    number = view.units.all.shape[1]
    digits = np.stack([view.digits(state) for state in states]) if len(states) else np.empty((0, number**2), np.int64)
    return candidate_logits.all_candidates(digits, number).reshape(len(states), -1)


ARCHITECTURE = LatticeModule
