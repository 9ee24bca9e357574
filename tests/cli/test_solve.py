"""`puzzlelab solve`, as it is typed: boards from everywhere, answers in words and in rows, and what cannot be done."""

import json
import os
import re
import threading
from functools import partial

import pytest
from typed_boards import FAR, ODD, ONE, TWO, rows_of

from puzzlelab import Limit, Result, generate, load, solver
from puzzlelab.cli.several import ADVICE
from puzzlelab.core.errors import BadFile
from puzzlelab.storage import lines
from puzzlelab.storage.outputs import only_writer
from puzzlelab.storage.row_files import read_rows
from puzzlelab.version import VERSION

RUN_PROGRAM = "from puzzlelab.cli.main import run; run()"
KEYS = [
    *("puzzle", "board", "solver", "options", "net", "seed", "limit", "version", "moves", "length", "proof", "reason"),
    *("stop", "lower_bound", "seconds", "expanded", "generated", "evaluations", "verified", "verified_by"),
]


@pytest.fixture
def program(program):
    """Runs `solve` with these words; returns (exit code, standard output, standard error)."""
    return partial(program, "solve")


@pytest.fixture
def boards(tmp_path):
    """Writes a file of boards."""

    def write(text):
        path = tmp_path / "boards.txt"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


# --- boards ---------------------------------------------------------------------------------------


def test_a_board_in_quotes(program):
    code, out, err = program("tiles-3x3", FAR)
    assert (code, err) == (0, "")
    assert out.startswith(
        "tiles-3x3 by ida (moves are U, D, L, R: the way the tile slides)\n31 moves, proven optimal, "
    )
    moves = out.splitlines()[-1].split()
    assert len(moves) == 31
    assert set(moves) <= set("UDLR")


def test_numbers_without_quotes_are_one_board(program):
    code, out, _ = program("tiles-3x3", *ONE.split(), "--json")
    assert code == 0
    assert [(row["board"], row["moves"]) for row in rows_of(out)] == [(ONE, ["L"])]


def test_several_arguments_are_several_boards(program):
    code, out, _ = program("tiles-3x3", ONE, TWO)
    assert code == 0
    assert f"board 1: {ONE}\n1 move, " in out
    assert f"board 2: {TWO}\n2 moves, " in out
    assert "2 of 2 solved, 2 proven optimal, 1.50 moves on average" in out


def test_a_summary_says_when_greedy_play_went_in_circles_and_json_does_not(program):
    words = ("tiles-3x3", ONE, FAR, "--with", "greedy", "--estimate", "misplaced")
    code, out, _ = program(*words)
    assert (code, out.splitlines()[-1]) == (
        1,
        "greedy went in circles on 1 of 2 boards; with avoid_repeats=true it goes on.",
    )
    assert len(rows_of(program(*words, "--json")[1])) == 2
    assert "circles on" not in program("tiles-3x3", FAR, *words[3:])[1]


def test_a_file_with_tabs_comments_an_empty_line_and_foreign_line_ends(program, boards):
    path = boards(f"# a comment\n{ONE}\t1\topt\r\n\n{TWO}\r\n#{FAR}\n  {FAR}  \tmore\n")
    code, out, err = program("tiles-3x3", "--file", path)
    assert (code, err) == (0, "")
    assert f"{path}, line 2: {ONE}\n1 move, " in out
    assert f"{path}, line 4: {TWO}\n2 moves, " in out
    assert f"{path}, line 6: {FAR}\n31 moves, " in out
    assert "3 of 3 solved, 3 proven optimal" in out


@pytest.mark.parametrize("words", [(), ("-",), ("--file", "-")], ids=["nothing", "a dash", "a dash as file"])
def test_boards_from_standard_input(program, words):
    code, out, _ = program("tiles-3x3", *words, stdin=f"{ONE}\n{TWO}\n".encode())
    assert code == 0
    assert f"standard input, line 2: {TWO}\n2 moves, " in out


# --- boards that are none -------------------------------------------------------------------------

