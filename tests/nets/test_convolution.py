"""Convolutions: layers of their own sizes, batch normalisation, and one scaled plane."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.nets import checkpoint
from puzzlelab.nets.form import input_arrays
from puzzlelab.nets.network import read_network
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training.learner import new_learner
from puzzlelab.training.settings import LearnerSettings

NORMALISED = {"norm": "batch", "filters": [4, 6, 8], "kernels": [5, 3, 1], "width": 0}


def network_of(**settings):
    return read_network({"kind": "convolution", "heads": ["policy"], **settings})


def normalised_model(puzzle):
    """A network whose running statistics are those of some batches."""
    torch.manual_seed(0)
    network = network_of(**NORMALISED)
    model = TorchModel(puzzle, network, network.build(puzzle))
    random = np.random.default_rng(0)
    for _ in range(3):
        model.forward(model.columns(np.stack([random.permutation(puzzle.cells) for _ in range(20)]).astype(np.uint8)))
    model.module.eval()
    return model


def statistics_of(model):
    return {name: buffer.clone() for name, buffer in model.module.named_buffers() if "running" in name}


def test_each_convolution_has_its_own_filters_and_kernel(states_of) -> None:
    puzzle = registry.load("tiles-3x4")
    network = network_of(filters=[4, 6, 8], kernels=[5, 3, 1], norm="batch")
    layers = network.build(puzzle).convolutions
    shapes = [tuple(layer.weight.shape) for layer in layers if isinstance(layer, torch.nn.Conv2d)]
    assert shapes == [(4, 11, 5, 5), (6, 4, 3, 3), (8, 6, 1, 1)]
    assert [type(layer).__name__ for layer in layers] == [
        *("Conv2d", "ReLU", "BatchNorm2d", "Conv2d", "ReLU", "BatchNorm2d", "Conv2d", "ReLU"),
    ]
    states = states_of(puzzle)
    assert TorchModel(puzzle, network, network.build(puzzle)).outputs(states)["policy"].shape == (5, 4)


def test_a_scaled_plane_is_the_number_of_the_digit() -> None:
    puzzle = registry.load("sudoku-9x9")
    states = puzzle.read("inkala").state[None]
    (plane,) = input_arrays(puzzle, network_of(planes="scaled").input_names, states)
    assert plane.dtype == np.float32
    assert np.allclose(plane, states / 9 - 0.5, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"filters": [2, 2, 2], "kernels": [3, 3]}, "give one kernel, or one for each of the 3 convolutions"),
        ({"filters": []}, "the option 'filters' cannot be"),
        ({"filters": [0]}, "the option 'filters' cannot be '0'"),
        ({"depth": 3}, "convolution has no option 'depth'"),
        ({"norm": "layer"}, "the option 'norm' cannot be 'layer'"),
        ({"planes": "two"}, "the option 'planes' cannot be 'two'"),
    ],
)
def test_wrong_settings_get_a_sentence(settings, words) -> None:
    with pytest.raises(BadOption, match=words):
        network_of(**settings)


def test_a_network_in_training_is_evaluated_by_its_running_statistics(states_of) -> None:
    puzzle = registry.load("tiles-3x3")
    learner = new_learner(puzzle, {"kind": "convolution", "heads": ["policy"], **NORMALISED}, LearnerSettings(), 0)
    model, states = learner.model, states_of(puzzle)

    def losses_of(model, settings, columns):
        scores = model.forward(columns)["policy"]
        return {"policy": scores.square().mean()}, scores

    for _ in range(2):  # before the first step and after it
        before = statistics_of(model)
        assert len(before) == 4
        together = model.outputs(states)["policy"]
        alone = np.concatenate([model.outputs(state[None])["policy"] for state in states])
        assert np.allclose(together, alone, atol=1e-2)
        assert all(torch.equal(before[name], now) for name, now in statistics_of(model).items())
        learner.update(losses_of, None, model.columns(states))
        assert not all(torch.equal(before[name], now) for name, now in statistics_of(model).items())


def test_a_weights_file_has_the_running_statistics(tmp_path, states_of) -> None:
    puzzle = registry.load("tiles-3x3")
    model, states = normalised_model(puzzle), states_of(puzzle)
    card = checkpoint.save(tmp_path, model, stem="normalised")
    loaded, _ = checkpoint.load(tmp_path / "normalised")
    assert card.parameters == sum(parameter.numel() for parameter in model.module.parameters())
    assert np.array_equal(loaded.outputs(states)["policy"], model.outputs(states)["policy"])
    with torch.no_grad():
        loaded.module.convolutions[2].running_mean += 1.0
    assert not np.allclose(loaded.outputs(states)["policy"], model.outputs(states)["policy"], atol=1e-3)
