"""The machine code of kernels on disk: kept after compiling, checked before it is loaded, and packs made beforehand.

A kernel is looked for in the user's cache, compiled for this processor; then in a pack, compiled for a common one; else
it is compiled. An entry is a file of its own, whose name holds a hash of everything that its code depends on. It begins
with a checksum of the sources, of its name and of the rest, which is compared before anything else is read: an entry
that is damaged, or that lies under the name of another, is compiled anew. An entry is a pickle, so that a cache folder
or a pack must come from a trusted source: see `engine.trust`.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import util
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import types
from numba.core.caching import _Cache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from puzzlelab.core.errors import CorruptData
from puzzlelab.engine import report
from puzzlelab.engine.kernel_cache import cannot_keep, kernel_cache, kernel_fingerprint, make_folder
from puzzlelab.engine.trust import distrust, fault_of, refused
from puzzlelab.storage.files import replacing
from puzzlelab.version import PACKAGE

MAGIC = b"puzzlelab kernel 2\n"
SUFFIX = ".kernel"
LARGEST = 1 << 28
"""Bytes of the largest entry that is read; kernels have 20 thousand to two million."""
NO_WAIT = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags for opening a file: bytes, where the system has text too; and a pipe must not wait for its other end."""
MANIFEST = "pack.json"
PACK_PACKAGE = "puzzlelab_kernels"
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
LEAF = 200
"""Instructions up to which a kernel is always inlined in those that call it. LLVM decides about larger ones."""


class Pack(NamedTuple):
    """A folder of machine code that was compiled for a common processor."""

    folder: Path
    target: tuple[str, str, str]
    """The platform, the processor and its extra features, as Numba names them."""


used_of_packs: dict[str, tuple[str, str, Any]] = {}
"""Kernels that were loaded from a pack: module, name and signature, by the name of the entry."""


# --- keys -------------------------------------------------------------------------------------------------------------


def described(kind: Any) -> str:
    """Return a type in words that tell it from every other, because records are named with their modules."""
    if isinstance(kind, types.BaseNamedTuple):
        inside = ", ".join(map(described, kind.types))
        return f"{kind.instance_class.__module__}.{kind.instance_class.__qualname__}({inside})"
    if (record := getattr(kind, "record", None)) is not None:
        return f"*{described(record)}"
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(map(described, kind.types))})"
    return str(kind)


def modules_of(kind: Any) -> Iterator[str]:
    """Yield the modules of the records in a type."""
    kind = getattr(kind, "record", kind)
    if isinstance(kind, types.BaseNamedTuple):
        yield kind.instance_class.__module__
    if isinstance(kind, types.BaseTuple):
        for part in kind.types:
            yield from modules_of(part)


@cache
def _foreign_digest(module: str) -> str | None:
    """Hash the sources beside a module that is not puzzlelab's; None where it has none, such as a prompt.

    They are those of its whole package or, where that has no file of its own, those in the module's folder and below.
    """
    top = getattr(sys.modules.get(module.partition(".")[0]), "__file__", None)
    origin = Path(top or getattr(sys.modules.get(module), "__file__", None) or "")
    if not origin.is_file():
        return None
    whole = top is None or origin.name == "__init__.py"
    digest = hashlib.sha256()
    for source in sorted(origin.parent.rglob("*.py")) if whole else [origin]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()


def entry_name(function: Any, signature: tuple[Any, ...], target: tuple[str, ...]) -> str | None:
    """Name the file of a kernel's machine code for these types and this processor; None where it cannot be kept."""
    modules = {function.__module__, *(module for kind in signature for module in modules_of(kind))}
    foreign = sorted({module for module in modules if module.partition(".")[0] != PACKAGE.name})
    digests = [_foreign_digest(module) for module in foreign]
    if None in digests:
        return None
    parts = (function.__module__, function.__qualname__, *map(described, signature), *target, *foreign, *digests)
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:20]
    name = f"{function.__module__.removeprefix(PACKAGE.name + '.')}.{function.__qualname__}"
    return f"{name.replace('<', '').replace('>', '')}-{digest}{SUFFIX}"


# --- packs ------------------------------------------------------------------------------------------------------------


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
    spec = util.find_spec(PACK_PACKAGE)
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


