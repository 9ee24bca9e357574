"""Machine code is kept, checked before it is loaded, taken from packs that suit, and compiled where none does."""

from __future__ import annotations

import errno
import json
import os
import pickle
import shutil
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from puzzlelab.core.errors import CorruptData
from puzzlelab.engine import announcing, background, kernel_cache, machine_code, trust
from puzzlelab.engine.kernels import compiled
from puzzlelab.engine.machine_code import LEVELS, MANIFEST, entry_name, manifest_of, pack, platform_triple, runs_here

TARGET = "triple", "processor", "+feature"


class Bag(NamedTuple):
    """A record of this file."""

    numbers: np.ndarray


def total(bag):
    found = 0
    for i in range(bag.numbers.size):
        found += bag.numbers[i]
    return found


BAG = Bag(np.array([2, 3, 4]))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for machine code of this test alone, and no pack."""
    monkeypatch.setattr(machine_code, "kernel_cache", lambda: tmp_path)
    monkeypatch.setattr(machine_code, "pack", lambda: None)
    monkeypatch.setattr(kernel_cache, "write_failures", {})
    return tmp_path


def compiles(kernel: Any) -> int:
    """How often the kernel was compiled, rather than loaded."""
    return sum(kernel.stats.cache_misses.values())


def entry(folder: Path) -> Path:
    """The only entry."""
    (found,) = folder.glob("*.kernel")
    return found


def test_what_is_compiled_once_is_loaded_afterwards(folder: Path) -> None:
    first, second = compiled(total), compiled(total)
    assert (first(BAG), compiles(first)) == (9, 1)
    assert (second(BAG), compiles(second)) == (9, 0)
    assert "total-" in entry(folder).name


def test_a_loaded_kernel_can_be_called_by_one_that_is_compiled(folder: Path) -> None:
    compiled(total)(BAG)
    loaded = compiled(total)
    loaded(BAG)

    @compiled
    def double(bag):
        return 2 * loaded(bag)

    assert double(BAG) == 18


START = len(machine_code.MAGIC) + 32
"""Where the content of an entry begins, after the checksum."""
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "one byte": lambda whole: whole[:1],
    "no checksum": lambda whole: whole[: START - 32],
    "half a checksum": lambda whole: whole[: START - 16],
    "no content": lambda whole: whole[:START],
    "half": lambda whole: whole[: len(whole) // 2],
    "the last byte is missing": lambda whole: whole[:-1],
    "a byte too many": lambda whole: whole + b"\0",
    "twice": lambda whole: whole + whole,
    "one bit of the format": lambda whole: flipped(whole, 3),
    "one bit of the checksum": lambda whole: flipped(whole, START - 1),
    "one bit of the first byte": lambda whole: flipped(whole, START),
    "one bit in the middle": lambda whole: flipped(whole, len(whole) // 2),
    "one bit of the last byte": lambda whole: flipped(whole, -1),
    "a block of zeros": lambda whole: whole[:4096] + bytes(4096) + whole[8192:],
    "zeros in the place of all": lambda whole: bytes(len(whole)),
    "two blocks in the other order": lambda whole: whole[:1000] + whole[3000:5000] + whole[1000:3000] + whole[5000:],
    "another format": lambda whole: whole.replace(b"kernel 2", b"kernel 1", 1),
    "text": lambda whole: b"not a kernel",
    "noise": lambda whole: np.random.default_rng(0).bytes(len(whole)),
    "a pickle alone": lambda whole: whole[START:],
}


def flipped(data: bytes, place: int) -> bytes:
    """The data with one bit changed."""
    changed = bytearray(data)
    changed[place] ^= 1
    return bytes(changed)


def heals(path: Path, notes: list[str], reason: str) -> None:
    """Assert that the kernel is compiled once more, with one sentence, and is loaded without a word after that."""
    again = compiled(total)
    assert (again(BAG), compiles(again)) == (9, 1)
    assert notes == [f"A compiled kernel cannot be used ({reason}), and is compiled again: {path}"]
    healed = compiled(total)
    assert (healed(BAG), compiles(healed)) == (9, 0)
    assert len(notes) == 1


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_entry_is_compiled_again_and_replaced(folder: Path, listener, damage) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    path.write_bytes(damage(path.read_bytes()))
    heals(path, listener.notes, "its checksum does not agree")


def test_the_checksum_comes_before_the_pickle(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    monkeypatch.setattr(pickle, "loads", lambda *_: pytest.fail("this was read"))
    for damage in DAMAGE.values():
        with pytest.raises(CorruptData):
            machine_code.unpacked_entry(path.name, damage(path.read_bytes()), None, ())


def in_its_place(path: Path, kind: str) -> None:
    """Put something that is no file in the place of an entry."""
    path.unlink()
    if kind == "an empty folder":
        path.mkdir()
    elif kind == "a folder with files":
        (path / "more").mkdir(parents=True)
        (path / "more" / "file").write_text("text")
    elif kind == "a link to a folder":
        path.symlink_to(path.parent)
    elif kind == "a link to itself":
        path.symlink_to(path)
    elif kind == "a pipe":
        os.mkfifo(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes of this kind, and seldom links")
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("an empty folder", "it is no file"),
        ("a folder with files", "it is no file"),
        ("a link to a folder", "it is no file"),
        ("a link to itself", "Too many levels of symbolic links"),
        ("a pipe", "it is no file"),
    ],
)
def test_what_is_no_file_is_replaced_by_one(folder: Path, listener, kind: str, reason: str) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    in_its_place(path, kind)
    heals(path, listener.notes, reason)
    assert path.is_file()


def test_an_entry_that_cannot_be_read_is_replaced(folder: Path, listener, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(total)(BAG)

    path, really_open = entry(folder), os.open

    def refuse_once(place: Any, *how: Any, **more: Any) -> int:
        if place == path:
            monkeypatch.setattr(os, "open", really_open)
            raise PermissionError(13, "Permission denied")
        return really_open(place, *how, **more)

    monkeypatch.setattr(os, "open", refuse_once)
    heals(path, listener.notes, "Permission denied")


def test_an_entry_of_any_size_is_not_read_into_memory(folder: Path, listener) -> None:
    compiled(total)(BAG)
    with entry(folder).open("r+b") as file:
        file.truncate(machine_code.LARGEST + 1)
    heals(entry(folder), listener.notes, "it is too large")


def first(bag):
    return bag.numbers[0] + 100


def test_the_entry_of_another_kernel_with_the_same_types_is_not_run(folder: Path, listener) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    compiled(first)(BAG)
    (other,) = set(folder.glob("*.kernel")) - {path}
    path.write_bytes(other.read_bytes())
    heals(path, listener.notes, "its checksum does not agree")


def test_an_entry_of_other_sources_or_another_numba_is_not_run(folder: Path, listener, monkeypatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(machine_code, "kernel_fingerprint", lambda: "of Numba 0.1")
        compiled(total)(BAG)
    heals(entry(folder), listener.notes, "its checksum does not agree")


class _Gone:
    """Its pickle names something that is no longer there."""

    def __reduce__(self) -> tuple[Any, ...]:
        return eval, ("1 / 0",)


def test_a_pickle_that_cannot_be_read_is_compiled_again(folder: Path, listener) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    content = pickle.dumps(_Gone())
    path.write_bytes(machine_code.MAGIC + machine_code._checksum(path.name, content) + content)
    heals(path, listener.notes, "ZeroDivisionError while it was read")


def test_a_folder_that_is_removed_while_a_process_runs_is_made_again(folder: Path, listener) -> None:
    folder.rmdir()
    assert compiled(total)(BAG) == 9
    assert entry(folder).is_file()
    assert listener.notes == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EACCES])
def test_where_nothing_can_be_written_the_kernel_runs_and_it_is_said_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, listener, number: int
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "write_bytes", full)
    assert compiled(total)(BAG) == 9
    assert compiled(first)(BAG) == 102
    assert compiled(total)(BAG) == 9
    path, other = kernel_cache.write_failures
    assert listener.notes == [
        f"Compiled kernels cannot be kept in {path} ({os.strerror(number)}): the next start compiles them again."
    ]
    assert path.parent == other.parent == folder
    assert list(folder.iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_said_once(folder: Path, listener) -> None:
    folder.rmdir()
    folder.write_text("a file")
    assert compiled(total)(BAG) == 9
    assert compiled(first)(BAG) == 102
    assert len(listener.notes) == 1
    assert "(File exists)" in listener.notes[0] or "(Not a directory)" in listener.notes[0]


# --- code of others ---

needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of this kind")
needs_root = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root can give files away")
STRANGER = 54321
"""The number of a user who is not trusted."""
ran: list[str] = []
"""What planted code has done."""


def run_planted() -> None:
    ran.append("the code of another user")


class _Planted:
    """Its pickle runs code."""

    def __reduce__(self) -> tuple[Any, ...]:
        return run_planted, ()


@pytest.fixture
def entry_of_own_cache(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The entry of a kernel in a cache folder of this test, which is found as in a new process."""
    monkeypatch.setattr(machine_code, "kernel_cache", kernel_cache.kernel_cache.__wrapped__)
    monkeypatch.setattr(machine_code, "pack", lambda: None)
    compiled(total)(BAG)
    ran.clear()
    (path,) = own_cache.glob("kernels/*/*.kernel")
    return path


