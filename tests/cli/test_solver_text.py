"""The notation of a benchmark's solvers, `name:option=value`, works after `--with` everywhere."""

import json

BOARD = "867254301"


def test_a_solver_with_options_solves(program):
    for words in (
        ["--with", "beam:width=100"],
        ["--with", "beam", "--width", "100"],
        ["--with", "beam:width=100", "--width", "100"],
    ):
        code, out, err = program("solve", "tiles-3x3", BOARD, *words, "--json")
        row = json.loads(out)
        assert (code, err, row["solver"], row["options"]["width"]) == (0, "", "beam", 100)


def test_a_network_is_added_to_a_solver_with_options(program):
    code, out, _ = program("solve", "tiles-3x3", BOARD, "--with", "beam:width=50", "--net", "tiles-3x3", "--json")
    options = json.loads(out)["options"]
    assert (code, options["width"], options["estimate"]) == (0, 50, "net:tiles-3x3")
    code, _, err = program("solve", "tiles-3x3", BOARD, "--with", "beam:estimate=manhattan", "--net", "tiles-3x3")
    assert (code, "the option 'estimate' has two values" in err) == (2, True)


def test_hints_and_counts_take_it_too(program):
    code, out, _ = program("hint", "tiles-3x3", BOARD, "--with", "ida:estimate=walking")
    assert (code, "all the best moves: D L R" in out) == (0, True)
    code, out, _ = program("count", "sudoku-4x4", "1...............", "--with", "dancing-links")
    assert code == 0
