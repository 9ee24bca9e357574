"""`puzzlelab train`: trains a network by a recipe, in a run folder that can be continued."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from puzzlelab.cli.console import UNREADABLE, end_interrupted, fail, print_table, say, show
from puzzlelab.cli.options import ExecutorName, LearnerResources, open_or_here, resources_of
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadInput, BadOption
from puzzlelab.runtime import libraries
from puzzlelab.runtime.libraries import TO_TRAIN
from puzzlelab.runtime.signals import ending_at_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from puzzlelab.engine.executor import Executor
    from puzzlelab.nets.card import Card
    from puzzlelab.nets.torch_model import TorchModel
    from puzzlelab.training.recipe import Recipe
    from puzzlelab.training.runs import Run

Program = Literal["generate", "learn"]
"""One of the two programs of a run."""
ConfigFile = Annotated[
    Path | None,
    typer.Option(help="A TOML file of its settings, or the name of one of the package, such as dust-8x6x5."),
]
InitialNetwork = Annotated[
    str | None,
    typer.Option(help="The network whose weights training begins with: a run, a file, or a name of the package."),
]
Restart = Annotated[bool, typer.Option("--restart", help="Remove the files of the run, and start anew. Others stay.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask before removing them.")]
SettingTexts = Annotated[
    list[str] | None, typer.Option("--set", help="Any setting, as in learning.steps=1000; may be repeated.")
]
Seeds = Annotated[
    int | None,
    typer.Option(min=1, help="Train with so many seeds, from that of the settings on, each in a folder in --run."),
]
Grid = Annotated[
    list[str] | None,
    typer.Option(
        help="Train with each of these values, as in learning.learning_rate=1e-3,3e-4, each in a folder in --run; "
        "repeated, with all combinations."
    ),
]


def train(
    recipe: Annotated[str, typer.Argument(help="The recipe, such as imitation.")],
    run: Annotated[Path | None, typer.Option(help="The folder of the run; an existing one is continued.")] = None,
    config: ConfigFile = None,
    option: SettingTexts = None,
    seeds: Seeds = None,
    grid: Grid = None,
    only: Annotated[
        Program | None,
        typer.Option(help="Only generate samples, or only learn from them: for runs on several machines."),
    ] = None,
    executor: ExecutorName = None,
    resources: LearnerResources = None,
    init: InitialNetwork = None,
    restart: Restart = False,
    yes: Yes = False,
    summary: Annotated[
        bool, typer.Option("--summary", help="Only print the network of these settings, layer by layer.")
    ] = False,
) -> None:
    """Train a network. Ctrl-C saves the run; repeat the command to continue, also with more learning.steps, or with
    another learning.learning_rate or evaluation.

    Exit code: 0 trained, 2 something unreadable, 130, 143 or 129 ended by Ctrl-C, SIGTERM or SIGHUP.
    """
    need_libraries()
    from puzzlelab.core.settings import read_options
    from puzzlelab.training import recipe as recipes
    from puzzlelab.training import sweeps
    from puzzlelab.training.runs import Run
    from puzzlelab.training.train import settings_from
    from puzzlelab.training.train import train as learn

    loaded_recipe, run_folder = recipes.find(recipe), None if run is None else Run(run)
    changes = read_options(option or [])
    if init is not None:
        changes["init"] = init
    if summary:
        settings = settings_from(recipe, run_folder, config, changes)
        loaded_recipe.check(settings)
        _print_network(settings)
        return
    if run_folder is None:
        raise BadOption("name the folder of the run: --run FOLDER")
    amounts, is_sweep = resources_of(resources, executor), seeds is not None or grid
    if is_sweep and only is not None:
        raise BadOption("--only is for one run: name it by --run, without --seeds and --grid")
    settings_with = partial(settings_from, recipe, run_folder, config)
    planned = sweeps.plan(settings_with, changes, grid or [], seeds) if is_sweep else {"": settings_with(changes)}
    for settings in planned.values():
        _check_programs(loaded_recipe, settings, only, executor, bool(amounts))
    if restart and not yes:
        confirm_restart([run_folder.folder / name for name in planned])
    with _training(executor) as workers:
        if is_sweep:
            failed = sweeps.train_all(loaded_recipe, run_folder.folder, planned, workers, amounts, restart)
        elif only == "generate" and loaded_recipe.generate is not None:
            loaded_recipe.check(planned[""])
            settings = run_folder.begin(planned[""], anew=restart)
            loaded_recipe.generate(run_folder, settings, lambda: None, workers)
            return
        else:
            alone = replace(loaded_recipe, generate=None) if only == "learn" else loaded_recipe
            training = learn(alone, planned[""], run_folder, workers, resources=amounts, restart=restart)
    if is_sweep:
        _show_sweep(run_folder.folder, list(planned), failed)
    else:
        say(f"trained: {run_folder.nets / training.network}.safetensors; play with it: --net {run}")
        _tell_best(run_folder)


@contextmanager
def _training(executor: str | None) -> Iterator[Executor]:
    """Give the executor of this name; Ctrl-C ends the command with the sentence that says how to continue."""
    with progress(by_share=True), open_or_here(executor, None) as workers:
        try:
            yield workers
        except KeyboardInterrupt:
            end_interrupted("interrupted: all steps so far are saved; repeat the command to continue")


def _show_sweep(folder: Path, names: Sequence[str], failed: Sequence[str]) -> None:
    """Print the means over the seeds of each setting; end the command with an error if a run failed."""
    from puzzlelab.bench import seeds

    runs = [folder / name for name in names]
    for table in seeds.tables_of_runs(runs):
        show(table)
    say(f"{len(names) - len(failed)} of {len(names)} runs are trained; play with one: --net {runs[0]}")
    if failed:
        fail(f"{len(failed)} of {len(names)} runs failed, for the reasons above: {', '.join(failed)}")
        raise typer.Exit(UNREADABLE)


def _tell_best(run: Run) -> None:
    """Tell the best network of a run by the evaluation, and what it does on boards that did not choose it."""
    best, last = run.measured()
    if best is None or last is None:
        return
    boards = f"{best.other_boards['boards']:,.0f} other boards"
    if best.name == last.name:
        say(f"it is the best network by the evaluation too, and of {boards} it solves {_results(best)}")
        return
    say(f"best: the network of step {best.steps:,}; play with it: --net {run.folder}:best")
    say(f"of {boards} it solves {_results(best)}, and the last network {_results(last)}")


def _results(card: Card) -> str:
    """Return the share of other boards that a network solves, with the mean of their moves, costs or scores."""
    results = card.other_boards
    means = {"moves": "in {:.2f} moves", "cost": "at a cost of {:.2f}", "score": "with a score of {:.2f}"}
    texts = [text.format(results[name]) for name, text in means.items() if name in results]
    return " ".join([f"{results['solved']:.1%}", *texts])


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


def confirm_restart(folders: Sequence[Path]) -> None:
    """Ask whether the runs in these folders are to be removed, and end the command if they are not."""
    from puzzlelab.training.runs import Run

    begun = [str(folder) for folder in folders if Run(folder).begun]
    if begun and not typer.confirm(f"Remove the run in {', '.join(begun)} and start anew?", default=False):
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
