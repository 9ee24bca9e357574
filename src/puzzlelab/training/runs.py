"""The folder of a run: all that its programs share, so that each can be killed, started again, or run elsewhere.

`config.toml` every setting; `shards/` samples; `nets/` networks by the hash of their weights; `champion` the hash of
the best one; `metrics.jsonl` what was measured on the way; `state*` where the learner stands; `progress.json` how many
shards it wants; `done` when nothing is left to do.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.settings import Settings

MACHINE = ("device", "precision", "threads", "jobs")
"""Settings of the machine, which may differ when a run is gone on with."""


@dataclass(frozen=True)
class Run:
    """The places in the folder of a run."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / "config.toml"

    @property
    def shards(self) -> Path:
        return self.folder / "shards"

    @property
    def nets(self) -> Path:
        return self.folder / "nets"

    @property
    def metrics(self) -> Path:
        return self.folder / "metrics.jsonl"

    @property
    def champion(self) -> Path:
        return self.folder / "champion"

    @property
    def done(self) -> Path:
        return self.folder / "done"

    @property
    def begun(self) -> bool:
        """Whether the folder holds a run."""
        return self.config.exists()

    # --- settings ---

    def begin(self, settings: Settings) -> None:
        """Make the folder, or see that it was begun with these settings; raises `BadFile` or `BadInput`."""
        import tomli_w

        values = plain(settings)
        if self.begun:
            held = self.held()
            if held.get("recipe") == values.get("recipe"):
                # read as settings, so that one which a later version has counts as what it is if nobody says
                held = plain(type(settings)(**held))
            if found := differences(held, values):
                raise BadInput(
                    f"{self.folder} was begun with other settings: {'; '.join(found)}. "
                    "Give another --run, or --restart to begin anew"
                )
            return
        if self.folder.exists() and not self.folder.is_dir():
            raise BadInput(f"{self.folder} is no folder: give another --run")
        if self.folder.exists() and any(self.folder.iterdir()):
            raise BadInput(f"{self.folder} is not empty, and holds no run: give another --run")
        with self.writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            self.write(self.config, tomli_w.dumps(values))

    def held(self) -> dict[str, Any]:
        """The settings that the folder was begun with."""
        from puzzlelab.training.recipe import read_toml

        if not self.begun:
            raise BadInput(f"{self.folder} holds no run: give the settings of one with --config")
        return read_toml(self.config)

    def clear(self) -> None:
        """Remove all that the run made."""
        with self.writing():
            shutil.rmtree(self.folder)

    # --- files ---

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turns what the system says against writing into a sentence."""
        try:
            yield
        except OSError as error:
            raise BadFile(f"cannot write {self.folder}: {error.strerror or error}") from None

    def write(self, path: Path, text: str) -> None:
        """Replace a file of the folder as a whole."""
        aside = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            aside.write_text(text, encoding="utf-8")
            aside.replace(path)
        except OSError as error:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
            raise BadFile(f"cannot write {path}: {error.strerror or error}") from None

    @contextmanager
    def alone(self, program: str) -> Iterator[None]:
        """Only one such program works on the folder at a time; raises `BadInput` where another one does."""
        path = self.folder / f"{program}.lock"
        with self.writing():
            file = path.open("w", encoding="utf-8")
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BadInput(f"another program is at work on {self.folder} as its {program}") from None
            yield

    def promote(self, name: str) -> None:
        """Make this network the champion; the one that was goes, and all that was made on the way to it."""
        self.write(self.champion, name + "\n")
        for path in self.nets.iterdir():
            if path.stem != name:
                path.unlink(missing_ok=True)

    # --- what the programs tell each other ---

    def want(self, first: int, end: int) -> None:
        """Say which shards should be there by now: those from `first` to `end` - 1."""
        self.write(self.folder / "progress.json", json.dumps({"first": first, "end": end}) + "\n")

    def wanted(self) -> tuple[int, int]:
        """Which shards should be there by now."""
        try:
            told = json.loads((self.folder / "progress.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return 0, 0
        return int(told["first"]), int(told["end"])


def plain(settings: Settings) -> dict[str, Any]:
    """The settings as TOML can say them: what is None is left out."""
    return _without_none(settings.model_dump(mode="json"))


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in values.items() if value is not None}
    return {name: _without_none(value) if isinstance(value, Mapping) else value for name, value in kept.items()}


def differences(held: Mapping[str, Any], asked: Mapping[str, Any], inside: str = "") -> list[str]:
    """In words: which settings differ, those of the machine left out."""
    found: list[str] = []
    for name in {**held, **asked}:
        one, other = held.get(name), asked.get(name)
        if one == other or name in MACHINE:
            continue
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            found += differences(one, other, f"{inside}{name}.")
        else:
            found.append(f"{inside}{name} is {json.dumps(one)} there, not {json.dumps(other)}")
    return found
