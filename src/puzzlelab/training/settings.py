"""The settings that recipes share. A program that only reads the settings of a run does not import PyTorch for them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import AfterValidator, Field, model_validator

from puzzlelab.core.errors import UnknownName
from puzzlelab.core.plug_ins import Group
from puzzlelab.core.settings import Adjustable, OfMachine, Settings, WhenContinued
from puzzlelab.nets.network import Precision
from puzzlelab.training.continuation import Change
from puzzlelab.training.evaluation import EvalSettings

LOSSES = Group("losses", "loss", "LOSS", ("training/losses",))


def _known(name: str) -> str:
    """Return the name of a loss; raises `UnknownName`. The loss itself, which needs PyTorch, is not imported."""
    if LOSSES.place(name) is None:
        raise UnknownName(LOSSES.word, name, LOSSES.all)
    return name


Distance = Annotated[str, AfterValidator(_known)]
"""The name of a loss: a measure of the difference between a predicted value and its target."""


class LearnerSettings(Settings):
    """The optimisation of a network."""

    steps: Adjustable[int | None] = Field(default=None, ge=1)
    """The number of steps; None: train until interrupted."""
    batch_size: int = Field(default=1000, ge=1)
    """Samples in each step."""
    optimiser: Literal["adam", "adamw", "sgd"] = "adamw"
    """The method of gradient descent."""
    learning_rate: Adjustable[float] = Field(default=1e-3, gt=0)
    """The step size of the optimiser at its greatest."""
    schedule: Adjustable[Literal["constant", "cosine"]] = "cosine"
    """Cosine: the learning rate falls to the share `final_lr_share` at the last step, or at the next restart."""
    final_lr_share: Adjustable[float] = Field(default=0.02, ge=0, le=1)
    """The last learning rate, as a share of the greatest."""
    restarts: Adjustable[tuple[int, ...]] = ()
    """Steps at which the cosine starts again (Loshchilov and Hutter, 2017)."""
    restart_factor: Adjustable[float] = Field(default=1.0, gt=0, le=1)
    """The learning rate at the start of a cosine, as a share of that at the start of the cosine before."""
    warmup: Adjustable[int] = Field(default=200, ge=0)
    """Steps in which the learning rate rises linearly from 0."""
    weight_decay: Adjustable[float] = Field(default=1e-4, ge=0)
    """The weight decay of adamw."""
    max_grad_norm: Adjustable[float] = Field(default=5.0, ge=0)
    """The norm to which gradients are clipped; 0: no clipping."""
    ema: Adjustable[float] = Field(default=0.999, ge=0, lt=1)
    """The decay of the exponential moving average of the weights, which is evaluated and saved."""
    device: OfMachine[str] = "auto"
    """The device on which the network is trained: `auto` takes a GPU (CUDA) if PyTorch finds one; or `cpu`, `cuda`."""
    precision: OfMachine[Precision] = "auto"
    """The arithmetic of the layers: `bf16` has 16 bits; `auto` takes it where it is fast."""
    compile: OfMachine[Literal["auto", "on", "off"]] = "auto"
    """Auto: on a graphics card an update is recorded once, and then done at one call; the rounds of a network
    that has some are compiled, which changes the last digits; where that fails, training goes on without. On: it must
    not fail, and on the processor the network is compiled, which takes a C++ compiler and a minute.
    """
    threads: OfMachine[int] = Field(default=1, ge=1)
    """Threads of the processor."""
    save_seconds: OfMachine[float] = Field(default=60.0, gt=0)
    """Seconds between two saved states."""
    snapshots: Adjustable[int] = Field(default=0, ge=0)
    """Steps between two networks that are kept beside the best and the last one, as RUN:STEP; 0: none is. Self-play
    keeps its champions instead.
    """

    @model_validator(mode="after")
    def _ordered(self) -> LearnerSettings:
        marks = [0, *self.restarts, *(() if self.steps is None else (self.steps,))]
        if marks != sorted(set(marks)):
            last = "the last step" if self.steps is None else f"the last of {self.steps:,} steps"
            raise ValueError(f"restarts must rise and lie before {last}, not be at {list(self.restarts)}")
        return self


class BoardBytes(NamedTuple):
    """The least memory for one board, in bytes."""

    state: int
    played: int
    """As a game in progress: its state, and a number for each move."""
    learned: int
    """In a batch: the inputs and the outputs of all layers, which the gradient needs."""


class RecipeSettings(Settings):
    """The settings that every recipe has."""

    samples_from: ClassVar[tuple[str, ...]] = ("puzzle", "seed", "recipe")
    """The settings, or tables of them, by which the samples in the folder of a run are made."""

    recipe: str = ""
    """The recipe's own name."""
    puzzle: Annotated[str, WhenContinued(reason="the saved network is for it")]
    """The name of the puzzle."""
    seed: Annotated[int, WhenContinued(reason="samples and steps so far were drawn by it")] = Field(
        default=0, ge=0, lt=2**63
    )
    """The seed of all random numbers."""
    network: Annotated[dict[str, Any], WhenContinued(reason="the saved weights are of that architecture")]
    """The kind of network (`network.kind`) with its own settings."""
    init: Annotated[str, WhenContinued(reason="training began with that network")] = ""
    """The network whose weights training begins with, such as `net:tiles-3x3` or the folder of a run; empty: random
    weights. In the folder of a run this is its hash.
    """
    learning: LearnerSettings = LearnerSettings()
    evaluation: EvalSettings = EvalSettings()
    changes: tuple[Change, ...] = ()
    """The settings that were changed while the run went on: the step, and the value before."""

    def memory_needs(self, board: BoardBytes) -> dict[str, int]:
        """Return the least bytes of memory for each setting that is a number of boards."""
        learned, evaluated = self.learning.batch_size * board.learned, self.evaluation.boards * board.state
        return {"learning.batch_size": learned, "evaluation.boards": evaluated}


class PolicyValueSettings(RecipeSettings):
    """The settings of every recipe that learns in this way."""

    cost_to_go_weight: float = Field(default=1.0, ge=0)
    """The weight of the remaining moves in the loss."""
    policy_weight: float = Field(default=0.1, ge=0)
    """The weight of the scores of moves in the loss."""
    distance: Distance = "squared"
    """The measure of the difference between a predicted value and its target."""
    augment: bool = True
    """Whether samples are shown under random symmetries of the puzzle and random permutations of its symbols."""
