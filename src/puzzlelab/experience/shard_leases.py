"""Shards by number, for several generators on one or more machines that fill one folder: each claims the next number.

Shard n holds G games, from number n G on, and is equal whoever makes it. So a claim only saves double work: where two
programs take over the same one at the same moment, both write the same file.

A claim is the file `shard-00012.claim`. While its owner lives it gets a new time stamp now and then; one whose stamp is
old, or whose owner was a process of this machine that is gone, is taken over.
"""

from __future__ import annotations

import json
import os
import platform
import threading
import time
import uuid
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from puzzlelab.core.errors import BadFile, BadOption
from puzzlelab.experience.schema import TrainingSamples, need_arrow
from puzzlelab.experience.shards import begin, read_shard, save, shard_path
from puzzlelab.experience.teachers import SampleSource

PATIENCE = 300.0
"""Seconds after which a claim without a new time stamp is taken over."""
REFRESH = 20.0
"""Seconds between two time stamps."""
RUN = uuid.uuid4().hex
"""Tells this process from an earlier one that had its number."""


class ShardLeases:
    """Who makes which shard of a folder."""

    def __init__(self, folder: Path, patience: float = PATIENCE) -> None:
        self.folder, self.patience = folder, patience
        self._owner = {**this_process(), "token": uuid.uuid4().hex}

    def take(self, end: int, first: int = 0, made: Container[int] = ()) -> int | None:
        """Claim the least number from `first` to `end` - 1 whose shard is neither there nor being made.

        Nor was it `made` before, and has gone since.
        Returns None where there is no such number. Raises `BadFile` for a folder that cannot be written.
        """
        try:
            there = {path.name for path in self.folder.iterdir()}
            for number in range(first, end):
                if number in made:
                    continue
                if shard_path(self.folder, number).name not in there:
                    if self._claim(number):
                        return number
                elif self._path(number).name in there:  # its owner was killed just before it would have gone
                    self._path(number).unlink(missing_ok=True)
        except OSError as error:
            raise BadFile(f"cannot write {self.folder}: {error.strerror or error}") from None
        return None

    def release(self, number: int) -> None:
        """Give up a claim, or end it because the shard is there."""
        if self._reader(number) == self._owner:
            self._path(number).unlink(missing_ok=True)

    def refresh(self, number: int) -> None:
        """Set a new time stamp."""
        with suppress(OSError):
            os.utime(self._path(number))

    @contextmanager
    def keeping(self, number: int) -> Iterator[None]:
        """Sets new time stamps during the work, and releases the claim after it."""
        over = threading.Event()

        def stamp() -> None:
            while not over.wait(min(REFRESH, self.patience / 3)):
                self.refresh(number)

        stamps = threading.Thread(target=stamp, daemon=True)
        stamps.start()
        try:
            yield
        finally:
            over.set()
            stamps.join()
            self.release(number)

    def _path(self, number: int) -> Path:
        return shard_path(self.folder, number).with_suffix(".claim")

    def _claim(self, number: int) -> bool:
        """Whether the number is ours now."""
        path = self._path(number)
        try:
            with path.open("x", encoding="utf-8") as file:
                json.dump(self._owner, file)
        except FileExistsError:
            return self._forsaken(number) and self._take_over(number)
        return not self._done(number)

    def _done(self, number: int) -> bool:
        """Whether the shard came while its number was claimed; the claim is then of no use."""
        there = shard_path(self.folder, number).exists()
        if there:
            self.release(number)
        return there

    def _take_over(self, number: int) -> bool:
        """Put our claim in the place of one that nobody keeps; of several who do so the last one has it."""
        aside = self.folder / f"claiming-{self._owner['token']}"
        aside.write_text(json.dumps(self._owner), encoding="utf-8")
        aside.replace(self._path(number))
        return self._reader(number) == self._owner and not self._done(number)

    def _forsaken(self, number: int) -> bool:
        """Whether the owner of a claim is gone."""
        try:
            stamp = self._path(number).stat().st_mtime
        except FileNotFoundError:  # released, perhaps undone: the next call sees
            return False
        return gone(self._reader(number) or {}) or self._now() - stamp > self.patience

    def _now(self) -> float:
        """The time by the clock of the folder, which may lie on another machine."""
        probe = self.folder / f"clock-{self._owner['token']}"
        try:
            probe.write_bytes(b"")
            return probe.stat().st_mtime
        except OSError:
            return time.time()
        finally:
            probe.unlink(missing_ok=True)

    def _reader(self, number: int) -> dict[str, object] | None:
        """What a claim says; None for one that is gone or not yet written."""
        try:
            owner = json.loads(self._path(number).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return owner if isinstance(owner, dict) else None


def this_process() -> dict[str, object]:
    """The owner that this process is."""
    return {"machine": platform.node(), "process": os.getpid(), "run": RUN}


def gone(owner: Mapping[str, object]) -> bool:
    """Whether an owner was a process of this machine that does not run any more; false where that cannot be told."""
    process = owner.get("process")
    if owner.get("machine") != platform.node() or not isinstance(process, int) or process <= 0:
        return False
    if process == os.getpid():
        return owner.get("run") != RUN
    try:
        if os.name == "posix":  # elsewhere this would end the process
            os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:  # it runs, and belongs to somebody else
        return False
    return False


def begin_folder(teacher: SampleSource, folder: Path, games: int) -> None:
    """Make the folder of a teacher's shards, of so many games each, or see that it is one.

    Raises `BadFile` for a folder of something else, and `BadOption` for fewer than 1 game.
    """
    if games < 1:
        raise BadOption(f"a shard has 1 game or more, not {games}")
    need_arrow()
    begin(folder, {**teacher.settings(), "games_a_shard": games})


def make_shard(teacher: SampleSource, folder: Path, number: int, games: int, jobs: int | None = 1) -> Path:
    """Write shard `number` aside, then rename it: the games from `number * games` on, so many of them.

    It depends on the teacher and the number alone, unless the teacher is under a limit of time. Raises `BadFile` for a
    folder of something else, or one that cannot be written.
    """
    begin_folder(teacher, folder, games)
    first, end = number * games, (number + 1) * games
    samples = teacher.games(first, end, jobs)
    card = {**teacher.settings(), "games_a_shard": games, "games": [first, end]}
    aside, path = f"writing-{number:05}-", shard_path(folder, number)
    try:
        save(folder, number, samples, card, aside + uuid.uuid4().hex)
    except BadFile:
        if not path.exists():  # somebody else has just made it, and cleared away what both had written aside
            raise
    for left in folder.glob(aside + "*"):  # by processes that were killed
        left.unlink(missing_ok=True)
    return path


def read_number(folder: Path, number: int) -> TrainingSamples | None:
    """The samples of shard `number`, or None where it is not there yet; raises `BadFile` for one that is damaged."""
    path = shard_path(folder, number)
    return read_shard(path) if path.exists() else None
