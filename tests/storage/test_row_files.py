"""Files of rows in every form: what is stored is found again, whatever stopped the program before."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from puzzlelab.core.answers import BatchTime
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.storage import row_exports, row_files
from puzzlelab.storage.lines import JsonLines
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_columns import HEADER, RowColumns
from puzzlelab.storage.row_exports import growing_file, place_in_words
from puzzlelab.storage.row_files import RowFile, convert, count_rows, read_rows, read_timed_rows

ENDINGS = (".jsonl", ".csv", ".parquet")
TWO = "1 2 3 4 5 6 0 7 8"
KILLED = """
import os, signal, sys
from pathlib import Path
import pyarrow.parquet
from puzzlelab.storage import row_exports
from puzzlelab.core.limit import Limit
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_columns import RowColumns
from puzzlelab.storage.row_files import RowFile

path, last, calls = Path(sys.argv[1]), int(sys.argv[2]), 0

def killing(owner, name):
    real = getattr(owner, name)
    def call(*args, **named):
        global calls
        calls += 1
        if calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **named)
    setattr(owner, name, call)

for owner, name in ((Path, "rename"), (Path, "replace"), (os, "unlink"), (os, "rmdir"), (os, "fsync"), (Path, "mkdir")):
    killing(owner, name)
row_exports.GROUP, row_exports.BLOCK = 10, 5
boards = [str(number) for number in range(24)]
with RowFile(path) as file:
    row = Row(puzzle="p", board="", solver="s", moves=["a", "b"], length=2)
    for begin in range(0, len(boards), 3):
        block = boards[begin : begin + 3]
        stored = file.take(row, block, Limit())
        file.append(RowColumns.of([row.model_copy(update={"board": b}) for b, s in zip(block, stored) if s is None]))
