"""A table of Arrow with the rows of many boards."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import numpy as np

from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Solver
from puzzlelab.engine.solving import AnswerBatch
from puzzlelab.jobs.row_batch import row_columns
from puzzlelab.storage.row import unanswered
from puzzlelab.storage.row_columns import arrow_schema, require_pyarrow


def table_of(solver: Solver | None, limit: Limit, answers: Iterable[AnswerBatch]) -> Any:
    """Return the `pyarrow.Table` of the rows of these answers of a solver; boards are in the canonical notation."""
    require_pyarrow("Tables")
    import pyarrow as pa

    tables = [arrow_schema().empty_table()]
    for puzzle, batches in groupby(answers, key=lambda batch: batch.results.boards.puzzle):
        assert solver is not None
        shared = unanswered(puzzle, "", solver, limit)
        for batch in batches:
            rows = row_columns(shared, batch.results.boards.written(), batch, np.arange(len(batch)), {})
            tables.append(rows.to_arrow())
    return pa.concat_tables(tables)
