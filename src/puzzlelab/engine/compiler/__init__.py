"""The compiler of kernels: Numba with passes of its own, a cache of machine code that is checked, and packs.

All other modules import from here alone, and this package alone uses the insides of Numba. README.md says which, how a
kernel gets from its source to running code, and what each part saves.

- `dispatcher` compiles a kernel when it is first called, or loads it; `passes` are the changes to Numba's compilation.
- `wide_integers` (numbers of up to 256 bits) and `simd` (vectors of 16 numbers) are parts of kernels.
- `machine_code` has the bytes of a kernel on disk, `cache_folder` where they are, `trust` which may be run, `packs`
  those that were compiled beforehand, and `background` what is compiled after an answer from a pack.

A name is imported when it is first asked for, because a command that runs no kernel should not wait for Numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from puzzlelab.engine.compiler.background import compile_in_background, none_running
    from puzzlelab.engine.compiler.cache_folder import alone, kernel_folder
    from puzzlelab.engine.compiler.dispatcher import HELPER_OPTIONS, kernel_dispatcher
    from puzzlelab.engine.compiler.packs import LEVELS, new_pack
    from puzzlelab.engine.compiler.simd import LANES, Block, Lanes, lanewise, least_of
    from puzzlelab.engine.compiler.wide_integers import load, lowest, ones, prefetch, store
else:
    _MODULES = {
        "background": ("compile_in_background", "none_running"),
        "dispatcher": ("HELPER_OPTIONS", "kernel_dispatcher"),
        "cache_folder": ("alone", "kernel_folder"),
        "packs": ("LEVELS", "new_pack"),
        "simd": ("LANES", "Block", "Lanes", "lanewise", "least_of"),
        "wide_integers": ("load", "lowest", "ones", "prefetch", "store"),
    }

    def __getattr__(name: str) -> Any:
        for module, names in _MODULES.items():
            if name in names:
                return getattr(import_module(f"{__name__}.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "HELPER_OPTIONS",
    "LANES",
    "LEVELS",
    "Block",
    "Lanes",
    "alone",
    "compile_in_background",
    "kernel_dispatcher",
    "kernel_folder",
    "lanewise",
    "least_of",
    "load",
    "lowest",
    "new_pack",
    "none_running",
    "ones",
    "prefetch",
    "store",
]
