"""Boards a second that a network learns from: `python benchmarks/training_speed.py [--seconds S] [--limit S]`.

First as the article on dust did it: six worker processes play boards in plain Python, each searched depth first under a
limit of 15 seconds, and every 500 positions or more are one step of a network of ten dense layers of 1,500 units. Then
as `puzzlelab train imitation` does it, for the same network, batch and time: a beam of width 100 plays, and every
position is shown once. Both run for the same time in one call, on this machine, and both count what was learned from.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Iterator
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
from puzzlelab.experience.schema import TrainingSamples
from puzzlelab.experience.teachers import Teacher, samples_of
from puzzlelab.training.learner import Learner, new_learner
from puzzlelab.training.losses import policy_loss
from puzzlelab.training.policy_value import PolicyValueBatch
from puzzlelab.training.settings import LearnerSettings

PUZZLE = "dust-8x6x5"
BATCH = 500
WORKERS = 6
LAYERS = {"kind": "dense", "width": 1500, "depth": 10, "heads": ["policy"], "policy": "binary", "initial": "glorot"}


def document_game(task: tuple[int, float]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The positions of one solved board, and the clusters to click there, as the article makes them."""
    seed, limit = task
    board = np.random.default_rng(seed).integers(1, 6, size=(8, 6)).astype(np.uint8)
    moves = dust_document.solve(board, limit) or []
    states, targets = [], []
    for x, y in moves:
        labels = dust_document.clusters(board)
        states.append((board[..., None] == np.arange(6)).astype(np.float32).reshape(-1))
        targets.append((labels == labels[x, y]).astype(np.float32).reshape(-1))
        board = dust_document.play(board, x, y)
    return np.array(states, np.float32).reshape(-1, 288), np.array(targets, np.float32).reshape(-1, 48)


def document(student: Learner, seconds: float, limit: float) -> tuple[int, int]:
    """(boards, positions) that were learned from within so many seconds."""
    boards, positions, waiting = 0, 0, []
    ends = time.perf_counter() + seconds
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        for game in pool.imap_unordered(document_game, ((seed, limit) for seed in range(10**9))):
            if time.perf_counter() > ends:
                break
            waiting.append(game)
            boards, positions = boards + 1, positions + len(game[0])
            if sum(len(states) for states, _ in waiting) >= BATCH:
                step(student, *(torch.from_numpy(np.concatenate(part)) for part in zip(*waiting, strict=True)))
                waiting = []
        pool.terminate()
    return boards, positions


def ours(student: Learner, seconds: float) -> tuple[int, int]:
    """(boards, positions) that were learned from within so many seconds."""
    puzzle: Any = student.puzzle
    teacher = Teacher(puzzle, registry.make_solver("beam", {"width": 100}))
    boards, positions, ends = 0, 0, time.perf_counter() + seconds
    with closing(samples_of(teacher, ThisProcess())) as stream:
        for batch in batches(stream):
            if time.perf_counter() > ends:
                return boards, positions
            lesson = PolicyValueBatch.from_samples(
                puzzle, {"state": batch.state, "moves": batch.moves, "remaining": batch.remaining}
            )
            step(
                student,
                torch.from_numpy(puzzle.view(Planes).planes(lesson.states)),
                torch.from_numpy(lesson.policy_target),
            )
            boards += len(np.unique(batch.game))
            positions += len(batch)
    return boards, positions


def batches(stream: Iterator[tuple[TrainingSamples, int]]) -> Iterator[TrainingSamples]:
    """Every 500 samples."""
    for samples, _ in stream:
        for first in range(0, len(samples) - BATCH + 1, BATCH):
            yield samples.rows(first, first + BATCH)


def step(student: Learner, planes: torch.Tensor, targets: torch.Tensor) -> None:
    """One step of binary cross-entropy over all cells."""
    student.update(
        lambda: {"moves": policy_loss(student.model.module(planes)["policy"], targets.bool(), targets.bool(), "binary")}
    )


def new() -> Learner:
    """The article's network with its optimiser."""
    settings = LearnerSettings(
        batch_size=BATCH, optimiser="adam", schedule="constant", warmup=0, max_grad_norm=0.0, ema=0.0
    )
    return new_learner(registry.load(PUZZLE), LAYERS, settings, seed=0)


def main() -> None:
    """Measure both, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0, help="how long each way runs (120)")
    parser.add_argument("--limit", type=float, default=15.0, help="seconds of the article's search for a board (15)")
    arguments = parser.parse_args()
    ours(new(), 1.0)  # machine code is there before a clock starts
    table = Table("way", "boards/s", "positions/s", title=f"{PUZZLE}: what a network of 10 x 1500 learns from")
    rates = []
    for name, result in (
        (
            f"Python boards, {WORKERS} workers, {arguments.limit:g} s a board",
            document(new(), arguments.seconds, arguments.limit),
        ),
        ("puzzlelab, a beam of width 100", ours(new(), arguments.seconds)),
    ):
        rates.append(result[0] / arguments.seconds)
        table.add_row(name, f"{rates[-1]:.3g}", f"{result[1] / arguments.seconds:.4g}")
    console = Console()
    console.print(table)
    console.print(f"boards a second: {rates[1] / max(rates[0], 1e-9):,.0f} times as many")


if __name__ == "__main__":
    main()
