"""Hostile inputs for readers: valid ones that were cut, changed, repeated and mixed, and noise."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

LONGEST = 20_000
"""Bytes of the longest input, but for what is repeated on purpose."""
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**30, 0.5, -0.0, 1e308, float("inf"), float("-inf"),
    float("nan"), "", "x", "0", "-1", "NaN", "../../x", "a\nb", "\0", "\ud800", "\x1b[31m", "½", "٣", "net:",
    "net:tiles-3x3", [], [0], [[]], [None], {}, {"": 0}, {"x": {"y": 1}},
)  # fmt: skip
"""What may stand in a file of JSON in place of something else."""
ODD_TEXTS: tuple[bytes, ...] = (
    *(bytes([code]) for code in b"\0\n\r\t #,:=/|-+.%\"'\\[]{}()_01\xff"), b"", b"\r\n", b"-1", b"00", b"99", b"9" * 30,
    b"9" * 5000, b"1e999", b"1e-999", b"0x10", b"1_0", b"nan", b"inf", b"-inf", b"null", b"true", b"[" * 3000,
    b'{"a":' * 3000, b"{" * 200, b"a=" * 200, b"1,2/" * 500, b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80",
    *(sign.encode() for sign in "٣²½\uff13\u2028\x85\u202e\U0001f9e9"), b"\x1b[31m", b"net:", b"pdb:", b":goal=",
    b":boxes=", b"estimate=", b"# puzzle: ", b"PAR1",
)  # fmt: skip
"""What is put into texts."""
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def inputs(examples: Sequence[bytes]) -> SearchStrategy[bytes]:
    """Draw examples with changes, now and then unchanged, and noise."""
    noise = st.one_of(
        st.binary(max_size=300),
        st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.lists(st.sampled_from(ODD_TEXTS), max_size=8).map(b"".join),
    )
    return st.one_of(changed(examples), changed(examples), changed_json(examples), noise)


@st.composite
def changed(draw: DrawFn, examples: Sequence[bytes]) -> bytes:
    """Draw an example with up to four changes of its bytes."""
    data = draw(st.sampled_from(examples))
    for _ in range(draw(st.integers(0, 4))):
        data = draw(st.sampled_from(CHANGES))(draw, data, examples)[: max(LONGEST, 2 * len(data))]
    return data


def _span(draw: DrawFn, data: bytes) -> tuple[int, int]:
    """Draw a part of the data, which is short more often than long."""
    begin = draw(st.integers(0, len(data)))
    return begin, min(len(data), begin + draw(st.sampled_from((0, 1, 1, 2, 3, 8, 40, 300, len(data)))))


def _put(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    """Put an odd text in the place of a part, or nothing, noise, or a part of another example."""
    begin, end = _span(draw, data)
    other = draw(st.sampled_from(examples))
    new = draw(st.one_of(st.sampled_from(ODD_TEXTS), st.just(b""), st.binary(max_size=12)))
    return data[:begin] + draw(st.sampled_from((new, new, new, other[slice(*_span(draw, other))]))) + data[end:]


def _cut(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    return data[: draw(st.integers(0, len(data)))]


def _flip(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    place = draw(st.integers(0, max(0, len(data) - 1)))
    bits = [byte ^ (1 << draw(st.integers(0, 7))) for byte in data[place : place + 1]]
    return data[:place] + bytes(bits) + data[place + 1 :]


def _twice(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    begin, end = _span(draw, data)
    return data[:end] + data[begin:end] * draw(st.sampled_from((1, 1, 2, 50))) + data[end:]


def _number(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    places = [match.span() for match in NUMBER.finditer(data[:LONGEST])] or [(0, 0)]
    begin, end = draw(st.sampled_from(places))
    new = draw(st.one_of(st.integers(-3, 30).map(lambda n: str(n).encode()), st.sampled_from(ODD_TEXTS)))
    return data[:begin] + new + data[end:]


def _lines(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)[:200] or [b""]
    return b"".join(draw(st.lists(st.sampled_from(lines), max_size=len(lines) + 3)))


Change = Callable[[DrawFn, bytes, Sequence[bytes]], bytes]
CHANGES: tuple[Change, ...] = (_put, _put, _put, _cut, _flip, _twice, _number, _number, _lines)


@st.composite
def changed_json(draw: DrawFn, examples: Sequence[bytes]) -> bytes:
    """Draw an example that is JSON, or has lines of JSON, with up to three values of it or of a line changed."""
    data = draw(st.sampled_from(examples))
    lines = [data] if _json(data) is not None else data.splitlines()
    numbers = [number for number, line in enumerate(lines[:50]) if line[:1] == b"{" and _json(line) is not None]
    if not numbers:
        return draw(changed(examples))
    number = draw(st.sampled_from(numbers))
    value = _json(lines[number])
    for _ in range(draw(st.integers(1, 3))):
        value = _changed_once(draw, value)
    lines[number] = json.dumps(value).encode("utf-8", "surrogatepass")
    return b"\n".join(lines) + b"\n" * (len(lines) > 1)


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _changed_once(draw: DrawFn, value: Any) -> Any:
    """Put another value in a place that is drawn, or remove or repeat the one that is there."""
    value = copy.deepcopy(value)
    paths = [path for path in _paths(value) if path]
    if not paths:
        return draw(st.sampled_from(ODD_VALUES))
    *outer, last = draw(st.sampled_from(paths))
    holder = value
    for part in outer:
        holder = holder[part]
    match draw(st.sampled_from(("replace", "replace", "replace", "remove", "rename", "repeat"))):
        case "remove":
            del holder[last]
        case "rename" if isinstance(holder, dict):
            holder[draw(st.sampled_from(("", "x", "name", "\0", "é")))] = holder.pop(last)
        case "repeat" if isinstance(holder, list):
            holder.extend([holder[last]] * draw(st.sampled_from((1, 2, 300))))
        case _:
            holder[last] = draw(st.sampled_from(ODD_VALUES))
    return value


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the places of all values within a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(inner for key, part in list(items)[:60] for inner in _paths(part, (*path, key)))]
