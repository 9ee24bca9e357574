"""`TorchModel`: a network of PyTorch, as it is trained and as trainings evaluate it; its device, precision and layers.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.nets.form import NetworkForm, Outputs, input_arrays, some_state
from puzzlelab.nets.layers import initialise_outputs
from puzzlelab.nets.model import Model
from puzzlelab.nets.network import NetworkSettings, Precision, read_network

CPU = torch.device("cpu")
ROWS = 64
"""The states of a block: greater batches are evaluated in whole blocks."""
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
    _last_bases: list[tuple[State, NDArray[np.float32]]] = field(default_factory=list, repr=False)
    """The states of the last call of `_base_estimate_of_moves`, and its result."""

    @cached_property
    def form(self) -> NetworkForm:
        """Its inputs and outputs."""
        return self.settings.form

    def evaluate(self, inputs: Sequence[NDArray[Any]]) -> Outputs:
        """Return the outputs of the layers for arrays of the kinds `form.inputs`."""
        with torch.inference_mode(), precision(self.device, self.precision):
            outputs = self.module(*(self.tensor(_with_whole_blocks(array)) for array in inputs))
            return {name: output.float().cpu().numpy()[: len(inputs[0])] for name, output in outputs.items()}

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

    def _base_estimate_of_moves(self, states: State) -> NDArray[np.float32]:
        """Compute the rows that differ from those of the last call: a learner plays on where it learned."""
        last = self._last_bases.pop() if self._last_bases else None
        if last is None or last[0].shape != states.shape:
            base = super()._base_estimate_of_moves(states)
        else:
            base, rows = last[1].copy(), np.flatnonzero((last[0] != states).any(axis=1))
            base[rows] = super()._base_estimate_of_moves(states[rows])
        self._last_bases.append((states.copy(), base))
        return base

    def tensor(self, array: NDArray[Any]) -> Tensor:
        """Return the array on the device of the network."""
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        if self.device.type == "cuda":  # from memory that stays in place the copy runs beside the program
            return tensor.pin_memory().to(self.device, non_blocking=True)
        return tensor.to(self.device)


# --- device and precision ---


def device(name: str = "auto") -> torch.device:
    """Return the device of this name; `auto` is a CUDA device where there is one, else the CPU. Raises `BadOption`."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(name)
    except RuntimeError:
        raise BadOption(f"'{name}' is no device; write auto, cpu, cuda or cuda:1") from None
    if chosen.type not in ("cpu", "cuda"):
        raise BadOption(f"networks are not trained on the device '{name}'; write auto, cpu, cuda or cuda:1")
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise BadOption(f"there is no device '{name}' on this machine: torch sees no CUDA")
    if chosen.type == "cuda" and (chosen.index or 0) >= graphics_cards():
        raise BadOption(f"there is no device '{name}' on this machine: cuda:{graphics_cards() - 1} is the last one")
    return chosen


def graphics_cards() -> int:
    """Return the number of graphics cards of this machine that PyTorch can use."""
    return torch.cuda.device_count()


@cache
def has_fast_bf16(target: torch.device) -> bool:
    """Tell whether matrix products in bfloat16 are faster there: on GPUs, and on CPUs with instructions for them."""
    if target.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def _with_whole_blocks(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array with rows of zeros up to a multiple of `ROWS`, if it has more: for each new number of rows,
    kernels of 16 bits are made, and memory is fetched.
    """
    added = -len(array) % ROWS if len(array) > ROWS else 0
    return np.concatenate([array, np.zeros((added, *array.shape[1:]), array.dtype)]) if added else array


def precision(target: torch.device, name: Precision = "auto") -> AbstractContextManager[object]:
    """Return a context that computes matrix products in bfloat16 if `name` says so, or for `auto` where that is faster.

    Weights, sums and output layers stay float32.
    """
    half = has_fast_bf16(target) if name == "auto" else name == "bf16"
    return torch.autocast(target.type, dtype=torch.bfloat16) if half else nullcontext()


# --- layers ---

Layer = dict[str, Any]
"""A layer of a network: its `name`, which is its place in the network's weights, such as `layers.0`; its `kind`, which
is its class, such as `Linear`; the `shape` of its output for one state, without the batch, or None where that is not
one tensor; and its `parameters`, the number of its weights that are trained.
"""


def untrained(puzzle: Puzzle, network: Mapping[str, Any]) -> TorchModel:
    """Return a network with these settings and weights by chance; raises `BadInput`."""
    settings = read_network(network)
    module: nn.Module = settings.build(puzzle)
    initialise_outputs(module, settings)
    return TorchModel(puzzle, settings, module.eval())


def layers_of(model: TorchModel) -> list[Layer]:
    """Return the inputs and the layers of a network. A layer that is evaluated several times is listed once."""
    layers: dict[str, Layer] = {}

    def record(name: str, module: nn.Module, inputs: Any = None, output: Any = None) -> None:
        parameters = sum(each.numel() for each in module.parameters(recurse=False))
        layers.setdefault(name, _layer(name or "network", type(module).__name__, output, parameters))

    parts = [(name, part) for name, part in model.module.named_modules() if _is_layer(part)]
    hooks = [part.register_forward_hook(partial(record, name)) for name, part in parts]
    arrays = input_arrays(model.puzzle, model.form.inputs, some_state(model.puzzle)[None])
    inputs = [model.tensor(array) for array in arrays]
    try:
        with torch.inference_mode():
            model.module(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
    for name, part in parts:  # those whose weights are read without a call, as by torch's attention
        record(name, part)
    return [*(_layer(f"input {number}", "Input", each, 0) for number, each in enumerate(inputs)), *layers.values()]


def _is_layer(part: nn.Module) -> bool:
    """Tell whether a module has weights of its own, or is no container of others."""
    return next(part.parameters(recurse=False), None) is not None or next(part.children(), None) is None


def _layer(name: str, kind: str, output: object, parameters: int) -> Layer:
    shape = list(output.shape[1:]) if isinstance(output, Tensor) else None
    return {"name": name, "kind": kind, "shape": shape, "parameters": parameters}
