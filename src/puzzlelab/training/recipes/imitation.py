"""Imitation of a teacher: a solver makes boards and solutions, and a network learns to say what it would say.

Every position on a solution is a sample. The network learns the remaining moves, and the move that was made: all moves
that come to the same, such as all cells of a cluster, and all moves that the teacher proved to be equally good.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from puzzlelab.core import registry, report
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.core.version import VERSION
from puzzlelab.experience.claims import Claims, begin_folder, make_shard
from puzzlelab.experience.schema import Samples, joined
from puzzlelab.experience.spaces import Space
from puzzlelab.experience.teachers import Teacher
from puzzlelab.nets import checkpoint
from puzzlelab.nets.device import device
from puzzlelab.nets.heads import Scalar
from puzzlelab.nets.network import read_network
from puzzlelab.training import exams, learner, saved
from puzzlelab.training.exams import Examination, Figures
from puzzlelab.training.feed import SAMPLE, Data, Feed
from puzzlelab.training.learner import Learner, Learning, Losses
from puzzlelab.training.lessons import Lesson
from puzzlelab.training.losses import Distance, moves_loss, remaining_loss
from puzzlelab.training.metrics import Metrics
from puzzlelab.training.runs import Run, plain

IDLE = 0.2
"""Seconds between two looks whether more shards are wanted."""
EXAM_SEED = 1 << 40
"""Added to the seed of the teacher for the games that a network is examined by."""


class TeacherSettings(Settings):
    """Who teaches; the words are those of `puzzlelab teach`."""

    all: bool = False
    """Whether the samples are all states of a small puzzle, with all their optimal moves; the rest then counts for
    nothing.
    """
    solver: str = "beam"
    set: dict[str, Any] = Field(default_factory=dict)
    """Options of the solver."""
    exact: bool = False
    scale: str = ""
    levels: tuple[int, ...] = ()
    detours: int = Field(default=0, ge=0)
    seconds: float | None = Field(default=None, gt=0)
    """For each board; then one seed does not give one run."""
    nodes: int | None = Field(default=None, ge=1)
    jobs: int = Field(default=1, ge=1)
    """Threads."""


class Imitation(Settings):
    """Every setting of the recipe."""

    recipe: Literal["imitation"] = "imitation"
    puzzle: str
    seed: int = Field(default=0, ge=0)
    network: dict[str, Any]
    remaining: float = Field(default=1.0, ge=0)
    """What the remaining moves count in the loss."""
    moves: float = Field(default=0.1, ge=0)
    """What the scores of moves count."""
    distance: Distance = "squared"
    augment: bool = True
    """Whether samples are shown as their images in the puzzle's symmetries, and with their symbols exchanged."""
    teacher: TeacherSettings = TeacherSettings()
    data: Data = Data()
    learning: Learning = Learning()
    exam: Examination = Examination()


def teacher_of(settings: Imitation, seed: int) -> Teacher | Space:
    """The teacher that these settings describe."""
    puzzle, told = registry.load(settings.puzzle), settings.teacher
    if told.all:
        return Space(puzzle, seed)
    solver = registry.make_solver(told.solver, told.set)
    limit = Limit(told.seconds, told.nodes)
    levels = told.levels or (None,)
    return Teacher(puzzle, solver, told.exact, told.scale, levels, seed, limit, detours=told.detours)


# --- making samples ---


def generate(run: Run, settings: Imitation, watch: Callable[[], None] = lambda: None) -> None:
    """Fill the run's folder with shards, as far as the learner wants them; several programs may do so at once.

    `watch` is called between shards, and may raise.
    """
    teacher, claims, data = teacher_of(settings, settings.seed), Claims(run.shards), settings.data
    begin_folder(teacher, run.shards, data.shard)
    while not run.done.exists():
        watch()
        first, end = run.wanted()
        number = claims.take(end if data.shards is None else min(end, data.shards), first)
        if number is None:
            time.sleep(IDLE)
            continue
        with claims.keeping(number):
            make_shard(teacher, run.shards, number, data.shard, settings.teacher.jobs)