"""


def row(**values: Any) -> Row:
    """A row with the two moves that solve a board."""
    columns = {"puzzle": "tiles-3x3", "board": TWO, "solver": "ida", "moves": ["L", "L"], "length": 2, "verified": True}
    return Row(**{**columns, **values})


ROWS = [
    row(),
    row(board='a "quoted", text\nof two lines\r\n½', options={"estimate": "pdb:1,2/3", "weight": 1.5, "x": None}),
    row(moves=None, length=None, proof="unsolvable", reason="wrong parity, and more", verified_by="plain"),
    row(moves=[], length=0, seed=3, net="abc", limit={"seconds": 0.5, "nodes": None, "memory": 2**33}),
    row(board="", moves=None, length=None, verified=False, error="no board"),
    row(board="x", tried=["U"], cost=-5, score=2**40, upper_bound=7, seconds=1e-06),
    row(board="y", solution="x y", solutions=2, proof="several"),
]


@pytest.fixture(params=ENDINGS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == ".parquet":
        pytest.importorskip("pyarrow")
    return tmp_path / f"rows{request.param}"


def write(path: Path, rows: Sequence[Row]) -> None:
    with RowFile(path) as file:
        file.append(RowColumns.of(rows))


def stored(path: Path) -> list[Row]:
    return [each for _, each in read_rows(path)]


def take(path: Path, question: Row, limit: Limit | None = None, times: int = 1) -> list[Row | None]:
    with RowFile(path) as file:
        return [file.take(question, [question.board], limit or Limit())[0] for _ in range(times)]


# --- what is stored ---


@pytest.mark.parametrize("name", ["rows", "is empty", os.fsdecode(b"\xff no unicode")])
def test_rows_are_added_at_the_end_and_read_as_they_were_written(path: Path, name: str) -> None:
    path = path.with_stem(name)
    if name == "is empty":
        path.touch()
    for begin, end in ((0, 2), (2, 7)):
        write(path, ROWS[begin:end])
        assert list(read_rows(path)) == list(enumerate(ROWS[:end], start=1))
        before = path.read_bytes(), path.stat().st_mtime_ns
        write(path, [])
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert count_rows(path) == len(ROWS)
    assert place_in_words(path, 2) == f"{path}, {'row' if path.suffix == '.parquet' else 'line'} 2"
    assert set(path.parent.iterdir()) == {path, growing_file(path)}


def test_a_missing_file_is_named(path: Path) -> None:
    with pytest.raises(BadFile, match=f"cannot read {path}: No such file"):
        stored(path)
    path.mkdir()
    with pytest.raises(BadFile, match="is a folder"):
        stored(path)


def test_a_file_that_is_being_written_to_is_refused(path: Path) -> None:
    with (
        RowFile(path),
        pytest.raises(BadInput, match=f"another program is writing to {growing_file(path)}"),
        RowFile(path),
    ):
        pass


@pytest.mark.parametrize("content", [b"my notes\nand more\n", b"the only line", b'{"some": "json"}', b"a,b\n1,2\n"])
def test_a_file_of_something_else_is_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(BadFile, match=str(path)), RowFile(path):
        pass
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_removed_meanwhile_is_noticed(path: Path) -> None:
    write(path, ROWS[:1])
    before = path.read_bytes()

    def write_and_lose() -> None:
        with RowFile(path) as file:
            file.append(RowColumns.of(ROWS[1:2]))
            growing_file(path).unlink()
            file.append(RowColumns.of(ROWS[2:]))

    with pytest.raises(BadFile, match=f"{growing_file(path)} was removed or replaced by another program while"):
        write_and_lose()
    assert stored(path) == ROWS[2:]
    if path != growing_file(path):
        assert path.read_bytes() == before


def test_rows_that_are_changed_meanwhile_are_named(path: Path) -> None:
    write(path, ROWS)
    with RowFile(path) as file:
        growing_file(path).write_bytes(b"x" * growing_file(path).stat().st_size)
        with pytest.raises(BadFile, match=f"cannot read {growing_file(path)}: it was changed by another program"):
            file.take(ROWS[1], [ROWS[1].board], Limit())


# --- pipes ---


def test_a_reader_of_a_pipe_may_leave(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with RowFile(path) as file:
        file.append(RowColumns.of(ROWS[:1]))
        file.append(RowColumns.of(ROWS[2:3]))
        lines = os.read(reader, 10**6).decode().splitlines()
        os.close(reader)
        with pytest.raises(BadFile, match=f"cannot write {path}: Broken pipe"):
            file.append(RowColumns.of(ROWS[3:]))
    assert len(lines) == 2
    assert path.is_fifo()


# --- taking ---


def test_each_row_is_taken_by_its_question(path: Path) -> None:
    write(path, ROWS)
    with RowFile(path) as file:
        assert file.take(row(), [each.board for each in ROWS[4:]] + ["z", "x"], Limit()) == [*ROWS[4:], None, None]
        assert file.take(ROWS[1], [ROWS[1].board], Limit()) == [ROWS[1]]
        assert file.take(ROWS[3], [ROWS[3].board], Limit()) == [ROWS[3]]
        assert file.take(row(seed=4), [TWO], Limit()) == [None]
        file.append(RowColumns.of([row(seed=4)]))
        assert file.take(row(), [TWO], Limit()) == [row()]
    assert stored(path) == [*ROWS, row(seed=4)]


@pytest.mark.parametrize("count", [2, 9])
def test_the_nth_call_takes_the_nth_row(path: Path, count: int) -> None:
    rows = [row(seconds=float(number)) for number in range(count)]
    write(path, [row(board="other"), *rows])
    assert take(path, row(), times=count + 1) == [*rows, None]
    with RowFile(path) as file:
        assert file.take(row(), [TWO] * (count + 1), Limit()) == [*rows, None]


@pytest.mark.parametrize("count", [1, 6])
def test_rows_that_no_limit_ended_are_preferred(path: Path, count: int) -> None:
    ended = row(moves=None, length=None, stop="time", limit={"seconds": 5})
    write(path, [ended] * count + [row(seed=9), row(limit={"seconds": 50}), ended])
    assert take(path, row(), Limit(seconds=1), times=2) == [row(limit={"seconds": 50}), None]


def test_equal_hashes_are_told_apart(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, [row(board=str(number % 4)) for number in range(12)])
    monkeypatch.setattr(row_files, "hash", lambda question: 7, raising=False)
    with RowFile(path) as file:
        for asked in (["1", "3", "5"], ["0", "3", "2"], ["0", "1", "5"]):
            taken = file.take(row(), asked, Limit())
            assert [each.board for each in taken if each] == [board for board in asked if board != "5"]


# --- CSV ---


def test_csv_has_a_header_and_is_read_by_others(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    write(path, ROWS)
    with path.open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    assert [record["board"] for record in records] == [each.board for each in ROWS]
    assert records[0]["moves"] == "L L"
    assert json.loads(records[1]["options"]) == ROWS[1].options
    assert records[2]["length"] == ""


def test_columns_of_csv_may_stand_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"mood,solver,board,puzzle,moves,length\ngood,ida,{TWO},tiles-3x3,L L,2\n")
    assert stored(path) == [row(verified=False)]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("tiles-3x3,1", "2 columns, and the header has 27"),
        ("," * 26, "'puzzle' Field required"),
        (f"p,b,s{',' * 12}sure{',' * 12}", "'proof' "),
        ('p,b"c', "columns"),
        ('p,"b"c,s', "expected after"),
        (f"p,b,s,{{{',' * 23}", "Expecting property name"),
    ],
)
def test_a_record_that_is_no_row_is_named(tmp_path: Path, record: str, words: str) -> None:
    path = tmp_path / "rows.csv"
    write(path, [row(board="1\n2")])
    growing_file(path).unlink()
    with path.open("a") as file:
        file.write(f"{record}\n")
    with pytest.raises(BadFile) as caught:
        stored(path)
    assert str(caught.value).startswith(f"{path}, line 4: no row of results (")
    assert words in str(caught.value)


def test_csv_with_a_byte_order_mark_and_other_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    write(path, ROWS[2:])
    growing_file(path).unlink()
    content = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    assert stored(path) == ROWS[2:]


@pytest.mark.parametrize("zeros", [0, 5])
@pytest.mark.parametrize("step", [60, pytest.param(1, marks=pytest.mark.slow)])
def test_half_a_line_at_the_end_is_cut(tmp_path: Path, step: int, zeros: int) -> None:
    """At places of every kind: in the midst of the rows, and near the end of each line."""
    path, notes = tmp_path / "rows.jsonl", list[str]()
    write(path, ROWS[:1])
    first = path.stat().st_size
    with RowFile(path) as file:
        file.append(RowColumns.of(ROWS[1:2], BatchTime(1, 0.5)))
    whole = path.read_bytes()
    ends = [place for place in range(first, len(whole)) if whole[place : place + 1] == b"\n"]
    near = {end + more for end in ends for more in (-1, 0, 1, 2)}
    for length in sorted({*range(first, len(whole), step), *near} & {*range(first, len(whole))}):
        path.write_bytes(whole[:length] + bytes(zeros))
        rows = [each for _, each in read_rows(path, notes.append)]
        assert rows in (ROWS[:1], ROWS[:2])
        write(path, [])
        write(path, ROWS[len(rows) : 2])
        time = b'{"batch": {"boards": 1, "seconds": 0.5}}\n'
        assert path.read_bytes() == (whole if length == len(whole) - 1 else whole.replace(time, b""))
    assert all("its program was stopped before it had written all of it" in note for note in notes)


# --- Parquet ---


def numbered(begin: int, end: int) -> list[Row]:
    return [row(board=str(number), moves=["a"] * (number % 3), length=number % 3) for number in range(begin, end)]


def test_columns_of_parquet_are_plain(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write(tmp_path / "rows.parquet", ROWS)
    schema = parquet.read_schema(tmp_path / "rows.parquet")
    assert schema.names == HEADER.split(",")
    types = {str(kind) for kind in schema.types}
    assert types == {"string", "list<element: string>", "int64", "double", "bool"}


def test_row_groups_do_not_depend_on_the_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(row_exports, "GROUP", 10)
    monkeypatch.setattr(row_exports, "BLOCK", 5)
    one, several = tmp_path / "one.parquet", tmp_path / "several.parquet"
    write(one, numbered(0, 23))
    for begin, end in ((0, 1), (1, 12), (12, 23)):
        write(several, numbered(begin, end))
    at_once = tmp_path / "at_once.parquet"
    with RowFile(at_once) as file:
        for begin, end in ((0, 1), (1, 12), (12, 23)):
            file.append(RowColumns.of(numbered(begin, end)))
    for path in (one, several, at_once):
        metadata = parquet.read_metadata(path)
        assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [10, 10, 3]
        assert parquet.read_table(path).equals(parquet.read_table(one))
    assert stored(at_once) == numbered(0, 23)


def test_a_number_that_is_too_large_for_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.parquet"
    with pytest.raises(BadInput, match="too large for a table of Arrow"):
        write(path, [row(expanded=2**70)])
    assert [each.expanded for each in stored(path)] == [2**70]


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(BadInput, match=r"a Parquet file needs pyarrow, .*: pip install 'puzzlelab\[table\]'"):
        write(tmp_path / "rows.parquet", ROWS)
    assert list(tmp_path.iterdir()) == []


# --- exports ---


@pytest.fixture(params=ENDINGS[1:])
def exported(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == ".parquet":
        pytest.importorskip("pyarrow")
    return tmp_path / f"rows{request.param}"


def alone(path: Path) -> Path:
    """A copy of an export without its growing file."""
    return Path(shutil.copy(path, path.with_name(f"alone{path.suffix}")))


def test_an_export_is_made_after_ctrl_c(exported: Path) -> None:
    def interrupted() -> None:
        with RowFile(exported) as file:
            file.append(RowColumns.of(ROWS))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert stored(alone(exported)) == ROWS


def test_an_export_has_the_row_that_was_written_when_ctrl_c_came(
    exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_texts = JsonLines.append_texts

    def interrupted(self: JsonLines, texts: Sequence[str]) -> int:
        append_texts(self, texts)
        raise KeyboardInterrupt

    def run() -> None:
        with RowFile(exported) as file:
            file.append(RowColumns.of(ROWS[:3]))
            monkeypatch.setattr(JsonLines, "append_texts", interrupted)
            file.append(RowColumns.of(ROWS[3:]))

    with pytest.raises(KeyboardInterrupt):
        run()
    assert stored(alone(exported)) == ROWS


def test_a_missing_or_old_export_is_made_by_the_next_call(exported: Path) -> None:
    write(exported, ROWS[:3])
    old = exported.read_bytes()
    with RowFile(growing_file(exported)) as file:
        file.append(RowColumns.of(ROWS[3:]))
    assert exported.read_bytes() == old
    assert stored(exported) == ROWS
    os.utime(exported, ns=(0, 0))
    write(exported, [])
    assert stored(alone(exported)) == ROWS
    exported.unlink()
    write(exported, [])
    assert stored(alone(exported)) == ROWS


def test_rows_are_appended_to_an_export_that_has_all_others(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "export", lambda *_: pytest.fail("all rows are written again"))
    for each in ROWS:
        write(exported, [each])
    assert stored(alone(exported)) == ROWS
    at_once = exported.with_name(f"at_once{exported.suffix}")
    write(at_once, ROWS)
    if exported.suffix == ".csv":
        assert exported.read_bytes() == at_once.read_bytes()


@pytest.mark.parametrize("is_seen", [True, False])
def test_an_export_that_was_changed_is_made_anew(exported: Path, is_seen: bool) -> None:
    write(exported, ROWS[:3])
    modified, whole = exported.stat().st_mtime_ns, exported.read_bytes()
    damaged = whole.replace(b",length,", b",size,", 1) if exported.suffix == ".csv" else whole[:-20]
    exported.write_bytes(damaged)
    if not is_seen:
        os.utime(exported, ns=(modified, modified))
    write(exported, ROWS[3:])
    assert stored(alone(exported)) == ROWS


def test_an_export_without_its_growing_file_is_read_and_not_continued(exported: Path) -> None:
    write(exported, ROWS)
    growing_file(exported).unlink()
    before = exported.read_bytes()
    assert stored(exported) == ROWS
    with pytest.raises(BadFile, match=f"{exported} cannot be continued without {exported.name}.jsonl") as caught:
        write(exported, ROWS[:1])
    assert exported.read_bytes() == before
    assert list(exported.parent.iterdir()) == [exported]
    assert f"puzzlelab convert {exported} {exported}.jsonl" in str(caught.value)
    assert convert(exported, growing_file(exported)) == len(ROWS)
    write(exported, ROWS[:1])
    assert stored(alone(exported)) == [*ROWS, ROWS[0]]


def test_an_export_replaces_only_a_file_of_rows(exported: Path) -> None:
    write(exported, ROWS)
    exported.write_bytes(b"my own notes\n")
    with pytest.raises(BadFile, match=f"{exported} exists already, and is no file of rows"):
        write(exported, ROWS[:1])
    assert exported.read_bytes() == b"my own notes\n"
    assert stored(growing_file(exported)) == ROWS


def test_a_pipe_is_no_export(exported: Path) -> None:
    os.mkfifo(exported)
    for use in (lambda: write(exported, ROWS), lambda: stored(exported)):
        with pytest.raises(BadFile, match=f"{exported} is a pipe, not a file"):
            use()
    assert exported.is_fifo()


FULL = """
import sys
from pathlib import Path
from puzzlelab.core.errors import BadFile
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_columns import RowColumns
from puzzlelab.storage.row_files import RowFile

