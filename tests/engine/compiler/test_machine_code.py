"""Machine code is kept, checked before it is loaded, taken from packs that suit, and compiled where none does."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import subprocess
import sys
import types
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from compiled_kernels import compiles, entry, heals

from puzzlelab.core.errors import CorruptData
from puzzlelab.engine import report
from puzzlelab.engine.compiler import cache_folder, dispatcher, machine_code
from puzzlelab.engine.compiler.machine_code import entry_name
from puzzlelab.engine.kernels import compiled

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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_failures) -> Path:
    """The folder for machine code of this test alone, and no pack."""
    monkeypatch.setattr(dispatcher, "kernel_folder", lambda: tmp_path)
    monkeypatch.setattr(dispatcher, "pack", lambda: None)
    return tmp_path


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
    "half": lambda whole: whole[: len(whole) // 2],
    "one bit of the checksum": lambda whole: flipped(whole, START - 1),
    "one bit in the middle": lambda whole: flipped(whole, len(whole) // 2),
    "another format": lambda whole: whole.replace(b"kernel 2", b"kernel 1", 1),
}


def flipped(data: bytes, place: int) -> bytes:
    """The data with one bit changed."""
    changed = bytearray(data)
    changed[place] ^= 1
    return bytes(changed)


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_entry_is_compiled_again_and_replaced(folder: Path, listener, damage) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    path.write_bytes(damage(path.read_bytes()))
    heals(total, BAG, path, listener.notes, "its checksum does not agree")


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
    if kind == "a folder with files":
        (path / "more").mkdir(parents=True)
        (path / "more" / "file").write_text("text")
    elif kind == "a link to itself":
        path.symlink_to(path)
    elif kind == "a pipe":
        os.mkfifo(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes of this kind, and seldom links")
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("a folder with files", "it is no file"),
        ("a link to itself", "Too many levels of symbolic links"),
        ("a pipe", "it is no file"),
    ],
)
def test_what_is_no_file_is_replaced_by_one(folder: Path, listener, kind: str, reason: str) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    in_its_place(path, kind)
    heals(total, BAG, path, listener.notes, reason)
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
    heals(total, BAG, path, listener.notes, "Permission denied")


def test_an_entry_of_any_size_is_not_read_into_memory(folder: Path, listener) -> None:
    compiled(total)(BAG)
    with entry(folder).open("r+b") as file:
        file.truncate(machine_code.LARGEST + 1)
    heals(total, BAG, entry(folder), listener.notes, "it is too large")


def first(bag):
    return bag.numbers[0] + 100


def test_the_entry_of_another_kernel_with_the_same_types_is_not_run(folder: Path, listener) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    compiled(first)(BAG)
    (other,) = set(folder.glob("*.kernel")) - {path}
    path.write_bytes(other.read_bytes())
    heals(total, BAG, path, listener.notes, "its checksum does not agree")


def test_an_entry_of_other_sources_or_another_numba_is_not_run(folder: Path, listener, monkeypatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(machine_code, "kernel_fingerprint", lambda: "of Numba 0.1")
        compiled(total)(BAG)
    heals(total, BAG, entry(folder), listener.notes, "its checksum does not agree")


class _Gone:
    """Its pickle names something that is no longer there."""

    def __reduce__(self) -> tuple[Any, ...]:
        return eval, ("1 / 0",)


def test_a_pickle_that_cannot_be_read_is_compiled_again(folder: Path, listener) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    content = pickle.dumps(_Gone())
    path.write_bytes(machine_code.MAGIC + machine_code._checksum(path.name, content) + content)
    heals(total, BAG, path, listener.notes, "ZeroDivisionError while it was read")


def test_a_folder_that_is_removed_while_a_process_runs_is_made_again(folder: Path, listener) -> None:
    folder.rmdir()
    assert compiled(total)(BAG) == 9
    assert entry(folder).is_file()
    assert listener.notes == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_where_nothing_can_be_written_the_kernel_runs_and_it_is_said_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, listener, write_failures, number: int
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "write_bytes", full)
    assert compiled(total)(BAG) == 9
    assert compiled(first)(BAG) == 102
    assert compiled(total)(BAG) == 9
    path, other = write_failures
    assert listener.notes == [
        f"Compiled kernels cannot be kept in {path} ({os.strerror(number)}): the next start compiles them again."
    ]
    assert path.parent == other.parent == folder
    assert list(folder.iterdir()) == []


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
    monkeypatch.setattr(dispatcher, "kernel_folder", cache_folder.kernel_folder.__wrapped__)
    monkeypatch.setattr(dispatcher, "pack", lambda: None)
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


CHANGES: dict[str, Callable[[Path], None]] = {
    "every user can write to the file": lambda path: path.chmod(0o666),
    "every user can write to the folder": lambda path: path.parent.chmod(0o777),
    "the file belongs to another user": lambda path: os.chown(path, STRANGER, -1),
    "the folder above belongs to another user": lambda path: os.chown(above(path), STRANGER, -1),
}


@needs_modes
@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=needs_root if "belongs" in name else ()) for name in CHANGES]
)
def test_code_that_others_could_put_there_is_not_run(entry_of_own_cache: Path, listener, fault: str) -> None:
    plant(entry_of_own_cache)
    CHANGES[fault](entry_of_own_cache)
    assert compiled(total)(BAG) == 9
    assert ran == []
    assert ("belongs to another user" if "belongs" in fault else "every user can write to") in listener.notes[0]


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
@pytest.mark.parametrize("mask", [0, 0o077])
def test_kernels_are_kept_safely_whatever_the_mask_is(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, listener, mask: int
) -> None:
    monkeypatch.setattr(dispatcher, "kernel_folder", cache_folder.kernel_folder.__wrapped__)
    monkeypatch.setattr(dispatcher, "pack", lambda: None)
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


# --- telling ---


def test_people_are_told_what_is_compiled_and_for_which_puzzle(folder: Path, monkeypatch) -> None:
    def step(bag):
        return 0

    waits = []
    monkeypatch.setattr(report, "after", lambda seconds, sentence: nullcontext(waits.append(sentence)))
    compiled(step)(BAG)
    (sentence,) = waits
    assert sentence.startswith("Compiling ")
    assert sentence.endswith(f"step for {Bag.__module__.partition('.')[0]}: some seconds, the first time only.")
    compiled(step)(BAG)
    assert len(waits) == 1  # it was loaded


def test_messages_name_the_method_and_not_its_file_of_kernels() -> None:
    assert dispatcher.short("puzzlelab.solvers._ida_kernels.step") == "ida.step"


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
