"""UCT: its tree against a plain one, what is lost, what is kept after a move, many games at once, and its limits."""

import math

import numpy as np
import pytest
from tests.solvers.known import TILES, board, left, manhattan, random_dust, timeless, together

from puzzlelab import (
    Estimate,
    Instance,
    Limit,
    Progress,
    Result,
    attempts,
    check_solver,
    load,
    solve,
)
from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.core.views import Estimates
from puzzlelab.engine import driver
from puzzlelab.engine.driver import Drive
from puzzlelab.engine.solving import solve_all
from puzzlelab.experience.uct_session import UctSession
from puzzlelab.solvers import uct
from puzzlelab.solvers._uct_tree_kernels import DEAD_END, halving_schedule
from puzzlelab.solvers.greedy import Greedy
from puzzlelab.solvers.uct import Uct
from puzzlelab.storage import networks

DUST = load("dust-4x3x3")
SLOW = pytest.mark.slow
"""For what compiles the search for dust, a second puzzle."""
WEIGHTS = np.random.default_rng(0).normal(size=9)


def guess(states):
    """The same, and a little that is false but tells boards apart."""
    return manhattan(states) + np.cos(states @ WEIGHTS)


def far(*remaining):
    """The estimate of each place."""
    table = np.array(remaining, float)
    return Estimate("far", admissible=False, scores=lambda states: table[states[:, 0]])


# --- against a plain tree ---------------------------------------------------------------------------------------------


class Plain:
    """UCT as the books write it, with an object for each node, by the rules alone."""

    def __init__(self, puzzle, state, remaining, logs=None, step_discount=0.035, c_puct=0.03, by_values=False):
        self.puzzle, self.remaining, self.logs = puzzle, remaining, logs
        self.step_discount, self.c_puct, self.by_values = step_discount, c_puct, by_values
        self.past = []
        self.root = Node(state)

    def playouts(self, count):
        if self.root.children is None:
            self.simulate()
        for _ in range(count):
            self.simulate()

    def value(self, state):
        return math.exp(-self.step_discount * max(0.0, float(self.remaining(state[None])[0])))

    def simulate(self):
        path = [self.root]
        while path[-1].children and not self.puzzle.solved(path[-1].state):
            path.append(self.pick(path[-1]))
        if self.puzzle.solved(path[-1].state):
            value = 1.0
        else:
            value = self.expand(path)
            if self.puzzle.solved(path[-1].children[0].state if path[-1].children else path[-1].state):
                path.append(path[-1].children[0])
                value = 1.0
        for node in reversed(path):
            node.visits += 1
            node.total += value
            value *= math.exp(-self.step_discount)
            node.lost = node.lost or (node.children is not None and all(child.lost for child in node.children))

    def pick(self, node):
        mean = node.total / node.visits

        def score(child):
            step = math.exp(-self.step_discount)
            value = step * child.total / child.visits if child.visits else mean
            value = step * child.guess if self.by_values and not child.visits else value
            return value + self.c_puct * mean * child.prior * np.sqrt(node.visits) / (1 + child.visits)

        return max((child for child in node.children if not child.lost), key=score)

    def expand(self, path):
        node, puzzle = path[-1], self.puzzle
        known = {tuple(each.state) for each in path} | set(self.past)
        moves = np.flatnonzero(puzzle.legal(node.state)).tolist()
        after = {move: puzzle.apply(node.state, move) for move in moves}
        solving = [move for move in moves if puzzle.solved(after[move])]
        moves = solving[:1] or [move for move in moves if tuple(after[move]) not in known]
        node.children = [Node(after[move], move) for move in moves]
        if not moves or solving:
            return 0.0
        if self.by_values:
            likely = [-max(0.0, self.remaining(after[move][None])[0]) for move in moves]
        else:
            likely = [0.0 if self.logs is None else self.logs(node.state[None])[0, move] for move in moves]
        shares = np.exp(np.array(likely) - max(likely))
        for child, share in zip(node.children, shares / shares.sum(), strict=True):
            child.prior, child.guess = share, self.value(child.state)
        if self.by_values:
            return math.exp(-self.step_discount) * max(child.guess for child in node.children)
        return self.value(node.state)

    def make(self, move):
        self.past.append(tuple(self.root.state))
        self.root = next(child for child in self.root.children if child.move == move)


