import gzip
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from puzzlelab.bench import runs, suites
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, BadOption, UnknownName, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import levels_of
from puzzlelab.puzzles.sudoku.logic.scales import rate_on
from puzzlelab.text.reader import guess

ONE, TWO = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8"
Write = Callable[..., Path]
DATA = Path(__file__).parents[1] / "data"


def test_columns_are_board_length_and_whether_it_is_optimal(file: Write) -> None:
    path = file(f"# puzzle: tiles-3x3\n\n{ONE}\t1\topt\tmore\n{TWO}\t4\tub\n{ONE}\t1\n{TWO}\n{ONE}\t-\t-\n")
    assert suites.read(path).entries == (
        SuiteEntry(ONE, known=1, known_is_optimal=True),
        SuiteEntry(TWO, known=4),
        SuiteEntry(ONE, known=1),
        SuiteEntry(TWO),
        SuiteEntry(ONE),
    )


def test_what_cannot_be_read_is_told_with_its_line_and_stops_nothing_else(file: Write) -> None:
    path = file(f"# puzzle: tiles-3x3\n1 2 3\t1\topt\n{ONE}\tlong\n{TWO}\t2\topt\n1 2 3 4 5 6 7 8 8\n")
    suite = suites.read(path)
    assert [entry.board for entry in suite.entries] == [TWO]
    assert len(suite.faults) == 3
    assert suite.faults[0] == f"{path}, line 3: 'long' in the second column is no length"
    assert suite.faults[1].startswith(f"{path}, line 2: ")
    assert suite.faults[2].startswith(f"{path}, line 5: ")


def test_a_line_tells_the_level_of_the_boards_below_it(file: Write) -> None:
    path = file(f"# puzzle: tiles-3x3\n{ONE}\n# level: 7\n{TWO}\t2\n{ONE}\n# level: many\n#level:12\n{TWO}\n")
    assert [entry.level for entry in suites.read(path).entries] == [None, 7, 7, 12]
    assert [entry.level for entry in suites.at_level(suites.read(path), 3).entries] == [3] * 4


def test_a_packed_file_is_the_same_suite(file: Write, tmp_path: Path) -> None:
    path, packed = file(f"# puzzle: tiles-3x3\n{ONE}\t1\topt\n"), tmp_path / "boards.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert suites.find(str(packed)) == suites.read(path)


def test_the_puzzle_is_the_one_that_is_named_then_the_files_own_then_a_guess(file: Write) -> None:
    guessed, told = file(f"{ONE}\n"), file("# puzzle: tiles-3x3:blank-first\n0 1 2 3 4 5 6 7 8\n", "told.txt")
    assert suites.read(guessed).puzzle.name == "tiles-3x3"
    assert suites.read(told).puzzle.name == "tiles-3x3:blank-first"
    assert suites.read(told, registry.load("tiles-3x3")).puzzle.name == "tiles-3x3"
    with pytest.raises(BadInput, match=r"does not say whose boards it holds; name the puzzle first"):
        suites.read(file("what is this\n"))


def test_files_that_hold_nothing_or_are_not_there(file: Write, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="holds no boards"):
        suites.read(file("# puzzle: tiles-3x3\n"))
    with pytest.raises(BadFile, match="cannot read"):
        suites.find(str(tmp_path / "missing.txt"))
    with pytest.raises(BadFile, match="cannot read"):
        suites.find(str(tmp_path))
    with pytest.raises(UnknownName, match="did you mean 'korf15'"):
        suites.find("korf51")


def test_a_puzzle_without_grids_has_a_board_on_each_line(file: Write, stripe: Puzzle) -> None:
    path = file("# a comment\nrr??????\n\nrr\nbb??????\n")
    suite = suites.read(path, stripe)
    assert [entry.board for entry in suite.entries] == ["rr??????", "bb??????"]
    assert suite.faults == (f"{path}, line 4: 2 cells are no stripe",)


