"""Shards by number: each is made once while all is well, and by somebody else when its maker is gone."""

import json
import os
import subprocess
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest
from sample_folders import samples_in

from puzzlelab import BadFile, BadOption, Limit, load
from puzzlelab.core import registry
from puzzlelab.experience import shard_leases as module
from puzzlelab.experience import shards
from puzzlelab.experience.shard_leases import ShardLeases, begin_folder, encoded_shard
from puzzlelab.experience.shards import Shards, read_shard, write_shard
from puzzlelab.experience.teachers import Teacher

pytest.importorskip("pyarrow")

EIGHT = load("tiles-3x3")
TEACHER = Teacher(EIGHT, registry.solver("beam", EIGHT, width=10, estimate="manhattan"), branches=1)
GAMES = 40


def make_shard(teacher, folder, number, games, jobs=1):
    """Write a shard of a teacher's games."""
    begin_folder(teacher, folder, games)
    return write_shard(folder, number, encoded_shard(teacher, number, games, jobs))


make = partial(make_shard, TEACHER, games=GAMES)


def same(a, b):
    names = ("game", "state", "moves", "remaining", "proven")
    return len(a) == len(b) and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def finished(folder, number):
    (folder / f"shard-{number:05}.parquet").write_bytes(b"")


def aged(folder, number, seconds):
    """Make a lease so many seconds older."""
    path = folder / f"shard-{number:05}.claim"
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def by_another(folder, number, **owner):
    """A lease of another process, on another machine unless `owner` says where."""
    owner = {"machine": "elsewhere", "process": os.getpid(), "run": "x", "token": "y"} | owner
    (folder / f"shard-{number:05}.claim").write_text(json.dumps(owner))


