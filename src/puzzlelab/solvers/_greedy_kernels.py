"""The machine of greedy play: many games side by side, a move of each at a time, without any search.

What all of them lead to is scored in one batch, so that a network is called once for each move number, and not once for
each board.

Shapes: G = games, L = moves that there is room for, R = rows of a batch, S, M, K as in `engine.kernels`.
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

LIVE, CURSOR, PHASE, PLY, REMEMBERED, MOST, NODES, AVOIDS, ADMISSIBLE, WEIGHS = range(OWN, OWN + 10)
START, WEIGH, LOOK, MOVE = range(4)
"""WEIGH: a prior is asked about the positions, before an estimate is about what follows them."""
HERE, LOOKED, MADE, SCORED = range(4)
"""Columns of `counts`."""
PLAYING, SOLVED, STUCK, CIRCLE, NOTHING_NEW, TOO_LONG, SPENT = range(7)
"""How a game stands: it goes on, or why it is over."""
NOWHERE = -1
UNBOUNDED = 1 << 40
"""As many positions as one likes."""
LOAD = 0.6
"""Most of the hash table that may be taken."""


class Policy(NamedTuple):
    """In the place of an estimate's tables: games follow a prior, which is asked about the positions themselves.

    (What it holds is a number, because Numba takes far longer to recognise a text at each call.)
    """

    none: int = 0


@kernel_name
def follows(guide):
    """Whether the scores of moves are asked for, and not those of states."""
    return False


@implements(follows, Policy)
def _follows(guide):
    return True


@implements(kernels.is_external, Policy)
def _asked(guide):
    return True


@implements(kernels.evaluate, Policy)
def _no_estimate(guide, state, memo):
    return 0


class GreedyRecord(NamedTuple):
    """Where the games stand. All that go on have the same number of moves behind them."""

    tables: Any
    guide: Any
    """The tables of an estimate, or those of a `Policy`."""
    control: NDArray[np.int64]
    live: NDArray[np.int32]
    """[G]: the games that go on, the first `LIVE` of them."""
    position: State
    """[G, S]: where each game stands."""
    standing: NDArray[np.int8]
    """[G]: whether it goes on, or why it is over."""
    length: NDArray[np.int32]
    """[G]: the moves of games that are over."""
    again: NDArray[np.int32]
    """[G]: after how many moves the board stood there that came again."""
    bound: NDArray[np.int32]
    """[G]: the least number of moves that are needed."""
    made: NDArray[np.int32]
    """[G, L]: the moves of each game."""
    choice: NDArray[np.int32]
    """[G]: the best move so far at this position, or NOWHERE."""
    best: NDArray[np.float64]
    """[G]: and how it looks; the less, the better."""
    counts: NDArray[np.int64]
    """[G, 4]: the moves at this position; in the whole game: positions, their moves, and states scored from outside."""
    rows: State
    """[R, S]: states that wait for scores."""
    owner: NDArray[np.int32]
    """[R]: the game that each is for."""
    taken: NDArray[np.int32]
    """[R]: the move that leads to it."""
    scores: NDArray[np.float64]
    """[R]: their scores, or [R M] those of their moves."""
    likely: NDArray[np.float64]
    """[G, M]: what the prior says of the moves at each position, beside an estimate."""
    weights: NDArray[np.float64]
    """[2]: what the prior counts beside the estimate, and how much less likely than the best (as a logarithm) a move
    may be to be looked at.
    """
    seen: NDArray[np.uint64]
    """[2^k]: hashes of game and board, 0 for none, of every board that there was."""
    when: NDArray[np.int32]
    """[2^k]: after how many moves it was there."""
    moves: NDArray[np.int32]
    words: NDArray[np.uint64]
    memo: NDArray[np.int64]
    delta: NDArray[np.int64]


@compiled
def mixed(words, game):
    """A hash of a packed board in this game, never 0."""
    return kernels.scramble(kernels.mix(words) ^ np.uint64(game)) | np.uint64(1)


@inlined
def fingerprint(record, state, game):
    """The hash of a board in this game."""
    kernels.pack(record.tables, state, record.words)
    return np.uint64(mixed(record.words, game))


@inlined
def slot_of(seen, key):
    """Where a hash stands in the table, or could stand."""
    mask = np.uint64(seen.size - 1)
    slot = (key >> np.uint64(1)) & mask
    while seen[slot] != 0 and seen[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled
def remember_all(seen, when, others, others_when):
    """Take over every board of a smaller table."""
    for i in range(others.size):
        if others[i] != 0:
            slot = slot_of(seen, others[i])
            seen[slot], when[slot] = others[i], others_when[i]


@inlined
def remember(record, game):
    """Note that this game's position was there."""
    key = fingerprint(record, record.position[game], game)
    slot = slot_of(record.seen, key)
    record.seen[slot], record.when[slot] = key, record.control[PLY]
    record.control[REMEMBERED] += 1


