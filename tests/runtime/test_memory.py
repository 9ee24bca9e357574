import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from puzzlelab.runtime import memory as reader
from puzzlelab.runtime.memory import free_memory, resident, share_memory

GB = 2**30
ON_MACHINE = 8 * GB


def test_resident_memory_grows_with_what_is_touched() -> None:
    before = resident()
    block = np.ones(64 * 2**20, np.uint8)
    assert resident() - before > 48 * 2**20
    assert block[-1] == 1


def test_there_is_free_memory() -> None:
    assert free_memory() > 0


@pytest.mark.skipif(sys.platform != "linux", reason="these limits are those of Linux")
@pytest.mark.parametrize("kind", ["RLIMIT_DATA", "RLIMIT_AS"])
def test_what_is_free_is_no_more_than_the_process_may_have(kind: str) -> None:
    code = (
        "import resource\n"
        "from puzzlelab.runtime.memory import free_memory\n"
        "before = free_memory()\n"
        f"resource.setrlimit(resource.{kind}, (2**29, 2**29))\n"
        "print(before, free_memory())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = map(int, found.stdout.split())
    assert 0 < after < 2**29 < before


def test_other_systems_are_measured_by_psutil(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(Exception):
        pass

    def process(number: int | None) -> SimpleNamespace:
        if number == 7:
            raise Gone("process 7 has ended")
        return SimpleNamespace(memory_info=lambda: SimpleNamespace(rss=1000 + (number or 0)))

    memory = SimpleNamespace(available=5000)
    fake = SimpleNamespace(Process=process, Error=Gone, virtual_memory=lambda: memory)
    monkeypatch.setitem(sys.modules, "psutil", fake)
    monkeypatch.setattr(sys, "platform", "win32")
    assert resident() == 1000
    assert resident(5) == 1005
    assert free_memory() == 5000
    with pytest.raises(OSError, match="has ended"):
        resident(7)


def test_a_process_that_has_ended_has_no_memory() -> None:
    with pytest.raises(OSError, match="no process"):
        resident(2**30)


# --- control groups, which made-up files describe ---------------------------------------------------------------------

Machine = Callable[..., None]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Makes files as Linux has them: `machine(cgroup, mounts, {folder: {file: text}})`, with TOP for the folder of all.

    Eight gigabytes are free on it.
    """
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text(f"MemTotal: 99999999 kB\nMemAvailable: {ON_MACHINE // 1024} kB\n")

    def make(memberships: str, mounts: str, groups: dict[str, dict[str, object]]) -> None:
        (proc / "self/cgroup").write_text(memberships)
        (proc / "self/mountinfo").write_text(mounts.replace("TOP", str(tmp_path)))
        for folder, files in groups.items():
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                (tmp_path / folder / name).write_text(f"{text}\n")

    monkeypatch.setattr(reader, "PROC", proc)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(reader, "address_room", lambda: reader.UNLIMITED)
    return make


V2 = "35 25 0:30 / TOP/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "31 23 0:28 / TOP/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "34 31 0:31 {} TOP/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "35 31 0:32 {} TOP/cgroup/memory rw - cgroup cgroup rw,memory\n"
)
NO_LIMIT = 9223372036854771712


def second(limit: object, used: int, dropped: int = 0, high: object = "max") -> dict[str, object]:
    """The files of a group of version 2."""
    return {
        "memory.max": limit,
        "memory.high": high,
        "memory.current": used,
        "memory.stat": f"anon {used}\ninactive_file {dropped}\nactive_file 7",
    }


def first(limit: object, used: int, dropped: int = 0, above: int = NO_LIMIT) -> dict[str, object]:
    """The files of a group of version 1."""
    return {
        "memory.limit_in_bytes": limit,
        "memory.usage_in_bytes": used,
        "memory.stat": f"inactive_file 1\nhierarchical_memory_limit {above}\ntotal_inactive_file {dropped}",
    }


@pytest.mark.parametrize(
    ("groups", "free"),
    [
        ({"job": second(3 * GB, GB)}, 2 * GB),
        ({"job": second("max", GB)}, ON_MACHINE),
        ({"job": second(99 * GB, GB)}, ON_MACHINE),
        ({"job": second(3 * GB, 2 * GB, dropped=GB)}, 2 * GB),
        ({"job": second(3 * GB, 4 * GB)}, 0),
        ({"job": second(3 * GB, GB, high=2 * GB)}, GB),
        ({"": {"memory.stat": "anon 5"}, "job": second("max", GB), "job/step": second(4 * GB, GB)}, 3 * GB),
        ({"job": second(2 * GB, GB), "job/step": second(4 * GB, GB)}, GB),
        ({"job": {"memory.max": 3 * GB}}, ON_MACHINE),
        ({"job": {"memory.max": 3 * GB, "memory.current": GB}}, 2 * GB),
        ({}, ON_MACHINE),
    ],
)
def test_every_group_of_version_2_up_to_the_top_limits_the_process(machine: Machine, groups, free: int) -> None:
    path = max(groups, default="job")
    machine(f"0::/{path}\n", V2, {f"cgroup/{name}": files for name, files in groups.items()})
    assert free_memory() == free


@pytest.mark.parametrize(
    ("groups", "free"),
    [
        ({"job": first(3 * GB, GB)}, 2 * GB),
        ({"job": first(NO_LIMIT, GB)}, ON_MACHINE),
        ({"job": first(3 * GB, 2 * GB, dropped=GB // 2)}, 3 * GB // 2),
        ({"job": first(NO_LIMIT, GB, above=2 * GB)}, GB),
        ({"": first(2 * GB, GB), "job": first(NO_LIMIT, GB), "job/step": first(4 * GB, GB)}, GB),
    ],
)
def test_every_group_of_version_1_limits_the_process(machine: Machine, groups, free: int) -> None:
    path = max(groups)
    memberships = f"9:name=systemd:/other\n4:cpu,memory:/{path}\n1:cpu:/\n0::/\n"
    machine(memberships, V1.format("/", "/"), {f"cgroup/memory/{name}": files for name, files in groups.items()})
    assert free_memory() == free


@pytest.mark.parametrize(
    ("path", "mounts", "place"),
    [
        ("/", V2, "cgroup"),
        ("/docker/abc", V2.replace(" / ", " /docker/abc ", 1), "cgroup"),
        ("/docker/abc/step", V2.replace(" / ", " /docker/abc ", 1), "cgroup/step"),
        ("/../../outside", V2, "cgroup"),
        ("/docker/abc", V2, "cgroup"),
        ("/elsewhere", V2.replace(" / ", " /docker/abc ", 1), "cgroup"),
    ],
)
def test_in_a_container_the_group_is_found_where_it_is_mounted(
    machine: Machine, path: str, mounts: str, place: str
) -> None:
    machine(f"0::{path}\n", mounts, {place: second(GB, 2**20)})
    assert free_memory() == GB - 2**20


@pytest.mark.parametrize(("memberships", "mounts"), [("", ""), ("0::/job\n", ""), ("", V2), ("4:memory:/\n", V2)])
def test_without_groups_the_machine_alone_limits(machine: Machine, memberships: str, mounts: str) -> None:
    machine(memberships, mounts, {"cgroup": second(GB, 0)})
    assert free_memory() == ON_MACHINE


def test_processes_that_search_at_once_share_what_is_free(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_sharers", 1)
    machine("0::/\n", V2, {"cgroup": second(4 * GB, GB)})
    share_memory(3)
    assert free_memory() == GB
    monkeypatch.setattr(reader, "address_room", lambda: 2 * GB)
    assert free_memory() == GB
    monkeypatch.setattr(reader, "address_room", lambda: GB // 2)
    assert free_memory() == GB // 2
