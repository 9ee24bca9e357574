"""A small cluster that pretends to be a large one, for measurements of what the driver of an executor costs."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from puzzlelab.cluster.ray_workers import RayWorkers
from puzzlelab.engine.executor import Node
from small_cluster import SmallCluster


def head_seconds(cluster: SmallCluster) -> float:
    """CPU seconds of the programs of the head so far, which also serve the driver."""
    processes = [each for some in cluster.cluster.head_node.all_processes.values() for each in some]
    return sum(_cpu_seconds(each.process.pid) for each in processes if each.process.poll() is None)


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Pretence:
    """How many nodes each real one pretends to be, and with how many slots each; 0: as they are."""

    nodes: int = 1
    slots: int = 0


class ManyNodes(RayWorkers):
    """The workers of a small cluster that pretends to be a large one, so that the driver has the costs of many nodes.

    So many pieces are begun as a large cluster has room for; most wait until the few real cores have done the others.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.pretence = Pretence()

    def nodes(self) -> list[Node]:
        """See `Workers`."""
        real = super().nodes()
        if not self.pretence.slots:
            return list(real)
        slots, ahead = self.pretence.slots, self.pretence.slots // 4
        return [
            Node(f"{node.key}/{number}", node.name, slots, ahead)
            for node in real
            for number in range(self.pretence.nodes)
        ]

    def begin(self, ticket: int, node: Node, function: Any, argument: Any) -> None:
        """See `Workers`."""
        super().begin(ticket, replace(node, key=node.key.partition("/")[0]), function, argument)
