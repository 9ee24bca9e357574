"""UCT move by move, for what learns from it: a move, how often each was tried, and the tree that says so.

Many games may be played at once, whose states are scored in one batch. Nothing here imports torch.

Shapes: B = games, S = length of a state, M = number of moves, N = nodes of a tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import Result
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import KernelRules
from puzzlelab.engine.driver import Drive
from puzzlelab.engine.interpreted_kernels import plain_rules, runner
from puzzlelab.solvers import _uct_step, uct
from puzzlelab.solvers._uct_tree import DEAD_END, NOWHERE, SKIPPED, SOLVED, UctRecord
from puzzlelab.solvers.astar import unpacked
from puzzlelab.solvers.uct import Uct


class UctDecision(NamedTuple):
    """A move of each game."""

    moves: NDArray[np.int64]
    """[B]: -1 where the state is solved, or every way on is lost."""
    states: State
    """[B, S]: what follows; the state as it was where there is no move."""
    shares: NDArray[np.float64]
    """[B, M]: the share of the playouts that began with each move; 0 for moves that are lost."""
    values: NDArray[np.float64]
    """[B]: the mean of the playouts' values exp(-step_discount * moves to go): 1 at the goal, 0 at a dead end."""
    found: NDArray[np.int32]
    """[B]: moves of the shortest way from here to the goal that was seen in this game; -1 without any."""


class SearchTree(NamedTuple):
    """All nodes that were looked at or added: row 0 is the root, and a parent stands before its children."""

    parent: NDArray[np.int32]
    """[N]: the row above; -1 for the root."""
    move: NDArray[np.int32]
    """[N]: the move that leads here from there; -1 for the root."""
    depth: NDArray[np.int32]
    """[N]: moves from the root."""
    visits: NDArray[np.int32]
    """[N]: playouts that came through."""
    value: NDArray[np.float64]
    """[N]: their mean value as seen from here; NaN where none came."""
    prior: NDArray[np.float64]
    """[N]: how likely the move that leads here was thought to be."""
    status: NDArray[np.int8]
    """[N]: `NEW`, `OPEN`, `SOLVED` or `DEAD_END` of `solvers._uct_tree`."""
    states: State
    """[N, S]."""


class UctSession:
    """Plays moves by UCT; what stands below a move is kept for the next one, if that is asked about what followed.

    `options` are those of the solver `uct`: `estimate`, `prior`, `playouts` and so on. A game remembers where it was,
    and does not go back there; it begins anew when it is asked about any state but the one that followed.
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
        """The move at the plain `state[S]`, the state that follows, and the share of playouts of each move `[M]`."""
        turn = self.moves(state[None])
        return int(turn.moves[0]), turn.states[0], turn.shares[0]

    def moves(self, states: State, asked: NDArray[np.bool_] | None = None) -> UctDecision:
        """A move at each of the plain `states[B, S]`; raises `PuzzlelabError` where the memory is used up.

        Where `asked: bool[B]` is given, the games of which it is false stand still: there is no move, and nothing else
        that is said of them means anything.
        """
        if len(states) != self.games:
            raise PuzzlelabError(f"a player of {self.games} games was asked about {len(states)} states")
        if self._search is None:
            self._begin(states)
        self._seat(states, np.ones(self.games, bool) if asked is None else asked)
        for attempt in Drive(self._search, self.limit, uct.leaf_scorer(self.guides, self.rules, self.puzzle)):
            if isinstance(attempt, Result) and attempt.stop != "done":
                raise PuzzlelabError(f"the limit of {attempt.stop} ended the playouts of a move")
        return self._turn(states)

    @property
    def playing(self) -> bool:
        """Whether it was asked for a move before."""
        return self._search is not None

    @property
    def record(self) -> UctRecord:
        """The arrays of all trees."""
        found: UctRecord = self._search.record
        return found

    def _begin(self, states: State) -> None:
        puzzle = self.puzzle
        self.rules = puzzle.view(KernelRules) or plain_rules(puzzle, states[0])
        self._search = uct.machine(self.solver, puzzle, states, self.guides, self.rules, pauses=True)
        self.record.random[:] = generator(self.solver.seed).integers(1 << 63, size=self.games, dtype=np.uint64)

    def _seat(self, states: State, asked: NDArray[np.bool_]) -> None:
        """Go on with the games that are asked about what followed, and begin the others anew."""
        known, self._next = self._next, None
        follows = np.zeros(self.games, bool) if known is None else (known == states).all(axis=1)
        self._children[~follows] = NOWHERE
        self._children[~asked] = SKIPPED
        self.record.start[:] = self.rules.encode(states).astype(self.rules.dtype)
        runner(_uct_step.begin, self.rules)(self.record, self._children)

    def _turn(self, states: State) -> UctDecision:
        record, rows = self.record, np.arange(self.games)
        shares = np.zeros((self.games, self.puzzle.move_count))
        runner(_uct_step.choose_moves, self.rules)(record, self._children, shares)
        moved = self._children != NOWHERE
        after = states.copy()
        keys = np.ascontiguousarray(record.keys[rows[moved], self._children[moved]])
        after[moved] = self.rules.decode(unpacked(self.rules, keys))
        moves = np.where(moved, record.move[rows, self._children], NOWHERE).astype(np.int64)
        values = record.value_sum[:, 0] / np.maximum(record.visits[:, 0], 1)
        values[record.status[:, 0] == SOLVED] = 1.0
        values[record.status[:, 0] == DEAD_END] = 0.0
        self._next = after.copy()
        return UctDecision(moves, after, shares, values, self._found())

    def _found(self) -> NDArray[np.int32]:
        """How far the goal is by the shortest solution seen in each game, if the game has kept to it so far."""
        record = self.record
        made = np.arange(record.game_moves.shape[1]) < record.game_length[:, None]
        kept = ((record.game_moves == record.best_moves) | ~made).all(axis=1)
        return np.where(kept & (record.best_length != NOWHERE), record.best_length - record.game_length, NOWHERE)

    def tree(self, game: int = 0) -> SearchTree:
        """The tree by which the last move of a game was chosen."""
        record = self.record
        size = int(record.node_count[game])
        parent, visits = record.parent[game, :size].copy(), record.visits[game, :size].copy()
        depth = np.zeros(size, np.int32)
        for row in range(1, size):
            depth[row] = depth[parent[row]] + 1
        value = np.divide(record.value_sum[game, :size], visits, out=np.full(size, np.nan), where=visits > 0)
        states = self.rules.decode(unpacked(self.rules, np.ascontiguousarray(record.keys[game, :size])))
        move, prior, kind = record.move[game, :size], record.prior[game, :size], record.status[game, :size]
        return SearchTree(parent, move.copy(), depth, visits, value, prior.copy(), kind.copy(), states)