def plant(path: Path) -> None:
    """Put code into the place of a kernel, with the right checksum."""
    content = pickle.dumps(_Planted())
    path.write_bytes(machine_code.MAGIC + machine_code._checksum(path.name, content) + content)


@needs_modes
def test_planted_code_would_run(entry_of_own_cache: Path, listener) -> None:
    """Or the tests below would show nothing."""
    plant(entry_of_own_cache)
    assert compiled(total)(BAG) == 9
    assert len(ran) == 1


def above(path: Path) -> Path:
    """The folder above the cache folder of this entry."""
    return path.parents[3]


UNSAFE: dict[str, Callable[[Path], None]] = {
    "every user can write to the file": lambda path: path.chmod(0o666),
    "every user can write to the folder": lambda path: path.parent.chmod(0o777),
    "every user can write to the folder above": lambda path: above(path).chmod(0o777),
}
OF_A_STRANGER: dict[str, Callable[[Path], None]] = {
    "the file": lambda path: os.chown(path, STRANGER, -1),
    "the folder": lambda path: os.chown(path.parent, STRANGER, -1),
    "the folder above": lambda path: os.chown(above(path), STRANGER, -1),
}


@needs_modes
@pytest.mark.parametrize("change", UNSAFE.values(), ids=UNSAFE)
def test_code_that_every_user_could_put_there_is_not_run(entry_of_own_cache: Path, listener, change) -> None:
    plant(entry_of_own_cache)
    change(entry_of_own_cache)
    assert compiled(total)(BAG) == 9
    assert ran == []
    assert "every user can write to" in listener.notes[0]


