"""UCT one move at a time, for self-play: the move, the visit shares of all moves, and the search tree; and whole games,
whose positions have these shares and the moves to the goal.

A session may play many games at once, whose leaves are evaluated in one batch. Nothing here imports torch.

Shapes: B = games, S = length of a state, M = number of moves, N = nodes of a tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import Result
from puzzlelab.core.seeds import generator
from puzzlelab.engine.batch_rules import solved
from puzzlelab.engine.driver import Drive
from puzzlelab.engine.record_parts import NOWHERE
from puzzlelab.engine.records import unpacked
from puzzlelab.engine.search_rules import GraphRules, fitted, rules_of, runner
from puzzlelab.experience.schema import LONGEST, SelfPlaySamples
from puzzlelab.solvers import _uct_kernels, uct
from puzzlelab.solvers._uct_tree_kernels import DEAD_END, SKIPPED, SOLVED, UctRecord
from puzzlelab.solvers.uct import Uct

ABORTED = -1
"""The number of moves of a game that was not won."""
UNREACHED = 1 << 30
"""A number of moves greater than that of any game."""


class UctDecision(NamedTuple):
    """A move of each game."""

    moves: NDArray[np.int64]
    """[B]: -1 where the state is solved, or every move leads to a dead end."""
    states: State
    """[B, S]: the successors; the unchanged state where there is no move."""
    shares: NDArray[np.float64]
    """[B, M]: the share of playouts of each move; 0 for moves that lead to a dead end."""
    values: NDArray[np.float64]
    """[B]: the mean of the playouts' values exp(-step_discount * moves to go): 1 at the goal, 0 at a dead end."""
    best_known: NDArray[np.int32]
    """[B]: length of the shortest solution from here that the searches of this game contain; -1 without any."""


class SearchTree(NamedTuple):
    """All nodes of a search tree: row 0 is the root, and a parent stands before its children."""

    parent: NDArray[np.int32]
    """[N]: the row of the parent; -1 for the root."""
    move: NDArray[np.int32]
    """[N]: the move from the parent to the node; -1 for the root."""
    depth: NDArray[np.int32]
    """[N]: moves from the root."""
    visits: NDArray[np.int32]
    """[N]: playouts through the node."""
    value: NDArray[np.float64]
    """[N]: their mean value as seen from the node; NaN without playouts."""
    prior: NDArray[np.float64]
    """[N]: the prior probability of the move."""
    status: NDArray[np.int8]
    """[N]: `NEW`, `OPEN`, `SOLVED` or `DEAD_END` of `solvers._uct_tree_kernels`."""
    states: State
    """[N, S]."""


