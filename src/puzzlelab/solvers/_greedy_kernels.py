# mypy: allow-untyped-defs
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
from puzzlelab.engine.evaluation_kernels import evaluate_child, evaluate_state, prepare_children
from puzzlelab.engine.hash_table_kernels import MAX_LOAD, mix, slot_of_hash
from puzzlelab.engine.kernels import DONE, FULL, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import NOWHERE, Control, EstimateRecord, control_type

CONTROL = control_type("active cursor phase ply seen_count max_moves max_nodes avoids_repeats admissible uses_prior")
START, SCORE_POSITIONS, SCORE_MOVES, MOVE = range(4)
"""SCORE_POSITIONS: a prior scores the positions, before an estimate scores their successors."""
PLAYING, SOLVED, STUCK, CYCLE, ONLY_REPEATS, TOO_LONG, SPENT = range(7)
"""Status of a game: PLAYING, or why it is over."""


class Games(NamedTuple):
    """Games that are played side by side. Active games have the same number of moves."""

    position: State
    """[G, S]: the position of each game."""
    status: NDArray[np.int8]
    """[G]: PLAYING, or why the game is over."""
    length: NDArray[np.int32]
    """[G]: the number of moves played."""
    moves: NDArray[np.int32]
    """[G, L]: the moves played."""
    repeated_ply: NDArray[np.int32]
    """[G]: the move number after which the repeated board first occurred."""
    lower_bound: NDArray[np.int32]
    """[G]: a lower bound on the length of a solution."""
    best_move: NDArray[np.int32]
    """[G]: the best move so far at this position, or NOWHERE."""
    best_value: NDArray[np.float64]
    """[G]: its value; less is better."""
    legal_moves: NDArray[np.int32]
    """[G]: the number of legal moves of the position."""
    expanded: NDArray[np.int64]
    """[G]: the states expanded in the whole game."""
    generated: NDArray[np.int64]
    """[G]: the states generated."""
    scored: NDArray[np.int64]
    """[G]: the states scored by a network."""


class Batch(NamedTuple):
    """The states whose scores are requested."""

    states: State
    """[R, S]."""
    game: NDArray[np.int32]
    """[R]: the game of each."""
    move: NDArray[np.int32]
    """[R]: the move to it."""
    cost: NDArray[np.float64]
    """[R]: the cost of that move, where moves have costs or points."""


class SeenBoards(NamedTuple):
    """The earlier positions of all games."""

    hashes: NDArray[np.uint64]
    """[2^k]: the table of hashes of a game and a board."""
    ply: NDArray[np.int32]
    """[2^k]: the move number of each."""


class GreedyRecord(NamedTuple):
    """The state of all games."""

    tables: Any
    estimate: EstimateRecord
    """The tables of an estimate, or of one with `kernels.ExternalPrior`."""
    control: Control
    active_games: NDArray[np.int32]
    """[G]: the numbers of the active games, in the first `active` entries."""
    games: Games
    batch: Batch
    scores: NDArray[np.float64]
    """[R]: the scores of the batch, or [R M] those of its moves."""
    prior_logits: NDArray[np.float64]
    """[G, M]: the log probabilities of the moves of each position, beside an estimate."""
    prior_weight: float
    """The weight of the prior beside the estimate."""
    least_log_ratio: float
    """The least log probability of a move that is considered, relative to that of the best move."""
    seen: SeenBoards
    moves: NDArray[np.int32]
    """[M]: the legal moves of a position."""
    key: NDArray[np.uint64]
    """[W]: a packed state."""


@compiled
def hash_of(key, game):
    """Return a hash of a packed board in this game, never 0."""
    return kernels.scramble(mix(key) ^ np.uint64(game)) | np.uint64(1)


@inlined
def fingerprint(record, state, game):
    """Return the hash of a board in this game."""
    kernels.pack(record.tables, state, record.key)
    return np.uint64(hash_of(record.key, game))


@compiled
def add_all(seen, other):
    """Add all entries of a smaller table."""
    for i in range(other.hashes.size):
        if other.hashes[i] != 0:
            slot = slot_of_hash(seen.hashes, other.hashes[i])
            seen.hashes[slot], seen.ply[slot] = other.hashes[i], other.ply[i]


@inlined
def add_position(record, game):
    """Add the position of a game to the table of earlier positions."""
    key = fingerprint(record, record.games.position[game], game)
    slot = slot_of_hash(record.seen.hashes, key)
    record.seen.hashes[slot], record.seen.ply[slot] = key, record.control.ply
    record.control.seen_count += 1


