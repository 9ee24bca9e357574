"""`puzzlelab web`: serves the page on which puzzles are entered, played and solved."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import say
from puzzlelab.cli.train import need_libraries
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import read_memory

if TYPE_CHECKING:
    from puzzlelab.web.serve import Addresses

TOKEN_FORM = re.compile(r"[A-Za-z0-9_-]{8,100}")


def web(
    host: Annotated[
        str, typer.Option(help="The address to serve; 0.0.0.0 lets other machines reach it, with a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 takes any free one.")] = 8000,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    time: Annotated[float | None, typer.Option(help="The most seconds that one search may take.")] = None,
    memory: Annotated[str | None, typer.Option(help="The most memory of one search, such as 2G.")] = None,
    jobs: Annotated[int | None, typer.Option(help="Searches at once; by default as many as there are cores.")] = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="PUZZLELAB_TOKEN",
            help="The token of other machines, also through a forwarder; by default a new one at every start.",
        ),
    ] = None,
    net: Annotated[
        list[str] | None,
        typer.Option(
            help="A network of your own that the page offers too: a file, the folder of a run, or RUN:best; repeatable."
        ),
    ] = None,
) -> None:
    """Serve a page to generate, play and solve puzzles; Ctrl-C ends it.

    Exit code: 0 ended by a signal, 2 something unreadable.
    """
    with suppress(KeyboardInterrupt):  # of a signal that comes before the server is there
        need_libraries("the page", ["puzzlelab.web.serve"], "web")
        with _offered(net or []):
            _serve(host, port, browse, token, {"seconds": time, "memory": memory, "jobs": jobs})
    say("ended")


def _serve(host: str, port: int, browse: bool, token: str | None, limits: dict[str, Any]) -> None:
    """Serve until a signal."""
    from puzzlelab.core.settings import fill
    from puzzlelab.web.job_service import ServerLimits
    from puzzlelab.web.serve import serve

    if token is not None and not TOKEN_FORM.fullmatch(token):
        raise BadOption("a token has 8 to 100 letters, digits, - and _")
    if limits["memory"] is not None:
        limits["memory"] = read_memory(limits["memory"])
    serve(host, port, fill(ServerLimits, limits), _announce, browse, token)


@contextmanager
def _offered(names: list[str]) -> Iterator[None]:
    """Put copies of these networks on a shelf that the workers of the server have too; raises `BadInput`."""
    if not names:
        yield
        return
    from tempfile import TemporaryDirectory

    from puzzlelab.nets import model_zoo
    from puzzlelab.storage.networks import OWN_SHELF

    with TemporaryDirectory(prefix="puzzlelab-networks-") as folder:
        for name in names:
            offered, card = model_zoo.copy_to(Path(folder), name)
            say(f"{name} is on the page of {card.puzzle} as the network {offered}")
        os.environ[OWN_SHELF] = folder
        yield


def _announce(served: Addresses) -> None:
    """Print where the server can be opened, on a terminal with a QR code for phones."""
    address, elsewhere = served
    say(f"puzzlelab is at {address} (Ctrl-C ends it)")
    if elsewhere is None:
        return
    say(f"on other machines: {elsewhere}")
    if sys.stdout.isatty():
        import segno

        segno.make(elsewhere, micro=False).terminal(compact=True)
    say(
        "Everyone who has this address can use this machine for searches. It is not encrypted: use it in a network "
        "that you trust, or behind a server with TLS.",
    )
