# mypy: allow-untyped-defs
"""The search loop of UCT over many games, each with its own tree; the leaves of all games are scored in one batch.

Shapes: G = games, M as in `engine.kernels`.
"""

from __future__ import annotations

import numpy as np

from puzzlelab.engine import kernels
from puzzlelab.engine.evaluation_kernels import evaluate_state
from puzzlelab.engine.kernels import DONE, FULL, NEEDS_SCORES, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import NOWHERE
from puzzlelab.solvers._uct_tree_kernels import (
    DEAD_END,
    IDLE,
    NEW,
    OPEN,
    PAUSED,
    PLAYING,
    SKIPPED,
    SOLVED,
    SPENT,
    STUCK,
    WON,
    accept_scores,
    add_root_noise,
    improved_logit,
    most_new_visits,
    new_visits,
    playout,
    prepare_root,
    read_path_ahead,
    take_scores,
    uniform,
)

UNBOUNDED_SUM = 1 << 60
"""Minus this is a lower bound on every sum of costs."""
PREFETCH_DISTANCE = 2
"""The number of games before its turn at which the memory is asked for the tree of a game."""


@inlined
def tie_break_value(record, game, child):
    """Rank children with equal visits: the mean value of a child, or its prior if it has no visits."""
    visits = record.visits[game, child]
    return record.value_sum[game, child] / visits if visits > 0 else record.prior[game, child]


@inlined
def most_visited_child(record, game):
    """Return the child of the root with most visits that is no dead end; NOWHERE if there is none."""
    # AlphaZero plays by visits, not by values: a mean of few playouts is uncertain. Dead ends are proven, and so never
    # played.
    chosen, first = NOWHERE, record.first_child[game, 0]
    for child in range(first, first + record.child_count[game, 0]):
        if record.status[game, child] != DEAD_END:
            difference = 1 if chosen == NOWHERE else record.visits[game, child] - record.visits[game, chosen]
            if difference > 0 or (
                difference == 0 and tie_break_value(record, game, child) > tie_break_value(record, game, chosen)
            ):
                chosen = child
    return chosen


@inlined
def best_considered_child(record, game):
    """Return the best child of the root of those with the most playouts of this position; NOWHERE if there is none."""
    chosen, best, best_visits = NOWHERE, -np.inf, -1
    first, most = record.first_child[game, 0], most_new_visits(record, game)
    for i in range(record.child_count[game, 0]):
        if record.status[game, first + i] != DEAD_END:
            visits, score = new_visits(record, game, i), record.gumbel[game, i] + improved_logit(record, game, i, most)
            if visits > best_visits or (visits == best_visits and score > best):
                chosen, best, best_visits = first + i, score, visits
    return chosen


@inlined
def choose_child(record, game):
    """Return the child of the root to play: the most visited one, or with a temperature one drawn by visits."""
    if record.settings.halves:
        return best_considered_child(record, game)
    chosen, temperature = most_visited_child(record, game), record.settings.temperature
    if temperature == 0.0 or chosen == NOWHERE or record.visits[game, chosen] == 0:
        return chosen
    first, max_visits, total = record.first_child[game, 0], np.float64(record.visits[game, chosen]), 0.0
    for i in range(record.child_count[game, 0]):
        is_dead_end = record.status[game, first + i] == DEAD_END
        # Relative to the greatest count, so that the power of a small temperature does not overflow.
        record.move_weights[i] = (
            0.0 if is_dead_end else (record.visits[game, first + i] / max_visits) ** (1.0 / temperature)
        )
        total += record.move_weights[i]
    # Draw a child in proportion to its visits to the power of 1 / temperature, as AlphaZero explores at the root.
    threshold = total * uniform(record.random, game)
    for i in range(record.child_count[game, 0]):
        threshold -= record.move_weights[i]
        if threshold < 0.0:
            return first + i
    return chosen


@inlined
def copy_node(record, game, row, target):
    """Copy a node to an earlier row."""
    kernels.copy(record.keys[game, row], record.keys[game, target])
    record.status[game, target], record.move[game, target] = record.status[game, row], record.move[game, row]
    record.cost[game, target] = record.cost[game, row]
    record.first_child[game, target], record.child_count[game, target] = (
        record.first_child[game, row],
        record.child_count[game, row],
    )
    record.visits[game, target], record.value_sum[game, target] = record.visits[game, row], record.value_sum[game, row]
    record.prior[game, target], record.heuristic[game, target] = record.prior[game, row], record.heuristic[game, row]


