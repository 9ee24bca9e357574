"""The training loop of every recipe: steps, evaluations in between, and saved states to continue from.

A recipe provides a `TrainingTask`, which defines one step.
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
from puzzlelab.training import train_state
from puzzlelab.training.evaluation import EvalSettings, Evaluator, Metrics, make_evaluator
from puzzlelab.training.learner import Learner, LearnerSettings
from puzzlelab.training.metrics import MetricsWriter
from puzzlelab.training.runs import Run, to_toml_values

TASK_PREFIX = "own."
"""The beginning of the names of a task's own tensors in a saved state."""


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
    def evaluation(self) -> EvalSettings: ...


class TrainingTask(Protocol):
    """What a recipe does in one step, and the state that it must save to continue."""

    @property
    def learner(self) -> Learner:
        """The network in training."""

    def step(self) -> Mapping[str, float]:
        """Train for one step; the losses."""

    def metrics(self) -> Metrics:
        """Metrics of the steps since the last call, beside the losses and the evaluation."""

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """All that `restore` needs beside the learner: tensors, and values for JSON."""

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """Load a saved state; the learner has been restored already."""

    def on_saved(self) -> None:
        """Called after a state was saved: files that only earlier states needed may be removed."""


def learn(run: Run, settings: Any, watch: Callable[[], None], make_task: Callable[[], TrainingTask]) -> None:
    """Train until all steps are done; after Ctrl-C, which saves, the same call continues.

    `watch` is called before every step, and may raise.
    """
    with run.exclusive("learner"):
        loop = TrainingLoop.open(run, settings, make_task())
        try:
            loop.run_steps(watch)
        finally:
            loop.save()
            loop.publish()
        run.write(run.done, run.champion.read_text(encoding="utf-8"))


@dataclass
class TrainingLoop:
    """A task with its evaluation and its metrics."""

    run: Run
    settings: CommonSettings
    task: TrainingTask
    writer: MetricsWriter
    evaluator: Evaluator
    earlier_seconds: float = 0.0
    """Training time of the calls before this one."""
    began: float = field(default_factory=time.perf_counter)
    totals: dict[str, float] = field(default_factory=dict)
    """Sums of the losses since the last evaluation, and the number of `steps`."""
    saved_at: float = 0.0

    @classmethod
    def open(cls, run: Run, settings: Any, task: TrainingTask) -> TrainingLoop:
        """Continue from the saved state of the run's folder, or start anew."""
        saved = train_state.load(run.folder)
        values: Mapping[str, Any] = saved[1] if saved else {}
        writer = MetricsWriter(run.metrics, values.get("metrics", 0), run.folder / "tensorboard")
        evaluator = make_evaluator(task.learner.puzzle, settings.evaluation, settings.seed, run)
        loop = cls(run, settings, task, writer, evaluator)
        if saved:
            own = {n.removeprefix(TASK_PREFIX): value for n, value in saved[0].items() if n.startswith(TASK_PREFIX)}
            task.learner.restore(saved[0], values["step"])
            task.restore(own, values["student"])
            loop.totals, loop.earlier_seconds = dict(values["totals"]), values["spent"]
        loop.began = time.perf_counter()
        return loop

    @property
    def seconds(self) -> float:
        """Training time of all calls."""
        return self.earlier_seconds + time.perf_counter() - self.began

    @property
    def step(self) -> int:
        """The number of steps done."""
        return self.task.learner.step

    def run_steps(self, watch: Callable[[], None]) -> None:
        """All remaining steps."""
        steps, every = self.settings.learning.steps, self.settings.evaluation.every
        self.saved_at = self.seconds
        while steps is None or self.step < steps:
            watch()
            for name, value in self.task.step().items():
                self.totals[name] = self.totals.get(name, 0.0) + value
            self.totals["steps"] = self.totals.get("steps", 0) + 1
            if self.step % every == 0 or self.step == steps:
                self._evaluate()
            if self.seconds - self.saved_at > self.settings.learning.save_seconds:
                self.save()

    # --- evaluating and saving ---

    def _evaluate(self) -> None:
        """Evaluate the network, and write the metrics."""
        steps = self.totals.pop("steps", 1)
        metrics: Metrics = {name: value / steps for name, value in self.totals.items()}
        self.totals = {}
        metrics |= self.task.metrics()
        if self.evaluator.states:
            metrics |= self.evaluator.evaluate(self.task.learner.ema_model, self.settings.evaluation)
        seconds = self.seconds
        samples = self.step * self.settings.learning.batch_size
        metrics |= {"shown": samples, "seconds": seconds, "rate": samples / seconds}
        self.writer.write(self.step, metrics)
        report.progress("training", self.step, self.settings.learning.steps, _summary(metrics))

    def save(self) -> None:
        """Save the state of training."""
        if self.step == 0:
            return
        tensors, values = self.task.state()
        state = {
            "step": self.step,
            "metrics": self.writer.length,
            "student": values,
            "totals": self.totals,
            "spent": self.seconds,
        }
        own = {TASK_PREFIX + name: value for name, value in tensors.items()}
        train_state.save(self.run.folder, {**self.task.learner.state(), **own}, state)
        self.task.on_saved()
        self.saved_at = self.seconds

    def publish(self) -> None:
        """Replace the network of the run's folder by the present one."""
        if self.step == 0:
            return
        self.run.promote(save_network(self.run, self.settings, self.task.learner, self.seconds).name)


def save_network(run: Run, settings: CommonSettings, learner: Learner, seconds: float) -> Card:
    """Save the network, after so many seconds of training, into the run's folder; its card."""
    return checkpoint.save(
        run.nets,
        learner.ema_model,
        recipe=settings.recipe,
        settings=to_toml_values(settings),  # type: ignore[arg-type]
        seed=settings.seed,
        steps=learner.step,
        samples=learner.step * settings.learning.batch_size,
        hours=round(seconds / 3600, 3),
        machine=platform.processor() or platform.machine(),
        version=VERSION,
    )


SUMMARY = {
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
"""The metrics on the progress line."""


def _summary(metrics: Metrics) -> str:
    """The most important metrics in a line, the optimum beside the moves of greedy play."""
    parts = [text.format(metrics[name]) for name, text in SUMMARY.items() if name in metrics]
    return ", ".join([f"loss {metrics.get('loss', 0):.3f}", *parts, f"{metrics['rate']:,.0f} samples/s"])
