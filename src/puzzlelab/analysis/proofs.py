"""Proves the claims of an answer anew, by another method than the one that made them.

A replay confirms moves. It does not confirm that no solution is shorter, that there is only one, or that there is none.
Such a claim is proven by a second method, or refuted by a solution that contradicts it and that the plain rules replay.
The puzzle names its methods (`Presentation.provers`). The method that made the claim is tried last, and can only
refute: if it proved the claim a second time, that would confirm nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

from puzzlelab.core import networks, registry
from puzzlelab.core.errors import BadInput, PuzzlelabError, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Instance, Puzzle, presentation_of
from puzzlelab.core.result import Progress, Result, moves_in_words
from puzzlelab.core.solutions import require_lister
from puzzlelab.core.solver import Attempt, Solver, attempts_of, board_after, chosen_estimate, options_of, require
from puzzlelab.core.verify import verify

Kind = Literal["optimal", "lower bound", "unsolvable", "unique"]
Outcome = Literal["proven", "refuted", "undecided"]
RULES = "rules"
"""What proves a claim that needs no search."""


@dataclass(frozen=True)
class Claim:
    """What an answer claims beyond its moves."""

    kind: Kind
    least: int = 0
    """No solution has fewer moves; 0 if the claim is about something else."""

    def __str__(self) -> str:
        if self.kind == "optimal":
            return f"claims {moves_in_words(self.least)} optimal"
        if self.kind == "lower bound":
            return f"claims that no solution has fewer than {moves_in_words(self.least)}"
        return "claims to be unsolvable" if self.kind == "unsolvable" else "claims a unique solution"

    def contradicted_by(self, moves: Sequence[int]) -> bool:
        """Whether a solution of so many moves contradicts the claim; of a unique solution that cannot be said."""
        return self.kind == "unsolvable" or len(moves) < self.least


@dataclass(frozen=True)
class ProofCheck:
    """Whether a claim was proven anew, and by which method."""

    claim: Claim
    outcome: Outcome
    proved_by: str = ""
    """The solver with its options that decided it, such as `ida:estimate=walking`, or 'rules'; empty if none did."""
    reason: str = ""
    """A sentence about a claim that is not proven."""
    seconds: float = 0.0
    expanded: int = 0
    """States that all methods together expanded."""
    witness: tuple[int, ...] | None = None
    """The moves of the solution that refutes the claim."""


@dataclass(frozen=True)
class Method:
    """A way to prove, as far as it must be told from another: a solver, and the estimate on which it rests."""

    solver: str
    estimate: str | None = None

    @classmethod
    def of(cls, puzzle: Puzzle, solver: str, options: Mapping[str, Any]) -> Method:
        """The method of a row; the solver need not be installed here."""
        with suppress(PuzzlelabError, ImportError):
            options = options_of(registry.make_solver(solver, options), puzzle)
        name = options.get("estimate")
        if isinstance(name, str) and not networks.is_network(name):
            with suppress(PuzzlelabError):
                name = chosen_estimate(puzzle, name).name
        return cls(solver, None if name is None else str(name))


@dataclass(frozen=True)
class Prover:
    """A configured solver that proves claims."""

    solver: Solver
    label: str
    method: Method
    independent: bool
    """Whether it is another method than the one that made the claim."""


class Judgement(NamedTuple):
    """What a method found out about a claim."""

    outcome: Outcome
    finding: str = ""
    """What refutes it, in words."""
    witness: tuple[int, ...] | None = None


def claim_of(result: Result) -> Claim | None:
    """The strongest claim of a result whose moves were replayed, or None.

    A proof that the solution is unique, or that there is none, includes every lower bound.
    """
    if result.proof == "optimal":
        return Claim("optimal", len(result.moves or ()))
    if result.proof != "none":
        return Claim(result.proof)
    return Claim("lower bound", result.lower_bound) if result.lower_bound > 0 else None


def follows_from_rules(instance: Instance, result: Result, claim: Claim) -> bool:
    """Whether the claim of a verified result follows from the plain rules, without a search."""
    puzzle, state = instance.puzzle, instance.state
    if claim.kind == "unique":
        return False
    if claim.least <= (0 if puzzle.solved(state) else 1) and claim.kind != "unsolvable":
        return True
    if claim.kind != "unsolvable" and result.moves is not None and presentation_of(puzzle).answer_is_board:
        return True  # all solutions are equally long
    return puzzle.objection(state) is not None


def prove(
    instance: Instance,
    result: Result,
    limit: Limit,
    claimant: Method | None = None,
    over: Callable[[], bool] = lambda: False,
) -> ProofCheck | None:
    """Prove or refute what a verified result claims; None if it claims nothing beyond its moves.

    Args:
        instance: the board.
        result: its answer, which `verify` has confirmed.
        limit: for all methods together; each but the last gets half of what remains.
        claimant: the method that made the claim.
        over: ends the search when it is true.
    """
    claim = claim_of(result)
    if claim is None:
        return None
    if objective_of(instance.puzzle).kind != "moves" and claim.kind in ("optimal", "lower bound"):
        return ProofCheck(claim, "undecided", reason="only claims about the number of moves are proven anew")
    if follows_from_rules(instance, result, claim):
        return ProofCheck(claim, "proven", RULES)
    methods = provers(instance.puzzle, claim, claimant)
    check = ProofCheck(claim, "undecided", reason=_undecided(claim, methods))
    for number, prover in enumerate(methods):
        if over():
            break
        is_last = number == len(methods) - 1
        share = _remaining(limit, check, is_last)
        if share is None:
            break
        try:
            one = _try(prover, instance, result, claim, share, over)
        except Unsupported:  # its library is not installed
            continue
        check = replace(check, seconds=check.seconds + one.seconds, expanded=check.expanded + one.expanded)
        if one.outcome == "refuted" or (one.outcome == "proven" and prover.independent):
            return replace(one, seconds=check.seconds, expanded=check.expanded)
    return check


def provers(puzzle: Puzzle, claim: Claim, claimant: Method | None = None) -> list[Prover]:
    """The methods of the puzzle that suit the claim: those of another kind than the claimant's, then its own."""
    candidates = []
    for name, options in presentation_of(puzzle).provers:
        try:
            solver = registry.make_solver(name, options)
            if claim.kind == "unique":
                require_lister(solver, puzzle)
            require(solver, puzzle)
        except (BadInput, ImportError):
            continue
        method = Method.of(puzzle, name, options)
        label = ":".join([name, *(f"{option}={value}" for option, value in options.items())])
        candidates.append(Prover(solver, label, method, method != claimant))
    return sorted(candidates, key=lambda prover: not prover.independent)


