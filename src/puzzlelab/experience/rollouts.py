"""Rollouts of any solver with the plain rules, one board at a time, by its own moves or by all optimal moves.

`fast_rollouts` gives the samples of the solver's own moves faster where the rules are compiled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.bounded_queries import BudgetedSolver
from puzzlelab.analysis.hints import hint_by
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption
from puzzlelab.core.objective import Kind, objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.engine.solving import solve
from puzzlelab.experience.schema import TrainingSamples, joined, packed, remaining_type
from puzzlelab.text.moves import positions_of

if TYPE_CHECKING:
    from puzzlelab.experience.teachers import Teacher

UNITS: Mapping[Kind, str] = {"moves": "moves", "cost": "of cost", "score": "points"}
"""The unit of `remaining`, in words."""
Label = tuple[State, Iterable[int], int, bool]
"""A position of a solution: (plain state `[S]`, moves to imitate, what remains from there on, whether it is proven)."""


def rollouts(teacher: Teacher, first: int, end: int, stop: threading.Event) -> TrainingSamples:
    """Return the samples of the teacher's games number `first` to `end` - 1; raises `KeyboardInterrupt` on `stop`."""
    return joined([samples for game in range(first, end) for samples in _game(teacher, game, stop)])


def _game(teacher: Teacher, game: int, stop: threading.Event) -> Iterator[TrainingSamples]:
    """Yield the samples of one game, then of each of its off-path branches."""
    puzzle, start = teacher.puzzle, Instance(teacher.puzzle, teacher.board(game))
    rollout = _optimal_moves(teacher, game, stop) if teacher.targets == "optimal" else _chosen_moves(teacher, stop)
    kind = "moves" if teacher.targets == "optimal" else objective_of(puzzle).kind
    path = rollout(start)
    yield samples_of(game, start, path, kind)
    for draw in teacher.branch_draws(game):
        state = off_path_branch(puzzle, [label[0] for label in path], draw)
        if state is not None:
            yield samples_of(game, start, rollout(Instance(puzzle, state)), kind)


def _chosen_moves(teacher: Teacher, stop: threading.Event) -> Callable[[Instance], list[Label]]:
    """Roll out along the solver's solution: each position gets the move of the solution."""

    def rollout(start: Instance) -> list[Label]:
        result = solve(teacher.solver, start, teacher.limit, lambda attempt: stop.is_set())
        _check_interrupt(result.stop)
        moves, proven = result.moves or (), result.proof in ("optimal", "unique")
        states = [position.state for position in positions_of(start, moves)]
        remaining = objective_of(teacher.puzzle).remaining(states, moves)
        return [(state, [move], rest, proven) for state, move, rest in zip(states, moves, remaining, strict=False)]

    return rollout


def _optimal_moves(teacher: Teacher, game: int, stop: threading.Event) -> Callable[[Instance], list[Label]]:
    """Roll out along a shortest solution: each position gets all its optimal moves, and a random one is made.

    The path ends early where the solver, under its limit, finds no shorter solution than from the position before.
    """
    puzzle, random, solver = teacher.puzzle, teacher.tie_breaks(game), teacher.solver.with_memory()

    def rollout(start: Instance) -> list[Label]:
        path: list[Label] = []
        position, interval, last_length = start, None, None
        while not puzzle.solved(position.state):
            budgeted = BudgetedSolver(solver, teacher.limit, lambda attempt: stop.is_set())
            hint = hint_by(budgeted, position, interval, only_best=True)
            _check_interrupt(hint.stop)
            if hint.length is None or not hint.best or (last_length is not None and hint.length >= last_length):
                break
            path.append((position.state, hint.best, hint.length, hint.best_proven))
            move = int(random.choice(sorted(hint.best)))
            last_length, interval = hint.length, hint.needed.plus(-1) if hint.needed.proven else None
            position = Instance(puzzle, puzzle.apply(position.state, move))
        return path

    return rollout


def off_path_branch(puzzle: Puzzle, states: Sequence[State], draw: NDArray[np.float64]) -> State | None:
    """Return a random successor of one of these states that is not solved; None where there is none.

    The first number of `draw: float64[2]` chooses the state, the second one the move.
    """
    if not states:
        return None
    position = states[int(draw[0] * len(states))]
    children = [puzzle.apply(position, move) for move in np.flatnonzero(puzzle.legal(position)).tolist()]
    unsolved = [child for child in children if not puzzle.solved(child)]
    return unsolved[int(draw[1] * len(unsolved))] if unsolved else None


def samples_of(game: int, start: Instance, path: Sequence[Label], kind: Kind = "moves") -> TrainingSamples:
    """Return the positions of a game from this start as samples.

    Raises `BadOption` for a number that their column cannot hold.
    """
    dtype = remaining_type(kind)
    least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    for _, _, number, _ in path:
        if not least <= number <= most:
            words = f"a solution of {number:,} {UNITS[kind]} cannot be a sample"
            raise BadOption(f"{words} ({least:,} to {most:,})")
    masks = np.zeros((len(path), start.puzzle.move_count), bool)
    for mask, (_, moves, _, _) in zip(masks, path, strict=True):
        mask[list(moves)] = True
    return TrainingSamples(
        np.full(len(path), game),
        np.array([state for state, *_ in path], start.state.dtype).reshape(len(path), start.state.size),
        packed(masks),
        np.array([number for _, _, number, _ in path], dtype),
        np.array([proven for *_, proven in path], bool),
    )


def _check_interrupt(stop: str) -> None:
    """Raise `KeyboardInterrupt` for a search that Ctrl-C stopped: an incomplete game gives no samples."""
    if stop == "interrupted":
        raise KeyboardInterrupt
