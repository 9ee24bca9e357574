"""Costly requests to the server of the page: seconds, memory, `/health` meanwhile, and lines of its log.

    python benchmarks/page_load.py                      # each costly request, with a server of its own
    python benchmarks/page_load.py --only frames        # one of them
    python benchmarks/page_load.py --clients 20 --minutes 5

Each row has the answers by status, the seconds until the last one, the memory that the server and its workers took
beyond what they had before, the slowest answer of `/health` meanwhile, and the most lines of log within a second.
Linux only: memory, files and processes are read from `/proc`.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console
from rich.table import Table

MEGABYTE = 2**20
PATIENCE = 400
"""Seconds after which an answer is no longer waited for."""
HARD = "15 14 8 12 10 11 9 13 2 6 5 1 3 4 7 0"
SLOW = {"puzzle": "tiles-4x4", "board": HARD, "solver": "ida:estimate=manhattan"}
QUESTIONS: Sequence[tuple[str, dict[str, Any]]] = (
    ("solve", {"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1"}),
    ("solve/events", {**SLOW, "time": 1}),
    ("solve", {"puzzle": "sudoku-9x9", "board": "8" + 10 * "." + "36" + 68 * ".", "time": 1}),
    ("hint", {"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1", "time": 1}),
    ("frames", {"puzzle": "tiles-2x2", "board": "1 2 3 0", "moves": "R L " * 50, "drawn": True}),
    ("check", {"puzzle": "dust-8x6x5", "board": "425225154523142543212442545541241413141521445214"}),
    ("list", {}),
)
"""What the clients of the long load ask for."""
console = Console()


# --- the server and what is seen of it ---


@dataclass
class Watched:
    """A server, and what is seen of it while requests run."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path
    health: list[float] = field(default_factory=list)
    """Seconds of each answer of `/health`."""
    peak: int = 0
    """The most bytes of all its processes."""
    lines: list[int] = field(default_factory=list)
    """Lines of the log at each look, a second apart."""
    at_start: int = 0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look at memory, log and `/health` until the end of the block."""
        ended = threading.Event()
        watchers = [threading.Thread(target=look, args=(ended,)) for look in (self._ask, self._measure)]
        self.at_start = self.peak = held(self.process.pid)
        for watcher in watchers:
            watcher.start()
        time.sleep(0.5)
        try:
            yield
            time.sleep(1)
        finally:
            ended.set()
            for watcher in watchers:
                watcher.join()

    def _ask(self, ended: threading.Event) -> None:
        while not ended.wait(0.1):
            begin = time.monotonic()
            with suppress(httpx.HTTPError):
                httpx.get(self.address + "health", timeout=60)
            self.health.append(time.monotonic() - begin)

    def _measure(self, ended: threading.Event) -> None:
        next_look = time.monotonic()
        while not ended.wait(0.05):
            self.peak = max(self.peak, held(self.process.pid))
            if time.monotonic() >= next_look:
                self.lines.append(self.log.read_bytes().count(b"\n"))
                next_look += 1

    def row(self, what: str, statuses: str, seconds: float) -> list[str]:
        """A row of the table."""
        pairs = zip([0, *self.lines], [*self.lines, self.log.read_bytes().count(b"\n")], strict=True)
        most = max(after - before for before, after in pairs)
        more = (self.peak - self.at_start) / MEGABYTE
        return [what, statuses, f"{seconds:.1f}", f"{more:.0f}", f"{max(self.health, default=0.0):.2f}", str(most)]


def family(process: int) -> list[int]:
    """A process and all below it."""
    found = [process]
    for each in found:
        with suppress(OSError):
            for task in Path(f"/proc/{each}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def held(process: int) -> int:
    """The bytes that a process and all below it hold, without what they share with others."""
    total = 0
    for each in family(process):
        with suppress(OSError):
            _, resident, shared = Path(f"/proc/{each}/statm").read_text().split()[:3]
            total += (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return total


def files(process: int) -> int:
    """The open files of a process."""
    return sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())


def command(*options: str) -> list[str]:
    """The command of a server."""
    return [sys.executable, "-m", "puzzlelab", "web", "--port", "0", *options]


@contextmanager
def served(*options: str, most_files: int | None = None) -> Iterator[Watched]:
    """A server that has answered once, so that its workers have imported what they need."""

    def limit() -> None:
        if most_files is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        with log.open("wb") as errors:
            process = subprocess.Popen(
                command(*options),
                stdout=subprocess.PIPE,
                stderr=errors,
                preexec_fn=limit,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        found = Watched(next(word for word in line.split() if word.startswith("http://")), process, log)
        for path, query in QUESTIONS:
            httpx.get(f"{found.address}api/{path}", params=query, timeout=PATIENCE)
        httpx.post(found.address + "api/read", json={"text": "1 2 3 0"}, timeout=PATIENCE)
        try:
            yield found
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


Send = Callable[[Watched], str]
"""Sends the requests of a trial; returns the statuses of their answers in words."""


def trial(what: str, send: Send, most_files: int | None = None) -> list[str]:
    """The row of a trial, with a server of its own."""
    with served(most_files=most_files) as server:
        with server.watched():
            begin = time.monotonic()
            statuses = send(server)
            seconds = time.monotonic() - begin
        return server.row(what, statuses, seconds)


# --- the requests ---


def words(answers: Sequence[httpx.Response | Exception]) -> str:
    """The statuses of answers, and the sentence of the first error."""
    counts = Counter(
        str(each.status_code) if isinstance(each, httpx.Response) else type(each).__name__ for each in answers
    )
    errors = [each.text[:90] for each in answers if isinstance(each, httpx.Response) and each.status_code != 200]
    return ", ".join(f"{status}: {count}" for status, count in sorted(counts.items())) + "".join(
        f" {error}" for error in errors[:1]
    )


def posts(path: str, body: bytes, count: int = 1) -> Send:
    """Sends the same body so many times at once."""

    def send(server: Watched) -> str:
        async def one(client: httpx.AsyncClient) -> httpx.Response | Exception:
            try:
                return await client.post(path, content=body, headers={"content-type": "application/json"})
            except httpx.HTTPError as error:
                return error

        async def all_of_them() -> list[httpx.Response | Exception]:
            async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE) as client:
                return list(await asyncio.gather(*(one(client) for _ in range(count))))

        return words(asyncio.run(all_of_them()))

    return send


def read(text: str) -> Send:
    """Asks for the boards in a text."""
    return posts("api/read", json.dumps({"text": text}).encode())


def unpacks_to_much(size: int) -> str:
    """A link of so many characters whose compressed part is one letter, repeated as often as lz-string can say."""
    bits, width, next_code, left = [0, 0, *_bits(ord("a"), 8)], 3, 4, 4
    while len(bits) // 6 < size - 40:
        bits += _bits(next_code, width)
        next_code, left = next_code + 1, left - 1
        if left == 0:
            left, width = 2**width, width + 1
    bits += _bits(2, width) + [0] * 6
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    groups = (bits[place : place + 6] for place in range(0, len(bits) - len(bits) % 6, 6))
    return "https://sudokupad.app/scl" + "".join(letters[int("".join(map(str, group)), 2)] for group in groups)


def _bits(value: int, count: int) -> list[int]:
    """The bits of a number, the least one first."""
    return [value >> place & 1 for place in range(count)]


def frames_query(moves: int) -> dict[str, Any]:
    """A request of kilobytes for megabytes of pictures."""
    board = " ".join(map(str, range(1, 16))) + " 0"
    return {"puzzle": "tiles-4x4", "board": board, "moves": "R L " * (moves // 2), "drawn": 1}


def frames(server: Watched) -> str:
    """Asks for the pictures of a long game."""
    try:
        answer = httpx.get(server.address + "api/frames", params=frames_query(8000), timeout=PATIENCE)
    except httpx.HTTPError as error:
        return type(error).__name__
    return f"{words([answer])} {len(answer.content) / MEGABYTE:.1f} MB"


def slow_readers(server: Watched, count: int = 12, seconds: float = 60) -> str:
    """Readers of a large answer that take a byte a second; how many the server still holds after that time."""
    url = httpx.URL(server.address + "api/frames", params=frames_query(2200))
    readers = []
    for _ in range(count):
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect((url.host, url.port))
        reader.sendall(f"GET {url.raw_path.decode()} HTTP/1.1\r\nHost: {url.host}:{url.port}\r\n\r\n".encode())
        readers.append(reader)
    end = time.monotonic() + seconds
    received = 0
    while time.monotonic() < end:
        for reader in readers:
            reader.settimeout(0.01)
            with suppress(OSError):
                received += len(reader.recv(1))
        time.sleep(1)
    still_open = sum(_is_open(server.process.pid, reader) for reader in readers)
    for reader in readers:
        reader.close()
    return f"{still_open} of {count} still held after {seconds:.0f} s"


def _is_open(process: int, reader: socket.socket) -> bool:
    """Whether the server still has the other end of a connection."""
    port = f":{reader.getsockname()[1]:04X}"
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    inodes = {parts[9] for parts in map(str.split, lines) if parts[2].endswith(port)}
    owned = set()
    for file in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            owned.add(str(file.readlink()))
    return any(f"socket:[{inode}]" in owned for inode in inodes)


def idle(server: Watched, count: int = 300, seconds: float = 25) -> str:
    """Idle connections; how many pages a browser got meanwhile, and the slowest."""
    connections, pages, slowest = [], 0, 0.0
    url = httpx.URL(server.address)
    for _ in range(count):
        connection = socket.socket()
        connection.settimeout(1)
        with suppress(OSError):
            connection.connect((url.host, url.port))
        connections.append(connection)
    end, asked = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        begin, asked = time.monotonic(), asked + 1
        with suppress(httpx.HTTPError):
            pages += httpx.get(server.address, timeout=10).status_code == 200
        slowest = max(slowest, time.monotonic() - begin)
        time.sleep(0.5)
    size = server.log.stat().st_size / MEGABYTE
    for connection in connections:
        connection.close()
    return f"{pages} of {asked} pages, the slowest {slowest:.1f} s, log {size:.1f} MB"


def few_files(most: int) -> str:
    """What a server says that may open so few files."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    with subprocess.Popen(command(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit) as process:
        try:
            printed, _ = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            printed, _ = process.communicate(timeout=20)
    text = printed.decode()
    return f"exit code {process.returncode}, {text.count(chr(10))} lines: {text.strip()[-150:]}"


