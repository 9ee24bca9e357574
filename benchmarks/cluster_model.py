"""How many nodes one driver feeds: a queue model of an executor, driven by the costs that `cluster.py` measures.

Each node has so many cores, and some pieces that wait there. A piece that is done crosses the driver's link, the driver
takes it and begins another one, which crosses the link to the node. Link and driver serve one piece after the other.
It is a discrete-event simulation: what happens next is taken from a heap, ordered by time.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from puzzlelab.engine.executor import AHEAD_SHARE, DRIVER_SECONDS, PIECE_SECONDS

ROUNDS, LEAST_PIECES = 6, 20_000
"""Pieces that each core does, and those that all cores do at least."""
FIRST_SHARE = 1 / 3
"""The share of these that come before the measurement."""
FED = 0.95
"""The share of the ideal throughput from which on the cores count as fed."""


@dataclass(frozen=True)
class Work:
    """What one kind of work costs, for each unit, such as a board or a game."""

    name: str
    unit: str
    seconds: float
    """Seconds of a core."""
    variation: float
    """The standard deviation of the seconds of a unit, as a share of their mean."""
    bytes_to_node: float
    bytes_to_driver: float
    driver_seconds: float
    """Seconds of the driver for a unit, such as for writing its row."""
    fixed: int = 0
    """Units of a piece; 0: the executor chooses them by their time."""
    most: int = 10**9
    together: int = 10**9
    """Units that are cut into at least `share` pieces for each slot, such as the boards of one block of a file."""
    share: int = 1

    def units(self, slots: int) -> int:
        """Units of a piece for so many slots, as the executor chooses them."""
        if self.fixed:
            return self.fixed
        by_time = max(PIECE_SECONDS, slots * DRIVER_SECONDS) / self.seconds
        least = int(slots * DRIVER_SECONDS / self.seconds)
        by_blocks = min(self.together, max(least, self.together // (self.share * slots)))
        return int(max(1, min(by_time, by_blocks, self.most)))


@dataclass(frozen=True)
class DriverCosts:
    """Seconds of the driver for each piece, whatever is in it."""

    slots: Sequence[int]
    """The numbers of slots for which they were measured."""
    piece: Sequence[float]
    """Seconds for a piece, by the number of slots, where the driver takes many pieces at once."""
    look: Sequence[float]
    """Seconds for a look at what is done, by the number of slots, which a piece that comes alone costs too."""
    piece_bytes: float
    """Bytes that cross the network for a piece, in each direction, beside argument and value."""

    def of(self, slots: int) -> tuple[float, float]:
        """(seconds for a piece, seconds for a look) for so many slots."""
        return float(np.interp(slots, self.slots, self.piece)), float(np.interp(slots, self.slots, self.look))


@dataclass(frozen=True)
class Throughput:
    """What a simulation gives."""

    share: float
    """Of the work that as many cores do without waiting."""
    units_a_second: float
    units: int
    """Units of a piece."""
    used: dict[str, float]
    """The share of the time for which the driver, and the link in both directions, were busy."""

    @property
    def limit(self) -> str:
        """What keeps the cores from more work; empty if they are fed."""
        if self.share >= FED:
            return ""
        most_used = max(self.used, key=lambda name: self.used[name])
        return most_used if self.used[most_used] >= FED else "time on the way"


@dataclass
class Server:
    """Something that serves one piece after the other."""

    free_at: float = 0.0
    busy: float = 0.0
    """Seconds in which it served."""

    def serve(self, now: float, seconds: float) -> float:
        """The time at which a piece that comes now is served."""
        self.free_at = max(self.free_at, now) + seconds
        self.busy += seconds
        return self.free_at


@dataclass
class Simulation:
    """A driver with its nodes; times are in seconds."""

    work: Work
    costs: DriverCosts
    nodes: int
    cores: int
    bandwidth: float
    """Bytes a second of the driver's link, in each direction."""
    seed: int = 0
    driver: Server = field(default_factory=Server)
    link_in: Server = field(default_factory=Server)
    link_out: Server = field(default_factory=Server)

    def __post_init__(self) -> None:
        self.slots = self.nodes * self.cores
        self.units = self.work.units(self.slots)
        self._pieces = max(ROUNDS * self.slots, LEAST_PIECES)
        self._piece_seconds, self._look_seconds = self.costs.of(self.slots)
        self._events: list[tuple[float, int, Callable[[float, int], None], int]] = []
        self._order = count()
        self._busy, self._waiting = Counter[int](), Counter[int]()
        mean, deviation = self.units * self.work.seconds, self.units**0.5 * self.work.variation * self.work.seconds
        shape = (mean / max(deviation, mean * 1e-3)) ** 2
        random = np.random.default_rng(self.seed)
        self._durations = random.gamma(shape, mean / shape, size=self._pieces)
        self._done: list[float] = []

    def run(self) -> Throughput:
        """Simulate until each core has done some pieces."""
        ahead = -(-self.cores // AHEAD_SHARE)
        for _ in range(self.cores + ahead):
            for node in range(self.nodes):
                self._begin(0.0, node, is_alone=False)
        while len(self._done) < self._pieces:
            now, _, event, node = heapq.heappop(self._events)
            event(now, node)
        return self._throughput()

    def _throughput(self) -> Throughput:
        first = int(FIRST_SHARE * self._pieces)
        begin, end = self._done[first], self._done[-1]
        rate = (self._pieces - 1 - first) * self.units / max(end - begin, 1e-9)
        servers = {"driver": self.driver, "link to the driver": self.link_in, "link to the nodes": self.link_out}
        used = {name: min(1.0, server.busy / end) for name, server in servers.items()}
        return Throughput(min(1.0, float(rate * self.work.seconds / self.slots)), float(rate), self.units, used)

    def _at(self, time: float, event: Callable[[float, int], None], node: int) -> None:
        heapq.heappush(self._events, (time, next(self._order), event, node))

    # --- events ---

    def _begin(self, now: float, node: int, is_alone: bool) -> None:
        """The driver takes a piece, unless it is one of the first, and begins another one."""
        seconds = self._piece_seconds + self.units * self.work.driver_seconds + is_alone * self._look_seconds
        begun = self.driver.serve(now, seconds)
        size = self.units * self.work.bytes_to_node + self.costs.piece_bytes
        self._at(self.link_out.serve(begun, size / self.bandwidth), self._arrive, node)

    def _arrive(self, now: float, node: int) -> None:
        """A piece is on a node."""
        if self._busy[node] < self.cores:
            self._busy[node] += 1
            self._work(now, node)
        else:
            self._waiting[node] += 1

    def _work(self, now: float, node: int) -> None:
        duration = self._durations[next(self._order) % len(self._durations)]
        self._at(now + duration, self._end, node)

    def _end(self, now: float, node: int) -> None:
        """A core has done a piece."""
        self._done.append(now)
        if self._waiting[node]:
            self._waiting[node] -= 1
            self._work(now, node)
        else:
            self._busy[node] -= 1
        size = self.units * self.work.bytes_to_driver + self.costs.piece_bytes
        self._at(self.link_in.serve(now, size / self.bandwidth), self._take, node)

    def _take(self, now: float, node: int) -> None:
        self._begin(now, node, is_alone=self.driver.free_at <= now)


def curve(
    work: Work, costs: DriverCosts, nodes: Sequence[int], cores: int, bandwidth: float
) -> list[tuple[int, Throughput]]:
    """The throughput for each number of nodes."""
    return [(number, Simulation(work, costs, number, cores, bandwidth).run()) for number in nodes]


def most_fed(points: Sequence[tuple[int, Throughput]]) -> int:
    """The greatest number of nodes that are fed, and all smaller ones too; 0 if none are."""
    fed = 0
    for number, throughput in points:
        if throughput.share < FED:
            break
        fed = number
    return fed
