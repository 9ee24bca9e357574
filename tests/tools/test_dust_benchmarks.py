"""The benchmarks of dust in `benchmarks/`, run as programs."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # whole programs, which no user of the package runs

FOLDER = Path(__file__).parents[2] / "benchmarks"


def program(name: str, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(name, *words), capture_output=True, text=True, timeout=300, check=False)


def command(name: str, *words: object) -> list[str]:
    return [sys.executable, "-u", str(FOLDER / name), *map(str, words)]


@pytest.mark.slow
def test_speed_compares_children_before_it_measures() -> None:
    done = program("dust_speed.py", "dust-5x4x3", "--boards", 40, "--rounds", 1)
    assert done.returncode == 0, done.stderr
    assert "different boards of dust-5x4x3; their children, equal both ways" in done.stdout
    assert re.search(r"children a CPU second, kernels +│ [0-9.]+ million", done.stdout)


def test_a_board_where_the_article_misses_the_optimum_is_shown_beside_it(tmp_path: Path) -> None:
    boards, out = tmp_path / "boards.txt", tmp_path / "found.jsonl"
    boards.write_text("# puzzle: dust-4x3x3\n331233122213\n123123123123\n")
    words = ("dust_search.py", "dust-4x3x3", "--file", boards, "--seconds", 20, "--limits", 5, 10, "--out", out)
    first = program(*words)
    assert first.returncode == 0, first.stderr
    found = [json.loads(line)["found"] for line in out.read_text().splitlines()]
    assert [each["optimum"] for each in found] == [4, 3]
    assert [each["ours"] for each in found] == [[4, 4], [3, 3]]
    assert [each["document"] for each in found] == [5, 3]
    rows = first.stdout.splitlines()
    assert rows[0] == "dust-4x3x3: the article's search for 20 s; the usual solver; * is proven"
    assert rows[2].split()[:5] == ["331233122213", "5", "4*", "4*", "4"]
    again = program(*words)
    assert again.stdout == first.stdout
    assert len(out.read_text().splitlines()) == 2


def test_ctrl_c_keeps_what_was_printed(tmp_path: Path) -> None:
    out = tmp_path / "found.jsonl"
    words = ("dust-8x6x5", "--seconds", 0.5, "--limits", 0.2, "--proof", 0.5, "--jobs", 1, "--out", out)
    # A shell that starts the tests in the background has its children ignore Ctrl-C; this takes that back.
    with subprocess.Popen(
        command("dust_search.py", *words),
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:
        assert running.stdout is not None
        lines = [running.stdout.readline() for _ in range(3)]
        assert re.match("[1-5]{48} ", lines[2])
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read()
        code = running.wait(60)
    assert code == 130
    assert "interrupted\naverage of " in rest
    assert "average of 12" not in rest
    assert out.read_text().count("\n") == len(re.findall("[1-5]{48} ", lines[2] + rest))


def test_what_cannot_be_asked_is_told(tmp_path: Path) -> None:
    for words, told in (
        (("tiles-3x3",), "error: tiles-3x3 is no dust\n"),
        (("dust-4x3x3", "--with", "haves"), "error: there is no solver 'haves'"),
        (("dust-4x3x3", "--file", tmp_path / "none.txt"), "error: cannot read"),
        (("dust-4x3x3", "--seconds", 0), "seconds and --count are more than 0"),
    ):
        done = program("dust_search.py", *words)
        assert done.returncode in (1, 2)
        assert told in done.stderr
    (tmp_path / "bad.jsonl").write_text("x\n\n")
    done = program("dust_search.py", "dust-4x3x3", "--out", tmp_path / "bad.jsonl")
    assert done.stderr == f"error: {tmp_path / 'bad.jsonl'}, line 1: no line of this benchmark\n"
