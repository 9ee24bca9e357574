"""Loading a network: its card and its file in the ONNX format have to belong together."""

import shutil
from pathlib import Path

import pytest

from puzzlelab.core.errors import BadFile
from puzzlelab.nets import onnx_model

SHELF = Path(onnx_model.__file__).parents[1] / "pretrained"


@pytest.fixture
def stem(tmp_path):
    """The files of a network of the package, without their endings."""
    for ending in (".json", ".onnx"):
        shutil.copy(SHELF / f"tiles-3x3{ending}", tmp_path)
    return tmp_path / "tiles-3x3"


def test_a_card_alone_is_no_network(stem) -> None:
    stem.with_suffix(".onnx").unlink()
    with pytest.raises(BadFile, match=r"cannot read .*tiles-3x3\.onnx: there is no such file"):
        onnx_model.load(stem)


def test_a_card_for_another_puzzle_is_refused(stem) -> None:
    card = stem.with_suffix(".json")
    card.write_text(card.read_text().replace('"puzzle": "tiles-3x3"', '"puzzle": "tiles-4x4"'))
    with pytest.raises(BadFile, match="is for tiles-4x4, and the network beside it for tiles-3x3"):
        onnx_model.load(card)


def test_a_file_of_another_network_is_refused(stem) -> None:
    shutil.copy(SHELF / "tiles-3x3-dqn.onnx", stem.with_suffix(".onnx"))
    with pytest.raises(BadFile, match=r"damaged or not the one that its card describes: its hash is not \w{16}"):
        onnx_model.load(stem)
