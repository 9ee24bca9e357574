"""The nodes of a Ray cluster as workers, for `engine/executor.py`. Ray starts their processes, and carries the data.

Each piece is a task of Ray that is bound to a node, because a piece may begin on a node only after it was prepared, and
because nodes with other versions get none. Ray does not repeat tasks here: `Executor` counts how often each was lost.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from puzzlelab.cluster.connection import connect, disconnect, need_ray
from puzzlelab.cluster.node_side import ProgramHost, run_piece, value_of
from puzzlelab.engine.executor import Ended, LostPlace, Node, Program, ProgramLost

MOST_READY = 500
"""Results that are taken at once."""
AHEAD_SHARE = 4
"""The slots of a node for each piece that waits there, so that the node does not wait for the driver."""
CPU = "cpu"
LOOK_SECONDS = 1.0
"""Seconds between two looks whether the head is still there, while a program answers."""
if TYPE_CHECKING:
    from puzzlelab.cluster.ray_nodes import NodeWatch


@dataclass(frozen=True)
class RayPublished:
    """A published value in Ray's object store, from which a node fetches it once; see `Published`."""

    key: str
    reference: Any

    def value(self) -> Any:
        import ray

        return value_of(self.key, lambda: ray.get(self.reference))


class RayWorkers:
    """The nodes of one cluster; see `Workers`.

    Args:
        address: of the head, such as 10.0.0.1:6379, or a client address `ray://HOST:10001`; empty: the cluster that
            this machine belongs to, or that RAY_ADDRESS names.
    """

    def __init__(self, address: str = "") -> None:
        need_ray()
        self.watch, self._is_own_connection = connect(address)
        self._tickets: dict[Any, int] = {}
        """Reference -> ticket of what was begun."""
        self._nodes: dict[int, str] = {}
        """Ticket -> the key of its node."""
        self._dead: set[str] = set()
        """Nodes that were lost, though Ray still lists them."""
        self._values: dict[str, RayPublished] = {}
        self._programs: list[RayProgram] = []
        self._run = _remote(run_piece)

    def nodes(self) -> Sequence[Node]:
        usable = [
            node
            for node in self.watch.alive()
            if node.versions and not node.problem and node.cpus and node.key not in self._dead
        ]
        placing = sum(program.cpus for program in self._programs if program.is_waiting)
        nodes = []
        for node in usable:
            taken = sum(program.cpus for program in self._programs if program.node_key == node.key)
            slots = int(max(0, node.cpus - taken - placing))
            ahead = 0 if placing else -(-slots // AHEAD_SHARE)
            nodes.append(Node(node.key, node.address, slots, ahead))
        return nodes

    def begin(self, ticket: int, node: Node, function: Callable[[Any], Any], argument: Any) -> None:
        reference = self._run.options(scheduling_strategy=_on(node.key)).remote(function, argument)
        self._tickets[reference], self._nodes[ticket] = ticket, node.key

    def ended(self, seconds: float) -> list[Ended]:
        import ray

        self.watch.alive()  # raises an error if the head is lost
        references = list(self._tickets)
        if not references:
            self.watch.wait(seconds)
            return []
        ready, _ = ray.wait(references, num_returns=1, timeout=seconds)
        if ready and len(references) > 1:
            ready, _ = ray.wait(references, num_returns=min(len(references), MOST_READY), timeout=0)
        return [self._ended(reference) for reference in ready]

    def _ended(self, reference: Any) -> Ended:
        import ray

        ticket = self._tickets.pop(reference)
        key = self._nodes.pop(ticket)
        try:
            return Ended(ticket, ray.get(reference))
        except ray.exceptions.RayTaskError as error:
            return Ended(ticket, error=error.cause if error.cause is not None else error)
        except ray.exceptions.RayError as error:
            place = _lost_place(error)
            if place == "node":
                self._dead.add(key)
            return Ended(ticket, lost=place, reason=_first_line(error))

    def cancel(self, tickets: Iterable[int]) -> None:
        import ray

        references = {ticket: reference for reference, ticket in self._tickets.items()}
        for ticket in tickets:
            reference = references.get(ticket)
            if reference is not None:
                del self._tickets[reference]
                del self._nodes[ticket]
                ray.cancel(reference, force=True)

    # --- published values and programs ---

    def publish(self, key: str, value: Any) -> RayPublished:
        import ray

        if key not in self._values:
            self._values[key] = RayPublished(key, ray.put(value))
        return self._values[key]

    def forget(self, key: str) -> None:
        self._values.pop(key, None)

    def start(self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float]) -> Program:
        self._programs = [program for program in self._programs if not program.is_over]
        program = RayProgram(self.watch, factory, arguments, resources)
        self._programs.append(program)
        return program

    def close(self) -> None:
        if self.watch.is_head_lost:
            import ray

            atexit.unregister(ray.shutdown)  # it would wait for the head
            return
        self.cancel(list(self._nodes))
        for program in self._programs:
            program.end()
        self.watch.stop()
        if self._is_own_connection:
            disconnect()


