"""One-hot encodings: a 1 at the place of each number, and none for numbers without a place."""

import numpy as np
import pytest

from puzzlelab.engine.one_hot import one_hot


@pytest.mark.parametrize("first", [0, 1])
def test_each_cell_has_a_one_at_its_number(first) -> None:
    states = np.random.default_rng(0).integers(0, 6, (7, 4)).astype(np.uint8)
    encoded = one_hot(states, first, 5)
    assert encoded.dtype == np.float32
    expected = (states[:, :, None] == np.arange(first, 6)).reshape(7, -1)
    assert np.array_equal(encoded, expected)
    assert np.array_equal(one_hot(states[0], first, 5), expected[0])
    assert one_hot(states[:0], first, 5).shape == (0, 4 * (6 - first))
