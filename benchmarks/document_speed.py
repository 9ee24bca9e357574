"""What learns from more games, puzzlelab or the documents on dust: `python benchmarks/document_speed.py [--seconds S]`.

Two comparisons, each in one run on one machine and with one network. The article 000: six worker processes play boards
in plain Python, each searched depth first under a limit of 15 seconds, and every 500 positions or more are one step of
a network of ten dense layers of 1,500 units; `train imitation` has a beam of width 100 as teacher, and shows each
position once. The document 001: a thousand boards in plain Python, moved by a pool of six workers, every move learned
from once; `train dqn` does the same.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from contextlib import closing
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import dust_document
from puzzlelab.core import registry
from puzzlelab.core.views import Planes
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.schema import TrainingSamples, joined
from puzzlelab.experience.teachers import Teacher, samples_of
from puzzlelab.training import recipe
from puzzlelab.training.learner import Learner, new_learner
from puzzlelab.training.losses import policy_loss
from puzzlelab.training.online_rl import OnlineLearning
from puzzlelab.training.policy_value import PolicyValueBatch
from puzzlelab.training.recipes import dqn
from puzzlelab.training.settings import LearnerSettings

PUZZLE, WORKERS, BATCH, BOARDS = "dust-8x6x5", 6, 500, 1000
Rate = tuple[float, float]
"""Games and positions, or moves played and moves learned from, a second."""
LAYERS = {"kind": "dense", "width": 1500, "depth": 10, "heads": ["policy"], "policy": "binary", "initial": "glorot"}
PLAIN: dict[str, Any] = {
    "optimiser": "adam",
    "schedule": "constant",
    "warmup": 0,
    "max_grad_norm": 0.0,
    "ema": 0.0,
}
SETTINGS: dict[str, Any] = {
    "puzzle": PUZZLE,
    "network": {"kind": "dense", "width": 1500, "depth": 5, "initial": "he", "heads": ["q"]},
    "curriculum": {"scale": "uniform"},
    "replay": {"size": 0},
    "reward": "goal",
    "discount": 0.8,
    "blend": 0.9,
    "masked": False,
    "double": False,
    "target_network": {"rule": "none"},
    "learning": PLAIN,
    "evaluation": {"boards": 0, "teacher_games": 0},
}


def encoded(board: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The one-hot board, as the documents make it."""
    return (board[..., None] == np.arange(6)).astype(np.float32).reshape(-1)


# --- 000 ---