@inlined
def advance_root(record, game, child):
    """Play the move to a child of the root: its subtree is kept with the child as root, all else is dropped."""
    # What the playouts learned about the new root stays, as in AlphaZero.
    ply, new_row, last = record.game_length[game], record.new_row, record.node_count[game]
    record.game_moves[game, ply] = record.move[game, child]
    record.game_cost[game] += record.cost[game, child]
    kernels.copy(record.keys[game, 0], record.game_states[game, ply])
    record.game_length[game], record.playouts_done[game], record.has_noise[game] = ply + 1, 0, False
    record.max_depth[game] = max(0, record.max_depth[game] - 1)
    # The subtree stays, each node in an earlier row: parents stand before children, so one pass finds it.
    for row in range(child):
        new_row[row] = NOWHERE
    copy_node(record, game, child, 0)
    record.parent[game, 0], record.move[game, 0], new_row[child], count = NOWHERE, NOWHERE, 0, 1
    for row in range(child + 1, last):
        # A node stays if its parent does.
        new_parent = new_row[record.parent[game, row]]
        new_row[row] = NOWHERE
        if new_parent != NOWHERE:
            copy_node(record, game, row, count)
            record.parent[game, count], new_row[row] = new_parent, count
            if record.first_child[game, new_parent] == row:
                record.first_child[game, new_parent] = count
            count += 1
    record.node_count[game] = count


# --- many games -----------------------------------------------------------------------------------------------------


@inlined
def reset_game(record, game):
    """Restart a game: its tree holds the start alone."""
    state, tables = record.start[game], record.tables
    kernels.pack(tables, state, record.keys[game, 0])
    record.parent[game, 0], record.move[game, 0], record.status[game, 0] = NOWHERE, NOWHERE, NEW
    record.child_count[game, 0] = record.visits[game, 0] = 0
    record.value_sum[game, 0], record.prior[game, 0] = 0.0, 1.0
    record.node_count[game], record.game_length[game], record.playouts_done[game], record.max_depth[game] = 1, 0, 0, 0
    record.best_length[game], record.has_noise[game], record.was_cut[game] = NOWHERE, False, False
    record.best_total[game], record.game_cost[game], record.cost[game, 0] = 0, 0, 0
    # A start that is solved needs no playout.
    if kernels.solved(tables, state):
        record.status[game, 0], record.best_length[game], record.lower_bound[game], record.game_status[game] = (
            SOLVED,
            0,
            0,
            WON,
        )
        return
    record.lower_bound[game], record.game_status[game] = 1, PLAYING
    if kernels.has_costs(tables):
        record.lower_bound[game] = max(-UNBOUNDED_SUM, record.settings.least_rest)
    if record.settings.admissible and not kernels.is_external(record.estimate.tables):
        record.lower_bound[game] = max(record.lower_bound[game], evaluate_state(record.estimate, state))


@compiled
def begin(record, children):
    """Prepare each game by `children: int64[G]`: play that child of the root, or restart the game where it is NOWHERE.

    A game with SKIPPED stays as it is.
    """
    for game in range(children.size):
        if children[game] == SKIPPED:
            record.game_status[game] = IDLE
        elif children[game] == NOWHERE:
            reset_game(record, game)
        else:
            advance_root(record, game, children[game])
            record.game_status[game] = PLAYING
    control = record.control
    control.started = control.awaits_scores = control.requested = 0
    control.pending_leaves = control.scored_leaves = control.taken_leaves = 0


@inlined
def improved_shares(record, game, shares):
    """Write the softmax of the improved logits of the root's children that are no dead ends."""
    first, count, greatest, total = record.first_child[game, 0], record.child_count[game, 0], -np.inf, 0.0
    most = most_new_visits(record, game)
    for i in range(count):
        record.move_weights[i] = improved_logit(record, game, i, most)
        if record.status[game, first + i] == DEAD_END:
            record.move_weights[i] = -np.inf
        greatest = max(greatest, record.move_weights[i])
    for i in range(count):
        record.move_weights[i] = np.exp(record.move_weights[i] - greatest) if greatest > -np.inf else 0.0
        total += record.move_weights[i]
    for i in range(count):
        if total > 0.0:
            shares[game, record.move[game, first + i]] = record.move_weights[i] / total


@compiled
def choose_moves(record, children, shares):
    """Write the chosen child of each paused game into `children`, and NOWHERE for the other games.

    `shares: float64[G, M]`, which the caller fills with 0, gets the share of the visits of each move, or with
    sequential halving the probabilities of the improved logits.
    """
    for game in range(children.size):
        children[game], first, total = NOWHERE, record.first_child[game, 0], 0
        if record.game_status[game] != PAUSED:
            continue
        children[game] = choose_child(record, game)
        # The policy that AlphaZero learns from: the shares of the visits, here among moves that are no dead ends.
        if record.settings.halves:
            improved_shares(record, game, shares)
            continue
        for child in range(first, first + record.child_count[game, 0]):
            total += record.visits[game, child] * (record.status[game, child] != DEAD_END)
        for child in range(first, first + record.child_count[game, 0]):
            if total > 0 and record.status[game, child] != DEAD_END:
                shares[game, record.move[game, child]] = record.visits[game, child] / total


