"""The public face: names become puzzles, solvers and estimates, and these become answers.

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
    from puzzlelab.core.solutions import Count, Listing


def load(name: str) -> Puzzle:
    """The puzzle with this name, such as `tiles-4x4`.

    Raises:
        UnknownName: if there is no such family of puzzles.
        BadOption: if the family has no puzzle of this size or variant.
    """
    return registry.load(name)


def solver(name: str | None = None, puzzle: Puzzle | None = None, **options: Any) -> Solver:
    """The solver of this name with these options; without a name the usual one of the puzzle.

    Raises:
        UnknownName: if there is no such solver.
        BadOption: if it has no such option, or the option cannot have this value.
    """
    if name is None:
        name, usually = usual_solver(puzzle)
        options = {**usually, **options}
    return registry.make_solver(name, options)


def attempts(
    instance: Instance, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any
) -> Iterator[Attempt]:
    """`Progress` and ever better `Result`s of one solver on one board, as they come."""
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
        solver: a solver or its name; the puzzle's usual one if not given.
        limit: where to stop; a search that stops early says so in `result.stop`, and what it has proven.
        watch: sees every attempt, and ends the search by returning True.
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

    The first board is solved alone, so that kernels are compiled and tables are built once. A solver that plays many
    boards side by side, such as `greedy`, is given a thousand at once, and the first thousand alone.
    """
    rest = iter(instances)
    first = next(rest, None)
    if first is None:
        return
    chosen = _solver(solver, first.puzzle, options)
    limit, over = limit or Limit(), threading.Event()

    def answers(portion: list[Instance]) -> list[Result]:
        return solve_all(chosen, portion, limit, over.is_set)

    asked = portions(chosen, chain([first], rest))
    yield from answers(next(asked))
    for found in ordered_map(answers, asked, jobs, on_interrupt=over.set):
        yield from found


def check(instance: Instance, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any) -> Check:
    """What speaks against a board, and how hard it is.

    Where a good board has one solution only, the solver looks for a second one within the limit.

    Raises:
        Unsupported: if it would have to, and cannot list solutions.
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
    """How many solutions a board has, up to `most`; `stop` says whether these are all.

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
    """The solutions of a board, up to `most`, verified one by one as they are found; iterate over it.

    Afterwards its `stop` says whether these are all ('done').

    Raises:
        Unsupported: if the solver cannot list.
    """
    from puzzlelab.core.solutions import Listing

    return Listing(_solver(solver, instance.puzzle, options), instance, limit or Limit(), most)


def generate(
    puzzle: str | Puzzle, count: int = 1, scale: str | None = None, level: str | None = None, seed: int = 0, **made: Any
) -> Iterator[Instance]:
    """New boards of an asked difficulty, one by one; equal seeds make equal boards.

    Args:
        puzzle: a puzzle or its name.
        count: how many boards.
        scale: the scale of difficulty; the puzzle's main one if not given.
        level: a level on it such as '15', or several such as '10-20', which come up alike.
        seed: which boards.
        made: what else a puzzle can be asked for; a Sudoku for `clues`, `minimal`, `symmetry`, `hard` and more.

    Raises:
        BadOption: for what does not exist, or cannot be had together.
        Unsupported: if the puzzle makes no boards.
    """
    from puzzlelab.analysis.board_generation import boards

    chosen = load(puzzle) if isinstance(puzzle, str) else puzzle
    return (Instance(chosen, board) for board in boards(chosen, count, scale, level, seed, **made))


def hint(instance: Instance, solver: str | Solver | None = None, limit: Limit | None = None, **options: Any) -> Hint:
    """The optimal moves at a position (`best`), and how many moves every other one wastes; `limit` is for all of them.

    Raises:
        Unsupported: if all moves of this puzzle are alike, as those of a Sudoku.
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
    """How many moves each move of a game wasted; `limit` is for the whole game.

    Raises:
        BadBoard: if a move cannot be made.
        Unsupported: if all moves of this puzzle are alike, as those of a Sudoku.
    """
    from puzzlelab.analysis.game_analysis import regrets as run_regrets

    return run_regrets(_solver(solver, instance.puzzle, options), instance, moves, limit or Limit())


def _solver(wanted: str | Solver | None, puzzle: Puzzle, options: Mapping[str, Any]) -> Solver:
    if wanted is None or isinstance(wanted, str):
        return solver(wanted, puzzle, **options)
    return wanted
