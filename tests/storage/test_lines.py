"""Files of lines, which are read line by line and grow at their end."""

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from puzzlelab.core.errors import BadFile
from puzzlelab.storage import lines as storage_lines
from puzzlelab.storage.lines import BLOCK_SIZE, JsonLines, text_blocks

APPENDER = """
import sys
from pathlib import Path
from puzzlelab.storage.lines import JsonLines
lines = JsonLines(Path(sys.argv[1]), shared=True)
for n in range(int(sys.argv[3])):
    lines.append({"writer": sys.argv[2], "n": n, "text": "x" * 500})
"""


# --- files of lines ---------------------------------------------------------------------------------------------------


def test_lines_of_a_text_end_alike_and_have_no_byte_order_mark() -> None:
    data = "\ufeffone\r\ntwo\rthr\ufeffee\n\nlast".encode()
    assert list(text_blocks(io.BytesIO(data), "f")) == ["one\ntwo\nthr\ufeffee\n\n", "last"]
    assert list(text_blocks(io.BytesIO(b""), "f")) == []
    assert list(text_blocks(io.BytesIO(b"a\xffb"), "f")) == ["a\ufffdb"]


def test_a_line_that_is_too_long_is_named_and_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage_lines, "LONGEST_LINE", 10**6)
    file = io.BytesIO(b"x" * (10**6 - 1) + b"\n" + b"y" * 10**7)
    with pytest.raises(BadFile, match="^f, line 2: longer than 1 million characters$"):
        list(text_blocks(file, "f"))
    assert file.tell() < 3 * 10**6


# --- files that grow --------------------------------------------------------------------------------------------------


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
@pytest.mark.parametrize("before", ["", '{"n": 1}\n'])
def test_half_a_line_is_not_read_and_is_cut_off_by_the_next_writer(path: Path, before: str, half: str) -> None:
    path.write_text(before + half)
    lines = JsonLines(path, shared=True)
    assert lines.read() == [{"n": 1}][: len(before)]
    lines.append({"n": 2})
    assert lines.read() == [{"n": 2}]
    assert path.read_text() == before + '{"n": 2}\n'


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
    monkeypatch.setattr(storage_lines, "LONGEST_LINE", 10**6)
    path.write_bytes(b'{"n": 1}\n{"n": "' + b"x" * 10**6)
    with pytest.raises(BadFile, match="line 2 is longer than 1 MB"):
        JsonLines(path).read()


APPENDING = """
import sys
from pathlib import Path
from puzzlelab.core.errors import BadFile
from puzzlelab.storage.lines import JsonLines

lines = JsonLines(Path(sys.argv[1]))
lines.append({"n": 1})
try:
    lines.append({"n": 2}, {"text": "x" * 200})
except BadFile as error:
    assert "File too large" in str(error)
assert lines.read() == [{"n": 1}]
lines.append({"n": 3})
"""


def test_a_full_disk_takes_no_part_of_lines(path: Path, on_full_disk: Callable[..., tuple[int, str]]) -> None:
    assert on_full_disk(100, APPENDING, path) == (0, "")
    assert path.read_text() == '{"n": 1}\n{"n": 3}\n'


@pytest.mark.parametrize(("written", "kept"), [(4, "old\nnew\n"), (3, "old\n"), (0, "old\n")])
def test_a_signal_during_the_writing_leaves_all_or_nothing(path, monkeypatch, written, kept) -> None:
    class Interrupted(io.FileIO):
        def write(self, data):
            super().write(data[:written])
            raise KeyboardInterrupt

    path.write_text("old\n")
    monkeypatch.setattr(
        storage_lines, "open", lambda path, *_, opener: Interrupted(path, "ab", opener=opener), raising=False
    )
    with pytest.raises(KeyboardInterrupt):
        JsonLines(path).append_texts(["new\n"])
    assert path.read_text() == kept


def test_lines_are_cut_back_to_a_length(path: Path) -> None:
    lines = JsonLines(path)
    lines.cut(0)
    size = lines.append({"n": 1})
    lines.append({"n": 2})
    for length in (size, 100):  # what is missing is not filled
        lines.cut(length)
        assert path.read_text() == '{"n": 1}\n'


def test_two_processes_and_a_killed_one_lose_no_line(path: Path) -> None:
    path.write_text('{"writer": "killed')
    commands = [[sys.executable, "-c", APPENDER, str(path), writer, "60"] for writer in "ab"]
    processes = [subprocess.Popen(command) for command in commands]
    assert [process.wait() for process in processes] == [0, 0]
    found = sorted((line["writer"], line["n"]) for line in JsonLines(path).read())
    assert found == [(writer, n) for writer in "ab" for n in range(60)]


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


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="descriptors have names in /proc alone")
def test_lines_are_synced_together(path: Path, calls: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(storage_lines.time, "monotonic", lambda: now[0])
    lines = JsonLines(path)
    for now[0] in (0.0, 0.5, 0.9, 1.1, 1.2):
        lines.append({"n": 1})
    assert calls == [("sync", path.name), ("sync", path.parent.name), ("sync", path.name)]
    lines.sync()
    assert calls[3:] == [("sync", path.name)]
