"""What all recipes share: a network, its optimiser, the running mean of its weights, and how all of it is kept.

Nothing here draws random numbers but the first weights, so that a step is the same whenever it is made.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import cos, pi
from typing import Any, Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.settings import Settings
from puzzlelab.nets.device import Precision, device, precision
from puzzlelab.nets.heads import Scalar
from puzzlelab.nets.model import Model, residual_base
from puzzlelab.nets.network import NetworkSettings, read_network

Losses = dict[str, Tensor]
"""Each part of the loss by name, weighted already; what is learned from is their sum."""


class LearnerSettings(Settings):
    """How a network is moved."""

    steps: int | None = Field(default=None, ge=1)
    """How many; without an end if None."""
    batch: int = Field(default=1000, ge=1)
    optimiser: Literal["adam", "adamw", "sgd"] = "adamw"
    rate: float = Field(default=1e-3, gt=0)
    schedule: Literal["constant", "cosine"] = "cosine"
    """Cosine: down to `last` of the rate at the last step, or the next restart."""
    last: float = Field(default=0.02, ge=0, le=1)
    restarts: tuple[int, ...] = ()
    """Steps at which the cosine begins anew (Loshchilov and Hutter, 2017),"""
    again: float = Field(default=1.0, gt=0, le=1)
    """each time with this share of the rate with which it began before."""
    warmup: int = Field(default=200, ge=0)
    """Steps in which the rate grows from nothing."""
    decay: float = Field(default=1e-4, ge=0)
    """Weight decay of adamw."""
    clip: float = Field(default=5.0, ge=0)
    """The greatest norm of a gradient; 0 lets every gradient be."""
    mean: float = Field(default=0.999, ge=0, lt=1)
    """How slowly the running mean of the weights follows them; the mean is what is measured and kept."""
    device: str = "auto"
    precision: Precision = "auto"
    threads: int = Field(default=1, ge=1)
    save: float = Field(default=60.0, gt=0)
    """Seconds after which the state is saved."""

    @model_validator(mode="after")
    def _rises(self) -> LearnerSettings:
        marks = [0, *self.restarts, *(() if self.steps is None else (self.steps,))]
        if marks != sorted(set(marks)):
            raise ValueError(f"restarts come one after the other, before the last step, not at {list(self.restarts)}")
        return self


@dataclass
class Learner:
    """A network on its way."""

    puzzle: Puzzle
    settings: LearnerSettings
    model: Model
    optimiser: torch.optim.Optimizer
    average: nn.Module
    step: int = 0

    def update(self, losses: Callable[[], Losses]) -> dict[str, float]:
        """One step down the sum of the losses that this function finds, with the `model`; their values."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate_at(self.settings, self.step)
        with precision(self.model.device, self.settings.precision):
            found = losses()
        total = torch.stack(list(found.values())).sum()
        self.optimiser.zero_grad()
        total.backward()  # type: ignore[no-untyped-call]
        if self.settings.clip:
            nn.utils.clip_grad_norm_(self.model.module.parameters(), self.settings.clip)
        self.optimiser.step()
        self.step += 1
        self._follow()
        return {"loss": float(total.detach()), **{name: float(loss.detach()) for name, loss in found.items()}}

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the running mean; in the first steps it follows closely."""
        share = 1 - min(self.settings.mean, self.step / (self.step + 10))
        torch._foreach_lerp_(list(self.average.parameters()), list(self.model.module.parameters()), share)
        for mine, theirs in zip(self.average.buffers(), self.model.module.buffers(), strict=True):
            mine.copy_(theirs)

    @property
    def best(self) -> Model:
        """The network with the running mean of the weights, to be measured and kept."""
        return Model(self.puzzle, self.model.settings, self.average.eval(), device=self.model.device)

    def scalars(self) -> Iterator[Scalar]:
        """The layers that answer in units of their own, of the network and of its running mean."""
        for module in (self.model.module, self.average):
            yield from (part for part in module.modules() if isinstance(part, Scalar))

    # --- keeping ---

    def state(self) -> dict[str, Tensor]:
        """All that `restore` needs, but the step."""
        held = {f"network.{name}": value for name, value in self.model.module.state_dict().items()}
        held |= {f"average.{name}": value for name, value in self.average.state_dict().items()}
        for number, values in self.optimiser.state_dict()["state"].items():
            held |= {f"optimiser.{number}.{name}": torch.as_tensor(value) for name, value in values.items()}
        return {name: value.detach().cpu().contiguous().clone() for name, value in held.items()}

    def restore(self, state: Mapping[str, Tensor], step: int) -> None:
        """Become the learner that gave this state at this step."""
        self.step = step
        self.model.module.load_state_dict(_inside(state, "network."))
        self.average.load_state_dict(_inside(state, "average."))
        moments: dict[int, dict[str, Tensor]] = {}
        for name, value in _inside(state, "optimiser.").items():
            number, _, part = name.partition(".")
            moments.setdefault(int(number), {})[part] = value
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": moments, "param_groups": groups})


def checked(puzzle: Any, network: Mapping[str, Any]) -> NetworkSettings:
    """The settings of a network, which can be built for this puzzle; raises `BadInput`."""
    architecture: Any = read_network(network)
    architecture.build(puzzle)
    residual_base(puzzle, architecture)
    return architecture  # type: ignore[no-any-return]


def new(puzzle: Puzzle, network: Mapping[str, Any], settings: LearnerSettings, seed: int) -> Learner:
    """A learner with random weights, the same for the same seed."""
    place = device(settings.device)
    torch.set_num_threads(settings.threads)
    architecture = read_network(network)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = architecture.build(puzzle).to(place)
    average = copy.deepcopy(module).requires_grad_(False)
    model = Model(puzzle, architecture, module, device=place)
    return Learner(puzzle, settings, model, _optimiser(settings, module), average)


def _optimiser(settings: LearnerSettings, module: nn.Module) -> torch.optim.Optimizer:
    parameters = list(module.parameters())
    if settings.optimiser == "adam":
        return torch.optim.Adam(parameters, settings.rate, fused=True)
    if settings.optimiser == "adamw":
        return torch.optim.AdamW(parameters, settings.rate, weight_decay=settings.decay, fused=True)
    return torch.optim.SGD(parameters, settings.rate)


def rate_at(settings: LearnerSettings, step: int) -> float:
    """The rate of learning at a step."""
    rate = settings.rate * min(1.0, (step + 1) / (settings.warmup + 1))
    if settings.schedule == "constant" or settings.steps is None:
        return rate
    past = sum(begin <= step for begin in settings.restarts)
    begin, end = [0, *settings.restarts, settings.steps][past : past + 2]
    fallen = 0.5 * (1 + cos(pi * min(1.0, (step - begin) / (end - begin))))
    return rate * settings.again**past * (settings.last + (1 - settings.last) * fallen)


def _inside(state: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}
