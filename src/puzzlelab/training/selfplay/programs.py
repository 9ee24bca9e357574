"""The programs of a run, each as long as there is something to do; they share nothing but the folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from puzzlelab.engine import report
from puzzlelab.training.recipes.selfplay import SelfPlaySettings
from puzzlelab.training.selfplay.generator import GameGenerator
from puzzlelab.training.selfplay.heartbeat import Heartbeat, programs
from puzzlelab.training.selfplay.referee import Referee
from puzzlelab.training.selfplay.run_folder import Follow, SelfPlayRun
from puzzlelab.training.selfplay.trainer import Trainer

LOOK = 0.2
"""Seconds between two looks for something to do."""
PATIENCE = 30.0
"""Seconds of waiting after which somebody who is needed, and not there, is asked for."""
GENERATOR, TRAINER, REFEREE = "generator", "trainer", "referee"
NEEDS = {GENERATOR: (TRAINER,), TRAINER: (GENERATOR,), REFEREE: (TRAINER,)}
"""Who makes what a program waits for."""
VERBS = {GENERATOR: "generate", TRAINER: "train", REFEREE: "judge"}


class SelfPlayWorker(Protocol):
    """What each program does again and again."""

    diary: Heartbeat

    def once(self, watch: Callable[[], None]) -> bool:
        """Do one piece of work; False where there is nothing to do yet. `watch` is called meanwhile, and may raise."""


def generate(league: SelfPlayRun, settings: SelfPlaySettings, follow: Follow | None, watch: Callable[[], None]) -> None:
    """Play games until the run is done."""
    with Heartbeat(league, GENERATOR).kept() as diary:
        _work(league, GameGenerator(league, settings, follow or settings.follow, diary), watch)


def train(league: SelfPlayRun, settings: SelfPlaySettings, watch: Callable[[], None]) -> None:
    """Learn until the run is done; raises `BadInput` where another program does."""
    with league.alone(TRAINER), Heartbeat(league, TRAINER).kept() as diary:
        trainer = Trainer.at(league, settings, diary)
        try:
            _work(league, trainer, watch, lambda: trainer.over)
        finally:
            trainer.save()
        league.write(league.done, league.latest.read_text(encoding="utf-8"))


def judge(league: SelfPlayRun, settings: SelfPlaySettings, watch: Callable[[], None]) -> None:
    """Let candidates play until the run is done, and the last one has; raises `BadInput` where another program does."""
    with league.alone(REFEREE), Heartbeat(league, REFEREE).kept() as diary:
        referee = Referee(league, settings, diary)
        _work(league, referee, watch)
        while referee.once(watch):
            pass


def _work(
    league: SelfPlayRun, worker: SelfPlayWorker, watch: Callable[[], None], over: Callable[[], bool] = lambda: False
) -> None:
    """Work until the run is done."""
    idle, told = 0.0, False
    while not league.done.exists() and not over():
        watch()
        if worker.once(watch):
            idle, told = 0.0, False
            continue
        time.sleep(LOOK)
        idle += LOOK
        if idle > PATIENCE and not told:
            told = True
            for sentence in lacking(league, worker.diary.program):
                report.note(sentence)


def take_turns(league: SelfPlayRun, settings: SelfPlaySettings, over: Callable[[], bool]) -> None:
    """All programs in this process, one piece of work of each after the other: one seed then gives one run."""

    def watch() -> None:
        if over():
            raise _Over

    with (
        league.alone(TRAINER),
        league.alone(REFEREE),
        Heartbeat(league, GENERATOR).kept() as playing,
        Heartbeat(league, TRAINER).kept() as learning,
        Heartbeat(league, REFEREE).kept() as judging,
    ):
        trainer, referee = Trainer.at(league, settings, learning), Referee(league, settings, judging)
        maker = GameGenerator(league, settings, settings.follow, playing)
        try:
            while not trainer.over:
                maker.once(watch)
                trainer.once(watch)
                while referee.once(watch):
                    pass
            league.write(league.done, league.latest.read_text(encoding="utf-8"))
        except _Over:
            pass
        finally:
            trainer.save()


class _Over(Exception):
    """It is time to stop."""


def lacking(league: SelfPlayRun, program: str) -> list[str]:
    """A sentence about each program that is not at work, though this one waits for what it makes."""
    there = {found.name for found in programs(league) if not found.gone}
    return [
        f"the {program} waits, and no {other} is at work on {league.folder}: "
        f"puzzlelab selfplay {VERBS[other]} {league.folder}"
        for other in NEEDS[program]
        if other not in there
    ]
