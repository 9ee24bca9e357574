"""Packs: folders of kernels that were compiled beforehand, for a common processor."""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import util
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from puzzlelab.core.errors import BadOption, CorruptData
from puzzlelab.engine import report
from puzzlelab.engine.compiler.cache_folder import kernel_fingerprint
from puzzlelab.engine.compiler.machine_code import SUFFIX, read_entry
from puzzlelab.engine.compiler.trust import distrust, refused
from puzzlelab.storage.files import replace_file, writing

MANIFEST = "pack.json"
PACKAGE = "puzzlelab_kernels"
"""The package, of a wheel of its own, that holds a pack."""
LEVELS = {
    "x86-64": "cmov cx8 fxsr mmx sse sse2",
    "x86-64-v2": "cmov cx8 fxsr mmx sse sse2 cx16 popcnt sahf sse3 sse4.1 sse4.2 ssse3",
    "x86-64-v3": (
        "cmov cx8 fxsr mmx sse sse2 cx16 popcnt sahf sse3 sse4.1 sse4.2 ssse3 "
        "avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"
    ),
    "generic": "",
}
"""Processors that a pack can be made for, and the features each must have, as LLVM calls them. Source: the System V ABI
of x86-64. `generic` is what every processor of this machine's kind can run."""


class Pack(NamedTuple):
    """A folder of machine code that was compiled for a common processor."""

    folder: Path
    target: tuple[str, str, str]
    """The platform, the processor and its extra features, as Numba names them."""


def platform_triple() -> str:
    """Return LLVM's name of this platform."""
    triple: str = llvm.get_process_triple()
    return triple


def manifest_of(target: tuple[str, str, str]) -> dict[str, Any]:
    """Return the manifest of a pack; it differs for other sources, another Numba or another system."""
    return {"format": 1, "kernels": kernel_fingerprint(), "target": list(target)}


def pack_folder() -> Path | None:
    """Return the folder of a pack, named by `PUZZLELAB_KERNELS`, or that of the package `puzzlelab_kernels`."""
    if "PUZZLELAB_KERNELS" in os.environ:
        explicit = os.environ["PUZZLELAB_KERNELS"]
        return Path(explicit) if explicit else None
    spec = util.find_spec(PACKAGE)
    return Path(spec.origin).parent / "pack" if spec is not None and spec.origin else None


@cache
def pack() -> Pack | None:
    """Return the pack that suits these sources, this Numba and this processor, if there is one."""
    folder = pack_folder()
    if folder is None:
        return None
    try:
        if why := distrust(folder):
            report.note(refused(folder, why))
            return None
        manifest = json.loads(read_entry(folder / MANIFEST) or b"")
        platform_name, processor, features = map(str, manifest["target"])
    except (OSError, CorruptData, ValueError, KeyError, TypeError, RecursionError):
        report.note(f"{folder} holds no pack of compiled kernels, so that kernels are compiled here.")
        return None
    target = (platform_name, processor, features)
    if manifest != manifest_of(target):
        report.note(
            f"The pack of compiled kernels in {folder} is of another version, so that kernels are compiled here."
        )
        return None
    if platform_name != platform_triple() or not runs_here(processor):
        report.note(f"The pack of compiled kernels in {folder} is for other processors ({processor}).")
        return None
    return Pack(folder, target)


def runs_here(processor: str) -> bool:
    """Tell whether this machine runs code for one of `LEVELS`; one named by `NUMBA_CPU_NAME` runs its own alone."""
    if processor not in LEVELS:
        return False
    if explicit := os.environ.get("NUMBA_CPU_NAME"):
        return explicit == processor and not os.environ.get("NUMBA_CPU_FEATURES")
    if processor.startswith("x86") != (platform.machine().lower() in ("x86_64", "amd64")) and processor != "generic":
        return False
    features = llvm.get_host_cpu_features()
    return all(features.get(feature, False) for feature in LEVELS[processor].split())


@contextmanager
def new_pack(folder: Path, processor: str) -> Iterator[dict[str, str]]:
    """Write what a program compiles during the block as a pack for one of `LEVELS`; yields its environment variables.

    Raises `BadOption` for another processor, and `BadFile` if the folder cannot be written.
    """
    from puzzlelab.storage.outputs import check_folder, only_writer_in

    if processor not in LEVELS:
        raise BadOption(f"--cpu knows {', '.join(LEVELS)}, not '{processor}'")
    with only_writer_in(folder), tempfile.TemporaryDirectory() as scratch:
        check_folder(folder, MANIFEST, lambda name: name.endswith(SUFFIX), "kernels")
        yield {
            "PUZZLELAB_CACHE": scratch,
            "PUZZLELAB_KERNELS": "",
            "NUMBA_CPU_NAME": processor,
            "NUMBA_CPU_FEATURES": "",  # the name alone would keep the features of this processor
        }
        with writing(folder):
            for old in [*folder.glob(MANIFEST), *folder.glob(f"*{SUFFIX}")]:
                old.unlink()
            for entry in Path(scratch).glob(f"kernels/*/*{SUFFIX}"):
                shutil.copy(entry, folder)
            manifest = manifest_of((platform_triple(), processor, ""))
            replace_file(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