SUDOKU = "2.698...7.3.2...5...91..6.4......8465.......1183......6.8..15...1...8.6.7...391.2"
SOLVED = "256984317431267958879153624927315846564892731183746295698421573312578469745639182"


def test_one_board_is_the_same_in_every_notation(file: Write) -> None:
    puzzle = registry.load("sudoku-9x9")
    drawn = puzzle.draw(puzzle.read(SUDOKU).state)
    hashes = set()
    for text in (SUDOKU, f"puzzle,solution\n{SUDOKU},{SOLVED}\n", SUDOKU.replace(".", "0"), f"# drawn\n{drawn}\n"):
        suite = suites.read(file(text))
        assert (suite.puzzle.name, suite.entries) == ("sudoku-9x9", (SuiteEntry(SUDOKU),))
        hashes.add(suite.hash)
    assert len(hashes) == 1


def test_a_solution_that_does_not_fit_its_puzzle_is_a_fault(file: Write) -> None:
    path = file(f"puzzle,solution\n{SUDOKU},{SOLVED}\n{SUDOKU},{SOLVED[::-1]}\n")
    (fault,) = suites.read(path).faults
    assert fault.startswith(f"{path}, line 3: character 3 (row 1, column 3): the solution beside the puzzle")


@pytest.mark.parametrize(
    ("board", "name"),
    [
        (SUDOKU, "sudoku-9x9"),
        (f"{SUDOKU},{SOLVED},3.2", "sudoku-9x9"),
        ("1...............", "sudoku-4x4"),
        ("1" + "." * 35, "sudoku-6x6"),
        ("8" + "." * 63, "sudoku-8x8"),
        ("P" + "0" * 624, "sudoku-25x25"),
        ("1 2 3 4 5 6 7 0 8", "tiles-3x3"),
        ("1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15", "tiles-4x4"),
    ],
)
def test_a_board_tells_its_puzzle(board: str, name: str) -> None:
    assert guess(board) == registry.load(name)


@pytest.mark.parametrize("text", ["", "puzzle,solution", SOLVED, "what is this sentence", "1234567890123456", "x" * 81])
def test_what_is_no_board_tells_none(text: str) -> None:
    assert guess(text) is None


@pytest.mark.parametrize(
    ("name", "count", "total"),
    [("korf15", 100, 5305), ("tiles15", 25, 1301), ("tiles24", 10, 885), ("dust8x6x5", 100, 1148)],
)
def test_the_suites_of_the_package_are_whole(name: str, count: int, total: int) -> None:
    suite = suites.find(name)
    assert not suite.faults
    assert len({entry.board for entry in suite.entries}) == count
    assert all(entry.known_is_optimal for entry in suite.entries)
    assert sum(entry.known or 0 for entry in suite.entries) == total
    text = suites.packaged()[name].read_text(encoding="utf-8")
    assert text.startswith("# puzzle: ")
    assert "licence" in text or "Artificial" in text
    assert all(suite.puzzle.objection(suite.instance(entry).state) is None for entry in suite.entries)


@pytest.mark.parametrize(
    ("name", "total", "digest", "prover"),
    [
        ("tiles8-10000", 194928, "e27912acb89ef43a", "ida"),
        ("tiles15-10000", 467358, "cbc713a6186d1f4f", "ida:estimate=pdb-663"),
        ("dust6x5x4-10000", 73617, "7233459f77f19345", "astar:estimate=colours"),
        ("dust8x6x5-10000", 114986, "30fdee573422c851", "halves"),  # another proof takes minutes a board
    ],
)
def test_the_boards_of_score_sheets_are_what_they_were_and_proven(
    name: str, total: int, digest: str, prover: str
) -> None:
    suite = suites.find(name)
    assert suite.hash == digest
    assert len({entry.board for entry in suite.entries}) == len(suite.entries) == 10_000
    assert not suite.faults
    assert all(entry.known_is_optimal for entry in suite.entries)
    assert sum(entry.known or 0 for entry in suite.entries) == total
    some = replace(suite, entries=suite.entries[::1000])
    answers = runs.run(some, runs.parse_solvers([prover]), Limit()).answers
    assert [(answer.length, answer.row.proof) for answer in answers] == [
        (each.known, "optimal") for each in some.entries
    ]


