"""The loop of every learner: step after step, an examination now and then, and all of it kept, so that it can go on.

A recipe brings a `TrainingTask`, which says what one step is.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from torch import Tensor

from puzzlelab.core.version import VERSION
from puzzlelab.engine import report
from puzzlelab.nets import checkpoint
from puzzlelab.nets.checkpoint import Card
from puzzlelab.training import evaluation, train_state
from puzzlelab.training.evaluation import EvalSettings, Figures
from puzzlelab.training.learner import Learner, LearnerSettings
from puzzlelab.training.metrics import Metrics
from puzzlelab.training.runs import Run, plain

OWN = "own."
"""The beginning of the names of what a student keeps beside its learner."""


class CommonSettings(Protocol):
    """The settings that every recipe has."""

    @property
    def recipe(self) -> str: ...
    @property
    def puzzle(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def learning(self) -> LearnerSettings: ...
    @property
    def exam(self) -> EvalSettings: ...


class TrainingTask(Protocol):
    """What a recipe does in one step, and what it must keep to go on."""

    @property
    def learner(self) -> Learner:
        """The network on its way."""

    def step(self) -> Mapping[str, float]:
        """Learn once; the losses."""

    def figures(self) -> Figures:
        """What there is to tell beside the losses and the boards that are played."""

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """All that `restore` needs beside the learner: arrays, and what JSON can say."""

    def restore(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
        """Become the student that gave this state; the learner has been restored already."""

    def saved(self) -> None:
        """Called when a state has been saved: what only states before it needed may go."""


def learn(run: Run, settings: Any, watch: Callable[[], None], make: Callable[[], TrainingTask]) -> None:
    """Train until the steps are made; Ctrl-C saves, and the same call goes on.

    `make` makes a new student; `watch` is called before every step, and may raise.
    """
    with run.alone("learner"):
        loop = Loop.at(run, settings, make())
        try:
            loop.work(watch)
        finally:
            loop.save()
            loop.publish()
        run.write(run.done, run.champion.read_text(encoding="utf-8"))


@dataclass
class Loop:
    """A student with its examination and its diary."""

    run: Run
    settings: CommonSettings
    student: TrainingTask
    metrics: Metrics
    boards: evaluation.Evaluator
    spent: float = 0.0
    """Seconds of learning in calls before this one."""
    began: float = field(default_factory=time.perf_counter)
    totals: dict[str, float] = field(default_factory=dict)
    """Sums of the losses since the last line of the diary."""
    saved_at: float = 0.0

    @classmethod
    def at(cls, run: Run, settings: Any, student: TrainingTask) -> Loop:
        """As the run's folder holds it, or new."""
        held = train_state.load(run.folder)
        told: Mapping[str, Any] = held[1] if held else {}
        metrics = Metrics(run.metrics, told.get("metrics", 0), run.folder / "tensorboard")
        puzzle = student.learner.puzzle
        found = cls(run, settings, student, metrics, evaluation.boards(puzzle, settings.exam, settings.seed, run))
        if held:
            own = {name.removeprefix(OWN): value for name, value in held[0].items() if name.startswith(OWN)}
            student.learner.restore(held[0], told["step"])
            student.restore(own, told["student"])
            found.totals, found.spent = dict(told["totals"]), told["spent"]
        found.began = time.perf_counter()
        return found

    @property
    def seconds(self) -> float:
        """Of learning, in all calls."""
        return self.spent + time.perf_counter() - self.began

    @property
    def step(self) -> int:
        """Steps that were made."""
        return self.student.learner.step

    def work(self, watch: Callable[[], None]) -> None:
        """All steps that are left."""
        steps, every = self.settings.learning.steps, self.settings.exam.every
        self.saved_at = self.seconds
        while steps is None or self.step < steps:
            watch()
            for name, value in self.student.step().items():
                self.totals[name] = self.totals.get(name, 0.0) + value
            self.totals["steps"] = self.totals.get("steps", 0) + 1
            if self.step % every == 0 or self.step == steps:
                self._note()
            if self.seconds - self.saved_at > self.settings.learning.save:
                self.save()

    # --- telling and keeping ---

    def _note(self) -> None:
        """Examine the network, and write down how it does."""
        steps = self.totals.pop("steps", 1)
        figures: Figures = {name: value / steps for name, value in self.totals.items()}
        self.totals = {}
        figures |= self.student.figures()
        if self.boards.states:
            figures |= self.boards.figures(self.student.learner.best, self.settings.exam)
        seconds = self.seconds
        shown = self.step * self.settings.learning.batch
        figures |= {"shown": shown, "seconds": seconds, "rate": shown / seconds}
        self.metrics.write(self.step, figures)
        report.progress("training", self.step, self.settings.learning.steps, _line(figures))

    def save(self) -> None:
        """Keep where the student stands."""
        if self.step == 0:
            return
        tensors, told = self.student.state()
        state = {
            "step": self.step,
            "metrics": self.metrics.length,
            "student": told,
            "totals": self.totals,
            "spent": self.seconds,
        }
        own = {OWN + name: value for name, value in tensors.items()}
        train_state.save(self.run.folder, {**self.student.learner.state(), **own}, state)
        self.student.saved()
        self.saved_at = self.seconds

    def publish(self) -> None:
        """Put the network as it is now in the place of the one before."""
        if self.step == 0:
            return
        self.run.promote(store(self.run, self.settings, self.student.learner, self.seconds).name)


def store(run: Run, settings: CommonSettings, student: Learner, seconds: float) -> Card:
    """Put the network as it is now into the run's folder, after so many seconds of learning; its card."""
    return checkpoint.save(
        run.nets,
        student.best,
        recipe=settings.recipe,
        settings=plain(settings),  # type: ignore[arg-type]
        seed=settings.seed,
        steps=student.step,
        samples=student.step * settings.learning.batch,
        hours=round(seconds / 3600, 3),
        machine=platform.processor() or platform.machine(),
        version=VERSION,
    )


SHOWN = {
    "error": "error {:.2f}",
    "agreement": "agreement {:.1%}",
    "difficulty": "difficulty {:.0f}",
    "epsilon": "epsilon {:.3f}",
    "won": "games won {:.1%}",
    "left": "{:.2f} from the goal at their end",
    "solved": "greedy solves {:.1%}",
    "moves": "in {:.2f} moves",
    "least": "optimum {:.2f}",
}


def _line(figures: Figures) -> str:
    """The figures that matter, with the known truth beside them."""
    told = [words.format(figures[name]) for name, words in SHOWN.items() if name in figures]
    return ", ".join([f"loss {figures.get('loss', 0):.3f}", *told, f"{figures['rate']:,.0f} samples/s"])
