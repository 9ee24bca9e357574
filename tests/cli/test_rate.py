"""`puzzlelab rate`, and the ratings of `check`: the numbers with their scale, and boards without a rating."""

import json

import pytest

EASY = ".54.8213..6...37943.16..2..2...7....693.1.547....4...9..9..78.24368...7..2856.41."


def test_a_rating_names_its_scale(program):
    code, out, err = program("rate", "sudoku-9x9", "easy")
    assert (code, err) == (0, "")
    board, rating = out.splitlines()
    assert board.startswith(".54.8213")
    assert rating == (
        "rating 1.2 on scale 121, pearl 1.2, diamond 1.2, hardest hidden-single; steps: full-house 20, hidden-single 20"
    )


def test_ratings_as_json(program, file):
    boards = file(f"{'.' * 81}\n11{'.' * 79}\n{EASY}\n12\n")
    code, out, err = program("rate", "sudoku-9x9", "--file", boards, "--scale", "118", "--json")
    several, none, easy, unreadable = map(json.loads, out.splitlines())
    assert (code, "line 4" in err) == (2, True)
    assert [row["scale"] for row in (several, none, easy)] == ["118"] * 3
    assert ("rating" in several, several["reason"]) == (False, "it has more than one solution")
    assert none["reason"] == "it cannot be solved: row 1 holds two 1s, in r1c1 and r1c2"
    assert (easy["rating"], easy["pearl"], easy["diamond"], easy["hardest"]) == (1.2, 1.2, 1.2, "hidden-single")
    assert (easy["techniques"], easy["reason"]) == ({"full-house": 20, "hidden-single": 20}, "")
    assert "error" in unreadable


def test_a_scale_that_adds_up_has_a_level_and_a_score(program):
    code, out, err = program("rate", "sudoku-9x9", "easy", "--scale", "hodoku")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].startswith("level Easy, score 160 on scale hodoku, hardest naked-single; steps: full-")
    row = json.loads(program("rate", "sudoku-9x9", "easy", "--scale", "hodoku", "--json")[1])
    assert (row["level"], row["score"]) == ("Easy", 160)
    assert not {"rating", "pearl", "diamond"} & set(row)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("sudoku-9x9", "easy", "--scale", "119"), "there is no scale of ratings of sudoku-9x9 '119'"),
        (
            ("sudoku-4x4", "small", "--scale", "121"),
            "there is no scale of ratings of sudoku-4x4 '121'; known are units",
        ),
        (("tiles-3x3", "1 2 3 4 5 6 7 0 8"), "tiles-3x3 is not solved by logic"),
    ],
)
def test_what_cannot_be_rated_is_an_error(program, words, sentence):
    code, out, err = program("rate", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {sentence}")


def test_check_rates_boards_with_one_solution(program):
    code, out, _ = program("check", "sudoku-9x9", "easy")
    assert code == 0
    assert out.splitlines()[-1].startswith("rating 1.2 on scale 121")
    code, out, _ = program("check", "sudoku-9x9", "many", "--json")
    assert code == 1
    assert "rating" not in json.loads(out)


def test_check_rates_as_many_boards_as_it_says(program, monkeypatch):
    monkeypatch.setattr("puzzlelab.cli.check.RATED", 1)
    rows = [json.loads(line) for line in program("check", "sudoku-9x9", "easy", "easy", "--json")[1].splitlines()]
    assert [row.get("rating", {}).get("rating") for row in rows] == [1.2, None]
    out = program("check", "sudoku-9x9", "easy", "easy", "--rating", "--json")[1]
    assert [json.loads(line)["rating"]["scale"] for line in out.splitlines()] == ["121", "121"]
