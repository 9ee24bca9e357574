"""Commands read boards from Parquet files and arrays of NumPy, as `generate` and other programs write them."""

import numpy as np
import pytest


def test_commands_read_what_generate_wrote(program, tmp_path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "new.parquet"
    assert program("generate", "sudoku-9x9", "--count", 3, "--out", path)[0] == 0
    assert program("count", "sudoku-9x9", "--file", path) == (0, "1\n1\n1\n", "")
    for words in (
        ("solve", "sudoku-9x9", "--file", path),
        ("check", "sudoku-9x9", "--file", path),
        ("bench", path, "--with", "bands"),
    ):
        code, out, err = program(*words)
        assert (code, err) == (0, ""), words
        assert out


def test_a_wrong_board_is_named_by_its_line(program, tmp_path) -> None:
    path = tmp_path / "boards.npy"
    np.save(path, [[1, 2, 3, 4, 0, 5], [1, 1, 1, 1, 1, 1]])
    code, _, err = program("check", "tiles-2x3", "--file", path)
    assert code == 2
    assert f"{path}, line 2: " in err
