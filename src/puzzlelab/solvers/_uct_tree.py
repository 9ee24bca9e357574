"""The trees of UCT, one for each of many games, and how a playout makes them grow.

A tree is rows of arrays: a child stands behind its parent, and the children of a node stand side by side. A value is
exp(-decay * remaining moves), so that each step back towards the root multiplies it by exp(-decay). A move that leads
back to a state on the way there, in the tree or earlier in the game, is lost, and left out; so is a node from which
every move is lost.

Shapes: G = games, N = rows of a tree, L = moves that there is room for, R = states asked about at once, S, W, M, K as
in `engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import EXPANDED, GENERATED, OWN, REQUESTED, compiled, inlined

BEGUN, LIVE, CURSOR, WAITS, LEAVES, TOO_SHORT = range(OWN, OWN + 6)
"""LEAVES wait for scores; WAITS: they are asked for now; TOO_SHORT: what must grow are the lines of moves."""
PLAYOUTS, AT_ONCE, MOST, NODES, FINISHES, PAUSES, ASKS_PRIOR, BY_VALUES, ADMISSIBLE = range(9)
"""Places in `settings`. PAUSES: a game that has had its playouts waits to be told a move."""
DECAY, EXPLORATION, TEMPERATURE, NOISE, CONCENTRATION = range(5)
WEIGHTS = "decay", "exploration", "temperature", "noise", "concentration"
"""Places in `weights`, and their names."""
NEW, WAITING, OPEN, SOLVED, LOST = range(5)
"""What a node is: not looked at, waiting for scores, with children, the goal, or without a way on."""
PLAYING, WON, STUCK, SPENT, PAUSED, IDLE = range(6)
"""How a game stands. STUCK: its root is lost; SPENT: it has had its nodes; IDLE: nobody asks for its next move."""
LOOKED, MADE, SCORED = range(3)
"""Columns of `counts`."""
NOWHERE = -1
NOBODY = -2
"""In the place of a child to go on to: nobody asks."""
LEAST = 1e-200
"""A value that is as good as none, but still tells likely moves from others."""
UNBOUNDED = 1 << 30
"""As many moves as one likes."""


class UctRecord(NamedTuple):
    """Where the games stand, and their trees."""

    tables: Any
    estimate: Any
    control: NDArray[np.int64]
    settings: NDArray[np.int64]
    weights: NDArray[np.float64]
    start: State
    """[G, S]: where each game begins."""
    live: NDArray[np.int32]
    """[G]: the games that go on, the first `LIVE` of them."""
    standing: NDArray[np.int8]
    """[G]: whether a game goes on, or why not."""
    length: NDArray[np.int32]
    """[G]: the moves that were made."""
    best: NDArray[np.int32]
    """[G]: the length of the shortest solution found, NOWHERE without one."""
    bound: NDArray[np.int32]
    """[G]: the least number of moves that are needed."""
    tried: NDArray[np.int32]
    """[G]: playouts at this position."""
    stirred: NDArray[np.bool_]
    """[G]: whether the root has its noise."""
    cut: NDArray[np.bool_]
    """[G]: whether something was left out because it would take too many moves."""
    deep: NDArray[np.int32]
    """[G]: no node lies deeper below the root than this."""
    size: NDArray[np.int32]
    """[G]: rows of each tree."""
    random: NDArray[np.uint64]
    """[G]: the state of each game's randomness."""
    counts: NDArray[np.int64]
    """[G, 3]: states looked at, their moves, and states scored from outside."""
    made: NDArray[np.int32]
    """[G, L]: the moves of each game."""
    answer: NDArray[np.int32]
    """[G, L]: the moves of the shortest solution found."""
    past: NDArray[np.uint64]
    """[G, L, W]: the packed states in which the moves were made."""
    keys: NDArray[np.uint64]
    """[G, N, W]: the packed state of each node; the root is row 0."""
    kind: NDArray[np.int8]
    """[G, N]."""
    parent: NDArray[np.int32]
    """[G, N]."""
    move: NDArray[np.int32]
    """[G, N]: the move that leads to a node."""
    first: NDArray[np.int32]
    """[G, N]: the row of its first child."""
    children: NDArray[np.int32]
    """[G, N]: and how many there are."""
    visits: NDArray[np.int32]
    """[G, N]: playouts that came through."""
    total: NDArray[np.float64]
    """[G, N]: the sum of their values as seen from this node."""
    prior: NDArray[np.float64]
    """[G, N]: how likely the move to a node is."""
    guess: NDArray[np.float64]
    """[G, N]: what the estimate says of a node, as a value, where it was asked."""
    rows: State
    """[R, S]: states that wait for scores."""
    owner: NDArray[np.int32]
    """[R]: the game of each leaf that waits."""
    leaf: NDArray[np.int32]
    """[R]: its node."""
    begins: NDArray[np.int32]
    """[R]: and the first of its rows."""
    scores: NDArray[np.float64]
    """[R]: remaining moves; or [R M] of a prior; or [R (M + 1)], those of each state's moves, and what remains."""
    state: State
    child: State
    moves: NDArray[np.int32]
    words: NDArray[np.uint64]
    memo: NDArray[np.int64]
    room: NDArray[np.float64]
    """[M]."""
    place: NDArray[np.int32]
    """[N]: room to number nodes anew."""


