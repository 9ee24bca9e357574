"""The architecture, the loss and the recipe in runs of two processes; the package must be installed."""

# ruff: noqa: D103, E402
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import puzzlelab
from puzzlelab.core.errors import Unsupported

torch = pytest.importorskip("torch")

from mixer import loss

RECIPE = Path(__file__).parents[1] / "recipes" / "tiles-3x3.toml"
SMALL = {
    "puzzle": "tiles-2x3",
    "network": {"kind": "mixer", "width": 4, "blocks": 1, "heads": ["policy", "cost_to_go"]},
    "distance": "low",
    "teacher": {"solver": "ida", "scale": "uniform"},
    "data": {"shard_games": 20, "buffer_size": 300},
    "learning": {"steps": 6, "batch_size": 20, "precision": "float32"},
    "evaluation": {"every": 3, "boards": 4, "scale": "uniform", "teacher_games": 4},
}


@pytest.fixture(scope="module")
def imitated(tmp_path_factory):
    """A run of `imitation`, with the losses of its steps."""
    losses = []
    training = puzzlelab.train(
        "imitation",
        SMALL,
        run=tmp_path_factory.mktemp("runs") / "imitated",
        on_step=lambda step, parts: losses.append(dict(parts)),
    )
    return training, losses


def program(*words, plugged=True):
    """Run puzzlelab in a process of its own, with the package or without it; what it prints."""
    places = os.environ.get("PYTHONPATH", "").split(os.pathsep) if plugged else []
    source = str(Path(puzzlelab.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, places), source])}
    command = [sys.executable, "-m", "puzzlelab", *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_another_process_makes_the_samples_and_the_network_is_evaluated(imitated):
    training, losses = imitated
    assert training.finished
    assert {"error", "agreement", "solved"} <= training.metrics.keys()
    assert [set(each) for each in losses] == [{"loss", "cost_to_go_loss", "policy_loss"}] * 6
    assert list((training.run / "shards").glob("*.parquet"))


def test_its_layers_are_listed(imitated):
    assert "blocks.0.over_cells.2" in program("list", f"net:{imitated[0].run}")


def test_the_exported_network_plays_without_the_package(imitated, tmp_path):
    file = tmp_path / "mixer.onnx"
    program("export", imitated[0].run, file)
    words = ("solve", "tiles-2x3", "1 2 3 4 0 5", "--with", "astar", "--net")
    assert program(*words, file, plugged=False).splitlines()[-1] == "L"


def test_the_recipe_trains_on_softer_targets(tmp_path, imitated):
    first = {}

    def keep(step, losses):
        first.setdefault(step, dict(losses))
        return step == 2

    settings = {**SMALL, "smoothing": 0.0}
    plain = puzzlelab.train("smooth", settings, run=tmp_path / "plain", on_step=keep)
    assert (plain.steps, plain.finished) == (2, False)
    assert first[1] == pytest.approx(imitated[1][0], rel=1e-5)  # without smoothing it is imitation
    first.clear()
    puzzlelab.train("smooth", {**settings, "smoothing": 0.5}, run=tmp_path / "soft", on_step=keep)
    assert first[1]["policy_loss"] != pytest.approx(imitated[1][0]["policy_loss"], rel=1e-5)


def test_the_recipe_refuses_a_network_that_it_cannot_train(tmp_path):
    settings = {**SMALL, "network": {"kind": "mixer", "heads": ["policy"]}}
    with pytest.raises(Unsupported, match="the recipe 'smooth' needs a network with the heads policy and cost_to_go"):
        puzzlelab.train("smooth", settings, run=tmp_path / "run")


def test_the_loss_is_least_at_the_quantile():
    targets = torch.arange(10.0)
    losses = [loss.low(torch.full((10,), value), targets).mean().item() for value in range(10)]
    assert losses.index(min(losses)) in (1, 2)


def test_the_settings_of_the_package_can_be_trained_with():
    from puzzlelab.training import recipe

    values = tomllib.loads(RECIPE.read_text(encoding="utf-8"))
    for name in ("imitation", "smooth"):
        recipe.find(name).check(recipe.settings_of(name, values))
