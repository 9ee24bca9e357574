"""Power cuts: what `benchmarks/power_cut.py` rebuilds, that it finds what is not synced, and what our commands hold."""

import importlib.util
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "benchmarks" / "power_cut.py"
CARELESS = """
import os
from pathlib import Path
Path("old").write_text("old")
Path("new").write_text("new content")
os.replace("new", "old")
with open("lines", "a") as file:
    for number in range(3):
        file.write(f"{number}\\n")
        file.flush()
        if number == 1:
            os.fsync(file.fileno())
"""
CAREFUL = """
import os
from pathlib import Path
from puzzlelab.storage.files import make_folder, replace_file
from puzzlelab.storage.lines import JsonLines
make_folder(Path("a/b"))
replace_file(Path("a/b/old"), "old")
replace_file(Path("a/b/old"), "new content")
lines = JsonLines(Path("a/lines"))
for number in range(3):
    lines.append_texts([f"{number}\\n"])
lines.sync()
"""


@pytest.fixture(scope="module")
def power_cut():
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("power_cut", SOURCE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["power_cut"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["power_cut"]


@pytest.fixture
def disk_after(power_cut, tmp_path):
    """`disk_after(program)`: the recorded disk of a program, and its folder."""

    def record(program):
        root = tmp_path / "whole"
        root.mkdir()
        done = power_cut.record(["-c", program], root, tmp_path / "journal")
        assert done.returncode == 0, done.stderr
        return power_cut.Disk.of(tmp_path / "journal"), root

    return record


def test_what_is_not_synced_is_lost(power_cut, disk_after, tmp_path) -> None:
    disk, root = disk_after(CARELESS)
    assert power_cut.content_of(root) == {"old": b"new content", "lines": b"0\n1\n2\n"}
    assert sorted(power_cut.lost_at_the_end(disk, root, tmp_path / "end")) == ["lines", "old"]
    expected = {
        ("old", "lost"): {},
        ("new", "lost"): {"old": b"", "lines": b"0\n1\n"},
        ("new", "zeros"): {"old": bytes(11), "lines": b"0\n1\n\0\0"},
        ("new", "kept"): {"old": b"new content", "lines": b"0\n1\n2\n"},
    }
    for number, (variant, content) in enumerate(expected.items()):
        disk.rebuild(len(disk.events) - 1, variant, tmp_path / str(number))
        assert power_cut.content_of(tmp_path / str(number)) == content


def test_what_our_functions_write_is_on_the_disk(power_cut, disk_after, tmp_path) -> None:
    disk, root = disk_after(CAREFUL)
    assert power_cut.content_of(root) == {"a/b/old": b"new content", "a/lines": b"0\n1\n2\n"}
    assert power_cut.lost_at_the_end(disk, root, tmp_path / "end") == []
    contents = set()
    for number in range(1, len(disk.events)):
        disk.rebuild(number, ("new", "lost"), tmp_path / f"cut {number}")
        contents.add(power_cut.content_of(tmp_path / f"cut {number}").get("a/b/old"))
    assert contents == {None, b"old", b"new content"}  # never empty


def _check(power_cut, name, cuts) -> None:
    (case,) = (case for case in power_cut.CASES if case.name == name)
    tries = power_cut.try_case(case, cuts)
    assert tries.faults == []
    assert tries.count > 3


def test_a_command_survives_power_cuts(power_cut) -> None:
    _check(power_cut, "generate", 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bench", "solve", "generate", "generate csv", "generate parquet", "teach"])
def test_a_command_survives_many_power_cuts(power_cut, name) -> None:
    if name in ("generate parquet", "teach"):
        pytest.importorskip("pyarrow")
    _check(power_cut, name, None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["train imitation", "train dqn", "selfplay"])
def test_training_survives_power_cuts(power_cut, name) -> None:
    pytest.importorskip("torch")
    _check(power_cut, name, 12)
