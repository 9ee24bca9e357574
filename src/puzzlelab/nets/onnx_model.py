"""Networks in files of the ONNX format, which ONNX Runtime evaluates: the program, what it is, and its use by searches.

A file of puzzlelab has a metadata entry `puzzlelab`, the network's form and card as JSON, and ends with a checksum of
all bytes before, which is a metadata entry too. A file of another program has neither: the names of its inputs and
outputs say what it reads and answers (see `nets/form.py`).

A file is data, and operators of others are unknown here. Weights in a file beside it are read by `onnx_weights.py`;
no other file ever is. `exporting.py` writes these files.

Shapes: B = states, M = number of moves.
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
from pydantic import BaseModel, ConfigDict, ValidationError

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadInput, PuzzlelabError, shorten
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.nets.card import CARD, ONNX, Card, file_of, read_card
from puzzlelab.nets.form import INPUTS, Head, InputName, NetworkForm, Outputs, some_state
from puzzlelab.nets.model import Model
from puzzlelab.nets.onnx_limits import (
    FATAL,
    MOST_MEMORY,
    RUNTIME_ERRORS,
    check_graph,
    limited_options,
    within_time,
)
from puzzlelab.nets.onnx_weights import read_whole

KEY = PRODUCER = "puzzlelab"
"""The metadata entry that files of puzzlelab have, and the program that they name as their origin."""
SEAL = b"\x72\x4a\x0a\x06sha256\x12\x40"
"""The beginning of a metadata entry `sha256` with 64 characters, as bytes of the format (protocol buffers)."""
DIGITS = 64
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
FLOATS = tuple(each for each, kind in TYPES.items() if issubclass(kind, np.floating))
NARROW = "tensor(uint8)", "tensor(int8)", "tensor(bool)"
"""Types that do not hold all numbers of a move or of a cell."""
UNFIT: dict[InputName, tuple[str, ...]] = {
    "scaled_planes": tuple(each for each in TYPES if each not in FLOATS),
    "output_index": NARROW,
    "states": NARROW[1:],
}
"""Kind of input -> the types that would change its numbers."""
OUT_OF_MEMORY = "is smaller than requested bytes"
"""The text of ONNX Runtime's error when the arena may not grow."""
NAME = re.compile(r"[0-9a-f]{16}")
"""The name of a network: the hash of its weights, or of the file of another program."""


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
    """The hash of the weights, or of the file of another program with all its weights: 16 hexadecimal digits."""
    session: onnxruntime.InferenceSession
    card: Card | None = None

    def evaluate(self, inputs: Sequence[NDArray[Any]]) -> Outputs:
        """Return the outputs for arrays of the kinds `form.inputs`, each with one row for each of B states.

        Raises `BadFile` where the network cannot be evaluated. The time of a network of another program is limited.
        """
        feed: dict[str, NDArray[Any]] = {
            node.name: np.ascontiguousarray(array, TYPES[node.type])
            for node, array in zip(self.session.get_inputs(), inputs, strict=True)
        }
        heads = self.form.heads
        try:
            outputs = self.session.run(heads, feed) if self.card else self._run_limited(feed)
        except RUNTIME_ERRORS as error:
            raise BadFile(f"the network {self.name} cannot be evaluated: {reason_of(error)}") from None
        with np.errstate(over="ignore"):  # of a number that float32 does not hold: it is infinite
            return {name: np.asarray(output, np.float32) for name, output in zip(heads, outputs, strict=True)}

    def _run_limited(self, feed: dict[str, NDArray[Any]]) -> list[Any]:
        """Return the outputs, in a thread of its own; raises `BadFile` after too long a time."""
        options = onnxruntime.RunOptions()
        options.log_severity_level = FATAL

        def outputs() -> list[Any]:
            return list(self.session.run(self.form.heads, feed, options))

        def stop() -> None:
            options.terminate = True

        return within_time(outputs, f"a batch of the network {self.name}", stop)


def read(path: Path) -> OnnxNetwork:
    """Read a network; raises `BadFile` for a file that is damaged, too large, or no network."""
    return read_bytes(read_whole(path), path)


def read_bytes(data: bytes, path: Path) -> OnnxNetwork:
    """Read a network from the content of one whole file, as `read` does; `path` is what errors name."""
    try:
        return _read_bytes(data, path)
    except UnicodeDecodeError:  # ONNX Runtime does not look at the names in a file
        raise BadFile(f"{path} is no network in the ONNX format, or damaged: a name is no Unicode") from None


