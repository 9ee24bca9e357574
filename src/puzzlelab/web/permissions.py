"""The options of a solver that a request may set: nothing that starts threads, opens files or fills the disk.

The solvers are looked at as they will run, with those that they run themselves, whatever text they were read from.
"""

from __future__ import annotations

import re

from puzzlelab.core.errors import BadOption, UnknownName, shorten
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Solver, is_network, with_inner_solvers
from puzzlelab.core.views import Estimates
from puzzlelab.storage import networks

HASH = re.compile(r"[0-9a-f]{4,64}")


def permit(chosen: Solver, puzzle: Puzzle) -> None:
    """Raise `BadInput` for an option of the solver, or of one that it runs, that a request may not set."""
    for solver in with_inner_solvers(chosen):
        options = solver.options()
        if options.get("jobs") not in (None, 1):
            raise BadOption("the option 'jobs' cannot be set here: every search has one thread")
        for value in options.values():
            if is_network(value):
                permit_network(value, puzzle)
            elif isinstance(value, str) and ":" in value:
                _permit_table(value, puzzle)


def permit_network(name: str, puzzle: Puzzle) -> None:
    """Raise `UnknownName` unless this is the name or the hash of a network of the package, or of the puzzle's own."""
    bare = networks.parts(name)[0]
    available = [path.stem for shelf in networks.shelves(puzzle) for path in shelf.glob("*.json")]
    if not bare or bare in available:
        return
    hashes = [card["name"] for card in networks.cards(puzzle).values()] if HASH.fullmatch(bare) else []
    if not any(each.startswith(bare) for each in hashes):
        raise UnknownName("network", bare, available)


def _permit_table(estimate: str, puzzle: Puzzle) -> None:
    """Raise `BadOption` unless the puzzle lists this estimate; the table of another one would be made and kept."""
    view = puzzle.view(Estimates)
    offered = () if view is None else tuple(view.estimates)
    if estimate not in offered:
        choice = f"; choose one of {', '.join(offered)}" if offered else ""
        raise BadOption(f"the estimate '{shorten(estimate)}' is not available here{choice}")
