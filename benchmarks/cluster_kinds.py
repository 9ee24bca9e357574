"""The kinds of work that `cluster.py` measures: boards, shards of a teacher and of self-play, moves for dqn."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import puzzlelab
from cluster_costs import Example, mean_and_variation, size
from cluster_model import Work
from puzzlelab.core import registry
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Solver
from puzzlelab.engine.executor import Executor, Timed
from puzzlelab.engine.streams import MOST_ITEMS, SHARE
from puzzlelab.experience.curriculum import scrambled
from puzzlelab.experience.shards import encoded, write_shard
from puzzlelab.experience.teachers import Teacher
from puzzlelab.experience.uct_session import UctSession, play_episodes
from puzzlelab.jobs.job_rows import JobRows
from puzzlelab.jobs.solve_job import SolveJob
from puzzlelab.jobs.solve_parts import solve_piece
from puzzlelab.storage.lines import CHUNK_SIZE, text_blocks
from puzzlelab.storage.row_files import RowFile
from puzzlelab.text.board_blocks import read_blocks

ROWS = 100_000
"""Rows that the driver writes, to measure what one costs."""


@dataclass(frozen=True)
class FileOfBoards:
    """Boards of a puzzle for a solver, from a file into a file of rows."""

    name: str
    puzzle: str
    solver: str
    level: dict[str, Any]
    """The boards of this work, as options of `generate`."""
    quick_level: dict[str, Any]
    """Boards of the same puzzle that are quick to solve."""
    count: int
    """Boards whose seconds are measured."""
    quick_count: int
    """Quick boards, which are solved again and again to measure what a row costs the driver."""

    def boards(self, count: int, level: dict[str, Any]) -> list[Instance]:
        """Generated boards."""
        return list(puzzlelab.generate(self.puzzle, count=count, seed=1, **level))

    def work(self, executor: Executor) -> Work:
        """Its costs, for each board."""
        boards = self.boards(self.count, self.level)
        arguments = self._arguments(boards)
        list(solve_piece(*arguments[0]))  # compiles
        values = [_timed(argument) for argument in arguments]
        per_piece = len(boards) // len(arguments)
        seconds, variation = mean_and_variation([value.seconds / per_piece for value in values])
        return Work(
            self.name,
            "board",
            seconds,
            variation * per_piece**0.5,
            size(arguments[0]) / per_piece,
            size(values[0]) / per_piece,
            self._driver_seconds(executor),
            most=MOST_ITEMS,
            together=CHUNK_SIZE // (len(boards[0].puzzle.write(boards[0].state)) + 1),
            share=SHARE,
        )

    def _arguments(self, boards: list[Instance]) -> list[tuple[Solver, Boards, Limit, int]]:
        """Pieces of the boards; each has many if they are quick, so that its time can be measured."""
        length = max(1, len(boards) // 40)
        starts = range(0, len(boards), length)
        solver = registry.parse_solver(self.solver)
        return [(solver, Boards.of(boards[i : i + length]), Limit(), length) for i in starts]

    def _driver_seconds(self, executor: Executor) -> float:
        """CPU seconds of the driver for a board: it is read, sent, taken, and its row is written."""
        boards = self.boards(self.quick_count, self.quick_level)
        lines = [f"{board.puzzle.write(board.state)}\n" for board in boards] * (ROWS // self.quick_count)
        job = SolveJob(boards[0].puzzle, registry.parse_solver(self.solver), Limit(), executor=executor)
        run_job(job, lines[: ROWS // 10])  # the nodes prepare themselves
        began = time.process_time()
        run_job(job, lines)
        return (time.process_time() - began) / len(lines)


def _timed(arguments: tuple[Solver, Boards, Limit, int]) -> Timed[Any]:
    """The value of a piece."""
    began = time.perf_counter()
    answers = list(solve_piece(*arguments))
    return Timed(answers, time.perf_counter() - began)


def run_job(job: SolveJob, lines: Sequence[str]) -> None:
    """Solve the boards of these lines, and write their rows."""
    with tempfile.TemporaryDirectory() as folder, RowFile(Path(folder) / "rows.jsonl") as rows_file:
        file = io.BytesIO("".join(lines).encode())
        rows = JobRows(job.puzzle, job.solver, job.limit, rows_file)
        for _ in job.solved(read_blocks(job.puzzle, text_blocks(file, "boards"), "boards"), rows):
            pass


BOARDS = (
    FileOfBoards("9x9 Sudoku, a row each", "sudoku-9x9", "bands", {}, {}, 20_000, 2_000),
    FileOfBoards("dust by a beam", "dust-8x6x5", "beam:width=100", {"scale": "uniform"}, {"level": 2}, 100, 2_000),
    FileOfBoards("15-puzzle, optimal", "tiles-4x4", "ida", {"scale": "uniform"}, {"level": 8}, 120, 2_000),
    FileOfBoards("24-puzzle of level 40, optimal", "tiles-5x5", "ida", {"level": 40}, {"level": 8}, 10, 2_000),
)


def keep_shard(content: bytes) -> None:
    """Write a shard as the driver does."""
    with tempfile.TemporaryDirectory() as folder:
        write_shard(Path(folder), 0, content)


def of_teacher(name: str, puzzle: str, solver: str, games: int) -> Example:
    """A shard of samples by a teacher, which has as many games as the settings say."""
    teacher = Teacher(registry.load(puzzle), registry.parse_solver(solver))
    teacher.games(0, 2, jobs=1)  # compiles
    began = time.perf_counter()
    content = encoded(teacher.games(0, games, jobs=1), {})
    seconds = (time.perf_counter() - began) / games
    return Example(name, "game", games, seconds, 0.5, (teacher, 0, games), content, keep_shard)


def of_self_play(name: str, puzzle: str, games: int, walk: int, max_moves: int) -> Example:
    """A shard of games of self-play, by the network of the package, with the usual 50 playouts."""
    loaded = registry.load(puzzle)
    boards = scrambled(loaded, np.full(games, walk), np.random.default_rng(1))
    limits = np.full(games, max_moves)
    play_episodes(UctSession(loaded, games, estimate="net", prior="net"), boards, np.ones(games, np.int64))
    session = UctSession(loaded, games, estimate="net", prior="net", temperature=1.0, dirichlet_fraction=0.25)
    began = time.perf_counter()
    samples, _ = play_episodes(session, boards, limits)
    seconds = (time.perf_counter() - began) / games
    settings = {"puzzle": puzzle, "network": "0" * 64, "number": 1, "difficulty": walk}
    return Example(name, "game", games, seconds, 1.0, settings, encoded(samples, {}), keep_shard)


def of_acting(name: str, puzzle: str, network: str, games: int, moves: int) -> Example:
    """A block of moves in many games, by a network of deep Q-learning: its transitions go to the replay buffer."""
    loaded = registry.load(puzzle)
    evaluated = puzzlelab.network(loaded, network)
    boards = list(puzzlelab.generate(loaded, count=games, scale="uniform", seed=1))
    evaluated.estimate(boards)
    began = time.perf_counter()
    for _ in range(moves):
        evaluated.estimate(boards)
    seconds = (time.perf_counter() - began) / (games * moves)
    states = np.stack([board.state for board in boards])
    transitions = {
        "state": np.tile(states, (moves, 1)),
        "next": np.tile(states, (moves, 1)),
        "move": np.zeros(games * moves, np.int16),
        "reward": np.zeros(games * moves, np.float32),
        "factor": np.zeros(games * moves, np.float32),
    }
    return Example(name, "move", games * moves, seconds, 0.2, {"states": states}, transitions, lambda value: None)


EXAMPLES: tuple[Callable[[], Example], ...] = (
    partial(of_teacher, "shards: dust by a beam of 100", "dust-8x6x5", "beam:width=100", 10_000),
    partial(of_teacher, "shards: dust by a beam of 1,000", "dust-8x6x5", "beam:width=1000", 1000),
    partial(of_self_play, "games of self-play, 15-puzzle", "tiles-4x4", 1024, 60, 120),
    partial(of_acting, "acting for dqn, dust", "dust-8x6x5", "dust-8x6x5-dqn", 1000, 16),
)
