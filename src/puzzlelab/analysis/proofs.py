"""Proves the claims of an answer anew, by another method than the one that made them.

A replay confirms moves. It does not confirm that no solution is shorter, that there is only one, or that there is none.
Such a claim is proven by a second method, or refuted by a solution that contradicts it and that the plain rules replay.
The puzzle names its methods (`Presentation.provers`). The method that made the claim is tried last, and can only
refute, or show another solution: if it proved the claim a second time, that would confirm nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from puzzlelab.core import objective, registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput, PuzzlelabError, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, board_after, presentation_of
from puzzlelab.core.result import Progress, Result, moves_in_words
from puzzlelab.core.solver import Attempt, Solver, is_network, require
from puzzlelab.core.verify import verify
from puzzlelab.core.views import UNKNOWN, Estimate
from puzzlelab.engine.batch_rules import estimated
from puzzlelab.engine.enumeration import require_enumerator
from puzzlelab.engine.search_rules import chosen_estimate
from puzzlelab.engine.solving import attempts_of

Kind = Literal["optimal", "lower bound", "upper bound", "unsolvable", "unique", "several"]
COUNTS: tuple[Kind, ...] = ("unique", "several")
"""Claims about the number of solutions, which are proven by listing them."""
Outcome = Literal["proven", "refuted", "undecided"]
RULES = "rules"
"""The name of the method for a claim that needs no search."""


@dataclass(frozen=True)
class Claim:
    """The claim of an answer beyond its moves."""

    kind: Kind
    least: int | None = None
    """No solution has fewer moves, a lower cost, or a higher score than minus this; None if the claim is about
    something else.
    """
    counts: objective.Kind = "moves"
    """The objective of the puzzle, which makes one solution better than another."""

    def __str__(self) -> str:
        if self.least is None:
            return {"unsolvable": "claims to be unsolvable", "several": "claims several solutions"}.get(
                self.kind, "claims a unique solution"
            )
        words = sum_in_words(self.counts, self.least)
        if self.kind == "optimal":
            return f"claims {words} optimal"
        if self.counts == "moves":
            return f"claims that no solution has fewer than {words}"
        bound = f"a cost below {self.least:,}" if self.counts == "cost" else f"a score above {-self.least:,}"
        return f"claims that no solution has {bound}"

    def contradicted_by(self, total: int) -> bool:
        """Tell whether a solution of this number of moves, of this cost, or of minus this score, contradicts the claim.

        Of a number of solutions that cannot be said.
        """
        return self.kind == "unsolvable" or (self.least is not None and total < self.least)


def sum_in_words(counts: objective.Kind, total: int) -> str:
    """Return the sum of the steps of a solution, such as '4 moves', 'cost 7' or 'score 1,043'."""
    if counts == "moves":
        return moves_in_words(total)
    return f"score {-total:,}" if counts == "score" else f"cost {total:,}"


@dataclass(frozen=True)
class ProofCheck:
    """The result of proving a claim anew, and the method.

    >>> board = puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 0 7 8")
    >>> check = puzzlelab.prove(board, puzzlelab.Result(moves=(2, 2), proof="optimal", lower_bound=2))
    >>> check.outcome, check.proved_by
    ('proven', 'bfs:bidirectional=True')
    """

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
    """The moves of the solution that refutes the claim, or of another one where several are claimed."""
    has_method: bool = True
    """Whether there is a method to prove it, other than the one that made the claim."""


@dataclass(frozen=True)
class Method:
    """A way to prove, as far as it must be told from another: a solver, and the estimate on which it rests."""

    solver: str
    estimate: str | None = None

    @classmethod
    def of(cls, puzzle: Puzzle, solver: str, options: Mapping[str, Any]) -> Method:
        """Return the method of a row; the solver need not be installed here."""
        with suppress(PuzzlelabError, ImportError):
            options = registry.make_solver(solver, options).options_for(puzzle)
        name = options.get("estimate")
        if isinstance(name, str) and not is_network(name):
            with suppress(PuzzlelabError):
                name = chosen_estimate(puzzle, name).name
        return cls(solver, None if name is None else str(name))


@dataclass(frozen=True)
class Prover:
    """A configured solver that proves claims."""

    solver: Solver
    label: str
    independent: bool
    """Whether it is another method than the one that made the claim."""


def claim_of(result: Result, counts: objective.Kind = "moves") -> Claim | None:
    """Return the strongest claim of a result whose moves were replayed, or None; `counts` says what the puzzle counts.

    A proof that the solution is unique, or that there is none, includes every bound.
    """
    if result.proof == "optimal":
        return Claim("optimal", result.objective, counts)
    if result.proof != "none":
        return Claim(result.proof, counts=counts)
    if result.upper_bound is not None:
        return Claim("upper bound", -result.upper_bound, counts)
    return Claim("lower bound", result.lower_bound, counts) if result.lower_bound > 0 else None


def follows_from_rules(instance: Instance, result: Result, claim: Claim) -> bool:
    """Tell whether the claim of a verified result follows from the plain rules, without a search."""
    puzzle, state, steps = instance.puzzle, instance.state, objective_of(instance.puzzle)
    if claim.kind in COUNTS:
        return False
    if claim.least is not None:
        if claim.least <= steps.least_sum + (0 if puzzle.solved(state) else steps.least_step):
            return True
        if result.moves is not None and _equally_good(puzzle):
            return True
    return puzzle.objection(state) is not None


def _equally_good(puzzle: Puzzle) -> bool:
    """Tell whether all solutions of a board are equally good, because they have as many moves."""
    return presentation_of(puzzle).answer_is_board and objective_of(puzzle).kind == "moves"


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
    claim = claim_of(result, objective_of(instance.puzzle).kind)
    if claim is None:
        return None
    if follows_from_rules(instance, result, claim):
        return ProofCheck(claim, "proven", RULES)
    methods = provers(instance.puzzle, claim, claimant)
    has_method = any(prover.independent for prover in methods)
    check = ProofCheck(claim, "undecided", reason=_undecided(claim, methods), has_method=has_method)
    for number, prover in enumerate(methods):
        if over():
            break
        share = limit.share(check.seconds, check.expanded, 1 if number == len(methods) - 1 else 2)
        if share is None:
            break
        try:
            one = _try(prover, instance, result, claim, share, over)
        except Unsupported:  # its library is not installed
            continue
        check = replace(check, seconds=check.seconds + one.seconds, expanded=check.expanded + one.expanded)
        is_shown = prover.independent or one.witness is not None
        if one.outcome == "refuted" or (one.outcome == "proven" and is_shown):
            return replace(one, seconds=check.seconds, expanded=check.expanded)
    return check


def provers(puzzle: Puzzle, claim: Claim, claimant: Method | None = None) -> list[Prover]:
    """Return the methods of the puzzle that suit the claim: those of another kind than the claimant's, then its own."""
    candidates = []
    for name, options in presentation_of(puzzle).provers:
        try:
            solver = registry.make_solver(name, options)
            if claim.kind in COUNTS:
                require_enumerator(solver, puzzle)
            require(solver, puzzle)
        except (BadInput, ImportError):
            continue
        label = ":".join([name, *(f"{option}={value}" for option, value in options.items())])
        candidates.append(Prover(solver, label, Method.of(puzzle, name, options) != claimant))
    return sorted(candidates, key=lambda prover: not prover.independent)


