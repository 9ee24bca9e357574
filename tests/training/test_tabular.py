"""Tabular Q-learning: the Bellman update, all states of a puzzle, and the network that a table is."""

import numpy as np
import pytest
from run_lines import untimed

pytest.importorskip("torch")

import torch

from puzzlelab import BadInput, Limit, load
from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.engine.batch_rules import canonical_moves
from puzzlelab.engine.solving import solve
from puzzlelab.experience.state_space import label_reachable, label_states
from puzzlelab.nets.architectures.table import Table
from puzzlelab.storage import networks
from puzzlelab.training import recipe
from puzzlelab.training.recipes.tabular import TabularLearning, table_rows

VALUES = {
    "puzzle": "tiles-2x3",
    "seed": 3,
    "parallel_games": 50,
    "max_moves": 30,
    "curriculum": {"scale": "uniform"},
    "exploration": {"initial_epsilon": 0.2},
    "learning": {"steps": 300, "save_seconds": 1000.0},
    "evaluation": {"every": 100, "boards": 5, "scale": "uniform", "max_moves": 30, "guide": "prior"},
}


def settings_of(*changes):
    return recipe.settings_of("tabular", VALUES, changes)


def test_all_values_become_exact(distances_2x3) -> None:
    """With all games on one table of 360 states, the value of the best move is minus the distance."""
    task = TabularLearning.of(settings_of("parallel_games=500", "exploration.initial_epsilon=1"))
    for _ in range(400):
        task.step()
    assert task.optimal_share() == 1.0
    states = np.array([np.frombuffer(board, np.uint8) for board in distances_2x3])
    found = task.play.learner.model.cost_to_go(states)
    assert found.tolist() == list(distances_2x3.values())


def test_moves_by_softmax_follow_the_table() -> None:
    """All values are 0 at first, so that all legal moves are as likely; near 0 the greatest value decides."""
    task = TabularLearning.of(settings_of("exploration.initial_epsilon=1", "exploration.temperature=1e-9"))
    table = task.table.values
    table += torch.randn(table.shape, generator=torch.Generator().manual_seed(0))
    task.step()
    assert task.play.games.random_moves.sum() + task.play.games.tally[3] == 0
    even = TabularLearning.of(settings_of("exploration.initial_epsilon=1", "exploration.temperature=1"))
    even.step()
    assert 10 <= even.play.games.random_moves.sum() + even.play.games.tally[3] <= 40  # of 50


def test_one_step_is_the_bellman_update() -> None:
    task = TabularLearning.of(settings_of("blend=0.25", "discount=0.5", "reward=goal", "exploration.initial_epsilon=0"))
    with torch.no_grad():
        task.table.values[task.table.values == 0] = -4.0
    before, games = task.table.values.clone().numpy(), task.play.games
    states, canonical = games.states.copy(), games.canonical_moves.copy()
    task.step()
    best = np.where(canonical >= 0, 0, -1).argmax(axis=1)  # all values are equal: the first legal move
    rows = table_rows(task.table, states)
    after = task.table.values.numpy()
    changed = {(int(row), int(column)) for row, column in zip(*np.nonzero(after != before), strict=True)}
    assert changed == set(zip(rows.tolist(), best.tolist(), strict=True))
    values = set(np.round(after[rows, best], 6).tolist())
    assert values <= {-4 + 0.25 * (-1 - 0.5 * 4 + 4), -4 + 0.25 * (10 + 4)}


def test_a_table_is_a_network_for_solvers(tmp_path, train) -> None:
    run = train(tmp_path / "run", settings_of("learning.steps=300", "parallel_games=300"))
    puzzle, name = registry.load("tiles-2x3"), f"net:{run.folder}"
    instance = puzzle.read("5 4 3 2 1 0")
    length = solve(registry.make_solver("bfs", {}), instance, Limit()).length
    for solver in ({"prior": name}, {"estimate": name}):
        assert solve(registry.make_solver("greedy", solver), instance, Limit()).length == length
    assert networks.find(puzzle, name).heads == ("q", "cost_to_go")


