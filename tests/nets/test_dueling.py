"""Values of moves that are made of one for the state and one for how much better each move is."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.core.views import Planes
from puzzlelab.engine.batch_rules import canonical_moves
from puzzlelab.nets.layers import Heads, dueling_q

KINDS = [
    ("dense", "tiles-3x3"),
    ("residual", "tiles-3x3"),
    ("convolution", "tiles-3x3"),
    ("exchangeable", "dust-4x3x3"),
]
EVERY = pytest.mark.parametrize(("kind", "name"), KINDS)


def test_a_duel_by_hand() -> None:
    found = dueling_q(torch.tensor([10.0, -2.0]), torch.tensor([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]]))
    assert found.tolist() == [[8.0, 9.0, 13.0], [-2.0, -2.0, -2.0]]


def heads(*wanted, dueling=True):
    torch.manual_seed(0)
    found = Heads(6, 4, wanted, dueling)
    for parameter in found.parameters():
        torch.nn.init.normal_(parameter)
    return found


def test_the_mean_of_all_moves_is_the_value_of_the_state() -> None:
    found, features = heads("q"), torch.randn(3, 6)
    assert torch.allclose(found(features)["q"].mean(1), found.value(features)[:, 0], atol=1e-5)
    assert found(features)["q"].std(1).min() > 0.1


def test_only_values_of_moves_duel() -> None:
    assert heads("policy", "cost_to_go").value is None
    assert heads("q", dueling=False).value is None
    features = torch.randn(3, 6)
    plain = heads("q", dueling=False)
    assert torch.equal(plain(features)["q"], plain.each["q"](features))


# --- networks --------------------------------------------------------------------------------------------------------


def value_of(module):
    """The layer that says what a state is worth."""
    return module.value if hasattr(module, "value") else module.heads.value


@EVERY
def test_a_state_that_is_worth_more_raises_all_moves_alike(model_of, states_of, kind, name) -> None:
    puzzle = registry.load(name)
    model, states = model_of(puzzle, kind, dueling=True), states_of(puzzle)
    before = model.outputs(states)
    value_of(model.module).linear.bias.data += 2.0
    after = model.outputs(states)
    assert np.allclose(after["q"], before["q"] + 2.0, atol=1e-4)
    assert np.array_equal(after["policy"], before["policy"])
    assert np.array_equal(after["cost_to_go"], before["cost_to_go"])


def test_exchanging_colours_exchanges_the_values_of_moves(model_of, states_of) -> None:
    """On boards with empty cells too, for which any colour may answer."""
    puzzle = registry.load("dust-4x3x3")
    model, states = model_of(puzzle, "exchangeable", dueling=True), states_of(puzzle)
    for row in range(3):
        for _ in range(row + 1):
            states[row] = puzzle.apply(states[row], np.flatnonzero(puzzle.legal(states[row]))[0])
    other, move_permutation = puzzle.view(Planes).symbols.permuted(states, np.array([2, 0, 1]))
    possible = canonical_moves(puzzle, states) >= 0
    assert not possible[:3].all(axis=1).any()
    before, after = model.outputs(states)["q"], model.outputs(other)["q"][:, move_permutation]
    assert np.allclose(before[possible], after[possible], atol=1e-3)
