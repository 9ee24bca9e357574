"""The nodes of a Ray cluster as workers, for `engine/executor.py`.

Ray starts their processes, places the pieces, carries the data, and does a piece again whose worker or node is lost.
"""

from __future__ import annotations

import atexit
import itertools
import pickle
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

from puzzlelab.cluster.connection import connect, disconnect
from puzzlelab.cluster.node_side import ProgramHost, RayPublished, piece_function
from puzzlelab.cluster.versions import Versions, difference, versions_here
from puzzlelab.core.errors import BadInput
from puzzlelab.engine import report
from puzzlelab.engine.executor import (
    MOST_TRIES,
    Executor,
    ExecutorLost,
    PieceLost,
    Program,
    ProgramLost,
    Setup,
    Timed,
)

CPU = "cpu"
LOOK_SECONDS = 1.0
"""Seconds between two looks at the head and the nodes."""
HEAD_SECONDS = 15.0
"""Seconds without an accepted connection after which the head is lost. Ray itself would end this process after 60."""
NO_NODE_SECONDS = 10.0
"""Seconds without a node after which that is said."""
NODE_LABEL = "ray.io/node-id"
"""The label that Ray gives to each node, with its key."""


class RayExecutor(Executor):
    """The nodes of one cluster.

    Ray starts a program anew whose worker or node is lost.

    Args:
        address: of the head, such as 10.0.0.1:6379, or a client address `ray://HOST:10001`; empty: the cluster that
            this machine belongs to, or that RAY_ADDRESS names.

    Raises:
        BadInput: if there is no such cluster, or one of its nodes has another version of what computes.
    """

    shares_files = False

    def __init__(self, address: str = "") -> None:
        super().__init__()
        self._is_own_connection = connect(address)
        import ray

        from puzzlelab.cluster import ray_nodes

        self._head: str = ray.get_runtime_context().gcs_address
        self._ray_nodes = ray_nodes
        self._versions = versions_here()
        self._lock, self._unfit = threading.Lock(), dict[str, str]()
        """The key of a node that has other versions -> its address."""
        self._nodes = ray_nodes.probed(ray_nodes.alive_nodes())
        self._looked_at = self._answered_at = self._had_node_at = time.monotonic()
        self._values: dict[str, Any] = {}
        """Hash of a published value -> its reference."""
        self._sent: dict[Future[Timed[Any]], tuple[Any, bytes]] = {}
        """Future of a piece -> the reference of its task, and its content."""
        self._programs: list[RayProgram] = []
        self._task: Any = ray.remote(num_cpus=1, max_retries=MOST_TRIES - 1)(piece_function(self._versions))
        for node in self._nodes:
            if node.problem:
                self.shutdown()
                raise BadInput(f"the node {node.address} {node.problem}: install the same version on all nodes")

    # --- pieces ---

    def _begin(
        self, work: Callable[[], Any], setup: Setup | None, put: Callable[[Any], None] | None
    ) -> Future[Timed[Any]]:
        future: Future[Timed[Any]] = Future()
        self._send(future, pickle.dumps((work, setup)))
        return future

    def _send(self, future: Future[Timed[Any]], content: bytes) -> None:
        task = self._task.options(label_selector=self._fit()) if self._unfit else self._task
        reference = task.remote(dict(self._values), content)
        self._sent[future] = reference, content
        reference.future().add_done_callback(partial(self._end, future))

    def _fit(self) -> dict[str, str]:
        """Return the selector of nodes that may have pieces."""
        return {NODE_LABEL: f"!in({','.join(self._unfit)})"}

    def _end(self, future: Future[Timed[Any]], ended: Future[Any]) -> None:
        """Give a piece that has ended its result, or send it again if a node refused it."""
        from ray import exceptions

        if future not in self._sent:  # cancelled
            return
        value: Any = None
        problem: Exception | None = None
        try:
            value = ended.result()
        except exceptions.RayTaskError as error:
            problem = error.cause if error.cause is not None else error
        except exceptions.RayError as error:
            problem = PieceLost(f"it has ended {MOST_TRIES} workers ({_first_line(error)})")
        if problem is None and not isinstance(value, Timed):
            arguments = future, *value
            threading.Thread(target=self._send_again, args=arguments, daemon=True).start()  # this thread is Ray's
        elif self._sent.pop(future, None) is None:
            return  # cancelled meanwhile
        elif problem is None:
            future.set_result(value)
        else:
            future.set_exception(problem)

    def _send_again(self, future: Future[Timed[Any]], key: str, versions: Versions) -> None:
        """Send a piece again that a node with these versions has refused, and give that node no others."""
        with self._lock:
            if key not in self._unfit:
                self._nodes = self._ray_nodes.alive_nodes()
                self._unfit[key] = next((node.address for node in self._nodes if node.key == key), key)
                problem = difference(versions, self._versions)
                report.note(f"the node {self._unfit[key]} is left out: it {problem}")
        sent = self._sent.get(future)
        if sent is not None:
            self._send(future, sent[1])

    def check(self) -> None:
        """Look now and then at the head and the nodes."""
        now = time.monotonic()
        if now - self._looked_at >= LOOK_SECONDS:
            self._looked_at = now
            if self._ray_nodes.can_connect(self._head):
                self._answered_at = now
                self._nodes = self._ray_nodes.alive_nodes()
            self._note_missing_nodes(now)
        if self._is_head_lost():
            raise ExecutorLost(
                f"the head of the Ray cluster at {self._head} does not answer any more: what is done is kept; start "
                "the cluster again, and repeat the command"
            )

    def _is_head_lost(self) -> bool:
        return self._looked_at - self._answered_at > HEAD_SECONDS

    def _note_missing_nodes(self, now: float) -> None:
        if self._usable():
            self._had_node_at = now
        elif now - self._had_node_at > NO_NODE_SECONDS:
            report.note("no node can be used now: the work goes on as soon as one joins")
            self._had_node_at = float("inf")

    def cancel(self) -> None:
        import ray

        with suppress(KeyError):  # one after the other, for a thread of Ray takes those that end now
            while True:
                future, (reference, _) = self._sent.popitem()
                future.cancel()
                ray.cancel(reference, force=True)
        self.running.clear()

    def shutdown(self) -> None:
        if self._is_head_lost():
            import ray

            atexit.unregister(ray.shutdown)  # it would wait for the head
            return
        self.cancel()
        for program in self._programs:
            program.end()
        if self._is_own_connection:
            disconnect()

    # --- size ---

    def _usable(self) -> list[int]:
        """Return the processors of each node that may have pieces."""
        return [node.cpus for node in self._nodes if node.cpus and node.key not in self._unfit]

    @property
    def slots(self) -> int:
        self.check()
        taken = sum(program.cpus for program in self._programs if not program.is_over)
        return int(max(0, sum(self._usable()) - taken))

    @property
    def room(self) -> int:
        """No piece waits beside those that are worked on while a program waits for a node."""
        if any(program.is_waiting() for program in self._programs):
            return self.slots - len(self.running)
        return super().room

    @property
    def nodes(self) -> int:
        return len(self._usable())

    # --- published values and programs ---

    def publish(self, key: str, value: Any) -> RayPublished:
        import ray

        if key not in self._values:
            self._values[key] = ray.put(value)
        return RayPublished(key)

    def forget(self, key: str) -> None:
        self._values.pop(key, None)

    def start(
        self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float] | None = None
    ) -> Program:
        self._programs = [program for program in self._programs if not program.is_over]
        program = RayProgram(factory, arguments, resources or {})
        self._programs.append(program)
        return program


