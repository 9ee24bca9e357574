import errno
import json
import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from puzzlelab.core.errors import NoRoom
from puzzlelab.core.limit import Limit
from puzzlelab.engine import report, table_cache
from puzzlelab.engine.table_cache import checksum, stored, table_folder
from puzzlelab.runtime.memory import resident, within


def table() -> np.ndarray:
    return np.arange(600, dtype=np.int64).reshape(20, 30) * 7919


def never() -> np.ndarray:
    raise AssertionError("the table was made again")


@pytest.fixture
def files(own_cache: Path) -> tuple[Path, Path]:
    """A stored table and its card."""
    stored("squares", table, np.int64, (20, 30))
    return table_folder() / "squares.npy", table_folder() / "squares.json"


def test_a_table_is_made_once(files) -> None:
    assert np.array_equal(stored("squares", never, np.int64, (20, 30)), table())


def test_a_loaded_table_cannot_be_changed(files) -> None:
    with pytest.raises(ValueError, match="read-only"):
        stored("squares", never, np.int64, (20, 30))[0, 0] = 1


DAMAGE: dict[str, Callable[[Path, Path], object]] = {
    "a byte of the table": lambda data, card: flip(data, -5),
    "the end is missing": lambda data, card: data.write_bytes(data.read_bytes()[:-100]),
    "no table": lambda data, card: data.unlink(),
    "half a card": lambda data, card: card.write_text('{"bytes": 48'),
    "a card of noise": lambda data, card: card.write_bytes(bytes(range(128, 256))),
    "a card with another sum": lambda data, card: card.write_text(json.dumps({"bytes": 4800, "crc32": 1})),
    "a card that says nothing": lambda data, card: card.write_text("{}"),
    "a card without a name": lambda data, card: card.write_text(json.dumps({"crc32": checksum(data)})),
    "a card of NaN": lambda data, card: card.write_text('{"crc32": NaN}'),
    "a card of brackets": lambda data, card: card.write_text("[" * 100_000),
    "a card with too many digits": lambda data, card: card.write_text('{"crc32": ' + "1" * 5000 + "}"),
    "a folder in the place of the table": lambda data, card: (data.unlink(), data.mkdir()),
    "a folder in the place of the card": lambda data, card: (card.unlink(), (card / "more").mkdir(parents=True)),
}


def foreign(data: Path, card: Path, other: object) -> None:
    """Put another table there, or other bytes, with the right checksum on its card."""
    if isinstance(other, bytes):
        data.write_bytes(other)
    else:
        np.save(data, other)
    card.write_text(json.dumps({"crc32": checksum(data), "name": data.stem}))


def header(text: str) -> bytes:
    """A file of NumPy with this header and no data."""
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


HEADER = "{{'descr': '<i8', 'fortran_order': False, 'shape': {}}}\n"
FOREIGN: dict[str, tuple[object, str]] = {
    "another shape": (table().T.copy(), "it has the type <i8 and the shape (30, 20)"),
    "zero rows": (np.zeros((0, 30), np.int64), "it has the type <i8 and the shape (0, 30)"),
    "no axis": (np.int64(7), "it has the type <i8 and the shape ()"),
    "another type": (table().astype(np.int32), "it has the type <i4 and the shape (20, 30)"),
    "another byte order": (table().astype(">i8"), "it has the type >i8 and the shape (20, 30)"),
    "another order": (np.asfortranarray(table()), "it has the type <i8 and the shape (20, 30), in another order"),
    "objects": (table().astype(object), "it is no table of NumPy"),
    "records": (np.zeros((20, 30), [("a", "<i4"), ("b", "<i4")]), "it has the type |V8 and the shape (20, 30)"),
    "an archive": (b"PK\x03\x04" + bytes(100), "it is no table of NumPy"),
    "no bytes": (b"", "it is no table of NumPy"),
    "a shape of NaN": (header(HEADER.format("(nan, 30)")), "it is no table of NumPy"),
    "a shape larger than any disk": (header(HEADER.format(f"({10**30}, 30)")), "it is no table of NumPy"),
    "a shape larger than the file": (header(HEADER.format("(20, 30)")), "it is no table of NumPy"),
    "a header of brackets": (header("(" * 5000), "it is no table of NumPy"),
}


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0x40
    path.write_bytes(data)


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_table_is_made_again_with_a_sentence(files, listener, damage: Callable[[Path, Path], object]) -> None:
    damage(*files)
    assert np.array_equal(stored("squares", table, np.int64, (20, 30)), table())
    assert len(listener.notes) == 1
    assert listener.notes[0].startswith("The table squares.npy in the cache folder is damaged (")
    assert listener.notes[0].endswith("); it is built again.")
    assert np.array_equal(stored("squares", never, np.int64, (20, 30)), table())


