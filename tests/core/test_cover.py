"""The arrays of an exact cover, and what it says of items and options that cannot be."""

import numpy as np
import pytest

from puzzlelab import BadOption, load
from puzzlelab.core.cover import ExactCover

KNUTH = ExactCover.of(["ce", "adg", "bcf", "adf", "bg", "deg"], "abcdefg")
"""The example of "The Art of Computer Programming", 7.2.2.1, (5)."""


def test_items_are_numbered_as_they_are_named_the_primary_ones_first():
    cover = ExactCover.of([["row", 7], [7, "diagonal"]], ["row", 7], ["diagonal"])
    assert (cover.items, cover.primary, cover.options) == (3, 2, 2)
    assert cover.starts.tolist() == [0, 2, 4]
    assert cover.entries.tolist() == [0, 1, 1, 2]


def test_an_option_and_the_owners_of_all_entries():
    assert KNUTH.option(1).tolist() == [0, 3, 6]
    assert KNUTH.owners.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5]
    assert [KNUTH.entries[KNUTH.owners == option].tolist() for option in range(6)] == [
        KNUTH.option(option).tolist() for option in range(6)
    ]


def test_options_mean_moves():
    assert KNUTH.moves.tolist() == [0, 1, 2, 3, 4, 5]
    named = ExactCover.of({40: "a", 7: "b"}, "ab")
    assert named.moves.tolist() == [40, 7]
    assert named.option_of == {40: 0, 7: 1}


def test_options_have_names_and_all_items_but_secondary_ones_must_be_covered():
    cover = ExactCover.of({"A": "ca", (1, "b"): "ab", 7: "d"}, secondary="a")
    assert (cover.names, cover.moves.tolist()) == (["A", "(1,'b')", "7"], [0, 1, 2])
    assert (cover.item_names, cover.primary) == (["c", "b", "d", "a"], 3)


@pytest.mark.parametrize(
    ("options", "primary", "secondary", "sentence"),
    [
        (["ab"], "a", "", "the option 0 holds 'b', which is no item"),
        (["a"], "aba", "", "the item 'a' is named twice"),
        (["a"], "a", "a", "the item 'a' is named twice"),
        (["a", "aa"], "a", "", "the option 1 holds the item 'a' twice"),
        ({5: ""}, "a", "", "the option 5 holds no item"),
        ({"A b": "a", "A_b": "a"}, None, "", "two options are named A_b"),
        ({" ": "a"}, None, "", "the name of an option must be a word, and not ''"),
        ({"-": "a"}, None, "", "the name of an option must be a word, and not '-'"),
        (5, None, "", "the options of a cover must be names with items, .* not the number 5"),
        ({"A": 5}, None, "", "the options of a cover must be names with items, .* not a dict"),
        ([[[1]]], [1], "", "the options of a cover must be names with items, .* not a list"),
    ],
)
def test_what_is_no_cover_is_explained(options, primary, secondary, sentence):
    with pytest.raises(BadOption, match=sentence):
        ExactCover.of(options, primary, secondary)


def test_the_cover_of_a_sudoku():
    puzzle = load("sudoku-6x6")
    cover = puzzle.cover()
    assert cover is puzzle.cover()
    assert (cover.options, cover.items, cover.primary, len(cover.entries)) == (6**3, 4 * 36, 4 * 36, 4 * 6**3)
    # every item is a cell, or a digit in a row, column or box, and has one option for each digit or place
    assert np.bincount(cover.entries).tolist() == [6] * 4 * 36
    board = puzzle.read("6...2.42.....4...35.3..2...6.......1")
    assert [puzzle.write_move(int(cover.moves[option])) for option in puzzle.chosen(board.state)[:3]] == [
        "r1c1=6",
        "r1c5=2",
        "r2c1=4",
    ]
