"""Verifies answers: replays the moves with the plain rules, independently of every solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from puzzlelab.core.boards import Instance
from puzzlelab.core.objective import objective_of
from puzzlelab.core.result import Result
from puzzlelab.core.views import legality


@dataclass(frozen=True)
class Verdict:
    """The verdict whether an answer is correct; if not, why, and at which move (from 1; 0 if no single move is
    wrong).

    >>> board = puzzlelab.load("tiles-2x2").read("1 2 0 3")
    >>> verdict = puzzlelab.verify(board, puzzlelab.Result(moves=(0,)))
    >>> verdict.holds, verdict.step
    (False, 1)
    """

    holds: bool
    reason: str = ""
    step: int = 0


def replay(instance: Instance, moves: Sequence[int]) -> Verdict:
    """Tell whether these moves are legal, one after the other, and end in a solved board."""
    puzzle, state = instance.puzzle, instance.state
    is_legal, move_count = legality(puzzle), puzzle.move_count
    for step, move in enumerate(moves, start=1):
        if not 0 <= move < move_count or not is_legal(state, move):
            name = puzzle.write_move(move) if 0 <= move < move_count else str(move)
            return Verdict(False, f"move {step} of {len(moves)}, {name}, cannot be made on {puzzle.write(state)}", step)
        state = puzzle.apply(state, move)
    if not puzzle.solved(state):
        return Verdict(
            False, f"after all {len(moves)} moves the board is {puzzle.write(state)}, not solved", len(moves)
        )
    return Verdict(True)


def verify(instance: Instance, result: Result) -> Verdict:
    """Tell whether the claims of a result agree with the rules and with each other."""
    if result.moves is None:
        if result.proof in ("optimal", "unique", "several"):
            return Verdict(False, f"claims proof '{result.proof}' without any moves")
        return Verdict(True)
    if result.proof == "unsolvable":
        return Verdict(False, "claims to be unsolvable, and gives moves")
    verdict = replay(instance, result.moves)
    if not verdict.holds:
        return verdict
    return _verified_sums(instance, result)


def _verified_sums(instance: Instance, result: Result) -> Verdict:
    """Tell whether the length, cost or score of legal moves agrees with what the result says of it, and with its
    bound.
    """
    objective, moves = objective_of(instance.puzzle), result.moves or ()
    total = objective.total(instance, moves)
    if objective.kind == "score":
        return _verified_score(result, -total)
    if objective.kind == "cost" and result.cost != total:
        return Verdict(False, f"claims that the moves cost {result.cost}, and they cost {total}")
    words = f"{total} moves" if objective.kind == "moves" else f"a cost of {total}"
    if total < result.lower_bound:
        are = "are fewer" if objective.kind == "moves" else "is less"
        return Verdict(False, f"{words} {are} than its own lower bound {result.lower_bound}")
    if result.proof == "optimal" and total != result.lower_bound:
        return Verdict(False, f"claims {words} optimal with a lower bound of {result.lower_bound}")
    return Verdict(True)


def _verified_score(result: Result, score: int) -> Verdict:
    if result.score != score:
        return Verdict(False, f"claims a score of {result.score}, and the moves make {score}")
    if result.upper_bound is not None and score > result.upper_bound:
        return Verdict(False, f"a score of {score} is more than its own upper bound {result.upper_bound}")
    if result.proof == "optimal" and score != result.upper_bound:
        return Verdict(False, f"claims a score of {score} optimal with an upper bound of {result.upper_bound}")
    return Verdict(True)


def confirmed(result: Result) -> tuple[Result, Verdict]:
    """Return the result of a board with the rules that confirm it, and the verdict of the plain rules."""
    verdict = verify(result.board, result)
    return replace(result, verified_by="plain" if _is_confirmed(result, verdict) else None), verdict


def _is_confirmed(result: Result, verdict: Verdict) -> bool:
    """Return whether the plain rules confirm the moves, or without moves that the board is unsolvable."""
    if result.moves is None:
        return result.proof == "unsolvable" and result.board.puzzle.objection(result.board.state) is not None
    return verdict.holds
