"""Data that outlasts a process: files written in one step, growing files of rows, and trained networks.

Start with `files.py` (files written atomically, locks), `lines.py` (files that grow by lines of JSON) and `row.py`, the
schema of one answer in a file of results. `row_files.py` is a file of rows in any of its forms, and `outputs.py` the
files that a command writes. `networks.py` finds networks by name; what reads them is a layer above.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlelab.storage.networks import NetworkSource as NetworkSource

load_networks: Callable[[], NetworkSource]
"""Imports the source of networks, and with it ONNX Runtime; raises `ModuleNotFoundError` where that is not installed.
`puzzlelab/__init__.py` sets it: Python runs that file before any other module, so that every process has a source.
"""
