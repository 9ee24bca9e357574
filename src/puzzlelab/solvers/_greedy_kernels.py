"""The kernels of greedy play: many games side by side, one move of each at a time, without any search.

The successors of all games are scored in one batch, so that a network is called once for each move number, not once for
each board.

Shapes: G = games, L = capacity for moves, R = rows of a batch, S, M, K as in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import (
    DONE,
    EXPANDED,
    FULL,
    GENERATED,
    NEEDS_SCORES,
    OWN,
    REQUESTED,
    RUNNING,
    compiled,
    implements,
    inlined,
    kernel_name,
)

ACTIVE, CURSOR, PHASE, PLY, SEEN_COUNT, MAX_MOVES, MAX_NODES, AVOIDS_REPEATS, ADMISSIBLE, USES_PRIOR = range(
    OWN, OWN + 10
)
START, SCORE_POSITIONS, SCORE_MOVES, MOVE = range(4)
"""SCORE_POSITIONS: a prior scores the positions, before an estimate scores their successors."""
LEGAL_MOVES, EXPANSIONS, GENERATIONS, EVALUATIONS = range(4)
"""Columns of `counts`."""
PLAYING, SOLVED, STUCK, CYCLE, ONLY_REPEATS, TOO_LONG, SPENT = range(7)
"""Status of a game: PLAYING, or why it is over."""
NOWHERE = -1
UNBOUNDED = 1 << 40
"""A limit that is never reached."""
LOAD = 0.6
"""The greatest load of the hash table."""


class FollowsPrior(NamedTuple):
    """Stands for the tables of an estimate: games follow a prior, which scores the moves of each position.

    (The field is a number because Numba takes far longer to type a text at each call.)
    """

    none: int = 0


@kernel_name
def follows_prior(guide):
    """Whether scores are requested for moves and not for states."""
    return False


@implements(follows_prior, FollowsPrior)
def _follows_prior(guide):
    return True


@implements(kernels.is_external, FollowsPrior)
def _is_external(guide):
    return True


@implements(kernels.evaluate, FollowsPrior)
def _no_estimate(guide, state, memo):
    return 0


class GreedyRecord(NamedTuple):
    """The state of all games. Active games have the same number of moves."""

    tables: Any
    guide: Any
    """The tables of an estimate, or those of a `Policy`."""
    control: NDArray[np.int64]
    active_games: NDArray[np.int32]
    """[G]: the numbers of the active games, in the first `ACTIVE` entries."""
    position: State
    """[G, S]: the position of each game."""
    status: NDArray[np.int8]
    """[G]: PLAYING, or why the game is over."""
    length: NDArray[np.int32]
    """[G]: the number of moves played."""
    repeated_ply: NDArray[np.int32]
    """[G]: the move number after which the repeated board first occurred."""
    lower_bound: NDArray[np.int32]
    """[G]: a lower bound on the length of a solution."""
    game_moves: NDArray[np.int32]
    """[G, L]: the moves played in each game."""
    best_move: NDArray[np.int32]
    """[G]: the best move so far at this position, or NOWHERE."""
    best_value: NDArray[np.float64]
    """[G]: its value; less is better."""
    counts: NDArray[np.int64]
    """[G, 4]: legal moves of the position; in the whole game: states expanded, generated, and scored by a network."""
    rows: State
    """[R, S]: states whose scores are requested."""
    row_game: NDArray[np.int32]
    """[R]: the game of each."""
    row_move: NDArray[np.int32]
    """[R]: the move to it."""
    scores: NDArray[np.float64]
    """[R]: their scores, or [R M] those of their moves."""
    prior_logits: NDArray[np.float64]
    """[G, M]: the log probabilities of the moves of each position, beside an estimate."""
    weights: NDArray[np.float64]
    """[2]: the weight of the prior beside the estimate, and the least log probability of a move that is considered,
    relative to the best move.
    """
    seen: NDArray[np.uint64]
    """[2^k]: hash table of the hashes of game and board of all earlier positions, 0 for none."""
    seen_ply: NDArray[np.int32]
    """[2^k]: the move number of each."""
    moves: NDArray[np.int32]
    words: NDArray[np.uint64]
    memo: NDArray[np.int64]
    delta: NDArray[np.int64]


@compiled
def hash_of(words, game):
    """A hash of a packed board in this game, never 0."""
    return kernels.scramble(kernels.mix(words) ^ np.uint64(game)) | np.uint64(1)


@inlined
def fingerprint(record, state, game):
    """The hash of a board in this game."""
    kernels.pack(record.tables, state, record.words)
    return np.uint64(hash_of(record.words, game))


@inlined
def slot_of(seen, key):
    """The slot of a hash in the table, or the free slot for it."""
    mask = np.uint64(seen.size - 1)
    slot = (key >> np.uint64(1)) & mask
    while seen[slot] != 0 and seen[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled
def add_all(seen, when, other_seen, other_ply):
    """Add all entries of a smaller table."""
    for i in range(other_seen.size):
        if other_seen[i] != 0:
            slot = slot_of(seen, other_seen[i])
            seen[slot], when[slot] = other_seen[i], other_ply[i]


@inlined
def add_position(record, game):
    """Add the position of a game to the table of earlier positions."""
    key = fingerprint(record, record.position[game], game)
    slot = slot_of(record.seen, key)
    record.seen[slot], record.seen_ply[slot] = key, record.control[PLY]
    record.control[SEEN_COUNT] += 1


@inlined
def is_repeat(record, state, game):
    """Whether a state is an earlier position of this game, if the game avoids repeats."""
    if record.control[AVOIDS_REPEATS] == 0:
        return False
    key = fingerprint(record, state, game)
    return record.seen[slot_of(record.seen, key)] == key


@inlined
def keep_best(record, game, move, value):
    """Make this the best move if its value is less than that of all moves before it."""
    if record.best_move[game] == NOWHERE or value < record.best_value[game]:
        record.best_move[game], record.best_value[game] = move, value


@inlined
def request_score(record, game, move):
    """Request the score of the next row."""
    row = record.control[REQUESTED]
    record.row_game[row], record.row_move[row] = game, move
    record.control[REQUESTED] += 1
    record.counts[game, EVALUATIONS] += 1


@inlined
def moves_of(record, game):
    """Write the legal moves of a game into `moves`; returns their number."""
    count = kernels.legal(record.tables, record.position[game], record.moves)
    record.counts[game, LEGAL_MOVES] = count
    record.counts[game, EXPANSIONS] += 1
    record.counts[game, GENERATIONS] += count
    record.control[EXPANDED] += 1
    record.control[GENERATED] += count
    return count


@inlined
def ask_prior_and_value(record, game):
    """Request the prior of a position, before its successors are evaluated."""
    row = record.control[REQUESTED]
    kernels.copy(record.position[game], record.rows[row])
    record.row_game[row] = game
    record.control[REQUESTED] += 1
    record.counts[game, EVALUATIONS] += 1


@inlined
def best_prior(record, game, count):
    """The greatest log probability of the first `count` of `moves`."""
    best = -np.inf
    for i in range(count):
        best = max(best, record.prior_logits[game, record.moves[i]])
    return best


@inlined
def prior_penalty(record, game, move):
    """What a move's log probability adds to the estimate of its successor."""
    return -record.weights[0] * record.prior_logits[game, move] if record.control[USES_PRIOR] == 1 else 0.0


