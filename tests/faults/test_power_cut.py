"""Power cuts between any two calls of commands that write files, and the same command again."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab import Lab
from power_cut import VARIANTS, Disk, Variant, begin
from test_run_folders import OTHER_RESULT
from works import LEFT_BY_KILLS, WRITING, Work, files_in

STATUS = (".lock", ".claim", ".log", "progress.json", "state.json", "programs", "tensorboard", "events.out")
"""What names contain that need not be on the disk: it says what a program does, or repeats what other files have."""
SHARDS = "run/shards/"
COMPLETE = "exists already"
"""What `generate` says where the file is complete."""
CUTS = 8
"""The disks of one command that are tried, beside the one at its end."""
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


def content_of(folder: Path) -> dict[str, bytes]:
    """Return {path: content} of all files, but for those that are not complete, which killed programs leave behind."""
    paths = {str(path.relative_to(folder)): path for path in files_in(folder)}
    return {name: path.read_bytes() for name, path in paths.items() if not LEFT_BY_KILLS.search(name)}


def lost_at_the_end(disk: Disk, root: Path, folder: Path) -> list[str]:
    """Return the files that a power cut after the end of the command would lose or change, but for status files.

    A finished training may lose its last shard: its generator is ended while it works ahead, perhaps between the
    renaming of a shard and the sync of the folder.
    """
    disk.rebuild(len(disk.events) - 1, ("old", "lost"), folder)
    left, whole = content_of(folder), content_of(root)
    last_shard = max((path for path in whole if path.startswith(SHARDS)), default="")
    changed = [path for path in whole if left.get(path) != whole[path] and path != last_shard]
    return [path for path in changed if not any(sign in path for sign in STATUS)]


@pytest.fixture
def recorded(lab: Lab) -> Callable[[str], tuple[Disk, Path]]:
    """`recorded(program)`: the disk and the folder of a recorded program."""

    def record(program: str) -> tuple[Disk, Path]:
        root, journal = lab.fresh(), lab.folder / "journal"
        recorder, variables = begin(root, journal)
        variables["PYTHONPATH"] = f"{journal}/start:{lab.site.variables()['PYTHONPATH']}"
        environment = lab.site.variables(**variables)
        subprocess.run([sys.executable, "-c", program], cwd=root, env=environment, check=True)
        recorder.event("end")
        return Disk.of(journal), root

    return record


def test_what_is_not_synced_is_lost(recorded: Callable[[str], tuple[Disk, Path]], tmp_path: Path) -> None:
    disk, root = recorded(CARELESS)
    assert content_of(root) == {"old": b"new content", "lines": b"0\n1\n2\n"}
    assert sorted(lost_at_the_end(disk, root, tmp_path / "end")) == ["lines", "old"]
    expected: dict[Variant, dict[str, bytes]] = {
        ("old", "lost"): {},
        ("new", "lost"): {"old": b"", "lines": b"0\n1\n"},
        ("new", "zeros"): {"old": bytes(11), "lines": b"0\n1\n\0\0"},
        ("new", "kept"): {"old": b"new content", "lines": b"0\n1\n2\n"},
    }
    for number, (variant, content) in enumerate(expected.items()):
        disk.rebuild(len(disk.events) - 1, variant, tmp_path / str(number))
        assert content_of(tmp_path / str(number)) == content


def test_what_our_functions_write_is_on_the_disk(recorded: Callable[[str], tuple[Disk, Path]], tmp_path: Path) -> None:
    disk, root = recorded(CAREFUL)
    assert content_of(root) == {"a/b/old": b"new content", "a/lines": b"0\n1\n2\n"}
    assert lost_at_the_end(disk, root, tmp_path / "end") == []
    contents = set()
    for number in range(1, len(disk.events)):
        disk.rebuild(number, ("new", "lost"), tmp_path / f"cut {number}")
        contents.add(content_of(tmp_path / f"cut {number}").get("a/b/old"))
    assert contents == {None, b"old", b"new content"}  # never empty


def different_disks(lab: Lab, disk: Disk) -> Iterator[tuple[str, Path]]:
    """Yield (name, folder) of the disks that differ, at moments that are drawn."""
    last, seen = len(disk.events) - 1, set()
    for number in (last, *(lab.random.randint(1, last) for _ in range(CUTS))):
        variant, folder = lab.random.choice(VARIANTS), lab.fresh("cut")
        disk.rebuild(number, variant, folder)
        key = hashlib.sha256(repr(content_of(folder)).encode()).hexdigest()
        if key not in seen:
            yield f"before call {number} of {last} ({disk.events[number]['call']}), {variant}", folder
        seen.add(key)
        shutil.rmtree(folder)


@pytest.mark.parametrize("work", [work for work in WRITING if "jobs" not in work.name], ids=lambda work: work.name)
def test_a_command_goes_on_after_a_power_cut(lab: Lab, work: Work) -> None:
    _, expected = lab.site.reference(work)
    root, journal = lab.fresh(), lab.folder / "journal"
    recorder, variables = begin(root, journal)
    variables["PYTHONPATH"] = f"{journal}/start:{lab.site.variables()['PYTHONPATH']}"
    outcome = lab.run(*work.words(root, lab.inputs), **variables)
    recorder.event("end")
    assert outcome.wrong(work.codes) == []
    disk = Disk.of(journal)
    assert lost_at_the_end(disk, root, lab.folder / "end") == []
    for name, folder in different_disks(lab, disk):
        before = _whole_lines(folder / work.target)
        outcome = lab.run(*work.words(folder, lab.inputs))
        if COMPLETE not in outcome.err:
            assert outcome.wrong(work.codes) == [], name
        if OTHER_RESULT not in outcome.err and work.is_repeatable and not work.name.startswith("selfplay"):
            assert work.result(folder, outcome.out) == expected, name
        assert before <= _whole_lines(folder / work.target), name


def _whole_lines(path: Path) -> set[bytes]:
    lines = path.read_bytes().splitlines(keepends=True) if path.name == "rows.jsonl" and path.exists() else []
    return {line for line in lines if line.endswith(b"\n") and b"\0" not in line}