# --- learning ---


def learn(run: Run, settings: Imitation, watch: Callable[[], None] = lambda: None) -> None:
    """Train until the steps are made; Ctrl-C saves, and the same call goes on.

    `watch` is called before every step and while the learner waits, and may raise.
    """
    with run.alone("learner"):
        begun = Apprentice.at(run, settings, watch)
        try:
            begun.work()
        finally:
            begun.save()
            begun.publish()
        run.write(run.done, run.champion.read_text(encoding="utf-8"))


@dataclass
class Apprentice:
    """A learner with its samples, its examination and its diary."""

    run: Run
    settings: Imitation
    puzzle: Puzzle
    learner: Learner
    feed: Feed
    metrics: Metrics
    boards: exams.Boards
    samples: Samples | None
    spent: float = 0.0
    """Seconds of learning in calls before this one."""
    began: float = field(default_factory=time.perf_counter)
    totals: dict[str, float] = field(default_factory=dict)
    """Sums of the losses since the last line of the diary."""
    saved_at: float = 0.0

    @classmethod
    def at(cls, run: Run, settings: Imitation, watch: Callable[[], None]) -> Apprentice:
        """As the run's folder holds it, or new."""
        puzzle = registry.load(settings.puzzle)
        run.shards.mkdir(parents=True, exist_ok=True)
        student = learner.new(puzzle, settings.network, settings.learning, settings.seed)
        feed, held = Feed(run, settings.data, settings.learning.batch, watch), saved.load(run.folder)
        told: Mapping[str, Any] = held[1] if held else {}
        feed.ask(len(told["feed"]["sizes"]) if held else 0)  # while the examination is made ready
        metrics = Metrics(run.metrics, told.get("metrics", 0), run.folder / "tensorboard")
        boards = exams.boards(puzzle, settings.exam, settings.seed, run)
        found = cls(run, settings, puzzle, student, feed, metrics, boards, _exam_samples(settings))
        if held:
            student.restore(held[0], told["step"])
            feed.restore(told["feed"], lambda done, all_: report.progress("reading shards again", done, all_))
            found.totals, found.spent = dict(told["totals"]), told["spent"]
        return found

    @property
    def seconds(self) -> float:
        """Of learning, in all calls."""
        return self.spent + time.perf_counter() - self.began

    def work(self) -> None:
        """All steps that are left."""
        steps, every = self.settings.learning.steps, self.settings.exam.every
        self.saved_at = self.seconds
        while steps is None or self.learner.step < steps:
            self.feed.watch()
            self._step()
            if self.learner.step % every == 0 or self.learner.step == steps:
                self._note()
            if self.seconds - self.saved_at > self.settings.learning.save:
                self.save()

    def _step(self) -> None:
        step = self.learner.step
        self.feed.before(step)
        if step == 0:
            self._set_out()
        random = generator(self.settings.seed, SAMPLE, step)
        lesson = Lesson.of(self.puzzle, self.feed.ring.at(self.feed.places(step, random)))
        if self.settings.augment:
            lesson = lesson.image(self.puzzle, random, exchange=self.settings.network["kind"] != "exchangeable")
        found = self.learner.update(lambda module: self._losses(module, lesson))
        for name, value in found.items():
            self.totals[name] = self.totals.get(name, 0.0) + value
        self.totals["steps"] = self.totals.get("steps", 0) + 1

    def _set_out(self) -> None:
        """Let the remaining moves begin at their mean."""
        values = torch.from_numpy(self.feed.ring.columns["remaining"].astype(np.float32))
        for network in (self.learner.model.module, self.learner.average):
            for part in network.modules():
                if isinstance(part, Scalar):
                    part.fit(values)

    def _losses(self, module: nn.Module, lesson: Lesson) -> Losses:
        model, settings = self.learner.model, self.settings
        architecture: Any = model.settings
        inputs = [self._tensor(array) for array in architecture.inputs(self.puzzle, lesson.states)]
        answers = module(*inputs)
        losses: Losses = {}
        if "remaining" in answers:
            wanted = self._tensor(lesson.remaining)
            loss = remaining_loss(answers["remaining"], wanted, settings.distance)
            losses["remaining_loss"] = settings.remaining * loss
        if "moves" in answers:
            targets = self._tensor(lesson.wanted), self._tensor(lesson.possible)
            loss = moves_loss(answers["moves"], *targets, model.settings.policy)
            losses["moves_loss"] = settings.moves * loss
        return losses

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.learner.model.device)

    # --- telling and keeping ---

    def _note(self) -> None:
        """Examine the network, and write down how it does."""
        steps = self.totals.pop("steps", 1)
        figures: Figures = {name: value / steps for name, value in self.totals.items()}
        self.totals = {}
        best = self.learner.best
        if self.samples is not None:
            figures |= exams.against_teacher(best, self.samples)
        if self.boards.states:
            figures |= self.boards.figures(best, self.settings.exam.max_moves)
        seconds = self.seconds
        shown = self.learner.step * self.settings.learning.batch
        figures |= {"shown": shown, "samples": self.feed.ring.total}
        figures |= {"seconds": seconds, "rate": shown / seconds, "waited": self.feed.waited}
        self.metrics.write(self.learner.step, figures)
        report.progress("training", self.learner.step, self.settings.learning.steps, _line(figures))

    def save(self) -> None:
        """Keep where the learner stands, and the network as it is now."""
        if self.learner.step == 0:
            return
        state = {
            "step": self.learner.step,
            "metrics": self.metrics.length,
            "feed": self.feed.state(),
            "totals": self.totals,
            "spent": self.seconds,
        }
        saved.save(self.run.folder, self.learner.state(), state)
        self.feed.forget()
        self.saved_at = self.seconds

    def publish(self) -> None:
        """Put the network as it is now in the place of the one before."""
        if self.learner.step == 0:
            return
        card = checkpoint.save(
            self.run.nets,
            self.learner.best,
            recipe=self.settings.recipe,
            settings=plain(self.settings),
            seed=self.settings.seed,
            steps=self.learner.step,
            samples=self.learner.step * self.settings.learning.batch,
            hours=round(self.seconds / 3600, 3),
            machine=platform.processor() or platform.machine(),
            version=VERSION,
        )
        self.run.promote(card.name)