class PlainHalving(Plain):
    """The same with sequential halving at the root: in each phase the moves that are left have as many playouts."""

    def __init__(self, *given, considered, value_scale, **options):
        super().__init__(*given, **options)
        self.considered, self.value_scale = considered, value_scale

    def playouts(self, count):
        if self.root.children is None:
            self.simulate()
        self.before = {child: child.visits for child in self.root.children}
        for turn in self.plan(count):
            self.turn = turn
            self.simulate()

    def plan(self, count):
        """The visits that the move of each playout has: phase by phase, all that are left once, and once more."""
        left = moves = min(self.considered, count, sum(not child.lost for child in self.root.children))
        phases, plan, level = math.ceil(math.log2(moves)) if moves > 1 else 1, [], 0
        while len(plan) < count:
            for _ in range(max(1, int(count / (phases * left)))):
                plan += [level] * left
                level += 1
            left = max(2, left // 2) if moves > 1 else 1
        return plan[:count]

    def rank(self, child):
        mean = self.root.total / self.root.visits
        most = max(each.visits - self.before[each] for each in self.root.children)
        value = math.exp(-self.step_discount) * child.total / child.visits if child.visits else mean
        prior = child.prior or 1.0  # a goal stands alone, without a prior
        return math.log(prior) + self.value_scale * (50 + most) * (value / mean - 1)

    def pick(self, node):
        if node is not self.root:
            return super().pick(node)
        alive = [child for child in node.children if not child.lost]
        turn = [child for child in alive if child.visits - self.before[child] == self.turn]
        return max(turn or alive, key=self.rank)

    def choice(self):
        """The move after the playouts, and the probabilities of all moves."""
        alive = [child for child in self.root.children if not child.lost]
        best = max(alive, key=lambda child: (child.visits - self.before[child], self.rank(child)))
        weights = {child.move: math.exp(self.rank(child) - self.rank(best)) for child in alive}
        return best.move, {move: weight / sum(weights.values()) for move, weight in weights.items()}


class Node:
    def __init__(self, state, move=-1):
        self.state, self.move, self.children = state, move, None
        self.visits, self.total, self.prior, self.guess, self.lost = 0, 0.0, 0.0, 0.0, False

    def all(self):
        """(move, visits, mean value, lost) of this node and of all below it, layer by layer, as a bag."""
        layer = [self]
        while layer:
            yield sorted((node.move, node.visits, round(node.total, 9), node.lost) for node in layer)
            layer = [child for node in layer for child in node.children or ()]


def layers(tree):
    """The same of the tree of a player."""
    totals = np.where(tree.visits > 0, tree.value * tree.visits, 0.0)
    for depth in range(tree.depth.max() + 1):
        rows = np.flatnonzero(tree.depth == depth).tolist()
        yield sorted(
            (int(tree.move[i]), int(tree.visits[i]), round(totals[i], 9), bool(tree.status[i] == 4)) for i in rows
        )


def compare(player, plain, state, playouts, moves):
    """Play so many moves by both; what they think of everything must be the same at each."""
    for _ in range(moves):
        plain.playouts(playouts)
        move, state, shares = player.move(state)
        plain.root.move = -1
        assert list(layers(player.tree())) == list(plain.root.all())
        if move < 0:
            return
        tried = {child.move: child.visits for child in plain.root.children if not child.lost}
        assert tried[move] == max(tried.values())
        assert shares == pytest.approx([tried.get(each, 0) / sum(tried.values()) for each in range(len(shares))])
        if TILES.solved(state):
            return
        plain.make(move)


@pytest.mark.parametrize("playouts", [1, 7, 60])
@pytest.mark.parametrize("c_puct", [0.0, 0.03, 1.0])
def test_it_thinks_what_a_plain_tree_thinks(toy, playouts, c_puct):
    network = toy(TILES, guess)
    options = {"playouts": playouts, "c_puct": c_puct}
    for distance in (2, 11, 22):
        state = board(distance).state
        player = UctSession(TILES, estimate=network.estimate(), prior=network.prior(), **options)
        plain = Plain(TILES, state, guess, network.prior().scores, c_puct=c_puct)
        compare(player, plain, state, playouts, moves=5)
        player = UctSession(TILES, estimate="manhattan", **options)
        compare(player, Plain(TILES, state, manhattan, c_puct=c_puct), state, playouts, moves=5)


@pytest.mark.parametrize(("playouts", "considered"), [(1, 16), (7, 2), (7, 3), (7, 1), (24, 16)])
def test_it_halves_the_moves_at_the_root_as_a_plain_tree_does(toy, playouts, considered):
    network = toy(TILES, guess)
    own = {"considered": considered, "value_scale": 2.0}
    for distance in (2, 11, 22):
        state = board(distance).state
        views = {"estimate": network.estimate(), "prior": network.prior()}
        player = UctSession(TILES, **views, root="halving", playouts=playouts, **own)
        plain = PlainHalving(TILES, state, guess, network.prior().scores, **own)
        for _ in range(6):
            plain.playouts(playouts)
            expected, probabilities = plain.choice()
            move, state, shares = player.move(state)
            plain.root.move = -1
            assert list(layers(player.tree())) == list(plain.root.all())
            assert move == expected
            assert shares == pytest.approx([probabilities.get(each, 0.0) for each in range(len(shares))])
            if TILES.solved(state):
                break
            plain.make(move)


def test_every_considered_move_has_its_playouts():
    schedule = halving_schedule(4, 16)
    assert schedule.shape == (5, 16)
    assert schedule[1].tolist() == list(range(16))
    assert schedule[2].tolist() == [visits for visits in range(8) for _ in range(2)]
    # two phases of 8 playouts: 2 for each of 4 moves, 4 for each of 2
    assert schedule[4].tolist() == [0] * 4 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]
    # three phases of 16 playouts for 8 moves: 2 each, 4 for each of 4 ..., and the last ones are cut off
    assert halving_schedule(8, 20)[8].tolist() == [0] * 8 + [1] * 4 + [2, 2, 3, 3, 4, 4, 5, 5]


