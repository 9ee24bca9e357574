"""Sudoku by the networks of the package, as it is typed."""

import json

import pytest


def rows(out):
    """The rows that were printed."""
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


@pytest.mark.parametrize(
    ("solver", "net"), [("lattice", "sudoku-9x9"), ("greedy", "sudoku-9x9-cnn"), ("backtracking", "sudoku-9x9-cnn")]
)
def test_the_networks_of_the_package_solve_an_easy_board(program, solver, net) -> None:
    code, out, err = program("solve", "sudoku-9x9", "easy", "--with", solver, "--net", net, "--json")
    (row,) = rows(out)
    assert (code, row["verified"], row["proof"]) == (0, True, "unique" if solver == "backtracking" else "none")
    assert row["options"]["prior"] == f"net:{net}"
    assert row["net"]
    assert err == ""


def test_a_board_that_it_cannot_solve_is_not_solved(program) -> None:
    words = ("--with", "lattice", "--set", "policy=at once", "--net", "sudoku-9x9-cnn", "--json")
    code, out, _ = program("solve", "sudoku-9x9", "inkala", *words)
    (row,) = rows(out)
    assert (code, row["moves"], row["verified"], row["stop"]) == (1, None, False, "dead end")
    assert len(row["tried"]) == 60
    assert row["reason"] == "no answer: its chain ended in a conflict"


def test_levels_are_told_with_files_as_levels_of_their_own(program, tmp_path) -> None:
    file = tmp_path / "more.txt"
    file.write_text("# puzzle: sudoku-9x9\n" + "." * 81 + "\n")
    words = ("--levels", "1-2", "--count", 2, "--net", "sudoku-9x9-cnn", "--with", "lattice:restarts=0,bands")
    code, out, _ = program("bench", "sudoku-9x9", *words, file)
    assert code in (0, 1)
    table = out[out.index("by level") :]
    assert [line.split()[-4:-3] for line in table.splitlines() if " mean " in line]
    assert "cells" in table
