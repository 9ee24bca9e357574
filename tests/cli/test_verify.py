"""`puzzlelab verify`, as it is typed: replays, proofs, and rows that contradict each other."""

import json
import signal
import subprocess
import sys
import time

import pytest
from typed_boards import FAR, ODD, ONE, TWO

from puzzlelab import load

DUST = "222111111222"
"""Two clicks of dust-4x3x3."""
CLAIMS = "without a solution: 1; proofs claimed: {}, follow from the rules: {}, not checked: {} (use --prove)\n"


def replayed(said: tuple[int, str, str]) -> tuple[int, str, str]:
    """What the program said, without those lines."""
    code, out, err = said
    return code, without_bases(out), err


def without_bases(out: str) -> str:
    """The output without the lines of estimates on which proofs rest."""
    lines = out.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("proofs that rest on the estimate "))


@pytest.fixture
def rows(program, tmp_path):
    """A file with the rows of four boards: 1 move, no solution, 31 moves, 2 moves."""
    path = tmp_path / "rows.jsonl"
    program("solve", "tiles-3x3", ONE, ODD, FAR, TWO, "--out", path)
    return path


def change(path, line, **values):
    """Change one row of a file."""
    lines = path.read_text().splitlines()
    lines[line - 1] = json.dumps({**json.loads(lines[line - 1]), **values})
    path.write_text("\n".join(lines) + "\n")


# --- replays ------------------------------------------------------------------------------------------


def test_every_row_is_replayed(program, rows):
    assert replayed(program("verify", rows)) == (0, f"4 of 4 hold: moves replayed: 3; {CLAIMS.format(4, 2, 2)}", "")


@pytest.mark.parametrize(
    ("line", "values", "sentence"),
    [
        (1, {"moves": ["U"]}, f"move 1 of 1, U, cannot be made on {ONE}"),
        (1, {"moves": ["X"]}, "move 1 of 1: 'X' is no move; moves are U, D, L and R"),
        (4, {"moves": ["L"], "length": 1}, f"after all 1 moves the board is {ONE}, not solved"),
        (4, {"moves": ["L", "L", "L"]}, "move 3 of 3, L, cannot be made on 1 2 3 4 5 6 7 8 0"),
        (4, {"length": 3}, "says length 3, and gives 2 moves"),
        (4, {"moves": ["L", "R", "L", "L"], "length": 4}, "claims 4 moves optimal with a lower bound of 2"),
        (4, {"lower_bound": 3}, "2 moves are fewer than its own lower bound 3"),
        (1, {"board": "1 2 3"}, "tiles-3x3 has 9"),
        (1, {"proof": "unsolvable"}, "claims to be unsolvable, and gives moves"),
        (2, {"proof": "optimal"}, "claims proof 'optimal' without any moves"),
    ],
)
def test_it_says_what_does_not_hold(program, rows, line, values, sentence):
    change(rows, line, **values)
    code, out, err = program("verify", rows)
    out = without_bases(out)
    assert code == 1
    assert out.startswith("3 of 4 hold")
    assert err.startswith(f"error: {rows}, line {line} (row {line}): ")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_it_counts_lines_and_rows(program, rows):
    rows.write_text("\n\n" + rows.read_text())
    change(rows, 6, moves=["L"])
    assert f"{rows}, line 6 (row 4): " in program("verify", rows)[2]


def test_a_row_that_holds_no_answer(program, tmp_path):
    path = tmp_path / "rows.jsonl"
    program("solve", "tiles-3x3", ONE, "x x", "--out", path)
    code, out, err = program("verify", path)
    last = "1 of 2 hold: moves replayed: 1; proofs claimed: 1, follow from the rules: 1\n"
    assert (code, without_bases(out)) == (2, last)
    assert "line 2 (row 2): holds no answer: " in err


# --- claims -----------------------------------------------------------------------------------------


@pytest.fixture
def solved(program, tmp_path):
    """The row of a board, solved by a solver, with some columns changed."""

    def solve(puzzle, board, solver, **values):
        _, out, _ = program("solve", puzzle, board, "--with", solver, "--json")
        row = json.loads(out)
        return {name: row[name] for name in row if not values or name not in ("solution", "solutions")} | values

    return solve


@pytest.fixture
def verify(program, tmp_path):
    """Verifies rows; returns (exit code, last line, errors) with the name of the file left out."""
    path = tmp_path / "rows.jsonl"

    def call(rows, *words):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        code, out, err = program("verify", path, *words)
        return code, without_bases(out), err.replace(f"{path}, ", "")

    return call


