"""Large files of puzzles: what stands in each form, going on after anything that can happen, and what is refused."""

import json
import os
import resource
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.core.errors import BadFile, BadInput, BadOption
from puzzlelab.core.version import VERSION
from puzzlelab.puzzles.sudoku import files, generate
from puzzlelab.puzzles.sudoku.files import CELLS
from puzzlelab.puzzles.sudoku.generate import SudokuGenerator

COUNT, CHUNK, PART = 45, 10, 20
LINES = (".csv", ".txt", ".sdm")
ENDINGS = (*LINES, ".parquet")


class Interrupted(SudokuGenerator):
    """Makes the same puzzles; Ctrl-C is pressed after so many batches."""

    after: ClassVar[int] = 0

    def batches(self, count, seed=0, jobs=None, first=0):
        for number, batch in enumerate(super().batches(count, seed, jobs, first)):
            if number == self.after:
                raise KeyboardInterrupt
            yield batch


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small batches and small parts, so that few puzzles make several of them."""
    monkeypatch.setattr(generate, "CHUNK", CHUNK)
    monkeypatch.setattr(files, "PART", PART)


@pytest.fixture
def made(tmp_path):
    """Writes a file in one go, and returns its path."""

    def write(name, count=COUNT, seed=3, told=lambda rows: None, generator=None, jobs=1):
        path = tmp_path / name
        (generator or SudokuGenerator(mix="even")).write(path, count, seed, jobs, told)
        return path

    return write


def interrupt(path, after, count=COUNT, seed=3):
    Interrupted.after = after
    with pytest.raises(KeyboardInterrupt):
        Interrupted(mix="even").write(path, count, seed, 1, lambda rows: None)


def note_of(path):
    return path.with_name(f"{path.name}.making")


def pairs(path):
    """The puzzles and solutions of a file, read by other means; blanks are dots."""
    if path.suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = parquet.read_table(path).to_pydict()
        return list(zip(columns["puzzle"], columns["solution"], strict=True))
    lines = path.read_text().splitlines()
    if path.suffix == ".csv":
        assert lines[0] == "puzzle,solution"
        return [tuple(line.split(",")) for line in lines[1:]]
    if path.suffix == ".txt":
        return [(line.split("  ")[0].replace("0", "."), line.split("  ")[1]) for line in lines]
    return [(line, None) for line in lines]


@contextmanager
def largest_file(size) -> Iterator[None]:
    """As on a full disk: no file of this process can be larger."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# --- what stands in a file ------------------------------------------------------------------------


def test_every_form_holds_the_same_puzzles(made):
    pytest.importorskip("pyarrow")
    first = pairs(made("a.csv"))
    assert len(first) == len(set(first)) == COUNT
    assert pairs(made("a.txt")) == pairs(made("a.parquet")) == first
    assert pairs(made("a.sdm")) == [(puzzle, None) for puzzle, _ in first]


def test_a_file_holds_what_the_generator_makes(made):
    puzzle = load("sudoku-9x9")
    batches = list(SudokuGenerator(mix="even").batches(COUNT, 3))
    expected = [
        (puzzle.write(board), puzzle.write(solution))
        for boards, solutions in batches
        for board, solution in zip(boards, solutions, strict=True)
    ]
    assert pairs(made("a.csv")) == expected


def test_every_solution_is_one_of_its_puzzle(made):
    puzzle = load("sudoku-9x9")
    for clues, solution in pairs(made("a.txt")):
        grid = puzzle.read(solution).state
        assert puzzle.solved(grid)
        board = puzzle.read(clues).state
        assert ((board == 0) | (board == grid)).all()


