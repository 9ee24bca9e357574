"""The training loop of every recipe: steps, evaluations in between, saved states, and published networks.

A recipe provides a `Task`, which defines one step. `learn` trains in one call until all steps are done; the
trainer of self-play, which takes turns with other programs, calls `Loop.run_steps` once for each candidate network.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor
from puzzlelab.nets import checkpoint, run_networks
from puzzlelab.training.evaluation import Evaluator, Metrics
from puzzlelab.training.learner import Learner
from puzzlelab.training.metrics import MetricsWriter
from puzzlelab.training.recipe import NO_CALLBACKS, Callbacks, Diverged, Watch
from puzzlelab.training.runs import Run, to_toml_values
from puzzlelab.training.settings import RecipeSettings
from puzzlelab.training.train_state import SavedStates
from puzzlelab.version import VERSION

TASK_PREFIX = "task."
"""The beginning of the names of a task's own tensors in a saved state."""
State = tuple[Mapping[str, Tensor], Mapping[str, Any]]
"""(tensors, values for JSON)."""
POLL_SECONDS = 0.05
"""The time between two attempts at a step that has to wait."""


@dataclass
class Task:
    """A recipe at work: its step, and the state that it must save to continue."""

    learner: Learner
    """The network in training."""
    step: Callable[[], Mapping[str, float] | None]
    """Trains for one step; the losses, or None if the step has to wait for samples."""
    state: Callable[[], State] = lambda: ({}, {})
    """Returns all that `restore` needs beside the learner: tensors, and values for JSON."""
    restore: Callable[[Mapping[str, Tensor], Mapping[str, Any]], None] = lambda tensors, values: None
    """Loads a saved state; the learner has been restored already."""
    metrics: Callable[[], Metrics] = dict
    """Returns metrics of the steps since the last call, beside the losses and the evaluation."""
    policy_metrics: Callable[[Evaluator], Metrics] = lambda evaluator: {}
    """Returns metrics of play by the policy alone from the boards of an evaluation."""
    on_saved: Callable[[Mapping[str, Any]], None] = lambda oldest: None
    """Is called after a state was saved, to remove files that are not needed any more, with the values, as of `state`,
    of the oldest state from which the run may have to continue.
    """
    close: Callable[[], None] = lambda: None
    """Frees what the task holds, after training is over, or was interrupted, and is saved."""
    executor_status: Callable[[], str] = str
    """Returns the status of the executor, in words; empty without one."""
    idle_seconds: Callable[[], float] = float
    """Returns the waiting time so far that does not count as training time."""
    publish: Callable[[str], None] | None = None
    """Makes a network known by its hash that was saved just now; None: as the champion and only network of its run."""
    prefers_prior: bool = False
    """Whether a network with both outputs is evaluated by its prior, where the settings do not name one of them."""
    samples_per_step: int | None = None
    """The number of samples in one step; None: `learning.batch_size`."""


def learn(
    new_task: Callable[[Run, Any, Watch, Executor], Task],
    run: Run,
    settings: RecipeSettings,
    watch: Watch,
    executor: Executor,
    callbacks: Callbacks = NO_CALLBACKS,
) -> None:
    """Train by such a task until all steps are done; after Ctrl-C, which saves, the same call continues.

    `new_task` returns the task before its first step, with random weights. `watch` is called before every step, and
    where the making of the task takes long, and may raise. The executor does what the task can leave to others.
    """
    with run.exclusive("learner"), closing(new_task(run, settings, watch, executor)) as task:
        loop = Loop(run, settings, task, watch, callbacks=callbacks)
        try:
            loop.run_steps(watch)
            while not loop.finished:
                time.sleep(POLL_SECONDS)
                loop.run_steps(watch)
        finally:
            loop.save()
            if loop.step:
                loop.publish()
        run.write(run.done, run.champion.read_text(encoding="utf-8"))


