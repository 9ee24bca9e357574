"""Self-play episodes by UCT: the positions of games, with the visit shares of the searches and the moves to the goal.

Shapes: B = games, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine.batch_rules import solved
from puzzlelab.experience.schema import LONGEST, SelfPlaySamples
from puzzlelab.experience.uct_session import UctDecision, UctSession

ABORTED = -1
"""The number of moves of a game that was not won."""
UNREACHED = 1 << 30
"""A number of moves greater than that of any game."""


def play_episodes(
    session: UctSession, boards: State, max_moves: NDArray[np.int64], watch: Callable[[], None] = lambda: None
) -> tuple[SelfPlaySamples, NDArray[np.int64]]:
    """Play a game from each of the plain `boards[B, S]`, of at most `max_moves: int[B]` moves.

    Returns the positions from which a solution is known, where game number b began with board number b, and the number
    of moves of each game, `int64[B]`: ABORTED for a game that was not won. `watch` is called between moves, and may
    raise.
    """
    puzzle, states = session.puzzle, boards
    moves = np.zeros(len(boards), np.int64)
    won = solved(puzzle, states)
    active = ~won & (max_moves > 0)
    history: list[tuple[NDArray[np.bool_], State, UctDecision]] = []
    while active.any():
        watch()
        decision = session.moves(states, active)
        moved = active & (decision.moves >= 0)
        history.append((moved, states, decision))
        moves[moved] += 1
        states = decision.states
        won |= moved & solved(puzzle, states)
        active = moved & ~won & (moves < max_moves)
    return _samples(session, boards, history, won), np.where(won, moves, ABORTED)


def _samples(
    session: UctSession,
    boards: State,
    history: list[tuple[NDArray[np.bool_], State, UctDecision]],
    won: NDArray[np.bool_],
) -> SelfPlaySamples:
    """Return the positions, game by game, each with the length of the shortest known solution.

    A solution is known from the game itself if it was won, and from the searches of this position and all later ones.
    """
    length: NDArray[np.int64] = np.where(won, 0, UNREACHED)
    remaining = np.full((len(history), won.size), UNREACHED)
    for number in range(len(history) - 1, -1, -1):
        moved, _, decision = history[number]
        known = np.where(decision.best_known >= 0, decision.best_known, UNREACHED)
        length = np.where(moved, np.minimum(length + 1, known), length)
        remaining[number] = np.where(moved, length, UNREACHED)
    game, step = np.nonzero(remaining.T <= LONGEST)
    if not game.size:
        no_shares = np.zeros((0, session.puzzle.move_count), np.float16)
        return SelfPlaySamples(game, boards[:0], no_shares, np.zeros(0, np.uint16))
    states = np.stack([each for _, each, _ in history])
    shares = np.stack([decision.shares for _, _, decision in history])
    columns = states[step, game], shares[step, game].astype(np.float16), remaining[step, game].astype(np.uint16)
    return SelfPlaySamples(game, *columns)
