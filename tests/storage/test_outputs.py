"""What commands write: one program at a time, and only over what is their own."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.storage.files import replace_file
from puzzlelab.storage.outputs import LineOutput, check_folder, check_image, only_writer, only_writer_in

KILLED_WRITER = """
import os, signal, sys
from pathlib import Path
from puzzlelab.storage.outputs import only_writer
with only_writer(Path(sys.argv[1])):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.txt"


def lines_to(path: Path, *lines: str, skipped: int = 0) -> int:
    """Writes these lines; returns how many more there are."""
    with LineOutput(path) as output:
        output.skip(skipped)
        for line in lines:
            output.write(line)
        return output.rest


# --- locks ------------------------------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_and_the_first_is_not_disturbed(path: Path) -> None:
    path.write_text("kept")
    with only_writer(path):
        with pytest.raises(BadInput, match=f"^another program is writing to {path}$"), only_writer(path):
            pass
        assert path.read_text() == "kept"
    with only_writer(path):
        pass
    assert list(path.parent.iterdir()) == [path]


def test_an_error_leaves_no_empty_file(path: Path) -> None:
    with pytest.raises(ValueError, match="bad"), only_writer(path):
        raise ValueError("bad")
    assert not path.exists()
    path.write_text("")
    with pytest.raises(ValueError, match="bad"), only_writer(path):
        raise ValueError("bad")
    assert path.exists()


def test_a_file_that_its_writer_removed_is_locked_anew(path: Path) -> None:
    """The next program does not hold the lock of a file without a name, beside which another one can be made."""
    removed = pytest.raises(BadFile, match="was removed or replaced by another program")
    with removed, only_writer(path):
        path.unlink()
        with only_writer(path), pytest.raises(BadInput, match="another program"), only_writer(path):
            pass
        path.unlink()


def test_a_killed_writer_leaves_no_lock(path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED_WRITER, str(path)], check=False).returncode == -9
    with only_writer(path):
        pass


def test_a_folder_has_one_writer_and_no_file_for_its_lock(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    with only_writer_in(folder):
        with pytest.raises(BadInput, match=f"^another program is writing to {folder}$"), only_writer_in(folder):
            pass
        assert not list(folder.iterdir())
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match="cannot write"), only_writer_in(tmp_path / "file"):
        pass


def test_devices_have_no_lock() -> None:
    device = Path(os.devnull)
    with only_writer(device), only_writer(device):
        pass


# --- lines ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "begun",
    [
        "",
        "on",
        "one\n",
        "one\ntw",
        "one\ntwo",
        "one\ntwo\n",
        "one\r\ntw\0\0\0",
        "\0\0",
        "one\n\0\0o\nthree\n",
        "on" + "\0" * 99,
    ],
)
def test_lines_are_continued(path: Path, begun: str) -> None:
    path.write_bytes(begun.encode())
    assert lines_to(path, "one", "two", "three") == 0
    assert path.read_bytes().replace(b"\r", b"") == b"one\ntwo\nthree\n"


@pytest.mark.parametrize(
    "there",
    ["mine\n", "mine", "one\nmine\n", "one\ntwo\nthree and more", "one\ntwo\n\n", "o\0e\n", "\0" * 99 + "binary"],
)
def test_other_lines_are_left_alone(path: Path, there: str) -> None:
    path.write_text(there)
    with pytest.raises(
        BadFile, match=rf"^{path} holds something else: its line . is '.*', not '.*'; give another name"
    ):
        lines_to(path, "one", "two", "three")
    assert path.read_text() == there


def test_more_lines_are_counted_and_kept(path: Path) -> None:
    path.write_text("one\ntwo\nthree\n")
    assert lines_to(path, "one") == 2
    assert path.read_text() == "one\ntwo\nthree\n"


def test_lines_that_are_skipped_are_not_compared(path: Path) -> None:
    path.write_text("a\nb\nthree\n")
    assert lines_to(path, "three", "four", skipped=2) == 0
    assert path.read_text() == "a\nb\nthree\nfour\n"


def test_a_pipe_gets_all_lines_and_ends_once(tmp_path: Path) -> None:
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    lines_to(pipe, "one", "two")
    reader.join()
    assert received == ["one\ntwo\n"]


def test_a_file_that_is_removed_or_replaced_meanwhile_is_noticed(path: Path) -> None:
    def lines_while(change: Callable[[], object]) -> None:
        with LineOutput(path) as output:
            output.write("one")
            output.flush()
            change()
            output.write("two")

    for change in (path.unlink, lambda: path.rename(path.with_name("moved")), lambda: replace_file(path, "other")):
        path.unlink(missing_ok=True)
        with pytest.raises(BadFile, match=f"^{path} was removed or replaced by another program"):
            lines_while(change)
    assert path.read_text() == "other"
    assert path.with_name("moved").read_text() == "one\ntwo\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_device_is_named() -> None:
    with pytest.raises(BadFile, match="^cannot write /dev/full: No space left on device$"):
        lines_to(Path("/dev/full"), "one")


# --- what may be replaced ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n", b"<?xml version='1.0'?>\n<svg>", None])
def test_images_may_be_replaced(path: Path, content: bytes | None) -> None:
    if content is not None:
        path.write_bytes(content)
    check_image(path)


@pytest.mark.parametrize("content", [b"notes", b"%PDF", b"\0"])
def test_what_is_no_image_is_not_replaced(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(BadFile, match=f"^{path} exists already, and is no image: give another name"):
        check_image(path)
    with pytest.raises(BadFile, match="cannot write"):
        check_image(path.parent)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(BadFile, match=f"^{path} is a (pipe|device), not a file"):
        check_image(path)


def test_a_folder_of_other_files_is_not_filled(tmp_path: Path) -> None:
    def check() -> None:
        check_folder(tmp_path, "mark", lambda name: name.startswith("part"), "parts")

    (tmp_path / "part-1").write_text("")
    (tmp_path / ".hidden").write_text("")
    check()
    (tmp_path / "photo.png").write_text("")
    with pytest.raises(BadFile, match=f"^{tmp_path} holds photo.png, and no parts: give an empty folder"):
        check()
    (tmp_path / "mark").write_text("")
    check()
    check_folder(tmp_path / "new", "mark", lambda name: False, "parts")
