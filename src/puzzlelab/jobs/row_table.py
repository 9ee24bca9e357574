"""A table of Arrow with the rows of many boards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from puzzlelab.core.answers import Answers
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Solver
from puzzlelab.jobs.row_batch import row_columns
from puzzlelab.storage.row import unanswered
from puzzlelab.storage.row_columns import arrow_schema, require_pyarrow


def table_of(answers: Iterable[tuple[Solver, Answers]], limit: Limit) -> Any:
    """Return the `pyarrow.Table` of the rows of these answers, each with its solver; boards are canonical."""
    require_pyarrow("Tables")
    import pyarrow as pa

    tables, shared = [arrow_schema().empty_table()], None
    for solver, part in answers:
        puzzle = part.boards.puzzle
        if shared is None or shared.puzzle != puzzle.name:
            shared = unanswered(puzzle, "", solver, limit)
        tables.append(row_columns(shared, part.boards.written(), part).to_arrow())
    return pa.concat_tables(tables)
