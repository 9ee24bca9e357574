"""Weights in a file beside that of a network are read as if they stood in it; no other file is."""

import os

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
from onnx import TensorProto, numpy_helper

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile
from puzzlelab.nets import model_zoo, onnx_model, onnx_weights
from puzzlelab.nets.onnx_weights import read_whole
from puzzlelab.storage import networks

TILES = registry.load("tiles-2x3")
WEIGHT = np.arange(1, 7, dtype=np.float32)
GRAPH = """<ir_version: 9, opset_import: ["": 17]>
other (float[batch, 6] states) => (float[batch] cost_to_go) <int64[1] axis = {1}, float[6] bias = {0, 0, 0, 0, 0, 0}>
{ products = Mul (states, weight) sums = Add (products, bias) cost_to_go = ReduceSum <keepdims = 0> (sums, axis) }"""


def network(weight: TensorProto | None = None) -> onnx.ModelProto:
    """A network that multiplies the cells with a weight, and adds them up."""
    model = onnx.parser.parse_model(GRAPH)
    for tensor in model.graph.initializer:  # as bytes, which may stand in a further file
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
    model.graph.initializer.append(weight or numpy_helper.from_array(WEIGHT, "weight"))
    return model


@pytest.fixture
def beside(tmp_path):
    """`beside(location=..., ...)`: the path of a network whose weight is at this place, beside `net.onnx.data`."""
    (tmp_path / "net.onnx.data").write_bytes(bytes(8) + WEIGHT.tobytes())

    def write(copies=1, dims=(6,), **place):
        weight = TensorProto(name="weight", data_type=TensorProto.FLOAT, dims=dims, data_location=TensorProto.EXTERNAL)
        for key, value in place.items():
            weight.external_data.add(key=key, value=value)
        model = network(weight)
        for number in range(1, copies):
            model.graph.initializer.append(weight)
            model.graph.initializer[-1].name = f"copy {number}"
        path = tmp_path / "net.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    return write


@pytest.mark.parametrize("names", [["net.onnx.data"], ["weights_0", "weights_1"]], ids=["one file", "two files"])
def test_weights_beside_a_network_are_read(tmp_path, states_of, names) -> None:
    path, whole = tmp_path / "net.onnx", tmp_path / "whole.onnx"
    model = network()
    onnx.save_model(model, whole)
    for tensor, name in zip(model.graph.initializer, [names[0], names[0], names[-1]], strict=True):
        onnx.external_data_helper.set_external_data(tensor, name)
    onnx.save_model(model, path)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(["net.onnx", "whole.onnx", *names])
    states = states_of(TILES, 4)
    outputs = onnx_model.load(path, TILES)[0].outputs(states)["cost_to_go"]
    assert np.array_equal(outputs, (states * WEIGHT).sum(axis=1))
    assert onnx.load_from_string(read_whole(path)) == onnx.load(whole)


def test_a_place_without_a_length_goes_to_the_end(beside) -> None:
    path = beside(location="net.onnx.data", offset="8")
    weight = onnx.load_from_string(read_whole(path)).graph.initializer[-1]
    assert np.array_equal(numpy_helper.to_array(weight), WEIGHT)
    assert not weight.external_data


def test_the_hash_covers_the_weights_beside_it(beside, tmp_path) -> None:
    path = beside(location="net.onnx.data", offset="8", length="24")
    first, other = (onnx_model.read(path).name, (tmp_path / "net.onnx.data"))
    assert onnx_model.read(path).name == first
    other.write_bytes(bytes(8) + WEIGHT[::-1].tobytes())
    assert onnx_model.read(path).name != first


def test_other_machines_get_one_file_with_all_weights(beside, tmp_path) -> None:
    path = beside(location="net.onnx.data", offset="8", length="24")
    (sent,) = model_zoo.files(TILES, str(path)).values()
    there = tmp_path / "there" / "net.onnx"
    there.parent.mkdir()
    there.write_bytes(sent)
    assert onnx_model.read(there).name == onnx_model.read(path).name


def test_a_content_alone_has_no_file_beside_it(beside) -> None:
    path = beside(location="net.onnx.data", offset="8", length="24")
    with pytest.raises(BadFile, match="has weights in a further file, where they are not read"):
        onnx_model.read_bytes(path.read_bytes(), path)