def test_the_rated_boards_of_score_sheets_are_what_they_were_and_have_one_solution() -> None:
    suite = suites.find("sudoku9x9-10000")
    assert suite.hash == "44bfa24516935b6c"
    assert not suite.faults
    assert len({entry.board for entry in suite.entries}) == len(suite.entries)
    counts = Counter(entry.level for entry in suite.entries)
    assert counts == {**dict.fromkeys((1, 2, 3, 4, 5, 6, 9), 1_000), 7: 1_500, 8: 1_500}
    some = replace(suite, entries=suite.entries[::500])
    assert {entry.level for entry in some.entries} == {*range(1, 10)}
    ratings = rate_on(some.boards(some.entries).states)
    assert [int(each.rating) for each in ratings] == [entry.level for entry in some.entries]
    answers = runs.run(some, runs.parse_solvers(["dancing-links"]), Limit()).answers
    assert {answer.row.proof for answer in answers} == {"unique"}


def test_level_six_of_the_document_begins_with_the_hundred_that_ship_alone() -> None:
    thousand, hundred = suites.find("sudoku17-1000"), suites.find("sudoku17")
    assert not thousand.faults
    assert thousand.entries[:100] == hundred.entries
    assert len({entry.board for entry in thousand.entries}) == 1000
    assert {suites.clue_count(thousand.puzzle, entry.board) for entry in thousand.entries} == {17}


