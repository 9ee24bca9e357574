"""Boards in packed text, Parquet files and arrays of NumPy are read as those of text are, and damaged files refused."""

import gzip
import sys
import zipfile

import numpy as np
import pytest

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.storage import board_files
from puzzlelab.storage.board_files import board_blocks
from puzzlelab.storage.lines import LONGEST_LINE
from puzzlelab.text.board_blocks import read_blocks

TILES, SUDOKU, DUST = map(registry.load, ("tiles-2x3", "sudoku-4x4", "dust-4x3x3"))
BOARDS = np.array([[1, 2, 3, 4, 0, 5], [0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]] * 5)
CLUES = np.array([[1, 0, 0, 0, 0, 0, 0, 2] + [0] * 8, [0] * 15 + [1]] * 5)
SOLUTIONS = np.array([[1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]] * 10)


def states_in(puzzle, path):
    """The states of all boards of a file, none of which is refused."""
    blocks = list(read_blocks(puzzle, board_blocks(path), str(path)))
    assert not any(block.errors for block in blocks)
    return np.concatenate([block.states for block in blocks])


@pytest.fixture
def saved(tmp_path):
    """`saved(array)` and `saved(name=array, ...)`: the path of a file with these arrays."""

    def save(array=None, **arrays):
        path = tmp_path / ("boards.npz" if arrays else "boards.npy")
        np.savez_compressed(path, **arrays) if arrays else np.save(path, array)
        return path

    return save


