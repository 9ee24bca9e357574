"""Lines of text as an exact cover, and what is said of lines that are none."""

import pytest

from puzzlelab import BadFile, BadOption
from puzzlelab.text.covers import read_cover


def options_of(cover):
    """Name -> items, as they were read."""
    every = [[cover.item_names[item] for item in cover.option(number)] for number in range(cover.options)]
    return dict(zip(cover.names, every, strict=True))


def test_an_option_has_a_name_or_the_number_of_its_line():
    lines = ["# of four items", "A: 1 2, 3", "", "B:4 # the last", " 4\t3 ", "2,1\n"]
    expected = {"A": ["1", "2", "3"], "B": ["4"], "5": ["4", "3"], "6": ["2", "1"]}
    assert options_of(read_cover(lines, "file")) == expected


def test_secondary_items_come_last():
    cover = read_cover(["A: x 1", "B: 2 y"], "file", secondary=["x", "y"])
    assert (cover.item_names, cover.primary) == (["1", "2", "x", "y"], 2)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["A: 1", "A: 2"], "file, line 2: the option of line 1 is named A too"),
        (["2: 1", "1 2"], "file, line 2: the option of line 1 is named 2 too"),
        (["", "A: 1 2 1"], "file, line 2: the option A holds the item '1' twice"),
        (["A:"], "file, line 1: the option A holds no item"),
        ([","], "file, line 1: the option 1 holds no item"),
        (["A b: 1"], "file, line 1: 'A b: 1' is no option; write NAME: ITEM ITEM ..., with a name of one word"),
        ([": 1"], "file, line 1: the name of an option must be a word, and not ''"),
        (["x:1 y:2"], "file, line 1: 'x:1 y:2' is no option"),
        (["# nothing", " "], "there are no options in file"),
    ],
)
def test_a_wrong_line_is_named(lines, sentence):
    with pytest.raises(BadFile) as error:
        read_cover(lines, "file")
    assert str(error.value).startswith(sentence)


def test_an_item_that_is_not_declared_is_named():
    with pytest.raises(BadFile, match="file, line 2: the option B holds '3', which is no item"):
        read_cover(["A: 1 2", "B: 3"], "file", primary=["1", "2"])
    with pytest.raises(BadOption, match="no option in file holds the secondary item 'X'"):
        read_cover(["A: 1 x"], "file", secondary=["X"])
