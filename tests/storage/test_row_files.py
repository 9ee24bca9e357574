"""Files of rows in every form: what is stored is found again, whatever stopped the program before."""

import csv
import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.storage import row_index
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_columns import COLUMNS, HEADER
from puzzlelab.storage.row_files import RowFile, count_rows, place_in_words, read_rows

ENDINGS = (".jsonl", ".csv", ".parquet")
TWO = "1 2 3 4 5 6 0 7 8"
KILLED = """
import os, signal, sys
from pathlib import Path
import pyarrow.parquet
from puzzlelab.storage import row_parquet
from puzzlelab.core.limit import Limit
from puzzlelab.storage.row import Row
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
row_parquet.GROUP, row_parquet.PART_SECONDS = 10, 0
boards = [str(number) for number in range(24)]
with RowFile(path) as file:
    row = Row(puzzle="p", board="", solver="s", moves=["a", "b"], length=2)
    for begin in range(0, len(boards), 3):
        block = boards[begin : begin + 3]
        stored = file.take_many(row, block, Limit())
        file.append([row.model_copy(update={"board": b}) for b, s in zip(block, stored) if s is None])
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
    row(board="x", tried=["U"], cost=-5, score=2**40, upper_bound=7, seconds=1e-06, seconds_shared=True, batch="b"),
]


@pytest.fixture(params=ENDINGS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == ".parquet":
        pytest.importorskip("pyarrow")
    return tmp_path / f"rows{request.param}"


def write(path: Path, rows: Sequence[Row]) -> None:
    with RowFile(path) as file:
        file.append(rows)


def stored(path: Path) -> list[Row]:
    return [each for _, each in read_rows(path)]


def take(path: Path, question: Row, limit: Limit | None = None, times: int = 1) -> list[Row | None]:
    with RowFile(path) as file:
        return [file.take(question, limit or Limit()) for _ in range(times)]


# --- what is stored ---


def test_every_column_is_read_as_it_was_written(path: Path) -> None:
    write(path, ROWS)
    assert stored(path) == ROWS
    assert list(path.parent.iterdir()) == [path]


def test_rows_are_added_at_the_end(path: Path) -> None:
    for each in ROWS:
        write(path, [each])
    assert stored(path) == ROWS
    assert list(path.parent.iterdir()) == [path]


def test_a_file_without_new_rows_is_not_changed(path: Path) -> None:
    write(path, ROWS)
    before = path.read_bytes(), path.stat().st_mtime_ns
    write(path, [])
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_rows_are_numbered(path: Path) -> None:
    write(path, ROWS[:1] * 3)
    first = 2 if path.suffix == ".csv" else 1
    assert [number for number, _ in read_rows(path)] == [first, first + 1, first + 2]
    assert place_in_words(path, 2) == f"{path}, {'row' if path.suffix == '.parquet' else 'line'} 2"
    assert count_rows(path) == first + 2


def test_a_missing_file_is_named(path: Path) -> None:
    with pytest.raises(BadFile, match=f"cannot read {path}: No such file"):
        stored(path)
    path.mkdir()
    with pytest.raises(BadFile, match="is a folder"):
        stored(path)


def test_a_file_that_is_being_written_to_is_refused(path: Path) -> None:
    with RowFile(path), pytest.raises(BadInput, match=f"another program is writing to {path}"), RowFile(path):
        pass


@pytest.mark.parametrize("content", [b"my notes\nand more\n", b"the only line", b'{"some": "json"}', b"a,b\n1,2\n"])
def test_a_file_of_something_else_is_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(BadFile, match=str(path)), RowFile(path):
        pass
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_an_empty_file_is_a_new_one(path: Path) -> None:
    path.touch()
    write(path, ROWS)
    assert stored(path) == ROWS


def test_a_name_may_be_no_unicode(path: Path) -> None:
    path = path.with_name(os.fsdecode(b"\xff") + path.name)
    write(path, ROWS[:2])
    write(path, ROWS[2:])
    assert stored(path) == ROWS
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_removed_meanwhile_is_noticed(path: Path, small_parts: None) -> None:
    def write_and_lose() -> None:
        with RowFile(path) as file:
            file.append(ROWS[:2])
            file.append(ROWS[2:4])
            next(path.parent.glob(f"{path.name}.parts/*"), path).unlink()
            file.append(ROWS[4:])

    with pytest.raises(BadFile, match=f"{path} .*(removed|changed).* by another program while this one wrote to"):
        write_and_lose()
    kept = stored(path)
    assert kept == [each for each in ROWS if each in kept] != ROWS
    write(path, [each for each in ROWS if each not in kept])  # the same command solves the others again
    assert sorted(map(str, stored(path))) == sorted(map(str, ROWS))


# --- pipes ---


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
def test_a_reader_of_a_pipe_may_leave(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows{ending}"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with RowFile(path) as file:
        file.append(ROWS[:1])
        file.append(ROWS[2:3])
        lines = os.read(reader, 10**6).decode().splitlines()
        os.close(reader)
        with pytest.raises(BadFile, match=f"cannot write {path}: Broken pipe"):
            file.append(ROWS[3:])
    assert len(lines) == (3 if ending == ".csv" else 2)  # one header
    assert path.is_fifo()


def test_a_pipe_is_no_parquet_file(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.parquet"
    os.mkfifo(path)
    for use in (lambda: write(path, ROWS), lambda: stored(path), lambda: count_rows(path)):
        with pytest.raises(BadFile, match=f"{path} is a (pipe|device), not a file"):
            use()
    assert list(tmp_path.iterdir()) == [path]
    assert path.is_fifo()


# --- taking ---


def test_each_row_is_taken_by_its_question(path: Path) -> None:
    write(path, ROWS)
    with RowFile(path) as file:
        assert file.take_many(row(), [each.board for each in ROWS[4:]] + ["y", "x"], Limit()) == [*ROWS[4:], None, None]
        assert file.take(ROWS[1], Limit()) == ROWS[1]
        assert file.take(ROWS[3], Limit()) == ROWS[3]
        assert file.take(row(seed=4), Limit()) is None


@pytest.mark.parametrize("count", [2, 9])
def test_the_nth_call_takes_the_nth_row(path: Path, count: int) -> None:
    rows = [row(seconds=float(number)) for number in range(count)]
    write(path, [row(board="other"), *rows])
    assert take(path, row(), times=count + 1) == [*rows, None]
    with RowFile(path) as file:
        assert file.take_many(row(), [TWO] * (count + 1), Limit()) == [*rows, None]


@pytest.mark.parametrize("count", [1, 6])
def test_rows_that_no_limit_ended_are_preferred(path: Path, count: int) -> None:
    ended = row(moves=None, length=None, stop="time", limit={"seconds": 5})
    write(path, [ended] * count + [row(seed=9), row(limit={"seconds": 50}), ended])
    assert take(path, row(), Limit(seconds=1), times=2) == [row(limit={"seconds": 50}), None]


def test_equal_hashes_are_told_apart(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path, [row(board=str(number % 4)) for number in range(12)])
    monkeypatch.setattr(row_index, "hash", lambda question: 7, raising=False)
    with RowFile(path) as file:
        for asked in (["1", "3", "5"], ["0", "3", "2"], ["0", "1", "5"]):
            taken = file.take_many(row(), asked, Limit())
            assert [each.board for each in taken if each] == [board for board in asked if board != "5"]


def test_new_rows_can_be_written_while_others_are_taken(path: Path) -> None:
    write(path, ROWS)
    with RowFile(path) as file:
        for each in ROWS:
            file.append([each.model_copy(update={"seed": 77})])
            assert file.take(each, Limit()) == each
    assert stored(path) == [*ROWS, *(each.model_copy(update={"seed": 77}) for each in ROWS)]


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
    with pytest.raises(BadFile, match="has other columns than rows have today"), RowFile(path):
        pass


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("tiles-3x3,1", "2 columns, and the header has 27"),
        ("," * 26, "'puzzle' Field required"),
        (f"p,b,s{',' * 10}sure{',' * 14}", "'proof' "),
        ('p,b"c', "columns"),
        ('p,"b"c,s', "expected after"),
        (f"p,b,s,{{{',' * 23}", "Expecting property name"),
    ],
)
def test_a_record_that_is_no_row_is_named(tmp_path: Path, record: str, words: str) -> None:
    path = tmp_path / "rows.csv"
    write(path, [row(board="1\n2")])
    with path.open("a") as file:
        file.write(f"{record}\n")
    with pytest.raises(BadFile) as caught:
        stored(path)
    assert str(caught.value).startswith(f"{path}, line 4: no row of results (")
    assert words in str(caught.value)


def test_csv_with_a_byte_order_mark_and_other_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    write(path, ROWS[2:])
    content = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    assert stored(path) == ROWS[2:]
    write(path, ROWS[:1])
    assert take(path, ROWS[-1]) == [ROWS[-1]]


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
@pytest.mark.parametrize("zeros", [0, 5])
def test_half_a_row_at_the_end_is_cut(tmp_path: Path, ending: str, zeros: int) -> None:
    path, notes = tmp_path / f"rows{ending}", list[str]()
    write(path, ROWS[:1])
    first = path.stat().st_size
    write(path, ROWS[1:2])
    whole = path.read_bytes()
    for length in [*range(first, len(whole)), *(range(first) if ending == ".csv" else [])]:
        path.write_bytes(whole[:length] + bytes(zeros))
        rows = [each for _, each in read_rows(path, notes.append)]
        assert rows in (ROWS[:0], ROWS[:1], ROWS[:2])
        write(path, [])
        write(path, ROWS[len(rows) : 2])
        assert path.read_bytes() == whole
    assert all("its program was stopped before it had written all of it" in note for note in notes)


# --- Parquet ---


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row groups of ten rows, and a part for each call."""
    from puzzlelab.storage import row_parquet

    monkeypatch.setattr(row_parquet, "GROUP", 10)
    monkeypatch.setattr(row_parquet, "PART_SECONDS", 0)


