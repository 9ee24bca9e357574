# mypy: allow-untyped-defs
"""The search trees of UCT, one for each of many games, and the playout that extends them.

A tree is stored as rows of arrays: a child has a higher row than its parent, and siblings have consecutive rows. The
value of a state is exp(-step_discount * remaining moves); backpropagation multiplies it by exp(-step_discount) at each
step. A move back to a state on the path from the start, in the tree or earlier in the game, gets no node. A node
without children is a dead end, and so is a node all of whose children are dead ends. Where moves have costs or points
(costs below 0), costs take the place of moves.

Shapes: G = games, N = rows of a tree, L = capacity for moves, R = states scored in one batch, S, W, M, K as in
`engine.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.engine import kernels
from puzzlelab.engine.evaluation_kernels import evaluate_state
from puzzlelab.engine.hash_table_kernels import same_key
from puzzlelab.engine.kernels import compiled, inlined
from puzzlelab.engine.record_parts import NOWHERE, Control, EstimateRecord, Expansion, control_type

CONTROL = control_type("started active cursor awaits_scores moves_full half pending_leaves scored_leaves taken_leaves")
"""awaits_scores: the scores of the pending leaves were requested. moves_full: the arrays of moves must grow, not those
of nodes. pending_leaves: leaves without scores, in row `half` of `leaf_game`, `leaf_node` and `leaf_row`.
scored_leaves: leaves with scores, in the other row, of which `taken_leaves` are finished."""
NEW, WAITING, OPEN, SOLVED, DEAD_END = range(5)
"""Status of a node: not expanded, waiting for scores, expanded, the goal, or a dead end."""
PLAYING, WON, STUCK, SPENT, PAUSED, IDLE = range(6)
"""Status of a game. STUCK: its root is a dead end; SPENT: its node limit is reached; IDLE: the caller skips it."""
SKIPPED = -2
"""Given to `begin` in place of a child: the game is skipped."""
VISITS_OF_VALUE = 50
"""The visits that are added to those of the most visited child where values of the root's children are weighed."""
MIN_VALUE = 1e-200
"""The least weight of the prior, so that it still ranks moves where all values are 0."""
UNBOUNDED = 1 << 30
"""A limit that is never reached."""


class UctSettings(NamedTuple):
    """The settings of a search, those of the solver first."""

    playouts: int
    parallel_leaves: int
    temperature: float
    dirichlet_fraction: float
    dirichlet_alpha: float
    c_puct: float
    step_discount: float
    """The discount of a cost of 1."""
    max_moves: int
    max_nodes: int
    stops_at_solution: bool
    pauses: bool
    """Whether after its playouts a game waits until the caller chooses its move."""
    uses_prior: bool
    prior_from_values: bool
    admissible: bool
    unit: float
    """The cost that counts as much as one move."""
    least_rest: float
    """A lower bound on the cost from any state on."""
    halves: bool
    """Whether the playouts at the root are shared out by sequential halving."""
    gumbel_noise: float
    value_scale: float


