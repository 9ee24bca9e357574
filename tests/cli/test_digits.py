"""Sudoku by the networks of the package, as it is typed."""

import json

import pytest


def rows(out):
    """The rows that were printed."""
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


@pytest.mark.parametrize("solver", ["lattice", pytest.param("greedy", marks=pytest.mark.slow), "backtracking"])
@pytest.mark.parametrize("net", ["sudoku-9x9", "sudoku-9x9-cnn"])
def test_the_networks_of_the_package_solve_an_easy_board(program, solver, net) -> None:
    code, out, err = program("solve", "sudoku-9x9", "easy", "--with", solver, "--net", net, "--json")
    (row,) = rows(out)
    assert (code, row["verified"], row["proof"]) == (0, True, "unique" if solver == "backtracking" else "none")
    assert row["options"]["prior"] == f"net:{net}"
    assert row["net"]
    assert err == ""


def test_the_usual_network_need_not_be_named(program) -> None:
    for solver in ("lattice", "greedy"):
        code, out, _ = program("solve", "sudoku-9x9", "easy", "--with", solver, "--json")
        assert (code, rows(out)[0]["options"]["prior"]) == (0, "net")


def test_restarts_are_counted_in_the_reason(program) -> None:
    words = ("--with", "lattice", "--set", "policy=surest", "--set", "threshold=0.4", "--restarts", 2, "--json")
    empty = "12" + "." * 79
    code, out, _ = program("solve", "sudoku-9x9", empty, *words, "--net", "sudoku-9x9-cnn")
    (row,) = rows(out)
    assert row["options"]["restarts"] == 2
    assert (code == 0) == row["verified"]
    if code:
        assert row["reason"] == "no answer: each of 3 chains ended in a conflict"


def test_a_board_that_it_cannot_solve_is_not_solved(program) -> None:
    words = ("--with", "lattice", "--set", "policy=at once", "--net", "sudoku-9x9-cnn", "--json")
    code, out, _ = program("solve", "sudoku-9x9", "inkala", *words)
    (row,) = rows(out)
    assert (code, row["moves"], row["verified"], row["stop"]) == (1, None, False, "dead end")
    assert len(row["tried"]) == 60
    assert row["reason"] == "no answer: its chain ended in a conflict"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--with", "lattice", "--net", "sudoku-9x9-cnn", "--set", "policy=eliminate"), "reads only digits"),
        (("--with", "lattice", "--set", "policy=eliminat"), "'policy' cannot be 'eliminat'"),
        (("--with", "lattice", "--restarts", "-1"), "'restarts' cannot be '-1'"),
        (("--with", "bands", "--restarts", "3"), "bands has no option 'restarts'"),
        (("--with", "uct"), "it has no estimate of the remaining moves"),
        (("--with", "lattice", "--net", "dust-8x6x5"), "dust-8x6x5 is for dust-8x6x5, not for sudoku-9x9"),
        (("--with", "bands", "--net", "sudoku-9x9"), "bands cannot use a network"),
    ],
)
def test_what_does_not_go_together_gets_a_sentence(program, words, told) -> None:
    code, out, err = program("solve", "sudoku-9x9", "easy", *words)
    assert (code, told in err, "Traceback" in err + out) == (2, True, False)


def test_levels_are_told_with_files_as_levels_of_their_own(program, tmp_path) -> None:
    file = tmp_path / "more.txt"
    file.write_text("# puzzle: sudoku-9x9\n" + "." * 81 + "\n")
    words = ("--levels", "1-2", "--count", 2, "--net", "sudoku-9x9-cnn", "--with", "lattice:restarts=0,bands")
    code, out, _ = program("bench", "sudoku-9x9", *words, file)
    assert code in (0, 1)
    table = out[out.index("by level") :]
    assert [line.split()[-4:-3] for line in table.splitlines() if " mean " in line]
    assert "cells" in table
    code, _, err = program("bench", "sudoku-9x9", "--scale", "blind", file)
    assert (code, "--scale without --levels" in err) == (2, True)


def test_training_that_cannot_be_gets_a_sentence(program, tmp_path) -> None:
    pytest.importorskip("torch")
    config = tmp_path / "bad.toml"
    config.write_text(
        'recipe = "lattice"\npuzzle = "sudoku-4x4"\nnetwork = { kind = "lattice" }\nboards = [{ count = 5 }]\n'
    )
    code, _, err = program("train", "lattice", "--config", config, "--run", tmp_path / "run")
    assert (code, "sudoku-4x4 has no generator of boards" in err) == (2, True)
    assert not (tmp_path / "run").exists()


def test_a_run_without_a_network_yet_gets_a_sentence(program, tmp_path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "state-5.safetensors").write_bytes(b"x")
    code, _, err = program("solve", "sudoku-9x9", "easy", "--with", "lattice", "--net", run)
    assert (code, "holds no champion, and 0 networks" in err) == (2, True)
