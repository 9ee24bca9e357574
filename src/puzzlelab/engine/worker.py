"""The part of an executor that runs where pieces are done: networks of the driver, what pieces need once, and published
values.

Networks in files of the driver are published by their hash, for nodes that cannot read these files. A node writes the
files once into its cache folder. While a piece runs, the name of the network means these files, so that options and
labels of solvers are those of the driver.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.engine.compiler import alone
from puzzlelab.engine.executor import Executor, Published, Setup, Timed, values_of
from puzzlelab.engine.user_cache import user_cache
from puzzlelab.storage import networks
from puzzlelab.storage.files import make_folder, replace_file

DIGITS = 32
"""The digits of the hash of the files of a network."""
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


# --- networks ---


def published_networks(executor: Executor, puzzle: Puzzle, options: Mapping[str, Any]) -> Mapping[str, Published]:
    """Name -> files of the networks that these options of a solver name, but for those that come with the package.

    There are none for an executor that shares the memory of this process. Raises `BadInput` for a network that cannot
    be found or read.
    """
    published: dict[str, Published] = {}
    if executor.shares_memory:
        return published
    for name in dict.fromkeys(networks.named(options)):
        if contents := networks.files(puzzle, name):
            published[networks.parts(name)[0]] = executor.publish(_hash(contents), contents)
    return published


def _hash(contents: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for ending in sorted(contents):
        digest.update(f"{ending} {len(contents[ending])} ".encode() + contents[ending])
    return digest.hexdigest()[:DIGITS]


@contextmanager
def using(published: Mapping[str, Published]) -> Iterator[None]:
    """Let the names of these networks mean their published files while it lasts.

    Raises `BadFile` where the cache folder cannot be written.
    """
    with networks.moved({name: str(_kept(files)) for name, files in published.items()}):
        yield


_checked: set[Path] = set()
"""Networks in the cache folder whose files this process has compared with their hash."""


def _kept(files: Published) -> Path:
    """Return the path of a network in the cache folder, without ending; its files are fetched if they are not there."""
    stem = user_cache() / "networks" / files.key
    if stem in _checked:
        return stem
    try:
        if _hash(_stored(stem)) != files.key:
            make_folder(stem.parent)
            for ending, content in files.value().items():
                replace_file(stem.with_suffix(ending), content, durable=False)
    except OSError as error:
        raise BadFile(f"a network cannot be kept in {stem.parent}: {error.strerror or error}") from None
    _checked.add(stem)
    return stem


def _stored(stem: Path) -> dict[str, bytes]:
    """Map the endings of the files with this stem to their content."""
    return {path.suffix: path.read_bytes() for path in stem.parent.glob(f"{stem.name}.*") if path.stem == stem.name}
