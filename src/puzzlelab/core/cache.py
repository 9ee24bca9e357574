"""Where puzzlelab keeps what is dear to make again: compiled kernels and estimate tables.

Numba's own disk cache does not notice an edit in *another* file and goes on running the old machine code. So the
folder for compiled kernels is named after a hash of every kernel source, and an edit anywhere makes a new one.
"""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import metadata, util
from pathlib import Path

from puzzlelab.core import report

PACKAGE = Path(__file__).resolve().parent.parent
KERNEL_FOLDERS = ("core", "puzzles", "solvers", "experience")
PLUGIN_GROUPS = ("puzzlelab.puzzles", "puzzlelab.solvers")
KEPT_FOLDERS = 6
KEPT_SECONDS = 7 * 24 * 3600


def user_cache() -> Path:
    """The folder for everything that puzzlelab may delete and make again."""
    if explicit := os.environ.get("PUZZLELAB_CACHE"):
        return Path(explicit)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "puzzlelab"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "puzzlelab" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "puzzlelab"
    return Path.home() / ".cache" / "puzzlelab"


def kernel_sources() -> list[Path]:
    """Every file whose text can change compiled code: the package's own, then those of installed plug-ins."""
    own = [path for folder in KERNEL_FOLDERS for path in (PACKAGE / folder).rglob("*.py")]
    return sorted(path for path in [*own, *_plugin_files()] if b"kernels" in path.read_bytes())


def _plugin_files() -> list[Path]:
    files: list[Path] = []
    for group in PLUGIN_GROUPS:
        for entry in metadata.entry_points(group=group):
            spec = util.find_spec(entry.module.partition(".")[0])
            if spec is None or spec.origin is None:
                continue
            origin = Path(spec.origin)
            files += origin.parent.rglob("*.py") if origin.name == "__init__.py" else [origin]
    return files


@cache
def kernel_cache() -> Path | None:
    """The folder for the machine code of just these kernel sources, this Numba and its flags; old ones are pruned.

    None where it cannot be written: kernels are then compiled anew in each process.
    """
    digest = hashlib.sha256()
    for path in kernel_sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    digest.update(f"{metadata.version('numba')} {metadata.version('numpy')} {sys.version}".encode())
    digest.update(repr(sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))).encode())
    parent = user_cache() / "kernels"
    folder = parent / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _prune(parent, keep=folder)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        report.note(f"The cache folder {parent} cannot be written, so that every start compiles the kernels again.")
    return folder if writable else None


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Only one process at a time makes what has this name in the folder of kernels; others wait, and find it there."""
    folder = kernel_cache()
    if folder is None:
        yield
        return
    with ExitStack() as stack:
        with suppress(ImportError, OSError):  # no such lock on this system or file system: work may be done twice
            import fcntl

            file = stack.enter_context((folder / f"{name}.lock").open("w", encoding="utf-8"))
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _prune(parent: Path, keep: Path) -> None:
    others = [path for path in parent.iterdir() if path.is_dir() and path != keep]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for age, path in enumerate(others, start=1):
        if age >= KEPT_FOLDERS or time.time() - path.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(path, ignore_errors=True)
