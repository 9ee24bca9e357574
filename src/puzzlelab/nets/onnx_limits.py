"""Limits for networks of the ONNX format, of unknown authors: on memory, on time, and on what a graph may hold.

ONNX Runtime takes the arrays of all networks of a process from one arena, which does not grow above `MOST_MEMORY`.
`check_graph` refuses what takes other memory, or makes a graph larger than its file: texts, sparse weights, loops,
branches, functions, and operators that usual networks do not have. It reads the file before ONNX Runtime does; the
numbers of the fields are those of onnx.proto, for which the package `onnx` is not needed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as errors

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.nets.protocol_buffers import Field, all_parts, fields_of

Result = TypeVar("Result")

MOST_MEMORY = 2 << 30
"""Bytes of the weights and arrays of all networks of a process."""
MOST_FOLDED = 1 << 26
"""Bytes of an array that is computed while a network is loaded, and kept outside of the arena."""
SECONDS = 60.0
"""The time in which a network must be loaded, and in which one of another program must evaluate a batch."""
FATAL = 4
"""The level at which ONNX Runtime writes to standard error; it raises errors."""
RUNTIME_ERRORS: tuple[type[Exception], ...] = (
    RuntimeError,
    UnicodeDecodeError,
    *(each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)),
)
"""The errors that ONNX Runtime raises, also for names that are no Unicode; they have no common class."""

NAMES = """
Abs Add And ArgMax ArgMin Attention AveragePool BatchNormalization Cast CastLike Ceil Celu Clip Concat Constant
ConstantOfShape Conv ConvInteger ConvTranspose Cos CumSum DepthToSpace DequantizeLinear Div Dropout
DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor Gather GatherElements GatherND Gelu Gemm
GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual GroupNormalization HardSigmoid HardSwish Identity
InstanceNormalization IsInf IsNaN LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax LpNormalization MatMul
MatMulInteger Max MaxPool Mean Min Mish Mod Mul Neg Not OneHot Or PRelu Pad Pow QLinearConv QLinearMatMul
QuantizeLinear RMSNormalization Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean
ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape RotaryEmbedding Round ScatterElements ScatterND Selu Shape
Sigmoid Sign Sin Size Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Swish Tanh
ThresholdedRelu Tile Transpose Trilu Unsqueeze Where Xor
"""
OPERATORS = frozenset(NAMES.split())
"""The operators that a network may have."""
DOMAINS = frozenset(("", "ai.onnx"))
"""The names of the set that these operators are of."""

GRAPH, FUNCTIONS = 7, 25
"""Fields of a model."""
NODE, WEIGHT, SPARSE_WEIGHT = 1, 5, 15
"""Fields of a graph."""
OPERATOR, ATTRIBUTE, DOMAIN = 4, 5, 7
"""Fields of a node."""
NUMBER, TEXTS, TENSORS, SUBGRAPHS, SPARSE_VALUES = 3, (4, 9), (5, 10), (6, 11), (22, 23)
"""Fields of an attribute."""
TENSOR_TYPE, TENSOR_NAME, EXTERNAL, LOCATION = 2, 8, 13, 14
"""Fields of a tensor: the type of its elements, its name, the place of its content in a further file, and whether it
has such a place.
"""
STRING = 8
"""The type of texts."""
SPARSE = "sparse weights, which are not read: export them as usual ones"


def limited_options() -> onnxruntime.SessionOptions:
    """Return the options of all networks: one thread, no output, no further files, and the arena with a memory
    limit.
    """
    _limit_memory()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = FATAL
    for name, value in {
        "session.use_env_allocators": "1",
        "optimization.constant_folding_max_output_size_in_bytes": str(MOST_FOLDED),
        "session.load_model_format": "ONNX",  # no other format of ONNX Runtime
        # The folder in which further files would be looked for: no device is a folder, so none can be read.
        "session.model_external_initializers_file_folder_path": os.devnull,
    }.items():
        options.add_session_config_entry(name, value)
    return options


@cache
def _limit_memory() -> None:
    onnxruntime.set_default_logger_severity(FATAL)
    arena = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    with suppress(*RUNTIME_ERRORS):  # the program that uses this package has its own arena
        onnxruntime.create_and_register_allocator(arena, onnxruntime.OrtArenaCfg({"max_mem": MOST_MEMORY}))


def within_time(call: Callable[[], Result], task: str, stop: Callable[[], None] = lambda: None) -> Result:
    """Return the result of the call; raises `BadFile` with the name of the `task` after `SECONDS`.

    The call runs in a thread of its own, so that Ctrl-C works while it does. At the end of the time, and after Ctrl-C,
    `stop` asks it to end; it is not waited for.
    """
    results: list[Result] = []
    failures: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            failures.append(error)
        finally:
            ended.set()

    try:
        threading.Thread(target=run, daemon=True, name="network").start()
        in_time = ended.wait(SECONDS)
    except BaseException:
        stop()
        raise
    if not in_time:
        stop()
        raise BadFile(f"{task} takes more than {SECONDS:g} seconds")
    if failures:
        raise failures[0]
    return results[0]


# --- the graph ---


def check_graph(data: bytes, path: Path) -> None:
    """Raise `BadFile` for what is no model, and for a graph that is not of the operators and types above."""
    parts = all_parts()
    try:
        model = list(fields_of(memoryview(data), parts))
        if not any(number == GRAPH for number, _ in model):
            raise ValueError("it has no graph")
        if any(number == FUNCTIONS for number, _ in model):
            raise _refusal(path, "functions of its own, which are not read: inline them (onnx.inliner)")
        for field, part in (each for number, graph in model if number == GRAPH for each in fields_of(graph, parts)):
            if field == NODE:
                _check_node(part, parts, path)
            elif field == WEIGHT:
                _check_tensor(part, parts, path)
            elif field == SPARSE_WEIGHT:
                raise _refusal(path, SPARSE)
    except ValueError as error:
        raise damaged(path, error) from None


def damaged(path: Path, reason: object) -> BadFile:
    """Return the error about a file that is no message of the format."""
    return BadFile(f"{path} is no network in the ONNX format, or damaged: {reason}")


def is_external(number: int, value: Field) -> bool:
    """Tell whether a field of a tensor says that its content is in a further file."""
    return number == LOCATION and value != 0


def _refusal(path: Path, contents: str) -> BadFile:
    return BadFile(f"{path} has {contents}")


def _check_node(node: Field, parts: Iterator[int], path: Path) -> None:
    """Raise `BadFile` for another operator, and for attributes that are graphs, texts of a constant or sparse."""
    fields = list(fields_of(node, parts))
    operators = {_text(part) for number, part in fields if number == OPERATOR}
    domains = {_text(part) for number, part in fields if number == DOMAIN}
    if not (operators <= OPERATORS and domains <= DOMAINS):
        name = ":".join(filter(None, map(" ".join, (domains, operators))))
        raise _refusal(path, f"the operator {shorten(name)}, which is not read: docs/networks.md lists those that are")
    for number, value in (field for key, part in fields if key == ATTRIBUTE for field in fields_of(part, parts)):
        if number in SUBGRAPHS:
            raise _refusal(path, "a loop or a branch, which are not read")
        if number in SPARSE_VALUES:
            raise _refusal(path, SPARSE)
        if number in TENSORS:
            _check_tensor(value, parts, path)
        if (number in TEXTS and "Constant" in operators) or (number == NUMBER and "Cast" in operators):
            _check_type(STRING if number in TEXTS else value, path)


def _check_tensor(tensor: Field, parts: Iterator[int], path: Path) -> None:
    """Raise `BadFile` for a tensor of texts, and for one whose content is in a further file."""
    for number, value in fields_of(tensor, parts):
        if is_external(number, value):
            raise _refusal(path, "weights in a further file, where they are not read: export it as one file")
        if number == TENSOR_TYPE:
            _check_type(value, path)


def _check_type(number: Field, path: Path) -> None:
    """Raise `BadFile` for the type of texts, as ONNX Runtime reads the number: by its last 32 bits."""
    if isinstance(number, int) and number & 0xFFFFFFFF == STRING:
        raise _refusal(path, "texts, which are not read: a network computes with numbers")


def _text(part: Field) -> str:
    return "" if isinstance(part, int) else bytes(part).decode(errors="replace")
