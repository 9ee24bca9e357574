"""`puzzlelab candidates` and `check --minimal`: what each cell is in some solution, and which clues are needless."""

import json

AMBIGUOUS = "12..34..2143...."
NONE = "12....3..2......"


def test_the_candidates_and_the_difference_are_drawn(program):
    code, out, err = program("candidates", "sudoku-4x4", AMBIGUOUS)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        AMBIGUOUS,
        " 1 2 | 3  4",
        " 3 4 | 12 12",
        "-----+-------",
        " 2 1 | 4  3",
        " 4 3 | 12 12",
        "it has more than one solution; cells that are open: 4",
        "two solutions differ in 4 cells alone: r2c3, r2c4, r4c3, r4c4 (the smallest such set: all 2 solutions were "
        "compared)",
        " . . | .   .",
        " . . | 1/2 2/1",
        "-----+---------",
        " . . | .   .",
        " . . | 2/1 1/2",
    ]


def test_one_solution_and_none(program, file):
    code, out, err = program("candidates", "sudoku-4x4", "--file", file(f"1000003004000002\n{NONE}\n"))
    assert (code, err) == (1, "")
    assert "it has exactly one solution" in out
    assert out.splitlines()[-1] == "it has no solution"
    assert program("candidates", "sudoku-4x4", "1000003004000002")[0] == 0


def test_candidates_as_json(program, file):
    code, out, err = program("candidates", "sudoku-4x4", "--file", file(f"{AMBIGUOUS}\n{NONE}\n12\n"), "--json")
    assert (code, "line 3" in err) == (2, True)
    several, none, unreadable = map(json.loads, out.splitlines())
    assert several["candidates"] == ["1", "2", "3", "4", "3", "4", "12", "12", "2", "1", "4", "3", "4", "3", "12", "12"]
    assert several["open"] == several["difference"]["cells"] == ["r2c3", "r2c4", "r4c3", "r4c4"]
    assert (several["solutions"], several["stop"], several["undecided"]) == (2, "done", [])
    assert (several["difference"]["smallest"], several["difference"]["compared"]) == (True, 2)
    assert (none["solutions"], none["difference"], set(none["candidates"])) == (0, None, {""})
    assert "error" in unreadable


def test_a_limit_on_the_searches(program):
    code, out, _ = program("candidates", "sudoku-6x6", "." * 36, "--nodes", 400, "--compared", 0)
    assert code == 1
    assert "the limit of nodes ended the search: not known to be true or false: r1c" in out
    assert "differ" not in out


def test_check_says_which_clues_are_needless(program):
    code, out, _ = program("check", "sudoku-9x9", "easy", "--minimal")
    assert code == 0
    assert "\nnot minimal: each of 38 clues can be left out by itself: r1c2=5, r1c3=4, " in out
    row = json.loads(program("check", "sudoku-9x9", "easy", "--minimal", "--json")[1])
    assert (row["minimal"], len(row["needless"]), row["needless_undecided"]) == (False, 38, [])
    assert "minimal" not in json.loads(program("check", "sudoku-9x9", "many", "--minimal", "--json")[1])


def test_an_estimate_has_an_error(program, file):
    code, out, err = program("count", "sudoku-4x4", "." * 16, "--estimate", "--probes", 50)
    assert (code, err) == (0, "")
    assert out == "about 288, standard error 0 (95 % interval 288 to 288, 50 probes)\n"
    boards = file(f"{'.' * 16}\n1000003004000002\n{NONE}\n")
    code, out, _ = program("count", "sudoku-4x4", "--file", boards, "--estimate", "--probes", 50, "--json")
    many, one, none = map(json.loads, out.splitlines())
    assert code == 1
    assert (many["low"], many["solutions"], many["probes"], many["exact"]) == (288, 288, 50, False)
    assert (one["solutions"], one["exact"], none["solutions"]) == (1, True, 0)
    assert program("count", "sudoku-4x4", "1000003004000002", "--estimate")[:2] == (0, "1\n")