class RayProgram:
    """An actor of Ray; see `Program`."""

    def __init__(
        self,
        watch: NodeWatch,
        factory: Callable[..., Any],
        arguments: Sequence[Any],
        resources: Mapping[str, float],
    ) -> None:
        self._watch = watch
        amounts = {name.lower(): amount for name, amount in resources.items()}
        self.cpus = amounts.pop(CPU, 1.0)
        gpus, memory = amounts.pop("gpu", 0), amounts.pop("memory", None)
        own = {name: amount for name, amount in resources.items() if name.lower() in amounts}
        options = {"num_cpus": self.cpus, "num_gpus": gpus, "memory": memory, "resources": own, "max_restarts": 0}
        self._actor = _remote(ProgramHost).options(**options).remote(factory, arguments)
        self._place = self._actor.node.remote()
        self.node_key = ""
        """The key of its node; empty while it waits for one."""
        self.is_over = False

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a node with its resources."""
        return not (self.is_over or self._is_placed())

    def _is_placed(self) -> bool:
        import ray

        if not self.node_key and ray.wait([self._place], timeout=0)[0]:
            self.node_key = self._value(self._place)
        return bool(self.node_key)

    @property
    def node(self) -> str:
        """See `Program`."""
        self.node_key = self.node_key or self._value(self._place)
        return self.node_key

    def call(self, method: str, *arguments: Any) -> Any:
        """See `Program`."""
        return self._value(self._actor.call.remote(method, arguments))

    def _value(self, reference: Any) -> Any:
        """Return the result of a call; raises `ProgramLost`, or what the method raised."""
        import ray

        try:
            while not ray.wait([reference], timeout=LOOK_SECONDS)[0]:
                if self._watch.is_head_lost:
                    raise ProgramLost("the head of the cluster is lost")
            return ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise (error.cause or error) from None
        except ray.exceptions.RayError as error:
            self.end()
            raise ProgramLost(_first_line(error)) from None

    def end(self) -> None:
        """See `Program`."""
        import ray

        if not self.is_over:
            self.is_over = True
            ray.kill(self._actor)


def _remote(function_or_class: Any) -> Any:
    """Return a function or class as Ray runs it: nothing is repeated, because `Executor` counts how often that
    happens.
    """
    import ray

    if isinstance(function_or_class, type):
        return ray.remote(function_or_class)
    return ray.remote(num_cpus=1, max_retries=0)(function_or_class)


def _on(key: str) -> Any:
    """Return the option of Ray that places work on this node only."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(key, soft=False)


def _lost_place(error: Exception) -> LostPlace:
    """Tell whether a worker ended, or a node was lost, perhaps with a result that was not fetched."""
    from ray import exceptions

    return "worker" if isinstance(error, exceptions.WorkerCrashedError | exceptions.OutOfMemoryError) else "node"


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
