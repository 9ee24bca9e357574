"""The figures of `tools/size.py`, of small packages that are made up."""

import textwrap

import numpy as np
import pytest

import size
from style_checks.modules import modules

TEXT = """
    '''A module.'''

    from a import shape  # a name of the module

    LIMIT = 3
    '''A text
    after a constant.'''


    # a comment
    def area(shape, sides):
        '''The same for a shape.'''
        area = '''a text
        that is a value'''
        return [limit for limit in sides]


    class Square:
        '''Which shape a square is.'''

        def area(self):
            '''Return the area.'''
            return self
"""


@pytest.fixture
def code(tmp_path):
    """A function that writes modules of `core`, name -> text, and reads them as a package."""

    def write(texts):
        for name, text in {"__init__": "", **texts}.items():
            file = tmp_path / "src" / "puzzlelab" / "core" / f"{name}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text), encoding="utf-8")
        return modules(tmp_path / "src")

    return write


def test_texts_comments_and_blank_lines_are_no_code():
    assert size.code_lines(textwrap.dedent(TEXT)) == 9


def test_locals_shadow_functions_classes_and_imports(code):
    assert [each.split(": ")[1] for each in size.shadowing(code({"a": TEXT})[1])] == ["shape", "area"]


def test_the_figures_of_a_package(code, tmp_path):
    code({"a": TEXT, "b": "def f():\n    from puzzlelab.core import a", "c": "import puzzlelab.core.b", "d": "x = 1"})
    for folder, name in (("docs", "extending.md"), ("tests", "test_a.py")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("x = 1\n", encoding="utf-8")
    values = dict(size.figures(tmp_path))
    assert {
        title: values[title] for title in ("modules", "classes", "files of core", "floors of core", "functions")
    } == {
        "modules": 5,
        "classes": 1,
        "files of core": 4,
        "floors of core": 3,
        "functions": 3,
    }
    assert len(values["docstrings that open with a pronoun"]) == 2
    assert values["lines of code of tests"] == 1


def test_a_state_and_a_text_are_the_board():
    state = np.array([int(word) for word in size.BOARD.split()], np.uint8)
    assert size.holds_board([(state,)])
    assert size.holds_board(f"{size.BOARD}\n")
    assert not size.holds_board([state[::-1], {}, 3])
