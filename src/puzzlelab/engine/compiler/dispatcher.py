"""Compiles kernels when they are first called, or loads their machine code.

A kernel is looked for in the user's cache, compiled for this processor; then in a pack, compiled for a common one; else
it is compiled, by one process at a time.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock

from puzzlelab.core.errors import CorruptData
from puzzlelab.engine import report
from puzzlelab.engine.compiler.background import used_of_packs
from puzzlelab.engine.compiler.cache_folder import MESSAGE_DELAY, alone, cannot_keep, kernel_folder, make_folder
from puzzlelab.engine.compiler.machine_code import entry_name, modules_of, packed_entry, read_entry, unpacked_entry
from puzzlelab.engine.compiler.packs import pack
from puzzlelab.engine.compiler.passes import HelperCompiler, KernelCompiler
from puzzlelab.storage.files import replacing

HELPER_OPTIONS = {
    "pipeline_class": HelperCompiler,
    "forceinline": True,
    "_nrt": False,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
}
"""The options of Numba for helpers. Kernels neither allocate nor count references: a call that passes a record of
arrays would otherwise touch the count of every one of them, which made the search with a pattern database fifteen times
slower. Only Python and other kernels call them: a wrapper for C would be compiled in vain."""


def kernel_dispatcher(function: Callable[..., Any]) -> Any:
    """Return the kernel of a function, which compiles itself for the types that it is called with."""
    dispatcher: Any = numba.njit(
        nogil=True,
        error_model="numpy",
        _nrt=False,
        no_cfunc_wrapper=True,
        forceinline=False,  # Numba would take it from the kernel that calls this one first
        pipeline_class=KernelCompiler,
    )(function)
    dispatcher._cache = kept = KernelCache(function)
    compile_one = dispatcher.compile

    def compile_alone(signature: Any) -> Any:
        """Compile in one process at a time, not in all that start together; Numba's own lock is first, for threads."""
        with report.preparing(), global_compiler_lock, ExitStack() as kept.under_way:
            return compile_one(signature)

    dispatcher.compile = compile_alone
    return dispatcher


class KernelCache(NullCache):
    """Numba's cache interface for one kernel: loads its machine code before compilation, and saves it afterwards."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.name = f"{function.__module__}.{function.__name__}"
        self.under_way = ExitStack()
        """What lasts until the kernel is compiled and saved: the turn among processes, and the message."""

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the machine code for these types, from the user's cache or from a pack. Numba's name."""
        signature, result = tuple(sig), None
        try:
            result = self._found(signature, target_context)
            if result is None:
                self.under_way.enter_context(alone(self.name))
                result = self._found(signature, target_context)
        except CorruptData as error:
            report.note(str(error))
        if result is None:
            what = f"Compiling {short(self.name)}{_purpose(signature)}: some seconds, the first time only."
            self.under_way.enter_context(report.after(MESSAGE_DELAY, what))
        return result

    def _found(self, signature: tuple[Any, ...], target_context: Any) -> CompileResult | None:
        target = target_context.codegen().magic_tuple()
        result = self._load(kernel_folder(), signature, target, target_context)
        if result is None and (prebuilt := pack()) is not None and prebuilt.folder != kernel_folder():
            result = self._load(prebuilt.folder, signature, prebuilt.target, target_context)
            if result is not None and prebuilt.target != target:
                name = entry_name(self.function, signature, target)
                used_of_packs[str(name)] = (self.function.__module__, self.function.__qualname__, signature)
        return result

    def _load(
        self, folder: Path | None, signature: tuple[Any, ...], target: tuple[str, ...], target_context: Any
    ) -> CompileResult | None:
        name = entry_name(self.function, signature, target)
        if folder is None or name is None:
            return None
        try:
            data = read_entry(folder / name)
            return None if data is None else unpacked_entry(name, data, target_context, signature)
        except CorruptData as error:
            sentence = f"A compiled kernel cannot be used ({error}), and is compiled again: {folder / name}"
            raise CorruptData(sentence) from None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep the machine code for these types. Numba's name."""
        folder, name = kernel_folder(), entry_name(self.function, tuple(sig), data.codegen.magic_tuple())
        if folder is None or name is None or data.library.has_dynamic_globals:
            return
        path = folder / name
        try:
            if why := make_folder(folder):  # it may have been removed while this process ran
                raise PermissionError(why)
            if path.is_dir() and not path.is_symlink():  # a folder cannot be replaced by a file
                shutil.rmtree(path)
            with replacing(path, durable=False) as new:
                new.touch(0o644)  # other users cannot write to it, whatever the user's mask is
                new.write_bytes(packed_entry(name, data))
        except OSError as error:
            cannot_keep(path, error)


def short(name: str) -> str:
    """Return the kernel with its module, without the marks of kernel modules: `ida.step` for `_ida_kernels.step`."""
    module, kernel = name.split(".")[-2:]
    return f"{module.removeprefix('_').removesuffix('_kernels')}.{kernel}"


def _purpose(signature: tuple[Any, ...]) -> str:
    """Return the puzzle, by the modules of the tables that the kernel is compiled for."""
    modules = dict.fromkeys(module for kind in signature for module in modules_of(kind))
    names = [module.split(".")[2] for module in modules if module.startswith("puzzlelab.puzzles.")]
    names += [module.partition(".")[0] for module in modules if not module.startswith("puzzlelab.")]
    return f" for {names[0]}" if names else ""
