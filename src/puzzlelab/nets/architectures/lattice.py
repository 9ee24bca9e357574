"""A small recurrent network over all candidates of a board, whose weights are tied by the symmetries of Sudoku.

Every candidate, a digit in a cell, has a feature vector. In each round it receives messages: the sums of the features
of the remaining candidates in its cell and, for its digit, in its row, its column, its box, and the two lines of the
box that it lies in. Before that, each line of a box receives the sums of its box and of its row or column. Rows and
columns, bands and stacks, and digits share weights, so that the network is equivariant under all symmetries of Sudoku.
The number of weights depends neither on the size of the board nor on the number of rounds.

The input is the mask of remaining candidates, `bool[B, N * D]`; the output is a logit for each candidate to stay.
Sources: "Lattice Deduction Transformer" (2026) for the method, Zaheer et al., "Deep Sets" (2017) for tied weights.

Shapes: B = boards, N = cells, D = digits, K = width, and a grid of bands x rows of a box x stacks x columns of a box.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Candidates
from puzzlelab.nets.form import Head, InputName, Policy
from puzzlelab.nets.layers import RoundsNetwork
from puzzlelab.nets.network import NetworkSettings

ROW, COLUMN, BAND, STACK, DIGIT = 2, 4, 1, 3, 5
"""Axes of `[B, bands, rows of a box, stacks, columns of a box, D, K]`."""
UNIT_SCALE = 1 / 3
"""A sum over a unit is about three times as large as one over a line of a box."""

Reads = Literal["candidates", "digits"]
"""The inputs of training: boards with candidates removed, or boards with digits alone."""


class LatticeNetwork(RoundsNetwork):
    """Logits from candidates `bool[B, N * D]`; the initial weights are small enough for any number of rounds."""

    def __init__(self, width: int, rounds: int, digits: int, box: tuple[int, int]) -> None:
        super().__init__(rounds)
        rows, columns = box
        self.grid = (digits // rows, rows, digits // columns, columns, digits)
        self.begin = nn.Parameter(torch.randn(2, width) / 2)
        self.own, self.cell, self.line = (nn.Linear(width, width) for _ in range(3))
        self.line_in_box, self.line_in_unit, self.from_cell, self.from_line, self.from_unit, self.from_box = (
            nn.Linear(width, width, bias=False) for _ in range(6)
        )
        self.norm = nn.LayerNorm(width)
        self.answer = nn.Linear(width, 1)

    def logits(self, features: Tensor) -> Tensor:
        """Return `float[B, N * D]` from the features after a round."""
        output: Tensor = self.answer(features).float().flatten(1)
        return output

    def start(self, candidates: Tensor) -> tuple[Tensor, Tensor]:
        """Return the features before the first round, and the mask, which is 1 for remaining candidates."""
        mask = candidates.reshape(-1, *self.grid, 1).to(self.begin.dtype)
        return self.norm(self.begin[0] * mask + self.begin[1] * (1 - mask)), mask

    def round(self, features: Tensor, mask: Tensor) -> Tensor:
        """Return the features after one round of messages."""
        masked = features * mask
        in_row, in_column = masked.sum(COLUMN, keepdim=True), masked.sum(ROW, keepdim=True)
        row, column = in_row.sum(STACK, keepdim=True), in_column.sum(BAND, keepdim=True)
        box = self.line_in_box(UNIT_SCALE * in_row.sum(ROW, keepdim=True))
        cell = functional.relu(self.cell(UNIT_SCALE * masked.sum(DIGIT, keepdim=True)))
        in_row = functional.relu(self.line(in_row) + box + self.line_in_unit(UNIT_SCALE * row))
        in_column = functional.relu(self.line(in_column) + box + self.line_in_unit(UNIT_SCALE * column))
        message = self.own(features) + self.from_cell(cell)
        message = message + (self.from_line(in_row) + self.from_unit(in_row.sum(STACK, keepdim=True)))
        message = message + (self.from_line(in_column) + self.from_unit(in_column.sum(BAND, keepdim=True)))
        message = message + self.from_box(in_row.sum(ROW, keepdim=True) + in_column.sum(COLUMN, keepdim=True))
        output: Tensor = self.norm(features + functional.relu(message))
        return output


class ReadsCandidates(NetworkSettings):
    """The settings of networks whose input is the mask of candidates."""

    heads: tuple[Head, ...] = ("policy",)
    policy: Policy = "cells"
    reads: Reads = "candidates"

    @property
    def reads_candidates(self) -> bool:
        """Whether it was trained on candidates."""
        return self.reads == "candidates"

    @property
    def input_names(self) -> tuple[InputName, ...]:
        """The mask of candidates."""
        return ("candidates",)


class LatticeModule(ReadsCandidates):
    """`rounds` rounds of messages between candidates with `width` features each."""

    batch_size: ClassVar[int] = 32

    kind: Literal["lattice"]
    width: int = Field(default=24, ge=1)
    rounds: int = Field(default=8, ge=1)

    def build(self, puzzle: Puzzle) -> LatticeNetwork:
        """Return the network for this puzzle, with random weights."""
        digits, box = shape_of(puzzle, self)
        return LatticeNetwork(self.width, self.rounds, digits, box)


def shape_of(puzzle: Puzzle, settings: NetworkSettings) -> tuple[int, tuple[int, int]]:
    """Return (D, (rows, columns) of a box).

    Raises `Unsupported` for puzzles without boxes and heads other than `policy`.
    """
    view = puzzle.view(Candidates)
    box_shape = None if view is None else view.units.box_shape
    if view is None or box_shape is None:
        raise Unsupported(f"a network of the kind {settings.kind} is for puzzles whose boxes hold each digit once")
    if settings.heads != ("policy",):
        raise Unsupported(f"a network of the kind {settings.kind} has one head: heads = ['policy']")
    return view.units.all.shape[1], box_shape


ARCHITECTURE = LatticeModule
