"""Decides on which device networks are trained, and in which precision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from puzzlelab.core.errors import BadOption
from puzzlelab.nets.network import Precision


def device(name: str = "auto") -> torch.device:
    """Return the device of this name; `auto` is a CUDA device where there is one, else the CPU. Raises `BadOption`."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(name)
    except RuntimeError:
        raise BadOption(f"'{name}' is no device; write auto, cpu, cuda or cuda:1") from None
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise BadOption(f"there is no device '{name}' on this machine: torch sees no CUDA")
    return chosen


def has_fast_bf16(target: torch.device) -> bool:
    """Tell whether matrix products in bfloat16 are faster there: on GPUs, and on CPUs with instructions for them."""
    if target.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


@contextmanager
def precision(target: torch.device, name: Precision = "auto") -> Iterator[None]:
    """Compute matrix products in bfloat16 if `name` says so, or for `auto` where that is faster.

    Weights, sums and output layers stay float32.
    """
    half = has_fast_bf16(target) if name == "auto" else name == "bf16"
    with torch.autocast(target.type, dtype=torch.bfloat16, enabled=half):
        yield
