"""Where work is done: by worker processes of this machine, or by the nodes of a Ray cluster.

`open_executor` makes an executor from its name, such as `ray:auto`. Only this package imports Ray, and only when an
executor of Ray is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlelab.core.errors import UnknownName
from puzzlelab.engine.executor import Executor

if TYPE_CHECKING:
    from puzzlelab.cluster.ray_nodes import RayNode

LOCAL, RAY = "local", "ray"


def open_executor(name: str, jobs: int | None = None) -> Executor:
    """Return the executor of this name; `with` ends it.

    Args:
        name: `local`, worker processes of this machine; `ray`, the cluster that this machine belongs to, or that the
            environment variable RAY_ADDRESS names; `ray:ADDRESS`, the cluster whose head has this address.
        jobs: worker processes of `local`; by default one for each core.

    Raises:
        BadInput: if there is no such executor, Ray is not installed, there is no cluster, or one of its nodes has
            another version of what computes.
    """
    kind, _, address = name.partition(":")
    if kind == LOCAL and not address:
        from puzzlelab.engine.parallel import cores
        from puzzlelab.engine.worker_processes import WorkerProcesses

        return WorkerProcesses(jobs or cores())
    if kind == RAY:
        from puzzlelab.cluster.ray_executor import RayExecutor

        return RayExecutor(address)
    raise UnknownName("executor", name, (LOCAL, RAY))


def nodes_of(address: str = "") -> list[RayNode]:
    """Return the nodes of a Ray cluster, also those that cannot be used.

    Raises `BadInput` if there is no such cluster.
    """
    from puzzlelab.cluster.connection import connect, disconnect

    is_own_connection = connect(address)
    from puzzlelab.cluster.ray_nodes import alive_nodes, probed

    try:
        return probed(alive_nodes())
    finally:
        if is_own_connection:
            disconnect()
