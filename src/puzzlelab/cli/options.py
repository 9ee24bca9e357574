"""Arguments and options that several commands share, each with its text in `--help`.

A command takes one by its type, as in `seed: Seed = 0`, and the short options of solvers by `taking`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from puzzlelab.core.errors import BadOption, shorten
from puzzlelab.core.limit import Limit, read_memory

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver
    from puzzlelab.engine.executor import Executor

Command = TypeVar("Command", bound=Callable[..., None])

# --- puzzles and boards ---


def with_files(name: str | None) -> str | None:
    """Return the name of a puzzle with the contents of files that it names in place of their paths."""
    if name is None or "=" not in name:
        return name
    from puzzlelab.core import registry

    return registry.with_files(name)


PuzzleName = Annotated[
    str, typer.Argument(callback=with_files, help="The puzzle, such as tiles-4x4 (see `puzzlelab list`).")
]
BoardTexts = Annotated[list[str] | None, typer.Argument(help="Boards; none means --file or standard input.")]
BoardFile = Annotated[Path | None, typer.Option("--file", help="A file of boards; - is standard input.")]
Settle = Annotated[bool, typer.Option("--settle", help="Accept boards that are not at rest, and let them settle.")]
Seed = Annotated[int, typer.Option(min=0, help="Equal seeds give equal boards.")]

# --- solvers ---

SolverName = Annotated[
    str | None,
    typer.Option("--with", help="The solver, alone or as NAME:OPTION=VALUE:...; the puzzle's usual one if left out."),
]
OtherOptions = Annotated[list[str] | None, typer.Option("--set", help="Any other option of the solver: NAME=VALUE.")]
Net = Annotated[
    str | None,
    typer.Option(
        help="The network to use: a name, a file, the beginning of a hash, or 'best', the best of the package."
    ),
]
WITH_NETWORK = "greedy"
"""The solver for `--net` without `--with`."""
Threads = Annotated[int | None, typer.Option(min=1, help="Threads; by default all cores.")]


AddedOption = tuple[str, type, str]
"""An option that is declared in a table: as it is written, its type, and its text in `--help`."""
SHORT_OPTIONS: Mapping[str, AddedOption] = {
    "estimate": ("--estimate", str, "The estimate of remaining moves, such as manhattan or pdb."),
    "weight": ("--weight", float, "The weight of the estimate in A*; 1 is optimal."),
    "width": ("--width", int, "States that beam search keeps in a layer."),
    "depth": ("--depth", int, "The most moves that depth-first search looks for."),
    "restarts": ("--restarts", int, "How often lattice goes on after a conflict."),
    "max_moves": ("--max-moves", int, "Moves after which a solver that plays, such as greedy, gives up."),
    "avoid_repeats": ("--avoid-repeats", bool, "Greedy: take the best move to a state that was not visited before."),
}
"""The settings of solvers that have an option of their own, beside `--with NAME:OPTION=VALUE` and `--set`."""


def taking(added: Mapping[str, AddedOption]) -> Callable[[Command], Command]:
    """Return a decorator that gives a command these options in place of its parameter `**options`.

    Options that are not set are None.
    """

    def decorate(command: Command) -> Command:
        own = signature(command, eval_str=True)
        parameters = [each for each in own.parameters.values() if each.kind != Parameter.VAR_KEYWORD]
        for name, (written, kind, text) in added.items():
            annotation: Any = Annotated[kind | None, typer.Option(written, help=text)]
            parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation))
        vars(command)["__signature__"] = own.replace(parameters=parameters)
        return command

    return decorate


def solver_of(
    puzzle: Puzzle, name: str | None, texts: Sequence[str] | None, net: str | None = None, **named: Any
) -> Solver:
    """Return the solver of `--with`, with the `named` options that are set, those of `--set`, and that of `--net`.

    Raises `BadInput` for a network that cannot be used, and `BadOption` if its option is set already.
    """
    from puzzlelab.core import registry
    from puzzlelab.core.settings import read_options

    values = {option: value for option, value in named.items() if value is not None} | read_options(texts or ())
    if net is None:
        return registry.solver(name, puzzle, **values)
    from puzzlelab.analysis.network_options import network_options

    name = name or WITH_NETWORK
    of_network = network_options(puzzle, name, registry.solver_class(name).model_fields, net)
    for option in of_network.keys() & values.keys():
        raise BadOption(f"--net sets the option '{option}' of {name}, which is set already: give one of them")
    return registry.solver(name, puzzle, **values, **of_network)


# --- where the work is done ---

ExecutorName = Annotated[
    str | None,
    typer.Option(
        "--executor",
        envvar="PUZZLELAB_EXECUTOR",
        help="Where the work is done: local (processes of this machine), ray or ray:ADDRESS (a cluster).",
    ),
]
LearnerResources = Annotated[
    list[str] | None,
    typer.Option(
        "--learner-resources",
        help="With --executor: learn in a process of its own on a node that has this, such as gpu=1; may be repeated.",
    ),
]

MOST = 1e15
"""More than a node has of anything, its bytes of memory included."""


def open_optional(name: str | None, jobs: int | None) -> AbstractContextManager[Executor | None]:
    """Return the executor of this name, which ends with the context; None without a name. Raises `BadInput`.

    `jobs` are the processes of the executor `local`.
    """
    if name is None:
        return nullcontext()
    from puzzlelab.cluster import open_executor

    return open_executor(name, jobs)


def open_or_here(name: str | None, jobs: int | None) -> Executor:
    """Return the executor of this name, or without a name this process with `jobs` threads. Raises `BadInput`."""
    if name is None:
        from puzzlelab.engine.parallel import ThisProcess

        return ThisProcess(jobs or 1)
    from puzzlelab.cluster import open_executor

    return open_executor(name, jobs)


def resources_of(texts: Sequence[str] | None, executor: str | None) -> Mapping[str, float]:
    """Return the resources in texts such as `gpu=1` or `cpu=2,gpu=0.5`; raises `BadOption`."""
    amounts: dict[str, float] = {}
    for text in [part for each in texts or () for part in each.split(",")]:
        name, equals, amount = text.partition("=")
        try:
            amounts[name.strip()] = float(amount)
        except ValueError:
            equals = ""
        if not (equals and name.strip() and 0 < amounts[name.strip()] < MOST):
            raise BadOption(f"'{shorten(text)}' is no amount of a resource, as in --learner-resources gpu=1")
    if amounts and executor is None:
        raise BadOption("--learner-resources choose a node of a cluster: give --executor too")
    if amounts and executor == "local":
        _check_here(amounts)
    return amounts


def _check_here(amounts: Mapping[str, float]) -> None:
    """Raise `BadOption` for resources that this machine does not have."""
    from puzzlelab.nets.torch_model import graphics_cards
    from puzzlelab.runtime.memory import free_memory

    present = {"cpu": os.cpu_count() or 1, "gpu": graphics_cards(), "memory": free_memory()}
    for name, amount in amounts.items():
        available = present.get(name.lower(), 0)
        if amount > available:
            raise BadOption(
                f"the executor 'local' is this machine, which has {available:,} of '{name}', not {amount:,g}"
            )


def status_in_words(executor: Executor | None) -> str:
    """Return what the executor works with, for its progress; empty without an executor."""
    return "" if executor is None else executor.status()


# --- limits ---

Seconds = Annotated[float | None, typer.Option(help="Seconds for each board.")]
Nodes = Annotated[int | None, typer.Option(help="States to expand for each board.")]
Memory = Annotated[str | None, typer.Option(help="Most memory of the process, such as 2G.")]


def limit_of(seconds: float | None, nodes: int | None, memory: str | None = None) -> Limit:
    """Return the limit of `--time`, `--nodes` and `--memory`; raises `BadOption` for a memory that cannot be read."""
    return Limit(seconds, nodes, None if memory is None else read_memory(memory))


# --- output ---

FormName = Annotated[
    str | None,
    typer.Option("--as", help="The form of boards, such as csv, sdk or html; the page of the puzzle lists all."),
]
Letters = Annotated[
    str | None,
    typer.Option(
        "--letters",
        help="What letters of moves mean, read and written; the page of the puzzle lists what they can mean.",
    ),
]
MoveFormName = Annotated[
    str | None,
    typer.Option("--as", help="The form of moves, such as counts, words or numbers; the page of the puzzle lists all."),
]
Scramble = Annotated[
    str | None,
    typer.Option(help="In place of a board: moves from the goal to it. Those that undo them are shown too."),
]
JsonObjects = Annotated[bool, typer.Option("--json", help="Print one JSON object a board.")]