GAMES = {
    "live": np.int32,
    "standing": np.int8,
    "length": np.int32,
    "best": np.int32,
    "bound": np.int32,
    "tried": np.int32,
    "stirred": np.bool_,
    "cut": np.bool_,
    "deep": np.int32,
    "size": np.int32,
    "random": np.uint64,
}
"""The arrays with one entry a game."""
LINES = {"made": np.int32, "answer": np.int32}
"""The arrays of moves; `past` has their length too."""
TREE = {
    "kind": np.int8,
    "parent": np.int32,
    "move": np.int32,
    "first": np.int32,
    "children": np.int32,
    "visits": np.int32,
    "total": np.float64,
    "prior": np.float64,
    "guess": np.float64,
}
"""The arrays of nodes; `keys` and `place` have their length too."""


# --- randomness -------------------------------------------------------------------------------------------------------


@compiled
def uniform(random, game):
    """A number from [0, 1)."""
    random[game] += kernels.GOLDEN
    return np.float64(kernels.scramble(random[game]) >> np.uint64(11)) * 2.0**-53


@compiled
def gamma(random, game, shape):
    """A number that is gamma distributed (Marsaglia and Tsang, 2000)."""
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - uniform(random, game)) ** (1.0 / shape)
        shape += 1.0
    middle = shape - 1.0 / 3.0
    while True:
        radius = np.sqrt(-2.0 * np.log(1.0 - uniform(random, game)))
        normal = radius * np.cos(2.0 * np.pi * uniform(random, game))
        cubed = (1.0 + normal / np.sqrt(9.0 * middle)) ** 3
        chance = np.log(1.0 - uniform(random, game))
        if cubed > 0.0 and chance < 0.5 * normal * normal + middle * (1.0 - cubed + np.log(cubed)):
            return boost * middle * cubed


@inlined
def stir(record, game):
    """Mix noise (a Dirichlet distribution) into the prior at the root."""
    noise, first, total = record.weights[NOISE], record.first[game, 0], 0.0
    for i in range(record.children[game, 0]):
        record.room[i] = gamma(record.random, game, record.weights[CONCENTRATION])
        total += record.room[i]
    if total > 0.0:
        for i in range(record.children[game, 0]):
            record.prior[game, first + i] *= 1.0 - noise
            record.prior[game, first + i] += noise * record.room[i] / total
    record.stirred[game] = True


# --- one playout ------------------------------------------------------------------------------------------------------


@inlined
def worth(record, remaining):
    """The value of a state from which so many moves remain."""
    return np.exp(-record.weights[DECAY] * max(0.0, remaining))


