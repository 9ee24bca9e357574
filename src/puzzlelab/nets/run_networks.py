"""The networks in the folder of a run: `nets/` holds their files, and small files such as `champion` name one of them.

`networks.jsonl` has a line for each network that the run has written. Only these are ever removed or repaired: `nets/`
may hold other files too.

Everything that asks which network is the best or the newest one of a run reads these files here.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from puzzlelab.core.errors import BadFile, BadInput, shorten
from puzzlelab.nets.card import CARD, ENDINGS, read_card
from puzzlelab.storage.files import require_regular, writing
from puzzlelab.storage.lines import JsonLines

CHAMPION = "champion"
"""The file in the folder of a run that names its last network, or in self-play its best one."""
BEST = "best"
"""The file in the folder of a run that names its best network by the evaluation."""
LATEST = "latest"
"""The file in the folder of a run of self-play that names its newest network."""
NETS = "nets"
"""The folder of the networks of a run."""
WRITTEN = "networks.jsonl"
"""The file in the folder of a run that lists the networks that it has written."""
LONGEST_FILE = 4096
"""Bytes that are read of a file that names a network."""
UNFINISHED = re.compile(rf"[0-9a-f]{{16}}({'|'.join(map(re.escape, ENDINGS))})\.\d+\.\d+")
"""The names of files of networks while they are written."""


def is_hash(name: str) -> bool:
    """Tell whether it can be the name of a network: 16 hexadecimal digits."""
    return re.fullmatch(r"[0-9a-f]{16}", name) is not None


def has_files(nets: Path, name: str) -> bool:
    """Tell whether the folder `nets` has the card of the network with this hash, and a file with its weights."""
    present = {ending for ending in ENDINGS if is_hash(name) and (nets / f"{name}{ending}").is_file()}
    return CARD in present and len(present) > 1


def hash_in(path: Path) -> str | None:
    """Return the hash in a file such as `champion`, whose network may be missing; None if there is no such file.

    Raises `BadFile` if it cannot be read, or holds anything but a hash.
    """
    require_regular(path)
    try:
        with path.open("rb") as file:
            name = file.read(LONGEST_FILE).decode("utf-8", errors="replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}; {_way_out(path)}") from None
    if not is_hash(name):
        content = f"holds '{shorten(name)}'" if name else "is empty"
        raise BadFile(
            f"{path} {content}, and should hold the hash of a network, 16 hexadecimal digits: write one of "
            f"{path.parent / NETS} into it, or {_way_out(path)}"
        )
    return name


def name_in(path: Path) -> str | None:
    """Return the name that `hash_in` finds; raises `BadFile` too if the files of this network are missing."""
    name = hash_in(path)
    while name is not None and not has_files(path.parent / NETS, name):
        missing, name = name, hash_in(path)
        if name != missing:  # the run has just named another one, and removed this one
            continue
        raise BadFile(
            f"{path} names the network {name!r}, whose files are not in {path.parent / NETS}: put them back, or "
            f"{_way_out(path)}"
        )
    return name


def named(folder: Path, which: str) -> str:
    """Return the best network of a run (`best`), the last one (`last`) or that of a step; raises `BadInput`."""
    if which == "best":
        # of a run of self-play the champion is the best one
        name = name_in(folder / (CHAMPION if (folder / LATEST).exists() else BEST))
        reason = "its evaluation has no boards, or was not made yet"
    elif which == "last":
        name = name_in(folder / (LATEST if (folder / LATEST).exists() else CHAMPION))
        reason = "it has not ended or been interrupted yet"
    elif which.isdecimal():
        own = (each for each in dict.fromkeys(reversed(names_in(list_of(folder)))) if has_files(folder / NETS, each))
        name = next((each for each in own if read_card(folder / NETS / each).steps == int(which)), None)
        reason = "learning.snapshots says after how many steps one is kept"
    else:
        raise BadInput(f"'{shorten(which)}' names no network of {folder}: write best, last, or a number of steps")
    if name is None:
        raise BadInput(f"{folder} has no network '{which}': {reason}")
    return name


def list_of(folder: Path) -> JsonLines:
    """Return the list of the networks that a run has written."""
    return JsonLines(folder / WRITTEN, shared=True)


def note_written(folder: Path, name: str) -> None:
    """Add a network to the list, before its files are written; raises `BadFile`."""
    list_of(folder).append({"network": name})


def names_in(networks: JsonLines) -> list[str]:
    """Return the networks in the list that were not read yet, one of them perhaps several times; raises `BadFile`."""
    return [name for line in networks.read() if is_hash(name := str(line.get("network")))]


def written(folder: Path) -> set[str]:
    """Return the networks that the run has written; raises `BadFile` for a damaged list."""
    return set(names_in(list_of(folder)))


def remove(folder: Path, name: str) -> None:
    """Remove the files of a network; raises `BadFile`."""
    for ending in ENDINGS:
        path = folder / NETS / f"{name}{ending}"
        with writing(path):
            path.unlink(missing_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what killed programs had begun to write of networks; raises `BadFile`."""
    for path in (folder / NETS).glob("*.*.*"):
        with writing(path):
            if UNFINISHED.fullmatch(path.name):
                path.unlink(missing_ok=True)


def repair(folder: Path, name: str) -> None:
    """Make a file of this network of the run again if it is missing or damaged; raises `BadFile` with a way out.

    Imports PyTorch.
    """
    from puzzlelab.nets import checkpoint

    try:
        checkpoint.repair(folder / NETS / name)
    except BadFile as error:
        raise BadFile(advised(folder, name, error)) from None


def repair_all(folder: Path) -> None:
    """Repair all networks that the run has written, as `repair` does; those that cannot be repaired stay as they
    are.
    """
    from puzzlelab.nets import checkpoint

    own = written(folder)
    for path in sorted((folder / NETS).glob(f"*{CARD}")):
        if path.stem in own:
            with suppress(BadFile):
                checkpoint.repair(path)


def advised(folder: Path, name: str, error: BadFile) -> str:
    """Return the message of an error about the files of a network of the run, with a way out."""
    return (
        f"{error}; put the files {name}.* back into {folder / NETS}, or remove them and {folder / CHAMPION} and "
        "repeat the command that trains the run: it names another network, or makes this one again from its saved state"
    )


def _way_out(path: Path) -> str:
    return f"remove {path} and repeat the command that trains the run: it names a network again"
