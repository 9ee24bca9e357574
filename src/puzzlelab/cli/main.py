"""Collects the verbs, and turns what went wrong into a sentence and an exit code: never a traceback."""

import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from puzzlelab import __version__
from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, fail
from puzzlelab.cli.quick_start import start_quickly

VERBS = {
    "list": "list:list_all",
    "enumerate": "count:enumerate_all",
    "solve": "solve:solve",
    "hint": "hint:hint",
    "check": "check:check",
    "verify": "verify:verify",
    "count": "count:count",
    "generate": "generate:app",
    "teach": "teach:teach",
    "train": "train:train",
    "match": "selfplay:match",
    "bench": "bench:bench",
    "plot": "plot:plot",
    "web": "web:web",
    "warm": "warm:warm",
    "demo": "demo:demo",
    "selfplay": "selfplay:app",
}
"""Verb -> file in this folder and function, or `Typer` where a verb has verbs of its own; in the order of `--help`."""


class Verbs(Mapping[str, Any]):
    """The commands by name. The file of a verb is imported when the verb is asked for; `--help` asks for all."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, verb: str) -> Any:
        if verb not in self._made:
            self._made[verb] = _command(verb, VERBS[verb])
        return self._made[verb]

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


def _command(verb: str, place: str) -> Any:
    """The command of a verb, whose file is imported here."""
    file, _, name = place.partition(":")
    own = getattr(import_module(f"puzzlelab.cli.{file}"), name)
    if not isinstance(own, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(verb)(own)
        own = alone
    command = get_command(own)
    command.name = verb
    return command


class CommandGroup(TyperGroup):
    """The program, which knows its verbs by name."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Verbs()  # type: ignore[assignment]  # nothing is ever put into it


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"puzzlelab {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Solve single-player puzzles, prove how good the answers are, and compare solvers."""


def _compile_behind_the_answer() -> None:
    """Have kernels that came from a pack compiled for this very processor, in the background."""
    machine_code = sys.modules.get("puzzlelab.engine.machine_code")  # not imported: no kernel was looked for
    if machine_code is not None and machine_code.used_of_packs:
        from puzzlelab.engine.background import start

        start(list(machine_code.used_of_packs.values()))


def run() -> None:
    """The program `puzzlelab`. Codes: 0 all solved, 1 something unsolved, 2 something unreadable, 130 Ctrl-C."""
    from puzzlelab.core.errors import PuzzlelabError

    start_quickly()
    try:
        app()
        code = SOLVED
    except PuzzlelabError as error:
        fail(str(error))
        code = UNREADABLE
    except MemoryError:
        fail("there is not enough memory for this")
        code = UNSOLVED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = UNSOLVED
    except OSError as error:
        fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        code = UNSOLVED
    finally:
        _compile_behind_the_answer()
    sys.exit(code)
