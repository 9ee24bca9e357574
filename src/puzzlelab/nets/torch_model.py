"""`TorchModel`: a network of PyTorch, as it is trained and as trainings evaluate it.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from puzzlelab.core.puzzle import State
from puzzlelab.nets.device import precision
from puzzlelab.nets.form import NetworkForm, Outputs
from puzzlelab.nets.model import Model
from puzzlelab.nets.network import NetworkSettings, Precision

CPU = torch.device("cpu")
INPUT, MOVES, BASE = "input", "moves", "base."
"""Names of columns: the inputs with their numbers, the permutation of moves, and the base of a head."""


@dataclass(frozen=True, eq=False)
class TorchModel(Model):
    """A network with its module; `name` is the hash of its weights, or empty while it is trained."""

    settings: NetworkSettings
    module: nn.Module
    name: str = ""
    device: torch.device = CPU
    precision: Precision = "auto"
    """The precision of its matrix products, in `evaluate`."""

    @property
    def form(self) -> NetworkForm:
        """Its inputs and outputs."""
        return self.settings.form

    def evaluate(self, inputs: Sequence[NDArray[Any]]) -> Outputs:
        """Return the outputs of the layers for arrays of the kinds `form.inputs`."""
        with torch.inference_mode(), precision(self.device, self.precision), evaluating(self.module):
            outputs = self.module(*map(self.tensor, inputs))
            return {name: output.float().cpu().numpy() for name, output in outputs.items()}

    def columns(self, states: State) -> dict[str, Tensor]:
        """Return the columns that `forward` reads for the plain `states[B, S]`: each has one row for each state."""
        inputs, move_permutation = self.inputs(states)
        columns = {f"{INPUT}{number}": self.tensor(array) for number, array in enumerate(inputs)}
        if move_permutation is not None:
            columns[MOVES] = self.tensor(move_permutation)
        if self.form.residual_over:
            heads = (name for name in self.heads if name != "policy")
            columns |= {BASE + name: self.tensor(np.asarray(self.base_of(name, states))) for name in heads}
        return columns

    def forward(self, columns: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return the outputs of all heads, with gradients, from the columns that `columns` returns, or some rows."""
        inputs = (columns[f"{INPUT}{number}"] for number in range(len(self.form.inputs)))
        outputs = {name: output.float() for name, output in self.module(*inputs).items()}
        if MOVES in columns:
            moves = columns[MOVES]
            outputs = {name: each.gather(1, moves) if each.ndim == 2 else each for name, each in outputs.items()}
        return {name: each + columns[BASE + name] if BASE + name in columns else each for name, each in outputs.items()}

    def tensor(self, array: NDArray[Any]) -> Tensor:
        """Return the array on the device of the network."""
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        if self.device.type == "cuda":  # from memory that stays in place the copy runs beside the program
            return tensor.pin_memory().to(self.device, non_blocking=True)
        return tensor.to(self.device)


@contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """Let batch normalisation use its running statistics within this block, and not update them."""
    training = module.training
    if training:
        module.eval()
    try:
        yield
    finally:
        if training:
            module.train()
