"""`puzzlelab web`: serves the page on which puzzles are entered, played and solved."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from puzzlelab.cli.console import output


def web(
    host: Annotated[
        str, typer.Option(help="The address to serve; by default only this machine can reach it.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 takes any free one.")] = 8000,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    time: Annotated[float | None, typer.Option(help="The most seconds that one search may take.")] = None,
    memory: Annotated[str | None, typer.Option(help="The most memory of one search, such as 2G.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Searches at once; by default as many as there are cores.")] = None,
) -> None:
    """Serve a page to generate, play and solve puzzles; Ctrl-C ends it.

    Exit code: 0 ended by a signal, 2 something unreadable.
    """
    with suppress(KeyboardInterrupt):  # of a signal that comes before the server is there
        _serve(host, port, browse, time, memory, jobs)
    output().print("ended")


def _serve(host: str, port: int, browse: bool, time: float | None, memory: str | None, jobs: int | None) -> None:
    """Serve until a signal."""
    from puzzlelab.core.errors import BadInput
    from puzzlelab.core.limit import read_memory
    from puzzlelab.core.settings import fill

    try:
        from puzzlelab.web.serve import is_local, serve
        from puzzlelab.web.server_limits import ServerLimits
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("puzzlelab"):
            raise
        raise BadInput(f"the page needs {error.name}, which is not installed: pip install 'puzzlelab[web]'") from None

    limits = {"seconds": time, "memory": None if memory is None else read_memory(memory), "jobs": jobs}
    console = output()

    def ready(address: str) -> None:
        console.print(f"puzzlelab is at {address} (Ctrl-C ends it)", markup=False)
        if not is_local(address):
            console.print("everyone on this network can use it; without --host only this machine can")

    serve(host, port, fill(ServerLimits, limits), ready, browse)
