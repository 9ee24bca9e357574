"""The part of the executor that runs on the nodes of a Ray cluster: pieces of work, programs, and published values."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from puzzlelab.cluster.versions import Versions, probe
from puzzlelab.engine import worker
from puzzlelab.engine.executor import Timed

_references: dict[str, Any] = {}
"""Hash of a published value -> its reference in Ray's object store, of the piece that this process does."""


@dataclass(frozen=True)
class RayPublished:
    """A published value in Ray's object store, from which a node fetches it once; see `Published`."""

    key: str

    def value(self) -> Any:
        import ray

        return worker.value_of(self.key, lambda: ray.get(_references[self.key]))


def piece_function(here: Versions) -> Callable[[Mapping[str, Any], bytes], Any]:
    """Return the function of Ray's tasks, which does a piece where the versions are these; else it tells the others.

    It is a function inside a function, as that of `probe` is, and its argument is read only after it has looked.
    """
    versions = probe()

    def run_piece(references: Mapping[str, Any], content: bytes) -> Any:
        found = versions()
        if found != here:
            import ray

            return ray.get_runtime_context().get_node_id(), found
        from puzzlelab.cluster.node_side import timed

        return timed(references, content)

    return run_piece


def timed(references: Mapping[str, Any], content: bytes) -> Timed[Any]:
    """Do a piece of work."""
    _references.clear()
    _references.update(references)
    return worker.run_piece(*pickle.loads(content))


class ProgramHost:
    """An actor: the object `factory(*arguments)`, which the first call makes, and calls of its methods."""

    def __init__(self, factory: Callable[..., Any], arguments: Sequence[Any]) -> None:
        os.environ["PUZZLELAB_BACKGROUND"] = "0"
        self._factory, self._arguments = factory, arguments
        self._number, self._answer = -1, None

    @cached_property
    def _object(self) -> Any:
        return self._factory(*self._arguments)

    def node(self) -> str:
        """Return the key of the node that it is on."""
        import ray

        key: str = ray.get_runtime_context().get_node_id()
        return key

    def call(self, number: int, method: str, arguments: Sequence[Any]) -> Any:
        """Return the value of a method of the object.

        A call that Ray repeats because its answer was lost is not made twice.
        """
        if number != self._number:
            self._answer = getattr(self._object, method)(*arguments)
            self._number = number
        return self._answer
