"""The regret of the moves of a game that was played: how many moves each one wasted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from puzzlelab.analysis.bounded_queries import (
    BudgetedSolver,
    Interval,
    Watch,
    interval_difference,
    require_comparable_moves,
)
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result import LIMITS, Stop
from puzzlelab.core.solver import Solver, with_memory
from puzzlelab.core.views import is_legal


@dataclass(frozen=True)
class MoveRegret:
    """One move of a game."""

    move: int
    before: Interval
    """The moves that were needed before it."""
    after: Interval
    regret: Interval


@dataclass(frozen=True)
class Regrets:
    """The regret of each move of a game, and of all together."""

    steps: tuple[MoveRegret, ...]
    total: Interval
    """It needs only the optimum of both ends, so that it may be proven where the single moves are not."""
    stop: Stop = "done"
    expanded: int = 0
    seconds: float = 0.0

    @property
    def proven(self) -> bool:
        """Whether the regret of every move is proven."""
        return all(step.regret.proven for step in self.steps)


def regrets(
    solver: Solver, instance: Instance, moves: Sequence[int], limit: Limit, watch: Watch | None = None
) -> Regrets:
    """The regret of each move of a game, which need not be finished.

    Moves made + moves needed never falls along a game, and where it is equal at two positions it is so between them.
    So a game with little regret needs few questions: both ends first, then the middle of what is open.

    Raises:
        BadBoard: if a move cannot be made, with its number.
        Unsupported: if all moves of this puzzle are alike, or the solver cannot solve it.
    """
    require_comparable_moves(instance.puzzle)
    questions = BudgetedSolver(with_memory(solver), limit, watch)
    positions = list(positions_of(instance, moves))
    puzzle = instance.puzzle
    known = [Interval(0, 0) if puzzle.solved(place.state) else Interval(1) for place in positions]
    pending = _by_halves(len(positions))
    while pending:
        later = []
        for number, place in enumerate(pending):
            parts = sum(not known[other].proven for other in pending[number:])
            if not known[place].proven:
                known[place], result = questions.ask(positions[place], known[place], parts)
                known = _spread(known)
                later += [place] if result.stop in LIMITS else []
        later = [place for place in later if not known[place].proven]
        if len(later) == len(pending):
            break
        pending = later
    steps = tuple(
        MoveRegret(move, before, after, interval_difference(after.plus(1), before))
        for move, before, after in zip(moves, known[:-1], known[1:], strict=True)
    )
    total = interval_difference(known[-1].plus(len(moves)), known[0]) if steps else Interval(0, 0)
    stop = questions.stop(all(step.regret.proven for step in steps))
    return Regrets(steps, total, stop, questions.expanded, questions.seconds)


def positions_of(instance: Instance, moves: Sequence[int]) -> Iterator[Instance]:
    """Every position of a game by the plain rules, the start first; raises `BadBoard` where a move cannot be made."""
    puzzle, state = instance.puzzle, instance.state
    yield instance
    for step, move in enumerate(moves, start=1):
        if not is_legal(puzzle, state, move):
            raise BadBoard(f"{puzzle.write_move(move)} cannot be made", f"move {step} of {len(moves)}")
        state = puzzle.apply(state, move)
        yield Instance(puzzle, state)


def read_game(puzzle: Puzzle, text: str) -> list[int]:
    """The moves of a text, with spaces or semicolons between them; raises `BadBoard` with the number of a wrong one."""
    words = [word for word in re.split(r"[\s;]+", text) if word]
    moves = []
    for step, word in enumerate(words, start=1):
        try:
            moves.append(puzzle.read_move(word))
        except BadBoard as error:
            raise BadBoard(str(error), f"move {step} of {len(words)}") from None
    return moves


def _by_halves(count: int) -> list[int]:
    """The numbers below `count`: both ends, then the middle of the widest gaps, and so on."""
    order, gaps = list(dict.fromkeys((0, count - 1))), [(0, count - 1)]
    for low, high in gaps:
        middle = (low + high) // 2
        if low < middle < high:
            order.append(middle)
            gaps += [(low, middle), (middle, high)]
    return order


def _spread(known: list[Interval]) -> list[Interval]:
    """What the positions of a game tell of each other: a move takes away at most one of the moves that are needed."""
    known = list(known)
    for place in range(1, len(known)):
        known[place] = known[place].meets(Interval(max(0, known[place - 1].least - 1)))
        if known[place - 1].unsolvable:
            known[place] = known[place - 1]
    for place in reversed(range(len(known) - 1)):
        after = known[place + 1]
        if after.most is not None:
            known[place] = known[place].meets(Interval(0, after.most + 1))
    return known