MALFORMED = {
    "a letter": "1 2 3 4 5 6 7 q 0",
    "repeated": "1 1 3 4 5 6 7 0 8",
    "missing": "1 2 3 4 5 6 7 0",
    "one too many": "1 2 3 4 5 6 7 0 8 9",
    "negative": "1 2 3 4 5 6 7 8 -2",
    "too large": "1 2 3 4 5 6 7 0 9",
    "huge": "1 2 3 4 5 6 7 0 " + "9" * 5000,
    "a fraction": "1 2 3 4 5 6 7 0 8.0",
    "a word": "hello",
    "other digits": "½ ² ³ 4 5 6 7 0 8",
    "a list that does not end": "[[1,2,3],[4,5,6],[7,0",
    "control characters": "1 2 3 4 5 6 7 0 \x1b[31m8\x00",
}


def test_boards_that_are_none_do_not_stop_the_others(program, boards):
    malformed = [text for name, text in MALFORMED.items() if name not in ("a word", "a list that does not end")]
    lines = [*malformed, ONE]
    code, out, err = program("tiles-3x3", "--file", boards("\n".join(lines) + "\n"), "--json")
    rows = rows_of(out)
    assert code == 2
    assert [row["moves"] for row in rows] == [None] * len(malformed) + [["L"]]
    assert len(err.splitlines()) == len(malformed)
    assert "\x1b" not in err
    assert max(map(len, err.splitlines())) < 250
    assert [row["error"] for row in rows[:-1]] == [
        line.partition(": ")[2].partition(": ")[2] for line in err.splitlines()
    ]
    assert "error" not in rows[-1]


def test_a_row_of_a_board_that_is_none_keeps_its_keys_and_a_short_board(program):
    code, out, _ = program("tiles-3x3", MALFORMED["huge"], "--json")
    row = rows_of(out)[0]
    assert code == 2
    assert list(row) == [*(key for key in KEYS[:-1] if key != "seconds"), "error"]
    assert len(row["board"]) < 250
    assert (row["moves"], row["verified"]) == (None, False)


def test_noise(program, boards):
    noise = bytes(range(256)) * 200 + b"x" * 50_000 + b"\n" + ONE.encode() + b"\n"
    code, out, err = program("tiles-3x3", "--file", boards(noise))
    assert code == 2
    assert "1 move, proven optimal" in out
    assert 20 < len(err.splitlines()) <= 22
    assert err.splitlines()[-1].endswith(" more boards that cannot be read")
    assert len(err) < 10_000


# --- boards without a solution --------------------------------------------------------------------


def test_a_board_that_cannot_be_solved_as_a_row(program):
    code, out, _ = program("tiles-3x3", ODD, "--json")
    row = rows_of(out)[0]
    assert code == 1
    assert (row["moves"], row["length"], row["proof"], row["stop"]) == (None, None, "unsolvable", "done")
    assert row["reason"].startswith("odd permutation: no sequence of moves reaches the goal")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--with", "bfs", "--nodes", 10), "the limit of nodes is reached"),
        (("--with", "bfs", "--memory", "1M"), "the limit of 1 MB of memory is for the whole process, which used"),
        (("--with", "beam", "--width", 1, "--estimate", "manhattan"), "every state in the beam led only to states"),
        (
            ("--with", "depth-first", "--estimate", "manhattan", "--depth", 20),
            "there is no solution of at most 20 moves",
        ),
    ],
    ids=["nodes", "memory", "dead end", "depth"],
)
def test_a_search_that_ends_early_says_why_and_not_that_it_is_impossible(program, words, why):
    code, out, _ = program("tiles-3x3", "6 4 7 8 5 0 3 2 1", *words)
    assert code == 1
    assert f"not solved: {why}" in out
    assert "(at least " in out
    assert "unsolvable" not in out


def test_time_that_is_up(program):
    code, out, _ = program(
        *("tiles-4x4", "12 10 6 0 9 8 13 15 11 7 3 2 5 4 14 1"),
        *("--with", "ida", "--estimate", "manhattan", "--time", "0.05"),
    )
    assert code == 1
    assert "not solved: the time is up (at least " in out


def test_a_limit_leaves_the_best_solution_so_far_and_is_named(program):
    code, out, _ = program("tiles-4x4", "1 5 9 13 2 6 10 14 3 7 11 15 4 8 12 0", "--nodes", 100_000)
    assert code == 0
    assert "moves, not proven optimal (at least 58 moves are needed; the limit of nodes is reached)" in out


