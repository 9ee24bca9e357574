"""Dust, as it is typed: solve, check, verify, list and bench."""

import json
import re

import pytest

from puzzlelab import load
from puzzlelab.storage.row_files import read_rows

ROWS = "RGB./RRBG/BGRG"
WORD = "311212133220"
"""The same board, column by column."""
FLOATING = "R..B/..../.G.."
DOCUMENT = "425225154523142543212442545541241413141521445214"


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


# --- check, verify, list, bench ---


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
