"""Networks as files: what is saved comes back, and what is damaged or foreign gets a sentence."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, BadOption, UnknownName
from puzzlelab.nets import checkpoint, model_zoo
from puzzlelab.nets.network import read_network
from puzzlelab.training.recipe import settings_of


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


def _remove(stem, *endings) -> None:
    for ending in endings:
        stem.with_suffix(ending).unlink()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda stem: _flip(stem.with_suffix(".safetensors")), "is damaged or not the one that its card describes"),
        (lambda stem: stem.with_suffix(".safetensors").write_bytes(b"noise" * 99), "holds no weights"),
        (lambda stem: _remove(stem, ".safetensors", ".onnx"), "there is no such file"),
        (lambda stem: stem.with_suffix(".json").unlink(), "cannot read"),
        (lambda stem: stem.with_suffix(".json").write_text("{"), "is no card of a network"),
        (lambda stem: stem.with_suffix(".json").write_bytes(b"\xff\xfe"), "is no card of a network"),
        (lambda stem: _change(stem, format="other"), "its format is 'other'"),
        (lambda stem: _change(stem, puzzle="tiles-4x4"), "does not describe its weights"),
        (lambda stem: _change(stem, network={"kind": "dense", "width": 5}), "does not describe its weights"),
        (lambda stem: _change(stem, network={"kind": "odd"}), "there is no kind of network 'odd'"),
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


def test_weights_are_read_from_the_onnx_file_if_there_is_no_other(kept, states_of) -> None:
    model, card, stem = kept
    stem.with_suffix(".safetensors").unlink()
    again, _ = checkpoint.load(stem)
    states = states_of(model.puzzle)
    assert again.name == card.name
    assert np.array_equal(model.outputs(states)["policy"], again.outputs(states)["policy"])


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


# --- files of earlier versions ---------------------------------------------------------------------------------------

OLD = Path(__file__).parents[1] / "data" / "old"
"""Cards whose settings have their old names: the heads `moves` and `remaining`, `above`, `duelling`."""


@pytest.mark.parametrize(
    ("name", "heads", "dueling", "residual_over"),
    [("tiles-3x3", ("policy", "cost_to_go"), False, ""), ("tiles-3x3-dqn", ("q",), True, "manhattan")],
)
def test_a_card_with_old_names_is_read(tmp_path, states_of, name, heads, dueling, residual_over) -> None:
    shutil.copy(OLD / f"{name}.json", tmp_path)
    shutil.copy(model_zoo.SHELF / f"{name}.onnx", tmp_path)
    model, card = checkpoint.load(tmp_path / name)
    settings = model.settings
    assert (model.heads, settings.dueling, settings.residual_over) == (heads, dueling, residual_over)
    assert tuple(card.network["heads"]) == heads
    assert not {"above", "duelling"} & card.network.keys()
    shipped, states = model_zoo.find(model.puzzle, name), states_of(model.puzzle)
    assert model.name == shipped.name == card.name
    outputs = model.outputs(states)
    expected = shipped.outputs(states)
    assert outputs.keys() == expected.keys()
    assert all(np.allclose(outputs[head], values, 1e-3, 1e-3) for head, values in expected.items())


@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-3x3-dqn"])
def test_the_settings_of_a_recipe_in_an_old_card_are_read(name) -> None:
    card = checkpoint.read_card(OLD / f"{name}.json")
    settings = settings_of(card.recipe, card.settings)
    assert settings.network["heads"] == card.network["heads"]
    assert not {"above", "duelling"} & settings.network.keys()


def test_an_old_and_a_new_name_of_a_setting_exclude_each_other() -> None:
    with pytest.raises(BadOption, match="'above' is the old name of 'residual_over': give one of them"):
        read_network({"kind": "dense", "above": "manhattan", "residual_over": "manhattan"})


def test_the_keys_of_saved_weights_are_those_of_earlier_versions(model_of) -> None:
    keys = model_of(registry.load("tiles-3x3"), "dense").module.heads.state_dict().keys()
    assert {"each.moves.weight", "each.remaining.linear.weight", "each.q.linear.weight"} <= keys


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UnknownName, match="there is no network 'nonesuch'"):
        model_zoo.find(registry.load("tiles-3x3"), "nonesuch")


def test_a_puzzle_without_a_network_names_the_networks_of_plug_ins(plugged, monkeypatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "examples" / "pocket_cube" / "src")
    plugged("puzzlelab.puzzles", "cube", "pocket_cube:FAMILY")
    model_zoo._shelves_of_plugins.cache_clear()
    with pytest.raises(BadInput, match="comes with the package, only for cube-2x2x2, dust-8x6x5, "):
        model_zoo.find(registry.load("tiles-2x7"), "")


def test_a_puzzle_without_a_network_says_so() -> None:
    with pytest.raises(BadInput, match="no network for tiles-2x7 comes with the package"):
        model_zoo.find(registry.load("tiles-2x7"), "")
