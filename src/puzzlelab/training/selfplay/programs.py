"""The programs of a self-play run: each repeats its work until the run is done, and they share only the folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial

from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.training.programs import POLL_SECONDS, SAVE_SECONDS, RunProgram, running
from puzzlelab.training.recipe import Watch
from puzzlelab.training.runs import Follow, Run
from puzzlelab.training.selfplay.generator import GameGenerator
from puzzlelab.training.selfplay.heartbeat import (
    GENERATOR,
    REFEREE,
    TRAINER,
    Heartbeat,
    forget_gone,
    missing_programs,
)
from puzzlelab.training.selfplay.referee import Referee
from puzzlelab.training.selfplay.settings import SelfPlaySettings
from puzzlelab.training.selfplay.status import StatusReader, headline

STATUS_SECONDS = 2.0
"""The time between two reports of the run's status."""
IDLE_SECONDS = 0.2
"""The time between two checks for work."""
PATIENCE = 30.0
"""The waiting time in seconds after which a missing program is reported."""
READ_BY_TRAINER = (
    *("shards/", "games.jsonl", "matches.jsonl", "champion"),
    *(f"programs/{name}" for name in (GENERATOR, REFEREE)),
)
"""The beginnings of the names of files that the trainer only reads."""


# --- one program each ---


def generate(
    run: Run, settings: SelfPlaySettings, watch: Watch, executor: Executor, follow: Follow | None = None
) -> None:
    """Play games until the run is done; `follow` takes the place of that of the settings."""
    with Heartbeat(run, GENERATOR).running() as heartbeat:
        generator = GameGenerator(run, settings, follow or settings.follow, heartbeat)
        with generator.leases.keeping():
            _work(run, heartbeat, partial(generator.work_once, executor), watch)


def train(run: Run, settings: SelfPlaySettings, watch: Watch, executor: Executor) -> None:
    """Learn until the run is done; raises `BadInput` if another trainer is at work."""
    with run.exclusive(TRAINER), Heartbeat(run, TRAINER).running() as heartbeat:
        while not _learn_with_settings(run, settings, heartbeat, watch):
            pass
        run.write(run.done, run.latest.read_text(encoding="utf-8"))


def _learn_with_settings(run: Run, settings: SelfPlaySettings, heartbeat: Heartbeat, watch: Watch) -> bool:
    """Learn until the run is done, or other settings come into force; whether it is done."""
    from puzzlelab.training.selfplay.trainer import Trainer

    trainer = Trainer.open(run, settings, heartbeat, watch)
    try:
        _work(run, heartbeat, lambda: trainer.work_once(watch), watch, lambda: trainer.loop.is_over)
    finally:
        trainer.loop.save()
    return not trainer.loop.at_change


def judge(run: Run, settings: SelfPlaySettings, watch: Watch, executor: Executor) -> None:
    """Play matches until the run is done and no match is due; raises `BadInput` if another referee is at work."""
    with run.exclusive(REFEREE), Heartbeat(run, REFEREE).running() as heartbeat:
        referee = Referee(run, settings, heartbeat, executor)
        _work(run, heartbeat, lambda: referee.work_once(watch), watch)
        while referee.work_once(watch):
            pass


def _work(
    run: Run,
    heartbeat: Heartbeat,
    work_once: Callable[[], bool],
    watch: Watch,
    finished: Callable[[], bool] = lambda: False,
) -> None:
    """Repeat the work until the run is done, or the program is finished; `work_once` is false if there was none."""
    idle, reported = 0.0, False
    while not run.done.exists() and not finished():
        watch()
        if work_once():
            idle, reported = 0.0, False
            continue
        time.sleep(IDLE_SECONDS)
        idle += IDLE_SECONDS
        if idle > PATIENCE and not reported:
            reported = True
            for sentence in missing_programs(run, heartbeat.program):
                report.note(sentence)


# --- all programs ---


def run_all(
    run: Run,
    settings: SelfPlaySettings,
    watch: Watch,
    executor: Executor,
    workers: int = 1,
    minutes: float | None = None,
    resources: Mapping[str, float] | None = None,
) -> None:
    """Run all programs until the run is done or the time is over; with 0 workers they take turns in this process.

    Args:
        run: the folder.
        settings: of the run.
        watch: is called again and again, and may raise.
        executor: does the work of the programs; `ThisProcess` lets each do its own.
        workers: the number of generators that do their own work.
        minutes: the time limit.
        resources: those of the trainer's node, such as `{"gpu": 1}`.
    """
    with run.exclusive("run"):
        with run.writing():
            run.programs.mkdir(exist_ok=True)
        forget_gone(run)
        time_is_over = _Clock(run, settings, watch, executor, minutes).is_over
        if run.finished():
            run.trained()  # it mends the champion, with which people are told to play
            return
        if workers == 0:
            take_turns(run, settings, time_is_over)
            return
        programs = programs_of(settings, workers if executor.shares_memory else 1, resources)
        try:
            with running(run, executor, programs, on_loss=partial(forget_gone, run)) as begun:
                while not time_is_over() and begun.running:
                    begun.check()
                    time.sleep(POLL_SECONDS)
        finally:
            forget_gone(run)  # those that were killed


