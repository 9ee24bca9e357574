"""New Sudokus, as they are asked for: `generate sudoku-9x9`, and what other puzzles say to the same wishes."""

import re
import sys
from functools import partial

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.cli.main import run
from puzzlelab.core.limit import Limit
from puzzlelab.engine import enumeration
from puzzlelab.puzzles.sudoku import generate
from puzzlelab.puzzles.sudoku.generate import LEVELS
from puzzlelab.solvers.dancing_links import DancingLinks
from puzzlelab.storage.board_files import board_blocks
from puzzlelab.storage.outputs import LineOutput, only_writer
from puzzlelab.text.board_blocks import read_blocks


@pytest.fixture
def new(program):
    """Runs `generate` with these words; returns (exit code, standard output, standard error)."""
    return partial(program, "generate")


@pytest.fixture
def generated(new):
    """The same with the seed 0, if the words name none."""

    def call(*words, **options):
        return new(*words, *([] if "--seed" in words else ["--seed", "0"]), **options)

    return call


@pytest.fixture
def made(generated):
    """The boards that are printed for these words."""

    def call(*words):
        code, out, err = generated("sudoku-9x9", *words)
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


# --- seeds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("puzzle", ["sudoku-9x9", "tiles-3x3", "dust-4x3x3"])
def test_boards_are_new_at_each_call_and_their_seed_makes_them_again(new, puzzle):
    (code, first, err), (_, second, _) = new(puzzle, "--count", "20"), new(puzzle, "--count", "20")
    assert (code, first == second) == (0, False)
    seed = re.fullmatch(r"seed (\d+)\n", err)[1]
    assert new(puzzle, "--count", "20", "--seed", seed) == (0, first, "")


@pytest.mark.parametrize("ending", [".txt", ".csv", ".parquet"])
def test_a_file_goes_on_with_its_seed(new, tmp_path, ending):
    path, whole = tmp_path / f"boards{ending}", tmp_path / f"whole{ending}"
    _, _, err = new("sudoku-9x9", "--out", path, "--count", "3")
    seed = re.match(r"seed (\d+)\n", err)[1]
    assert "seed" not in new("sudoku-9x9", "--out", path, "--count", "5")[2]
    new("sudoku-9x9", "--out", whole, "--count", "5", "--seed", seed)
    assert path.read_bytes() == whole.read_bytes()
    kept = path.with_name(f"{path.name}.seed")
    assert kept.read_text() == f"{seed}\n"
    kept.write_text("five")
    code, _, err = new("sudoku-9x9", "--out", path, "--count", "6")
    assert (code, err) == (2, f"error: {kept} has no seed: give the one of these boards by --seed\n")


def test_notes_in_the_place_of_a_seed_stay(new, tmp_path):
    path, notes = tmp_path / "boards.txt", tmp_path / "boards.txt.seed"
    notes.write_text("my notes")
    code, _, err = new("tiles-3x3", "--count", "3", "--seed", "1", "--out", path)
    assert (code, err) == (2, f"error: {notes} is something else than a seed, and is not replaced\n")
    assert (notes.read_text(), path.exists()) == ("my notes", False)


# --- boards ---------------------------------------------------------------------------------------


def test_one_minimal_board_is_the_usual_wish(made):
    (board,) = made()
    assert number_of_solutions(board) == 1
    assert made("--minimal") == [board]
    assert {number_of_solutions(board[:place] + "." + board[place + 1 :]) for place in range(81)} == {1, 2}


# --- the same boards ------------------------------------------------------------------------------


def test_jobs_make_the_same_boards(made, monkeypatch):
    expected = made("--mix", "even", "--count", 23)
    monkeypatch.setattr(generate, "CHUNK", 4)
    assert made("--mix", "even", "--count", 23, "--jobs", 5) == expected


# --- what cannot be made --------------------------------------------------------------------------


# --- files ----------------------------------------------------------------------------------------


def boards_in(path):
    """The puzzles of a file, with dots."""
    if path.suffix == ".parquet":
        return pytest.importorskip("pyarrow.parquet").read_table(path).to_pydict()["puzzle"]
    lines = path.read_text().splitlines()[path.suffix == ".csv" :]
    return [line[:81].replace("0", ".") for line in lines]


def test_a_summary_by_level(generated, tmp_path):
    path = tmp_path / "boards.csv"
    _, out, _ = generated("sudoku-9x9", "--mix", "even", "--count", 200, "--out", path)
    numbers = [clues(board) for board in boards_in(path)]
    for level, (least, most) in LEVELS.items():
        part = [number for number in numbers if least <= number <= most]
        row = rf"^ {level} +{min(part)}-{max(part)} +{len(part)} +{len(part) / 2:.1f}% +{np.mean(part):.2f} *$"
        assert re.search(row, out, re.MULTILINE)


def test_solve_reads_what_was_made(generated, tmp_path, monkeypatch, capsys):
    path = tmp_path / "boards.csv"
    generated("sudoku-9x9", "--level", 4, "--count", 12, "--out", path)
    monkeypatch.setattr(sys, "argv", ["puzzlelab", "solve", "sudoku-9x9", "--file", str(path), "--as", "csv"])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in lines] == boards_in(path)
    assert lines == path.read_text().splitlines()[1:]


def test_a_histogram(generated, tmp_path):
    pytest.importorskip("matplotlib")
    image = tmp_path / "clues.svg"
    words = ("--mix", "even", "--count", 30, "--out", tmp_path / "boards.txt", "--histogram", image)
    code, out, err = generated("sudoku-9x9", *words)
    assert (code, err) == (0, "")
    assert out.endswith(f"\n{image}\n")
    assert image.read_text().startswith("<?xml")


