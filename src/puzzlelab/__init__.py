"""Define a puzzle once; solve it exactly, by learned networks, or both; know how far each answer is from the best.

This module has the public names of the package, such as `puzzlelab.load` and `puzzlelab.solve`. Each is imported from
its module when it is first used.

- `core` has the contracts, `engine` runs searches, `puzzles` and `solvers` have the rules and the methods;
- `analysis` has hints, checks and the generation of boards;
- `nets`, `experience` and `training` have the networks, their training samples and the recipes that train them;
- `bench` compares solvers;
- `api`, `gym`, `cli` and `web` use all of it: from Python, as Gymnasium environments, on the command line, in browsers.

Start reading at `api`, then `core.puzzle`. docs/how-it-works.md has a drawing of the packages, and follows one board
through them. Imports run from the last line of this list to the first.
"""

import _signal  # type: ignore[import-not-found]  # what Python has built in: `signal` is a file
import sys as _sys

# Until `startup` is read, Ctrl-C ends the program without a traceback. Used as a library, the package changes nothing.
_is_program = _sys.argv[:1] == ["-m"] or "".join(_sys.argv[:1]).endswith(("/puzzlelab", "\\puzzlelab.exe"))
_is_early = _is_program and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
if _is_early:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from puzzlelab.runtime import startup as _startup

_startup.begin()  # before all other imports: signals that come meanwhile find a handler
if _is_early and _signal.getsignal(_signal.SIGINT) is _signal.SIG_DFL:
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)

from typing import TYPE_CHECKING, Any

from puzzlelab.storage import network_source as _network_source
from puzzlelab.version import VERSION

__version__ = VERSION

_HOMES = {
    "api": (
        "load",
        "read",
        "read_many",
        "solve",
        "solve_many",
        "solve_table",
        "attempts",
        "check",
        "count",
        "generate",
        "solutions",
        "hint",
        "open_executor",
        "prove",
        "regrets",
        "verify",
    ),
    "jobs.checks": ("Check",),
    "conformance.check": ("check_puzzle", "check_solver"),
    "core.errors": (
        "BadBoard",
        "BadFile",
        "BadInput",
        "BadOption",
        "ConformanceError",
        "PuzzlelabError",
        "UnknownName",
        "Unsupported",
    ),
    "analysis.hints": ("Hint",),
    "analysis.proofs": ("ProofCheck",),
    "core.boards": ("Boards", "Instance"),
    "core.limit": ("Limit",),
    "core.registry": ("solver",),
    "core.cover": ("ExactCover",),
    "core.puzzle": ("Example", "Family", "Presentation", "Puzzle", "State"),
    "core.views": ("BatchRules", "Estimate", "KernelRules", "Scale"),
    "core.result": ("Count", "Progress", "Result"),
    "analysis.game_analysis": ("Regrets",),
    "storage.row": ("Row",),
    "engine.enumeration": ("Listing",),
    "core.solver": ("Solver",),
    "core.verify": ("Verdict",),
    "analysis.state_evaluation": ("PuzzleNetwork", "estimate", "network"),
    "puzzles.dust.rules": ("Dust",),
    "puzzles.sudoku.rules": ("Sudoku",),
    "puzzles.tiles.rules": ("Tiles",),
}
"""The module of each public name; they are imported when first used, so that `import puzzlelab` costs nothing."""

_PLACES = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BadBoard",
    "BadFile",
    "BadInput",
    "BadOption",
    "BatchRules",
    "Boards",
    "Check",
    "ConformanceError",
    "Count",
    "Dust",
    "Estimate",
    "ExactCover",
    "Example",
    "Family",
    "Hint",
    "Instance",
    "KernelRules",
    "Limit",
    "Listing",
    "Presentation",
    "Progress",
    "ProofCheck",
    "Puzzle",
    "PuzzleNetwork",
    "PuzzlelabError",
    "Regrets",
    "Result",
    "Row",
    "Scale",
    "Solver",
    "State",
    "Sudoku",
    "Tiles",
    "UnknownName",
    "Unsupported",
    "Verdict",
    "__version__",
    "attempts",
    "check",
    "check_puzzle",
    "check_solver",
    "count",
    "estimate",
    "generate",
    "hint",
    "load",
    "network",
    "open_executor",
    "prove",
    "read",
    "read_many",
    "regrets",
    "solutions",
    "solve",
    "solve_many",
    "solve_table",
    "solver",
    "verify",
]

if TYPE_CHECKING:
    from puzzlelab.analysis.game_analysis import Regrets
    from puzzlelab.analysis.hints import Hint
    from puzzlelab.analysis.proofs import ProofCheck
    from puzzlelab.analysis.state_evaluation import PuzzleNetwork, estimate, network
    from puzzlelab.api import (
        attempts,
        check,
        count,
        generate,
        hint,
        load,
        open_executor,
        prove,
        read,
        read_many,
        regrets,
        solutions,
        solve,
        solve_many,
        solve_table,
        verify,
    )
    from puzzlelab.conformance.check import check_puzzle, check_solver
    from puzzlelab.core.boards import Boards, Instance
    from puzzlelab.core.cover import ExactCover
    from puzzlelab.core.errors import (
        BadBoard,
        BadFile,
        BadInput,
        BadOption,
        ConformanceError,
        PuzzlelabError,
        UnknownName,
        Unsupported,
    )
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Example, Family, Presentation, Puzzle, State
    from puzzlelab.core.registry import solver
    from puzzlelab.core.result import Count, Progress, Result
    from puzzlelab.core.solver import Solver
    from puzzlelab.core.verify import Verdict
    from puzzlelab.core.views import BatchRules, Estimate, KernelRules, Scale
    from puzzlelab.engine.enumeration import Listing
    from puzzlelab.jobs.checks import Check
    from puzzlelab.puzzles.dust.rules import Dust
    from puzzlelab.puzzles.sudoku.rules import Sudoku
    from puzzlelab.puzzles.tiles.rules import Tiles
    from puzzlelab.storage.row import Row


def _networks() -> _network_source.NetworkSource:
    """Return the source of networks; it imports ONNX Runtime."""
    from puzzlelab.nets import model_zoo

    return model_zoo


_network_source.load = _networks


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'puzzlelab' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"puzzlelab.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
