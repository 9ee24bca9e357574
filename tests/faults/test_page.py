"""The server of the page under load: clients that leave, costly requests, and Ctrl-C at a random moment."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from lab import Lab
from programs import Program

httpx = pytest.importorskip("httpx")
pytest.importorskip("fastapi")

HARD = "15 14 8 12 10 11 9 13 2 6 5 1 3 4 7 0"
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("solve", {"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1"}),
    ("solve/events", {"puzzle": "tiles-4x4", "board": HARD, "solver": "ida:estimate=manhattan", "time": 5}),
    ("solve", {"puzzle": "sudoku-9x9", "board": "8" + 10 * "." + "36" + 68 * ".", "time": 5}),
    ("hint", {"puzzle": "tiles-4x4", "board": HARD, "time": 5}),
    ("frames", {"puzzle": "tiles-2x2", "board": "1 2 3 0", "moves": "R L " * 50, "drawn": True}),
    ("check", {"puzzle": "dust-8x6x5", "board": "425225154523142543212442545541241413141521445214"}),
    ("list", {}),
)
LARGE = (
    b'{"puzzle":"tiles-2x2","boards":[' + b",".join([b"1"] * 520_000) + b"]}",
    b"{" + b",".join(b'"%d":1' % number for number in range(100_000)) + b"}",
    json.dumps({"text": "http://a/" + "/scl" * 250_000 + "!"}).encode(),
    json.dumps({"text": "1" + "\n" * 30_000 + "2"}).encode(),
)
"""The bodies of costly requests."""
CLIENTS = 8


def served(lab: Lab) -> tuple[Program, str]:
    """Start a server; return it and its address."""
    program = lab.start("web", "--port", "0", PYTHONUNBUFFERED=1)
    words = program.wait_for("(Ctrl-C").split()
    return program, next(word for word in words if word.startswith("http://"))


async def ask(address: str, chance: random.Random, statuses: Counter[int]) -> None:
    """Ask for all kinds of things until the server is gone, and leave in the middle of every fourth answer."""
    async with httpx.AsyncClient(base_url=address, timeout=60, headers={"x-client": str(chance.random())}) as client:
        while True:
            path, query = chance.choice(QUESTIONS)
            patience = chance.uniform(0.01, 0.5) if chance.random() < 0.25 else 60.0
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    if chance.random() < 0.1:
                        answer = await client.post(
                            f"api/{chance.choice(('solve', 'read'))}", content=chance.choice(LARGE)
                        )
                    else:
                        answer = await client.get(f"api/{path}", params=query)
                    statuses[answer.status_code] += 1


async def load(address: str, seconds: float, chance: random.Random, program: Program) -> Counter[int]:
    """Send requests, press Ctrl-C after this time, and return the number of answers of each status."""
    statuses: Counter[int] = Counter()
    clients = [asyncio.create_task(ask(address, random.Random(chance.random()), statuses)) for _ in range(CLIENTS)]
    await asyncio.sleep(seconds)
    program.send(signal.SIGINT)
    await asyncio.sleep(1)
    for client in clients:
        client.cancel()
    await asyncio.gather(*clients, return_exceptions=True)
    return statuses


@pytest.mark.parametrize("turn", range(4))
def test_a_server_under_load_ends_by_ctrl_c_without_a_trace(lab: Lab, turn: int) -> None:
    program, address = served(lab)
    statuses = asyncio.run(load(address, lab.random.uniform(0, 4) + 2 * turn, lab.random, program))
    assert program.finish().wrong() == []
    assert 500 not in statuses
