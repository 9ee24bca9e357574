"""Sudoku, as it is typed: solve, check, verify, list, bench and plot."""

import json
import re

import pytest
from typed_boards import BLANK, EASY, EASY_DONE, MANY, NEVER, TWICE, rows_of

from puzzlelab import load
from puzzlelab.cli.several import ADVICE
from puzzlelab.core.puzzle import presentation_of
from puzzlelab.core.registry import usual_solver
from puzzlelab.core.views import Samples

WIKIPEDIA = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"
WIKIPEDIA_DONE = "987654321246173985351928746128537694634892157795461832519286473472319568863745219"
STUCK = "12345678.........9..............................................................."
GRID = """* ----- + ----- + ----- *
|       |       |       |
|       |     3 |   8 5 |
|     1 |   2   |       |
* ----- + ----- + ----- *
|       | 5   7 |       |
|     4 |       | 1     |
|   9   |       |       |
* ----- + ----- + ----- *
| 5     |       |   7 3 |
|     2 |   1   |       |
|       |   4   |     9 |
* ----- + ----- + ----- *
"""
GRID_DONE = """* ----- + ----- + ----- *
| 9 8 7 | 6 5 4 | 3 2 1 |
| 2 4 6 | 1 7 3 | 9 8 5 |
| 3 5 1 | 9 2 8 | 7 4 6 |
* ----- + ----- + ----- *
| 1 2 8 | 5 3 7 | 6 9 4 |
| 6 3 4 | 8 9 2 | 1 5 7 |
| 7 9 5 | 4 6 1 | 8 3 2 |
* ----- + ----- + ----- *
| 5 1 9 | 2 8 6 | 4 7 3 |
| 4 7 2 | 3 1 9 | 5 6 8 |
| 8 6 3 | 7 4 5 | 2 1 9 |
* ----- + ----- + ----- *
"""
SEVERAL = "it has more than one solution; this is one of them"


# --- solve: boards and notations ------------------------------------------------------------------


@pytest.mark.parametrize("text", [WIKIPEDIA, " WikiPedia ", GRID])
def test_a_board_or_the_name_of_an_example(program, text):
    code, out, err = program("solve", "sudoku-9x9", text)
    assert (code, err) == (0, "")
    assert re.match(r"sudoku-9x9 by bands\n64 moves, proven unique, \S+ s, [0-9,]+ states expanded\n\*", out)
    assert out.endswith(GRID_DONE)


def test_every_example_is_solved(program):
    examples = presentation_of(load("sudoku-9x9")).examples
    code, out, _ = program("solve", "sudoku-9x9", *examples, "--json")
    assert code == 0
    assert [row["proof"] for row in rows_of(out)] == ["several" if name == "many" else "unique" for name in examples]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"\ufeffpuzzle,clues,solution\r\n{EASY},41,{EASY_DONE}\r\n{WIKIPEDIA},17,{WIKIPEDIA_DONE}\r\n", (2, 3)),
        (f"# a comment\n{EASY}\n\n{GRID}", (2, 5)),
    ],
    ids=["csv", "grid"],
)
def test_files_of_every_notation(program, file, text, lines):
    path = file(text)
    code, out, err = program("solve", "sudoku-9x9", "--file", path)
    assert (code, err) == (0, "")
    assert f"{path}, line {lines[0]}: " in out
    assert f"{path}, line {lines[1]}: " in out
    assert f"\n{EASY_DONE}\n" in out
    assert f"\n{WIKIPEDIA_DONE}\n" in out
    assert "\n2 of 2 solved, 2 proven unique, 52.00 moves on average, " in out
    assert program("solve", "sudoku-9x9", stdin=text.encode())[0] == 0


