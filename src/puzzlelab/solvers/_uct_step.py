"""The machine of UCT: many games side by side, each with a tree of playouts; all their leaves are scored in one batch.

Shapes: G = games, M as in `engine.kernels`.
"""

from __future__ import annotations

import numpy as np

from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import DONE, EXPANDED, FULL, NEEDS_SCORES, REQUESTED, RUNNING, compiled, inlined
from puzzlelab.solvers._uct_tree import (
    ADMISSIBLE,
    AT_ONCE,
    BEGUN,
    BY_VALUES,
    CURSOR,
    FINISHES,
    IDLE,
    LEAVES,
    LIVE,
    LOOKED,
    LOST,
    NEW,
    NOBODY,
    NODES,
    NOISE,
    NOWHERE,
    OPEN,
    PAUSED,
    PAUSES,
    PLAYING,
    PLAYOUTS,
    SOLVED,
    SPENT,
    STUCK,
    TEMPERATURE,
    TOO_SHORT,
    WAITS,
    WON,
    playout,
    stir,
    take_scores,
    uniform,
)


@inlined
def merit(record, game, child):
    """Which of two children that were tried equally often is the better one."""
    tried = record.visits[game, child]
    return record.total[game, child] / tried if tried > 0 else record.prior[game, child]


@inlined
def most_tried(record, game):
    """The child of the root that was tried most often, and is not lost; NOWHERE without any."""
    chosen, first = NOWHERE, record.first[game, 0]
    for child in range(first, first + record.children[game, 0]):
        if record.kind[game, child] != LOST:
            more = 1 if chosen == NOWHERE else record.visits[game, child] - record.visits[game, chosen]
            if more > 0 or (more == 0 and merit(record, game, child) > merit(record, game, chosen)):
                chosen = child
    return chosen


@inlined
def choose(record, game):
    """The child of the root that is to be played: the one tried most often, or one drawn by how often it was tried."""
    chosen, warmth = most_tried(record, game), record.weights[TEMPERATURE]
    if warmth == 0.0 or chosen == NOWHERE or record.visits[game, chosen] == 0:
        return chosen
    first, most, total = record.first[game, 0], np.float64(record.visits[game, chosen]), 0.0
    for i in range(record.children[game, 0]):
        lost = record.kind[game, first + i] == LOST
        record.room[i] = 0.0 if lost else (record.visits[game, first + i] / most) ** (1.0 / warmth)
        total += record.room[i]
    left = total * uniform(record.random, game)
    for i in range(record.children[game, 0]):
        left -= record.room[i]
        if left < 0.0:
            return first + i
    return chosen


@inlined
def move_row(record, game, row, to):
    """Move a node to a row before its own."""
    kernels.copy(record.keys[game, row], record.keys[game, to])
    record.kind[game, to], record.move[game, to] = record.kind[game, row], record.move[game, row]
    record.first[game, to], record.children[game, to] = record.first[game, row], record.children[game, row]
    record.visits[game, to], record.total[game, to] = record.visits[game, row], record.total[game, row]
    record.prior[game, to], record.guess[game, to] = record.prior[game, row], record.guess[game, row]


@inlined
def advance(record, game, child):
    """Make the move to a child of the root: it becomes the root, with all below it; the rest is forgotten."""
    at, place, last = record.length[game], record.place, record.size[game]
    record.made[game, at] = record.move[game, child]
    kernels.copy(record.keys[game, 0], record.past[game, at])
    record.length[game], record.tried[game], record.stirred[game] = at + 1, 0, False
    record.deep[game] = max(0, record.deep[game] - 1)
    for row in range(child):
        place[row] = NOWHERE
    move_row(record, game, child, 0)
    record.parent[game, 0], record.move[game, 0], place[child], kept = NOWHERE, NOWHERE, 0, 1
    for row in range(child + 1, last):
        above = place[record.parent[game, row]]
        place[row] = NOWHERE
        if above != NOWHERE:
            move_row(record, game, row, kept)
            record.parent[game, kept], place[row] = above, kept
            if record.first[game, above] == row:
                record.first[game, above] = kept
            kept += 1
    record.size[game] = kept


# --- many games -----------------------------------------------------------------------------------------------------


@inlined
def seat(record, game):
    """Begin a game anew from its start, with nothing but that in its tree."""
    state, tables = record.start[game], record.tables
    kernels.pack(tables, state, record.keys[game, 0])
    record.parent[game, 0], record.move[game, 0], record.kind[game, 0] = NOWHERE, NOWHERE, NEW
    record.children[game, 0] = record.visits[game, 0] = 0
    record.total[game, 0], record.prior[game, 0] = 0.0, 1.0
    record.size[game], record.length[game], record.tried[game], record.deep[game] = 1, 0, 0, 0
    record.best[game], record.stirred[game], record.cut[game] = NOWHERE, False, False
    if kernels.solved(tables, state):
        record.kind[game, 0], record.best[game], record.bound[game], record.standing[game] = SOLVED, 0, 0, WON
        return
    record.bound[game], record.standing[game] = 1, PLAYING
    if record.settings[ADMISSIBLE] == 1 and not kernels.is_external(record.estimate):
        record.bound[game] = max(1, kernels.evaluate(record.estimate, state, record.memo))