def test_proofs_are_proven_by_another_method(verify, solved):
    rows = [solved("tiles-3x3", FAR, "ida"), solved("tiles-3x3", FAR, "bfs"), solved("sudoku-4x4", "small", "bfs")]
    code, out, err = verify([*rows, solved("dust-4x3x3", DUST, "halves"), solved("tiles-3x3", ODD, "ida")], "--prove")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "proven by: bfs:bidirectional=True 1, astar:estimate=manhattan 1, astar:estimate=colours 1",
        "5 of 5 hold: moves replayed: 4; without a solution: 1; "
        "proofs claimed: 5, proven anew: 3, follow from the rules: 2",
    ]


def test_a_way_that_is_not_shortest_is_refuted(verify, solved):
    row = solved("tiles-3x3", TWO, "random", moves=["D", "U", "L", "L"], length=4, proof="optimal", lower_bound=4)
    row["verified"] = True
    code, out, err = verify([row], "--prove")
    assert code == 1
    assert out == "0 of 1 hold: moves replayed: 1; proofs claimed: 1, refuted: 1\n"
    assert err == "error: line 1 (row 1): claims 4 moves optimal; bfs:bidirectional=True finds 2\n"
    assert verify([row])[0] == 0


def test_a_second_solution_refutes_that_there_is_only_one(verify, solved):
    row = solved("sudoku-4x4", "." * 16, "dancing-links", proof="unique", reason="")
    assert verify([row])[0] == 0
    code, out, err = verify([row], "--prove")
    assert (code, out) == (1, "0 of 1 hold: moves replayed: 1; proofs claimed: 1, refuted: 1\n")
    sentence, _, other = err.strip().partition("finds another: ")
    assert sentence == "error: line 1 (row 1): claims a unique solution; backtracking "
    puzzle = load("sudoku-4x4")
    assert puzzle.solved(puzzle.read(other).state)


def test_a_second_solution_proves_that_there_are_several(verify, solved):
    row = solved("sudoku-4x4", "." * 16, "dancing-links")
    assert (row["proof"], row["solutions"]) == ("several", 2)
    proven = "1 of 1 hold: moves replayed: 1; proofs claimed: 1, proven anew: 1\n"
    assert verify([row], "--prove")[:2] == (0, f"proven by: backtracking 1\n{proven}")
    only = solved("sudoku-4x4", "12343412214343..", "backtracking", proof="several") | {"solutions": 2}
    code, _, err = verify([only], "--prove")
    assert (code, err) == (1, "error: line 1 (row 1): claims several solutions; dancing-links finds no other\n")


def test_a_solution_that_is_not_that_of_the_moves_does_not_hold(verify, program):
    row = json.loads(program("solve", "sudoku-4x4", "small", "--json")[1])
    assert row["solutions"] == 1
    assert load("sudoku-4x4").solved(load("sudoku-4x4").read(row["solution"]).state)
    assert verify([row])[0] == 0
    code, _, err = verify([row | {"solution": "1234341221434321"[::-1]}, row | {"solutions": 2}])
    assert code == 1
    first, second = [line for line in err.splitlines() if line.startswith("error")]
    assert first.endswith("line 1 (row 1): says solution 1234341221434321, and its moves end elsewhere")
    assert second.endswith("line 2 (row 2): says solutions 2, and its proof is 'unique'")


def test_unique_is_refused_where_it_means_nothing(verify, solved):
    code, _, err = verify([solved("tiles-3x3", TWO, "bfs", proof="unique")])
    assert code == 1
    assert err == "error: line 1 (row 1): claims proof 'unique', which means nothing for tiles-3x3\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_row_is_an_object(verify, solved, jobs):
    rows = [
        solved("tiles-3x3", FAR, "ida"),
        solved("tiles-3x3", TWO, "ida", length=None, moves=None, proof="unsolvable"),
    ]
    code, out, err = verify(rows, "--prove", "--json", "--jobs", jobs)
    assert code == 1
    first, second = map(json.loads, out.splitlines())
    assert (first["line"], first["verdict"], first["claim"]) == (1, "holds", "optimal")
    assert (first["proved_by"], first["witness"]) == ("bfs:bidirectional=True", None)
    assert (second["line"], second["verdict"], second["witness"]) == (2, "refuted", ["L", "L"])
    assert "claims to be unsolvable" in second["reason"]
    assert err.splitlines()[-1].startswith("1 of 2 hold: ")


# --- rows beside each other -----------------------------------------------------------------------


