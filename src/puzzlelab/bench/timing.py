"""The measured seconds of a run. A row of a batch has an equal share of its time, which is no measured time.

The sum over a whole batch is measured, so that boards that fill whole batches have a measured mean; but no percentiles,
and boards that are a part of a batch have no measured time at all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from puzzlelab.bench.runs import BenchAnswer, BenchRun

ADVICE = "bench --batch level, clues or board measures them again, into another --out"


@dataclass(frozen=True)
class Timing:
    """Seconds of some boards, as far as they were measured; nan where they were not."""

    kind: Literal["alone", "whole batches", "parts of batches"]
    mean: float
    percentiles: tuple[float, ...]
    """The 25th, 50th, 75th and 95th."""

    @property
    def typical(self) -> float:
        """The median; the mean of boards that were timed in whole batches."""
        return self.percentiles[1] if self.kind == "alone" else self.mean


class BatchSizes:
    """The batches of a run with the number of their boards."""

    def __init__(self, run: BenchRun) -> None:
        self._sizes = Counter(self._batch(answer) for answer in run.answers)

    def timing(self, answers: Sequence[BenchAnswer]) -> Timing:
        """Return what is measured of the seconds of these answers, of which there is at least one."""
        seconds = [answer.row.seconds for answer in answers]
        sizes = Counter(batch for answer in answers if (batch := self._batch(answer)) is not None)
        if not sizes:
            percentiles = tuple(np.percentile(seconds, (25, 50, 75, 95)).tolist())
            return Timing("alone", float(np.mean(seconds)), percentiles)
        unknown = (math.nan,) * 4
        if any(size < self._sizes[batch] for batch, size in sizes.items()):
            return Timing("parts of batches", math.nan, unknown)
        return Timing("whole batches", float(np.mean(seconds)), unknown)

    def _batch(self, answer: BenchAnswer) -> tuple[str, str] | None:
        """Return the solver and the name of the batch; None if this board was timed alone."""
        row = answer.row
        return (answer.solver, row.batch or "") if row.seconds_shared else None


def note(solvers: Sequence[str], kind: str) -> tuple[str, ...]:
    """Return a sentence for below a plot or a table about times of these solvers that are not measured."""
    if not solvers:
        return ()
    names = ", ".join(dict.fromkeys(solvers))
    if kind == "whole batches":
        return (f"{names}: boards were answered in batches; seconds are the mean of whole batches, without a spread.",)
    return (f"{names}: no seconds, because its batches hold other boards too, and their times are shares; {ADVICE}.",)