def test_gumbel_noise_draws_moves_as_the_prior_has_them(toy):
    state = board(20, seed=3).state
    blind = Estimate("blind", admissible=False, scores=lambda states: np.full(len(states), 9.0))
    prior = toy(TILES, guess).prior()
    player = UctSession(
        TILES, 2000, estimate=blind, prior=prior, root="halving", gumbel_noise=1.0, considered=1, playouts=1
    )
    moves = player.moves(np.tile(state, (2000, 1))).moves
    tree = player.tree()
    below = tree.parent == 0
    expected = dict(zip(tree.move[below].tolist(), tree.prior[below].tolist(), strict=True))
    assert len(expected) > 1
    for move, probability in expected.items():
        assert np.mean(moves == move) == pytest.approx(probability, abs=0.05)


def test_sequential_halving_has_a_noise_of_its_own():
    with pytest.raises(BadOption, match="give no temperature and no Dirichlet noise"):
        registry.make_solver("uct", {"root": "halving", "temperature": 1.0})
    with pytest.raises(BadOption, match="gumbel_noise is for root=halving"):
        registry.make_solver("uct", {"gumbel_noise": 1.0})


@pytest.mark.parametrize("estimate", ["manhattan", Estimate("outside", False, scores=manhattan)], ids=str)
def test_by_values_of_children_too(estimate):
    state = board(17).state
    player = UctSession(TILES, estimate=estimate, policy="values", playouts=30, c_puct=0.2, step_discount=0.1)
    plain = Plain(TILES, state, manhattan, step_discount=0.1, c_puct=0.2, by_values=True)
    compare(player, plain, state, 30, moves=6)


def test_a_value_is_worth_less_with_each_move_to_it(ways):
    # 0 -> 1 -> 2 -> 3 is the only way; the goal is worth 1, and exp(-step_discount) less at each step back
    line = ways({0: (1,), 1: (2,), 2: (3,), 3: ()}, goal=3)
    player = UctSession(line, estimate=far(9, 9, 9, 0), step_discount=0.5, playouts=40)
    player.move(line.at(0).state)
    tree = player.tree()
    assert tree.states[:, 0].tolist() == [0, 1, 2, 3]
    assert tree.visits.tolist() == [41, 40, 39, 39]  # only 0 and 1 were looked at without coming to the goal
    assert tree.value[2:] == pytest.approx([np.exp(-0.5), 1.0])
    assert tree.value[1] == pytest.approx((39 * np.exp(-1.0) + np.exp(-4.5)) / 40)
    assert tree.value[0] == pytest.approx((39 * np.exp(-1.5) + np.exp(-5.0) + np.exp(-4.5)) / 41)