@compiled
def begin(record, children):
    """Begin games anew, but for those that have a child of the root to go on to: `children: int64[G]`, or NOWHERE.

    NOBODY lets a game stand as it is.
    """
    for game in range(children.size):
        if children[game] == NOBODY:
            record.standing[game] = IDLE
        elif children[game] == NOWHERE:
            seat(record, game)
        else:
            advance(record, game, children[game])
            record.standing[game] = PLAYING
    record.control[BEGUN] = record.control[WAITS] = record.control[LEAVES] = record.control[REQUESTED] = 0


@compiled
def decide(record, children, shares):
    """Write which child of its root each game that has had its playouts goes on to, NOWHERE for others.

    And into `shares: float64[G, M]`, which is 0 everywhere else, how many of the playouts began with each move.
    """
    for game in range(children.size):
        children[game], first, total = NOWHERE, record.first[game, 0], 0
        if record.standing[game] != PAUSED:
            continue
        children[game] = choose(record, game)
        for child in range(first, first + record.children[game, 0]):
            total += record.visits[game, child] * (record.kind[game, child] != LOST)
        for child in range(first, first + record.children[game, 0]):
            if total > 0 and record.kind[game, child] != LOST:
                shares[game, record.move[game, child]] = record.visits[game, child] / total


@inlined
def judged(record, game):
    """How a game stands between two playouts."""
    best = record.best[game]
    if record.kind[game, 0] == SOLVED:
        return WON
    if record.kind[game, 0] == LOST:
        return STUCK if best == NOWHERE else WON
    if record.settings[PAUSES] == 0 and best != NOWHERE and best <= max(record.bound[game], record.length[game] + 1):
        return WON  # nothing shorter can come
    return SPENT if record.counts[game, LOOKED] >= record.settings[NODES] else PLAYING


@inlined
def turn(record, game):
    """Let a game go on to its next leaves, with a move before that where it is time for it."""
    settings, standing = record.settings, judged(record, game)
    if standing == PLAYING and record.tried[game] >= settings[PLAYOUTS]:
        if settings[PAUSES] == 1:
            standing = PAUSED
        elif settings[FINISHES] == 1 and record.best[game] != NOWHERE:
            standing = WON
        else:
            advance(record, game, choose(record, game))
            standing = judged(record, game)
    record.standing[game] = standing
    if standing != PLAYING:
        return
    if record.kind[game, 0] == NEW:
        playout(record, game)
        record.tried[game] = 0  # to look at the root is none
        return
    if record.weights[NOISE] > 0.0 and not record.stirred[game]:
        stir(record, game)
    left = min(settings[AT_ONCE], settings[PLAYOUTS] - record.tried[game])
    for _ in range(min(left, settings[NODES] - record.counts[game, LOOKED])):
        if record.kind[game, 0] != OPEN or not playout(record, game):
            return


@inlined
def sweep(record):
    """Take the games that do not go on out of those that do, and begin with the first again."""
    control, live = record.control, 0
    for i in range(control[LIVE]):
        if record.standing[record.live[i]] == PLAYING:
            record.live[live] = record.live[i]
            live += 1
    control[LIVE], control[CURSOR] = live, 0


@inlined
def gather(record):
    """Put all games among those that go on, and take out those that do not."""
    control = record.control
    for game in range(len(record.live)):
        record.live[game] = game
    control[LIVE], control[BEGUN] = len(record.live), 1
    sweep(record)


@inlined
def full(record, game):
    """Whether there is no room for the next leaves of a game."""
    leaves = record.settings[AT_ONCE]
    record.control[TOO_SHORT] = record.length[game] + record.deep[game] + leaves + 2 > record.made.shape[1]
    return record.control[TOO_SHORT] == 1 or record.size[game] + leaves * record.moves.size > record.kind.shape[1]


@compiled
def step(record, budget):
    """One slice: look at some `budget` states."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[BEGUN] == 0:
        gather(record)
    if control[WAITS] == 1:
        take_scores(record)
        control[WAITS] = 0
    wanted = record.settings[AT_ONCE] * (record.moves.size if record.settings[BY_VALUES] == 1 else 1)
    stop = control[EXPANDED] + budget
    while control[LIVE] > 0:
        while control[CURSOR] < control[LIVE] and control[REQUESTED] + wanted <= len(record.rows):
            if control[EXPANDED] >= stop:
                return RUNNING
            game = np.int64(record.live[control[CURSOR]])
            if full(record, game):
                return FULL
            turn(record, game)
            control[CURSOR] += 1
        if control[LEAVES] > 0:
            control[WAITS] = 1
            return NEEDS_SCORES
        if control[CURSOR] == control[LIVE]:
            sweep(record)
    return DONE
