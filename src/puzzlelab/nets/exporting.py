"""Writes networks in the ONNX format, and into files of other programs: as they are kept, or with weights of 8 bits.

The `.onnx` of a network is made of its weights and its card (`checkpoint.py`), by `to_onnx` alone. Only the functions
that make another network import PyTorch and the library `onnx`.

Weights of 8 bits make the products of dense layers faster, and their outputs less exact. The weights use 7 of the bits:
with 8, sums exceed 16 bits on processors without VNNI instructions, and outputs would depend on the processor.
"""

from __future__ import annotations

import copy
import hashlib
import io
import logging
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from puzzlelab.core.errors import BadFile, BadInput, PuzzlelabError
from puzzlelab.nets.card import ONNX, Card, content_of
from puzzlelab.nets.form import NetworkForm, input_arrays, some_state
from puzzlelab.nets.onnx_limits import limited_options
from puzzlelab.nets.onnx_model import KEY, PRODUCER, Description, OnnxModel, read_bytes, sealed
from puzzlelab.runtime import libraries
from puzzlelab.storage.files import replace_file, writing

if TYPE_CHECKING:
    from puzzlelab.nets.torch_model import TorchModel

OPSET = 17
"""The version of the set of operators."""
TOLERANCE = 2e-4, 1e-4
"""The difference that outputs may have from those of PyTorch: absolutely, and as a share of them."""
TRACED, CHECKED = 3, 5
"""Boards with which a network is exported, and with which the result is compared: any number must do."""
PRODUCTS = "MatMul", "Gemm"
"""The operators whose weights get 8 bits."""


def to_onnx(model: TorchModel, card: Card) -> bytes:
    """Return the content of a file for this network, in float32 and for any number of states.

    Raises `PuzzlelabError` if ONNX Runtime does not give the outputs of PyTorch for it.
    """
    import onnx
    import torch

    from puzzlelab.nets.torch_model import TorchModel

    module = copy.deepcopy(model.module).cpu().eval().requires_grad_(False)
    form = model.form
    state = some_state(model.puzzle)[None]
    inputs = tuple(map(torch.from_numpy, input_arrays(model.puzzle, form.inputs, np.repeat(state, TRACED, axis=0))))
    buffer, heads = io.BytesIO(), list(module(*inputs))
    with without_warnings(), _plain_attention():
        torch.onnx.export(
            module,
            inputs,
            buffer,  # type: ignore[arg-type]  # this exporter writes into it
            input_names=list(form.inputs),
            output_names=heads,
            dynamic_axes={str(name): {0: "batch"} for name in (*form.inputs, *heads)},
            do_constant_folding=False,
            opset_version=OPSET,
            dynamo=False,
        )
    data = described(
        onnx.load_model_from_string(buffer.getvalue()),
        form,
        card.model_copy(update={"measured": [], "other_boards": {}}),
    )
    states = np.repeat(state, CHECKED, axis=0)
    outputs = OnnxModel(model.puzzle, read_bytes(data, Path("the exported network"))).outputs(states)
    expected = TorchModel(model.puzzle, model.settings, module, precision="float32").outputs(states)
    if not all(np.allclose(outputs[name], expected[name], TOLERANCE[1], TOLERANCE[0]) for name in expected):
        raise PuzzlelabError("this network cannot be exported to ONNX: its outputs would be others")
    return data


@contextmanager
def _plain_attention() -> Iterator[None]:
    """Avoid PyTorch's fused operator for transformers, which ONNX has no name for."""
    import torch

    enabled = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(enabled)


def described(program: Any, form: NetworkForm, card: Card) -> bytes:
    """Return the content of a file for a program, a model of the package `onnx`, with its description and checksum."""
    program.producer_name, program.producer_version = PRODUCER, ""
    entry = program.metadata_props.add()
    entry.key, entry.value = KEY, Description(form=form, card=card).model_dump_json()
    return sealed(program.SerializeToString(deterministic=True))


# --- files of other programs ---


def write(file: Path, data: bytes) -> None:
    """Write a network into a file; raises `BadFile` for a file of something else.

    The same network is replaced in one step: another version of the libraries may have written it.
    """
    if file.suffix != ONNX:
        raise BadFile(f"{file} has another ending than {ONNX}, by which networks are known: name a file with it")
    if file.exists():
        previous = content_of(file)
        if previous == data:
            return
        if previous and not _is_same_network(previous, data, file):
            raise BadFile(f"{file} exists already, and holds something else: give another name, or remove it first")
    with writing(file):
        replace_file(file, data)


def _is_same_network(previous: bytes, data: bytes, file: Path) -> bool:
    """Tell whether the content of a file is the network of these bytes, as puzzlelab writes it."""
    try:
        network = read_bytes(previous, file)
    except BadFile:
        return False
    return network.card is not None and network.name == read_bytes(data, file).name


def quantised(data: bytes, path: Path) -> bytes:
    """Return a network with weights of 8 bits, from the content of a file; `path` is what errors name.

    The weights of each output of a layer have their own scale; the scale of inputs is computed for each batch. Raises
    `BadInput` without the library `onnx`, and for a network that has no such layer.
    """
    libraries.require("int8", ["onnx"])
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    network = read_bytes(data, path)
    if network.card is not None and network.card.quantised_from:
        raise BadInput(f"{path} has weights of 8 bits already")
    with tempfile.TemporaryDirectory() as name, without_warnings():
        plain, result = Path(name) / f"plain{ONNX}", Path(name) / f"int8{ONNX}"
        options = limited_options()  # folds constants, so that each product has its weights as a constant
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(plain)
        onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        quantize_dynamic(
            plain,
            result,
            op_types_to_quantize=list(PRODUCTS),
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
        program = onnx.load_model(result)
    if not any(node.op_type == "MatMulInteger" for node in program.graph.node):
        raise BadInput(f"{path} has no dense layer, so that int8 would change nothing")
    del program.metadata_props[:]
    if network.card is None:
        return bytes(program.SerializeToString(deterministic=True))
    program.producer_name, program.producer_version = PRODUCER, ""
    name = hashlib.sha256(program.SerializeToString(deterministic=True)).hexdigest()[:16]
    card = network.card.model_copy(update={"name": name, "quantised_from": network.name, "measured": []})
    return described(program, network.form, card)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Hide what exporters advise, such as of traced sizes, or of a preparation that was done: results are compared."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
