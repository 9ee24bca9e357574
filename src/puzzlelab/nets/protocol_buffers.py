"""Messages of protocol buffers, of which a file in the ONNX format is one: their fields are read, and written again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

MOST_PARTS = 1_000_000
"""Fields of a file in all messages that are looked at: ONNX Runtime takes up to some kilobytes for an operator."""
FIXED_SIZES = {1: 8, 5: 4}
"""Kind of a field -> its bytes, where all fields of the kind have the same."""
BYTES = 2
"""The kind of a field whose length is written before it: bytes, a text, or a message."""
Field = int | memoryview
"""The value of a field: an integer, or the bytes of anything else."""
Pieces = Sequence[bytes | memoryview]
"""Bytes in pieces, which stand one after the other."""


def all_parts() -> Iterator[int]:
    """Return the `parts` of a whole file, which end after `MOST_PARTS`."""
    return iter(range(MOST_PARTS))


def fields_of(message: Field, parts: Iterator[int]) -> Iterator[tuple[int, Field]]:
    """Yield (number of the field, its value) for each field of a message, one of the `parts` each.

    Raises `ValueError`.
    """
    data = memoryview(b"") if isinstance(message, int) else message
    place = 0
    while place < len(data):
        if next(parts, None) is None:
            raise ValueError(f"it has more than {MOST_PARTS:,} parts")
        key, place = _read_varint(data, place)
        kind = key & 7
        if key >= 1 << 32:
            raise ValueError("there is no field with so large a number")
        if kind == 0:
            value, place = _read_varint(data, place)
            yield key >> 3, value
            continue
        if kind not in FIXED_SIZES and kind != BYTES:
            raise ValueError("groups are not used in this format")
        length, place = (FIXED_SIZES[kind], place) if kind in FIXED_SIZES else _read_varint(data, place)
        if place + length > len(data):
            raise ValueError("a field ends after its message")
        yield key >> 3, data[place : place + length]
        place += length


def integers_in(value: Field) -> Iterator[int]:
    """Yield the integers of a repeated field: one, or several that stand packed in its bytes; raises `ValueError`."""
    if isinstance(value, int):
        yield value
        return
    place = 0
    while place < len(value):
        number, place = _read_varint(value, place)
        yield number


def _read_varint(data: memoryview, place: int) -> tuple[int, int]:
    """Return (an integer of variable length, the place after it)."""
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


def changed(message: Field, parts: Iterator[int], number: int, change: Callable[[Field], Field | Pieces]) -> Pieces:
    """Return the bytes of a message in which the fields of this number are changed; raises `ValueError`."""
    return [
        piece
        for each, value in fields_of(message, parts)
        for piece in pieces_of(each, change(value) if each == number else value)
    ]


def pieces_of(number: int, value: Field | Pieces) -> Pieces:
    """Return the bytes of a field: an integer, or the content of anything else."""
    if isinstance(value, int):
        return [_varint(number << 3), _varint(value)]
    content = [value] if isinstance(value, memoryview) else value
    return [_varint(number << 3 | BYTES), _varint(sum(map(len, content))), *content]


def _varint(value: int) -> bytes:
    """Return an integer of variable length."""
    groups = bytearray()
    while value >= 0x80:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])
