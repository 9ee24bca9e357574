"""A small cluster that pretends to be a large one, for measurements of what the driver of an executor costs."""

from __future__ import annotations

import os
from pathlib import Path

from puzzlelab.cluster.ray_executor import RayExecutor
from small_cluster import SmallCluster


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
