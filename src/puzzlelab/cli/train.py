"""`puzzlelab train`: trains a network by a recipe, in a run folder that can be continued."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from puzzlelab.cli.console import fail, print_table, say
from puzzlelab.cli.options import ExecutorName, LearnerResources, open_or_here, resources_of
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadInput, BadOption
from puzzlelab.runtime import libraries
from puzzlelab.runtime.libraries import TO_TRAIN
from puzzlelab.runtime.signals import INTERRUPTED, ending_at_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlelab.nets.torch_model import TorchModel
    from puzzlelab.training.recipe import Recipe
    from puzzlelab.training.runs import Run

Program = Literal["generate", "learn"]
"""One of the two programs of a run."""
ConfigFile = Annotated[
    Path | None,
    typer.Option(help="A TOML file of its settings, or the name of one of the package, such as dust-8x6x5."),
]
SettingTexts = Annotated[
    list[str] | None, typer.Option("--set", help="Any setting, as in learning.steps=1000; may be repeated.")
]


def train(
    recipe: Annotated[str, typer.Argument(help="The recipe, such as imitation.")],
    run: Annotated[Path | None, typer.Option(help="The folder of the run; an existing one is continued.")] = None,
    config: ConfigFile = None,
    option: SettingTexts = None,
    only: Annotated[
        Program | None,
        typer.Option(help="Only generate samples, or only learn from them: for runs on several machines."),
    ] = None,
    executor: ExecutorName = None,
    resources: LearnerResources = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Remove the files of the run, and start anew. Others stay.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before removing them.")] = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Only print the network of these settings, layer by layer.")
    ] = False,
) -> None:
    """Train a network. Ctrl-C saves the run; repeat the command to continue.

    Exit code: 0 trained, 2 something unreadable, 130, 143 or 129 ended by Ctrl-C, SIGTERM or SIGHUP.
    """
    need_libraries()
    from puzzlelab.training import recipe as recipes
    from puzzlelab.training.runs import Run
    from puzzlelab.training.train import settings_from
    from puzzlelab.training.train import train as learn

    loaded_recipe, run_folder = recipes.find(recipe), None if run is None else Run(run)
    settings = settings_from(recipe, run_folder, config, option or [])
    if summary:
        loaded_recipe.check(settings)
        _print_network(settings)
        return
    if run_folder is None:
        raise BadOption("name the folder of the run: --run FOLDER")
    amounts = resources_of(resources, executor)
    _check_programs(loaded_recipe, settings, only, executor, bool(amounts))
    if restart and run_folder.begun and not yes:
        _confirm_restart(run_folder)
    with progress(by_share=True), open_or_here(executor, None) as workers:
        try:
            if only == "generate" and loaded_recipe.generate is not None:
                loaded_recipe.check(settings)
                run_folder.begin(settings, anew=restart)
                loaded_recipe.generate(run_folder, settings, lambda: None, workers)
                return
            alone = replace(loaded_recipe, generate=None) if only == "learn" else loaded_recipe
            training = learn(alone, settings, run_folder, workers, resources=amounts, restart=restart)
        except KeyboardInterrupt:
            fail("interrupted: all steps so far are saved; repeat the command to continue")
            raise typer.Exit(INTERRUPTED) from None
    say(f"trained: {run_folder.nets / training.network}.safetensors; play with it: --net {run}")


def _check_programs(
    recipe: Recipe, settings: Any, only: Program | None, executor: str | None, has_resources: bool
) -> None:
    """Raise `BadInput` for a program that the recipe does not have, and for an executor that it has no use for."""
    if has_resources:
        if only is not None:
            raise BadOption("--learner-resources are for a command that makes samples and learns: leave out --only")
        return
    if only == "generate" and recipe.generate is None:
        raise BadInput("this recipe makes its samples while it learns: there is nothing to generate for it")
    if executor is not None:
        recipe.check_executor(settings)


def need_libraries(purpose: str = "training", modules: Sequence[str] = TO_TRAIN, extra: str = "learn") -> None:
    """Raise `BadInput` if a library is missing, as `libraries.require` does; signals end the program meanwhile."""
    with ending_at_once():
        libraries.require(purpose, modules, extra)


def _confirm_restart(run: Run) -> None:
    """Ask whether a run is to be removed, and end the command if it is not."""
    if not typer.confirm(f"Remove the run in {run.folder} and start anew?", default=False):
        raise typer.Exit(0)


def _print_network(settings: Any) -> None:
    """Print the layers of the network that these settings train, without training it."""
    from puzzlelab.core import registry
    from puzzlelab.nets.torch_model import untrained

    print_layers(untrained(registry.load(settings.puzzle), settings.network))


def print_layers(model: TorchModel) -> None:
    """Print the layers with the shapes of their outputs and their parameters, and the total."""
    from puzzlelab.nets.torch_model import layers_of

    rows = [
        (layer["name"], layer["kind"], " x ".join(map(str, layer["shape"] or ())), f"{layer['parameters']:,}")
        for layer in layers_of(model)
    ]
    print_table(("layer", "type", "output of one board", "parameters"), rows)
    total = sum(each.numel() for each in model.module.parameters())
    say(f"{total:,} parameters; outputs: {', '.join(model.heads)}")
