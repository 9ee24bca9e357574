"""Whatever is given to a puzzle as a board is read as one, or refused in a short sentence, and never taken for long."""

import tracemalloc

import pytest
from board_texts import texts
from hypothesis import example, given, settings
from hypothesis import strategies as st

from puzzlelab.core.errors import BadBoard
from puzzlelab.core.registry import load
from puzzlelab.puzzles.dust.rules import Dust
from puzzlelab.text.reader import guess, splitter_of

NAMES = (
    *("tiles-2x2", "tiles-3x3", "tiles-5x5", "dust-8x6x5", "dust-4x3x2", "dust-1x5x3", "dust-16x16x9"),
    *("sudoku-4x4", "sudoku-6x6:boxes=3x2", "sudoku-9x9", "sudoku-25x25"),
)
SIGNS = "1234567890.0_*abPQRGBYOPx |-+=,:;/[]()\n\r\t#'\"é\x00"
WRITTEN = [(each.puzzle, each.text) for family in ("tiles", "sudoku", "dust") for each in texts(family, 211)]
"""Boards in notations that people use, with the names of their puzzles."""


def is_read_or_refused(name: str, text: str) -> None:
    """Read a text through each door of its puzzle: the board can be written, or a short sentence refuses the text."""
    puzzle, refusal = load(name), ""
    for each in (puzzle, puzzle.with_gravity()) if isinstance(puzzle, Dust) else (puzzle,):
        try:
            board = each.read(text)
        except BadBoard as error:
            refusal = str(error)
        else:
            assert puzzle.read(puzzle.write(board.state)).state.tolist() == board.state.tolist()
    assert refusal == "" or refusal.isprintable()
    assert len(refusal) < 300
    guess(text)
    list(splitter_of(puzzle).split(text.splitlines(keepends=True)))


@example(name="dust-3x3x5", text="]\nb 0 0\no 0 0\no y 0")
@settings(max_examples=200)
@given(
    name=st.sampled_from(NAMES),
    text=st.text(max_size=300) | st.text(SIGNS, max_size=120) | st.text("0123 ", max_size=9),
)
def test_any_text_is_a_board_or_refused_in_a_short_sentence(name: str, text: str) -> None:
    is_read_or_refused(name, text)


@settings(max_examples=250)
@given(
    written=st.sampled_from(WRITTEN),
    edits=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["", *SIGNS])), min_size=1, max_size=4),
)
def test_a_board_with_slips_is_a_board_or_refused(written: tuple[str, str], edits: list[tuple[float, str]]) -> None:
    name, text = written
    for where, sign in edits:
        place = int(where * len(text))
        text = text[:place] + sign + text[place + 1 :]
    is_read_or_refused(name, text)


@pytest.mark.parametrize("name", ["tiles-3x3", "dust-8x6x5", "sudoku-9x9"])
@pytest.mark.parametrize("text", ["1 " * 5_000_000, "[" * 10_000_000, "\n" * 10_000_000], ids=["1", "[", "line ends"])
def test_ten_megabytes_are_refused_unread(name: str, text: str) -> None:
    tracemalloc.start()
    with pytest.raises(BadBoard, match=f"^10,000,000 characters are no board; {name} "):
        load(name).read(text)
    assert guess(text) is None
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