@inlined
def status_of_game(record, game):
    """Return the status of a game between two playouts."""
    # What the tree proves ends the game: a root that is solved, or all of whose moves are dead ends.
    best = record.best_length[game]
    if record.status[game, 0] == SOLVED:
        return WON
    if record.status[game, 0] == DEAD_END:
        return STUCK if best == NOWHERE else WON
    if kernels.has_costs(record.tables):
        least = record.lower_bound[game]
    else:
        least = max(record.lower_bound[game], record.game_length[game] + 1)
    if not record.settings.pauses and best != NOWHERE and record.best_total[game] <= least:
        return WON  # no better solution can follow
    return SPENT if record.expanded[game] >= record.settings.max_nodes else PLAYING


@inlined
def step_game(record, game):
    """Run the next playouts of a game, after a move if its playouts for this position are done."""
    settings, status = record.settings, status_of_game(record, game)
    # The playouts of this position are done: the caller moves, the game ends, or the best child becomes the root.
    if status == PLAYING and record.playouts_done[game] >= settings.playouts:
        # In self-play the caller keeps the visits, and draws the move.
        if settings.pauses:
            status = PAUSED
        elif settings.stops_at_solution and record.best_length[game] != NOWHERE:
            status = WON
        else:
            advance_root(record, game, choose_child(record, game))
            status = status_of_game(record, game)
    record.game_status[game] = status
    if status != PLAYING:
        return
    # A new root has no children to choose among, nor a prior for noise to go into.
    if record.status[game, 0] == NEW:
        playout(record, game)
        record.playouts_done[game] = 0  # expanding the root is not counted as a playout
        return
    # Self-play explores at the root alone, once for each position.
    if not record.has_noise[game]:
        if record.settings.halves:
            prepare_root(record, game)
        elif record.settings.dirichlet_fraction > 0.0:
            add_root_noise(record, game)
    # As many playouts as may wait for scores at once; a leaf that waits already ends them.
    leaves = min(settings.parallel_leaves, settings.playouts - record.playouts_done[game])
    for _ in range(min(leaves, settings.max_nodes - record.expanded[game])):
        if record.status[game, 0] != OPEN or not playout(record, game):
            return


@inlined
def drop_finished_games(record):
    """Remove stopped games from `active_games`, and set the cursor to the first."""
    control, count = record.control, 0
    for i in range(control.active):
        if record.game_status[record.active_games[i]] == PLAYING:
            record.active_games[count] = record.active_games[i]
            count += 1
    control.active, control.cursor = count, 0


@inlined
def start_games(record):
    """Fill `active_games` with the games that are not stopped."""
    control = record.control
    for game in range(len(record.active_games)):
        record.active_games[game] = game
    control.active, control.started = len(record.active_games), 1
    drop_finished_games(record)


@inlined
def is_full(record, game):
    """Tell whether the arrays must grow before the next leaves of a game."""
    leaves = record.settings.parallel_leaves
    # The longest solution that the next leaves can find, and all the children that they can have.
    moves = record.game_length[game] + record.max_depth[game] + leaves + 2
    nodes = record.node_count[game] + leaves * record.expansion.moves.size
    record.control.moves_full = moves > record.game_moves.shape[1]
    return moves > record.game_moves.shape[1] or nodes > record.status.shape[1]


@inlined
def next_game(record):
    """Return the game whose turn it is; NOWHERE after the last one, and where another leaf might not fit."""
    control = record.control
    # Where children make the prior, a leaf needs the scores of all of them.
    rows_needed = record.settings.parallel_leaves * (
        record.expansion.moves.size if record.settings.prior_from_values else 1
    )
    if control.cursor == control.active or control.requested + rows_needed > len(record.rows):
        return np.int64(NOWHERE)
    return np.int64(record.active_games[control.cursor])


@compiled
def step(record, budget):
    """Run one slice of the search: expand about `budget` states.

    In each pass over the games, a game makes playouts until leaves of it wait for scores. The scores of the pass before
    are taken at the turn of the game too, so that its tree is read from the memory once a pass.
    """
    control = record.control
    if budget == 0:
        return RUNNING
    if control.started == 0:
        start_games(record)
    if control.awaits_scores == 1:
        accept_scores(record)
    # The budget counts states of all games together.
    stop = control.expanded + budget
    while control.active > 0:
        game, pending = next_game(record), control.pending_leaves
        # A tree is much larger than the cache: it is asked for while the games before it are searched.
        if control.cursor + PREFETCH_DISTANCE < control.active:
            read_path_ahead(record, np.int64(record.active_games[control.cursor + PREFETCH_DISTANCE]))
        take_scores(record, game)
        # The pass is over, or the batch is full: score the leaves that wait.
        if game == NOWHERE:
            if control.cursor == control.active:
                drop_finished_games(record)
            if pending > 0:
                control.awaits_scores = 1
                return NEEDS_SCORES
            continue
        if control.expanded >= stop:
            return RUNNING
        if is_full(record, game):
            return FULL
        # The next game has its turn when this one waits, or has stopped.
        step_game(record, game)
        if control.pending_leaves > pending or record.game_status[game] != PLAYING:
            control.cursor += 1
    return DONE
