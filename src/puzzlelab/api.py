"""The public functions of the package: they load puzzles and solvers by name, and solve, check and make boards.

>>> import puzzlelab
>>> puzzle = puzzlelab.load("tiles-3x3")
>>> board = puzzle.read("8 6 7 2 5 4 3 0 1")
>>> result = puzzlelab.solve(board, solver="ida", estimate="walking")
>>> result.length, result.proof
(31, 'optimal')
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from puzzlelab.core import registry
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Attempt, Solver, attempts_of, portions, solve_all, usual_solver
from puzzlelab.core.solver import solve as run
from puzzlelab.engine.parallel import ordered_map

if TYPE_CHECKING:
    from puzzlelab.analysis.checks import Check
    from puzzlelab.analysis.game_analysis import Regrets
    from puzzlelab.analysis.hints import Hint
    from puzzlelab.analysis.proofs import ProofCheck
    from puzzlelab.core.solutions import Count, Listing


def load(name: str) -> Puzzle:
    """The puzzle with this name, such as `tiles-4x4`.

    Raises:
        UnknownName: if there is no such family of puzzles.
        BadOption: if the family has no puzzle of this size or variant.
    """
    return registry.load(name)


def solver(name: str | None = None, puzzle: Puzzle | None = None, **options: Any) -> Solver:
    """The solver of this name with these options; without a name, the puzzle's default solver.

    Raises:
        UnknownName: if there is no such solver.
        BadOption: if it has no such option, or the option cannot have this value.
    """
    if name is None:
        name, defaults = usual_solver(puzzle)
        options = {**defaults, **options}
    return registry.make_solver(name, options)


def attempts(
    instance: Instance, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any
) -> Iterator[Attempt]:
    """Yield `Progress` and ever better `Result`s of a solver on a board while it runs."""
    return attempts_of(_solver(solver, instance.puzzle, options), instance, limit or Limit())


def solve(
    instance: Instance,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    watch: Callable[[Attempt], bool] | None = None,
    **options: Any,
) -> Result:
    """The best answer of a solver to one board, verified by replay.

    Args:
        instance: a board, as `puzzle.read` gives it.
        solver: a solver or its name, by default the puzzle's default solver.
        limit: where to stop; `result.stop` says whether a limit ended the search, `result.proof` what is proven.
        watch: is called with every attempt, and ends the search by returning True.
        options: the solver's settings, such as `estimate="pdb"`.
    """
    return run(_solver(solver, instance.puzzle, options), instance, limit or Limit(), watch)


def solve_many(
    instances: Iterable[Instance],
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    jobs: int | None = None,
    **options: Any,
) -> Iterator[Result]:
    """The answers to many boards, in order, on `jobs` threads (all cores if not given); `limit` is for each board.

    The first board is solved alone, so that kernels are compiled and tables are built once. A solver that solves many
    boards together, such as `greedy`, gets batches of a thousand boards, and the first batch alone.
    """
    rest = iter(instances)
    first = next(rest, None)
    if first is None:
        return
    chosen_solver = _solver(solver, first.puzzle, options)
    limit, over = limit or Limit(), threading.Event()

    def answers(batch: list[Instance]) -> list[Result]:
        return solve_all(chosen_solver, batch, limit, over.is_set)

    batches = portions(chosen_solver, chain([first], rest))
    yield from answers(next(batches))
    for results in ordered_map(answers, batches, jobs, on_interrupt=over.set):
        yield from results


def check(instance: Instance, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any) -> Check:
    """Check a board: whether it can be solved, and how hard it is.

    For puzzles whose boards should have a unique solution, the solver looks for a second one within the limit.

    Raises:
        Unsupported: if the solver must look for a second solution, and cannot enumerate solutions.
    """
    from puzzlelab.analysis.checks import check as run_check

    return run_check(instance, _solver(solver, instance.puzzle, options), limit or Limit())


def count(
    instance: Instance,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    most: int | None = None,
    **options: Any,
) -> Count:
    """Count the solutions of a board, up to `most`; `stop` says whether these are all.

    Raises:
        Unsupported: if the solver cannot count.
    """
    from puzzlelab.core.solutions import count as run_count

    return run_count(_solver(solver, instance.puzzle, options), instance, limit or Limit(), most)


def solutions(
    instance: Instance,
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    most: int | None = None,
    **options: Any,
) -> Listing:
    """Iterate over the solutions of a board, up to `most`; each is verified.

    After the iteration, `stop` says whether these are all ('done').

    Raises:
        Unsupported: if the solver cannot enumerate solutions.
    """
    from puzzlelab.core.solutions import Listing

    return Listing(_solver(solver, instance.puzzle, options), instance, limit or Limit(), most)


def generate(
    puzzle: str | Puzzle,
    count: int = 1,
    scale: str | None = None,
    level: str | None = None,
    seed: int = 0,
    **settings: Any,
) -> Iterator[Instance]:
    """Yield new boards of a requested difficulty; equal seeds make equal boards.

    Args:
        puzzle: a puzzle or its name.
        count: how many boards.
        scale: the scale of difficulty, by default the puzzle's main one.
        level: a level on it such as '15', or several such as '10-20', which are equally frequent.
        seed: the seed of the random boards.
        settings: further settings of the puzzle's own generator, such as `clues`.

    Raises:
        BadOption: for unknown settings, and for settings that exclude each other.
        Unsupported: if the puzzle cannot make boards.
    """
    from puzzlelab.analysis.board_generation import boards

    chosen = load(puzzle) if isinstance(puzzle, str) else puzzle
    return (Instance(chosen, board) for board in boards(chosen, count, scale, level, seed, **settings))


def prove(
    instance: Instance, result: Result, claimed_by: str | Solver | None = None, limit: Limit | None = None
) -> ProofCheck | None:
    """Prove or refute what a result claims beyond its moves, by another method than the one that claimed it.

    A claim is that a solution is optimal or the only one, that there is none, or a lower bound. The puzzle names the
    methods (`Presentation.provers`). Returns None if the result claims nothing.

    Args:
        instance: a board.
        result: its answer; `verify` confirms its moves.
        claimed_by: the solver that made the claim, or its name with default options; it is tried last, and can only
            refute. Without it any method may prove the claim.
        limit: for all methods together.

    Raises:
        PuzzlelabError: if the moves of the result are wrong, or its columns contradict each other.
    """
    from puzzlelab.analysis.proofs import Method
    from puzzlelab.analysis.proofs import prove as run_prove
    from puzzlelab.core.verify import verify

    verdict = verify(instance, result)
    if not verdict.holds:
        raise PuzzlelabError(f"the result does not hold: {verdict.reason}")
    name, options = (claimed_by, {}) if isinstance(claimed_by, str | None) else (claimed_by.name, claimed_by.options())
    claimant = None if name is None else Method.of(instance.puzzle, name, options)
    return run_prove(instance, result, limit or Limit(), claimant)


def hint(instance: Instance, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any) -> Hint:
    """The optimal moves at a position (`best`), and the regret of every other move; `limit` is for all together.

    Raises:
        Unsupported: if all solutions of this puzzle are equally long, as those of a Sudoku.
    """
    from puzzlelab.analysis.hints import hint as run_hint

    return run_hint(_solver(solver, instance.puzzle, options), instance, limit or Limit())


def regrets(
    instance: Instance,
    moves: Sequence[int],
    solver: str | Solver | None = None,
    limit: Limit | None = None,
    **options: Any,
) -> Regrets:
    """The regret of each move of a game, in wasted moves; `limit` is for the whole game.

    Raises:
        BadBoard: if a move is illegal.
        Unsupported: if all solutions of this puzzle are equally long, as those of a Sudoku.
    """
    from puzzlelab.analysis.game_analysis import regrets as run_regrets

    return run_regrets(_solver(solver, instance.puzzle, options), instance, moves, limit or Limit())


def _solver(choice: str | Solver | None, puzzle: Puzzle, options: Mapping[str, Any]) -> Solver:
    if choice is None or isinstance(choice, str):
        return solver(choice, puzzle, **options)
    return choice
