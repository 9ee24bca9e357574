"""Whatever is given to a puzzle as a board is read as one, or refused in a short sentence, and never taken for long."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.core.errors import BadBoard
from puzzlelab.core.registry import load
from puzzlelab.text.reader import guess

NAMES = (
    *("tiles-2x2", "tiles-3x3", "tiles-5x5", "dust-8x6x5", "dust-4x3x2", "dust-1x5x3", "dust-16x16x9"),
    *("sudoku-4x4", "sudoku-6x6:boxes=3x2", "sudoku-9x9", "sudoku-25x25"),
)
SIGNS = "1234567890.0_*abPQRGBYOPx |-+=,:;/[]()\n\r\t#'\"é\x00"


@settings(max_examples=200)
@given(
    name=st.sampled_from(NAMES),
    text=st.text(max_size=300) | st.text(SIGNS, max_size=120) | st.text("0123 ", max_size=9),
)
def test_any_text_is_a_board_or_refused_in_a_short_sentence(name: str, text: str) -> None:
    puzzle, refusal = load(name), ""
    try:
        state = puzzle.read(text).state
    except BadBoard as error:
        refusal = str(error)
    else:
        assert (state.dtype, state.shape) == (np.uint8, puzzle.read(puzzle.write(state)).state.shape)
    assert refusal == "" or refusal.isprintable()
    assert len(refusal) < 300
    guess(text)


@pytest.mark.parametrize("name", ["tiles-3x3", "dust-8x6x5", "sudoku-9x9"])
@pytest.mark.parametrize("text", ["1 " * 5_000_000, "[" * 10_000_000, "\n" * 10_000_000], ids=["1", "[", "line ends"])
def test_ten_megabytes_are_refused_unread(name: str, text: str) -> None:
    tracemalloc.start()
    with pytest.raises(BadBoard, match=f"^10,000,000 characters are no board; {name} "):
        load(name).read(text)
    assert guess(text) is None
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
