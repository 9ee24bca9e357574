"""The target network: a copy that follows slowly, so that what is learned from does not run away with what is learned.

Mnih et al. (2015) copy now and then; Lillicrap et al. (2016) move the copy a little at every step.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from puzzlelab.core.settings import Settings
from puzzlelab.nets.model import Model

PREFIX = "slow."


class TargetUpdate(Settings):
    """How the copy follows."""

    rule: Literal["hard", "soft", "none"] = "soft"
    """Hard: it becomes the network every `every` steps. Soft: it moves by `rate` at each step. None: it is the network
    itself.
    """
    every: int = Field(default=500, ge=1)
    rate: float = Field(default=0.005, gt=0, le=1)


@dataclass(frozen=True)
class TargetNetwork:
    """The copy."""

    settings: TargetUpdate
    model: Model

    @classmethod
    def of(cls, model: Model, settings: TargetUpdate) -> TargetNetwork:
        """A copy of the network as it is; of `rule` none, the network itself."""
        if settings.rule == "none":
            return cls(settings, model)
        module = copy.deepcopy(model.module).requires_grad_(False)
        return cls(settings, Model(model.puzzle, model.settings, module, device=model.device))

    @torch.no_grad()
    def follow(self, module: nn.Module, step: int) -> None:
        """Follow the network after this step."""
        told = self.settings
        if told.rule == "soft":
            torch._foreach_lerp_(list(self.model.module.parameters()), list(module.parameters()), told.rate)
        elif told.rule == "hard" and step % told.every == 0:
            self.model.module.load_state_dict(module.state_dict())

    def state(self) -> dict[str, Tensor]:
        """All that `restore` needs."""
        if self.settings.rule == "none":
            return {}
        return {PREFIX + name: value.detach().cpu().clone() for name, value in self.model.module.state_dict().items()}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Become the copy that gave this state."""
        held = {name.removeprefix(PREFIX): value for name, value in state.items() if name.startswith(PREFIX)}
        if held:
            self.model.module.load_state_dict(held)
