import json
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from puzzlelab.engine import table_cache
from puzzlelab.engine.table_cache import checksum, stored, table_folder


def table() -> np.ndarray:
    return np.arange(600, dtype=np.int64).reshape(20, 30) * 7919


def never() -> np.ndarray:
    raise AssertionError("the table was made again")


@pytest.fixture
def files(own_cache: Path) -> tuple[Path, Path]:
    """A stored table and its card."""
    stored("squares", table)
    return table_folder() / "squares.npy", table_folder() / "squares.json"


def test_a_table_is_made_once(files) -> None:
    assert np.array_equal(stored("squares", never), table())


def test_a_table_is_kept_in_the_cache_folder_of_the_user(files, own_cache: Path) -> None:
    assert {path.relative_to(own_cache).as_posix() for path in own_cache.rglob("*.*")} == {
        "tables/squares.npy",
        "tables/squares.json",
    }


def test_a_loaded_table_cannot_be_changed(files) -> None:
    with pytest.raises(ValueError, match="read-only"):
        stored("squares", never)[0, 0] = 1


def test_tables_of_other_names_are_others(files) -> None:
    assert np.array_equal(stored("threes", lambda: np.full(3, 3)), [3, 3, 3])
    assert np.array_equal(stored("squares", never), table())


DAMAGE: dict[str, Callable[[Path, Path], object]] = {
    "a byte of the table": lambda data, card: flip(data, -5),
    "the last byte": lambda data, card: flip(data, -1),
    "the end is missing": lambda data, card: data.write_bytes(data.read_bytes()[:-100]),
    "only the header is left": lambda data, card: data.write_bytes(data.read_bytes()[:128]),
    "other contents": lambda data, card: data.write_bytes(b"x" * 5000),
    "another table": lambda data, card: np.save(data, table()[::-1]),
    "no table": lambda data, card: data.unlink(),
    "an empty card": lambda data, card: card.write_text(""),
    "half a card": lambda data, card: card.write_text('{"bytes": 48'),
    "a card of noise": lambda data, card: card.write_bytes(bytes(range(128, 256))),
    "a card with another sum": lambda data, card: card.write_text(json.dumps({"bytes": 4800, "crc32": 1})),
}
UNEXPECTED: dict[str, Callable[[Path, Path], object]] = {
    "an empty file": lambda data, card: data.write_bytes(b""),
    "a header that does not end": lambda data, card: flip(data, 60, 0x01),
    "a header that is no Python": lambda data, card: flip(data, 21, 0x10),
    "a header with the other byte order": lambda data, card: flip(data, 21, 0x02),
    "a card that says nothing": lambda data, card: card.write_text("{}"),
    "a card that is a list": lambda data, card: card.write_text("[]"),
}


def flip(path: Path, place: int, bits: int = 0x40) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= bits
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [*DAMAGE.values(), *UNEXPECTED.values()], ids=[*DAMAGE, *UNEXPECTED])
def test_a_damaged_table_is_made_again_with_a_sentence(files, listener, damage: Callable[[Path, Path], object]) -> None:
    damage(*files)
    assert np.array_equal(stored("squares", table), table())
    assert len(listener.notes) == 1
    assert listener.notes[0].startswith("The table squares.npy in the cache folder is damaged (")
    assert listener.notes[0].endswith("); it is built again.")
    assert np.array_equal(stored("squares", never), table())


def test_a_table_without_its_card_was_never_finished(files, listener) -> None:
    files[1].unlink()
    assert np.array_equal(stored("squares", table), table())
    assert listener.notes == []
    assert np.array_equal(stored("squares", never), table())


def test_where_nothing_can_be_kept_the_table_is_used_from_memory(no_cache: Path, listener) -> None:
    assert np.array_equal(stored("squares", table), table())
    assert np.array_equal(stored("squares", never), table())
    assert len(listener.notes) == 1
    assert listener.notes[0].startswith("The table squares.npy cannot be kept in ")
    assert listener.notes[0].endswith("; it is used from memory.")


def test_an_error_while_making_leaves_nothing(own_cache: Path) -> None:
    with pytest.raises(AssertionError, match="made again"):
        stored("squares", never)
    assert [path for path in own_cache.rglob("*") if path.is_file()] == []


def test_ctrl_c_while_writing_leaves_nothing(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file, table, allow_pickle) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stored("squares", table)
    assert [path for path in own_cache.rglob("*") if path.is_file()] == []


def test_ctrl_c_while_writing_again_leaves_nothing_that_looks_whole(files, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file, table, allow_pickle) -> None:
        raise KeyboardInterrupt

    flip(files[0], -1)
    with monkeypatch.context() as patched:
        patched.setattr(np, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            stored("squares", table)
    assert np.array_equal(stored("squares", table), table())


@pytest.mark.parametrize("chunk", [1, 7, 4800, 10_000])
def test_the_checksum_is_crc_32_whatever_the_pieces(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chunk: int
) -> None:
    monkeypatch.setattr(table_cache, "CHUNK", chunk)
    path = tmp_path / "file"
    path.write_bytes(table().tobytes())
    assert checksum(path) == zlib.crc32(table().tobytes())


def test_an_empty_table_is_kept_too(own_cache: Path) -> None:
    stored("nothing", lambda: np.zeros(0, np.uint8))
    assert stored("nothing", never).size == 0


def test_a_folder_that_may_not_be_looked_into_holds_no_table(own_cache: Path, monkeypatch, listener) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    monkeypatch.setattr(Path, "mkdir", refuse)
    assert np.array_equal(stored("squares", table), table())
    assert "is used from memory" in listener.notes[-1]
