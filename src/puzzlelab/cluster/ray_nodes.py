"""The nodes of a Ray cluster, and whether they can be used: watched by a thread, so that the driver never waits."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import ray

from puzzlelab.cluster.versions import Versions, difference, probe, versions_here
from puzzlelab.core.errors import BadInput
from puzzlelab.engine import report
from puzzlelab.engine.executor import ExecutorLost

LOOK_SECONDS = 1.0
"""Seconds between two looks at the nodes."""
CONNECT_SECONDS = 5.0
"""Seconds in which the head must accept a connection."""
HEAD_SECONDS = 15.0
"""Seconds without an accepted connection after which the head is lost. Ray itself would end this process after 60."""
FIRST_PROBES_SECONDS = 60.0
"""Seconds in which the nodes that are there at the start should tell their versions."""


@dataclass(frozen=True)
class RayNode:
    """A node that is alive."""

    key: str
    address: str
    host: str
    resources: Mapping[str, float]
    versions: Versions | None = None
    """None: it has not told them yet."""
    problem: str = ""
    """Why it is not used, in words."""

    @property
    def cpus(self) -> int:
        """Its processors, as Ray counts them."""
        return int(self.resources.get("CPU", 0))


@dataclass
class _Known:
    """The facts about a node beside what Ray tells."""

    probe: Any
    """The result to come of the probe."""
    versions: Versions | None = None
    problem: str = ""


@dataclass
class NodeWatch:
    """The nodes of the cluster that this process is connected to."""

    head: str
    """The address of the head, such as 10.0.0.1:6379."""
    here: Versions = field(default_factory=versions_here)
    _nodes: tuple[RayNode, ...] = ()
    _known: dict[str, _Known] = field(default_factory=dict)
    _answered_at: float = field(default_factory=time.monotonic)
    """When the head accepted a connection last."""
    is_head_lost: bool = False
    """Whether it has accepted none for `HEAD_SECONDS`."""
    _is_watched: bool = False
    """Whether the thread looks, and a node with a problem is left out; before that it is an error."""
    _over: threading.Event = field(default_factory=threading.Event)

    def start(self, needs_all: bool) -> None:
        """Look for the first time, and go on in a thread; with `needs_all`, raises `BadInput` for an unfit node."""
        self._look()
        deadline = time.monotonic() + FIRST_PROBES_SECONDS
        while any(node.versions is None and not node.problem for node in self._nodes):
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
            self._look()
        for node in self._nodes:
            if node.problem and needs_all:
                raise BadInput(f"the node {node.address} {node.problem}: install the same version on all nodes")
        self._is_watched = True
        threading.Thread(target=self._watch, daemon=True, name="puzzlelab-nodes").start()

    def stop(self) -> None:
        """End the thread."""
        self._over.set()

    def wait(self, seconds: float) -> None:
        """Wait, unless the thread ends."""
        self._over.wait(seconds)

    def alive(self) -> tuple[RayNode, ...]:
        """Return all nodes that are alive; raises `ExecutorLost`."""
        if self.is_head_lost:
            raise ExecutorLost(
                f"the head of the Ray cluster at {self.head} does not answer any more: what is done is kept; start the "
                "cluster again, and repeat the command"
            )
        return self._nodes

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS) and not self.is_head_lost:
            if can_connect(self.head):
                self._answered_at = time.monotonic()
                self._look()
            else:
                self.is_head_lost = time.monotonic() - self._answered_at > HEAD_SECONDS

    def _look(self) -> None:
        nodes = (self._node(values) for values in ray.nodes() if values["Alive"])
        self._nodes = tuple(sorted(nodes, key=lambda node: (node.address, node.key)))

    def _node(self, values: Mapping[str, Any]) -> RayNode:
        key, address = values["NodeID"], values["NodeManagerAddress"]
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _Known(_begin_probe(key))
        if known.versions is None and not known.problem:
            self._read_probe(known, address)
        return RayNode(key, address, values["NodeManagerHostname"], values["Resources"], known.versions, known.problem)

    def _read_probe(self, known: _Known, address: str) -> None:
        """Take the answer of a node, if it is there."""
        ready, _ = ray.wait([known.probe], timeout=0)
        if not ready:
            return
        try:
            known.versions = ray.get(known.probe)
            known.problem = difference(known.versions, self.here)
        except ray.exceptions.RayError as error:
            known.problem = f"cannot be used: {str(error).splitlines()[0]}"
        if known.problem and self._is_watched:
            report.note(f"the node {address} is left out: it {known.problem}")


def _begin_probe(key: str) -> Any:
    """Ask a node for its versions, without waiting for a free processor."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    strategy = NodeAffinitySchedulingStrategy(key, soft=False)
    return ray.remote(probe()).options(num_cpus=0, max_retries=0, scheduling_strategy=strategy).remote()


def can_connect(address: str) -> bool:
    """Tell whether something accepts connections at this address."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS):
            return True
    except (OSError, ValueError):
        return False
