"""A server as a user starts it: the program in a process of its own, on any free port."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

START = 300
"""Seconds after which a server that has said nothing is taken for dead."""


@dataclass(frozen=True)
class Server:
    """A running server."""

    address: str
    process: subprocess.Popen[str]

    def children(self) -> set[int]:
        """The processes below it."""
        found, parents = set(), {self.process.pid}
        while parents:
            below = {int(pid) for parent in parents for pid in _children(parent)} - found
            found |= below
            parents = below
        return found


def _children(parent: int) -> list[str]:
    try:
        return [
            pid for task in Path(f"/proc/{parent}/task").iterdir() for pid in (task / "children").read_text().split()
        ]
    except OSError:
        return []


def alive(process: int) -> bool:
    """Whether a process still runs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually(holds: Callable[[], bool], seconds: float = 30) -> bool:
    """Whether something comes to hold before a generous time is over."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(holds())


def start(*options: str, **variables: str) -> Server:
    """A server with these options, and these variables in its environment; it answers."""
    command = [sys.executable, "-m", "puzzlelab", "web", "--port", "0", *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", **variables}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert "http://" in line, line + process.stdout.read()
    return Server(next(word for word in line.split() if word.startswith("http://")), process)


def end(server: Server) -> str:
    """End a server as Ctrl-C does; what it printed meanwhile."""
    server.process.send_signal(2)
    printed, _ = server.process.communicate(timeout=START)
    return printed


def events(lines: Iterator[str]) -> Iterator[tuple[str, dict]]:
    """The events of a stream: their names and their data."""
    name = ""
    for line in lines:
        if line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            yield name, json.loads(line.removeprefix("data:"))


def asked(app: Any, method: str, path: str, base_url: str = "http://server", **more: Any) -> Any:
    """The answer of an application in this process to a request, of this address where `client` says one."""
    import httpx

    client = more.pop("client", ("127.0.0.1", 123))

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app, client=client), base_url=base_url) as one:
            return await one.request(method, path, **more)

    return asyncio.run(ask())
