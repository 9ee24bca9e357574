"""Reports which kernel is being compiled, for which puzzle, and about how long that takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from puzzlelab.engine import report
from puzzlelab.engine.kernel_cache import MESSAGE_DELAY
from puzzlelab.engine.machine_code import modules_of

SECONDS = {
    "step": 3,
    "puzzlelab.puzzles.dust.halves.pair_search_kernels.step": 10,
    "puzzlelab.puzzles.dust.halves.costs_kernels.raise_bound": 4,
}
"""Seconds, about, that kernels take on a server of 2023, by name or by the last part of it: `benchmarks/start.py
--slowest` measures them."""

_under_way: list[str] = []
"""Kernels that are being compiled now; a kernel that is compiled as part of another is not announced."""


@contextmanager
def announcements(function: Any) -> Iterator[Callable[[tuple[Any, ...]], None]]:
    """Yield the function to call before the kernel is compiled."""
    name = f"{function.__module__}.{function.__name__}"
    with ExitStack() as stack:

        def begin(signature: tuple[Any, ...]) -> None:
            if not _under_way:
                seconds = SECONDS.get(name, SECONDS.get(function.__name__))
                what = f"Compiling {_short(name)}{_purpose(signature)}"
                if seconds is None:
                    stack.enter_context(report.after(MESSAGE_DELAY, f"{what}: some seconds, the first time only."))
                else:
                    report.waiting(f"{what}: about {seconds} s, the first time only.")
            _under_way.append(name)
            stack.callback(_under_way.pop)

        yield begin


def _short(name: str) -> str:
    """Return the kernel with its module, without the marks of kernel modules: `ida.step` for `_ida_kernels.step`."""
    module, kernel = name.split(".")[-2:]
    return f"{module.removeprefix('_').removesuffix('_kernels')}.{kernel}"


def _purpose(signature: tuple[Any, ...]) -> str:
    """Return the puzzle, by the modules of the tables that the kernel is compiled for."""
    modules = dict.fromkeys(module for kind in signature for module in modules_of(kind))
    names = [module.split(".")[2] for module in modules if module.startswith("puzzlelab.puzzles.")]
    names += [module.partition(".")[0] for module in modules if not module.startswith("puzzlelab.")]
    return f" for {names[0]}" if names else ""