def test_an_answer_without_a_proof_says_how_short_it_could_be(program):
    code, out, _ = program("tiles-3x3", FAR, "--with", "astar", "--weight", 3, "--estimate", "manhattan")
    assert code == 0
    assert "moves, not proven optimal (at least " in out


# --- rows -----------------------------------------------------------------------------------------


def test_rows_have_the_documented_keys(program):
    code, out, err = program("tiles-3x3", " 8 6 7  2 5 4 3 0 1", "--json", "--with", "astar", "--nodes", 10**6)
    row = rows_of(out)[0]
    assert (code, err) == (0, "")
    assert list(row) == KEYS
    assert row["puzzle"] == "tiles-3x3"
    assert row["board"] == "8 6 7 2 5 4 3 0 1"
    assert row["solver"] == "astar"
    assert row["options"] == {"estimate": "conflicts", "weight": 1.0, "order": "astar", "batch": 64}
    assert (row["net"], row["seed"]) == (None, None)
    assert row["limit"] == {"seconds": None, "nodes": 10**6, "memory": None}
    assert row["version"] == VERSION
    assert (row["length"], len(row["moves"]), row["proof"], row["lower_bound"]) == (31, 31, "optimal", 31)
    assert (row["reason"], row["stop"], row["verified"]) == ("", "done", True)
    assert row["seconds"] > 0
    assert 0 < row["expanded"] < row["generated"]
    assert row["evaluations"] == 0


def test_rows_come_one_a_line_in_the_order_of_the_boards(program, boards):
    given = [FAR, ONE, TWO, FAR, ONE] * 3
    path = boards("\n".join(given) + "\n")
    for jobs in (1, 2):
        code, out, err = program("tiles-3x3", "--file", path, "--json", "--jobs", jobs)
        assert (code, err) == (0, "")
        assert [row["board"] for row in rows_of(out)] == given
        assert [row["length"] for row in rows_of(out)] == [31, 1, 2, 31, 1] * 3


def test_options_of_the_solver(program):
    words = (
        *("--with", "astar", "--estimate", "manhattan", "--weight", "1.5"),
        *("--set", "order=greedy", "--set", "batch=7"),
    )
    _, out, _ = program("tiles-3x3", FAR, *words, "--json")
    assert rows_of(out)[0]["options"] == {"estimate": "manhattan", "weight": 1.5, "order": "greedy", "batch": 7}
    _, out, _ = program("tiles-3x3", FAR, "--with", "bfs", "--set", "bidirectional=true", "--json")
    assert rows_of(out)[0]["options"] == {"bidirectional": True}


def test_steps_show_every_board_on_the_way_and_how_hard_it_was(program):
    code, out, _ = program("tiles-3x3", TWO, "--steps")
    assert code == 0
    assert "difficulty of this board: level 2, distance 2" in out
    assert "\n1 2 3\n4 5 6\n. 7 8\n\n1. L\n1 2 3\n4 5 6\n7 . 8\n\n2. L\n1 2 3\n4 5 6\n7 8 .\n" in out


# --- files of rows --------------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch):
    """The boards that a solver was really asked about."""
    from puzzlelab.engine import solving as module

    asked, real = [], module._unverified

    def solve(chosen, boards, *rest):
        asked.extend(boards.puzzle.write(state) for state in boards.states)
        return real(chosen, boards, *rest)

    monkeypatch.setattr(module, "_unverified", solve)
    return asked


def test_answers_in_a_file_are_not_asked_again(program, boards, tmp_path, counted):
    path, out = boards(f"{ONE}\nbad\n{ODD}\n{FAR}\n"), tmp_path / "deep" / "rows.jsonl"
    first = program("tiles-3x3", "--file", path, "--out", out)
    kept = out.read_bytes()
    assert counted == [ONE, ODD, FAR]
    assert [row.board for _, row in read_rows(out)] == [ONE, "bad", ODD, FAR]
    assert program("tiles-3x3", "--file", path, "--out", out) == first
    assert out.read_bytes() == kept
    assert counted == [ONE, ODD, FAR]


