"""The settings that all architectures have in common, and the lookup of an architecture by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, get_args

from pydantic import field_validator

from puzzlelab.core.errors import BadOption
from puzzlelab.core.plug_ins import Group
from puzzlelab.core.settings import Settings
from puzzlelab.nets.form import Head, InputName, NetworkForm, Policy

Precision = Literal["auto", "bf16", "float32"]
"""The precision of matrix products in training; auto: bfloat16 where that is faster."""
Activation = Literal["relu", "gelu", "tanh", "sigmoid", "softplus", "none"]
Initial = Literal["uniform", "he", "glorot"]
"""The initialisation of dense layers and convolutions: uniform within 1 / sqrt(inputs), He et al. (2015), or Glorot and
Bengio (2010).

Uniform weights are the smallest: dust's network learned twice as fast from them. Ten plain layers need larger ones.
"""


class NetworkSettings(Settings):
    """The settings that every architecture has."""

    batch_size: ClassVar[int] = 4096
    """States that are evaluated at once: more do not fit the processor's caches."""
    ignores_symbols: ClassVar[bool] = False
    """Whether a permutation of the puzzle's symbols changes no output: then samples are not permuted."""

    kind: str
    heads: tuple[Head, ...] = ("policy", "cost_to_go")
    policy: Policy = "softmax"
    initial: Initial = "uniform"
    output_initial: Initial | None = None
    """The initialisation of the output layers; None: zero for values, and uniform for scores of moves."""
    canonical: bool = False
    """Whether each board is replaced by its canonical image among the puzzle's symmetries."""
    dueling: bool = False
    """Whether the head `q` is the sum of the state's value and of the moves' advantages (Wang et al., 2016)."""
    residual_over: str = ""
    """An estimate of the puzzle to which the network adds: it learns the difference between the cost-to-go and this
    estimate; for `q`, the estimate of the state that a move leads to. For learning, this start is equivalent to reward
    shaping by a potential (Wiewiora, 2003).
    """

    @classmethod
    def label(cls) -> str:
        """Return the kind, if the class names it."""
        return next(iter(get_args(cls.model_fields["kind"].annotation)), None) or super().label()

    @property
    def input_names(self) -> tuple[InputName, ...]:
        """The kinds of the network's inputs."""
        return ("planes",)

    @property
    def reads_candidates(self) -> bool:
        """Whether the network was trained on masks of candidates rather than on states."""
        return False

    @property
    def form(self) -> NetworkForm:
        """The facts that a program must know to use a network with these settings."""
        return NetworkForm(
            inputs=self.input_names,
            heads=self.heads,
            policy=self.policy,
            canonical=self.canonical,
            residual_over=self.residual_over,
            reads_candidates=self.reads_candidates,
            batch_size=self.batch_size,
        )

    @field_validator("heads")
    @classmethod
    def _different(cls, heads: tuple[Head, ...]) -> tuple[Head, ...]:
        if not heads or len(set(heads)) < len(heads):
            raise ValueError("name one or more of policy, cost_to_go, q, each once")
        return heads


ARCHITECTURES = Group("architectures", "kind of network", "ARCHITECTURE", ("nets/architectures",))


def read_network(values: Mapping[str, Any]) -> Any:
    """Return the architecture `kind` with these settings; raises `UnknownName`, `BrokenPlugin` or `BadOption`."""
    kind = values.get("kind")
    if not isinstance(kind, str):
        raise BadOption(f"a network needs a kind: one of {', '.join(ARCHITECTURES.names())}")
    return ARCHITECTURES.find(kind, type)(**values)
