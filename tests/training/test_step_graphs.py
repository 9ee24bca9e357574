"""Updates that a graphics card does at one call: the same numbers as without."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch._inductor.exc import InductorError

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.training import learner
from puzzlelab.training.learner import LossMeans, new_learner
from puzzlelab.training.settings import LearnerSettings
from puzzlelab.training.step_graphs import StepGraphs, Update

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no graphics card for PyTorch")
STATES = np.stack([np.random.default_rng(number).permutation(9) for number in range(20)]).astype(np.uint8)


def test_the_losses_of_a_step_are_means_over_its_minibatches() -> None:
    losses = LossMeans(("loss", "policy_loss"), [torch.tensor([1.0, 0.5]), torch.tensor([4.0, 2.5])], 1, 0.1)
    assert dict(losses) == {"loss": 2.5, "policy_loss": 1.5}
    assert len(losses) == 2


def losses_of(model, settings, columns):
    output = model.forward(columns)["cost_to_go"]
    return {"odd": (output - columns["target"]).square().mean()}, output


def trained(choice, optimiser, network=None):
    """Take eight steps of a long and a short minibatch, at a learning rate that changes."""
    settings = LearnerSettings(optimiser=optimiser, compile=choice, precision="float32", warmup=4, learning_rate=0.01)
    network = {"kind": "dense", "width": 16, "depth": 2, **(network or {})}
    student = new_learner(registry.load("tiles-3x3"), network, settings, seed=3)
    losses = []
    for step in range(8):
        columns = student.model.columns(STATES)
        columns["target"] = torch.arange(20.0, device=student.model.device) + step
        parts = [{name: column[rows] for name, column in columns.items()} for rows in (slice(0, 15), slice(15, 20))]
        means, output = student.update(losses_of, None, *parts)
        losses.append((dict(means), output.tolist()))
    return losses, [parameter.tolist() for parameter in student.model.module.parameters()]


def test_a_network_is_compiled_where_that_is_wanted_and_the_sentence_says_where_it_cannot_be(monkeypatch) -> None:
    calls = []
    monkeypatch.setattr(torch, "compile", lambda module, **_: calls.append(module) or module)
    assert trained("on", "adam") == trained("off", "adam")
    assert len(calls) == 1

    def without_compiler(module, **_):
        def fails(*_):
            raise InductorError(RuntimeError("no C++ compiler"), None)

        return fails

    monkeypatch.setattr(torch, "compile", without_compiler)
    with pytest.raises(BadOption, match=r"learning.compile=on: .*no C\+\+ compiler"):
        trained("on", "adam")


@pytest.mark.parametrize("choice", ["auto", "on"])
def test_what_cannot_be_recorded_is_told_or_refused(choice, monkeypatch, caplog) -> None:
    class NoGraph:
        def __init__(self, *_, **__) -> None:
            raise RuntimeError("operation not permitted when stream is capturing")

    stream = SimpleNamespace(wait_stream=lambda _: None)
    for name, stand_in in {
        "Stream": lambda _: stream,
        "current_stream": lambda _: stream,
        "stream": lambda _: nullcontext(),
        "CUDAGraph": lambda: None,
        "graph": NoGraph,
    }.items():
        monkeypatch.setattr(torch.cuda, name, stand_in)
    graphs, column = StepGraphs(torch.device("cpu"), choice == "on"), torch.ones(3)
    context = pytest.raises(BadOption, match="learning.compile=on: no CUDA graph") if choice == "on" else nullcontext()
    with context:
        for _ in range(6):
            done = graphs.run("a", lambda columns: Update(columns["x"].sum(), columns["x"]), {"x": column})
            assert float(done.losses) == 3
    assert ("no CUDA graph can be made" in caplog.text) == (choice == "auto")


@pytest.mark.parametrize("network", [{}, {"heads": ["cost_to_go", "policy"]}], ids=["all", "one head unused"])
@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
def test_quick_steps_are_those_of_the_optimiser(optimiser, network, monkeypatch) -> None:
    """A parameter without a gradient is left out, as PyTorch does it."""
    quick = trained("off", optimiser, network)
    monkeypatch.setattr(learner, "quick_step", lambda optimiser: optimiser.step)
    assert trained("off", optimiser, network) == quick


def test_moments_of_units_without_a_gradient_become_zero() -> None:
    with learner.without_denormals():
        assert float(torch.tensor(2e-38) * 0.1) == 0
    assert float(torch.tensor(2e-38) * 0.1) > 0


@needs_gpu
@pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
def test_recorded_updates_are_those_that_are_made_one_by_one(optimiser) -> None:
    assert trained("auto", optimiser) == trained("off", optimiser)


@needs_gpu
def test_a_restored_learner_records_anew() -> None:
    settings = LearnerSettings(precision="float32", warmup=0)
    one, other = (
        new_learner(registry.load("tiles-3x3"), {"kind": "dense", "width": 16, "depth": 1}, settings, seed=seed)
        for seed in (1, 2)
    )

    def step(learner):
        columns = {**learner.model.columns(STATES), "target": torch.zeros((), device=learner.model.device)}
        return dict(learner.update(losses_of, None, columns)[0])

    for _ in range(6):
        step(one)
    other.restore(one.state(), one.step)
    assert [step(one) for _ in range(6)] == [step(other) for _ in range(6)]