def ended_process():
    """The number of a process that does not run any more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


# --- shards ----------------------------------------------------------------------------------------------------------


def test_a_shard_has_the_games_of_its_number(tmp_path):
    for number in (2, 0, 1):
        assert same(read_shard(make(tmp_path, number)), TEACHER.games(number * GAMES, (number + 1) * GAMES))
    assert same(samples_in(tmp_path), TEACHER.games(0, 3 * GAMES))


def test_a_shard_is_equal_whoever_makes_it(tmp_path):
    for number in (0, 1):
        make(tmp_path / "a", number)
    for number in (1, 0):
        make(tmp_path / "b", number, jobs=2)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_what_killed_programs_left_aside_is_cleared_away(tmp_path):
    make(tmp_path, 0)
    (tmp_path / "writing-00001-x").write_bytes(b"half a shard")
    (tmp_path / "writing-00002-x").write_bytes(b"somebody may be writing this one")
    make(tmp_path, 1)
    names = [path.name for path in sorted(tmp_path.iterdir())]
    assert names == ["shard-00000.parquet", "shard-00001.parquet", "teacher.json", "writing-00002-x"]


def test_two_programs_that_make_one_shard_at_once_both_succeed(tmp_path, monkeypatch):
    begin_folder(TEACHER, tmp_path, GAMES)
    real = shards.replace_file

    def overtaken(*rest):
        monkeypatch.setattr(shards, "replace_file", real)
        make(tmp_path, 0)
        raise BadFile("what was written aside is not there any more")

    monkeypatch.setattr(shards, "replace_file", overtaken)
    assert make(tmp_path, 0).exists()


@pytest.mark.parametrize("number", [0, 1])
def test_a_shard_that_cannot_be_written(tmp_path, monkeypatch, number):
    """Neither a new one nor one that takes the place of another."""

    def full(*rest):
        raise BadFile("cannot write the folder: no space left")

    make(tmp_path, 0)
    monkeypatch.setattr(shards, "replace_file", full)
    with pytest.raises(BadFile, match="no space left"):
        make(tmp_path, number)


def test_games_without_samples_make_an_empty_shard(tmp_path):
    hopeless = Teacher(EIGHT, registry.solver("ida", EIGHT), scale="distance", levels=(30,), limit=Limit(nodes=1))
    assert len(read_shard(make_shard(hopeless, tmp_path, 0, 3))) == 0


def test_a_folder_of_something_else_is_refused(tmp_path):
    make(tmp_path, 0)
    with pytest.raises(BadFile, match="games_a_shard is 40 there, not 50"):
        make_shard(TEACHER, tmp_path, 1, 50)
    with pytest.raises(BadFile, match="seed is 0 there, not 7"):
        begin_folder(Teacher(EIGHT, TEACHER.solver, seed=7, branches=1), tmp_path, GAMES)
    with pytest.raises(BadFile, match="games_a_shard is 40 there, not null; shard is null there, not 100"):
        Shards(tmp_path, TEACHER.settings(), 100)
    with pytest.raises(BadOption, match="a shard has 1 game or more, not 0"):
        begin_folder(TEACHER, tmp_path, 0)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match="cannot write"):
        make(tmp_path / "file", 0)


# --- leases ----------------------------------------------------------------------------------------------------------


def test_each_number_is_given_once_until_it_is_released(tmp_path):
    first, second = ShardLeases(tmp_path), ShardLeases(tmp_path)
    finished(tmp_path, 1)
    assert [first.take(4), second.take(4), first.take(4), second.take(4)] == [0, 2, 3, None]
    second.release(0)  # not its own
    assert second.take(4) is None
    first.release(0)
    assert second.take(4) == 0
    assert ShardLeases(tmp_path).take(9, first=5) == 5


def test_a_lease_that_its_shard_has_outlived_is_cleared_away(tmp_path):
    for number in (0, 1):
        by_another(tmp_path, number)
    finished(tmp_path, 1)
    assert ShardLeases(tmp_path).take(3) == 2
    assert [path.name for path in sorted(tmp_path.glob("*.claim"))] == ["shard-00000.claim", "shard-00002.claim"]


def test_a_shard_that_came_meanwhile_is_not_given(tmp_path, monkeypatch):
    real = ShardLeases._acquire

    def meanwhile(self, number):
        finished(tmp_path, 0)
        return real(self, number)

    monkeypatch.setattr(ShardLeases, "_acquire", meanwhile)
    assert ShardLeases(tmp_path).take(2) == 1
    assert not (tmp_path / "shard-00000.claim").exists()


@pytest.mark.parametrize(
    ("text", "young", "more"),
    [(None, 290, 20), ('{"machine": 3}', 290, 20), ("", 3, 10), ("[]", 3, 10), ("\0" * 90, 3, 10)],
    ids=["whole", "another-form", "empty", "no-owner", "nul-bytes"],
)
def test_an_old_lease_is_taken_over_and_a_young_one_is_not(tmp_path, text, young, more):
    by_another(tmp_path, 0)
    if text is not None:
        (tmp_path / "shard-00000.claim").write_text(text)
    aged(tmp_path, 0, young)
    assert ShardLeases(tmp_path).take(1) is None
    aged(tmp_path, 0, more)
    heir = ShardLeases(tmp_path)
    assert heir.take(1) == 0
    assert ShardLeases(tmp_path).take(1) is None
    heir.release(0)
    assert not list(tmp_path.iterdir())


def test_a_time_stamp_in_the_future_counts_as_now(tmp_path):
    by_another(tmp_path, 0)
    aged(tmp_path, 0, -100_000)  # a clock was set back
    assert ShardLeases(tmp_path).take(1) is None
    aged(tmp_path, 0, 290)
    assert ShardLeases(tmp_path).take(1) is None
    aged(tmp_path, 0, 20)
    assert ShardLeases(tmp_path).take(1) == 0


def test_a_new_time_stamp_keeps_a_lease(tmp_path):
    leases = ShardLeases(tmp_path)
    leases.take(1)
    aged(tmp_path, 0, 400)
    leases.renew(0)
    assert ShardLeases(tmp_path).take(1) is None


def test_a_lease_from_before_the_machine_s_last_start_is_taken_over_at_once(tmp_path):
    by_another(tmp_path, 0, **{**module.this_process(), "run": "another", "boot": "another"})
    assert ShardLeases(tmp_path).take(1) == 0


def test_the_lease_of_a_process_that_is_gone_is_taken_over_at_once(tmp_path):
    here = module.platform.node()
    by_another(tmp_path, 0, machine=here, process=ended_process())
    by_another(tmp_path, 1, machine=here, process=os.getppid())
    by_another(tmp_path, 2, machine="elsewhere", process=ended_process())
    by_another(tmp_path, 3, machine=here, process=os.getpid(), run="an earlier process with this number")
    by_another(tmp_path, 4, machine=here, process=os.getpid(), run=module.RUN)
    leases = ShardLeases(tmp_path)
    assert [leases.take(5), leases.take(5), leases.take(5)] == [0, 3, None]


@pytest.mark.parametrize("process", [2**31, 2**63, 10**30])
def test_the_lease_of_a_process_that_cannot_be_is_kept_while_it_is_young(tmp_path, process):
    owner = {**module.this_process(), "process": process, "run": "another"}
    (tmp_path / "shard-00000.claim").write_text(json.dumps(owner))
    assert ShardLeases(tmp_path).take(1) is None


def test_during_the_work_a_lease_gets_time_stamps_and_is_released_after_it(tmp_path):
    leases = ShardLeases(tmp_path, expiry=0.06)
    number = leases.take(1)
    path = tmp_path / "shard-00000.claim"
    assert number == 0
    with leases.keeping():
        aged(tmp_path, 0, 1_000)
        old, until = path.stat().st_mtime, time.monotonic() + 300
        while path.stat().st_mtime == old and time.monotonic() < until:
            time.sleep(0.01)
        assert path.stat().st_mtime > old + 900
    assert not path.exists()
    with leases.keeping():
        leases.take(1)
    assert not path.exists()


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(BadFile, match="cannot write .*nowhere"):
        ShardLeases(tmp_path / "nowhere").take(1)


def test_many_threads_never_hold_one_number_at_once(tmp_path):
    taken, lock = [], threading.Lock()

    def work():
        leases = ShardLeases(tmp_path)
        with leases.keeping():
            while (number := leases.take(60)) is not None:
                with lock:
                    taken.append(number)
                finished(tmp_path, number)
                leases.release(number)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(60))
    assert len(list(tmp_path.iterdir())) == 60
