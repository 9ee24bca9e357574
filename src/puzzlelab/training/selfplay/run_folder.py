"""The folder of a run of self-competition: the networks that compete, the games that they played, and who is best.

Beside what every run has: `latest`, the hash of the newest network; `games.jsonl`, a line for each shard that there
ever was; `matches.jsonl`; and `programs/`, in which each program says what it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from puzzlelab.core.errors import BadFile
from puzzlelab.core.networks import PREFIX
from puzzlelab.nets.checkpoint import CARD, WEIGHTS
from puzzlelab.training.runs import Run

Follow = Literal["champion", "latest"]
"""Whose games are learned from: those of the best network, or of the newest."""


@dataclass(frozen=True)
class SelfPlayRun(Run):
    """The places in the folder."""

    @property
    def latest(self) -> Path:
        return self.folder / "latest"

    @property
    def ledger(self) -> Path:
        return self.folder / "games.jsonl"

    @property
    def matches(self) -> Path:
        return self.folder / "matches.jsonl"

    @property
    def programs(self) -> Path:
        return self.folder / "programs"

    def named(self, who: Follow) -> str | None:
        """The hash of the champion, or of the newest network; None where there is none yet.

        Raises `BadFile` where its files are gone.
        """
        path = self.folder / who
        try:
            name = path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise BadFile(f"cannot read {path}: {error}") from None
        if not self.has(name):
            raise BadFile(
                f"{path} names the network {name!r}, whose files are not in {self.nets}: put them back, or remove "
                f"{path}, and the newest network that there is takes its place"
            )
        return name

    def has(self, name: str) -> bool:
        """Whether the files of a network are there."""
        return bool(name) and all((self.nets / f"{name}{end}").exists() for end in (WEIGHTS, CARD))

    def option(self, name: str) -> str:
        """How a solver is told to ask the network with this hash."""
        return f"{PREFIX}:{self.nets.resolve() / name}"

    def crown(self, name: str) -> None:
        """Make a network the champion."""
        self.write(self.champion, name + "\n")

    def drop(self, name: str) -> None:
        """Remove a network that nobody needs."""
        for end in (WEIGHTS, CARD):
            (self.nets / f"{name}{end}").unlink(missing_ok=True)
