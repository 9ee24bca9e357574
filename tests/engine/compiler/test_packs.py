"""Packs of kernels are used where they suit, and what came from one is compiled for this processor afterwards."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from compiled_kernels import compiles, entry, heals

from puzzlelab.engine.compiler import background, cache_folder, dispatcher, packs, trust
from puzzlelab.engine.compiler.machine_code import entry_name
from puzzlelab.engine.compiler.packs import LEVELS, MANIFEST, manifest_of, pack, runs_here
from puzzlelab.engine.kernels import compiled


def total(numbers):
    found = 0
    for i in range(numbers.size):
        found += numbers[i]
    return found


NUMBERS = np.array([2, 3, 4])


@pytest.fixture
def packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is named as a pack, of kernels for this processor; where there is no other cache."""
    path = tmp_path / "pack"
    path.mkdir()
    monkeypatch.setattr(dispatcher, "kernel_folder", lambda: path)
    kernel = compiled(total)
    kernel(NUMBERS)
    target = kernel.targetctx.codegen().magic_tuple()
    (path / MANIFEST).write_text(json.dumps(manifest_of(target)))
    monkeypatch.setattr(packs, "runs_here", lambda processor: True)
    monkeypatch.setattr(dispatcher, "kernel_folder", lambda: None)
    monkeypatch.setenv("PUZZLELAB_KERNELS", str(path))
    pack.cache_clear()
    yield path
    pack.cache_clear()


def test_a_pack_answers_where_compiling_is_forbidden(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = compiled(total)
    monkeypatch.setattr(kernel._compiler, "compile", lambda *_: pytest.fail("this was to be loaded"))
    assert kernel(NUMBERS) == 9


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kernels": "of other sources, or another Numba"}, "is of another version"),
        ({"target": ["some-other-system", "x86-64-v3", ""]}, "is for other processors"),
        ({"target": 3}, "holds no pack"),
        ("not JSON", "holds no pack"),
    ],
)
def test_a_pack_that_does_not_suit_is_said_and_compiled(packed: Path, listener, change: Any, words: str) -> None:
    manifest = packed / MANIFEST
    if isinstance(change, str):
        manifest.write_text(change)
    else:
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **change}))
    kernel = compiled(total)
    assert (kernel(NUMBERS), compiles(kernel)) == (9, 1)
    assert compiled(total)(NUMBERS) == 9
    (note,) = listener.notes
    assert words in note


def test_a_damaged_entry_of_a_pack_is_compiled_and_kept_in_the_cache(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listener
) -> None:
    cache_folder = tmp_path / "cache"
    monkeypatch.setattr(dispatcher, "kernel_folder", lambda: cache_folder)
    path = entry(packed)
    path.write_bytes(path.read_bytes()[:-1])
    heals(total, NUMBERS, path, listener.notes, "its checksum does not agree")
    assert entry(cache_folder).name == path.name


def test_a_folder_in_the_place_of_an_entry_of_a_pack_stays(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listener
) -> None:
    monkeypatch.setattr(dispatcher, "kernel_folder", lambda: tmp_path / "cache")
    path = entry(packed)
    path.unlink()
    path.mkdir()
    heals(total, NUMBERS, path, listener.notes, "it is no file")
    assert path.is_dir()


def test_a_pack_that_every_user_can_change_is_not_used(packed: Path, listener, monkeypatch) -> None:
    packed.chmod(0o777)
    kernel = compiled(total)
    assert (kernel(NUMBERS), compiles(kernel)) == (9, 1)
    (note,) = listener.notes
    assert note.startswith(f"Compiled kernels in {packed} are not used, because every user can write to {packed}")
    pack.cache_clear()
    monkeypatch.setenv(trust.TRUST, "1")
    trusting = compiled(total)
    assert (trusting(NUMBERS), compiles(trusting)) == (9, 0)