def _undecided(claim: Claim, methods: Sequence[Prover]) -> str:
    labels = [prover.label for prover in methods if prover.independent]
    if not labels:
        return f"{claim}; there is no other method to prove it"
    return f"{claim}; not decided within the limit by {', '.join(labels)}"


def _try(
    prover: Prover, instance: Instance, result: Result, claim: Claim, limit: Limit, over: Callable[[], bool]
) -> ProofCheck:
    """Judge the claim by one method."""
    latest: Attempt = Result(None)
    judgement: ProofCheck | None = None
    judge = _judge_of_count(instance, result, claim) if claim.kind in COUNTS else partial(_judge, instance, claim)
    with closing(_attempts(prover.solver, instance, claim, limit)) as attempts:
        for latest in attempts:
            if isinstance(latest, Result):
                latest = objective_of(instance.puzzle).completed(instance, latest)
                _require_holds(prover, instance, latest)
            judgement = judge(latest)
            if judgement is not None or over():
                break
    check = judgement or ProofCheck(claim, "undecided")
    reason = f"{claim}; {prover.label} finds {check.reason}" if check.reason else ""
    return replace(
        check, proved_by=prover.label, reason=reason, seconds=latest.seconds or 0.0, expanded=latest.expanded
    )


def _attempts(solver: Solver, instance: Instance, claim: Claim, limit: Limit) -> Generator[Attempt, None, None]:
    """Yield every solution if the claim is about their number, else ever better results."""
    if claim.kind in COUNTS:
        yield from require_enumerator(solver, instance.puzzle).solutions(instance, limit)
    else:
        yield from attempts_of(solver, instance, limit)


