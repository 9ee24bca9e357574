"""The part of an executor that runs in its worker processes: pieces, what they need once, and published values."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from puzzlelab.engine.compiler import alone
from puzzlelab.engine.executor import Setup, Timed, values_of
from puzzlelab.engine.published_networks import using

KEPT_VALUES = 8
"""Published values that a worker process keeps."""
_values: OrderedDict[str, Any] = OrderedDict()
"""Hash -> value, the one used last at the end."""
_prepared: set[str] = set()
"""The keys of the setups that this process has prepared."""


def run_piece(work: Callable[[], Any], setup: Setup | None) -> Timed[Any]:
    """Do a piece of work; its time is without that of the setup."""
    os.environ["PUZZLELAB_BACKGROUND"] = "0"  # compiling would take the other cores of the machine
    with using({} if setup is None else setup.networks):
        if setup is not None and setup.key and setup.key not in _prepared:
            with alone("setup of workers"):
                setup.prepare()
            _prepared.add(setup.key)
        began = time.perf_counter()
        values = list(values_of(work))
        return Timed(values, time.perf_counter() - began)


def value_of(key: str, fetch: Callable[[], Any]) -> Any:
    """Return the published value with this hash, which a process fetches once as long as it keeps it."""
    if key not in _values:
        _values[key] = fetch()
        while len(_values) > KEPT_VALUES:
            _values.popitem(last=False)
    _values.move_to_end(key)
    return _values[key]
