"""A Ray cluster on this machine, for trials: nodes with addresses of their own on the loopback, and nothing shared.

Each node has its own home, cache and working folder, as on another machine. `ray.cluster_utils.Cluster` starts and ends
the nodes.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

OBJECT_STORE = 80_000_000
"""Bytes of the object store of a node: Ray demands at least 75 MiB."""
ENVIRONMENT = {"RAY_AUTH_MODE": "disabled", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "PUZZLELAB_BACKGROUND": "0"}


class SmallCluster:
    """A head without processors, to which drivers connect, and nodes, which come and go.

    Args:
        folder: where nodes have their folders.
        nodes: how many there are at first.
        cpus: processors of each, as Ray counts them.
        network: the second number of the addresses: 127.NETWORK.0.1 is that of the head.
        cache: a cache of kernels and tables that each node begins with a copy of; None: an empty one.
    """

    def __init__(self, folder: Path, nodes: int, cpus: int = 1, network: int = 77, cache: Path | None = None) -> None:
        os.environ.update(ENVIRONMENT)
        from ray.cluster_utils import Cluster

        self.folder, self.cpus, self.network, self.cache, self.started = folder, cpus, network, cache, 1
        logging.getLogger("ray").setLevel(logging.CRITICAL)
        self.cluster: Any = Cluster()
        with self._own_folder("head") as environment:
            self._add(f"127.{network}.0.1", 0, environment)
        self.nodes: list[Any] = []
        for _ in range(nodes):
            self.add_node()

    @property
    def address(self) -> str:
        """The address of the head."""
        address: str = self.cluster.address
        return address

    def add_node(self) -> None:
        """Start another node, which has never been there before."""
        self.started += 1
        with self._own_folder(f"node-{self.started}") as environment:
            self.nodes.append(self._add(f"127.{self.network}.0.{self.started}", self.cpus, environment))

    def kill_node(self, number: int) -> None:
        """Kill all processes of a node, without grace."""
        self.cluster.remove_node(self.nodes.pop(number), allow_graceful=False)

    def kill_head(self) -> None:
        """Kill the processes of the head."""
        self.cluster.remove_node(self.cluster.head_node, allow_graceful=False)

    def workers(self, title: str = "ray::run_piece") -> list[int]:
        """The processes of tasks whose title begins like this; that of programs is `ray::ProgramHost`."""
        raylets = {self._raylet(node) for node in self.nodes}
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                name = (path / "cmdline").read_bytes().decode(errors="replace")
                parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError):  # it has just ended
                continue
            if name.startswith(title) and parent in raylets:
                found.append(int(path.name))
        return sorted(found)

    def kill_worker(self, process: int) -> None:
        """Kill one of these processes."""
        os.kill(process, signal.SIGKILL)

    def close(self) -> None:
        """End all nodes."""
        self.cluster.shutdown()

    def _raylet(self, node: Any) -> int:
        processes = node.all_processes
        process: int = processes["raylet"][0].process.pid
        return process

    def _add(self, address: str, cpus: int, environment: dict[str, str]) -> Any:
        return self.cluster.add_node(
            num_cpus=cpus,
            node_ip_address=address,
            object_store_memory=OBJECT_STORE,
            include_dashboard=False,
            env_vars=environment,
        )

    @contextmanager
    def _own_folder(self, name: str) -> Iterator[dict[str, str]]:
        """What makes a node one that shares no folder: its environment; this process is in its working folder."""
        import shutil

        home, before = self.folder / name, Path.cwd()
        home.mkdir(parents=True)
        cache = home / "cache"
        if self.cache is not None:
            shutil.copytree(self.cache, cache / "puzzlelab")
        os.chdir(home)
        try:
            yield {"HOME": str(home), "XDG_CACHE_HOME": str(cache)}
        finally:
            os.chdir(before)
