import inspect

import pytest

from puzzlelab.core import errors
from puzzlelab.core.errors import BadBoard, BadInput, PuzzlelabError, UnknownName, shorten, visible

TREE = [found for _, found in inspect.getmembers(errors, inspect.isclass) if found.__module__ == errors.__name__]


@pytest.mark.parametrize("error", TREE)
def test_every_error_is_caught_by_the_one_root(error: type[Exception]) -> None:
    assert issubclass(error, PuzzlelabError)


def test_what_the_asker_can_mend_is_bad_input() -> None:
    mendable = {found.__name__ for found in TREE if issubclass(found, BadInput)}
    names = "BadInput BadBoard BadFile BadOption UnknownOption BrokenPlugin Unsupported UnknownName"
    assert mendable == set(names.split())


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (BadBoard("tile 3 is missing", "place 7"), "place 7: tile 3 is missing"),
        (BadBoard("the board is empty"), "the board is empty"),
        (UnknownName("solver", "aster", ["astar", "ida"]), "there is no solver 'aster'; did you mean 'astar'?"),
        (UnknownName("solver", "zzz", ["ida", "bfs"]), "there is no solver 'zzz'; known are bfs, ida"),
        (UnknownName("estimate", "pdb", ()), "there is no estimate 'pdb'"),
        (UnknownName("solver", "x" * 10**6, ()), f"there is no solver '{'x' * 40}...'"),
    ],
)
def test_an_error_is_a_sentence(error: Exception, sentence: str) -> None:
    assert str(error) == sentence


@pytest.mark.parametrize(
    ("text", "short"),
    [("", ""), ("a" * 40, "a" * 40), ("a" * 41, "a" * 40 + "..."), ("a\nb\x1b[31m\x00", "a?b?[31m?"), ("½ é", "½ é")],
)
def test_a_text_is_made_fit_for_a_message(text: str, short: str) -> None:
    assert shorten(text) == short


@pytest.mark.parametrize(("text", "shown"), [("½ é", "½ é"), ("a\nb", "a\\nb"), ("\x1b[31m\0é", "\\x1b[31m\\x00é")])
def test_a_name_is_shown_without_control_characters(text: str, shown: str) -> None:
    assert visible(text) == shown
