"""The rows of many boards as columns, and what is written of them, have what the answers say."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.objectives import Runs, Tolls

from puzzlelab import load, solver
from puzzlelab.core import puzzle as core_puzzle
from puzzlelab.core.answers import Answers, BatchTime, joined
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver
from puzzlelab.engine.solving import solve_boards
from puzzlelab.storage import row_columns as row_columns_module
from puzzlelab.storage.row import Row, solution_of, solutions_of, unanswered
from puzzlelab.storage.row_columns import HEADER, RowColumns, arrow_schema, row_columns
from puzzlelab.storage.row_exports import exported_rows
from puzzlelab.text.board_blocks import read_texts

ONE, TWO, ODD = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "1 2 3 4 5 6 8 7 0"
HARD = "8 6 7 2 5 4 3 0 1"
RESULTS = [
    Result((2, 2), "optimal", lower_bound=2, expanded=3, generated=5, evaluations=7, seconds=0.12345678),
    Result(None, "unsolvable", "wrong parity ½"),
    Result(None, stop="nodes", lower_bound=4, expanded=2**40, tried=(0, 1, 2), seconds=None),
    Result((), stop="patience", seconds=None),
    Result(None, stop="dead end", reason='a "quoted" reason'),
    Result((3,), cost=-5, score=2**40, upper_bound=0),
]


class Batch(NamedTuple):
    """The arguments of `row_columns`."""

    shared: Row
    texts: list[str]
    answers: Answers

    def columns(self) -> RowColumns:
        return row_columns(*self)

    def rows(self) -> list[Row]:
        """The rows, made one by one."""
        errors = self.answers.boards.errors
        return [
            self.shared.model_copy(update={"board": text, "error": errors[place]})
            if place in errors
            else self.row(text, self.answers[place])
            for place, text in enumerate(self.texts)
        ]

    def row(self, text: str, result: Result) -> Row:
        """The row of a board with this result."""
        puzzle = result.board.puzzle
        same = ("reason", "proof", "stop", "lower_bound", "upper_bound", "expanded", "generated", "evaluations")
        columns = {name: getattr(result, name) for name in (*same, "length", "cost", "score", "verified_by")} | {
            "board": text,
            "moves": None if result.moves is None else [puzzle.write_move(move) for move in result.moves],
            "solution": solution_of(result) if result.verified_by else None,
            "solutions": solutions_of(puzzle, result.proof),
            "seconds": None if result.seconds is None else round(result.seconds, 6),
            "verified": result.verified_by is not None,
            "tried": [puzzle.write_move(move) for move in result.tried] or None,
        }
        return self.shared.model_copy(update=columns)


def rows_of(puzzle: Puzzle, chosen_solver: Solver, texts: list[str], limit: Limit | None = None) -> Batch:
    """The rows of these boards, solved together."""
    boards = read_texts(puzzle, texts, "")
    is_readable = boards.is_readable
    solved = boards[is_readable]
    parts = solve_boards(chosen_solver, solved, limit or Limit()) if len(solved) else [Answers.blank(solved)]
    answers = joined(solved, parts).among(boards, np.flatnonzero(is_readable), seconds=np.nan)
    return Batch(unanswered(puzzle, "", chosen_solver, limit or Limit()), texts, answers)


def synthetic() -> Batch:
    """Rows with a value in every column, which no solver has given."""
    puzzle = load("tiles-3x3")
    boards = Boards.of([puzzle.read(TWO)] * len(RESULTS))
    answers = replace(Answers.of(boards, RESULTS), verified_by=np.array([1, 1, 0, 2, 0, 2], np.uint8))
    answers = replace(answers, batch=BatchTime(2, 1.5))
    texts = ["a", "1\n2", 'half "½"', "", "bad", "c", "d", "no board"]
    states = np.zeros((len(texts), 9), np.uint8)
    states[[0, 1, 2, 3, 5, 6]] = boards.states
    all_boards = Boards(puzzle, states, errors={4: "a reason ½", 7: "another"})
    shared = unanswered(puzzle, "", solver("ida"), Limit(seconds=1.5, memory=2**40), seed=4)
    return Batch(shared, texts, answers.among(all_boards, np.array([0, 1, 2, 3, 5, 6]), seconds=np.nan))


def json_of(columns: RowColumns) -> str:
    return "".join(columns.json_texts())


def csv_of(columns: RowColumns) -> str:
    return "".join(columns.csv_texts())


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


@pytest.fixture(scope="module", params=BATCHES)
def batch(request: pytest.FixtureRequest) -> Batch:
    return BATCHES[request.param]()


def test_lines_are_those_of_single_rows(batch: Batch) -> None:
    rows, columns = batch.rows(), batch.columns()
    assert columns.rows() == rows
    expected = "".join(f"{row.to_json()}\n" for row in rows)
    assert json_of(columns) == json_of(RowColumns.of(rows)) == expected
    assert csv_of(columns) == csv_of(RowColumns.of(rows)) == "".join(csv_of(RowColumns.of([row])) for row in rows)


def test_tables_are_those_of_single_rows(batch: Batch) -> None:
    pytest.importorskip("pyarrow")
    table = batch.columns().to_arrow()
    assert table.schema == arrow_schema()
    assert table.to_pylist() == RowColumns.of(batch.rows()).to_arrow().to_pylist()


def test_records_can_be_read_again(batch: Batch, tmp_path: Path) -> None:
    path, columns = tmp_path / "rows.csv", batch.columns()
    path.write_text(f"{HEADER}\n{''.join(columns.csv_texts())}", newline="")
    assert [row for _, row in exported_rows(path)] == batch.rows()


def test_texts_have_some_rows_each(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = synthetic().columns()
    texts = json_of(columns), csv_of(columns)
    monkeypatch.setattr(row_columns_module, "TEXT", 3)
    assert [text.count("\n") for text in columns.json_texts()] == [3, 3, 2]
    assert (json_of(columns), csv_of(columns)) == texts


def test_lines_of_a_puzzle_with_very_many_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    core_puzzle.move_names.cache_clear()
    monkeypatch.setattr(core_puzzle, "MOST_NAMES", 3)
    batch = synthetic()
    assert json_of(batch.columns()) == "".join(f"{row.to_json()}\n" for row in batch.rows())
    assert csv_of(batch.columns()) == csv_of(RowColumns.of(batch.rows()))
    core_puzzle.move_names.cache_clear()


def test_the_answer_is_a_board_where_the_puzzle_says_so() -> None:
    texts = ["12343412214343..", "." * 16, "11" + "." * 14, "no board"]
    rows = rows_of(load("sudoku-4x4"), solver("dancing-links"), texts).columns().rows()
    assert [row.solutions for row in rows] == [1, 2, 0, None]
    assert [rows[0].solution, rows[2].solution, rows[3].solution] == ["1234341221434321", None, None]
    assert sorted(rows[1].solution or "") == sorted("1234" * 4)
    assert not any(row.solution or row.solutions is not None for row in BATCHES["unsolved"]().columns().rows())
