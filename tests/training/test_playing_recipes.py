"""Recipes that learn from games they play: what they learn, and runs of seconds that end and go on."""

import copy
import zlib

import numpy as np
import pytest
from run_lines import untimed

pytest.importorskip("torch")

import torch
from small_runs import PLAYED

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput
from puzzlelab.core.views import Reversible, scale_of
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves, legal_moves, solved, successors
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.curriculum import UNKNOWN, scrambled
from puzzlelab.experience.replay import DrawnBatch
from puzzlelab.nets import model_zoo
from puzzlelab.nets.layers import Scalar
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training import recipe
from puzzlelab.training.learner import Learner
from puzzlelab.training.online_rl import OnlineLearning
from puzzlelab.training.recipes.dqn import Dqn
from puzzlelab.training.recipes.value_iteration import ValueIteration, search_trees
from puzzlelab.training.target_network import TargetNetwork, TargetUpdate

HEADS = {"dqn": "q", "value_iteration": "cost_to_go"}
METHODS = {"dqn": Dqn, "value_iteration": ValueIteration}


def new(settings):
    return OnlineLearning.of(METHODS[settings.recipe](registry.load(settings.puzzle), settings), ThisProcess())


@pytest.fixture
def settings_of():
    """`settings_of("dqn", "horizon=3", ...)`: the settings of a small run of a recipe, changed."""

    def make(name, *changes):
        network = {"kind": "dense", "width": 32, "depth": 2, "heads": [HEADS[name]], "canonical": True}
        values = recipe.with_changes({**PLAYED, "network": network}, changes)
        if isinstance(values["network"]["heads"], str):
            values["network"]["heads"] = [values["network"]["heads"]]
        return recipe.settings_of(name, values)

    return make


NO_WALKS = (
    "curriculum.random_walk_share=0",
    "curriculum.initial_difficulty=0",
    "curriculum.max_difficulty=0",
    "curriculum.growth=never",
)
EVALUATED = (
    "curriculum.random_walk_share=0",
    "curriculum.scale=walk-to-level",
    "curriculum.initial_difficulty=1",
    "curriculum.max_difficulty=6",
    "curriculum.growth=evaluations",
    "curriculum.evaluation_interval=10",
    "curriculum.evaluation_boards=4",
    "curriculum.win_rate=0.2",
    "evaluation.scale=walk-to-level",
)
BLOCKS = ("acting.num_env_runners=3", "acting.rollout_fragment_length=4")
VARIANTS = [
    ("dqn", "horizon=3", "double=false", "network.dueling=true", "distance=squared", "warmup_games=5"),
    ("dqn", "replay.alpha=0.6", "target_network.rule=hard", "target_network.interval=7", "steps_per_move=3"),
    ("dqn", "replay.size=0", "target_network.rule=none", "masked=false", "reward=goal", "discount=0.8", "blend=0.9"),
    ("dqn", *EVALUATED, "masked=false", "replay.size=50", "minibatch_size=10"),
    (
        "value_iteration",
        "replay.alpha=0.6",
        "bounded=false",
        "target_network.rule=hard",
        "target_network.interval=7",
        "outcome_weight=0",
    ),
    ("dqn", "horizon=3", "replay.alpha=0.6", "warmup_games=30", *BLOCKS),
    ("value_iteration", "replay.size=0", "horizon=2", "curriculum.factor=2", "steps_per_move=2", *BLOCKS),
]
MORE_VARIANTS = [
    ("dqn",),
    ("dqn", "replay.size=0", "target_network.rule=none", "reward=goal", "blend=0.9", "minibatch_size=6"),
    ("dqn", "replay.alpha=0.6", "minibatch_size=10"),
    ("dqn", "all_moves=true", "reward=potential:manhattan"),
    (
        "dqn",
        "reward=level",
        "discount=0.9",
        "exploration.rule=exponential",
        "exploration.final_epsilon=0.05",
        *NO_WALKS,
    ),
    ("dqn", "puzzle=dust-4x3x3", "reward=cleared-squared", *NO_WALKS),
    ("value_iteration", *EVALUATED),
    (
        "dqn",
        "puzzle=sudoku-9x9",
        "curriculum.scale=",
        "evaluation.scale=",
        "parallel_games=4",
        "learning.batch_size=4",
        *NO_WALKS,
    ),
    ("value_iteration",),
    ("value_iteration", "replay.size=0", "steps_per_move=4"),
    ("value_iteration", "puzzle=dust-4x3x3", *NO_WALKS),
    ("dqn", *EVALUATED, "acting.num_env_runners=1"),
    ("value_iteration", "exploration.rule=exponential", *BLOCKS),
]