def _require_holds(prover: Prover, instance: Instance, result: Result) -> None:
    """Raise an error for a wrong solution; the plain rules replay it."""
    verdict = verify(instance, result)
    if not verdict.holds:
        raise PuzzlelabError(f"{prover.label} gave a wrong answer for {instance!r}: {verdict.reason}")


def _judge(instance: Instance, claim: Claim, attempt: Attempt) -> ProofCheck | None:
    """Judge a claim about the best solution, or that there is none, by an attempt; None leaves it undecided.

    The reason is the finding that refutes the claim, in words.
    """
    if isinstance(attempt, Result):
        total = attempt.objective
        if total is not None and claim.contradicted_by(total):
            return ProofCheck(claim, "refuted", reason=_finding(claim, total), witness=attempt.moves)
        if attempt.proof == "unsolvable" or (total is not None and _equally_good(instance.puzzle)):
            return ProofCheck(claim, "proven")
    proven = claim.least is not None and claim.least <= _bound(claim, attempt)
    return ProofCheck(claim, "proven") if proven else None


def _bound(claim: Claim, attempt: Attempt) -> int:
    """Return the bound of a claim: no solution has fewer moves, a lower cost, or a higher score than minus this."""
    if isinstance(attempt, Progress):
        return attempt.bound
    if claim.counts != "score":
        return attempt.lower_bound
    return UNKNOWN if attempt.upper_bound is None else -attempt.upper_bound


def _finding(claim: Claim, total: int) -> str:
    is_number = claim.kind == "optimal" and claim.counts == "moves"
    return str(total) if is_number else f"a solution of {sum_in_words(claim.counts, total)}"


def _judge_of_count(instance: Instance, result: Result, claim: Claim) -> Callable[[Attempt], ProofCheck | None]:
    """Return a function from every solution of a search to whether `result` is the only one or one of several.

    It says so as `_judge` does.
    """
    puzzle, solutions, several = instance.puzzle, 0, claim.kind == "several"
    end = board_after(puzzle, instance.state, result.moves or ())

    def judge(attempt: Attempt) -> ProofCheck | None:
        nonlocal solutions
        if isinstance(attempt, Progress):
            return None
        if attempt.moves is None:
            if attempt.stop != "done" or solutions != 1:
                return None
            return ProofCheck(claim, "refuted", reason="no other") if several else ProofCheck(claim, "proven")
        solutions += 1
        other = board_after(puzzle, instance.state, attempt.moves)
        if solutions == 1 and (other == end).all():
            return None
        if several:
            return ProofCheck(claim, "proven", witness=attempt.moves)
        return ProofCheck(claim, "refuted", reason=f"another: {puzzle.write(other)}", witness=attempt.moves)

    return judge


# --- the estimate on which a proof rests ---

TOLERANCE = 1e-6


@dataclass(frozen=True)
class ProofBasis:
    """The estimate on which a proof rests, and whether it was checked."""

    estimate: str
    check: Literal["passed", "refuted", "never"]
    """`passed`: at no board along the solution it exceeds what is left; `never`: the estimate is not available."""
    reason: str = ""
    """The reason that refutes it, as a sentence."""


def basis_of(result: Result, options: Mapping[str, Any]) -> ProofBasis | None:
    """Return the basis of the proof of a verified answer, by the options of its solver.

    None if it rests on no estimate.
    """
    name = options.get("estimate")
    if result.proof != "optimal" or not isinstance(name, str) or is_network(name):
        return None
    puzzle = result.board.puzzle
    try:
        estimate = chosen_estimate(puzzle, name)
    except BadInput:
        return ProofBasis(name, "never")
    return _along_solution(puzzle, result, estimate)


def _along_solution(puzzle: Puzzle, result: Result, estimate: Estimate) -> ProofBasis:
    sought, states = objective_of(puzzle), list(result.states())
    left = np.array([*sought.remaining(states, result.moves or ()), 0])
    values = estimated(puzzle, estimate, np.stack(states))
    too_much = values < left - TOLERANCE if sought.kind == "score" else values > left + TOLERANCE
    if not too_much.any():
        return ProofBasis(estimate.name, "passed")
    place = int(too_much.argmax())
    what = {"moves": "moves are left", "cost": "is the cost that is left", "score": "points are made"}[sought.kind]
    return ProofBasis(
        estimate.name,
        "refuted",
        f"its proof rests on the estimate '{estimate.name}', which gives {values[place]:g} at "
        f"{puzzle.write(states[place])}, where {left[place]} {what}",
    )
