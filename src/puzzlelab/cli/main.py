"""Collects the verbs, and turns what went wrong into a sentence and an exit code: never a traceback."""

import os
import sys
from typing import Annotated

import typer

from puzzlelab import __version__
from puzzlelab.cli.bench import bench
from puzzlelab.cli.check import check
from puzzlelab.cli.console import SOLVED, UNREADABLE, UNSOLVED, fail
from puzzlelab.cli.count import count, enumerate_all
from puzzlelab.cli.demo import demo
from puzzlelab.cli.generate import generate
from puzzlelab.cli.hint import hint
from puzzlelab.cli.list import list_all
from puzzlelab.cli.plot import plot
from puzzlelab.cli.selfplay import app as selfplay
from puzzlelab.cli.selfplay import match
from puzzlelab.cli.solve import solve
from puzzlelab.cli.teach import teach
from puzzlelab.cli.train import train
from puzzlelab.cli.verify import verify
from puzzlelab.cli.warm import warm
from puzzlelab.cli.web import web

app = typer.Typer(
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


app.command("list")(list_all)
app.command("enumerate")(enumerate_all)
for verb in (solve, hint, check, verify, count, generate, teach, train, match, bench, plot, web, warm, demo):
    app.command()(verb)
app.add_typer(selfplay, name="selfplay")


def run() -> None:
    """The program `puzzlelab`. Codes: 0 all solved, 1 something unsolved, 2 something unreadable, 130 Ctrl-C."""
    from puzzlelab.core.errors import PuzzlelabError

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
    sys.exit(code)
