"""Networks as files: what is saved comes back, and what is damaged or foreign gets a sentence."""

import json

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.nets import checkpoint, model_zoo


@pytest.fixture
def kept(tmp_path, model_of):
    """A network in a folder: the model, its card, and the path of both files without their endings."""
    model = model_of(registry.load("tiles-3x3"), "dense")
    card = checkpoint.save(tmp_path, model, recipe="imitation", steps=7)
    return model, card, tmp_path / card.name


def test_a_network_comes_back_with_its_card(kept, states_of) -> None:
    model, card, stem = kept
    again, told = checkpoint.load(stem)
    states = states_of(model.puzzle)
    assert told == card
    assert (told.recipe, told.steps, again.name, again.puzzle) == ("imitation", 7, card.name, model.puzzle)
    assert np.array_equal(model.outputs(states)["policy"], again.outputs(states)["policy"])
    assert told.parameters == sum(parameter.numel() for parameter in model.module.parameters())


def test_the_name_is_the_hash_of_the_weights(kept, tmp_path) -> None:
    model, card, _ = kept
    assert checkpoint.save(tmp_path / "again", model).name == card.name
    with torch.no_grad():
        next(model.module.parameters()).view(-1)[0] += 1e-3
    assert checkpoint.save(tmp_path / "changed", model).name != card.name


def _flip(path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda stem: _flip(stem.with_suffix(".safetensors")), "is damaged or not the one that its card describes"),
        (lambda stem: stem.with_suffix(".safetensors").write_bytes(b"noise" * 99), "holds no weights"),
        (lambda stem: stem.with_suffix(".safetensors").unlink(), "there is no such file"),
        (lambda stem: stem.with_suffix(".json").unlink(), "cannot read"),
        (lambda stem: stem.with_suffix(".json").write_text("{"), "is no card of a network"),
        (lambda stem: stem.with_suffix(".json").write_bytes(b"\xff\xfe"), "is no card of a network"),
        (lambda stem: _change(stem, format="other"), "its format is 'other'"),
        (lambda stem: _change(stem, puzzle="tiles-4x4"), "does not describe its weights"),
        (lambda stem: _change(stem, network={"kind": "dense", "width": 5}), "does not describe its weights"),
        (lambda stem: _change(stem, network={"kind": "odd"}), "there is no kind of network 'odd'"),
        (lambda stem: _change(stem, network={"kind": "dense", "above": ""}), "dense has no option 'above'"),
    ],
)
def test_what_is_damaged_or_foreign_gets_a_sentence(kept, damage, words) -> None:
    _, _, stem = kept
    damage(stem)
    with pytest.raises(BadFile, match=words):
        checkpoint.load(stem)


def _change(stem, **values) -> None:
    path = stem.with_suffix(".json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"noise"), _flip])
def test_what_searches_read_is_made_again_from_the_weights(kept, damage) -> None:
    _, _, stem = kept
    file = stem.with_suffix(".onnx")
    content = file.read_bytes()
    damage(file)
    checkpoint.repair(stem)
    assert file.read_bytes() == content
    stem.with_suffix(".safetensors").unlink()
    with pytest.raises(BadFile, match=r"safetensors: there is no such file"):
        checkpoint.repair(stem)


@pytest.mark.parametrize("ending", ["", ".json", ".safetensors", ".onnx"])
def test_a_network_is_found_by_its_files(kept, ending) -> None:
    model, card, stem = kept
    found = model_zoo.find(model.puzzle, str(stem) + ending)
    assert found.name == card.name


def test_a_folder_stands_for_its_champion_or_its_only_network(kept, tmp_path, model_of) -> None:
    model, card, _ = kept
    assert model_zoo.find(model.puzzle, str(tmp_path)).name == card.name
    run = tmp_path / "run"
    other = checkpoint.save(run / "nets", model_of(model.puzzle, "dense", seed=1))
    checkpoint.save(run / "nets", model)
    with pytest.raises(BadInput, match="holds no champion, and 2 networks"):
        model_zoo.find(model.puzzle, str(run / "nets"))
    (run / "champion").write_text(other.name + "\n")
    assert model_zoo.find(model.puzzle, str(run)).name == other.name


def test_a_network_of_another_puzzle_is_refused(kept) -> None:
    _, _, stem = kept
    with pytest.raises(BadInput, match="is for tiles-3x3, not for tiles-4x4"):
        model_zoo.find(registry.load("tiles-4x4"), str(stem))