@pytest.mark.parametrize(
    ("ending", "pattern", "header"),
    [
        (".csv", r"[.1-9]{81},[1-9]{81}", "puzzle,solution\n"),
        (".txt", r"[0-9]{81}  [1-9]{81}", ""),
        (".sdm", r"[.1-9]{81}", ""),
    ],
)
def test_lines_are_as_the_form_says(made, ending, pattern, header):
    import re

    text = made(f"a{ending}").read_bytes().decode()
    assert re.fullmatch(f"{re.escape(header)}({pattern}\n){{{COUNT}}}", text)


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_else_is_left(made, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = made(f"a{ending}")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(("count", "rows"), [(1, [0, 1]), (10, [0, 10]), (25, [0, 10, 20, 25])])
def test_it_is_told_how_many_rows_there_are(made, ending, count, rows):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    told = []
    path = made(f"a{ending}", count, told=told.append)
    assert told == rows
    assert len(pairs(path)) == count


def test_jobs_change_nothing(made):
    assert made("one.csv", jobs=1).read_bytes() == made("three.csv", jobs=3).read_bytes()


def test_folders_are_made(made):
    assert len(pairs(made("deep/down/a.csv", 3))) == 3


def test_parquet_has_two_columns_of_text(made):
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    schema = parquet.read_schema(made("a.parquet"))
    assert [(field.name, str(field.type)) for field in schema] == [("puzzle", "string"), ("solution", "string")]


# --- going on -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("after", [0, 1, 2, 3, 4])
def test_an_interrupted_file_is_gone_on_with(made, tmp_path, ending, after):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"a{ending}"
    interrupt(path, after)
    assert note_of(path).exists()
    told = []
    made(path.name, told=told.append)
    kept = CHUNK * after // PART * PART if ending == ".parquet" else CHUNK * after
    assert told[0] == kept
    assert told[-1] == COUNT
    assert path.read_bytes() == made(f"whole{ending}").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name, f"whole{ending}"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_interrupted_again_and_again(made, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"a{ending}"
    for after in (2, 0, 2):
        interrupt(path, after)
    made(path.name)
    assert path.read_bytes() == made(f"whole{ending}").read_bytes()


def test_what_was_made_before_ctrl_c_can_be_read(made, tmp_path):
    path = tmp_path / "a.csv"
    interrupt(path, 3)
    assert pairs(path) == pairs(made("whole.csv"))[: 3 * CHUNK]


@pytest.mark.parametrize("ending", LINES)
def test_half_a_line_at_the_end_is_cut_off(made, tmp_path, ending):
    whole, path = made(f"whole{ending}").read_bytes(), tmp_path / f"a{ending}"
    form = files.FORMS[ending]
    head, width = len(form.header), form.width
    cuts = {0, 1, head - 1, head, head + 1, head + width - 1, head + width, head + width + 1}
    cuts |= {head + 7 * width + 80, head + 20 * width, len(whole) - 1, len(whole)}
    for cut in sorted(cuts & set(range(len(whole) + 1))):
        path.unlink(missing_ok=True)
        interrupt(path, 1)
        path.write_bytes(whole[:cut])
        told = []
        made(path.name, told=told.append)
        assert told[0] == max(0, (cut - head) // width)
        assert path.read_bytes() == whole
        assert not note_of(path).exists()


def test_a_note_without_a_file_begins_anew(made, tmp_path):
    path = tmp_path / "a.csv"
    interrupt(path, 2)
    path.unlink()
    made(path.name)
    assert path.read_bytes() == made("whole.csv").read_bytes()


@pytest.mark.parametrize("left", ["writing", "joined"])
def test_half_a_part_is_made_again(made, tmp_path, left):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    interrupt(path, 3)
    (tmp_path / "a.parquet.parts" / left).write_bytes(b"PAR1 and then the light went out")
    made(path.name)
    assert path.read_bytes() == made("whole.parquet").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.parquet", "whole.parquet"]


@pytest.mark.parametrize("moment", ["before joining", "before the parts are removed", "before the note is removed"])
def test_ctrl_c_while_parquet_is_finished(made, tmp_path, monkeypatch, moment):
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    path = tmp_path / "a.parquet"
    owner, name, ending = {
        "before joining": (parquet, "ParquetWriter", ""),
        "before the parts are removed": (type(path), "unlink", ".arrow"),
        "before the note is removed": (type(path), "unlink", ".making"),
    }[moment]
    real = getattr(owner, name)

    def press(place, *values, **named):
        if str(place).endswith(ending):
            raise KeyboardInterrupt
        return real(place, *values, **named)

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, press)
        with pytest.raises(KeyboardInterrupt):
            made(path.name)
    assert note_of(path).exists()
    made(path.name)
    assert path.read_bytes() == made("whole.parquet").read_bytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.parquet", "whole.parquet"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_pipe_is_no_file(made, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"a{ending}"
    os.mkfifo(path)
    with pytest.raises(BadFile, match=f"{path} is a (pipe|device), not a file"):
        made(path.name)
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_that_is_no_unicode(made):
    pytest.importorskip("pyarrow")
    path = made(os.fsdecode(b"\xff.parquet"), 25)
    assert made(path.name, 10) == path
    assert files.clue_counts(path).sum() == 25


@pytest.mark.parametrize("ending", LINES)
def test_a_full_disk_is_told_and_gone_on_from(made, tmp_path, ending):
    whole, path = made(f"whole{ending}").read_bytes(), tmp_path / f"a{ending}"
    room = len(whole) * 2 // 3
    with largest_file(room), pytest.raises(BadFile) as caught:
        made(path.name)
    assert str(caught.value) == f"cannot write {path}: File too large"
    assert path.read_bytes() == whole[: path.stat().st_size]
    assert 0 < path.stat().st_size <= room
    made(path.name)
    assert path.read_bytes() == whole


def test_a_full_disk_under_parquet(made, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    with largest_file(2048), pytest.raises(BadFile) as caught:
        made(path.name)
    assert str(caught.value).startswith(f"cannot write {path}: ")
    made(path.name)
    assert path.read_bytes() == made("whole.parquet").read_bytes()


def test_puzzles_that_do_not_come_up_leave_what_was_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "TRIES", 3)
    path = tmp_path / "a.csv"
    with pytest.raises(BadOption, match=r"3 full grids gave no such puzzle: clues=17"):
        SudokuGenerator(clues=17).write(path, 5, 0, 1, lambda rows: None)


# --- asked again ----------------------------------------------------------------------------------


def made_again(made, path, count, **other):
    """Writes a file again; returns how many rows it has, as it is reported."""
    rows = []
    made(path.name, count, told=rows.append, **other)
    return rows[-1]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_complete_file_is_not_changed(made, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = made(f"a{ending}")
    before = path.read_bytes()
    for count in (COUNT, COUNT - 1, 1):
        assert made_again(made, path, count) == COUNT
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("few", [1, PART, PART + 3, 2 * PART])
def test_a_complete_file_is_continued_to_a_larger_count(made, tmp_path, ending, few):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = made(f"a{ending}", few)
    assert made_again(made, path, COUNT) == COUNT
    whole = made(f"whole{ending}")
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(tmp_path.iterdir()) == [path, whole]


@pytest.mark.parametrize("settings", [{"mix": "doubling"}, {"clues": (25, 30)}, {"level": 2}, {"hard": 3}])
def test_a_larger_count_begins_with_the_same_puzzles(made, settings):
    few, many = (made(f"{count}.csv", count, generator=SudokuGenerator(**settings)) for count in (13, 45))
    assert many.read_bytes().startswith(few.read_bytes())


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("more", [1, 30])
def test_a_file_that_was_begun_is_continued_to_another_count(made, tmp_path, ending, more):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"a{ending}"
    interrupt(path, 3)
    made(path.name, COUNT + more)
    assert path.read_bytes() == made(f"whole{ending}", COUNT + more).read_bytes()
    assert not note_of(path).exists()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_was_begun_and_has_more_is_not_changed(made, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"a{ending}"
    interrupt(path, 3)
    if ending == ".parquet":
        with pytest.raises(BadFile, match=f"^{path} is not complete, and has more than 5 boards: give the --count it"):
            made(path.name, 5)
    else:
        before = path.read_bytes()
        assert made_again(made, path, 5) == 3 * CHUNK
        assert path.read_bytes() == before
    made(path.name)
    assert path.read_bytes() == made(f"whole{ending}").read_bytes()


@pytest.mark.parametrize("damage", [b"", b"\0\0\0"])
@pytest.mark.parametrize("ending", LINES)
def test_rows_without_a_readable_note_are_compared(made, tmp_path, ending, damage):
    """A power cut may come before the note is on the disk."""
    path = tmp_path / f"a{ending}"
    interrupt(path, 3)
    note_of(path).write_bytes(damage)
    made(path.name)
    assert path.read_bytes() == made(f"whole{ending}").read_bytes()


@pytest.mark.parametrize("ending", LINES)
def test_rows_that_a_power_cut_left_empty_are_made_again(made, tmp_path, ending):
    path = tmp_path / f"a{ending}"
    interrupt(path, 3)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 500)
        file.truncate(path.stat().st_size + 1000)
    made(path.name)
    assert path.read_bytes() == made(f"whole{ending}").read_bytes()


def test_parts_that_no_note_describes_are_not_used(made, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    interrupt(path, 3)
    note_of(path).unlink()
    made(path.name, seed=8)
    assert path.read_bytes() == made("whole.parquet", seed=8).read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_complete_file_of_other_puzzles_is_left_alone(made, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = made(f"a{ending}")
    before = path.read_bytes()
    for other in ({"seed": 4}, {"generator": SudokuGenerator()}, {"generator": SudokuGenerator(mix="doubling")}):
        with pytest.raises(BadFile, match="exists already, and holds something else"):
            made(path.name, **other)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("change", [lambda data: data[:-82], lambda data: data[:-1], lambda data: data + b"mine\n"])
def test_a_complete_file_that_was_edited_is_left_alone(made, change):
    path = made("a.csv")
    path.write_bytes(change(path.read_bytes()))
    before = path.read_bytes()
    with pytest.raises(BadFile, match="exists already, and holds something else"):
        made(path.name)
    assert path.read_bytes() == before


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_second_program_is_refused(made, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path, refused = tmp_path / f"a{ending}", []

    def write_again(rows):
        if not refused:
            with pytest.raises(BadInput, match=f"^another program is writing to {path}$") as caught:
                made(path.name)
            refused.append(caught)

    made(path.name, told=write_again)
    assert path.read_bytes() == made(f"whole{ending}").read_bytes()


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_exists_is_left_alone(made, tmp_path, ending):
    path = tmp_path / f"a{ending}"
    path.write_text("mine")
    with pytest.raises(BadFile) as caught:
        made(path.name)
    assert (
        str(caught.value) == f"{path} exists already, and holds something else: give another name, or remove it first"
    )
    assert path.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a.xyz", "a", "a.csv.gz", ".csv"])
def test_endings_that_say_no_form(made, tmp_path, name):
    with pytest.raises(BadFile) as caught:
        made(name)
    assert str(caught.value) == (
        f"{tmp_path / name} ends in none of .csv, .txt, .sdm, .parquet, which say the form of the file"
    )
    assert not list(tmp_path.iterdir())


def test_the_note_says_what_is_made(tmp_path):
    path = tmp_path / "a.csv"
    interrupt(path, 2)
    held = json.loads(note_of(path).read_text())
    assert {name: held[name] for name in ("count", "seed", "version")} == {
        "count": COUNT,
        "seed": 3,
        "version": VERSION,
    }
    assert held["settings"]["mix"] == "even"
    assert held["settings"].keys() == SudokuGenerator.model_fields.keys()


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 4},
        {"generator": SudokuGenerator(mix="doubling")},
        {"generator": SudokuGenerator()},
    ],
    ids=["seed", "mix", "no mix"],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_begun_with_other_settings_is_left_alone(made, tmp_path, ending, other):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"a{ending}"
    interrupt(path, 3)
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(BadFile) as caught:
        made(path.name, **other)
    assert f"{path} was begun with other settings (" in str(caught.value)
    assert str(caught.value).endswith(f"remove it and {note_of(path)} to begin anew")
    assert (path.read_bytes() if path.exists() else None) == before
    made(path.name)
    assert path.read_bytes() == made(f"whole{ending}").read_bytes()


def test_a_file_begun_by_another_version_is_left_alone(made, tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    interrupt(path, 3)
    before = path.read_bytes()
    monkeypatch.setattr(files, "VERSION", "99.0")
    with pytest.raises(BadFile, match="was begun with other settings"):
        made(path.name)
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", [b'{"count": 4', b"\xff\xfe\x00", b"hello"])
def test_a_damaged_note(made, tmp_path, damage):
    path = tmp_path / "a.csv"
    interrupt(path, 3)
    before = path.read_bytes()
    note_of(path).write_bytes(damage)
    with pytest.raises(BadFile) as caught:
        made(path.name)
    assert str(caught.value) == f"{note_of(path)} says nothing that can be read: remove it together with {path}"
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", [b"[]", b"3", b"null", b"{}"])
def test_a_note_of_something_else(made, tmp_path, damage):
    path = tmp_path / "a.csv"
    interrupt(path, 3)
    note_of(path).write_bytes(damage)
    with pytest.raises(BadFile, match="was begun with other settings"):
        made(path.name)


@pytest.mark.parametrize("ending", ENDINGS)
def test_places_that_cannot_be_written(made, tmp_path, ending):
    (tmp_path / "file").write_text("")
    (tmp_path / f"b{ending}.making").mkdir()
    for name, place in ((f"file/a{ending}", f"file/a{ending}"), (f"b{ending}", f"b{ending}.making")):
        with pytest.raises(BadFile) as caught:
            made(name)
        assert str(caught.value).startswith(f"cannot write {tmp_path / place}: ")


def test_parquet_without_pyarrow(made, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(BadInput, match=r"Parquet files need pyarrow: pip install 'puzzlelab\[table\]'"):
        made("a.parquet")


# --- counting clues -------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ENDINGS)
def test_clues_are_counted(made, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = made(f"a{ending}")
    totals = files.clue_counts(path)
    expected = np.zeros(CELLS + 1, int)
    for puzzle, _ in pairs(path):
        expected[CELLS - puzzle.count(".")] += 1
    assert totals.tolist() == expected.tolist()
    assert totals.sum() == COUNT
    assert np.count_nonzero(totals) > 5


def test_full_grids_have_81_clues(made):
    totals = files.clue_counts(made("a.txt", 5, generator=SudokuGenerator(clues=81)))
    assert np.flatnonzero(totals).tolist() == [81]


# --- power cuts ---


@pytest.mark.parametrize("ending", LINES)
@pytest.mark.parametrize("lost", [1, 400, 10_000])
def test_nul_bytes_at_the_end_are_written_again(made, tmp_path, ending, lost):
    whole = made(f"whole{ending}").read_bytes()
    path = tmp_path / f"b{ending}"
    interrupt(path, 3)
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[: max(0, size - lost)] + bytes(min(size, lost)))
    assert made(f"b{ending}").read_bytes() == whole
    assert not note_of(path).exists()


def test_a_file_whose_name_is_refused_leaves_no_note(made, tmp_path):
    with pytest.raises(BadFile, match=r"ends in none of"):
        made("a.pdf")
    assert not list(tmp_path.iterdir())


def test_parts_of_a_complete_file_are_not_taken_for_those_of_another(made, tmp_path):
    pytest.importorskip("pyarrow")
    whole = pairs(made("whole.parquet", seed=4))
    interrupt(tmp_path / "b.parquet", 4, seed=3)
    note_of(tmp_path / "b.parquet").unlink()  # the program was killed when it had removed the note of a complete file
    assert pairs(made("b.parquet", seed=4)) == whole


def test_parts_after_a_gap_are_made_again(made, tmp_path):
    pytest.importorskip("pyarrow")
    whole = pairs(made("whole.parquet", count=65))
    path = tmp_path / "b.parquet"
    interrupt(path, 6, count=65)
    (tmp_path / "b.parquet.parts" / "part-000000.arrow").unlink()
    assert pairs(made("b.parquet", count=65)) == whole


def test_parts_of_rows_are_left_as_they_are(tmp_path):
    pytest.importorskip("pyarrow")
    from puzzlelab.storage.row import Row
    from puzzlelab.storage.row_files import RowFile, read_rows

    path, kept = tmp_path / "rows.parquet", tmp_path / "kept"
    with RowFile(path) as file:
        file.append([Row(puzzle="p", board="b", solver="s")])
        file._store._write()
        shutil.copytree(tmp_path / "rows.parquet.parts", kept)
    path.unlink()
    kept.rename(tmp_path / "rows.parquet.parts")
    with pytest.raises(BadFile, match="holds parts of something else"):
        SudokuGenerator(mix="even").write(path, 3, 0, 1, lambda rows: None)
    assert [row.board for _, row in read_rows(path)] == ["b"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["rows.parquet.parts"]
