"""The schema of result files: a row for each board."""

import json
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from puzzlelab.core import networks
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, move_numbers, names_of
from puzzlelab.core.result import LIMITS, Proof, Result, Stop
from puzzlelab.core.solver import Solver, counts_solutions
from puzzlelab.core.verify import Answer, Rules, Verdict
from puzzlelab.core.version import VERSION

RARE = ("cost", "score", "upper_bound", "verified_by", "tried", "error", "seconds_shared", "batch")
"""Columns that are omitted where they are empty."""


class Row(BaseModel):
    """One answer, with everything that is needed to verify or to reproduce it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    puzzle: str
    board: str
    solver: str
    options: dict[str, Any] = {}
    net: str | None = None
    seed: int | None = None
    limit: dict[str, float | int | None] = {}
    version: str = ""
    moves: list[str] | None = None
    length: int | None = None
    cost: int | None = None
    """The cost of the moves; only in rows of puzzles whose moves have costs."""
    score: int | None = None
    """The score of the moves; only in rows of puzzles with a score."""
    proof: Proof = "none"
    reason: str = ""
    stop: Stop = "done"
    lower_bound: int = 0
    upper_bound: int | None = None
    """A bound on the score."""
    seconds: float = 0.0
    expanded: int = 0
    generated: int = 0
    evaluations: int = 0
    verified: bool = False
    verified_by: Rules | None = None
    """The rules that confirmed the answer: 'plain', or 'kernels', the compiled ones."""
    tried: list[str] | None = None
    """See `Result.tried`."""
    seconds_shared: bool | None = None
    """True if `seconds` is an equal share of the time of a batch; not in rows of boards that were timed alone."""
    batch: str | None = None
    """The name of that batch: rows of one solver with equal names share one measured time."""
    error: str | None = None

    def to_json(self) -> str:
        """Return the row on one line."""
        return json.dumps(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of the row; those in `RARE` only where they are not empty."""
        return {name: value for name, value in vars(self).items() if value is not None or name not in RARE}

    @property
    def question(self) -> str:
        """The board, the solver and all its options, but not the limit: equal for rows of the same question."""
        options = json.dumps(self.options, sort_keys=True)
        return json.dumps([self.puzzle, self.board, self.solver, options, self.net, self.seed])

    def settles(self, limit: Limit) -> bool:
        """Tell whether another run under this limit could not give a better answer."""
        if self.stop == "interrupted":
            return False
        return self.stop not in LIMITS or not limit.allows_more_than(self.search_limit())

    def search_limit(self) -> Limit:
        """Return the limit of the search; raises `BadOption` if it is none."""
        kinds = {kind: self.limit.get(kind) for kind in ("seconds", "nodes", "memory")}
        return Limit(**kinds)  # type: ignore[arg-type]

    def result(self, puzzle: Puzzle) -> Result:
        """Return the result in the row; raises `BadBoard` for an invalid move."""
        moves = None if self.moves is None else tuple(_read_moves(puzzle, self.moves))
        counts = self.expanded, self.generated, self.evaluations, self.seconds
        result = Result(moves, self.proof, self.reason, self.stop, self.lower_bound, *counts, batch=self.batch or "")
        return replace(result, cost=self.cost, score=self.score, upper_bound=self.upper_bound)

    def answer(self, puzzle: Puzzle) -> Answer:
        """Return the answer in the row, verified again; raises `BadBoard` for an invalid board or move.

        Nothing that the row says of itself is believed: neither `verified` nor `length`, nor a proof that means nothing
        for this puzzle.
        """
        return self.with_columns_checked(Answer.of(puzzle.read(self.board), self.result(puzzle)))

    def with_columns_checked(self, answer: Answer) -> Answer:
        """Return the verified answer of this row, which does not hold where the row contradicts itself."""
        puzzle = answer.instance.puzzle
        if not answer.verdict.holds:
            return answer
        if self.length != answer.result.length:
            reason = f"says length {self.length}, and gives {len(self.moves or ())} moves"
        elif self.proof == "unique" and not counts_solutions(puzzle):
            reason = f"claims a unique solution, which means nothing for {puzzle.name}"
        else:
            return answer
        return replace(answer, verdict=Verdict(False, reason))

    def check(self, puzzle: Puzzle) -> Verdict:
        """Replay the moves of the row; every kind of error gives a verdict."""
        if self.error is not None:
            return Verdict(False, f"holds no answer: {self.error}")
        try:
            answer = self.answer(puzzle)
        except BadBoard as error:
            return Verdict(False, str(error))
        if answer.verdict.holds and self.proof == "unsolvable" and not answer.confirmed:
            return Verdict(True, "unsolvable by search, which replaying cannot check")
        return answer.verdict


def _read_moves(puzzle: Puzzle, texts: list[str]) -> Sequence[int]:
    numbers = move_numbers(cast(Hashable, puzzle))
    try:
        return [numbers[text] for text in texts]
    except KeyError:  # another way to write a move, or none
        return list(_read_singly(puzzle, texts))


def _read_singly(puzzle: Puzzle, texts: list[str]) -> Iterator[int]:
    for step, text in enumerate(texts, start=1):
        try:
            yield puzzle.read_move(text)
        except BadBoard as error:
            raise BadBoard(str(error), f"move {step} of {len(texts)}") from None


def unanswered(puzzle: Puzzle, board: str, solver: Solver, limit: Limit, seed: int | None = None) -> Row:
    """Return the row of a board that has no answer yet; `board` is the input text."""
    options = dict(solver.options_for(puzzle))
    return Row(
        puzzle=puzzle.name,
        board=board,
        solver=solver.name,
        options=options,
        net=networks.used(puzzle, options),
        seed=seed,
        limit=vars(limit),
        version=VERSION,
    )


def shared_time(result: Result) -> dict[str, Any]:
    """Return the columns of a row that say of which batch its seconds are a share.

    None if the board was timed alone.
    """
    return {"seconds_shared": True, "batch": result.batch} if result.batch else {}


def row_of(answer: Answer, solver: Solver, limit: Limit, board: str | None = None, seed: int | None = None) -> Row:
    """Return the row of an answer; `board` is the text of the board in the row, by default its canonical notation."""
    puzzle = answer.instance.puzzle
    text = puzzle.write(answer.instance.state) if board is None else board
    return answered(unanswered(puzzle, text, solver, limit, seed), answer)


def answered(row: Row, answer: Answer, board: str | None = None) -> Row:
    """Return the row of a board with its answer; `board` is the text of the board, by default that of `row`."""
    puzzle, result = answer.instance.puzzle, answer.result
    columns = {
        "board": row.board if board is None else board,
        "moves": None if result.moves is None else names_of(puzzle, result.moves),
        "length": result.length,
        "cost": result.cost,
        "score": result.score,
        "upper_bound": result.upper_bound,
        "proof": result.proof,
        "reason": result.reason,
        "stop": result.stop,
        "lower_bound": result.lower_bound,
        "seconds": round(result.seconds, 6),
        "expanded": result.expanded,
        "generated": result.generated,
        "evaluations": result.evaluations,
        "verified": answer.confirmed,
        "verified_by": answer.verified_by,
        "tried": names_of(puzzle, result.tried) if result.tried else None,
        **shared_time(result),
    }
    return row.model_copy(update=columns)
