"""The program: its commands, and errors as sentences and exit codes instead of tracebacks."""

import errno
import gc
import os
import sys
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup
from typer.main import get_command

from puzzlelab import __version__
from puzzlelab.cli.console import LEVEL_VARIABLE, SOLVED, UNREADABLE, UNSOLVED, fail
from puzzlelab.runtime import signals, startup
from puzzlelab.runtime.signals import INTERRUPTED

COLLECT_AFTER = 50_000
"""Allocations between garbage collections. With the default of 700, collections take a twentieth of the time of a short
command, and find nothing."""
VERBS = {
    "list": "list:list_all",
    "enumerate": "count:enumerate_all",
    "solve": "solve:solve",
    "hint": "hint:hint",
    "analyse": "analyse:analyse",
    "steps": "steps:steps",
    "rate": "rate:rate",
    "check": "check:check",
    "candidates": "candidates:candidates",
    "canonical": "canonical:canonical",
    "write": "write:write",
    "verify": "verify:verify",
    "convert": "verify:convert",
    "count": "count:count",
    "cover": "cover:cover",
    "generate": "generate:app",
    "teach": "teach:teach",
    "train": "train:train",
    "export": "export:export",
    "match": "selfplay:match",
    "bench": "bench:bench",
    "plot": "plot:plot",
    "report": "report:report",
    "web": "web:web",
    "warm": "warm:warm",
    "demo": "demo:demo",
    "selfplay": "selfplay:app",
    "cluster": "list:cluster",
    "new": "new:app",
}
"""Command -> file in this folder and function, or `Typer` for a command with subcommands; in the order of `--help`."""


ALIKE = 0.75
"""How alike an option that does not exist must be to one that does, from 0 to 1, for the error to name that one."""
REFUSED_MEMORY = ("allocate memory", "failed to map segment")
"""Parts of what PyTorch and the system's loader say where memory is refused."""


def _command(verb: str, location: str) -> Any:
    """Import the file of a command, and make the command."""
    file, _, name = location.partition(":")
    function = getattr(import_module(f"puzzlelab.cli.{file}"), name)
    if not isinstance(function, typer.Typer):
        typer_app = typer.Typer(add_completion=False)
        typer_app.command(verb)(function)
        function = typer_app
    command = get_command(function)
    command.name = verb
    return command


class CommandGroup(TyperGroup):
    """The program. The file of a command is imported when the command is looked up; `--help` looks up all."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = dict.fromkeys(VERBS)  # type: ignore[assignment]  # their names, for suggestions

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of this name; None if there is none."""
        if cmd_name in VERBS and self.commands[cmd_name] is None:
            self.commands[cmd_name] = _command(cmd_name, VERBS[cmd_name])
        return self.commands.get(cmd_name)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; an option that does not exist, and resembles none, may be a setting."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if type(error).__name__ == "NoSuchOption":  # from click, or from typer's copy of it
                _advise(error)
            raise


def _advise(error: Any) -> None:
    """Have the error of an option that does not exist name those that resemble it, or say how a setting is given."""
    from puzzlelab.core.errors import visible

    name = visible(error.option_name)
    error.possibilities = get_close_matches(name, error.possibilities or (), cutoff=ALIKE)
    if not error.possibilities and any("--set" in each.opts for each in error.ctx.command.params):
        error.message += f" (a setting is written --set {name.lstrip('-')}=VALUE)"


app = typer.Typer(
    cls=CommandGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"puzzlelab {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option(
            envvar=LEVEL_VARIABLE,
            help="Which messages are printed on standard error, before errors: info has delays and lines of progress, "
            "debug everything, with the time.",
        ),
    ] = "info",
) -> None:
    """Solve single-player puzzles, prove how good the answers are, and compare solvers."""
    os.environ[LEVEL_VARIABLE] = log_level  # `cli.progress` reads it, and so do other processes


def _compile_behind_the_answer() -> None:
    """Compile the kernels that came from a pack for this processor, in the background."""
    compiler = sys.modules.get("puzzlelab.engine.compiler")  # not imported: no kernel was looked for
    if compiler is not None and not signals.received():
        compiler.compile_in_background()


def set_up_process() -> None:
    """Collect garbage rarely, and have child processes import no module of the working folder.

    Python leaves that folder out of the path of child processes, unless this process has it too.
    """
    gc.set_threshold(COLLECT_AFTER)
    with suppress(OSError):  # the folder was removed
        if str(Path.cwd()) not in map(os.path.abspath, sys.path):
            os.environ.setdefault("PYTHONSAFEPATH", "1")


def run() -> None:
    """Run the program `puzzlelab`.

    Exit codes: 0 all solved, 1 something unsolved, 2 unreadable input; what was done is kept, and the code is 130 after
    Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """
    startup.prepare_streams()
    set_up_process()
    with signals.raising():
        try:
            code = _exit_code()
        except KeyboardInterrupt:  # while the program ended, or started to
            code = INTERRUPTED
        except Exception:
            if not signals.received():
                raise
            code = INTERRUPTED  # a library has made another exception of it
    code = signals.exit_code(code)
    startup.end(code, wait=not signals.received())
    sys.exit(code)


def _exit_code() -> int:
    """Run a command; errors become sentences on standard error."""
    from puzzlelab.core.errors import PuzzlelabError

    try:
        try:
            app()
        finally:
            sys.stdout.flush()
            _compile_behind_the_answer()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else SOLVED
    except PuzzlelabError as error:
        fail(str(error))
        return UNREADABLE
    except RecursionError:
        fail("the input is nested too deeply")
        return UNREADABLE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNSOLVED
    except (MemoryError, RuntimeError, SystemError, ImportError, OSError) as error:
        if _lacks_memory(error):
            error.__traceback__ = error.__context__ = None  # what these frames hold is freed: the sentence needs memory
            fail(f"there is not enough memory for this{_limit_of_process()}")
        elif isinstance(error, OSError):
            fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        else:
            raise
        return UNSOLVED
    return SOLVED


def _lacks_memory(error: BaseException | None) -> bool:
    """Tell whether the system refused memory: libraries turn that into errors of many kinds."""
    while error is not None:
        words = str(error)
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        if any(each in words for each in REFUSED_MEMORY):
            return True
        if (isinstance(error, SystemError) or "can't start new thread" in words) and _limit_of_process():
            return True
        error = error.__cause__ or error.__context__
    return False


def _limit_of_process() -> str:
    """Say how much memory the limits of this process leave it; empty without limits."""
    try:
        from puzzlelab.runtime.memory import UNLIMITED, address_room

        room = address_room()
    except (MemoryError, ImportError):
        return ""
    return "" if room == UNLIMITED else f": the limits of this process (ulimit -v, ulimit -d) leave {room >> 20} MB"
