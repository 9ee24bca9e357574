"""The one place that decides where networks run, in which precision, and on how many threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import torch

from puzzlelab.core.errors import BadOption

Precision = Literal["auto", "bf16", "float32"]


def device(wanted: str = "auto") -> torch.device:
    """A CUDA device where there is one, else the CPU; or the one that is wanted. Raises `BadOption`."""
    if wanted == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(wanted)
    except RuntimeError:
        raise BadOption(f"'{wanted}' is no device; write auto, cpu, cuda or cuda:1") from None
    if found.type == "cuda" and not torch.cuda.is_available():
        raise BadOption(f"there is no device '{wanted}' on this machine: torch sees no CUDA")
    return found


def helps_bf16(place: torch.device) -> bool:
    """Whether products of bfloat16 are faster there: on GPUs, and on CPUs with instructions for them."""
    if place.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    has = torch.cpu.get_capabilities()
    return bool(has.get("avx512_bf16") or has.get("amx_bf16"))


@contextmanager
def precision(place: torch.device, wanted: Precision = "auto") -> Iterator[None]:
    """Products in bfloat16 where that helps, or as wanted; weights, sums and the last layers stay float32."""
    half = helps_bf16(place) if wanted == "auto" else wanted == "bf16"
    with torch.autocast(place.type, dtype=torch.bfloat16, enabled=half):
        yield


def one_thread() -> None:
    """What a search needs: it shares the machine with its own threads, and two torch threads are slower than one."""
    torch.set_num_threads(1)
