"""What commands with `--executor` share."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlelab.engine.executor import Executor


def open_optional(name: str | None, jobs: int | None) -> AbstractContextManager[Executor | None]:
    """The executor of this name, which ends with the context; None without a name. Raises `BadInput`.

    `jobs` are the processes of the executor `local`.
    """
    if name is None:
        return nullcontext()
    from puzzlelab.cluster import open_executor

    return open_executor(name, jobs)


def doing_in_words(doing: str, executor: Executor | None) -> str:
    """The text beside a progress bar: what is done, and by what."""
    return doing if executor is None else f"{doing} ({executor.status().in_words()})"
