"""Files that are replaced in one step, and locks."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.storage import files
from puzzlelab.storage.files import locked, make_folder, read_regular, replace_file, replacing, sync, writing
from puzzlelab.storage.lines import JsonLines

KILLED_WRITER = """
import os, signal, sys
from pathlib import Path
from puzzlelab.storage.files import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


# --- files that are replaced as a whole -------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["größer\n", b"\x00\xff\r\n"], ids=["text", "bytes"])
def test_a_file_is_replaced_and_nothing_is_left_beside_it(path: Path, content: str | bytes) -> None:
    for old in (None, b"old"):
        if old is not None:
            path.write_bytes(old)
        replace_file(path, content)
        assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
        assert list(path.parent.iterdir()) == [path]


def test_the_old_file_is_there_until_the_new_one_is_complete(path: Path) -> None:
    path.write_text("old")
    with replacing(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
        assert temporary.parent == path.parent
        assert temporary.name.endswith(f".{os.getpid()}")
    assert path.read_text() == "new"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError()])
def test_a_failing_writer_leaves_the_old_file_and_nothing_else(path: Path, error: BaseException) -> None:
    def fail() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise error

    path.write_text("old")
    with pytest.raises(type(error)):
        fail()
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


REPLACING = """
import sys
from pathlib import Path
from puzzlelab.core.errors import BadFile
from puzzlelab.storage.files import replace_file, writing

path = Path(sys.argv[1])
try:
    with writing(path):
        replace_file(path, "x" * 1000)
except BadFile as error:
    sys.exit(str(error))
"""


def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    path: Path, on_full_disk: Callable[..., tuple[int, str]]
) -> None:
    path.write_text("old")
    assert on_full_disk(100, REPLACING, path) == (1, f"cannot write {path}: File too large\n")
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_a_target_that_cannot_be_replaced_leaves_nothing(path: Path) -> None:
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        replace_file(path, "new")
    assert list(path.parent.iterdir()) == [path]


def test_a_temporary_file_that_another_process_has_removed_is_an_error_of_its_own(path: Path) -> None:
    def remove_it() -> None:
        with replacing(path) as temporary:
            temporary.write_text("new")
            temporary.unlink()

    with pytest.raises(FileNotFoundError):
        remove_it()


def test_a_killed_writer_leaves_the_old_file_and_one_that_nobody_reads(path: Path) -> None:
    path.write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED_WRITER, str(path)], check=False)
    assert done.returncode == -9
    assert path.read_text() == "old"
    (left,) = set(path.parent.iterdir()) - {path}
    assert left.name.startswith(path.name + ".")
    replace_file(path, "new")
    assert path.read_text() == "new"


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(path: Path) -> None:
    other, temporary = path.with_name("other"), path.with_name("writing")
    other.write_text("of another")
    temporary.symlink_to(other)
    replace_file(path, "new", temporary)
    assert (path.read_text(), other.read_text()) == ("new", "of another")
    assert sorted(path.parent.iterdir()) == sorted([path, other])


def test_threads_that_replace_one_file_do_not_disturb_each_other(path: Path) -> None:
    contents = [str(number) * 10_000 for number in range(4)]
    errors = []

    def work(content: str) -> None:
        try:
            for _ in range(50):
                replace_file(path, content)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert path.read_text() in contents
    assert list(path.parent.iterdir()) == [path]


def test_an_error_of_the_system_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=f"^cannot write {tmp_path}: Is a directory$"), writing(tmp_path):
        tmp_path.write_text("")


# --- files that survive a power cut -----------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors have names in /proc alone")
def test_a_file_is_synced_before_it_is_renamed_and_the_folder_after_it(
    path: Path, calls: list[tuple[str, str]]
) -> None:
    replace_file(path, "new", path.with_name("writing"))
    assert calls == [("sync", "writing"), ("rename", "writing"), ("sync", path.parent.name)]
    calls.clear()
    replace_file(path, "new", path.with_name("writing"), durable=False)
    assert calls == [("rename", "writing")]


def test_what_cannot_be_synced_is_no_error_and_a_pipe_is_not_waited_for(path: Path) -> None:
    sync(Path(os.devnull))
    os.mkfifo(path.with_name("pipe"))
    sync(path.with_name("pipe"))
    JsonLines(path).sync()
    assert not path.exists()


def test_one_program_at_a_time_holds_a_lock(path: Path) -> None:
    def lock_again() -> None:
        with locked(path, "another program writes there"):
            pass

    path.write_text("kept")
    with locked(path, ""), pytest.raises(BadInput, match="^another program writes there$"):
        lock_again()
    lock_again()
    assert path.read_text() == "kept"
    with pytest.raises(BadFile, match="cannot write"), locked(path.parent, ""):
        pass


def test_a_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="exists"):
        make_folder(tmp_path / "file")


@pytest.mark.parametrize("kind", ["pipe", "device", "large"])
def test_only_a_regular_file_of_a_bounded_size_is_read_as_a_whole(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(files.MOST_BYTES + 1)  # no bytes of it are on the disk
    with pytest.raises(BadFile, match=f"{path} is (a pipe, not a file|a device, not a file|larger than 512 MiB)"):
        read_regular(path)
    path.unlink()
    path.write_bytes(b"content")
    assert read_regular(path) == b"content"