@pytest.mark.parametrize(
    "variant", [*VARIANTS, *(pytest.param(each, marks=pytest.mark.slow) for each in MORE_VARIANTS)], ids=" ".join
)
def test_a_run_that_is_ended_three_times_goes_on_as_if_it_had_not_been(
    tmp_path, settings_of, train, same_runs, stop_at, variant
) -> None:
    settings = settings_of(*variant)
    recipe.find(variant[0]).check(settings)
    whole = train(tmp_path / "whole", settings)
    for step in (7, 14, 9):
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "parts", settings, stop_at(step))
    same_runs(train(tmp_path / "parts", settings), whole)
    assert [line["step"] for line in untimed(whole.metrics)] == [10, 20, 30, 40]


# --- what is learned -------------------------------------------------------------------------------------------------

SMALL = registry.load("tiles-2x3")


@pytest.fixture(scope="module")
def known(distances_2x3):
    """(`states: uint8[359, 6]`, `distances: int64[359]`): every board of 2x3 but the goal."""
    boards = [(np.frombuffer(board, np.uint8), distance) for board, distance in distances_2x3.items() if distance]
    return np.array([board for board, _ in boards]), np.array([distance for _, distance in boards])


def distance_of(known, states):
    """The distances of boards, the goal among them."""
    table = {state.tobytes(): distance for state, distance in zip(*known, strict=True)}
    return np.array([table.get(state.tobytes(), 0) for state in states])


class Tabular(TorchModel):
    """In the place of a network: one number a board, or a board and move, each of which is learned by itself."""

    def columns(self, states):
        return {"states": torch.from_numpy(states.astype(np.int64))}

    def forward(self, columns):
        states = columns["states"]
        powers = states.shape[1] ** torch.arange(states.shape[1])
        return {self.heads[0]: self.module((states * powers).sum(1)).squeeze(1)}

    def outputs(self, states):
        return {name: values.detach().numpy() for name, values in self.forward(self.columns(states)).items()}


def tabular(settings, rate):
    """A table of games whose network is a table of numbers, and moves by so much of the gradient."""
    task = new(settings)
    model, count = task.learner.model, {"q": SMALL.move_count, "cost_to_go": 1}[task.learner.model.heads[0]]
    module = torch.nn.Embedding(6**6, count)
    torch.nn.init.constant_(module.weight, {"q": -7.0, "cost_to_go": 7.0}[model.heads[0]])  # far from any value
    settings = task.learner.settings.model_copy(
        update={"learning_rate": rate, "schedule": "constant", "warmup": 0, "max_grad_norm": 0.0}
    )
    optimiser = torch.optim.SGD(module.parameters(), rate)
    network = Tabular(model.puzzle, model.settings, module.eval())
    task.learner = Learner(model.puzzle, settings, network, optimiser, copy.deepcopy(module).requires_grad_(False))
    task.target = TargetNetwork.of(task.learner.model, TargetUpdate(rule="none"))
    return task


def transitions(known):
    """Every move at every board: what it leads to, and what that is worth."""
    states, _ = known
    ahead = successors(SMALL, states)
    return {
        "state": states[ahead.owner],
        "move": ahead.move,
        "next": ahead.states,
        "reward": np.full(len(ahead.owner), -1, np.float32),
        "factor": np.where(ahead.solved, 0, 1).astype(np.float32),
    }