# --- entries ----------------------------------------------------------------------------------------------------------


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel. Loaded from a file it holds machine code, and reads LLVM's bitcode only to link it."""

    bitcode: bytes | None = None

    def _optimize_final_module(self) -> None:
        """Optimise once. Numba does it cheaply first, to prune the counting of references, which kernels do not do.

        What was linked in is made private to this library, so that LLVM inlines what is called from one place.
        """
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = "internal"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None and self.bitcode is not None:
            self._shared_module = llvm.parse_bitcode(self.bitcode)
        elif self._shared_module is None:
            for function in super()._get_module_for_linking().functions:
                if 0 < sum(len(list(block.instructions)) for block in function.blocks) <= LEAF:
                    function.add_function_attribute("alwaysinline")
        return self._shared_module

    def _kept(self) -> tuple[str, bytes, bytes, list[str]]:
        """Return (name, machine code, bitcode, names that are defined), for a file."""
        name, _, (code, bitcode) = self.serialize_using_object_code()
        module = self._get_module_for_linking()
        every = (*module.functions, *module.global_variables)
        private = llvm.Linkage.internal, llvm.Linkage.private
        defined = [each.name for each in every if not each.is_declaration and each.linkage not in private]
        return name, code, bitcode, defined

    @classmethod
    def _restored(cls, codegen: Any, entry: tuple[str, bytes, bytes, list[str]]) -> KernelLibrary:
        """Return the inverse of `_kept`."""
        name, code, bitcode, defined = entry
        library = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library.bitcode = bitcode
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(defined)
        return library


def _checksum(name: str, content: bytes) -> bytes:
    """Return the checksum of an entry of this name, made from the present sources."""
    return hashlib.sha256(f"{kernel_fingerprint()}\0{name}\0".encode() + content).digest()


def packed_entry(name: str, result: CompileResult) -> bytes:
    """Return a compiled kernel as the bytes of the file of this name."""
    _, fndesc, environment, signature, _, _, _, reload, environments = result._reduce()
    content = dumps((result.library._kept(), fndesc, environment, signature, reload, environments))
    data: bytes = MAGIC + _checksum(name, content) + content
    return data


def read_entry(path: Path) -> bytes | None:
    """Return the bytes of an entry; None if there is no such file.

    Raises `CorruptData` for anything but a file to read, and for what other users can change. The file that is checked
    is the one that is read, because it is open.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_WAIT)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise CorruptData("it is no file")
            if status.st_size > LARGEST:
                raise CorruptData("it is too large")
            if fault := fault_of(status, "it"):
                raise CorruptData(fault)
            with open(descriptor, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CorruptData(error.strerror or str(error)) from None


def unpacked_entry(name: str, data: bytes, target_context: Any, signature: tuple[Any, ...]) -> CompileResult:
    """Return the inverse of `packed_entry`. Raises `CorruptData` for what is damaged, or is another kernel's."""
    start = len(MAGIC) + hashlib.sha256().digest_size
    if not data.startswith(MAGIC) or data[len(MAGIC) : start] != _checksum(name, data[start:]):
        raise CorruptData("its checksum does not agree")
    try:
        entry, fndesc, environment, compiled, reload, environments = pickle.loads(data[start:])
    except Exception as error:  # what it names is no longer there, or differs: a pickle can raise anything
        raise CorruptData(f"{type(error).__name__} while it was read") from None
    if tuple(compiled.args) != signature:
        raise CorruptData("it has other types")
    for function in reload:
        function()
    library = KernelLibrary._restored(target_context.codegen(), entry)
    result = CompileResult(
        typing_context=target_context.typing_context,
        target_context=target_context,
        entry_point=target_context.get_executable(library, fndesc, environment),
        typing_error=None,
        type_annotation="",
        signature=compiled,
        objectmode=False,
        lifted=(),
        fndesc=fndesc,
        library=library,
        call_helper=None,
        environment=environment,
        metadata=None,
        reload_init=reload,
        referenced_envs=environments,
    )
    for each in environments:
        library.codegen.set_env(each.env_name, each)
    return result


class KernelCache(_Cache):
    """Numba's cache interface for one kernel: loads its machine code before compilation, and saves it afterwards."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.take_turn: Callable[[], object] = lambda: None
        """Called when no machine code is found, to wait for other processes that compile the kernel."""
        self.missing = lambda signature: None
        """Called with the types for which the kernel is about to be compiled."""

    @property
    def cache_path(self) -> str | None:
        """The folder, if there is one."""
        folder = kernel_cache()
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the machine code for these types, from the user's cache or from a pack. Numba's name."""
        signature, result = tuple(sig), None
        try:
            result = self._found(signature, target_context)
            if result is None:
                self.take_turn()
                result = self._found(signature, target_context)
        except CorruptData as error:
            report.note(str(error))
        if result is None:
            self.missing(signature)
        return result

    def _found(self, signature: tuple[Any, ...], target_context: Any) -> CompileResult | None:
        target = target_context.codegen().magic_tuple()
        result = self._load(kernel_cache(), signature, target, target_context)
        if result is None and (prebuilt := pack()) is not None and prebuilt.folder != kernel_cache():
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
        folder, name = kernel_cache(), entry_name(self.function, tuple(sig), data.codegen.magic_tuple())
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

    def enable(self) -> None:
        """Do nothing (the name is Numba's): a kernel's cache is never off."""

    def disable(self) -> None:
        """Do nothing (the name is Numba's): a kernel's cache is never off."""

    def flush(self) -> None:
        """Do nothing (the name is Numba's); folders are pruned by `engine.kernel_cache`."""
