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

from puzzlelab import storage as _storage
from puzzlelab.version import VERSION

__version__ = VERSION

_HOMES = {
    "api": (
        "load read read_many solve solve_many solve_table analyse attempts canonical check count generate solutions "
        "hint estimate_count needless_clues open_executor prove rate read_moves scramble steps train true_candidates "
        "unavoidable_set verify write_moves"
    ),
    "jobs.checks": "Check",
    "conformance": "check_puzzle check_solver",
    "core.errors": ("BadBoard BadFile BadInput BadOption ConformanceError PuzzlelabError UnknownName Unsupported"),
    "analysis.hints": "Hint",
    "analysis.logical_hints": "LogicalHint",
    "analysis.count_estimates": "CountEstimate",
    "analysis.needless_clues": "NeedlessClues",
    "analysis.proofs": "ProofCheck",
    "analysis.true_candidates": "TrueCandidates",
    "analysis.unavoidable_sets": "UnavoidableSet",
    "core.boards": "Boards Instance",
    "core.limit": "Limit",
    "core.logic": "Logic Rating Step",
    "core.registry": "solver",
    "core.cover": "ExactCover",
    "core.puzzle": "Example Family Presentation Puzzle State",
    "core.views": "BatchRules Estimate KernelRules Scale",
    "core.result": "Count Progress Result",
    "analysis.game_analysis": "Analysis",
    "storage.row": "Row",
    "training.train": "Training",
    "engine.enumeration": "Listing",
    "core.solver": "Solver",
    "core.verify": "Verdict",
    "analysis.state_evaluation": "PuzzleNetwork estimate network",
    "puzzles.dust.rules": "Dust",
    "puzzles.sudoku.rules": "Sudoku",
    "puzzles.tiles.rules": "Tiles",
}
"""The public names of each module; they are imported when first used, so that `import puzzlelab` costs nothing."""

_PLACES = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_PLACES]  # noqa: PLE0604  # type checkers take the names that are imported as themselves

if TYPE_CHECKING:
    from puzzlelab.analysis.count_estimates import CountEstimate as CountEstimate  # noqa: I001  # a statement a module
    from puzzlelab.analysis.game_analysis import Analysis as Analysis
    from puzzlelab.analysis.hints import Hint as Hint
    from puzzlelab.analysis.logical_hints import LogicalHint as LogicalHint
    from puzzlelab.analysis.needless_clues import NeedlessClues as NeedlessClues
    from puzzlelab.analysis.proofs import ProofCheck as ProofCheck
    from puzzlelab.analysis.state_evaluation import (
        PuzzleNetwork as PuzzleNetwork,
        estimate as estimate,
        network as network,
    )
    from puzzlelab.analysis.true_candidates import TrueCandidates as TrueCandidates
    from puzzlelab.analysis.unavoidable_sets import UnavoidableSet as UnavoidableSet
    from puzzlelab.api import (
        analyse as analyse,
        attempts as attempts,
        canonical as canonical,
        check as check,
        count as count,
        estimate_count as estimate_count,
        generate as generate,
        hint as hint,
        load as load,
        needless_clues as needless_clues,
        open_executor as open_executor,
        prove as prove,
        rate as rate,
        read as read,
        read_many as read_many,
        read_moves as read_moves,
        scramble as scramble,
        solutions as solutions,
        solve as solve,
        solve_many as solve_many,
        solve_table as solve_table,
        steps as steps,
        train as train,
        true_candidates as true_candidates,
        unavoidable_set as unavoidable_set,
        verify as verify,
        write_moves as write_moves,
    )
    from puzzlelab.conformance import (
        check_puzzle as check_puzzle,
        check_solver as check_solver,
    )
    from puzzlelab.core.boards import (
        Boards as Boards,
        Instance as Instance,
    )
    from puzzlelab.core.cover import ExactCover as ExactCover
    from puzzlelab.core.errors import (
        BadBoard as BadBoard,
        BadFile as BadFile,
        BadInput as BadInput,
        BadOption as BadOption,
        ConformanceError as ConformanceError,
        PuzzlelabError as PuzzlelabError,
        UnknownName as UnknownName,
        Unsupported as Unsupported,
    )
    from puzzlelab.core.limit import Limit as Limit
    from puzzlelab.core.logic import (
        Logic as Logic,
        Rating as Rating,
        Step as Step,
    )
    from puzzlelab.core.puzzle import (
        Example as Example,
        Family as Family,
        Presentation as Presentation,
        Puzzle as Puzzle,
        State as State,
    )
    from puzzlelab.core.registry import solver as solver
    from puzzlelab.core.result import (
        Count as Count,
        Progress as Progress,
        Result as Result,
    )
    from puzzlelab.core.solver import Solver as Solver
    from puzzlelab.core.verify import Verdict as Verdict
    from puzzlelab.core.views import (
        BatchRules as BatchRules,
        Estimate as Estimate,
        KernelRules as KernelRules,
        Scale as Scale,
    )
    from puzzlelab.engine.enumeration import Listing as Listing
    from puzzlelab.jobs.checks import Check as Check
    from puzzlelab.puzzles.dust.rules import Dust as Dust
    from puzzlelab.puzzles.sudoku.rules import Sudoku as Sudoku
    from puzzlelab.puzzles.tiles.rules import Tiles as Tiles
    from puzzlelab.storage.row import Row as Row
    from puzzlelab.training.train import Training as Training


def _networks() -> "_storage.NetworkSource":
    """Return the source of networks; it imports ONNX Runtime."""
    from puzzlelab.nets import model_zoo

    return model_zoo


_storage.load_networks = _networks


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'puzzlelab' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"puzzlelab.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
