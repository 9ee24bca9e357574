"""New Sudokus, as they are asked for: `generate sudoku-9x9`, and what other puzzles say to the same wishes."""

import os
import re
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.cli.main import run
from puzzlelab.core.limit import Limit
from puzzlelab.core.views import levels_of
from puzzlelab.engine import enumeration
from puzzlelab.puzzles.sudoku import generate
from puzzlelab.puzzles.sudoku.generate import LEVELS
from puzzlelab.solvers.dancing_links import DancingLinks
from puzzlelab.storage.outputs import LineOutput, only_writer

RUN_PROGRAM = "from puzzlelab.cli.main import run; run()"
# A shell that starts the tests in the background has its children ignore Ctrl-C; this takes that back.
LISTENING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from puzzlelab.cli.main import run; run()"
)


@pytest.fixture
def program(program):
    """Runs `generate` with these words; returns (exit code, standard output, standard error)."""
    return partial(program, "generate")


@pytest.fixture
def made(program):
    """The boards that are printed for these words."""

    def call(*words):
        code, out, err = program("sudoku-9x9", *words)
        assert (code, err) == (0, "")
        boards = out.splitlines()
        assert all(re.fullmatch(r"[.1-9]{81}", board) for board in boards)
        return boards

    return call


def clues(board):
    return 81 - board.count(".")


def number_of_solutions(board, most=2):
    """Up to two, by the solver that has nothing to do with the generator."""
    return enumeration.count(DancingLinks(), load("sudoku-9x9").read(board), Limit(), most).solutions


# --- boards ---------------------------------------------------------------------------------------


def test_one_minimal_board_is_the_usual_wish(made):
    (board,) = made()
    assert number_of_solutions(board) == 1
    assert made("--minimal") == [board]
    for place in range(81):
        if board[place] != ".":
            assert number_of_solutions(board[:place] + "." + board[place + 1 :]) == 2


def test_the_levels_of_a_range_come_up_alike(made):
    levels = [generate.level_of(clues(board)) for board in made("--level", "2-4", "--count", 300)]
    assert set(levels) == {2, 3, 4}
    assert min(map(levels.count, (2, 3, 4))) > 75


def test_a_range_of_clues(made):
    assert {clues(board) for board in made("--clues", "30-32", "--count", 60)} == {30, 31, 32}


@pytest.mark.parametrize(("scale", "level"), [("clues", 33), ("level", 2)])
def test_scales(made, scale, level):
    for board in made("--scale", scale, "--level", level, "--count", 4):
        assert levels_of(load("sudoku-9x9"), load("sudoku-9x9").read(board).state[None])[0][scale] == level


def test_most_boards_of_level_5_that_may_have_several_solutions_have_them(made):
    boards = made("--level", 5, "--allow-multiple", "--count", 20)
    assert sum(number_of_solutions(board) == 2 for board in boards) > 10


# --- the same boards ------------------------------------------------------------------------------


def test_jobs_make_the_same_boards(made, monkeypatch):
    expected = made("--mix", "even", "--count", 23)
    monkeypatch.setattr(generate, "CHUNK", 4)
    assert made("--mix", "even", "--count", 23, "--jobs", 5) == expected


# --- what cannot be made --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--level", 2, "--clues", 30), "ask for puzzles by level or by clues, not by both"),
        (("--clues", -1), "'-1' is no range of levels"),
        (("--symmetry", "spiral"), "the option 'symmetry' cannot be 'spiral': Input should be 'none', 'half-turn', "),
        (("--level", "hard"), "'hard' is no range of levels; write 10-20, or 15"),
        (("--level", "4-9", "--count", 3), "the levels of sudoku-9x9 go from 1 to 5, not from 4 to 9"),
        (("--hard", 5, "--allow-multiple"), "a puzzle that is minimal or hard has one solution"),
        (("--scale", "clue"), "there is no scale of sudoku-9x9 'clue'; did you mean 'clues'?"),
        (("--histogram", "a.png"), "--histogram draws the boards of --out; name a file with --out"),
    ],
)
def test_wishes_that_cannot_be_had_are_answered_with_a_sentence(program, words, sentence):
    code, _, err = program("sudoku-9x9", *words)
    assert code == 2
    assert err.startswith("error: ")
    assert sentence in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("words", [("--count", 0), ("--seed", -1), ("--jobs", 0), ("--clues", "many")])
