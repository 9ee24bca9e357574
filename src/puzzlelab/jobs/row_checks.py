"""Checks the rows of files one by one: replays their moves, and proves their claims anew.

Nothing that a row says of itself is believed. `row_tally.py` compares the rows of a board with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from puzzlelab.analysis.proofs import (
    RULES,
    Claim,
    Method,
    ProofBasis,
    ProofCheck,
    basis_of,
    claim_of,
    follows_from_rules,
    prove,
)
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State, board_after, names_of
from puzzlelab.core.registry import load
from puzzlelab.core.result import Result
from puzzlelab.core.solver import counts_solutions
from puzzlelab.core.verify import Verdict
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor, PieceLost
from puzzlelab.engine.parallel import ThisProcess, cancellation
from puzzlelab.engine.solving import never
from puzzlelab.jobs.pieces import Pieces
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_exports import place_in_words, source_of
from puzzlelab.storage.row_files import read_rows
from puzzlelab.text.moves import move_notation

UNCHECKED = "not checked"


@dataclass(frozen=True)
class Place:
    """The place of a row."""

    file: Path
    line: int
    """The number of its line; in a Parquet file, that of the row."""
    number: int
    """The number of the row among those of all files."""

    def __str__(self) -> str:
        return f"{place_in_words(self.file, self.line)} (row {self.number})"


@dataclass(frozen=True, eq=False)
class RowCheck:
    """The result of checking a row by itself."""

    place: Place
    row: Row
    verdict: Verdict
    """Whether the moves and the other columns agree with the rules and with each other."""
    result: Result | None = None
    """The verified result in the row; None for a row without one, or that cannot be read."""
    end: State | None = None
    """The state in which its moves end, where a solution is to be compared with others."""
    claim: Claim | None = None
    """The claim of a row that holds, beyond its moves."""
    proof: ProofCheck | None = None
    """The check of the claim; None if it was not checked."""
    basis: ProofBasis | None = None
    """The estimate on which the proof of the row rests, if it rests on one."""

    @property
    def outcome(self) -> str:
        """The outcome for the claim, if there is one: `proven`, `refuted`, `undecided` or `not checked`."""
        return UNCHECKED if self.proof is None else self.proof.outcome

    @property
    def reason(self) -> str:
        """Why the row does not hold, or why its claim is undecided, as a sentence."""
        return self.refutation or (self.proof.reason if self.proof is not None else "")

    @property
    def refutation(self) -> str:
        """Why the row does not hold; empty if it does, as far as was checked."""
        if not self.verdict.holds:
            return self.verdict.reason
        if self.basis is not None and self.basis.check == "refuted":
            return self.basis.reason
        return self.proof.reason if self.proof is not None and self.proof.outcome == "refuted" else ""

    def facts(self, refutation: str) -> dict[str, Any]:
        """Return the check as plain data; `refutation` says why the row does not hold, if it does not."""
        proof = self.proof or ProofCheck(self.claim or Claim("lower bound"), "undecided")
        verdict = "holds" if self.claim is None or self.outcome == "proven" else self.outcome
        return {
            "file": str(self.place.file),
            "line": self.place.line,
            "puzzle": self.row.puzzle,
            "board": self.row.board,
            "solver": self.row.solver,
            "claim": None if self.claim is None else self.claim.kind,
            "verdict": "refuted" if refutation else verdict,
            "proved_by": proof.proved_by or None,
            "proof_estimate": None if self.basis is None else self.basis.estimate,
            "estimate_check": None if self.basis is None else self.basis.check,
            "reason": refutation or self.reason,
            "seconds": round(proof.seconds, 6),
            "expanded": proof.expanded,
            "witness": self._witness(proof),
        }

    def _witness(self, proof: ProofCheck) -> list[str] | None:
        """The moves of `ProofCheck.witness`, as the puzzle writes them."""
        if proof.witness is None or self.result is None:
            return None
        return names_of(self.result.board.puzzle, proof.witness)


def rows_of(files: Iterable[Path]) -> Iterator[tuple[Place, Row]]:
    """Yield the rows of these files with their places; raises `BadFile`."""
    number = 0
    for file in map(source_of, files):
        for line, row in read_rows(file, report.note):
            number += 1
            yield Place(file, line, number), row


def checks(
    files: Iterable[Path], limit: Limit | None = None, executor: Executor | None = None, letters: str | None = None
) -> Iterator[RowCheck]:
    """Check the rows of these files one by one; in their order, and as soon as each is done.

    The executor checks them, by default this process, which reads the files.

    With a limit, which is for each row, the claims are proven anew. Without one, only those are checked that follow
    from the rules. `letters` says what letters of moves mean, if that is not what their puzzle means. Raises `BadFile`,
    and `BadInput` for an unknown puzzle, or one without these letters.
    """
    pieces: Pieces[list[tuple[Place, Row]]] = Pieces(
        executor or ThisProcess(),
        lambda rows: partial(check_rows, rows, limit, letters=letters),
        lambda rows: f"the check of {rows[0][0]}",
    )
    parts = pieces.size.cut(_with_known_puzzles(rows_of(files), letters))
    for _, rows, value in pieces.done((some, None) for some in parts):
        yield _left_out(*rows[0], limit, value, letters) if isinstance(value, PieceLost) else value


def check_rows(
    rows: Sequence[tuple[Place, Row]], limit: Limit | None, letters: str | None = None
) -> Iterator[RowCheck]:
    """Yield the checks of some rows, but for one that is cancelled."""
    over, puzzles = cancellation(), cache(load)
    for place, row in rows:
        check = _check(place, row, puzzles(row.puzzle), limit, over, letters)
        if over():
            return
        yield check


def _check(
    place: Place, row: Row, puzzle: Puzzle, limit: Limit | None, over: Callable[[], bool], letters: str | None = None
) -> RowCheck:
    if row.error is not None:
        return RowCheck(place, row, Verdict(False, f"holds no answer: {row.error}"))
    try:
        result, verdict = row.verify(puzzle, letters)
    except BadBoard as error:
        return RowCheck(place, row, Verdict(False, str(error)))
    claim = claim_of(result, objective_of(puzzle).kind) if verdict.holds else None
    end = None
    if verdict.holds and result.moves is not None and counts_solutions(puzzle):
        end = board_after(puzzle, result.board.state, result.moves)
    if claim is None:
        return RowCheck(place, row, verdict, result, end)
    proof = None
    if limit is not None:
        claimant = Method.of(puzzle, row.solver, row.options)
        proof = prove(result.board, result, limit, claimant, over)
    elif follows_from_rules(result.board, result, claim):
        proof = ProofCheck(claim, "proven", RULES)
    return RowCheck(place, row, verdict, result, end, claim, proof, basis_of(result, row.options))


def _with_known_puzzles(rows: Iterator[tuple[Place, Row]], letters: str | None) -> Iterator[tuple[Place, Row]]:
    """Pass the rows on; raises `BadInput` at the first one of an unknown puzzle, or of one without these letters."""
    notations = cache(lambda name: move_notation(load(name), None, letters))
    for place, row in rows:
        notations(row.puzzle)
        yield place, row


def _left_out(place: Place, row: Row, limit: Limit | None, problem: PieceLost, letters: str | None) -> RowCheck:
    """Return the check of a row that ended its workers: its claim is undecided, or without proofs it was not
    replayed.
    """
    if limit is None:
        return RowCheck(place, row, Verdict(False, f"cannot be replayed: {problem}"))
    check = _check(place, row, load(row.puzzle), None, never, letters)
    if check.claim is None:
        return check
    return replace(check, proof=ProofCheck(check.claim, "undecided", reason=f"cannot be proven: {problem}"))
