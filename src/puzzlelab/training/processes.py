"""Starts the two programs of a run: a generator in a process of its own, and the learner here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.training.recipe import Generates, Recipe
from puzzlelab.training.runs import Run

ENDING = 20.0
"""Seconds that a generator has to end by itself."""
PARENT = "PUZZLELAB_PARENT"
"""The variable that tells a generator whose child it is, so that it does not outlive a learner that was killed."""


def train(recipe: Recipe, name: str, run: Run, settings: Any) -> None:
    """Learn here, beside a generator if there is one; Ctrl-C ends both after the step that is made."""
    if not isinstance(recipe, Generates):
        learn(recipe, run, settings)
        return
    with generator(name, run) as alive, graceful_interrupt() as go_on:

        def watch() -> None:
            go_on()
            alive()

        recipe.learn(run, settings, watch)


def learn(recipe: Recipe, run: Run, settings: Any) -> None:
    """Learn here, from what generators elsewhere write into the folder."""
    with graceful_interrupt() as go_on:
        recipe.learn(run, settings, go_on)


def generate(recipe: Recipe, run: Run, settings: Any) -> None:
    """Make samples here, for a learner elsewhere; the generator of a learner that is gone ends too."""
    generates(recipe).generate(run, settings, stop_if_orphaned)


def stop_if_orphaned() -> None:
    """Raise `KeyboardInterrupt` where the program that started this one is gone."""
    parent = os.environ.get(PARENT)
    if parent is not None and str(os.getppid()) != parent:
        raise KeyboardInterrupt


def generates(recipe: Recipe) -> Generates:
    """The recipe, if it has a generator; raises `BadInput` else."""
    if not isinstance(recipe, Generates):
        raise BadInput("this recipe makes its samples while it learns: there is nothing to generate for it")
    return recipe


@contextmanager
def generator(name: str, run: Run) -> Iterator[Callable[[], None]]:
    """A generator at work on the run; what is given raises `PuzzlelabError` when it has failed."""
    command = [sys.executable, "-m", "puzzlelab", "train", name, "--run", str(run.folder), "--only", "generate"]
    told = {**os.environ, PARENT: str(os.getpid())}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=told)

    def alive() -> None:
        if process.poll():
            _, said = process.communicate()
            raise PuzzlelabError(f"the generator of the run failed: {said.strip() or process.returncode}")

    try:
        yield alive
    finally:
        process.terminate()
        try:
            process.communicate(timeout=ENDING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


@contextmanager
def graceful_interrupt() -> Iterator[Callable[[], None]]:
    """Lets Ctrl-C end the work only where what is given is called; a second Ctrl-C ends it at once."""
    asked = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    def go_on() -> None:
        if asked.is_set():
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield go_on
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield go_on
    finally:
        signal.signal(signal.SIGINT, before)
