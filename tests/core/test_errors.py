import inspect

import pytest

from puzzlelab.core import errors
from puzzlelab.core.errors import BadBoard, BadInput, PuzzlelabError, UnknownName, nearest, shorten, visible

TREE = [found for _, found in inspect.getmembers(errors, inspect.isclass) if found.__module__ == errors.__name__]


@pytest.mark.parametrize("error", TREE)
def test_every_error_is_caught_by_the_one_root(error: type[Exception]) -> None:
    assert issubclass(error, PuzzlelabError)


def test_what_the_asker_can_mend_is_bad_input() -> None:
    mendable = {found.__name__ for found in TREE if issubclass(found, BadInput)}
    assert mendable == {"BadInput", "BadBoard", "BadFile", "BadOption", "BrokenPlugin", "Unsupported", "UnknownName"}


def test_a_bad_board_says_its_place() -> None:
    error = BadBoard("tile 3 is missing", "place 7")
    assert str(error) == "place 7: tile 3 is missing"
    assert error.place == "place 7"


def test_a_bad_board_without_a_place_says_only_what_is_wrong() -> None:
    assert str(BadBoard("the board is empty")) == "the board is empty"


def test_an_unknown_name_is_told_the_nearest_known_one() -> None:
    assert str(UnknownName("solver", "aster", ["astar", "ida"])) == "there is no solver 'aster'; did you mean 'astar'?"


def test_where_none_is_near_all_known_names_are_told() -> None:
    assert nearest("zzz", ["ida", "bfs"]) == "; known are bfs, ida"


def test_where_none_is_known_none_is_told() -> None:
    assert str(UnknownName("estimate", "pdb", ())) == "there is no estimate 'pdb'"


def test_an_unknown_name_of_a_megabyte_makes_a_short_message() -> None:
    assert len(str(UnknownName("solver", "x" * 10**6, ["astar"]))) < 200


@pytest.mark.parametrize(
    ("text", "short"),
    [("", ""), ("a" * 40, "a" * 40), ("a" * 41, "a" * 40 + "..."), ("a\nb\x1b[31m\x00", "a?b?[31m?"), ("½ é", "½ é")],
)
def test_a_text_is_made_fit_for_a_message(text: str, short: str) -> None:
    assert shorten(text) == short


@pytest.mark.parametrize(("text", "shown"), [("½ é", "½ é"), ("a\nb", "a\\nb"), ("\x1b[31m\0é", "\\x1b[31m\\x00é")])
def test_a_name_is_shown_without_control_characters(text: str, shown: str) -> None:
    assert visible(text) == shown
