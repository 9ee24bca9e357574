import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from puzzlelab.core import limit
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit, free_memory, memory_ceiling, read_memory, resident


@pytest.mark.parametrize(("name", "kind"), [("seconds", "time"), ("nodes", "nodes"), ("memory", "memory")])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("-inf")])
def test_a_limit_must_be_positive(name: str, kind: str, value: float) -> None:
    with pytest.raises(BadOption, match=f"limit on {kind} must be more than 0, not"):
        Limit(**{name: value})


def test_a_limit_must_be_finite() -> None:
    """Rows hold limits, and JSON has no sign for infinity."""
    with pytest.raises(BadOption, match="a limit on time must be finite"):
        Limit(seconds=float("inf"))


@pytest.mark.parametrize(
    ("new", "old", "more"),
    [
        (Limit(), Limit(), False),
        (Limit(), Limit(nodes=5), True),
        (Limit(nodes=5), Limit(), False),
        (Limit(nodes=5), Limit(nodes=5), False),
        (Limit(nodes=6), Limit(nodes=5), True),
        (Limit(nodes=4), Limit(nodes=5), False),
        (Limit(seconds=2), Limit(seconds=1.5), True),
        (Limit(memory=2), Limit(memory=1), True),
        (Limit(seconds=1, nodes=9), Limit(seconds=2, nodes=5), True),
        (Limit(seconds=1, nodes=5), Limit(seconds=2, nodes=5), False),
    ],
)
def test_a_larger_limit_might_bring_more(new: Limit, old: Limit, more: bool) -> None:
    assert new.allows_more_than(old) == more


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2G", 2 * 2**30),
        ("512M", 512 * 2**20),
        ("512 mb", 512 * 2**20),
        ("1.5g", 3 * 2**29),
        ("2GiB", 2 * 2**30),
        ("64K", 65536),
        ("1T", 2**40),
        (" 1000000 ", 1_000_000),
        ("100B", 100),
    ],
)
def test_memory_is_read_as_people_write_it(text: str, size: int) -> None:
    assert read_memory(text) == size


@pytest.mark.parametrize("text", ["", "G", "much", "2X", "1e999", "nan", "inf", "2 G G", "0x10"])
def test_what_is_no_amount_of_memory_is_named(text: str) -> None:
    with pytest.raises(BadOption, match="is no amount of memory; write 2G, 512M or a number of bytes") as caught:
        read_memory(text)
    assert f"'{text}'" in str(caught.value)


def test_resident_memory_grows_with_what_is_touched() -> None:
    before = resident()
    block = np.ones(64 * 2**20, np.uint8)
    assert resident() - before > 48 * 2**20
    assert block[-1] == 1


def test_a_given_memory_limit_is_the_ceiling() -> None:
    assert memory_ceiling(Limit(memory=12345)) == 12345


def test_without_a_memory_limit_some_of_the_free_memory_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "free_memory", lambda: 2**34)
    used = memory_ceiling(Limit()) - resident()
    assert 0.5 * 2**34 < used < 0.9 * 2**34


def test_there_is_free_memory() -> None:
    assert free_memory() > 0


def test_what_is_free_is_no_more_than_the_process_may_have() -> None:
    code = (
        "import resource\n"
        "from puzzlelab.core.limit import free_memory\n"
        "before = free_memory()\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (2**29, 2**29))\n"
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