def greedy_client(server: Watched, count: int = 34) -> str:
    """One client with many searches of 6 s; when a client of another address, and one with a name, are answered."""
    asked = {**SLOW, "time": 6}
    other = {"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1"}

    async def play() -> str:
        limits = httpx.Limits(max_connections=None)
        elsewhere = httpx.AsyncHTTPTransport(local_address="127.0.0.2")
        async with (
            httpx.AsyncClient(base_url=server.address, timeout=PATIENCE, limits=limits) as greedy,
            httpx.AsyncClient(base_url=server.address, timeout=PATIENCE, transport=elsewhere) as second,
            httpx.AsyncClient(base_url=server.address, timeout=PATIENCE, headers={"x-client": "page"}) as third,
        ):
            searches = [asyncio.create_task(greedy.get("api/solve", params=asked)) for _ in range(count)]
            await asyncio.sleep(1)
            results = []
            for name, client in (("other address", second), ("other page", third)):
                begin = time.monotonic()
                answer = await client.get("api/solve", params=other)
                results.append(f"{name}: {answer.status_code} after {time.monotonic() - begin:.1f} s")
            refused = sum(each.done() and each.result().status_code == 503 for each in searches)
            for each in searches:
                each.cancel()
            await asyncio.gather(*searches, return_exceptions=True)
        return f"{', '.join(results)}; {refused} of {count} refused"

    return asyncio.run(play())


