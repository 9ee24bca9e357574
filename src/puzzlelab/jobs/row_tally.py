"""Compares the rows of a board with each other, and counts the rows of files.

Rows of one board may come from different solvers. A solution in one of them refutes a claim in another: one with fewer
moves, a lower cost or a higher score than another row calls optimal, or a solution of a board that another row calls
unsolvable.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from puzzlelab.analysis.proofs import RULES, Claim, sum_in_words
from puzzlelab.core.errors import BadInput
from puzzlelab.core.result import LIMITS, Result
from puzzlelab.jobs.row_checks import UNCHECKED, Place, RowCheck
from puzzlelab.storage.row import Row

BASIS_WORDS = {
    "passed": "checked along each solution: no board contradicts it",
    "refuted": "a board of the solution contradicts it",
    "never": "never checked: there is no such estimate here",
}
"""The words about an estimate on which proofs rest."""
PROOFS, BOUNDS = "proofs", ("lower bounds", "upper bounds")
PROVEN, BY_RULES = "proven anew", "follow from the rules"
NO_METHOD = "no other method can prove it"
"""The words about an undecided claim for which a longer limit is of no use."""


Refutation = tuple[Place, str]
"""A row that does not hold, and why."""


@dataclass(frozen=True)
class PlacedClaim:
    """The claim of an earlier row."""

    place: Place
    claim: Claim
    outcome: str
    end: bytes | None
    """A digest of the board after its moves, where solutions are counted."""


@dataclass
class BoardRecord:
    """The claims of the rows of one board so far."""

    claims: list[PlacedClaim] = field(default_factory=list)
    """The claims that are not refuted."""
    best: tuple[int, Place] | None = None
    """The sum of the steps of the best solution, and its row."""
    ends: dict[bytes, Place] = field(default_factory=dict)
    """The boards after a solution, where solutions are counted, each with the first row that has it."""

    def contradiction(self, claim: Claim, end: bytes | None) -> str:
        """Return why a claim is refuted by a solution of another row; empty if it is not."""
        if self.best is not None and claim.contradicted_by(self.best[0]):
            total, place = self.best
            return f"{claim}; {place} has a solution of {sum_in_words(claim.counts, total)}"
        others = [place for other, place in self.ends.items() if other != end]
        return f"{claim}; {others[0]} has another" if claim.kind == "unique" and others else ""


@dataclass
class RowTally:
    """The counts of rows, and what they say of their boards."""

    rows: int = 0
    unreadable: int = 0
    """Rows that hold an error in the place of an answer."""
    replayed: int = 0
    """Rows with moves that solve the board."""
    without_moves: int = 0
    """Other rows that hold."""
    wrongly_verified: int = 0
    """Rows that hold, and whose column `verified` does not say what the plain rules say."""
    claims: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(`PROOFS` or one of `BOUNDS`, outcome) -> claims."""
    methods: Counter[str] = field(default_factory=Counter)
    """Method -> claims that it proved."""
    bases: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(puzzle, estimate, whether it was checked) -> proofs that rest on the estimate."""
    failing: set[int] = field(default_factory=set)
    """The numbers of the rows that do not hold."""
    repeated: int = 0
    """Rows that answer the same question as an earlier one."""
    _boards: dict[bytes, BoardRecord] = field(default_factory=dict)
    _questions: dict[bytes, tuple[Place, Row | None]] = field(default_factory=dict)
    """The first row of each question; and the row itself where a limit ended its search."""

    @property
    def undecided(self) -> int:
        """Claims that no method decided within the limit, or that no method can decide."""
        return sum(self.claims[group, outcome] for group in (PROOFS, *BOUNDS) for outcome in ("undecided", NO_METHOD))

    @property
    def holding(self) -> int:
        """Rows that hold, as far as they were checked."""
        return self.rows - len(self.failing)

    def add(self, check: RowCheck) -> list[Refutation]:
        """Count a row. Returns the rows that do not hold, as it shows: itself, or earlier ones."""
        self.rows += 1
        self.unreadable += check.row.error is not None
        if not check.verdict.holds or check.result is None:
            self.failing.add(check.place.number)
            return [(check.place, check.verdict.reason)]
        has_moves = check.result.moves is not None
        self.replayed += has_moves
        self.without_moves += not has_moves
        says_verified = "verified" in check.row.model_fields_set
        self.wrongly_verified += says_verified and check.row.verified != (check.result.verified_by is not None)
        refutations = list(self._compare(check, check.result))
        self.failing.update(place.number for place, _ in refutations)
        return refutations

    def _compare(self, check: RowCheck, result: Result) -> Iterator[Refutation]:
        """Refute this row if another one has a solution that contradicts it, and others by its own solution."""
        instance = result.board
        record = self._boards.setdefault(_digest(instance.puzzle.name, instance.state.tobytes()), BoardRecord())
        end = None if check.end is None else _digest(check.end.tobytes())
        if check.claim is not None:
            outcome = check.outcome
            if check.proof is not None and outcome == "proven":
                outcome = BY_RULES if check.proof.proved_by == RULES else PROVEN
                self.methods[check.proof.proved_by] += outcome == PROVEN
            elif check.proof is not None and outcome == "undecided" and not check.proof.has_method:
                outcome = NO_METHOD
            record.claims.append(PlacedClaim(check.place, check.claim, outcome, end))
            self.claims[_group(check.claim), outcome] += 1
        if check.basis is not None:
            self.bases[instance.puzzle.name, check.basis.estimate, check.basis.check] += 1
        total = result.objective
        if total is not None and (record.best is None or total < record.best[0]):
            record.best = total, check.place
        if end is not None and len(record.ends) < 2:
            record.ends.setdefault(end, check.place)
        yield from self._refute(record, check)

    def _refute(self, record: BoardRecord, check: RowCheck) -> Iterator[Refutation]:
        """Remove the claims of a board that are refuted, by the proof of this row or by a solution of another."""
        for earlier in list(record.claims):
            reason = check.refutation if earlier.place is check.place else ""
            reason = reason or record.contradiction(earlier.claim, earlier.end)
            if reason:
                record.claims.remove(earlier)
                self.claims[_group(earlier.claim), earlier.outcome] -= 1
                self.claims[_group(earlier.claim), "refuted"] += 1
                yield earlier.place, reason

    def repetition(self, check: RowCheck) -> Place | None:
        """The earlier row of the same question, if this row need not have been asked; for each row at most once."""
        if check.result is None:
            return None
        instance, row = check.result.board, check.row
        question = row.model_copy(update={"board": instance.puzzle.write(instance.state)}).question
        key, settled = _digest(repr(question)), row.stop not in (*LIMITS, "interrupted")
        earlier = self._questions.get(key)
        self._questions[key] = check.place, None if settled else row
        if earlier is None or (earlier[1] is not None and not _settles(earlier[1], row)):
            return None
        self.repeated += 1
        return earlier[0]

    # --- in words ---

    def summary(self, within: str) -> str:
        """Return the last line of `verify`: how many rows hold, and what was checked.

        `within` is the limit in words.
        """
        parts = [f"moves replayed: {self.replayed}"]
        parts += [f"without a solution: {self.without_moves}"] if self.without_moves else []
        parts += [text for group in (PROOFS, *BOUNDS) if (text := self._claims_in_words(group, within))]
        parts += [f"'verified' is wrong: {self.wrongly_verified}"] if self.wrongly_verified else []
        parts += [f"rows that repeat an earlier one: {self.repeated}"] if self.repeated else []
        return f"{self.holding} of {self.rows} hold: {'; '.join(parts)}"

    def _claims_in_words(self, group: str, within: str) -> str:
        counts = {outcome: count for (each, outcome), count in self.claims.items() if each == group and count}
        if not counts:
            return ""
        title, order = f"{group} claimed: {sum(counts.values())}", (PROVEN, BY_RULES, "refuted", "undecided", NO_METHOD)
        parts = [f"{each}{within * (each == 'undecided')}: {counts[each]}" for each in order if each in counts]
        if UNCHECKED in counts:
            parts.append(f"{UNCHECKED}{f': {counts[UNCHECKED]}' if parts else ''} (use --prove)")
        return ", ".join([title, *parts])

    def bases_in_words(self) -> list[str]:
        """Return a line for each estimate on which proofs rest, and whether it was checked."""
        return [
            f"proofs that rest on the estimate {estimate} of {puzzle}: {count} ({BASIS_WORDS[check]})"
            for (puzzle, estimate, check), count in self.bases.items()
        ]

    def methods_in_words(self) -> str:
        """Return the methods that proved claims by a search, with the number of claims; empty if there are none."""
        return ", ".join(f"{method} {count}" for method, count in self.methods.most_common() if count)


def _group(claim: Claim) -> str:
    return f"{claim.kind}s" if claim.kind in ("lower bound", "upper bound") else PROOFS


def _settles(earlier: Row, row: Row) -> bool:
    """Tell whether the earlier row need not have been searched again under the limit of this one."""
    with suppress(BadInput):
        return earlier.settles(row.search_limit())
    return False


def _digest(*parts: str | bytes) -> bytes:
    """Hash these parts to 16 bytes."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() + b"\0" if isinstance(part, str) else part)
    return digest.digest()[:16]
