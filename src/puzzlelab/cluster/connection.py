"""Connects this process to a Ray cluster, and says in a sentence why that fails."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from puzzlelab.core.errors import BadInput
from puzzlelab.engine.executor import MOST_TRIES
from puzzlelab.runtime import libraries
from puzzlelab.runtime.signals import ending_at_once
from puzzlelab.runtime.startup import ENDING

AUTO = "auto"
"""The cluster that this machine belongs to."""
CLIENT = "ray://"
"""The beginning of an address that a process outside the cluster uses."""
HOW_TO_START = "`ray start --head` starts one here, and `ray start --address HOST:PORT` lets this machine join one"
VARIABLES = {
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_task_oom_retries": str(MOST_TRIES),
    "RAY_raylet_rpc_server_reconnect_timeout_base_s": "1",
    "RAY_raylet_rpc_server_reconnect_timeout_max_s": "2",
}
"""Variables for Ray, which otherwise warns of its next version on standard error, between rows and progress, tries a
task that uses up the memory of a node without an end, and waits 13 s for a lost node where tasks wait.
"""


def need_ray() -> None:
    """Raise `BadInput` if Ray is not installed."""
    for name, value in VARIABLES.items():
        os.environ.setdefault(name, value)
    with ending_at_once():
        libraries.require("a cluster", ["ray"], "cluster")


def connect(address: str) -> bool:
    """Connect this process to a cluster, and tell whether it was not connected before: a connection stays.

    An address is that of the head, such as 10.0.0.1:6379; empty means RAY_ADDRESS, or else the cluster that this
    machine belongs to. Raises `BadInput` if there is no such cluster.
    """
    need_ray()
    import ray

    is_own: bool = not ray.is_initialized()
    if is_own:
        _init(address or os.environ.get("RAY_ADDRESS", "") or AUTO)
    return is_own


def disconnect() -> None:
    """End the connection, and with it all that runs on the cluster for this process."""
    import ray

    with _own_signals():
        ray.shutdown()


def _init(address: str) -> None:
    import ray

    from puzzlelab.cluster.ray_nodes import can_connect

    no_cluster = f"there is no Ray cluster at {address}: {HOW_TO_START}"
    if address == AUTO:
        no_cluster = f"this machine belongs to no Ray cluster: {HOW_TO_START}"
    elif not can_connect(address.removeprefix(CLIENT)):
        raise BadInput(no_cluster)
    _silence()
    try:
        with _own_signals():
            ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL)
    except ConnectionError:
        raise BadInput(no_cluster) from None
    except (RuntimeError, ValueError, OSError, ray.exceptions.RayError) as error:
        raise BadInput(f"cannot connect to the Ray cluster at {address}: {_on_one_line(error)}") from None


def _on_one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _silence() -> None:
    """Keep Ray from printing the end of each worker and node on standard output, between the rows; the progress tells
    them.
    """
    from ray._private import worker

    def print_nothing(data: object, ignore_prefix: bool = False) -> None:
        pass

    worker.print_to_stdstream = print_nothing


@contextmanager
def _own_signals() -> Iterator[None]:
    """Restore the handler for SIGTERM afterwards, in whose place Ray puts its own."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
