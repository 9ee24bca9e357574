"""Leases of shards, for several generators on one or more machines that fill one folder: each leases the next number.

Shard n holds G games, from number n G on, and has the same contents whichever process makes it. So a lease only avoids
duplicate work: if two processes take over the same lease at the same moment, both write the same file.

A lease is the file `shard-00012.claim`. Its owner renews its time stamp now and then. A lease is taken over if its time
stamp is old, or if its owner was a process of this machine that has ended.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadOption
from puzzlelab.experience.schema import need_arrow
from puzzlelab.experience.shards import begin, encoded, shard_path
from puzzlelab.experience.teachers import SampleSource
from puzzlelab.storage.files import replace_file, writing

EXPIRY = 300.0
"""Seconds after which a lease without a new time stamp is taken over."""
WRITE_SECONDS = 10.0
"""Seconds after which a lease without an owner is taken over: its writer was killed, or its power was cut."""
RENEWAL = 20.0
"""Seconds between two time stamps."""
RUN = uuid.uuid4().hex
"""Distinguishes this process from an earlier one with the same process id."""


class ShardLeases:
    """Leases on the shards of a folder."""

    def __init__(self, folder: Path, expiry: float = EXPIRY) -> None:
        self.folder, self.expiry = folder, expiry
        self._owner = {**this_process(), "token": uuid.uuid4().hex}
        self._held: set[int] = set()

    def take(self, end: int, first: int = 0, done: Container[int] = ()) -> int | None:
        """Lease the least number from `first` to `end` - 1 that is not in `done` and whose shard does not exist.

        `done` may hold shards that were made and removed. Returns None where every number is made or leased. Raises
        `BadFile` for a folder that cannot be written.
        """
        with writing(self.folder):
            names = {path.name for path in self.folder.iterdir()}
            for number in range(first, end):
                if number in done:
                    continue
                if shard_path(self.folder, number).name not in names:
                    if self._acquire(number):
                        self._held.add(number)
                        return number
                elif self._path(number).name in names:  # its owner was killed before it could remove the lease
                    self._path(number).unlink(missing_ok=True)
        return None

    def release(self, number: int) -> None:
        """End a lease of this process."""
        self._held.discard(number)
        if self._owner_of(number) == self._owner:
            self._path(number).unlink(missing_ok=True)

    def renew(self, number: int) -> None:
        """Renew the time stamp of a lease."""
        with suppress(OSError):
            os.utime(self._path(number))

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Renew the leases that are held during the work, and release those that are left at its end."""
        try:
            with renewing(lambda: map(self._path, list(self._held)), min(RENEWAL, self.expiry / 3)):
                yield
        finally:
            for number in list(self._held):
                self.release(number)

    def _path(self, number: int) -> Path:
        return shard_path(self.folder, number).with_suffix(".claim")

    def _acquire(self, number: int) -> bool:
        """Try to lease a number; whether this process holds it now."""
        path = self._path(number)
        try:
            with path.open("x", encoding="utf-8") as file:
                json.dump(self._owner, file)
        except FileExistsError:
            return self._expired(number) and self._take_over(number)
        return not self._finished(number)

    def _finished(self, number: int) -> bool:
        """Tell whether the shard was written while its number was being leased; the lease is then released."""
        exists = shard_path(self.folder, number).exists()
        if exists:
            self.release(number)
        return exists

    def _take_over(self, number: int) -> bool:
        """Replace an expired lease by one of this process; of several processes that do so the last one holds it."""
        temporary = self.folder / f"claiming-{self._owner['token']}"
        replace_file(self._path(number), json.dumps(self._owner), temporary, durable=False)
        return self._owner_of(number) == self._owner and not self._finished(number)

    def _expired(self, number: int) -> bool:
        """Tell whether the owner of a lease has ended, or stopped renewing it; a time in the future counts as now."""
        try:
            stamp = self._path(number).stat().st_mtime
        except FileNotFoundError:  # released: the next call of `take` looks again
            return False
        owner, now = self._owner_of(number), clock_of(self.folder)
        age = now - stamp
        if age < 0:  # a clock was set back: without a new time stamp the lease would last until that time
            self.renew(number)
        return age > self.expiry or (age > WRITE_SECONDS if owner is None else has_ended(owner))

    def _owner_of(self, number: int) -> dict[str, object] | None:
        """Return the owner in the file of a lease; None for a lease that was removed or is not yet written."""
        try:
            owner = json.loads(self._path(number).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        return owner if isinstance(owner, dict) else None


def clock_of(folder: Path) -> float:
    """Return the time by the clock of the file system of this folder, which may be that of another machine.

    Ages of its files are differences of this clock. Where the folder cannot be written, it is the time of this machine.
    """
    try:
        with tempfile.TemporaryFile(prefix="clock-", dir=folder) as probe:
            return os.fstat(probe.fileno()).st_mtime
    except OSError:
        return time.time()


@contextmanager
def renewing(paths: Callable[[], Iterable[Path]], seconds: float) -> Iterator[None]:
    """Renew the time stamps of these files every few seconds as a sign that this process is at work."""
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(seconds):
            for path in paths():
                with suppress(OSError):
                    os.utime(path)

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def this_process() -> dict[str, object]:
    """Return this process as the owner of a lease."""
    return {"machine": platform.node(), "boot": _boot(), "process": os.getpid(), "run": RUN}


@cache
def _boot() -> str:
    """Distinguish this start of the machine from earlier ones; empty where the system does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def has_ended(owner: Mapping[str, object]) -> bool:
    """Tell whether an owner was a process of this machine that has ended; false where that cannot be known."""
    process = owner.get("process")
    if owner.get("machine") != platform.node() or not isinstance(process, int) or process <= 0:
        return False
    if owner.get("boot", _boot()) != _boot():
        return True
    if process == os.getpid():
        return owner.get("run") != RUN
    try:
        if os.name == "posix":  # elsewhere this would end the process
            os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it runs under another user, or no process has such a number
        return False
    return False


def begin_folder(teacher: SampleSource, folder: Path, games: int) -> None:
    """Make the folder of a teacher's shards of `games` games each, or check that it is one.

    Raises `BadFile` for a folder of other samples, and `BadOption` for fewer than 1 game.
    """
    if games < 1:
        raise BadOption(f"a shard has 1 game or more, not {games}")
    need_arrow()
    begin(folder, settings_of_shards(teacher, games))


def settings_of_shards(teacher: SampleSource, games: int) -> dict[str, Any]:
    """Return the settings of a teacher's shards of `games` games each, as the shards hold them."""
    return {**teacher.settings(), "games_a_shard": games}


def encoded_shard(teacher: SampleSource, number: int, games: int, jobs: int | None = 1) -> bytes:
    """Return the file of shard `number`, whose games, from number `number * games` on, are played now.

    It depends on the teacher and the number alone, unless the teacher has a time limit.
    """
    first, end = number * games, (number + 1) * games
    return encoded(teacher.games(first, end, jobs), {**settings_of_shards(teacher, games), "games": [first, end]})