class UctSession:
    """The player of games by UCT. The subtree of the move that was made is kept for the next search of the game.

    `options` are those of the solver `uct`: `estimate`, `prior`, `playouts` and so on. A game avoids its earlier
    states. It restarts, without the subtree, when it is given any other state than its last successor.
    """

    def __init__(self, puzzle: Puzzle, games: int = 1, limit: Limit | None = None, **options: Any) -> None:
        self.puzzle = puzzle
        self.games = games
        self.solver = Uct(**options)
        self.guides = self.solver.guides(puzzle)
        self.limit = limit or Limit()
        self._search: Any = None
        self._next: State | None = None
        self._children = np.full(games, NOWHERE)

    def move(self, state: State) -> tuple[int, State, NDArray[np.float64]]:
        """Return (move, successor, share of playouts of each move `[M]`) for the plain `state[S]`."""
        decision = self.moves(state[None])
        return int(decision.moves[0]), decision.states[0], decision.shares[0]

    def moves(self, states: State, active: NDArray[np.bool_] | None = None) -> UctDecision:
        """Return a move for each of the plain `states[B, S]`; raises `PuzzlelabError` where the memory is used up.

        Games that are not `active: bool[B]` are not searched: they have no move, and their other results are undefined.
        """
        if len(states) != self.games:
            raise PuzzlelabError(f"a session of {self.games} games needs {self.games} states, not {len(states)}")
        self._set_roots(states, np.ones(self.games, bool) if active is None else active)
        for attempt in Drive(self._search, self.limit, uct.leaf_scorer(self.guides, self.rules, self.puzzle)):
            if isinstance(attempt, Result) and attempt.stop != "done":
                raise PuzzlelabError(f"the limit of {attempt.stop} ended the playouts of a move")
        return self._decide(states)

    @property
    def playing(self) -> bool:
        """Whether a move was searched before."""
        return self._search is not None

    @property
    def record(self) -> UctRecord:
        """The arrays of all trees."""
        record: UctRecord = self._search.record
        return record

    def _begin(self, states: State) -> None:
        """Make the arrays of the search, and the graph of a puzzle without kernels, which grows as long as it is
        used.
        """
        puzzle = self.puzzle
        random = generator(self.solver.seed).integers(1 << 63, size=self.games, dtype=np.uint64)
        if self.playing:
            random = self.record.random
        self.rules = rules_of(Instance(puzzle, states[0]))
        guides = self.guides._replace(estimate=fitted(self.guides.estimate, self.rules, states[0]))
        self._search = uct.machine(self.solver, puzzle, states, guides, self.rules, pauses=True)
        self.record.random[:] = random

    def _set_roots(self, states: State, active: NDArray[np.bool_]) -> None:
        """Keep the subtrees of the games whose state is their last successor, and restart the others."""
        successors, self._next = self._next, None
        continues = np.zeros(self.games, bool) if successors is None else (successors == states).all(axis=1)
        if not self.playing or (isinstance(self.rules, GraphRules) and not continues.any()):
            self._begin(states)
        self._children[~continues] = NOWHERE
        self._children[~active] = SKIPPED
        self.record.start[:] = self.rules.encode(states).astype(self.rules.dtype)
        runner(_uct_kernels.begin, self.rules)(self.record, self._children)

    def _decide(self, states: State) -> UctDecision:
        record, rows = self.record, np.arange(self.games)
        shares = np.zeros((self.games, self.puzzle.move_count))
        runner(_uct_kernels.choose_moves, self.rules)(record, self._children, shares)
        moved = self._children != NOWHERE
        after = states.copy()
        keys = np.ascontiguousarray(record.keys[rows[moved], self._children[moved]])
        after[moved] = self.rules.decode(unpacked(self.rules, keys))
        moves = np.where(moved, record.move[rows, self._children], NOWHERE).astype(np.int64)
        values = record.value_sum[:, 0] / np.maximum(record.visits[:, 0], 1)
        values[record.status[:, 0] == SOLVED] = 1.0
        values[record.status[:, 0] == DEAD_END] = 0.0
        self._next = after.copy()
        return UctDecision(moves, after, shares, values, self._best_known())

    def _best_known(self) -> NDArray[np.int32]:
        """Return the rest of the shortest solution that each game has seen, if the moves of the game follow it.

        Else -1.
        """
        record = self.record
        is_played = np.arange(record.game_moves.shape[1]) < record.game_length[:, None]
        follows = ((record.game_moves == record.best_moves) | ~is_played).all(axis=1)
        return np.where(follows & (record.best_length != NOWHERE), record.best_length - record.game_length, NOWHERE)

    def tree(self, game: int = 0) -> SearchTree:
        """Return the search tree of the last move of a game."""
        record = self.record
        size = int(record.node_count[game])
        parent, visits = record.parent[game, :size].copy(), record.visits[game, :size].copy()
        depth = np.zeros(size, np.int32)
        for row in range(1, size):
            depth[row] = depth[parent[row]] + 1
        value = np.divide(record.value_sum[game, :size], visits, out=np.full(size, np.nan), where=visits > 0)
        states = self.rules.decode(unpacked(self.rules, np.ascontiguousarray(record.keys[game, :size])))
        move, prior, status = record.move[game, :size], record.prior[game, :size], record.status[game, :size]
        return SearchTree(parent, move.copy(), depth, visits, value, prior.copy(), status.copy(), states)


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