def test_several_boards_are_shown_on_a_line_each(program):
    code, out, _ = program("solve", "sudoku-9x9", "easy", MANY, WIKIPEDIA)
    assert code == 0
    assert re.search(rf"\nboard 1: easy\n40 moves, proven unique, .*\n{EASY_DONE}\n", out)
    assert re.search(rf"\nboard 2: {re.escape(MANY)}\n53 moves, {SEVERAL}, .*\n[1-9]{{81}}\n", out)
    assert re.search(rf"\nboard 3: .*\n64 moves, proven unique, .*\n{WIKIPEDIA_DONE}\n", out)
    assert "\n3 of 3 solved, 2 proven unique, 1 with several solutions, 52.33 moves on average, " in out


def test_other_sizes(program):
    code, out, _ = program("solve", "sudoku-4x4", "small", "--as", "line")
    assert (code, out) == (0, "4123234114323214\n")
    code, out, _ = program("solve", "sudoku-16x16", "large")
    assert code == 0
    usual, _ = usual_solver(load("sudoku-16x16"))  # SAT where it is installed
    assert out.startswith(f"sudoku-16x16 by {usual}\n162 moves, proven unique, ")


# --- solve: --as ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        ("line", f"{EASY_DONE}\n{WIKIPEDIA_DONE}\n"),
        ("pair", f"{EASY.replace('.', '0')}  {EASY_DONE}\n{WIKIPEDIA.replace('.', '0')}  {WIKIPEDIA_DONE}\n"),
        ("csv", f"{EASY},{EASY_DONE}\n{WIKIPEDIA},{WIKIPEDIA_DONE}\n"),
    ],
)
def test_solutions_and_nothing_else(program, notation, expected):
    assert program("solve", "sudoku-9x9", "easy", "wikipedia", "--as", notation) == (0, expected, "")


@pytest.mark.parametrize("notation", ["line", "grid", "pair", "csv"])
def test_what_is_written_can_be_read_again(program, notation):
    """Lines and grids hold no puzzle, so that what is read again is full; it is written as it was."""
    words = ("solve", "sudoku-9x9", "--as", notation)
    _, first, _ = program(*words, "easy", "wikipedia")
    assert program(*words, stdin=first.encode()) == (0, first, "")
    line = ("solve", "sudoku-9x9", "--as", "line")
    assert program(*line, stdin=first.encode()) == (0, f"{EASY_DONE}\n{WIKIPEDIA_DONE}\n", "")


# --- solve: rows ----------------------------------------------------------------------------------


def test_rows_hold_when_they_are_verified(program, file, tmp_path):
    boards = (EASY, WIKIPEDIA, MANY, TWICE, NEVER)
    code, out, _ = program("solve", "sudoku-9x9", *boards, "--json")
    assert code == 1
    rows = rows_of(out)
    assert [row["board"] for row in rows] == list(boards)
    assert [row["proof"] for row in rows] == ["unique", "unique", "several", "unsolvable", "unsolvable"]
    assert [row["length"] for row in rows] == [40, 64, 53, None, None]
    assert rows[0]["moves"][0] == "r1c1=9"
    path = file(out, "rows.jsonl")
    claims = "proofs claimed: {}, follow from the rules: 1, not checked: {} (use --prove)\n"
    claims = "without a solution: 2; " + claims
    assert program("verify", path) == (0, f"5 of 5 hold: moves replayed: 3; {claims.format(5, 4)}", "")
    path.write_text(out.replace('"r1c1=9"', '"r1c1=7"', 1))
    code, out, err = program("verify", path)
    assert (code, out) == (1, f"4 of 5 hold: moves replayed: 2; {claims.format(4, 3)}")
    assert err.startswith(f"error: {path}, line 1 (row 1): ")


# --- solve: solvers -------------------------------------------------------------------------------


def test_annealing_proves_nothing(program):
    code, out, _ = program("solve", "sudoku-9x9", "easy", "--with", "annealing")
    assert code == 0
    assert "\n40 moves, not proven to be the only solution, " in out
    code, out, _ = program("solve", "sudoku-9x9", WIKIPEDIA, "--with", "annealing", "--nodes", 10)
    assert code == 1
    assert re.search(
        r"\nnot solved: \d+ conflicts were left at best, after 10 proposed swaps; annealing proves no", out
    )


