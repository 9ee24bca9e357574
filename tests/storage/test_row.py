import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from puzzlelab.core.errors import BadBoard, BadFile
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.registry import make_solver
from puzzlelab.core.result import Result
from puzzlelab.core.verify import confirmed
from puzzlelab.core.views import Estimates
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_columns import RowColumns, row_of
from puzzlelab.storage.row_files import RowFile, read_rows
from puzzlelab.version import VERSION

TWO = "1 2 3 4 5 6 0 7 8"


def verified(puzzle: Puzzle, result: Result) -> Result:
    """The result for the board of two moves."""
    return confirmed(replace(result, instance=puzzle.read(TWO)))[0]


def row(**values: Any) -> Row:
    """A row that tells of the two moves that solve a board."""
    told = {"puzzle": "tiles-3x3", "board": TWO, "solver": "ida", "moves": ["L", "L"], "length": 2, "verified": True}
    return Row(**{**told, **values})


def ended(stop: str, **limit: float) -> Row:
    """A row without an answer."""
    return row(moves=None, length=None, verified=False, stop=stop, limit=limit)


def opened(path: Path) -> RowFile:
    """The file as the next writer reads it; its lock is given back."""
    with RowFile(path) as file:
        return file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.jsonl"


# --- one row ---


def test_a_row_tells_all_of_an_answer(eight: Puzzle) -> None:
    solver = make_solver("ida", {"estimate": "manhattan"})
    result = Result((2, 2), "optimal", lower_bound=2, expanded=3, generated=5, evaluations=7, seconds=0.12345678)
    found = row_of(verified(eight, result), solver, Limit(seconds=9, memory=2**40), "123/456", seed=4)
    assert found.to_json() == json.dumps(
        {
            "puzzle": "tiles-3x3",
            "board": "123/456",
            "solver": "ida",
            "options": dict(solver.options()),
            "net": None,
            "seed": 4,
            "limit": {"seconds": 9, "nodes": None, "memory": 2**40},
            "version": VERSION,
            "moves": ["L", "L"],
            "length": 2,
            "proof": "optimal",
            "reason": "",
            "stop": "done",
            "lower_bound": 2,
            "seconds": 0.123457,
            "expanded": 3,
            "generated": 5,
            "evaluations": 7,
            "verified": True,
            "verified_by": "plain",
        }
    )


def test_a_row_names_the_estimate_that_was_left_to_the_puzzle(eight: Puzzle) -> None:
    found = row_of(verified(eight, Result(None)), make_solver("ida", {}), Limit())
    assert found.options["estimate"] == eight.view(Estimates).estimate().name
    assert (found.moves, found.length) == (None, None)
    assert not row_of(verified(eight, Result((2,))), make_solver("bfs", {}), Limit()).verified  # a wrong answer


@pytest.mark.parametrize(
    "told",
    [
        row(),
        row(moves=None, length=None, proof="unsolvable", reason="wrong parity ½"),
        row(moves=[], length=0, seed=3, net="abc", options={"estimate": "pdb:1,2/3", "weight": 1.5, "width": None}),
        row(limit={"seconds": 0.5, "nodes": None, "memory": 2**33}, error="it failed"),
        row(board="1 2\n3 ?"),
    ],
)
def test_json_and_back(told: Row) -> None:
    text = told.to_json()
    assert "\n" not in text
    assert Row.model_validate_json(text) == told


def test_columns_of_a_later_version_are_passed_over() -> None:
    assert Row.model_validate_json(json.dumps({**json.loads(row().to_json()), "mood": "good"})) == row()


def test_the_question_is_all_but_the_answer_and_the_limit() -> None:
    same = [row(), ended("time", seconds=1), row(seconds=3.0, expanded=5, version="9")]
    assert len({each.question for each in same}) == 1
    assert row(options={"a": 1, "b": 2}).question == row(options={"b": 2, "a": 1}).question
    others = [
        row(board="other"),
        row(puzzle="tiles-4x4"),
        row(solver="bfs"),
        row(options={"estimate": "pdb"}),
        row(net="a"),
        row(seed=1),
    ]
    assert len({each.question for each in [row(), *others]}) == 1 + len(others)


@pytest.mark.parametrize(
    ("told", "limit", "settled"),
    [
        (row(), Limit(), True),
        (ended("dead end"), Limit(), True),
        (ended("interrupted", nodes=9), Limit(nodes=9), False),
        (ended("time", seconds=5), Limit(seconds=5), True),
        (ended("time", seconds=5), Limit(seconds=4), True),
        (ended("time", seconds=5), Limit(seconds=6), False),
        (ended("time", seconds=5), Limit(), False),
        (ended("nodes", nodes=5), Limit(nodes=6), False),
        (ended("memory", memory=5), Limit(memory=5), True),
        (ended("memory"), Limit(memory=5), True),
    ],
)
def test_an_answer_that_a_limit_ended_is_settled_until_a_larger_one(told: Row, limit: Limit, settled: bool) -> None:
    assert told.settles(limit) == settled


