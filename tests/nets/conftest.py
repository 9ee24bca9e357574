"""Small networks with random weights, and states to ask them about."""

import importlib.util

import numpy as np
import pytest

from puzzlelab.core.views import Samples, scale_of

SMALL = {
    "dense": {"width": 16, "depth": 2},
    "residual": {"width": 16, "blocks": 2},
    "convolution": {"filters": [8, 8], "width": 16},
    "exchangeable": {"width": 16, "depth": 2, "pooled": 8},
    "lattice": {"width": 8, "rounds": 3},
    "attention": {"width": 16, "depth": 1, "loops": 2, "parts": 2, "inner": 16},
}
HEADS = ["policy", "cost_to_go", "q"]


def _states(puzzle, count=5):
    """Random states `[B, S]`; of a Sudoku, grids of which some cells are filled."""
    randoms = [np.random.default_rng(number) for number in range(count)]
    if (samples := puzzle.view(Samples)) and samples.scales:
        return np.stack([scale_of(puzzle)[1].sample(random, None, 1)[0] for random in randoms])
    states = []
    for random in randoms:
        state = np.zeros(puzzle.cells, np.uint8)
        for _ in range(3):
            state = puzzle.apply(state, random.choice(np.flatnonzero(puzzle.legal(state))))
        states.append(state)
    return np.stack(states)


def _model(puzzle, kind, seed=0, **settings):
    import torch

    from puzzlelab.nets.network import read_network
    from puzzlelab.nets.torch_model import TorchModel

    torch.manual_seed(seed)
    network = read_network({"kind": kind, "heads": HEADS, **SMALL[kind], **settings})
    module = network.build(puzzle).eval()
    for parameter in module.parameters():  # zeros would hide what is not connected
        torch.nn.init.normal_(parameter, std=0.3)
    return TorchModel(puzzle, network, module)


@pytest.fixture
def states_of():
    """`states_of(puzzle, count=5)`: random states `[B, S]`."""
    return _states


@pytest.fixture(autouse=True)
def the_same_numbers_on_every_processor(monkeypatch) -> None:
    """No bfloat16, which only some have."""
    if importlib.util.find_spec("torch"):
        monkeypatch.setattr("puzzlelab.nets.torch_model.has_fast_bf16", lambda target: False)


@pytest.fixture
def model_of():
    """`model_of(puzzle, kind, seed=0, **settings)`: a small network whose weights are random, none of them 0."""
    return _model