@pytest.mark.parametrize("rules", ["plain", pytest.param("kernels", marks=SLOW)])
def test_with_one_playout_it_follows_the_prior(toy, bare, rules):
    prior = toy(DUST, left).prior()
    blind = Estimate("blind", admissible=False, scores=lambda states: np.full(len(states), 9.0))
    for start in random_dust(5):
        start = Instance(bare(DUST), start.state) if rules == "plain" else start
        followed = solve(start, Greedy(prior=prior))
        assert solve(start, Uct(prior=prior, estimate=blind, playouts=1, finish=False)).length == followed.length


@pytest.mark.parametrize("puzzle", [TILES, pytest.param(DUST, marks=SLOW)], ids=lambda puzzle: puzzle.name)
def test_plain_rules_play_like_kernels(toy, bare, puzzle):
    starts, says = ([board(4), board(12), board(19)], guess) if puzzle == TILES else (random_dust(3), left)
    network = toy(puzzle, says)
    for options in (
        {},
        {"parallel_leaves": 3},
        {"policy": "values"},
        {"dirichlet_fraction": 0.3, "temperature": 1.0, "finish": False},
        {"root": "halving", "gumbel_noise": 1.0, "finish": False},
    ):
        given = {"estimate": network.estimate(), "playouts": 9, "max_moves": 60, **options}
        if "policy" not in options:
            given["prior"] = network.prior()
        for start in starts:
            hidden = Instance(bare(puzzle), start.state)
            assert timeless([solve(start, Uct(**given))]) == timeless([solve(hidden, Uct(**given))])


# --- what is lost -----------------------------------------------------------------------------------------------------


def test_no_way_in_the_tree_comes_back_to_a_state():
    state, past = board(20).state, []
    player = UctSession(TILES, estimate="manhattan", playouts=200, c_puct=2.0)
    for _ in range(6):
        _, after, _ = player.move(state)
        tree = player.tree()
        for row in range(len(tree.parent)):
            ways, above = [], row
            while above >= 0:
                ways.append(tuple(tree.states[above]))
                above = tree.parent[above]
            assert len(set(ways + past)) == len(ways + past)
        past.append(tuple(state))
        state = after


def test_a_move_back_is_lost_even_where_it_looks_best(ways):
    roads = ways({0: (1,), 1: (0, 2), 2: (1, 3), 3: (2, 4), 4: ()}, goal=4)
    result = solve(roads.at(0), Uct(estimate=far(0, 5, 6, 7, 0), playouts=2))
    assert result.moves == (1, 2, 3, 4)
    standing = ways({0: (0, 1), 1: (2,), 2: ()}, goal=2)
    player = UctSession(standing, estimate=far(0, 9, 0), playouts=9)
    player.move(standing.at(0).state)
    assert player.tree().states[:, 0].tolist() == [0, 1, 2]


def test_a_dead_end_is_left_out_as_soon_as_it_is_known(ways):
    # 1 and all behind it look best, and lead nowhere
    roads = ways({0: (1, 6), 1: (2, 3), 2: (), 3: (4, 5), 4: (0,), 5: (), 6: (7,), 7: (8,), 8: ()}, goal=8)
    player = UctSession(roads, estimate=far(5, 0, 0, 0, 0, 0, 50, 50, 0), playouts=30)
    move, _, shares = player.move(roads.at(0).state)
    assert (move, shares[1], shares[6]) == (6, 0.0, 1.0)
    tree = player.tree()
    lost = set(tree.states[tree.status == DEAD_END, 0].tolist())
    assert lost == {1, 2, 3, 4, 5}
    assert tree.visits[tree.states[:, 0] == 1] == 5  # one playout for each place that was lost


def test_where_everything_was_looked_at_there_is_no_solution(ways):
    ring = ways({0: (1,), 1: (2,), 2: (0,), 3: ()}, goal=3)
    result = solve(ring.at(0), Uct(estimate=far(1, 1, 1, 0)))
    assert (result.moves, result.proof, result.stop, result.expanded) == (None, "unsolvable", "done", 3)


