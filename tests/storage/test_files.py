"""Files that are replaced in one step, and files to which lines are appended."""

import io
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.storage import files
from puzzlelab.storage.files import (
    BLOCK_SIZE,
    JsonLines,
    locked,
    make_folder,
    open_after,
    read_regular,
    replace_file,
    replacing,
    sync,
    text_lines,
    writing,
)

KILLED_WRITER = """
import os, signal, sys
from pathlib import Path
from puzzlelab.storage.files import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
APPENDER = """
import sys
from pathlib import Path
from puzzlelab.storage.files import JsonLines
lines = JsonLines(Path(sys.argv[1]), shared=True)
for n in range(int(sys.argv[3])):
    lines.append({"writer": sys.argv[2], "n": n, "text": "x" * 500})
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jsonl"


@pytest.fixture
def full_disk() -> Iterator[None]:
    """As on a full disk: no file of this process can be larger than 100 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


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


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_leaves_the_old_file_and_nothing_else(path: Path) -> None:
    path.write_text("old")
    with pytest.raises(BadFile, match=f"^cannot write {path}: File too large$"), writing(path):
        replace_file(path, "x" * 1000)
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


def test_the_temporary_file_may_have_a_name_of_the_caller(path: Path) -> None:
    with replacing(path, path.with_name("writing")) as temporary:
        assert temporary == path.with_name("writing")
        temporary.write_text("new")
    assert list(path.parent.iterdir()) == [path]


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


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The calls that sync and rename, each with the name of its file or folder."""
    recorded: list[tuple[str, str]] = []
    fsync, replace = os.fsync, Path.replace

    def record_fsync(descriptor: int) -> None:
        recorded.append(("sync", Path(f"/proc/self/fd/{descriptor}").readlink().name))
        fsync(descriptor)

    def record_replace(self: Path, target: Path) -> Path:
        recorded.append(("rename", self.name))
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(Path, "replace", record_replace)
    return recorded


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors have names in /proc alone")
def test_a_file_is_synced_before_it_is_renamed_and_the_folder_after_it(
    path: Path, calls: list[tuple[str, str]]
) -> None:
    replace_file(path, "new", path.with_name("writing"))
    assert calls == [("sync", "writing"), ("rename", "writing"), ("sync", path.parent.name)]
    calls.clear()
    replace_file(path, "new", path.with_name("writing"), durable=False)
    assert calls == [("rename", "writing")]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors have names in /proc alone")
def test_lines_are_synced_together(path: Path, calls: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(files.time, "monotonic", lambda: now[0])
    lines = JsonLines(path)
    for now[0] in (0.0, 0.5, 0.9, 1.1, 1.2):
        lines.append({"n": 1})
    assert calls == [("sync", path.name), ("sync", path.parent.name), ("sync", path.name)]
    lines.sync()
    assert calls[3:] == [("sync", path.name)]


def test_what_cannot_be_synced_is_no_error(path: Path) -> None:
    sync(Path(os.devnull))
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


# --- files of lines ---------------------------------------------------------------------------------------------------


def test_lines_of_a_text_end_alike_and_have_no_byte_order_mark() -> None:
    data = "\ufeffone\r\ntwo\rthr\ufeffee\n\nlast".encode()
    assert list(text_lines(io.BytesIO(data), "f")) == ["one\n", "two\n", "thr\ufeffee\n", "\n", "last"]
    assert list(text_lines(io.BytesIO(b""), "f")) == []
    assert list(text_lines(io.BytesIO(b"a\xffb"), "f")) == ["a\ufffdb"]


def test_a_line_that_is_too_long_is_named_and_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 10**6)
    file = io.BytesIO(b"x" * (10**6 - 1) + b"\n" + b"y" * 10**7)
    with pytest.raises(BadFile, match="^f, line 2: longer than 1 million characters$"):
        list(text_lines(file, "f"))
    assert file.tell() < 3 * 10**6


# --- files that grow --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "kept"), [(0, b""), (3, b"one"), (7, b"one two")])
def test_a_file_is_continued_after_what_is_kept(path: Path, length: int, kept: bytes) -> None:
    path.write_bytes(b"one two")
    with open_after(path, length) as file:
        file.write(b"!")
    assert path.read_bytes() == kept + b"!"


def test_a_missing_file_is_begun(path: Path) -> None:
    with open_after(path, 0) as file:
        file.write(b"!")
    assert path.read_bytes() == b"!"


def test_each_reading_gives_what_is_new(path: Path) -> None:
    lines = JsonLines(path, shared=True)
    assert lines.read() == []
    lines.append({"n": 1})
    lines.append({"n": 2})
    assert lines.read() == [{"n": 1}, {"n": 2}]
    lines.append({"n": 3})
    assert lines.read() == [{"n": 3}]
    assert lines.read() == []


@pytest.mark.parametrize("shared", [False, True])
def test_lines_are_appended_at_once_and_their_size_is_returned(path: Path, shared: bool) -> None:
    lines = JsonLines(path, shared)
    assert lines.append({"n": 1}, {"n": "é"}) == path.stat().st_size
    assert path.read_text() == '{"n": 1}\n{"n": "\\u00e9"}\n'
    assert lines.append() == 0


