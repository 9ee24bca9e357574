"""Networks in files of the ONNX format: the program for ONNX Runtime, and in the metadata what it is.

A file of puzzlelab has a metadata entry `puzzlelab`, the network's form and card as JSON, and ends with a checksum of
all bytes before, which is a metadata entry too. A file of another program has neither: the names of its inputs and
outputs say what it reads and answers (see `nets/form.py`).

A file is data. Operators of others are unknown here, and the contents of other files are never read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as errors
from pydantic import BaseModel, ConfigDict, ValidationError

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.nets.card import Card
from puzzlelab.nets.form import INPUTS, Head, NetworkForm, Outputs

SUFFIX = ".onnx"
KEY = PRODUCER = "puzzlelab"
"""The metadata entry that files of puzzlelab have, and the program that they name as their origin."""
SEAL = b"\x72\x4a\x0a\x06sha256\x12\x40"
"""The beginning of a metadata entry `sha256` with 64 characters, as bytes of the format (protocol buffers)."""
DIGITS = 64
LARGEST = 2**31 - 1
"""Bytes of a file: the format has no larger ones without further files."""
FOREIGN_BATCH = 256
"""States that a network of another program evaluates at once."""
TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(int16)": np.int16,
    "tensor(uint8)": np.uint8,
    "tensor(int8)": np.int8,
    "tensor(bool)": np.bool_,
}
"""Types of inputs that are filled; the arrays are converted to them."""
RUNTIME_ERRORS: tuple[type[Exception], ...] = (
    RuntimeError,
    *(each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)),
)
"""What ONNX Runtime raises; its errors have no common class."""


class Description(BaseModel):
    """The metadata of a network of puzzlelab."""

    model_config = ConfigDict(frozen=True)

    form: NetworkForm
    card: Card


@dataclass(frozen=True, eq=False)
class OnnxNetwork:
    """A network that is loaded into ONNX Runtime; `card` is None for one of another program."""

    form: NetworkForm
    name: str
    """The hash of the weights, or of the file of another program: 16 hexadecimal digits."""
    session: onnxruntime.InferenceSession
    card: Card | None = None

    def evaluate(self, inputs: Sequence[NDArray[Any]]) -> Outputs:
        """The outputs for arrays of the kinds `form.inputs`, each with one row for each of B states.

        Raises `BadFile` where the network cannot be evaluated.
        """
        feed: dict[str, NDArray[Any]] = {
            node.name: np.ascontiguousarray(array, TYPES[node.type])
            for node, array in zip(self.session.get_inputs(), inputs, strict=True)
        }
        try:
            outputs = self.session.run(self.form.heads, feed)
        except RUNTIME_ERRORS as error:
            raise BadFile(f"the network {self.name} cannot be evaluated: {reason_of(error)}") from None
        return {name: np.asarray(output, np.float32) for name, output in zip(self.form.heads, outputs, strict=True)}


def read(path: Path) -> OnnxNetwork:
    """Read a network; raises `BadFile` for a file that is damaged, too large, or no network."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise BadFile(f"cannot read {path}: there is no such file") from None
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from None
    if len(data) > LARGEST:
        raise BadFile(f"{path} is larger than 2 GB: the format has no such files")
    return read_bytes(data, path)


def read_bytes(data: bytes, path: Path) -> OnnxNetwork:
    """As `read`, from the content of a file; `path` is what errors name."""
    whole = is_sealed(data)
    damaged = BadFile(f"{path} is damaged: its checksum does not agree")
    if not whole and data[-len(SEAL) - DIGITS :].startswith(SEAL):
        raise damaged
    session = _session(data, path)
    facts = session.get_modelmeta()
    text = facts.custom_metadata_map.get(KEY)
    if text is None and facts.producer_name != PRODUCER:
        return OnnxNetwork(_form_of(session, path), hashlib.sha256(data).hexdigest()[:16], session)
    if text is None or not whole:
        raise damaged
    try:
        description = Description.model_validate_json(text)
    except ValidationError:
        raise BadFile(f"{path} was written by another version of puzzlelab: its description cannot be read") from None
    return OnnxNetwork(description.form, description.card.name, session, description.card)


def sealed(data: bytes) -> bytes:
    """The content of a file with its checksum at the end."""
    return data + SEAL + hashlib.sha256(data).hexdigest().encode()


def is_sealed(data: bytes) -> bool:
    """Whether the content of a file ends with its checksum."""
    return sealed(data[: -len(SEAL) - DIGITS]) == data


def reason_of(error: BaseException) -> str:
    """The sentence in an error of ONNX Runtime, without its codes and the places in its source."""
    text = re.sub(r"^\[ONNXRuntimeError\] : \d+ : \w+ : ", "", str(error))
    return shorten(re.sub(r"\S+\.(cc|h):\d+ |\s+", " ", text).strip(), 200)


def _session(data: bytes, path: Path) -> onnxruntime.InferenceSession:
    """The program of a file; raises `BadFile`."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are raised
    # The folder in which further files would be looked for: no file is a folder, so none can be read.
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(path.absolute()))
    wanted = ("CUDAExecutionProvider", "CPUExecutionProvider")
    providers = [name for name in wanted if name in onnxruntime.get_available_providers()]
    try:
        return onnxruntime.InferenceSession(data, options, providers=providers)
    except RUNTIME_ERRORS as error:
        text = reason_of(error)
        if "xternal data" in text:
            raise BadFile(f"{path} keeps weights in further files, which are not read: export it as one file") from None
        raise BadFile(f"{path} is no network in the ONNX format, or damaged: {text}") from None


def _form_of(session: onnxruntime.InferenceSession, path: Path) -> NetworkForm:
    """The form of another program's network, from the names of its inputs and outputs; raises `BadFile`."""
    inputs, outputs = session.get_inputs(), session.get_outputs()
    for node in inputs:
        if node.name not in INPUTS:
            raise BadFile(f"{path} has an input '{shorten(node.name)}': name each one of {', '.join(INPUTS)}")
        if node.type not in TYPES:
            raise BadFile(f"{path} has an input '{node.name}' of the type {node.type}, which has no numbers")
    heads = tuple(node.name for node in outputs if node.name in get_args(Head))
    if not inputs or not heads:
        names = ", ".join(shorten(node.name) for node in outputs[:5]) or "none"
        raise BadFile(f"{path} has the outputs {names}: name one or more {', '.join(get_args(Head))}")
    kinds = tuple(node.name for node in inputs)
    return NetworkForm(inputs=kinds, heads=heads, batch_size=FOREIGN_BATCH)