def game_of_article(task: tuple[int, float]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The positions of one solved board, and the clusters to click there."""
    seed, limit = task
    board = np.random.default_rng(seed).integers(1, 6, size=(8, 6)).astype(np.uint8)
    states, targets = [], []
    for x, y in dust_document.solve(board, limit) or []:
        labels = dust_document.clusters(board)
        states.append(encoded(board))
        targets.append((labels == labels[x, y]).astype(np.float32).reshape(-1))
        board = dust_document.play(board, x, y)
    return np.array(states, np.float32).reshape(-1, 288), np.array(targets, np.float32).reshape(-1, 48)


def article(seconds: float) -> Rate:
    """As the article does it."""
    student, boards, positions, waiting = new_student(), 0, 0, []
    ends = time.perf_counter() + seconds
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        for game in pool.imap_unordered(game_of_article, ((seed, 15.0) for seed in range(10**9))):
            if time.perf_counter() > ends:
                break
            waiting.append(game)
            boards, positions = boards + 1, positions + len(game[0])
            if sum(len(states) for states, _ in waiting) >= BATCH:
                learn_choices(student, *(np.concatenate(part) for part in zip(*waiting, strict=True)))
                waiting = []
        pool.terminate()
    return boards / seconds, positions / seconds


def imitation(seconds: float) -> Rate:
    """As `puzzlelab train imitation` does it."""
    student = new_student()
    puzzle: Any = student.puzzle
    boards, positions, ends = 0, 0, time.perf_counter() + seconds
    with closing(samples_of(Teacher(puzzle, registry.make_solver("beam", {"width": 100})), ThisProcess())) as stream:
        rest: list[TrainingSamples] = []
        for played, _ in stream:
            samples = joined([*rest, played])
            rest = [samples.rows(len(samples) // BATCH * BATCH, len(samples))]
            for first in range(0, len(samples) - BATCH + 1, BATCH):
                part = samples.rows(first, first + BATCH)
                columns = {"state": part.state, "moves": part.moves, "remaining": part.remaining}
                lesson = PolicyValueBatch.from_samples(puzzle, columns)
                learn_choices(student, puzzle.view(Planes).planes(lesson.states), lesson.policy_target)
                boards, positions = boards + len(np.unique(part.game)), positions + BATCH
            if time.perf_counter() > ends:
                break
    return boards / seconds, positions / seconds


def learn_choices(student: Learner, planes: NDArray[np.float32], targets: NDArray[Any]) -> None:
    """One step of binary cross-entropy over all cells."""

    def losses_of(model: Any, settings: Any, columns: Any) -> Any:
        scores, target = model.module(columns["planes"])["policy"], columns["target"]
        return {"moves": policy_loss(scores, target, target, "binary")}, scores

    student.update(losses_of, None, {"planes": torch.from_numpy(planes), "target": torch.from_numpy(targets).bool()})


def new_student() -> Learner:
    """The article's network with its optimiser."""
    return new_learner(registry.load(PUZZLE), LAYERS, LearnerSettings(batch_size=BATCH, **PLAIN), seed=0)


# --- 001 ---


def moved(task: tuple[NDArray[np.uint8], int]) -> tuple[NDArray[np.uint8], bool, bool]:
    """What becomes of a board of the document by a click; whether anything was cleared, and whether all is."""
    board, cell = task
    after = dust_document.play(board, *divmod(cell, 6))
    return after, bool((after != board).any()), dust_document.done(after)


def document(seconds: float) -> Rate:
    """The document's loop, with the same network in PyTorch."""
    settings = recipe.settings_of("dqn", SETTINGS)
    random = np.random.default_rng(0)
    learner = new_learner(registry.load(PUZZLE), settings.network, settings.learning, settings.seed)
    fresh = lambda: random.integers(1, 6, (8, 6)).astype(np.uint8)  # noqa: E731
    boards, rows, turns = [fresh() for _ in range(BOARDS)], np.arange(BOARDS), 0
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        inputs = np.array(pool.map(encoded, boards))
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            values = learner.model.evaluate([inputs])["q"].copy()
            moves = np.where(random.random(BOARDS) < 0.05, random.integers(0, 48, BOARDS), values.argmax(1))
            results = pool.map(moved, zip(boards, moves.tolist(), strict=True))
            done = np.array([result[2] for result in results])
            reward = np.array([10 if over else (-1 if cleared else -10) for _, cleared, over in results])
            boards = [fresh() if over else after for after, _, over in results]
            later = np.array(pool.map(encoded, boards))
            worth = np.where(done, 0.0, learner.model.evaluate([later])["q"].max(1))
            values[rows, moves] = 0.1 * values[rows, moves] + 0.9 * (reward + 0.8 * worth)
            columns = {"input": torch.from_numpy(inputs), "target": torch.from_numpy(values)}
            learner.update(losses_of_values, None, columns)
            inputs, turns = later, turns + 1
        spent = time.perf_counter() - began
    return turns * BOARDS / spent, turns * BOARDS / spent


def losses_of_values(model: Any, settings: Any, columns: Any) -> Any:
    """The loss of all values of moves."""
    values = model.module(columns["input"])["q"]
    return {"q": torch.nn.functional.huber_loss(values, columns["target"])}, values


def games_at_once(seconds: float) -> Rate:
    """As `puzzlelab train dqn` does it: a thousand games at once, a batch of a thousand for each of their moves."""
    method = dqn.Dqn(registry.load(PUZZLE), recipe.settings_of("dqn", SETTINGS))
    online = OnlineLearning.of(method, ThisProcess())
    for _ in range(3):
        online.step()
    turns, steps, began = online.play.turns, online.learner.step, time.perf_counter()
    while time.perf_counter() - began < seconds:
        online.step()
    spent = time.perf_counter() - began
    games, batch = method.settings.parallel_games, method.settings.learning.batch_size
    return (online.play.turns - turns) * games / spent, (online.learner.step - steps) * batch / spent


def main() -> None:
    """Measure all four, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each way runs (60)")
    seconds = parser.parse_args().seconds
    console = Console()
    for title, columns, theirs, ours in (
        ("000: 10 x 1500", ("boards/s", "positions learned from/s"), article, imitation),
        ("001: 5 x 1500", ("moves played/s", "moves learned from/s"), document, games_at_once),
    ):
        ours(1.0)  # machine code is there before a clock starts
        other, own = theirs(seconds), ours(seconds)
        table = Table("way", *columns, title=title)
        for way, rate in ((f"Python boards, {WORKERS} workers", other), ("puzzlelab", own)):
            table.add_row(way, f"{rate[0]:,.3g}", f"{rate[1]:,.4g}")
        console.print(table)
        console.print(f"{own[0] / max(other[0], 1e-9):,.1f} times as many")


if __name__ == "__main__":
    main()
