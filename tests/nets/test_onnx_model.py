"""Networks of other programs: what fits a puzzle is used, and everything else is refused with a sentence."""

import _thread
import json
import os
import threading
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

pytest.importorskip("onnx")

import shutil

import onnx
from onnx import TensorProto, helper

from network_table import INPUT_MEANINGS, OUTPUT_MEANINGS
from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.nets import onnx_limits, onnx_model, protocol_buffers
from puzzlelab.nets.form import INPUTS, Head
from puzzlelab.nets.onnx_limits import OPERATORS
from puzzlelab.nets.onnx_model import KEY, PRODUCER, sealed
from puzzlelab.storage import networks
from puzzlelab.version import PACKAGE

TILES = registry.load("tiles-2x3")
SHIPPED = PACKAGE / "pretrained" / "tiles-3x3.onnx"
SUM = "(float[batch, 6] states) => (float[batch] cost_to_go) <int64[1] axis = {1}>"
ADD_UP = "sum = ReduceSum <keepdims = 0> (states, axis)"
COUNT = f"{{ cost_to_go = {ADD_UP.removeprefix('sum = ')} }}"
ENDLESS = (
    "(float[batch, 6] states) => (float[batch] cost_to_go) <int64[1] axis = {1}, bool yes = {1}>"
    f"{{ {ADD_UP} cost_to_go = Loop (, yes, sum) <body = each (int64 number, bool again, float[n] value)"
    "=> (bool further, float[n] next) { further = Identity (again) next = Identity (value) }> }"
)


def model_of(text: str) -> onnx.ModelProto:
    """A model in the text format of ONNX."""
    return onnx.parser.parse_model(
        f'<ir_version: 9, opset_import: ["": 17, "com.microsoft": 1, "own": 1]> other {text}'
    )


@pytest.fixture
def load(tmp_path):
    """`load(model, puzzle=TILES)`: the network of a model, of a text, or of bytes, from a file."""

    def load(model, puzzle=TILES):
        if isinstance(model, str):
            model = model_of(model)
        path = tmp_path / "other.onnx"
        path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        return onnx_model.load(path, puzzle)[0]

    return load


def with_initializer(tensor: TensorProto) -> onnx.ModelProto:
    """A network that adds the sum of a weight."""
    model = model_of(
        f"(float[batch, 6] states, float[n] weight) => (float[batch] cost_to_go) <int64[1] axis = {{1}}> {{ {ADD_UP} "
        "total = ReduceSum <keepdims = 0> (weight) cost_to_go = Add (sum, total) }"
    )
    del model.graph.input[1]
    tensor.name = "weight"
    model.graph.initializer.append(tensor)
    return model


# --- what fits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["float", "double", "int64", "int32", "int16", "uint8"])
def test_the_input_has_the_type_that_the_network_wants(load, states_of, name) -> None:
    text = f"({name}[batch, 6] states) => (float[batch] cost_to_go) <int64[1] axis = {{1}}>"
    model = load(f"{text} {{ number = Cast <to = 1> (states) cost_to_go = ReduceSum <keepdims = 0> (number, axis) }}")
    states = states_of(TILES, 4)
    assert np.array_equal(model.estimate().scores(states), states.sum(axis=1, dtype=float))


@pytest.mark.parametrize("shape", ["batch", "batch, 1"])
def test_remaining_moves_may_have_a_dimension_of_their_own(load, states_of, shape) -> None:
    kept = int("1" in shape)
    text = f"(float[batch, 6] states) => (float[{shape}] cost_to_go) <int64[1] axis = {{1}}>"
    model = load(f"{text} {{ cost_to_go = ReduceSum <keepdims = {kept}> (states, axis) }}")
    assert model.outputs(states_of(TILES, 4))["cost_to_go"].shape == (4,)


def test_more_boards_than_a_batch(load, states_of) -> None:
    states = np.resize(states_of(TILES, 5), (2 * onnx_model.FOREIGN_BATCH + 1, 6))
    assert np.array_equal(load(SUM + COUNT).outputs(states)["cost_to_go"], states.sum(axis=1))


