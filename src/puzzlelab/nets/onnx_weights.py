"""Weights that a file in the ONNX format keeps in a file beside it, as PyTorch does (`X.onnx.data`).

They are put in their places, so that all that follows sees one network: its hash, the limits, and what is sent to other
machines. The numbers of the fields are those of onnx.proto.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.nets.card import content_of
from puzzlelab.nets.onnx_limits import (
    EXTERNAL,
    GRAPH,
    TENSOR_NAME,
    TENSOR_TYPE,
    WEIGHT,
    damaged,
    is_external,
)
from puzzlelab.nets.protocol_buffers import Field, Pieces, all_parts, changed, fields_of, integers_in, pieces_of
from puzzlelab.storage.files import MOST_BYTES, not_a_link, require_regular

DIMENSION, CONTENT = 1, 9
"""Fields of a tensor."""
KEPT = DIMENSION, TENSOR_TYPE, TENSOR_NAME
"""The fields of a tensor that are kept when its content is put in."""
WEIGHT_TYPES = 1, 2, 3, 10, 11, 16
"""The types of tensors that hold weights: numbers with a fraction, and those of 8 bits."""
SAFE_NAME = re.compile(r"[^./\\:\0][^/\\:\0]*")
"""The name of a file of the same folder that is not hidden."""
NUMBER = re.compile(r"[0-9]{1,18}")


def read_whole(path: Path) -> bytes:
    """Return the content of a file with all its weights in it, those of files beside it too; raises `BadFile`."""
    data = content_of(path)
    if b"location" not in data:  # the key of the name of a further file
        return data
    parts, reader = all_parts(), _Reader(path, MOST_BYTES - len(data))

    def whole_graph(graph: Field) -> Pieces:
        return changed(graph, parts, WEIGHT, lambda tensor: _whole_tensor(tensor, parts, reader))

    try:
        return b"".join(changed(memoryview(data), parts, GRAPH, whole_graph))
    except ValueError as error:
        raise damaged(path, error) from None


def count(data: bytes) -> int:
    """Return the number of weights in the content of a whole file that can be read: the elements of its tensors."""
    parts = all_parts()
    graphs = [graph for number, graph in fields_of(memoryview(data), parts) if number == GRAPH]
    tensors = [tensor for graph in graphs for number, tensor in fields_of(graph, parts) if number == WEIGHT]
    return sum(_elements(tensor, parts) for tensor in tensors)


def _elements(tensor: Field, parts: Iterator[int]) -> int:
    """Return the number of weights in a tensor; 0 for one of other numbers, such as a shape."""
    fields = list(fields_of(tensor, parts))
    if not any(number == TENSOR_TYPE and value in WEIGHT_TYPES for number, value in fields):
        return 0
    return math.prod(size for number, value in fields if number == DIMENSION for size in integers_in(value))


def _whole_tensor(tensor: Field, parts: Iterator[int], reader: _Reader) -> Field | Pieces:
    """Return a tensor with its content."""
    fields = list(fields_of(tensor, parts))
    if not any(is_external(number, value) for number, value in fields):
        return tensor
    place = dict(_entry(value, parts) for number, value in fields if number == EXTERNAL)
    kept = [piece for number, value in fields if number in KEPT for piece in pieces_of(number, value)]
    return [*kept, *pieces_of(CONTENT, [reader.read(place)])]


def _entry(entry: Field, parts: Iterator[int]) -> tuple[str, str]:
    """Return the key and the value of an entry."""
    texts = {number: bytes(value).decode() for number, value in fields_of(entry, parts) if not isinstance(value, int)}
    return texts.get(1, ""), texts.get(2, "")


@dataclass
class _Reader:
    """Reads the weights of a network from files beside its own."""

    file: Path
    room: int
    """Bytes that may still be read."""

    def read(self, place: dict[str, str]) -> bytes:
        """Return the bytes of a tensor at this place (`location`, `offset`, `length`); raises `BadFile`."""
        name, begin, length = place.get("location", ""), place.get("offset", "0"), place.get("length")
        if not SAFE_NAME.fullmatch(name):
            raise BadFile(f"{self.file} keeps weights in '{shorten(name)}': only a file of its own folder is read")
        if not NUMBER.fullmatch(begin) or not (length is None or NUMBER.fullmatch(length)):
            raise BadFile(f"{self.file} is damaged: a place in '{shorten(name)}' is no number")
        path = self.file.with_name(name)
        if path.is_symlink():
            raise BadFile(f"{path}, which holds weights of {self.file.name}, is a link: put the file itself there")
        require_regular(path)
        try:
            with open(path, "rb", opener=not_a_link) as source:
                size, offset = os.fstat(source.fileno()).st_size, int(begin)
                count = max(0, size - offset) if length is None else int(length)
                if offset + count > size:
                    raise BadFile(f"{path} is damaged, or no file of {self.file.name}: it ends before the weights do")
                self.room -= count
                if self.room < 0:
                    raise BadFile(f"{self.file} and its weights have more than {MOST_BYTES >> 20} MiB: not read")
                source.seek(offset)
                return source.read(count)
        except FileNotFoundError:
            raise BadFile(f"{self.file} keeps weights in {name}, and there is no such file beside it") from None
        except OSError as error:
            raise BadFile(f"cannot read {path}: {error.strerror or error}") from None
