"""Limits for networks of the ONNX format, of unknown authors: on memory, on time, and on what a graph may be.

ONNX Runtime takes the memory of all networks of a process from one arena, which does not grow above `MOST_MEMORY`.
Graphs without loops end, but a graph of functions that call each other can be exponentially larger than its file.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import TypeVar

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as errors

from puzzlelab.core.errors import BadFile

Result = TypeVar("Result")

MOST_BYTES = 1 << 29
"""Bytes of a file."""
MOST_MEMORY = 4 << 30
"""Bytes of the weights and arrays of all networks of a process."""
SECONDS = 60.0
"""The time in which a network must be loaded, and in which one of another program must evaluate a batch."""
FATAL = 4
"""The level at which ONNX Runtime writes to standard error; it raises errors."""
RUNTIME_ERRORS: tuple[type[Exception], ...] = (
    RuntimeError,
    UnicodeDecodeError,
    *(each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)),
)
"""What ONNX Runtime raises, also for names that are no Unicode; its errors have no common class."""


def limited_options() -> onnxruntime.SessionOptions:
    """The options of all networks: one thread, no output, no further files, and the arena with the limit on memory."""
    _limit_memory()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = FATAL
    for name, value in {
        "session.use_env_allocators": "1",
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
    """What the call returns; raises `BadFile` with the name of the `task` after `SECONDS`.

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


# --- the graph of a file ----------------------------------------------------------------------------------------------
# The numbers of the fields are those of onnx.proto, which the package `onnx` is not needed for.

GRAPH, FUNCTIONS = 7, 25
"""Fields of a model."""
NODE = 1
"""Field of a graph."""
ATTRIBUTE = 5
"""Field of a node."""
SUBGRAPH, SUBGRAPHS = 6, 11
"""Fields of an attribute."""


def has_functions(data: bytes) -> bool:
    """Whether a model defines operators of its own as functions; raises `ValueError` for damaged data."""
    return any(number == FUNCTIONS for number, _ in _fields(memoryview(data)))


def has_subgraphs(data: bytes) -> bool:
    """Whether an operator of a model, such as Loop or If, has a graph of its own; raises `ValueError`."""
    for graph in _parts(memoryview(data), GRAPH):
        for node in _parts(graph, NODE):
            for attribute in _parts(node, ATTRIBUTE):
                if any(number in (SUBGRAPH, SUBGRAPHS) for number, _ in _fields(attribute)):
                    return True
    return False


def _parts(data: memoryview, field: int) -> Iterator[memoryview]:
    """The values of this field that are data of their own."""
    return (part for number, part in _fields(data) if number == field)


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """(number of the field, its data: empty for numbers) of a message in the format of protocol buffers."""
    place, end = 0, len(data)
    while place < end:
        key, place = _varint(data, place)
        kind, length = key & 7, 0
        if kind == 0:
            _, place = _varint(data, place)
        elif kind == 2:
            length, place = _varint(data, place)
        elif kind in (1, 5):
            place += 8 if kind == 1 else 4
        else:
            raise ValueError("groups are not used in this format")
        if place + length > end:
            raise ValueError("a field ends after its message")
        yield key >> 3, data[place : place + length]
        place += length


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    """(an integer of variable length, the place after it)."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise ValueError("a number does not end")
