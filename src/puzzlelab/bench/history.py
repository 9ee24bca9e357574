"""The commands that made the rows of a folder, with the versions that they ran with, in `history.json`."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile
from puzzlelab.storage.files import read_regular, replace_file, writing
from puzzlelab.version import VERSION

FILE = "history.json"
PACKAGES = ("numpy", "numba", "scipy", "onnxruntime")
"""The packages on which speed and results depend."""
FIELDS = {"command", "began", "versions", "system", "processor"}


Record = dict[str, Any]
"""One command that began to answer boards of a folder: the `command`, the time in UTC when it `began`, to the minute,
the `versions` of packages and Python, the `system`, and the `processor` as LLVM calls it, such as `znver3`; kernels
are compiled for it.
"""


def now(command: str) -> Record:
    """Return the record of a command that begins now, in this process."""
    from llvmlite import binding

    versions = {"puzzlelab": VERSION, "Python": platform.python_version()}
    return {
        "command": command,
        "began": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        "versions": versions | {name: metadata.version(name) for name in PACKAGES},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": str(binding.get_host_cpu_name()),
    }


def read(folder: Path) -> list[Record]:
    """Return the records of a folder, the oldest first; none for a folder without one. Raises `BadFile`."""
    path = folder / FILE
    try:
        records = json.loads(read_regular(path))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        records = None
    if not isinstance(records, list) or not all(isinstance(each, dict) and each.keys() >= FIELDS for each in records):
        raise BadFile(f"{path} is damaged: it is no list of commands; remove it, and the rows stay")
    return records


def add(folder: Path, record: Record) -> None:
    """Add a record to a folder, which one program writes at a time; raises `BadFile`."""
    records = [*read(folder), record]
    with writing(folder / FILE):
        replace_file(folder / FILE, json.dumps(records, indent=1))