def _read_bytes(data: bytes, path: Path) -> OnnxNetwork:
    whole = is_sealed(data)
    damaged = BadFile(f"{path} is damaged: its checksum does not agree")
    if not whole and data[-len(SEAL) - DIGITS :].startswith(SEAL):
        raise damaged
    session = within_time(lambda: _session(data, path), f"loading {path}")
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
    _check_description(description, session, path)
    return OnnxNetwork(description.form, description.card.name, session, description.card)


def _check_description(description: Description, session: onnxruntime.InferenceSession, path: Path) -> None:
    """Raise `BadFile` unless the network is as its metadata says."""
    form, inputs = description.form, session.get_inputs()
    outputs = {node.name: node.type for node in session.get_outputs()}
    if (
        tuple(node.name for node in inputs) != form.inputs
        or any(node.type not in TYPES for node in inputs)
        or any(outputs.get(head) not in TYPES for head in form.heads)
        or not NAME.fullmatch(description.card.name)
    ):
        raise BadFile(f"{path} is not the network that its description names")


def sealed(data: bytes) -> bytes:
    """Return the content of a file with its checksum at the end."""
    return data + SEAL + hashlib.sha256(data).hexdigest().encode()


def is_sealed(data: bytes) -> bool:
    """Tell whether the content of a file ends with its checksum."""
    return sealed(data[: -len(SEAL) - DIGITS]) == data


def reason_of(error: BaseException) -> str:
    """Return the sentence in an error of ONNX Runtime, without its codes and the places in its source."""
    text = " ".join(str(error).split())
    if OUT_OF_MEMORY in text:
        return f"it needs more than {MOST_MEMORY >> 30} GiB of memory"
    text = re.split(r"\[ONNXRuntimeError\] : \d+ : \w+ : |Status Message: |was false\. ", text)[-1]
    text = re.sub(r".*::~?\w+\([^()]*\) |\S+\.(cc|h):\d+ (\w{16,} )?", "", text)  # a function of its source
    return shorten(text.rstrip(" ."), 200)


def _session(data: bytes, path: Path) -> onnxruntime.InferenceSession:
    """Return the program of a file; raises `BadFile`."""
    check_graph(data, path)
    wanted = ("CUDAExecutionProvider", "CPUExecutionProvider")
    providers = [name for name in wanted if name in onnxruntime.get_available_providers()]
    try:
        return onnxruntime.InferenceSession(data, limited_options(), providers=providers, enable_fallback=0)
    except RUNTIME_ERRORS as error:
        raise BadFile(f"{path} is damaged, or ONNX Runtime cannot load it: {reason_of(error)}") from None


def _form_of(session: onnxruntime.InferenceSession, path: Path) -> NetworkForm:
    """Return the form of another program's network, from the names of its inputs and outputs; raises `BadFile`."""
    inputs, outputs = session.get_inputs(), session.get_outputs()
    for node in inputs:
        if node.name not in INPUTS:
            raise BadFile(f"{path} has an input '{shorten(node.name)}': name each one of {', '.join(INPUTS)}")
        if node.type not in TYPES or node.type in UNFIT.get(node.name, ()):
            raise BadFile(f"{path} has an input '{node.name}' of the type {node.type}: use tensor(float)")
        if node.shape and isinstance(node.shape[0], int):
            raise BadFile(
                f"{path} takes {node.shape[0]} boards at once, neither more nor fewer: export it with a dynamic first "
                "dimension (dynamic_shapes or dynamic_axes of torch.onnx.export)"
            )
    heads = tuple(node.name for node in outputs if node.name in get_args(Head))
    if not inputs or not heads:
        names = ", ".join(shorten(node.name) for node in (outputs if inputs else inputs)[:5]) or "none"
        kind, known = ("outputs", get_args(Head)) if inputs else ("inputs", tuple(INPUTS))
        raise BadFile(f"{path} has the {kind} {names}: name one or more {', '.join(known)}")
    for node in outputs:
        if node.name in heads and node.type not in TYPES:
            raise BadFile(f"{path} has an output '{node.name}' of the type {node.type}: use tensor(float)")
    if len(set(heads)) < len(heads):
        raise BadFile(f"{path} has two outputs with one name")
    return NetworkForm(inputs=tuple(node.name for node in inputs), heads=heads, batch_size=FOREIGN_BATCH)