def programs_of(
    settings: SelfPlaySettings, generators: int, resources: Mapping[str, float] | None = None
) -> list[RunProgram]:
    """Return the programs of a run with this number of generators."""
    trainer = partial(train, settings=settings)
    games, matches = (partial(work, settings=settings) for work in (generate, judge))
    return [
        RunProgram(TRAINER, trainer, False, resources or {}, SAVE_SECONDS, TRAINER, READ_BY_TRAINER),
        RunProgram(REFEREE, matches, uses_executor=True),
        *(RunProgram(f"{GENERATOR} {number}", games, uses_executor=True) for number in range(1, generators + 1)),
    ]


class _Clock:
    """The time of a call, which now and then reports the status of the run."""

    def __init__(
        self, run: Run, settings: SelfPlaySettings, watch: Watch, executor: Executor, minutes: float | None
    ) -> None:
        self._watch, self._executor, self._minutes = watch, executor, minutes
        self._reader, self._champion = StatusReader(run, settings), run.network("champion")
        self._began, self._reported_at = time.monotonic(), 0.0
        self._told_of_no_samples = False

    def is_over(self) -> bool:
        """Tell whether the time is over; calls the watch."""
        self._watch()
        seconds = time.monotonic() - self._began
        if seconds - self._reported_at > STATUS_SECONDS:
            self._reported_at = seconds
            self._report(seconds / 60)
        return self._minutes is not None and seconds >= 60 * self._minutes

    def _report(self, minutes: float) -> None:
        status = self._reader.read()
        words = "; ".join(filter(None, [headline(status), self._executor.status()]))
        report.progress("self-play", minutes, self._minutes, words)
        if status.no_samples and not self._told_of_no_samples:
            self._told_of_no_samples = True
            report.note(status.no_samples)
        if status.champion != self._champion:
            self._champion = status.champion
            report.note(f"{minutes:.1f} minutes: {headline(status)}")


def take_turns(run: Run, settings: SelfPlaySettings, time_is_over: Callable[[], bool]) -> None:
    """Run all programs in this process, one piece of work of each in turn: the result depends on the seed alone.

    In a turn the referee plays all matches that are due, the generator makes one shard, and the trainer learns until it
    has a candidate or needs more games. The saved state of the trainer has the number of its turn. After a kill the
    run goes on from that turn: a shard or a match that exists is not made again, and the trainer reads the shards that
    it had read then, in the same order.
    """
    from puzzlelab.training.selfplay.trainer import Trainer

    def watch() -> None:
        if time_is_over():
            raise _TimeIsOver

    def report_time() -> None:
        time_is_over()

    with (
        run.exclusive(TRAINER),
        run.exclusive(REFEREE),
        Heartbeat(run, GENERATOR).running() as generator_heartbeat,
        Heartbeat(run, TRAINER).running() as trainer_heartbeat,
        Heartbeat(run, REFEREE).running() as referee_heartbeat,
    ):
        trainer = Trainer.open(run, settings, trainer_heartbeat, report_time)
        referee = Referee(run, settings, referee_heartbeat, ThisProcess())
        generator = GameGenerator(run, settings, settings.follow, generator_heartbeat)
        generator.game_log.log_missing()
        if trainer.turn is None:
            trainer.turn = generator.game_log.below if trainer.restored else 0

        def train_in_turn() -> None:
            nonlocal trainer
            trainer.take_turn(watch)
            generator.remove_old_shards(below=trainer.first_needed)
            if trainer.loop.at_change:
                trainer.loop.save()
                trainer = Trainer.open(run, settings, trainer_heartbeat, report_time)

        try:
            while True:
                if trainer.loop.unfinished:  # its turn was interrupted during an evaluation
                    train_in_turn()
                while referee.work_once(watch):
                    pass
                if trainer.loop.finished:
                    break
                generator.take_turn(trainer.turn, watch)
                train_in_turn()
        except _TimeIsOver:
            return
        finally:
            trainer.loop.save()
        generator.remove_old_shards()
        run.write(run.done, run.latest.read_text(encoding="utf-8"))


class _TimeIsOver(Exception):
    """The time limit of the call is reached."""