class UctRecord(NamedTuple):
    """The state of all games, and their trees."""

    tables: Any
    estimate: EstimateRecord
    control: Control
    settings: UctSettings
    start: State
    """[G, S]: the start of each game."""
    active_games: NDArray[np.int32]
    """[G]: the numbers of the games still played, in the first `active` entries."""
    game_status: NDArray[np.int8]
    """[G]: PLAYING, or why the game has stopped."""
    game_length: NDArray[np.int32]
    """[G]: the number of moves played."""
    best_length: NDArray[np.int32]
    """[G]: the number of moves of the best solution found, NOWHERE without one."""
    best_total: NDArray[np.int64]
    """[G]: the cost of the best solution found; its length where every move costs 1."""
    game_cost: NDArray[np.int64]
    """[G]: the cost of the moves played."""
    lower_bound: NDArray[np.int64]
    """[G]: a lower bound on the cost of a solution."""
    playouts_done: NDArray[np.int32]
    """[G]: playouts since the last move."""
    has_noise: NDArray[np.bool_]
    """[G]: whether the noise of the root is drawn: Dirichlet noise in its prior, or Gumbel noise beside it."""
    was_cut: NDArray[np.bool_]
    """[G]: whether `max_moves` kept a state out of the tree."""
    max_depth: NDArray[np.int32]
    """[G]: an upper bound on the depth of the tree."""
    path_length: NDArray[np.int32]
    """[G]: the number of nodes of `path`."""
    node_count: NDArray[np.int32]
    """[G]: rows in use of each tree."""
    random: NDArray[np.uint64]
    """[G]: the state of each game's random generator."""
    expanded: NDArray[np.int64]
    """[G]: the states expanded."""
    generated: NDArray[np.int64]
    """[G]: the states generated."""
    scored: NDArray[np.int64]
    """[G]: the states scored by a network."""
    game_moves: NDArray[np.int32]
    """[G, L]: the moves played in each game."""
    path: NDArray[np.int32]
    """[G, L]: the nodes from the root to the leaf of the last playout."""
    best_moves: NDArray[np.int32]
    """[G, L]: the moves of the best solution found."""
    game_states: NDArray[np.uint64]
    """[G, L, W]: the packed states in which they were played."""
    keys: NDArray[np.uint64]
    """[G, N, W]: the packed state of each node; the root is row 0."""
    status: NDArray[np.int8]
    """[G, N]: NEW, WAITING, OPEN, SOLVED or DEAD_END."""
    parent: NDArray[np.int32]
    """[G, N]."""
    move: NDArray[np.int32]
    """[G, N]: the move that leads to a node."""
    cost: NDArray[np.int32]
    """[G, N]: its cost."""
    first_child: NDArray[np.int32]
    """[G, N]: the row of its first child."""
    child_count: NDArray[np.int32]
    """[G, N]: the number of its children."""
    visits: NDArray[np.int32]
    """[G, N]: playouts through this node."""
    value_sum: NDArray[np.float64]
    """[G, N]: the sum of their values, discounted to this node."""
    prior: NDArray[np.float64]
    """[G, N]: the prior probability of the move to a node."""
    heuristic: NDArray[np.float64]
    """[G, N]: the value of a node by the estimate, where it was evaluated."""
    wanted_visits: NDArray[np.int32]
    """[C + 1, P]: for the number of moves that are considered at the root, C at most, the visits that the move of each
    of the P playouts has before; see `halving_schedule`."""
    earlier_visits: NDArray[np.int32]
    """[G, M]: the visits of each child of the root before the playouts of this position."""
    gumbel: NDArray[np.float64]
    """[G, M]: the Gumbel noise of each child of the root."""
    rows: State
    """[R, S]: states whose scores are requested."""
    leaf_game: NDArray[np.int32]
    """[2, R]: the game of each leaf of two batches: the one that is being collected, and the one before."""
    leaf_node: NDArray[np.int32]
    """[2, R]: its node."""
    leaf_row: NDArray[np.int32]
    """[2, R]: the first of its rows in `rows`."""
    scores: NDArray[np.float64]
    """[R]: remaining moves; or [R M]: prior logits; or [R (M + 1)]: a state's logits, then its remaining moves."""
    expansion: Expansion
    move_weights: NDArray[np.float64]
    """[M]: scratch for random draws among the moves."""
    new_row: NDArray[np.int32]
    """[N]: scratch for the new row of each node when the root moves."""