@inlined
def score_moves(record, game):
    """Score the successors of a position, or request their scores; a solving move is chosen at once."""
    control, tables, guide = record.control, record.tables, record.guide
    state, external = record.position[game], kernels.is_external(record.guide)
    count = moves_of(record, game)
    first = control[REQUESTED]
    value, min_prior = np.int64(0), -np.inf
    if kernels.incremental(guide):
        value = kernels.evaluate(guide, state, record.memo)
    if control[USES_PRIOR] == 1:
        min_prior = best_prior(record, game, count) + record.weights[1]
    for i in range(count):
        move, child = record.moves[i], record.rows[control[REQUESTED]]
        kernels.apply(tables, state, move, child)
        if kernels.solved(tables, child):
            record.best_move[game] = move
            record.counts[game, EVALUATIONS] -= control[REQUESTED] - first
            control[REQUESTED] = first
            return
        if is_repeat(record, child, game) or (control[USES_PRIOR] == 1 and record.prior_logits[game, move] < min_prior):
            continue
        if external:
            request_score(record, game, move)
        elif kernels.incremental(guide):
            child_value = kernels.evaluate_move(guide, state, move, value, record.memo, record.delta, np.int64(1 << 40))
            keep_best(record, game, move, child_value + prior_penalty(record, game, move))
        else:
            child_value = kernels.evaluate(guide, child, record.memo)
            keep_best(record, game, move, child_value + prior_penalty(record, game, move))


@inlined
def ask_prior(record, game):
    """Request the scores of the moves of a position."""
    if moves_of(record, game) > 0:
        kernels.copy(record.position[game], record.rows[record.control[REQUESTED]])
        request_score(record, game, NOWHERE)


