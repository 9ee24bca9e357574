"""The benchmarks of dust in `benchmarks/`, run as programs."""

import json
import re
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
