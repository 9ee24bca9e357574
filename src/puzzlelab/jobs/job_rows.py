"""The rows of a command that solves: those that a file has, verified again, and those of new answers.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver
from puzzlelab.core.verify import Verdict
from puzzlelab.engine.batch_verify import verified
from puzzlelab.jobs.solve_parts import SolvedPart, StoredRows
from puzzlelab.storage.row import Row, unanswered
from puzzlelab.storage.row_columns import RowColumns, row_columns, solutions
from puzzlelab.storage.row_files import RowFile
from puzzlelab.text.board_blocks import row_texts

LARGEST_COUNT = 2**62
"""The largest count that a stored row may have: counts are columns of int64."""
LONGEST_BOARD = 4096
"""Characters that a board may need; of what is longer, a row keeps the beginning."""
HOLDS = Verdict(True)


@dataclass
class JobRows:
    """The rows of a job, and the file that keeps them."""

    puzzle: Puzzle
    solver: Solver
    limit: Limit
    file: RowFile | None = None

    def question(self, text: str) -> Row:
        """Return a row without an answer, for the text of a board."""
        return self._empty_row.model_copy(update={"board": _shortened(text)})

    def json_texts(self, solved: SolvedPart) -> Iterator[str]:
        """Yield the rows of these boards in JSON, a line each, with their ends; a text has many."""
        answers, stored = solved
        texts = self.columns(answers).json_texts()
        if not stored:
            return texts
        lines = "".join(texts).splitlines(keepends=True)
        for place, row in stored.items():
            lines[place] = f"{row.to_json()}\n"
        return iter(lines)

    def columns(self, answers: Answers) -> RowColumns:
        """Return the rows of all these boards, as if all were solved now."""
        return row_columns(self._empty_row, self._row_texts(answers.boards), answers)

    def append(self, solved: SolvedPart) -> None:
        """Append the rows of the boards that were solved now, or that cannot be read.

        An interrupted one without a solution has none; one with a solution is searched again by the next call.
        """
        assert self.file is not None, "a job without a file keeps no rows"
        answers, stored = solved
        is_new = ~answers.is_stopped_by("interrupted") | answers.is_solved
        is_new[list(stored)] = False
        if not is_new.any():
            return
        columns = self.columns(answers)
        if not is_new.all():
            kept = [row for row, is_kept in zip(columns.rows(), is_new.tolist(), strict=True) if is_kept]
            columns = RowColumns.of(kept, answers.batch)
        self.file.append(columns)

    @cached_property
    def _empty_row(self) -> Row:
        """Return the columns that the rows of all boards share."""
        return unanswered(self.puzzle, "", self.solver, self.limit)

    def _row_texts(self, boards: Boards) -> Sequence[str]:
        """Return the text of each board in its row."""
        texts = row_texts(boards)
        return list(map(_shortened, texts)) if boards.errors else texts

    # --- rows of the file ---

    def of_file(self, boards: Boards) -> StoredRows:
        """Return the rows that the file has for these boards."""
        if self.file is None or self.file.is_empty:
            return {}
        taken = self.file.take(self._empty_row, self._row_texts(boards), self.limit)
        return {place: row for place, row in enumerate(taken) if row is not None}

    def merged(self, boards: Boards, new: Answers, places: NDArray[np.int64], rows: StoredRows) -> SolvedPart:
        """Return the answers to all these boards: new ones at these places, and those in rows of the file."""
        stored, errors, checked_rows = self._stored(boards, rows)
        solved = {place: new[number] for number, place in enumerate(places.tolist()) if number not in new.boards.errors}
        results = solved | stored
        without = Result(None, seconds=None)
        answers = Answers.of(boards.with_errors(errors), [results.get(i, without) for i in range(len(boards))])
        return replace(answers, batch=new.batch), checked_rows

    def _stored(self, boards: Boards, rows: StoredRows) -> tuple[dict[int, Result], dict[int, str], StoredRows]:
        """Return what rows of a file say, verified again: the results, why others have none, and the rows."""
        read = {place: self._result_in(row, boards, place) for place, row in rows.items()}
        errors = {place: result for place, result in read.items() if isinstance(result, str)}
        results = {place: result for place, result in read.items() if isinstance(result, Result)}
        checked_rows = dict(rows)
        if not results:
            return results, errors, rows
        places = np.fromiter(results, np.int64, len(results))
        answers, wrong = verified(Answers.of(boards[places], results.values()))
        solved = zip(list(results), answers, solutions(answers), strict=True)
        for number, (place, result, solution) in enumerate(solved):
            verdict = rows[place].checked(result, wrong.get(number, HOLDS), solution)
            if verdict.holds:
                results[place] = result
                columns = {"verified": result.verified_by is not None, "verified_by": result.verified_by}
                checked_rows[place] = rows[place].model_copy(update=columns)
            else:
                del results[place]
                errors[place] = f"this row does not hold: {verdict.reason}"
        return results, errors, checked_rows

    def _result_in(self, row: Row, boards: Boards, place: int) -> Result | str:
        """Return the result in the row of one of these boards, or why there is none."""
        if row.error is not None:
            return row.error
        counts = (row.lower_bound, row.expanded, row.generated, row.evaluations)
        if max(map(abs, counts)) > LARGEST_COUNT:
            return f"this row does not hold: a count in it is above {LARGEST_COUNT}"
        try:
            return row.result(self.puzzle, boards[place])
        except BadBoard as error:
            return f"this row does not hold: {error}"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_BOARD else shorten(text)