class Loop:
    """A task with its evaluation, its metrics, and the files from which training continues."""

    def __init__(
        self,
        run: Run,
        settings: RecipeSettings,
        task: Task,
        watch: Watch = lambda: None,
        publish_interval: int | None = None,
        reports_progress: bool = True,
        callbacks: Callbacks = NO_CALLBACKS,
    ) -> None:
        """Continue from the saved state of the run's folder, or start anew.

        `watch` is called while the optima of the evaluation boards are proven, and may raise.
        """
        self.run, self.settings, self.task, self.callbacks = run, settings, task, callbacks
        self.publish_interval = publish_interval
        """Steps between two published networks; the last one is published too. None: the caller publishes the
        network.
        """
        self.reports_progress = reports_progress
        """Whether evaluations are reported as progress; False in a run of several programs, which is reported as
        one.
        """
        self.loss_sums: dict[str, float] = {}
        """The sum of each part of the loss over the steps since the last evaluation, and their number, `steps`."""
        self.latest_losses: list[Mapping[str, float]] = []
        """The losses of the last steps, which are not in the sums yet."""
        self.earlier_seconds = 0.0
        """Training time of the calls before this one."""
        self.unfinished = False
        """Whether the evaluation after the last step, and what else is due after it, has been interrupted."""
        self.diverged = False
        """Whether a loss or a weight is no number, after which nothing is saved or published."""
        with run.writing():
            run.failure.unlink(missing_ok=True)
        run_networks.written(run.folder)  # a damaged list is refused now, and not after the training
        run_networks.remove_unfinished(run.folder)
        self.states = SavedStates(run.folder)
        saved = self.states.load()
        self.writer = MetricsWriter(run.metrics, saved[1]["metrics"] if saved else 0, run.folder / "tensorboard")
        self.evaluator = Evaluator(task.learner.puzzle, settings.evaluation, settings.seed, run, watch)
        if saved:
            self._restore(*saved)
        self.began, self.saved_at = time.perf_counter(), self.earlier_seconds

    @property
    def seconds(self) -> float:
        """Training time of all calls."""
        return self.earlier_seconds + time.perf_counter() - self.began - self.task.idle_seconds()

    @property
    def step(self) -> int:
        """The number of steps done."""
        return self.task.learner.step

    @property
    def samples(self) -> int:
        """The number of samples shown to the network in these steps."""
        return self.step * (self.task.samples_per_step or self.settings.learning.batch_size)

    @property
    def finished(self) -> bool:
        """Whether all steps are done, with what is due after the last one."""
        return self._is_last_step and not self.unfinished

    @property
    def _is_last_step(self) -> bool:
        steps = self.settings.learning.steps
        return steps is not None and self.step >= steps

    def run_steps(self, watch: Watch) -> bool:
        """Train until a network was published, the task has to wait, or all steps are done; whether one was published.

        `watch` is called before every step and during evaluations, and may raise, as the callbacks may. Raises
        `Diverged`.
        """
        with self._noting_divergence():
            return self._run_steps(watch)

    def _run_steps(self, watch: Watch) -> bool:
        while not self.finished:
            watch()
            metrics = None
            if not self.unfinished:
                losses = self.task.step()
                if losses is None:
                    return False
                self.latest_losses.append(losses)
                self.unfinished = True
                self.callbacks.after_step(self.step, losses)
            if self._is_due(self.settings.evaluation.every):
                metrics = self._evaluate(watch)
            elif self.reports_progress and self.step < self.settings.evaluation.every and _is_round(self.step):
                report.progress("training", self.step, self.settings.learning.steps, self._early_summary())
            self.unfinished = False
            if metrics is not None:
                self.callbacks.after_evaluation(self.step, metrics)
            if self.publish_interval is not None and self._is_due(self.publish_interval):
                self.save()
                self.publish()
                return True
            if self.seconds - self.saved_at > self.settings.learning.save_seconds:
                self.save()
        return False

    @contextmanager
    def _noting_divergence(self) -> Iterator[None]:
        """Add the last sound state to the error of a training that diverges, and write it into the folder."""
        try:
            yield
        except Diverged as error:
            if self.diverged:
                raise
            self.diverged, step = True, self.states.newest_step
            kept = f"the state of step {step:,} is kept: go on from it" if step else "no state was saved: begin"
            sentence = f"{error}; {kept} with a smaller learning.learning_rate"
            self.run.write(self.run.failure, sentence + "\n")
            raise Diverged(sentence) from None

    def _early_summary(self) -> str:
        """Return what is known before the first evaluation."""
        sums = self._summed_losses()
        parts = [f"loss {sums.get('loss', 0.0) / sums['steps']:.3f}", f"{self.samples / self.seconds:,.0f} samples/s"]
        return ", ".join(filter(None, [*parts, self.task.executor_status()]))

    def _summed_losses(self) -> dict[str, float]:
        """Return the sums of the losses; waits for a graphics card that still computes them.

        Raises `Diverged` where a loss or a weight is no number.
        """
        for losses in self.latest_losses:
            for name, value in {**losses, "steps": 1}.items():
                self.loss_sums[name] = self.loss_sums.get(name, 0.0) + value
        self.latest_losses.clear()
        self.task.learner.check_weights()
        return self.loss_sums

    def _is_due(self, interval: int) -> bool:
        """Tell whether something happens after this step that happens every `interval` steps and after the last one."""
        return self.step % interval == 0 or self._is_last_step

    def _evaluate(self, watch: Watch) -> Metrics:
        """Evaluate the network, and write and return the metrics."""
        task, sums = self.task, self._summed_losses()
        evaluated: Metrics = {}
        if self.evaluator.states:
            evaluated = self.evaluator.evaluate(task.learner.ema_model, task.prefers_prior, watch)
            evaluated |= task.policy_metrics(self.evaluator)
        self.loss_sums = {}
        losses = {name: value / sums["steps"] for name, value in sums.items() if name != "steps"}
        metrics = {**losses, **task.metrics(), **evaluated}
        seconds = self.seconds
        metrics |= {"shown": self.samples, "seconds": seconds, "rate": self.samples / seconds}
        self.writer.write(self.step, metrics)
        if self.reports_progress:
            report.progress(
                "training", self.step, self.settings.learning.steps, _summary(metrics, task.executor_status())
            )
        return metrics

    # --- files ---

    def save(self) -> None:
        """Save the state of training, unless it is the last one that was saved or loaded; raises `Diverged`."""
        if self.diverged or self.step == 0 or self.step == self.states.newest_step:
            return
        with self._noting_divergence():
            losses = self._summed_losses()
        self.writer.sync()  # the state contains the length of the metrics
        tensors, values = self.task.state()
        state: dict[str, Any] = {"step": self.step, "metrics": self.writer.length}
        if values:
            state["task"] = values
        if self.unfinished:
            state["unfinished"] = True
        state |= {"losses": losses, "seconds": self.seconds}
        own = {TASK_PREFIX + name: value for name, value in tensors.items()}
        self.states.save({**self.task.learner.state(), **own}, state)
        self.task.on_saved(self.states.oldest.get("task", {}))
        self.saved_at = self.seconds

    def _restore(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Load what `save` saved."""
        own = {name.removeprefix(TASK_PREFIX): value for name, value in tensors.items() if name.startswith(TASK_PREFIX)}
        self.task.learner.restore(tensors, state["step"])
        self.task.restore(own, state.get("task", {}))
        self.unfinished = state.get("unfinished", False)
        self.loss_sums, self.earlier_seconds = state["losses"], state["seconds"]

    def publish(self) -> None:
        """Save the network with its card in the run's folder, and make it known there."""
        if self.diverged:
            return
        model = self.task.learner.ema_model
        run_networks.note_written(self.run.folder, checkpoint.hash_of(model.module.state_dict()))
        card = checkpoint.save(
            self.run.nets,
            model,
            recipe=self.settings.recipe,
            settings=to_toml_values(self.settings),
            seed=self.settings.seed,
            steps=self.step,
            samples=self.samples,
            hours=round(self.seconds / 3600, 3),
            machine=platform.processor() or platform.machine(),
            version=VERSION,
        )
        (self.task.publish or self.run.publish)(card.name)


SUMMARY = {
    "optimal": "best moves in {:.2%} of all states",
    "error": "error {:.2f}",
    "agreement": "agreement {:.1%}",
    "difficulty": "difficulty {:.0f}",
    "epsilon": "epsilon {:.3f}",
    "games": "{:,.0f} games ended",
    "won": "games won {:.1%}",
    "length": "{:.1f} moves a game",
    "random_moves": "{:.2f} of them random",
    "check_solved": "the policy alone solves {:.0%} at this difficulty",
    "check_level": "level {:.2f} left there",
    "finishes": "{:.0f} solved in all checks",
    "solved": "greedy solves {:.1%}",
    "level_left": "level {:.2f} left",
    "moves": "in {:.2f} moves",
    "least": "optimum {:.2f}",
}
"""The metrics on the progress line."""


def _is_round(step: int) -> bool:
    """Tell whether it is 1, 2 or 5, or one of them with zeros."""
    return str(step).rstrip("0") in ("1", "2", "5")


def _summary(metrics: Metrics, executor_status: str) -> str:
    """Return the most important metrics in a line, the optimum beside the moves of greedy play."""
    parts = [text.format(metrics[name]) for name, text in SUMMARY.items() if name in metrics]
    parts = [f"loss {metrics.get('loss', 0):.3f}", *parts, f"{metrics['rate']:,.0f} samples/s", executor_status]
    return ", ".join(filter(None, parts))
