"""The folder of a self-play run: the networks that compete, the games played, and the champion.

Beside the files of every run: `latest`, the hash of the newest network; `games.jsonl`, a line for each shard ever made;
`matches.jsonl`; and `programs/`, the status files of the programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from puzzlelab.core.solver import NETWORK
from puzzlelab.nets import run_networks
from puzzlelab.training.runs import Run

Follow = Literal["champion", "latest"]
"""The network that plays the games to learn from: the champion or the newest one."""


@dataclass(frozen=True)
class SelfPlayRun(Run):
    """The paths in the folder."""

    @property
    def latest(self) -> Path:
        return self.folder / run_networks.LATEST

    @property
    def game_log(self) -> Path:
        return self.folder / "games.jsonl"

    @property
    def matches(self) -> Path:
        return self.folder / "matches.jsonl"

    @property
    def programs(self) -> Path:
        return self.folder / "programs"

    def network(self, which: Follow) -> str | None:
        """Return the hash of the champion or of the newest network; None if there is none yet.

        Raises `BadFile` if the file holds no hash, or the network's own files are missing.
        """
        return run_networks.name_in(self.folder / which)

    def has_network(self, name: str) -> bool:
        """Tell whether this is the hash of a network whose files exist."""
        return run_networks.has_files(self.nets, name)

    def solver_option(self, name: str) -> str:
        """Return the value of a solver's option `estimate` or `prior` that means the network with this hash."""
        return f"{NETWORK}:{self.nets.resolve() / name}"

    def publish(self, name: str) -> None:
        """Make a network that was saved just now the newest one, and the champion if there is none; the others stay."""
        self.write(self.latest, name + "\n")
        if not self.champion.exists():
            self.promote(name)

    def promote(self, name: str) -> None:
        """Make a network the champion."""
        self.write(self.champion, name + "\n")
