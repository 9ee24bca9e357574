# mypy: allow-untyped-defs
"""Lights Out with compiled rules and a compiled estimate, from first line to last; `lights_out` has the rest."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from lights_out import LightsOut
from numpy.typing import NDArray

from puzzlelab import BadOption, Estimate, Family, KernelRules, State
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import implements, population


class LampTables(NamedTuple):
    """What the kernels need to know of a board. A working state is `uint64[1]`, with a bit for each lamp."""

    presses: NDArray[np.uint64]
    """[M]: the lamps that each press switches."""


class LampBound(NamedTuple):
    """The estimate `lamps`: a fifth of the lamps that are on."""

    tables: LampTables


# --- the rules: six kernels that must be there, and `inverse`, because a press undoes itself ---


@implements(kernels.legal, LampTables)
def legal(tables, state, moves):
    for move in range(tables.presses.size):
        moves[move] = move
    return np.int64(tables.presses.size)


@implements(kernels.apply, LampTables)
def apply(tables, state, move, child):
    child[0] = state[0] ^ tables.presses[move]


@implements(kernels.solved, LampTables)
def solved(tables, state):
    return state[0] == 0


@implements(kernels.inverse, LampTables)
def inverse(tables, move):
    return move


@implements(kernels.pack, LampTables)
def pack(tables, state, words):
    words[0] = state[0]


@implements(kernels.unpack, LampTables)
def unpack(tables, words, state):
    state[0] = words[0]


# --- the estimate: one kernel ---


@implements(kernels.evaluate, LampBound)
def evaluate(estimate, state, memo):
    return np.int64(population(state[0]) + np.uint64(4)) // 5


# --- the puzzle: the plain rules, and a view more ---


@dataclass(frozen=True)
class CompiledLightsOut(LightsOut):
    """Lights Out on at most 8x8 lamps."""

    name = property(lambda self: f"fastlights-{self.size}")

    def tables(self) -> LampTables:
        dark = np.zeros(self.move_count, np.uint8)
        return LampTables(self.encode(np.array([self.apply(dark, move) for move in range(self.move_count)]))[:, 0])

    def encode(self, states: State) -> NDArray[np.uint64]:
        """The working states `[B, 1]` of plain states `[B, S]`."""
        bits = np.uint64(1) << np.arange(self.move_count, dtype=np.uint64)
        working: NDArray[np.uint64] = (states.astype(np.uint64) * bits).sum(axis=1, dtype=np.uint64, keepdims=True)
        return working

    def decode(self, working: NDArray[np.uint64]) -> State:
        """The plain states `[B, S]` of working states `[B, 1]`."""
        return ((working >> np.arange(self.move_count, dtype=np.uint64)) & np.uint64(1)).astype(np.uint8)

    def estimate(self, name: str | None = None) -> Estimate:
        plain = super().estimate(name)
        return Estimate(plain.name, plain.admissible, kernel=lambda: LampBound(self.tables()))

    def view(self, kind: type) -> Any:
        if kind is KernelRules:
            return KernelRules(self.tables(), 1, np.uint64, 1, self.encode, self.decode)
        return super().view(kind)


def make(size: str) -> CompiledLightsOut:
    """The puzzle whose name is `fastlights-` and this."""
    if size not in tuple("2345678"):
        raise BadOption(f"there is no 'fastlights-{size[:20]}': its size is from 2 to 8")
    return CompiledLightsOut(int(size))


FAMILY = Family("Lights Out with compiled rules: press lamps until all are dark.", make, ("fastlights-5",))
