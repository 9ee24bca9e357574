"""Values in words, and numbers of every kind as plain ones."""

from decimal import Decimal

import numpy as np
import pytest

from puzzlelab.core.errors import BadOption, described, real_number, whole_number
from puzzlelab.core.limit import Limit


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        (True, "True"),
        (5, "the number 5"),
        (np.float32(2.5), "the number 2.5"),
        (10**100, "the number 1" + "0" * 39 + "..."),
        ("abc", "the text 'abc'"),
        ("x" * 1000, f"the text '{'x' * 40}...'"),
        ("a\nb", "the text 'a?b'"),
        (Limit, "the class Limit"),
        (Limit(), "a Limit"),
        ([1], "a list"),
        (np.zeros(2), "an array"),
        (OSError(), "an OSError"),
    ],
)
def test_a_value_in_words(value, words):
    assert described(value) == words


@pytest.mark.parametrize("value", [7, 7.0, np.int8(7), np.uint64(7), np.float16(7)])
def test_a_whole_number_of_any_kind(value):
    assert whole_number(value, "it") == 7
    assert type(whole_number(value, "it", 7)) is int


@pytest.mark.parametrize("value", [7.5, "7", None, True, np.True_, [7], float("nan"), float("inf"), 7j, Decimal(7)])
def test_what_is_no_whole_number(value):
    with pytest.raises(BadOption, match="^it must be a whole number, not "):
        whole_number(value, "it")


def test_a_number_keeps_its_kind():
    assert [type(real_number(value, "it")) for value in (1, 1.5, np.int64(1), np.float32(1.5))] == [
        int,
        float,
        int,
        float,
    ]
    with pytest.raises(BadOption, match="it must be a number, not the text 'x'"):
        real_number("x", "it")
