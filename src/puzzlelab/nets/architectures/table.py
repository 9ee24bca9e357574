"""A table of values, one for each state and move: tabular Q-learning, the exact form of what networks approximate.

Watkins and Dayan, "Q-learning" (1992). The table holds its states, so that its file is complete in itself.

Shapes: N = states of the table, B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.engine.network_io import multipliers, state_codes
from puzzlelab.nets.form import Head, InputName
from puzzlelab.nets.network import NetworkSettings


class ValueTable(nn.Module):
    """Values of moves by state. Moves that are not learned have the value -inf in the table's states: those that
    `legal` does not report, and all moves of a goal.
    """

    states: Tensor
    """`int16[N, S]`, in the order of their codes."""
    codes: Tensor
    """`int64[N]`."""
    multipliers: Tensor
    """`int64[S]`."""

    def __init__(self, states: int, length: int, moves: int) -> None:
        super().__init__()
        self.values = nn.Parameter(torch.zeros(states, moves), requires_grad=False)
        self.register_buffer("states", torch.zeros(states, length, dtype=torch.int16))
        self.register_buffer("codes", torch.zeros(states, dtype=torch.int64))
        self.register_buffer("multipliers", torch.from_numpy(multipliers(length)))

    def fill(self, states: State, learned: NDArray[np.bool_]) -> None:
        """Hold these states `[N, S]` with the value 0 for the moves `learned: bool[N, M]`."""
        codes = state_codes(states)
        order = np.argsort(codes)
        self.codes.copy_(torch.from_numpy(codes[order]))
        self.states.copy_(torch.from_numpy(states[order].astype(np.int16)))
        self.values.copy_(torch.from_numpy(np.where(learned[order], 0.0, -np.inf)))

    def rows(self, states: Tensor) -> Tensor:
        """Return `int64[B]`: the row of each of the states `[B, S]`; -1 for a state that is not in the table."""
        codes = states.to(torch.int64) @ self.multipliers  # ONNX Runtime's sum has no overflow modulo 2^64
        rows = self._last_row_up_to(codes)
        return torch.where((self.states[rows] == states).all(1), rows, -1)

    def _last_row_up_to(self, codes: Tensor) -> Tensor:
        """Return `int64[B]`: the last row whose code is not above each of `codes[B]`, by halving; row 0 where there is
        none.

        `torch.searchsorted` cannot be exported to ONNX.
        """
        rows, last = torch.zeros_like(codes), len(self.codes) - 1
        for bit in reversed(range(last.bit_length())):
            further = (rows + (1 << bit)).clamp(max=last)
            rows = torch.where(self.codes[further] <= codes, further, rows)
        return rows

    def forward(self, states: Tensor) -> dict[str, Tensor]:
        rows = self.rows(states)
        values = self.values[rows.clamp(min=0)].where((rows >= 0)[:, None], 0.0)
        best = values.amax(1)
        return {"q": values, "cost_to_go": (-best).where(best > -torch.inf, 0.0)}


class Table(NetworkSettings):
    """A value for each move of `states` states; the cost-to-go is the negative of the greatest. 0 for other states."""

    kind: Literal["table"]
    heads: tuple[Head, ...] = ("q", "cost_to_go")
    states: int = Field(default=0, ge=0)
    """The number of states, which the recipe `tabular` sets."""
    length: int = Field(default=0, ge=0)
    """The length of a state."""

    def build(self, puzzle: Puzzle) -> ValueTable:
        """Build the table before it is filled; raises `Unsupported` without a number of states."""
        if not self.states:
            raise Unsupported("a table gets its number of states when the recipe 'tabular' begins to train")
        return ValueTable(self.states, self.length, puzzle.move_count)

    @property
    def input_names(self) -> tuple[InputName, ...]:
        """The states themselves."""
        return ("states",)


ARCHITECTURE = Table
