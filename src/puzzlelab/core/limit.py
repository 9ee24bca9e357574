"""Limits on the time, the expanded nodes and the memory of a search.

`runtime.memory` says what a limit on memory leaves to a search.
"""

import math
from dataclasses import dataclass, replace

from puzzlelab.core.errors import BadOption, real_number, whole_number

_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class Limit:
    """The limits of a search; `None` means no limit of that kind.

    `seconds` is wall-clock time, `nodes` counts expanded states, `memory` is the most resident bytes of this process.
    Without a memory limit, a search stops before it has used four fifths of the memory that was free at its start. No
    memory limit allows more than what was free then.
    Raises `BadOption` for what is no finite number, or not more than 0.

    >>> board = puzzlelab.load("tiles-3x3").read("8 6 7 2 5 4 3 0 1")
    >>> puzzlelab.solve(board, "bfs", puzzlelab.Limit(nodes=100)).stop
    'nodes'
    """

    seconds: float | None = None
    nodes: int | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None:
            object.__setattr__(self, "seconds", _positive(self.seconds, "time", "a number of seconds"))
        if self.nodes is not None:
            object.__setattr__(self, "nodes", _positive_whole(self.nodes, "nodes", "a whole number"))
        if self.memory is not None:
            expected = "a whole number of bytes, such as 2 * 2**30"
            object.__setattr__(self, "memory", _positive_whole(self.memory, "memory", expected))

    def allows_more_than(self, other: "Limit") -> bool:
        """Tell whether a search that stopped at `other` could continue under this limit."""
        pairs = ((self.seconds, other.seconds), (self.nodes, other.nodes), (self.memory, other.memory))
        return any(theirs is not None and (ours is None or ours > theirs) for ours, theirs in pairs)

    def share(self, seconds: float, nodes: int, parts: int = 1) -> "Limit | None":
        """Return an equal share of what is left after these seconds and nodes, or None if nothing is left."""
        left, states = self.seconds, self.nodes
        if left is not None and (left := left - seconds) <= 0:
            return None
        if states is not None and (states := states - nodes) <= 0:
            return None
        return replace(self, seconds=left and left / parts, nodes=states and max(1, states // parts))


def _positive(value: object, name: str, expected: str) -> int | float:
    number = real_number(value, f"a limit on {name}", expected)
    if not number > 0:
        raise BadOption(f"a limit on {name} must be more than 0, not {number}")
    if number == math.inf:
        raise BadOption(f"a limit on {name} must be finite; leave it out for none")
    return number


def _positive_whole(value: object, name: str, expected: str) -> int:
    return whole_number(_positive(value, name, expected), f"a limit on {name}", expected=expected)


def read_memory(text: str) -> int:
    """Return the bytes of '2G', '512M' or '1000000'."""
    number, unit = text.strip().upper().removesuffix("B").removesuffix("I"), 1
    if number and number[-1] in _UNITS:
        number, unit = number[:-1], _UNITS[number[-1]]
    try:
        return int(float(number) * unit)
    except (ValueError, OverflowError):
        raise BadOption(f"'{text}' is no amount of memory; write 2G, 512M or a number of bytes") from None