def test_its_name_is_the_hash_of_the_file(load) -> None:
    first, same, other = (
        load(SUM + COUNT),
        load(SUM + COUNT),
        load(SUM.replace("axis", "one") + COUNT.replace("axis", "one")),
    )
    assert first.name == same.name != other.name
    assert first.estimate().name == f"net:{first.name}"


def test_a_json_file_beside_it_may_be_of_the_other_program(load, tmp_path) -> None:
    (tmp_path / "other.json").write_text('{"learning_rate": 0.1}')
    assert load(SUM + COUNT).heads == ("cost_to_go",)


def test_it_is_found_by_its_file_name(load, tmp_path) -> None:
    load(SUM + COUNT)
    found = networks.find(TILES, f"net:{tmp_path / 'other.onnx'}")
    assert found.heads == ("cost_to_go",)


# --- what does not fit ------------------------------------------------------------------------------------------------

REFUSED = {
    "another size": (
        "(float[b, 7] states) => (float[b] cost_to_go) <int64[1] axis = {1}>" + COUNT,
        r"has the shape \[b, 7\], not \[batch, 6\]",
    ),
    "a fixed batch": (
        "(float[4, 6] states) => (float[4] cost_to_go) <int64[1] axis = {1}>" + COUNT,
        "takes 4 boards at once.*dynamic first dimension",
    ),
    "no boards": (
        "(float[n] states) => (float[n] cost_to_go) { cost_to_go = Identity (states) }",
        r"has the shape \[n\]",
    ),
    "one number for all": (
        "(float[b, 6] states) => (float cost_to_go) { cost_to_go = ReduceSum <keepdims = 0> (states) }",
        r"'cost_to_go' has the shape \[\] for 1 boards, not \[1\]",
    ),
    "scores for other moves": (
        "(float[b, 6] states) => (float[b, 6] policy) { policy = Identity (states) }",
        r"for 1 boards, not \[1, 4\]",
    ),
    "an unknown input": ("(float[b, 6] image) => (float[b, 6] q) { q = Identity (image) }", "each one of planes, "),
    "no output with a known name": (
        "(float[b, 6] states) => (float[b, 6] y) { y = Identity (states) }",
        "has the outputs y: name one or more policy",
    ),
    "no input": (
        "() => (float[1] cost_to_go) { cost_to_go = Constant <value = float[1] {1.0}> () }",
        "has the inputs none",
    ),
    "text for an input": (
        "(string[b, 6] states) => (string[b, 6] q) { q = Identity (states) }",
        "of the type tensor.string.: use tensor.float.",
    ),
    "text for an output": (
        "(float[b, 6] states) => (string[b, 6] q) { q = Cast <to = 8> (states) }",
        "has texts, which are not read: a network computes with numbers",
    ),
    "a sequence": (
        "(float[b, 6] states) => (seq(float[n, 6]) q) { q = SplitToSequence <axis = 0> (states) }",
        "has the operator SplitToSequence, which is not read: docs/networks.md lists those that are",
    ),
    "whole numbers for parts of one": (
        "(int64[b, 6] scaled_planes) => (int64[b, 6] q) { q = Identity (scaled_planes) }",
        "an input 'scaled_planes' of the type tensor.int64.: use tensor.float.",
    ),
    "symbols of another puzzle": (
        "(float[b, 6] symbol_planes) => (float[b, 6] q) { q = Identity (symbol_planes) }",
        "does not fit tiles-2x3: tiles-2x3 has no symbols",
    ),
    "no number": (
        SUM + f"{{ {ADD_UP} zero = Sub (sum, sum) cost_to_go = Div (zero, zero) }}",
        "'cost_to_go' is infinite or no number",
    ),
    "an infinite number": (
        SUM.replace("float[batch] c", "double[batch] c")
        + f"{{ {ADD_UP} wide = Cast <to = 11> (sum) large = Exp (wide) cost_to_go = Exp (large) }}",
        "'cost_to_go' is infinite or no number",
    ),
    "an operator of its own": (SUM + "{ cost_to_go = own.Evil (states) }", "the operator own:Evil, which is not read"),
    "two inputs of one name": (
        "(float[b, 6] states, float[b, 6] states) => (float[b, 6] q) { q = Identity (states) }",
        "ONNX Runtime cannot load it: .*Duplicate",
    ),
    "more memory than there is": (
        SUM.replace("{1}>", "{1}, int64[1] many = {10000000000}>")
        + f"{{ {ADD_UP} all = ConstantOfShape (many) max = ReduceMax (all) cost_to_go = Add (sum, max) }}",
        "it needs more than 2 GiB of memory",
    ),
    "an operator with memory of its own": (
        SUM + f"{{ {ADD_UP} each = Unique (sum) max = ReduceMax (each) cost_to_go = Add (sum, max) }}",
        "has the operator Unique, which is not read",
    ),
    "a loop": (ENDLESS, "has the operator Loop, which is not read"),
    "a text as a constant": (
        SUM
        + f'{{ {ADD_UP} text = Constant <value_string = "7"> () n = Cast <to = 1> (text) cost_to_go = Add (sum, n) }}',
        "has texts, which are not read",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_does_not_fit_is_refused(load, capfd, kind) -> None:
    text, words = REFUSED[kind]
    with pytest.raises(BadFile, match=words):
        load(text)
    assert capfd.readouterr() == ("", "")  # ONNX Runtime writes to standard error itself


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it has no graph"),
        (b"<html><body>404</body></html>" * 9, "is no network in the ONNX format, or damaged"),
        (np.random.default_rng(0).bytes(5000), "is no network in the ONNX format, or damaged"),
        (b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "a field ends after its message"),
        (b"\x80" * 99, "a number does not end"),
    ],
)
def test_what_is_no_network_is_refused(load, data, words) -> None:
    with pytest.raises(BadFile, match=words):
        load(data)


