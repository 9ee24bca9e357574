"""Games that a player plays for itself: positions, what the search found there, and how many moves remained.

Shapes: B = games, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import State
from puzzlelab.engine.batch_rules import solved
from puzzlelab.experience.curriculum import scrambled
from puzzlelab.experience.schema import LONGEST, Searched
from puzzlelab.experience.uct_session import UctDecision, UctSession

ABORTED = -1
"""In the place of the moves of a game that came to no end."""
NEVER = 1 << 30
"""More moves than any game has."""


class EpisodeStep(NamedTuple):
    """A position of a game."""

    state: State
    """[S]: the plain state."""
    shares: NDArray[np.float64]
    """[M]: the share of the playouts that began with each move."""
    value: float
    """exp(-step_discount * moves that remained)."""


class Episode(NamedTuple):
    """How one game went."""

    positions: list[EpisodeStep]
    """Without the solved one at the end; of an aborted game those from which the search saw a way to the goal."""
    moves: int | None
    """How many were made; None for a game that was aborted."""


class EpisodeBatch(NamedTuple):
    """How many games went."""

    samples: Searched
    """The positions from which a way to the goal is known; game number b is that of the b-th board."""
    moves: NDArray[np.int64]
    """[B]: how many were made; ABORTED for a game that came to no end."""


class EpisodeRunner:
    """A board that a player of one game scrambles and plays, as often as it likes."""

    def __init__(self, player: UctSession, random: np.random.Generator | None = None) -> None:
        if player.games != 1:
            raise BadOption(f"a game needs a player of one game, not of {player.games}")
        self.player = player
        self.random = np.random.default_rng(0) if random is None else random

    def play(self, shifts: int, limit: int | None = None) -> Episode:
        """A board scrambled by so many random moves, played within `limit` moves: by default twice as many, or 100.

        Raises `Unsupported` for a puzzle whose moves cannot be undone.
        """
        boards = scrambled(self.player.puzzle, np.array([shifts]), self.random)
        games = play(self.player, boards, np.array([min(100, 2 * shifts) if limit is None else limit]))
        found, decay = games.samples, self.player.solver.step_discount
        values = np.exp(-decay * found.remaining.astype(float)).tolist()
        rows = zip(found.state, found.shares.astype(float), values, strict=True)
        moves = int(games.moves[0])
        return Episode([EpisodeStep(*row) for row in rows], None if moves == ABORTED else moves)


def play(
    player: UctSession, boards: State, limits: NDArray[np.int64], watch: Callable[[], None] = lambda: None
) -> EpisodeBatch:
    """Play a game from each of the plain `boards[B, S]`, of at most so many moves: `limits: int[B]`.

    `watch` is called between moves, and may raise.
    """
    puzzle, here = player.puzzle, boards
    moves = np.zeros(len(boards), np.int64)
    won = solved(puzzle, here)
    going = ~won & (limits > 0)
    history: list[tuple[NDArray[np.bool_], State, UctDecision]] = []
    while going.any():
        watch()
        turn = player.moves(here, going)
        searched = going & (turn.moves >= 0)
        history.append((searched, here, turn))
        moves[searched] += 1
        here = turn.states
        won |= searched & solved(puzzle, here)
        going = searched & ~won & (moves < limits)
    return EpisodeBatch(_samples(player, boards, history, won), np.where(won, moves, ABORTED))


def _samples(
    player: UctSession,
    start: State,
    history: list[tuple[NDArray[np.bool_], State, UctDecision]],
    won: NDArray[np.bool_],
) -> Searched:
    """The positions, game by game, each with the moves of the shortest way on that was made or seen from there on."""
    left: NDArray[np.int64] = np.where(won, 0, NEVER)
    remaining = np.full((len(history), won.size), NEVER)
    for number in range(len(history) - 1, -1, -1):
        searched, _, turn = history[number]
        seen = np.where(turn.found >= 0, turn.found, NEVER)
        left = np.where(searched, np.minimum(left + 1, seen), left)
        remaining[number] = np.where(searched, left, NEVER)
    game, at = np.nonzero(remaining.T <= LONGEST)
    if not game.size:
        nothing = np.zeros((0, player.puzzle.move_count), np.float16)
        return Searched(game, start[:0], nothing, np.zeros(0, np.uint16))
    states, shares = np.stack([here for _, here, _ in history]), np.stack([turn.shares for _, _, turn in history])
    return Searched(game, states[at, game], shares[at, game].astype(np.float16), remaining[at, game].astype(np.uint16))
