"""Files that several programs add lines to."""

import threading

import pytest

from puzzlelab.core.errors import BadFile
from puzzlelab.training.selfplay.jsonl import BLOCK_SIZE, JsonLines, append


def test_each_reading_gives_what_is_new(tmp_path) -> None:
    path = tmp_path / "a.jsonl"
    lines = JsonLines(path)
    assert lines.read() == []
    append(path, {"n": 1})
    append(path, {"n": 2})
    assert lines.read() == [{"n": 1}, {"n": 2}]
    append(path, {"n": 3})
    assert lines.read() == [{"n": 3}]
    assert lines.read() == []


@pytest.mark.parametrize("half", ['{"n": ', "{" + "x" * (3 * BLOCK_SIZE)], ids=["short", "long"])
def test_half_a_line_is_passed_over_and_cut_off_by_the_next(tmp_path, half) -> None:
    path = tmp_path / "a.jsonl"
    append(path, {"n": 1})
    with path.open("a") as file:
        file.write(half)
    lines = JsonLines(path)
    assert lines.read() == [{"n": 1}]
    append(path, {"n": 2})
    assert lines.read() == [{"n": 2}]
    assert path.read_text() == '{"n": 1}\n{"n": 2}\n'


def test_a_first_line_that_is_half_goes_too(tmp_path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"n"')
    append(path, {"n": 2})
    assert path.read_text() == '{"n": 2}\n'


def test_many_at_once_lose_nothing(tmp_path) -> None:
    path = tmp_path / "a.jsonl"

    def work(who) -> None:
        for n in range(50):
            append(path, {"who": who, "n": n})

    threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = sorted((line["who"], line["n"]) for line in JsonLines(path).read())
    assert found == [(who, n) for who in range(4) for n in range(50)]


def test_what_is_no_line_is_told(tmp_path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("nonsense\n")
    with pytest.raises(BadFile, match="one of its lines is no JSON object"):
        JsonLines(path).read()
    with pytest.raises(BadFile, match="cannot write"):
        append(tmp_path, {"n": 1})