@pytest.fixture
def table(tmp_path):
    """`table(**columns)`: the path of a Parquet file with these columns."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")

    def write(**columns):
        pq.write_table(pa.table(columns), tmp_path / "boards.parquet")
        return tmp_path / "boards.parquet"

    return write


# --- arrays -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["uint8", "int64", ">i4"])
@pytest.mark.parametrize("shape", [(15, 6), (15, 2, 3)])
def test_cells_are_boards(saved, kind, shape) -> None:
    assert np.array_equal(states_in(TILES, saved(BOARDS.astype(kind).reshape(shape))), BOARDS)


def test_rows_of_another_board_are_refused(saved) -> None:
    blocks = list(read_blocks(TILES, board_blocks(saved(BOARDS.reshape(15, 3, 2))), "file"))
    assert all(len(block.errors) == len(block) > 0 for block in blocks)


def test_numbers_of_two_digits_are_read(saved) -> None:
    tiles = registry.load("tiles-4x4")
    boards = np.array([[*range(1, 15), 0, 15], [*range(1, 16), 0]])
    assert np.array_equal(states_in(tiles, saved(boards)), boards)


def test_rows_of_dust_are_its_picture_and_a_list_is_its_state(saved) -> None:
    state = DUST.read("223333121332").state
    assert np.array_equal(states_in(DUST, saved(state[None])), [state])
    rows = DUST.read("2332 2332 3311".replace(" ", ";")).state
    assert np.array_equal(states_in(DUST, saved(np.array([[[2, 3, 3, 2], [2, 3, 3, 2], [3, 3, 1, 1]]]))), [rows])


@pytest.mark.parametrize("kind", ["U", "S"])
def test_texts_are_boards(saved, kind) -> None:
    texts = np.array([" ".join(map(str, board)) for board in BOARDS], kind)
    assert np.array_equal(states_in(TILES, saved(texts)), BOARDS)


def test_arrays_of_an_archive_have_the_names_of_columns(saved) -> None:
    path = saved(solutions=SOLUTIONS, quizzes=CLUES, level=np.arange(10), score=np.zeros((10, 16)))
    assert np.array_equal(states_in(SUDOKU, path), CLUES)
    path = saved(solutions=SOLUTIONS.reshape(10, 4, 4), quizzes=CLUES.reshape(10, 4, 4))
    assert np.array_equal(states_in(SUDOKU, path), CLUES)
    assert np.array_equal(states_in(SUDOKU, saved(arr_0=CLUES)), CLUES)


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (BOARDS / 2, "holds no boards: an array of them has"),
        (np.array(7), "holds no boards"),
        (BOARDS.reshape(15, 1, 2, 3), "holds no boards"),
        (np.array([{"a": 1}], object), "is no file of NumPy, or damaged: Object arrays cannot be loaded"),
    ],
    ids=["fractions", "a number", "four dimensions", "objects"],
)
def test_other_arrays_are_refused(saved, array, sentence) -> None:
    with pytest.raises(BadFile, match=sentence):
        list(board_blocks(saved(array)))


def test_arrays_of_different_lengths_are_refused(saved) -> None:
    with pytest.raises(BadFile, match="holds arrays of 5 and 15 boards: keep one of them"):
        list(board_blocks(saved(train=BOARDS, test=BOARDS[:5])))


def test_an_archive_of_something_else_is_refused(tmp_path) -> None:
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("notes.txt", "mine")
    with pytest.raises(BadFile, match="holds no boards"):
        list(board_blocks(tmp_path / "x.npz"))


def test_a_small_archive_of_large_arrays_is_refused(saved, monkeypatch) -> None:
    path = saved(quizzes=np.zeros((10_000, 81), np.int64))
    monkeypatch.setattr(board_files, "MOST_BYTES", 1 << 20)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(BadFile, match="has more than 1 MiB of arrays"):
        list(board_blocks(path))


def test_a_header_that_promises_more_is_refused(saved) -> None:
    content = saved(BOARDS).read_bytes()
    for size in (10**9, 10**15, 10**25):
        path = saved(BOARDS)
        header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({size}, 6), }}"
        path.write_bytes(content[:10] + header.ljust(len(content[:128]) - 11).encode() + b"\n" + content[128:])
        with pytest.raises(BadFile, match=r"is no file of NumPy, or damaged|more memory"):
            list(board_blocks(path))


@pytest.mark.parametrize("form", ["array", "archive", "table"])
def test_damaged_files_are_refused(saved, table, form) -> None:
    paths = {
        "array": lambda: saved(BOARDS),
        "archive": lambda: saved(a=BOARDS),
        "table": lambda: table(board=["123405"] * 50),
    }
    path = paths[form]()
    content = path.read_bytes()
    for length in range(10, len(content), max(1, len(content) // 30)):
        path.write_bytes(content[:length])
        with pytest.raises(BadFile):
            list(board_blocks(path))


# --- packed text ------------------------------------------------------------------------------------------------------


@pytest.fixture
def packed(tmp_path):
    """`packed(text)`: the path of a gzip file with this text."""

    def write(text):
        path = tmp_path / "boards.txt.gz"
        path.write_bytes(gzip.compress(text.encode()))
        return path

    return write


def test_packed_text_is_read_as_text_is(packed, tmp_path) -> None:
    text = "# boards\r\n" + "".join(" ".join(map(str, board)) + "\r\n" for board in BOARDS)
    assert np.array_equal(states_in(TILES, packed("\ufeff" + text)), BOARDS)
    two = packed(text)
    two.write_bytes(2 * two.read_bytes())  # as two files put together
    assert np.array_equal(states_in(TILES, two), np.concatenate([BOARDS, BOARDS]))
    assert list(board_blocks(packed(""))) == []


def test_damaged_packed_text_is_refused_wherever_it_is_cut_or_changed(packed) -> None:
    whole = packed("".join("123405\n123450\n" for _ in range(200))).read_bytes()
    path = packed("")
    for length in range(2, len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(BadFile, match=r"boards\.txt\.gz"):
            list(board_blocks(path))
    for place in range(10, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with pytest.raises(BadFile, match=r"boards\.txt\.gz"):
            list(board_blocks(path))


def test_a_line_without_an_end_is_refused_before_it_is_unpacked(packed) -> None:
    path = packed("0" * (LONGEST_LINE + 2))
    assert path.stat().st_size < 100_000
    with pytest.raises(BadFile, match="line 1: longer than"):
        list(board_blocks(path))


# --- tables -----------------------------------------------------------------------------------------------------------


def test_columns_of_a_table_have_the_names_of_csv(table) -> None:
    clues, solutions = (["".join(map(str, board)) for board in boards] for boards in (CLUES, SOLUTIONS))
    path = table(Solutions=solutions, level=[1] * 10, Quizzes=clues, source=["a, b\n"] * 10)
    assert np.array_equal(states_in(SUDOKU, path), CLUES)


@pytest.mark.parametrize("name", ["board", "text"])
def test_a_single_column_needs_no_name(table, name) -> None:
    assert np.array_equal(states_in(TILES, table(**{name: [" ".join(map(str, each)) for each in BOARDS]})), BOARDS)


def test_lists_of_numbers_are_boards(table) -> None:
    assert np.array_equal(states_in(TILES, table(board=BOARDS.tolist())), BOARDS)
    assert np.array_equal(states_in(TILES, table(board=BOARDS.reshape(15, 2, 3).tolist())), BOARDS)


def test_a_table_without_boards_is_refused(table) -> None:
    with pytest.raises(BadFile, match="holds no boards: no column has texts or lists of whole numbers"):
        list(board_blocks(table(score=[0.5], state=[b"\1\2"])))


def test_the_ending_does_not_matter(table, tmp_path) -> None:
    path = table(board=["123405"]).rename(tmp_path / "boards.txt")
    assert list(board_blocks(path)) == ["123405\n"]
    (tmp_path / "boards.npy").write_text("123405\n")
    assert list(board_blocks(tmp_path / "boards.npy")) == ["123405\n"]


def test_without_pyarrow_a_sentence_says_what_is_missing(table, monkeypatch) -> None:
    path = table(board=["123405"])
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(BadInput, match=r"needs pyarrow, .*: pip install 'puzzlelab\[table\]'"):
        list(board_blocks(path))