@needs_modes
@needs_root
@pytest.mark.parametrize("change", OF_A_STRANGER.values(), ids=OF_A_STRANGER)
def test_code_that_another_user_could_put_there_is_not_run(entry_of_own_cache: Path, listener, change) -> None:
    plant(entry_of_own_cache)
    change(entry_of_own_cache)
    assert compiled(total)(BAG) == 9
    assert ran == []
    assert "belongs to another user" in listener.notes[0]


@needs_modes
@needs_root
def test_a_folder_that_is_exchanged_after_its_check_is_not_used(
    entry_of_own_cache: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner of the folder above waits for the new time stamp, and puts another folder into the place."""
    copy = shutil.copytree(own_cache, above(entry_of_own_cache) / "copy")
    plant(copy / entry_of_own_cache.relative_to(own_cache))
    os.chown(above(entry_of_own_cache), STRANGER, -1)
    really_stamp = os.utime

    def exchange(*what: Any, **more: Any) -> None:
        really_stamp(*what, **more)
        if copy.exists():
            own_cache.rename(own_cache.with_name("old"))
            copy.rename(own_cache)

    monkeypatch.setattr(os, "utime", exchange)
    assert compiled(total)(BAG) == 9
    assert ran == []


@needs_modes
def test_what_is_read_is_the_file_that_was_checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(total)(BAG)
    ran.clear()
    path, really_check = entry(folder), machine_code.fault_of

    def exchange(*what: Any) -> str | None:
        path.unlink()
        plant(path)
        return really_check(*what)

    monkeypatch.setattr(machine_code, "fault_of", exchange)
    kernel = compiled(total)
    assert (kernel(BAG), compiles(kernel), ran) == (9, 0, [])


@needs_modes
@pytest.mark.parametrize("mask", [0, 0o002, 0o077])
def test_kernels_are_kept_safely_whatever_the_mask_is(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, listener, mask: int
) -> None:
    monkeypatch.setattr(machine_code, "kernel_cache", kernel_cache.kernel_cache.__wrapped__)
    monkeypatch.setattr(machine_code, "pack", lambda: None)
    before = os.umask(mask)
    try:
        compiled(total)(BAG)
    finally:
        os.umask(before)
    again = compiled(total)
    assert (again(BAG), compiles(again), listener.notes) == (9, 0, [])


# --- keys ---


def signature(*values: object) -> tuple[Any, ...]:
    return tuple(map(numba.typeof, values))


def test_an_entry_is_of_one_function_of_one_type_for_one_processor() -> None:
    def other(bag):
        return 0

    names = {
        entry_name(total, signature(BAG), TARGET),
        entry_name(other, signature(BAG), TARGET),
        entry_name(total, signature(Bag(np.zeros(2))), TARGET),
        entry_name(total, signature(BAG, 1), TARGET),
        entry_name(total, signature(BAG), ("triple", "processor", "")),
    }
    assert len(names) == 5
    assert None not in names


def test_records_of_one_name_in_two_modules_are_two() -> None:
    class Bag(NamedTuple):
        numbers: np.ndarray

    assert str(numba.typeof(Bag(BAG.numbers))) == str(numba.typeof(BAG))
    assert entry_name(total, signature(Bag(BAG.numbers)), TARGET) != entry_name(total, signature(BAG), TARGET)


def plug_in(path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Any:
    """A function of a module with this text, which is no part of puzzlelab."""
    path.write_text(text)
    module = types.ModuleType("a_plug_in")
    module.__file__ = str(path)
    exec(text, module.__dict__)
    monkeypatch.setitem(sys.modules, "a_plug_in", module)
    machine_code._foreign_digest.cache_clear()
    return module.act


def test_an_edit_of_a_plug_in_changes_its_own_keys_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from puzzlelab.engine.hash_table_kernels import mix

    ours = entry_name(mix.py_func, signature(np.zeros(1, np.uint64)), TARGET)
    names = [
        entry_name(plug_in(tmp_path / "a_plug_in.py", monkeypatch, f"def act(x):\n    return {number}\n"), (), TARGET)
        for number in (1, 2, 1)
    ]
    assert names[0] != names[1]
    assert names[0] == names[2]
    assert entry_name(mix.py_func, signature(np.zeros(1, np.uint64)), TARGET) == ours


def test_what_stands_in_no_file_is_not_kept() -> None:
    space: dict[str, Any] = {"__name__": "no_such_module"}
    exec("def act(x):\n    return x\n", space)
    assert entry_name(space["act"], signature(1), TARGET) is None


# --- packs ---


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is named as a pack, of kernels for this processor; where there is no other cache."""
    path = tmp_path / "pack"
    path.mkdir()
    monkeypatch.setattr(machine_code, "kernel_cache", lambda: path)
    kernel = compiled(total)
    kernel(BAG)
    target = kernel.targetctx.codegen().magic_tuple()
    (path / MANIFEST).write_text(json.dumps(manifest_of(target)))
    monkeypatch.setattr(machine_code, "runs_here", lambda processor: True)
    monkeypatch.setattr(machine_code, "kernel_cache", lambda: None)
    monkeypatch.setenv("PUZZLELAB_KERNELS", str(path))
    pack.cache_clear()
    yield path
    pack.cache_clear()


def test_a_pack_answers_where_compiling_is_forbidden(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = compiled(total)
    monkeypatch.setattr(kernel._compiler, "compile", lambda *_: pytest.fail("this was to be loaded"))
    assert kernel(BAG) == 9


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kernels": "of other sources, or another Numba"}, "is of another version"),
        ({"format": 2}, "is of another version"),
        ({"target": ["some-other-system", "x86-64-v3", ""]}, "is for other processors"),
        ({"target": 3}, "holds no pack"),
        ("not JSON", "holds no pack"),
        (None, "holds no pack"),
    ],
)
def test_a_pack_that_does_not_suit_is_said_and_compiled(packed: Path, listener, change: Any, words: str) -> None:
    manifest = packed / MANIFEST
    if change is None:
        manifest.unlink()
    elif isinstance(change, str):
        manifest.write_text(change)
    else:
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **change}))
    kernel = compiled(total)
    assert (kernel(BAG), compiles(kernel)) == (9, 1)
    assert compiled(total)(BAG) == 9
    (note,) = listener.notes
    assert words in note


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_entry_of_a_pack_is_compiled_and_kept_in_the_cache(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listener, damage
) -> None:
    cache_folder = tmp_path / "cache"
    monkeypatch.setattr(machine_code, "kernel_cache", lambda: cache_folder)
    path = entry(packed)
    path.write_bytes(damage(path.read_bytes()))
    heals(path, listener.notes, "its checksum does not agree")
    assert entry(cache_folder).name == path.name