@inlined
def take_scores(record):
    """Choose moves by the scores that arrived."""
    control = record.control
    for row in range(control[REQUESTED]):
        game, move_to_row = record.row_game[row], record.row_move[row]
        if control[PHASE] == SCORE_POSITIONS:
            for move in range(record.moves.size):
                record.prior_logits[game, move] = record.scores[row * record.moves.size + move]
            continue
        if not follows_prior(record.guide):
            keep_best(record, game, move_to_row, record.scores[row] + prior_penalty(record, game, move_to_row))
            continue
        for i in range(kernels.legal(record.tables, record.position[game], record.moves)):
            move = record.moves[i]
            if control[AVOIDS_REPEATS] == 1:
                kernels.apply(record.tables, record.position[game], move, record.rows[row])
                if is_repeat(record, record.rows[row], game):
                    continue
            keep_best(record, game, move, -record.scores[row * record.moves.size + move])
    control[REQUESTED] = 0


@inlined
def make_move(record, game):
    """Play the chosen move of a game; returns its new status."""
    control, ply, move = record.control, record.control[PLY], record.best_move[game]
    if move == NOWHERE:
        return STUCK if record.counts[game, LEGAL_MOVES] == 0 else ONLY_REPEATS
    child = record.rows[0]
    kernels.apply(record.tables, record.position[game], move, child)
    record.game_moves[game, ply - 1] = move
    record.length[game] = ply
    key = fingerprint(record, child, game)
    slot = slot_of(record.seen, key)
    if record.seen[slot] == key:
        record.repeated_ply[game] = record.seen_ply[slot]
        return CYCLE
    record.seen[slot], record.seen_ply[slot] = key, ply
    control[SEEN_COUNT] += 1
    kernels.copy(child, record.position[game])
    record.best_move[game] = NOWHERE
    if kernels.solved(record.tables, child):
        return SOLVED
    if ply == control[MAX_MOVES]:
        return TOO_LONG
    return SPENT if ply == control[MAX_NODES] else PLAYING


@inlined
def begin(record):
    """Start all games; those already solved are over."""
    control, active = record.control, 0
    for game in range(len(record.position)):
        state = record.position[game]
        add_position(record, game)
        if kernels.solved(record.tables, state):
            record.status[game] = SOLVED
            continue
        record.lower_bound[game] = 1
        if control[ADMISSIBLE] == 1 and not kernels.is_external(record.guide):
            record.lower_bound[game] = max(1, kernels.evaluate(record.guide, state, record.memo))
        record.active_games[active] = game
        active += 1
    control[ACTIVE] = active


@inlined
def wait_for_scores(control):
    """Return the status that requests scores; a cursor below 0 marks it."""
    control[CURSOR] = -control[CURSOR] - 1
    return NEEDS_SCORES


@inlined
def move_all(record):
    """Play the chosen move of each game, and drop those that are over."""
    control, active = record.control, 0
    control[PLY] += 1
    for i in range(control[ACTIVE]):
        game = record.active_games[i]
        record.status[game] = make_move(record, game)
        if record.status[game] == PLAYING:
            record.active_games[active] = game
            active += 1
    control[ACTIVE], control[CURSOR], control[PHASE] = active, 0, SCORE_MOVES - control[USES_PRIOR]


@inlined
def is_full(record):
    """Whether the arrays must grow before the next move of each game."""
    control = record.control
    return control[SEEN_COUNT] + control[ACTIVE] > LOAD * record.seen.size or control[PLY] == record.game_moves.shape[1]


@compiled
def step(record, budget):
    """One slice: expand at most `budget` positions."""
    control, rows_needed = record.control, 1 if follows_prior(record.guide) else record.moves.size
    if budget == 0:
        return RUNNING
    if control[PHASE] == START:
        begin(record)
        control[PHASE] = SCORE_MOVES - control[USES_PRIOR]
    if control[CURSOR] < 0:
        take_scores(record)
        control[CURSOR] = -control[CURSOR] - 1
    while control[ACTIVE] > 0:
        if control[PHASE] == SCORE_POSITIONS:
            while control[CURSOR] < control[ACTIVE]:
                if (control[REQUESTED] + 1) * record.moves.size > record.scores.size:
                    return wait_for_scores(control)
                ask_prior_and_value(record, record.active_games[control[CURSOR]])
                control[CURSOR] += 1
            if control[REQUESTED] > 0:
                return wait_for_scores(control)
            control[CURSOR], control[PHASE] = 0, SCORE_MOVES
        if control[PHASE] == SCORE_MOVES:
            while control[CURSOR] < control[ACTIVE]:
                if control[REQUESTED] + rows_needed > len(record.rows):
                    return wait_for_scores(control)
                if budget == 0:
                    return RUNNING
                game = record.active_games[control[CURSOR]]
                if follows_prior(record.guide):
                    ask_prior(record, game)
                else:
                    score_moves(record, game)
                control[CURSOR] += 1
                budget -= 1
            if control[REQUESTED] > 0:
                return wait_for_scores(control)
            control[PHASE] = MOVE
        if is_full(record):
            return FULL
        move_all(record)
    return DONE