def fit(task, columns):
    """Learn from all these transitions in one step; the losses."""
    return task.method.fit(task, DrawnBatch(np.arange(0), columns), np.random.default_rng(0))[0]


def test_a_fit_takes_all_targets_first_and_each_transition_once(settings_of, known, monkeypatch) -> None:
    """All values but those that were played keep the values from before the step."""
    task = tabular(settings_of("dqn", "distance=squared", "minibatch_size=32", "blend=0.5", *NO_WALKS), rate=0.1)
    columns = {name: column[:100] for name, column in transitions(known).items()}
    before = torch.from_numpy(task.learner.model.outputs(columns["state"])["q"])
    minibatches = []
    update = task.learner.update
    monkeypatch.setattr(
        task.learner,
        "update",
        lambda losses, settings, *parts: minibatches.extend(parts) or update(losses, settings, *parts),
    )
    _, errors = task.method.fit(task, DrawnBatch(np.arange(0), columns), np.random.default_rng(0))
    assert [len(each["states"]) for each in minibatches] == [32, 32, 32, 4]
    assert (task.learner.step, len(errors)) == (1, 100)
    states = np.concatenate([each["states"].numpy() for each in minibatches])
    assert not np.array_equal(states, columns["state"])
    assert np.array_equal(np.sort(states, axis=0), np.sort(columns["state"], axis=0))
    future = np.where(columns["factor"] > 0, -7.0, 0.0)
    rows = np.arange(100)
    targets = before.clone()
    targets[rows, columns["move"]] = torch.tensor(0.5 * -7.0 + 0.5 * (-1.0 + future), dtype=torch.float32)
    wanted = sorted(zip(columns["state"].tolist(), targets.tolist(), strict=True))
    values = torch.cat([each["target"] for each in minibatches])
    assert sorted(zip(states.tolist(), values.tolist(), strict=True)) == wanted
    assert all((each["shares"] == 1).all() for each in minibatches)


@pytest.mark.parametrize("equivalent", [True, False])
def test_a_click_is_learned_for_its_cluster_or_for_its_cell(settings_of, equivalent) -> None:
    changes = ("puzzle=dust-4x3x3", f"equivalent_moves={str(equivalent).lower()}", "reward=goal", *NO_WALKS)
    task = new(settings_of("dqn", *changes))
    state = registry.load("dust-4x3x3").read("1 1 2 3 / 2 3 1 2 / 3 1 2 3").state[None]
    pair = np.flatnonzero(canonical_moves(task.learner.puzzle, state)[0] == 0)
    columns = {"state": state, "move": pair[-1:], "next": state, "reward": np.zeros(1, np.float32)}
    targets = task.method._targets(task, DrawnBatch(np.arange(0), columns | {"factor": np.zeros(1, np.float32)}))
    learned = np.flatnonzero(targets["shares"][0])
    assert learned.tolist() == (pair.tolist() if equivalent else [pair[-1]])
    assert float(targets["shares"].sum()) == 1


@pytest.mark.parametrize("variant", [(), ("all_moves=true",), ("double=false",), ("blend=0.5",)], ids=" ".join)
def test_values_of_moves_in_a_table_become_the_exact_ones(settings_of, known, variant) -> None:
    columns = transitions(known)
    columns = {"state": known[0]} if "all_moves=true" in variant else columns
    size = len(columns["state"])
    task = tabular(settings_of("dqn", "distance=squared", *NO_WALKS, *variant), rate=size / 2)
    for _ in range(150):
        fit(task, columns)
    moves = transitions(known)
    found = task.learner.model.outputs(moves["state"])["q"][np.arange(len(moves["move"])), moves["move"]]
    assert found == pytest.approx(-1 - distance_of(known, moves["next"]), abs=0.01)


