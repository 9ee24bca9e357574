"""The measured seconds of a run: those of boards that were solved alone, and the sums of whole batches.

Boards that fill whole batches have a measured mean, but no percentiles. Boards that are a part of a batch have no
measured time at all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from puzzlelab.bench.runs import BenchAnswer

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


def timing_of(answers: Sequence[BenchAnswer]) -> Timing:
    """Return what is measured of the seconds of these answers; boards with an error have none, and are left out."""
    unknown = (math.nan,) * 4
    seconds = [answer.row.seconds for answer in answers if answer.row.seconds is not None]
    in_batches = [answer.batch for answer in answers if answer.row.seconds is None and answer.row.error is None]
    if not in_batches:
        percentiles = tuple(np.percentile(seconds, (25, 50, 75, 95)).tolist()) if seconds else unknown
        return Timing("alone", float(np.mean(seconds)) if seconds else math.nan, percentiles)
    batches, sizes = {id(batch): batch for batch in in_batches}, Counter(map(id, in_batches))  # two may be equal
    if any(batch is None or batch.boards != sizes[number] for number, batch in batches.items()):
        return Timing("parts of batches", math.nan, unknown)
    total = sum(seconds) + sum(batch.seconds for batch in batches.values() if batch is not None)
    return Timing("whole batches", total / (len(seconds) + len(in_batches)), unknown)


def note(solvers: Sequence[str], kind: str) -> tuple[str, ...]:
    """Return a sentence for below a plot or a table about times of these solvers that are not measured."""
    if not solvers:
        return ()
    names = ", ".join(dict.fromkeys(solvers))
    if kind == "whole batches":
        return (f"{names}: boards were answered in batches; seconds are the mean of whole batches, without a spread.",)
    return (f"{names}: no seconds, because its batches hold other boards too; {ADVICE}.",)