WRONG_BOARDS = b'{"puzzle":"tiles-2x2","boards":[' + b",".join([b"1"] * 520_000) + b"]}"
WRONG_NAMES = b"{" + b",".join(b'"%d":1' % number for number in range(100_000)) + b"}"
TRIALS: dict[str, tuple[str, Send, int | None]] = {
    "boards": ("520,000 wrong boards", posts("api/solve", WRONG_BOARDS), None),
    "boards8": ("the same, eight at once", posts("api/solve", WRONG_BOARDS, 8), None),
    "names8": ("100,000 unknown fields, eight at once", posts("api/solve", WRONG_NAMES, 8), None),
    "link": ("a link of 1 MB", read("http://a/" + "/scl" * 250_000 + "!"), None),
    "blank": ("30 kB of blank lines", read("1" + "\n" * 30_000 + "2"), None),
    "packed": ("a link that unpacks to gigabytes", lambda server: read(unpacks_to_much(154_000))(server), None),
    "frames": ("frames of 8,000 moves", frames, None),
    "readers": ("twelve slow readers", slow_readers, None),
    "idle": ("300 idle connections, ulimit -n 256", idle, 256),
    "greedy": ("34 searches of 6 s of one client", greedy_client, None),
}


# --- the long load ---


async def ask(address: str, number: int, end: float, statuses: Counter[str]) -> None:
    """One client: asks for all kinds of things until the end, and leaves in the middle of every fifth."""
    rng = random.Random(number)
    async with httpx.AsyncClient(base_url=address, timeout=60, headers={"x-client": str(number)}) as client:
        while time.monotonic() < end:
            path, query = rng.choice(QUESTIONS)
            patience = rng.uniform(0.01, 0.5) if rng.random() < 0.2 else 60.0
            try:
                async with asyncio.timeout(patience), client.stream("GET", "api/" + path, params=query) as answer:
                    async for _ in answer.aiter_bytes():
                        pass
                    statuses[str(answer.status_code)] += 1
            except TimeoutError:
                statuses["left"] += 1
            except httpx.HTTPError as error:
                statuses[type(error).__name__] += 1
            if rng.random() < 0.01:
                body = rng.choice((WRONG_BOARDS, WRONG_NAMES))
                with suppress(httpx.HTTPError):
                    statuses[f"large {(await client.post('api/solve', content=body)).status_code}"] += 1


