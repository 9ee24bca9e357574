"""The commands that made the rows of a folder, with the versions that they ran with, in `history.json`."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from puzzlelab.core.errors import BadFile
from puzzlelab.storage.files import read_regular, replace_file, writing
from puzzlelab.version import VERSION

FILE = "history.json"
PACKAGES = ("numpy", "numba", "scipy", "onnxruntime")
"""The packages on which speed and results depend."""


class Record(BaseModel):
    """One command that began to answer boards of a folder."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    command: str
    began: str
    """The time in UTC, to the minute."""
    versions: dict[str, str]
    """Name of a package, or Python -> its version."""
    system: str
    processor: str
    """The name of the processor in LLVM, such as `znver3`; kernels are compiled for it."""


_RECORDS = TypeAdapter(list[Record])


def now(command: str) -> Record:
    """Return the record of a command that begins now, in this process."""
    from llvmlite import binding

    versions = {"puzzlelab": VERSION, "Python": platform.python_version()}
    return Record(
        command=command,
        began=f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
        versions=versions | {name: metadata.version(name) for name in PACKAGES},
        system=f"{platform.system()} {platform.machine()}",
        processor=str(binding.get_host_cpu_name()),
    )


def read(folder: Path) -> list[Record]:
    """Return the records of a folder, the oldest first; none for a folder of before there were records.

    Raises `BadFile`.
    """
    path = folder / FILE
    try:
        return _RECORDS.validate_json(read_regular(path))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    except ValidationError:
        raise BadFile(f"{path} is damaged: it is no list of commands; remove it, and the rows stay") from None


def add(folder: Path, record: Record) -> None:
    """Add a record to a folder, which one program writes at a time; raises `BadFile`."""
    records = [*read(folder), record]
    with writing(folder / FILE):
        replace_file(folder / FILE, _RECORDS.dump_json(records, indent=1))
