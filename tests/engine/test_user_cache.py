"""The cache folder is where the user says; a process that may not use it has a private one, which ends with it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from puzzlelab.engine.user_cache import user_cache

HOME_CACHE = {"linux": Path(".cache/puzzlelab"), "darwin": Path("Library/Caches/puzzlelab")}


def test_the_cache_is_where_the_user_says_or_where_caches_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("HOME", "/home/nobody"), ("XDG_CACHE_HOME", "/somewhere"), ("PUZZLELAB_CACHE", "/here")):
        monkeypatch.setenv(name, value)
    assert user_cache() == Path("/here")
    monkeypatch.delenv("PUZZLELAB_CACHE")
    assert user_cache() == Path("/somewhere/puzzlelab")
    monkeypatch.delenv("XDG_CACHE_HOME")
    if sys.platform in HOME_CACHE:
        assert user_cache() == Path("/home/nobody") / HOME_CACHE[sys.platform]


def test_without_a_home_the_cache_ends_with_the_process(monkeypatch: pytest.MonkeyPatch, listener) -> None:
    for name in ("PUZZLELAB_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PUZZLELAB_PRIVATE_CACHE", "")

    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert user_cache().is_dir()
    assert user_cache() == user_cache()
    assert listener.notes == [
        "There is no home folder, so that compiled kernels and tables are kept until this process ends."
    ]


# --- private folders ---

PRIVATE = """
import os, signal, subprocess, sys
from puzzlelab.engine.compiler import kernel_folder
print(kernel_folder(), flush=True)
if sys.argv[1] == "parent":
    subprocess.run([sys.executable, "-c", sys.argv[2], "child"], check=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def private(own_cache: Path, tmp_path: Path) -> Iterator[Callable[[str], tuple[list[Path], str]]]:
    """Runs a process with a cache folder that is not safe: the folders that it uses instead, and what it says."""
    own_cache.mkdir()
    own_cache.chmod(0o777)
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    def call(kind: str) -> tuple[list[Path], str]:
        command = [sys.executable, "-c", PRIVATE, kind, PRIVATE]
        environment = {**os.environ, "TMPDIR": str(temporary)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        folders = [Path(line) for line in done.stdout.split()]
        assert all(folder.is_relative_to(temporary) for folder in folders)
        return folders, done.stderr

    return call


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of this kind")
def test_a_private_folder_is_shared_with_child_processes_and_ends(private, tmp_path: Path) -> None:
    (ours, childs), said = private("parent")
    assert ours == childs
    assert said.count("are not used") == 1
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of this kind")
def test_private_folders_of_killed_processes_are_removed(private, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    mine = tmp_path / "temporary" / "puzzlelab-private-notes"
    mine.mkdir()
    (left,), _ = private("killed")
    assert left.is_dir()
    for path in (tmp_path / "temporary").glob("*/in-use.lock"):
        os.utime(path, (0, 0))
    private("parent")
    assert list((tmp_path / "temporary").iterdir()) == [mine]
