"""The training loop of every recipe: steps, evaluations in between, saved states, and published networks.

A recipe provides a `Task`, which defines one step. `learn` trains in one call until all steps are done; the
trainer of self-play, which takes turns with other programs, calls `Loop.run_steps` once for each candidate network.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from puzzlelab.core.errors import BadFile
from puzzlelab.core.views import Candidates
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor
from puzzlelab.nets import checkpoint, run_networks
from puzzlelab.nets.card import CARD, file_of, read_card, write_card
from puzzlelab.training.continuation import Position, changes_between, in_force, to_toml_values
from puzzlelab.training.evaluation import OTHER_BOARDS, BestNetwork, Evaluator, Metrics, score_of
from puzzlelab.training.learner import Learner, new_learner
from puzzlelab.training.metrics import MetricsWriter
from puzzlelab.training.recipe import NO_CALLBACKS, Callbacks, Diverged, Watch
from puzzlelab.training.runs import Run
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
    """Makes a network known by its hash that was saved just now; None: as the champion of its run, which keeps beside
    it the best one by the evaluation, and its snapshots.
    """
    prefers_prior: bool = False
    """Whether a network with both outputs is evaluated by its prior, where the settings do not name one of them."""
    samples_per_step: int | None = None
    """The number of samples in one step; None: `learning.batch_size`."""
    on_initial_weights: Callable[[], None] = lambda: None
    """Is called before the first step, after the learner has taken the weights of another network."""


@dataclass(frozen=True)
class Start:
    """The place from which a run goes on: its newest saved state, and the settings in force there."""

    states: SavedStates
    saved: tuple[dict[str, Tensor], dict[str, Any]] | None
    settings: Any
    end: Position | None
    """The place at which other settings come into force; None: there is none."""

    @classmethod
    def of(cls, run: Run, settings: RecipeSettings) -> Start:
        """Read the saved state of a run; raises `BadFile` where all of them are damaged."""
        states = SavedStates(run.folder)
        saved = states.load()
        place = (0, True) if saved is None else (saved[1]["step"], not saved[1].get("unfinished", False))
        return cls(states, saved, *in_force(settings, place))


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
    with run.exclusive("learner"):
        while not _learn_with_settings(new_task, run, Start.of(run, settings), watch, executor, callbacks):
            pass
        run.write(run.done, run.champion.read_text(encoding="utf-8"))


def _learn_with_settings(
    new_task: Callable[[Run, Any, Watch, Executor], Task],
    run: Run,
    start: Start,
    watch: Watch,
    executor: Executor,
    callbacks: Callbacks,
) -> bool:
    """Train until all steps are done, or other settings come into force; whether all are done."""
    with closing(new_task(run, start.settings, watch, executor)) as task:
        loop = Loop(run, task, start, watch, callbacks=callbacks)
        try:
            while not loop.is_over:
                loop.run_steps(watch)
                if not loop.is_over:
                    time.sleep(POLL_SECONDS)
        finally:
            loop.save()
            if loop.step:
                loop.publish()
        if not loop.at_change:
            loop.conclude(watch)
        return not loop.at_change


class Loop:
    """A task with its evaluation, its metrics, and the files from which training continues."""

    def __init__(
        self,
        run: Run,
        task: Task,
        start: Start,
        watch: Watch = lambda: None,
        publish_interval: int | None = None,
        reports_progress: bool = True,
        callbacks: Callbacks = NO_CALLBACKS,
    ) -> None:
        """Continue from the saved state of the run's folder, or start anew.

        `watch` is called while the optima of the evaluation boards are proven, and may raise.
        """
        self.run, self.task, self.settings, self.callbacks = run, task, start.settings, callbacks
        self.states, self.end = start.states, start.end
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
        self._baseline: float | None = None
        """The share of boards that the untrained network solves, once it is known."""
        self.diverged = False
        """Whether a loss or a weight is no number, after which nothing is saved or published."""
        with run.writing():
            run.failure.unlink(missing_ok=True)
        run_networks.written(run.folder)  # a damaged list is refused now, and not after the training
        run_networks.remove_unfinished(run.folder)
        self.best: BestNetwork | None = None
        """The best network so far by the evaluation; None before the first one, and where it has no boards."""
        self.snapshots: dict[str, str] = {}
        """The hashes of the networks that are kept as snapshots, by their steps."""
        saved, settings = start.saved, self.settings
        self.writer = MetricsWriter(run.metrics, saved[1]["metrics"] if saved else 0, run.folder / "tensorboard")
        self.evaluator = Evaluator(task.learner.puzzle, settings.evaluation, settings.seed, run, watch)
        if saved:
            self._restore(*saved)
        elif settings.init:
            task.learner.load(checkpoint.read_hashed(run.initial, settings.init))
            task.on_initial_weights()
        self._name_best()
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
        """Whether all steps are done, with what is due after the last one, or no better network comes any more."""
        return not self.unfinished and (self._is_last_step or self._is_out_of_patience)

    @property
    def at_change(self) -> bool:
        """Whether other settings come into force here."""
        return self.end is not None and (self.step, not self.unfinished) >= self.end

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do with these settings."""
        return self.finished or self.at_change

    @property
    def _is_out_of_patience(self) -> bool:
        return self.best is not None and 0 < self.settings.evaluation.patience <= self.best.worse_since

    @property
    def _keeps_networks(self) -> bool:
        """Whether the best network and snapshots are kept, beside the last one."""
        return self.task.publish is None

    @property
    def _is_last_step(self) -> bool:
        steps = self.settings.learning.steps
        return steps is not None and self.step >= steps

    def run_steps(self, watch: Watch) -> bool:
        """Train until a network was published, the task has to wait, or it is over; whether a network was published.

        `watch` is called before every step and during evaluations, and may raise, as the callbacks may. Raises
        `Diverged`.
        """
        with self._noting_divergence():
            return self._run_steps(watch)

    def _run_steps(self, watch: Watch) -> bool:
        while not self.is_over:
            watch()
            metrics = None
            if not self.unfinished:
                losses = self.task.step()
                if losses is None:
                    return False
                self.latest_losses.append(losses)
                self.unfinished = True
                self.callbacks.after_step(self.step, losses)
                if self.at_change:
                    break
            if self._is_due(self.settings.evaluation.every):
                metrics = self._evaluate(watch)
            elif self.reports_progress and self.step < self.settings.evaluation.every and _is_round(self.step):
                report.progress("training", self.step, self.settings.learning.steps, self._early_summary())
            if self._keeps_networks and (every := self.settings.learning.snapshots) and self.step % every == 0:
                self._summed_losses()  # a network that has diverged is not kept
                self.snapshots[str(self.step)] = self._save_network()
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
            if self.best is not None:
                sentence += f". If that does not help, begin another run with --init {self.run.folder}:best"
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
            if self._keeps_networks:
                self._note_score(evaluated, watch)
            evaluated |= self._untrained(watch)
        self.loss_sums = {}
        losses = {name: value / sums["steps"] for name, value in sums.items() if name != "steps"}
        metrics = {**losses, **task.metrics(), **evaluated}
        seconds = self.seconds
        metrics |= {"shown": self.samples, "seconds": seconds, "rate": self.samples / seconds}
        facts = self._facts(int(sums["steps"]))
        if self.best is not None:
            metrics["best_step"] = self.best.step
        self.writer.write(self.step, {**metrics, **facts})
        if self.reports_progress:
            report.progress(
                "training", self.step, self.settings.learning.steps, _summary(metrics, task.executor_status())
            )
        return metrics

    def _untrained(self, watch: Watch) -> Metrics:
        """Return `untrained`, the share of boards that the untrained network solves, where cells are filled: the rules
        alone fill easy boards. It is measured once for each process.
        """
        puzzle, settings = self.task.learner.puzzle, self.settings
        if self._baseline is None and puzzle.view(Candidates) is not None:
            quick = settings.learning.model_copy(update={"compile": "off"})
            model = new_learner(puzzle, settings.network, quick, settings.seed).ema_model
            self._baseline = self.evaluator.evaluate(model, self.task.prefers_prior, watch)["solved"]
        return {} if self._baseline is None else {"untrained": self._baseline}

    def _facts(self, steps: int) -> dict[str, str]:
        """Return what the metrics say beside numbers: the best network so far, and the settings that were changed in
        the last steps.
        """
        facts = {} if self.best is None else {"best": self.best.network}
        if changed := changes_between(self.settings, (self.step - steps, True), (self.step, False)):
            facts["changes"] = "; ".join(f"{name}={json.dumps(value)}" for name, value in changed.items())
        return facts

    # --- the best network ---

    def _note_score(self, evaluated: Metrics, watch: Watch) -> None:
        """Compare the network with the best one so far, which is measured again where it was measured otherwise."""
        manner = self.settings.evaluation.manner
        if self.best is not None and self.best.manner != manner:
            again = self._evaluated(self.evaluator, self.best.network, watch)
            self.best = self.best.model_copy(update={"score": score_of(again), "manner": manner, "worse_since": 0})
        score = score_of(evaluated)
        if self.best is not None and score <= self.best.score:
            self.best = self.best.model_copy(update={"worse_since": self.best.worse_since + 1})
            return
        name = self._save_network()
        self.best = BestNetwork(network=name, step=self.step, score=score, manner=manner)
        self._name_best()

    def _name_best(self) -> None:
        """Name the best network so far in the run's folder."""
        if self._keeps_networks:
            self.run.name_best(None if self.best is None else self.best.network)

    def _evaluated(self, evaluator: Evaluator, name: str, watch: Watch) -> Metrics:
        """Return the results of a network of the run on the boards of an evaluation."""
        try:
            saved, _ = checkpoint.load(self.run.nets / name)
        except BadFile as error:
            advice = f"remove the files {name}.* of {self.run.nets}, and the run goes on with another best network"
            raise BadFile(f"{error}; {advice}") from None
        model = self.task.learner.model
        return evaluator.evaluate(replace(model, module=saved.module.to(model.device)), self.task.prefers_prior, watch)

    def conclude(self, watch: Watch) -> None:
        """Measure the best and the last network on boards that did not choose between them, for their cards."""
        self._remove_networks()
        if self.best is None:
            return
        if not self._is_last_step:
            report.note(
                f"training ends at step {self.step:,}: none of the last {self.best.worse_since:,} evaluations found a "
                f"better network than that of step {self.best.step:,}. It goes on with a greater evaluation.patience"
            )
        learner, seed = self.task.learner, self.settings.seed
        settings = self.settings.evaluation.model_copy(update={"prove_optimum": False})
        evaluator = Evaluator(learner.puzzle, settings, seed, self.run, watch, OTHER_BOARDS)
        for name in {self.best.network, checkpoint.hash_of(learner.ema_model.module.state_dict())}:
            results = self._evaluated(evaluator, name, watch)
            path = file_of(self.run.nets / name, CARD)
            write_card(
                path, read_card(path).model_copy(update={"other_boards": {"boards": settings.boards, **results}})
            )

    # --- files ---

    def save(self) -> None:
        """Save the state of training, unless it is the last one that was saved or loaded; raises `Diverged`."""
        saved = self.states.kept.get(self.step)
        is_saved = saved is not None and saved.get("unfinished", False) == self.unfinished
        if self.diverged or self.step == 0 or is_saved:
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
        if self.best is not None:
            state["best"] = self.best.model_dump(mode="json")
        if self.snapshots:
            state["snapshots"] = dict(self.snapshots)
        own = {TASK_PREFIX + name: value for name, value in tensors.items()}
        self.states.save({**self.task.learner.state(), **own}, state)
        self.task.on_saved(self.states.oldest.get("task", {}))
        self._remove_networks(*self.states.kept.values())
        self.saved_at = self.seconds

    def _remove_networks(self, *states: Mapping[str, Any]) -> None:
        """Remove all networks of the run but the last one, the best one, the snapshots, and those that states need."""
        if self._keeps_networks:
            present = {"snapshots": self.snapshots, "best": {"network": self.best.network} if self.best else {}}
            needed = set[str]()
            for state in (present, *states):
                needed |= {*state.get("snapshots", {}).values(), *filter(None, [state.get("best", {}).get("network")])}
            self.run.keep(needed)

    def _restore(self, tensors: Mapping[str, Tensor], state: Mapping[str, Any]) -> None:
        """Load what `save` saved."""
        own = {name.removeprefix(TASK_PREFIX): value for name, value in tensors.items() if name.startswith(TASK_PREFIX)}
        self.task.learner.restore(tensors, state["step"])
        self.task.restore(own, state.get("task", {}))
        self.unfinished = state.get("unfinished", False)
        self.loss_sums, self.earlier_seconds = state["losses"], state["seconds"]
        self.best = BestNetwork(**state["best"]) if "best" in state else None
        if self.best is not None and not self.run.has_network(self.best.network):
            report.note(f"the files of the best network so far, {self.best.network}, are missing: another one is named")
            self.best = None
        self.snapshots = dict(state.get("snapshots", {}))
        if self._is_last_step and self.loss_sums:  # which it was not when these steps were done
            self.unfinished = True

    def publish(self) -> None:
        """Save the network with its card in the run's folder, and make it known there."""
        if self.diverged:
            return
        name = self._save_network()
        if self.task.publish is not None:
            self.task.publish(name)
            return
        self.run.promote(name)
        self._remove_networks(*self.states.kept.values())

    def _save_network(self) -> str:
        """Save the network with its card in the run's folder; its name."""
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
        return card.name


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
    "length_low": "10 % of the games within {:.0f} moves",
    "length_high": "90 % within {:.0f}",
    "check_solved": "the policy alone solves {:.0%} at this difficulty",
    "check_level": "level {:.2f} left there",
    "finishes": "{:.0f} solved in all checks",
    "solved": "greedy solves {:.1%}",
    "level_left": "level {:.2f} left",
    "moves": "in {:.2f} moves",
    "least": "optimum {:.2f}",
    "untrained": "untrained solves {:.1%}",
    "best_step": "best at step {:,}",
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