@pytest.mark.parametrize("half", ['{"n": ', "{" + "x" * (3 * BLOCK_SIZE)], ids=["short", "long"])
def test_half_a_line_is_not_read_and_is_cut_off_by_the_next_writer(path: Path, half: str) -> None:
    path.write_text('{"n": 1}\n' + half)
    lines = JsonLines(path, shared=True)
    assert lines.read() == [{"n": 1}]
    lines.append({"n": 2})
    assert lines.read() == [{"n": 2}]
    assert path.read_text() == '{"n": 1}\n{"n": 2}\n'


def test_a_first_line_that_is_half_is_cut_off_too(path: Path) -> None:
    path.write_text('{"n"')
    JsonLines(path, shared=True).append({"n": 2})
    assert path.read_text() == '{"n": 2}\n'


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"n": 1}\n{"n', '{"n": 1}\n'),
        ('{"n": 1}\n{"n": 2', '{"n": 1}\n'),
        ('{"', ""),
        ('{"n": 1}\nnotes', '{"n": 1}\nnotes'),
        ('{"m": 1', '{"m": 1'),
        ('{"n": 1}\n', '{"n": 1}\n'),
        ("", ""),
    ],
)
def test_half_a_line_is_cut_off_where_it_begins_as_lines_do(path: Path, text: str, kept: str) -> None:
    path.write_text(text)
    JsonLines(path).cut_half_line(b'{"n"')
    assert path.read_text() == kept


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        (b"\0" * 5000, b""),
        (b'{"n": 2\0\0', b""),
        (b'{"n": 2}', b'{"n": 2}\n'),
        (b'{"n": 2}\0', b'{"n": 2}\n'),
    ],
)
def test_what_a_power_cut_leaves_is_not_read_and_is_mended(path: Path, end: bytes, kept: bytes) -> None:
    path.write_bytes(b'{"n": 1}\n' + end)
    lines = JsonLines(path, shared=True)
    assert lines.read() == [{"n": 1}]
    lines.append({"n": 3})
    assert path.read_bytes() == b'{"n": 1}\n' + kept + b'{"n": 3}\n'
    assert lines.read()[-1] == {"n": 3}


def test_marks_blank_lines_and_foreign_ends_are_read(path: Path) -> None:
    path.write_bytes(b'\xef\xbb\xbf{"n": 1}\r\n\n{"n": 2}\n')
    assert JsonLines(path).read() == [{"n": 1}, {"n": 2}]


def test_a_line_that_is_too_long_is_no_json(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 10**6)
    path.write_bytes(b'{"n": 1}\n{"n": "' + b"x" * 10**6)
    with pytest.raises(BadFile, match="line 2 is longer than 1 MB"):
        JsonLines(path).read()


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_takes_no_part_of_lines(path: Path) -> None:
    lines = JsonLines(path)
    lines.append({"n": 1})
    with pytest.raises(BadFile, match="File too large"):
        lines.append({"n": 2}, {"text": "x" * 200})
    assert lines.read() == [{"n": 1}]
    lines.append({"n": 3})
    assert path.read_text() == '{"n": 1}\n{"n": 3}\n'


def test_what_is_missing_is_not_filled_with_nothing(path: Path) -> None:
    path.write_text("one\n")
    JsonLines(path).cut(100)
    assert path.read_text() == "one\n"


def test_lines_are_cut_back_to_a_length(path: Path) -> None:
    lines = JsonLines(path)
    lines.cut(0)
    size = lines.append({"n": 1})
    lines.append({"n": 2})
    lines.cut(size)
    assert path.read_text() == '{"n": 1}\n'


def test_two_processes_and_a_killed_one_lose_no_line(path: Path) -> None:
    path.write_text('{"writer": "killed')
    commands = [[sys.executable, "-c", APPENDER, str(path), writer, "60"] for writer in "ab"]
    processes = [subprocess.Popen(command) for command in commands]
    assert [process.wait() for process in processes] == [0, 0]
    found = sorted((line["writer"], line["n"]) for line in JsonLines(path).read())
    assert found == [(writer, n) for writer in "ab" for n in range(60)]


def test_threads_that_append_at_once_lose_no_line(path: Path) -> None:
    lines = JsonLines(path, shared=True)

    def work(writer: int) -> None:
        for n in range(50):
            lines.append({"writer": writer, "n": n})

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = sorted((line["writer"], line["n"]) for line in JsonLines(path).read())
    assert found == [(writer, n) for writer in range(4) for n in range(50)]


def test_what_is_no_line_is_named(path: Path, tmp_path: Path) -> None:
    path.write_text("nonsense\n")
    with pytest.raises(BadFile, match="line 1 is no JSON object"):
        JsonLines(path).read()
    with pytest.raises(BadFile, match="cannot write"):
        JsonLines(tmp_path).append({"n": 1})


def test_lines_that_a_power_cut_made_nul_bytes_are_left_out(path: Path) -> None:
    path.write_bytes(b'{"n": 1}\n' + bytes(30) + b'3}\n{"n": 4}\n' + bytes(9))
    lines = JsonLines(path, shared=True)
    assert lines.read() == [{"n": 1}, {"n": 4}]
    lines.append({"n": 5})
    assert lines.read() == [{"n": 5}]
    assert path.read_bytes().endswith(b'{"n": 4}\n{"n": 5}\n')


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


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    sync(tmp_path / "pipe")
