"""Machine code is kept, checked before it is loaded, taken from packs that suit, and compiled where none does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from puzzlelab.engine import announcing, background, machine_code
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
    machine_code._cannot_keep.cache_clear()
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


@pytest.mark.parametrize("damage", ["empty", "half", "one bit", "other text", "no checksum"])
def test_what_is_damaged_is_compiled_again_and_said(folder: Path, listener, damage: str) -> None:
    compiled(total)(BAG)
    path = entry(folder)
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "empty": b"",
            "half": whole[:middle],
            "one bit": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "other text": b"not a kernel",
            "no checksum": whole[: len(machine_code.MAGIC)],
        }[damage]
    )
    again = compiled(total)
    assert (again(BAG), compiles(again)) == (9, 1)
    assert listener.notes == [f"A compiled kernel cannot be used, and is compiled again: {path}"]
    healed = compiled(total)
    assert (healed(BAG), compiles(healed)) == (9, 0)


def test_the_entry_of_another_kernel_is_not_run(folder: Path, listener) -> None:
    compiled(total)(BAG)
    right = entry(folder)
    compiled(lambda bag: bag.numbers[0] * 1.0)(BAG._replace(numbers=np.zeros(3)))
    (other,) = set(folder.glob("*.kernel")) - {right}
    right.write_bytes(other.read_bytes())
    again = compiled(total)
    assert (again(BAG), compiles(again)) == (9, 1)


def test_where_nothing_can_be_written_the_kernel_runs_and_it_is_said_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, listener
) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert compiled(total)(BAG) == 9
    assert compiled(total)(BAG) == 9
    (note,) = listener.notes
    assert note.startswith(f"Compiled kernels cannot be kept in {folder} (No space left on device)")
    assert list(folder.iterdir()) == []


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


def test_a_damaged_entry_of_a_pack_is_compiled(packed: Path) -> None:
    path = entry(packed)
    path.write_bytes(path.read_bytes()[:-1])
    kernel = compiled(total)
    assert (kernel(BAG), compiles(kernel)) == (9, 1)


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


WAITING = """
import fcntl, os, pathlib, sys
with open(sys.argv[1], "a+") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write(str(os.getpid())); file.flush()
    print("holds it", flush=True)
    sys.stdin.read()
"""


def test_what_measures_times_ends_what_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    monkeypatch.setattr(background, "kernel_cache", lambda: tmp_path)
    command = [sys.executable, "-c", WAITING, str(tmp_path / background.LOCK)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holds it\n"
        with background.none_running():
            assert other.wait(60) != 0
            with (tmp_path / background.LOCK).open("a+") as file:
                assert not background._locked(file)


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
