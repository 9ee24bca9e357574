"""The part of the executor that runs on the nodes of a Ray cluster: pieces of work, programs, and published values."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

KEPT_VALUES = 8
"""Published values that a worker process keeps."""
_values: OrderedDict[str, Any] = OrderedDict()
"""Hash -> value, the one used last at the end."""


def run_piece(function: Callable[[Any], Any], argument: Any) -> Any:
    """Do a piece of work. The process compiles nothing in the background, which would take the node's other cores."""
    os.environ["PUZZLELAB_BACKGROUND"] = "0"
    return function(argument)


def value_of(key: str, fetch: Callable[[], Any]) -> Any:
    """Return the published value with this hash, which a process fetches once as long as it keeps it."""
    if key not in _values:
        _values[key] = fetch()
        while len(_values) > KEPT_VALUES:
            _values.popitem(last=False)
    _values.move_to_end(key)
    return _values[key]


class ProgramHost:
    """An actor: the object `factory(*arguments)`, which the first call makes, and calls of its methods."""

    def __init__(self, factory: Callable[..., Any], arguments: Sequence[Any]) -> None:
        os.environ["PUZZLELAB_BACKGROUND"] = "0"
        self._factory, self._arguments = factory, arguments

    @cached_property
    def _object(self) -> Any:
        return self._factory(*self._arguments)

    def node(self) -> str:
        """Return the key of the node that it is on."""
        import ray

        key: str = ray.get_runtime_context().get_node_id()
        return key

    def call(self, method: str, arguments: Sequence[Any]) -> Any:
        """Return the value of a method of the object."""
        return getattr(self._object, method)(*arguments)