GAME_ARRAYS = {
    "active_games": np.int32,
    "game_status": np.int8,
    "game_length": np.int32,
    "best_length": np.int32,
    "best_total": np.int64,
    "game_cost": np.int64,
    "lower_bound": np.int64,
    "playouts_done": np.int32,
    "has_noise": np.bool_,
    "was_cut": np.bool_,
    "max_depth": np.int32,
    "path_length": np.int32,
    "node_count": np.int32,
    "random": np.uint64,
    "expanded": np.int64,
    "generated": np.int64,
    "scored": np.int64,
}
"""Arrays with one entry a game."""
MOVE_ARRAYS = {"game_moves": np.int32, "best_moves": np.int32, "path": np.int32}
"""Arrays with one entry a move; `game_states` grows with them."""
PLAYOUT_TYPE = np.dtype(
    [
        ("value_sum", np.float64),
        ("prior", np.float64),
        ("visits", np.int32),
        ("first_child", np.int32),
        ("child_count", np.int32),
        ("status", np.int8),
    ],
    align=True,
)
"""The record that a playout reads of all children of the nodes on its path. These arrays are the columns of one table,
32 bytes a node, because a playout spends most of its time on waiting for the memory.
"""
NODE_ARRAYS = {"parent": np.int32, "move": np.int32, "cost": np.int32, "heuristic": np.float64}
"""Other arrays with one entry a node; `keys` and `new_row` grow with them."""


# --- randomness -------------------------------------------------------------------------------------------------------


@compiled
def uniform(random, game):
    """Return a random number in [0, 1)."""
    random[game] += kernels.GOLDEN
    return np.float64(kernels.scramble(random[game]) >> np.uint64(11)) * 2.0**-53


@compiled
def gamma(random, game, shape):
    """Return a gamma distributed random number (Marsaglia and Tsang, 2000)."""
    # Shapes below 1 are drawn one higher, and scaled down, as the paper says.
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - uniform(random, game)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    while True:
        # A normal number by Box and Muller.
        radius = np.sqrt(-2.0 * np.log(1.0 - uniform(random, game)))
        normal = radius * np.cos(2.0 * np.pi * uniform(random, game))
        cubed = (1.0 + normal / np.sqrt(9.0 * d)) ** 3
        log_uniform = np.log(1.0 - uniform(random, game))
        if cubed > 0.0 and log_uniform < 0.5 * normal * normal + d * (1.0 - cubed + np.log(cubed)):
            return boost * d * cubed


@inlined
def add_root_noise(record, game):
    """Mix Dirichlet noise into the prior of the root."""
    # A Dirichlet vector is a vector of gamma numbers divided by their sum.
    fraction, first, total = record.settings.dirichlet_fraction, record.first_child[game, 0], 0.0
    for i in range(record.child_count[game, 0]):
        record.move_weights[i] = gamma(record.random, game, record.settings.dirichlet_alpha)
        total += record.move_weights[i]
    if total > 0.0:
        for i in range(record.child_count[game, 0]):
            record.prior[game, first + i] *= 1.0 - fraction
            record.prior[game, first + i] += fraction * record.move_weights[i] / total
    record.has_noise[game] = True


# --- sequential halving at the root ----------------------------------------------------------------------------------


