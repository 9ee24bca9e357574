# mypy: allow-untyped-defs
"""The estimates of the successors of a state, which a search gets in one of three ways.

An external estimate (a network, or a plain Python function) is requested for many states at once, between two slices.
A kernel estimates each successor from scratch; or an incremental one computes its memo once for the state, and then
what each move changes. The way is known when the search is compiled. `estimate` is an `EstimateRecord`.

Shapes: S, M, K as in `engine.kernels`.
"""

from __future__ import annotations

import numpy as np

from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import inlined

NO_LIMIT = np.int64(1 << 40)
"""A bound that no estimate exceeds."""


@inlined
def evaluate_state(estimate, state):
    """Return the estimate of `state: T[S]` from scratch; 0 for an external one, which must be requested."""
    return kernels.evaluate(estimate.tables, state, estimate.memo)


@inlined
def prepare_children(estimate, state):
    """Call this once before `evaluate_child` for the successors of `state: T[S]`; returns the `value` it needs."""
    if kernels.incremental(estimate.tables):
        return kernels.evaluate(estimate.tables, state, estimate.memo)
    return 0


@inlined
def evaluate_child(estimate, state, value, move, child):
    """Return the estimate of `child: T[S]`, the successor of `state` by `move`; 0 for an external one.

    An incremental estimate does not read `child`.
    """
    if kernels.is_external(estimate.tables):
        return 0
    if kernels.incremental(estimate.tables):
        return kernels.evaluate_move(estimate.tables, state, move, value, estimate.memo, estimate.delta, NO_LIMIT)
    return kernels.evaluate(estimate.tables, child, estimate.memo)


@inlined
def take_scores(record, target, first, least):
    """Write the scores that arrived into `target` from index `first` on, none below `least`; returns their number."""
    count = record.control.requested
    for i in range(count):
        target[first + i] = max(least, record.scores[i])
    record.control.requested = 0
    return count