@inlined
def is_repeat(record, state, game):
    """Tell whether a state is an earlier position of this game, if the game avoids repeats."""
    # Without this setting a repeat is found when it is played, and ends the game.
    if record.control.avoids_repeats == 0:
        return False
    key = fingerprint(record, state, game)
    return record.seen.hashes[slot_of_hash(record.seen.hashes, key)] == key


@inlined
def keep_best(record, game, move, value):
    """Make this the best move if its value is less than that of all moves before it."""
    if record.games.best_move[game] == NOWHERE or value < record.games.best_value[game]:
        record.games.best_move[game], record.games.best_value[game] = move, value


@inlined
def request_score(record, game, move):
    """Request the score of the next row."""
    row = record.control.requested
    record.batch.game[row], record.batch.move[row] = game, move
    record.control.requested += 1
    record.games.scored[game] += 1


@inlined
def moves_of(record, game):
    """Write the legal moves of a game into `moves`; returns their number."""
    count = kernels.legal(record.tables, record.games.position[game], record.moves)
    record.games.legal_moves[game] = count
    record.games.expanded[game] += 1
    record.games.generated[game] += count
    record.control.expanded += 1
    record.control.generated += count
    return count


@inlined
def request_prior(record, game):
    """Request the prior of the moves of a position."""
    kernels.copy(record.games.position[game], record.batch.states[record.control.requested])
    request_score(record, game, NOWHERE)


@inlined
def best_prior(record, game, count):
    """Return the greatest log probability of the first `count` of `moves`."""
    # The scores are logarithms up to a constant, so that only differences to the best one mean a ratio.
    best = -np.inf
    for i in range(count):
        best = max(best, record.prior_logits[game, record.moves[i]])
    return best


@inlined
def prior_penalty(record, game, move):
    """Return what a move's log probability adds to the estimate of its successor."""
    return -record.prior_weight * record.prior_logits[game, move] if record.control.uses_prior == 1 else 0.0


@inlined
def score_moves(record, game):
    """Score the successors of a position, or request their scores; a solving move is chosen at once."""
    control, tables, estimate, state = record.control, record.tables, record.estimate, record.games.position[game]
    count = moves_of(record, game)
    first, min_prior = control.requested, -np.inf
    value = prepare_children(estimate, state)
    if control.uses_prior == 1:
        # Moves that are much less likely than the best one are not evaluated.
        min_prior = best_prior(record, game, count) + record.least_log_ratio
    for i in range(count):
        # A child is made in the next row of the batch, which it keeps only if its score is requested.
        move, child = record.moves[i], record.batch.states[control.requested]
        kernels.apply(tables, state, move, child)
        if kernels.has_costs(tables):
            cost = np.float64(kernels.move_cost(tables, state, move, child))
            record.batch.cost[control.requested] = cost
            if kernels.solved(tables, child):
                keep_best(record, game, move, cost + prior_penalty(record, game, move))
                continue
        elif kernels.solved(tables, child):
            # No other move can be better: the requests of this position are taken back.
            record.games.best_move[game] = move
            record.games.scored[game] -= control.requested - first
            control.requested = first
            return
        # Leave out boards of this game, and moves that the prior calls too unlikely.
        if is_repeat(record, child, game) or (control.uses_prior == 1 and record.prior_logits[game, move] < min_prior):
            continue
        # Choose by one step of look-ahead: the estimate of the successor, plus the cost of the move to it.
        if kernels.is_external(estimate.tables):
            request_score(record, game, move)
        else:
            child_value = np.float64(evaluate_child(estimate, state, value, move, child))
            if kernels.has_costs(tables):
                child_value += record.batch.cost[control.requested]
            keep_best(record, game, move, child_value + prior_penalty(record, game, move))


@inlined
def score_position(record, game):
    """Score the moves of a position by the estimate, or request their prior."""
    if not kernels.scores_moves(record.estimate.tables):
        score_moves(record, game)
    elif moves_of(record, game) > 0:
        request_prior(record, game)


@inlined
def take_scores(record):
    """Choose moves by the scores that arrived."""
    control = record.control
    for row in range(control.requested):
        game, move_to_row = record.batch.game[row], record.batch.move[row]
        # The prior of a position: it is kept until its successors have estimates.
        if control.phase == SCORE_POSITIONS:
            for move in range(record.moves.size):
                record.prior_logits[game, move] = record.scores[row * record.moves.size + move]
            continue
        # The estimate of a successor.
        if not kernels.scores_moves(record.estimate.tables):
            cost = record.batch.cost[row] if kernels.has_costs(record.tables) else 0.0
            penalty = prior_penalty(record, game, move_to_row)
            keep_best(record, game, move_to_row, record.scores[row] + cost + penalty)
            continue
        # The prior alone: the likeliest move is the best one.
        for i in range(kernels.legal(record.tables, record.games.position[game], record.moves)):
            move = record.moves[i]
            if control.avoids_repeats == 1:
                kernels.apply(record.tables, record.games.position[game], move, record.batch.states[row])
                if is_repeat(record, record.batch.states[row], game):
                    continue
            keep_best(record, game, move, -record.scores[row * record.moves.size + move])
    control.requested = 0