@pytest.mark.parametrize("ending", [".jsonl", ".csv"])
def test_of_several_boards_whose_rows_go_to_a_file_a_summary_is_printed(program, boards, tmp_path, ending):
    out, file = tmp_path / f"rows{ending}", boards(f"{ONE}\n{ODD}\n1 2 3 4 5 6 7 8\n{FAR}\n")
    for _ in range(2):
        code, said, err = program("tiles-3x3", "--file", file, "--out", out)
        assert code == 2
        assert re.fullmatch(
            "2 of 4 solved, 2 proven optimal, 1 proven unsolvable, 1 unreadable, 16.00 moves on average, .* s\n", said
        )
        assert err.startswith(f"error: {file}, line 3: ")
        rows = [row for _, row in read_rows(out)]
        assert [(row.length, row.proof) for row in rows] == [
            (1, "optimal"),
            (None, "unsolvable"),
            (None, "none"),
            (31, "optimal"),
        ]
        assert [row.error is None for row in rows] == [True, True, False, True]
    assert program("tiles-3x3", ONE, "--out", out)[1].endswith("\nL\n")


def test_many_boards_are_printed_as_single_ones(program, boards):
    puzzle = load("sudoku-9x9")
    texts = [puzzle.write(board.state) for board in generate(puzzle, 40)]
    texts[20], texts[30], texts[35] = "1" + texts[20][1:-1], "11" + 79 * ".", 81 * "."
    lines = boards("".join(f"{text}\n" for text in texts))
    code, together, err = program("sudoku-9x9", "--file", lines, "--json")
    assert code == 2
    assert err.splitlines() == [
        f"error: {lines}, line 21: 80 cells given; sudoku-9x9 has 81",
        f"1 of 40 boards has several solutions; the first: {lines}, line 36; {ADVICE}",
    ]
    rows = [*rows_of(together), *(row for text in texts for row in rows_of(program("sudoku-9x9", text, "--json")[1]))]
    left_out = ("seconds", "expanded", "generated", "verified_by")
    timeless = [{name: value for name, value in row.items() if name not in left_out} for row in rows]
    assert timeless[:40] == timeless[40:]


def test_another_solver_or_option_is_another_question(program, tmp_path, counted):
    out = tmp_path / "rows.jsonl"
    for words in (("--with", "ida"), ("--with", "astar"), ("--estimate", "manhattan"), ("--with", "ida")):
        assert program("tiles-3x3", FAR, *words, "--out", out)[0] == 0
    assert [row.solver for _, row in read_rows(out)] == ["ida", "astar", "ida"]


def test_a_board_that_ran_out_of_nodes_is_tried_again_under_a_larger_limit(program, tmp_path, counted):
    out = tmp_path / "rows.jsonl"
    words = ("tiles-3x3", FAR, "--with", "astar", "--out", out)
    assert program(*words, "--nodes", 10)[0] == 1
    assert program(*words, "--nodes", 10)[0] == 1
    assert program(*words, "--nodes", 5)[0] == 1
    assert len(counted) == 1
    assert program(*words, "--nodes", 20)[0] == 1
    assert program(*words)[0] == 0
    assert program(*words)[0] == 0
    assert program(*words, "--nodes", 10**9)[0] == 0
    assert len(counted) == 3
    assert [(row.stop, row.expanded) for _, row in read_rows(out)][:2] == [("nodes", 10), ("nodes", 20)]


def test_ctrl_c_shows_and_keeps_the_best_answer_so_far_and_the_next_call_searches_on(program, tmp_path, monkeypatch):
    from puzzlelab.engine import solving as module

    out, real = tmp_path / "rows.jsonl", module.attempts_of

    def interrupted(*arguments):
        for attempt in real(*arguments):
            yield attempt
            if isinstance(attempt, Result) and attempt.length != 1:
                raise KeyboardInterrupt

    monkeypatch.setattr(module, "attempts_of", interrupted)
    words = ("--with", "beam", "--estimate", "manhattan", "--out", out)
    code, said, err = program("tiles-3x3", ONE, FAR, TWO, *words)
    assert code == 130
    assert "moves, not proven optimal" in said
    assert "board 3" not in said
    assert err.startswith("interrupted: 1 of 3 boards are done; with the same --out the next call goes on")
    assert [(row.board, row.stop) for _, row in read_rows(out)] == [(ONE, "done"), (FAR, "interrupted")]
    monkeypatch.undo()
    assert program("tiles-3x3", ONE, FAR, *words, "--nodes", 50_000)[0] == 0
    kept = [row for _, row in read_rows(out)]
    assert [row.board for row in kept] == [ONE, FAR, FAR]
    assert kept[2].length <= kept[1].length