def test_a_complete_file_is_not_changed(generated, tmp_path):
    path = tmp_path / "boards.csv"
    words = ("sudoku-9x9", "--mix", "even", "--out", path, "--count")
    assert generated(*words, 30)[0] == 0
    before = path.read_bytes()
    for count, more in ((30, ""), (7, ", more than the 7 of --count")):
        code, out, err = generated(*words, count)
        assert (code, err) == (0, "")
        assert out.startswith(f"{path} has 30 boards already{more}: nothing was changed\n")
        assert path.read_bytes() == before
    assert generated(*words, 40)[0] == 0
    assert path.read_bytes().startswith(before)


def test_a_second_program_is_refused(generated, tmp_path):
    path = tmp_path / "boards.csv"
    with only_writer(path):
        code, out, err = generated("sudoku-9x9", "--out", path)
    assert (code, out, err) == (2, "", f"error: another program is writing to {path}\n")


@pytest.mark.parametrize("words", [("--level", "2-3"), ("--scale", "clues", "--level", 30)])
def test_scales_and_ranges_write_the_form_that_the_ending_says(generated, tmp_path, words):
    path = tmp_path / "boards.csv"
    assert generated("sudoku-9x9", *words, "--count", 2, "--out", path)[0] == 0
    assert re.fullmatch(r"puzzle,solution\n([.1-9]{81},[1-9]{81}\n){2}", path.read_text())


# --- going on -------------------------------------------------------------------------------------


@pytest.fixture
def begun(generated, tmp_path, monkeypatch):
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
            code, out, err = generated(*words)
        assert (code, out) == (130, "")
        said = re.fullmatch(r"interrupted after (\d+) of 40 boards; repeat the command to continue\n", err)
        assert 3 <= int(said[1]) <= len(boards_in(path)) < 40
        return path, words

    return begin


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_ctrl_c_keeps_what_is_there_and_the_same_command_goes_on(generated, begun, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path, words = begun(ending)
    code, out, err = generated(*words)
    assert (code, err) == (0, "")
    assert out.startswith(f"40 boards in {path}, ")
    whole = tmp_path / f"whole{ending}"
    generated(*words[:-1], whole)
    assert path.read_bytes() == whole.read_bytes()
    growing = [each.with_name(f"{each.name}.jsonl") for each in (path, whole) if ending == ".parquet"]
    seeds = [each.with_name(f"{each.name}.seed") for each in (path, whole)]
    assert sorted(tmp_path.iterdir()) == sorted([path, whole, *growing, *seeds])


def test_a_file_begun_with_other_wishes_is_left_alone(generated, begun):
    path, words = begun(".csv")
    before = path.read_bytes()
    code, out, err = generated(*words, "--symmetry", "half-turn")
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {path} holds something else: its line ")
    assert path.read_bytes() == before


def test_every_form_holds_the_same_boards_and_their_solutions(generated, tmp_path):
    parquet, folder = pytest.importorskip("pyarrow.parquet"), tmp_path / "new"
    for ending in ("csv", "txt", "sdm", "parquet"):
        assert generated("sudoku-9x9", "--mix", "even", "--count", 30, "--out", folder / f"a.{ending}")[0] == 0
    pairs = [line.split(",") for line in (folder / "a.csv").read_text().splitlines()[1:]]
    puzzle = load("sudoku-9x9")
    for board, solution in pairs:
        state, end = puzzle.read(board).state, puzzle.read(solution).state
        assert puzzle.solved(end)
        assert ((state == 0) | (state == end)).all()
    assert [line.replace("0", ".").split("  ") for line in (folder / "a.txt").read_text().splitlines()] == pairs
    assert (folder / "a.sdm").read_text().splitlines() == [board.replace(".", "0") for board, _ in pairs]
    table = parquet.read_table(folder / "a.parquet")
    assert {name: str(kind) for name, kind in zip(table.schema.names, table.schema.types, strict=True)} == {
        "puzzle": "string",
        "solution": "string",
    }
    assert [[row["puzzle"], row["solution"]] for row in table.to_pylist()] == pairs


def test_nul_bytes_of_a_power_cut_are_written_again(generated, tmp_path):
    words = ("dust-4x3x3", "--count", 20, "--seed", 3, "--out")
    assert generated(*words, tmp_path / "whole.txt")[0] == 0
    whole = (tmp_path / "whole.txt").read_bytes()
    head = whole.index(b"seed 3\n") + len(b"seed 3\n")
    path, kept = tmp_path / "b.txt", max(head, len(whole) - 60)
    path.write_bytes(whole[:kept] + bytes(len(whole) - kept) + b"1\n")
    assert generated(*words, path)[0] == 0
    assert path.read_bytes() == whole


@pytest.mark.parametrize("name", ["tiles-2x3", "dust-4x3x3"])
@pytest.mark.parametrize("ending", ["txt", "csv", "jsonl", "parquet"])
def test_the_ending_says_the_form_for_every_puzzle(generated, tmp_path, name, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path, puzzle = tmp_path / f"new.{ending}", load(name)
    assert generated(name, "--count", 3, "--out", path)[0] == 0
    assert generated(name, "--count", 12, "--out", path)[0] == 0
    boards = [state for block in read_blocks(puzzle, board_blocks(path), "file") for state in block.states]
    printed = generated(name, "--count", 12)[1].splitlines()
    assert [puzzle.write(state) for state in boards] == printed


@pytest.mark.parametrize("ending", [".npz", ".CSV", ".json", ".boards"])
def test_an_ending_of_no_form_is_refused_before_a_board_is_made(generated, tmp_path, ending):
    path = tmp_path / f"new{ending}"
    sentence = f"error: {path} ends in none of .txt, .csv, .jsonl, .html, .parquet, which say the form of the file\n"
    assert generated("tiles-4x4", "--out", path) == (2, "", sentence)
    assert not path.exists()
