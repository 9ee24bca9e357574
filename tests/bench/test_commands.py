"""The commands `bench` and `plot`, as they are typed."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from puzzlelab.bench import suites
from puzzlelab.cli.bench import _puzzle
from puzzlelab.cli.main import app
from puzzlelab.core.errors import BadInput

ONE, TWO, IMPOSSIBLE = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "1 2 3 4 5 6 8 7 0"
IDA = "ida:estimate=manhattan"
Write = Callable[..., Path]
DATA = Path(__file__).parents[1] / "data"


def puzzlelab(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_file_of_boards_gives_a_table(file: Write) -> None:
    done = puzzlelab("bench", file(f"{ONE}\t1\topt\n{TWO}\t2\topt\n"), "--with", IDA)
    assert done.exit_code == 0
    assert "boards: 2 boards of tiles-3x3" in done.stdout
    assert "2/2" in done.stdout
    assert "1.50" in done.stdout


def test_what_is_unsolved_or_unreadable_is_seen_in_the_exit_code(file: Write) -> None:
    assert puzzlelab("bench", file(f"{ONE}\n{IMPOSSIBLE}\n"), "--with", IDA).exit_code == 1
    done = puzzlelab("bench", "tiles-3x3", file(f"{ONE}\n1 2 3\n{TWO}\n"), "--with", IDA)
    assert done.exit_code == 2
    assert "boards.txt, line 2: " in done.stderr
    assert "2/2" in done.stdout


def test_greedy_play_that_goes_in_circles_is_told_with_what_would_go_on() -> None:
    words = ("bench", "tiles-3x3", "--levels", "20-21", "--count", 3, "--with")
    done = puzzlelab(*words, f"greedy:estimate=misplaced,{IDA}")
    assert (
        "greedy:estimate=misplaced went in circles on 6 of 6 boards; with avoid_repeats=true it goes on.\n"
        in done.stdout
    )
    assert "circles" not in puzzlelab(*words, f"greedy:estimate=misplaced:avoid_repeats=true,{IDA}").stdout


def test_a_folder_of_rows_is_shown_and_drawn_again(file: Write, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    solvers = ("--with", f"{IDA},beam:width=2:estimate=manhattan", "--with", "beam:width=9:estimate=manhattan")
    first = puzzlelab("bench", file(f"{ONE}\t1\topt\n{TWO}\t2\topt\n"), *solvers, "--out", out)
    assert first.exit_code == 0
    assert len(list(out.glob("*.jsonl"))) == 3
    shown = puzzlelab("bench", "--out", out)
    assert shown.exit_code == 0
    assert sorted(shown.stdout.splitlines()) == sorted(first.stdout.splitlines())
    drawn = puzzlelab("plot", out, "--kind", "widths")
    assert drawn.exit_code == 0
    assert str(out / "widths.png") in drawn.stdout
    assert (out / "widths.svg").exists()


def test_boards_of_levels_are_made_and_go_on_with_another_solver(tmp_path: Path) -> None:
    arguments = ("bench", "tiles-3x3", "--levels", "3-4", "--count", 2, "--seed", 5, "--with", IDA)
    done = puzzlelab(*arguments, "--out", tmp_path)
    assert done.exit_code == 0
    assert "seed 5: 4 boards of tiles-3x3" in done.stdout
    assert puzzlelab(*arguments, "--out", tmp_path).stdout == done.stdout
    assert puzzlelab("bench", "--with", "ida:estimate=conflicts", "--out", tmp_path).exit_code == 0
    assert len(list(tmp_path.glob("*.jsonl"))) == 2


def test_a_folder_stays_as_it_is_where_a_file_of_others_lies_in_the_place_of_rows(file: Write, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "random.jsonl").write_text("notes\n")
    done = puzzlelab("bench", file(f"{ONE}\n"), "--with", f"{IDA},random", "--out", out)
    assert "random.jsonl, line 1: no row" in str(done.exception)
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [("random.jsonl", "notes\n")]
    (out / "random.jsonl").unlink()
    puzzlelab("bench", file(f"{ONE}\n"), "--with", IDA, "--out", out)
    files = sorted(out.iterdir())
    done = puzzlelab("bench", file(f"{TWO}\n", "other.txt"), "--with", "random", "--out", out)
    assert "holds results of 'boards'" in str(done.exception)
    assert sorted(out.iterdir()) == files  # no empty file of rows


SUDOKU = "2.698...7.3.2...5...91..6.4......8465.......1183......6.8..15...1...8.6.7...391.2"
SOLVED = "256984317431267958879153624927315846564892731183746295698421573312578469745639182"


def test_a_csv_of_sudokus_is_benched_and_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = puzzlelab("bench", DATA / "sudoku_exchange.csv", "--with", "backtracking", "--nodes", 300, "--out", tmp_path)
    assert done.exit_code in (0, 1)
    assert "sudoku_exchange: 12 boards of sudoku-9x9" in done.stdout
    assert "unique" in done.stdout
    assert "excess" not in done.stdout
    drawn = puzzlelab("plot", tmp_path)
    assert drawn.exit_code == 0
    assert (tmp_path / "bars.png").exists()


def test_one_bad_line_among_many_is_told_and_stops_no_other(file: Write) -> None:
    lines = [f"{SUDOKU},{SOLVED}"] * 40
    lines[17] = "x" + lines[17][1:]
    path = file("\n".join(["puzzle,solution", *lines]) + "\n", "many.csv")
    done = puzzlelab("bench", path, "--with", "backtracking", "--nodes", 2)
    assert done.exit_code == 2
    (error,) = done.stderr.splitlines()
    assert error.startswith(f"error: {path}, line 19: character 1 (row 1, column 1): 'x' is no digit")
    assert "many: 39 boards of sudoku-9x9" in done.stdout


def test_noise_is_told_by_its_first_lines(tmp_path: Path) -> None:
    path = tmp_path / "noise.bin"
    path.write_bytes(np.random.default_rng(0).bytes(100_000))
    done = puzzlelab("bench", "sudoku-9x9", path, "--with", "depth-first")
    assert done.exit_code == 2
    *first, last = done.stderr.splitlines()
    assert len(first) == 20
    assert all(line.startswith(f"error: {path}, line ") for line in first)
    assert re.fullmatch(r"error: and [0-9,]+ more lines that cannot be read", last)
    unnamed = puzzlelab("bench", path)
    assert isinstance(unnamed.exception, BadInput)
    assert "does not say whose boards it holds" in str(unnamed.exception)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bench"], "no boards: name a suite or a file"),
        (["bench", "tiles-3x3"], "no boards: name a suite or a file"),
        (["bench", "tiles-13x13", "korf15"], "2 to 12 rows"),
        (["bench", "korf15", "--levels", "1-2"], "give the name of a puzzle first"),
        (["bench", "tiles-3x3", "--levels", "2-1"], "no range of levels"),
        (["bench", "korf15", "--with", "idda"], "did you mean 'ida'"),
        (["bench", "korf15", "--time", "-1"], "a limit on time must be more than 0"),
        (["plot", "nowhere"], "nowhere holds no benchmark"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_sentence(arguments: list[str], words: str) -> None:
    if arguments[0] == "plot":
        pytest.importorskip("matplotlib")
    done = puzzlelab(*arguments)
    assert isinstance(done.exception, BadInput)
    assert words in str(done.exception)


def test_the_name_of_a_suite_of_the_package_is_that_of_no_puzzle():
    """`bench NAME` takes a first word that is a puzzle, or begins as one, for the puzzle."""
    assert [name for name in suites.packaged() if _puzzle(name)] == []