# --- checking a row ---


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (row(moves=["L", "U"]), "move 2 of 2, U, cannot be made on 1 2 3 4 5 6 7 0 8"),
        (row(moves=["L", "X"]), "move 2 of 2: 'X' is no move"),
        (row(moves=["L"]), "after all 1 moves the board is"),
        (row(length=3), "says length 3, and gives 2 moves"),
        (row(length=None), "says length None, and gives 2 moves"),
        (row(moves=None), "says length 2, and gives 0 moves"),
        (row(board="1 2 3 4 5 6 0 7 7"), "place 9: tile 7 stands here"),
        (row(lower_bound=3), "fewer than its own lower bound 3"),
        (row(proof="optimal", lower_bound=1), "claims 2 moves optimal with a lower bound of 1"),
        (row(error="no memory"), "holds no answer: no memory"),
    ],
)
def test_every_fault_of_a_row_is_a_verdict(eight: Puzzle, told: Row, words: str) -> None:
    assert row().check(eight).holds
    verdict = told.check(eight)
    assert not verdict.holds
    assert words in verdict.reason


def test_what_replaying_cannot_check_is_said(eight: Puzzle) -> None:
    claim = {"moves": None, "length": None, "proof": "unsolvable"}
    assert row(board="1 2 3 4 5 6 8 7 0", **claim).check(eight).reason == ""
    assert row(**claim).check(eight).reason == "unsolvable by search, which replaying cannot check"


def test_the_result_of_a_row_has_its_moves_as_numbers(eight: Puzzle) -> None:
    assert row(moves=["U", "D", "L", "R"], lower_bound=1).result(eight) == Result(
        (0, 1, 2, 3), lower_bound=1, seconds=None
    )
    with pytest.raises(BadBoard, match="^move 2 of 2: '' is no move"):
        row(moves=["U", ""]).result(eight)


# --- files of rows ---


def test_rows_are_read_with_their_lines(path: Path) -> None:
    path.write_text(f"{row().to_json()}\n\n  \n{row(seed=1).to_json()}\n")
    assert list(read_rows(path)) == [(1, row()), (4, row(seed=1))]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("no row", "Invalid JSON"),
        ("[1, 2]", "object"),
        ('{"puzzle": "tiles-3x3", "board": "1"}', "'solver' Field required"),
        ('{"puzzle": "tiles-3x3", "board": "1", "solver": "ida", "moves": 2}', "'moves' "),
        ('{"puzzle": "tiles-3x3", "board": "1", "solver": "ida", "proof": "sure"}', "'proof' "),
        ("\xff\x00" * 5000, "Invalid JSON"),
    ],
)
def test_a_line_that_is_no_row_is_named(path: Path, line: str, words: str) -> None:
    path.write_bytes(f"{row().to_json()}\n\n".encode() + line.encode("latin-1") + b"\n")
    with pytest.raises(BadFile) as caught:
        list(read_rows(path))
    assert str(caught.value).startswith(f"{path}, line 3: no row of results (")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 200 + len(str(path))


@pytest.mark.parametrize(
    ("told", "limit", "is_taken"),
    [
        (ended("time", seconds=5), Limit(seconds=5), True),
        (ended("time", seconds=5), Limit(seconds=50), False),
        (ended("interrupted", seconds=5), Limit(seconds=1), False),
        (ended("time", hours=5, seconds=2), Limit(seconds=2), True),  # a kind that nobody knows
        (ended("time", hours=5, seconds=2), Limit(seconds=3), False),
    ],
)
def test_a_row_that_ran_out_of_its_limit_is_asked_again_under_a_larger_one(
    path: Path, told: Row, limit: Limit, is_taken: bool
) -> None:
    opened(path).append(RowColumns.of([told]))
    assert opened(path).take(row(), [TWO], limit)[0] == (told if is_taken else None)


def test_appending_makes_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "rows.jsonl"
    opened(path).append(RowColumns.of([row()]))
    assert list(read_rows(path)) == [(1, row())]


def test_where_nothing_can_be_written_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match="cannot write .*rows.jsonl: "):
        opened(tmp_path / "file" / "rows.jsonl").append(RowColumns.of([row()]))
    with pytest.raises(BadFile, match="cannot write .*: Is a directory"):
        opened(tmp_path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_device_is_not_read_and_is_explained() -> None:
    file = opened(Path("/dev/full"))
    with pytest.raises(BadFile, match="cannot write /dev/full: No space left on device"):
        file.append(RowColumns.of([row()]))


def test_control_characters_of_the_name_of_a_file_are_shown(tmp_path, caplog) -> None:
    path = tmp_path / "x\x1b[31mred"
    path.write_text('{"puzzle": "tiles')
    assert list(read_rows(path)) == []
    (record,) = caplog.records
    assert r"x\x1b[31mred, line 1: its program was stopped" in record.getMessage()
