"""Networks in the ONNX format: every architecture gives the outputs of PyTorch, and a damaged file is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

import torch

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile
from puzzlelab.nets import exporting, onnx_model
from puzzlelab.nets.architectures.table import ValueTable
from puzzlelab.nets.card import Card
from puzzlelab.nets.network import ARCHITECTURES, read_network
from puzzlelab.nets.onnx_model import OnnxModel
from puzzlelab.nets.torch_model import TorchModel

ABSOLUTE, RELATIVE = 2e-4, 1e-4
"""How far an output may lie from that of PyTorch."""
FILE = Path("exported.onnx")
POLICY = {"heads": ["policy"]}
NETWORKS = {
    "dense": ("dense", "tiles-3x3", {}),
    "dense-sudoku": ("dense", "sudoku-4x4", {"policy": "cells"}),
    "residual": ("residual", "tiles-3x3", {"canonical": True, "dueling": True, "residual_over": "manhattan"}),
    "residual-batch": ("residual", "tiles-3x3", {"stem": [24], "norm": "batch", "activation": "sigmoid"}),
    "dense-tanh": ("dense", "tiles-3x3", {"activation": "tanh"}),
    "dense-softplus": ("dense", "tiles-3x3", {"activation": "softplus"}),
    "convolution": ("convolution", "tiles-3x4", {}),
    "convolution-scaled": ("convolution", "sudoku-4x4", {"planes": "scaled", "norm": "batch", "width": 0, **POLICY}),
    "convolution-batch": ("convolution", "tiles-3x3", {"norm": "batch", "kernels": [3, 1], "dueling": True}),
    "exchangeable": ("exchangeable", "dust-4x3x3", {}),
    "exchangeable-cost": ("exchangeable", "dust-4x3x3", {"heads": ["cost_to_go"]}),
    "exchangeable-features": ("exchangeable", "dust-4x3x3", {"features": True}),
    "exchangeable-dueling": ("exchangeable", "dust-4x3x3", {"dueling": True, "residual_over": "colours"}),
    "lattice": ("lattice", "sudoku-4x4", POLICY),
    "lattice-digits": ("lattice", "sudoku-6x6", {"reads": "digits", "policy": "cells", **POLICY}),
    "attention": ("attention", "sudoku-4x4", POLICY),
    "table": ("table", "tiles-2x3", {"heads": ["q", "cost_to_go"]}),
}
CANDIDATES = ("lattice", "lattice-digits", "attention")


def table(distances) -> TorchModel:
    """A table of every second board of 2x3 tiles, with values by chance."""
    puzzle, random = registry.load("tiles-2x3"), np.random.default_rng(0)
    states = np.array([list(state) for state in distances], np.uint8)[::2]
    network = read_network({"kind": "table", "states": len(states), "length": states.shape[1]})
    module = network.build(puzzle)
    assert isinstance(module, ValueTable)
    module.fill(states, np.array([puzzle.legal(state) for state in states]))
    module.values += torch.from_numpy(random.normal(size=module.values.shape).astype(np.float32))
    return TorchModel(puzzle, network, module.eval())


@pytest.fixture(scope="module")
def exported(distances_2x3):
    """`exported(name, model_of)`: a network in float32, and the content of its file."""
    kept: dict[str, tuple[TorchModel, bytes]] = {}

    def export(name, model_of):
        if name not in kept:
            kind, puzzle, settings = NETWORKS[name]
            model = table(distances_2x3) if kind == "table" else model_of(registry.load(puzzle), kind, **settings)
            card = Card(name="0" * 16, puzzle=puzzle, network=model.settings.model_dump(mode="json"), parameters=1)
            kept[name] = replace(model, precision="float32"), exporting.to_onnx(model, card)
        return kept[name]

    return export


@pytest.fixture(params=NETWORKS)
def both(request, exported, model_of):
    """A network as PyTorch and as ONNX Runtime evaluate it."""
    model, data = exported(request.param, model_of)
    return model, OnnxModel(model.puzzle, onnx_model.read_bytes(data, FILE))


def test_the_networks_that_are_tested_have_every_architecture() -> None:
    assert {kind for kind, _, _ in NETWORKS.values()} == set(ARCHITECTURES.names())


def agree(outputs, expected) -> None:
    """Outputs are those of PyTorch up to rounding, and the best move is the same one where it is best by more."""
    assert outputs.keys() == expected.keys()
    for head, values in expected.items():
        assert outputs[head].shape == values.shape
        assert outputs[head].dtype == np.float32
        assert np.allclose(outputs[head], values, RELATIVE, ABSOLUTE), head
        if values.ndim == 2:
            second, best = np.sort(values, axis=1)[:, -2:].T
            clear = best - second > 2 * (ABSOLUTE + RELATIVE * np.abs(np.where(np.isfinite(best), best, 0.0)))
            assert np.array_equal(outputs[head].argmax(1)[clear], values.argmax(1)[clear])


@pytest.mark.parametrize("count", [1, 3, 7])
def test_the_outputs_are_those_of_pytorch(both, states_of, count) -> None:
    model, evaluated = both
    assert evaluated.form == model.form
    states = states_of(model.puzzle, count)
    agree(evaluated.outputs(states), model.outputs(states))


def test_more_states_than_one_batch(both, states_of) -> None:
    model, evaluated = both
    states = states_of(model.puzzle, 7)
    outputs, expected = evaluated.outputs(np.resize(states, (model.form.batch_size + 1, states.shape[1]))), None
    expected = {head: np.resize(values, outputs[head].shape) for head, values in model.outputs(states).items()}
    agree(outputs, expected)
    assert all(len(values) == 0 for values in evaluated.outputs(states[:0]).values())


def test_estimates_and_priors_are_those_of_pytorch(both, states_of) -> None:
    model, evaluated = both
    states = states_of(model.puzzle, 3)
    if "cost_to_go" in model.heads:
        scores = [each.estimate().scores(states) for each in (model, evaluated)]
        assert np.allclose(*scores, RELATIVE, ABSOLUTE)
    if {"policy", "q"} & set(model.heads):
        priors = [np.exp(each.prior().scores(states)) for each in (model, evaluated)]
        assert np.allclose(*priors, 1e-3, 1e-3)


@pytest.mark.parametrize("name", CANDIDATES)
def test_the_logits_of_candidates_are_those_of_pytorch(exported, model_of, name) -> None:
    model, data = exported(name, model_of)
    evaluated = OnnxModel(model.puzzle, onnx_model.read_bytes(data, FILE))
    candidates = np.random.default_rng(0).random((3, model.puzzle.cells, model.puzzle.size)) < 0.6
    candidates[:, :, 0] |= ~candidates.any(axis=2)
    assert np.allclose(evaluated.candidate_logits(candidates), model.candidate_logits(candidates), RELATIVE, ABSOLUTE)


def test_processors_with_fast_bfloat16_export_the_same_file(model_of, exported, monkeypatch) -> None:
    _, data = exported("dense", model_of)
    monkeypatch.setattr("puzzlelab.nets.torch_model.has_fast_bf16", lambda target: True)
    model = model_of(registry.load("tiles-3x3"), "dense")
    assert exporting.to_onnx(model, onnx_model.read_bytes(data, FILE).card) == data


# --- damage -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small_file():
    """The content of the file of a network with few weights."""
    puzzle = registry.load("tiles-2x2")
    network = read_network({"kind": "dense", "width": 2, "depth": 1, "heads": ["cost_to_go"]})
    card = Card(name="0" * 16, puzzle=puzzle.name, network=network.model_dump(mode="json"), parameters=1)
    return exporting.to_onnx(TorchModel(puzzle, network, network.build(puzzle)), card)


def test_any_damaged_byte_is_noticed(small_file) -> None:
    assert onnx_model.read_bytes(small_file, FILE).form.heads == ("cost_to_go",)
    for place in range(len(small_file)):
        data = bytearray(small_file)
        data[place] ^= 0x40 if place % 2 else 0x01
        with pytest.raises(BadFile, match=r"exported.onnx is (damaged|no network)"):
            onnx_model.read_bytes(bytes(data), FILE)


def test_a_part_of_a_file_is_noticed(small_file) -> None:
    for length in range(len(small_file)):
        with pytest.raises(BadFile, match=r"exported.onnx (is damaged|is no network|has the outputs)"):
            onnx_model.read_bytes(small_file[:length], FILE)
