"""What a network tells searches: remaining moves, and probabilities of the legal moves."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from tests.objectives import Runs
from torch import nn

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput, Unsupported
from puzzlelab.core.views import Estimates, Planes
from puzzlelab.engine.batch_rules import canonical_moves, estimated, legal_moves
from puzzlelab.engine.network_io import log_probabilities
from puzzlelab.nets.model import Model
from puzzlelab.nets.network import read_network
from puzzlelab.nets.torch_model import TorchModel


class Says(nn.Module):
    """Answers the same to every state."""

    def __init__(self, **answers: list[float] | float) -> None:
        super().__init__()
        self.answers = answers

    def forward(self, planes: torch.Tensor) -> dict[str, torch.Tensor]:
        return {
            name: torch.tensor(answer).expand(len(planes), *np.shape(answer)) for name, answer in self.answers.items()
        }


def saying(puzzle, choice="softmax", **answers):
    network = read_network({"kind": "dense", "heads": list(answers), "policy": choice})
    return TorchModel(puzzle, network, Says(**answers))


@pytest.mark.parametrize("name", ["dust-4x3x3", "tiles-3x3", "sudoku-4x4"])
@pytest.mark.parametrize("policy", ["softmax", "binary"])
@pytest.mark.parametrize("averaged", [False, True])
def test_probabilities_of_legal_moves_add_up_to_one(name, policy, averaged, model_of, states_of) -> None:
    puzzle = registry.load(name)
    model, states = model_of(puzzle, "dense", policy=policy), states_of(puzzle)
    likely = np.exp(model.prior(averaged).scores(states))
    assert np.allclose(np.where(legal_moves(puzzle, states), likely, 0.0).sum(axis=1), 1.0, atol=1e-6)


def test_cells_of_one_cluster_are_one_move_whose_chances_add_up() -> None:
    puzzle = registry.load("dust-2x2x2")
    state = puzzle.read("1112").state
    model = saying(puzzle, policy=[0.0, 0.0, 0.0, 0.0])
    assert np.exp(model.log_policy(state[None]))[0] == pytest.approx([0.75, 0, 0, 0.25])


def test_of_binary_answers_the_surest_cell_speaks_for_its_cluster() -> None:
    puzzle = registry.load("dust-2x2x2")
    state = puzzle.read("1112").state
    model = saying(puzzle, choice="binary", policy=[-9.0, 0.0, -9.0, 0.0])
    assert np.exp(model.log_policy(state[None]))[0] == pytest.approx([0.5, 0, 0, 0.5])


def test_the_cost_to_go_is_never_negative(states_of) -> None:
    puzzle = registry.load("tiles-3x3")
    assert saying(puzzle, cost_to_go=-3.0).estimate().scores(states_of(puzzle)).tolist() == [0.0] * 5


@pytest.mark.parametrize("name", ["dust-4x3x3", "tiles-3x3"])
def test_averaged_answers_are_the_same_for_every_image_of_a_board(name, model_of, states_of) -> None:
    puzzle = registry.load(name)
    model, states = model_of(puzzle, "dense"), states_of(puzzle)
    images = puzzle.view(Planes).symmetries(states)
    assert len(images) > 1
    plain, averaged = model.estimate().scores, model.estimate(averaged=True).scores
    answers = np.array([averaged(image) for image, _ in images])
    assert np.allclose(answers, answers[0], atol=1e-6)
    assert not np.allclose(plain(images[0][0]), plain(images[1][0]), atol=1e-3)


def test_an_averaged_prior_calls_moves_by_the_names_that_they_have_here(model_of, states_of) -> None:
    puzzle = registry.load("dust-4x3x3")
    model, states = model_of(puzzle, "dense"), states_of(puzzle)
    mirrored, move_permutation = puzzle.view(Planes).symmetries(states)[1]
    legal = legal_moves(puzzle, states)
    here, there = model.prior(True).scores(states), model.prior(True).scores(mirrored)

    names = np.maximum(canonical_moves(puzzle, mirrored)[:, move_permutation], 0)
    assert np.allclose(here[legal], np.take_along_axis(there, names, axis=1)[legal], atol=1e-6)


def test_a_head_that_a_network_has_not_is_named() -> None:
    puzzle = registry.load("tiles-3x3")
    with pytest.raises(Unsupported, match="is no estimate: its heads are policy, not cost_to_go or q"):
        saying(puzzle, policy=[0.0] * 4).estimate()
    with pytest.raises(Unsupported, match="is no prior: its heads are cost_to_go, not policy or q"):
        saying(puzzle, cost_to_go=1.0).prior()


def test_many_states_are_asked_in_parts_and_keep_their_order(model_of, states_of) -> None:
    puzzle = registry.load("tiles-3x3")
    model = model_of(puzzle, "dense")
    states = np.concatenate([states_of(puzzle, 3)] * 3000)
    found = model.cost_to_go(states)
    assert np.allclose(found.reshape(3000, 3), model.cost_to_go(states[:3]), atol=1e-2)
    assert model.cost_to_go(states[:0]).shape == (0,)


def manhattan(state):
    """The distance of a board of the 8-puzzle, by hand."""
    places = [(divmod(place, 3), divmod(tile - 1, 3)) for place, tile in enumerate(state.tolist()) if tile]
    return sum(abs(row - goal_row) + abs(column - goal_column) for (row, column), (goal_row, goal_column) in places)


@pytest.mark.parametrize("canonical", [False, True])
def test_a_network_learns_the_residual_over_an_estimate(canonical, model_of, states_of) -> None:
    puzzle = registry.load("tiles-3x3")
    own, states = model_of(puzzle, "dense", canonical=canonical), states_of(puzzle, 50)
    network = read_network({**own.settings.model_dump(), "residual_over": "manhattan"})
    corrected = TorchModel(puzzle, network, own.module)
    residual, plain = (model.forward(model.columns(states)) for model in (corrected, own))
    here = torch.tensor([float(manhattan(state)) for state in states])
    assert torch.allclose(residual["cost_to_go"], plain["cost_to_go"] + here)
    assert torch.equal(residual["policy"], plain["policy"])
    for row, state in enumerate(states):
        for move, legal in enumerate(puzzle.legal(state)):
            later = manhattan(puzzle.apply(state, move) if legal else state)
            assert residual["q"][row, move].item() == pytest.approx(plain["q"][row, move].item() - 1 - later, abs=1e-4)


def test_moves_that_come_to_the_same_begin_at_the_same_value(model_of, states_of) -> None:
    puzzle = registry.load("dust-4x3x3")
    own, states = model_of(puzzle, "dense"), states_of(puzzle, 20)
    network = read_network({**own.settings.model_dump(), "residual_over": "colours"})
    begins = own.outputs(states)["q"] - TorchModel(puzzle, network, own.module).outputs(states)["q"]
    named = canonical_moves(puzzle, states)
    assert np.allclose(
        begins[named >= 0], np.take_along_axis(begins, np.maximum(named, 0), axis=1)[named >= 0], atol=1e-5
    )
    colours = puzzle.view(Estimates).estimate("colours")
    for row, move in np.argwhere(named >= 0)[::7]:
        after = puzzle.apply(states[row], int(move))
        assert begins[row, move] == pytest.approx(1 + estimated(puzzle, colours, after[None])[0], abs=1e-5)


@pytest.mark.parametrize(
    ("name", "words"),
    [("tiles-3x3", "there is no estimate of tiles-3x3 'nearly'"), ("sudoku-4x4", "sudoku-4x4 has no estimates")],
)
def test_an_estimate_that_is_not_there_cannot_be_corrected(name, words, states_of) -> None:
    puzzle = registry.load(name)
    network = read_network({"kind": "dense", "heads": ["cost_to_go"], "residual_over": "nearly"})
    with pytest.raises(BadInput, match=words):
        TorchModel(puzzle, network, Says(cost_to_go=1.0)).cost_to_go(states_of(puzzle, 1))


def test_the_prior_and_the_estimate_of_states_cost_one_evaluation(model_of, states_of, monkeypatch) -> None:
    model, states = model_of(registry.load("tiles-3x3"), "dense"), states_of(registry.load("tiles-3x3"))
    guides, expected = model.both(), (model.log_policy(states), model.cost_to_go(states))
    evaluated, outputs = [], Model.outputs
    monkeypatch.setattr(Model, "outputs", lambda model, states: evaluated.append(len(states)) or outputs(model, states))
    logits, remaining = guides.both(states)
    assert evaluated == [5]
    assert log_probabilities(model.puzzle, states, logits, sums=True) == pytest.approx(expected[0])
    assert np.array_equal(remaining, expected[1])
    assert np.array_equal(guides.prior.scores(states), expected[0])
    assert np.array_equal(guides.estimate.scores(states), expected[1])
    averaged = model.both(averaged=True)
    assert averaged.both is None
    assert np.array_equal(averaged.prior.scores(states), model.prior(averaged=True).scores(states))
    assert np.array_equal(averaged.estimate.scores(states), model.estimate(averaged=True).scores(states))


class Seen(Runs):
    """`Runs` with planes, so that a network can read its boards."""

    input_size = 12
    grid = symbols = isomorphism = None

    def planes(self, states: np.ndarray) -> np.ndarray:
        return states.astype(np.float32)

    def view(self, kind: type) -> Any:
        return self if kind is Planes else super().view(kind)


def test_points_to_be_made_may_be_below_0() -> None:
    puzzle = Seen()
    assert saying(puzzle, cost_to_go=-4.0).cost_to_go(puzzle.read("abcdd").state[None]).tolist() == [-4.0]
    assert saying(registry.load("dust-2x2x2"), cost_to_go=-4.0).cost_to_go(np.ones((1, 4), np.uint8)).tolist() == [0.0]


def test_the_value_of_a_move_starts_at_its_points_and_the_estimate_of_those_to_be_made() -> None:
    puzzle = Seen()
    network = read_network({"kind": "dense", "heads": ["q"], "residual_over": "letters"})
    model = TorchModel(puzzle, network, Says(q=[0.0] * 12))
    values = model.outputs(puzzle.read("aabbbc").state[None])["q"][0]
    assert values[[0, 2]].tolist() == [4 + 9, 9 + 4]