class RayProgram:
    """An actor of Ray; see `Program`."""

    def __init__(self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float]) -> None:
        import ray

        amounts = {name.lower(): amount for name, amount in resources.items()}
        self.cpus = amounts.pop(CPU, 1.0)
        gpus, memory = amounts.pop("gpu", 0), amounts.pop("memory", None)
        own = {name: amount for name, amount in resources.items() if name.lower() in amounts}
        options = {"num_cpus": self.cpus, "num_gpus": gpus, "memory": memory, "resources": own}
        host = ray.remote(ProgramHost).options(max_restarts=-1, max_task_retries=-1, **options)
        self._actor = host.remote(factory, arguments)  # a call that may be tried again waits until it has restarted
        self._place, self._calls = self._actor.node.remote(), itertools.count()
        self.is_over = False

    def is_waiting(self) -> bool:
        """Tell whether it waits for a node with its resources."""
        import ray

        return not (self.is_over or ray.wait([self._place], timeout=0)[0])

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        """See `Program`."""
        answer: Future[Any] = Future()
        reference = self._actor.call.remote(next(self._calls), method, arguments)
        reference.future().add_done_callback(partial(_answer, answer))
        return answer

    def end(self) -> None:
        """See `Program`."""
        import ray

        if not self.is_over:
            self.is_over = True
            ray.kill(self._actor)


def _answer(answer: Future[Any], ended: Future[Any]) -> None:
    """Give a call of a program its answer."""
    from ray import exceptions

    try:
        answer.set_result(ended.result())
    except exceptions.RayTaskError as error:
        answer.set_exception(error.cause or error)
    except exceptions.ActorUnavailableError:
        answer.set_exception(ProgramLost("its process ended, or its node is gone"))
    except exceptions.RayError as error:
        answer.set_exception(ProgramLost(_first_line(error)))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