def test_a_row_is_refuted_by_a_later_one_of_the_same_board(verify, solved):
    short = solved("tiles-3x3", TWO, "ida")
    long = {**short, "solver": "bfs", "moves": ["D", "U", "L", "L"], "length": 4, "lower_bound": 4}
    none = {**short, "solver": "astar", "moves": None, "length": None, "proof": "unsolvable", "lower_bound": 0}
    code, out, err = verify([none, long, short])
    assert code == 1
    assert out.startswith("1 of 3 hold: moves replayed: 2; without a solution: 1; proofs claimed: 3, refuted: 2, ")
    assert err.splitlines() == [
        "error: line 1 (row 1): claims to be unsolvable; line 2 (row 2) has a solution of 4 moves",
        "error: line 2 (row 2): claims 4 moves optimal; line 3 (row 3) has a solution of 2 moves",
    ]
    _, out, _ = verify([long, short], "--json")
    assert [(each["line"], each["verdict"]) for each in map(json.loads, out.splitlines())] == [
        (1, "not checked"),
        (2, "not checked"),
        (1, "refuted"),
    ]


def test_two_solutions_are_not_both_unique(verify, solved):
    row = solved("sudoku-4x4", "." * 16, "dancing-links", proof="unique", reason="")
    other = {**row, "solver": "bfs", "proof": "none", "moves": [_renamed(move) for move in row["moves"]]}
    code, _, err = verify([row, other])
    assert code == 1
    assert err == "error: line 1 (row 1): claims a unique solution; line 2 (row 2) has another\n"


def _renamed(move):
    """The move with the digits 1 and 2 exchanged."""
    place, _, digit = move.partition("=")
    return f"{place}={ {'1': '2', '2': '1'}.get(digit, digit) }"


def test_a_row_that_repeats_another_is_told(verify, solved):
    row = solved("tiles-3x3", TWO, "ida")
    code, out, err = verify([row, {**row, "solver": "bfs"}, {**row, "board": "123456078"}])
    assert code == 0
    assert out.endswith("; rows that repeat an earlier one: 1\n")
    assert err == "line 3 (row 3): the same board, solver and options as line 1 (row 1)\n"


def test_a_row_of_a_larger_limit_repeats_none(verify, solved):
    row = solved("tiles-3x3", TWO, "ida", verified=False)
    ended = {
        **row,
        "moves": None,
        "length": None,
        "proof": "none",
        "stop": "nodes",
        "limit": {"nodes": 5},
        "lower_bound": 0,
    }
    again = {**ended, "limit": {"nodes": 6}}
    assert verify([ended, again])[1:] == ("2 of 2 hold: moves replayed: 0; without a solution: 2\n", "")
    assert "repeat" in verify([ended, ended])[1]


def test_verified_is_not_believed(verify, solved):
    row = solved("tiles-3x3", TWO, "ida", verified=False)
    code, out, _ = verify(
        [row, {**row, "moves": None, "length": None, "proof": "none", "solver": "x", "verified": True}]
    )
    assert code == 0
    assert "'verified' is wrong: 2" in out


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_checked(solved, tmp_path):
    path, hard = tmp_path / "rows.jsonl", "0 12 9 13 15 11 10 14 3 7 5 6 4 8 2 1"  # 80 moves
    row = solved("tiles-3x3", TWO, "ida")
    claim = {**row, "puzzle": "tiles-4x4", "board": hard, "moves": None, "length": None, "proof": "none"}
    claim["lower_bound"] = 80
    path.write_text("".join(json.dumps(each) + "\n" for each in [row, {**row, "solver": "bfs"}, claim, claim, row]))
    words = ("verify", path, "--prove", "--time", 600, "--json", "--jobs", 2)
    program = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program += "from puzzlelab.cli.main import run; run()"
    with subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        lines = [child.stdout.readline() for _ in range(2)]
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=300)
    assert child.returncode == 130
    assert [json.loads(line)["verdict"] for line in [*lines, *out.splitlines()]] == ["holds", "holds"]
    assert "Traceback" not in err
    *_, last, why = err.splitlines()
    assert last.startswith("2 of 2 hold: moves replayed: 2; ")
    assert why == "interrupted: the rows after these were not checked"


def test_rows_of_other_programs_may_have_letters_of_the_blank(program, tmp_path):
    path = tmp_path / "rows.jsonl"
    rows = [{"board": "1 2 3/4 5 6/0 7 8", "moves": "R2"}, {"board": "1 2 3/4 5 6/7 0 8", "moves": "L"}]
    facts = {"puzzle": "tiles-3x3", "solver": "another"}
    path.write_text("".join(f"{json.dumps(facts | row | {'length': 2 - place})}\n" for place, row in enumerate(rows)))
    code, out, err = program("verify", path, "--letters", "blank")
    assert (code, out) == (1, "1 of 2 hold: moves replayed: 1\n")
    assert err.startswith(f"error: {path}, line 2 (row 2): after all 1 moves")
    code, out, err = program("verify", path, "--letters", "blanc")
    assert (code, err) == (2, "error: there is no convention of letters of tiles-3x3 'blanc'; did you mean 'blank'?\n")
