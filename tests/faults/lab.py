"""The workplace of a fault trial: a folder, random numbers, and runs of the program with a cache of their own."""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

from programs import Outcome, Program
from works import CONFIGS, Work

import puzzlelab
from puzzlelab.engine.compiler import kernel_folder

SOURCE = Path(puzzlelab.__file__).parents[1]
BOARDS = {
    "dust.txt": ("generate", "dust-6x5x4", "--count", "300", "--seed", "7"),
    "few.txt": ("generate", "dust-6x5x4", "--count", "12", "--seed", "8"),
    "tiles.txt": ("generate", "tiles-3x3", "--count", "20", "--seed", "9"),
}
"""The files of boards that trials share, and the commands that make them."""


class Site:
    """What all trials share: a cache with the compiled kernels, boards and settings, and results without faults."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache, self.inputs = folder, folder / "cache", folder / "inputs"
        self.inputs.mkdir()
        kernels = kernel_folder()
        if kernels is not None:
            shutil.copytree(kernels, self.cache / "kernels" / kernels.name, ignore=shutil.ignore_patterns("*.lock"))
        for name, words in BOARDS.items():
            self.run(*words, "--out", self.inputs / name)
        for name, text in CONFIGS.items():
            (self.inputs / f"{name}.toml").write_text(f'recipe = "{name}"\n{text}')
        self._references: dict[str, tuple[Path, object]] = {}

    def variables(self, **changes: object) -> dict[str, str]:
        """Return the environment of a run; None leaves a variable out."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PUZZLELAB_", "PYTHON"))}
        fixed = {"PYTHONPATH": SOURCE, "PUZZLELAB_CACHE": self.cache, "PUZZLELAB_BACKGROUND": 0, "OMP_NUM_THREADS": 1}
        return {name: str(value) for name, value in {**kept, **fixed, **changes}.items() if value is not None}

    def run(self, *words: object) -> Outcome:
        """Run a command that prepares trials."""
        outcome = Program([sys.executable, "-m", "puzzlelab", *map(str, words)], self.folder, self.variables()).finish()
        if outcome.code not in (0, 1):
            raise RuntimeError(f"{outcome.command}: {outcome.err}")
        return outcome

    def reference(self, work: Work) -> tuple[Path, object]:
        """Return the folder and the result of a run that nothing disturbed."""
        if work.name not in self._references:
            folder = self.folder / work.name.replace(" ", "-")
            folder.mkdir()
            outcome = self.run(*work.words(folder, self.inputs))
            self._references[work.name] = folder, work.result(folder, outcome.out)
        return self._references[work.name]


class Lab:
    """The workplace of one trial: a folder, random numbers, and runs of the program."""

    def __init__(self, site: Site, folder: Path, chance: random.Random) -> None:
        self.site, self.inputs, self.folder, self.random = site, site.inputs, folder, chance
        self.temporary = self.fresh("temporary")

    def fresh(self, name: str = "out") -> Path:
        """Make a new folder."""
        folder = self.folder / f"{name}-{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        return folder

    def copy(self, source: Path) -> Path:
        """Copy a folder."""
        return shutil.copytree(source, self.fresh(), dirs_exist_ok=True)

    def start(
        self, *words: object, shell: str = "", stdin: bytes = b"", before: tuple[str, ...] = (), **variables: object
    ) -> Program:
        """Start puzzlelab with these words; `before` stands before it, as `nohup` does."""
        command = [*before, sys.executable, "-m", "puzzlelab", *map(str, words)]
        return Program(command, self.folder, self.site.variables(TMPDIR=self.temporary, **variables), shell, stdin)

    def run(self, *words: object, shell: str = "", stdin: bytes = b"", **variables: object) -> Outcome:
        """Run puzzlelab with these words to its end."""
        return self.start(*words, shell=shell, stdin=stdin, **variables).finish()

    def left_behind(self) -> list[str]:
        """Return what is in the folder for temporary files; torch keeps a cache of its own there."""
        return [path.name for path in self.temporary.iterdir() if not path.name.startswith("torchinductor")]
