"""The target network: a copy of the network that follows it slowly, so that the targets of learning are stable.

Mnih et al. (2015) copy the weights now and then; Lillicrap et al. (2016) move the copy a little at every step.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from puzzlelab.core.settings import Settings
from puzzlelab.nets.torch_model import TorchModel

PREFIX = "target_network."
"""The beginning of the names of its weights in a saved state."""


class TargetUpdate(Settings):
    """The rule by which the target network follows the network."""

    rule: Literal["hard", "soft", "none"] = "soft"
    """Hard: a copy of all weights every `interval` steps. Soft: a step of the share `tau` towards the weights at each
    step. None: no target network; the network itself is used.
    """
    interval: int = Field(default=500, ge=1)
    """Steps between two copies of the network."""
    tau: float = Field(default=0.005, gt=0, le=1)
    """The share by which the target network follows the network in each step."""


@dataclass(frozen=True)
class TargetNetwork:
    """The target network of a model."""

    settings: TargetUpdate
    model: TorchModel

    @classmethod
    def of(cls, model: TorchModel, settings: TargetUpdate) -> TargetNetwork:
        """Copy the model as it is; with the rule `none`, return the model itself."""
        if settings.rule == "none":
            return cls(settings, model)
        module = copy.deepcopy(model.module).requires_grad_(False).eval()
        return cls(settings, replace(model, module=module))

    def copy(self, module: nn.Module) -> None:
        """Take the weights of the network as they are."""
        self.model.module.load_state_dict(module.state_dict())

    def update(self, module: nn.Module, step: int) -> None:
        """Follow the network after this step."""
        settings = self.settings
        if settings.rule == "soft":
            move_towards(self.model.module, module, settings.tau)
        elif settings.rule == "hard" and step % settings.interval == 0:
            self.copy(module)

    def state(self) -> dict[str, Tensor]:
        """Return all that `restore` needs."""
        if self.settings.rule == "none":
            return {}
        return {PREFIX + name: value.detach().cpu().clone() for name, value in self.model.module.state_dict().items()}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Load a saved state; entries of other parts of the training state are ignored."""
        weights = {name.removeprefix(PREFIX): value for name, value in state.items() if name.startswith(PREFIX)}
        if weights:
            self.model.module.load_state_dict(weights)


@torch.no_grad()
def move_towards(follower: nn.Module, module: nn.Module, share: float) -> None:
    """Move the weights of `follower` by a share of their distance to those of `module`.

    Its buffers move as its weights do, so that running statistics fit the averaged weights; integers are copied.
    """
    torch._foreach_lerp_(list(follower.parameters()), list(module.parameters()), share)
    for average, buffer in zip(follower.buffers(), module.buffers(), strict=True):
        if average.is_floating_point():
            average.lerp_(buffer, share)
        else:
            average.copy_(buffer)