def _exam_samples(settings: Imitation) -> Samples | None:
    """Samples of games that the network does not learn from."""
    if not settings.exam.games:
        return None
    teacher = teacher_of(settings, settings.seed + EXAM_SEED)
    parts, done = [], 0
    with closing(teacher.samples(0, settings.teacher.jobs)) as stream:
        for samples, games in stream:
            parts.append(samples)
            done = games
            report.progress("samples to examine by", min(done, settings.exam.games), settings.exam.games)
            if done >= settings.exam.games:
                break
    return joined(parts)


SHOWN = {
    "error": "error {:.2f}",
    "agreement": "agreement {:.1%}",
    "moves": "greedy {:.2f} moves",
    "least": "optimum {:.2f}",
}


def _line(figures: Figures) -> str:
    """The figures that matter, with the known truth beside them."""
    told = [words.format(figures[name]) for name, words in SHOWN.items() if name in figures]
    return ", ".join([f"loss {figures.get('loss', 0):.3f}", *told, f"{figures['rate']:,.0f} samples/s"])


@dataclass(frozen=True)
class ImitationRecipe:
    """The two programs."""

    settings = Imitation

    def check(self, settings: Imitation) -> None:
        puzzle = teacher_of(settings, settings.seed).puzzle
        read_network(settings.network).build(puzzle)
        device(settings.learning.device)

    def generate(self, run: Run, settings: Imitation, watch: Callable[[], None]) -> None:
        generate(run, settings, watch)

    def learn(self, run: Run, settings: Imitation, watch: Callable[[], None]) -> None:
        learn(run, settings, watch)


RECIPE = ImitationRecipe()