def halving_schedule(considered: int, playouts: int) -> NDArray[np.int32]:
    """Return the visits that the move of each playout has before, for each number of moves considered: `[C + 1, P]`.

    In each phase every move that is left has as many playouts as any other; the better half of them stays for the next.
    """
    schedule = np.zeros((considered + 1, playouts), np.int32)
    schedule[:2] = np.arange(playouts)
    for moves in range(2, considered + 1):
        phases, left, done, visits = int(np.ceil(np.log2(moves))), moves, 0, 0
        while done < playouts:
            times = max(1, playouts // (phases * left))
            phase = np.repeat(np.arange(visits, visits + times), left)[: playouts - done]
            schedule[moves, done : done + len(phase)] = phase
            done, visits, left = done + len(phase), visits + times, max(2, left // 2)
    return schedule


@inlined
def prepare_root(record, game):
    """Note the visits that the children of the root have, and draw the Gumbel noise of each."""
    first = record.first_child[game, 0]
    for i in range(record.child_count[game, 0]):
        record.earlier_visits[game, i] = record.visits[game, first + i]
        record.gumbel[game, i] = 0.0
        if record.settings.gumbel_noise > 0.0:
            log = -np.log(1.0 - uniform(record.random, game))
            record.gumbel[game, i] = -record.settings.gumbel_noise * np.log(max(log, MIN_VALUE))
    record.has_noise[game] = True


@inlined
def new_visits(record, game, i):
    """Return the visits of a child of the root in the playouts of this position."""
    return record.visits[game, record.first_child[game, 0] + i] - record.earlier_visits[game, i]


@inlined
def most_new_visits(record, game):
    """Return the most visits of a child of the root in the playouts of this position."""
    most = 0
    for i in range(record.child_count[game, 0]):
        most = max(most, new_visits(record, game, i))
    return most


@inlined
def improved_logit(record, game, i, most):
    """Return the logit of a child of the root: that of its prior, and its value above that of the root.

    The value is in units of that of the root, and counts the more, the greater `most_new_visits` are. An unvisited
    child has the value of the root.
    """
    child, mean = record.first_child[game, 0] + i, record.value_sum[game, 0] / record.visits[game, 0]
    visits, value = record.visits[game, child], mean
    if visits > 0:
        value = discount_of(record, game, child) * record.value_sum[game, child] / visits
    weight = record.settings.value_scale * (VISITS_OF_VALUE + most)
    return np.log(max(record.prior[game, child], MIN_VALUE)) + weight * (value / max(mean, MIN_VALUE) - 1.0)


@inlined
def considered_child(record, game):
    """Return the child of the root for the next playout: the best of those whose turn it is."""
    first, count, alive = record.first_child[game, 0], record.child_count[game, 0], 0
    for i in range(count):
        alive += record.status[game, first + i] != DEAD_END
    moves = min(alive, len(record.wanted_visits) - 1)
    wanted = record.wanted_visits[moves, record.playouts_done[game]]
    chosen, best, any_best = NOWHERE, -np.inf, -np.inf
    other, most = NOWHERE, most_new_visits(record, game)
    for i in range(count):
        if record.status[game, first + i] == DEAD_END:
            continue
        score = record.gumbel[game, i] + improved_logit(record, game, i, most)
        if new_visits(record, game, i) == wanted and score > best:
            chosen, best = first + i, score
        if score > any_best:
            other, any_best = first + i, score
    return chosen if chosen != NOWHERE else other  # where a move turned out to be a dead end, its turn goes to the best


# --- one playout ------------------------------------------------------------------------------------------------------


@inlined
def value_of(record, remaining):
    """Return the value of a state with this many remaining moves, or this remaining cost."""
    # 1 at the goal, and less with each move before it.
    return np.exp(-record.settings.step_discount * max(record.settings.least_rest, remaining))


@inlined
def discount_of(record, game, node):
    """Return the factor by which the move to a node multiplies its value."""
    if kernels.has_costs(record.tables):
        return np.exp(-record.settings.step_discount * record.cost[game, node])
    return np.exp(-record.settings.step_discount)


@inlined
def select_child(record, game, node):
    """Return the child with the greatest PUCT score: its value, and a bonus for a high prior and few visits.

    An unvisited child has the value of its parent, or that of the estimate where children were evaluated.
    """
    discount, visits = np.exp(-record.settings.step_discount), record.visits[game, node]
    # A value shrinks with the distance from the goal; weighed by the mean, exploration does not outgrow it far away.
    mean = record.value_sum[game, node] / visits
    weight = record.settings.c_puct * max(mean, MIN_VALUE) * np.sqrt(visits)
    best, chosen = -np.inf, NOWHERE
    first = record.first_child[game, node]
    for child in range(first, first + record.child_count[game, node]):
        if record.status[game, child] == DEAD_END:
            continue
        # Q: the mean value of the child as seen from the node, one discount further from the goal.
        visits_of_child, value = record.visits[game, child], mean
        if kernels.has_costs(record.tables):
            discount = discount_of(record, game, child)
        if visits_of_child > 0:
            value = discount * record.value_sum[game, child] / visits_of_child
        elif record.settings.prior_from_values:
            value = discount * record.heuristic[game, child]
        # PUCT: Q + c P sqrt(N) / (1 + n), in units of the value of the node.
        score = value + weight * record.prior[game, child] / (1 + visits_of_child)
        if score > best:
            best, chosen = score, child
    return chosen


@inlined
def is_repeat(record, game, depth):
    """Tell whether `expansion.key` is the state of a node on the path to this depth, or of an earlier position."""
    # One-player games may return to a board; a path that does is never the shortest.
    for i in range(depth + 1):
        if same_key(record.keys[game, record.path[game, i]], record.expansion.key):
            return True
    for i in range(record.game_length[game]):
        if same_key(record.game_states[game, i], record.expansion.key):
            return True
    return False


@inlined
def add_child(record, game, node, move, cost, status):
    """Add the state in `expansion.key` as a child of a node."""
    # Children of one node follow each other, since nothing else adds nodes in the meantime.
    row = record.node_count[game]
    kernels.copy(record.expansion.key, record.keys[game, row])
    record.parent[game, row], record.move[game, row], record.status[game, row] = node, move, status
    record.cost[game, row] = cost
    record.child_count[game, row] = record.visits[game, row] = 0
    record.value_sum[game, row], record.prior[game, row] = 0.0, 1.0
    record.child_count[game, node] += 1
    record.node_count[game] = row + 1
    return row


@inlined
def request_scores(record, state):
    """Request the scores of a state."""
    kernels.copy(state, record.rows[record.control.requested])
    record.control.requested += 1


@inlined
def set_child_value(record, game, row, remaining):
    """Set the heuristic value and the prior logit of a child from its remaining moves, or its remaining cost."""
    # The policy `values`: the softmax of minus the remaining moves stands for the prior.
    record.heuristic[game, row] = value_of(record, remaining)
    record.prior[game, row] = -max(record.settings.least_rest, remaining) / record.settings.unit
    if kernels.has_costs(record.tables):
        record.prior[game, row] -= record.cost[game, row] / record.settings.unit


@inlined
def evaluate_node(record, game, node):
    """Set the heuristic value of a node, whose state is `expansion.state`, by a kernel; or request its scores."""
    # One request brings both the prior and the value of the state.
    external = kernels.is_external(record.estimate.tables)
    if not external:
        remaining = np.float64(evaluate_state(record.estimate, record.expansion.state))
        record.heuristic[game, node] = value_of(record, remaining)
    if record.settings.uses_prior or external:
        request_scores(record, record.expansion.state)


@inlined
def evaluate_new_child(record, game, row):
    """Set the heuristic value of a child, whose state is `expansion.child`, by a kernel; or request its score."""
    child = record.expansion.child
    if kernels.is_external(record.estimate.tables):
        request_scores(record, child)
    else:
        set_child_value(record, game, row, np.float64(evaluate_state(record.estimate, child)))


@inlined
def expand(record, game, node, depth):
    """Add the children of a node and return its new status.

    A solved child is added alone, unless moves have costs or points: another child may then lead to a better solution.
    """
    control, tables, expansion = record.control, record.tables, record.expansion
    kernels.unpack(tables, record.keys[game, node], expansion.state)
    count, first_row = kernels.legal(tables, expansion.state, expansion.moves), control.requested
    # The children of AlphaZero's expansion, all at once.
    first = record.node_count[game]
    record.first_child[game, node] = first
    control.expanded += 1
    control.generated += count
    record.expanded[game] += 1
    record.generated[game] += count
    for i in range(count):
        # Generate a child; a goal takes the place of all its siblings where every move costs 1.
        move = expansion.moves[i]
        kernels.apply(tables, expansion.state, move, expansion.child)
        kernels.pack(tables, expansion.child, expansion.key)
        cost, status = kernels.move_cost(tables, expansion.state, move, expansion.child), NEW
        if kernels.solved(tables, expansion.child):
            status = SOLVED
            if not kernels.has_costs(tables):
                control.requested, record.node_count[game], record.child_count[game, node] = first_row, first, 0
                add_child(record, game, node, move, cost, SOLVED)
                return SOLVED
        # A state beyond the limit of moves, or one that the path has already, gets no node.
        if record.game_length[game] + depth + 1 >= record.settings.max_moves:
            record.was_cut[game] = True
        elif not is_repeat(record, game, depth):
            row = add_child(record, game, node, move, cost, status)
            if record.settings.prior_from_values:
                evaluate_new_child(record, game, row)
    # No move, or only moves back: every path through this node fails.
    if record.child_count[game, node] == 0:
        return DEAD_END
    if not record.settings.prior_from_values:
        evaluate_node(record, game, node)
    record.scored[game] += control.requested - first_row
    return WAITING if control.requested > first_row else OPEN


@inlined
def finish_expansion(record, game, node):
    """Turn the logits in the children's `prior` into probabilities; returns the value of the node."""
    first, last = record.first_child[game, node], record.first_child[game, node] + record.child_count[game, node]
    max_logit, best, total = -np.inf, 0.0, 0.0
    # The softmax over the children, from the greatest logit on so that no exponential overflows.
    for child in range(first, last):
        # With the policy `values` a node is worth as much as its best child, one move further from the goal.
        max_logit = max(max_logit, record.prior[game, child])
        best = max(best, discount_of(record, game, child) * record.heuristic[game, child])
    for child in range(first, last):
        record.prior[game, child] = np.exp(record.prior[game, child] - max_logit) if max_logit > -np.inf else 1.0
        total += record.prior[game, child]
    for child in range(first, last):
        record.prior[game, child] /= total
    # The value of the leaf, as the network or the estimate gives it: no random rollout follows.
    record.status[game, node] = OPEN
    return best if record.settings.prior_from_values else record.heuristic[game, node]


@inlined
def backpropagate(record, game, node, value):
    """Add the value of a leaf to it and to all its ancestors, discounted by the moves between."""
    # Each step towards the root is one more move to the goal.
    discount = np.exp(-record.settings.step_discount)
    while node != NOWHERE:
        record.value_sum[game, node] += value
        value *= discount_of(record, game, node) if kernels.has_costs(record.tables) else discount
        node = record.parent[game, node]


@inlined
def mark_dead_end(record, game, node):
    """Mark a node as a dead end, and each ancestor whose children all are dead ends."""
    while node != NOWHERE:
        # Proof instead of sampling: what has no way out is never visited again.
        first = record.first_child[game, node]
        for child in range(first, first + record.child_count[game, node]):
            if record.status[game, child] != DEAD_END:
                return
        record.status[game, node] = DEAD_END
        node = record.parent[game, node]


@inlined
def keep_solution(record, game, node, depth):
    """Store the moves to a solved node, if they are the best solution so far."""
    # The best path through any playout counts, also where play goes on by another one.
    length = record.game_length[game] + depth
    total = np.int64(length)
    if kernels.has_costs(record.tables):
        # The cost so far, and that of the moves on the path of this playout.
        total = record.game_cost[game]
        for i in range(1, depth + 1):
            total += record.cost[game, record.path[game, i]]
    if record.best_length[game] != NOWHERE and record.best_total[game] <= total:
        return
    record.best_length[game], record.best_total[game] = length, total
    for i in range(record.game_length[game]):
        record.best_moves[game, i] = record.game_moves[game, i]
    while depth > 0:
        depth -= 1
        record.best_moves[game, record.game_length[game] + depth] = record.move[game, node]
        node = record.parent[game, node]


@inlined
def visit_leaf(record, game, node, depth):
    """Expand a leaf and backpropagate its value, or request its scores.

    A pending leaf counts as a visit of value 0 (a virtual loss), so that other playouts take other paths.
    """
    control, status, first_row = record.control, record.status[game, node], record.control.requested
    # Expansion. A goal among the children becomes the leaf.
    if status == NEW:
        status = expand(record, game, node, depth)
        record.status[game, node] = OPEN if status == SOLVED else status
        if status == SOLVED:
            node, depth = np.int64(record.first_child[game, node]), depth + 1
            record.path[game, depth] = node
    # The visits of the whole path count at once, also where the value comes later.
    for i in range(depth + 1):
        record.visits[game, record.path[game, i]] += 1
    # Evaluation and backpropagation: a goal has the value 1, a dead end 0, others that of the estimate or the network.
    if status == SOLVED:
        keep_solution(record, game, node, depth)
        backpropagate(record, game, node, 1.0)
    elif status == DEAD_END:
        mark_dead_end(record, game, node)
    elif status == OPEN:
        backpropagate(record, game, node, finish_expansion(record, game, node))
    else:
        half, leaf = control.half, control.pending_leaves
        record.leaf_game[half, leaf], record.leaf_node[half, leaf], record.leaf_row[half, leaf] = game, node, first_row
        control.pending_leaves += 1


@inlined
def playout(record, game):
    """Make one playout; return False if it ended at a leaf whose scores are pending."""
    # Selection: from the root, the best child by PUCT each time, down to a leaf.
    node, depth = np.int64(0), np.int64(0)
    record.path[game, 0] = node
    while record.status[game, node] == OPEN:
        if depth == 0 and record.settings.halves:
            node = np.int64(considered_child(record, game))
        else:
            node = np.int64(select_child(record, game, node))
        depth += 1
        record.path[game, depth] = node
    record.path_length[game] = depth + 1
    if record.status[game, node] == WAITING:
        return False
    # Expansion, evaluation and backpropagation.
    record.max_depth[game] = max(record.max_depth[game], depth + 1)
    record.playouts_done[game] += 1
    visit_leaf(record, game, node, depth)
    return True


@inlined
def read_path_ahead(record, game):
    """Ask the memory for the nodes of a game's last playout: most of them are on the path of the next one.

    A playout would wait for the memory at each of them in turn, because a node is found by the one before. Siblings are
    next to a node, and the children of the last leaf are the last nodes.
    """
    tables, last = record.tables, np.int64(record.node_count[game]) - 1
    kernels.read_ahead(tables, record.move, (game, last))
    kernels.read_ahead(tables, record.value_sum, (game, last))
    for i in range(record.path_length[game]):
        node = np.int64(record.path[game, i])
        kernels.read_ahead(tables, record.parent, (game, node))
        kernels.read_ahead(tables, record.keys, (game, node, 0))
        kernels.read_ahead(tables, record.value_sum, (game, node - 2))
        kernels.read_ahead(tables, record.value_sum, (game, node))
        kernels.read_ahead(tables, record.value_sum, (game, node + 2))


@inlined
def accept_scores(record):
    """Note that the scores of all pending leaves have arrived; `take_scores` reads them while other leaves wait."""
    control = record.control
    # Two batches take turns: one is collected while the scores of the other are written.
    control.scored_leaves, control.taken_leaves, control.half = control.pending_leaves, 0, 1 - control.half
    control.pending_leaves = control.requested = control.awaits_scores = 0


@inlined
def take_scores(record, game):
    """Finish the expansion of the next leaves with scores, those of this game alone unless it is NOWHERE."""
    control, settings, half = record.control, record.settings, 1 - record.control.half
    moves, external = record.expansion.moves.size, kernels.is_external(record.estimate.tables)
    width = moves * settings.uses_prior + (1 if external else 0)
    while control.taken_leaves < control.scored_leaves:
        leaf = control.taken_leaves
        if game != NOWHERE and record.leaf_game[half, leaf] != game:
            return
        # Write the scores into the children, or into the node; then the leaf is expanded, and its value known.
        control.taken_leaves += 1
        owner, node = np.int64(record.leaf_game[half, leaf]), np.int64(record.leaf_node[half, leaf])
        first, base = record.first_child[owner, node], record.leaf_row[half, leaf] * width
        for k in range(record.child_count[owner, node]):
            if settings.prior_from_values:
                set_child_value(record, owner, first + k, record.scores[base + k])
            elif settings.uses_prior:
                record.prior[owner, first + k] = record.scores[base + record.move[owner, first + k]]
        if not settings.prior_from_values and external:
            record.heuristic[owner, node] = value_of(record, record.scores[base + width - 1])
        backpropagate(record, owner, node, finish_expansion(record, owner, node))