def test_a_folder_in_the_place_of_an_entry_of_a_pack_stays(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listener
) -> None:
    monkeypatch.setattr(machine_code, "kernel_cache", lambda: tmp_path / "cache")
    path = entry(packed)
    in_its_place(path, "an empty folder")
    heals(path, listener.notes, "it is no file")
    assert path.is_dir()


def test_a_pack_that_every_user_can_change_is_not_used(packed: Path, listener, monkeypatch) -> None:
    packed.chmod(0o777)
    kernel = compiled(total)
    assert (kernel(BAG), compiles(kernel)) == (9, 1)
    (note,) = listener.notes
    assert note.startswith(f"Compiled kernels in {packed} are not used, because every user can write to {packed}")
    pack.cache_clear()
    monkeypatch.setenv(trust.TRUST, "1")
    trusting = compiled(total)
    assert (trusting(BAG), compiles(trusting)) == (9, 0)


def test_a_pack_is_for_processors_that_have_its_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CPU_NAME", raising=False)
    monkeypatch.setattr(machine_code.platform, "machine", lambda: "x86_64")

    def has(level: str) -> None:
        features = dict.fromkeys(LEVELS[level].split(), True)
        monkeypatch.setattr(machine_code.llvm, "get_host_cpu_features", lambda: features)

    has("x86-64-v3")
    assert [level for level in LEVELS if runs_here(level)] == ["x86-64", "x86-64-v2", "x86-64-v3", "generic"]
    has("x86-64-v2")
    assert [level for level in LEVELS if runs_here(level)] == ["x86-64", "x86-64-v2", "generic"]
    monkeypatch.setattr(machine_code.platform, "machine", lambda: "aarch64")
    assert [level for level in LEVELS if runs_here(level)] == ["generic"]
    assert not runs_here("pentium")