@pytest.mark.parametrize(("horizon", "fits"), [(1, 40), (3, 14)])
def test_remaining_moves_in_a_table_become_the_exact_ones(settings_of, known, horizon, fits) -> None:
    states, distances = known
    settings = settings_of("value_iteration", "distance=squared", f"horizon={horizon}", *NO_WALKS)
    task = tabular(settings, rate=len(states) / 2)
    unknown = np.full(len(states), UNKNOWN, np.int32)
    for _ in range(fits):
        fit(task, {"state": states, "bound": unknown, "moves_to_end": unknown})
    assert task.learner.model.cost_to_go(states) == pytest.approx(distances, abs=0.01)


class Scored:
    """In the place of a network: a number for each board, different ones as a rule."""

    def cost_to_go(self, states):
        return np.array([zlib.crc32(state.tobytes()) % 97 / 8 for state in states], np.float32)


def plain_tree(puzzle, board, horizon, inverse):
    """A tree from one board in plain Python: (costs of the inner boards by the moves to them, those of all moves)."""
    boards, costs, level = {(): board}, {}, [()]
    for _ in range(horizon):
        level = [
            (*way, move)
            for way in level
            for move in np.flatnonzero(legal_moves(puzzle, boards[way][None])[0]).tolist()
            if not way or move != inverse(way[-1])
        ]
        for way in level:
            boards[way] = apply_moves(puzzle, boards[way[:-1]][None], np.array(way[-1:])).states[0]
        costs |= {way: 0.0 for way in level if solved(puzzle, boards[way][None])[0]}
        level = [way for way in level if way not in costs]
    costs |= {way: max(1.0, float(Scored().cost_to_go([boards[way]])[0])) for way in level}
    inner = {way: np.inf for way in boards if way not in costs}
    down = dict(inner)  # without a way back
    for _ in boards:
        for way in list(boards)[:0:-1]:
            ahead = costs.get(way, inner.get(way)), costs.get(way, down.get(way))
            inner[way[:-1]] = min(inner[way[:-1]], 1 + ahead[0])
            down[way[:-1]] = min(down[way[:-1]], 1 + ahead[1])
            if way in inner and inverse(way[-1]) >= 0:
                inner[way] = min(inner[way], 1 + inner[way[:-1]])
    return inner, {way[0]: 1 + costs.get(way, down.get(way)) for way in boards if len(way) == 1}


@pytest.mark.parametrize("name", ["tiles-2x3", "tiles-3x3", "dust-4x3x3"])
def test_trees_have_the_shortest_ways_to_their_leaves(name) -> None:
    puzzle = registry.load(name)
    states = scale_of(puzzle, None)[1].sample(np.random.default_rng(5), None, 4)
    states = np.concatenate([states, walks_of(puzzle)]) if name.startswith("tiles") else states
    view = puzzle.view(Reversible)
    inverse = view.inverse if view else lambda move: -1
    for horizon in (1, 2, 4) if view else (1, 2):
        trees = search_trees(puzzle, states, Scored(), horizon)
        for root, board in enumerate(states):
            inner, moves = plain_tree(puzzle, board, horizon, inverse)
            mine = trees.root == root
            assert sorted(trees.costs[mine]) == sorted(inner.values())
            depths = [len(way) if all(inverse(move) >= 0 for move in way) else UNKNOWN for way in inner]
            assert sorted(trees.back[mine]) == sorted(depths)
            found = trees.move_costs[root]
            assert {int(move): found[move] for move in np.flatnonzero(np.isfinite(found))} == moves
        assert np.array_equal(trees.states[: len(states)], states)


def walks_of(puzzle):
    """Boards one to six moves from the goal."""
    return scrambled(puzzle, np.arange(1, 7), np.random.default_rng(1))


