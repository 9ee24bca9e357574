"""A played game: the moves that each of its moves wasted, and its boards with lower bounds, for stepping through it.

The bounds of the boards are cheap: they come from estimates with small tables or none, never from a pattern database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from puzzlelab.analysis.bounded_queries import (
    BudgetedSolver,
    Interval,
    MoveValue,
    Watch,
    interval_difference,
    require_comparable_moves,
    result_interval,
)
from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import LIMITS, Result, Stop
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import Candidates
from puzzlelab.engine.batch_rules import cheap_bounds
from puzzlelab.engine.solving import solve_all, uninterrupted
from puzzlelab.text.moves import positions_of

Known = Mapping[bytes, Result]
"""The verified answers to some positions, by their states."""
POSITIONS = 2_000
"""The positions of several games that are solved together."""
QUICK_NODES = 20_000
"""The states that a search of one of them may expand; its game is searched longer by itself where that is too few."""


@dataclass(frozen=True, eq=False)
class Game:
    """A board, legal moves from it, and the positions that they lead to, the board first."""

    moves: Sequence[int]
    positions: Sequence[Instance]

    @classmethod
    def of(cls, instance: Instance, moves: Sequence[int]) -> Game:
        """Return the game with these moves, which need not be finished; raises `BadBoard` with an illegal one."""
        return cls(moves, list(positions_of(instance, moves)))

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle of the board."""
        return self.positions[0].puzzle


@dataclass(frozen=True)
class Analysis:
    """The regret of each move of a game, of the whole game, and what was best instead.

    >>> analysis = puzzlelab.analyse(puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 0 7 8"), "L R L L")
    >>> [str(step.regret) for step in analysis.steps], str(analysis.total)
    (['0', '2', '0', '0'], '2')
    >>> analysis.first_mistake, analysis.continuation
    (1, (2,))
    """

    steps: tuple[MoveValue, ...]
    total: Interval
    """The regret of the whole game. It depends on both ends alone, so it may be proven where single moves are not."""
    continuation: tuple[int, ...] = ()
    """The moves of the best known solution from the board before the first mistake on, or from the end of a game
    without one; empty where none is known."""
    stop: Stop = "done"
    expanded: int = 0
    seconds: float = 0.0

    @property
    def proven(self) -> bool:
        """Whether the regret of every move is proven."""
        return all(step.regret.proven for step in self.steps)

    @property
    def first_mistake(self) -> int | None:
        """The place in `steps` of the first move that is proven to waste moves, or None."""
        return next((place for place, step in enumerate(self.steps) if _is_mistake(step)), None)


def _is_mistake(step: MoveValue) -> bool:
    """Tell whether a move is proven to waste moves, or to lead from a board with a solution to one without."""
    return not step.before.unsolvable and (step.after.unsolvable or step.regret.least > 0)


def analyse(
    solver: Solver, game: Game, limit: Limit, watch: Watch | None = None, known: Known = MappingProxyType({})
) -> Analysis:
    """Return the regret of each move of a game.

    Raises:
        Unsupported: if all solutions of this puzzle are equally long, or the solver cannot solve it.
    """
    require_comparable_moves(game.puzzle)
    budgeted, moves = BudgetedSolver(solver.with_memory(), limit, watch), game.moves
    bounds, answers = _searched(budgeted, game, known)
    steps = tuple(
        MoveValue(move, before, after, interval_difference(after.plus(1), before))
        for move, before, after in zip(moves, bounds[:-1], bounds[1:], strict=True)
    )
    total = interval_difference(bounds[-1].plus(len(moves)), bounds[0]) if steps else Interval(0, 0)
    analysis = Analysis(steps, total)
    place = len(moves) if analysis.first_mistake is None else analysis.first_mistake
    if bounds[place].most and _rest(answers, moves, place) is None:
        answers[place] = budgeted.search(game.positions[place], bounds[place], 1)[1]
    continuation, stop = _rest(answers, moves, place) or (), budgeted.stop(analysis.proven)
    return Analysis(steps, total, continuation, stop, budgeted.expanded, budgeted.seconds)


def _searched(budgeted: BudgetedSolver, game: Game, known: Known) -> tuple[list[Interval], dict[int, Result]]:
    """Return bounds on the cost-to-go of each position, and the answers to those that were searched, by their places.

    The number of moves made plus the cost-to-go never falls along a game; if it is equal at two positions, it is so at
    all positions between them. Therefore both ends are searched first, then the middle of each open interval.
    """
    positions, answers = game.positions, dict[int, Result]()
    bounds = [Interval(0, 0) if game.puzzle.solved(position.state) else Interval(1) for position in positions]
    for place, position in enumerate(positions):
        if (result := known.get(position.state.tobytes())) is not None:
            answers[place], bounds[place] = result, bounds[place].meets(result_interval(result))
    bounds = _propagate(bounds)
    pending = _bisection_order(len(positions))
    while pending:
        later = []
        for number, place in enumerate(pending):
            parts = sum(not bounds[other].proven for other in pending[number:])
            if not bounds[place].proven:
                bounds[place], answers[place] = budgeted.search(positions[place], bounds[place], parts)
                bounds = _propagate(bounds)
                later += [place] if answers[place].stop in LIMITS else []
        later = [place for place in later if not bounds[place].proven]
        if len(later) == len(pending):
            break
        pending = later
    return bounds, answers


