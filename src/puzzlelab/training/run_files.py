"""The files that a run writes into its folder, by their names: only these are changed or removed, and none is a link.

A folder may hold other files too, such as notes beside the networks. They stay as they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from puzzlelab.core.errors import BadFile
from puzzlelab.nets import run_networks
from puzzlelab.storage.files import special_kind, writing

TENSORS = ".safetensors"
"""The ending of the names of saved states, `state-<step>.safetensors`; `train_state.py` reads and writes them."""
SETTINGS = "config.toml"
"""The file that makes a folder that of a run."""
LAST_VALUES = "state.json"
"""The file that repeats the values of the newest saved state, for people."""
INITIAL = "init.safetensors"
"""The weights that training began with, where it began with a network."""
FILES = re.compile(
    r"(config\.toml|(metrics|games|matches|networks)\.jsonl|(progress|truth|state)\.json|(state-\d+|init)\.safetensors"
    r"|champion|best|latest|done|failure|boards\.npz)(\.\d+\.\d+)?|(run|learner|trainer|referee)\.lock"
)
"""The names of files in the folder itself; a file that is being written has two numbers at its end."""
FOLDERS = {
    run_networks.NETS: re.compile(r"[0-9a-f]{16}\.(safetensors|json|onnx)(\.\d+\.\d+)?"),
    "shards": re.compile(
        r"teacher\.json|shard-\d{5,}\.(claim|parquet(\.damaged(-\d+)?)?)|(writing|claiming|clock)-[\w.-]+"
    ),
    "boards": re.compile(r"source-\d+-\d+\.npz(\.\d+\.\d+)?"),
    "tensorboard": re.compile(r"events\.out\.tfevents\..+"),
    "programs": re.compile(r"(generator|trainer|referee)-.*\.json(\.\d+\.\d+)?|clock-\w+"),
}
"""Each folder in it, and the names of the files there."""


def own_files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield all that has the name of something that a run writes; each folder comes before its files.

    Raises `BadFile`.
    """
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if FILES.fullmatch(entry.name):
                    yield entry
                elif names := FOLDERS.get(entry.name):
                    yield entry
                    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(entry) as inner:
                        yield from (each for each in inner if names.fullmatch(each.name))
    except OSError as error:
        raise BadFile(f"cannot read {folder}: {error.strerror}") from None


def check(folder: Path, with_links: bool = False) -> None:
    """Raise `BadFile` for a pipe or a device in the place of a file of the run, and for a link unless `with_links`."""
    for entry in own_files(folder):
        if entry.is_symlink() and not with_links:
            raise BadFile(
                f"{entry.path} is a link, and a run changes only what is in its own folder: "
                "put a copy in its place, or remove it"
            )
        with suppress(FileNotFoundError):
            is_plain = entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
            if not is_plain and (kind := special_kind(entry.stat().st_mode)):
                raise BadFile(f"{entry.path} is a {kind}, not a file: remove it")


def remove(folder: Path) -> None:
    """Remove all that a run has written but its settings, and folders that are empty then; raises `BadFile`."""
    for name in FOLDERS:
        remove_folder(folder, name)
    _remove([path for path in folder.iterdir() if FILES.fullmatch(path.name) and path.name != SETTINGS])


def remove_folder(folder: Path, name: str) -> None:
    """Remove what a run has written into one of its folders, which goes if it is empty then; raises `BadFile`."""
    place, networks = folder / name, run_networks.written(folder) if name == run_networks.NETS else None
    if place.is_dir():
        own = [path for path in place.iterdir() if FOLDERS[name].fullmatch(path.name)]
        _remove([path for path in own if networks is None or path.name.partition(".")[0] in networks])
        with suppress(OSError):  # it holds other files
            place.rmdir()


def _remove(paths: list[Path]) -> None:
    for path in paths:
        with writing(path):
            if not path.is_dir():
                path.unlink(missing_ok=True)


def saved_step(folder: Path) -> int:
    """Return the number of steps of the last saved state, 0 if there is none; the state itself is not read."""
    return max(saved_steps(folder), default=0)


def state_path(folder: Path, step: int) -> Path:
    """Return the file of the state of this step."""
    return folder / f"state-{step}{TENSORS}"


def saved_steps(folder: Path) -> list[int]:
    """Return the steps of all files of states, in their order."""
    texts = [path.name.removeprefix("state-").removesuffix(TENSORS) for path in folder.glob(f"state-*{TENSORS}")]
    return sorted(int(text) for text in texts if text.isdecimal())
