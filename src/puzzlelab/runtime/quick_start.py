"""Shortens the start of the program. It changes settings of the whole process, which a library must not do."""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

HIDDEN_IMPORTS = {"numba": "scipy"}
"""A module -> an import of it to hide: at its start Numba needs only the version of SciPy."""

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
    if "numba" not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _keep_working_folder_from_children() -> None:
    """Have Python leave the working folder out of the path of child processes, unless this process has it too."""
    with suppress(OSError):  # the folder was removed
        if str(Path.cwd()) not in map(os.path.abspath, sys.path):
            os.environ.setdefault("PYTHONSAFEPATH", "1")


class _Finder(MetaPathFinder):
    """The finder of the modules of `HIDDEN_IMPORTS`, which are loaded with `_Without`."""

    def __init__(self) -> None:
        self.open = dict(HIDDEN_IMPORTS)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        hidden = self.open.pop(name, None)
        spec = find_spec(name) if hidden else None
        if spec is not None and spec.loader is not None and hidden:
            spec.loader = _Without(spec.loader, hidden)
        return spec


class _Without(Loader):
    """The loader of a module while another one cannot be imported."""

    def __init__(self, loader: Loader, name: str) -> None:
        self.loader, self.name = loader, name

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            spec.loader = module.__loader__ = self.loader
        with _hidden(self.name):
            self.loader.exec_module(module)


@contextmanager
def _hidden(name: str) -> Iterator[None]:
    """Make `import name` fail, unless it is imported already."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
