"""The two processes of a training run: a generator as a child process, and the learner in this one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.engine.compiler import kernel_folder
from puzzlelab.engine.executor import Executor
from puzzlelab.runtime import signals
from puzzlelab.runtime.startup import PARENT_VARIABLE
from puzzlelab.training.recipe import Recipe, Watch
from puzzlelab.training.remote_learner import LearnerWork, RemoteLearner
from puzzlelab.training.runs import Run

POLL_SECONDS = 0.1
"""The time between two looks at a learner elsewhere."""
GRACE_SECONDS = 1.5
"""The time that a child process has to end by itself. A generator that is killed loses a shard, which is made again."""


def train(recipe: Recipe, name: str, run: Run, settings: Any, executor: Executor | None = None) -> None:
    """Learn here, beside a generator if the recipe has one; a signal ends both after the present step.

    The generator is a child process, or with an executor a thread of this one. Without a generator the executor is the
    learner's: one thread uses it.
    """
    if recipe.generate is None:
        learn(recipe, run, settings, executor)
        return
    beside = generator(name, run) if executor is None else generator_thread(recipe, run, settings, executor)
    with beside as check_alive, signals.delayed() as check_interrupt:

        def watch() -> None:
            check_interrupt()
            check_alive()

        recipe.learn(run, settings, watch, None)


def train_elsewhere(
    recipe: Recipe, run: Run, settings: Any, executor: Executor, resources: Mapping[str, float]
) -> None:
    """Learn in a process of its own on a node with these resources, such as `{"gpu": 1}`; the folder stays here.

    Samples are made by the executor. A recipe without a generator makes its samples in the learner's process.
    """
    of_driver = () if recipe.generate is None else ("shards/",)
    learner = RemoteLearner(
        executor, run.folder, LearnerWork(partial(learn_in, recipe, settings), of_driver), resources
    )
    beside = nullcontext(_all_is_well) if recipe.generate is None else generator_thread(recipe, run, settings, executor)
    with run.exclusive("learner"), beside as check_alive, signals.delayed() as check_interrupt:
        try:
            while not learner.exchange_if_due():
                check_interrupt()
                check_alive()
                time.sleep(POLL_SECONDS)
        finally:
            learner.stop()


def _all_is_well() -> None:
    """Do nothing: there is no generator that could fail."""


def learn_in(recipe: Recipe, settings: Any, folder: Path, watch: Watch) -> None:
    """Learn in the folder of a run, without an executor."""
    recipe.learn(Run(folder), settings, watch, None)


def learn(recipe: Recipe, run: Run, settings: Any, executor: Executor | None = None) -> None:
    """Learn here; a recipe with a generator, from the shards that generators elsewhere write into the folder."""
    with signals.delayed() as check_interrupt:
        recipe.learn(run, settings, check_interrupt, executor)


def generate(recipe: Recipe, run: Run, settings: Any, executor: Executor | None = None) -> None:
    """Make samples, here or by an executor, for a learner elsewhere; ends when the parent process is gone."""
    require_generator(recipe)(run, settings, stop_if_orphaned, executor)


def stop_if_orphaned() -> None:
    """Raise `KeyboardInterrupt` if the parent process is gone."""
    parent = os.environ.get(PARENT_VARIABLE)
    if parent is not None and str(os.getppid()) != parent:
        raise KeyboardInterrupt


def require_generator(recipe: Recipe) -> Callable[[Run, Any, Watch, Executor | None], None]:
    """Return the program of the recipe that makes samples; raises `BadInput` if it has none."""
    if recipe.generate is None:
        raise BadInput("this recipe makes its samples while it learns: there is nothing to generate for it")
    return recipe.generate


@contextmanager
def generator_thread(recipe: Recipe, run: Run, settings: Any, executor: Executor) -> Iterator[Callable[[], None]]:
    """Run a generator, which an executor does the work of, in a thread; gives a function that raises its error."""
    run_generator, is_over, errors = require_generator(recipe), threading.Event(), list[BaseException]()

    def watch() -> None:
        if is_over.is_set():
            raise KeyboardInterrupt

    def work() -> None:
        try:
            run_generator(run, settings, watch, executor)
        except KeyboardInterrupt:
            pass
        except BaseException as error:
            errors.append(error)

    def check_alive() -> None:
        if errors:
            raise errors[0]

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield check_alive
    finally:
        is_over.set()
        thread.join()


@contextmanager
def generator(name: str, run: Run) -> Iterator[Callable[[], None]]:
    """Run a generator as a child process; gives a function that raises `PuzzlelabError` if it has failed.

    Where a signal has ended the generator, the function acts as if the signal had come to this process.
    """
    command = [sys.executable, "-m", "puzzlelab", "train", name, "--run", str(run.folder), "--only", "generate"]
    process = start_child(command, stderr=subprocess.PIPE, text=True, process_group=0)

    def check_alive() -> None:
        code = process.poll()
        if number := signals.ended_by(code):
            signals.interrupt(number)
        if code:
            _, error = process.communicate()
            raise PuzzlelabError(f"the generator of the run failed: {error.strip() or code}")

    try:
        yield check_alive
    finally:
        end_children({process: GRACE_SECONDS})


def start_child(command: list[str], **options: Any) -> subprocess.Popen[Any]:
    """Start a child process that does not outlive this one, with further options of `Popen`."""
    kernel_folder()  # a private one is shared with the child
    environment = {**os.environ, PARENT_VARIABLE: str(os.getpid())}
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment, **options)


def end_children(grace_seconds: Mapping[subprocess.Popen[Any], float]) -> list[subprocess.Popen[Any]]:
    """End child processes together, each within its seconds; returns those that were killed because they did not.

    A second signal to this process kills them at once.
    """
    for process in grace_seconds:
        process.terminate()
    began, late = time.monotonic(), []
    try:
        for process, seconds in sorted(grace_seconds.items(), key=lambda item: item[1]):
            try:
                process.communicate(timeout=max(0.0, began + seconds - time.monotonic()))
            except subprocess.TimeoutExpired:
                late.append(process)
                process.kill()
    finally:
        running = [process for process in grace_seconds if process.poll() is None]
        for process in running:
            process.kill()
        for process in running:
            process.communicate()
    return late
