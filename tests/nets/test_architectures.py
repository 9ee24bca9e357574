"""Every architecture answers for every head, and treats alike what it promises to treat alike."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption, UnknownName, Unsupported
from puzzlelab.core.views import Candidates, Planes
from puzzlelab.nets.form import all_candidates
from puzzlelab.nets.layers import Heads, ResidualBlock, dueling_q
from puzzlelab.nets.network import ARCHITECTURES, read_network

KINDS = ["attention", "convolution", "dense", "exchangeable", "lattice", "residual", "table"]
OF_CELLS = ["attention", "lattice"]
"""Kinds for puzzles whose cells get a digit each."""


@pytest.mark.parametrize("name", ["dust-4x3x3", "tiles-3x3"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in [*OF_CELLS, "table"]])
def test_every_head_answers_for_every_state(model_of, states_of, kind, name) -> None:
    puzzle = registry.load(name)
    if kind == "exchangeable" and name == "tiles-3x3":
        with pytest.raises(Unsupported, match="no symbols that may be exchanged"):
            model_of(puzzle, kind)
        return
    found = model_of(puzzle, kind).outputs(states_of(puzzle))
    assert {head: answer.shape for head, answer in found.items()} == {
        "policy": (5, puzzle.move_count),
        "cost_to_go": (5,),
        "q": (5, puzzle.move_count),
    }
    assert all(len(np.unique(answer)) > 1 for answer in found.values())


def test_the_kinds_that_are_tested_are_all_that_there_are() -> None:
    assert ARCHITECTURES.names() == KINDS


def test_exchanging_colours_exchanges_nothing_in_the_answers(model_of, states_of) -> None:
    puzzle = registry.load("dust-4x3x3")
    model, states = model_of(puzzle, "exchangeable"), states_of(puzzle)
    other, move_permutation = puzzle.view(Planes).symbols.permuted(states, np.array([2, 0, 1]))
    assert (other != states).any()
    before, after = model.outputs(states), model.outputs(other)
    assert np.allclose(before["cost_to_go"], after["cost_to_go"], atol=1e-2)
    assert np.allclose(before["policy"], after["policy"][:, move_permutation], atol=1e-2)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "a network needs a kind: one of attention, convolution, dense"),
        ({"kind": 3}, "a network needs a kind"),
        ({"kind": "dens"}, "there is no kind of network 'dens'; did you mean 'dense'"),
        *(({"kind": kind, "widht": 3}, f"^{kind} has no option 'widht'") for kind in KINDS),
        ({"kind": "dense", "widht": 3}, "dense has no option 'widht'; did you mean 'width'"),
        ({"kind": "dense", "width": 0}, "dense: the option 'width' cannot be '0'"),
        ({"kind": "dense", "activation": "tahn"}, "dense: the option 'activation' cannot be 'tahn'"),
        ({"kind": "residual", "stem": [0]}, "residual: the option 'stem' cannot be '0'"),
        ({"kind": "dense", "heads": []}, "name one or more of policy, cost_to_go, q"),
        ({"kind": "dense", "heads": ["policy", "policy"]}, "each once"),
    ],
)
def test_bad_settings_get_a_sentence(values, words) -> None:
    with pytest.raises((BadOption, UnknownName), match=words):
        read_network(values)


def test_the_topology_of_deepcubea_has_the_weights_of_its_layers() -> None:
    """Agostinelli et al. (2019): layers of 5,000 and 1,000, then four blocks of two layers of 1,000."""
    network = read_network(
        {"kind": "residual", "stem": [5000], "width": 1000, "blocks": 4, "norm": "batch", "heads": ["cost_to_go"]}
    )
    module = network.build(registry.load("tiles-4x4"))
    dense = 240 * 5000 + 5000 + 5000 * 1000 + 1000 + 8 * (1000 * 1000 + 1000) + 1000 + 1
    normalised = 2 * (5000 + 1000 + 8 * 1000)
    assert sum(parameter.numel() for parameter in module.parameters()) == dense + normalised == 14_243_001


def test_a_block_with_batch_normalisation_is_added_to_its_input(model_of, states_of) -> None:
    puzzle = registry.load("tiles-3x3")
    module = model_of(puzzle, "residual", norm="batch", stem=[8], activation="tanh", inner=4).module
    first, last = (number for number, layer in enumerate(module.layers) if isinstance(layer, ResidualBlock))
    features = torch.randn(3, 16)
    block = module.layers[first].layer
    assert [type(layer).__name__ for layer in block] == ["Linear", "BatchNorm", "Tanh", "Linear", "BatchNorm"]
    assert torch.allclose(module.layers[first : first + 2](features), torch.tanh(features + block(features)))
    assert (first, last, len(module.layers)) == (6, 8, 10)


def test_a_minibatch_of_one_state_is_normalised_by_the_running_statistics(model_of) -> None:
    module = model_of(registry.load("tiles-3x3"), "residual", norm="batch").module
    planes = torch.randn(20, 72)
    module.train()(planes)
    one = module(planes[:1])
    assert torch.equal(one["policy"], module.eval()(planes[:1])["policy"])
    before = module.layers[1].running_mean.clone()
    module.train()(planes)
    assert not torch.equal(module.layers[1].running_mean, before)


def test_the_settings_before_there_was_a_stem_give_the_same_layers(model_of) -> None:
    names = list(model_of(registry.load("tiles-3x3"), "residual", heads=["q"]).module.state_dict())
    inside = [f"layers.{block}.layer.{layer}" for block in (2, 3) for layer in (0, 1, 3)]
    wanted = [f"{layer}.{part}" for layer in ["layers.0", *inside] for part in ("weight", "bias")]
    assert [name for name in names if name.startswith("layers")] == wanted


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("relu", [0, 0, 2]),
        ("gelu", [-0.1587, 0, 1.9545]),
        ("tanh", [-0.7616, 0, 0.9640]),
        ("sigmoid", [0.2689, 0.5, 0.8808]),
        ("softplus", [0.3133, 0.6931, 2.1269]),
        ("none", [-1, 0, 2]),
    ],
)
def test_an_activation_is_the_function_of_its_name(name, values) -> None:
    for kind in ("dense", "residual"):
        network = read_network({"kind": kind, "width": 3, "activation": name})
        layers = network.build(registry.load("tiles-2x2")).layers
        assert torch.allclose(layers[1](torch.tensor([-1.0, 0.0, 2.0])), torch.tensor(values).float(), atol=1e-4)


# --- networks over candidates ---


@pytest.mark.parametrize("kind", OF_CELLS)
@pytest.mark.parametrize("name", ["sudoku-4x4", "sudoku-6x6", "sudoku-6x6:boxes=3x2", "sudoku-9x9"])
def test_networks_over_candidates_are_for_boxes_of_every_shape(model_of, states_of, kind, name) -> None:
    puzzle = registry.load(name)
    model, states = model_of(puzzle, kind, heads=["policy"]), states_of(puzzle)
    found = model.outputs(states)["policy"]
    assert found.shape == (5, puzzle.move_count)
    assert len(np.unique(found)) > puzzle.size
    left = all_candidates(puzzle, states)
    marks = model.candidate_logits(left.reshape(5, puzzle.cells, puzzle.size))
    assert np.allclose(marks.reshape(5, -1), found, atol=1e-3)


@pytest.mark.parametrize("kind", OF_CELLS)
def test_networks_over_candidates_are_for_nothing_else(model_of, kind) -> None:
    with pytest.raises(Unsupported, match=f"the kind {kind} is for puzzles whose boxes hold each digit once"):
        model_of(registry.load("tiles-3x3"), kind, heads=["policy"])
    with pytest.raises(Unsupported, match="has one head: heads"):
        model_of(registry.load("sudoku-4x4"), kind)


@pytest.mark.parametrize("name", ["sudoku-9x9", "sudoku-6x6"])
def test_the_weights_of_a_lattice_are_the_same_for_every_image_of_a_board(model_of, states_of, name) -> None:
    puzzle = registry.load(name)
    model, random = model_of(puzzle, "lattice", heads=["policy"]), np.random.default_rng(0)
    left = all_candidates(puzzle, states_of(puzzle)).reshape(5, puzzle.cells, puzzle.size)
    left &= (random.random(left.shape) < 0.8) | (left.sum(axis=2, keepdims=True) == 1)
    before = model.candidate_logits(left)
    assert before.std() > 0.05
    for _ in range(4):
        cells, digits = puzzle.view(Candidates).random_symmetry(random)
        image = np.empty_like(left)
        image[:, :, digits] = left[:, cells]
        assert (image != left).any()
        after = model.candidate_logits(image)
        assert np.allclose(after[:, :, digits], before[:, cells], atol=0.05)


def test_a_transformer_has_to_learn_the_symmetries(model_of, states_of) -> None:
    puzzle = registry.load("sudoku-4x4")
    model = model_of(puzzle, "attention", heads=["policy"])
    left = all_candidates(puzzle, states_of(puzzle)).reshape(5, puzzle.cells, puzzle.size)
    cells, digits = puzzle.view(Candidates).random_symmetry(np.random.default_rng(0))
    image = np.empty_like(left)
    image[:, :, digits] = left[:, cells]
    assert not np.allclose(
        model.candidate_logits(image)[:, :, digits], model.candidate_logits(left)[:, cells], atol=0.05
    )
    with pytest.raises(BadOption, match="attention of width 16 cannot be split into 5 equal parts"):
        model_of(puzzle, "attention", heads=["policy"], parts=5)


def test_a_lattice_that_reads_digits_is_not_told_what_was_taken_away(model_of, states_of) -> None:
    puzzle = registry.load("sudoku-4x4")
    states = states_of(puzzle)
    left = all_candidates(puzzle, states).reshape(5, puzzle.cells, puzzle.size)
    fewer = left & (np.random.default_rng(0).random(left.shape) < 0.8)
    fewer = np.where(fewer.sum(axis=2, keepdims=True) <= 1, left, fewer)
    assert (fewer != left).any()
    reader = model_of(puzzle, "lattice", heads=["policy"])
    blind = model_of(puzzle, "lattice", heads=["policy"], reads="digits")
    assert (reader.prior().reads_candidates, blind.prior().reads_candidates) == (True, False)
    assert not np.allclose(reader.candidate_logits(fewer), reader.candidate_logits(left), atol=1e-3)
    assert np.allclose(blind.candidate_logits(fewer), blind.candidate_logits(left), atol=1e-6)


@pytest.mark.parametrize("kind", ["lattice", "convolution"])
def test_choices_in_cells_are_probabilities_of_what_each_cell_may_hold(model_of, states_of, kind) -> None:
    puzzle = registry.load("sudoku-4x4")
    model, states = model_of(puzzle, kind, heads=["policy"], policy="cells"), states_of(puzzle)
    likely = np.exp(model.log_policy(states)).reshape(5, puzzle.cells, puzzle.size)
    legal = np.stack([puzzle.legal(state) for state in states]).reshape(likely.shape)
    assert (likely[~legal] == 0).all()
    raw = np.where(legal, np.exp(model.outputs(states)["policy"].reshape(likely.shape).astype(float)), 0.0)
    inside = raw / raw.sum(axis=2, keepdims=True).clip(1e-30)
    assert np.allclose(likely, inside / inside.sum(axis=(1, 2), keepdims=True), atol=1e-6)


@pytest.mark.parametrize(("initial", "std"), [("he", 2 / 500), ("glorot", 2 / (500 + 4)), ("uniform", 1 / 1500)])
@pytest.mark.parametrize("head", ["q", "policy"])
def test_output_layers_begin_as_the_settings_say(initial, std, head) -> None:
    from puzzlelab.training.learner import new_learner
    from puzzlelab.training.settings import LearnerSettings

    puzzle = registry.load("tiles-3x3")
    network = {"kind": "dense", "width": 500, "depth": 1, "heads": [head]}
    learner = new_learner(puzzle, {**network, "output_initial": initial}, LearnerSettings(), seed=0)
    (layer,) = learner.model.module.heads.each.values()
    weight = (layer.linear if head == "q" else layer).weight
    assert float(weight.detach().square().mean()) == pytest.approx(std, rel=0.15)
    usual = new_learner(puzzle, network, LearnerSettings(), seed=0)
    hidden = [each.model.module.layers[0].weight for each in (learner, usual)]
    assert hidden[0].equal(hidden[1])


def test_a_network_without_such_a_layer_is_refused() -> None:
    from puzzlelab.nets.torch_model import untrained

    network = {"kind": "lattice", "heads": ["policy"], "output_initial": "he"}
    with pytest.raises(BadOption, match="'lattice' has no output layer for 'output_initial'"):
        untrained(registry.load("sudoku-9x9"), network)


def test_a_table_gets_its_size_from_its_recipe() -> None:
    puzzle = registry.load("tiles-2x3")
    with pytest.raises(Unsupported, match="a table gets its number of states when the recipe 'tabular' begins"):
        read_network({"kind": "table"}).build(puzzle)
    outputs = read_network({"kind": "table", "states": 3, "length": 6}).build(puzzle).values
    assert outputs.shape == (3, 4)


# --- values of moves as one for the state and one for each move ---


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


def parts_of(module):
    """The layers that say what a state is worth, and how much better each move is."""
    if hasattr(module, "value"):
        return module.value, module.heads["q"]
    return module.heads.value, module.heads.each["q"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("dense", "tiles-3x3"),
        ("residual", "tiles-3x3"),
        ("convolution", "tiles-3x3"),
        ("exchangeable", "dust-4x3x3"),
    ],
)
def test_a_state_that_is_worth_more_raises_all_moves_alike(model_of, states_of, kind, name) -> None:
    puzzle = registry.load(name)
    model, states = model_of(puzzle, kind, dueling=True), states_of(puzzle)
    before = model.outputs(states)
    value, advantages = parts_of(model.module)
    value.linear.bias.data += 2.0
    advantages.linear.bias.data += 5.0  # what is common to all moves is no advantage
    after = model.outputs(states)
    assert np.allclose(after["q"], before["q"] + 2.0, atol=1e-4)
    assert np.array_equal(after["policy"], before["policy"])
    assert np.array_equal(after["cost_to_go"], before["cost_to_go"])
