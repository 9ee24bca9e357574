"""The notation of a benchmark's solvers, `name:option=value`, works after `--with` everywhere."""

import json

import pytest

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


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["--with", "beam:width=100", "--width", "50"],
            "the option 'width' has two values: 100 in 'beam:width=100', and 50",
        ),
        (["--with", "beam:widht=100"], "beam has no option 'widht'; did you mean 'width'?"),
        (["--with", "bem:width=100"], "there is no solver 'bem'; did you mean 'beam'?"),
        (["--with", "beam:100"], "'beam:100' is no solver with options; write name:option=value:option=value"),
    ],
)
def test_a_wrong_text_is_named(program, words, sentence):
    assert program("solve", "tiles-3x3", BOARD, *words) == (2, "", f"error: {sentence}\n")


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