def test_an_example_of_the_puzzle_is_a_suite_of_one_board(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = registry.load("sudoku-9x9")
    suite = suites.join([suites.find(name, puzzle) for name in ("inkala", "sudoku17", "easy")])
    assert (suite.name, len(suite.entries)) == ("inkala+sudoku17+easy", 102)
    assert suite.entries[0] == SuiteEntry(puzzle.write(puzzle.read("inkala").state))
    with pytest.raises(UnknownName, match="no suite, file or example 'easi'; did you mean 'easy'"):
        suites.find("easi", puzzle)
    with pytest.raises(UnknownName, match="no suite or file 'easy'"):
        suites.find("easy")
    monkeypatch.chdir(file(f"{SUDOKU}\n", "easy").parent)
    assert suites.find("easy", puzzle).entries == (SuiteEntry(SUDOKU),)


def test_a_file_comes_before_a_suite_of_the_package(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file(f"{ONE}\n", "korf15").parent)
    assert suites.find("korf15").puzzle.name == "tiles-3x3"


def test_the_hash_follows_puzzle_boards_and_order_alone() -> None:
    puzzle = registry.load("tiles-3x3")
    suite = Suite("a", puzzle, (SuiteEntry(ONE), SuiteEntry(TWO)))
    assert len(suite.hash) == 16
    assert Suite("b", puzzle, (SuiteEntry(ONE, 3, 1, True), SuiteEntry(TWO))).hash == suite.hash
    assert Suite("a", puzzle, (SuiteEntry(TWO), SuiteEntry(ONE))).hash != suite.hash
    assert Suite("a", registry.load("tiles-3x3:blank-first"), suite.entries).hash != suite.hash


def test_several_suites_are_one_if_of_one_puzzle(suite: Suite) -> None:
    joined = suites.join([suite, Suite("other", suite.puzzle, (SuiteEntry(TWO),), ("fault",))])
    assert joined.name == "small+other"
    assert joined.entries == (*suite.entries, SuiteEntry(TWO))
    assert joined.faults == ("fault",)
    with pytest.raises(BadInput, match="of one puzzle, not of tiles-3x3 and tiles-4x4"):
        suites.join([suite, suites.find("tiles15")])


def test_a_stored_suite_is_the_same_again(suite: Suite, tmp_path: Path) -> None:
    suites.save(suite, tmp_path / "new")
    assert suites.read_stored(tmp_path / "new") == suite
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["suite.json"]


def test_a_folder_takes_one_suite(suite: Suite, tmp_path: Path) -> None:
    suites.save(suite, tmp_path)
    suites.save(Suite("renamed", suite.puzzle, suite.entries), tmp_path)
    with pytest.raises(
        BadInput, match=r"holds results of 'renamed' \(5 boards of tiles-3x3, hash \w+\), not of 'other'"
    ):
        suites.save(Suite("other", suite.puzzle, suite.entries[:2]), tmp_path)


def test_a_stored_suite_that_was_changed_or_is_none(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="holds no benchmark"):
        suites.read_stored(tmp_path)
    suites.save(suite, tmp_path)
    path = tmp_path / "suite.json"
    path.write_text(path.read_text().replace(ONE, TWO))
    with pytest.raises(BadFile, match="was changed"):
        suites.read_stored(tmp_path)
    path.write_text("{}")
    with pytest.raises(BadFile, match="is no suite of a benchmark"):
        suites.read_stored(tmp_path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(BadFile, match="is a (pipe|device), not a file"):
        suites.read_stored(tmp_path)


def test_sampled_boards_depend_on_seed_and_level_alone() -> None:
    puzzle = registry.load("tiles-3x3")
    few, more = (suites.sample(puzzle, levels, "level", 3, 7) for levels in ((5, 6), (4, 6)))
    assert [entry.level for entry in few.entries] == [5, 5, 5, 6, 6, 6]
    assert more.entries[3:] == few.entries
    assert suites.sample(puzzle, (5, 6), "level", 3, 8).hash != few.hash


@pytest.mark.parametrize(
    ("puzzle", "levels", "scale", "known"),
    [
        ("tiles-3x3", (5, 7), "distance", [5, 5, 6, 6, 7, 7]),
        ("dust-4x3x3", (3, 4), "optimum", [3, 3, 4, 4]),
        ("dust-4x3x3", None, "optimum", [None, None]),
        ("dust-4x3x3", (3, 4), "backwards", [None] * 4),
        ("tiles-4x4", (5, 5), "level", [None, None]),
        ("tiles-3x3", (5, 6), "level", "in a table"),
        ("tiles-3x3", None, "uniform", "in a table"),
    ],
)
def test_a_level_that_is_the_optimum_is_known(
    puzzle: str, levels: tuple[int, int] | None, scale: str, known: Sequence[int | None]
) -> None:
    suite = suites.sample(registry.load(puzzle), levels, scale, 2, 0)
    if known == "in a table":  # then it is known whatever the scale
        states = [suite.instance(entry).state[None] for entry in suite.entries]
        known = [levels_of(suite.puzzle, state)[0]["distance"] for state in states]
    assert [entry.known for entry in suite.entries] == known
    assert [entry.known_is_optimal for entry in suite.entries] == [each is not None for each in known]
    if levels is None:
        assert {entry.level for entry in suite.entries} == {None}
        assert suite.name == f"{puzzle} {scale}, seed 0"


def test_what_cannot_be_sampled() -> None:
    puzzle = registry.load("tiles-3x3")
    with pytest.raises(UnknownName, match="no scale of tiles-3x3 'lvel'; did you mean 'level'"):
        suites.sample(puzzle, (1, 2), "lvel", 1, 0)
    with pytest.raises(BadOption):
        suites.sample(puzzle, (1000, 1000), "level", 1, 0)
    with pytest.raises(Unsupported, match="as text or as a file"):
        suites.sample(Plain(), (1, 2), None, 1, 0)  # type: ignore[arg-type]


class Plain:
    """A puzzle without a sampler."""

    name = "plain"

    def view(self, kind: type) -> None:
        return None