@inlined
def pick(record, game, node):
    """The child to go on to: the greatest sum of its value and of how likely it is and how little it was tried.

    A child that was never tried counts as much as its parent, or what the estimate said of it.
    """
    discount, visits = np.exp(-record.weights[DECAY]), record.visits[game, node]
    mean = record.total[game, node] / visits
    weight = record.weights[EXPLORATION] * max(mean, LEAST) * np.sqrt(visits)
    best, chosen = -np.inf, NOWHERE
    first = record.first[game, node]
    for child in range(first, first + record.children[game, node]):
        if record.kind[game, child] == LOST:
            continue
        tried, value = record.visits[game, child], mean
        if tried > 0:
            value = discount * record.total[game, child] / tried
        elif record.settings[BY_VALUES] == 1:
            value = discount * record.guess[game, child]
        score = value + weight * record.prior[game, child] / (1 + tried)
        if score > best:
            best, chosen = score, child
    return chosen


@inlined
def same(key, other):
    """Whether two packed states are one."""
    for w in range(key.size):
        if key[w] != other[w]:
            return False
    return True


@inlined
def on_the_way(record, game, node):
    """Whether the state in `words` is that of a node, of one above it, or of an earlier position of the game."""
    while node != NOWHERE:
        if same(record.keys[game, node], record.words):
            return True
        node = record.parent[game, node]
    for i in range(record.length[game]):
        if same(record.past[game, i], record.words):
            return True
    return False


@inlined
def add(record, game, node, move, kind):
    """Add the state in `words` as a child of a node."""
    row = record.size[game]
    kernels.copy(record.words, record.keys[game, row])
    record.parent[game, row], record.move[game, row], record.kind[game, row] = node, move, kind
    record.children[game, row] = record.visits[game, row] = 0
    record.total[game, row], record.prior[game, row] = 0.0, 1.0
    record.children[game, node] += 1
    record.size[game] = row + 1
    return row


@inlined
def ask(record, state):
    """Let a state wait for scores."""
    kernels.copy(state, record.rows[record.control[REQUESTED]])
    record.control[REQUESTED] += 1


@inlined
def weigh(record, game, row, remaining):
    """Note that so many moves remain after a child: the fewer, the likelier it is to be a good one."""
    record.guess[game, row] = worth(record, remaining)
    record.prior[game, row] = -max(0.0, remaining)


@inlined
def look(record, game, node, depth):
    """Add the children of a node; returns what the node is then. Of children of which one is solved, only that one."""
    control, tables, estimate = record.control, record.tables, record.estimate
    kernels.unpack(tables, record.keys[game, node], record.state)
    count, begins = kernels.legal(tables, record.state, record.moves), control[REQUESTED]
    first = record.size[game]
    record.first[game, node] = first
    control[EXPANDED] += 1
    control[GENERATED] += count
    record.counts[game, LOOKED] += 1
    record.counts[game, MADE] += count
    for i in range(count):
        move = record.moves[i]
        kernels.apply(tables, record.state, move, record.child)
        kernels.pack(tables, record.child, record.words)
        if kernels.solved(tables, record.child):
            control[REQUESTED], record.size[game], record.children[game, node] = begins, first, 0
            add(record, game, node, move, SOLVED)
            return SOLVED
        if record.length[game] + depth + 1 >= record.settings[MOST]:
            record.cut[game] = True
        elif not on_the_way(record, game, node):
            row = add(record, game, node, move, NEW)
            if record.settings[BY_VALUES] == 1:
                if kernels.is_external(estimate):
                    ask(record, record.child)
                else:
                    weigh(record, game, row, np.float64(kernels.evaluate(estimate, record.child, record.memo)))
    if record.children[game, node] == 0:
        return LOST
    if record.settings[BY_VALUES] == 0:
        if not kernels.is_external(estimate):
            record.guess[game, node] = worth(record, np.float64(kernels.evaluate(estimate, record.state, record.memo)))
        if record.settings[ASKS_PRIOR] == 1 or kernels.is_external(estimate):
            ask(record, record.state)
    record.counts[game, SCORED] += control[REQUESTED] - begins
    return WAITING if control[REQUESTED] > begins else OPEN