@inlined
def is_repeat(record, state, game):
    """Whether this game may not go to a state, because it was there and avoids repeats."""
    if record.control[AVOIDS] == 0:
        return False
    key = fingerprint(record, state, game)
    return record.seen[slot_of(record.seen, key)] == key


@inlined
def prefer(record, game, move, value):
    """Choose this move if it looks better than all before it; of equal ones the first stays."""
    if record.choice[game] == NOWHERE or value < record.best[game]:
        record.choice[game], record.best[game] = move, value


@inlined
def ask(record, game, move):
    """Let the row behind the last one wait for a score."""
    row = record.control[REQUESTED]
    record.owner[row], record.taken[row] = game, move
    record.control[REQUESTED] += 1
    record.counts[game, SCORED] += 1


@inlined
def moves_of(record, game):
    """Write the moves at a game's position into `moves`; returns how many there are."""
    count = kernels.legal(record.tables, record.position[game], record.moves)
    record.counts[game, HERE] = count
    record.counts[game, LOOKED] += 1
    record.counts[game, MADE] += count
    record.control[EXPANDED] += 1
    record.control[GENERATED] += count
    return count


@inlined
def ask_prior_and_value(record, game):
    """Ask how likely the moves at a position are."""
    row = record.control[REQUESTED]
    kernels.copy(record.position[game], record.rows[row])
    record.owner[row] = game
    record.control[REQUESTED] += 1
    record.counts[game, SCORED] += 1


@inlined
def best_prior(record, game, count):
    """The score of the likeliest of the first `count` of `moves`."""
    best = -np.inf
    for i in range(count):
        best = max(best, record.likely[game, record.moves[i]])
    return best


@inlined
def prior_penalty(record, game, move):
    """What a move counts for being less likely than certain, beside the estimate of what it leads to."""
    return -record.weights[0] * record.likely[game, move] if record.control[WEIGHS] == 1 else 0.0


@inlined
def look(record, game):
    """Score what each move of a game leads to, or ask for that; a move that solves it is taken at once."""
    control, tables, guide = record.control, record.tables, record.guide
    state, asked = record.position[game], kernels.is_external(record.guide)
    count = moves_of(record, game)
    first = control[REQUESTED]
    value, least = np.int64(0), -np.inf
    if kernels.incremental(guide):
        value = kernels.evaluate(guide, state, record.memo)
    if control[WEIGHS] == 1:
        least = best_prior(record, game, count) + record.weights[1]
    for i in range(count):
        move, child = record.moves[i], record.rows[control[REQUESTED]]
        kernels.apply(tables, state, move, child)
        if kernels.solved(tables, child):
            record.choice[game] = move
            record.counts[game, SCORED] -= control[REQUESTED] - first
            control[REQUESTED] = first
            return
        if is_repeat(record, child, game) or (control[WEIGHS] == 1 and record.likely[game, move] < least):
            continue
        if asked:
            ask(record, game, move)
        elif kernels.incremental(guide):
            after = kernels.evaluate_move(guide, state, move, value, record.memo, record.delta, np.int64(1 << 40))
            prefer(record, game, move, after + prior_penalty(record, game, move))
        else:
            after = kernels.evaluate(guide, child, record.memo)
            prefer(record, game, move, after + prior_penalty(record, game, move))


@inlined
def ask_prior(record, game):
    """Ask for the scores of the moves at a position."""
    if moves_of(record, game) > 0:
        kernels.copy(record.position[game], record.rows[record.control[REQUESTED]])
        ask(record, game, NOWHERE)