def test_every_board_within_the_horizon_is_learned_and_none_farther_than_its_walk(settings_of) -> None:
    changes = ("replay.size=0", "horizon=3", "curriculum.random_walk_share=1", "max_cost_to_go=9")
    task = new(settings_of("value_iteration", *changes))
    games, bounds = task.play.games.states.copy(), task.play.games.bounds.copy()
    task.act()
    columns = task.replay.newest
    trees = search_trees(task.method.puzzle, games, task.target.model, 3)
    assert np.array_equal(columns["state"], trees.states)
    assert np.array_equal(columns["bound"], bounds[trees.root] + trees.back)
    assert np.array_equal(columns["lookahead"], np.minimum(trees.costs, 9))
    assert len(trees.states) > 3 * len(games)


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("dqn", ["reward=golds"], "reward for tiles-2x3 'golds'"),
        ("dqn", ["network.heads=policy"], "trains the head 'q'"),
        ("value_iteration", ["network.heads=q"], "trains the head 'cost_to_go'"),
        ("dqn", ["puzzle=dust-4x3x3", "curriculum.scale=uniform"], "cannot be undone"),
        ("value_iteration", ["curriculum.scale=nowhere"], "scale of tiles-2x3 'nowhere'"),
        ("dqn", ["learning.device=gpu"], "no device"),
        ("value_iteration", ["network.residual_over=nearly"], "estimate of tiles-2x3 'nearly'"),
        ("dqn", ["evaluation.guide=estimate", "discount=0.9"], "needs values that count moves"),
        ("dqn", ["evaluation.guide=estimate", "reward=goal"], "needs values that count moves"),
    ],
)
def test_settings_that_cannot_be_trained_with_get_a_sentence(settings_of, name, changes, words) -> None:
    settings = settings_of(name, *changes)
    with pytest.raises(BadInput, match=words):
        recipe.find(name).check(settings)


@pytest.mark.parametrize(("changes", "counts"), [((), True), (["discount=0.9"], False), (["reward=goal"], False)])
def test_a_trained_network_knows_whether_its_values_count_moves(tmp_path, settings_of, train, changes, counts) -> None:
    settings = settings_of("dqn", "learning.steps=10", *changes)
    train(tmp_path, settings)
    assert model_zoo.find(registry.load(settings.puzzle), str(tmp_path)).values_count_moves == counts


@pytest.mark.parametrize("rule", ["soft", "none"])
def test_play_and_the_values_of_next_states_leave_running_statistics_as_they_are(settings_of, rule) -> None:
    network = '{"kind": "convolution", "filters": [4, 4], "norm": "batch", "width": 8, "heads": ["q"]}'
    task = new(settings_of("dqn", f"network={network}", f"target_network.rule={rule}"))
    normalisation = task.learner.model.module.convolutions[2]
    before = normalisation.running_mean.clone()
    task.act()
    task.method._state_values(task, task.play.games.states)
    assert torch.equal(normalisation.running_mean, before)
    task.step()
    assert not torch.equal(normalisation.running_mean, before)


@pytest.mark.parametrize("changes", [("dqn",), ("dqn", "masked=false"), ("value_iteration",)])
def test_moves_by_softmax_follow_the_values_and_the_seed(settings_of, changes) -> None:
    """Near 0 only the best move is drawn; at a high temperature every move is as likely as another."""

    def played(temperature):
        task = new(settings_of(*changes, "exploration.initial_epsilon=1", f"exploration.temperature={temperature}"))
        torch.manual_seed(0)
        for layer in task.method.acting_model(task).module.modules():
            if isinstance(layer, Scalar):
                torch.nn.init.normal_(layer.linear.weight)
                torch.nn.init.constant_(layer.linear.bias, 50.0)  # remaining moves are at least 1: no two are equal
        for _ in range(20):
            task.act()
        return task.play.games

    greedy, first, again = (played(temperature) for temperature in (1e-9, 1e6, 1e6))
    assert greedy.random_moves.sum() + greedy.tally[3] == 0
    assert np.array_equal(first.states, again.states)
    moves, random_moves = first.lengths.sum() + first.tally[2], first.random_moves.sum() + first.tally[3]
    assert 0.3 * moves < random_moves < 0.9 * moves