def test_names_that_are_no_unicode_are_refused(load) -> None:
    content = model_of(SUM + COUNT).SerializeToString()
    for name in (b"states", b"ReduceSum", b"cost_to_go"):
        assert name in content
        with pytest.raises(BadFile, match=r"or damaged|has an input|has the o(utputs|perator)"):
            load(content.replace(name, b"\xe1" + name[1:]))


def test_a_pipe_in_the_place_of_a_network_or_of_its_card_is_refused(tmp_path) -> None:
    (tmp_path / "copy.onnx").write_bytes(SHIPPED.read_bytes())
    for name in ("pipe.onnx", "copy.json"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(BadFile, match=f"{name} is a (pipe|device), not a file"):
            onnx_model.load((tmp_path / name).with_suffix(".onnx"), registry.load("tiles-3x3"))


def test_what_is_no_file_or_too_large_is_refused(tmp_path) -> None:
    with pytest.raises(BadFile, match="there is no such file"):
        onnx_model.load(tmp_path / "none.onnx", TILES)
    (tmp_path / "folder.onnx").mkdir()
    with pytest.raises(BadFile, match="Is a directory"):
        onnx_model.load(tmp_path / "folder.onnx", TILES)
    with (tmp_path / "large.onnx").open("wb") as file:
        file.truncate(3 << 30)  # no bytes of it are on the disk
    with pytest.raises(BadFile, match="is larger than 512 MiB"):
        onnx_model.load(tmp_path / "large.onnx", TILES)


@pytest.mark.parametrize("dims", [[10**6, 10**6], [2**31, 2**31, 4], [-4], [5]])
def test_weights_that_are_shorter_than_they_say_are_refused(load, dims) -> None:
    tensor = TensorProto(data_type=TensorProto.FLOAT, dims=dims, raw_data=bytes(16))
    with pytest.raises(BadFile, match="ONNX Runtime cannot load it"):
        load(with_initializer(tensor))


def test_functions_are_refused(load) -> None:
    """Each of thirty functions calls the one before twice: evaluated, the graph has a billion operators."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model = model_of(SUM + "{ twice = own.F29 (states) cost_to_go = ReduceSum <keepdims = 0> (twice, axis) }")
    for number in range(30):
        name, domain = (f"F{number - 1}", "own") if number else ("Identity", "")
        nodes = [helper.make_node(name, [a], [b], domain=domain) for a, b in (("x", "inner"), ("inner", "y"))]
        model.functions.append(helper.make_function("own", f"F{number}", ["x"], ["y"], nodes, opsets))
    with pytest.raises(BadFile, match="has functions of its own, which are not read"):
        load(model)


def test_texts_are_refused_wherever_they_stand(load) -> None:
    texts = TensorProto(data_type=TensorProto.STRING, dims=[1], string_data=[b"7"])
    with pytest.raises(BadFile, match="has texts"):
        load(with_initializer(texts))
    for attribute in (
        helper.make_attribute("value", texts),
        helper.make_attribute("value_strings", ["7"]),
        helper.make_attribute("to", TensorProto.STRING),
        helper.make_attribute("to", TensorProto.STRING + (1 << 32)),  # the same number in 32 bits
    ):
        model = model_of(SUM + COUNT)
        operator = "Cast" if attribute.name == "to" else "Constant"
        model.graph.node.append(onnx.NodeProto(op_type=operator, output=["text"], attribute=[attribute]))
        with pytest.raises(BadFile, match="has texts"):
            load(model)


def test_sparse_weights_are_refused(load) -> None:
    """A few bytes of them become an array of any size."""
    numbers, places = (helper.make_tensor(name, kind, [1], [1]) for name, kind in (("w", 1), ("p", 7)))
    sparse = helper.make_sparse_tensor(numbers, places, [10**9])
    model = model_of(SUM + COUNT)
    model.graph.sparse_initializer.append(sparse)
    with pytest.raises(BadFile, match="has sparse weights, which are not read"):
        load(model)
    model = model_of(SUM + COUNT)
    model.graph.node.append(helper.make_node("Constant", [], ["w"], sparse_value=sparse))
    with pytest.raises(BadFile, match="has sparse weights, which are not read"):
        load(model)


def test_a_graph_in_any_operator_is_refused(load) -> None:
    model = model_of(SUM + COUNT)
    model.graph.node[0].attribute.append(helper.make_attribute("body", model_of(SUM + COUNT).graph))
    with pytest.raises(BadFile, match="has a loop or a branch, which are not read"):
        load(model)


@pytest.mark.parametrize(
    "hidden",
    [
        b"\x3a\x09\x0a\x07\x22\x05Evil!",  # one more graph, which is a part of the first one
        b"\xba\x80\x80\x80\x80\x01\x00",  # the number of its field has 33 bits
    ],
)
def test_a_file_is_read_as_onnx_runtime_reads_it(load, hidden) -> None:
    with pytest.raises(BadFile, match="has the operator Evil!, which is not read|no field with so large a number"):
        load(model_of(SUM + COUNT).SerializeToString() + hidden)


def test_a_graph_has_a_bounded_number_of_parts(load, monkeypatch) -> None:
    monkeypatch.setattr(protocol_buffers, "MOST_PARTS", 1000)
    lines = " ".join(f"x{number + 1} = Abs (x{number})" for number in range(300))
    with pytest.raises(BadFile, match="it has more than 1,000 parts"):
        load(SUM + f"{{ x0 = Abs (states) {lines} cost_to_go = ReduceSum <keepdims = 0> (x300, axis) }}")


def test_the_operators_are_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "networks.md").read_text(encoding="utf-8")
    assert set(text.partition("The operators are ")[2].partition(".\n")[0].replace(",", "").split()) == OPERATORS


# --- time -------------------------------------------------------------------------------------------------------------


def test_the_time_limit_stops_the_call(monkeypatch) -> None:
    stopped = threading.Event()
    monkeypatch.setattr(onnx_limits, "SECONDS", 0.01)
    with pytest.raises(BadFile, match="a test takes more than 0.01 seconds"):
        onnx_limits.within_time(stopped.wait, "a test", stopped.set)
    assert stopped.is_set()


def test_what_a_call_returns_or_raises_is_passed_on() -> None:
    assert onnx_limits.within_time(lambda: 5, "a test") == 5
    with pytest.raises(KeyError):
        onnx_limits.within_time(lambda: {}["missing"], "a test")


def test_ctrl_c_stops_the_call() -> None:
    stopped = threading.Event()

    def call() -> None:
        _thread.interrupt_main()
        stopped.wait()

    with pytest.raises(KeyboardInterrupt):
        onnx_limits.within_time(call, "a test", stopped.set)
    assert stopped.is_set()


# --- networks of puzzlelab that are not what they say -----------------------------------------------------------------


def forged(model: onnx.ModelProto, **changes: object) -> bytes:
    """A network of the package with another program or description, and with the right checksum."""
    shipped = onnx.load_model(SHIPPED)
    text = next(entry.value for entry in shipped.metadata_props if entry.key == KEY)
    description = onnx_model.Description.model_validate_json(text).model_dump()
    for name, value in changes.items():
        part = "card" if name in description["card"] else "form"
        description[part][name] = value
    del model.metadata_props[:]
    model.producer_name = PRODUCER
    entry = model.metadata_props.add()
    entry.key, entry.value = KEY, json.dumps(description)
    return sealed(model.SerializeToString())


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"heads": ["policy", "q"]}, "is not the network that its description names"),
        ({"inputs": ["planes", "states"]}, "is not the network that its description names"),
        ({"inputs": []}, "its description cannot be read"),
        ({"heads": []}, "its description cannot be read"),
        ({"batch_size": 10**12}, "its description cannot be read"),
        ({"batch_size": 0}, "its description cannot be read"),
        ({"name": "../../other"}, "is not the network that its description names"),
        ({"puzzle": "nothing-3x3"}, "there is no puzzle"),
        ({"puzzle": "tiles-4x4"}, "cannot be evaluated: Got invalid dimensions for input: planes"),
        ({"policy": "cells"}, "has no cells that get a digit each"),
        ({"residual_over": "none"}, "there is no estimate of tiles-3x3 'none'"),
    ],
)
def test_a_forged_description_is_refused(load, changes, words) -> None:
    with pytest.raises(BadInput, match=words):
        used(load(forged(onnx.load_model(SHIPPED), **changes)))


def used(model) -> None:
    """Use a network as searches do."""
    states = model.puzzle.goals()[:1]
    model.prior().scores(states)
    model.estimate().scores(states)


def test_a_forged_network_cannot_have_a_loop(load) -> None:
    with pytest.raises(BadFile, match="has the operator Loop, which is not read"):
        load(forged(model_of(ENDLESS), inputs=["states"], heads=["cost_to_go"], puzzle="tiles-2x3"))


def test_a_forged_network_has_the_outputs_of_its_puzzle(load) -> None:
    text = "(float[b, 6] states) => (float[b, 6] policy) { policy = Identity (states) }"
    model = load(forged(model_of(text), inputs=["states"], heads=["policy"], puzzle="tiles-2x3"))
    with pytest.raises(BadFile, match=r"'policy' has the shape \[1, 6\] for 1 boards, not \[1, 4\]"):
        model.prior().scores(TILES.goals()[0][None])


def test_every_kind_of_input_and_output_is_described() -> None:
    assert INPUT_MEANINGS.keys() == INPUTS.keys()
    assert set(OUTPUT_MEANINGS) == set(get_args(Head))


def test_every_kind_of_input_has_types_that_hold_it() -> None:
    assert all(set(onnx_model.UNFIT.get(name, ())) < set(onnx_model.TYPES) for name in INPUTS)


# --- cards ---

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
