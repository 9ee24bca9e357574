"""The estimates of a search: one is the bound, and others may order the successors.

Each is a kernel or external (scored by Python); compiled code sees it as a `Scorer`.
Shapes: M, S, K as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import Estimate, KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.driver import scorer, tables_of
from puzzlelab.engine.kernels import REQUESTED, implements, inlined, kernel_name


class SameAsBound(NamedTuple):
    """Stands for the tables of an order: successors are ordered by the bound.

    (The field is a number because Numba takes a hundred times as long to type a text at each call.)
    """

    none: int = 0


@kernel_name
def has_order(tables):
    """Whether there is an order besides the bound."""
    return True


@implements(has_order, SameAsBound)
def _has_no_order(tables):
    return False


@implements(kernels.incremental, SameAsBound)
def _is_incremental(tables):
    return True


@implements(kernels.evaluate, SameAsBound)
def _zero(tables, state, memo):
    return 0


class Scorer(NamedTuple):
    """An estimate and its scratch arrays."""

    tables: Any
    memo: NDArray[np.int64]
    """[K]."""
    delta: NDArray[np.int64]
    """[K]."""


@inlined
def score_children(scorer, state, moves, children, count, target):
    """Write the estimates after the first `count` of `moves` into `target: float64[M]`; True if they must be requested.

    `children: T[M, S]` are the states after the moves; an incremental estimate does not read them.
    """
    if kernels.is_external(scorer.tables):
        return count > 0
    if kernels.incremental(scorer.tables):
        value = kernels.evaluate(scorer.tables, state, scorer.memo)
        for i in range(count):
            target[i] = kernels.evaluate_move(
                scorer.tables, state, moves[i], value, scorer.memo, scorer.delta, np.int64(1 << 40)
            )
    else:
        for i in range(count):
            target[i] = kernels.evaluate(scorer.tables, children[i], scorer.memo)
    return False


@inlined
def take_scores(record, scorer, target, minimum):
    """Copy the scores that arrived into `target`, none below `minimum`."""
    if kernels.is_external(scorer.tables):
        for i in range(record.control[REQUESTED]):
            target[i] = max(minimum, record.scores[i])


class Scorers(NamedTuple):
    """The estimates of one search."""

    bound: Estimate
    order: Estimate | None = None
    """The order of the first plies, or of all; None orders by the bound."""
    deep: Estimate | None = None
    """The order below them."""

    def compiled(self, rules: KernelRules) -> tuple[Scorer, Scorer, Scorer]:
        """Each in the form for compiled code."""
        return _scorer(self.bound, rules), _scorer(self.order, rules), _scorer(self.deep, rules)

    def score(self, index: int, states: State, rules: KernelRules) -> NDArray[np.float64]:
        """The scores of working states `[R, S]` by the estimate with this index."""
        estimate = self[index]
        score_states = scorer(estimate, rules) if estimate else None
        if estimate is None or score_states is None:
            raise PuzzlelabError("a search asked for scores, but its estimate has no function that gives them")
        return score_states(states)


def _scorer(estimate: Estimate | None, rules: KernelRules) -> Scorer:
    memo = estimate.memo if estimate else 1
    tables = tables_of(estimate, rules) if estimate else SameAsBound()
    return Scorer(tables, np.zeros(memo, np.int64), np.zeros(memo, np.int64))