@inlined
def settle(record, game, node):
    """Make probabilities of the logarithms in the children's `prior`; returns the value of the node."""
    first, last = record.first[game, node], record.first[game, node] + record.children[game, node]
    most, best, total = -np.inf, 0.0, 0.0
    for child in range(first, last):
        most = max(most, record.prior[game, child])
        best = max(best, record.guess[game, child])
    for child in range(first, last):
        record.prior[game, child] = np.exp(record.prior[game, child] - most) if most > -np.inf else 1.0
        total += record.prior[game, child]
    for child in range(first, last):
        record.prior[game, child] /= total
    record.kind[game, node] = OPEN
    return worth(record, 1.0) * best if record.settings[BY_VALUES] == 1 else record.guess[game, node]


@inlined
def credit(record, game, node, value):
    """Add the value of a leaf to all nodes on the way to it."""
    discount = np.exp(-record.weights[DECAY])
    while node != NOWHERE:
        record.total[game, node] += value
        value *= discount
        node = record.parent[game, node]


@inlined
def lose(record, game, node):
    """Leave out a node, and all above it that have no other child."""
    while node != NOWHERE:
        first = record.first[game, node]
        for child in range(first, first + record.children[game, node]):
            if record.kind[game, child] != LOST:
                return
        record.kind[game, node] = LOST
        node = record.parent[game, node]


@inlined
def remember(record, game, node, depth):
    """Keep the way to a solved node, if it is the shortest so far."""
    length = record.length[game] + depth
    if record.best[game] != NOWHERE and record.best[game] <= length:
        return
    record.best[game] = length
    for i in range(record.length[game]):
        record.answer[game, i] = record.made[game, i]
    while depth > 0:
        depth -= 1
        record.answer[game, record.length[game] + depth] = record.move[game, node]
        node = record.parent[game, node]


@inlined
def visit(record, game, node, depth):
    """Come to a leaf: look at it, and add its value to all nodes on the way, or ask for its scores.

    Until they are there, it counts as a visit without a value: others go elsewhere meanwhile.
    """
    control, kind, begins = record.control, record.kind[game, node], record.control[REQUESTED]
    if kind == NEW:
        kind = look(record, game, node, depth)
        record.kind[game, node] = OPEN if kind == SOLVED else kind
        if kind == SOLVED:
            node, depth = np.int64(record.first[game, node]), depth + 1
    above = node
    while above != NOWHERE:
        record.visits[game, above] += 1
        above = record.parent[game, above]
    if kind == SOLVED:
        remember(record, game, node, depth)
        credit(record, game, node, 1.0)
    elif kind == LOST:
        lose(record, game, node)
    elif kind == OPEN:
        credit(record, game, node, settle(record, game, node))
    else:
        waiting = control[LEAVES]
        record.owner[waiting], record.leaf[waiting], record.begins[waiting] = game, node, begins
        control[LEAVES] += 1


@inlined
def playout(record, game):
    """Go down the tree to a leaf; False where one that waits for its scores was come to."""
    node, depth = np.int64(0), np.int64(0)
    while record.kind[game, node] == OPEN:
        node, depth = np.int64(pick(record, game, node)), depth + 1
    if record.kind[game, node] == WAITING:
        return False
    record.deep[game] = max(record.deep[game], depth + 1)
    record.tried[game] += 1
    visit(record, game, node, depth)
    return True


@inlined
def take_scores(record):
    """Give the leaves that waited the scores that were asked for."""
    control, settings, moves = record.control, record.settings, record.moves.size
    width = moves * settings[ASKS_PRIOR] + (1 if kernels.is_external(record.estimate) else 0)
    for i in range(control[LEAVES]):
        game, node = np.int64(record.owner[i]), np.int64(record.leaf[i])
        first, base = record.first[game, node], record.begins[i] * width
        for k in range(record.children[game, node]):
            if settings[BY_VALUES] == 1:
                weigh(record, game, first + k, record.scores[base + k])
            elif settings[ASKS_PRIOR] == 1:
                record.prior[game, first + k] = record.scores[base + record.move[game, first + k]]
        if settings[BY_VALUES] == 0 and kernels.is_external(record.estimate):
            record.guess[game, node] = worth(record, record.scores[base + width - 1])
        credit(record, game, node, settle(record, game, node))
    control[LEAVES] = control[REQUESTED] = 0