def test_a_processor_that_is_named_runs_its_own_packs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CPU_NAME", "x86-64-v2")
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "")
    assert [level for level in LEVELS if runs_here(level)] == ["x86-64-v2"]


def test_the_manifest_names_what_the_code_depends_on() -> None:
    manifest = manifest_of((platform_triple(), "x86-64-v3", ""))
    assert manifest["kernels"] == machine_code.kernel_fingerprint()
    assert json.loads(json.dumps(manifest)) == manifest


# --- telling ---


def test_people_are_told_what_is_compiled_for_what_and_how_long(folder: Path, listener, monkeypatch) -> None:
    def step(bag):
        return 0

    monkeypatch.setitem(announcing.SECONDS, "step", 3)
    kernel = compiled(step)
    kernel(BAG)
    (sentence,) = listener.waits
    assert sentence.startswith("Compiling ")
    assert sentence.endswith(f"step for {Bag.__module__.partition('.')[0]}: about 3 s, the first time only.")
    compiled(step)(BAG)
    assert len(listener.waits) == 1  # it was loaded


# --- in the background ---


def test_nothing_is_started_where_it_is_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUZZLELAB_BACKGROUND", "0")
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    background.start([("puzzlelab.engine.hash_table_kernels", "mix", ())])


SLOW = """
import time
class Kernel:
    def compile(self, signature):
        print("compiles", flush=True)
        time.sleep(600)
kernel = Kernel()
"""
"""A module with what looks like a kernel that takes long to compile."""
HOLDING = """
import fcntl, os, sys
with open(sys.argv[1], "a+") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write(f"{os.getpid()} {os.uname().nodename}"); file.flush()
    print("holds it", flush=True)
    sys.stdin.read()
"""
"""Another program than puzzlelab's, which holds the lock, and whose number and machine are in the file."""