# --- for a puzzle ---


@dataclass(frozen=True, eq=False)
class OnnxModel(Model):
    """A network for a puzzle, evaluated by ONNX Runtime."""

    network: OnnxNetwork

    @property
    def form(self) -> NetworkForm:
        """Its inputs and outputs."""
        return self.network.form

    @property
    def name(self) -> str:
        """The hash of its weights, or of its file if that is another program's."""
        return self.network.name

    @property
    def values_count_moves(self) -> bool:
        """Whether the head `q` predicts the negative number of moves to the goal: a foreign network must."""
        return self.network.card is None or self.network.card.values_count_moves

    def evaluate(self, inputs: Sequence[NDArray[Any]]) -> Outputs:
        """Return the outputs of the layers for arrays of the kinds `form.inputs`.

        Raises `BadFile` for outputs of another shape, and for those that are not finite, which no search could order.
        """
        outputs, count = self.network.evaluate(inputs), len(inputs[0])
        for name, values in outputs.items():
            is_value = name == "cost_to_go"
            if is_value and values.shape == (count, 1):
                outputs[name] = values = values[:, 0]
            expected = (count,) if is_value else (count, self.puzzle.move_count)
            if values.shape != expected:
                raise BadFile(
                    f"the network {self.name} does not fit {self.puzzle.name}: its output '{name}' has the shape "
                    f"{_shape(values.shape)} for {count} boards, not {_shape(expected)}"
                )
            if not (values < np.inf if name == "q" else np.isfinite(values)).all():  # -inf is a move never to be made
                raise BadFile(f"the network {self.name} cannot be used: its output '{name}' is infinite or no number")
        return outputs


def load(path: Path, puzzle: Puzzle | None = None) -> tuple[OnnxModel, Card | None]:
    """Load a network, from the path of one of its files or from their stem; raises `BadFile`.

    A network of puzzlelab is for the puzzle on its card. One of another program has no card, and is for `puzzle`.
    """
    file = file_of(path, ONNX)
    network = read(file)
    card = card_of(path, network)
    if card is not None:
        try:
            return OnnxModel(registry.load(card.puzzle), network), card
        except BadInput as error:
            raise BadFile(f"{file_of(path, CARD).name}: {error}") from None
    if puzzle is None:
        raise BadFile(f"{file} was not written by puzzlelab, so it does not say for which puzzle it is")
    return fitted(puzzle, network, file), None


def card_of(path: Path, network: OnnxNetwork) -> Card | None:
    """Return the card beside a network, or else in it; None for a network of another program.

    Raises `BadFile` for a card that describes another network, or is damaged. Beside a network of another program may
    lie a JSON file that is no card.
    """
    file = file_of(path, CARD)
    if not file.exists():
        return network.card
    try:
        card = read_card(file)
    except BadFile:
        if network.card is None:
            return None
        raise
    card.check_hash(network.name, file_of(path, ONNX))
    if network.card is not None and network.card.puzzle != card.puzzle:
        raise BadFile(f"{file} is for {card.puzzle}, and the network beside it for {network.card.puzzle}")
    return card


def fitted(puzzle: Puzzle, network: OnnxNetwork, path: Path) -> OnnxModel:
    """Fit another program's network to this puzzle; raises `BadFile` if its inputs or outputs do not fit."""
    model = OnnxModel(puzzle, network)
    state = some_state(puzzle)
    try:
        inputs, _ = model.inputs(state[None])
    except PuzzlelabError as error:
        raise BadFile(f"{path} does not fit {puzzle.name}: {error}") from None
    for node, array in zip(network.session.get_inputs(), inputs, strict=True):
        expected = ("batch", *array.shape[1:])
        shape = tuple(node.shape)
        if len(shape) != len(expected) or any(
            isinstance(size, int) and size != own for size, own in zip(shape[1:], expected[1:], strict=True)
        ):
            raise BadFile(
                f"{path} does not fit {puzzle.name}: its input '{node.name}' has the shape {_shape(shape)}, "
                f"not {_shape(expected)}"
            )
    for count in (1, 3):
        try:
            model.outputs(np.repeat(state[None], count, axis=0))
        except BadFile as error:
            raise BadFile(f"{path}: {error}") from None
    return model


def _shape(sizes: Sequence[object]) -> str:
    return f"[{', '.join(map(str, sizes))}]"
