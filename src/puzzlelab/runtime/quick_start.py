"""Shortens the start of the program. It changes settings of the whole process, which a library must not do."""

import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

COLLECT_AFTER = 50_000
"""Allocations between garbage collections. With the default of 700, collections take a tenth of the start of the
program, and find nothing."""


def start_quickly() -> None:
    """Collect garbage rarely, hide SciPy from Numba's import, and skip the search for plug-ins of pydantic.

    That search reads metadata of every installed package. Child processes do not import modules of the working folder.
    """
    _keep_working_folder_from_children()
    gc.set_threshold(COLLECT_AFTER)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if "numba" not in sys.modules and FINDER not in sys.meta_path:
        sys.meta_path.insert(0, FINDER)


def _keep_working_folder_from_children() -> None:
    """Have Python leave the working folder out of the path of child processes, unless this process has it too."""
    with suppress(OSError):  # the folder was removed
        if str(Path.cwd()) not in map(os.path.abspath, sys.path):
            os.environ.setdefault("PYTHONSAFEPATH", "1")


def _find_numba(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
    """Return the module of Numba, whose code cannot import SciPy at its start: it needs only its version there."""
    if name != "numba":
        return None
    sys.meta_path.remove(FINDER)
    spec = find_spec(name)
    if spec is not None and spec.loader is not None:
        execute = spec.loader.exec_module

        def execute_without_scipy(module: ModuleType) -> None:
            is_hidden = "scipy" not in sys.modules
            if is_hidden:
                sys.modules["scipy"] = None  # type: ignore[assignment]
            try:
                execute(module)
            finally:
                if is_hidden:
                    del sys.modules["scipy"]

        spec.loader.exec_module = execute_without_scipy  # type: ignore[method-assign]
    return spec


FINDER: Any = SimpleNamespace(find_spec=_find_numba)
"""The finder that Python asks for modules first."""
