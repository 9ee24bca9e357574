"""The estimate on which a proof rests, checked along the solution that it calls optimal.

A search by an admissible estimate proves only as much as that estimate is admissible. On every board along a solution
the rest of the solution bounds the true cost-to-go: an estimate above it is refuted, and so is the proof.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from puzzlelab.core.errors import BadInput
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import is_network
from puzzlelab.core.views import Estimate
from puzzlelab.engine.batch_rules import estimated
from puzzlelab.engine.search_rules import chosen_estimate

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
    objective, states = objective_of(puzzle), list(result.states())
    left = np.array([*objective.remaining(states, result.moves or ()), 0])
    values = estimated(puzzle, estimate, np.stack(states))
    too_much = values < left - TOLERANCE if objective.kind == "score" else values > left + TOLERANCE
    if not too_much.any():
        return ProofBasis(estimate.name, "passed")
    place = int(too_much.argmax())
    what = {"moves": "moves are left", "cost": "is the cost that is left", "score": "points are made"}[objective.kind]
    return ProofBasis(
        estimate.name,
        "refuted",
        f"its proof rests on the estimate '{estimate.name}', which gives {values[place]:g} at "
        f"{puzzle.write(states[place])}, where {left[place]} {what}",
    )