def _undecided(claim: Claim, methods: Sequence[Prover]) -> str:
    labels = [prover.label for prover in methods if prover.independent]
    if not labels:
        return f"{claim}; there is no other method to prove it"
    return f"{claim}; not decided within the limit by {', '.join(labels)}"


def _remaining(limit: Limit, spent: ProofCheck, is_last: bool) -> Limit | None:
    """The limit of the next method, or None if nothing remains."""
    seconds, nodes = limit.seconds, limit.nodes
    if seconds is not None and (seconds := seconds - spent.seconds) <= 0:
        return None
    if nodes is not None and (nodes := nodes - spent.expanded) <= 0:
        return None
    if is_last:
        return replace(limit, seconds=seconds, nodes=nodes)
    return replace(limit, seconds=seconds and seconds / 2, nodes=nodes and max(1, nodes // 2))


def _try(
    prover: Prover, instance: Instance, result: Result, claim: Claim, limit: Limit, over: Callable[[], bool]
) -> ProofCheck:
    """What one method says of the claim."""
    latest: Attempt = Result(None)
    judgement: Judgement | None = None
    judge = _judge_of_uniqueness(instance, result) if claim.kind == "unique" else partial(_judge, instance, claim)
    with closing(_attempts(prover.solver, instance, claim, limit)) as attempts:
        for latest in attempts:
            if isinstance(latest, Result):
                _require_holds(prover, instance, latest)
            judgement = judge(latest)
            if judgement is not None or over():
                break
    outcome, finding, witness = judgement or Judgement("undecided")
    reason = f"{claim}; {prover.label} finds {finding}" if finding else ""
    return ProofCheck(claim, outcome, prover.label, reason, latest.seconds, latest.expanded, witness)


def _attempts(solver: Solver, instance: Instance, claim: Claim, limit: Limit) -> Generator[Attempt, None, None]:
    """Every solution if the claim is that there is one only, else ever better results."""
    if claim.kind == "unique":
        yield from require_lister(solver, instance.puzzle).solutions(instance, limit)
    else:
        yield from attempts_of(solver, instance, limit)


def _require_holds(prover: Prover, instance: Instance, result: Result) -> None:
    """Raise an error for a wrong solution; the plain rules replay it."""
    verdict = verify(instance, result)
    if not verdict.holds:
        raise PuzzlelabError(f"{prover.label} gave a wrong answer for {instance!r}: {verdict.reason}")


def _judge(instance: Instance, claim: Claim, attempt: Attempt) -> Judgement | None:
    """What an attempt says of a claim about the length of solutions, or that there is none."""
    if isinstance(attempt, Progress):
        return Judgement("proven") if 0 < claim.least <= attempt.bound else None
    if attempt.moves is not None:
        if claim.contradicted_by(attempt.moves):
            return Judgement("refuted", _finding(claim, attempt.moves), attempt.moves)
        if presentation_of(instance.puzzle).answer_is_board:  # all solutions are equally long
            return Judgement("proven")
    proven = attempt.proof == "unsolvable" or 0 < claim.least <= attempt.lower_bound
    return Judgement("proven") if proven else None


def _finding(claim: Claim, moves: Sequence[int]) -> str:
    return str(len(moves)) if claim.kind == "optimal" else f"a solution of {moves_in_words(len(moves))}"


def _judge_of_uniqueness(instance: Instance, result: Result) -> Callable[[Attempt], Judgement | None]:
    """A function from every solution of a search to whether `result` is the only one."""
    puzzle, solutions = instance.puzzle, 0
    end = board_after(puzzle, instance.state, result.moves or ())

    def judge(attempt: Attempt) -> Judgement | None:
        nonlocal solutions
        if isinstance(attempt, Progress):
            return None
        if attempt.moves is None:
            return Judgement("proven") if attempt.stop == "done" and solutions == 1 else None
        solutions += 1
        other = board_after(puzzle, instance.state, attempt.moves)
        if solutions == 1 and (other == end).all():
            return None
        return Judgement("refuted", f"another: {puzzle.write(other)}", attempt.moves)

    return judge