def test_what_is_lost_after_some_moves_is_a_dead_end_and_no_proof(ways):
    # the first playout decides: it goes to 1, from where the only way is back
    trap = ways({0: (1, 3), 1: (2,), 2: (0,), 3: (4,), 4: ()}, goal=4)
    result = solve(trap.at(0), Uct(estimate=far(5, 0, 0, 9, 0), playouts=1))
    assert (result.moves, result.proof, result.stop) == (None, "none", "dead end")
    assert result.reason == "after 1 move every path ends without a move, or returns to an earlier board"
    assert solve(trap.at(0), Uct(estimate=far(5, 0, 0, 9, 0), playouts=9)).moves == (3, 4)


@pytest.mark.parametrize("finish", [True, False])
def test_too_few_moves_are_told_and_prove_nothing(finish):
    result = solve(board(9), Uct(estimate="manhattan", max_moves=8, playouts=100_000, finish=finish))
    assert (result.moves, result.proof, result.stop) == (None, "none", "dead end")
    assert result.reason == "it is not solved within the 8 moves that max_moves allows"
    # Manhattan distance says of this board how far it is from the goal
    assert solve(board(10), Uct(estimate="manhattan", max_moves=10, finish=finish)).length == 10
    assert solve(board(1), Uct(estimate="manhattan", max_moves=1, finish=finish)).length == 1


# --- after a move -----------------------------------------------------------------------------------------------------


def test_what_is_below_the_move_is_kept():
    state = board(18).state
    player = UctSession(TILES, estimate="manhattan", playouts=120)
    move, after, _ = player.move(state)
    for _ in range(8):
        before = player.tree()
        child = int(np.flatnonzero((before.parent == 0) & (before.move == move))[0])
        move, after, _ = player.move(after)
        tree = player.tree()
        assert tree.visits[0] == before.visits[child] + 120
        below = {child}
        for row in range(len(before.parent)):
            below |= {row} if int(before.parent[row]) in below else set()
        kept = sorted(below)
        # the nodes that were there come first, in their order, with no fewer visits
        assert np.array_equal(tree.states[: len(kept)], before.states[kept])
        assert (tree.visits[: len(kept)] >= before.visits[kept]).all()
        assert (tree.parent < np.arange(len(tree.parent))).all()


def test_another_state_begins_anew():
    player = UctSession(TILES, estimate="manhattan", playouts=40)
    first = player.move(board(12).state)
    assert player.tree().visits[0] == 41
    player.move(first[1])
    assert player.tree().visits[0] > 41
    again = player.move(board(12).state)
    assert player.tree().visits[0] == 41
    assert (again[0], again[2].tolist()) == (first[0], first[2].tolist())


# --- its answers ------------------------------------------------------------------------------------------------------


PROMISING = pytest.mark.parametrize(
    "options",
    [
        {},
        {"finish": False},
        {"parallel_leaves": 4},
        {"policy": "values"},
        {"dirichlet_fraction": 0.25, "temperature": 1.0, "seed": 5},
        {"playouts": 3, "c_puct": 1.0},
    ],
    ids=str,
)


@PROMISING
def test_it_keeps_the_promises_of_a_solver(options):
    check_solver(Uct(estimate="manhattan", **options), [(board(distance), distance) for distance in (0, 1, 2, 9, 16)])


@pytest.mark.slow
@PROMISING
def test_it_keeps_the_promises_of_a_solver_on_dust(toy, options):
    network = toy(DUST, left)
    prior = {} if "policy" in options else {"prior": network.prior()}
    known = [(start, solve(start, "bfs").length) for start in random_dust(4)]
    check_solver(Uct(estimate=network.estimate(), **prior, **options), known)


def test_a_lower_bound_that_is_reached_proves_the_answer():
    for distance, seed in ((1, 0), (6, 1), (14, 3)):
        start = board(distance, seed=seed)
        assert manhattan(start.state[None]).tolist() == [distance]
        result = solve(start, Uct(estimate="manhattan", c_puct=0.0))
        assert (result.length, result.proof, result.lower_bound) == (distance, "optimal", distance)


# 1 is thought to be far from the goal, so that what comes from it by way of 2 looks better than 5, the short way
MISLEADING = {"ways": {0: (1,), 1: (2, 5), 2: (3,), 3: (4,), 4: (6,), 5: (6,), 6: ()}, "goal": 6}
MISLED = {"estimate": far(5, 30, 3, 2, 1, 9, 0), "playouts": 5, "c_puct": 0.1}