def test_what_measures_times_ends_what_compiles(own_cache: Path, tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("fcntl")
    (tmp_path / "slow_kernels.py").write_text(SLOW)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [
        sys.executable,
        "-c",
        "import sys; sys.stdout = sys.stderr; from puzzlelab.engine.background import main; main()",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        with process.stdin as stream:
            stream.write(pickle.dumps([("slow_kernels", "kernel", ())]))
        assert process.stderr.readline() == b"compiles\n"
        monkeypatch.setattr(background, "kernel_cache", kernel_cache.kernel_cache.__wrapped__)
        with background.none_running():
            assert process.wait(60) == 0


def test_no_process_is_ended_that_is_not_puzzlelabs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    monkeypatch.setattr(background, "kernel_cache", lambda: tmp_path)
    monkeypatch.setattr(background, "PATIENCE", 0.3)
    command = [sys.executable, "-c", HOLDING, str(tmp_path / background.LOCK)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holds it\n"
        with background.none_running():
            other.communicate()
        assert other.returncode == 0


@pytest.mark.parametrize("kind", ["a folder", "no folder", "noise"])
def test_a_damaged_lock_file_keeps_nobody_from_measuring(tmp_path: Path, monkeypatch, kind: str) -> None:
    monkeypatch.setattr(background, "kernel_cache", lambda: tmp_path / "kernels")
    lock = tmp_path / "kernels" / background.LOCK
    if kind == "a folder":
        lock.mkdir(parents=True)
    elif kind == "noise":
        lock.parent.mkdir()
        lock.write_bytes(bytes(range(256)))
    with background.none_running():
        pass


def test_nothing_is_compiled_in_the_background_that_could_not_be_kept(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PUZZLELAB_BACKGROUND", "1")
    monkeypatch.setattr(background, "kernel_cache", lambda: tmp_path)
    monkeypatch.setattr(background, "write_failures", {tmp_path / "a.kernel": "No space left on device"})
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    background.start([("puzzlelab.engine.hash_table_kernels", "mix", ())])


def test_the_process_compiles_what_it_is_told_and_ends(tmp_path: Path) -> None:
    from puzzlelab.engine.hash_table_kernels import mix

    key = np.zeros(2, np.uint64)
    wanted = [("puzzlelab.engine.hash_table_kernels", "mix", signature(key))]
    environment = {**os.environ, "PUZZLELAB_CACHE": str(tmp_path), "PUZZLELAB_BACKGROUND": "1"}
    code = (
        "import pickle, subprocess, sys; from puzzlelab.engine import background\n"
        "started = []; real = subprocess.Popen\n"
        "subprocess.Popen = lambda *a, **k: started.append(real(*a, **k)) or started[0]\n"
        "background.start(pickle.loads(sys.stdin.buffer.read()))\n"
        "started[0].returncode = None; sys.exit(started[0].wait())"
    )
    import pickle

    subprocess.run([sys.executable, "-c", code], input=pickle.dumps(wanted), env=environment, check=True, timeout=300)
    name = entry_name(mix.py_func, signature(key), mix.targetctx.codegen().magic_tuple())
    assert [path.name for path in tmp_path.glob("kernels/*/*.kernel")] == [name]


ONE = """
import sys
import puzzlelab
for name, board in zip(sys.argv[1::2], sys.argv[2::2]):
    print(puzzlelab.solve(puzzlelab.load(name).read(board), "bfs").length)
"""


@pytest.mark.slow
def test_kernels_that_two_processes_compiled_run_in_a_third(tmp_path: Path) -> None:
    def solve(*words: str) -> list[str]:
        environment = {**os.environ, "PUZZLELAB_CACHE": str(tmp_path)}
        command = [sys.executable, "-c", ONE, *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    tiles, dust = ("tiles-3x3", "8 6 7 2 5 4 3 0 1"), ("dust-4x3x3", "331233122213")
    assert [*solve(*tiles), *solve(*dust)] == solve(*tiles, *dust)
