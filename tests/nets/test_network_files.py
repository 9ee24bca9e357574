"""Networks of earlier versions: their weights become a file in the ONNX format once, where PyTorch is installed."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from puzzlelab.core.errors import BadFile
from puzzlelab.nets import network_files

OLD = Path(__file__).parents[1] / "data" / "old" / "dqn" / "nets"
SHELF = Path(network_files.__file__).parents[1] / "pretrained"
NAME = "2c4f52418aaf325d"


@pytest.fixture
def old(tmp_path):
    """The files of a network of an earlier version, without their endings: weights and a card."""
    for ending in (".json", ".safetensors"):
        shutil.copy(OLD / f"{NAME}{ending}", tmp_path)
    return tmp_path / NAME


def test_an_old_network_is_converted_once(old, own_cache, states_of, monkeypatch) -> None:
    pytest.importorskip("torch")
    from puzzlelab.nets import checkpoint, onnx_export

    model, card = network_files.load(old)
    expected, _ = checkpoint.load(old)
    assert model.name == card.name == NAME
    states = states_of(model.puzzle)
    assert np.allclose(model.outputs(states)["q"], expected.outputs(states)["q"], 1e-3, 1e-3)
    (kept,) = (own_cache / "networks").iterdir()
    assert kept.name == f"{NAME}.onnx"
    monkeypatch.setattr(onnx_export, "to_onnx", lambda *_: pytest.fail("it is there already"))
    assert network_files.load(old)[0].name == NAME
    assert sorted(path.suffix for path in old.parent.glob(f"{NAME}.*")) == [".json", ".safetensors"]


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"noise" * 99])
def test_a_damaged_conversion_is_made_again(old, own_cache, damage) -> None:
    pytest.importorskip("torch")
    network_files.load(old)
    (kept,) = (own_cache / "networks").iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(damage(whole))
    assert network_files.load(old)[0].name == NAME
    assert kept.read_bytes() == whole


def test_a_conversion_that_cannot_be_kept_is_used(old, no_cache, listener) -> None:
    pytest.importorskip("torch")
    assert network_files.load(old)[0].name == NAME
    assert any(f"{NAME}.safetensors will be converted again" in note for note in listener.notes)


def test_without_pytorch_an_old_network_says_what_to_install(old, own_cache, monkeypatch) -> None:
    for name in [name for name in sys.modules if name in ("puzzlelab.nets.checkpoint", "puzzlelab.nets.onnx_export")]:
        monkeypatch.delitem(sys.modules, name)
        monkeypatch.delattr(f"puzzlelab.nets.{name.rpartition('.')[2]}", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(BadFile, match=r"earlier version .* and torch is needed to convert it: .*puzzlelab\[learn\]"):
        network_files.load(old)


def test_a_card_alone_is_no_network(old) -> None:
    old.with_suffix(".safetensors").unlink()
    with pytest.raises(BadFile, match=f"cannot read {NAME}.onnx: there is no such file"):
        network_files.load(old)


def test_a_card_for_another_puzzle_is_refused(tmp_path) -> None:
    for ending in (".json", ".onnx"):
        shutil.copy(SHELF / f"tiles-3x3{ending}", tmp_path)
    card = tmp_path / "tiles-3x3.json"
    card.write_text(card.read_text().replace('"puzzle": "tiles-3x3"', '"puzzle": "tiles-4x4"'))
    with pytest.raises(BadFile, match="is for tiles-4x4, and the network beside it for tiles-3x3"):
        network_files.load(card)


def test_a_file_of_another_network_is_refused(old) -> None:
    shutil.copy(SHELF / "tiles-3x3.onnx", old.with_suffix(".onnx"))
    with pytest.raises(BadFile, match=f"damaged or not the one that its card describes: its hash is not {NAME}"):
        network_files.load(old)
