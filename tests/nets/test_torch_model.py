"""The table of a network's layers: the counts that the documents print, and every parameter counted once."""

import numpy as np
import pytest

pytest.importorskip("torch")

from puzzlelab.core import registry
from puzzlelab.nets.torch_model import layers_of, untrained


@pytest.mark.parametrize(
    ("puzzle", "network", "parameters"),
    [
        ("dust-8x6x5", {"width": 1500, "depth": 10, "heads": ["policy"]}, [433_500, *[2_251_500] * 9, 72_048]),
        ("tiles-3x3", {"width": 250, "depth": 3, "heads": ["q"]}, [18_250, 62_750, 62_750, 1_004]),
    ],
)
def test_the_networks_of_the_documents_have_their_parameters(puzzle, network, parameters) -> None:
    layers = layers_of(untrained(registry.load(puzzle), {"kind": "dense", **network}))
    assert [layer["parameters"] for layer in layers if layer["parameters"]] == parameters
    assert layers[0]["kind"] == "Input"
    assert layers[1]["shape"] == [network["width"]]
    assert layers[-1]["shape"] == [registry.load(puzzle).move_count]


@pytest.mark.parametrize("kind", ["attention", "convolution", "dense", "exchangeable", "lattice", "residual"])
def test_every_parameter_is_in_one_row(kind) -> None:
    puzzle = registry.load("sudoku-9x9" if kind in ("attention", "lattice") else "dust-4x3x3")
    heads = ["policy"] if kind in ("attention", "lattice") else ["q", "policy", "cost_to_go"]
    model = untrained(puzzle, {"kind": kind, "heads": heads})
    layers = layers_of(model)
    assert sum(layer["parameters"] for layer in layers) == sum(each.numel() for each in model.module.parameters())
    assert len({layer["name"] for layer in layers}) == len(layers)
    assert not any(part._forward_hooks for part in model.module.modules())


def test_what_is_added_to_the_outputs_does_not_depend_on_the_states_before(states_of) -> None:
    puzzle, network = registry.load("tiles-3x3"), {"kind": "dense", "heads": ["q"], "residual_over": "manhattan"}
    model, states = untrained(puzzle, network), states_of(puzzle, 12)
    batches = [states[:6], states[:6], np.concatenate([states[:3], states[6:9]]), states[::-1][:6], states[:2]]
    assert len(np.unique(model.base_of("q", states), axis=0)) > 6
    for batch in batches:
        assert np.array_equal(model.base_of("q", batch), untrained(puzzle, network).base_of("q", batch))