@inlined
def make_move(record, game):
    """Play the chosen move of a game; returns its new status."""
    control, ply, move = record.control, record.control.ply, record.games.best_move[game]
    # Nothing to play: the position has no move, or none to a new board.
    if move == NOWHERE:
        return STUCK if record.games.legal_moves[game] == 0 else ONLY_REPEATS
    child = record.batch.states[0]
    kernels.apply(record.tables, record.games.position[game], move, child)
    # The move is played, also where it leads back: the answer shows the cycle.
    record.games.moves[game, ply - 1] = move
    record.games.length[game] = ply
    # All games share one table, where the hash has the game in it.
    key = fingerprint(record, child, game)
    slot = slot_of_hash(record.seen.hashes, key)
    if record.seen.hashes[slot] == key:
        record.games.repeated_ply[game] = record.seen.ply[slot]
        return CYCLE
    record.seen.hashes[slot], record.seen.ply[slot] = key, ply
    control.seen_count += 1
    kernels.copy(child, record.games.position[game])
    record.games.best_move[game] = NOWHERE
    if kernels.solved(record.tables, child):
        return SOLVED
    if ply == control.max_moves:
        return TOO_LONG
    return SPENT if ply == control.max_nodes else PLAYING


@inlined
def begin(record):
    """Start all games; those already solved are over."""
    control, active = record.control, 0
    for game in range(len(record.games.position)):
        state = record.games.position[game]
        add_position(record, game)
        if kernels.solved(record.tables, state):
            record.games.status[game] = SOLVED
            continue
        # Play proves nothing beyond what its start shows.
        record.games.lower_bound[game] = 1
        if control.admissible == 1 and not kernels.is_external(record.estimate.tables):
            record.games.lower_bound[game] = max(1, evaluate_state(record.estimate, state))
        record.active_games[active] = game
        active += 1
    control.active = active


@inlined
def wait_for_scores(control):
    """Return the status that requests scores; a cursor below 0 marks it."""
    control.cursor = -control.cursor - 1
    return NEEDS_SCORES


@inlined
def move_all(record):
    """Play the chosen move of each game, and drop those that are over."""
    control, active = record.control, 0
    control.ply += 1
    for i in range(control.active):
        game = record.active_games[i]
        record.games.status[game] = make_move(record, game)
        if record.games.status[game] == PLAYING:
            # The games that go on move up, so that later batches have no gaps.
            record.active_games[active] = game
            active += 1
    control.active, control.cursor, control.phase = active, 0, SCORE_MOVES - control.uses_prior


@inlined
def is_full(record):
    """Tell whether the arrays must grow before the next move of each game."""
    control = record.control
    return (
        control.seen_count + control.active > MAX_LOAD * record.seen.hashes.size
        or control.ply == record.games.moves.shape[1]
    )


@compiled
def step(record, budget):
    """Run one slice: expand at most `budget` positions."""
    control, rows_needed = record.control, 1 if kernels.scores_moves(record.estimate.tables) else record.moves.size
    if budget == 0:
        return RUNNING
    # All games are at their first position.
    if control.phase == START:
        begin(record)
        control.phase = SCORE_MOVES - control.uses_prior
    if control.cursor < 0:
        # The scores that this search waited for have arrived.
        take_scores(record)
        control.cursor = -control.cursor - 1
    while control.active > 0:
        # Beside an estimate, the prior of all positions is requested first.
        if control.phase == SCORE_POSITIONS:
            while control.cursor < control.active:
                if (control.requested + 1) * record.moves.size > record.scores.size:
                    return wait_for_scores(control)
                request_prior(record, record.active_games[control.cursor])
                control.cursor += 1
            if control.requested > 0:
                return wait_for_scores(control)
            control.cursor, control.phase = 0, SCORE_MOVES
        # The moves of all positions are scored, in as few batches as possible.
        if control.phase == SCORE_MOVES:
            while control.cursor < control.active:
                if control.requested + rows_needed > len(record.batch.states):
                    return wait_for_scores(control)
                if budget == 0:
                    return RUNNING
                score_position(record, record.active_games[control.cursor])
                control.cursor += 1
                budget -= 1
            if control.requested > 0:
                return wait_for_scores(control)
            control.phase = MOVE
        # Each game makes its best move.
        if is_full(record):
            return FULL
        move_all(record)
    return DONE