def long_load(clients: int, seconds: float) -> None:
    """Prints memory, files and processes at the start, meanwhile and at the end of a load."""
    with served() as server:
        process = server.process.pid
        start = time.monotonic()
        statuses: Counter[str] = Counter()

        def look(what: str) -> None:
            facts = f"{held(process) / MEGABYTE:.0f} MB, server {held_by(process) / MEGABYTE:.0f} MB"
            console.print(f"{what}: {facts}, {files(process)} files, {len(family(process))} processes")

        async def all_of_them() -> None:
            end = start + seconds
            tasks = [asyncio.create_task(ask(server.address, number, end, statuses)) for number in range(clients)]
            while not all(task.done() for task in tasks):
                await asyncio.wait(tasks, timeout=60)
                look(f"after {time.monotonic() - start:.0f} s")
            await asyncio.gather(*tasks)

        look("at the start")
        asyncio.run(all_of_them())
        time.sleep(10)
        look("10 s after the end")
        console.print(", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
        console.print(f"{server.log.read_bytes().count(b'Traceback')} tracebacks in the log")


def held_by(process: int) -> int:
    """The bytes of one process, without what it shares."""
    _, resident, shared = Path(f"/proc/{process}/statm").read_text().split()[:3]
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def main(
    only: Annotated[str, typer.Option(help=f"One of {', '.join(TRIALS)}, files.")] = "",
    clients: Annotated[int, typer.Option(help="Clients of a long load, in the place of the costly requests.")] = 0,
    minutes: Annotated[float, typer.Option(help="How long these ask.")] = 5.0,
) -> None:
    """Send the costly requests, and print what was seen."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell in the background ignores
    if clients:
        long_load(clients, minutes * 60)
        return
    table = Table("request", "answers", "seconds", "MB more", "/health, slowest", "lines of log in 1 s", box=None)
    for name, (what, send, most_files) in TRIALS.items():
        if only in ("", name):
            table.add_row(*trial(what, send, most_files))
    if only in ("", "files"):
        for most in (16, 24):
            table.add_row(f"ulimit -n {most}", few_files(most), "", "", "", "")
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
