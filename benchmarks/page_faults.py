"""Breaks the server of the page: Ctrl-C at random moments under load, and connections that send slowly.

    python benchmarks/page_faults.py --times 50 --slow 200

Prints what was seen, and ends with code 1 if anything is wrong: a board that is not searched, a traceback, an answer
with status 500, a process that is left, a page that does not answer, a slow connection that is still open.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import httpx
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

import puzzlelab

BOARDS = {
    "tiles-4x4": "15 14 8 12 10 11 9 13 2 6 5 1 3 4 7 0",
    "sudoku-9x9": "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
    "dust-8x6x5": "425225154523142543212442545541241413141521445214",
}
PATHS = ("solve/events", "solve", "hint", "frames")
WORDS = ("Traceback", "Exception", "pending!", "never retrieved")
"""Words of an error that nobody handled."""
LEFT_SECONDS = 10
SLOW_SECONDS = 40
"""Slow connections must be closed by then."""
console = Console()


def start() -> tuple[subprocess.Popen[str], str]:
    """A server and its address."""
    command = [sys.executable, "-m", "puzzlelab", "web", "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PUZZLELAB_BACKGROUND": "0"}
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True
    )
    assert server.stdout is not None
    return server, next(word for word in server.stdout.readline().split() if word.startswith("http://"))


def require_searches() -> None:
    """End the program unless every board of the load is searched: what cannot be solved is answered at once."""
    for name, text in BOARDS.items():
        result = puzzlelab.solve(puzzlelab.load(name).read(text), limit=puzzlelab.Limit(seconds=1))
        if not result.expanded or result.proof == "unsolvable":
            raise SystemExit(f"the board of {name} is no load: {result.reason or 'it was not searched'}")


def processes(session: int) -> list[int]:
    """The running processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            state, _, _, own = path.joinpath("stat").read_text().rpartition(")")[2].split()[:4]
            if int(own) == session and state != "Z":
                found.append(int(path.name))
    return found


async def load(address: str, seconds: float, rng: random.Random) -> Counter[str]:
    """Ask a server for all kinds of things until it is gone; counts the statuses."""
    statuses: Counter[str] = Counter()

    async def ask(client: httpx.AsyncClient) -> None:
        while True:
            puzzle = rng.choice(list(BOARDS))
            query = {"puzzle": puzzle, "board": BOARDS[puzzle], "time": 5}
            try:
                async with client.stream("GET", "/api/" + rng.choice(PATHS), params=query) as answer:
                    statuses[str(answer.status_code)] += 1
                    async for _ in answer.aiter_bytes():
                        pass
            except httpx.HTTPError:
                await asyncio.sleep(0.05)

    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        tasks = [asyncio.create_task(ask(client)) for _ in range(6)]
        await asyncio.sleep(seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return statuses


def interrupt(rng: random.Random) -> tuple[str, int, Counter[str]]:
    """One server under load that is ended by Ctrl-C: what it printed, the processes left, and the statuses."""
    server, address = start()
    moment = rng.uniform(0, 4)

    async def both() -> Counter[str]:
        asking = asyncio.create_task(load(address, moment + 1.5, rng))
        await asyncio.sleep(moment)
        os.killpg(server.pid, signal.SIGINT)  # as a terminal does: to every process of the command
        return await asking

    statuses = asyncio.run(both())
    printed, _ = server.communicate(timeout=60)
    end = time.monotonic() + LEFT_SECONDS
    while (left := processes(server.pid)) and time.monotonic() < end:
        time.sleep(0.1)
    return printed, len(left), statuses


def slow(count: int) -> tuple[int, float, int]:
    """Hold slow connections open: how many answers the page gave meanwhile, its slowest one, and how many stayed."""
    server, address = start()
    host, port = httpx.URL(address).host, httpx.URL(address).port
    answers, slowest, open_ones = 0, 0.0, []
    try:
        for _ in range(count):
            connection = socket.create_connection((host, port))
            connection.sendall(b"GET /api/list HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
            open_ones.append(connection)
        end = time.monotonic() + SLOW_SECONDS
        while open_ones and time.monotonic() < end:
            begin = time.monotonic()
            answers += httpx.get(address, timeout=30).status_code == 200
            slowest = max(slowest, time.monotonic() - begin)
            open_ones = [each for each in open_ones if _goes_on(each)]
            time.sleep(1)
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
    return answers, slowest, len(open_ones)


def _goes_on(connection: socket.socket) -> bool:
    """Send one byte more; whether the server still takes it."""
    connection.settimeout(0.01)
    try:
        connection.sendall(b"x")
        return connection.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


def main(
    times: Annotated[int, typer.Option(help="How often a server is ended by Ctrl-C.")] = 50,
    slow_connections: Annotated[int, typer.Option("--slow", help="Slow connections at once.")] = 200,
    seed: int = 0,
) -> None:
    """Break the server, and print what was seen."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell in the background ignores
    require_searches()
    rng, wrong, left, statuses = random.Random(seed), [], 0, Counter[str]()
    for _ in track(range(times), "Ctrl-C", console=console):
        printed, processes_left, seen = interrupt(rng)
        wrong += [printed] if any(word in printed for word in WORDS) else []
        left, statuses = left + processes_left, statuses + seen
    answers, slowest, stayed = slow(slow_connections)
    table = Table("what", "seen", box=None)
    table.add_row("times Ctrl-C under load", str(times))
    table.add_row("answers by status", ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
    table.add_row("with a traceback", str(len(wrong)))
    table.add_row("processes left", str(left))
    table.add_row("slow connections at once", str(slow_connections))
    table.add_row("pages meanwhile, the slowest", f"{answers}, {slowest * 1000:.0f} ms")
    table.add_row(f"still open after {SLOW_SECONDS} s", str(stayed))
    console.print(table)
    for printed in wrong[:2]:
        console.print(printed, markup=False)
    raise typer.Exit(int(bool(wrong or left or stayed or not answers or statuses["500"])))


if __name__ == "__main__":
    typer.run(main)
