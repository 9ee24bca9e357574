"""What a task gets: the parameters of a request, with no more than a request may set, and the server as it sees it.

The options of a solver that would start threads, open files or fill the disk are refused. The solvers are looked at as
they will run, with those that they run themselves, whatever text they were read from. Imports are inside the functions,
because each task needs a different part of the library.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from puzzlelab.core.errors import BadOption, UnknownName, shorten, visible
from puzzlelab.core.limit import Limit

if TYPE_CHECKING:
    from puzzlelab.core.boards import Instance
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver

Parameters = Mapping[str, Any]
"""The parameters of a request by name; those that were left out may be missing or None."""
MAX_ANSWER = 8 * 2**20
"""The most bytes of one answer."""
THROTTLE_SECONDS = 0.2
"""The least time between two throttled messages of one kind."""
HASH = re.compile(r"[0-9a-f]{4,64}")


class TaskContext:
    """The server as a task sees it: the task sends messages, and asks whether its result is still needed."""

    def __init__(self, send: Callable[[str, Any], None], stop_requested: Callable[[], bool], memory: int) -> None:
        self.send, self.stop_requested, self.memory = send, stop_requested, memory
        self._last_sent: dict[str, float] = {}

    def send_throttled(self, kind: str, value: Any) -> None:
        """Send a message unless one of the same kind was sent within `THROTTLE_SECONDS`."""
        now = time.monotonic()
        if now - self._last_sent.get(kind, -THROTTLE_SECONDS) >= THROTTLE_SECONDS:
            self._last_sent[kind] = now
            self.send(kind, value)

    # The interface of a listener of `engine.report`.

    def note(self, sentence: str) -> None:
        logging.warning("%s", visible(sentence))  # it may contain paths of files

    def waiting(self, sentence: str) -> None:
        self.send("waiting", {"text": sentence})

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        share = f" {done / total:.0%}" if total else ""
        self.send_throttled("waiting", {"text": f"{title}{share}{f': {status}' if status else ''}"})


# --- parameters ---


def puzzle_of(parameters: Parameters) -> Puzzle:
    """Return the puzzle of this name."""
    from puzzlelab.core import registry

    return registry.load(parameters["puzzle"])


def instance_of(parameters: Parameters) -> Instance:
    """Return the puzzle and its board."""
    return puzzle_of(parameters).read(parameters["board"])


def limit_of(parameters: Parameters, context: TaskContext) -> Limit:
    """Return the limit of a search."""
    from puzzlelab.runtime.memory import resident

    return Limit(parameters.get("time"), parameters.get("nodes"), resident() + context.memory)


def moves_of(parameters: Parameters, instance: Instance) -> list[int]:
    """Return the moves of a game from a board on."""
    from puzzlelab.text.moves import read_game

    return read_game(instance, parameters.get("moves") or "", parameters.get("letters"))


def solver_of(parameters: Parameters, puzzle: Puzzle) -> Solver:
    """Return the requested solver, or the usual one; raises `BadInput`, also for options that a request may not set."""
    from puzzlelab.core import registry
    from puzzlelab.core.solver import is_network, require, with_inner_solvers

    chosen = registry.solver(parameters.get("solver") or None, puzzle)
    for solver in with_inner_solvers(chosen):
        options = solver.options()
        if options.get("jobs") not in (None, 1):
            raise BadOption("the option 'jobs' cannot be set here: every search has one thread")
        for value in options.values():
            if is_network(value):
                _permit_network(value, puzzle)
            elif isinstance(value, str) and ":" in value:
                _permit_table(value, puzzle)
    require(chosen, puzzle)
    return chosen


def network_of(parameters: Parameters, puzzle: Puzzle) -> str:
    """Return the name of the requested network in the form that options of solvers have."""
    from puzzlelab.analysis.network_options import BEST, named

    name = named(parameters.get("net") or BEST)
    _permit_network(name, puzzle)
    return name


def _permit_network(name: str, puzzle: Puzzle) -> None:
    """Raise `UnknownName` unless this is the name or the hash of a network on one of the shelves of the puzzle."""
    from puzzlelab.storage import networks

    bare = networks.parts(name)[0]
    available = [path.stem for shelf in networks.shelves(puzzle) for path in shelf.glob("*.json")]
    if not bare or bare in available:
        return
    hashes = [card["name"] for card in networks.cards(puzzle).values()] if HASH.fullmatch(bare) else []
    if not any(each.startswith(bare) for each in hashes):
        raise UnknownName("network", bare, available)


def _permit_table(estimate: str, puzzle: Puzzle) -> None:
    """Raise `BadOption` unless the puzzle lists this estimate; the table of another one would be made and kept."""
    from puzzlelab.core.views import Estimates

    view = puzzle.view(Estimates)
    offered = () if view is None else tuple(view.estimates)
    if estimate not in offered:
        choice = f"; choose one of {', '.join(offered)}" if offered else ""
        raise BadOption(f"the estimate '{shorten(estimate)}' is not available here{choice}")