def test_play_that_goes_on_may_find_a_shorter_way(ways):
    misleading = ways(**MISLEADING)
    assert solve(misleading.at(0), Uct(**MISLED)).moves == (1, 2, 3, 4, 6)
    assert solve(misleading.at(0), Uct(**MISLED, finish=False)).moves == (1, 5, 6)
    for seed in range(6):
        asked = {"estimate": "manhattan", "playouts": 20, "c_puct": 0.3}
        finished, played = (
            solve(board(20, seed=seed), Uct(**asked)),
            solve(board(20, seed=seed), Uct(**asked, finish=False)),
        )
        assert played.length <= finished.length
        assert played.expanded > finished.expanded


def test_answers_are_told_as_they_come_and_only_get_better(ways, monkeypatch):
    monkeypatch.setattr(driver, "SLICE_SECONDS", 1e-9)
    monkeypatch.setattr(driver, "FIRST_BUDGET", 1)
    for finish, playouts in ((False, 5), (True, 30)):
        solver = Uct(**{**MISLED, "playouts": playouts}, finish=finish)
        seen = [each.moves for each in attempts(ways(**MISLEADING).at(0), solver) if isinstance(each, Result)]
        assert list(dict.fromkeys(seen)) == [(1, 2, 3, 4, 6), (1, 5, 6)]


# --- chance -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"dirichlet_fraction": 0.5, "dirichlet_alpha": 0.3},
        {"temperature": 1.0},
        {"root": "halving", "gumbel_noise": 1.0},
    ],
    ids=str,
)
def test_one_seed_gives_one_answer_and_another_seed_others(options):
    def answers(seed):
        solver = Uct(estimate="manhattan", seed=seed, **options)
        return [solve(board(20, seed=number), solver).moves for number in range(4)]

    assert answers(1) == answers(1)
    assert answers(1) != answers(2)


def test_noise_is_a_share_of_the_prior_at_the_root():
    state = board(14).state
    priors = []
    for seed in range(300):
        player = UctSession(
            TILES, estimate="manhattan", dirichlet_fraction=0.25, dirichlet_alpha=0.5, playouts=1, seed=seed
        )
        player.move(state)
        tree = player.tree()
        below = tree.prior[tree.parent == 0]
        assert below.sum() == pytest.approx(1.0)
        priors.append(below)
    count = len(priors[0])
    noise = (np.array(priors) - 0.75 / count) / 0.25
    assert noise.min() >= -1e-9
    assert noise.mean(axis=0) == pytest.approx(1 / count, abs=0.06)
    # of a Dirichlet distribution with k equal parameters a: the variance of each is (k - 1) / (k^2 (k a + 1))
    assert noise.var(axis=0) == pytest.approx((count - 1) / (count**2 * (count * 0.5 + 1)), rel=0.3)


def test_a_temperature_draws_moves_by_their_visits():
    state = board(20, seed=3).state
    shares = UctSession(TILES, estimate="manhattan", c_puct=1.0).move(state)[2]
    assert np.count_nonzero(shares > 0.1) > 1
    for warmth, expected in ((1.0, shares), (0.5, shares**2 / (shares**2).sum())):
        player = UctSession(TILES, 2000, estimate="manhattan", c_puct=1.0, temperature=warmth)
        moves = player.moves(np.tile(state, (2000, 1))).moves
        assert np.bincount(moves, minlength=4) / 2000 == pytest.approx(expected, abs=0.05)


# --- many games at once -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"parallel_leaves": 3},
        {"dirichlet_fraction": 0.4, "temperature": 0.7, "finish": False},
        {"policy": "values"},
        {"root": "halving", "gumbel_noise": 0.5},
    ],
    ids=str,
)
def test_many_games_are_played_like_each_alone(toy, options):
    boards = [board(distance, seed=seed) for seed in range(3) for distance in (0, 1, 4, 9, 16)]
    network = toy(TILES, guess)
    prior = {} if "policy" in options else {"prior": network.prior()}
    for asked in (
        {"estimate": "manhattan"},
        {"estimate": "manhattan", **prior},
        {"estimate": network.estimate(), **prior},
    ):
        solver = Uct(**asked, **options, playouts=20)
        alone = [solve(start, solver) for start in boards]
        assert timeless(together(solver, boards)) == timeless(alone)