def _rest(answers: Mapping[int, Result], moves: Sequence[int], place: int) -> tuple[int, ...] | None:
    """Return the best known solution from a position of a game on: its own, or what an earlier one has left there."""
    best = None
    for before, result in answers.items():
        played = place - before
        if result.moves is not None and played >= 0 and list(result.moves[:played]) == list(moves[before:place]):
            rest = result.moves[played:]
            best = rest if best is None or len(rest) < len(best) else best
    return best


def analyse_many(solver: Solver, games: Iterable[Game], limit: Limit) -> Iterator[Analysis]:
    """Yield the analysis of each of these games of one puzzle; `limit` is for each game.

    The positions of many games are solved together under a small limit, and each of them once; a game of which more
    is open then is searched by itself.
    """
    part: list[Game] = []
    size = 0
    for game in games:
        part.append(game)
        size += len(game.positions)
        if size >= POSITIONS:
            yield from _analysed(solver, part, limit)
            part, size = [], 0
    yield from _analysed(solver, part, limit)


def _analysed(solver: Solver, games: Sequence[Game], limit: Limit) -> Iterator[Analysis]:
    known: dict[bytes, Result] = {}
    if len(games) > 1:
        puzzle = games[0].puzzle
        require_comparable_moves(puzzle)
        positions = {position.state.tobytes(): position for game in games for position in game.positions}
        unsolved = [position for position in positions.values() if not puzzle.solved(position.state)]
        quick = replace(limit, nodes=min(QUICK_NODES, limit.nodes or QUICK_NODES))
        known = {result.board.state.tobytes(): uninterrupted(result) for result in solve_all(solver, unsolved, quick)}
    for game in games:
        yield analyse(solver, game, limit, known=known)


def _bisection_order(count: int) -> list[int]:
    """Return the numbers below `count`: both ends, then the middle of the widest gaps, and so on."""
    order, gaps = list(dict.fromkeys((0, count - 1))), [(0, count - 1)]
    for low, high in gaps:
        middle = (low + high) // 2
        if low < middle < high:
            order.append(middle)
            gaps += [(low, middle), (middle, high)]
    return order


def _propagate(bounds: list[Interval]) -> list[Interval]:
    """Tighten the bounds of neighbouring positions: a move lowers the cost-to-go by at most one."""
    bounds = list(bounds)
    for place in range(1, len(bounds)):
        bounds[place] = bounds[place].meets(Interval(max(0, bounds[place - 1].least - 1)))
        if bounds[place - 1].unsolvable:
            bounds[place] = bounds[place - 1]
    for place in reversed(range(len(bounds) - 1)):
        after = bounds[place + 1]
        if after.most is not None:
            bounds[place] = bounds[place].meets(Interval(0, after.most + 1))
    return bounds


# --- stepping through a game ---


def frames(instance: Instance, moves: Sequence[int], lower_bound: int = 0) -> list[dict[str, Any]]:
    """Return the boards of a game as plain data, one more than there are moves; the first has a known `lower_bound`.

    Each has its `board` in canonical notation, the `move` that led there, None at the start, a lower `bound` on the
    moves of every solution from there, and whether it is `solved`. Bounds never fall by more than one a move, because a
    move lowers the cost-to-go by at most one; there are none where moves have costs or points.

    Raises:
        BadBoard: if a move is illegal, with its number.
    """
    puzzle, positions = instance.puzzle, list(positions_of(instance, moves))
    counts_moves = objective_of(puzzle).kind == "moves"
    states = np.stack([position.state for position in positions])
    bounds, propagated = _bounds(puzzle, states) if counts_moves else [0] * len(states), lower_bound
    results = []
    for number, (position, bound) in enumerate(zip(positions, bounds, strict=True)):
        solved = puzzle.solved(position.state)
        propagated = 0 if solved else max(bound, propagated, 1)
        move = puzzle.write_move(moves[number - 1]) if number else None
        known = {"bound": propagated} if counts_moves else {}
        results.append({"board": puzzle.write(position.state), "move": move, **known, "solved": solved})
        propagated -= 1
    return results


def _bounds(puzzle: Puzzle, states: State) -> list[int]:
    """Return the best cheap bound of each of the plain `states[B, S]`; 0 if there is none."""
    if (view := puzzle.view(Candidates)) is not None:  # each move fills a cell
        return [int(np.count_nonzero(view.digits(state) < 0)) for state in states]
    return [int(bound) for bound in cheap_bounds(puzzle, states)]
