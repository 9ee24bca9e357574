"""`puzzlelab train`: a recipe makes a network, in a folder that can be gone on with."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import INTERRUPTED, fail, output, progress

if TYPE_CHECKING:
    from puzzlelab.training.recipe import Recipe
    from puzzlelab.training.runs import Run


class TrainingProgram(StrEnum):
    """One of the two programs that a run consists of."""

    GENERATE = "generate"
    LEARN = "learn"


def train(
    recipe: Annotated[str, typer.Argument(help="The recipe, such as imitation.")],
    run: Annotated[Path, typer.Option(help="The folder of the run; gone on with if it was begun.")],
    config: Annotated[
        Path | None, typer.Option(help="A TOML file of its settings, such as recipes/dust-8x6x5.toml.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--set", help="Any setting, as in learning.steps=1000; may be given often.")
    ] = None,
    only: Annotated[
        TrainingProgram | None,
        typer.Option(help="Only make samples, or only learn from them: for runs that several machines share."),
    ] = None,
    restart: Annotated[bool, typer.Option("--restart", help="Begin anew: removes what the folder holds.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before removing it.")] = False,
) -> None:
    """Train a network. Ctrl-C saves; the same command goes on.

    Exit code: 0 trained, 2 something unreadable, 130 interrupted.
    """
    need_torch()
    from puzzlelab.training import processes
    from puzzlelab.training import recipe as recipes
    from puzzlelab.training.runs import Run

    found, place = recipes.find(recipe), Run(run)
    settings = settings_from(recipe, place, config, option or [])
    found.check(settings)
    if only == TrainingProgram.GENERATE:
        processes.require_generator(found)
    if restart and place.begun:
        _restart(place, yes)
    place.begin(settings)
    with progress():
        try:
            if only == TrainingProgram.GENERATE:
                processes.generate(found, place, settings)
                return
            if not place.done.exists():
                _learn(found, recipe, place, settings, alone=only == TrainingProgram.LEARN)
        except KeyboardInterrupt:
            fail("interrupted: all steps so far are saved; the same command goes on from there")
            raise typer.Exit(INTERRUPTED) from None
    name = place.champion.read_text(encoding="utf-8").strip()
    output().print(f"trained: {place.nets / name}.safetensors; play with it: --net {run}", markup=False)


def _learn(found: Recipe, name: str, place: Run, settings: Any, alone: bool) -> None:
    from puzzlelab.training import processes

    if alone:
        processes.learn(found, place, settings)
    else:
        processes.train(found, name, place, settings)


def need_torch() -> None:
    """Raise `BadInput` where what training needs is missing."""
    from puzzlelab.core.errors import BadInput

    try:
        import pyarrow  # noqa: F401
        import tomli_w  # noqa: F401

        from puzzlelab.nets import model  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("puzzlelab"):
            raise
        raise BadInput(f"training needs {error.name}, which is not installed: pip install 'puzzlelab[learn]'") from None


def _restart(place: Run, yes: bool) -> None:
    """Remove a run, after asking."""
    if not yes and not typer.confirm(f"Remove all of {place.folder}, and begin anew?", default=False):
        raise typer.Exit(0)
    place.clear()


def settings_from(recipe: str, place: Run, config: Path | None, changes: list[str]) -> Any:
    """From the file, or as the run was begun; with the changes."""
    from puzzlelab.training.recipe import read_toml, settings_of

    values = read_toml(config) if config is not None else place.saved_settings()
    return settings_of(recipe, values, changes)
