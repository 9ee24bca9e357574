"""The rows of many boards as columns are the rows that are made one by one."""

import csv
from typing import Any

import numpy as np
import pytest
from tests.objectives import Runs, Tolls

from puzzlelab import load, solver
from puzzlelab.core import puzzle as core_puzzle
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.result_batch import ResultBatch
from puzzlelab.core.solver import Solver
from puzzlelab.engine.solving import AnswerBatch, answers_of
from puzzlelab.jobs.row_batch import RowBatch
from puzzlelab.storage.row import unanswered
from puzzlelab.storage.row_columns import COLUMNS, RowList, arrow_schema, row_of_record, rows_of_table

ONE, TWO, ODD = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "1 2 3 4 5 6 8 7 0"
HARD = "8 6 7 2 5 4 3 0 1"
RESULTS = [
    Result((2, 2), "optimal", lower_bound=2, expanded=3, generated=5, evaluations=7, seconds=0.12345678),
    Result(None, "unsolvable", "wrong parity ½"),
    Result(None, stop="nodes", lower_bound=4, expanded=2**40, tried=(0, 1, 2), seconds=1e-9, batch="b1"),
    Result((), stop="patience", seconds=1e20, batch="b1"),
    Result(None, stop="dead end", reason='a "quoted" reason'),
    Result((3,), cost=-5, score=2**40, upper_bound=0),
]


def rows_of(puzzle: Puzzle, chosen_solver: Solver, texts: list[str], limit: Limit | None = None) -> RowBatch:
    """The rows of these boards, solved together."""
    limit = limit or Limit()
    boards, places, errors = [], [], {}
    for place, text in enumerate(texts):
        try:
            boards.append(puzzle.read(text))
            places.append(place)
        except BadBoard as error:
            errors[place] = str(error)
    answers: Any = answers_of(chosen_solver, Boards.of(boards), limit) if boards else []
    return RowBatch(unanswered(puzzle, "", chosen_solver, limit), texts, answers, np.array(places), errors)


def synthetic() -> RowBatch:
    """Rows with a value in every column, which no solver has given."""
    puzzle = load("tiles-3x3")
    boards = Boards.of([puzzle.read(TWO)] * len(RESULTS))
    verified_by = np.array([1, 1, 0, 2, 0, 2], np.uint8)
    answers = AnswerBatch(ResultBatch.of(boards, RESULTS), verified_by, boards.states, verified_by == 2)
    shared = unanswered(puzzle, "", solver("ida"), Limit(seconds=1.5, memory=2**40), seed=4)
    texts = ["a", "1\n2", 'half "½"', "", "bad", "c", "d", "no board"]
    return RowBatch(shared, texts, answers, np.array([0, 1, 2, 3, 5, 6]), {4: "a reason ½", 7: "another"})


BATCHES = {
    "solved, unsolvable and no boards": lambda: rows_of(
        load("tiles-3x3"), solver("ida"), [ONE, "1 2", ODD, TWO, "", TWO]
    ),
    "no boards at all": lambda: rows_of(load("tiles-3x3"), solver("ida"), ["1 2", "x"]),
    "ended by a limit": lambda: rows_of(load("tiles-3x3"), solver("ida"), [HARD, ONE], Limit(nodes=5)),
    "unsolved": lambda: rows_of(load("tiles-3x3"), solver("greedy", estimate="manhattan"), [HARD, ONE, ODD]),
    "Sudoku": lambda: rows_of(load("sudoku-4x4"), solver("dancing-links"), ["1...", "." * 15 + "1", "11" + "." * 14]),
    "costs": lambda: rows_of(Tolls(((1, 9, 1), (1, 9, 1), (1, 1, 1))), solver("astar"), ["0", "1", "8"]),
    "scores": lambda: rows_of(Runs(), solver("astar"), ["aabbaabbcc", "ab", "A" * 50, "aa"]),
    "every column": synthetic,
    "empty": lambda: rows_of(load("tiles-3x3"), solver("ida"), []),
}


@pytest.fixture(params=BATCHES)
def batch(request: pytest.FixtureRequest) -> RowBatch:
    return BATCHES[request.param]()


def test_lines_are_those_of_single_rows(batch: RowBatch) -> None:
    rows = batch.rows()
    assert [row.board for row in rows] == batch.texts
    assert {place: row.error for place, row in enumerate(rows) if row.error} == batch.errors
    assert batch.json_lines() == [row.to_json() for row in rows]


def test_records_are_those_of_single_rows(batch: RowBatch) -> None:
    assert batch.csv_records() == RowList(batch.rows()).csv_records()


def test_tables_are_those_of_single_rows(batch: RowBatch) -> None:
    pytest.importorskip("pyarrow")
    table, rows = batch.to_arrow(), batch.rows()
    assert table.schema == arrow_schema()
    assert table.to_pylist() == RowList(rows).to_arrow().to_pylist()
    assert rows_of_table(table) == rows


def test_records_can_be_read_again(batch: RowBatch) -> None:
    records = csv.reader(batch.csv_records())
    assert [row_of_record(COLUMNS, record) for record in records] == batch.rows()


def test_lines_of_a_puzzle_with_very_many_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    core_puzzle.move_names.cache_clear()
    monkeypatch.setattr(core_puzzle, "MOST_NAMES", 3)
    rows = synthetic()
    assert rows.json_lines() == [row.to_json() for row in rows.rows()]
    assert rows.csv_records() == RowList(rows.rows()).csv_records()
    core_puzzle.move_names.cache_clear()


def test_answers_of_any_kind_will_do() -> None:
    columns = synthetic()
    rows = RowBatch(columns.shared, columns.texts, list(columns.answers), columns.places, columns.errors)
    assert rows.json_lines() == columns.json_lines()
