"""A whole new puzzle in one short file, without kernels; the entry point `lights = "lights_out:FAMILY"` names it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from puzzlelab import BadBoard, Estimate, Family, Instance, State, UnknownName
from puzzlelab.core.views import Estimates, Planes, Reversible


@dataclass(frozen=True)
class LightsOut:
    """Lights Out on a square of `size` x `size` lamps. A state is `uint8[size * size]`, 1 for a lamp that is on."""

    size: int = 5
    estimates: ClassVar[dict[str, str]] = {"lamps": "a fifth of the lamps that are on: a press switches at most five"}
    name = property(lambda self: f"lights-{self.size}")
    move_count = input_size = property(lambda self: self.size**2)
    grid = symbols = isomorphism = None

    def legal(self, state: State) -> State:
        return np.ones(self.move_count, bool)

    def apply(self, state: State, move: int) -> State:
        rows, columns = np.divmod(np.arange(self.move_count), self.size)
        return state ^ (abs(rows - rows[move]) + abs(columns - columns[move]) <= 1)

    def solved(self, state: State) -> bool:
        return not state.any()

    def objection(self, state: State) -> str | None:
        return None

    def goals(self) -> State:
        return np.zeros((1, self.move_count), np.uint8)

    def inverse(self, move: int) -> int:
        return move

    def planes(self, states: State) -> State:
        return states.astype(np.float32)

    def symmetries(self, states: State) -> tuple[tuple[State, State], ...]:
        lamps = np.arange(self.move_count).reshape(self.size, self.size)
        orders = [np.rot90(image, turns).ravel() for image in (lamps, lamps.T) for turns in range(4)]
        return tuple((states[:, order], np.argsort(order)) for order in orders)

    def read(self, text: str) -> Instance:
        lamps = "".join(text.split())
        if len(lamps) != self.move_count or set(lamps) - {".", "*"}:
            raise BadBoard(f"{self.name} is {self.move_count} of '*' (on) and '.' (off)")
        return Instance(self, np.array([lamp == "*" for lamp in lamps], np.uint8))

    def write(self, state: State) -> str:
        return "".join(".*"[lamp] for lamp in state)

    def draw(self, state: State, mark: int | None = None) -> str:
        return "\n".join(self.write(row) for row in state.reshape(self.size, self.size))

    def write_move(self, move: int) -> str:
        return f"{move // self.size + 1},{move % self.size + 1}"

    def read_move(self, text: str) -> int:
        for move in range(self.move_count):
            if text == self.write_move(move):
                return move
        raise BadBoard(f"'{text[:20]}' is no lamp; write row,column")

    def estimate(self, name: str | None = None) -> Estimate:
        if name not in (None, "lamps"):
            raise UnknownName(f"estimate of {self.name}", str(name), ("lamps",))
        return Estimate("lamps", admissible=True, scores=lambda states: np.ceil(states.sum(axis=1) / 5))

    def view(self, kind: type) -> Any:
        return self if kind in (Estimates, Planes, Reversible) else None


FAMILY = Family("Lights Out: press lamps until all are dark.", lambda n: LightsOut(int(n)), ("lights-3", "lights-5"))
