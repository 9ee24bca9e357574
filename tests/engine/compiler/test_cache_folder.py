import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from puzzlelab.engine.compiler import cache_folder, dispatcher, trust
from puzzlelab.engine.compiler.cache_folder import KEPT_FOLDERS, KEPT_SECONDS, kernel_sources
from puzzlelab.engine.kernels import compiled
from puzzlelab.version import PACKAGE


def folder_now() -> Path | None:
    """The folder for machine code, worked out again."""
    cache_folder.kernel_fingerprint.cache_clear()
    return cache_folder.kernel_folder.__wrapped__()


@pytest.fixture
def source(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The only kernel source there is."""
    path = tmp_path / "kernels.py"
    path.write_text("one = 1\n")
    monkeypatch.setattr(cache_folder, "kernel_sources", lambda: {path.name: path.read_bytes()})
    yield path
    cache_folder.kernel_fingerprint.cache_clear()


# --- what machine code depends on ---


def test_every_file_of_kernels_is_a_source() -> None:
    sources = set(kernel_sources())
    assert {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*kernels.py")} <= sources
    assert {"engine/kernels.py", "puzzles/tiles/kernels.py", "solvers/_backtracking_kernels.py"} <= sources
    assert {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob("engine/compiler/*.py")} <= sources
    assert {"engine/report.py", "storage/files.py", "puzzles/sudoku/bands.py"} <= sources  # kernels import them
    assert not {"engine/driver.py", "solvers/backtracking.py", "puzzles/sudoku/solvers/bands.py"} & sources


SMALL_PACKAGE = {
    "engine/__init__.py": "",
    "engine/kernels.py": "import numpy\n",
    "engine/slots.py": "from puzzlelab.engine.numbers import (  # in two\n    ONE as FIRST,\n    TWO,\n)\n",
    "engine/numbers.py": "ONE, TWO = 1, 2\n",
    "solvers/__init__.py": "LIMIT = 3\n",
    "solvers/_search_kernels.py": (
        "from typing import TYPE_CHECKING\n\n"
        "from puzzlelab.engine import kernels, slots as places\n"
        "from puzzlelab.solvers import LIMIT\n\n"
        "if TYPE_CHECKING:\n    from puzzlelab.solvers.search import Search\n"
    ),
    "solvers/search.py": "from puzzlelab.solvers._search_kernels import step\n",
}


@pytest.fixture
def small_package(tmp_path: Path) -> Path:
    """A package with one solver, whose kernels use numbers of other files."""
    for place, text in SMALL_PACKAGE.items():
        path = tmp_path / "small" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "small"


def test_imports_are_followed_from_file_to_file(small_package: Path) -> None:
    assert list(kernel_sources(small_package)) == [
        "engine/kernels.py",
        "engine/numbers.py",
        "engine/slots.py",
        "solvers/__init__.py",
        "solvers/_search_kernels.py",
    ]


@pytest.mark.parametrize(
    ("edited", "changes"),
    [
        ("engine/numbers.py", True),
        ("solvers/search.py", False),
        ("engine/__init__.py", False),
    ],
)
def test_only_an_edit_of_a_source_changes_the_fingerprint(
    small_package: Path, monkeypatch: pytest.MonkeyPatch, edited: str, changes: bool
) -> None:
    monkeypatch.setattr(cache_folder, "kernel_sources", lambda: kernel_sources(small_package))
    before = cache_folder.kernel_fingerprint.__wrapped__()
    path = small_package / edited
    path.write_text(path.read_text() + "THREE = 3\n")
    assert (cache_folder.kernel_fingerprint.__wrapped__() != before) is changes


def test_sources_and_settings_of_numba_change_the_folder(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = folder_now()
    source.write_text("one = 2\n")
    after = folder_now()
    assert before != after
    assert before.parent == after.parent
    assert after.is_dir()
    source.write_text("one = 1\n")
    assert folder_now() == before
    monkeypatch.setenv("NUMBA_CPU_NAME", "x86-64-v2")
    assert folder_now() == before  # it is part of the key of each kernel, so that a pack for another suits
    monkeypatch.setenv("NUMBA_SLP_VECTORIZE", "1")
    assert folder_now() != before


# --- old folders ---


def old_folder(parent: Path, name: str, seconds: float) -> Path:
    path = parent / name
    path.mkdir(parents=True)
    (path / "code.kernel").write_text("machine code")
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def test_the_newest_folders_are_kept(source: Path, own_cache: Path) -> None:
    parent = own_cache / "kernels"
    others = [old_folder(parent, f"{age:016x}", 3600 * age) for age in range(1, KEPT_FOLDERS + 3)]
    kept = folder_now()
    assert set(parent.iterdir()) == {kept, *others[: KEPT_FOLDERS - 1]}


def test_folders_of_kernels_that_nobody_used_for_long_are_deleted(source: Path, own_cache: Path) -> None:
    parent = own_cache / "kernels"
    note, mine = parent / "README", old_folder(parent, "mine", KEPT_SECONDS + 60)
    note.write_text("mine")
    os.utime(note, (0, 0))
    recent = old_folder(parent, "0123456789abcdef", KEPT_SECONDS - 60)
    forgotten = old_folder(parent, "fedcba9876543210", KEPT_SECONDS + 60)
    folder_now()
    assert recent.exists()
    assert not forgotten.exists()
    assert note.exists()
    assert mine.exists()


def test_using_a_folder_keeps_it_young(source: Path, own_cache: Path) -> None:
    used = folder_now()
    os.utime(used, (0, 0))
    folder_now()
    source.write_text("one = 2\n")
    folder_now()
    assert used.exists()


def test_a_folder_that_can_only_be_read_is_used(own_cache: Path, monkeypatch: pytest.MonkeyPatch, listener) -> None:
    folder = folder_now()

    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "mkdir", read_only)
    monkeypatch.setattr(os, "utime", read_only)
    assert folder_now() == folder
    assert listener.notes == []


def test_a_folder_that_cannot_be_made_is_said_once(no_cache: Path, listener, write_failures) -> None:
    assert folder_now() is None
    assert folder_now() is None
    (note,) = listener.notes
    assert note.startswith(f"Compiled kernels cannot be kept in {no_cache / 'kernels'}")
    assert list(write_failures.values()) == ["Not a directory"]
    assert no_cache.read_text() == "a file"


def test_old_folders_that_another_process_deletes_too_do_no_harm(own_cache: Path, monkeypatch, listener) -> None:
    def gone(*_: object, **__: object) -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(cache_folder, "_prune", gone)
    assert folder_now() is not None
    assert listener.notes == []


# --- folders of others ---

needs_owners = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of this kind")


@needs_owners
@pytest.mark.parametrize(
    ("place", "mode", "trusted"),
    [
        (".", 0o700, True),
        (".", 0o1777, False),  # anybody could add an entry
        ("..", 0o777, False),
        ("../..", 0o1777, True),  # as in /tmp
        ("../../..", 0o777, False),  # anybody could put another folder in the place of the cache
    ],
)
def test_kernels_that_every_user_can_change_are_not_used(
    own_cache: Path, monkeypatch, listener, write_failures, place: str, mode: int, trusted: bool
) -> None:
    folder = folder_now()
    changed = (folder / place).resolve()
    changed.chmod(mode)
    assert (folder_now() == folder) is trusted
    if not trusted:
        assert listener.notes[0] == (
            f"Compiled kernels in {folder} are not used, because every user can write to {changed}, and they could "
            "run any code. PUZZLELAB_TRUST_CACHE=1 uses them all the same."
        )
        assert folder in write_failures
        monkeypatch.setenv("PUZZLELAB_TRUST_CACHE", "1")
        assert folder_now() == folder


@needs_owners
def test_kernels_of_another_user_are_not_used(own_cache: Path, monkeypatch: pytest.MonkeyPatch, listener) -> None:
    folder = folder_now()
    owner = folder.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    if owner == 0:  # the tests run as root, whom everybody trusts
        os.chown(folder, 12345, -1)
    monkeypatch.setattr(trust, "PACKAGE", Path("/"))
    assert folder_now() != folder
    assert "belongs to another user" in listener.notes[0]
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid)
    assert folder_now() == folder


@needs_owners
def test_kernels_of_the_owner_of_the_package_are_used(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_now()
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    monkeypatch.setattr(trust, "PACKAGE", folder)
    assert folder_now() == folder


@needs_owners
@pytest.mark.parametrize(
    ("place", "name", "members", "trusted"),
    [
        (".", "me", [], True),
        ("../../..", "me", ["me"], True),
        (".", "me", ["me", "you"], False),
        ("../../..", "lab", [], False),
        (".", "lab", ["me"], False),
    ],
)
def test_kernels_of_a_group_are_used_by_choice(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, place: str, name: str, members: list[str], trusted: bool
) -> None:
    import grp
    import pwd

    monkeypatch.setattr(pwd, "getpwuid", lambda number: SimpleNamespace(pw_name="me"))
    monkeypatch.setattr(grp, "getgrgid", lambda number: SimpleNamespace(gr_name=name, gr_mem=members))
    folder = folder_now()
    (folder / place).resolve().chmod(0o2775)
    assert (folder_now() == folder) is trusted
    monkeypatch.setenv("PUZZLELAB_TRUST_CACHE", "1")
    assert folder_now() == folder


@needs_owners
def test_links_on_the_way_are_followed(own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_cache.mkdir()
    (tmp_path / "second").symlink_to("cache/../cache")
    (tmp_path / "first").symlink_to(tmp_path / "second")
    monkeypatch.setenv("PUZZLELAB_CACHE", str(tmp_path / "first"))
    folder = folder_now()
    assert folder is not None
    assert folder.resolve().is_relative_to(own_cache)
    own_cache.chmod(0o777)
    assert folder_now() != folder


@needs_owners
def test_a_link_to_itself_is_said(own_cache: Path, listener) -> None:
    own_cache.symlink_to(own_cache)
    assert folder_now() is None
    assert "Too many levels of symbolic links" in listener.notes[0]


@needs_owners
@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root can give links away")
@pytest.mark.parametrize("words", ["", "elsewhere/.."])
def test_a_link_of_another_user_is_not_followed(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listener, words: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / words)
    os.chown(link, 12345, -1, follow_symlinks=False)
    monkeypatch.setenv("PUZZLELAB_CACHE", str(link))
    folder_now()
    assert f"because {link} belongs to another user" in listener.notes[0]
    assert not (tmp_path / "kernels").exists()


@needs_owners
def test_where_no_folder_is_safe_there_is_none(own_cache: Path, tmp_path: Path, monkeypatch, listener) -> None:
    own_cache.mkdir()
    for folder in (own_cache, tmp_path):
        folder.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert folder_now() is None
    assert len(listener.notes) == 1


# --- in other processes ---

COUNT = """
from puzzlelab.core import registry
from puzzlelab.solvers.bfs import count_by_depth
print(count_by_depth(registry.load("tiles-2x2").read("1 2 3 0")))
"""


def run(package: Path, **settings: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1", **settings}
    done = subprocess.run([sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with a copy of the package, without any machine code."""
    for path in PACKAGE.rglob("*.py"):
        target = tmp_path / "copy" / "puzzlelab" / path.relative_to(PACKAGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return tmp_path / "copy"


@pytest.mark.slow
def test_an_edit_in_another_file_is_never_run_as_old_machine_code(tmp_path: Path, copied: Path) -> None:
    assert run(copied, PUZZLELAB_CACHE=str(tmp_path / "cache")) == "[1, 2, 2, 2, 2, 2, 1]"
    rules = copied / "puzzlelab" / "puzzles" / "tiles" / "kernels.py"
    text = rules.read_text()
    assert "return np.int64(count)" in text
    rules.write_text(text.replace("return np.int64(count)", "return np.int64(1)"))
    assert run(copied, PUZZLELAB_CACHE=str(tmp_path / "cache")) != "[1, 2, 2, 2, 2, 2, 1]"


@pytest.mark.slow
def test_without_a_cache_folder_no_machine_code_is_left_beside_the_sources(tmp_path: Path, copied: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert run(copied, PUZZLELAB_CACHE=str(tmp_path / "file" / "cache")) == "[1, 2, 2, 2, 2, 2, 1]"
    assert list(copied.rglob("*.kernel")) == []


# --- who compiles ---

HOLD = """
import sys, time
from puzzlelab.engine.compiler import alone
with alone("some.kernel"):
    print("holds it", flush=True)
    sys.stdin.read()
"""


def test_what_one_process_compiles_the_others_wait_for() -> None:
    pytest.importorskip("fcntl")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holds it\n"
        entered = threading.Event()

        def enter() -> None:
            with cache_folder.alone("another.kernel"):
                pass
            with cache_folder.alone("some.kernel"):
                entered.set()

        waiting = threading.Thread(target=enter)
        waiting.start()
        assert not entered.wait(0.3)
        other.kill()  # whoever is killed holds nothing any more
        waiting.join(300)
        assert entered.is_set()


@contextmanager
def stopped(name: str) -> Iterator[None]:
    """A process that is stopped while it compiles the kernel of this name."""
    pytest.importorskip("fcntl")
    command = [sys.executable, "-c", HOLD.replace("some.kernel", name)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holds it\n"
        other.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            other.kill()


def one():
    return 1


needs_stop = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="Windows stops no processes")


@pytest.fixture
def short_patience(own_cache: Path, monkeypatch) -> None:
    """Kernels are looked for and kept in the cache of this test, and waited for only a moment."""
    uncached = cache_folder.kernel_folder.__wrapped__
    for module in (cache_folder, dispatcher):
        monkeypatch.setattr(module, "kernel_folder", uncached)
    monkeypatch.setattr(cache_folder, "PATIENCE", 0.2)


@needs_stop
def test_what_a_stopped_process_compiles_is_compiled_here(own_cache: Path, short_patience, listener) -> None:
    with stopped(f"{one.__module__}.one"):
        for _ in range(2):
            for entry in own_cache.rglob("*.kernel"):
                entry.unlink()
            assert compiled(one)() == 1
            assert listener.notes == [  # the second time it need not wait
                f"Another process has not compiled {one.__module__}.one in 0 s, and this one compiles it too."
            ]


@needs_stop
def test_what_is_compiled_already_is_loaded_without_waiting(short_patience, listener) -> None:
    compiled(one)()
    with stopped(f"{one.__module__}.one"):
        assert compiled(one)() == 1
        assert listener.notes == []


SOLVE = """
import sys
from puzzlelab.engine.compiler import cache_folder
cache_folder.PATIENCE = 0.2
sys.argv = ["puzzlelab", "solve", "tiles-3x3", "8 6 7 2 5 4 3 0 1", "--with", "astar"]
from puzzlelab.cli.main import run
run()
"""


@needs_stop
@pytest.mark.slow
def test_a_stopped_compiler_delays_a_command_only_once(own_cache: Path) -> None:
    with stopped("puzzlelab.solvers._astar_kernels.step"):
        for count in (1, 0):
            done = subprocess.run([sys.executable, "-c", SOLVE], capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr
            assert done.stdout.splitlines()[1].startswith("31 moves, proven optimal")
            assert done.stderr.count("has not compiled solvers._astar_kernels.step") == count


def test_without_a_folder_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_folder, "kernel_folder", lambda: None)
    with cache_folder.alone("some.kernel"), cache_folder.alone("some.kernel"):
        pass
