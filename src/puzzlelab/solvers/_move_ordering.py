"""What a search goes by: an estimate that bounds, and others that say in which order successors are tried.

Each is a kernel or comes from outside; compiled code sees it as a `Scorer`. Shapes: M, S, K as in `engine.kernels`.
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


class AsBound(NamedTuple):
    """In the place of the tables of an order: successors are tried in the order of the estimate that bounds.

    (What it holds is a number, because Numba takes a hundred times as long to recognise a text at each call.)
    """

    none: int = 0


@kernel_name
def ordered(tables):
    """Whether there is an order of its own."""
    return True


@implements(ordered, AsBound)
def _not_ordered(tables):
    return False


@implements(kernels.incremental, AsBound)
def _nothing_to_compute(tables):
    return True


@implements(kernels.evaluate, AsBound)
def _nothing(tables, state, memo):
    return 0


class Scorer(NamedTuple):
    """An estimate, and its room."""

    tables: Any
    memo: NDArray[np.int64]
    """[K]."""
    delta: NDArray[np.int64]
    """[K]."""


@inlined
def score_children(sight, state, moves, children, count, target):
    """Write the estimates after the first `count` of `moves` into `target: float64[M]`; True when they are asked for.

    `children: T[M, S]` is what the moves lead to; an estimate that is incremental does without.
    """
    if kernels.is_external(sight.tables):
        return count > 0
    if kernels.incremental(sight.tables):
        value = kernels.evaluate(sight.tables, state, sight.memo)
        for i in range(count):
            target[i] = kernels.evaluate_move(
                sight.tables, state, moves[i], value, sight.memo, sight.delta, np.int64(1 << 40)
            )
    else:
        for i in range(count):
            target[i] = kernels.evaluate(sight.tables, children[i], sight.memo)
    return False


@inlined
def take_scores(record, sight, target, least):
    """Take over the scores of what was asked for, none below `least`."""
    if kernels.is_external(sight.tables):
        for i in range(record.control[REQUESTED]):
            target[i] = max(least, record.scores[i])


class Scorers(NamedTuple):
    """All that one search goes by."""

    bound: Estimate
    order: Estimate | None = None
    """The order of the first plies, or of all; None is that of the bound."""
    deep: Estimate | None = None
    """The order below them."""

    def compiled(self, rules: KernelRules) -> tuple[Scorer, Scorer, Scorer]:
        """Each as compiled code sees it."""
        return _sight(self.bound, rules), _sight(self.order, rules), _sight(self.deep, rules)

    def score(self, which: int, states: State, rules: KernelRules) -> NDArray[np.float64]:
        """What one of them (by its place) says of working states `[R, S]`."""
        estimate = self[which]
        answer = scorer(estimate, rules) if estimate else None
        if estimate is None or answer is None:
            raise PuzzlelabError("a search asked for scores, but its estimate has no function that gives them")
        return answer(states)


def _sight(estimate: Estimate | None, rules: KernelRules) -> Scorer:
    room = estimate.memo if estimate else 1
    tables = tables_of(estimate, rules) if estimate else AsBound()
    return Scorer(tables, np.zeros(room, np.int64), np.zeros(room, np.int64))
