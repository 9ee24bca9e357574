"""The programs of a self-play run: each repeats its work until the run is done, and they share only the folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from puzzlelab.engine import report
from puzzlelab.training.runs import Follow, Run
from puzzlelab.training.selfplay.generator import GameGenerator
from puzzlelab.training.selfplay.heartbeat import Heartbeat, programs
from puzzlelab.training.selfplay.referee import Referee
from puzzlelab.training.selfplay.settings import SelfPlaySettings

POLL_SECONDS = 0.2
"""The time between two checks for work."""
PATIENCE = 30.0
"""The waiting time in seconds after which a missing program is reported."""
GENERATOR, TRAINER, REFEREE = "generator", "trainer", "referee"
NEEDS = {GENERATOR: (TRAINER,), TRAINER: (GENERATOR,), REFEREE: (TRAINER,)}
"""The programs whose output each program waits for."""
COMMANDS = {GENERATOR: "generate", TRAINER: "train", REFEREE: "judge"}
"""The subcommand of `puzzlelab selfplay` that starts each program."""


class SelfPlayWorker(Protocol):
    """The repeated work of a program."""

    heartbeat: Heartbeat

    def work_once(self, watch: Callable[[], None]) -> bool:
        """Do one piece of work; False if there is nothing to do yet. `watch` is called meanwhile, and may raise."""


def generate(run: Run, settings: SelfPlaySettings, follow: Follow | None, watch: Callable[[], None]) -> None:
    """Play games until the run is done."""
    with Heartbeat(run, GENERATOR).running() as heartbeat:
        _work(run, GameGenerator(run, settings, follow or settings.follow, heartbeat), watch)


def train(run: Run, settings: SelfPlaySettings, watch: Callable[[], None]) -> None:
    """Learn until the run is done; raises `BadInput` if another trainer is at work."""
    from puzzlelab.training.selfplay.trainer import Trainer

    with run.exclusive(TRAINER), Heartbeat(run, TRAINER).running() as heartbeat:
        trainer = Trainer.open(run, settings, heartbeat, watch)
        try:
            _work(run, trainer, watch, lambda: trainer.loop.finished)
        finally:
            trainer.loop.save()
        run.write(run.done, run.latest.read_text(encoding="utf-8"))


def judge(run: Run, settings: SelfPlaySettings, watch: Callable[[], None]) -> None:
    """Play matches until the run is done and no match is due; raises `BadInput` if another referee is at work."""
    with run.exclusive(REFEREE), Heartbeat(run, REFEREE).running() as heartbeat:
        referee = Referee(run, settings, heartbeat)
        _work(run, referee, watch)
        while referee.work_once(watch):
            pass


def _work(
    run: Run, worker: SelfPlayWorker, watch: Callable[[], None], finished: Callable[[], bool] = lambda: False
) -> None:
    """Repeat the work until the run is done, or the program is finished."""
    idle, reported = 0.0, False
    while not run.done.exists() and not finished():
        watch()
        if worker.work_once(watch):
            idle, reported = 0.0, False
            continue
        time.sleep(POLL_SECONDS)
        idle += POLL_SECONDS
        if idle > PATIENCE and not reported:
            reported = True
            for sentence in missing_programs(run, worker.heartbeat.program):
                report.note(sentence)


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
        referee = Referee(run, settings, referee_heartbeat)
        generator = GameGenerator(run, settings, settings.follow, generator_heartbeat)
        generator.game_log.log_missing()
        if trainer.turn is None:
            trainer.turn = generator.game_log.below if trainer.restored else 0

        def train_in_turn() -> None:
            trainer.take_turn(watch)
            generator.remove_old_shards(below=trainer.first_needed)

        try:
            if trainer.loop.unfinished:  # its turn was interrupted during an evaluation
                train_in_turn()
            while True:
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


def missing_programs(run: Run, program: str) -> list[str]:
    """Return a sentence about each program that is not at work although this one waits for its output."""
    at_work = {status.name for status in programs(run) if not status.gone}
    return [
        f"the {program} waits, and no {other} is at work on {run.folder}: "
        f"puzzlelab selfplay {COMMANDS[other]} {run.folder}"
        for other in NEEDS.get(program, ())
        if other not in at_work
    ]
