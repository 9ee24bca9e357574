"""Conformance checks for puzzles and solvers; they are public, so that plug-ins can use them.

`check_puzzle` goes from top to bottom in the order in which a puzzle is written: its rules and notation with each view
of a board, its estimates, its scales, and how it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from puzzlelab.conformance.calls import CheckedPuzzle, must
from puzzlelab.conformance.estimates import check_estimates, known_solutions, usual_estimates
from puzzlelab.conformance.rules import check_batch_rules, check_goals, check_identity, check_state, check_texts
from puzzlelab.conformance.scales import boards_of, check_scales, scales_of
from puzzlelab.conformance.views import check_name, check_notation_view, check_presentation, check_views
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import require_kind, wrong_argument
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver
from puzzlelab.core.verify import verify
from puzzlelab.engine.search_rules import chosen_estimate
from puzzlelab.engine.solving import never, solve, solve_all

STATES_PER_STEP, MOST_STATES = 40, 2_000
"""States that the search for known solutions visits for each step of a walk, and the most of them."""
STEPS_PER_LEVEL = 15
"""Steps of a walk for which each scale is asked for one more level."""
SAMPLES = 3
"""Boards that are sampled where no starts are given."""
SAMPLED_STATES = 50
"""States with a known solution at which `objection` is checked."""


def check_puzzle(
    puzzle: Puzzle,
    starts: Sequence[Instance] = (),
    seed: int = 0,
    steps: int = 60,
    estimates: Sequence[str] | None = None,
) -> None:
    """Raise `ConformanceError` if the puzzle violates its contract; its sentence says what is wrong, and where.

    On random walks from each start:

    - the rules: `read` reads what `write` writes, and rejects other texts with `BadBoard`; moves have names; `legal`,
      `apply` and `solved` give what `Puzzle` declares, and do not change their arguments;
    - the views: `goals` gives all solved boards and no other; moves are undone by their inverses; kernels and batch
      rules equal the plain rules; symmetries, maps to an isomorphic puzzle, equivalent moves, exact covers, candidates,
      rewards and drawings agree with the rules.

    For the puzzle as a whole:

    - an admissible estimate never exceeds the moves, or the cost, of a known solution. Where moves can be undone, a
      search from the goals finds exact distances; otherwise random games and a search near their ends and from `starts`
      find solutions. If none is found nothing can be compared: give a start near a goal. Every estimate is the same
      each time, alone and in a batch, and after a move as from scratch;
    - no board with a known solution has an `objection`;
    - boards of a scale have the level that was asked for. A scale that `difficulty` leaves out, though it names others,
      may exceed it;
    - examples, solvers, lower bounds and notations that the view `Presentation` names can be used;
    - `name` loads an equal puzzle if its family is installed. The name of a puzzle that is defined in a test or a
      notebook belongs to no installed family, and is not loaded.

    Not checked: `Symbols`, `Candidates.random_symmetry`, `Samples.generator`, `BoardNotation`,
    `Drawings.with_scores`.

    Args:
        puzzle: the puzzle.
        starts: boards at which walks begin; by default boards of the puzzle's main scale.
        seed: the seed of all random numbers.
        steps: the moves of each walk. A search visits 40 states a step, at most 2,000; each scale is asked for one
            level for every 15 steps, and with fewer only the main scale makes a board.
        estimates: the names of the estimates to check, by default all. If states have more than 16 numbers and
            any estimate `is_cheap`, the default is those, and functions of states.

    Raises:
        BadOption: if `starts` are no boards; `UnknownName` for a name in `estimates` that is none.

    >>> puzzlelab.check_puzzle(puzzlelab.load("tiles-2x2"), steps=10)
    """
    for start in require_kind(starts, Sequence, "the boards to start from", "a list of boards"):
        require_kind(start, Instance, "a start", "a board, as `puzzle.read` gives it")
    named = None if estimates is None else [chosen_estimate(puzzle, name) for name in estimates]
    checked, random = check_identity(puzzle), np.random.default_rng(seed)
    with checked.at():
        states = [start.state for start in starts]
        for name, scale in [] if states else list(scales_of(checked).items())[:1]:
            states = list(boards_of(checked, name, scale, seed, [None], SAMPLES)[None])
        must(bool(states), f"{puzzle.name} needs a start: it has no scale to sample from")
        check_texts(checked, states[0])
        goals = check_goals(checked, states[0])
        walked = [state for start in states for state in _walk(checked, start, random, steps)]
        check_batch_rules(checked, walked if goals is None else [*walked, *goals])
        solutions = known_solutions(checked, goals, states, random, min(MOST_STATES, STATES_PER_STEP * steps))
        for row in solutions.rows(SAMPLED_STATES):
            if (objection := checked.objection(solutions.states[row])) is not None:
                must(False, f"{puzzle.name}: `objection` says '{objection}' {solutions.sentence(row)}")
        chosen = usual_estimates(checked, states[0]) if named is None else named
        check_estimates(chosen, np.stack([*states, *walked[-1:]]), solutions, random)
        check_scales(checked, seed, steps // STEPS_PER_LEVEL)
        check_notation_view(checked, states[0], solutions)
        check_presentation(checked, states[0])
        check_name(checked)


def _walk(puzzle: CheckedPuzzle, state: State, random: np.random.Generator, steps: int) -> list[State]:
    """Check the states of a random walk of this number of moves, and return them."""
    states = []
    for _ in range(steps):
        check_state(puzzle, state)
        check_views(puzzle, state)
        states.append(state)
        moves = np.flatnonzero(puzzle.legal(state))
        if moves.size == 0:
            break
        state = puzzle.apply(state, int(random.choice(moves)))
    return states


def check_solver(solver: Solver, instances: Sequence[tuple[Instance, int | None]], limit: Limit | None = None) -> None:
    """Raise `ConformanceError` with a sentence if the solver violates its protocols on these boards.

    Each board comes with the length of its shortest solution, None if it has none. Checks: attempts only get better,
    counts only grow, answers hold, proofs are true, the same board has the same answer, a limit of one node holds, and
    a batch gives the same results as single boards. Raises `BadOption` if `instances` are no pairs of a board and a
    length.

    >>> puzzle = puzzlelab.load("tiles-2x2")
    >>> puzzlelab.check_solver(puzzlelab.solver("bfs"), [(puzzle.read("1 2 0 3"), 1), (puzzle.read("2 1 3 0"), None)])
    """
    for pair in require_kind(instances, Sequence, "the boards to solve", "a list of pairs of a board and a length"):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise wrong_argument("a board to solve", "a pair of a board and the length of its shortest solution", pair)
        require_kind(pair[0], Instance, "a board to solve", "a board, as `puzzle.read` gives it")
        if not isinstance(pair[1], int | None):
            raise wrong_argument("the length of a shortest solution", "a number, or None if there is none", pair[1])
    alone = [_check_alone(solver, instance, optimum, limit or Limit()) for instance, optimum in instances]
    _check_batches(solver, [instance for instance, _ in instances], alone, limit or Limit())


def _check_alone(solver: Solver, instance: Instance, optimum: int | None, limit: Limit) -> Result:
    """Check the answers for one board, and return the last of them."""
    attempts = list(solver.attempts(instance, limit))
    counts = [attempt.expanded for attempt in attempts]
    must(counts == sorted(counts), f"{solver.name}: the count of expanded states fell")
    results = [attempt for attempt in attempts if isinstance(attempt, Result)]
    must(bool(results), f"{solver.name} ended on {instance!r} without a result")
    lengths = [result.length for result in results if result.length is not None]
    must(lengths == sorted(lengths, reverse=True), f"{solver.name}: results on {instance!r} do not get better")
    for result in results:
        verdict, bound = verify(instance, result), result.lower_bound
        must(verdict.holds, f"{solver.name} on {instance!r}: {verdict.reason}")
        if optimum is None:
            must(result.moves is None, f"{solver.name} solved {instance!r}, which cannot be solved")
            continue
        must(result.proof != "unsolvable", f"{solver.name} calls {instance!r} unsolvable")
        must(bound <= optimum, f"{solver.name} on {instance!r}: its lower bound exceeds the optimum {optimum}")
        is_best = result.proof != "optimal" or result.length == optimum
        must(is_best, f"{solver.name} on {instance!r}: {result.length} is called optimal")
    again, short = solve(solver, instance, limit), solve(solver, instance, Limit(nodes=1))
    must(again.moves == results[-1].moves, f"{solver.name} answers {instance!r} differently each time")
    must(short.expanded <= 1, f"{solver.name} does not keep a limit of one node")
    return again


def _check_batches(solver: Solver, instances: Sequence[Instance], alone: Sequence[Result], limit: Limit) -> None:
    """Check that a batch gives the results of single boards.

    The counts of threads that share a search differ each time, and those of boards that are solved one after the other
    where the solver remembers what it learned.
    """
    by_puzzle = [list(boards) for _, boards in groupby(instances, key=lambda instance: instance.puzzle)]
    together = [result for boards in by_puzzle for result in solve_all(solver, boards, limit)]
    is_batch = all(solver.solve_batch(Boards.of(boards), limit, never) is not None for boards in by_puzzle)
    costs: dict[str, Any] = {"seconds": None}
    if not is_batch or solver.options().get("jobs", 1) != 1:
        costs |= {"expanded": 0, "generated": 0, "evaluations": 0}
    for instance, one, other in zip(instances, alone, together, strict=True):
        same = replace(one, **costs) == replace(other, **costs)
        must(same, f"{solver.name} answers {instance!r} differently among other boards")