def test_a_pack_is_for_processors_that_have_its_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CPU_NAME", raising=False)
    monkeypatch.setattr(packs.platform, "machine", lambda: "x86_64")

    def has(level: str) -> None:
        features = dict.fromkeys(LEVELS[level].split(), True)
        monkeypatch.setattr(packs.llvm, "get_host_cpu_features", lambda: features)

    has("x86-64-v3")
    assert [level for level in LEVELS if runs_here(level)] == ["x86-64", "x86-64-v2", "x86-64-v3", "generic"]
    has("x86-64-v2")
    assert [level for level in LEVELS if runs_here(level)] == ["x86-64", "x86-64-v2", "generic"]
    monkeypatch.setattr(packs.platform, "machine", lambda: "aarch64")
    assert [level for level in LEVELS if runs_here(level)] == ["generic"]
    assert not runs_here("pentium")


def test_a_processor_that_is_named_runs_its_own_packs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CPU_NAME", "x86-64-v2")
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "")
    assert [level for level in LEVELS if runs_here(level)] == ["x86-64-v2"]


# --- in the background ---


MIX = ("puzzlelab.engine.hash_table_kernels", "mix", (numba.typeof(np.zeros(2, np.uint64)),))
"""A kernel: module, name and signature."""


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> None:
    """One kernel came from a pack; a process that is started in the background fails the test."""
    monkeypatch.setenv("PUZZLELAB_BACKGROUND", "1")
    monkeypatch.setattr(background, "used_of_packs", {"mix.kernel": MIX})
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))


def test_nothing_is_started_where_it_is_turned_off(used, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUZZLELAB_BACKGROUND", "0")
    background.compile_in_background()


def test_nothing_is_compiled_in_the_background_that_could_not_be_kept(
    used, tmp_path: Path, monkeypatch, write_failures
) -> None:
    monkeypatch.setattr(background, "kernel_folder", lambda: tmp_path)
    write_failures[tmp_path / "a.kernel"] = "No space left on device"
    background.compile_in_background()


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
        "import sys; sys.stdout = sys.stderr; from puzzlelab.engine.compiler.background import main; main()",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        with process.stdin as stream:
            stream.write(pickle.dumps([("slow_kernels", "kernel", ())]))
        assert process.stderr.readline() == b"compiles\n"
        monkeypatch.setattr(background, "kernel_folder", cache_folder.kernel_folder.__wrapped__)
        with background.none_running():
            assert process.wait(300) == 0


def test_no_process_is_ended_that_is_not_puzzlelabs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    monkeypatch.setattr(background, "kernel_folder", lambda: tmp_path)
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
    monkeypatch.setattr(background, "kernel_folder", lambda: tmp_path / "kernels")
    lock = tmp_path / "kernels" / background.LOCK
    if kind == "a folder":
        lock.mkdir(parents=True)
    elif kind == "noise":
        lock.parent.mkdir()
        lock.write_bytes(bytes(range(256)))
    with background.none_running():
        pass


STARTED = """
import pickle, subprocess, sys
from puzzlelab.engine.compiler import background
background.used_of_packs["mix.kernel"] = pickle.loads(sys.stdin.buffer.read())
started = []; real = subprocess.Popen
subprocess.Popen = lambda *a, **k: started.append(real(*a, **k)) or started[0]
background.compile_in_background()
started[0].returncode = None; sys.exit(started[0].wait())
"""


def test_the_process_compiles_what_it_is_told_and_ends(tmp_path: Path) -> None:
    from puzzlelab.engine.hash_table_kernels import mix

    environment = {**os.environ, "PUZZLELAB_CACHE": str(tmp_path), "PUZZLELAB_BACKGROUND": "1"}
    command = [sys.executable, "-c", STARTED]
    subprocess.run(command, input=pickle.dumps(MIX), env=environment, check=True, timeout=300)
    name = entry_name(mix.py_func, MIX[2], mix.targetctx.codegen().magic_tuple())
    assert [path.name for path in tmp_path.glob("kernels/*/*.kernel")] == [name]