# --- solve: steps ---------------------------------------------------------------------------------


def test_steps_of_backtracking_tell_the_story(program):
    code, out, _ = program("solve", "sudoku-9x9", "wikipedia", "--with", "backtracking", "--steps")
    assert code == 0
    assert f"17 clues given.\n{GRID}\nSearching for singletons iteratively...\n" in out
    assert re.findall(r"^ +([0-9]+) singleton\(s\) found!$", out, re.MULTILINE) == ["5", "6", "3", "3", "1", "1"]
    assert f"\n{GRID_DONE}It is the only solution; " in out


def test_steps_of_bands_are_those_of_logic_with_every_digit(program):
    code, out, _ = program("solve", "sudoku-9x9", "easy", "--steps")
    assert code == 0
    assert "\ndifficulty of this board: level 3, clues 41\n" in out
    steps = re.findall(r"^ *([0-9]+)\. (?:hidden single|full house) \([0-9.]+\): ", out, re.MULTILINE)
    assert [int(number) for number in steps] == list(range(1, 41))
    assert out.rstrip().endswith("* ----- + ----- + ----- *")
    assert "  1. hidden single (1.2): 2 has one place left in box 1: r2c3\n" in out


# --- solve: what has no answer --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "reason"),
    [
        (TWICE, "row 1 holds two 1s, in r1c1 and r1c2"),
        (STUCK, "r1c9 has no candidate left: its row, column and box hold every digit"),
        (NEVER, "every possibility was tried, and none is a solution"),
    ],
)
def test_boards_without_a_solution(program, board, reason):
    expected = f"sudoku-9x9 by bands\nproven unsolvable: {reason}\n"
    assert program("solve", "sudoku-9x9", board) == (1, expected, "")


def test_limits_are_told(program):
    code, out, _ = program("solve", "sudoku-9x9", "hard", "--with", "dancing-links", "--nodes", 1)
    assert code == 1
    assert "\nnot solved: the limit of nodes is reached (" in out


def test_one_bad_line_among_many(program, file):
    path = file(f"{EASY}\nhello world\n{WIKIPEDIA}\n{EASY[:-1]}\n{TWICE}\n")
    code, out, err = program("solve", "sudoku-9x9", "--file", path)
    assert code == 2
    assert [line.partition(": ")[2].partition(": ")[0] for line in err.splitlines()] == [
        "lines of words",
        f"{path}, line 4",
    ]
    assert f"error: {path}, line 4: 80 cells given; sudoku-9x9 has 81\n" in err
    assert f"passed over in {path}: lines of words: 1; comments: 0\n" in err
    assert f"\n{EASY_DONE}\n" in out
    assert f"\n{WIKIPEDIA_DONE}\n" in out
    assert "\n2 of 4 solved, 2 proven unique, 1 proven unsolvable, 1 unreadable, " in out


# --- check ----------------------------------------------------------------------------------------


def test_check_of_a_good_puzzle(program):
    code, out, err = program("check", "sudoku-9x9", "wikipedia")
    assert (code, err) == (0, "")
    assert out.startswith(f"{WIKIPEDIA}\n{GRID}it has exactly one solution\nlevel: 5 (")
    assert "\nclues: 17 (" in out


def test_check_shows_two_solutions_and_where_they_differ(program):
    puzzle = load("sudoku-9x9")
    code, out, _ = program("check", "sudoku-9x9", "many")
    assert code == 1
    told = re.search(r"^more than one solution; two of them differ in ([0-9]+) places: (.*)$", out, re.MULTILINE)
    shown = re.findall(r"^[1-9]{81}$", out, re.MULTILINE)
    assert len(shown) == 2
    for solution in shown:
        grid = puzzle.read(solution).state
        assert puzzle.solved(grid)
        assert all(clue in (".", digit) for clue, digit in zip(MANY, solution, strict=True))
        assert f"{solution}\n{puzzle.draw(grid)}\n" in out
    differ = [f"r{place // 9 + 1}c{place % 9 + 1}" for place in range(81) if shown[0][place] != shown[1][place]]
    assert told is not None
    assert told[2].split(", ") == differ
    assert int(told[1]) == len(differ) > 0