def test_a_run_that_is_ended_goes_on_as_if_it_had_not_been(tmp_path, train, same_runs, stop_at) -> None:
    settings = settings_of("learning.steps=60", "evaluation.every=20")
    whole = train(tmp_path / "whole", settings)
    for step in (15, 20):
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "parts", settings, stop_at(step))
    same_runs(train(tmp_path / "parts", settings), whole)
    assert [line["step"] for line in untimed(whole.metrics)] == [20, 40, 60]
    assert all(0 <= line["optimal"] <= 1 and line["shown"] == 50 * line["step"] for line in untimed(whole.metrics))


def test_dust_has_a_table_of_what_its_boards_lead_to() -> None:
    task = TabularLearning.of(settings_of("puzzle=dust-3x2x2", "parallel_games=600", "exploration.initial_epsilon=1"))
    puzzle = task.play.learner.puzzle
    states = task.table.states.numpy().astype(np.uint8)
    assert len(states) > 64  # all full boards, and what is left of them
    learned = (canonical_moves(puzzle, states) == np.arange(6)) & (states > 0).any(axis=1, keepdims=True)
    assert (np.isfinite(task.table.values.numpy()) == learned).all()
    for _ in range(300):
        task.step()
    assert task.optimal_share() == 1.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["puzzle=tiles-4x4"], "tiles-4x4 has too many states to take all of them"),
        (["reward=golds"], "reward for tiles-2x3 'golds'"),
        (["network.heads=policy"], "heads"),
        (["blend=0"], "'blend' cannot be '0'"),
    ],
)
def test_settings_that_cannot_be_trained_with_get_a_sentence(changes, words, monkeypatch) -> None:
    monkeypatch.setattr("puzzlelab.experience.state_space.MAX_STATES", 10_000)
    with pytest.raises(BadInput, match=words):
        recipe.find("tabular").check(settings_of(*changes))


def test_dust_with_too_many_states_is_refused(monkeypatch) -> None:
    monkeypatch.setattr("puzzlelab.experience.state_space.MAX_REACHABLE", 10_000)
    with pytest.raises(BadInput, match="dust-6x5x4 has too many states"):
        recipe.find("tabular").check(settings_of("puzzle=dust-6x5x4", "start_boards=50"))


def test_states_that_are_not_in_the_table_have_the_value_0() -> None:
    puzzle = load("tiles-2x3")
    table = Table(kind="table", states=2, length=6).build(puzzle)
    states = np.array([[1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 0, 5]], np.uint8)
    table.fill(states, canonical_moves(puzzle, states) >= 0)
    table.values += 7
    other = np.array([[0, 1, 2, 3, 4, 5]], np.uint8)
    rows = table.rows(torch.from_numpy(np.concatenate([states, other]).astype(np.int16)))
    assert sorted(rows[:2].tolist()) == [0, 1]
    assert rows[2] == -1
    outputs = table(torch.from_numpy(other.astype(np.int16)))
    assert (outputs["q"].tolist(), outputs["cost_to_go"].tolist()) == ([[0, 0, 0, 0]], [0])


@pytest.mark.parametrize("name", ["tiles-2x2", "tiles-2x3"])
def test_states_that_moves_reach_are_labelled_as_those_from_the_goals(name) -> None:
    puzzle = load(name)
    states, distances, masks = label_states(puzzle)
    known = {
        state.tobytes(): (distance, mask.tolist())
        for state, distance, mask in zip(states, distances, masks, strict=True)
    }
    reached = label_reachable(puzzle, puzzle.goals())
    found = {state.tobytes(): (distance, mask.tolist()) for state, distance, mask in zip(*reached, strict=True)}
    goal = puzzle.goals()[0].tobytes()
    assert found.keys() == known.keys()
    assert all(found[state] == known[state] for state in found if state != goal)


def test_distances_of_dust_are_those_of_a_search() -> None:
    puzzle = load("dust-3x2x2")
    board = puzzle.read("1 2 1 / 2 1 2").state
    states, distances, masks = label_reachable(puzzle, board[None])
    (row,) = np.flatnonzero((states == board).all(axis=1))
    assert distances[row] == solve(registry.make_solver("bfs", {}), Instance(puzzle, board), Limit()).length
    assert masks[row].any()
    assert not masks[distances == 0].any()
