"""Inputs for readers: valid files that were cut, changed, repeated and mixed, and noise."""

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
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    2**64,
    10**30,
    0.5,
    -0.0,
    1e308,
    float("inf"),
    float("-inf"),
    float("nan"),
    "",
    "x",
    "0",
    "-1",
    "NaN",
    "../../x",
    "a\nb",
    "\0",
    "\ud800",
    "\x1b[31m",
    "½",
    "٣",
    "net:",
    "net:tiles-3x3",
    [],
    [0],
    [[]],
    [None],
    {},
    {"": 0},
    {"x": {"y": 1}},
)
"""What may stand in a file of JSON where something else should."""
ODD_TEXTS: tuple[bytes, ...] = (
    b"",
    b"\0",
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b" ",
    b"#",
    b",",
    b":",
    b"=",
    b"/",
    b"|",
    b"-",
    b"+",
    b".",
    b"%",
    b'"',
    b"'",
    b"\\",
    b"[",
    b"]",
    b"{",
    b"}",
    b"(",
    b")",
    b"_",
    b"-1",
    b"0",
    b"1",
    b"00",
    b"99",
    b"9" * 30,
    b"9" * 5000,
    b"1e999",
    b"1e-999",
    b"0x10",
    b"1_0",
    b"nan",
    b"inf",
    b"-inf",
    b"null",
    b"true",
    b"[" * 3000,
    b'{"a":' * 3000,
    b"{" * 200,
    b"a=" * 200,
    b"1,2/" * 500,
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xff",
    b"\xed\xa0\x80",
    "٣".encode(),
    "²".encode(),
    "½".encode(),
    "\uff13".encode(),
    "\u2028".encode(),
    "\x85".encode(),
    "\u202e".encode(),
    "\U0001f9e9".encode(),
    b"\x1b[31m",
    b"net:",
    b"pdb:",
    b":goal=",
    b":boxes=",
    b"estimate=",
    b"# puzzle: ",
    b"PAR1",
)
"""What is put into texts."""
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def inputs(examples: Sequence[bytes]) -> SearchStrategy[bytes]:
    """Examples with changes, now and then unchanged, and noise."""
    noise = st.one_of(
        st.binary(max_size=300),
        st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.lists(st.sampled_from(ODD_TEXTS), max_size=8).map(b"".join),
    )
    return st.one_of(changed(examples), changed(examples), changed_json(examples), noise)


@st.composite
def changed(draw: DrawFn, examples: Sequence[bytes]) -> bytes:
    """An example with up to four changes of its bytes."""
    data = draw(st.sampled_from(examples))
    for _ in range(draw(st.integers(0, 4))):
        change = draw(st.sampled_from(CHANGES))
        data = change(draw, data, examples)[: max(LONGEST, 2 * len(data))]
    return data


def _span(draw: DrawFn, data: bytes) -> tuple[int, int]:
    """The begin and the end of a part of the data, which is short more often than long."""
    begin = draw(st.integers(0, len(data)))
    return begin, min(len(data), begin + draw(st.sampled_from((1, 1, 2, 3, 8, 40, 300, len(data)))))


def _cut(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    return data[: draw(st.integers(0, len(data)))]


def _without(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    begin, end = _span(draw, data)
    return data[:begin] + data[end:]


def _flip(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    if not data:
        return data
    place, bit = draw(st.integers(0, len(data) - 1)), draw(st.integers(0, 7))
    return data[:place] + bytes([data[place] ^ (1 << bit)]) + data[place + 1 :]


def _insert(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    begin, end = _span(draw, data)
    kept = draw(st.sampled_from((begin, end)))
    return data[:begin] + draw(st.sampled_from(ODD_TEXTS)) + data[kept:]


def _noise(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    place = draw(st.integers(0, len(data)))
    return data[:place] + draw(st.binary(max_size=12)) + data[place:]


def _twice(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    begin, end = _span(draw, data)
    return data[:end] + data[begin:end] * draw(st.sampled_from((1, 1, 2, 50))) + data[end:]


def _swap(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    first, second = sorted((_span(draw, data), _span(draw, data)))
    if first[1] > second[0]:
        return data
    return (
        data[: first[0]] + data[slice(*second)] + data[first[1] : second[0]] + data[slice(*first)] + data[second[1] :]
    )


def _splice(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    other = draw(st.sampled_from(examples))
    begin, end = _span(draw, other)
    place = draw(st.integers(0, len(data)))
    return data[:place] + other[begin:end] + (data[place:] if draw(st.booleans()) else b"")


def _number(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    """Another number in the place of one."""
    places = [match.span() for match in NUMBER.finditer(data[:LONGEST])]
    if not places:
        return data
    begin, end = draw(st.sampled_from(places))
    new = draw(st.one_of(st.integers(-3, 30).map(lambda n: str(n).encode()), st.sampled_from(ODD_TEXTS)))
    return data[:begin] + new + data[end:]


def _lines(draw: DrawFn, data: bytes, examples: Sequence[bytes]) -> bytes:
    """The lines in another order, some of them left out."""
    lines = data.splitlines(keepends=True)[:200]
    return b"".join(draw(st.lists(st.sampled_from(lines), max_size=len(lines) + 3))) if lines else data


Change = Callable[[DrawFn, bytes, Sequence[bytes]], bytes]
CHANGES: tuple[Change, ...] = (
    _cut,
    _without,
    _flip,
    _insert,
    _insert,
    _noise,
    _twice,
    _swap,
    _splice,
    _number,
    _number,
    _lines,
)


@st.composite
def changed_json(draw: DrawFn, examples: Sequence[bytes]) -> bytes:
    """An example that is JSON, or has lines of JSON, with up to three values of it or of a line changed."""
    data = draw(st.sampled_from(examples))
    if (value := _json(data)) is not None:
        return _text(_changed_value(draw, value))
    lines = data.splitlines()
    numbers = [number for number, line in enumerate(lines[:50]) if line[:1] == b"{" and _json(line) is not None]
    if not numbers:
        return draw(changed(examples))
    number = draw(st.sampled_from(numbers))
    lines[number] = _text(_changed_value(draw, _json(lines[number])))
    return b"\n".join(lines) + b"\n"


def _json(text: bytes) -> Any:
    """The value of this text, None where it has none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _text(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


def _changed_value(draw: DrawFn, value: Any) -> Any:
    """The value with up to three changes."""
    for _ in range(draw(st.integers(1, 3))):
        value = _changed_once(draw, value)
    return value


def _changed_once(draw: DrawFn, value: Any) -> Any:
    """The value with another one in a place that is drawn, or without it, or with one more."""
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
    """The places of all values within a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(inner for key, part in list(items)[:60] for inner in _paths(part, (*path, key)))]
