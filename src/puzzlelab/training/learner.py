"""The learner that all recipes share: a network, its optimiser, and the exponential moving average of its weights.

Only the initial weights are random, so that a step depends on nothing but the state before it and its batch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from math import cos, isfinite, pi, prod
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.form import some_state
from puzzlelab.nets.layers import Scalar, initialise_outputs
from puzzlelab.nets.model import residual_base
from puzzlelab.nets.network import NetworkSettings, read_network
from puzzlelab.nets.torch_model import TorchModel, device, layers_of, precision
from puzzlelab.runtime.memory import free_memory
from puzzlelab.training.evaluation import check_evaluation
from puzzlelab.training.recipe import Diverged
from puzzlelab.training.settings import BoardBytes, LearnerSettings, RecipeSettings
from puzzlelab.training.step_graphs import Minibatch, StepGraphs, Update, compiled, quick_step, reports_compilation
from puzzlelab.training.target_network import move_towards

BYTES_OF_PARAMETER = 20
"""Memory for each parameter in training: its value, its mean, its gradient, and two moments, in float32."""
BYTES_OF_OUTPUT = 4
"""Memory for each output of a layer, which the gradient needs."""
FETCHED_AT_ONCE = ("cpu",)
"""The devices whose losses are read after each step; others are not waited for."""
Losses: TypeAlias = "dict[str, Tensor]"
"""The parts of the loss by name, each with its weight; the loss is their sum."""
LossFunction: TypeAlias = "Callable[[TorchModel, Any, Minibatch], tuple[Losses, Tensor]]"
"""Computes the losses of a minibatch from the model, the settings of the recipe and the columns, and a tensor that the
recipe goes on with. It is a function of a module, and its values depend on the columns and the weights alone.
"""


class LossMeans(Mapping[str, float]):
    """The loss of a step and its parts by name, as means over its minibatches.

    They are fetched from the device when the first of them is read, so that a graphics card is not waited for. That
    raises `Diverged` where one of them is no number.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Tensor], step: int, rate: float) -> None:
        self._names, self._values, self._step, self._rate = names, values, step, rate

    @cached_property
    def _means(self) -> dict[str, float]:
        rows = torch.stack(list(self._values)).tolist()
        means = {
            name: sum(column) / len(rows) for name, column in zip(self._names, zip(*rows, strict=True), strict=True)
        }
        if wrong := [name for name, value in means.items() if not isfinite(value)]:
            part = wrong[-1] if wrong[-1] == "loss" else f"its part {wrong[-1]}"
            raise Diverged(f"the loss of step {self._step:,} is no number ({part}; learning rate {self._rate:g})")
        return means

    def __getitem__(self, name: str) -> float:
        return self._means[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass
class Learner:
    """A network in training; outside of `update` it is in the mode of evaluation."""

    puzzle: Puzzle
    settings: LearnerSettings
    model: TorchModel
    optimiser: torch.optim.Optimizer
    ema_module: nn.Module
    """The network with the moving average of the weights; with the decay 0 it is the network itself."""
    step: int = 0

    def __post_init__(self) -> None:
        self._names: tuple[str, ...] = ()
        """The names of the losses."""
        self._parameters = list(self.model.module.parameters())
        self._take_step = quick_step(self.optimiser)
        self._graphs: StepGraphs | None = None
        self._trained = self.model
        """The model whose losses are computed; its network is compiled where that is wanted."""
        choice, is_on_gpu = self.settings.compile, self.model.device.type == "cuda"
        if choice == "on" or (choice == "auto" and is_on_gpu):
            self._trained = replace(self.model, module=compiled(self.model.module, choice == "on"))
            if is_on_gpu and self.settings.optimiser != "sgd":
                self._graphs = StepGraphs(self.model.device, choice == "on")

    def update(self, losses_of: LossFunction, settings: Any, *minibatches: Minibatch) -> tuple[LossMeans, Tensor]:
        """Make one step: down the gradient of the loss of each minibatch in turn, at one learning rate.

        Returns the losses, and the tensor of the last minibatch that `losses_of` returns beside them.
        """
        rate = learning_rate_at(self.settings, self.step)
        self._set_learning_rate(rate)
        descend = partial(self._descend, losses_of, settings)
        self.model.module.train()
        with without_denormals():
            updates = [
                descend(each) if self._graphs is None else self._graphs.run(losses_of, descend, each)
                for each in minibatches
            ]
        self.model.module.eval()
        self.step += 1
        self._update_average()
        means = LossMeans(self._names, [each.losses for each in updates], self.step, rate)
        if self.model.device.type in FETCHED_AT_ONCE:
            means["loss"]  # raises `Diverged` at this step, where there is nothing to wait for
        return means, updates[-1].output

    def _descend(self, losses_of: LossFunction, settings: Any, columns: Minibatch) -> Update:
        """Update the weights once."""
        with precision(self.model.device, self.settings.precision), reports_compilation():
            losses, output = losses_of(self._trained, settings, columns)
        total = reduce(torch.add, losses.values())
        for parameter in self._parameters:
            parameter.grad = None
        total.backward()  # type: ignore[no-untyped-call]
        if self.settings.max_grad_norm:
            nn.utils.clip_grad_norm_(self._parameters, self.settings.max_grad_norm)
        self._take_step()
        self._names = "loss", *losses
        return Update(torch.stack([each.detach() for each in (total, *losses.values())]), output.detach())

    def _set_learning_rate(self, rate: float) -> None:
        for group in self.optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(rate)  # which recorded updates read
            else:
                group["lr"] = rate

    def _update_average(self) -> None:
        """Update the moving average, with a smaller decay in the first steps."""
        if self.ema_module is not self.model.module:
            move_towards(self.ema_module, self.model.module, 1 - min(self.settings.ema, self.step / (self.step + 10)))

    @property
    def ema_model(self) -> TorchModel:
        """The network with the moving average of the weights, which is evaluated and saved."""
        return replace(self.model, module=self.ema_module)

    def scalar_heads(self) -> Iterator[Scalar]:
        """Yield the output layers with a mean and a scale, of the network and of its moving average."""
        for module in (self.model.module, self.ema_module):
            yield from (part for part in module.modules() if isinstance(part, Scalar))

    def check_weights(self) -> None:
        """Raise `Diverged` where a weight that is trained is no number; waits for a graphics card."""
        trained = [parameter for parameter in self.model.module.parameters() if parameter.requires_grad]
        if trained and not torch.stack([parameter.isfinite().all() for parameter in trained]).all():
            raise Diverged(f"weights of the network are no numbers after step {self.step:,}")

    # --- saving ---

    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Take the weights of another network, before the first step."""
        self.model.module.load_state_dict(weights)
        self.ema_module.load_state_dict(weights)

    def state(self) -> dict[str, Tensor]:
        """Return all that `restore` needs, except the step."""
        tensors = {f"network.{name}": value for name, value in self.model.module.state_dict().items()}
        tensors |= {f"ema.{name}": value for name, value in self.ema_module.state_dict().items()}
        for number, moments in self.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{number}.{name}": torch.as_tensor(value) for name, value in moments.items()}
        return {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}

    def restore(self, state: Mapping[str, Tensor], step: int) -> None:
        """Load the state that was saved at this step."""
        self.step = step
        self.model.module.load_state_dict(_with_prefix(state, "network."))
        self.ema_module.load_state_dict(_with_prefix(state, "ema."))
        moments: dict[int, dict[str, Tensor]] = {}
        for name, value in _with_prefix(state, "optimiser.").items():
            number, _, part = name.partition(".")
            moments.setdefault(int(number), {})[part] = value
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": moments, "param_groups": groups})
        self._take_step = quick_step(self.optimiser)


def check_network(puzzle: Any, settings: RecipeSettings, prefers_prior: bool = False) -> NetworkSettings:
    """Return the settings of the network; raises `BadInput` where it cannot be built for this puzzle, trained on the
    device and in its memory, or evaluated as the settings say.
    """
    device(settings.learning.device)
    architecture: Any = read_network(settings.network)
    _check_size(puzzle, architecture)
    module = architecture.build(puzzle)
    initialise_outputs(module, architecture)
    residual_base(puzzle, architecture.residual_over)
    model = TorchModel(puzzle, architecture, module.eval())
    check_memory(puzzle, settings, model)
    check_evaluation(settings.evaluation, model, prefers_prior)
    return architecture  # type: ignore[no-any-return]


def _check_size(puzzle: Puzzle, architecture: Any) -> None:
    """Raise `BadOption` for a network for whose training there is not enough memory, before it is made."""
    try:
        with torch.device("meta"):
            parameters = sum(parameter.numel() for parameter in architecture.build(puzzle).parameters())
    except (RuntimeError, TypeError, NotImplementedError, OverflowError) as error:
        if "overflow" in str(error).lower():
            raise BadOption("this network is too large for any memory") from None
        return  # its layers cannot be made without their weights
    subject = f"this network has {parameters:,} parameters, whose training needs"
    _require_memory(subject, parameters * BYTES_OF_PARAMETER, free_memory())


def _require_memory(subject: str, needed: int, free: int) -> None:
    """Raise `BadOption` where the subject of its sentence needs more bytes than are free."""
    if needed > free:
        raise BadOption(f"{subject} {needed / 1e9:,.1f} GB of memory at least, and {free / 1e9:,.1f} GB are free")


def check_memory(puzzle: Puzzle, settings: RecipeSettings, model: TorchModel | None = None) -> None:
    """Raise `BadOption` for a batch, games or a buffer for which there is not enough memory.

    The needs are lower bounds, so that nothing is refused that could be trained.
    """
    state, target = some_state(puzzle).nbytes, device(settings.learning.device)
    learned = BYTES_OF_OUTPUT * sum(prod(layer["shape"] or (0,)) for layer in layers_of(model)) if model else 0
    needs = settings.memory_needs(BoardBytes(state, state + 8 * puzzle.move_count, learned))
    for name, needed in needs.items():
        on_card = name == "learning.batch_size" and target.type == "cuda"
        free = torch.cuda.mem_get_info(target)[0] if on_card else free_memory()
        _require_memory(f"{name} is too large: it needs", needed, free)


def new_learner(puzzle: Puzzle, network: Mapping[str, Any], settings: LearnerSettings, seed: int) -> Learner:
    """Return a learner with random weights, the same for the same seed."""
    on_device = device(settings.device)
    torch.set_num_threads(settings.threads)
    architecture = read_network(network)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = architecture.build(puzzle)
        initialise_outputs(module, architecture)
        module = module.to(on_device).eval()
    ema_module = copy.deepcopy(module).requires_grad_(False) if settings.ema else module
    model = TorchModel(puzzle, architecture, module, device=on_device, precision=settings.precision)
    return Learner(puzzle, settings, model, _optimiser(settings, module), ema_module)


def _optimiser(settings: LearnerSettings, module: nn.Module) -> torch.optim.Optimizer:
    parameters = list(module.parameters())
    if settings.optimiser == "sgd":
        return torch.optim.SGD(parameters, settings.learning_rate)
    rate: Tensor | float = settings.learning_rate
    if is_on_gpu := parameters[0].is_cuda:
        rate = torch.tensor(rate, device=parameters[0].device)
    if settings.optimiser == "adam":
        return torch.optim.Adam(parameters, rate, fused=True, capturable=is_on_gpu)
    decay = settings.weight_decay
    return torch.optim.AdamW(parameters, rate, weight_decay=decay, fused=True, capturable=is_on_gpu)


def learning_rate_at(settings: LearnerSettings, step: int) -> float:
    """Return the learning rate at a step."""
    rate = settings.learning_rate * min(1.0, (step + 1) / (settings.warmup + 1))
    if settings.schedule == "constant" or settings.steps is None:
        return rate
    restarts = sum(begin <= step for begin in settings.restarts)
    begin, end = [0, *settings.restarts, settings.steps][restarts : restarts + 2]
    cosine = 0.5 * (1 + cos(pi * min(1.0, (step - begin) / (end - begin))))
    final = settings.final_lr_share
    return rate * settings.restart_factor**restarts * (final + (1 - final) * cosine)


@contextmanager
def without_denormals() -> Iterator[None]:
    """Take numbers below 1e-38 for 0 within this block: a processor computes many times slower with them, and the
    moments of units without a gradient become as small.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def _with_prefix(state: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}
