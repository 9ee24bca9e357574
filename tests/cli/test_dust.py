"""Dust, as it is typed: solve, check, verify, list and bench."""

import json
import re
from pathlib import Path

import pytest

from puzzlelab import load
from puzzlelab.storage.row_files import read_rows

GAME = Path(__file__).parents[1] / "data" / "dust_game.txt"
ROWS = "RGB./RRBG/BGRG"
WORD = "311212133220"
"""The same board, column by column."""
FLOATING = "R..B/..../.G.."
DOCUMENT = "425225154523142543212442545541241413141521445214"


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


def numbered(text):
    """The boards of steps, in turn: (title, lines)."""
    parts = [part.splitlines() for part in re.split(r"\n\n", text.strip())[1:]]
    return [(part[0], part[1:]) if "|" not in part[0] else ("", part) for part in parts]


# --- solve ---


@pytest.mark.parametrize("words", [(ROWS,), (WORD,), ROWS.split("/"), (ROWS.replace("/", "\n"),), (ROWS.lower(),)])
def test_a_board_in_any_notation(program, words):
    code, out, err = program("solve", "dust-4x3x3", *words, "--with", "bfs")
    assert (code, err) == (0, "")
    header, answer, moves = out.splitlines()
    assert header == "dust-4x3x3 by bfs (moves are 6,1: click column 6, row 1, counted from 0 at the lower left)"
    assert re.match(r"5 moves, proven optimal, \S+ s, [0-9,]+ states expanded", answer)
    assert len(moves.split()) == 5


def test_a_drawing_and_a_list_on_standard_input(program):
    puzzle = load("dust-4x3x3")
    state = puzzle.read(ROWS).state
    text = f"{puzzle.draw(state)}\n\n# the same\n{state.reshape(4, 3).tolist()}\n{WORD}\t5\n"
    code, out, err = program("solve", "dust-4x3x3", "--with", "bfs", "--json", stdin=text.encode())
    assert (code, err) == (0, "")
    assert [(row["board"], row["length"], row["proof"]) for row in rows_of(out)] == [(WORD, 5, "optimal")] * 3


def test_where_there_are_many_a_drawn_board_is_told_on_one_line(program, file):
    puzzle = load("dust-4x3x3")
    path = file(f"{puzzle.draw(puzzle.read(ROWS).state)}\n{ROWS}\n")
    code, out, _ = program("solve", "dust-4x3x3", "--file", path, "--with", "bfs")
    assert code == 0
    assert f"\n{path}, line 1: {WORD}\n" in out
    assert f"\n{path}, line 6: {ROWS}\n" in out
    assert out.splitlines()[-1].startswith("2 of 2 solved, 2 proven optimal, 5.00 moves on average")


def test_steps_show_the_board_before_each_move_with_its_cluster_marked(program):
    puzzle = load("dust-4x3x3")
    code, out, err = program("solve", "dust-4x3x3", ROWS, "--with", "bfs", "--steps")
    assert (code, err) == (0, "")
    steps = numbered(out)
    assert [title.partition(".")[0] for title, _ in steps] == ["1", "2", "3", "4", "5", ""]
    state = puzzle.read(ROWS).state
    for title, lines in steps[:-1]:
        move = puzzle.read_move(title.partition(" ")[2])
        assert "\n".join(lines) == puzzle.draw(state, move)
        assert sum(line.count("[") for line in lines) == (puzzle.clusters(state) == puzzle.clusters(state)[move]).sum()
        state = puzzle.apply(state, move)
    assert "\n".join(steps[-1][1]) == puzzle.draw(state)
    assert puzzle.solved(state)


def test_steps_of_other_puzzles_show_the_board_after_each_move(program):
    code, out, _ = program("solve", "tiles-2x2", "1 2 0 3", "--steps", "--with", "bfs")
    assert code == 0
    assert out.split("\n\n")[1:] == ["1 2\n. 3", "1. L\n1 2\n3 .\n"]