def test_check_tells_of_twenty_cells_only(program):
    """A board with little in it has many solutions; where two differ widely, the rest are dots."""
    _, out, _ = program("check", "sudoku-9x9", BLANK, "many")
    for count, cells in re.findall(r"differ in ([0-9]+) places: (.*)$", out, re.MULTILINE):
        named = cells.split(", ")
        assert len(named) == min(int(count), 21)
        assert (named[-1] == "...") == (int(count) > 20)


# --- list -----------------------------------------------------------------------------------------


def test_list_shows_examples_and_scales(program):
    code, out, _ = program("list", "sudoku-9x9")
    assert code == 0
    assert out.startswith("sudoku-9x9: 729 moves (")
    for name in presentation_of(load("sudoku-9x9")).examples:
        assert f"puzzlelab solve sudoku-9x9 {name} " in out
    for name, scale in load("sudoku-9x9").view(Samples).scales.items():
        levels = "{}-{}".format(*scale.levels) if scale.levels else ""
        assert re.search(rf"^ {name} +{levels} +{re.escape(scale.about)} *$", out, re.MULTILINE)


@pytest.mark.parametrize("name", ["sudoku-4x4", "sudoku-6x6", "sudoku-9x9", "sudoku-12x12", "sudoku-16x16"])
def test_what_an_example_says_of_its_clues_is_so(name):
    words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    for example in presentation_of(load(name)).examples.values():
        said = re.match(r"([0-9]+|[a-z]+) clues", example.about)
        if said:
            number = int(said[1]) if said[1].isdigit() else words.index(said[1])
            assert number == sum(symbol != "." for symbol in example.board), example


# --- bench and plot -------------------------------------------------------------------------------


def test_jobs_of_one_board_are_those_of_its_solver(program):
    code, out, _ = program("solve", "sudoku-9x9", "easy", "--with", "permutation", "--jobs", "2", "--json")
    assert code == 0
    assert json.loads(out)["options"]["jobs"] == 2


def test_boards_with_candidates_are_solved_as_such_under_the_name_of_sudoku(program, tmp_path) -> None:
    puzzle = load("sudoku-9x9")
    candidates = puzzle.candidates(puzzle.read(MANY).state)
    cell = next(cell for cell in range(81) if candidates[cell].sum() > 2)
    code, out, _ = program("solve", "sudoku-9x9", MANY, "--json")
    answer = rows_of(out)[0]["moves"][:]
    kept = next(move for move in answer if puzzle.read_move(move) // 9 == cell)
    removed = [digit + 1 for digit in range(9) if candidates[cell, digit] and str(digit + 1) != kept[-1]]
    line = f":0000:x:{MANY}:{' '.join(f'{digit}{cell // 9 + 1}{cell % 9 + 1}' for digit in removed)}:::"
    file = tmp_path / "library.txt"
    file.write_text(f":0000:x:{MANY}::::\n{line}\n")
    code, out, err = program("solve", "sudoku-9x9", "--file", file, "--json")
    rows = rows_of(out)
    assert (code, err) == (0, f"2 of 2 boards have several solutions; the first: {file}, line 1; {ADVICE}\n")
    assert [row["puzzle"] for row in rows] == ["sudoku-9x9:candidates"] * 2
    assert [row["board"] for row in rows] == [MANY, line]
    assert kept in rows[1]["moves"]
    code, out, _ = program("count", "sudoku-9x9", line)
    assert 0 < int(out) < int(program("count", "sudoku-9x9", MANY)[1])
    assert program("solve", "sudoku-9x9", line, "--as", "line")[1].strip().isdecimal()
