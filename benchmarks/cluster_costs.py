"""What pieces of work cost the driver of an executor, and how much data they move; `cluster.py` prints it.

A piece of each kind is done once in this process: that gives its seconds and its data. Then pieces with the same
argument and the same value, but without the work, are sent through a cluster: that gives the driver's seconds.
"""

from __future__ import annotations

import os
import pickle
import socket
import statistics
import struct
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cluster_model import DriverCosts, Work
from puzzlelab.cluster.ray_executor import RayExecutor
from puzzlelab.engine.executor import Executor, Published
from puzzlelab.engine.streams import Piece, unordered
from small_cluster import SmallCluster

SIZES = (1, 20, 200, 1000)
"""Nodes of the large clusters that the small one pretends to be."""
CORES = 16
"""Cores of each of these."""
EMPTY = 1000
"""Empty pieces that are measured, at least."""
LOOKS = 50
REPLAYS = 40
"""Pieces of each kind that are sent without their work."""
TCP_INFO_BYTES, TCP_SENT_AT, TCP_RECEIVED_AT = 192, 120, 128
"""The size of Linux's `struct tcp_info`, and the places of `tcpi_bytes_acked` and `tcpi_bytes_received` in it."""


def head_seconds(cluster: SmallCluster) -> float:
    """CPU seconds of the programs of the head so far, which also serve the driver."""
    processes = [each for some in cluster.cluster.head_node.all_processes.values() for each in some]
    return sum(_cpu_seconds(each.process.pid) for each in processes if each.process.poll() is None)


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class ManyNodes(RayExecutor):
    """The executor of a small cluster that pretends to be a large one, so that the driver has the costs of many nodes.

    So many pieces are begun as a large cluster has room for; most wait until the few real cores have done the others.
    """

    pretended: tuple[int, int] = (1, 0)
    """How many nodes each real one pretends to be, and with how many cores each; 0: as they are."""

    def _usable(self) -> list[int]:
        """See `RayExecutor`."""
        nodes, cores = self.pretended
        return [cores or real for real in super()._usable() for _ in range(nodes)]


@dataclass(frozen=True, eq=False)
class Example:
    """A piece of one kind of work that was done in this process."""

    name: str
    unit: str
    units: int
    seconds: float
    """Seconds of a core for each unit."""
    variation: float
    """The standard deviation of the seconds of a unit, as a share of their mean."""
    argument: Any
    value: Any
    keep: Callable[[Any], None]
    """What the driver does with the value, such as writing a file."""
    is_fixed: bool = True
    """Whether a piece always has so many units, by the settings of the work."""


def work_of(example: Example, executor: Executor, costs: DriverCosts) -> Work:
    """The costs of this kind of work: those of a piece without its work, less those of an empty piece."""
    spent = replay_seconds(executor, example) - costs.piece[0]
    return Work(
        example.name,
        example.unit,
        example.seconds,
        example.variation,
        size(example.argument) / example.units,
        size(example.value) / example.units,
        max(0.0, spent) / example.units,
        fixed=example.units if example.is_fixed else 0,
    )


def size(value: Any) -> int:
    """Bytes of a value on its way."""
    return len(pickle.dumps(value, protocol=5))


# --- seconds of the driver ---


def replay(argument: Any, published: Published) -> Any:
    """A piece without its work: the published value."""
    return published.value()


def replay_seconds(executor: Executor, example: Example) -> float:
    """CPU seconds of the driver for a piece like this one."""
    value = executor.publish(uuid.uuid4().hex, example.value)
    pieces = [Piece(f"replay {number}", partial(replay, example.argument, value)) for number in range(REPLAYS)]
    list(unordered(executor, pieces[:2]))
    began = time.process_time()
    for _, value_again in unordered(executor, pieces):
        example.keep(value_again)
    return (time.process_time() - began) / len(pieces)


def nothing(argument: int) -> int:
    """An empty piece."""
    return argument


def wait(seconds: float) -> None:
    """A piece that takes time."""
    time.sleep(seconds)


def empty(count: int) -> list[Piece]:
    """Empty pieces."""
    return [Piece(f"{number}", partial(nothing, number)) for number in range(count)]


@dataclass(frozen=True)
class EmptyPieces:
    """What empty pieces cost."""

    costs: DriverCosts
    rate: float
    """Pieces a second, with the slots that there are."""
    head_seconds: float
    """CPU seconds of Ray's programs on the machine of the driver for a piece."""


def empty_pieces(executor: ManyNodes, head_seconds: Callable[[], float]) -> EmptyPieces:
    """Measure empty pieces by the number of nodes that the small cluster pretends to have."""
    list(unordered(executor, empty(100)))  # the worker processes start
    head, began, bytes_before = head_seconds(), time.perf_counter(), tcp_bytes()
    list(unordered(executor, empty(EMPTY)))
    rate, moved = EMPTY / (time.perf_counter() - began), tcp_bytes() - bytes_before
    head = (head_seconds() - head) / EMPTY
    piece, look = zip(*(_seconds_with(executor, nodes) for nodes in SIZES), strict=True)
    costs = DriverCosts([nodes * CORES for nodes in SIZES], piece, look, moved / EMPTY / 2)
    return EmptyPieces(costs, rate, head)


def _seconds_with(executor: ManyNodes, nodes: int) -> tuple[float, float]:
    """(CPU seconds for a piece, and for a look at pieces of which none is done) with so many nodes."""
    executor.pretended = nodes, CORES
    try:
        count = max(EMPTY, nodes * CORES * 5 // 4)
        pieces = empty(count)
        began = time.process_time()
        list(unordered(executor, pieces))
        piece = (time.process_time() - began) / count
        waiting = [executor.submit(wait, 600.0) for _ in range(executor.room)]
        began = time.process_time()
        for _ in range(LOOKS):
            executor.wait(waiting, 0.0)
        look = (time.process_time() - began) / LOOKS
        executor.cancel()
    finally:
        executor.pretended = 1, 0
    return piece, look


# --- published values ---


def fetched(published: Published) -> int:
    """The size of a published value, which this node fetches."""
    return len(published.value())


def publish_seconds(executor: Executor, megabytes: int, pieces: int) -> tuple[float, float]:
    """(seconds of the driver to publish so much data, seconds until so many pieces on as many nodes have it)."""
    data = os.urandom(megabytes * 1_000_000)
    began = time.perf_counter()
    published = executor.publish(uuid.uuid4().hex, data)
    put = time.perf_counter() - began
    list(unordered(executor, [Piece(f"{number}", partial(fetched, published)) for number in range(pieces)]))
    return put, time.perf_counter() - began


# --- bytes ---


def tcp_bytes() -> int:
    """Bytes that crossed all TCP connections of this process, in both directions."""
    return sum(map(_bytes_of, Path("/proc/self/fd").iterdir()))


def _bytes_of(descriptor: Path) -> int:
    try:
        if not descriptor.readlink().name.startswith("socket:"):
            return 0
        with socket.socket(fileno=os.dup(int(descriptor.name))) as connection:
            if connection.type != socket.SOCK_STREAM or connection.family == socket.AF_UNIX:
                return 0
            info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_BYTES)
    except OSError:  # it was closed meanwhile
        return 0
    if len(info) < TCP_RECEIVED_AT + 8:
        return 0
    sent, received = struct.unpack_from("=QQ", info, TCP_SENT_AT)
    return int(sent + received)


def mean_and_variation(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and the standard deviation as a share of it."""
    mean = statistics.fmean(values)
    return mean, statistics.stdev(values) / mean