@inlined
def take_scores(record):
    """Choose by the scores that were asked for."""
    control = record.control
    for row in range(control[REQUESTED]):
        game, taken = record.owner[row], record.taken[row]
        if control[PHASE] == WEIGH:
            for move in range(record.moves.size):
                record.likely[game, move] = record.scores[row * record.moves.size + move]
            continue
        if not follows(record.guide):
            prefer(record, game, taken, record.scores[row] + prior_penalty(record, game, taken))
            continue
        for i in range(kernels.legal(record.tables, record.position[game], record.moves)):
            move = record.moves[i]
            if control[AVOIDS] == 1:
                kernels.apply(record.tables, record.position[game], move, record.rows[row])
                if is_repeat(record, record.rows[row], game):
                    continue
            prefer(record, game, move, -record.scores[row * record.moves.size + move])
    control[REQUESTED] = 0


@inlined
def make(record, game):
    """Make the move that a game has chosen; returns how it stands then."""
    control, ply, move = record.control, record.control[PLY], record.choice[game]
    if move == NOWHERE:
        return STUCK if record.counts[game, HERE] == 0 else NOTHING_NEW
    child = record.rows[0]
    kernels.apply(record.tables, record.position[game], move, child)
    record.made[game, ply - 1] = move
    record.length[game] = ply
    key = fingerprint(record, child, game)
    slot = slot_of(record.seen, key)
    if record.seen[slot] == key:
        record.again[game] = record.when[slot]
        return CIRCLE
    record.seen[slot], record.when[slot] = key, ply
    control[REMEMBERED] += 1
    kernels.copy(child, record.position[game])
    record.choice[game] = NOWHERE
    if kernels.solved(record.tables, child):
        return SOLVED
    if ply == control[MOST]:
        return TOO_LONG
    return SPENT if ply == control[NODES] else PLAYING


@inlined
def begin(record):
    """Look at the boards as they are; solved ones are done."""
    control, live = record.control, 0
    for game in range(len(record.position)):
        state = record.position[game]
        remember(record, game)
        if kernels.solved(record.tables, state):
            record.standing[game] = SOLVED
            continue
        record.bound[game] = 1
        if control[ADMISSIBLE] == 1 and not kernels.is_external(record.guide):
            record.bound[game] = max(1, kernels.evaluate(record.guide, state, record.memo))
        record.live[live] = game
        live += 1
    control[LIVE] = live


@inlined
def wait(control):
    """Wait for scores; a cursor below 0 says so."""
    control[CURSOR] = -control[CURSOR] - 1
    return NEEDS_SCORES


@inlined
def move_all(record):
    """Make the move that each game has chosen, and leave out those that are over."""
    control, live = record.control, 0
    control[PLY] += 1
    for i in range(control[LIVE]):
        game = record.live[i]
        record.standing[game] = make(record, game)
        if record.standing[game] == PLAYING:
            record.live[live] = game
            live += 1
    control[LIVE], control[CURSOR], control[PHASE] = live, 0, LOOK - control[WEIGHS]


@inlined
def full(record):
    """Whether there is no room for one move more of each game."""
    control = record.control
    return control[REMEMBERED] + control[LIVE] > LOAD * record.seen.size or control[PLY] == record.made.shape[1]


@compiled
def step(record, budget):
    """One slice: look at most at `budget` positions."""
    control, room = record.control, 1 if follows(record.guide) else record.moves.size
    if budget == 0:
        return RUNNING
    if control[PHASE] == START:
        begin(record)
        control[PHASE] = LOOK - control[WEIGHS]
    if control[CURSOR] < 0:
        take_scores(record)
        control[CURSOR] = -control[CURSOR] - 1
    while control[LIVE] > 0:
        if control[PHASE] == WEIGH:
            while control[CURSOR] < control[LIVE]:
                if (control[REQUESTED] + 1) * record.moves.size > record.scores.size:
                    return wait(control)
                ask_prior_and_value(record, record.live[control[CURSOR]])
                control[CURSOR] += 1
            if control[REQUESTED] > 0:
                return wait(control)
            control[CURSOR], control[PHASE] = 0, LOOK
        if control[PHASE] == LOOK:
            while control[CURSOR] < control[LIVE]:
                if control[REQUESTED] + room > len(record.rows):
                    return wait(control)
                if budget == 0:
                    return RUNNING
                game = record.live[control[CURSOR]]
                if follows(record.guide):
                    ask_prior(record, game)
                else:
                    look(record, game)
                control[CURSOR] += 1
                budget -= 1
            if control[REQUESTED] > 0:
                return wait(control)
            control[PHASE] = MOVE
        if full(record):
            return FULL
        move_all(record)
    return DONE
