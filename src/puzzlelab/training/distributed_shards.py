"""Makes the shards that a learner requests by an executor; this process writes them into the folder of the run."""

from __future__ import annotations

import time
from concurrent.futures import Future
from dataclasses import dataclass, field

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor, PieceLost, Timed
from puzzlelab.experience.distributed_games import games_setup
from puzzlelab.experience.shard_leases import encoded_shard
from puzzlelab.experience.shards import shard_path, write_shard
from puzzlelab.experience.teachers import SampleSource
from puzzlelab.training.recipe import Watch
from puzzlelab.training.runs import Run
from puzzlelab.training.shard_loader import DataSettings

REPORT_SECONDS = 10.0
"""Seconds between two lines of progress."""


@dataclass
class DistributedShards:
    """The shards of one run, by their numbers. Only one program of a run may use an executor for them."""

    run: Run
    data: DataSettings
    teacher: SampleSource
    executor: Executor
    _pending: dict[Future[Timed[bytes]], int] = field(default_factory=dict)
    """The numbers of the shards that are being made."""
    _written: int = 0
    _reported: float = 0.0

    def generate(self, watch: Watch) -> None:
        """Make shards until the run is done; `watch` is called again and again, and may raise."""
        setup = games_setup(self.executor, self.teacher)
        while not self.run.done.exists():
            watch()
            for number in self._numbers():
                make = self.executor.submit(encoded_shard, self.teacher, number, self.data.shard_games, setup=setup)
                self._pending[make] = number
            for future in self.executor.wait(self._pending):
                self._write(self._pending.pop(future), future)
            self._report()

    def _numbers(self) -> list[int]:
        """Return the numbers of the shards to begin now: those that are requested, and further ones if nodes have room.

        A learner reads shards in the order of their numbers, so that it makes no difference which exist already.
        """
        first, end = self.run.requested_shards()
        room = max(0, self.executor.room)
        if end == 0 or not room:
            return []
        wanted = max(end, first + self.executor.slots + room)
        if self.data.shard_count is not None:
            wanted = min(wanted, self.data.shard_count)
        open_numbers = (number for number in range(first, wanted) if number not in self._pending.values())
        missing = [number for number in open_numbers if not shard_path(self.run.shards, number).exists()]
        return missing[:room]

    def _write(self, number: int, future: Future[Timed[bytes]]) -> None:
        try:
            write_shard(self.run.shards, number, future.result().value)
        except PieceLost as lost:
            raise PuzzlelabError(f"shard {number} cannot be played: {lost}") from None
        self._written += 1

    def _report(self) -> None:
        now = time.monotonic()
        if now - self._reported >= REPORT_SECONDS:
            self._reported = now
            report.progress("shards made", self._written, None, self.executor.status())