try:
    with RowFile(Path(sys.argv[1])) as file:
        for _ in range(40):
            file.append(RowColumns.of([Row(puzzle="p", board="b", solver="s", moves=["a"] * 500, length=500)]))
except BadFile as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize("most", [9000, *(pytest.param(most, marks=pytest.mark.slow) for most in (20_000, 60_000))])
def test_a_full_disk_loses_nothing(exported: Path, most: int, on_full_disk: Callable[..., tuple[int, str]]) -> None:
    write(exported, [row(puzzle="p", board="b", solver="s", moves=["a"] * 500, length=500, verified=False)])
    code, error = on_full_disk(most, FULL, exported)
    assert (code, error.startswith(f"cannot write {exported}"), "File too large" in error) == (1, True, True)
    rows = stored(exported)
    assert rows == [rows[0]] * len(rows)
    assert len(rows) == max(1, most // len(f"{rows[0].to_json()}\n"))
    assert stored(alone(exported)) in (rows[:1], rows)  # the old one, or a complete one
    write(exported, [])
    assert stored(alone(exported)) == rows
    assert {file for file in exported.parent.iterdir() if file.name.startswith("rows")} == {
        exported,
        growing_file(exported),
    }


# --- converting ---


def test_every_form_becomes_every_other(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    write(tmp_path / "a.jsonl", ROWS)
    forms = [tmp_path / "a.jsonl"]
    for name in ("b.csv", "c.parquet", "d.csv", "e.jsonl", "f.parquet", "g.jsonl"):
        assert convert(forms[-1], tmp_path / name) == len(ROWS)
        forms.append(tmp_path / name)
        assert stored(tmp_path / name) == ROWS
    assert forms[-1].read_bytes() == forms[0].read_bytes()
    assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "d.csv").read_bytes()


def test_a_converted_file_replaces_no_other(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.jsonl"
    write(one, ROWS[:1])
    write(other, ROWS)
    with pytest.raises(BadFile, match=f"{one} is made from {one}.jsonl: give another name"):
        convert(other, one)
    with pytest.raises(BadFile, match=f"{other} exists already"):
        convert(one, other)
    assert (stored(one), stored(other)) == (ROWS[:1], ROWS)
    (tmp_path / "notes.csv").write_text("my own")
    with pytest.raises(BadFile, match="exists already, and is no file of rows"):
        convert(one, tmp_path / "notes.csv")


# --- times of batches ---


def test_the_time_of_a_batch_stands_after_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    alone_rows, together = [row(seconds=0.5)], [row(board=str(number)) for number in range(3)]
    bad = row(board="", moves=None, length=None, error="no board")
    with RowFile(path) as file:
        file.append(RowColumns.of(alone_rows))
        file.append(RowColumns.of([*together[:2], bad, row(seconds=2.0), together[2]], BatchTime(3, 0.25)))
        file.append(RowColumns.of(together, BatchTime(3, 0.5)))
        file.append(RowColumns.of(together[:1]))
    assert path.read_text().splitlines()[6] == '{"batch": {"boards": 3, "seconds": 0.25}}'
    first, second = BatchTime(3, 0.25), BatchTime(3, 0.5)
    times = [time for _, time in read_timed_rows(path)]
    assert times == [None, first, first, None, None, first, second, second, second, None]
    assert stored(path)[6:9] == together
    convert(path, tmp_path / "rows2.jsonl")
    assert (tmp_path / "rows2.jsonl").read_bytes() == path.read_bytes()
    convert(path, tmp_path / "rows.csv")
    assert len(stored(tmp_path / "rows.csv")) == 10


@pytest.mark.parametrize("line", ['{"batch": 3}', '{"batch": {"boards": "x", "seconds": 1}}', '{"batch": {}'])
def test_a_line_that_is_no_time_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    write(path, ROWS[:1])
    with path.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(BadFile, match=f"{path}, line 2: no row of results"):
        stored(path)


# --- killed ---


def content_of(path: Path) -> Any:
    """The bytes of a file, or the rows of a Parquet file."""
    if path.suffix != ".parquet":
        return path.read_bytes()
    import pyarrow.parquet as pq

    return pq.read_table(path).to_pylist()


@pytest.fixture
def killed(exported: Path) -> Callable[[int], int]:
    """`killed(n)`: runs a program that is killed at its n-th call of the file system; returns its exit code."""
    pytest.importorskip("pyarrow")

    def run(call: int) -> int:
        done = subprocess.run([sys.executable, "-c", KILLED, exported, str(call)], timeout=300, check=False)
        return done.returncode

    return run


def test_a_killed_program_goes_on(exported: Path, killed: Callable[[int], int]) -> None:
    assert killed(5) in (0, -9)
    assert killed(-1) == 0
    assert [each.board for each in stored(exported)] == [str(number) for number in range(24)]
    assert set(exported.parent.iterdir()) == {exported, growing_file(exported)}


@pytest.mark.slow
def test_after_kills_at_any_moment_the_files_are_equal(exported: Path, killed: Callable[[int], int]) -> None:
    """After the n-th kill the program is killed one call later, until it is not; the files are those of one run."""
    calls, kills = 0, 0
    while (code := killed(calls := calls + 1)) != 0:
        assert code == -9
        kills += 1
        for file in (exported, growing_file(exported)):
            boards = [each.board for each in stored(file)] if file.exists() else []
            assert boards == [str(number) for number in range(len(boards))]
    assert kills >= 2
    files = {file.name: content_of(file) for file in exported.parent.iterdir()}
    shutil.rmtree(exported.parent)
    exported.parent.mkdir()
    assert killed(-1) == 0
    assert files == {file.name: content_of(file) for file in exported.parent.iterdir()}
