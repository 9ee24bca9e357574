"""Limits for networks of the ONNX format, of unknown authors: on memory and on time.

ONNX Runtime takes the arrays of all networks of a process from one arena, which does not grow above `MOST_MEMORY`.
`onnx_graph.py` refuses what takes other memory.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TypeVar

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as errors

from puzzlelab.core.errors import BadFile

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
