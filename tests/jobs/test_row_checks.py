import pytest
from losing_executor import LosingExecutor

from puzzlelab import load
from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, UnknownName
from puzzlelab.core.limit import Limit
from puzzlelab.engine.solving import solve
from puzzlelab.jobs.row_checks import checks
from puzzlelab.storage.row_columns import RowColumns, row_of
from puzzlelab.storage.row_files import RowFile

BOARDS = ["1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "1 2 3 4 5 6 8 7 0", "0 2 3 1 5 6 4 7 8"]
LIMIT = Limit(nodes=10_000)


@pytest.fixture
def file(tmp_path):
    tiles, solver, path = load("tiles-3x3"), registry.make_solver("ida", {}), tmp_path / "rows.jsonl"
    with RowFile(path) as rows:
        solved = [row_of(solve(solver, tiles.read(board), LIMIT), solver, LIMIT) for board in BOARDS]
        rows.append(RowColumns.of(solved))
    return path


def findings(found):
    return [(check.place, check.row, check.verdict, check.outcome, check.reason) for check in found]


@pytest.mark.parametrize("limit", [None, LIMIT])
def test_rows_are_checked_as_in_one_process(file, limit):
    expected = findings(checks([file, file], limit))
    assert findings(checks([file, file], limit, executor=LosingExecutor(lambda *arguments: False))) == expected
    assert len(expected) == 2 * len(BOARDS)


def test_a_row_that_ends_its_workers_is_undecided_or_was_not_replayed(file):
    def is_lost(rows, limit):
        return any(place.line == 2 for place, _ in rows)

    proven = list(checks([file], LIMIT, executor=LosingExecutor(is_lost)))
    assert [check.outcome for check in proven] == ["proven", "undecided", "proven", "proven"]
    assert "cannot be proven: it has ended 5 workers" in proven[1].reason
    replayed = list(checks([file], executor=LosingExecutor(is_lost)))
    assert [check.verdict.holds for check in replayed] == [True, False, True, True]
    assert "cannot be replayed: it has ended 5 workers" in replayed[1].reason


@pytest.mark.parametrize(
    ("line", "error"), [('{"puzzle": 3}', BadFile), ('{"puzzle": "nothing", "board": "1"}', UnknownName)]
)
def test_rows_before_an_error_are_checked(file, line, error):
    text = file.read_text()
    if error is UnknownName:
        line = text.splitlines()[0].replace("tiles-3x3", "nothing")
    file.write_text(f"{text}{line}\n{text}")
    found = checks([file], executor=LosingExecutor(lambda *arguments: False))
    assert [next(found).place.line for _ in BOARDS] == [1, 2, 3, 4]
    with pytest.raises(error):
        next(found)
