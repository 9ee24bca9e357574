"""`puzzlelab train`: trains a network by a recipe, in a run folder that can be continued."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from puzzlelab.cli.console import fail, print_table, say
from puzzlelab.cli.options import ExecutorName, LearnerResources, open_or_here, resources_of
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadFile, BadInput, BadOption
from puzzlelab.runtime.signals import INTERRUPTED, ending_at_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from puzzlelab.nets.torch_model import TorchModel
    from puzzlelab.training.recipe import Recipe
    from puzzlelab.training.runs import Run

NEEDED_TO_TRAIN = ("puzzlelab.nets.checkpoint", "pyarrow", "tomli_w")
"""Modules without which no network is trained; the first one imports PyTorch, safetensors and onnx."""


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
    from puzzlelab.training.programs import train as learn
    from puzzlelab.training.runs import Run

    loaded_recipe, run_folder = recipes.find(recipe), None if run is None else Run(run)
    settings = settings_from(recipe, run_folder, config, option or [])
    loaded_recipe.check(settings)
    if summary:
        _print_network(settings)
        return
    if run_folder is None:
        raise BadOption("name the folder of the run: --run FOLDER")
    amounts = resources_of(resources, executor)
    _check_programs(loaded_recipe, settings, only, executor, bool(amounts))
    if restart and run_folder.begun and not yes:
        _confirm_restart(run_folder)
    run_folder.begin(settings, anew=restart)
    with progress(by_share=True), open_or_here(executor, None) as workers:
        try:
            if only == "generate" and loaded_recipe.generate is not None:
                loaded_recipe.generate(run_folder, settings, lambda: None, workers)
                return
            if not run_folder.finished():
                alone = replace(loaded_recipe, generate=None)
                learn(alone if only == "learn" else loaded_recipe, run_folder, settings, workers, amounts)
        except KeyboardInterrupt:
            fail("interrupted: all steps so far are saved; repeat the command to continue")
            raise typer.Exit(INTERRUPTED) from None
    network = run_folder.trained()
    if network is None:
        raise BadFile(f"{run_folder.folder} has no champion: repeat the command")
    say(f"trained: {network}.safetensors; play with it: --net {run}")


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


def need_libraries(purpose: str = "training", modules: Sequence[str] = NEEDED_TO_TRAIN, extra: str = "learn") -> None:
    """Raise `BadInput` if a library that these modules import is missing, which this extra of the package installs.

    `purpose` is the subject of the sentence.
    """
    from importlib import import_module

    try:
        with ending_at_once():
            for name in modules:
                import_module(name)
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("puzzlelab"):
            raise
        install = f"pip install 'puzzlelab[{extra}]'"
        raise BadInput(f"{purpose} needs {error.name}, which is not installed: {install}") from None


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


def settings_from(recipe: str, run: Run | None, config: Path | None, changes: list[str]) -> Any:
    """Return the settings of the file, or else of the existing run, with the changes."""
    from puzzlelab.training.recipe import config_file, settings_of
    from puzzlelab.training.runs import read_toml

    if config is not None:
        return settings_of(recipe, read_toml(config_file(config)), changes)
    if run is None:
        raise BadOption("give the settings of a run with --config, or its folder with --run")
    return settings_of(recipe, run.saved_settings(), changes)
