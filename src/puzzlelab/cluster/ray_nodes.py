"""The nodes of the Ray cluster that this process is connected to, and whether they can be used."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ray

from puzzlelab.cluster.versions import Versions, difference, probe, versions_here

CONNECT_SECONDS = 5.0
"""Seconds in which the head must accept a connection."""
PROBE_SECONDS = 60.0
"""Seconds in which nodes should tell their versions."""


@dataclass(frozen=True)
class RayNode:
    """A node that is alive."""

    key: str
    address: str
    host: str
    resources: Mapping[str, float]
    versions: Versions | None = None
    """None: it has not told them."""
    problem: str = ""
    """Why it cannot be used, in words."""

    @property
    def cpus(self) -> int:
        """Its processors, as Ray counts them."""
        return int(self.resources.get("CPU", 0))


def alive_nodes() -> list[RayNode]:
    """Return the nodes that are alive, as Ray tells."""
    nodes = (
        RayNode(each["NodeID"], each["NodeManagerAddress"], each["NodeManagerHostname"], each["Resources"])
        for each in ray.nodes()
        if each["Alive"]
    )
    return sorted(nodes, key=lambda node: (node.address, node.key))


def probed(nodes: Sequence[RayNode]) -> list[RayNode]:
    """Return the nodes, but for those that are gone meanwhile, with their versions and what is wrong with them."""
    probes = {node.key: _begin_probe(node.key) for node in nodes}
    ray.wait(list(probes.values()), num_returns=len(probes), timeout=PROBE_SECONDS)
    found = [_with_versions(node, probes[node.key], versions_here()) for node in nodes]
    alive = {node.key for node in alive_nodes()}
    return [node for node in found if node.key in alive]


def _begin_probe(key: str) -> Any:
    """Ask a node for its versions, without waiting for a free processor."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    strategy = NodeAffinitySchedulingStrategy(key, soft=False)
    return ray.remote(probe()).options(num_cpus=0, max_retries=0, scheduling_strategy=strategy).remote()


def _with_versions(node: RayNode, versions: Any, here: Versions) -> RayNode:
    """Return the node with the answer to its probe, if it is there."""
    if not ray.wait([versions], timeout=0)[0]:
        return node
    try:
        found = ray.get(versions)
    except ray.exceptions.RayError as error:
        return replace(node, problem=f"cannot be used: {str(error).splitlines()[0]}")
    return replace(node, versions=found, problem=difference(found, here))


def can_connect(address: str) -> bool:
    """Tell whether something accepts connections at this address."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS):
            return True
    except (OSError, ValueError):
        return False
