"""Makes the start of a process that is ours alone short: what it may change, a library may not."""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

LEFT_OUT = {"numba": "scipy"}
"""A module -> what it would import: Numba looks at SciPy's version, and needs nothing else of it at its start."""

COLLECT_AFTER = 50_000
"""Objects after which Python looks for garbage: after 700 of the million that imports make, it does so for a tenth of
the whole start, and finds none."""


def start_quickly() -> None:
    """Look for garbage rarely, leave SciPy out where Numba imports it, and look for no plug-ins of pydantic.

    To look for plug-ins means to read something of every installed package.
    """
    gc.set_threshold(COLLECT_AFTER)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if "numba" not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds what others find, and changes how it is loaded."""

    def __init__(self) -> None:
        self.open = dict(LEFT_OUT)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        without = self.open.pop(name, None)
        spec = find_spec(name) if without else None
        if spec is not None and spec.loader is not None and without:
            spec.loader = _Without(spec.loader, without)
        return spec


class _Without(Loader):
    """Loads a module while another one cannot be imported."""

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
    """Makes `import name` fail, unless it is imported already."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
