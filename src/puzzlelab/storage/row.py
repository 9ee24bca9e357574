"""The schema of result files: a row for each board.

The fields of `Row` are the one declaration of its columns: their names, their order, their types, and which are rare.
`COLUMNS` is made from them, and every header, JSON key and type of Arrow is made from `COLUMNS`.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, field_validator
from pydantic.fields import FieldInfo

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, board_after, presentation_of, read_moves
from puzzlelab.core.result import LIMITS, SOLUTIONS, Proof, Result, Rules, Stop
from puzzlelab.core.solver import Solver, counts_solutions
from puzzlelab.core.verify import Verdict, confirmed
from puzzlelab.storage import networks
from puzzlelab.version import VERSION

RARE = "rare"
"""Marks columns that are omitted in JSON where they are empty."""
DISTINCT = "distinct"
"""Marks texts that are different in most rows; other texts are repeated in many rows."""
Question = tuple[str, str, str, str, str | None, int | None]
"""(puzzle, board, solver, options as JSON, network, seed)."""
Kind = Literal["text", "word", "number", "truth", "seconds", "moves", "object"]


class Row(BaseModel):
    """One answer, with everything that is needed to verify or to reproduce it.

    >>> row = puzzlelab.Row(puzzle="tiles-2x2", board="1 2 0 3", solver="ida", moves=["L"], length=1)
    >>> row.check(puzzlelab.load(row.puzzle)).holds
    True
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    puzzle: str
    board: Annotated[str, DISTINCT]
    solver: str
    options: dict[str, Any] = {}
    net: str | None = None
    seed: int | None = None
    limit: dict[str, float | int | None] = {}
    version: str = ""
    moves: list[str] | None = None
    length: int | None = None
    solution: Annotated[str | None, RARE, DISTINCT] = None
    """The board after the moves; only in rows of puzzles whose answer is a board."""
    solutions: Annotated[int | None, RARE] = None
    """The number of solutions of such a board, where it is known: 0, 1, or 2 for two or more."""
    cost: Annotated[int | None, RARE] = None
    """The cost of the moves; only in rows of puzzles whose moves have costs."""
    score: Annotated[int | None, RARE] = None
    """The score of the moves; only in rows of puzzles with a score."""
    proof: Proof = "none"
    reason: Annotated[str, DISTINCT] = ""
    stop: Stop = "done"
    lower_bound: int = 0
    upper_bound: Annotated[int | None, RARE] = None
    """A bound on the score."""
    seconds: Annotated[float | None, RARE] = None
    """The time of the search; None for a board that was solved together with others, see `BatchTime`."""
    expanded: int = 0
    generated: int = 0
    evaluations: int = 0
    verified: bool = False
    verified_by: Annotated[Rules | None, RARE] = None
    """The rules that confirmed the answer: 'plain', or 'kernels', the compiled ones."""
    tried: Annotated[list[str] | None, RARE] = None
    """See `Result.tried`."""
    error: Annotated[str | None, RARE, DISTINCT] = None

    @field_validator("moves", mode="before")
    @classmethod
    def _texts(cls, moves: Any) -> Any:
        """Return the words of moves that are one text, as other programs write them."""
        return moves.split() if isinstance(moves, str) else moves

    def to_json(self) -> str:
        """Return the row on one line."""
        return json.dumps(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return the columns of the row; rare ones only where they are not empty."""
        values = vars(self)
        return {each.name: values[each.name] for each in COLUMNS if not each.is_rare or values[each.name] is not None}

    @property
    def question(self) -> Question:
        """The board, the solver and all its options, but not the limit: equal for rows of the same question."""
        options = json.dumps(self.options, sort_keys=True)
        return self.puzzle, self.board, self.solver, options, self.net, self.seed

    def settles(self, limit: Limit) -> bool:
        """Tell whether another run under this limit could not give a better answer."""
        if self.stop == "interrupted":
            return False
        return self.stop not in LIMITS or not limit.allows_more_than(self.search_limit())

    def search_limit(self) -> Limit:
        """Return the limit of the search; raises `BadOption` if it is none."""
        kinds = {kind: self.limit.get(kind) for kind in ("seconds", "nodes", "memory")}
        return Limit(**kinds)  # type: ignore[arg-type]

    def result(self, puzzle: Puzzle, instance: Instance | None = None, letters: str | None = None) -> Result:
        """Return the result in the row, for this board; raises `BadBoard` for an invalid move.

        `letters` says what letters of moves mean where another program has written them otherwise than the puzzle.
        """
        moves = None if self.moves is None else tuple(self._read_moves(puzzle, instance, letters))
        return Result(
            moves,
            self.proof,
            self.reason,
            self.stop,
            self.lower_bound,
            *(self.expanded, self.generated, self.evaluations, self.seconds),
            cost=self.cost,
            score=self.score,
            upper_bound=self.upper_bound,
            instance=instance,
        )

    def _read_moves(self, puzzle: Puzzle, instance: Instance | None, letters: str | None) -> list[int]:
        """Return the moves, which other programs may have written in another form than their names."""
        with suppress(BadBoard):
            if letters is None:
                return read_moves(puzzle, self.moves or ())
        from puzzlelab.text.moves import read_texts

        return read_texts(instance or puzzle.read(self.board), self.moves or (), letters)

    def verify(self, puzzle: Puzzle, letters: str | None = None) -> tuple[Result, Verdict]:
        """Return the result in the row, verified again, and the verdict; raises `BadBoard` for a bad board or move.

        `letters` is that of `result`.

        Nothing that the row says of itself is believed: neither `verified` nor `length`, nor a proof that means nothing
        for this puzzle.
        """
        result, verdict = confirmed(self.result(puzzle, puzzle.read(self.board), letters))
        return result, self.checked(result, verdict)

    def checked(self, result: Result, verdict: Verdict, solution: str | None = None) -> Verdict:
        """Return the verdict on the result of this row, which does not hold where the row contradicts itself.

        `solution` is that of the result, if it is known already.
        """
        puzzle = result.board.puzzle
        if not verdict.holds:
            return verdict
        if self.length != result.length:
            reason = f"says length {self.length}, and gives {result.length or 0} moves"
        elif self.proof in ("unique", "several") and not counts_solutions(puzzle):
            reason = f"claims proof '{self.proof}', which means nothing for {puzzle.name}"
        elif self.solution is not None and self.solution != (solution or solution_of(result)):
            reason = f"says solution {shorten(self.solution)}, and its moves end elsewhere"
        elif self.solutions is not None and self.solutions != solutions_of(puzzle, self.proof):
            reason = f"says solutions {self.solutions}, and its proof is '{self.proof}'"
        else:
            return verdict
        return Verdict(False, reason)

    def check(self, puzzle: Puzzle) -> Verdict:
        """Replay the moves of the row; every kind of error gives a verdict."""
        if self.error is not None:
            return Verdict(False, f"holds no answer: {self.error}")
        try:
            result, verdict = self.verify(puzzle)
        except BadBoard as error:
            return Verdict(False, str(error))
        if verdict.holds and self.proof == "unsolvable" and result.verified_by is None:
            return Verdict(True, "unsolvable by search, which replaying cannot check")
        return verdict


@dataclass(frozen=True)
class Column:
    """A column of files of rows."""

    name: str
    kind: Kind
    """The type of its values: a 'word' is a text that many rows have, an 'object' a dictionary."""
    is_rare: bool

    @classmethod
    def of(cls, name: str, field: FieldInfo) -> "Column":
        """Make the column of a field of `Row`."""
        types = [each for each in get_args(field.annotation) if each is not NoneType]
        inner = types[0] if NoneType in get_args(field.annotation) else field.annotation
        kinds: dict[Any, Kind] = {int: "number", bool: "truth", float: "seconds", list: "moves", dict: "object"}
        kind = kinds.get(get_origin(inner) or inner, "text" if DISTINCT in field.metadata else "word")
        return cls(name, kind, RARE in field.metadata)


COLUMNS = tuple(Column.of(name, field) for name, field in Row.model_fields.items())


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


def solution_of(result: Result) -> str | None:
    """Return the board after the moves of a result, for a puzzle whose answer is a board; None without moves."""
    puzzle = result.board.puzzle
    if result.moves is None or not presentation_of(puzzle).answer_is_board:
        return None
    return puzzle.write(board_after(puzzle, result.board.state, result.moves))


def solutions_of(puzzle: Puzzle, proof: Proof) -> int | None:
    """Return the number of solutions of a board by what is proven; 2 means two or more, None that it is not known."""
    return SOLUTIONS.get(proof) if presentation_of(puzzle).answer_is_board else None