def test_a_network_sees_a_leaf_of_each_game_at_once(toy):
    network, boards = toy(TILES, guess), [board(20, seed=seed) for seed in range(40)]
    solver = Uct(estimate=network.estimate(), prior="uniform", playouts=10)
    results = together(solver, boards)
    assert network.asked[:11] == [40] * 11
    assert sum(network.asked) == sum(result.evaluations for result in results)
    network.asked.clear()
    solve(boards[0], Uct(estimate=network.estimate(), prior="uniform", parallel_leaves=8, playouts=64))
    assert network.asked[0] == 1  # the root
    assert max(network.asked) > 4  # then several leaves of one game


def test_each_game_has_a_leaf_in_every_batch_until_it_ends(toy):
    network, boards = toy(TILES, guess), [board(14, seed=seed) for seed in range(9)]
    solver = Uct(estimate=network.estimate(), prior="uniform", playouts=40, finish=False)
    results = together(solver, boards)
    assert any(result.expanded > result.evaluations + 1 for result in results)  # some playouts need no score
    assert len(network.asked) == max(result.evaluations for result in results)


@pytest.mark.parametrize("rows", [1, 7])
def test_less_room_than_all_leaves_changes_nothing(toy, monkeypatch, rows):
    network, boards = toy(TILES, guess), [board(14, seed=seed) for seed in range(4)]
    for options in ({"prior": network.prior()}, {"policy": "values"}, {"parallel_leaves": 3}):
        solver = Uct(estimate=network.estimate(), playouts=20, **options)
        whole = together(solver, boards)
        with monkeypatch.context() as small:
            small.setattr(uct, "ROWS", rows)
            network.asked.clear()
            assert timeless(together(solver, boards)) == timeless(whole)
            assert max(network.asked) <= max(rows, 4 * options.get("parallel_leaves", 1))


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_tree_that_is_full_grows_and_changes_nothing(toy, monkeypatch):
    network, boards = toy(TILES, guess), [board(distance) for distance in (9, 16, 20)]
    solvers = [
        Uct(estimate="manhattan"),
        Uct(estimate=network.estimate(), prior=network.prior(), parallel_leaves=3, finish=False),
    ]
    roomy = [timeless(together(solver, boards)) for solver in solvers]
    monkeypatch.setattr(uct, "FIRST_MOVES", 1)
    monkeypatch.setattr(uct, "FIRST_CHILDREN", 0)
    assert [timeless(together(solver, boards)) for solver in solvers] == roomy


@pytest.mark.parametrize("estimate", ["manhattan", Estimate("outside", False, scores=guess)], ids=str)
def test_how_much_is_done_between_two_looks_at_the_clock_changes_nothing(estimate, monkeypatch):
    solver = Uct(estimate=estimate, parallel_leaves=2)
    whole = solve(board(18), solver)
    monkeypatch.setattr(driver, "SLICE_SECONDS", 1e-9)
    monkeypatch.setattr(driver, "FIRST_BUDGET", 1)
    assert timeless([solve(board(18), solver)]) == timeless([whole])


def test_limits_end_it_with_what_it_has():
    solver = Uct(estimate="manhattan", c_puct=1.0, playouts=100_000)
    few = solve(board(27), solver, Limit(nodes=300))
    assert (few.moves, few.proof, few.stop, few.expanded) == (None, "none", "nodes", 300)
    assert few.lower_bound <= 27
    found = solve(board(16), solver, Limit(nodes=5_000))
    assert (found.stop, found.expanded) == ("nodes", 5_000)
    assert found.length >= 16
    assert solve(board(27), solver, Limit(seconds=0.01)).stop == "time"
    assert solve(board(27), solver, Limit(memory=1)).stop == "memory"
    results = solve_all(Uct(estimate="manhattan"), [board(4), board(25)], Limit(nodes=30))
    assert [(result.length, result.stop) for result in results] == [(4, "done"), (None, "nodes")]


def test_memory_ends_it_where_the_tree_cannot_grow(monkeypatch):
    monkeypatch.setattr(driver.Clock, "room", lambda clock: 50_000)
    result = solve(board(27), Uct(estimate="manhattan", c_puct=1.0, playouts=100_000))
    assert (result.stop, result.proof) == ("memory", "none")
    assert result.expanded > 100