@pytest.mark.parametrize(("other", "reason"), FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_table_with_the_right_checksum_is_made_again(files, listener, other: object, reason: str) -> None:
    foreign(*files, other)
    assert np.array_equal(stored("squares", table, np.int64, (20, 30)), table())
    assert listener.notes == [f"The table squares.npy in the cache folder is damaged ({reason}); it is built again."]
    assert np.array_equal(stored("squares", never, np.int64, (20, 30)), table())
    assert len(listener.notes) == 1


def test_a_table_under_the_name_of_another_is_made_again(files, listener) -> None:
    stored("cubes", lambda: table() ** 3, np.int64, (20, 30))
    for path in files:
        path.write_bytes(path.with_stem("cubes").read_bytes())
    assert np.array_equal(stored("squares", table, np.int64, (20, 30)), table())
    assert listener.notes == [
        "The table squares.npy in the cache folder is damaged (it is another table); it is built again."
    ]


def test_a_length_that_is_not_known_is_any_but_zero(files, listener) -> None:
    assert stored("squares", never, np.int64, (None, 30)).shape == (20, 30)
    foreign(*files, np.zeros((0, 30), np.int64))
    assert stored("squares", table, np.int64, (None, 30)).shape == (20, 30)
    assert len(listener.notes) == 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO])
def test_a_table_for_which_there_is_no_room_is_used_from_memory(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, listener, number: int
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(np, "save", full)
    assert np.array_equal(stored("squares", table, np.int64, (20, 30)), table())
    assert np.array_equal(stored("squares", never, np.int64, (20, 30)), table())
    assert listener.notes == [
        f"The table squares.npy cannot be kept in {table_folder()} ({os.strerror(number)}); it is used from memory."
    ]
    assert table_cache.write_failures[table_folder() / "squares.npy"] == os.strerror(number)
    assert list(table_folder().iterdir()) == []


def test_a_table_without_its_card_was_never_finished(files, listener) -> None:
    files[1].unlink()
    assert np.array_equal(stored("squares", table, np.int64, (20, 30)), table())
    assert listener.notes == []
    assert np.array_equal(stored("squares", never, np.int64, (20, 30)), table())


def test_ctrl_c_while_writing_leaves_nothing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file, table, allow_pickle) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stored("squares", table, np.int64, (20, 30))
    assert [path for path in own_cache.rglob("*") if path.is_file()] == []


