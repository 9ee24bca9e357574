"""Trials, and the table of them: how many of each fault were tried, held and lost."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from fault_trials.bench import Bench

MOST_LOSSES = 400
"""Losses that are printed in full."""


@dataclass(frozen=True)
class Trial:
    """One fault, once."""

    fault: str
    case: str
    complaints: tuple[str, ...] = ()
    """Why it is lost; empty if it held."""
    command: str = ""
    """What was run."""
    skipped: str = ""
    """Why the fault could not be put in; such a trial neither held nor was lost."""
    title: str = ""
    """That of the case, for `--only`, if it has another fault."""


@dataclass(frozen=True)
class Case:
    """Trials that run one after the other in one folder."""

    fault: str
    name: str
    run: Callable[[Bench], None]
    seconds: float = 10.0
    """About how long it takes; long cases start first."""

    @property
    def title(self) -> str:
        """The name by which `--only` selects it."""
        return f"{self.fault}: {self.name}"


@dataclass
class Record:
    """All trials so far."""

    trials: list[Trial] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, trials: Iterable[Trial]) -> None:
        """Add the trials of a case."""
        self.trials += trials

    @property
    def losses(self) -> list[Trial]:
        """The trials that were lost."""
        return [trial for trial in self.trials if trial.complaints]

    def counts(self) -> dict[str, tuple[int, int, int]]:
        """(tries, held, lost) of each fault, in the order of their first trial; without the skipped ones."""
        result: dict[str, tuple[int, int, int]] = {}
        for trial in self.trials:
            tries, held, lost = result.get(trial.fault, (0, 0, 0))
            if not trial.skipped:
                tries, held, lost = tries + 1, held + (not trial.complaints), lost + bool(trial.complaints)
            result[trial.fault] = tries, held, lost
        return result

    def table(self) -> Table:
        """The table: a line for each fault, and the sum."""
        result = Table("fault", "tries", "held", "lost")
        for column in result.columns[1:]:
            column.justify = "right"
        counts = self.counts()
        for fault, numbers in counts.items():
            if numbers[0]:
                result.add_row(fault, *map(str, numbers))
        result.add_section()
        result.add_row("all", *(str(sum(column)) for column in zip(*counts.values(), strict=True)) if counts else "000")
        return result

    def lines(self, seed: int) -> list[str]:
        """What was skipped, the notes, and each loss with the command that repeats it."""
        skipped = sorted({(trial.fault, trial.skipped) for trial in self.trials if trial.skipped})
        lines = [f"skipped: {fault}: {reason}" for fault, reason in skipped] + self.notes
        for trial in self.losses[:MOST_LOSSES]:
            title = shlex.quote(trial.title or f"{trial.fault}: {trial.case}")
            lines += ["", f"lost: {trial.fault}: {trial.case}", *(f"  - {complaint}" for complaint in trial.complaints)]
            lines += [f"  ran: {trial.command}"] if trial.command else []
            lines.append(f"  repeat: python benchmarks/faults.py --seed {seed} --only {title}")
        if len(self.losses) > MOST_LOSSES:
            lines.append(f"and {len(self.losses) - MOST_LOSSES} more losses")
        return lines
