"""The two processes of a training run: a generator as a child process, and the learner in this one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.training.recipe import Recipe, Watch
from puzzlelab.training.runs import Run

GRACE_SECONDS = 20.0
"""The time that a child process has to end by itself."""
PARENT_VARIABLE = "PUZZLELAB_PARENT"
"""The environment variable with the process id of the parent, so that a child does not outlive a killed parent."""


def train(recipe: Recipe, name: str, run: Run, settings: Any) -> None:
    """Learn here, beside a generator if the recipe has one; Ctrl-C ends both after the present step."""
    if recipe.generate is None:
        learn(recipe, run, settings)
        return
    with generator(name, run) as check_alive, graceful_interrupt() as check_interrupt:

        def watch() -> None:
            check_interrupt()
            check_alive()

        recipe.learn(run, settings, watch)


def learn(recipe: Recipe, run: Run, settings: Any) -> None:
    """Learn here, from the shards that generators elsewhere write into the folder."""
    with graceful_interrupt() as check_interrupt:
        recipe.learn(run, settings, check_interrupt)


def generate(recipe: Recipe, run: Run, settings: Any) -> None:
    """Make samples here, for a learner elsewhere; ends when the parent process of this one is gone."""
    require_generator(recipe)(run, settings, stop_if_orphaned)


def stop_if_orphaned() -> None:
    """Raise `KeyboardInterrupt` if the parent process is gone."""
    parent = os.environ.get(PARENT_VARIABLE)
    if parent is not None and str(os.getppid()) != parent:
        raise KeyboardInterrupt


def require_generator(recipe: Recipe) -> Callable[[Run, Any, Watch], None]:
    """The program of the recipe that makes samples; raises `BadInput` if it has none."""
    if recipe.generate is None:
        raise BadInput("this recipe makes its samples while it learns: there is nothing to generate for it")
    return recipe.generate


@contextmanager
def generator(name: str, run: Run) -> Iterator[Callable[[], None]]:
    """Runs a generator as a child process; gives a function that raises `PuzzlelabError` if it has failed."""
    command = [sys.executable, "-m", "puzzlelab", "train", name, "--run", str(run.folder), "--only", "generate"]
    process = start_child(command, stderr=subprocess.PIPE, text=True)

    def check_alive() -> None:
        if process.poll():
            _, error = process.communicate()
            raise PuzzlelabError(f"the generator of the run failed: {error.strip() or process.returncode}")

    try:
        yield check_alive
    finally:
        end_child(process, signal.SIGTERM)


def start_child(command: list[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a child process that does not outlive this one, with further options of `Popen`."""
    environment = {**os.environ, PARENT_VARIABLE: str(os.getpid())}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment, **options)


def end_child(process: subprocess.Popen[Any], signal_number: int) -> None:
    """End a child process by this signal, or kill it if it does not end soon."""
    end_children([process], signal_number, GRACE_SECONDS)


def end_children(
    processes: Sequence[subprocess.Popen[Any]], signal_number: int, grace_seconds: float
) -> list[subprocess.Popen[Any]]:
    """End child processes together by this signal; returns those that were killed because they did not end in time.

    A second Ctrl-C kills them at once.
    """
    for process in processes:
        process.send_signal(signal_number)
    deadline = time.monotonic() + grace_seconds
    try:
        for process in processes:
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=max(0.0, deadline - time.monotonic()))
    finally:
        late = [process for process in processes if process.poll() is None]
        for process in late:
            process.kill()
        for process in late:
            process.communicate()
    return late


@contextmanager
def graceful_interrupt() -> Iterator[Callable[[], None]]:
    """Delays Ctrl-C until the next call of the given function, which raises it; a second Ctrl-C acts at once."""
    interrupted = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    def check_interrupt() -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield check_interrupt
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield check_interrupt
    finally:
        signal.signal(signal.SIGINT, before)