def test_ctrl_c_while_writing_again_leaves_nothing_that_looks_whole(files, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file, table, allow_pickle) -> None:
        raise KeyboardInterrupt

    flip(files[0], -1)
    with monkeypatch.context() as patched:
        patched.setattr(np, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            stored("squares", table, np.int64, (20, 30))
    assert np.array_equal(stored("squares", table, np.int64, (20, 30)), table())


@pytest.mark.parametrize("chunk", [1, 7, 4800, 10_000])
def test_the_checksum_is_crc_32_whatever_the_pieces(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chunk: int
) -> None:
    monkeypatch.setattr(table_cache, "CHUNK", chunk)
    path = tmp_path / "file"
    path.write_bytes(table().tobytes())
    assert checksum(path) == zlib.crc32(table().tobytes())


def test_a_folder_that_may_not_be_looked_into_holds_no_table(own_cache: Path, monkeypatch, listener) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    monkeypatch.setattr(Path, "mkdir", refuse)
    assert np.array_equal(stored("squares", table, np.int64, (20, 30)), table())
    assert "is used from memory" in listener.notes[-1]


def rare(name: str) -> np.ndarray:
    return stored(name, lambda: np.zeros(1000, np.uint8), np.uint8, (1000,), rare=True)


def test_rare_tables_that_were_used_long_ago_are_removed_first(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUZZLELAB_TABLES", "2500")
    stored("usual", lambda: np.zeros(5000, np.uint8), np.uint8, (5000,))
    for age, name in enumerate(("first", "second")):
        rare(name)
        os.utime(table_folder() / f"{name}.json", (age, age))
    kept = rare("first")  # it is used again
    rare("third")
    names = sorted(path.stem for path in table_folder().glob("*.npy"))
    assert names == ["first", "third", "usual"]
    assert not kept.any()


def test_a_rare_table_that_is_larger_than_the_bound_is_kept_until_the_next(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PUZZLELAB_TABLES", "10")
    rare("large")
    assert [path.stem for path in table_folder().glob("*.npy")] == ["large"]
    rare("other")
    assert [path.stem for path in table_folder().glob("*.npy")] == ["other"]


# --- processes that end meanwhile -------------------------------------------------------------------------------------

KILLED = """
import os, signal
import numpy as np
from puzzlelab.engine.table_cache import stored

def save(file, table, allow_pickle):
    file.write(b"half of it")
    os.kill(os.getpid(), signal.SIGKILL)

np.save = save
stored("squares", lambda: np.zeros(10), np.float64, (10,))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs locks of files")
def test_what_a_killed_process_left_is_removed_when_the_next_table_is_made(own_cache: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED], env=os.environ, timeout=300)
    assert ended.returncode == -signal.SIGKILL
    (left,) = table_folder().iterdir()
    assert left.name.startswith("squares.npy.")
    foreign = [table_folder() / name for name in ("notes.txt", "x.npy.12.txt", "x.npy.1.2.txt", "12.npy")]
    for path in foreign:
        path.write_text("not a table")
    link, target = table_folder() / "x.npy.3.4", own_cache / "mine"
    target.write_text("mine")
    link.symlink_to(target)
    stored("threes", lambda: np.full(3, 3), np.int64, (3,))
    assert not left.exists()
    assert all(path.read_text() == "not a table" for path in foreign)
    assert link.is_symlink()
    assert target.read_text() == "mine"


@pytest.mark.skipif(os.name == "nt", reason="needs locks of files")
def test_what_another_process_is_writing_stays(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another table is made while this one is written; both are kept."""
    save, names = np.save, []

    def saved_after_another(file, table, allow_pickle) -> None:
        names.extend(path.name for path in table_folder().iterdir())
        monkeypatch.setattr(np, "save", save)
        stored("threes", lambda: np.full(3, 3), np.int64, (3,))
        save(file, table, allow_pickle=allow_pickle)

    monkeypatch.setattr(np, "save", saved_after_another)
    stored("squares", table, np.int64, (20, 30))
    assert len(names) == 1
    assert sorted(path.name for path in table_folder().glob("*.npy*")) == ["squares.npy", "threes.npy"]
    assert np.array_equal(stored("squares", never, np.int64, (20, 30)), table())


def test_a_preparation_ends_when_the_table_is_kept(own_cache: Path) -> None:
    """A server ends the worker of a client that has left when its preparation ends."""
    heard: list[tuple[bool, bool]] = []
    report.listen_to_preparations(lambda begins: heard.append((begins, (table_folder() / "squares.json").exists())))
    stored("squares", table, np.int64, (20, 30))
    assert heard == [(True, False), (False, True)]


# --- memory -----------------------------------------------------------------------------------------------------------


def test_a_stored_table_counts_as_memory_of_a_search_with_a_limit(own_cache: Path) -> None:
    def load() -> Iterator[np.ndarray]:
        yield stored("large", lambda: np.zeros(2**26, np.uint8), np.uint8, (2**26,))

    assert next(within(Limit(), load)).size == 2**26
    with pytest.raises(NoRoom, match="^the table large needs 64 MB of memory, and "):
        next(within(Limit(memory=resident() + 2**20), load))
    assert next(within(Limit(memory=resident() + 2**30), load)).size == 2**26