def test_an_empty_board_is_solved_in_no_moves(program):
    for text in ("." * 12, "....\n....\n....", "[[0,0,0],[0,0,0],[0,0,0],[0,0,0]]"):
        code, out, err = program("solve", "dust-4x3x3", text, "--with", "bfs", "--json")
        assert (code, err) == (0, "")
        (row,) = rows_of(out)
        assert (row["moves"], row["length"], row["proof"], row["lower_bound"]) == ([], 0, "optimal", 0)
    code, out, _ = program("solve", "dust-4x3x3", "." * 12, "--with", "bfs", "--steps")
    assert (code, out.count("[")) == (0, 0)
    assert "0 moves, proven optimal" in out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("31121213322", "'31121213322' has 11 characters; dust-4x3x3 is a word of 12 characters"),
        ("311212133224", "column 3, row 2 (from 0 at the lower left): '4' is no colour; dust-4x3x3 has 1 to 3 (R G B)"),
        ("RGB./RYBG/BGRG", "column 1, row 1 (from 0 at the lower left): 'Y' is no colour"),
        (
            FLOATING,
            "column 0, row 2 (from 0 at the lower left): nothing lies below this cell, so that it would fall; --",
        ),
        (
            "..../..../R...",
            "column 0, row 0 (from 0 at the lower left): the cell beside this one towards the centre line",
        ),
        ("[[1,2,3]]", "1 list of 3 cells; dust-4x3x3 has 4 columns of 3 from the bottom up"),
        ("", "nothing is given; dust-4x3x3 is a word of 12 characters"),
        ("1" * 10_000, "10,000 characters are no board; dust-4x3x3 is a word of 12 characters"),
    ],
)
@pytest.mark.parametrize("verb", ["solve", "check"])
def test_what_is_no_board_is_told_with_its_place(program, verb, text, sentence):
    code, out, err = program(verb, "dust-4x3x3", text, *(("--with", "bfs") if verb == "solve" else ()))
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {sentence}")
    assert len(err.splitlines()) == 1


def test_one_bad_board_among_a_thousand(program, file):
    lines = [f"{WORD[: number % 12]}{WORD[number % 12 :]}" for number in range(1000)]
    lines[617] = WORD[:-1]
    path = file("\n".join(lines) + "\n")
    code, out, err = program("solve", "dust-4x3x3", "--file", path, "--with", "bfs", "--json")
    assert code == 2
    assert err.splitlines() == [f"error: {path}, line 618: {err.partition('line 618: ')[2].strip()}"]
    rows = rows_of(out)
    assert [row.get("error") is None for row in rows] == [number != 617 for number in range(1000)]
    assert {row["length"] for row in rows if row.get("error") is None} == {5}


# --- settle ---


def test_settle_lets_boards_come_to_rest(program, tmp_path):
    rows = tmp_path / "rows.jsonl"
    words = ("solve", "dust-4x3x3", FLOATING, "--with", "bfs", "--settle", "--out", rows)
    code, out, err = program(*words)
    assert (code, err) == (0, "2 of 3 cells fell or slid; 9 cells are empty (0 or .)\n")
    assert "3 moves, proven optimal" in out
    ((_, row),) = read_rows(rows)
    assert row.board == load("dust-4x3x3").write(load("dust-4x3x3").read("..../..../RGB.").state)
    code, out, _ = program("verify", rows)
    assert (code, out) == (0, "1 of 1 hold: moves replayed: 1; proofs claimed: 1, not checked (use --prove)\n")
    assert program(*words)[0] == 0
    assert len(rows.read_text().splitlines()) == 1


def test_settle_in_check(program):
    code, out, err = program("check", "dust-4x3x3", FLOATING, "--settle")
    assert (code, err) == (0, "2 of 3 cells fell or slid; 9 cells are empty (0 or .)\n")
    assert out.startswith("100200300000\n")
    assert "0 |  R  G   B  .\n" in out