@pytest.mark.parametrize("raises", [True, False], ids=["Ctrl-C", "watch"])
def test_the_best_answer_so_far_is_kept(raises, monkeypatch):
    monkeypatch.setattr(driver, "SLICE_SECONDS", 1e-5)  # it looks up often enough on the fastest machine
    found = []

    def watch(attempt):
        if isinstance(attempt, Result) and attempt.moves is not None:
            found.append(attempt)
        if found and isinstance(attempt, Progress):
            if raises:
                raise KeyboardInterrupt
            return True
        return False

    result = solve(board(20), Uct(estimate="manhattan", c_puct=1.0, playouts=1_000_000), watch=watch)
    assert result.moves == found[-1].moves is not None
    assert (result.proof, result.stop) == ("none", "interrupted")


def test_games_that_go_on_are_interrupted(monkeypatch):
    boards, asked = [board(distance) for distance in (0, 3, 27)], []
    solver = Uct(estimate=Estimate("outside", False, scores=manhattan), c_puct=1.0, playouts=500)

    def later():
        asked.append(True)
        return len(asked) > 800

    results = together(solver, boards, Limit(), later)
    assert [(result.length, result.stop) for result in results] == [(0, "done"), (3, "done"), (None, "interrupted")]

    def pressed(self):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(Drive, "__iter__", pressed)
    assert [result.stop for result in together(solver, boards[1:])] == ["interrupted"] * 2


# --- who is asked -----------------------------------------------------------------------------------------------------


@pytest.fixture
def network(monkeypatch):
    """Puts a network with these heads in the place of every one."""

    class Tells:
        name = "0123456789abcdef"

        def __init__(self, heads):
            self.heads = heads

    def put(*heads):
        found = Tells(heads)
        monkeypatch.setattr(networks, "find", lambda puzzle, name=None: found)
        return found

    return put


@pytest.mark.parametrize(
    ("heads", "given", "estimate", "prior"),
    [
        (("policy", "cost_to_go"), {}, "net", "net"),
        (("cost_to_go",), {}, "net", "uniform"),
        (("policy",), {}, TILES.view(Estimates).estimate().name, "net"),
        (("q", "cost_to_go"), {}, "net", "net"),
        (("policy", "cost_to_go"), {"estimate": "net:x"}, "net:x", "net:x"),
        (("policy", "cost_to_go"), {"prior": "net:x"}, "net:x", "net:x"),
        (("policy",), {"prior": "net:x"}, TILES.view(Estimates).estimate().name, "net:x"),
        (("policy", "cost_to_go"), {"estimate": "net:x", "prior": "uniform"}, "net:x", "uniform"),
        (("policy", "cost_to_go"), {"prior": "uniform"}, "net", "uniform"),
        (("policy", "cost_to_go"), {"estimate": "manhattan"}, "manhattan", "uniform"),
        (("policy", "cost_to_go"), {"estimate": "manhattan", "prior": "net"}, "manhattan", "net"),
        (("policy", "cost_to_go"), {"policy": "values"}, "net", None),
    ],
)
def test_a_network_is_asked_for_all_that_it_tells(network, heads, given, estimate, prior):
    network(*heads)
    options = Uct(**given).options_for(TILES)
    assert (options["estimate"], options["prior"]) == (estimate, prior)
    assert options.keys() == Uct(**given).options().keys()


@pytest.mark.parametrize(("counts", "estimate"), [(True, "net"), (False, TILES.view(Estimates).estimate().name)])
def test_values_of_moves_are_the_estimate_where_they_count_moves(network, counts, estimate):
    network("q").values_count_moves = counts
    options = Uct().options_for(TILES)
    assert (options["estimate"], options["prior"]) == (estimate, "net")


def test_by_default_the_network_is_asked(toy_networks, corridor):
    assert Uct().options()["estimate"] == "net"
    assert solve(corridor().read("4"), Uct()).moves == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("given", "estimate", "prior"),
    [
        ({}, "net", "net"),
        ({"policy": "values"}, "net", None),
        ({"estimate": "manhattan"}, "manhattan", None),
        ({"prior": "uniform"}, None, "uniform"),
    ],
)
def test_the_network_stands_in_the_options_only_where_nothing_else_is_named(given, estimate, prior):
    options = Uct(**given).options()
    assert (options["estimate"], options["prior"]) == (estimate, prior)