def test_numbers_that_make_no_sense(program, words):
    code, out, err = program("sudoku-9x9", *words)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("sudoku-4x4",), "sudoku-4x4 cannot make boards of its own; give a file of them"),
        (("tiles-3x3", "--mix", "even"), "tiles-3x3 makes boards by scale and level only"),
        (("tiles-3x3", "--histogram", "a.png"), "tiles-3x3 makes boards by scale and level only"),
    ],
)
def test_other_puzzles_say_what_they_cannot_make(program, words, sentence):
    assert program(*words) == (2, "", f"error: {sentence}\n")


# --- files ----------------------------------------------------------------------------------------


def boards_in(path):
    """The puzzles of a file, with dots."""
    if path.suffix == ".parquet":
        return pytest.importorskip("pyarrow.parquet").read_table(path).to_pydict()["puzzle"]
    lines = path.read_text().splitlines()[path.suffix == ".csv" :]
    return [line[:81].replace("0", ".") for line in lines]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_files_hold_the_boards_that_are_printed(program, made, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"boards{ending}"
    words = ("--mix", "even", "--count", 40, "--seed", 2)
    code, out, err = program("sudoku-9x9", *words, "--out", path)
    assert (code, err) == (0, "")
    assert out.startswith(f"40 boards in {path}, ")
    assert boards_in(path) == made(*words)


def test_a_summary_by_level(program, tmp_path):
    path = tmp_path / "boards.csv"
    _, out, _ = program("sudoku-9x9", "--mix", "even", "--count", 200, "--out", path)
    numbers = [clues(board) for board in boards_in(path)]
    for level, (least, most) in LEVELS.items():
        part = [number for number in numbers if least <= number <= most]
        row = rf"^ {level} +{min(part)}-{max(part)} +{len(part)} +{len(part) / 2:.1f}% +{np.mean(part):.2f} *$"
        assert re.search(row, out, re.MULTILINE)


def test_solve_reads_what_was_made(program, tmp_path, monkeypatch, capsys):
    path = tmp_path / "boards.csv"
    program("sudoku-9x9", "--level", 4, "--count", 12, "--out", path)
    monkeypatch.setattr(sys, "argv", ["puzzlelab", "solve", "sudoku-9x9", "--file", str(path), "--as", "csv"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in lines] == boards_in(path)
    assert lines == path.read_text().splitlines()[1:]


@pytest.mark.parametrize(("ending", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_a_histogram(program, tmp_path, ending, start):
    pytest.importorskip("matplotlib")
    image = tmp_path / f"clues{ending}"
    words = ("--mix", "even", "--count", 30, "--out", tmp_path / "boards.txt", "--histogram", image)
    code, out, err = program("sudoku-9x9", *words)
    assert (code, err) == (0, "")
    assert out.endswith(f"\n{image}\n")
    assert image.read_bytes().startswith(start)


def test_an_image_of_another_kind_is_refused_before_anything_is_made(program, tmp_path):
    image = tmp_path / "clues.pdf"
    words = ("--out", tmp_path / "boards.csv", "--histogram", image)
    assert program("sudoku-9x9", *words) == (2, "", f"error: {image} is no image: its name must end in .png or .svg\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["boards.xyz", "boards", "boards.csv.gz"])
def test_endings_that_say_no_form(program, tmp_path, name):
    path = tmp_path / name
    sentence = f"error: {path} ends in none of .csv, .txt, .sdm, .parquet, which say the form of the file\n"
    assert program("sudoku-9x9", "--out", path) == (2, "", sentence)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [(), ("--level", "2-3"), ("--scale", "clues", "--level", 30)])
def test_a_file_that_exists_is_left_alone(program, tmp_path, words):
    path = tmp_path / "boards.csv"
    path.write_text("mine")
    code, out, err = program("sudoku-9x9", *words, "--out", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path} holds something else: its line 1 is 'mine', not 'puzzle,solution'; ")
    assert path.read_text() == "mine"


def test_a_complete_file_is_not_changed(program, tmp_path):
    path = tmp_path / "boards.csv"
    words = ("sudoku-9x9", "--mix", "even", "--out", path, "--count")
    assert program(*words, 30)[0] == 0
    before = path.read_bytes()
    for count, more in ((30, ""), (7, ", more than the 7 of --count")):
        code, out, err = program(*words, count)
        assert (code, err) == (0, "")
        assert out.startswith(f"{path} has 30 boards already{more}: nothing was changed\n")
        assert path.read_bytes() == before
    assert program(*words, 40)[0] == 0
    assert path.read_bytes().startswith(before)


def test_a_second_program_is_refused(program, tmp_path):
    path = tmp_path / "boards.csv"
    with only_writer(path):
        code, out, err = program("sudoku-9x9", "--out", path)
    assert (code, out, err) == (2, "", f"error: another program is writing to {path}\n")


def test_what_is_no_image_is_refused_before_anything_is_made(program, tmp_path):
    image = tmp_path / "clues.png"
    image.write_text("notes")
    code, _, err = program("sudoku-9x9", "--out", tmp_path / "boards.csv", "--histogram", image)
    sentence = f"error: {image} exists already, and is no image: give another name, or remove it first\n"
    assert (code, err) == (2, sentence)
    assert list(tmp_path.iterdir()) == [image]


@pytest.mark.parametrize("words", [("--level", "2-3"), ("--scale", "clues", "--level", 30)])
def test_scales_and_ranges_write_the_form_that_the_ending_says(program, tmp_path, words):
    path = tmp_path / "boards.csv"
    assert program("sudoku-9x9", *words, "--count", 2, "--out", path)[0] == 0
    assert re.fullmatch(r"puzzle,solution\n([.1-9]{81},[1-9]{81}\n){2}", path.read_text())


@pytest.mark.parametrize("out", [".", "", "/"])
def test_names_that_are_no_file(program, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    code, said, err = program("sudoku-9x9", "--out", out)
    assert (code, said) == (2, "")
    assert err.startswith("error: ")
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written(program, tmp_path):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "boards.csv"
    code, out, err = program("sudoku-9x9", "--out", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: cannot write {path}: ")


def test_a_full_disk(program, on_full_disk, tmp_path):
    path, whole = tmp_path / "boards.csv", tmp_path / "whole.csv"
    words = ("sudoku-9x9", "--level", 1, "--count", 20)
    program(*words, "--out", whole)
    chunks = "from puzzlelab.puzzles.sudoku import generate; generate.CHUNK = 5"
    code, err = on_full_disk(1000, f"{chunks}\n{RUN_PROGRAM}", "generate", *words, "--out", path)
    assert (code, err) == (2, f"error: cannot write {path}: File too large\n")
    assert whole.read_bytes().startswith(path.read_bytes())
    assert program(*words, "--out", path)[0] == 0
    assert path.read_bytes() == whole.read_bytes()


# --- going on -------------------------------------------------------------------------------------


@pytest.fixture
def begun(program, tmp_path, monkeypatch):
    """Begins `boards` with this ending, is interrupted after some boards, and returns (path, words that go on)."""

    def begin(ending):
        path = tmp_path / f"boards{ending}"
        words = ("sudoku-9x9", "--mix", "even", "--count", 40, "--out", path)
        monkeypatch.setattr(generate, "CHUNK", 5)
        with monkeypatch.context() as patched:
            real, calls = LineOutput.flush, []

            def flush(self):
                real(self)
                calls.append(self)
                if len(calls) == 4:
                    raise KeyboardInterrupt

            patched.setattr(LineOutput, "flush", flush)
            code, out, err = program(*words)
        assert (code, out) == (130, "")
        said = re.fullmatch(r"error: interrupted after (\d+) of 40 boards; repeat the command to continue\n", err)
        assert 3 <= int(said[1]) <= len(boards_in(path)) < 40
        return path, words

    return begin


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_ctrl_c_keeps_what_is_there_and_the_same_command_goes_on(program, begun, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path, words = begun(ending)
    code, out, err = program(*words)
    assert (code, err) == (0, "")
    assert out.startswith(f"40 boards in {path}, ")
    whole = tmp_path / f"whole{ending}"
    program(*words[:-1], whole)
    assert path.read_bytes() == whole.read_bytes()
    growing = [each.with_name(f"{each.name}.jsonl") for each in (path, whole) if ending == ".parquet"]
    assert sorted(tmp_path.iterdir()) == sorted([path, whole, *growing])


def test_half_a_line_is_made_whole(program, begun, tmp_path):
    path, words = begun(".csv")
    program(*words[:-1], tmp_path / "whole.csv")
    made_next = (tmp_path / "whole.csv").read_text().splitlines()[len(path.read_text().splitlines())]
    with path.open("ab") as file:
        file.write(made_next[:7].encode())
    program(*words)
    program(*words[:-1], tmp_path / "whole.csv")
    assert path.read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.mark.parametrize("other", [("--seed", 1), ("--symmetry", "half-turn")])
def test_a_file_begun_with_other_wishes_is_left_alone(program, begun, other):
    path, words = begun(".csv")
    before = path.read_bytes()
    code, out, err = program(*words, *other)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path} holds something else: its line ")
    assert path.read_bytes() == before


def test_other_jobs_may_go_on(program, begun, tmp_path):
    path, words = begun(".csv")
    assert program(*words, "--jobs", 3)[0] == 0
    program(*words[:-1], tmp_path / "whole.csv")
    assert path.read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_an_edited_last_board_is_noticed(program, begun):
    path, words = begun(".csv")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:-1], lines[-2]]))
    before = path.read_bytes()
    code, _, err = program(*words)
    assert (code, err.partition(": its line")[0]) == (2, f"error: {path} holds something else")
    assert path.read_bytes() == before


def test_a_parquet_file_without_its_growing_file_is_not_continued(program, begun):
    pytest.importorskip("pyarrow")
    path, words = begun(".parquet")
    path.with_name("boards.parquet.jsonl").unlink()
    before = path.read_bytes()
    sentence = f"error: {path} cannot be continued without boards.parquet.jsonl, from which it was made: "
    assert program(*words) == (2, "", f"{sentence}give another name\n")
    assert path.read_bytes() == before


def test_a_pipe_is_no_file(program, tmp_path):
    path = tmp_path / "boards.csv"
    os.mkfifo(path)
    assert program("sudoku-9x9", "--out", path) == (2, "", f"error: {path} is a pipe, not a file\n")
    assert list(tmp_path.iterdir()) == [path]


def test_folders_are_made(program, tmp_path):
    assert program("sudoku-9x9", "--out", tmp_path / "a" / "b" / "boards.csv")[0] == 0
    assert len((tmp_path / "a" / "b" / "boards.csv").read_text().splitlines()) == 2


def test_every_form_holds_the_same_boards_and_their_solutions(program, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    for ending in ("csv", "txt", "sdm", "parquet"):
        assert program("sudoku-9x9", "--mix", "even", "--count", 30, "--out", tmp_path / f"a.{ending}")[0] == 0
    pairs = [line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines()[1:]]
    puzzle = load("sudoku-9x9")
    for board, solution in pairs:
        state, end = puzzle.read(board).state, puzzle.read(solution).state
        assert puzzle.solved(end)
        assert ((state == 0) | (state == end)).all()
    assert [line.replace("0", ".").split("  ") for line in (tmp_path / "a.txt").read_text().splitlines()] == pairs
    assert (tmp_path / "a.sdm").read_text().splitlines() == [board for board, _ in pairs]
    table = parquet.read_table(tmp_path / "a.parquet")
    assert {name: str(kind) for name, kind in zip(table.schema.names, table.schema.types, strict=True)} == {
        "puzzle": "string",
        "solution": "string",
    }
    assert [[row["puzzle"], row["solution"]] for row in table.to_pylist()] == pairs


def test_parquet_without_pyarrow(program, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    sentence = "error: Parquet files need pyarrow: pip install 'puzzlelab[table]'\n"
    assert program("sudoku-9x9", "--out", tmp_path / "a.parquet") == (2, "", sentence)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)], ids=["Ctrl-C", "killed"]
)
def test_a_process_that_ends_too_soon_is_gone_on_from(program, tmp_path, how, code):
    path, whole = tmp_path / "boards.csv", tmp_path / "whole.csv"
    words = ("sudoku-9x9", "--level", "1", "--count", "12000", "--out")
    with subprocess.Popen(
        [sys.executable, "-c", LISTENING, "generate", *words, str(path), "--jobs", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        deadline = time.monotonic() + 300
        while not path.exists() or path.stat().st_size < 1000 * 164:
            assert time.monotonic() < deadline
            assert child.poll() is None, child.stderr.read()
            time.sleep(0.01)
        child.send_signal(how)
        _, err = child.communicate(timeout=300)
    assert child.returncode == code
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    if how == signal.SIGINT:
        said = [line for line in err.splitlines() if not line.startswith(("Compiling ", "Another process "))]
        assert len(said) == 1
        assert re.fullmatch(
            r"error: interrupted after [0-9,]+ of 12,000 boards; repeat the command to continue", said[0]
        )
    kept = path.read_bytes()
    assert 1000 * 164 <= len(kept) < 12_000 * 164
    assert program(*words, path)[0] == 0
    assert path.read_bytes().startswith(kept)
    program(*words, whole)
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(tmp_path.iterdir()) == [path, whole]


@pytest.mark.parametrize("lost", [1, 60, 100_000])
def test_nul_bytes_of_a_power_cut_are_written_again(program, tmp_path, lost):
    words = ("dust-4x3x3", "--count", 20, "--seed", 3, "--out")
    assert program(*words, tmp_path / "whole.txt")[0] == 0
    whole = (tmp_path / "whole.txt").read_bytes()
    head = whole.index(b"seed 3\n") + len(b"seed 3\n")
    path, kept = tmp_path / "b.txt", max(head, len(whole) - lost)
    path.write_bytes(whole[:kept] + bytes(len(whole) - kept) + b"1\n")
    assert program(*words, path)[0] == 0
    assert path.read_bytes() == whole
