"""Boards are found in any form in which people have them, and what is not understood is named."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("lzstring")
import forms

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import scale_of
from puzzlelab.text.reader import read_any


def found_in(text, hint=None):
    """Name and board of each board in a text."""
    return [(each.puzzle.name, each.puzzle.write(each.state)) for each in read_any(text, hint)]


@pytest.mark.parametrize("name", forms.SUDOKU_TEXTS)
def test_a_sudoku_is_read_in_every_form(name: str) -> None:
    assert found_in(forms.SUDOKU_TEXTS[name]) == [("sudoku-9x9", forms.CLASSIC)]


@pytest.mark.parametrize("name", forms.OTHER_TEXTS)
def test_other_puzzles_are_found_by_their_boards(name: str) -> None:
    text, puzzle, board = forms.OTHER_TEXTS[name]
    assert found_in(text) == [(puzzle, board)]


@pytest.mark.parametrize("hint", [None, "tiles-4x4", "sudoku-9x9", "dust-8x6x5"])
@pytest.mark.parametrize("name", ["rows with slashes", "CSV", "bars and rules", "f-puzzles"])
def test_the_puzzle_that_is_open_does_not_hide_another(name: str, hint: str | None) -> None:
    assert found_in(forms.SUDOKU_TEXTS[name], hint) == [("sudoku-9x9", forms.CLASSIC)]


@pytest.mark.parametrize("name", forms.MANY_TEXTS)
def test_many_boards_are_read(name: str) -> None:
    boards = found_in(forms.MANY_TEXTS[name])
    assert [puzzle for puzzle, _ in boards] == ["sudoku-9x9"] * 3
    assert boards[0][1] == boards[2][1] == forms.CLASSIC


@pytest.mark.parametrize("text", forms.WRONG_TEXTS)
def test_what_is_not_understood_is_named(text: str) -> None:
    with pytest.raises(BadInput) as error:
        found_in(text)
    assert forms.WRONG_TEXTS[text] in str(error.value)


def test_where_a_text_may_be_two_puzzles_the_open_one_is_taken() -> None:
    text = "12\n21"
    assert found_in(text, "dust-2x2x2") == [("dust-2x2x2", "2112")]


@pytest.mark.parametrize(
    "name", ["tiles-3x3", "tiles-4x4", "tiles-5x5", "tiles-2x7", "sudoku-9x9", "dust-8x6x5", "dust-6x5x4"]
)
def test_what_is_written_is_read_again(name: str) -> None:
    puzzle = registry.load(name)
    _, scale = scale_of(puzzle, None)
    for number in range(20):
        state = scale.sample(generator(3, number), None, 1)[0]
        for text in (puzzle.write(state), f"> {puzzle.write(state)}\r\n"):
            (found,) = found_in(text, name)
            assert found == (name, puzzle.write(state))


@settings(max_examples=200, deadline=None)
@example("- - -\n---")
@example("https://ex]/play?puzzle=1")
@given(st.text(alphabet="0123456789.ABCXYZ _-|+\n\t,;[]{}()/#:?é🟥\"'", max_size=300))
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    try:
        boards = found_in(text)
    except BadInput:
        return
    for name, board in boards:
        puzzle = registry.load(name)
        assert puzzle.write(puzzle.read(board).state) == board


def test_a_huge_text_is_refused() -> None:
    with pytest.raises(BadInput, match="too many"):
        found_in("1" * 2_000_001)
    with pytest.raises(BadInput):
        found_in("[" * 100_000)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1" + "\n" * 300_000 + "2", "no board is found in '1'"),
        ("1]" + " " * 300_000 + "2", "no board is found in '1]"),
        ("http://a/" + "/scl" * 250_000 + "!", "a link of 1,000,010 characters is too long; at most 65,536 are read"),
        ("http://a/" + "/scl" * 16_000 + "!", "has no board in it"),
        ("http://a/" + "/a.b.c.d.e" * 6_000, "has no board in it"),
        ("http://a/scl" + "A" * 20_000, "a compressed puzzle may have 16,384 characters, not 20,000"),
        ("\n".join(f"the line {number}" for number in range(50_000)), "8 cells; most rows have 12"),
    ],
    ids=["blank lines", "blanks", "a long link", "a link of many beginnings", "of many parts", "compressed", "lines"],
)
def test_a_text_that_is_made_to_cost_much_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput) as error:
        found_in(text)
    assert words in str(error.value)


def test_a_link_that_unpacks_to_much_is_refused() -> None:
    import lzstring

    row = "0," * 600_000
    packed = lzstring.LZString.compressToBase64(f'{{"grid":[[5]],"notes":[{row}0]}}')
    assert len(packed) < 16_384
    with pytest.raises(BadInput, match="compressed in a way that cannot be read here"):
        found_in("https://sudokupad.app/scl" + packed)
