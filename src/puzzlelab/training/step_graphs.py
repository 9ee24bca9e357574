"""Faster updates of a network on a graphics card: fused kernels, and CUDA graphs, which do an update at one call.

Without graphs the program starts each kernel by itself, which takes longer than small kernels run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor, nn

from puzzlelab.core.errors import BadOption
from puzzlelab.engine import report
from puzzlelab.nets.layers import RoundsNetwork

Minibatch: TypeAlias = "Mapping[str, Tensor]"
"""The columns of a minibatch on the device of the network: each has one row for each sample."""
WARM_UPDATES = 3
"""Updates without a graph before one is recorded, in which PyTorch chooses its kernels and makes the moments."""


class Update(NamedTuple):
    """The results of an update of the weights."""

    losses: Tensor
    """`float[L]`: the loss, and its parts."""
    output: Tensor
    """The tensor that the recipe goes on with, such as the errors of the samples."""


class Recorded(NamedTuple):
    """A graph with the tensors that it reads and writes."""

    graph: torch.cuda.CUDAGraph
    columns: Minibatch
    update: Update


class StepGraphs:
    """The graphs of one learner, one for each kind of minibatch, and the stream on which they are recorded."""

    def __init__(self, device: torch.device, is_required: bool = False) -> None:
        """Make no graph yet; where one that is required cannot be made, `run` raises `BadOption`."""
        self._is_required = is_required
        self._device, self._stream = device, torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        self._recorded: dict[Hashable, Recorded] = {}
        self._updates: Counter[Hashable] = Counter()
        self._is_possible = True

    def run(self, name: Hashable, update: Callable[[Minibatch], Update], columns: Minibatch) -> Update:
        """Return the results of an update, whose operations are the same for one name and columns of one shape.

        Where PyTorch cannot record it, which is told once, all updates are made without a graph.
        """
        kind = name, tuple((each, column.shape, column.dtype) for each, column in columns.items())
        current = torch.cuda.current_stream(self._device)
        self._stream.wait_stream(current)
        with torch.cuda.stream(self._stream):
            self._updates[kind] += 1
            if self._is_possible and self._updates[kind] == WARM_UPDATES + 1:
                self._record(kind, update, columns)
            done = self._replayed(self._recorded[kind], columns) if kind in self._recorded else update(columns)
        current.wait_stream(self._stream)
        return done

    def _record(self, kind: Hashable, update: Callable[[Minibatch], Update], columns: Minibatch) -> None:
        """Record an update without making it."""
        held = {name: column.clone() for name, column in columns.items()}
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
                recorded = update(held)
        except RuntimeError as error:
            if self._is_required:
                raise BadOption(f"learning.compile=on: no CUDA graph can be made: {first_line(error)}") from None
            self._is_possible = False
            report.note(f"no CUDA graph can be made of the steps, which take longer without: {first_line(error)}")
        else:
            self._recorded[kind] = Recorded(graph, held, recorded)

    @staticmethod
    def _replayed(recorded: Recorded, columns: Minibatch) -> Update:
        for name, held in recorded.columns.items():
            held.copy_(columns[name])
        recorded.graph.replay()
        return Update(*(tensor.clone() for tensor in recorded.update))


def quick_step(optimiser: torch.optim.Optimizer) -> Callable[[], None]:
    """Return a function that does what `optimiser.step` does: on the processor it calls the kernel of Adam without
    the method around it, which takes longer than the kernel for a small network.
    """
    (group,) = optimiser.param_groups
    parameters = group["params"]
    if not isinstance(optimiser, torch.optim.Adam) or parameters[0].is_cuda:
        return optimiser.step
    kernel = torch._fused_adamw_ if group["decoupled_weight_decay"] else torch._fused_adam_
    beta1, beta2 = group["betas"]
    options = {name: group[name] for name in ("weight_decay", "eps", "amsgrad", "maximize")}
    moments: list[list[Tensor]] = []

    def step() -> None:
        gradients = [each.grad for each in parameters]
        if any(each is None for each in gradients) or len(optimiser.state) < len(parameters):
            optimiser.step()
            return
        if not moments:
            states = [optimiser.state[each] for each in parameters]
            moments.extend([each[name] for each in states] for name in ("exp_avg", "exp_avg_sq", "step"))
        means, squares, steps = moments
        with torch.no_grad():
            torch._foreach_add_(steps, 1)
            kernel(
                parameters, gradients, means, squares, [], steps, lr=group["lr"], beta1=beta1, beta2=beta2, **options
            )

    return step


def compiled(module: nn.Module, is_required: bool) -> nn.Module:
    """Return the network with compiled layers, which changes the last digits: on a graphics card only the round of a
    network that repeats it. Where PyTorch cannot compile, the network computes as before, or if required raises.
    """
    torch._dynamo.config.suppress_errors = not is_required
    if isinstance(module, RoundsNetwork):
        module.round = torch.compile(module.round, dynamic=False)  # type: ignore[method-assign]
    elif not next(module.parameters()).is_cuda:
        return torch.compile(module)  # type: ignore[return-value]
    return module


@contextmanager
def reports_compilation() -> Iterator[None]:
    """Raise `BadOption` where PyTorch cannot compile within this block."""
    try:
        yield
    except RuntimeError as error:
        if not type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
            raise
        raise BadOption(f"learning.compile=on: PyTorch cannot compile the network here: {first_line(error)}") from None


def first_line(error: Exception) -> str:
    """Return the first line of the message of an error."""
    return str(error).strip().partition("\n")[0]