def test_colours_that_are_counted_from_0_are_no_reason_to_settle(program, tmp_path):
    """The advice names the other meaning, and with --settle each board says what fell."""
    code, _, err = program("check", "dust-4x3x3", "102120212012")
    assert code == 2
    assert "0 is an empty cell: if it is a colour, add 1 to all numbers; else --settle" in err
    assert "0 is an empty cell" not in program("check", "dust-4x3x3", "R.BRGBRGBRGB")[2]
    file = tmp_path / "boards.txt"
    file.write_text("102120212012\n123123123123\n" + 30 * "102120212012\n")
    _, _, err = program("check", "dust-4x3x3", "--settle", "--file", file)
    lines = err.splitlines()
    assert lines[0] == f"{file}, line 1: 3 of 9 cells fell or slid; 3 cells are empty (0 or .)"
    assert lines[1].startswith(f"{file}, line 3: ")
    assert lines[20:] == ["and so on, on 11 more boards"]


@pytest.mark.parametrize("verb", ["solve", "check"])
def test_settle_means_nothing_where_nothing_falls(program, verb):
    for name, board in (("tiles-2x2", "1 2 0 3"), ("sudoku-4x4", "." * 16)):
        code, out, err = program(verb, name, board, "--settle")
        assert (code, out) == (2, "")
        assert err == f"error: --settle has no meaning for {name}, which has no variant that lets boards settle\n"


# --- check, verify, list, bench ---


def test_check_shows_the_board_and_how_hard_it_is(program):
    code, out, err = program("check", "dust-8x6x5", "document")
    assert (code, err) == (0, "")
    puzzle = load("dust-8x6x5")
    assert out.startswith(f"{DOCUMENT}\n{puzzle.draw(puzzle.read(DOCUMENT).state)}\nno objection was found\n")
    assert re.search(r"^clusters: 33$", out, re.MULTILINE)


def test_the_printed_game_is_checked_as_a_file(program):
    code, out, err = program("check", "dust-8x6x5", "--file", GAME)
    assert (code, err) == (0, "")
    assert len(re.findall(r"^[0-5]{48}$", out, re.MULTILINE)) == 17


def test_a_move_may_name_any_cell_of_its_cluster(program, file):
    def row(*moves):
        return json.dumps(
            {"puzzle": "dust-4x3x3", "board": "222111111222", "solver": "me", "moves": moves, "length": len(moves)}
        )

    path = file("\n".join([row("1,0", "0,0"), row("2,2", "2,1"), row("1,1", "2,0")]) + "\n", "rows.jsonl")
    code, out, err = program("verify", path)
    assert code == 1
    assert out == "2 of 3 hold: moves replayed: 2; rows that repeat an earlier one: 2\n"
    assert f"{path}, line 1 (row 1): move 2 of 2, 0,0, cannot be made on " in err


def test_a_wrong_move_in_a_row_is_told(program, file):
    row = {"puzzle": "dust-4x3x3", "board": WORD, "solver": "me", "moves": ["4,0"], "length": 1}
    code, _, err = program("verify", file(json.dumps(row) + "\n", "rows.jsonl"))
    assert code == 1
    assert "move 1 of 1: '4,0' is no move; 6,1 clicks column 6, row 1" in err


def test_list_names_the_puzzle_and_its_example(program):
    code, out, _ = program("list", "dust-8x6x5")
    assert code == 0
    assert "document" in out
    code, out, _ = program("list")
    assert code == 0
    assert "dust-8x6x5" in out


def test_a_suite_says_what_is_known_of_its_boards_and_whose_they_are(program, file, tmp_path):
    path = file(f"{DOCUMENT}\t12\tproven\n{'1' * 48}\t2\tbest-known\n{'2' * 24}{'3' * 24}\n")
    code, _, err = program("bench", path, "--with", "beam:width=1", "--out", tmp_path / "out")
    assert (code, err) == (0, "")
    stored = json.loads((tmp_path / "out" / "suite.json").read_text())
    assert stored["puzzle"] == "dust-8x6x5"
    assert [(each["known"], each["known_is_optimal"]) for each in stored["boards"]] == [
        (12, True),
        (2, False),
        (None, False),
    ]