def test_a_large_board_in_a_long_notation_is_not_asked_again_either(program, tmp_path, counted):
    board = "[[" + "],  [".join(", ".join(str(8 * row + i + 1) for i in range(8)) for row in range(8)) + "]]"
    board = board.replace("63, 64", "0, 63")
    assert len(board) > 200
    out = tmp_path / "rows.jsonl"
    for _ in range(2):
        assert program("tiles-8x8", board, "--with", "ida", "--out", out)[0] == 0
    assert len(counted) == 1
    assert [row.length for _, row in read_rows(out)] == [1]


def test_a_row_that_was_half_written_is_written_again(program, tmp_path, counted):
    out = tmp_path / "rows.jsonl"
    program("tiles-3x3", ONE, TWO, "--out", out)
    out.write_bytes(out.read_bytes()[:-30])
    assert program("tiles-3x3", ONE, TWO, "--out", out)[0] == 0
    assert counted == [ONE, TWO, TWO]
    assert [row.length for _, row in read_rows(out)] == [1, 2]


def test_a_second_program_is_refused_and_the_first_goes_on(program, tmp_path):
    out = tmp_path / "rows.jsonl"
    program("tiles-3x3", ONE, "--out", out)
    with out.open("ab") as file:
        file.write(b'{"puzzle": "til')
    before = out.read_bytes()
    with only_writer(out):
        code, printed, err = program("tiles-3x3", ONE, TWO, "--out", out)
        assert (code, printed, err) == (2, "", f"error: another program is writing to {out}\n")
    assert out.read_bytes() == before
    assert program("tiles-3x3", ONE, TWO, "--out", out)[0] == 0


def test_a_full_disk_leaves_whole_rows_and_the_next_call_goes_on(program, on_full_disk, tmp_path):
    out = tmp_path / "rows.jsonl"
    program("tiles-3x3", ONE, "--out", out)
    size = out.stat().st_size
    code, err = on_full_disk(size + 100, RUN_PROGRAM, "solve", "tiles-3x3", ONE, TWO, "--out", out)
    assert (code, err) == (2, f"error: cannot write {out}: File too large\n")
    assert out.stat().st_size == size
    assert program("tiles-3x3", ONE, TWO, "--out", out)[0] == 0
    assert [row.length for _, row in read_rows(out)] == [1, 2]


def test_rows_into_a_pipe(program, tmp_path):
    pipe, received = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    program("tiles-3x3", ONE, TWO, "--out", pipe)
    reader.join()
    assert [row["length"] for row in rows_of(received[0])] == [1, 2]


def test_boards_from_a_pipe(program, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(f"\ufeff{ONE}\r\n{TWO}"))
    writer.start()
    code, out, _ = program("tiles-3x3", "--file", pipe, "--json")
    writer.join()
    assert code == 0
    assert [row["length"] for row in rows_of(out)] == [1, 2]


def test_a_line_without_an_end_is_not_read_as_a_whole(program, tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 10**6)
    path = tmp_path / "boards.txt"
    path.write_text(f"{ONE}\n" + "1 " * 10**6)
    sentence = "line 2: longer than 1 million characters"
    assert program("tiles-3x3", "--file", path) == (2, "", f"error: {path}, {sentence}\n")
    assert program("tiles-3x3", stdin=path.read_bytes()) == (2, "", f"error: standard input, {sentence}\n")
    path.write_text("\n" + "x" * 2 * 10**6)
    with pytest.raises(BadFile, match=sentence):
        list(read_rows(path))


# --- what is typed wrong --------------------------------------------------------------------------


