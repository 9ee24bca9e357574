"""The parts that commands with `--executor` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlelab.engine.executor import Executor

MOST = 1e15
"""More than a node has of anything, its bytes of memory included."""


def open_optional(name: str | None, jobs: int | None) -> AbstractContextManager[Executor | None]:
    """Return the executor of this name, which ends with the context; None without a name. Raises `BadInput`.

    `jobs` are the processes of the executor `local`.
    """
    if name is None:
        return nullcontext()
    from puzzlelab.cluster import open_executor

    return open_executor(name, jobs)


def resources_of(texts: Sequence[str] | None, executor: str | None) -> Mapping[str, float]:
    """Return the resources in texts such as `gpu=1` or `cpu=2,gpu=0.5`; raises `BadOption`."""
    from puzzlelab.core.errors import BadOption, shorten

    amounts: dict[str, float] = {}
    for text in [part for each in texts or () for part in each.split(",")]:
        name, equals, amount = text.partition("=")
        try:
            amounts[name.strip()] = float(amount)
        except ValueError:
            equals = ""
        if not (equals and name.strip() and 0 < amounts[name.strip()] < MOST):
            raise BadOption(f"'{shorten(text)}' is no amount of a resource, as in --learner-resources gpu=1")
    if amounts and executor is None:
        raise BadOption("--learner-resources choose a node of a cluster: give --executor too")
    return amounts


def status_in_words(executor: Executor | None) -> str:
    """Return what the executor works with, for its progress; empty without an executor."""
    return "" if executor is None else executor.status().in_words()