def test_weights_of_a_constant_beside_it_are_refused(tmp_path) -> None:
    weight = TensorProto(name="weight", data_type=TensorProto.FLOAT, dims=[6], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="net.onnx.data")
    model = onnx.parser.parse_model(GRAPH)
    model.graph.node.insert(0, onnx.helper.make_node("Constant", [], ["weight"], value=weight))
    (tmp_path / "net.onnx").write_bytes(model.SerializeToString())
    (tmp_path / "net.onnx.data").write_bytes(WEIGHT.tobytes())
    with pytest.raises(BadFile, match="has weights in a further file, where they are not read"):
        onnx_model.load(tmp_path / "net.onnx", TILES)


# --- other files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "location",
    [
        *("/etc/hostname", "../net.onnx.data", "..", ".", "", ".hidden", "here/net.onnx.data", "./net.onnx.data"),
        *("C:net.onnx.data", r"..\net.onnx.data", "net.onnx.data\0", "*/_ORT_MEM_ADDR_/*"),
    ],
)
def test_files_elsewhere_are_refused(beside, tmp_path, location) -> None:
    (tmp_path / ".hidden").write_bytes(WEIGHT.tobytes())
    with pytest.raises(BadFile, match="only a file of its own folder is read"):
        onnx_model.load(beside(location=location, length="24"), TILES)


def test_a_link_a_pipe_a_folder_and_nothing_are_refused(beside, tmp_path) -> None:
    (tmp_path / "link").symlink_to("net.onnx.data")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    sentences = {"link": "is a link", "pipe": "is a pipe", "folder": "directory", "none": "no such file beside it"}
    for location, sentence in sentences.items():
        with pytest.raises(BadFile, match=sentence):
            onnx_model.load(beside(location=location, length="24"), TILES)


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ({"offset": "8", "length": "25"}, "it ends before the weights do"),
        ({"offset": "33"}, "it ends before the weights do"),
        ({"length": str(1 << 59)}, "it ends before the weights do"),
        ({"length": "9" * 5000}, "a place in 'net.onnx.data' is no number"),
        ({"offset": "-1", "length": "1"}, "a place in 'net.onnx.data' is no number"),
        ({"offset": "8", "length": "20"}, "ONNX Runtime cannot load it"),
    ],
    ids=["beyond", "from beyond", "huge", "no number", "below", "too short"],
)
def test_places_that_are_wrong_are_refused(beside, place, sentence) -> None:
    with pytest.raises(BadFile, match=sentence):
        onnx_model.load(beside(location="net.onnx.data", **place), TILES)


def test_weights_beside_a_network_count_as_its_own(beside, tmp_path, monkeypatch) -> None:
    (tmp_path / "net.onnx.data").write_bytes(bytes(1000))
    path = beside(location="net.onnx.data", copies=9)
    monkeypatch.setattr(onnx_weights, "MOST_BYTES", 9000 + path.stat().st_size)
    assert len(read_whole(path)) > 9000
    monkeypatch.setattr(onnx_weights, "MOST_BYTES", 8999 + path.stat().st_size)
    with pytest.raises(BadFile, match="and its weights have more than"):
        onnx_model.load(path, TILES)


def test_a_copy_for_the_page_has_all_weights(tmp_path, monkeypatch) -> None:
    source, shelf = tmp_path / "mine.v2.onnx", tmp_path / "shelf"
    shelf.mkdir()
    shipped = networks.SHELF / "tiles-3x3-dqn.onnx"
    onnx.save_model(onnx.load(shipped), source, save_as_external_data=True, location="mine.data", size_threshold=0)
    source.with_suffix(".json").write_bytes(shipped.with_suffix(".json").read_bytes())
    monkeypatch.setenv(networks.OWN_SHELF, str(shelf))
    assert model_zoo.copy_to(shelf, str(source))[0] == "mine.v2"
    assert (
        networks.find(registry.load("tiles-3x3"), "net:mine.v2").name
        == networks.cards(registry.load("tiles-3x3"))["tiles-3x3-dqn"]["name"]
    )