def test_what_a_question_is_agrees_between_the_library_and_the_command_line(program, tmp_path):
    from puzzlelab.engine.solving import solve
    from puzzlelab.storage.row_columns import row_of

    puzzle, out = load("tiles-3x3"), tmp_path / "rows.jsonl"
    program("tiles-3x3", FAR, "--with", "astar", "--estimate", "conflicts", "--out", out)
    chosen = solver("astar", puzzle, estimate="conflicts")
    result = solve(chosen, puzzle.read(FAR), Limit())
    ((_, row),) = read_rows(out)
    assert row.question == row_of(result, chosen, Limit()).question


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_each_better_solution_is_a_line_on_standard_error(program, jobs) -> None:
    """What standard output says is the same, but for the seconds."""
    words = ["tiles-3x3", TWO, FAR, "--with", "depth-first", "--depth", "40", "--json", "--jobs", jobs]
    code, quiet, silence = program(*words)
    other_code, rows, lines = program(*words, "--verbose")
    assert (code, other_code) == (0, 0)
    assert "solution" not in silence
    plain, verbose = rows_of(quiet), rows_of(rows)
    assert [{**row, "seconds": 0} for row in plain] == [{**row, "seconds": 0} for row in verbose]
    of_board = {1: [], 2: []}
    for line in lines.splitlines():
        if match := re.fullmatch(r"board (.): solution: (\d+) moves, .*s, ([\d,]+) states expanded", line):
            of_board[int(match[1])].append(int(match[2]))
    assert of_board[1] == [2]
    assert len(of_board[2]) > 2
    assert of_board[2] == sorted(set(of_board[2]), reverse=True)
    assert of_board[2][-1] == verbose[1]["length"] == 31


def test_a_solution_is_drawn_and_a_board_without_one_is_not(program, tmp_path) -> None:
    path = tmp_path / "film.svg"
    code, answer, said = program("tiles-3x3", TWO, "--picture", path)
    assert (code, said) == (0, f"the solution is drawn in {path}\n")
    assert "2 moves, proven optimal" in answer
    assert path.read_text(encoding="utf-8").count("aria-label") == 3
    code, _, said = program("tiles-3x3", ODD, "--picture", tmp_path / "none.svg")
    assert (code, said) == (1, "")
    assert not (tmp_path / "none.svg").exists()


@pytest.mark.parametrize(
    ("words", "note", "moves", "steps"),
    [
        ((), "U, D, L, R: the way the tile slides", "D R U U L L", ("D", "L")),
        (("--as", "counts"), "U, D, L, R, and how often: the way the tile slides", "DRU2L2", ("D", "L")),
        (
            ("--as", "words", "--letters", "blank"),
            "up, down, left, right: the way the blank moves",
            "up left down down right right",
            ("up", "right"),
        ),
        (("--as", "numbers"), "numbers: the tile that slides", "11 7 6 10 14 15", ("11", "15")),
        (("--as", "blank"), "u, d, l, r: the way the blank moves", "ulddrr", ("u", "r")),
    ],
)
def test_moves_are_printed_in_a_form_that_the_answer_tells(program, words, note, moves, steps):
    code, out, err = program("tiles-4x4", "1 2 3 4/5 7 11 8/9 6 0 12/13 10 14 15", *words)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"tiles-4x4 by ida (moves are {note})"
    assert lines[-1] == moves
    _, out, _ = program("tiles-4x4", "1 2 3 4/5 7 11 8/9 6 0 12/13 10 14 15", "--steps", *words)
    assert f"\n1. {steps[0]}\n" in out
    assert f"\n6. {steps[1]}\n" in out


def test_a_scramble_is_solved_beside_its_inverse(program):
    code, out, err = program("tiles-4x4", "--scramble", "l2u2rd", "--letters", "blank", "--json")
    assert code == 0
    assert json.loads(out)["moves"] == ["D", "R", "U", "U", "L", "L"]
    assert err.splitlines() == [
        "the board after the scramble: 1 2 3 4 5 7 11 8 9 6 0 12 13 10 14 15",
        "moves back to the goal (moves are U, D, L, R: the way the blank moves): U L D D R R",
    ]