def numbered(begin: int, end: int) -> list[Row]:
    return [row(board=str(number), moves=["a"] * (number % 3), length=number % 3) for number in range(begin, end)]


@pytest.mark.parametrize("ends", [(25,), (3, 25), (10, 20, 25), (1, 2, 3, 11, 24, 25)])
def test_row_groups_do_not_depend_on_the_parts(tmp_path: Path, small_parts: None, ends: Sequence[int]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    one, several = tmp_path / "one.parquet", tmp_path / "several.parquet"
    write(one, numbered(0, 25))
    for begin, end in zip([0, *ends], ends, strict=False):
        write(several, numbered(begin, end))
    metadata = parquet.read_metadata(several)
    assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [10, 10, 5]
    assert several.read_bytes() == one.read_bytes()
    assert stored(several) == numbered(0, 25)


def test_columns_of_parquet_are_plain(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write(tmp_path / "rows.parquet", ROWS)
    schema = parquet.read_schema(tmp_path / "rows.parquet")
    assert schema.names == list(COLUMNS) == HEADER.split(",")
    types = {str(kind) for kind in schema.types}
    assert types == {"string", "list<element: string>", "int64", "double", "bool"}


def test_parts_are_read_until_they_are_joined(tmp_path: Path, small_parts: None) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.parquet"
    write(path, numbered(0, 5))
    with RowFile(path) as file:
        file.append(numbered(5, 8))
        file.append(numbered(8, 12))
        assert not path.exists()
        assert stored(path) == numbered(0, 12)
    assert stored(path) == numbered(0, 12)


@pytest.fixture
def parts(tmp_path: Path, small_parts: None) -> Path:
    """The parts of rows.parquet that a killed program has left: five with three rows each."""
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.parquet"
    with RowFile(path) as file:
        for begin in range(0, 15, 3):
            file.append(numbered(begin, begin + 3))
        shutil.copytree(tmp_path / "rows.parquet.parts", tmp_path / "kept")
    path.unlink()
    return (tmp_path / "kept").rename(tmp_path / "rows.parquet.parts")


def test_only_what_was_written_is_removed_from_the_parts(parts: Path) -> None:
    path, others = parts.with_suffix(""), {"notes.txt", "part-2.arrow", "part-000000.txt", "part-000001.arrow.old"}
    for name in others:
        (parts / name).write_text("my own")
    write(path, numbered(15, 20))
    assert stored(path) == numbered(0, 20)
    assert {file.name: file.read_text() for file in parts.iterdir()} == dict.fromkeys(others, "my own")


def test_links_among_the_parts_are_not_followed(tmp_path: Path, parts: Path) -> None:
    path, other = parts.with_suffix(""), tmp_path / "other"
    other.write_text("my own")
    for name in ("writing", "joined"):
        (parts / name).symlink_to(other)
    write(path, numbered(15, 20))
    assert stored(path) == numbered(0, 20)
    assert other.read_text() == "my own"
    assert sorted(tmp_path.iterdir()) == sorted([path, other])


def test_a_link_in_the_place_of_the_parts_is_refused(tmp_path: Path, parts: Path) -> None:
    path, other = parts.with_suffix(""), parts.rename(tmp_path / "other")
    before = {file.name: file.read_bytes() for file in other.iterdir()}
    parts.symlink_to(other)
    for use in (lambda: write(path, numbered(0, 5)), lambda: stored(path)):
        with pytest.raises(BadFile, match=f"{parts} is a link"):
            use()
    assert {file.name: file.read_bytes() for file in other.iterdir()} == before
    assert sorted(tmp_path.iterdir()) == sorted([parts, other])


def test_a_damaged_part_is_named_and_only_its_rows_are_made_again(parts: Path) -> None:
    path, part = parts.with_suffix(""), parts / "part-000001.arrow"
    whole = part.read_bytes()
    places = [*range(0, len(whole), len(whole) // 40), len(whole) - 1]
    for damaged in [*(whole[:k] + bytes([whole[k] ^ 17]) + whole[k + 1 :] for k in places), whole[:-9], whole[:2], b""]:
        part.write_bytes(damaged)
        for use in (lambda: stored(path), lambda: write(path, numbered(3, 5))):
            with pytest.raises(BadFile, match=f"{part} is damaged: its checksum does not agree; remove it"):
                use()
    part.unlink()
    with RowFile(path) as file:
        answers = file.take_many(row(), list(map(str, range(15))), Limit())
        assert [number for number, answer in enumerate(answers) if answer is None] == [3, 4, 5]
        file.append(numbered(3, 6))
    assert stored(path) == [*numbered(0, 3), *numbered(6, 15), *numbered(3, 6)]


def test_a_part_with_a_forged_checksum_is_refused(parts: Path) -> None:
    import pyarrow as pa

    names = pa.DictionaryArray.from_arrays(pa.array([10**9], pa.int32()), pa.array(["tiles-3x3"]), safe=False)
    stream = pa.BufferOutputStream()
    table = pa.table({"puzzle": names, "board": [TWO], "solver": names})
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    content = stream.getvalue().to_pybytes()
    part = parts / "part-000002.arrow"
    part.write_bytes(content + zlib.crc32(content).to_bytes(4, "little"))
    with pytest.raises(BadFile, match=f"{part} holds no rows"):
        stored(parts.with_suffix(""))


def test_a_file_beside_more_rows_in_parts_is_refused(tmp_path: Path, parts: Path) -> None:
    path, other = parts.with_suffix(""), tmp_path / "other.parquet"
    write(other, numbered(0, 4))
    other.rename(path)
    with pytest.raises(BadFile, match=f"{parts} has more rows than {path}: move one of them away"):
        write(path, numbered(4, 5))
    assert len(list(parts.iterdir())) == 5


def test_ctrl_c_joins_the_parts(tmp_path: Path, small_parts: None) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.parquet"

    def interrupted() -> None:
        with RowFile(path) as file:
            file.append(numbered(0, 5))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == [path]
    assert stored(path) == numbered(0, 5)


def test_a_number_that_is_too_large_for_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(BadInput, match="too large for a Parquet file"):
        write(tmp_path / "rows.parquet", [row(expanded=2**70)])


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(BadInput, match=r"Parquet files need pyarrow: pip install 'puzzlelab\[table\]'"):
        RowFile(tmp_path / "rows.parquet")


# --- killed ---


@pytest.fixture
def killed(path: Path) -> Callable[[int], int]:
    """`killed(n)`: runs a program that is killed at its n-th call of the file system; returns its exit code."""
    pytest.importorskip("pyarrow")

    def run(call: int) -> int:
        done = subprocess.run([sys.executable, "-c", KILLED, path, str(call)], timeout=120, check=False)
        return done.returncode

    return run


def test_a_killed_program_goes_on(path: Path, killed: Callable[[int], int]) -> None:
    assert killed(5) in (0, -9)
    assert killed(-1) == 0
    assert [each.board for each in stored(path)] == [str(number) for number in range(24)]
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.slow
def test_a_program_may_be_killed_at_any_moment(path: Path, killed: Callable[[int], int]) -> None:
    calls = kills = 0
    while True:
        calls += 1
        code = killed(calls)
        assert code in (0, -9)
        if code == 0:
            break
        kills += 1
        if path.exists() or path.suffix == ".parquet":
            boards = [each.board for each in stored(path)] if path.exists() else []
            assert boards == [str(number) for number in range(len(boards))]
    assert [each.board for each in stored(path)] == [str(number) for number in range(24)]
    assert list(path.parent.iterdir()) == [path]
    assert kills > (3 if path.suffix == ".parquet" else 0)


@pytest.mark.slow
def test_after_any_kill_one_more_run_is_enough(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    whole = tmp_path / "whole.parquet"
    subprocess.run([sys.executable, "-c", KILLED, whole, "-1"], timeout=120, check=True)
    call, code = 0, -9
    while code != 0:
        call += 1
        path = tmp_path / str(call) / "rows.parquet"
        code = subprocess.run([sys.executable, "-c", KILLED, path, str(call)], timeout=120, check=False).returncode
        subprocess.run([sys.executable, "-c", KILLED, path, "-1"], timeout=120, check=True)
        assert path.read_bytes() == whole.read_bytes()
        assert list(path.parent.iterdir()) == [path]
