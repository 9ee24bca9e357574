"""The sentences of steps of logic."""

import pytest

from puzzlelab.core.reasons import joined, removed_text


@pytest.mark.parametrize(("words", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")])
def test_words_are_joined(words, text):
    assert joined(words) == text


def test_cells_that_lose_the_same_digits_are_named_together():
    removed = [("r1c1", "5"), ("r1c2", "5"), ("r1c3", "5"), ("r1c3", "7")]
    assert removed_text(removed) == "r1c1 and r1c2 cannot be 5, and r1c3 cannot be 5 or 7"
